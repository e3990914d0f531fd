//! Capsules around the bones: full weight within the inner radius, none beyond the outer one.

use crate::bind_shape::{BindShape, Capsule, ShapeForm};
use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::bones::Bone;
use crate::islands::NONE;
use crate::progress::Progress;
use crate::settings::ENVELOPE_RANGES;
use crate::sight::{NEAREST, next_to};
use crate::{BindError, BindSettings};

/// The method *envelope*.
pub static ENVELOPE: Binder = Binder {
    id: "envelope",
    label: "Envelopes",
    help: "Each bone has a capsule whose radius follows from the surface around it; where capsules overlap their bones share the surface",
    source: "",
    parameters: &[INNER, OUTER],
    run,
};

const INNER: BinderParameter = BinderParameter {
    id: "inner",
    label: "Inner radius",
    help: "Within this the bone has its full weight, as a share of the distance of the surface",
    range: ENVELOPE_RANGES[0],
    default: 0.5,
    decimals: 2,
};
const OUTER: BinderParameter = BinderParameter {
    id: "outer",
    label: "Outer radius",
    help: "Beyond this the bone has no weight, as a share of the distance of the surface",
    range: ENVELOPE_RANGES[1],
    default: 1.2,
    decimals: 2,
};

/// The radius of a capsule has this share of the surface next to its bone within it.
const QUANTILE: f64 = 0.75;
/// The outer radius is larger than the inner one by this at least.
const LEAST: f64 = 0.01;

fn run(body: &mut Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let body = &*body;
    let count = body.shape.points.len();
    let next: Vec<Option<(u32, f64)>> = progress.part(0.0, 0.6).by_chunk(count, 256, &|range| {
        let of = |place: usize| {
            let bone = next_to(body, place).filter(|_| body.islands.of[place] != NONE)?;
            let number =
                body.bones.list.iter().position(|other| other.ends == bone.ends && other.joint == bone.joint)?;
            let at = body.shape.points[place];
            Some((number as u32, bone.nearest(at).distance(at).max(NEAREST)))
        };
        range.map(of).collect()
    })?;
    let capsules = capsules(body, settings, &next);
    let of = |range: std::ops::Range<usize>| range.map(|place| row(body, place, &capsules)).collect();
    let rows = progress.part(0.6, 1.0).by_chunk(count, 256, &of)?;
    let there = body.bones.list.iter().zip(capsules).filter(|(_, capsule)| capsule.radius > 0.0);
    let shapes = there.map(|(bone, capsule)| BindShape { joint: bone.joint, form: ShapeForm::Capsule(capsule) });
    Ok(Found { rows, shapes: shapes.collect(), ..Found::default() })
}

impl BindSettings {
    /// Returns the inner and the outer radius of the envelopes of a joint, as shares of the distance of the surface: its own ones, or else
    /// those of the method.
    #[must_use]
    pub fn envelope_of(&self, joint: &str) -> [f64; 2] {
        let own = self.envelopes.get(joint).copied();
        let [inner, outer] = own.unwrap_or_else(|| [self.value(&INNER), self.value(&OUTER)]);
        [inner, outer.max(inner + LEAST)]
    }
}

/// Returns the capsule of each bone, with radius 0 where no surface is next to it.
fn capsules(body: &Body, settings: &BindSettings, next: &[Option<(u32, f64)>]) -> Vec<Capsule> {
    let of = |(bone, radius): (&Bone, f64)| {
        let shares = settings.envelope_of(&body.joints[bone.joint as usize].name);
        Capsule { ends: bone.ends, radius, shares, next: 0, within: 0 }
    };
    let mut out: Vec<Capsule> = body.bones.list.iter().zip(radii(body, next)).map(of).collect();
    for (bone, distance) in next.iter().flatten() {
        let capsule = &mut out[*bone as usize];
        capsule.next += 1;
        capsule.within += usize::from(*distance <= capsule.radius * capsule.shares[1]);
    }
    out
}

/// Returns the radius of each bone's capsule; 0 where no surface is next to it.
fn radii(body: &Body, next: &[Option<(u32, f64)>]) -> Vec<f64> {
    let mut around: Vec<Vec<(f64, f64)>> = vec![Vec::new(); body.bones.list.len()];
    for (place, next) in (0..).zip(next) {
        if let Some((bone, distance)) = next {
            around[*bone as usize].push((*distance, body.shape.mass(place)));
        }
    }
    let quantile = |mut all: Vec<(f64, f64)>| {
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let whole: f64 = all.iter().map(|(_, area)| area).sum();
        let mut sum = 0.0;
        let reached = all.iter().find(|(_, area)| {
            sum += area;
            sum >= QUANTILE * whole
        });
        reached.or(all.last()).map_or(0.0, |(distance, _)| *distance)
    };
    around.into_iter().map(quantile).collect()
}

/// Returns the shares of a place.
fn row(body: &Body, place: usize, capsules: &[Capsule]) -> Vec<(u32, f64)> {
    if body.islands.of[place] == NONE {
        return Vec::new();
    }
    let at = body.shape.points[place];
    let mut out: Vec<(u32, f64)> = Vec::new();
    let mut nearest: Option<(f64, u32)> = None;
    for (bone, capsule) in body.bones.list.iter().zip(capsules).filter(|(_, capsule)| capsule.radius > 0.0) {
        let [inner, outer] = capsule.shares;
        let ratio = bone.nearest(at).distance(at) / capsule.radius;
        if nearest.is_none_or(|(least, _)| ratio / outer < least) {
            nearest = Some((ratio / outer, bone.joint));
        }
        let t = ((outer - ratio) / (outer - inner)).clamp(0.0, 1.0);
        let share = t * t * (3.0 - 2.0 * t);
        match out.iter_mut().find(|(joint, _)| *joint == bone.joint) {
            Some((_, before)) => *before = before.max(share),
            None => out.push((bone.joint, share)),
        }
    }
    if out.iter().all(|(_, share)| *share == 0.0) {
        out = nearest.map_or_else(Vec::new, |(_, joint)| vec![(joint, 1.0)]);
    }
    out
}

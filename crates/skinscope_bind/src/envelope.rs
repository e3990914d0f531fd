//! Capsules around the bones: full weight within the inner radius, none beyond the outer one.

use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::islands::NONE;
use crate::progress::Progress;
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
    range: [0.0, 3.0],
    default: 0.5,
    decimals: 2,
};
const OUTER: BinderParameter = BinderParameter {
    id: "outer",
    label: "Outer radius",
    help: "Beyond this the bone has no weight, as a share of the distance of the surface",
    range: [0.1, 6.0],
    default: 1.2,
    decimals: 2,
};

/// The radius of a capsule has this share of the surface next to its bone within it.
const QUANTILE: f64 = 0.75;

fn run(body: &Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
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
    let radii = radii(body, &next);
    let (inner, outer) = (settings.value(&INNER), settings.value(&OUTER).max(settings.value(&INNER) + 0.01));
    let of = |range: std::ops::Range<usize>| range.map(|place| row(body, place, &radii, [inner, outer])).collect();
    let rows = progress.part(0.6, 1.0).by_chunk(count, 256, &of)?;
    Ok(Found { rows, fallback: Vec::new() })
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
fn row(body: &Body, place: usize, radii: &[f64], [inner, outer]: [f64; 2]) -> Vec<(u32, f64)> {
    if body.islands.of[place] == NONE {
        return Vec::new();
    }
    let at = body.shape.points[place];
    let mut out: Vec<(u32, f64)> = Vec::new();
    let mut nearest: Option<(f64, u32)> = None;
    for (bone, radius) in body.bones.list.iter().zip(radii).filter(|(_, radius)| **radius > 0.0) {
        let ratio = bone.nearest(at).distance(at) / radius;
        if nearest.is_none_or(|(least, _)| ratio < least) {
            nearest = Some((ratio, bone.joint));
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

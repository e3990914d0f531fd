//! Planes at the joints: a place follows the bone it is next to, and near the plane of a joint the bones on both sides.

use glam::DVec3;

use crate::bind_shape::{BindShape, JointPlane, ShapeForm};
use crate::binder::{Binder, BinderParameter, Body, Found};
use crate::bones::Bone;
use crate::islands::NONE;
use crate::progress::Progress;
use crate::sight::{NEAREST, next_to};
use crate::{BindError, BindSettings};

/// The method *line*.
pub static LINE: Binder = Binder {
    id: "line",
    label: "Planes at joints",
    help: "Each place follows the bone it is next to; at each joint a plane halves the angle, and weights are blended on both sides of it",
    source: "",
    parameters: &[WIDTH],
    run,
};

const WIDTH: BinderParameter = BinderParameter {
    id: "width",
    label: "Width",
    help: "How far from the plane both bones move the surface, in distances from the bone",
    range: [0.1, 4.0],
    default: 1.0,
    decimals: 2,
};

/// Planes are drawn no larger, though the surface be farther from a joint outside of it.
const LARGEST: f64 = 0.1;

fn run(body: &mut Body, settings: &BindSettings, progress: Progress) -> Result<Found, BindError> {
    let body = &*body;
    let width = settings.value(&WIDTH);
    let of = |range: std::ops::Range<usize>| {
        let row = |place: usize| if body.islands.of[place] == NONE { Vec::new() } else { row(body, place, width) };
        range.map(row).collect()
    };
    let rows = progress.by_chunk(body.shape.points.len(), 256, &of)?;
    Ok(Found { rows, shapes: planes(body), ..Found::default() })
}

/// Returns the plane at the joint of each bone that has one before it.
fn planes(body: &Body) -> Vec<BindShape> {
    let plane = |bone: &Bone| {
        let (_, normal) = own_plane(body, bone)?;
        let at = bone.ends[0];
        let near = body.surface.nearest(at, f64::INFINITY)?;
        let plane = JointPlane { at, normal, size: near.distance.clamp(NEAREST, LARGEST) };
        Some(BindShape { joint: bone.joint, form: ShapeForm::Plane(plane) })
    };
    body.bones.list.iter().filter_map(plane).collect()
}

/// Returns the joint before a bone that may have weight, and the normal of the plane between both, which halves the angle.
fn own_plane(body: &Body, bone: &Bone) -> Option<(u32, DVec3)> {
    let parent = body.bones.free_parent(bone.joint)?;
    let [a, b] = bone.ends;
    let along = (b - a).normalize_or_zero();
    let before = (a - body.shape.heads[parent as usize]).normalize_or_zero();
    Some((parent, (along + before).try_normalize().unwrap_or(along)))
}

/// Returns the shares of a place.
fn row(body: &Body, place: usize, width: f64) -> Vec<(u32, f64)> {
    let at = body.shape.points[place];
    let heads = &body.shape.heads;
    let bones = body.bones;
    let Some(Bone { joint, ends: [a, b] }) = next_to(body, place) else { return Vec::new() };
    let along = (b - a).normalize_or_zero();
    let distance = Bone { joint, ends: [a, b] }.nearest(at).distance(at).max(NEAREST);
    let beyond = |from: DVec3, normal: DVec3| smooth(0.5 + (at - from).dot(normal) / (2.0 * width * distance));
    let mut own = 1.0;
    let mut out = Vec::new();
    // The end at its own joint.
    if let Some((parent, normal)) = own_plane(body, &Bone { joint, ends: [a, b] }) {
        let share = 1.0 - beyond(a, normal);
        own -= share;
        out.push((parent, share));
    }
    // The end at the joints that stand there.
    let children = bones.children(joint).filter(|child| bones.is_free[*child as usize]);
    for child in children.filter(|child| heads[*child as usize].distance(b) <= 1e-6) {
        let below: Vec<DVec3> = bones.children(child).map(|next| heads[next as usize]).collect();
        let mean = below.iter().sum::<DVec3>() / below.len().max(1) as f64;
        let on = if below.is_empty() { along } else { (mean - b).normalize_or_zero() };
        let normal = (along + on).try_normalize().unwrap_or(along);
        let share = own.max(0.0) * beyond(b, normal);
        own -= share;
        out.push((child, share));
    }
    out.push((joint, own.max(0.0)));
    out
}

fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

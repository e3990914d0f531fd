//! Which bones a place sees.

use crate::binder::Body;
use crate::bones::Bone;
use crate::system::ALSO;

/// A bone is never nearer to a place than this.
pub const NEAREST: f64 = 1e-4;
/// So many of the nearest bones are looked for from each place.
const TRIED: usize = 12;

/// Finds the nearest bones that a place sees: their distances and joints.
pub fn see(body: &Body, place: usize, near: &mut Vec<(f64, u32)>, seen: &mut Vec<(f64, u32)>) {
    let at = body.shape.points[place];
    let bones: &[Bone] = &body.bones.list;
    seen.clear();
    near.clear();
    near.extend((0..).zip(bones).map(|(number, bone)| (bone.nearest(at).distance(at).max(NEAREST), number)));
    let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    for tried in 0..near.len().min(2 * TRIED) {
        // Mostly the first two or three are enough, so that the others are not sorted.
        let others = near.iter().enumerate().skip(tried);
        let Some((next, _)) = others.min_by(|(_, a), (_, b)| order(a, b)) else { break };
        near.swap(tried, next);
        let (distance, bone) = near[tried];
        if seen.first().map_or(tried >= TRIED, |(best, _)| distance > best * ALSO) {
            break;
        }
        let bone = bones[bone as usize];
        if !body.surface.is_between(place as u32, at, bone.nearest(at)) {
            seen.push((distance, bone.joint));
        }
    }
}

/// Returns the nearest bone that a place sees; where it sees none, the nearest.
pub(crate) fn next_to(body: &Body, place: usize) -> Option<Bone> {
    let at = body.shape.points[place];
    let (mut near, mut seen) = (Vec::new(), Vec::new());
    see(body, place, &mut near, &mut seen);
    let least = seen.first().map(|(distance, _)| *distance);
    // Of those about as near the first, so that rounding does not choose.
    let is_seen = |bone: &&Bone| {
        let distance = bone.nearest(at).distance(at).max(NEAREST);
        let is_of_seen = seen.iter().any(|(_, joint)| *joint == bone.joint);
        least.is_some_and(|least| is_of_seen && (distance - least).abs() <= least * 1e-7)
    };
    let first = body.bones.list.iter().find(is_seen).copied();
    first.or_else(|| body.bones.nearest_bone(at))
}

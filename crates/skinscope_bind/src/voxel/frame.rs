//! The axes along which voxels stand. They move with the body, so that a rigid motion changes nothing.

use glam::{DMat3, DVec3};

use crate::binder::Body;

/// Lengths that differ by less than this share are equal, so that rounding decides nothing.
const ALIKE: f64 = 1e-6;
/// Joints are no farther from a line than this when they lie on it.
const ON_LINE: f64 = 1e-3;

/// Returns the axes as the rows that a point is multiplied with: the first in the direction in which the skeleton is longest, the second where
/// it is farthest from that line. Where all joints lie on one line the surface says how to turn.
pub fn axes(body: &Body) -> DMat3 {
    let heads = &body.shape.heads;
    let first = longest(heads).unwrap_or(DVec3::Y);
    let off = |head: &DVec3| {
        let from = *head - heads[0];
        from - first * from.dot(first)
    };
    let farthest = heads
        .iter()
        .map(off)
        .fold(DVec3::ZERO, |best, off| if off.length() > best.length() * (1.0 + ALIKE) + ALIKE { off } else { best });
    let second = if farthest.length() > ON_LINE { farthest.normalize() } else { turned(body, heads[0], first) };
    let second = (second - first * second.dot(first)).normalize_or(first.any_orthonormal_vector());
    DMat3::from_cols(first, second, first.cross(second)).transpose()
}

/// Returns the direction between the two joints that are farthest apart, of equal ones the first.
fn longest(heads: &[DVec3]) -> Option<DVec3> {
    // From the joint that is farthest from the first one: not always the longest, but as steady, and quick for many joints.
    let farthest = |from: DVec3| {
        heads.iter().fold(from, |best, head| {
            if head.distance(from) > best.distance(from) * (1.0 + ALIKE) + ALIKE { *head } else { best }
        })
    };
    let a = farthest(*heads.first()?);
    let b = farthest(a);
    (b - a).try_normalize()
}

/// Returns a direction across a line that follows the surface: that of the first moment around the line that is not even.
fn turned(body: &Body, origin: DVec3, line: DVec3) -> DVec3 {
    let [x, y] = [line.any_orthonormal_vector(), line.cross(line.any_orthonormal_vector())];
    for moment in 1..=6 {
        let (mut sum, mut size) = ([0.0, 0.0], 0.0);
        for (point, area) in body.shape.points.iter().zip(&body.shape.areas) {
            let off = *point - origin;
            let (a, b) = (off.dot(x), off.dot(y));
            let (radius, angle) = (a.hypot(b), b.atan2(a) * f64::from(moment));
            sum[0] += area * radius * angle.cos();
            sum[1] += area * radius * angle.sin();
            size += area * radius;
        }
        if sum[0].hypot(sum[1]) > 1e-2 * size {
            let angle = sum[1].atan2(sum[0]) / f64::from(moment);
            return x * angle.cos() + y * angle.sin();
        }
    }
    x
}

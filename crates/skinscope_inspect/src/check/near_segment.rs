//! Finds the points near a segment.

use glam::{DVec3, Vec3};
use skinscope_base::math::BoxTree;

use super::motion::from_segment;

/// Calls `visit` with each point of a tree of `points` within `near` of the segment; a point for which it returns `false` is removed from
/// the tree.
pub(super) fn near_segment(
    tree: &mut BoxTree,
    points: &[Vec3],
    [a, b]: [Vec3; 2],
    near: f32,
    mut visit: impl FnMut(usize) -> bool,
) {
    let meets = |bounds: [DVec3; 2]| meets(bounds, [a, b].map(Vec3::as_dvec3), near.into());
    tree.retain(&meets, &mut |i| from_segment(points[i as usize], a, b) > near || visit(i as usize));
}

/// Returns whether a segment comes near a box (or passes a corner just outside).
fn meets([low, high]: [DVec3; 2], [a, b]: [DVec3; 2], near: f64) -> bool {
    let (min, max) = (low - near, high + near);
    let along = b - a;
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        if along[axis] == 0.0 {
            if a[axis] < min[axis] || a[axis] > max[axis] {
                return false;
            }
            continue;
        }
        let (t0, t1) = ((min[axis] - a[axis]) / along[axis], (max[axis] - a[axis]) / along[axis]);
        enter = enter.max(t0.min(t1));
        leave = leave.min(t0.max(t1));
    }
    enter <= leave
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_near_a_segment_is_visited_until_it_leaves() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        let mut point = || Vec3::new(random(), random(), random());
        let points: Vec<Vec3> = (0..500).map(|_| point()).collect();
        let mut tree = BoxTree::of_points(points.iter().copied());
        let mut gone = vec![false; points.len()];
        for turn in 0..200 {
            let (a, mut b) = (point(), point());
            // The segments lie along an axis, or have no length.
            b = if turn % 3 == 0 { Vec3::new(a.x, b.y, a.z) } else { b };
            b = if turn % 20 == 1 { a } else { b };
            let near = |i: &usize| !gone[*i] && from_segment(points[*i], a, b) <= 0.05;
            let want: Vec<usize> = (0..points.len()).filter(near).collect();
            let mut found = Vec::new();
            near_segment(&mut tree, &points, [a, b], 0.05, |i| {
                found.push(i);
                i % 7 != 0
            });
            found.sort_unstable();
            assert_eq!(found, want);
            found.iter().filter(|i| *i % 7 == 0).for_each(|i| gone[*i] = true);
        }
        assert!(gone.iter().any(|g| *g));
    }
}

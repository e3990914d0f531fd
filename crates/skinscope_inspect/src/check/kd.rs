//! A k-d tree that finds the points near a segment.

use glam::Vec3;
use skinscope_base::math::Aabb;

use super::motion::from_segment;

/// The most points of a leaf.
const LEAF: usize = 8;

/// A k-d tree of points. Points can be removed during a search.
#[derive(Debug)]
pub(super) struct PointTree {
    points: Vec<Vec3>,
    /// The numbers of points: those of a tree node stand together.
    order: Vec<u32>,
    /// The tree nodes, the root first; the children of an inner node stand at `below` and after it.
    nodes: Vec<Node>,
    gone: Vec<bool>,
}

#[derive(Debug)]
struct Node {
    bounds: Aabb,
    range: std::ops::Range<usize>,
    /// The place of the first child; 0 for a leaf.
    below: usize,
    alive: usize,
}

impl PointTree {
    pub fn new(points: Vec<Vec3>) -> Self {
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        let node = |order: &[u32], range: std::ops::Range<usize>| {
            let bounds = Aabb::from_points(order[range.clone()].iter().map(|i| points[*i as usize]));
            Node { bounds, alive: range.len(), range, below: 0 }
        };
        let mut nodes = vec![node(&order, 0..points.len())];
        let mut at = 0;
        while at < nodes.len() {
            let range = nodes[at].range.clone();
            if range.len() > LEAF {
                let axis = nodes[at].bounds.size().max_position();
                let middle = range.len() / 2;
                let key = |i: &u32| points[*i as usize][axis];
                order[range.clone()].select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
                nodes[at].below = nodes.len();
                let middle = range.start + middle;
                for half in [range.start..middle, middle..range.end] {
                    let child = node(&order, half);
                    nodes.push(child);
                }
            }
            at += 1;
        }
        let gone = vec![false; points.len()];
        Self { points, order, nodes, gone }
    }

    /// Calls `visit` with each point within `near` of the segment; a point for which it returns `false` is removed from
    /// the tree.
    pub fn near_segment(&mut self, a: Vec3, b: Vec3, near: f32, mut visit: impl FnMut(usize) -> bool) {
        self.descend(0, [a, b], near, &mut visit);
    }

    /// Does the search below one tree node; returns how many points were removed. The depth is the logarithm of the
    /// number of points.
    fn descend(&mut self, at: usize, [a, b]: [Vec3; 2], near: f32, visit: &mut impl FnMut(usize) -> bool) -> usize {
        let Node { bounds, range, below, alive } = &self.nodes[at];
        if *alive == 0 || !meets(*bounds, a, b, near) {
            return 0;
        }
        let (range, below) = (range.clone(), *below);
        let mut left = 0;
        if below > 0 {
            for child in [below, below + 1] {
                left += self.descend(child, [a, b], near, visit);
            }
        } else {
            for i in self.order[range].iter().map(|i| *i as usize) {
                if !self.gone[i] && from_segment(self.points[i], a, b) <= near && !visit(i) {
                    self.gone[i] = true;
                    left += 1;
                }
            }
        }
        self.nodes[at].alive -= left;
        left
    }
}

/// Returns whether a segment comes near a box (or passes a corner just outside).
fn meets(bounds: Aabb, a: Vec3, b: Vec3, near: f32) -> bool {
    let (min, max) = (bounds.min - near, bounds.max + near);
    let along = b - a;
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
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
        let mut tree = PointTree::new(points.clone());
        let mut gone = vec![false; points.len()];
        for turn in 0..200 {
            let (a, mut b) = (point(), point());
            // The segments lie along an axis, or have no length.
            b = if turn % 3 == 0 { Vec3::new(a.x, b.y, a.z) } else { b };
            b = if turn % 20 == 1 { a } else { b };
            let near = |i: &usize| !gone[*i] && from_segment(points[*i], a, b) <= 0.05;
            let want: Vec<usize> = (0..points.len()).filter(near).collect();
            let mut found = Vec::new();
            tree.near_segment(a, b, 0.05, |i| {
                found.push(i);
                i % 7 != 0
            });
            found.sort_unstable();
            assert_eq!(found, want);
            found.iter().filter(|i| *i % 7 == 0).for_each(|i| gone[*i] = true);
        }
        assert!(gone.iter().any(|g| *g));
        PointTree::new(Vec::new()).near_segment(Vec3::ZERO, Vec3::X, 1.0, |_| panic!("there are none"));
    }
}

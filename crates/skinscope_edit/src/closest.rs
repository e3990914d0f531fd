//! Finds the closest point of many triangles, by a tree of the boxes around them.

use glam::DVec3;
use skinscope_base::math::{BoxTree, closest_on_triangle};

/// A point on a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The index of the triangle; of several that are equally near the lowest.
    pub triangle: u32,
    /// The shares of its corners, which sum to one.
    pub shares: [f64; 3],
    /// The distance to the point, not squared.
    pub distance: f64,
}

/// Triangles in a tree of boxes.
#[derive(Debug)]
pub(super) struct TriangleTree {
    corners: Vec<[DVec3; 3]>,
    tree: BoxTree,
}

impl TriangleTree {
    /// Makes a tree of triangles. Those whose corners are not finite are never found.
    pub fn new(corners: Vec<[DVec3; 3]>) -> Self {
        // Minimum and maximum leave a coordinate out that is not a number.
        let around = |[a, b, c]: &[DVec3; 3]| match a.is_finite() && b.is_finite() && c.is_finite() {
            true => [a.min(*b).min(*c), a.max(*b).max(*c)],
            false => [DVec3::NAN; 2],
        };
        let tree = BoxTree::new(&corners.iter().map(around).collect::<Vec<_>>());
        Self { corners, tree }
    }

    /// Returns the closest point; `None` where there is no triangle, or `point` is not finite.
    pub fn closest(&self, point: DVec3) -> Option<Found> {
        self.closest_where(point, &|_| true)
    }

    /// Returns the closest points of all triangles that are no farther than `more` beyond the closest point among those triangles whose
    /// closest point `is_right`, by rising triangles. There is none where `point` is not finite.
    pub(crate) fn tied_where(&self, point: DVec3, more: f64, is_right: &dyn Fn(&Found) -> bool) -> Vec<Found> {
        let mut out: Vec<Found> = Vec::new();
        let mut least = f64::INFINITY;
        self.tree.nearest(point, |triangle| {
            let found = self.on(point, triangle);
            if found.distance <= least + more && is_right(&found) {
                least = least.min(found.distance);
                out.push(found);
            }
            least + more
        });
        out.retain(|found| found.distance <= least + more);
        out.sort_unstable_by_key(|found| found.triangle);
        out
    }

    /// Returns the closest point of a triangle.
    fn on(&self, point: DVec3, triangle: u32) -> Found {
        let corners = self.corners[triangle as usize];
        let shares = closest_on_triangle(point, corners);
        let at = corners[0] * shares[0] + corners[1] * shares[1] + corners[2] * shares[2];
        Found { triangle, shares, distance: at.distance(point) }
    }

    /// Returns the closest point among those triangles whose closest point `is_right`; `None` where there is none, or `point` is not
    /// finite.
    pub(crate) fn closest_where(&self, point: DVec3, is_right: &dyn Fn(&Found) -> bool) -> Option<Found> {
        self.closest_within(point, f64::INFINITY, is_right)
    }

    /// Returns the closest of those points that are no farther than `reach`.
    pub(crate) fn closest_within(&self, point: DVec3, reach: f64, is_right: &dyn Fn(&Found) -> bool) -> Option<Found> {
        let mut best: Option<Found> = None;
        self.tree.nearest(point, |triangle| {
            let found = self.on(point, triangle);
            let key = |found: &Found| (found.distance, found.triangle);
            let is_nearer = found.distance <= reach && best.is_none_or(|best| key(&found) < key(&best));
            if is_nearer && is_right(&found) {
                best = Some(found);
            }
            best.map_or(reach, |best| best.distance)
        });
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 7_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1 << 24) as f64
        }
    }

    /// The closest point by trying very many points of a triangle.
    fn tried(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
        const STEPS: usize = 60;
        let mut least = f64::INFINITY;
        for i in 0..=STEPS {
            for j in 0..=STEPS - i {
                let (u, v) = (i as f64 / STEPS as f64, j as f64 / STEPS as f64);
                least = least.min((a * (1.0 - u - v) + b * u + c * v).distance(p));
            }
        }
        least
    }

    #[test]
    fn the_tree_finds_what_trying_all_triangles_finds() {
        let mut random = numbers();
        let mut point = || DVec3::new(random(), random(), random());
        let mut corners: Vec<[DVec3; 3]> = (0..300)
            .map(|_| {
                let at = point();
                [at, at + 0.1 * point(), at + 0.1 * point()]
            })
            .collect();
        // Some have no area, one is a point, one is nowhere.
        corners[7][2] = corners[7][0];
        corners[8] = [corners[8][0]; 3];
        corners[9][1].x = f64::NAN;
        let tree = TriangleTree::new(corners.clone());
        for _ in 0..200 {
            let p = point() * 1.4 - 0.2;
            let found = tree.closest(p).unwrap();
            assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && found.shares.iter().all(|s| *s >= 0.0));
            let sound = corners.iter().enumerate().filter(|(i, _)| *i != 9);
            let all = sound.map(|(_, corners)| {
                let shares = closest_on_triangle(p, *corners);
                (corners[0] * shares[0] + corners[1] * shares[1] + corners[2] * shares[2]).distance(p)
            });
            let least = all.fold(f64::INFINITY, f64::min);
            assert!((found.distance - least).abs() < 1e-12, "{found:?}, not {least}");
            let by_steps = tried(p, corners[found.triangle as usize]);
            assert!(found.distance <= by_steps + 1e-12 && by_steps - found.distance < 3e-3, "{found:?}: {by_steps}");
        }
        assert!(TriangleTree::new(Vec::new()).closest(DVec3::ZERO).is_none() && tree.closest(DVec3::NAN).is_none());
    }
}

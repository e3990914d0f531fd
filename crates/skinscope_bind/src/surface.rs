//! Questions about the triangles of a shape: what lies nearest, and what stands between two points.

use glam::DVec3;
use skinscope_base::math::{BoxTree, closest_on_triangle};

use crate::shape::Shape;

/// Triangles are larger by this share of their sides, so that nothing slips through between two.
const SEAM: f64 = 1e-4;

/// Some triangles of a shape, in a tree of boxes.
pub struct Surface<'s> {
    shape: &'s Shape,
    triangles: Vec<u32>,
    tree: BoxTree,
}

/// The point of a surface that is nearest to another point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The places of its triangle.
    pub places: [u32; 3],
    /// The share of each of them.
    pub shares: [f64; 3],
    /// How far it is away.
    pub distance: f64,
}

/// How much of a way next to each of its ends is not looked at, as a share of it: there stand the surface that it starts from, and skin that
/// touches the bone.
const ENDS: f64 = 1e-4;

impl<'s> Surface<'s> {
    /// Makes a tree of the triangles that `wanted` accepts.
    pub fn of(shape: &'s Shape, wanted: impl Fn(&[u32; 3]) -> bool) -> Self {
        let all = (0..).zip(&shape.triangles).filter(|(_, corners)| wanted(corners));
        let triangles: Vec<u32> = all.map(|(number, _)| number).collect();
        let bounds = |number: &u32| {
            let [a, b, c] = shape.corners(*number);
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let seam = DVec3::splat(SEAM * low.distance(high));
            [low - seam, high + seam]
        };
        let boxes: Vec<[DVec3; 2]> = triangles.iter().map(bounds).collect();
        Self { shape, tree: BoxTree::new(&boxes), triangles }
    }

    /// Gives back the memory of the tree. Nothing is found from then on.
    pub fn forget(&mut self) {
        (self.triangles, self.tree) = (Vec::new(), BoxTree::default());
    }

    /// Returns the nearest point of it that is no farther than `reach`.
    pub fn nearest(&self, point: DVec3, reach: f64) -> Option<Nearest> {
        self.nearest_of(point, reach, &|_| true)
    }

    /// Does the same for those triangles that `wanted` accepts.
    pub fn nearest_of(&self, point: DVec3, reach: f64, wanted: &dyn Fn([u32; 3]) -> bool) -> Option<Nearest> {
        let mut out: Option<Nearest> = None;
        let mut least = reach;
        self.tree.nearest(point, |item| {
            let number = self.triangles[item as usize];
            if !wanted(self.shape.triangles[number as usize]) {
                return least;
            }
            let corners = self.shape.corners(number);
            let shares = closest_on_triangle(point, corners);
            let at = corners[0] * shares[0] + corners[1] * shares[1] + corners[2] * shares[2];
            let distance = at.distance(point);
            if distance < least || (distance <= least && out.is_none()) {
                least = distance;
                out = Some(Nearest { places: self.shape.triangles[number as usize], shares, distance });
            }
            least
        });
        out
    }

    /// Whether a triangle that has not the place `own` stands between two points.
    pub fn is_between(&self, own: u32, from: DVec3, to: DVec3) -> bool {
        let way = Way::new(from, to);
        self.tree.any(&|bounds| way.meets(bounds), &mut |item| {
            let number = self.triangles[item as usize];
            let is_own = self.shape.triangles[number as usize].contains(&own);
            !is_own && way.hit(self.shape.corners(number)).is_some_and(|at| at > ENDS && at < 1.0 - ENDS)
        })
    }

    /// Whether it is met on the way from one point to another, but not at the point.
    pub fn is_met(&self, from: DVec3, to: DVec3) -> bool {
        let way = Way::new(from, to);
        self.tree.any(&|bounds| way.meets(bounds), &mut |item| {
            way.hit(self.shape.corners(self.triangles[item as usize])).is_some_and(|at| at > 1e-9)
        })
    }

    /// Returns the shares of the way at which it goes through a triangle, rising.
    pub fn crossings(&self, from: DVec3, to: DVec3, out: &mut Vec<f64>) {
        out.clear();
        let way = Way::new(from, to);
        self.tree.any(&|bounds| way.meets(bounds), &mut |item| {
            out.extend(way.hit(self.shape.corners(self.triangles[item as usize])));
            false
        });
        out.sort_unstable_by(f64::total_cmp);
    }
}

/// A straight way between two points.
struct Way {
    from: DVec3,
    along: DVec3,
    inverse: DVec3,
}

impl Way {
    fn new(from: DVec3, to: DVec3) -> Self {
        let along = to - from;
        Self { from, along, inverse: along.recip() }
    }

    /// Whether it meets a box.
    fn meets(&self, [low, high]: [DVec3; 2]) -> bool {
        let [a, b] = [low, high].map(|corner| (corner - self.from) * self.inverse);
        // Where the way runs within a side of the box there is 0 · ∞, which the comparisons of `min` and `max` leave out.
        let (mut near, mut far) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            near = near.max(a[axis].min(b[axis]));
            far = far.min(a[axis].max(b[axis]));
        }
        near <= far * (1.0 + 1e-9) + 1e-9
    }

    /// Returns the share of the way at which it goes through a triangle, from 0 to 1 (Möller and Trumbore, 1997).
    fn hit(&self, [a, b, c]: [DVec3; 3]) -> Option<f64> {
        let (ab, ac) = (b - a, c - a);
        let across = self.along.cross(ac);
        let volume = ab.dot(across);
        if volume == 0.0 {
            return None;
        }
        let from = self.from - a;
        let u = from.dot(across) / volume;
        let q = from.cross(ab);
        let v = self.along.dot(q) / volume;
        let at = ac.dot(q) / volume;
        let is_inside = u >= -SEAM && v >= -SEAM && u + v <= 1.0 + SEAM;
        (is_inside && (0.0..=1.0).contains(&at)).then_some(at)
    }
}

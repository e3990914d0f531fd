//! Axis-aligned boxes.

use glam::{Affine3A, Vec3};

/// An axis-aligned box; empty when `min > max` on any axis.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Aabb {
    /// Smallest corner.
    #[serde(with = "crate::text_form::vector")]
    pub min: Vec3,
    /// Largest corner.
    #[serde(with = "crate::text_form::vector")]
    pub max: Vec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that contains nothing; the identity of [`Aabb::union`].
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The largest magnitude of a usable coordinate, metres. Squares of larger coordinates, and sums of them, may
    /// overflow f32.
    pub const FAR: f32 = 1e18;

    /// Returns the smallest box around `points`, without those that [`Aabb::include`] leaves out.
    #[must_use]
    pub fn from_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut out = Self::EMPTY;
        for p in points {
            out.include(p);
        }
        out
    }

    /// Grows the box to contain `p`. A point that is not finite or lies beyond [`Aabb::FAR`] is ignored, so that one
    /// broken vertex does not move the camera to where numbers overflow.
    pub fn include(&mut self, p: Vec3) {
        if Self::is_near(p) {
            self.min = self.min.min(p);
            self.max = self.max.max(p);
        }
    }

    /// Returns whether all coordinates of `p` are finite and within [`Aabb::FAR`].
    #[must_use]
    pub fn is_near(p: Vec3) -> bool {
        p.abs().cmple(Vec3::splat(Self::FAR)).all()
    }

    /// Returns how far a point lies outside of the box, in the unit of the box: 0 inside, infinite where a coordinate
    /// of the point is not finite or the box is empty.
    #[must_use]
    pub fn distance(self, p: Vec3) -> f64 {
        let nearest = p.clamp(self.min.min(self.max), self.max).as_dvec3();
        let distance = p.as_dvec3().distance(nearest);
        if self.is_empty() || !distance.is_finite() { f64::INFINITY } else { distance }
    }

    /// Returns the smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns whether the box contains nothing, not even a point.
    #[must_use]
    pub fn is_empty(self) -> bool {
        !(self.min.cmple(self.max).all())
    }

    /// Returns the middle of the box; the origin when it is empty.
    #[must_use]
    pub fn center(self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.min * 0.5 + self.max * 0.5 }
    }

    /// Returns the lengths of the edges along x, y and z; zero when the box is empty.
    #[must_use]
    pub fn size(self) -> Vec3 {
        if self.is_empty() { Vec3::ZERO } else { self.max - self.min }
    }

    /// Returns the length of the diagonal, by which tolerances are scaled to the size of a model; 0 when the box is
    /// empty.
    #[must_use]
    pub fn diagonal(self) -> f32 {
        self.size().length()
    }

    /// Returns the box with each of its six sides moved outwards by the component of `by` along its axis.
    #[must_use]
    pub fn grown(self, by: Vec3) -> Self {
        Self { min: self.min - by, max: self.max + by }
    }

    /// Returns the largest magnitude of a coordinate of any point inside.
    #[must_use]
    pub fn farthest(self) -> f32 {
        self.min.abs().max(self.max.abs()).max_element()
    }

    /// Returns the axis-aligned box around the eight corners transformed by `m`. It contains the transformed points of
    /// this box, but is in general larger than the smallest box around them.
    #[must_use]
    pub fn transformed(self, m: Affine3A) -> Self {
        if self.is_empty() {
            return self;
        }
        Self::from_points((0..8).map(|i| {
            let pick = |bit: u32, axis: usize| if i & bit == 0 { self.min[axis] } else { self.max[axis] };
            m.transform_point3(Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_where_numbers_end_are_left_out() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let broken = [Vec3::splat(1e30), Vec3::new(0.0, -2e18, 0.0), Vec3::NAN, Vec3::new(0.0, f32::INFINITY, 0.0)];
        assert_eq!(Aabb::from_points([Vec3::ZERO, Vec3::ONE].into_iter().chain(broken)), unit);
        let far = Aabb::from_points([Vec3::splat(-1e18), Vec3::splat(1e18)]);
        assert!(far.diagonal().is_finite() && far.size().length_squared().is_finite());
    }

    #[test]
    fn grows_and_ignores_what_is_not_finite() {
        let b = Aabb::from_points([Vec3::ZERO, Vec3::new(1.0, 2.0, 2.0), Vec3::NAN, Vec3::splat(f32::INFINITY)]);
        assert_eq!(b.max, Vec3::new(1.0, 2.0, 2.0));
        assert_eq!(b.diagonal(), 3.0);
        assert!(Aabb::EMPTY.is_empty() && Aabb::EMPTY.diagonal() == 0.0);
        assert_eq!(Aabb::EMPTY.union(b), b);
    }

    #[test]
    fn points_outside_have_a_distance() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!((unit.distance(Vec3::splat(0.5)), unit.distance(Vec3::new(4.0, 0.5, 5.0))), (0.0, 5.0));
        assert_eq!(unit.distance(Vec3::X * 1e30), f64::from(1e30_f32));
        assert_eq!(unit.distance(Vec3::NAN), f64::INFINITY);
        assert_eq!(Aabb::EMPTY.distance(Vec3::ONE), f64::INFINITY);
    }

    #[test]
    fn transformed_box_contains_the_turned_corners() {
        let b = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let t = b.transformed(Affine3A::from_rotation_z(std::f32::consts::FRAC_PI_2));
        assert!((t.min - Vec3::new(-1.0, 0.0, 0.0)).length() < 1e-6);
        assert!((t.max - Vec3::new(0.0, 1.0, 1.0)).length() < 1e-6);
    }
}

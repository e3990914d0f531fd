//! Mirror planes.

use glam::Vec3;

/// The plane of all points `p` with `normal · p = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The normal, of unit length.
    pub normal: Vec3,
    /// The signed distance of the plane from the origin along the normal, in the unit of the points.
    pub offset: f32,
}

impl Plane {
    /// Returns the mirror image of a point.
    #[must_use]
    pub fn mirrored(self, p: Vec3) -> Vec3 {
        p - self.normal * (2.0 * (self.normal.dot(p) - self.offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_mirrors_across_its_offset() {
        let plane = Plane { normal: Vec3::X, offset: 0.5 };
        assert_eq!(plane.mirrored(Vec3::new(2.0, 3.0, 4.0)), Vec3::new(-1.0, 3.0, 4.0));
        let slanted = Plane { normal: Vec3::new(0.6, 0.0, 0.8), offset: 0.0 };
        assert!((slanted.mirrored(Vec3::new(0.6, 1.0, 0.8)) - Vec3::new(-0.6, 1.0, -0.8)).length() < 1e-6);
    }
}

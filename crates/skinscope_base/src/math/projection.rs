//! Projections with reversed depth: 1 at the near plane, 0 at the far one (precision where it is needed).

use glam::{Affine3A, Mat4, Vec2, Vec3};

use super::Aabb;

/// A projection from view space (the camera looks along −Z) to clip space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// A perspective projection.
    Perspective {
        /// Vertical angle of view, radians.
        fov_y: f32,
    },
    /// A parallel projection.
    Orthographic {
        /// Height of the visible rectangle, metres.
        height: f32,
    },
}

impl Projection {
    /// Returns `clip_from_view` for `aspect` = width / height and the distances of the near and far planes in front of
    /// the eye, metres. Depth is reversed: 1 at the near plane, 0 at the far one. In perspective the far plane may be
    /// infinite.
    #[must_use]
    pub fn clip_from_view(self, aspect: f32, near: f32, far: f32) -> Mat4 {
        // Swapped planes reverse the depth.
        match self {
            Self::Perspective { fov_y } => {
                let y = 1.0 / (0.5 * fov_y).tan();
                // near · far / (far − near), which stays finite.
                let reach = near / (1.0 - near / far);
                let depth = reach / far;
                Mat4::from_cols_array(&[
                    y / aspect,
                    0.0,
                    0.0,
                    0.0, //
                    0.0,
                    y,
                    0.0,
                    0.0, //
                    0.0,
                    0.0,
                    depth,
                    -1.0, //
                    0.0,
                    0.0,
                    reach,
                    0.0,
                ])
            }
            Self::Orthographic { height } => {
                let half = 0.5 * height;
                let depth = 1.0 / (far - near);
                Mat4::from_cols_array(&[
                    1.0 / (half * aspect),
                    0.0,
                    0.0,
                    0.0, //
                    0.0,
                    1.0 / half,
                    0.0,
                    0.0, //
                    0.0,
                    0.0,
                    depth,
                    0.0, //
                    0.0,
                    0.0,
                    far * depth,
                    1.0,
                ])
            }
        }
    }

    /// Returns the ray in world space through the point `ndc` of the picture (−1…1 on both axes, +Y up), for a camera
    /// at `world_from_view` that looks along its −Z.
    #[must_use]
    pub fn ray(self, world_from_view: Affine3A, aspect: f32, ndc: Vec2) -> Ray {
        let (origin, direction) = match self {
            Self::Perspective { fov_y } => {
                let y = (0.5 * fov_y).tan();
                (Vec3::ZERO, Vec3::new(ndc.x * y * aspect, ndc.y * y, -1.0))
            }
            Self::Orthographic { height } => {
                (Vec3::new(ndc.x * 0.5 * height * aspect, ndc.y * 0.5 * height, 0.0), Vec3::NEG_Z)
            }
        };
        Ray {
            origin: world_from_view.transform_point3(origin),
            direction: world_from_view.transform_vector3(direction).normalize(),
        }
    }
}

/// A half line, in world space or whatever space its numbers are in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The point that the ray starts at.
    pub origin: Vec3,
    /// The direction, of unit length.
    pub direction: Vec3,
}

impl Ray {
    /// Returns the distance at which the ray enters `bounds`, 0 where it starts inside; `None` where it misses. (Slab
    /// test of Kay & Kajiya 1986.)
    #[must_use]
    pub fn enters_box(self, bounds: Aabb) -> Option<f32> {
        // No division by zero where the direction is parallel to a face, so that no infinity is multiplied by zero.
        let along = self.direction.abs().max(Vec3::splat(1e-30));
        let inverse = Vec3::select(self.direction.cmplt(Vec3::ZERO), -along.recip(), along.recip());
        let (a, b) = ((bounds.min - self.origin) * inverse, (bounds.max - self.origin) * inverse);
        let near = a.min(b).max_element().max(0.0);
        (a.max(b).min_element() * 1.000_001 >= near).then_some(near)
    }

    /// Returns the distance along the ray to the triangle `a`, `b`, `c`, which is hit from both sides; `None` where the
    /// ray misses it (Möller & Trumbore 1997).
    #[must_use]
    pub fn hit_triangle(self, a: Vec3, b: Vec3, c: Vec3) -> Option<f32> {
        let (e1, e2) = (b - a, c - a);
        let p = self.direction.cross(e2);
        let det = e1.dot(p);
        if det == 0.0 {
            return None;
        }
        let inv = 1.0 / det;
        let s = self.origin - a;
        let u = s.dot(p) * inv;
        let q = s.cross(e1);
        let v = self.direction.dot(q) * inv;
        let t = e2.dot(q) * inv;
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_reversed_in_both_projections() {
        for p in [Projection::Perspective { fov_y: 0.8 }, Projection::Orthographic { height: 2.0 }] {
            let m = p.clip_from_view(1.5, 0.1, 50.0);
            assert!((m.project_point3(Vec3::new(0.0, 0.0, -0.1)).z - 1.0).abs() < 1e-5);
            assert!(m.project_point3(Vec3::new(0.0, 0.0, -50.0)).z.abs() < 1e-5);
        }
    }

    /// glTF 2.0, 3.10.3: its matrices map depth to −1…1; ours is (1 − z) / 2 of that.
    #[test]
    fn projections_are_those_of_gltf_with_reversed_depth() {
        let (fov, aspect, n, f) = (0.7_f64, 1.6_f64, 0.25_f64, 40.0_f64);
        let (x, y) = (1.0 / (aspect * (0.5 * fov).tan()), 1.0 / (0.5 * fov).tan());
        let (r, t) = (1.5 * aspect, 1.5);
        // Rows of the specification: x, y, z, w.
        let finite = [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, (f + n) / (n - f), 2.0 * f * n / (n - f)]];
        let infinite = [finite[0], finite[1], [0.0, 0.0, -1.0, -2.0 * n]];
        let parallel =
            [[1.0 / r, 0.0, 0.0, 0.0], [0.0, 1.0 / t, 0.0, 0.0], [0.0, 0.0, 2.0 / (n - f), (f + n) / (n - f)]];
        let (looking, along) = ([0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0]);
        let perspective = Projection::Perspective { fov_y: fov as f32 };
        let cases = [
            (perspective, f as f32, finite, looking),
            (perspective, f32::INFINITY, infinite, looking),
            (Projection::Orthographic { height: 3.0 }, f as f32, parallel, along),
        ];
        for (projection, far, [x, y, z], w) in cases {
            let m = projection.clip_from_view(aspect as f32, n as f32, far);
            let depth = [0, 1, 2, 3].map(|i| 0.5 * (w[i] - z[i]));
            for (row, want) in [x, y, depth, w].into_iter().enumerate() {
                let got = m.row(row).as_dvec4().to_array();
                let near = got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6);
                assert!(near, "{projection:?}, row {row}: {got:?} for {want:?}");
            }
        }
    }

    #[test]
    fn rays_go_through_the_pixel_they_are_asked_for() {
        let world_from_view = Affine3A::from_rotation_y(0.4) * Affine3A::from_translation(Vec3::new(1.0, 2.0, 3.0));
        for p in [Projection::Perspective { fov_y: 0.8 }, Projection::Orthographic { height: 2.0 }] {
            let ndc = Vec2::new(0.3, -0.6);
            let ray = p.ray(world_from_view, 1.5, ndc);
            let at = world_from_view.inverse().transform_point3(ray.origin + ray.direction * 4.0);
            let back = p.clip_from_view(1.5, 0.1, 50.0).project_point3(at);
            assert!((back.truncate() - ndc).length() < 1e-5);
        }
    }

    #[test]
    fn rays_hit_triangles_from_both_sides_and_only_ahead() {
        let (a, b, c) = (Vec3::ZERO, Vec3::X, Vec3::Y);
        let ray = Ray { origin: Vec3::new(0.2, 0.2, 2.0), direction: Vec3::NEG_Z };
        assert_eq!(ray.hit_triangle(a, b, c), Some(2.0));
        assert_eq!(ray.hit_triangle(a, c, b), Some(2.0));
        assert_eq!(Ray { direction: Vec3::Z, ..ray }.hit_triangle(a, b, c), None);
        assert_eq!(Ray { origin: Vec3::new(0.8, 0.8, 2.0), ..ray }.hit_triangle(a, b, c), None);
    }
}

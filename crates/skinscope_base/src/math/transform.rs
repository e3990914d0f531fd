//! Translation, rotation and scale; what a 3×3 matrix does to normals.

use glam::{Affine3A, DQuat, EulerRot, Mat3A, Quat, Vec3};

/// A translation, rotation and scale: `parent_from_node = T · R · S`.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Transform {
    /// The position of the node's origin in its parent's space, metres.
    #[serde(with = "crate::text_form::vector")]
    pub translation: Vec3,
    /// The rotation, a unit quaternion.
    #[serde(with = "crate::text_form::vector")]
    pub rotation: Quat,
    /// Scale factors along the node's own axes; a negative one mirrors, zero flattens.
    #[serde(with = "crate::text_form::vector")]
    pub scale: Vec3,
}

impl Transform {
    /// The transform that changes nothing.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Returns the matrix `T · R · S`.
    #[must_use]
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// Returns the cofactor matrix, `det(m) · m⁻ᵀ`, which transforms normals where `m` transforms positions; the result is
/// not of unit length. It needs no division and stays defined at zero scale. (Larsen et al. 2001, eq. 9 asks for the
/// inverse transpose, which is this up to a factor.)
#[must_use]
pub fn cofactor(m: Mat3A) -> Mat3A {
    Mat3A::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

/// Splits an affine matrix into `T · R · S` and a 3×3 `residual` (shear), which is applied first: `m = T · R · S ·
/// residual`. The residual is `None` where `T · R · S` alone reproduces `m` to about 1e-6 of its size.
///
/// The method is Gram–Schmidt: the rotation has the direction of the x axis of `m`, then its xy plane; where `m`
/// mirrors, the x scale is negative. Where an axis vanishes, the rotation is the identity and the residual is the whole
/// 3×3 matrix.
#[must_use]
pub fn decompose(m: Affine3A) -> (Transform, Option<Mat3A>) {
    let a = m.matrix3;
    let size = a.x_axis.length().max(a.y_axis.length()).max(a.z_axis.length());
    let whole = |residual| {
        let t = Transform { translation: m.translation.into(), ..Transform::IDENTITY };
        (t, Some(residual))
    };
    let x = a.x_axis.normalize_or_zero();
    let y = (a.y_axis - x * x.dot(a.y_axis)).normalize_or_zero();
    let z = (a.z_axis - x * x.dot(a.z_axis) - y * y.dot(a.z_axis)).normalize_or_zero();
    let (Some(_), Some(_), Some(_)) = (x.try_normalize(), y.try_normalize(), z.try_normalize()) else {
        return whole(a);
    };
    let mirrored = x.cross(y).dot(z) < 0.0;
    let x = if mirrored { -x } else { x };
    let r = Mat3A::from_cols(x, y, z);
    let scale = Vec3::new(x.dot(a.x_axis), y.dot(a.y_axis), z.dot(a.z_axis));
    if scale.abs().min_element() <= size * 1e-6 {
        return whole(a);
    }
    let rotation = Quat::from_mat3a(&r).normalize();
    let t = Transform { translation: m.translation.into(), rotation, scale };
    let rebuilt = t.to_affine().matrix3;
    let error = (rebuilt - a).to_cols_array().iter().fold(0.0_f32, |e, v| e.max(v.abs()));
    if error <= size * 2e-6 {
        (t, None)
    } else {
        let residual = rebuilt.inverse() * a;
        if residual.is_finite() { (t, Some(residual)) } else { whole(a) }
    }
}

/// Returns Euler angles in degrees, about X, then Y, then Z of the parent (Blender's and Maya's "XYZ").
#[must_use]
pub fn euler_xyz_degrees(rotation: Quat) -> Vec3 {
    let (x, y, z) = rotation.to_euler(EulerRot::XYZEx);
    Vec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees())
}

/// Returns Euler angles of the same kind as [`euler_xyz_degrees`], the smallest of those that the rotation has: a turn about one axis reads as that
/// turn, up to 180°, and where X and Z turn about the same line (Y is ±90°) Z is 0.
#[must_use]
pub fn smallest_euler_xyz_degrees(rotation: Quat) -> Vec3 {
    /// How far below 90° X and Z can still be told apart, by the sine of Y.
    const LOCKED: f32 = 0.999_999_9;
    let q = rotation.normalize();
    let wrapped = |degrees: f32| (degrees + 180.0).rem_euclid(360.0) - 180.0;
    let sine = 2.0 * (q.w * q.y - q.x * q.z);
    if sine.abs() > LOCKED {
        let y = 90.0_f32.copysign(sine);
        let rest = Quat::from_rotation_y(-y.to_radians()) * q;
        return Vec3::new(wrapped(2.0 * rest.x.atan2(rest.w).to_degrees()), y, 0.0);
    }
    let usual = euler_xyz_degrees(q);
    let other = Vec3::new(wrapped(usual.x + 180.0), wrapped(180.0 - usual.y), wrapped(usual.z + 180.0));
    let size = |angles: Vec3| angles.abs().element_sum();
    // Half a degree, so that noise does not decide between the two.
    if size(other) + 0.5 < size(usual) { other } else { usual }
}

/// Returns the axis of a rotation and its angle in degrees, 0…180; the axis is X where nothing is turned.
#[must_use]
pub fn axis_angle_degrees(rotation: Quat) -> (Vec3, f32) {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let (axis, angle) = q.normalize().to_axis_angle();
    (axis, angle.to_degrees())
}

/// Returns the rotation that has these Euler angles (see [`euler_xyz_degrees`]).
#[must_use]
pub fn quat_from_euler_xyz_degrees(degrees: Vec3) -> Quat {
    Quat::from_euler(EulerRot::XYZEx, degrees.x.to_radians(), degrees.y.to_radians(), degrees.z.to_radians())
        .normalize()
}

/// Returns the rotation normalised; `None` where its length is 0 or not finite. It is computed in f64, so that no length overflows or
/// vanishes.
#[must_use]
pub fn unit(rotation: Quat) -> Option<DQuat> {
    let wide = rotation.as_dquat();
    let length = wide.length();
    (length.is_finite() && length > 0.0).then(|| wide / length)
}

/// Returns the rotation in f64, normalised; the identity where its length is 0 or not finite.
#[must_use]
pub fn wide_unit(rotation: Quat) -> DQuat {
    unit(rotation).unwrap_or(DQuat::IDENTITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Affine3A, b: Affine3A, tolerance: f32) -> bool {
        a.to_cols_array().iter().zip(b.to_cols_array()).all(|(x, y)| (x - y).abs() <= tolerance)
    }

    #[test]
    fn euler_xyz_turns_about_x_first() {
        // About X by 90° takes +Y to +Z; then about Z by 90° leaves it. Blender's XYZ order.
        let q = quat_from_euler_xyz_degrees(Vec3::new(90.0, 0.0, 90.0));
        assert!((q * Vec3::Y - Vec3::Z).length() < 1e-6);
        let back = euler_xyz_degrees(quat_from_euler_xyz_degrees(Vec3::new(20.0, -40.0, 130.0)));
        assert!((back - Vec3::new(20.0, -40.0, 130.0)).length() < 1e-3);
    }

    #[test]
    fn cofactor_is_the_inverse_transpose_times_the_determinant() {
        let m = Mat3A::from_cols_array(&[2.0, 0.3, 0.0, -0.5, 1.0, 0.2, 0.0, 0.7, -3.0]);
        let want = m.inverse().transpose() * m.determinant();
        assert!((cofactor(m) - want).to_cols_array().iter().all(|v| v.abs() < 1e-5));
    }

    #[test]
    fn decompose_rebuilds_mirrored_sheared_and_flat_matrices() {
        let cases = [
            Affine3A::from_scale_rotation_translation(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.7), Vec3::X),
            Affine3A::from_scale_rotation_translation(Vec3::new(1.0, -2.0, 3.0), Quat::from_rotation_x(2.9), Vec3::Y),
            Affine3A::from_cols_array(&[1.0, 0.2, 0.0, 0.5, 1.0, 0.1, 0.0, 0.3, 2.0, 4.0, 5.0, 6.0]),
            Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)),
            Affine3A::ZERO,
        ];
        for (i, m) in cases.into_iter().enumerate() {
            let (t, residual) = decompose(m);
            let mut rebuilt = t.to_affine();
            rebuilt.matrix3 *= residual.unwrap_or(Mat3A::IDENTITY);
            assert!(close(rebuilt, m, 1e-5), "case {i}: {rebuilt:?} for {m:?}");
            assert_eq!(residual.is_none(), i < 2, "case {i}");
            assert!(t.rotation.is_normalized());
        }
    }

    #[test]
    fn a_turn_about_one_axis_reads_as_that_turn_and_every_reading_is_the_rotation() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for degrees in [-179.0_f32, -120.0, -90.0, -30.0, 0.0, 15.0, 89.9, 90.0, 90.1, 135.0, 179.0] {
                let turned = Quat::from_axis_angle(axis, degrees.to_radians());
                let read = smallest_euler_xyz_degrees(turned);
                assert!((read - degrees * axis).length() < 0.02, "{degrees}° about {axis}: {read}");
                let (about, angle) = axis_angle_degrees(turned);
                assert!((angle - degrees.abs()).abs() < 0.02 && (degrees == 0.0 || about.dot(axis).abs() > 0.9999));
            }
        }
        let mut at = Vec3::new(0.3, -0.8, 0.1);
        for _ in 0..400 {
            at = Vec3::new(at.y * 37.0 + 0.31, at.z * 53.0 - 0.77, at.x * 91.0 + 0.13).map(f32::sin);
            let q = quat_from_euler_xyz_degrees(180.0 * at);
            let read = smallest_euler_xyz_degrees(q);
            let usual = euler_xyz_degrees(q);
            assert!(q.dot(quat_from_euler_xyz_degrees(read)).abs() > 0.999_99, "{at}: {read}");
            assert!(read.abs().element_sum() <= usual.abs().element_sum() + 0.6 && read.abs().max_element() <= 180.0);
        }
        // Where two axes fall together there is no choice that noise could make.
        for noise in [-1e-7, 1e-7] {
            let locked =
                quat_from_euler_xyz_degrees(Vec3::new(20.0, 90.0, 0.0)) * Quat::from_xyzw(noise, 0.0, noise, 1.0);
            let read = smallest_euler_xyz_degrees(locked.normalize());
            assert!((read - Vec3::new(20.0, 90.0, 0.0)).length() < 0.2, "{read}");
        }
    }
}

//! Limits of the rotation of joints.

use glam::{DMat3, DQuat, Vec3};
use skinscope_base::math::wide_unit;

/// Limits of the rotation of a joint, in degrees from rest: a least and a largest value for each of the angles X, Y and
/// Z in `R = rest · Rz · Ry · Rx`, the same angles as those of the sliders and of `--rotate`. Y is within −90° to 90°,
/// since beyond that the same rotation has other angles.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Limits {
    /// The least angles.
    #[serde(with = "skinscope_base::text_form::vector")]
    pub least: Vec3,
    /// The largest angles; none is below its least one.
    #[serde(with = "skinscope_base::text_form::vector")]
    pub most: Vec3,
}

impl Limits {
    /// The limits of a joint that rotates freely.
    pub const FREE: Self = Self { least: Vec3::new(-180.0, -90.0, -180.0), most: Vec3::new(180.0, 90.0, 180.0) };

    /// Returns limits whose ends lie within [`Limits::FREE`] and in order; `None` where a number is not finite.
    #[must_use]
    pub fn between(least: Vec3, most: Vec3) -> Option<Self> {
        if !(least.is_finite() && most.is_finite()) {
            return None;
        }
        let inside = |angles: Vec3| angles.clamp(Self::FREE.least, Self::FREE.most);
        Some(Self { least: inside(least.min(most)), most: inside(most.max(least)) })
    }

    /// Limits a joint to rotations about X between two angles in degrees, as those of a knee; Y and Z are 0.
    #[must_use]
    pub fn hinge(least: f32, most: f32) -> Self {
        Self { least: Vec3::X * least, most: Vec3::X * most }
    }

    /// Returns the angles X, Y and Z of a local rotation from `rest`, in degrees.
    #[must_use]
    pub fn angles(rest: glam::Quat, rotation: glam::Quat) -> Vec3 {
        degrees_from_rest(wide_unit(rest), wide_unit(rotation)).as_vec3()
    }

    /// Returns the rotation within these limits whose angles are nearest to those of `rotation`; `None` where
    /// `rotation` is within them already.
    #[must_use]
    pub fn brought_back(&self, rest: glam::Quat, rotation: glam::Quat) -> Option<glam::Quat> {
        let now = wide_unit(rotation);
        let within = self.clamp(wide_unit(rest), now);
        (within != now).then(|| within.as_quat())
    }

    /// Returns the rotation within these limits whose angles are nearest to those of `rotation`. Both arguments are
    /// unit quaternions.
    #[must_use]
    pub fn clamp(&self, rest: DQuat, rotation: DQuat) -> DQuat {
        let now = degrees_from_rest(rest, rotation);
        let within = now.clamp(self.least.as_dvec3(), self.most.as_dvec3().max(self.least.as_dvec3()));
        if within == now {
            return rotation;
        }
        let [x, y, z] = within.to_array().map(f64::to_radians);
        (rest * DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)).normalize()
    }
}

/// Returns the angles X, Y and Z of a rotation from `rest`, in degrees, as [`Limits`] defines them. Both arguments are
/// unit quaternions.
#[must_use]
pub fn degrees_from_rest(rest: DQuat, rotation: DQuat) -> glam::DVec3 {
    let m = DMat3::from_quat((rest.inverse() * rotation).normalize());
    // The first column of Rz · Ry · Rx is (cos y cos z, cos y sin z, −sin y).
    let y = (-m.x_axis.z).clamp(-1.0, 1.0).asin();
    let (x, z) = if y.cos() > 1e-9 {
        (m.y_axis.z.atan2(m.z_axis.z), m.x_axis.y.atan2(m.x_axis.x))
    } else {
        // X and Z turn about one axis here, so only their sum (or difference) is known.
        (0.0, (-m.y_axis.x).atan2(m.y_axis.y))
    };
    glam::DVec3::new(x, y, z).map(f64::to_degrees)
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_base::math::quat_from_euler_xyz_degrees;

    use super::*;

    #[test]
    fn angles_are_those_of_the_sliders_from_rest_on() {
        let rest = Quat::from_rotation_y(0.8);
        for want in [Vec3::new(20.0, -35.0, 60.0), Vec3::new(-170.0, 80.0, 5.0), Vec3::ZERO] {
            let angles = Limits::angles(rest, rest * quat_from_euler_xyz_degrees(want));
            assert!((angles - want).length() < 1e-3, "{angles}");
        }
    }

    #[test]
    fn what_is_within_stays_and_what_is_beyond_comes_to_the_limit() {
        let limits = Limits { least: Vec3::new(-10.0, 0.0, -5.0), most: Vec3::new(90.0, 20.0, 5.0) };
        let rest = DQuat::from_rotation_x(0.3);
        let turned = |v: Vec3| rest * quat_from_euler_xyz_degrees(v).as_dquat().normalize();
        let inside = turned(Vec3::new(40.0, 10.0, 1.0));
        assert_eq!(limits.clamp(rest, inside), inside);
        let clamped = degrees_from_rest(rest, limits.clamp(rest, turned(Vec3::new(120.0, -30.0, 4.0))));
        assert!((clamped - glam::DVec3::new(90.0, 0.0, 4.0)).length() < 1e-4, "{clamped}");
    }
}

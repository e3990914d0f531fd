//! The other form of a skinning matrix: a rotation as a quaternion, a scale and a translation.
//!
//! Larsen, Petersen and Jakobsen, "Deformable Skinning on Bones" (2001): a joint at `b` that is turned by `R` has a vertex, which it saw at
//! `v'` when both were bound, at `v = b + R v'` (eq. 2); several joints have it at `v = Σ w (b + R v')` (eq. 3). Joints of glTF also
//! scale along their own axes, which comes first: `b + R (S v')`.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// How far the axes of a joint may be from right angles to be taken for them: the cosine of the angle between two of them. Matrices of
/// single precision that were multiplied along a chain of joints reach a tenth of this.
const RIGHT_ANGLE: f64 = 1e-5;

/// A scale below this share of the greatest one is a rounding error of zero.
const FLAT: f64 = 1e-6;

/// A joint as a translation, a rotation and a scale: `M v = b + R (S v')`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuaternionForm {
    /// `R`: the rotation of the joint in the world, a unit quaternion with `w` of zero or more.
    pub rotation: DQuat,
    /// `S`: the factors along the joint's own axes, all above zero.
    pub scale: DVec3,
    /// `b`: where the joint is, world space, metres.
    pub translation: DVec3,
    /// `R (S v')`: the vertex as the joint turns it, seen from the joint's position; metres.
    pub turned: DVec3,
}

/// Why a joint has no [`QuaternionForm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoQuaternionForm {
    /// The axes of the joint are not at right angles, as below a joint that is turned and one above it that scales unevenly.
    Shears,
    /// The joint turns a right hand into a left one, which no rotation does.
    Mirrors,
    /// A scale of the joint is zero, so that it has no rotation of its own.
    Flattens,
    /// The inverse bind matrix of the joint has no inverse, so that the joint cannot be had from the skinning matrix.
    BindHasNoInverse,
}

impl NoQuaternionForm {
    /// Returns what is said of the joint `name`: a whole sentence.
    #[must_use]
    pub fn sentence(self, name: &str) -> String {
        match self {
            Self::Shears => format!("{name} shears, which no quaternion with a scale does."),
            Self::Mirrors => format!("{name} mirrors, which no quaternion does."),
            Self::Flattens => format!("{name} flattens space, so that no quaternion is its rotation."),
            Self::BindHasNoInverse => {
                format!("The inverse bind matrix of {name} has no inverse, so that its rotation cannot be read from M.")
            }
        }
    }
}

impl QuaternionForm {
    /// Takes apart the joint whose skinning matrix is `matrix` and whose inverse bind matrix is `inverse_bind`: it stands at
    /// `matrix · inverse_bind⁻¹`. `offset` is `v'`, the vertex as the joint sees it.
    ///
    /// # Errors
    /// Says why there is no such form.
    pub(super) fn of(matrix: &DAffine3, inverse_bind: &DAffine3, offset: DVec3) -> Result<Self, NoQuaternionForm> {
        let joint = *matrix * inverse_bind.inverse();
        if !joint.is_finite() {
            return Err(NoQuaternionForm::BindHasNoInverse);
        }
        let columns = [joint.matrix3.x_axis, joint.matrix3.y_axis, joint.matrix3.z_axis];
        let lengths = columns.map(DVec3::length);
        let most = lengths.iter().copied().fold(0.0, f64::max);
        if lengths.iter().any(|length| *length <= most * FLAT) {
            return Err(NoQuaternionForm::Flattens);
        }
        let [x, y, z] = [0, 1, 2].map(|i| columns[i] / lengths[i]);
        if [x.dot(y), y.dot(z), z.dot(x)].iter().any(|cosine| cosine.abs() > RIGHT_ANGLE) {
            return Err(NoQuaternionForm::Shears);
        }
        if x.cross(y).dot(z) < 0.0 {
            return Err(NoQuaternionForm::Mirrors);
        }
        // What rounding has taken from the right angles is shared by all three axes: each is moved half way to the normal of the others.
        let evened = DMat3::from_cols(x + y.cross(z), y + z.cross(x), z + x.cross(y)) * 0.5;
        let rotation = DQuat::from_mat3(&evened).normalize();
        let rotation = if rotation.w < 0.0 { -rotation } else { rotation };
        let scale = DVec3::from_array(lengths);
        Ok(Self { rotation, scale, translation: joint.translation, turned: rotation * (scale * offset) })
    }

    /// Returns `b + R (S v')`: where this joint alone would carry the vertex, world space, metres.
    #[must_use]
    pub fn carried(&self) -> DVec3 {
        self.translation + self.turned
    }

    /// Returns whether the joint scales by more than rounding does.
    #[must_use]
    pub fn scales(&self) -> bool {
        !self.scale.abs_diff_eq(DVec3::ONE, 1e-5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFSET: DVec3 = DVec3::new(0.3, -1.2, 0.7);

    fn bind() -> DAffine3 {
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(0.01),
            DQuat::from_rotation_z(1.1),
            DVec3::new(4.0, -2.0, 9.0),
        )
    }

    /// Takes apart a joint that stands at `joint`, under a bind matrix that is turned and scaled itself.
    fn of(joint: DAffine3) -> Result<QuaternionForm, NoQuaternionForm> {
        QuaternionForm::of(&(joint * bind()), &bind(), OFFSET)
    }

    #[test]
    fn rotation_scale_and_translation_are_those_of_the_joint() {
        let axis = DVec3::new(1.0, -0.4, 0.6).normalize();
        for (scale, angle) in [(DVec3::ONE, 0.0), (DVec3::ONE, 3.1), (DVec3::new(0.2, 3.0, 1.0), 2.0)] {
            let (rotation, translation) = (DQuat::from_axis_angle(axis, angle), DVec3::new(-1.0, 0.5, 100.0));
            let form = of(DAffine3::from_scale_rotation_translation(scale, rotation, translation)).unwrap();
            assert!(form.rotation.abs_diff_eq(rotation, 1e-12) && form.scale.abs_diff_eq(scale, 1e-12), "{form:?}");
            // v = b + R v', eq. 2, by Rodrigues's formula and no matrix.
            let v = scale * OFFSET;
            let turned = v * angle.cos() + axis.cross(v) * angle.sin() + axis * axis.dot(v) * (1.0 - angle.cos());
            assert!(form.turned.abs_diff_eq(turned, 1e-12) && form.carried().abs_diff_eq(translation + turned, 1e-10));
            assert_eq!(form.scales(), scale != DVec3::ONE);
        }
        let back = of(DAffine3::from_axis_angle(DVec3::Y, 4.0)).unwrap().rotation;
        assert!(back.w > 0.0 && back.abs_diff_eq(-DQuat::from_rotation_y(4.0), 1e-12), "{back}");
    }

    #[test]
    fn what_no_quaternion_does_is_reported_by_name() {
        let turn = DAffine3::from_rotation_x(0.8);
        let scaled = |x, y, z| turn * DAffine3::from_scale(DVec3::new(x, y, z));
        assert_eq!(of(DAffine3::from_scale(DVec3::new(1.0, 1.001, 1.0)) * turn), Err(NoQuaternionForm::Shears));
        assert_eq!(of(scaled(-1.0, 1.0, 1.0)), Err(NoQuaternionForm::Mirrors));
        assert_eq!(of(scaled(-1.0, -1.0, -2.0)), Err(NoQuaternionForm::Mirrors));
        assert!(of(scaled(-1.0, -1.0, 2.0)).is_ok(), "two mirrors are half a turn");
        assert_eq!(of(scaled(1.0, 0.0, 1.0)), Err(NoQuaternionForm::Flattens));
        assert_eq!(of(scaled(0.0, 0.0, 0.0)), Err(NoQuaternionForm::Flattens));
        let flat = DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0));
        assert_eq!(QuaternionForm::of(&(turn * flat), &flat, OFFSET), Err(NoQuaternionForm::BindHasNoInverse));
        for why in [
            NoQuaternionForm::Shears,
            NoQuaternionForm::Mirrors,
            NoQuaternionForm::Flattens,
            NoQuaternionForm::BindHasNoInverse,
        ] {
            assert!(why.sentence("left hand").contains("left hand"));
        }
    }
}

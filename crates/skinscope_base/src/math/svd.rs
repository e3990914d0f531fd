//! Singular values and rotation of a 3×3 matrix: what it does to lengths and directions.

use glam::{DMat3, DQuat, DVec3};

/// What a 3×3 matrix does to lengths and directions: the parts of `m = U · diag(lengths) · Vᵀ` that are of interest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Singular values, greatest first: the factors by which the matrix stretches three directions at right angles.
    pub lengths: [f64; 3],
    /// The rotation nearest to the matrix; `None` where it flattens space to a line or a point.
    pub rotation: Option<DQuat>,
    /// True where the determinant is negative, so that the matrix mirrors.
    pub is_mirrored: bool,
}

impl Stretch {
    /// Decomposes a matrix by one-sided Jacobi (Hestenes 1958): pairs of columns are turned until all are at right
    /// angles; their lengths are then the singular values, with an error of about 1e-15 of the greatest. A matrix that
    /// is not finite gives numbers that are not.
    #[must_use]
    pub fn of(m: DMat3) -> Self {
        let mut b = [m.x_axis, m.y_axis, m.z_axis];
        let mut v = [DVec3::X, DVec3::Y, DVec3::Z];
        // Six sweeps are enough for any 3×3 matrix; the limit also ends the loop for a matrix of NaN.
        for _ in 0..12 {
            let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| orthogonalise(&mut b, &mut v, p, q));
            if turned == [false; 3] {
                break;
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|i, j| b[*j].length_squared().total_cmp(&b[*i].length_squared()));
        let [b, v] = [order.map(|i| b[i]), order.map(|i| v[i])];
        let lengths = b.map(DVec3::length);
        let rotation = (lengths[1] > lengths[0] * 1e-12).then(|| {
            let [first, second] = [b[0] / lengths[0], b[1] / lengths[1]];
            let handed = v[0].cross(v[1]).dot(v[2]).signum();
            let u = DMat3::from_cols(first, second, first.cross(second) * handed);
            DQuat::from_mat3(&(u * DMat3::from_cols(v[0], v[1], v[2]).transpose())).normalize()
        });
        Self { lengths, rotation, is_mirrored: b[0].cross(b[1]).dot(b[2]) * v[0].cross(v[1]).dot(v[2]) < 0.0 }
    }

    /// Returns by how much the greatest length exceeds the least, as a share of the least: 0 for a rotation with
    /// uniform scale, infinite for a matrix that flattens.
    #[must_use]
    pub fn unevenness(&self) -> f64 {
        let [most, _, least] = self.lengths;
        if most == least { 0.0 } else { most / least - 1.0 }
    }

    /// Returns the angle of the rotation in degrees, 0…180; `None` where there is no rotation.
    #[must_use]
    pub fn degrees(&self) -> Option<f64> {
        self.rotation.map(angle_degrees)
    }
}

/// Returns the angle by which a unit quaternion rotates, in degrees, 0…180. It is accurate near 0 too, where the arc
/// cosine of `w` is not.
#[must_use]
pub fn angle_degrees(rotation: DQuat) -> f64 {
    (2.0 * rotation.xyz().length().atan2(rotation.w.abs())).to_degrees()
}

/// Turns columns `p` and `q` until they are at right angles; returns false where they already are.
fn orthogonalise(b: &mut [DVec3; 3], v: &mut [DVec3; 3], p: usize, q: usize) -> bool {
    let (alpha, beta, gamma) = (b[p].length_squared(), b[q].length_squared(), b[p].dot(b[q]));
    if gamma.abs() <= 1e-15 * (alpha * beta).sqrt() || gamma == 0.0 {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    for list in [b, v] {
        let (first, second) = (list[p], list[q]);
        list[p] = (first - second * t) * c;
        list[q] = (first * t + second) * c;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_shear_has_the_lengths_of_the_golden_ratio() {
        // x' = x + y: the squares of the singular values solve λ² − 3λ + 1 = 0.
        let shear = DMat3::from_cols(DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Z);
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let s = Stretch::of(shear);
        assert!(near(s.lengths, [golden, 1.0, 1.0 / golden]), "{:?}", s.lengths);
        // Its rotation turns about −Z by the arc tangent of ½.
        assert!((s.degrees().unwrap() - 0.5_f64.atan().to_degrees()).abs() < 1e-9 && !s.is_mirrored);
        assert!((s.unevenness() - (golden * golden - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn rotation_and_scale_come_apart() {
        let turn = DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 0.5).normalize(), 2.5);
        let between = DQuat::from_axis_angle(DVec3::new(0.1, 1.0, 0.3).normalize(), 0.8);
        for (scale, mirrored) in [(DVec3::new(3.0, 0.5, 2.0), false), (DVec3::splat(0.01), false)] {
            let inner = DMat3::from_quat(between);
            let m = DMat3::from_quat(turn) * inner * DMat3::from_diagonal(scale) * inner.transpose();
            let s = Stretch::of(m);
            let mut want = scale.to_array();
            want.sort_by(|a, b| b.total_cmp(a));
            assert!(near(s.lengths, want) && s.is_mirrored == mirrored);
            assert!(s.rotation.unwrap().dot(turn).abs() > 1.0 - 1e-12);
            assert!((s.degrees().unwrap() - 2.5_f64.to_degrees()).abs() < 1e-9);
        }
    }

    #[test]
    fn mirrors_and_flat_matrices_are_reported() {
        let mirror = Stretch::of(DMat3::from_diagonal(DVec3::new(-2.0, 2.0, 2.0)));
        assert!(mirror.is_mirrored && mirror.unevenness() == 0.0 && near(mirror.lengths, [2.0; 3]));
        let turn = DMat3::from_quat(DQuat::from_rotation_z(0.3));
        let flat = Stretch::of(turn * DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)));
        assert!(near(flat.lengths, [1.0, 1.0, 0.0]) && flat.unevenness().is_infinite() && !flat.is_mirrored);
        assert!((flat.degrees().unwrap() - 0.3_f64.to_degrees()).abs() < 1e-9);
        let line = Stretch::of(DMat3::from_diagonal(DVec3::X));
        assert_eq!((line.rotation, Stretch::of(DMat3::ZERO).rotation), (None, None));
        assert_eq!(Stretch::of(DMat3::ZERO).lengths, [0.0; 3]);
    }

    #[test]
    fn small_angles_keep_their_digits() {
        let degrees = angle_degrees(DQuat::from_rotation_x(1e-7));
        assert!((degrees / 1e-7_f64.to_degrees() - 1.0).abs() < 1e-9);
        assert!((angle_degrees(-DQuat::from_rotation_y(0.2)) - 0.2_f64.to_degrees()).abs() < 1e-9);
    }
}

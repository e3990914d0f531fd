//! The rotation of a joint: the `R` of the polar decomposition `A = R S` of its matrix, for methods that blend
//! rotations.

use glam::{DMat3, DQuat, Mat3A};
use skinscope_base::math::{Stretch, cofactor};

/// Areas and volumes below this, in a matrix of unit size, are rounding errors.
const FLAT: f32 = 1e-6;

/// The most steps of [`nearest_rotation`]; a rotation needs one, most others four or five, nearly flat needles all of
/// them.
const MOST_STEPS: usize = 24;

/// Returns the rotation nearest to `m`, or to `-m` where `m` mirrors: the `R` of its polar decomposition, by Newton's iteration
/// `X ← (X + X⁻ᵀ) / 2` (Higham 1986).
///
/// The cofactor matrix has the same polar factor, so it is added before the start: a matrix with one zero scale is then
/// as well-conditioned as any other. Returns the identity where `m` has one direction only, or none: then no rotation is nearest.
pub(super) fn nearest_rotation(m: Mat3A) -> Mat3A {
    let unit = |m: Mat3A| {
        let largest = m.to_cols_array().iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        let scaled = m * (1.0 / largest);
        let length = scaled.to_cols_array().iter().map(|v| v * v).sum::<f32>().sqrt();
        scaled * (1.0 / length)
    };
    let m = unit(m);
    let sides = cofactor(m);
    let area = sides.to_cols_array().iter().map(|v| v * v).sum::<f32>().sqrt();
    if area.is_nan() || area < FLAT {
        return Mat3A::IDENTITY;
    }
    // Rounding gives a flat matrix either sign; it must not make neighbouring joints or frames turn by 180°.
    let upright = if m.determinant() < -FLAT { -m } else { m };
    // The factor is √3/2: the result for a matrix that only turns is the rotation itself, and the first step finds
    // nothing to do.
    let mut x = (upright + unit(sides)) * 0.866_025_4;
    for _ in 0..MOST_STEPS {
        let next = (x + cofactor(x) * (1.0 / x.determinant())) * 0.5;
        let change = (next - x).to_cols_array().iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        if !next.is_finite() {
            return Mat3A::IDENTITY;
        }
        x = next;
        if change < 1e-6 {
            break;
        }
    }
    x
}

/// Returns the `R` of the polar decomposition in double precision, by the same rules as [`nearest_rotation`].
pub(super) fn exact_rotation(m: DMat3) -> DQuat {
    let flat = f64::from(FLAT);
    let a = m * (1.0 / m.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt());
    let lengths = Stretch::of(a).lengths;
    // This is the norm of the cofactor matrix: the areas that the singular values span.
    let area = (lengths[0] * lengths[1]).hypot(lengths[1] * lengths[2]).hypot(lengths[2] * lengths[0]);
    if area.is_nan() || area < flat {
        return DQuat::IDENTITY;
    }
    let upright = if a.determinant() < -flat { -a } else { a };
    Stretch::of(upright).rotation.unwrap_or(DQuat::IDENTITY)
}

/// Returns the rotation nearest to any matrix, `U diag(1, 1, det UVᵀ) Vᵀ` of its singular value decomposition, and how
/// well it is determined: the largest singular value `s₁`, and `s₂ + det(UVᵀ) s₃`, which is 0 where two rotations are
/// equally near. Returns `None` for a matrix of zeros, or one with numbers that are not finite.
///
/// The rotation maximises `tr(Rᵀ m)`, which is a quadratic form in the quaternion of `R` (Horn 1987). Newton's method from above finds
/// the greatest root of the characteristic polynomial of its 4×4 matrix; the quaternion is the row of the adjugate with the greatest
/// diagonal.
pub(super) fn nearest_proper_rotation(m: DMat3) -> Option<(DQuat, [f64; 2])> {
    let squared = m.to_cols_array().iter().map(|v| v * v).sum::<f64>();
    if squared == 0.0 || !squared.is_finite() {
        return None;
    }
    let length = squared.sqrt();
    let m = m * (1.0 / length);
    let [a, d, g, b, e, h, c, f, i] = m.to_cols_array();
    // Rows a b c, d e f, g h i; the quaternion is w x y z.
    let k = [
        [a + e + i, h - f, c - g, d - b],
        [h - f, a - e - i, b + d, c + g],
        [c - g, b + d, e - a - i, f + h],
        [d - b, c + g, f + h, i - a - e],
    ];
    let gram = m.transpose() * m;
    let constant = 2.0 * gram.to_cols_array().iter().map(|v| v * v).sum::<f64>() - 1.0;
    let linear = -8.0 * m.determinant();
    // λ⁴ - 2 λ² + linear λ + constant.
    let slope = |x: f64| (4.0 * x * x - 4.0) * x + linear;
    let mut most = 3.0_f64.sqrt();
    for _ in 0..60 {
        let value = ((most * most - 2.0) * most + linear) * most + constant;
        let step = value / slope(most);
        if step.is_nan() || step <= 1e-15 {
            break;
        }
        most -= step;
    }
    // The next root is the greatest that is left when the first one is divided out.
    let (square, rest) = (most * most - 2.0, (most * most - 2.0) * most + linear);
    let mut next = most;
    for _ in 0..60 {
        let value = ((next + most) * next + square) * next + rest;
        let step = value / ((3.0 * next + 2.0 * most) * next + square);
        if step.is_nan() || step <= 1e-12 {
            break;
        }
        next -= step;
    }
    let sizes = [0.5 * (most + next), 0.5 * (most - next)].map(|s| s * length);
    Some((null_vector(k, most), sizes))
}

/// Returns the unit vector (w x y z) that a symmetric matrix scales by `value`.
fn null_vector(mut k: [[f64; 4]; 4], value: f64) -> DQuat {
    for (i, row) in k.iter_mut().enumerate() {
        row[i] -= value;
    }
    let minor = |row: usize, column: usize| {
        let pick = |i: usize| if i < row { i } else { i + 1 };
        let take = |j: usize| if j < column { j } else { j + 1 };
        let at = |i: usize, j: usize| k[pick(i)][take(j)];
        at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) - at(0, 1) * (at(1, 0) * at(2, 2) - at(1, 2) * at(2, 0))
            + at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0))
    };
    let row = (0..4).max_by(|a, b| minor(*a, *a).abs().total_cmp(&minor(*b, *b).abs())).unwrap_or(0);
    let [w, x, y, z] = [0, 1, 2, 3].map(|column| minor(row, column) * if (row + column) % 2 == 0 { 1.0 } else { -1.0 });
    let q = DQuat::from_xyzw(x, y, z, w);
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn the_nearest_rotation_is_that_of_the_singular_values() {
        let turn = |axis: DVec3, angle| DMat3::from_axis_angle(axis.normalize(), angle);
        for (i, angle) in [0.0, 0.3, 1.5, 2.9, -2.0].into_iter().enumerate() {
            let r = turn(DVec3::new(1.0, -0.5 * i as f64, 0.7), angle);
            let v = turn(DVec3::new(0.2, 1.0, i as f64), 1.0);
            for lengths in
                [DVec3::ONE, DVec3::new(3.0, 1.0, 0.2), DVec3::new(0.01, 0.02, 1e-5), DVec3::new(2.0, 1.0, -0.5)]
            {
                let m = r * v * DMat3::from_diagonal(lengths) * v.transpose();
                let (q, [most, gap]) = nearest_proper_rotation(m).unwrap();
                let mut sorted = lengths.to_array();
                sorted.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
                let off = (DMat3::from_quat(q) - r).to_cols_array().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                assert!(off < 1e-7, "{lengths} {angle}: {off}");
                // Where roots coincide they are found less exactly; a threshold alone asks for them.
                assert!((most - sorted[0]).abs() < 1e-4 * sorted[0], "{lengths}: {most}");
                assert!((gap - sorted[1] - sorted[2]).abs() < 1e-4 * sorted[0], "{lengths}: {gap}");
            }
        }
        // Half turns about all three axes, evenly: no rotation is nearer than others.
        let (_, [most, gap]) = nearest_proper_rotation(DMat3::from_diagonal(DVec3::splat(-1.0 / 3.0))).unwrap();
        assert!(gap.abs() < 1e-4 * most);
        assert!(nearest_proper_rotation(DMat3::ZERO).is_none() && nearest_proper_rotation(DMat3::NAN).is_none());
    }
}

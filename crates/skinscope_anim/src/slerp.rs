//! Slerp of four pairs of rotations at once: constant angular velocity along the shorter arc.
//!
//! Slerp weighs two unit quaternions at angle `θ` by `sin((1 - t)θ)` and `sin(tθ)`, up to a common factor that
//! normalisation removes. Divided by `θ` both are functions of `θ²`, smooth down to zero, and `θ²` is a smooth function
//! of `1 - cos θ`. So two short polynomials are enough, without a root, a branch, or lost digits where the cosine is
//! near one. (After the idea of Eberly, "A Fast and Accurate Algorithm for Computing SLERP", 2011, with other
//! polynomials.)

use glam::{BVec4A, Vec4};

/// Four quaternions, transposed: their four x, y, z and w.
pub(super) type Quats = [Vec4; 4];

/// Coefficients of `arccos²(1 - v) / v` for 0 ≤ v ≤ 1: minimax, relative error 2.9e-7 (Remez exchange at 40 digits).
const SQUARED_ANGLE: [f32; 7] =
    [2.000_000_6, 0.333_280_3, 0.089_691_18, 0.024_094_57, 0.021_714_523, -0.010_598_413, 0.009_217_687];

/// Coefficients of `sin √x / √x` for 0 ≤ x ≤ (π/2)²: minimax, relative error 5.4e-9.
const SINE: [f32; 5] = [1.0, -0.166_666_57, 0.008_333_025, -0.000_198_074_2, 2.601_903e-6];

/// Interpolates unit quaternions from `from` (`factor` 0) to `to` (1).
#[inline]
pub(super) fn slerp(from: Quats, to: Quats, factor: Vec4) -> Quats {
    let cos = dot(from, to);
    let v = Vec4::ONE - cos.abs();
    let (v2, [p0, p1, p2, p3, p4, p5, p6]) = (v * v, SQUARED_ANGLE.map(Vec4::splat));
    // Estrin's scheme: shorter chains than Horner's.
    let squared = v * ((p0 + p1 * v) + (p2 + p3 * v) * v2 + ((p4 + p5 * v) + p6 * v2) * (v2 * v2));
    let rest = Vec4::ONE - factor;
    let a = weight(squared, rest);
    // Goes towards -to where that is nearer.
    let b = weight(squared, factor).copysign(cos);
    let sum = [0, 1, 2, 3].map(|i| from[i] * a + to[i] * b);
    let inverse = Vec4::ONE / dot(sum, sum).sqrt();
    sum.map(|part| part * inverse)
}

/// Computes `sin(part · θ) / θ` from `squared` = θ².
#[inline]
fn weight(squared: Vec4, part: Vec4) -> Vec4 {
    let [s0, s1, s2, s3, s4] = SINE.map(|s| Vec4::splat(s) * part);
    let x = squared * (part * part);
    let x2 = x * x;
    (s0 + s1 * x) + ((s2 + s3 * x) + s4 * x2) * x2
}

#[inline]
fn dot(a: Quats, b: Quats) -> Vec4 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// Normalises the quaternions `sums`; takes `otherwise` where a sum is zero or not finite.
#[inline]
pub(super) fn normalised(sums: Quats, otherwise: Quats) -> Quats {
    let length = dot(sums, sums).sqrt();
    let good: BVec4A = length.cmpgt(Vec4::ZERO) & length.cmple(Vec4::MAX);
    [0, 1, 2, 3].map(|i| Vec4::select(good, sums[i] / length, otherwise[i]))
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3, Mat4, Quat, Vec3};

    use super::*;

    /// Four pairs at once, as four quaternions.
    fn four(from: [Quat; 4], to: [Quat; 4], factors: [f32; 4]) -> [Quat; 4] {
        let transposed = |quats: [Quat; 4]| {
            let [x, y, z, w] = quats.map(Vec4::from);
            let m = Mat4::from_cols(x, y, z, w).transpose();
            [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
        };
        let out = slerp(transposed(from), transposed(to), Vec4::from_array(factors));
        [0, 1, 2, 3].map(|i| Quat::from_vec4(out.map(|part| part[i]).into()))
    }

    /// Returns the angle between two rotations in radians; exact for small angles too.
    fn angle(a: DQuat, b: DQuat) -> f64 {
        let d = a.conjugate() * b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    }

    /// The reference in f64: turns from `from` to `to` about the axis of the shorter way.
    fn exact(from: Quat, to: Quat, t: f32) -> DQuat {
        let from = from.as_dquat().normalize();
        let step = from.conjugate() * to.as_dquat().normalize();
        let step = if step.w < 0.0 { -step } else { step };
        let half = step.xyz().length().atan2(step.w);
        let (sin, cos) = (half * f64::from(t)).sin_cos();
        from * DQuat::from_vec4((step.xyz().normalize_or_zero() * sin).extend(cos))
    }

    /// Returns a generator of rotations about any axis by any angle.
    fn random() -> impl FnMut() -> Quat {
        let mut state = 1_u32;
        let mut number = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 23) - 1.0
        };
        move || {
            let q = DQuat::from_xyzw(number(), number(), number(), number());
            if q.length() > 0.1 { q.normalize().as_quat() } else { Quat::IDENTITY }
        }
    }

    /// The error that the documentation promises, radians; the largest error seen is 2.9e-7.
    const BOUND: f64 = 5e-7;

    fn check(from: Quat, to: Quat) {
        for (k, signs) in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].into_iter().enumerate() {
            let (from, to) = (from * signs[0], to * signs[1]);
            // Where the two stand half a turn apart, rounding chooses the way; both are right.
            let half_turn = from.as_dquat().dot(to.as_dquat()).abs() < 1e-6;
            for i in 0..4 {
                let factors = [0, 1, 2, 3].map(|lane| (i * 4 + lane) as f32 / 15.0);
                let mut seen = four([from; 4], [to; 4], factors);
                seen.rotate_left(k);
                for (lane, got) in seen.into_iter().enumerate() {
                    let t = factors[(lane + k) % 4];
                    let error = angle(got.as_dquat().normalize(), exact(from, to, t));
                    let other =
                        if half_turn { angle(got.as_dquat().normalize(), other_way(from, to, t)) } else { error };
                    assert!(error.min(other) <= BOUND, "{from} to {to} at {t}: {error:e}");
                    assert!((got.as_dquat().length() - 1.0).abs() < 2e-7, "{got} is not unit");
                }
            }
        }
    }

    fn other_way(from: Quat, to: Quat, t: f32) -> DQuat {
        let from = from.as_dquat().normalize();
        let step = from.conjugate() * to.as_dquat().normalize();
        let step = if step.w < 0.0 { step } else { -step };
        let half = step.xyz().length().atan2(step.w);
        let (sin, cos) = (half * f64::from(t)).sin_cos();
        from * DQuat::from_vec4((step.xyz().normalize_or_zero() * sin).extend(cos))
    }

    #[test]
    fn random_pairs_are_within_half_a_microradian() {
        let mut next = random();
        for _ in 0..20_000 {
            check(next(), next());
        }
    }

    #[test]
    fn tiny_and_half_turns_are_within_half_a_microradian() {
        use std::f64::consts::PI;
        let mut next = random();
        let tiny = (0..60).map(|i| 10_f64.powi(-i / 4) * [1.0, 1.9, 3.1, 5.7][i as usize % 4]);
        let turns: Vec<f64> = tiny.clone().chain(tiny.map(|t| PI - t)).chain([0.0, PI, 2.0, 3.0, 3.13]).collect();
        for turn in turns.into_iter().filter(|t| *t >= 0.0) {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.36, -0.48, 0.8)] {
                let axis: DVec3 = axis.as_dvec3().normalize();
                let from = next();
                let to = from.as_dquat().normalize() * DQuat::from_axis_angle(axis, turn);
                check(from, to.as_quat());
            }
        }
    }

    #[test]
    fn a_lane_does_not_see_its_neighbours() {
        let mut next = random();
        for _ in 0..1000 {
            let (from, to) = (next(), next());
            let alone = four([from; 4], [to; 4], [0.3; 4]);
            for lane in 0..4 {
                let (mut froms, mut tos, mut factors) = ([next(), next(), Quat::NAN, next()], [next(); 4], [0.9; 4]);
                (froms[lane], tos[lane], factors[lane]) = (from, to, 0.3);
                assert_eq!(four(froms, tos, factors)[lane].to_array(), alone[0].to_array());
            }
        }
    }

    #[test]
    fn sums_that_are_no_rotation_give_way() {
        let sums = [[0.0, 3.0, f32::MAX, f32::NAN], [0.0; 4], [0.0, 4.0, 0.0, 0.0], [0.0; 4]].map(Vec4::from_array);
        let otherwise = [Vec4::splat(1.0), Vec4::splat(2.0), Vec4::splat(3.0), Vec4::splat(4.0)];
        let out = normalised(sums, otherwise);
        let lane = |i: usize| out.map(|part| part[i]);
        let other = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([lane(0), lane(1), lane(2), lane(3)], [other, [0.6, 0.0, 0.8, 0.0], other, other]);
    }
}

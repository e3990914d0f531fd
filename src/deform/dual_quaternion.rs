//! Dual quaternion blending: Kavan, Collins, Žára and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
//! Blending" (2008), the linear form (DLB) with scale in a second phase.
//!
//! A skinning matrix is split as `M = T · R · S` by polar decomposition: `T · R` becomes a unit dual quaternion, `S`
//! (scale and shear; negative definite where `M` mirrors) stays a matrix. A vertex is moved by the blended `S` first,
//! then by the blended, normalised dual quaternion, so a twist keeps its radius. Normalising makes the sum of a vertex's
//! weights irrelevant here, while linear blending scales by it.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A, Vec4};

use super::batch::{Blend, Matrices, deform_all, deform_one, sqrt, transposed, zero_where};
use super::{Blended, Crowd, Method};
use crate::math::{Aabb, cofactor};

/// The second row of the table.
pub static DUAL_QUATERNION: Method = Method {
    id: "dual-quaternion",
    label: "Dual quaternion",
    help: "Blends the motions of the joints: keeps the volume where a joint twists, bulges where it bends",
    wgsl: ("deform/dual_quaternion.wgsl", include_str!("../../shaders/deform/dual_quaternion.wgsl")),
    vec4s_per_joint: 5,
    pack,
    deform: deform_one::<DualQuaternion>,
    deform_all: deform_all::<DualQuaternion>,
    blend,
    reach,
};

/// Real part (xyzw), dual part (xyzw), the three rows of `S` (fourth components zero).
fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let rotation = nearest_rotation(m.matrix3);
    let real = Quat::from_mat3a(&rotation).normalize();
    let dual = Quat::from_vec4(m.translation.extend(0.0)) * real * 0.5;
    // From the quaternion as stored, so that R · S gives M back whatever the decomposition rounded away.
    let rows = (Mat3A::from_quat(real.conjugate()) * m.matrix3).transpose();
    let s = [rows.x_axis, rows.y_axis, rows.z_axis].map(|r| r.extend(0.0));
    for (out, part) in out.iter_mut().zip([real.into(), dual.into(), s[0], s[1], s[2]]) {
        *out = part;
    }
}

/// Areas and volumes below this, of a matrix of unit size, are rounding.
const FLAT: f32 = 1e-6;

/// Steps of [`nearest_rotation`]; a rotation needs one, most others four or five, nearly flat needles the rest.
const MOST_STEPS: usize = 24;

/// The rotation nearest to `m`, or to `-m` where `m` mirrors: the `R` of its polar decomposition, by Newton's iteration
/// `X ← (X + X⁻ᵀ) / 2` (Higham 1986).
///
/// The cofactor matrix has the same polar factor, so it is added before the start: a matrix with one zero scale is then
/// as well-conditioned as any other. The identity where `m` has no or one direction only: nothing tells its rotation.
fn nearest_rotation(m: Mat3A) -> Mat3A {
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
    // √3/2: of a matrix that only turns, this is the rotation itself, and the first step finds nothing to do.
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

/// Where nothing moves a vertex, it goes to the origin, as by a sum of no matrices.
fn blend(palette: &[Vec4], joints: &[u16], weights: &[f32]) -> Blended {
    let sum = DualQuaternion::sum(palette, joints, weights, true);
    let length = sum.real.length();
    if length == 0.0 || sum.weight == 0.0 {
        return Blended::Motion { stretch: Mat3A::ZERO, rotation: Quat::IDENTITY, translation: Vec3::ZERO };
    }
    let [x, y, z] = sum.rows.map(|row| Vec3A::from_vec4(row / sum.weight));
    let rotation = Quat::from_vec4(sum.real / length);
    let translation = (Quat::from_vec4(sum.dual / length) * rotation.conjugate()).xyz() * 2.0;
    Blended::Motion { stretch: Mat3A::from_cols(x, y, z).transpose(), rotation, translation }
}

/// What the arithmetic of one vertex loses, of the largest length in it.
const ROUNDING: f32 = 2e-5;

/// A ball. The stretch of a vertex is a mean, so it takes the vertices into the box around the boxes that the single
/// stretches make; let `c` be its centre and `ρ` half its diagonal. The blended motion is rigid: it takes them to within `ρ`
/// of where it takes `c`. That is `Σᵢⱼ ŵᵢ ŵⱼ cᵢ (rᵢ r̄ⱼ) / |Σ ŵ r|²` with `cᵢ` where joint `i` alone takes `c` and `r` the real
/// parts (the vector part of it), so no farther from any point than the farthest `cᵢ`, over `|Σ ŵ r|²`. And `|Σ ŵ r|` is no
/// less than the least cosine between the `r` and one direction.
fn reach(palette: &[Vec4], crowd: &Crowd) -> Option<Aabb> {
    let packed = |joint: u16| &palette[joint as usize * 5..][..5];
    let pivot = packed(crowd.joints.first()?.0)[0];
    let (mut stretched, mut mean) = (Aabb::EMPTY, Vec4::ZERO);
    for (joint, around) in crowd.joints {
        let joint = packed(*joint);
        let (center, half) = (around.center().extend(0.0), (around.size() * 0.5).extend(0.0));
        let at = Vec3::from_array(std::array::from_fn(|i| joint[2 + i].dot(center)));
        let to = Vec3::from_array(std::array::from_fn(|i| joint[2 + i].abs().dot(half)));
        stretched = stretched.union(Aabb { min: at - to, max: at + to });
        mean += if joint[0].dot(pivot) < 0.0 { -joint[0] } else { joint[0] };
    }
    let mean = mean.normalize_or_zero();
    let center = stretched.center();
    let mut images = Aabb::EMPTY;
    let (mut cosine, mut largest) = (1.0_f32, stretched.farthest());
    for (joint, _) in crowd.joints {
        let joint = packed(*joint);
        cosine = cosine.min(joint[0].dot(mean).abs());
        let rotation = Quat::from_vec4(joint[0]);
        let translation = (Quat::from_vec4(joint[1]) * rotation.conjugate()).xyz() * 2.0;
        let image = rotation * center + translation;
        images = images.union(Aabb { min: image, max: image });
        largest = largest.max(translation.abs().max_element());
    }
    // Beyond 45° from the mean, two of them may be taken on other sides of each other, depending on which comes first.
    if cosine < 0.72 {
        return None;
    }
    let radius = (0.5 * images.diagonal() + ROUNDING * largest) / (cosine * cosine) + 0.5 * stretched.diagonal();
    let ball = images.center();
    let mut out = Aabb { min: ball, max: ball }.grown(Vec3::splat(radius * (1.0 + ROUNDING)));
    if crowd.sums[0] <= 0.0 {
        // What nothing moves stays at the origin.
        out.include(Vec3::ZERO);
    }
    (out.min.is_finite() && out.max.is_finite()).then_some(out)
}

/// The sums of one vertex.
#[derive(Clone, Copy, Default)]
struct Sums {
    real: Vec4,
    dual: Vec4,
    /// Of `S`.
    rows: [Vec4; 3],
    weight: f32,
}

/// The blend of motions.
struct DualQuaternion;

impl Blend for DualQuaternion {
    type Sum = Sums;

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Sums {
        let palette = palette.as_chunks::<5>().0;
        // `q` and `-q` are one rotation: all are taken on the side of the first that counts. Which one that is matters only
        // among rotations more than 120° apart.
        let first = weights.iter().position(|weight| *weight != 0.0);
        let Some(joint) = first.and_then(|first| joints.get(first)) else { return Sums::default() };
        let pivot = palette[*joint as usize][0];
        let (pairs, more) = joints.as_chunks::<4>();
        let (shares, less) = weights.as_chunks::<4>();
        let mut out = Sums::default();
        for (i, (joints, weights)) in pairs.iter().zip(shares).enumerate() {
            let four = sum_of_four(palette, *joints, *weights, pivot, careful);
            out = if i == 0 { four } else { out.and(&four) };
        }
        for (joint, weight) in more.iter().zip(less) {
            // With three that weigh nothing.
            out = out.and(&sum_of_four(palette, [*joint; 4], [*weight, 0.0, 0.0, 0.0], pivot, careful));
        }
        out
    }

    #[inline(always)]
    fn matrices(sums: [Sums; 4]) -> Matrices {
        let [a, b, c, d] = sums;
        let lanes = |of: fn(&Sums) -> Vec4| transposed([of(&a), of(&b), of(&c), of(&d)]);
        let (real, dual) = (lanes(|s| s.real), lanes(|s| s.dual));
        let rows = [lanes(|s| s.rows[0]), lanes(|s| s.rows[1]), lanes(|s| s.rows[2])];
        let weight = Vec4::new(a.weight, b.weight, c.weight, d.weight);
        let length = sqrt(real[0] * real[0] + real[1] * real[1] + real[2] * real[2] + real[3] * real[3]);
        let nothing = length.cmpeq(Vec4::ZERO) | weight.cmpeq(Vec4::ZERO);
        let (per_length, per_weight) = (Vec4::ONE / length, Vec4::ONE / weight);
        let scaled = |v: [Vec4; 4]| [v[0] * per_length, v[1] * per_length, v[2] * per_length, v[3] * per_length];
        let (q, d) = (scaled(real), scaled(dual));
        let row = |v: [Vec4; 4]| [v[0] * per_weight, v[1] * per_weight, v[2] * per_weight];
        let (x, y, z) = (row(rows[0]), row(rows[1]), row(rows[2]));
        let moved = |r: [Vec4; 3]| {
            let column = |i: usize| r[0] * x[i] + r[1] * y[i] + r[2] * z[i];
            [column(0), column(1), column(2)]
        };
        let [m0, m1, m2] = rotation(q);
        let (m0, m1, m2) = (moved(m0), moved(m1), moved(m2));
        let translation = translation(q, d);
        // As a sum of no matrices.
        let known = |v| zero_where(nothing, v);
        let row = |m: [Vec4; 3], t: Vec4| [known(m[0]), known(m[1]), known(m[2]), known(t)];
        [row(m0, translation[0]), row(m1, translation[1]), row(m2, translation[2])]
    }
}

impl Sums {
    #[inline(always)]
    fn and(&self, more: &Self) -> Self {
        Self {
            real: self.real + more.real,
            dual: self.dual + more.dual,
            rows: [self.rows[0] + more.rows[0], self.rows[1] + more.rows[1], self.rows[2] + more.rows[2]],
            weight: self.weight + more.weight,
        }
    }
}

#[inline(always)]
fn sum_of_four(palette: &[[Vec4; 5]], joints: [u16; 4], weights: [f32; 4], pivot: Vec4, careful: bool) -> Sums {
    // Slots without weight are padding.
    let of = |i: usize| if careful && weights[i] == 0.0 { [Vec4::ZERO; 5] } else { palette[joints[i] as usize] };
    let (a, b, c, d) = (of(0), of(1), of(2), of(3));
    let sides = transposed([a[0] * pivot, b[0] * pivot, c[0] * pivot, d[0] * pivot]);
    let sides = (sides[0] + sides[1]) + (sides[2] + sides[3]);
    let shares = Vec4::from_array(weights);
    let signed = Vec4::select(sides.cmplt(Vec4::ZERO), -shares, shares).to_array();
    let sum = |i: usize, w: [f32; 4]| (a[i] * w[0] + b[i] * w[1]) + (c[i] * w[2] + d[i] * w[3]);
    Sums {
        real: sum(0, signed),
        dual: sum(1, signed),
        rows: [sum(2, weights), sum(3, weights), sum(4, weights)],
        weight: (weights[0] + weights[1]) + (weights[2] + weights[3]),
    }
}

/// Rows of the rotation matrices of four unit quaternions.
#[inline(always)]
fn rotation([x, y, z, w]: [Vec4; 4]) -> [[Vec4; 3]; 3] {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz, xy, xz, yz) = (x * x2, y * y2, z * z2, x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let one = Vec4::ONE;
    [[one - (yy + zz), xy - wz, xz + wy], [xy + wz, one - (xx + zz), yz - wx], [xz - wy, yz + wx, one - (xx + yy)]]
}

/// Twice the vector parts of `dual · conjugate(real)`.
#[inline(always)]
fn translation([x, y, z, w]: [Vec4; 4], [a, b, c, d]: [Vec4; 4]) -> [Vec4; 3] {
    let twice = |v: Vec4| v + v;
    [
        twice(w * a - d * x + (y * c - z * b)),
        twice(w * b - d * y + (z * a - x * c)),
        twice(w * c - d * z + (x * b - y * a)),
    ]
}

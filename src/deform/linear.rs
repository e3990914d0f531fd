//! Linear blend skinning: `v = Σ w M v0` (Larsen et al. 2001, eq. 4), normals by the cofactors of the blended matrix.

use glam::{Affine3A, Vec3, Vec4};

use super::batch::{Blend, Matrices, deform_all, deform_one, transposed};
use super::{Blended, Crowd, Method};
use crate::math::Aabb;

/// The first row of the table.
pub static LINEAR: Method = Method {
    id: "linear",
    label: "Linear blend",
    wgsl: ("deform/linear.wgsl", include_str!("../../shaders/deform/linear.wgsl")),
    vec4s_per_joint: 3,
    pack,
    deform: deform_one::<Linear>,
    deform_all: deform_all::<Linear>,
    blend: |_, _, _| Blended::Sum,
    reach,
};

/// The weighted sum of matrices.
struct Linear;

/// The rows of the 3×4 matrix.
fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let rows = m.matrix3.transpose();
    let columns = [rows.x_axis, rows.y_axis, rows.z_axis];
    for ((out, row), t) in out.iter_mut().zip(columns).zip(m.translation.to_array()) {
        *out = row.extend(t);
    }
}

impl Blend for Linear {
    /// Rows of the 3×4 matrix.
    type Sum = [Vec4; 3];

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Self::Sum {
        let palette = palette.as_chunks::<3>().0;
        let (pairs, more) = joints.as_chunks::<4>();
        let (shares, less) = weights.as_chunks::<4>();
        let mut out = [Vec4::ZERO; 3];
        for (i, (joints, weights)) in pairs.iter().zip(shares).enumerate() {
            let four = sum_of_four(palette, *joints, *weights, careful);
            out = if i == 0 { four } else { [out[0] + four[0], out[1] + four[1], out[2] + four[2]] };
        }
        for (joint, weight) in more.iter().zip(less) {
            let one = scaled(&palette[*joint as usize], *weight, careful);
            out = [out[0] + one[0], out[1] + one[1], out[2] + one[2]];
        }
        out
    }

    #[inline(always)]
    fn matrices([a, b, c, d]: [Self::Sum; 4]) -> Matrices {
        let row = |i: usize| transposed([a[i], b[i], c[i], d[i]]);
        [row(0), row(1), row(2)]
    }
}

#[inline(always)]
fn sum_of_four(palette: &[[Vec4; 3]], joints: [u16; 4], weights: [f32; 4], careful: bool) -> [Vec4; 3] {
    let of = |i: usize| scaled(&palette[joints[i] as usize], weights[i], careful);
    let (a, b, c, d) = (of(0), of(1), of(2), of(3));
    let row = |i: usize| (a[i] + b[i]) + (c[i] + d[i]);
    [row(0), row(1), row(2)]
}

#[inline(always)]
fn scaled(rows: &[Vec4; 3], weight: f32, careful: bool) -> [Vec4; 3] {
    // Slots without weight are padding.
    if careful && weight == 0.0 { [Vec4::ZERO; 3] } else { [rows[0] * weight, rows[1] * weight, rows[2] * weight] }
}

/// What adding up products loses, of the sum of their magnitudes: some ten roundings.
const ROUNDING: f32 = 2e-6;

/// A vertex is its sum of weights times a mean of where its joints take it (no weight is negative), so it lies in that many
/// times the box around the moved boxes.
fn reach(palette: &[Vec4], crowd: &Crowd) -> Option<Aabb> {
    let mut means = Aabb::EMPTY;
    for (joint, around) in crowd.joints {
        let rows = &palette[*joint as usize * 3..][..3];
        let (center, half) = (around.center().extend(1.0), (around.size() * 0.5).extend(0.0));
        let far = center.abs() + half;
        let at = Vec3::from_array(std::array::from_fn(|i| rows[i].dot(center)));
        let to = Vec3::from_array(std::array::from_fn(|i| rows[i].abs().dot(half + far * ROUNDING)));
        means = means.union(Aabb { min: at - to, max: at + to });
    }
    let [least, most] = crowd.sums;
    let min = (means.min * least).min(means.min * most);
    let max = (means.max * least).max(means.max * most);
    (min.is_finite() && max.is_finite()).then_some(Aabb { min, max })
}

//! Linear blend skinning: `p = Σ w M v` (Larsen et al. 2001, eq. 4), with normals by the cofactors of the blended
//! matrix.

use glam::{Affine3A, DAffine3, DVec3, Mat3A, Vec4};
use skinscope_base::math::Aabb;

use super::batch::{BlendKernel, Lanes, Matrices, deform_all};
use super::rows::{self, Rows};
#[cfg(target_arch = "x86_64")]
use super::wide::{self, Wide};
use super::{
    Batch, BatchInfluences, BatchOut, ExactDeformation, ExactInfluence, InfluenceBounds, Method, MethodExpectations,
    MethodInput, MethodText, Readout,
};

/// The entry of this method in [`super::METHODS`].
pub static LINEAR: Method = Method {
    id: "linear",
    label: "Linear blend",
    help: "Blends the matrices of the joints, as glTF has it: loses volume where a joint twists or bends far",
    text: MethodText {
        equation: "p = Σ w M v",
        explanation: "Places are blended: each joint takes the vertex to its M v, which counts by the weight w as it is stored.",
        source: "Larsen, Petersen and Jakobsen, Deformable Skinning on Bones, 2001, eq. 4",
    },
    wgsl: ("deform/linear.wgsl", include_str!("../../../shaders/deform/linear.wgsl")),
    vec4s_per_joint: 3,
    pack: rows::pack,
    parameters: &[],
    data: None,
    deform_all: all,
    exact,
    bounds: bounds_in::<3, 0>,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations {
        scales_with_weights: true,
        // On a ring of radius 1, half of whose weight is turned by θ, the chord of the two positions has its middle at
        // cos(θ/2).
        between_turns: |angle| [(0.5 * angle).cos(), 0.5],
        ..MethodExpectations::MOST
    },
};

/// Does the same as [`deform_all`], with wider registers where the processor has them.
#[cfg(target_arch = "x86_64")]
fn all(palette: &[Vec4], batch: &Batch, out: &mut BatchOut) {
    let count = batch.positions.len();
    let BatchInfluences::Each { per_vertex: 4, joints, weights } = batch.movers else {
        return deform_all::<Linear>(palette, batch, out);
    };
    let simple =
        out.tangents.is_empty() && out.carries.is_empty() && (out.determinants.is_empty() || !out.normals.is_empty());
    // Repacking the palette costs more than it saves for fewer vertices.
    let wide = (simple && count * 2 > palette.len()).then(|| Wide::new(palette)).flatten();
    let Some(wide) = wide else { return deform_all::<Linear>(palette, batch, out) };
    let blocks = joints.as_chunks::<4>().0.as_chunks().0.iter().zip(weights.as_chunks::<4>().0.as_chunks().0);
    let mut left = std::mem::take(out);
    let mut start = 0;
    for pairs in blocks {
        let (mut here, rest) = left.split_at(wide::BLOCK);
        let part = batch.range(start, start + wide::BLOCK, &here);
        if !wide.deform(pairs, &part, &mut here) {
            deform_all::<Linear>(palette, &part, &mut here);
        }
        (left, start) = (rest, start + wide::BLOCK);
    }
    deform_all::<Linear>(palette, &batch.range(start, count, &left), &mut left);
}

#[cfg(not(target_arch = "x86_64"))]
fn all(palette: &[Vec4], batch: &Batch, out: &mut BatchOut) {
    deform_all::<Linear>(palette, batch, out);
}

/// Computes the definition `Σ w M`, with weights as stored.
pub(super) fn exact(movers: &[ExactInfluence], _: DVec3, _: &MethodInput) -> ExactDeformation {
    let map = movers.iter().filter(|m| m.weight != 0.0).fold(DAffine3::ZERO, |sum, m| DAffine3 {
        matrix3: sum.matrix3 + m.matrix.matrix3 * m.weight,
        translation: sum.translation + m.matrix.translation * m.weight,
    });
    ExactDeformation { map, normals: Vec::new(), readout: Readout::Sum(movers.iter().map(|m| m.weight).collect()) }
}

/// The weighted sum of matrices, whose rows stand from `AT` on in each `STRIDE` vectors of the palette.
pub(super) struct LinearIn<const STRIDE: usize, const AT: usize>;

/// The blend kernel that sums weighted matrices.
type Linear = LinearIn<3, 0>;

impl<const STRIDE: usize, const AT: usize> BlendKernel for LinearIn<STRIDE, AT> {
    type Sum = Rows;

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Self::Sum {
        let palette = palette.as_chunks::<STRIDE>().0;
        let (pairs, more) = joints.as_chunks::<4>();
        let (shares, less) = weights.as_chunks::<4>();
        let mut out = [Vec4::ZERO; 3];
        for (i, (joints, weights)) in pairs.iter().zip(shares).enumerate() {
            let four = sum_of_four::<STRIDE, AT>(palette, *joints, *weights, careful);
            out = if i == 0 { four } else { [out[0] + four[0], out[1] + four[1], out[2] + four[2]] };
        }
        for (joint, weight) in more.iter().zip(less) {
            let one = scaled::<STRIDE, AT>(&palette[*joint as usize], *weight, careful);
            out = [out[0] + one[0], out[1] + one[1], out[2] + one[2]];
        }
        out
    }

    #[inline(always)]
    fn matrices(sums: [Rows; 4], _: &Lanes) -> Matrices {
        rows::matrices(sums)
    }
}

#[inline(always)]
fn sum_of_four<const STRIDE: usize, const AT: usize>(
    palette: &[[Vec4; STRIDE]],
    joints: [u16; 4],
    weights: [f32; 4],
    careful: bool,
) -> [Vec4; 3] {
    let of = |i: usize| scaled::<STRIDE, AT>(&palette[joints[i] as usize], weights[i], careful);
    let (a, b, c, d) = (of(0), of(1), of(2), of(3));
    let row = |i: usize| (a[i] + b[i]) + (c[i] + d[i]);
    [row(0), row(1), row(2)]
}

#[inline(always)]
fn scaled<const STRIDE: usize, const AT: usize>(rows: &[Vec4; STRIDE], weight: f32, careful: bool) -> [Vec4; 3] {
    // Slots without weight are padding.
    if careful && weight == 0.0 {
        return [Vec4::ZERO; 3];
    }
    [rows[AT] * weight, rows[AT + 1] * weight, rows[AT + 2] * weight]
}

/// Returns a box around all vertices. A vertex is its sum of weights times a mean of the positions where its joints take
/// it (no weight is negative), so it lies in the box around the moved boxes, scaled by that sum.
pub(super) fn bounds_in<const STRIDE: usize, const AT: usize>(
    palette: &[Vec4],
    influences: &InfluenceBounds,
) -> Option<Aabb> {
    let means = rows::moved_boxes::<STRIDE, AT>(palette, influences.joints)?;
    let [least, most] = influences.sums;
    let min = (means.min * least).min(means.min * most);
    let max = (means.max * least).max(means.max * most);
    (min.is_finite() && max.is_finite()).then_some(Aabb { min, max })
}

/// With `A = a⁻¹ b`, `det(Σ wᵢ Mᵢ) = det(M₀) det(Σ wᵢ Aᵢ)`. A sum of matrices whose symmetric parts are positive
/// definite has a positive definite part itself, hence a positive determinant. (Rotations less than 90° apart have such
/// parts.)
fn preserves_orientation(a: &Affine3A, b: &Affine3A) -> bool {
    let m: Mat3A = a.matrix3.inverse() * b.matrix3;
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let (xy, xz, yz) = (0.5 * (x.y + y.x), 0.5 * (x.z + z.x), 0.5 * (y.z + z.y));
    // Sylvester's criterion, with room for rounding.
    let area = x.x * y.y - xy * xy;
    let volume = area * z.z - x.x * yz * yz - y.y * xz * xz + 2.0 * xy * xz * yz;
    let size = x.x + y.y + z.z;
    size.is_finite() && x.x > 1e-4 * size && area > 1e-4 * size * size && volume > 1e-4 * size * size * size
}

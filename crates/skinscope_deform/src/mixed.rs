//! Mixes linear blending and dual quaternions: `p = (1 − s) p_linear + s p_dq`, and normals likewise. Blender has the
//! same share as a vertex group, and Maya as blend weights. It trades the volume loss of the one for the bulge of the
//! other.

use glam::{Affine3A, DAffine3, DVec3, Mat3A, Vec3, Vec4};
use skinscope_base::math::Aabb;

use super::batch::{BlendKernel, Lanes, Matrices, deform_all};
use super::dual_quaternion::{self, DUAL_QUATERNION, DualQuaternionIn};
use super::linear::{self, LINEAR, LinearIn};
use super::{
    Batch, BatchOut, ExactDeformation, ExactInfluence, InfluenceBounds, Method, MethodExpectations, MethodInput,
    MethodText, Parameter, Readout, ReadoutTerm,
};

/// The entry of this method in [`super::METHODS`].
pub(crate) static MIXED: Method = Method {
    id: "mixed",
    label: "Mixed",
    help: "Between linear blend (0) and dual quaternion (1): some of the volume of the one, less of the bulge of the other",
    text: MethodText {
        equation: "p = (1−s) p₁ + s p₂",
        explanation: "Two answers are mixed by s: p₁ = Σ w M v of linear blending, with the weights as they are stored, and p₂ \
                  of the blended dual quaternions.",
        source: "Blender (a vertex group for Preserve Volume) and Maya (blend weights)",
    },
    wgsl: ("deform/mixed.wgsl", include_str!("../../../shaders/deform/mixed.wgsl")),
    parameters: &[Parameter {
        id: "mix",
        label: "Mix",
        help: "0 is linear blend, 1 dual quaternion",
        range: [0.0, 1.0],
        default: 0.5,
        is_whole: false,
    }],
    data: None,
    vec4s_per_joint: STRIDE,
    pack,
    deform_all: all,
    exact,
    bounds,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations {
        scales_with_weights: true,
        between_turns: |angle| [0.5 + 0.5 * (0.5 * angle).cos(), 0.5],
        ..MethodExpectations::MOST
    },
};

/// How many vectors a joint has: those of [`LINEAR`], then those of [`DUAL_QUATERNION`].
const STRIDE: usize = 8;
/// How many of them are those of [`LINEAR`].
const ROWS: usize = 3;

type Linear = LinearIn<STRIDE, 0>;
type DualQuaternion = DualQuaternionIn<STRIDE, ROWS>;

fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let (rows, motion) = out.split_at_mut(ROWS);
    (LINEAR.pack)(m, rows);
    (DUAL_QUATERNION.pack)(m, motion);
}

fn exact(movers: &[ExactInfluence], v: DVec3, input: &MethodInput) -> ExactDeformation {
    let s = f64::from(input.values[0]);
    let [a, b] = [&LINEAR, &DUAL_QUATERNION].map(|method| (method.exact)(movers, v, &MethodInput::of(method)));
    let map = DAffine3 {
        matrix3: a.map.matrix3 * (1.0 - s) + b.map.matrix3 * s,
        translation: a.map.translation * (1.0 - s) + b.map.translation * s,
    };
    let terms = vec![
        ReadoutTerm { label: "p₁", share: 1.0 - s, vector: a.map.transform_point3(v) },
        ReadoutTerm { label: "p₂", share: s, vector: b.map.transform_point3(v) },
    ];
    let normals = vec![(1.0 - s, a.map.matrix3), (s, b.map.matrix3)];
    ExactDeformation { map, normals, readout: Readout::Terms(terms) }
}

/// Returns the box around both boxes, since a vertex lies between the positions to which the two methods take it.
fn bounds(palette: &[Vec4], influences: &InfluenceBounds) -> Option<Aabb> {
    let linear = linear::bounds_in::<STRIDE, 0>(palette, influences)?;
    Some(linear.union(dual_quaternion::bounds_in::<STRIDE, ROWS>(palette, influences)?))
}

/// Returns true where all joints stretch alike (`A = Q S` with one `S`) and rotate by less than 90° from each other.
/// The blend is then `X S`, and `X` is a weighted sum of rotations: those of the joints and the blended one. Each of
/// them is less than 90° from the first joint's `Q₀`, so that the symmetric part of `Q₀ᵀ X` is positive definite, and
/// the determinant of `X` positive.
pub(super) fn preserves_orientation(a: &Affine3A, b: &Affine3A) -> bool {
    let turn = b.matrix3 * a.matrix3.inverse();
    let off = turn.transpose() * turn - Mat3A::IDENTITY;
    let is_turn = off.to_cols_array().iter().all(|v| v.abs() < 1e-3) && turn.determinant() > 0.0;
    let cosine = 0.5 * (turn.x_axis.x + turn.y_axis.y + turn.z_axis.z - 1.0);
    is_turn && cosine > 0.01
}

/// How many vertices have their normals mixed at a time.
const BLOCK: usize = 256;

/// Positions and tangents follow the mixed matrix; normals are mixed themselves.
fn all(palette: &[Vec4], batch: &Batch, out: &mut BatchOut) {
    let normals = std::mem::take(&mut out.normals);
    deform_all::<Mixed>(palette, batch, out);
    let s = batch.values[0];
    let (mut positions, mut other) = ([Vec3::ZERO; BLOCK], [Vec3::ZERO; BLOCK]);
    for (i, normals) in normals.chunks_mut(BLOCK).enumerate() {
        let (start, count) = (i * BLOCK, normals.len());
        let mut lists = BatchOut { positions: &mut positions[..count], normals: &mut *normals, ..BatchOut::default() };
        let part = batch.range(start, start + count, &lists);
        deform_all::<Linear>(palette, &part, &mut lists);
        lists.normals = &mut other[..count];
        deform_all::<DualQuaternion>(palette, &part, &mut lists);
        for (normal, other) in normals.iter_mut().zip(&other) {
            *normal = (*normal * (1.0 - s) + *other * s).normalize_or_zero();
        }
    }
}

/// The kernel that mixes the matrices.
struct Mixed;

impl BlendKernel for Mixed {
    type Sum = (<Linear as BlendKernel>::Sum, <DualQuaternion as BlendKernel>::Sum);

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Self::Sum {
        (Linear::sum(palette, joints, weights, careful), DualQuaternion::sum(palette, joints, weights, careful))
    }

    #[inline(always)]
    fn matrices(sums: [Self::Sum; 4], lanes: &Lanes) -> Matrices {
        let linear = Linear::matrices(sums.map(|sum| sum.0), lanes);
        let other = DualQuaternion::matrices(sums.map(|sum| sum.1), lanes);
        let s = lanes.values[0];
        let mixed = |i: usize, j: usize| linear[i][j] * (1.0 - s) + other[i][j] * s;
        [0, 1, 2].map(|i| [0, 1, 2, 3].map(|j| mixed(i, j)))
    }
}

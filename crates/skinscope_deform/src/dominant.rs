//! The method in which every vertex follows its heaviest joint alone: `p = M v` of the joint with the largest weight,
//! so that the surface breaks where another joint takes over. It shows what a rig without blending would do, and which
//! joint dominates which vertices.

use glam::{Affine3A, DVec3, Vec3, Vec4};
use skinscope_base::math::Aabb;

use super::batch::{BlendKernel, Lanes, Matrices, deform_all};
use super::rows::{self, Rows};
use super::{
    ExactDeformation, ExactInfluence, InfluenceBounds, Method, MethodExpectations, MethodInput, MethodText, Readout,
};

/// The entry of this method in [`super::METHODS`].
pub static DOMINANT: Method = Method {
    id: "dominant",
    label: "Dominant joint",
    help: "Every vertex follows its heaviest joint alone: keeps all lengths, and tears where another one takes over",
    text: MethodText {
        equation: "p = M v",
        explanation: "Nothing is blended: M is the matrix of the joint with the largest weight. Among equals it is the one \
                  that the file stores first.",
        source: "Larsen, Petersen and Jakobsen, Deformable Skinning on Bones, 2001",
    },
    wgsl: ("deform/dominant.wgsl", include_str!("../../../shaders/deform/dominant.wgsl")),
    vec4s_per_joint: 3,
    pack: rows::pack,
    parameters: &[],
    data: None,
    deform_all: deform_all::<Dominant>,
    exact,
    bounds,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations {
        between_turns: |_| [1.0, 0.0],
        between_scales: 0.0,
        is_steady,
        ..MethodExpectations::MOST
    },
};

/// Returns a slot of the heaviest joint, by the sum of the weights of all its slots; `None` where no joint has a weight
/// above zero.
#[inline(always)]
pub(super) fn heaviest<J: PartialEq>(joints: &[J], weight: impl Fn(usize) -> f64) -> Option<usize> {
    let of_joint = |slot: usize| (0..joints.len()).filter(|i| joints[*i] == joints[slot]).map(&weight).sum::<f64>();
    let mut best = (None, 0.0);
    for slot in (0..joints.len()).filter(|slot| weight(*slot) != 0.0) {
        let sum = of_joint(slot);
        if sum > best.1 {
            best = (Some(slot), sum);
        }
    }
    best.0
}

fn exact(movers: &[ExactInfluence], _: DVec3, _: &MethodInput) -> ExactDeformation {
    let joints: Vec<usize> = movers.iter().map(|m| m.joint).collect();
    let Some(slot) = heaviest(&joints, |i| movers[i].weight) else { return ExactDeformation::default() };
    let shares = (0..movers.len()).map(|i| if i == slot { 1.0 } else { 0.0 }).collect();
    ExactDeformation { map: movers[slot].matrix, normals: Vec::new(), readout: Readout::Sum(shares) }
}

/// Returns the box around the positions to which any joint takes its vertices, since a vertex follows one of them.
fn bounds(palette: &[Vec4], influences: &InfluenceBounds) -> Option<Aabb> {
    let mut out = rows::moved_boxes::<3, 0>(palette, influences.joints)?;
    if influences.sums[0] <= 0.0 {
        // A vertex without weights stays at the origin.
        out.include(Vec3::ZERO);
    }
    Some(out)
}

/// Returns whether both matrices mirror or neither does: the matrix of a vertex is always that of one joint.
fn preserves_orientation(a: &Affine3A, b: &Affine3A) -> bool {
    a.matrix3.determinant() * b.matrix3.determinant() > 0.0
}

/// Returns whether the heaviest joint leads by so much that a change of weights by `by` cannot let another one take
/// over.
fn is_steady(joints: &[u16], weights: &[f32], by: f32) -> bool {
    let weight = |i: usize| f64::from(weights[i]);
    let Some(first) = heaviest(joints, weight) else { return true };
    let without = |i: usize| if joints[i] == joints[first] { 0.0 } else { weight(i) };
    let of_joint = |slot: usize| {
        let same = (0..joints.len()).filter(|i| joints[*i] == joints[slot]);
        same.map(weight).sum::<f64>()
    };
    heaviest(joints, without).is_none_or(|second| of_joint(first) - of_joint(second) > 2.0 * f64::from(by))
}

/// The blend kernel that takes the matrix of the heaviest joint.
pub(super) struct Dominant;

impl BlendKernel for Dominant {
    type Sum = Rows;

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], _careful: bool) -> Rows {
        let slot = heaviest(joints, |i| f64::from(weights[i]));
        slot.map_or([Vec4::ZERO; 3], |slot| palette.as_chunks::<3>().0[usize::from(joints[slot])])
    }

    #[inline(always)]
    fn matrices(sums: [Rows; 4], _: &Lanes) -> Matrices {
        rows::matrices(sums)
    }
}

//! Blending by the rotation of the polar decomposition (Shoemake and Duff, "Matrix Animation and Polar Decomposition",
//! 1992). It is the same as [`super::centres_of_rotation`] except for the rotation: that nearest to the blended matrix
//! `Σ ŵ A` instead of that of the blended quaternions. The result depends neither on the signs of quaternions nor on
//! the order of influences. Near a twist of 180° the blended matrix determines no rotation; there, and where a vertex
//! has no centre, the blend is linear.

use glam::{DMat3, Mat3A};

use super::batch::deform_all;
use super::centres::CENTRES;
use super::centres_of_rotation::{BlendedRotation, Centred, ExactJoint, STRIDE, Sum, TEXT, exact, pack};
use super::joint_rotation::nearest_proper_rotation;
use super::linear::LINEAR;
use super::mixed::preserves_orientation;
use super::{Method, MethodExpectations, MethodText};

/// The entry of this method in [`super::METHODS`].
pub(crate) static POLAR: Method = Method {
    id: "polar",
    label: "Polar decomposition",
    help: "Turns each vertex about its centre by the rotation in the blended matrix: keeps the volume, up to a twist near 180°",
    text: MethodText {
        equation: TEXT.equation,
        explanation: "The vertex turns by R, the rotation nearest to the blended matrix Σ ŵ A, about its centre c, the mean place of \
                      the triangles that are weighted like it; S is the mean stretch of its joints. Linear blending moves the \
                      centre itself. A vertex of one joint has no centre and follows it.",
        source: "Shoemake and Duff, Matrix Animation and Polar Decomposition, 1992",
    },
    parameters: &[],
    data: Some(&CENTRES),
    // The shader draws what follows one matrix.
    wgsl: LINEAR.wgsl,
    vec4s_per_joint: STRIDE,
    pack,
    deform_all: deform_all::<Centred<ByPolarDecomposition>>,
    exact: |movers, v, input| exact(movers, v, input, exact_blend),
    bounds: |_, _| None,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations { reference_error: 1e-4, ..MethodExpectations::MOST },
};

/// Singular values below this share of the largest one determine no rotation.
const UNTOLD: f64 = 1e-3;

/// The rotation is the one nearest to the blended matrix.
struct ByPolarDecomposition;

impl BlendedRotation for ByPolarDecomposition {
    fn of(sum: &Sum) -> Option<Mat3A> {
        let [x, y, z] = sum.rows.map(|row| row.truncate().as_dvec3());
        let rotation =
            rotation_of(DMat3::from_cols(x, y, z).transpose(), f64::from(sum.stretch[1].w * sum.stretch[0].w))?;
        Some(Mat3A::from_cols_array(&rotation.to_cols_array().map(|v| v as f32)))
    }
}

fn exact_blend(joints: &[ExactJoint]) -> Option<DMat3> {
    let blend = joints.iter().fold(DMat3::ZERO, |sum, j| sum + j.matrix * j.share);
    rotation_of(blend, joints.iter().map(|j| if j.mirrors { -j.share } else { j.share }).sum())
}

/// Returns the rotation; `side` is negative where most of the joints mirror.
fn rotation_of(blend: DMat3, side: f64) -> Option<DMat3> {
    let upright = if side < 0.0 { blend * -1.0 } else { blend };
    let (rotation, [most, gap]) = nearest_proper_rotation(upright)?;
    (gap >= UNTOLD * most && most > 0.0).then(|| DMat3::from_quat(rotation))
}

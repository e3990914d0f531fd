//! Centres of rotation (Le and Hodgins, "Real-time Skeletal Skinning with Optimized Centers of Rotation", 2016): a
//! vertex is rotated by the blended rotation about its centre (see [`super::centres`]), and the centre is moved by
//! linear blending: `p = R S (v − c) + Σ ŵ M c`. The rotation is that of the blended quaternions, each negated where it
//! is in the opposite hemisphere of the first one; `S` is the mean of the joints' stretches, `A = R S`. A vertex
//! without a centre is blended linearly, with its weights divided by their sum.
//!
//! [`super::polar`] differs only in the rotation.

use std::marker::PhantomData;

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, DVec4, Mat3A, Quat, Vec3, Vec3A, Vec4};

use super::batch::{BlendKernel, Lanes, Matrices, deform_all};
use super::centres::CENTRES;
use super::joint_rotation::{exact_rotation, nearest_rotation};
use super::linear::LINEAR;
use super::mixed::preserves_orientation;
use super::rows::{self, Rows};
use super::{
    ExactDeformation, ExactInfluence, Method, MethodExpectations, MethodInput, MethodText, Readout, ReadoutTerm,
};

/// The entry of this method in [`super::METHODS`].
pub(crate) static CENTRES_OF_ROTATION: Method = Method {
    id: "centres-of-rotation",
    label: "Centres of rotation",
    help: "Turns each vertex about a centre worked out once: keeps the volume where a joint twists and bends, bulges little",
    text: TEXT,
    parameters: &[],
    data: Some(&CENTRES),
    // The shader draws what follows one matrix.
    wgsl: LINEAR.wgsl,
    vec4s_per_joint: STRIDE,
    pack,
    deform_all: deform_all::<Centred<ByQuaternions>>,
    exact: |movers, v, input| exact(movers, v, input, ByQuaternions::exact),
    bounds: |_, _| None,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations { reference_error: 1e-3, ..MethodExpectations::MOST },
};

/// The texts of this method and of [`super::polar`].
pub(super) const TEXT: MethodText = MethodText {
    equation: "p = R S (v − c) + Σ ŵ M c",
    explanation: "The vertex turns by the blended rotation R about its centre c, the mean place of the triangles that are weighted \
                  like it; S is the mean stretch of its joints. Linear blending moves the centre itself. A vertex of one joint \
                  has no centre and follows it.",
    source: "Le and Hodgins, Real-time Skeletal Skinning with Optimized Centers of Rotation, 2016",
};

/// The number of vectors of a packed joint: the rows of its matrix, its quaternion, and the columns of its stretch. The
/// w of these columns are 1, −1 where the joint mirrors, and 0.
pub(super) const STRIDE: usize = 7;

pub(super) fn pack(m: &Affine3A, out: &mut [Vec4]) {
    rows::pack(m, out);
    let rotation = nearest_rotation(m.matrix3);
    let stretch = rotation.transpose() * m.matrix3;
    let side = if mirrors(m.matrix3) { -1.0 } else { 1.0 };
    let columns = [stretch.x_axis, stretch.y_axis, stretch.z_axis].map(Vec3::from);
    let packed = [
        Quat::from_mat3a(&rotation).normalize().into(),
        columns[0].extend(1.0),
        columns[1].extend(side),
        columns[2].extend(0.0),
    ];
    for (out, part) in out.iter_mut().skip(3).zip(packed) {
        *out = part;
    }
}

/// Returns whether a joint mirrors, by the rule of [`nearest_rotation`].
fn mirrors(m: Mat3A) -> bool {
    let squared = m.to_cols_array().iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>();
    let m = DMat3::from_cols_array(&m.to_cols_array().map(f64::from)) * (1.0 / squared.sqrt());
    m.determinant() < -1e-6
}

/// The computation of the blended rotation, in which methods with centres differ.
pub(super) trait BlendedRotation {
    /// Returns the rotation; `None` where the influences determine none.
    fn of(sum: &Sum) -> Option<Mat3A>;
}

/// The sums over the influences of a vertex: of `w M`, of `± w q`, of `w S` with the numbers beside it.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub rows: Rows,
    quaternion: Vec4,
    pub stretch: [Vec4; 3],
}

/// The rotation of the blended quaternions.
struct ByQuaternions;

impl BlendedRotation for ByQuaternions {
    #[inline(always)]
    fn of(sum: &Sum) -> Option<Mat3A> {
        let squared = sum.quaternion.length_squared();
        (squared > 0.0).then(|| Mat3A::from_quat(Quat::from_vec4(sum.quaternion * (1.0 / squared.sqrt()))))
    }
}

impl ByQuaternions {
    fn exact(joints: &[ExactJoint]) -> Option<DMat3> {
        let pivot = joints.first()?.rotation;
        let signed = |j: &ExactJoint| if j.rotation.dot(pivot) < 0.0 { -j.share } else { j.share };
        let sum: DVec4 = joints.iter().map(|j| DVec4::from(j.rotation) * signed(j)).sum();
        (sum.length_squared() > 0.0).then(|| DMat3::from_quat(DQuat::from_vec4(sum.normalize())))
    }
}

/// The kernel of both methods.
pub(super) struct Centred<R>(PhantomData<R>);

impl<R: BlendedRotation> BlendKernel for Centred<R> {
    type Sum = Sum;

    const READS_VECTORS: bool = true;

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Sum {
        let palette = palette.as_chunks::<STRIDE>().0;
        let mut out = Sum { rows: [Vec4::ZERO; 3], quaternion: Vec4::ZERO, stretch: [Vec4::ZERO; 3] };
        let mut pivot = None;
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| !careful || **w != 0.0) {
            let [x, y, z, q, a, b, c] = palette[usize::from(*joint)];
            let side = if *weight == 0.0 { 0.0 } else { q.dot(*pivot.get_or_insert(q)) };
            let add = |sum: &mut [Vec4; 3], parts: [Vec4; 3]| {
                sum.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part * *weight);
            };
            add(&mut out.rows, [x, y, z]);
            add(&mut out.stretch, [a, b, c]);
            out.quaternion += q * if side < 0.0 { -*weight } else { *weight };
        }
        out
    }

    #[inline(always)]
    fn matrices(sums: [Sum; 4], lanes: &Lanes) -> Matrices {
        let of = |i: usize| rows_of::<R>(&sums[i], lanes.vectors[i]);
        rows::matrices([of(0), of(1), of(2), of(3)])
    }
}

/// Returns the matrix of one vertex.
fn rows_of<R: BlendedRotation>(sum: &Sum, vector: Vec4) -> Rows {
    let weight = sum.stretch[0].w;
    if weight == 0.0 {
        return [Vec4::ZERO; 3];
    }
    let linear = sum.rows.map(|row| row / weight);
    let rotation = if vector.w == 0.0 { None } else { R::of(sum) };
    let Some(rotation) = rotation else { return linear };
    let centre = vector.truncate();
    let stretch = sum.stretch.map(|column| Vec3A::from_vec4(column) / weight);
    let map = (rotation * Mat3A::from_cols(stretch[0], stretch[1], stretch[2])).transpose();
    let row = |i: usize| {
        let row = Vec3::from([map.x_axis, map.y_axis, map.z_axis][i]);
        row.extend(linear[i].dot(centre.extend(1.0)) - row.dot(centre))
    };
    [row(0), row(1), row(2)]
}

/// A joint of a vertex as the definition has it.
pub(super) struct ExactJoint {
    pub rotation: DQuat,
    pub share: f64,
    pub matrix: DMat3,
    pub mirrors: bool,
}

/// Computes the definition of both methods, which differ in `rotation`.
pub(super) fn exact(
    movers: &[ExactInfluence],
    v: DVec3,
    input: &MethodInput,
    rotation: fn(&[ExactJoint]) -> Option<DMat3>,
) -> ExactDeformation {
    let sum: f64 = movers.iter().map(|m| m.weight).sum();
    if sum == 0.0 {
        return ExactDeformation::default();
    }
    let shares: Vec<f64> = movers.iter().map(|m| m.weight / sum).collect();
    let used = || movers.iter().zip(&shares).filter(|(_, share)| **share != 0.0);
    let linear = used().fold(DAffine3::ZERO, |sum, (m, share)| DAffine3 {
        matrix3: sum.matrix3 + m.matrix.matrix3 * *share,
        translation: sum.translation + m.matrix.translation * *share,
    });
    let joint = |(m, share): (&ExactInfluence, &f64)| {
        let matrix = m.matrix.matrix3;
        let length = matrix.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
        let mirrors = (matrix * (1.0 / length)).determinant() < -1e-6;
        ExactJoint { rotation: exact_rotation(matrix), share: *share, matrix, mirrors }
    };
    let joints: Vec<ExactJoint> = used().map(joint).collect();
    let centre = input.vector.filter(|vector| vector.w != 0.0).map(|vector| vector.truncate().as_dvec3());
    let Some((centre, rotation)) = centre.zip(rotation(&joints)) else {
        return ExactDeformation { map: linear, normals: Vec::new(), readout: Readout::Sum(shares) };
    };
    let stretched = |j: &ExactJoint| DMat3::from_quat(j.rotation.conjugate()) * j.matrix * j.share;
    let stretch = joints.iter().map(stretched).fold(DMat3::ZERO, |sum, s| sum + s);
    let matrix3 = rotation * stretch;
    let moved = linear.transform_point3(centre);
    let map = DAffine3 { matrix3, translation: moved - matrix3 * centre };
    let terms = vec![
        ReadoutTerm { label: "R S (v − c)", share: 1.0, vector: matrix3 * (v - centre) },
        ReadoutTerm { label: "Σ ŵ M c", share: 1.0, vector: moved },
    ];
    ExactDeformation { map, normals: Vec::new(), readout: Readout::Terms(terms) }
}

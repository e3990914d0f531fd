//! Dual quaternion blending: Kavan, Collins, Žára and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
//! Blending" (2008), the linear form (DLB), with scale and shear as in Blender's *Preserve Volume*.
//!
//! A skinning matrix is split as `M = T · R · S` by polar decomposition; `q` is the quaternion of `R`. At a vertex `v`
//! the method blends the rigid motions with rotations `q` that move `v` to `M v`, where each joint alone would move it.
//! So a point that several joints move to the same position stays there, however differently they stretch. (To stretch
//! by the mean of all `S` first and then blend `T · R` lets such a point drift, since the stretch then acts about the
//! origin of the mesh.)
//!
//! Written out, with signs `σ = ±1` that bring each `q` into the hemisphere of the first one: `p = vec((Σ σ w (M v, 0)
//! q) b*) / |b|²`, `b = Σ σ w q`. This is a weighted mean of the positions `M v` whose weights are quaternions. It is
//! linear in `v`. The sum of a vertex's weights cancels, while linear blending scales by it.

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, DVec4, Mat3A, Quat, Vec3, Vec3A, Vec4};
use skinscope_base::math::Aabb;

use super::batch::{BlendKernel, Lanes, Matrices, deform_all, transposed, zero_where};
use super::joint_rotation::{exact_rotation, nearest_rotation};
use super::rows::{BoxesAround, MovedBox};
use super::{
    ExactDeformation, ExactInfluence, InfluenceBounds, Method, MethodExpectations, MethodInput, MethodText, Readout,
};

/// The entry of this method in [`super::METHODS`].
pub(crate) static DUAL_QUATERNION: Method = Method {
    id: "dual-quaternion",
    label: "Dual quaternion",
    help: "Blends the motions of the joints: keeps the volume where a joint twists, bulges where it bends",
    text: MethodText {
        equation: "p = R v + t",
        explanation: "Motions are blended, not places: the weighted sum of the joints' dual quaternions, over its length, is one \
                  rotation R and one translation t. Where joints stretch, each goes into the sum with the translation that \
                  takes the vertex to its M v.",
        source: "Kavan, Collins, Žára and O'Sullivan, Geometric Skinning with Approximate Dual Quaternion Blending, 2008",
    },
    wgsl: ("deform/dual_quaternion.wgsl", include_str!("../../../shaders/deform/dual_quaternion.wgsl")),
    vec4s_per_joint: 5,
    pack,
    parameters: &[],
    data: None,
    deform_all: deform_all::<DualQuaternion>,
    exact,
    bounds: bounds_in::<5, 0>,
    preserves_orientation,
    pass: None,
    expects: MethodExpectations::MOST,
};

/// Packs a joint: `q`, then `(c, 0) q` for each column `c` of the matrix, the translation last.
pub(super) fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let q = Quat::from_mat3a(&nearest_rotation(m.matrix3)).normalize();
    let turned = |column: Vec3| Vec4::from(Quat::from_vec4(column.extend(0.0)) * q);
    let columns = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation].map(|c| turned(c.into()));
    for (out, part) in out.iter_mut().zip([q.into(), columns[0], columns[1], columns[2], columns[3]]) {
        *out = part;
    }
}

/// A joint in the terms of the definition.
struct Joint {
    /// The rotation `R`.
    rotation: DQuat,
    /// The dual part `½ (t, 0) q`, as a vector.
    dual: DVec4,
    /// The stretch `S`.
    stretch: DMat3,
}

impl Joint {
    fn of(m: &DAffine3) -> Self {
        let rotation = exact_rotation(m.matrix3);
        let dual = DVec4::from(pure(m.translation) * rotation) * 0.5;
        Self { rotation, dual, stretch: DMat3::from_quat(rotation.conjugate()) * m.matrix3 }
    }

    /// Returns the dual part of the rigid motion that turns by `R` and takes `v` to `M v`.
    fn dual_at(&self, v: DVec3) -> DVec4 {
        self.dual + DVec4::from(self.rotation * pure(self.stretch * v - v)) * 0.5
    }
}

fn pure(v: DVec3) -> DQuat {
    DQuat::from_vec4(v.extend(0.0))
}

/// Computes the definition, term by term. A vertex without weights goes to the origin.
pub(super) fn exact(movers: &[ExactInfluence], v: DVec3, _: &MethodInput) -> ExactDeformation {
    let mut joints = movers.iter().filter(|m| m.weight != 0.0).map(|m| (Joint::of(&m.matrix), m.weight)).peekable();
    let Some(pivot) = joints.peek().map(|(joint, _)| joint.rotation) else { return ExactDeformation::default() };
    // The motion is taken at the vertex, at the origin and one metre from there along each axis, since a linear map is
    // known by four points.
    let points = [v, DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let (mut real, mut duals) = (DVec4::ZERO, [DVec4::ZERO; 5]);
    for (joint, weight) in joints {
        let signed = if joint.rotation.dot(pivot) < 0.0 { -weight } else { weight };
        real += DVec4::from(joint.rotation) * signed;
        for (dual, point) in duals.iter_mut().zip(points) {
            *dual += joint.dual_at(point) * signed;
        }
    }
    let length = real.length();
    if length == 0.0 {
        return ExactDeformation::default();
    }
    let rotation = DQuat::from_vec4(real / length);
    let [translation, origin, x, y, z] =
        duals.map(|dual| (DQuat::from_vec4(dual / length) * rotation.conjugate()).xyz() * 2.0);
    let axis = |axis: DVec3, end: DVec3| rotation * axis + end - origin;
    let matrix3 = DMat3::from_cols(axis(DVec3::X, x), axis(DVec3::Y, y), axis(DVec3::Z, z));
    let map = DAffine3 { matrix3, translation: origin };
    ExactDeformation { map, normals: Vec::new(), readout: Readout::Motion { rotation, translation } }
}

/// The error of the arithmetic of one vertex, as a share of the largest length in it.
const ROUNDING: f32 = 2e-5;

/// Returns a box around all vertices. With `cᵢ` the position where joint `i` alone takes a vertex and `rᵢ` its signed quaternion, the vertex goes
/// to the vector part of `Σ ŵᵢ cᵢ rᵢ b̄ / |b|²`, `b = Σ ŵ r`. The factors `ŵᵢ rᵢ b̄ / |b|²` have the sum 1, so their scalar parts make a mean of
/// the `cᵢ`, and their vector parts, whose sum is 0, add `Σ (cᵢ - o) × vᵢ` for any point `o`. Where all `r` are within an angle `a` of one
/// direction (at most 45°), `|b|` is no less than `cos a`, and `Σ |vᵢ|` is no more than `sin 2a / |b|`. So the vertex is no farther from the box
/// around all `cᵢ` than `2 sin a` times half its diagonal. And it is no farther from the middle of the box than half its diagonal over `cos² a`,
/// which is less where the angle is wide.
pub(super) fn bounds_in<const STRIDE: usize, const AT: usize>(
    palette: &[Vec4],
    influences: &InfluenceBounds,
) -> Option<Aabb> {
    let palette = palette.as_chunks::<STRIDE>().0;
    let turn = |joint: u16| palette[usize::from(joint)][AT];
    let pivot = turn(influences.joints.first()?.0);
    let (mut images, mut mean) = (BoxesAround::NONE, Vec4::ZERO);
    for (joint, around) in influences.joints {
        let all = &palette[usize::from(*joint)];
        let q = all[AT];
        let back = [Vec4::splat(q.x), Vec4::splat(q.y), Vec4::splat(q.z), Vec4::splat(q.w)];
        let rows = column(transposed([all[AT + 1], all[AT + 2], all[AT + 3], all[AT + 4]]), back);
        let moved = MovedBox::new(&rows, around);
        images.include(&moved, moved.half);
        mean += if q.dot(pivot) < 0.0 { -q } else { q };
    }
    let mean = mean.normalize_or_zero();
    let cosine = influences.joints.iter().map(|(joint, _)| turn(*joint).dot(mean).abs()).fold(1.0, f32::min);
    // Beyond 45° from the mean, two of them may be taken on other sides of each other, depending on which comes first.
    if cosine.is_nan() || cosine < 0.72 {
        return None;
    }
    let around = images.bounds()?;
    let rounding = ROUNDING * images.reach() / (cosine * cosine);
    let sine = (1.0 - cosine * cosine + 1e-6).sqrt();
    let grown = |by: f32| Vec3::splat(by * (1.0 + ROUNDING) + rounding);
    let (near, middle) = (around.grown(grown(around.diagonal() * sine)), around.center());
    let ball = Aabb { min: middle, max: middle }.grown(grown(0.5 * around.diagonal() / (cosine * cosine)));
    let mut out = Aabb { min: near.min.max(ball.min), max: near.max.min(ball.max) };
    if influences.sums[0] <= 0.0 {
        // A vertex without weights stays at the origin.
        out.include(Vec3::ZERO);
    }
    (out.min.is_finite() && out.max.is_finite()).then_some(out)
}

/// The blend of a vertex sends `x` to nothing only if `Σ σ w ((A x, 0) - s) q` vanishes for some number `s`, that is if a weighted
/// sum of maps of four dimensions, `N (x, s) = (A x, κ s) q`, loses a direction. It does not where each of them has a positive
/// part along one and the same other map, here `(R₀ x, s) q₀` of the first joint: the quadratic form below, in `R₀ x` and `s`.
/// `κ > 0` is any number; the size of the first joint's matrix makes the form work at every scale.
fn preserves_orientation(a: &Affine3A, b: &Affine3A) -> bool {
    let (mut a, mut b) = (a.matrix3, b.matrix3);
    let sides = a.determinant() * b.determinant();
    if sides.is_nan() || sides <= 0.0 {
        return false;
    }
    if a.determinant() < 0.0 {
        (a, b) = (-a, -b);
    }
    let (first, other) = (nearest_rotation(a), nearest_rotation(b));
    let turn = Quat::from_mat3a(&(other * first.transpose())).normalize();
    let (vector, cosine) = (turn.xyz() * turn.w.signum(), turn.w.abs());
    // Within 90° of the first joint all others are on its side, and on each other's.
    if cosine < 0.708 {
        return false;
    }
    let seen = b * first.transpose();
    let size = (a.to_cols_array().iter().map(|v| v * v).sum::<f32>() / 3.0).sqrt();
    // The matrix of `vector ×`, applied to columns.
    let across =
        Mat3A::from_cols_array(&[0.0, vector.z, -vector.y, -vector.z, 0.0, vector.x, vector.y, -vector.x, 0.0]);
    let form = seen * cosine - across * seen;
    let form = (form + form.transpose()) * 0.5;
    let mixed = (vector * size - Vec3::from(seen.transpose() * Vec3A::from(vector))) * 0.5;
    let rows = [form.x_axis, form.y_axis, form.z_axis];
    let [x, y, z] = [0, 1, 2].map(|i| rows[i].extend(mixed[i]));
    is_definite([x, y, z, mixed.extend(cosine * size)])
}

/// Returns whether a symmetric matrix is positive definite with room for rounding: after elimination each number of the
/// diagonal is more than a ten-thousandth of their sum.
fn is_definite(mut rows: [Vec4; 4]) -> bool {
    let least = 1e-4 * (rows[0].x + rows[1].y + rows[2].z + rows[3].w);
    for i in 0..4 {
        let pivot = rows[i];
        let is_positive = least > 0.0 && pivot[i] > least;
        if !is_positive {
            return false;
        }
        for row in &mut rows[i + 1..] {
            *row -= pivot * (row[i] / pivot[i]);
        }
    }
    true
}

/// The weighted sums of one vertex: of `q`, and of the four packed columns.
type Sums = [Vec4; 5];

/// The blend of motions, whose packed joints stand from `AT` on in each `STRIDE` vectors of the palette.
pub(super) struct DualQuaternionIn<const STRIDE: usize, const AT: usize>;

/// The blend kernel of dual quaternions.
type DualQuaternion = DualQuaternionIn<5, 0>;

impl<const STRIDE: usize, const AT: usize> BlendKernel for DualQuaternionIn<STRIDE, AT> {
    type Sum = Sums;

    #[inline(always)]
    fn sum(palette: &[Vec4], joints: &[u16], weights: &[f32], careful: bool) -> Sums {
        let palette = palette.as_chunks::<STRIDE>().0;
        // `q` and `-q` are one rotation: all are taken on the side of the first that counts. Which one that is matters only
        // among rotations more than 120° apart.
        let first = weights.iter().position(|weight| *weight != 0.0);
        let Some(joint) = first.and_then(|first| joints.get(first)) else { return [Vec4::ZERO; 5] };
        let pivot = palette[*joint as usize][AT];
        let (pairs, more) = joints.as_chunks::<4>();
        let (shares, less) = weights.as_chunks::<4>();
        let mut out = [Vec4::ZERO; 5];
        for (i, (joints, weights)) in pairs.iter().zip(shares).enumerate() {
            let four = sum_of_four::<STRIDE, AT>(palette, *joints, *weights, pivot, careful);
            out = if i == 0 { four } else { and(&out, &four) };
        }
        for (joint, weight) in more.iter().zip(less) {
            // The joint is padded to four by three that weigh nothing.
            let one = sum_of_four::<STRIDE, AT>(palette, [*joint; 4], [*weight, 0.0, 0.0, 0.0], pivot, careful);
            out = and(&out, &one);
        }
        out
    }

    #[inline(always)]
    fn matrices([a, b, c, d]: [Sums; 4], _: &Lanes) -> Matrices {
        let lanes = |i: usize| transposed([a[i], b[i], c[i], d[i]]);
        let real = lanes(0);
        let squared = (real[0] * real[0] + real[1] * real[1]) + (real[2] * real[2] + real[3] * real[3]);
        // A vertex without weights goes to the origin, as by a sum of no matrices.
        let scale = zero_where(squared.cmpeq(Vec4::ZERO), Vec4::ONE / squared);
        let back = real.map(|r| r * scale);
        let (x, y, z, t) =
            (column(lanes(1), back), column(lanes(2), back), column(lanes(3), back), column(lanes(4), back));
        [[x[0], y[0], z[0], t[0]], [x[1], y[1], z[1], t[1]], [x[2], y[2], z[2], t[2]]]
    }
}

#[inline(always)]
fn and(a: &Sums, b: &Sums) -> Sums {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]]
}

#[inline(always)]
fn sum_of_four<const STRIDE: usize, const AT: usize>(
    palette: &[[Vec4; STRIDE]],
    joints: [u16; 4],
    weights: [f32; 4],
    pivot: Vec4,
    careful: bool,
) -> Sums {
    let packed = |joint: u16| {
        let all = &palette[joint as usize];
        [all[AT], all[AT + 1], all[AT + 2], all[AT + 3], all[AT + 4]]
    };
    // Slots without weight are padding.
    let of = |i: usize| if careful && weights[i] == 0.0 { [Vec4::ZERO; 5] } else { packed(joints[i]) };
    let (a, b, c, d) = (of(0), of(1), of(2), of(3));
    let sides = transposed([a[0] * pivot, b[0] * pivot, c[0] * pivot, d[0] * pivot]);
    let sides = (sides[0] + sides[1]) + (sides[2] + sides[3]);
    let shares = Vec4::from_array(weights);
    let signed = Vec4::select(sides.cmplt(Vec4::ZERO), -shares, shares).to_array();
    let sum = |i: usize| (a[i] * signed[0] + b[i] * signed[1]) + (c[i] * signed[2] + d[i] * signed[3]);
    [sum(0), sum(1), sum(2), sum(3), sum(4)]
}

/// Returns the vector parts of four products `sum · conjugate(real)`.
#[inline(always)]
fn column([a, b, c, d]: [Vec4; 4], [x, y, z, w]: [Vec4; 4]) -> [Vec4; 3] {
    [(w * a - d * x) + (y * c - z * b), (w * b - d * y) + (z * a - x * c), (w * c - d * z) + (x * b - y * a)]
}

#[cfg(test)]
mod tests {
    use std::f32::consts::PI;

    use super::*;
    use crate::{Vertex, pack};

    fn packed(matrices: &[Affine3A]) -> Vec<Vec4> {
        let mut out = Vec::new();
        pack(&DUAL_QUATERNION, matrices, &mut out);
        out
    }

    fn at(position: Vec3) -> Vertex {
        Vertex { position, ..Vertex::default() }
    }

    /// Turns of 200° one way and 160° the other are one rotation: whichever sign its quaternion happens to have, the blend
    /// with its neighbour goes the shorter way.
    #[test]
    fn dual_quaternions_blend_the_shorter_way() {
        for degrees in [-179.0_f32, -120.0, -10.0, 10.0, 120.0, 179.0] {
            for base in [0.0_f32, 100.0, 200.0, 300.0] {
                let turn = |d: f32| Affine3A::from_rotation_z(d.to_radians());
                let palette = packed(&[turn(base), turn(base + degrees)]);
                let v = Vertex { position: Vec3::X, ..Vertex::default() };
                let moved = DUAL_QUATERNION.deform(&palette, &[0, 1], &[0.5, 0.5], v);
                let want = turn(base + 0.5 * degrees).transform_point3(Vec3::X);
                assert!((moved.vertex.position - want).length() < 1e-5, "{base}° and {degrees}° more");
            }
        }
    }

    /// Joint 2 is scaled, or mirrored, and turned about a point far from the origin: that point stays. Half way to a scale of
    /// 2 and a turn of 60° about x, a stretch about the origin would leave it up to 0.134 of its distance off.
    #[test]
    fn the_point_that_joints_share_stays_however_they_stretch() {
        let shared = Vec3::new(3.0, -5.0, 2.0);
        for scale in [Vec3::splat(2.0), Vec3::new(0.2, 1.0, 3.0), Vec3::new(-1.0, 1.0, 1.0)] {
            let turned = Affine3A::from_scale_rotation_translation(scale, Quat::from_rotation_x(PI / 3.0), shared);
            let other = turned * Affine3A::from_translation(-shared);
            for weight in [0.1, 0.5, 0.8] {
                let palette = packed(&[Affine3A::IDENTITY, other]);
                let moved = DUAL_QUATERNION.deform(&palette, &[0, 1], &[1.0 - weight, weight], at(shared));
                let off = moved.vertex.position.distance(shared);
                assert!(off < 3e-6, "{scale}, weight {weight}: {off}");
            }
        }
    }

    /// A ball around what they move would be as thick as long.
    #[test]
    fn the_box_of_joints_that_turn_alike_is_as_thin_as_what_they_move() {
        let palette = packed(&[Affine3A::IDENTITY, Affine3A::from_rotation_z(0.02)]);
        let around = Aabb { min: Vec3::new(-1.0, -0.01, -0.01), max: Vec3::new(1.0, 0.01, 0.01) };
        let influences = InfluenceBounds { joints: &[(0, around), (1, around)], sums: [1.0; 2] };
        let size = (DUAL_QUATERNION.bounds)(&palette, &influences).unwrap().size();
        assert!(size.x >= 2.0 && size.x < 2.1 && size.z >= 0.02 && size.z < 0.1, "{size}");
    }
}

//! Dual quaternion blending: Kavan, Collins, Žára and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
//! Blending" (2008), the linear form (DLB) with scale in a second phase.
//!
//! A skinning matrix is split as `M = T · R · S` by polar decomposition: `T · R` becomes a unit dual quaternion, `S`
//! (scale and shear; negative definite where `M` mirrors) stays a matrix. A vertex is moved by the blended `S` first,
//! then by the blended, normalised dual quaternion, so a twist keeps its radius. Normalising makes the sum of a vertex's
//! weights irrelevant here, while linear blending scales by it.

use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A, Vec4};

use super::{Blended, Crowd, Method, Moved, Vertex};
use crate::math::{Aabb, cofactor};

/// The second row of the table.
pub static DUAL_QUATERNION: Method = Method {
    id: "dual-quaternion",
    label: "Dual quaternion",
    wgsl: ("deform/dual_quaternion.wgsl", include_str!("../../shaders/deform/dual_quaternion.wgsl")),
    vec4s_per_joint: 5,
    pack,
    deform,
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

fn deform(palette: &[Vec4], joints: &[u16], weights: &[f32], v: Vertex) -> Moved {
    Blend::of(palette, joints, weights).apply(v)
}

fn blend(palette: &[Vec4], joints: &[u16], weights: &[f32]) -> Blended {
    // Where nothing moves the vertex, `apply` leaves it at the origin.
    let nothing = (Mat3A::ZERO, Quat::IDENTITY, Vec3::ZERO);
    let (stretch, rotation, translation) = Blend::of(palette, joints, weights).motion().unwrap_or(nothing);
    Blended::Motion { stretch, rotation, translation }
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
#[derive(Default)]
struct Blend {
    real: Vec4,
    dual: Vec4,
    rows: [Vec4; 3],
    weight: f32,
    /// Real part of the first influence that counts: `q` and `-q` are one rotation, all are taken on its side. Which
    /// influence it is matters only among rotations more than 120° apart.
    pivot: Option<Vec4>,
}

impl Blend {
    fn of(palette: &[Vec4], joints: &[u16], weights: &[f32]) -> Self {
        let mut blend = Self::default();
        for (joint, weight) in joints.iter().zip(weights) {
            blend.add(&palette[*joint as usize * 5..][..5], *weight);
        }
        blend
    }

    fn add(&mut self, packed: &[Vec4], weight: f32) {
        if weight == 0.0 {
            return;
        }
        let pivot = *self.pivot.get_or_insert(packed[0]);
        let signed = if packed[0].dot(pivot) < 0.0 { -weight } else { weight };
        self.real += packed[0] * signed;
        self.dual += packed[1] * signed;
        for (row, part) in self.rows.iter_mut().zip(&packed[2..]) {
            *row += *part * weight;
        }
        self.weight += weight;
    }

    /// Stretch, rotation and translation; `None` where nothing moves the vertex.
    fn motion(&self) -> Option<(Mat3A, Quat, Vec3)> {
        let length = self.real.length();
        if length == 0.0 || self.weight == 0.0 {
            return None;
        }
        let [x, y, z] = self.rows.map(|row| Vec3A::from_vec4(row / self.weight));
        let s = Mat3A::from_cols(x, y, z).transpose();
        let rotation = Quat::from_vec4(self.real / length);
        let translation = (Quat::from_vec4(self.dual / length) * rotation.conjugate()).xyz() * 2.0;
        Some((s, rotation, translation))
    }

    fn apply(&self, v: Vertex) -> Moved {
        // As a sum of no matrices.
        let Some((s, rotation, translation)) = self.motion() else { return Moved::default() };
        let determinant = s.determinant();
        let side = if determinant < 0.0 { -1.0 } else { 1.0 };
        let vertex = Vertex {
            position: rotation * (s * v.position) + translation,
            normal: (rotation * (cofactor(s) * v.normal * side)).normalize_or_zero(),
            tangent: (rotation * (s * v.tangent)).normalize_or_zero(),
        };
        Moved { vertex, determinant }
    }
}

//! Linear blend skinning: `v = Σ w M v0` (Larsen et al. 2001, eq. 4), normals by the cofactors of the blended matrix.

use glam::{Affine3A, Mat3A, Vec3, Vec3A, Vec4};

use super::{Blended, Crowd, Method, Moved, Vertex};
use crate::math::{Aabb, cofactor};

/// The first row of the table.
pub static LINEAR: Method = Method {
    id: "linear",
    label: "Linear blend",
    wgsl: ("deform/linear.wgsl", include_str!("../../shaders/deform/linear.wgsl")),
    vec4s_per_joint: 3,
    pack,
    deform,
    blend: |_, _, _| Blended::Sum,
    reach,
};

/// The rows of the 3×4 matrix.
fn pack(m: &Affine3A, out: &mut [Vec4]) {
    let rows = m.matrix3.transpose();
    let columns = [rows.x_axis, rows.y_axis, rows.z_axis];
    for ((out, row), t) in out.iter_mut().zip(columns).zip(m.translation.to_array()) {
        *out = row.extend(t);
    }
}

fn deform(palette: &[Vec4], joints: &[u16], weights: &[f32], v: Vertex) -> Moved {
    let mut rows = [Vec4::ZERO; 3];
    // Slots without weight are padding, and most vertices have some.
    for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        for (row, part) in rows.iter_mut().zip(&palette[*joint as usize * 3..][..3]) {
            *row += *part * *weight;
        }
    }
    let p = v.position.extend(1.0);
    let [x, y, z] = rows.map(Vec3A::from_vec4);
    let m = Mat3A::from_cols(x, y, z).transpose();
    let determinant = m.determinant();
    let side = if determinant < 0.0 { -1.0 } else { 1.0 };
    let vertex = Vertex {
        position: Vec3::new(rows[0].dot(p), rows[1].dot(p), rows[2].dot(p)),
        normal: (cofactor(m) * v.normal * side).normalize_or_zero(),
        tangent: (m * v.tangent).normalize_or_zero(),
    };
    Moved { vertex, determinant }
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

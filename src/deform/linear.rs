//! Linear blend skinning: `v = Σ w M v0` (Larsen et al. 2001, eq. 4), normals by the cofactors of the blended matrix.

use glam::{Affine3A, Mat3A, Vec3A, Vec4};

use super::{Method, VEC4S_PER_JOINT, Vertex};
use crate::math::cofactor;

/// The first row of the table.
pub static LINEAR: Method = Method {
    id: "linear",
    label: "Linear blend",
    wgsl: ("deform/linear.wgsl", include_str!("../../shaders/deform/linear.wgsl")),
    pack,
    deform,
};

/// The rows of the 3×4 matrix.
fn pack(m: &Affine3A) -> [Vec4; VEC4S_PER_JOINT] {
    let t = m.matrix3.transpose();
    [t.x_axis.extend(m.translation.x), t.y_axis.extend(m.translation.y), t.z_axis.extend(m.translation.z)]
}

fn deform(palette: &[[Vec4; VEC4S_PER_JOINT]], joints: &[u16], weights: &[f32], v: Vertex) -> Vertex {
    let mut rows = [Vec4::ZERO; VEC4S_PER_JOINT];
    for (joint, weight) in joints.iter().zip(weights) {
        let m = &palette[*joint as usize];
        for (row, part) in rows.iter_mut().zip(m) {
            *row += *part * *weight;
        }
    }
    let p = v.position.extend(1.0);
    let m =
        Mat3A::from_cols(Vec3A::from_vec4(rows[0]), Vec3A::from_vec4(rows[1]), Vec3A::from_vec4(rows[2])).transpose();
    let normals = cofactor(m) * if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    Vertex {
        position: glam::Vec3::new(rows[0].dot(p), rows[1].dot(p), rows[2].dot(p)),
        normal: (normals * v.normal).normalize_or_zero(),
        tangent: (m * v.tangent).normalize_or_zero(),
    }
}

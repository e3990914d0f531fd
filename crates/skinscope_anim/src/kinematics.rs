//! Forward kinematics: from transforms relative to parents to matrices in the space of the model.

use glam::{Affine3A, Mat3A, Mat4, Vec3A, Vec4};
use skinscope_base::math::Transform;
use skinscope_model::{LocalPose, Skeleton};

use super::far;

/// Computes `model_from_node` of every node, by node, and writes it to `out`, whose previous contents are overwritten.
/// Poses that lead far away have an origin of their own ([`super::origin_shift`]).
pub fn local_to_model(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Affine3A>) {
    locals(&pose.transforms, out);
    for (node, shear) in &skeleton.residuals {
        out[node.index()].matrix3 *= *shear;
    }
    // Keeps the matrix of the node before in registers: most often it is the parent, and a matrix that was just written
    // would have to come back from memory.
    let mut last = Affine3A::IDENTITY;
    for (i, parent) in skeleton.parents.iter().enumerate() {
        last = match parent {
            None => out[i],
            Some(parent) if parent.index() + 1 == i => last * out[i],
            Some(parent) => out[parent.index()] * out[i],
        };
        out[i] = last;
    }
    let shifts = far::shifts(skeleton, pose);
    if !shifts.is_empty() {
        let origin = far::origin(skeleton, &shifts);
        for (node, m) in out.iter_mut().enumerate() {
            m.translation += (far::total(&shifts, node) - origin).as_vec3a();
        }
    }
}

/// Writes `parent_from_node` of every node, without residuals.
fn locals(transforms: &[Transform], out: &mut Vec<Affine3A>) {
    out.resize(transforms.len(), Affine3A::IDENTITY);
    let (fours, left) = transforms.as_chunks::<4>();
    let (out_fours, out_left) = out.as_chunks_mut::<4>();
    for (four, out) in fours.iter().zip(out_fours) {
        *out = four_affines(four);
    }
    for (transform, out) in left.iter().zip(out_left) {
        *out = transform.to_affine();
    }
}

/// Converts four transforms at once; the results are those of [`Transform::to_affine`] to the bit.
#[inline]
fn four_affines(transforms: &[Transform; 4]) -> [Affine3A; 4] {
    let transposed = |[a, b, c, d]: [Vec4; 4]| {
        let m = Mat4::from_cols(a, b, c, d).transpose();
        [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
    };
    let [x, y, z, w] = transposed(transforms.each_ref().map(|t| t.rotation.into()));
    let [sx, sy, sz, _] = transposed(transforms.each_ref().map(|t| t.scale.extend(0.0)));
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (one, zero) = (Vec4::ONE, Vec4::ZERO);
    let x_axes = transposed([(one - (yy + zz)) * sx, (xy + wz) * sx, (xz - wy) * sx, zero]);
    let y_axes = transposed([(xy - wz) * sy, (one - (xx + zz)) * sy, (yz + wx) * sy, zero]);
    let z_axes = transposed([(xz + wy) * sz, (yz - wx) * sz, (one - (xx + yy)) * sz, zero]);
    [0, 1, 2, 3].map(|i| Affine3A {
        matrix3: Mat3A::from_cols(
            Vec3A::from_vec4(x_axes[i]),
            Vec3A::from_vec4(y_axes[i]),
            Vec3A::from_vec4(z_axes[i]),
        ),
        translation: transforms[i].translation.into(),
    })
}

#[cfg(test)]
mod tests {
    use glam::{Mat3A, Quat, Vec3};
    use skinscope_model::NodeId;

    use super::*;

    /// ```text
    /// 0 ── 1 ── 2
    ///  └── 3          4
    /// ```
    fn skeleton(residuals: Vec<(NodeId, Mat3A)>) -> Skeleton {
        let transforms: Vec<Transform> = (0..5)
            .map(|i| Transform {
                translation: Vec3::new(i as f32, 1.0, -0.5 * i as f32),
                rotation: Quat::from_rotation_y(0.3 * i as f32) * Quat::from_rotation_x(0.2),
                scale: Vec3::new(1.0, 1.0 + 0.25 * i as f32, -1.0),
            })
            .collect();
        Skeleton {
            parents: vec![None, Some(NodeId(0)), Some(NodeId(1)), Some(NodeId(0)), None],
            names: (0..5).map(|i| format!("node {i}")).collect(),
            file_index: (0..5).collect(),
            rest: LocalPose { transforms, ..LocalPose::default() },
            residuals,
            far: None,
        }
    }

    #[test]
    fn a_node_stands_where_the_product_of_its_ancestors_puts_it() {
        let shear = Mat3A::from_cols_array(&[1.0, 0.3, 0.0, 0.2, 1.0, 0.0, 0.0, -0.4, 1.0]);
        let s = skeleton(vec![(NodeId(1), shear), (NodeId(3), shear), (NodeId(4), shear)]);
        let mut out = Vec::new();
        local_to_model(&s, &s.rest, &mut out);
        for (i, got) in out.iter().enumerate() {
            let chain: Vec<usize> =
                std::iter::successors(Some(i), |n| s.parents[*n].map(NodeId::index)).collect::<Vec<_>>();
            for v in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z] {
                // The expected position: from the node up to the root each ancestor moves the point once.
                let want = chain.iter().fold(v, |p, n| {
                    let p = if [1, 3, 4].contains(n) { shear * p } else { p };
                    let t = s.rest.transforms[*n];
                    t.rotation * (t.scale * p) + t.translation
                });
                assert!((got.transform_point3(v) - want).length() < 1e-5, "node {i}");
            }
        }
    }

    /// With scales of every sign and zero, and rotations of every kind, converting four at once and one by one gives
    /// the same bytes.
    #[test]
    fn four_at_once_are_what_one_is() {
        let turn = |i: usize| Quat::from_scaled_axis(Vec3::new(i as f32, -0.7 * i as f32, 1.3) * 0.9);
        let transforms: Vec<Transform> = (0..32)
            .map(|i| Transform {
                translation: Vec3::new(0.1, -2.0, 3.5) * i as f32,
                rotation: if i % 5 == 0 { -turn(i) } else { turn(i) },
                scale: Vec3::new(1.0 + i as f32, -0.3 * i as f32, f32::from(i % 3 != 0)),
            })
            .collect();
        for four in transforms.as_chunks::<4>().0 {
            assert_eq!(four_affines(four), four.map(Transform::to_affine));
        }
    }
}

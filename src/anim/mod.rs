//! From a clip and a time to a pose. Plain functions, borrowed inputs, borrowed outputs, no state that matters: the same
//! clip and time give the same bytes whatever was sampled before.
//!
//! Knows nothing of surfaces: what the pose does to vertices is `deform`'s business.

mod sample;
mod stage;

pub use sample::{SampleScratch, key_times, sample, sample_properties};
pub use stage::{drawn, drawn_at_rest, lens, light, looking};

use glam::Affine3A;

use crate::model::{LocalPose, Skeleton};

/// Makes `pose` the rest pose; the start of every frame, since a clip moves only some of the nodes.
pub fn reset_to_rest(skeleton: &Skeleton, pose: &mut LocalPose) {
    pose.transforms.clone_from(&skeleton.rest.transforms);
    pose.morph_weights.clone_from(&skeleton.rest.morph_weights);
}

/// Forward kinematics: `model_from_node` of every node, parents first, one pass.
pub fn local_to_model(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Affine3A>) {
    let mut residuals = skeleton.residuals.iter().peekable();
    out.clear();
    for (i, (transform, parent)) in pose.transforms.iter().zip(&skeleton.parents).enumerate() {
        let mut local = transform.to_affine();
        if let Some((_, residual)) = residuals.next_if(|(node, _)| node.index() == i) {
            local.matrix3 *= *residual;
        }
        out.push(parent.map_or(local, |p| out[p.index()] * local));
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat3A, Quat, Vec3};

    use super::*;
    use crate::math::Transform;
    use crate::model::NodeId;

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
            rest: LocalPose { transforms, morph_weights: Vec::new() },
            residuals,
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
                // From the node up to the root: each ancestor moves the point once.
                let want = chain.iter().fold(v, |p, n| {
                    let p = if [1, 3, 4].contains(n) { shear * p } else { p };
                    let t = s.rest.transforms[*n];
                    t.rotation * (t.scale * p) + t.translation
                });
                assert!((got.transform_point3(v) - want).length() < 1e-5, "node {i}");
            }
        }
    }

    #[test]
    fn the_rest_pose_comes_back_whole() {
        let mut s = skeleton(Vec::new());
        s.rest.morph_weights = vec![0.25, 0.5];
        let mut pose = LocalPose { transforms: vec![Transform::IDENTITY; 2], morph_weights: vec![1.0; 7] };
        reset_to_rest(&s, &mut pose);
        assert_eq!(pose, s.rest);
    }
}

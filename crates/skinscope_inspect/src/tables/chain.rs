//! The chain of a joint: the product of local transforms that puts it where it is.

use glam::Affine3A;
use skinscope_base::math::Transform;
use skinscope_model::{LocalPose, Model, NodeId};

/// One node of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainLink {
    /// The node.
    pub node: NodeId,
    /// Its translation, rotation and scale in the pose.
    pub local: Transform,
    /// Its matrix: `parent_from_node`, `T · R · S`, with the shear that the file may store behind it.
    pub parent_from_node: Affine3A,
    /// The product from the root to here: `model_from_node`.
    pub model_from_node: Affine3A,
}

/// Returns the links from the root to `node`: each world matrix is that of the parent times the local one, so that of a
/// joint is the product R₁ T₁ R₂ … of all above it (Lewis, "Skinning math tutorial").
#[must_use]
pub fn chain(model: &Model, pose: &LocalPose, node: NodeId) -> Vec<ChainLink> {
    let skeleton = &model.skeleton;
    let mut nodes: Vec<NodeId> = std::iter::successors(Some(node), |n| skeleton.parents[n.index()]).collect();
    nodes.reverse();
    let mut product = Affine3A::IDENTITY;
    let link = |node: NodeId| {
        let local = pose.transforms[node.index()];
        let parent_from_node = skeleton.local_matrix(node.index(), local);
        product *= parent_from_node;
        ChainLink { node, local, parent_from_node, model_from_node: product }
    };
    nodes.into_iter().map(link).collect()
}

#[cfg(test)]
mod tests {
    use glam::{Mat3A, Quat, Vec3};
    use skinscope_anim::{SampleScratch, local_to_model, sample};
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{ClipId, ModelParts};

    use super::*;

    /// The expected values are computed by hand: a quarter turn about Z carries the child's +Y step to −X.
    #[test]
    fn a_turned_parent_carries_its_child() {
        let model = tube(Tube { joints: 2, length: 2.0, ..Tube::default() });
        let mut pose = model.skeleton.rest.clone();
        pose.transforms[1].rotation = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let links = chain(&model, &pose, NodeId(2));
        assert_eq!(links.iter().map(|l| l.node.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(links[2].local.translation, Vec3::Y);
        let end = Vec3::from(links[2].model_from_node.translation);
        assert!((end - Vec3::NEG_X).length() < 1e-6, "{end}");
    }

    #[test]
    fn the_product_is_what_flattened_kinematics_gives_in_every_pose() {
        let model = tube(Tube { joints: 40, rings: 41, ..Tube::default() });
        // A node whose stored matrix shears.
        let mut parts = ModelParts::clone(&model);
        parts.skeleton.residuals =
            vec![(NodeId(3), Mat3A::from_cols_array(&[1.0, 0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 1.0]))];
        let model = Model::build(parts).unwrap();
        let mut pose = model.skeleton.rest.clone();
        let mut scratch = SampleScratch::default();
        for time in [0.0, 0.25, 0.7] {
            sample(&model, &model.clips[ClipId(0).index()], time, &mut scratch, &mut pose);
            let mut flat = Vec::new();
            local_to_model(&model.skeleton, &pose, &mut flat);
            for node in (0..model.skeleton.len()).map(NodeId::from_index) {
                let links = chain(&model, &pose, node);
                for link in &links {
                    let (got, want) = (link.model_from_node, flat[link.node.index()]);
                    assert!(got.abs_diff_eq(want, 1e-5), "node {} at {time} s: {got} is not {want}", link.node.0);
                }
                assert_eq!(links.len(), model.skeleton.depth(node) + 1);
            }
        }
    }
}

//! From a clip and a time to a pose: sampling, layers, edits, forward and inverse kinematics. These are plain functions
//! with borrowed inputs and outputs and without hidden state: the same clip and time give the same bytes, whatever was
//! sampled before.
//!
//! This crate knows nothing of surfaces; `skinscope_deform` turns poses into vertices.

#![forbid(unsafe_code)]

mod curve;
mod evaluate;
mod far;
mod kinematics;
mod layers;
pub mod pose;
mod sample;
#[cfg(test)]
mod sample_tests;
mod slerp;
mod span;
mod stage;

pub use curve::{NodeCurve, keys_of};
pub use evaluate::{evaluate, evaluate_clip};
pub use far::origin_shift;
pub use kinematics::local_to_model;
use layers::add_difference;
pub use layers::{Additive, Crossfade, LayerScratch, Layers};
pub use sample::{SampleScratch, key_times, sample, sample_properties};
use skinscope_model::{LocalPose, Skeleton};
pub use stage::{drawn, drawn_at_rest, lens, light, looking};

/// Sets `pose` to the rest pose. Every frame begins with this, since a clip animates only some of the nodes.
pub fn reset_to_rest(skeleton: &Skeleton, pose: &mut LocalPose) {
    pose.transforms.clone_from(&skeleton.rest.transforms);
    pose.morph_weights.clone_from(&skeleton.rest.morph_weights);
    pose.wide.clear();
}

#[cfg(test)]
mod tests {
    use skinscope_base::math::Transform;
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;

    #[test]
    fn the_rest_pose_comes_back_whole() {
        let skeleton = &obstacle_course().skeleton;
        let mut pose =
            LocalPose { transforms: vec![Transform::IDENTITY; 2], morph_weights: vec![1.0; 7], ..LocalPose::default() };
        reset_to_rest(skeleton, &mut pose);
        assert_eq!(pose, skeleton.rest);
    }
}

//! From a clip and a time to a pose. Plain functions, borrowed inputs, borrowed outputs, no state that matters: the same
//! clip and time give the same bytes whatever was sampled before.

use glam::Affine3A;

use crate::model::{Clip, LocalPose, Model, Skeleton};

/// Reusable memory of [`sample`]; never changes its results.
#[derive(Clone, Debug, Default)]
pub struct SampleScratch {}

/// Writes what `clip` says at `time_secs` into `pose`; what it does not move stays as it was (start from rest).
/// Each channel clamps to its own first and last key.
pub fn sample(_model: &Model, _clip: &Clip, _time_secs: f32, _scratch: &mut SampleScratch, _pose: &mut LocalPose) {}

/// Forward kinematics: `model_from_node` of every node, parents first, one pass.
pub fn local_to_model(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Affine3A>) {
    out.clear();
    for (i, transform) in pose.transforms.iter().enumerate() {
        let local = skeleton.local_matrix(i, *transform);
        let world = skeleton.parents[i].map_or(local, |p| out[p.index()] * local);
        out.push(world);
    }
}

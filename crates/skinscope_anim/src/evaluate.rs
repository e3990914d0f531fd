//! Evaluates a whole pose from a clip and a time: sampling, then edits, then forward kinematics.

use glam::Affine3A;
use skinscope_model::{Clip, LocalPose, Model};

use skinscope_base::trace::{Part, measured};

use super::{SampleScratch, local_to_model, sample};

/// Poses a skeleton. It takes the transforms of `base` (the rest pose or the bind pose) and the morph weights of the
/// rest pose, writes the values of `clip` at its time (seconds) over them, lets `edit` change the result, lets
/// links follow their joints, and multiplies the transforms down the hierarchy. The result is `local` and `model_from_node` (one matrix for each
/// node), whose previous contents are overwritten.
pub fn evaluate(
    model: &Model,
    base: &LocalPose,
    clip: Option<(&Clip, f32)>,
    edit: impl FnOnce(&mut LocalPose),
    scratch: &mut SampleScratch,
    local: &mut LocalPose,
    model_from_node: &mut Vec<Affine3A>,
) {
    local.transforms.clone_from(&base.transforms);
    local.morph_weights.clone_from(&model.skeleton.rest.morph_weights);
    local.wide.clone_from(&base.wide);
    if let Some((clip, time_secs)) = clip {
        measured(Part::Sample, || sample(model, clip, time_secs, scratch, local));
    }
    edit(local);
    model.drive_links(local);
    measured(Part::Kinematics, || local_to_model(&model.skeleton, local, model_from_node));
}

/// Poses a skeleton by `clip` at `time_secs`, without edits; what the clip does not animate is at rest. See
/// [`evaluate`].
pub fn evaluate_clip(
    model: &Model,
    clip: &Clip,
    time_secs: f32,
    scratch: &mut SampleScratch,
    local: &mut LocalPose,
    model_from_node: &mut Vec<Affine3A>,
) {
    evaluate(model, &model.skeleton.rest, Some((clip, time_secs)), |_| (), scratch, local, model_from_node);
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_base::math::Transform;
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;

    /// The memory that is reused contained another pose, with another number of nodes.
    #[test]
    fn a_pose_is_the_base_then_the_clip_then_the_edit() {
        let model = obstacle_course();
        let (rest, clip, time_secs) = (&model.skeleton.rest, &model.clips[0], 0.3);
        let mut scratch = SampleScratch::default();
        let mut local =
            LocalPose { transforms: vec![Transform::IDENTITY; 2], morph_weights: vec![1.0; 7], ..LocalPose::default() };
        let mut matrices = vec![Affine3A::ZERO; 99];
        let mut sampled = rest.clone();
        sample(&model, clip, time_secs, &mut scratch, &mut sampled);
        assert_ne!(&sampled, rest, "the clip moves something");
        let mut want = Vec::new();

        evaluate_clip(&model, clip, time_secs, &mut scratch, &mut local, &mut matrices);
        local_to_model(&model.skeleton, &sampled, &mut want);
        assert_eq!((&local, &matrices), (&sampled, &want));

        // The edit changes a node that the clip moves too.
        let edit = |pose: &mut LocalPose| {
            pose.transforms.fill(Transform { translation: Vec3::splat(7.0), ..Transform::IDENTITY });
        };
        edit(&mut sampled);
        local_to_model(&model.skeleton, &sampled, &mut want);
        evaluate(&model, rest, Some((clip, time_secs)), edit, &mut scratch, &mut local, &mut matrices);
        assert_eq!((&local, &matrices), (&sampled, &want));

        let mut base = rest.clone();
        base.transforms[0].translation = Vec3::X;
        base.morph_weights.clear();
        local_to_model(&model.skeleton, &base, &mut want);
        evaluate(&model, &base, None, |_| (), &mut scratch, &mut local, &mut matrices);
        assert_eq!((&local.transforms, &matrices), (&base.transforms, &want));
        assert_eq!(local.morph_weights, rest.morph_weights);
    }
}

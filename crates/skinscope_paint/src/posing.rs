//! How the model stands while it is painted.

use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::Resolved;
use skinscope_anim::{SampleScratch, origin_shift, sample};
use skinscope_model::{ClipId, LocalPose, Model, NodeId};

/// How a model stands while a stroke is painted: at rest, or by a clip; what a pose file says replaces the values of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posing {
    /// The clip; `None`: the rest pose.
    pub clip: Option<ClipId>,
    /// The moment of the clip, seconds on its timeline; moments outside of the clip are clamped to it.
    pub time: f64,
    /// The values of a pose file.
    pub pose: Option<Arc<Resolved>>,
}

impl Posing {
    /// Returns the pose of `model`, which has these clips and nodes, with its morph weights. `time` is another moment of the clip.
    #[must_use]
    pub fn at(&self, model: &Model, time: Option<f64>) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        if let Some(clip) = self.clip.and_then(|clip| model.clips.get(clip.index())) {
            let secs = (time.unwrap_or(self.time) as f32).clamp(0.0, clip.duration_secs());
            sample(model, clip, secs, &mut SampleScratch::default(), &mut pose);
        }
        if let Some(said) = &self.pose {
            said.apply(&mut pose);
        }
        pose
    }
}

/// Returns the place in the scene of the file, metres, that is the origin of what is painted in a pose: zero but for models and poses far away.
/// `joint` is the joint that is painted, where one is.
#[must_use]
pub fn scene_origin(model: &Model, joint: Option<NodeId>, pose: &LocalPose) -> DVec3 {
    let root = joint.or_else(|| model.skins.first().and_then(|skin| skin.joints.first().copied()));
    let origin = root.map_or(DVec3::ZERO, |node| model.skeleton.origin_of(node));
    origin + origin_shift(&model.skeleton, pose)
}

#[cfg(test)]
mod tests {
    use skinscope_anim::pose::Channels;
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;

    #[test]
    fn a_pose_file_replaces_what_it_says_and_the_clip_moves_the_rest() {
        let model = obstacle_course();
        let clip = Some(ClipId(0));
        let mut sampled = model.skeleton.rest.clone();
        sample(&model, &model.clips[0], 0.3, &mut SampleScratch::default(), &mut sampled);
        assert!(sampled != model.skeleton.rest, "the clip moves something");
        let plain = Posing { clip, time: f64::from(0.3_f32), pose: None };
        assert!(plain.at(&model, None) == sampled);
        assert!(Posing::default().at(&model, Some(0.3)) == model.skeleton.rest, "without a clip there is no time");
        let later = Posing { time: 0.0, ..plain.clone() };
        assert!(later.at(&model, Some(f64::from(0.3_f32))) == sampled, "a dab has a moment of its own");
        let end = f64::from(model.clips[0].duration_secs());
        assert!(plain.at(&model, Some(end + 9.0)) == plain.at(&model, Some(end)), "moments are clamped");

        let nodes = vec![(NodeId(3), Channels { scale: Some([2.0; 3]), ..Channels::default() })];
        let said = Resolved { nodes, ..Resolved::default() };
        let both = Posing { pose: Some(Arc::new(said.clone())), ..plain };
        said.apply(&mut sampled);
        assert!(both.at(&model, None) == sampled);
    }
}

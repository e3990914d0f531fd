//! What a session lays over a moment of a clip before forward kinematics: the same for the pose that is shown, the members of a crowd,
//! onion skins and the trail of a joint.

use glam::{Affine3A, DAffine3, Mat3};
use skinscope_anim::pose::controls::DriveScratch;
use skinscope_anim::pose::reach_target;
use skinscope_anim::{LayerScratch, Layers};
use skinscope_model::{Clip, InstanceId, LocalPose, Model, NodeId};
use skinscope_solve::DrivenShapes;

use crate::edits::controls::Driving;
use crate::{Edits, PoseRules, RootMotion};

/// All that is applied over a moment of a clip, in the order of its fields.
#[derive(Clone, Copy)]
pub(crate) struct Over<'a> {
    pub model: &'a Model,
    /// Other clips.
    pub layers: Layers,
    /// The root motion that is taken out.
    pub root: Option<RootMotion>,
    /// The user's edits, and the joints that they hold.
    pub edits: &'a Edits,
    /// The limits that the limbs of those joints obey.
    pub rules: &'a PoseRules,
    /// What drives the pose by controls.
    pub driving: Option<&'a Driving>,
    /// The corrective shapes that joints bring in, and the clip whose keys of weights count more.
    pub shapes: (&'a [DrivenShapes], Option<&'a Clip>),
}

/// Reusable memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverScratch {
    layers: LayerScratch,
    pub drive: DriveScratch,
    weights: Vec<f64>,
}

fn wide(m: Affine3A) -> DAffine3 {
    DAffine3 { matrix3: Mat3::from(m.matrix3).as_dmat3(), translation: m.translation.as_dvec3() }
}

impl Over<'_> {
    /// Lays everything over the pose of a clip at this time of its timeline, seconds.
    pub fn lay(&self, time_secs: f32, scratch: &mut OverScratch, pose: &mut LocalPose) {
        self.lay_clips(time_secs, scratch, pose);
        self.lay_edits(pose);
        self.drive(time_secs, scratch, pose);
        self.bring_in_shapes(scratch, pose);
    }

    /// Lays other clips over that of the pose.
    pub(crate) fn lay_clips(&self, time_secs: f32, scratch: &mut OverScratch, pose: &mut LocalPose) {
        self.layers.lay(self.model, time_secs, &mut scratch.layers, pose);
    }

    /// Takes root motion out, applies the edits to the pose, and brings held joints to where they stay. Allocates where joints are held.
    pub(crate) fn lay_edits(&self, pose: &mut LocalPose) {
        self.root.iter().for_each(|root| root.hold(&self.model.skeleton, pose));
        self.edits.apply(pose);
        if !self.edits.held.is_empty() {
            let limits = self.rules.obeyed_limits();
            let nodes = pose.transforms.len();
            for (joint, at) in self.edits.held.iter().filter(|(joint, _)| joint.index() < nodes) {
                reach_target(self.model, pose, wide(*at), &limits, *joint);
            }
        }
    }

    /// Lets controls act, which come last but for shapes.
    pub fn drive(&self, time_secs: f32, scratch: &mut OverScratch, pose: &mut LocalPose) {
        self.driving.iter().for_each(|driving| driving.drive(self.model, time_secs, &mut scratch.drive, pose));
    }

    /// Lets joints bring in the corrective shapes of the file, but for weights that the user has set or that controls drive, and for those that the
    /// clip has keys of, unless the user has turned one of the joints, of which these know nothing.
    pub(crate) fn bring_in_shapes(&self, scratch: &mut OverScratch, pose: &mut LocalPose) {
        let (all, clip) = self.shapes;
        for shapes in all {
            let Some(instance) = self.model.instances.get(shapes.instance.index()) else { continue };
            let is_own = |(_, id): &(usize, InstanceId)| self.model.instances[id.index()].node == instance.node;
            let is_turned = |joint: &NodeId| {
                let edit = self.edits.nodes.get(joint);
                edit.is_some_and(|edit| edit.rotation.is_some() || edit.quaternion.is_some())
            };
            let has_keys = clip.is_some_and(|clip| clip.tracks.weights.iter().any(is_own));
            if has_keys && !shapes.driver.joints().iter().any(is_turned) {
                continue;
            }
            shapes.driver.weights(pose, &mut scratch.weights);
            for ((target, _), weight) in shapes.targets.iter().zip(&scratch.weights) {
                let index = instance.morph_offset + target;
                let is_set = self.edits.morphs.contains_key(&index)
                    || self.driving.is_some_and(|driving| driving.drives_morph(index));
                if let Some(now) = pose.morph_weights.get_mut(index).filter(|_| !is_set) {
                    *now = *weight as f32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;
    use skinscope_anim::pose::rotate;
    use skinscope_model::test_shapes::obstacle_course;
    use skinscope_solve::{Driver, kept_text};

    use super::*;
    use crate::{ChannelValue, Document, EditCommand, PlaybackCommand, PoseSource, Session};

    /// Opens a model whose file says that one of its joints brings in its second morph target, or that none does.
    fn session(is_driven: bool) -> Session {
        let model = obstacle_course();
        let rest = &model.skeleton.rest;
        let mut pose = rest.clone();
        rotate(&mut pose, NodeId(7), Vec3::X * 60.0);
        let driver = Driver::of_poses(vec![NodeId(7)], rest, &[&pose]).unwrap();
        let targets = vec![(1, "lean".to_owned())];
        let shapes = DrivenShapes { instance: InstanceId::from_index(0), driver, targets };
        let mut parts = (*model).clone();
        parts.source.kept_shapes = kept_text(&model, &[shapes]).filter(|_| is_driven).map(Into::into);
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session
    }

    fn weight(session: &mut Session) -> f32 {
        session.update_pose();
        session.pose().local.morph_weights[1]
    }

    #[test]
    fn joints_bring_in_the_shapes_of_a_file_unless_their_weight_is_set() {
        let mut session = session(true);
        assert_eq!(weight(&mut session), 0.0);
        session.apply(EditCommand::Edit(NodeId(7), ChannelValue::Rotation(Vec3::X * 60.0)));
        session.apply(EditCommand::EndEdit);
        assert!((weight(&mut session) - 1.0).abs() < 1e-5);
        session.apply(EditCommand::Edit(NodeId(7), ChannelValue::Rotation(Vec3::X * 30.0)));
        session.apply(EditCommand::EndEdit);
        assert!((weight(&mut session) - 0.5).abs() < 1e-4);
        session.apply(EditCommand::EditMorph(1, 0.25));
        session.apply(EditCommand::EndEdit);
        assert_eq!(weight(&mut session), 0.25);
        session.apply(EditCommand::ResetMorph(1));
        assert!((weight(&mut session) - 0.5).abs() < 1e-4);
        session.apply(PlaybackCommand::SetPose(PoseSource::Bind));
        assert!(weight(&mut session) < 1e-6, "the bind pose is as it is");
    }

    #[test]
    fn the_keys_of_a_clip_count_more() {
        for time in [0.3, 0.8, 1.6] {
            let [driven, plain] = [true, false].map(|is_driven| {
                let mut session = session(is_driven);
                session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
                session.apply(PlaybackCommand::Seek(time));
                weight(&mut session)
            });
            assert_eq!(driven, plain);
        }
    }

    #[test]
    fn a_joint_that_is_turned_over_a_clip_brings_its_shape_in() {
        let mut session = session(true);
        session.apply(PlaybackCommand::SetPose(PoseSource::Clip));
        session.apply(PlaybackCommand::Seek(0.8));
        session.apply(EditCommand::Edit(NodeId(7), ChannelValue::Rotation(Vec3::X * 60.0)));
        session.apply(EditCommand::EndEdit);
        assert!((weight(&mut session) - 1.0).abs() < 1e-5);
        session.apply(EditCommand::ResetAll);
        let plain = weight(&mut session);
        assert!((plain - 1.0).abs() > 0.1, "{plain}");
    }
}

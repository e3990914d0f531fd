//! What a session lays over a moment of a clip before forward kinematics: the same for the pose that is shown, the members of a crowd,
//! onion skins and the trail of a joint.

use glam::{Affine3A, DAffine3, Mat3};
use skinscope_anim::pose::controls::DriveScratch;
use skinscope_anim::pose::reach_target;
use skinscope_anim::{LayerScratch, Layers};
use skinscope_model::{LocalPose, Model};

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
}

/// Reusable memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverScratch {
    layers: LayerScratch,
    pub drive: DriveScratch,
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

    /// Lets controls act, which come last.
    pub fn drive(&self, time_secs: f32, scratch: &mut OverScratch, pose: &mut LocalPose) {
        self.driving.iter().for_each(|driving| driving.drive(self.model, time_secs, &mut scratch.drive, pose));
    }
}

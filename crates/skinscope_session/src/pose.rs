//! The pose that is shown: computed from the rest of the session, and only where something has changed.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use glam::{Affine3A, DVec3};
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_base::math::Aabb;
use skinscope_deform as deform;
use skinscope_inspect as inspect;
use skinscope_model::{Change, InstanceId, LocalPose, Model, NodeId};

use super::crowd::CrowdContext;
use super::over::{Over, OverScratch};
use super::surfaces::SurfaceCache;
use super::{ActiveCamera, CrowdPose, Edits, Formation, Playback, PoseSource, Session, hiding, lighting};

/// The pose as evaluated last; derived from the rest of the session by [`Session::update_pose`].
#[derive(Clone, Debug, Default)]
pub struct Pose {
    /// The local pose, with edits.
    pub local: LocalPose,
    /// The matrix `model_from_node` of each node.
    pub model: Vec<Affine3A>,
    /// How far the origin of these matrices is from that of the rest pose, metres ([`anim::origin_shift`]).
    pub shift: DVec3,
    /// The skinning matrices, laid out by [`Model::palette_layout`].
    pub palettes: Vec<Affine3A>,
    /// The properties that the clip changes beside poses.
    pub changes: Vec<Change>,
    /// The instances of the shown scene that are drawn, in node order.
    pub draws: Vec<InstanceId>,
    /// The other members of a crowd.
    pub crowd: CrowdPose,
    /// The bones of the shown scene, where they are shown.
    pub bones: Vec<inspect::BoneSegment>,
    pub(super) bone_scratch: inspect::BoneScratch,
    /// For each node: whether its bone is shown.
    pub(super) with_bone: Vec<bool>,
    /// The surfaces that were deformed for this pose.
    pub(super) surfaces: SurfaceCache,
    scratch: SampleScratch,
    pub(super) over: OverScratch,
    /// The local pose before controls act; it is of no use where none does.
    pub(super) below: LocalPose,
    pub(super) is_driven: bool,
    pub(super) hidden: Vec<bool>,
    /// For each node: whether the user hides it, or one above it. Empty where nothing is hidden.
    pub(super) unseen: Vec<bool>,
    /// Counts the poses that were evaluated.
    pub(super) revision: u64,
    /// The inputs that the pose was computed from.
    made_of: Option<PoseInputs>,
}

/// Everything that a pose depends on.
#[derive(Clone, Debug)]
struct PoseInputs {
    model: Weak<Model>,
    edits: Arc<Edits>,
    playback: Playback,
    scene: usize,
    formation: Formation,
    hidden: Arc<BTreeSet<NodeId>>,
    bones: hiding::BoneKey,
    opened_bounds: Aabb,
}

impl PoseInputs {
    fn is_still(&self, session: &Session, model: &Arc<Model>) -> bool {
        std::ptr::eq(self.model.as_ptr(), Arc::as_ptr(model))
            && Arc::ptr_eq(&self.edits, &session.edits)
            && self.playback == session.playback
            && self.scene == session.view.scene
            && self.formation == session.formation
            && Arc::ptr_eq(&self.hidden, &session.view.hidden)
            && self.opened_bounds == session.opened_bounds
    }
}

impl Session {
    /// Computes the pose: samples the clip, applies edits, then controls, then forward kinematics, then palettes; the same for every
    /// member of a crowd. Allocates nothing after the first time, and does nothing where no input has changed.
    pub fn update_pose(&mut self) {
        self.pack();
        self.find_root();
        self.find_program();
        let Some(model) = self.shown_model() else { return };
        let bones = self.bone_key();
        if self.pose.made_of.as_ref().is_some_and(|made_of| made_of.is_still(self, model)) {
            if let Some(made_of) = self.pose.made_of.as_mut().filter(|made_of| made_of.bones != bones) {
                made_of.bones = bones;
                self.place_bones();
            }
        } else {
            self.pose.made_of = Some(PoseInputs {
                model: Arc::downgrade(model),
                edits: Arc::clone(&self.edits),
                playback: self.playback.clone(),
                scene: self.view.scene,
                formation: self.formation,
                hidden: Arc::clone(&self.view.hidden),
                bones,
                opened_bounds: self.opened_bounds,
            });
            self.evaluate();
        }
        self.follow_trail();
        self.follow_onion();
        if let (Some(ActiveCamera { index, .. }), Some(model)) = (self.view.through, self.model()) {
            self.view.through = lighting::through(model, &self.pose, index);
        }
    }

    fn evaluate(&mut self) {
        let Some(model) = self.shown_model().map(Arc::clone) else { return };
        let model = &model;
        let root = self.held_root();
        let driving = self.driving();
        let pose = &mut self.pose;
        pose.surfaces.forget();
        pose.revision += 1;
        let base = if self.playback.source == PoseSource::Bind { model.bind_pose() } else { &model.skeleton.rest };
        let clip = self.playback.clip.filter(|_| self.playback.source == PoseSource::Clip);
        let moment = clip.map(|clip| (&model.clips[clip.index()], self.playback.time_secs));
        pose.changes.clear();
        if let Some((clip, time_secs)) = moment {
            anim::sample_properties(clip, time_secs, &mut pose.scratch, &mut pose.changes);
        }
        let lesson = self.lesson.as_ref().filter(|_| self.playback.source != PoseSource::Bind);
        let (layers, time_secs) = (self.playback.layers, self.playback.time_secs);
        let over = Over { model, layers, root, edits: &self.edits, rules: &self.rules, driving: driving.as_ref() };
        pose.is_driven = driving.is_some();
        pose.over.drive.forget();
        let edit = |local: &mut LocalPose| {
            if moment.is_some() {
                over.lay_clips(time_secs, &mut pose.over, local);
            }
            if let Some(open) = lesson {
                open.lesson.pose(model, local);
            }
            over.lay_edits(local);
            if driving.is_some() {
                pose.below.transforms.clone_from(&local.transforms);
                pose.below.morph_weights.clone_from(&local.morph_weights);
                pose.below.wide.clone_from(&local.wide);
                over.drive(time_secs, &mut pose.over, local);
            }
        };
        anim::evaluate(model, base, moment, edit, &mut pose.scratch, &mut pose.local, &mut pose.model);
        pose.shift = anim::origin_shift(&model.skeleton, &pose.local);
        deform::palettes(model, &pose.model, &mut pose.palettes);
        anim::drawn(model, self.view.scene, &pose.changes, &mut pose.hidden, &mut pose.draws);
        hiding::hide(model, &self.view.hidden, &mut pose.unseen, &mut pose.draws);
        let crowd = CrowdContext { playback: &self.playback, formation: self.formation, over };
        crowd.pose(&pose.palettes, &pose.local.morph_weights, &mut pose.crowd);
        self.place_bones();
    }

    /// Returns the place in the file's world, metres, that is the origin of what is shown; zero but for poses far away.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.shown_model().map_or(DVec3::ZERO, |model| model.skeleton.origin() + self.pose.shift)
    }

    /// Has the pose computed anew, though nothing that it depends on has changed.
    pub(super) fn pose_again(&mut self) {
        self.pose.made_of = None;
    }

    /// Measures the extent of the posed scene, and finds vertices that lie far outside of it.
    #[must_use]
    pub fn extent(&self) -> deform::Extent {
        let Some(input) = self.surface_input(self.view.choice()) else { return deform::Extent::default() };
        deform::extent_of(&input, self.surface_at_hand().as_deref())
    }

    /// Returns the box around the posed scene: around deformed vertices but for those far outside, and around the
    /// skeleton where there is no mesh.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let mesh = self.extent().mass;
        // A mesh that has collapsed to a point has no size to frame.
        if mesh.diagonal() > 1e-3 * self.skeleton_reach() {
            return mesh;
        }
        let skeleton = self.skeleton_bounds();
        if mesh.diagonal() <= 1e-3 * skeleton.diagonal() { mesh.union(skeleton) } else { mesh }
    }

    /// Returns a length in metres that the diagonal of [`Self::skeleton_bounds`] does not exceed, without making bones.
    fn skeleton_reach(&self) -> f32 {
        let joints = Aabb::from_points(self.pose.model.iter().map(|matrix| matrix.translation.into()));
        // Both ends of a bone are at joints, but for bones that no other joint ends, which are no longer than a stub.
        joints.diagonal() + 4.0 * self.bone_stub()
    }

    /// Returns the box around the bones of the shown scene, without a few far outside.
    #[must_use]
    pub fn skeleton_bounds(&self) -> Aabb {
        let ends: Vec<glam::Vec3> = self.bones().iter().flat_map(|bone| [bone.head, bone.tail]).collect();
        Aabb::around_mass(&ends)
    }
}

#[cfg(test)]
mod tests {
    use crate::test_sessions::{built_in_session, tube_session};
    use crate::{Command, PlaybackCommand, ViewCommand};

    #[test]
    fn no_box_around_bones_is_longer_than_the_reach_of_the_skeleton() {
        for mut session in [built_in_session(), tube_session()] {
            let deforming: Command = ViewCommand::ToggleDeformingOnly.into();
            for command in
                [Command::from(PlaybackCommand::SetPlaying(false)), PlaybackCommand::Seek(0.4).into(), deforming]
            {
                session.apply(command);
                session.update_pose();
                let (bones, reach) = (session.skeleton_bounds().diagonal(), session.skeleton_reach());
                assert!(bones <= reach && reach < 2.0 * bones, "{bones} {reach}");
            }
        }
    }
}

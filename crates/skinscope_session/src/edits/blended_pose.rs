//! Poses of files blended over the one that is shown: in part, added, or on one limb.

use std::sync::Arc;

use skinscope_anim::pose::{Resolved, add, blend, reach_target, world_matrices};
use skinscope_model::{LocalPose, Model, NodeId};

use crate::{EditRules, Edits, History, Posing};

/// A pose that is blended over the one that is shown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BlendedPose {
    /// The pose, of the open model.
    #[serde(with = "skinscope_base::text_form::shared")]
    pub pose: Arc<Resolved>,
    /// The share of the way to it, or of that which is added, 0…1.
    pub share: f32,
    /// Whether that is added by which it differs from rest ([`skinscope_anim::pose::add`]), in place of going towards it ([`skinscope_anim::pose::blend`]).
    pub added: bool,
    /// The node below which, and at which, alone it acts; `None`: everywhere.
    pub limb: Option<NodeId>,
}

/// The pose that was blended last, and the edits before and after.
#[derive(Clone, Debug)]
pub(crate) struct LastBlended {
    blended: BlendedPose,
    before: Arc<Edits>,
    after: Arc<Edits>,
}

impl Posing {
    /// The pose that was blended over the others last, as long as nothing of the pose has been edited since.
    #[must_use]
    pub fn blended_pose(&self, edits: &Arc<Edits>) -> Option<&BlendedPose> {
        self.last_blended.as_ref().filter(|last| Arc::ptr_eq(&last.after, edits)).map(|last| &last.blended)
    }

    /// Returns the edits over which the pose was blended that was blended last, as long as nothing of the pose has been edited since; else the
    /// edits that a pose would be blended over now.
    #[must_use]
    pub fn edits_below<'a>(&'a self, edits: &'a Arc<Edits>) -> &'a Edits {
        let last = self.last_blended.as_ref().filter(|last| Arc::ptr_eq(&last.after, edits));
        last.map_or(edits, |last| &last.before)
    }

    /// Takes out of `edits` the pose that was blended last, where the same pose takes its place.
    pub(crate) fn take_back(&mut self, blended: &BlendedPose, edits: &mut Arc<Edits>, history: &mut History) {
        let is_same = self.blended_pose(edits).is_some_and(|last| Arc::ptr_eq(&last.pose, &blended.pose));
        if let Some(last) = self.last_blended.take().filter(|_| is_same)
            && history.take_out(&last.before)
        {
            *edits = last.before;
        }
    }

    /// A pose was blended over the others, which has made `after` of the edits `before`.
    pub(crate) fn note_blended(&mut self, blended: &BlendedPose, before: Arc<Edits>, after: &Arc<Edits>) {
        self.last_blended = Some(LastBlended { blended: blended.clone(), before, after: Arc::clone(after) });
    }
}

impl EditRules<'_> {
    /// Returns the edits by which a pose is blended over the one that is shown.
    pub(crate) fn blended(self, blended: &BlendedPose) -> Option<Edits> {
        let model = &self.document?.model;
        let shown = self.pose.undriven();
        let mut wanted = shown.clone();
        let part = blended.limb.map(|limb| blended.pose.of_limb(model, limb));
        let pose = part.as_ref().unwrap_or(&blended.pose);
        match blended.added {
            true => add(&mut wanted, &model.skeleton.rest, pose, blended.share),
            false => blend(&mut wanted, pose, blended.share),
        }
        self.keep_pins(model, shown, &mut wanted);
        Some(self.edits_towards(model, &wanted))
    }

    /// Brings pinned joints of `pose` back to where they stand in the pose `before`, by turning their limbs.
    fn keep_pins(self, model: &Model, before: &LocalPose, pose: &mut LocalPose) {
        // A held joint stays by itself, at every moment.
        let pins = self.rules.pins.iter().copied().filter(|pin| !self.edits.held.contains_key(pin));
        let limits = self.rules.obeyed_limits();
        for (pin, at) in world_matrices(model, before, pins) {
            let is_there =
                world_matrices(model, pose, std::iter::once(pin)).iter().all(|(_, now)| now.abs_diff_eq(at, 1e-9));
            if !is_there {
                reach_target(model, pose, at, &limits, pin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_anim::pose::{capture, resolve};
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate::tests::sessions::still_session;
    use crate::{ChannelValue, EditCommand, PlaybackCommand, PoseSource, PosingCommand, Session};

    fn blend_pose(session: &mut Session, pose: &Arc<Resolved>, share: f32, added: bool, limb: Option<NodeId>) {
        session.apply(PosingCommand::Blend(BlendedPose { pose: Arc::clone(pose), share, added, limb }));
        session.update_pose();
    }

    #[test]
    fn pinned_feet_hold_under_a_pose_that_is_blended_whatever_its_share() {
        let mut session = crate::tests::sessions::built_in_session();
        let model = Arc::clone(session.model().unwrap());
        let node = |name: &str| NodeId::from_index(model.skeleton.names.iter().position(|n| n == name).unwrap());
        let feet = ["Foot.L", "Foot.R"].map(node);
        let mut pose = model.skeleton.rest.clone();
        pose.transforms[node("Hips").index()].translation.y -= 0.12;
        for (name, turn) in [("UpperLeg.L", 0.9), ("Foot.L", 0.5), ("LowerLeg.R", -0.4)] {
            pose.transforms[node(name).index()].rotation *= Quat::from_rotation_x(turn);
        }
        let pose = Arc::new(resolve(&model, &capture(&model, &pose, "")));
        let transforms = |session: &Session| feet.map(|foot| session.pose().model[foot.index()]);
        let stood = transforms(&session);
        let moved = |session: &Session| {
            let now = transforms(session);
            let far = |i: usize| (now[i].translation - stood[i].translation).length();
            let turned = |i: usize| (now[i].matrix3.x_axis - stood[i].matrix3.x_axis).length();
            (far(0).max(far(1)), turned(0).max(turned(1)))
        };
        blend_pose(&mut session, &pose, 1.0, false, None);
        assert!(moved(&session).0 > 0.1, "without pins they go where the pose says: {:?}", moved(&session));
        session.apply(EditCommand::Undo);
        session.update_pose();
        feet.iter().for_each(|foot| _ = session.apply(PosingCommand::TogglePin(*foot)));
        let hips = session.pose().model[node("Hips").index()].translation.y;
        for (share, added) in [(1.0, false), (0.4, false), (0.7, true), (0.0, false)] {
            blend_pose(&mut session, &pose, share, added, None);
            let (far, turned) = moved(&session);
            assert!(far < 1e-4 && turned < 1e-4, "{share}: {far} m, {turned}");
            let sunk = hips - session.pose().model[node("Hips").index()].translation.y;
            assert!((sunk - 0.12 * share).abs() < 1e-4, "{share}: {sunk}");
        }
    }

    #[test]
    fn a_pose_that_is_blended_again_takes_its_own_place_as_one_step() {
        let mut session = still_session(obstacle_course());
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        let model = Arc::clone(session.model().unwrap());
        let mut pose = model.skeleton.rest.clone();
        pose.transforms[3].rotation *= Quat::from_rotation_x(1.0);
        pose.transforms[1].rotation *= Quat::from_rotation_z(0.4);
        let pose = Arc::new(resolve(&model, &capture(&model, &pose, "")));
        let turned = |session: &Session, node: usize| {
            model.skeleton.rest.transforms[node].rotation.angle_between(session.pose().local.transforms[node].rotation)
        };
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(glam::Vec3::X)));
        session.apply(EditCommand::EndEdit);
        for share in [1.0, 0.2, 0.0, 0.7, 0.5] {
            blend_pose(&mut session, &pose, share, false, None);
            assert!((turned(&session, 3) - share).abs() < 1e-3, "{share}: {}", turned(&session, 3));
            assert_eq!(session.posing.blended_pose(&session.edits).unwrap().share, share);
        }
        // Added, the same pose comes on top of what was there before it was blended, and not of itself.
        blend_pose(&mut session, &pose, 0.3, true, None);
        assert!((turned(&session, 3) - 0.3).abs() < 1e-3);
        blend_pose(&mut session, &pose, 0.3, true, Some(NodeId(3)));
        assert!((turned(&session, 3) - 0.3).abs() < 1e-3 && turned(&session, 1) < 1e-4);
        session.apply(EditCommand::Undo);
        session.update_pose();
        assert!(turned(&session, 3) < 1e-4 && session.edits().nodes.len() == 1, "all of it was one step");
        assert!(session.posing.blended_pose(&session.edits).is_none());
        // What is edited in between stays.
        blend_pose(&mut session, &pose, 1.0, false, None);
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(glam::Vec3::Y)));
        session.apply(EditCommand::EndEdit);
        assert!(session.posing.blended_pose(&session.edits).is_none());
        blend_pose(&mut session, &pose, 0.3, true, None);
        assert!((turned(&session, 3) - 1.3).abs() < 1e-3);
        session.apply(EditCommand::Undo);
        session.update_pose();
        assert!((turned(&session, 3) - 1.0).abs() < 1e-3);
    }
}

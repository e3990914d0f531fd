//! Pulls a bone, or the skin over it: its end follows the pointer, and the limb that ends there follows.

use glam::{DVec3, Quat, Vec2, Vec3};
use skinscope_anim::pose;
use skinscope_model::{LocalPose, NodeId};

use crate::{ChannelValue, EditCommand, Gizmos};

/// A pull under way. The pose is always computed from the one that it began with, so that a pull back to its start
/// changes nothing.
#[derive(Clone, Debug)]
pub struct Pull {
    /// The joint that follows the pointer.
    joint: NodeId,
    /// The first joint of the limb that turns; `None` where the joint itself is moved.
    root: Option<NodeId>,
    /// The pose that it began with.
    before: LocalPose,
    /// The position to whose side the limb bends, in world space and metres.
    pole: Option<DVec3>,
    /// The position of the joint at the start, in world space and metres.
    from: DVec3,
    /// The vector from where the pointer took hold to the joint, in pixels.
    offset: Vec2,
}

impl Pull {
    /// The joint that follows the pointer.
    #[must_use]
    pub fn joint(&self) -> NodeId {
        self.joint
    }

    /// The first joint of the limb that turns; `None` where the joint itself is moved.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }
}

impl Gizmos<'_> {
    /// Takes hold of the bone, or else of the skin, under a point of the viewport (in pixels from its top left). The
    /// end of the bone that is nearer to the point is pulled. `None` where there is neither bone nor skin.
    #[must_use]
    pub fn begin_pull(self, at: Vec2) -> Option<Pull> {
        let model = self.model?;
        let projector = self.view.projector();
        let grabbed = self.joint_at(at)?;
        let position = |node: NodeId| self.pose.model.get(node.index()).map(|m| m.translation);
        let seen = |node: NodeId| projector.project(Vec3::from(position(node)?));
        // The bone's far end is the first joint below it.
        let ends = std::iter::once(grabbed).chain(model.joints_below(grabbed));
        let near = ends.filter_map(|node| Some((seen(node)?.distance(at), node)));
        let joint = near.min_by(|a, b| a.0.total_cmp(&b.0))?.1;
        // The hip, and a joint that hangs on no joint, is moved: turning what is above it would turn everything.
        let root = if model.joint_above(joint).is_some() { self.root_of(joint) } else { None };
        let (before, pole) = (self.pose.local.clone(), self.rules.pole.map(|pole| Vec3::from(pole).as_dvec3()));
        Some(Pull { joint, root, before, pole, from: position(joint)?.as_dvec3(), offset: seen(joint)? - at })
    }

    /// Returns the bone, or else the joint that moves the skin most, under a point of the viewport (in pixels from its top left).
    pub(super) fn joint_at(self, at: Vec2) -> Option<NodeId> {
        self.picking.bones.bone_at(at).or_else(|| self.picking.mover(self.picking.vertex_at(at)?))
    }

    /// Returns the first joint of the limb that ends at a joint: the one that the user has chosen, where that is above it, else that of
    /// two bones.
    #[must_use]
    pub(crate) fn root_of(self, joint: NodeId) -> Option<NodeId> {
        let model = self.model?;
        let above = std::iter::successors(model.skeleton.parents[joint.index()], |n| model.skeleton.parents[n.index()]);
        let chosen = self.rules.pull_root.filter(|root| above.clone().any(|node| node == *root));
        chosen.or_else(|| pose::default_root(model, joint))
    }

    /// Returns a position to the side to which the limb of a joint bends now, where its pole may begin: world space, metres.
    #[must_use]
    pub fn pole_of(self, joint: NodeId) -> Option<Vec3> {
        let position = |node: NodeId| self.pose.model.get(node.index()).map(|m| Vec3::from(m.translation));
        let (end, root) = (position(joint)?, position(self.root_of(joint)?)?);
        let parents = &self.model?.skeleton.parents;
        let bends = std::iter::successors(parents[joint.index()], |n| parents[n.index()]);
        let bends = bends.take_while(|node| Some(*node) != self.root_of(joint)).filter_map(position);
        let length = end.distance(root);
        let off = |at: &Vec3| (*at - root).reject_from((end - root).try_normalize().unwrap_or(Vec3::Y));
        let bend = bends.max_by(|a, b| off(a).length().total_cmp(&off(b).length())).unwrap_or(0.5 * (end + root));
        // A straight limb bends forward.
        let side = off(&bend).try_normalize().filter(|_| off(&bend).length() > 1e-3 * length);
        let pole = bend + side.unwrap_or_else(|| self.model.map_or(Vec3::Z, |model| model.front())) * length.max(1e-3);
        pole.is_finite().then_some(pole)
    }

    /// The edit that turns the limb of a joint to the side of a pole (world space, metres), with its ends where they are.
    #[must_use]
    pub fn bend_to(self, joint: NodeId, pole: Vec3) -> Option<EditCommand> {
        let target = self.pose.model.get(joint.index())?.translation.as_dvec3();
        self.reach(&self.pose.local, pose::Reach { target, pole: Some(pole.as_dvec3()), ..self.limb(joint) })
    }

    fn limb(self, joint: NodeId) -> pose::Reach<'static> {
        pose::Reach { joint, root: self.root_of(joint), ..pose::Reach::default() }
    }

    /// The edit that brings a joint to its target from a pose.
    fn reach(self, before: &LocalPose, goal: pose::Reach<'_>) -> Option<EditCommand> {
        let model = self.model?;
        let limits = self.rules.obeyed_limits();
        let (joint, root) = (goal.joint, goal.root);
        let mut pose = before.clone();
        pose::reach(model, &mut pose, &pose::Reach { limits: &limits, ..goal }).ok()?;
        // Only the limb is turned: what it takes along (the other side, pinned joints) is not for the pull to say.
        let above = std::iter::successors(Some(joint), |node| model.skeleton.parents[node.index()]);
        let limb = above.skip(1).take_while(|node| Some(*node) != root).chain(root);
        let turn = |node: NodeId| {
            let (to, now) = (pose.transforms[node.index()].rotation, self.pose.local.transforms[node.index()].rotation);
            (to != now).then_some((node, to))
        };
        let turned: Vec<(NodeId, Quat)> = limb.filter_map(turn).collect();
        Some(EditCommand::TurnNodes(turned.into()))
    }

    /// The edit that brings the pulled joint to a point of the viewport (in pixels from its top left), at the distance
    /// from the eye that it had.
    #[must_use]
    pub fn pull_to(self, pull: &Pull, at: Vec2) -> Option<EditCommand> {
        let model = self.model?;
        let ray = self.view.ray(at + pull.offset);
        let forward = -self.view.world_from_view().matrix3.z_axis.as_dvec3();
        let (from, along) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let ahead = (pull.from - from).dot(forward) / along.dot(forward);
        let target = from + along * ahead;
        if !target.is_finite() || ahead <= 0.0 {
            return None;
        }
        if self.edits.held.contains_key(&pull.joint) {
            return Some(EditCommand::MoveHeld(pull.joint, target.as_vec3()));
        }
        if pull.root.is_none() {
            let parent = model.skeleton.parents[pull.joint.index()].and_then(|p| self.pose.model.get(p.index()));
            let parent = parent.map_or(glam::DMat3::IDENTITY, |m| glam::Mat3::from(m.matrix3).as_dmat3());
            let way = parent.inverse() * (target - pull.from);
            let to = pull.before.transforms[pull.joint.index()].translation.as_dvec3() + way;
            return to.is_finite().then(|| EditCommand::Edit(pull.joint, ChannelValue::Translation(to.as_vec3())));
        }
        let goal = pose::Reach { target, root: pull.root, pole: pull.pole, ..self.limb(pull.joint) };
        self.reach(&pull.before, goal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::tests::sessions::built_in_session as open;

    fn seen(session: &Session, name: &str) -> (NodeId, Vec2) {
        let node = session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap();
        let at = Vec3::from(session.pose().model[node].translation);
        (NodeId::from_index(node), session.view().project(at).unwrap())
    }

    #[test]
    fn a_pulled_hand_follows_the_pointer_and_the_arm_turns() {
        let mut session = open();
        let before = session.pose().local.clone();
        let (hand, at) = seen(&session, "Hand.L");
        let pull = session.gizmos().begin_pull(at + Vec2::new(1.0, -1.0)).unwrap();
        assert_eq!(pull.joint(), hand);
        let root = pull.root().unwrap();
        assert_eq!(session.model().unwrap().skeleton.names[root.index()], "UpperArm.L");
        // The pointer goes towards the shoulder, where the target is in reach.
        let (_, shoulder) = seen(&session, "UpperArm.L");
        for k in 1..=20 {
            let to = at.lerp(shoulder, 0.02 * k as f32);
            session.apply(session.gizmos().pull_to(&pull, to + Vec2::new(1.0, -1.0)).unwrap());
            session.update_pose();
            let now = seen(&session, "Hand.L").1;
            assert!(now.distance(to) < 0.5, "{k}: {now} for {to}");
        }
        session.apply(EditCommand::EndEdit);
        // Bones keep their lengths: only rotations have changed, and that is one step of undo.
        for (now, was) in session.pose().local.transforms.iter().zip(&before.transforms) {
            assert_eq!((now.translation, now.scale), (was.translation, was.scale));
        }
        session.apply(session.gizmos().pull_to(&pull, at + Vec2::new(1.0, -1.0)).unwrap());
        session.update_pose();
        for (now, was) in session.pose().local.transforms.iter().zip(&before.transforms) {
            assert!(now.rotation.dot(was.rotation).abs() > 1.0 - 1e-5);
        }
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert!(session.edits().is_empty());
    }

    #[test]
    fn a_limb_begins_at_the_root_that_is_chosen_and_bends_to_the_side_of_its_pole() {
        let mut session = open();
        let node = |session: &Session, name: &str| seen(session, name).0;
        let (hand, at) = seen(&session, "Hand.L");
        let (chest, arm) = (node(&session, "Chest"), node(&session, "UpperArm.L"));
        // A root that is not above the joint is none.
        for (root, begins) in [(node(&session, "Foot.R"), arm), (chest, chest)] {
            session.apply(crate::PosingCommand::SetPullRoot(Some(root)));
            assert_eq!(session.gizmos().begin_pull(at).unwrap().root(), Some(begins));
        }
        let before = session.pose().local.transforms[chest.index()].rotation;
        let pull = session.gizmos().begin_pull(at).unwrap();
        session.apply(session.gizmos().pull_to(&pull, at + Vec2::new(-40.0, 30.0)).unwrap());
        session.apply(EditCommand::EndEdit);
        session.update_pose();
        assert!(session.pose().local.transforms[chest.index()].rotation.angle_between(before) > 1e-3);
        session.apply(EditCommand::Undo);
        session.apply(crate::PosingCommand::SetPullRoot(None));
        session.update_pose();
        // With the hand nearer to the shoulder the elbow goes to the side of the pole.
        let position =
            |session: &Session, name: &str| Vec3::from(session.pose().model[node(session, name).index()].translation);
        let (_, shoulder) = seen(&session, "UpperArm.L");
        for side in [Vec3::Y, Vec3::NEG_Y, Vec3::Z] {
            let pole = position(&session, "LowerArm.L") + 2.0 * side;
            session.apply(crate::PosingCommand::SetPole(Some(pole.to_array())));
            let pull = session.gizmos().begin_pull(seen(&session, "Hand.L").1).unwrap();
            session.apply(session.gizmos().pull_to(&pull, at.lerp(shoulder, 0.4)).unwrap());
            session.update_pose();
            let (hand, elbow) = (position(&session, "Hand.L"), position(&session, "LowerArm.L"));
            let middle = 0.5 * (hand + position(&session, "UpperArm.L"));
            assert!((elbow - middle).dot(side) > 0.02, "{side}: {elbow} {middle}");
            // Bent to another side, the hand stays.
            let other = middle - 2.0 * side;
            session.apply(session.gizmos().bend_to(node(&session, "Hand.L"), other).unwrap());
            session.update_pose();
            assert!(position(&session, "Hand.L").distance(hand) < 1e-3);
            assert!((position(&session, "LowerArm.L") - middle).dot(side) < -0.02);
            session.apply(EditCommand::ResetAll);
            session.update_pose();
        }
        assert!(session.gizmos().pole_of(hand).unwrap().is_finite());
    }

    #[test]
    fn a_pulled_hip_is_moved() {
        let mut session = open();
        let (hips, at) = seen(&session, "Hips");
        let pull = session.gizmos().begin_pull(at).unwrap();
        assert_eq!((pull.joint(), pull.root()), (hips, None));
        let to = at + Vec2::new(50.0, 20.0);
        session.apply(session.gizmos().pull_to(&pull, to).unwrap());
        session.update_pose();
        assert!(seen(&session, "Hips").1.distance(to) < 0.5);
    }

    #[test]
    fn where_nothing_is_nothing_is_pulled() {
        assert!(open().gizmos().begin_pull(Vec2::new(2.0, 2.0)).is_none());
    }
}

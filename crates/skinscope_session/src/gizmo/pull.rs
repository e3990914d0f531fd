//! Pulls a bone, or the skin over it: its end follows the pointer, and the limb that ends there follows.

use glam::{DVec3, Quat, Vec2};
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
        let grabbed = self.picking.bones.bone_at(at).or_else(|| self.picking.mover(self.picking.vertex_at(at)?))?;
        let position = |node: NodeId| self.pose.model.get(node.index()).map(|m| m.translation);
        let seen = |node: NodeId| projector.project(glam::Vec3::from(position(node)?));
        // The bone's far end is the first joint below it.
        let ends =
            std::iter::once(grabbed).chain(model.skeleton.children(grabbed).filter(|child| model.is_joint(*child)));
        let near = ends.filter_map(|node| Some((seen(node)?.distance(at), node)));
        let joint = near.min_by(|a, b| a.0.total_cmp(&b.0))?.1;
        let parent = model.skeleton.parents[joint.index()];
        // The hip, and a joint that hangs on no joint, is moved: turning what is above it would turn everything.
        let hangs = parent.is_some_and(|parent| model.is_joint(parent));
        let root = if hangs { pose::default_root(model, joint) } else { None };
        let before = self.pose.local.clone();
        Some(Pull { joint, root, before, from: position(joint)?.as_dvec3(), offset: seen(joint)? - at })
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
        let mut pose = pull.before.clone();
        let limits = self.rules.obeyed_limits();
        let goal =
            pose::Reach { joint: pull.joint, target, root: pull.root, limits: &limits, ..pose::Reach::default() };
        pose::reach(model, &mut pose, &goal).ok()?;
        // Only the limb is turned: what it takes along (the other side, pinned joints) is not for the pull to say.
        let above = std::iter::successors(Some(pull.joint), |node| model.skeleton.parents[node.index()]);
        let limb = above.skip(1).take_while(|node| Some(*node) != pull.root).chain(pull.root);
        let turn = |node: NodeId| {
            let (to, now) = (pose.transforms[node.index()].rotation, self.pose.local.transforms[node.index()].rotation);
            (to != now).then_some((node, to))
        };
        let turned: Vec<(NodeId, Quat)> = limb.filter_map(turn).collect();
        Some(EditCommand::TurnNodes(turned.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::tests::sessions::built_in_session as open;

    fn seen(session: &Session, name: &str) -> (NodeId, Vec2) {
        let node = session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap();
        let at = glam::Vec3::from(session.pose().model[node].translation);
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

//! Lets a joint look at what is under the pointer.

use glam::{DVec3, Vec2};
use skinscope_anim::pose::{self, Aim};
use skinscope_model::{LocalPose, NodeId};

use crate::{ChannelValue, EditCommand, Gizmos};

/// A look under way. The pose is always computed from the one that it began with.
#[derive(Clone, Debug)]
pub struct LookDrag {
    joint: NodeId,
    before: LocalPose,
    /// The position of the joint in world space, metres.
    from: DVec3,
}

impl LookDrag {
    /// The joint that looks at the pointer.
    #[must_use]
    pub fn joint(&self) -> NodeId {
        self.joint
    }
}

impl Gizmos<'_> {
    /// Takes hold of the bone, or else of the joint that moves the skin most, under a point of the viewport (in pixels from its top left).
    /// `None` where there is neither bone nor skin.
    #[must_use]
    pub fn begin_look(self, at: Vec2) -> Option<LookDrag> {
        let joint = self.joint_at(at)?;
        let from = self.pose.model.get(joint.index())?.translation.as_dvec3();
        Some(LookDrag { joint, before: self.pose.local.clone(), from })
    }

    /// The edit that turns the joint so that its front looks at what is seen at a point of the viewport (in pixels from its top left): the
    /// skin there, where the joint does not move that itself, else a point halfway between the joint and the eye.
    #[must_use]
    pub fn look_at(self, look: &LookDrag, at: Vec2) -> Option<EditCommand> {
        let model = self.model?;
        let ray = self.view.ray(at);
        let (from, along) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let moves = |node: NodeId| {
            std::iter::successors(Some(node), |n| model.skeleton.parents[n.index()]).any(|n| n == look.joint)
        };
        let hit = self.picking.vertex_at(at);
        let hit = hit.filter(|hit| !self.picking.mover(*hit).is_some_and(moves));
        let forward = -self.view.world_from_view().matrix3.z_axis.as_dvec3();
        let halfway = 0.5 * (look.from - from).dot(forward) / along.dot(forward);
        let target = from + along * hit.map_or(halfway, |hit| f64::from(hit.distance));
        let mut pose = look.before.clone();
        pose::look(model, &mut pose, Aim { joint: look.joint, target });
        let turned = pose.transforms[look.joint.index()].rotation;
        target.is_finite().then_some(EditCommand::Edit(look.joint, ChannelValue::Quaternion(turned)))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::tests::sessions::built_in_session as open;
    use crate::{CameraCommand, Session, ViewFrom};

    /// How far the front of the head points from a position, radians.
    fn off(session: &Session, head: NodeId, target: Vec3) -> f32 {
        let model = session.model().unwrap();
        let rest = pose::world_matrices(model, &model.skeleton.rest, std::iter::once(head))[0].1;
        let front = rest.matrix3.inverse() * model.front().as_dvec3();
        let now = session.pose().model[head.index()];
        (now.matrix3 * front.as_vec3()).angle_between(target - Vec3::from(now.translation))
    }

    #[test]
    fn the_head_looks_at_the_skin_under_the_pointer_and_else_towards_the_viewer() {
        let mut session = open();
        session.apply(CameraCommand::SetViewport(Vec2::new(800.0, 600.0)));
        session.apply(CameraCommand::LookFrom(ViewFrom::Front));
        session.apply(CameraCommand::FrameAll);
        let node = |name: &str| {
            NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
        };
        let (head, hand) = (node("Head"), node("Hand.L"));
        let seen = |session: &Session, node: NodeId| {
            session.view().project(session.pose().model[node.index()].translation.into()).unwrap()
        };
        // Where the bone of the neck ends, the head begins.
        let face = Vec3::from(session.pose().model[head.index()].translation) + 0.1 * Vec3::Y;
        let look = session.gizmos().begin_look(session.view().project(face).unwrap()).unwrap();
        assert_eq!(look.joint(), head);
        let at = seen(&session, hand);
        let hit = session.picking().vertex_at(at).unwrap();
        let ray = session.view().ray(at);
        let on_hand = ray.origin + ray.direction * hit.distance;
        let edit = session.gizmos().look_at(&look, at).unwrap();
        session.apply(edit);
        session.update_pose();
        assert!(off(&session, head, on_hand) < 1e-3, "{}", off(&session, head, on_hand));
        // Beside the figure it looks forward, to the side of the pointer.
        let edit = session.gizmos().look_at(&look, Vec2::new(700.0, 100.0)).unwrap();
        session.apply(edit);
        session.update_pose();
        let ray = session.view().ray(Vec2::new(700.0, 100.0));
        let away = (Vec3::from(session.pose().model[head.index()].translation) - ray.origin).length();
        let near = (1..100).map(|i| off(&session, head, ray.origin + ray.direction * (0.01 * i as f32 * away)));
        assert!(near.fold(f32::MAX, f32::min) < 0.01);
        assert!(session.gizmos().begin_look(Vec2::new(2.0, 2.0)).is_none());
    }
}

//! Rules that an edit of single nodes follows: limits of joints, pins, and the other side where editing is symmetric.
//! Sliders, gizmo and pull send the same commands, so they follow the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DAffine3, Quat};
use skinscope_anim::pose::controls::DriveScratch;
use skinscope_anim::pose::{Limits, Mirror, restore_pinned, world_matrices};
use skinscope_base::math::quat_from_euler_xyz_degrees;
use skinscope_model::{LocalPose, Model, NodeId};

use crate::{ChannelKind, ChannelValue, Document, Edits, History, NodeEdit, Playback, Pose, Session};

/// The rules, and the nodes that they are about. They stay until another model is opened.
#[derive(Clone, Debug, Default)]
pub struct PoseRules {
    /// Whether what is done to one side is done mirrored to the other.
    pub symmetric: bool,
    /// Joints that stay where they are while joints above them are edited.
    pub pins: BTreeSet<NodeId>,
    /// Where pinned joints stood in world space when the open step began.
    pinned_at: Vec<(NodeId, DAffine3)>,
    /// How far joints may turn.
    pub limits: BTreeMap<NodeId, Limits>,
    /// The limits that the file of the model gives to joints.
    stored: BTreeMap<NodeId, Limits>,
    /// Whether joints turn beyond their limits.
    pub ignores_limits: bool,
    /// The first joint of limbs that are pulled, where it is above the joint that is pulled; `None`: limbs have two bones.
    pub pull_root: Option<NodeId>,
    /// The position to whose side limbs bend that are pulled: world space, metres.
    pub pole: Option<[f32; 3]>,
    /// The pairs as the user has changed them.
    mirror: Option<Arc<Mirror>>,
}

impl PoseRules {
    /// The limits that inverse kinematics obeys.
    #[must_use]
    pub fn obeyed_limits(&self) -> Vec<(NodeId, Limits)> {
        let all = self.limits.iter().filter(|_| !self.ignores_limits);
        all.map(|(node, limits)| (*node, *limits)).collect()
    }

    /// The limits of one node, where it has some and they are obeyed.
    #[must_use]
    pub fn obeyed(&self, node: NodeId) -> Option<Limits> {
        self.limits.get(&node).copied().filter(|_| !self.ignores_limits)
    }

    /// What stays when another model is opened, with the limits that its file gives to joints.
    pub(crate) fn for_another_model(&self, model: &Model) -> Self {
        let stored: BTreeMap<NodeId, Limits> = model.limits.iter().copied().collect();
        Self { symmetric: self.symmetric, limits: stored.clone(), stored, ..Self::default() }
    }

    /// Takes the limits that a newer version of the file gives to the same joints. Those that the user has set or taken away stay so.
    pub(crate) fn follow_limits(&mut self, model: &Model) {
        let stored: BTreeMap<NodeId, Limits> = model.limits.iter().copied().collect();
        let mut limits = stored.clone();
        let known: BTreeSet<NodeId> = self.limits.keys().chain(self.stored.keys()).copied().collect();
        for node in known.into_iter().filter(|node| self.has_own_limits(*node)) {
            match self.limits.get(&node) {
                Some(own) => _ = limits.insert(node, *own),
                None => _ = limits.remove(&node),
            }
        }
        (self.limits, self.stored) = (limits, stored);
    }

    /// Follows a model that has gained nodes, or lost them again: it has `count`, and `find` finds those that there were.
    pub(crate) fn follow_nodes(&mut self, count: usize, find: &dyn Fn(NodeId) -> Option<NodeId>) {
        for limits in [&mut self.limits, &mut self.stored] {
            *limits = limits.iter().filter_map(|(node, limits)| Some((find(*node)?, *limits))).collect();
        }
        self.pins = self.pins.iter().filter_map(|node| find(*node)).collect();
        self.pinned_at = self.pinned_at.iter().filter_map(|(node, at)| Some((find(*node)?, *at))).collect();
        self.pull_root = self.pull_root.and_then(find);
        if let Some(mirror) = &self.mirror {
            self.mirror = Some(Arc::new(mirror.for_nodes(count, find)));
        }
    }

    /// Whether the user has changed pairs.
    #[must_use]
    pub fn has_own_pairs(&self) -> bool {
        self.mirror.is_some()
    }

    /// Whether a node has other limits than the file of the model gives to it.
    #[must_use]
    pub(crate) fn has_own_limits(&self, node: NodeId) -> bool {
        self.limits.get(&node) != self.stored.get(&node)
    }

    /// The nodes whose limits of the file the user has taken away.
    pub(crate) fn removed_limits(&self) -> impl Iterator<Item = NodeId> {
        self.stored.keys().filter(|node| !self.limits.contains_key(node)).copied()
    }

    /// How many nodes have other limits than the file of the model gives to them.
    #[must_use]
    pub(crate) fn own_limits(&self) -> usize {
        let all: BTreeSet<&NodeId> = self.limits.keys().chain(self.stored.keys()).collect();
        all.into_iter().filter(|node| self.has_own_limits(**node)).count()
    }

    /// Whether there are limits, pins or pairs that the user has set.
    #[must_use]
    pub fn has_own(&self) -> bool {
        self.limits != self.stored || !self.pins.is_empty() || self.has_own_pairs()
    }

    /// Whether both have the same limits, pins and pairs.
    pub(crate) fn are_same(&self, other: &Self) -> bool {
        let switches = |rules: &Self| (rules.symmetric, rules.ignores_limits);
        switches(self) == switches(other)
            && self.limits == other.limits
            && self.pins == other.pins
            && self.have_same_pairs(other)
    }

    /// Whether both have the same partners, as the user has changed them.
    pub(crate) fn have_same_pairs(&self, other: &Self) -> bool {
        match (&self.mirror, &other.mirror) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a.has_same_pairs(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// The pairs as the user has changed them.
    pub(crate) fn own_pairs(&self) -> Option<&Mirror> {
        self.mirror.as_deref()
    }
}

impl PoseRules {
    /// Gives a node of the open file another partner, or none.
    pub(crate) fn set_partner(&mut self, document: &Document, node: NodeId, partner: Option<NodeId>) {
        let is_there = |node: NodeId| node.index() < document.model.skeleton.len();
        if is_there(node) && partner.is_none_or(is_there) {
            let mut mirror = self.mirror.as_deref().unwrap_or_else(|| document.mirror()).clone();
            mirror.pair(node, partner.unwrap_or(node));
            self.mirror = Some(Arc::new(mirror));
        }
    }

    /// Whether the user has given a node of the open file, or the one that is to be its partner, another partner.
    pub(crate) fn has_other_pair(&self, document: &Document, node: NodeId, partner: Option<NodeId>) -> bool {
        let Some(own) = self.own_pairs() else { return false };
        let (partner, found) = (partner.unwrap_or(node), document.mirror());
        let is_own = |node: NodeId| own.partner(node) != found.partner(node);
        own.partner(node) != partner && (is_own(node) || is_own(partner))
    }

    /// Remembers where pinned joints stand in a pose, unless a step is under way, through all of which they stay where they stood as it began.
    pub(crate) fn note_pins(&mut self, model: &Model, pose: &Pose, history: &History) {
        if !history.is_open() {
            self.pinned_at = world_matrices(model, &pose.local, self.pins.iter().copied());
        }
    }

    /// Takes the pairs as they were found.
    pub(crate) fn forget_pairs(&mut self) {
        self.mirror = None;
    }
}

impl Session {
    /// The rules that edits of single nodes follow.
    #[must_use]
    pub fn rules(&self) -> &PoseRules {
        &self.rules
    }
}

/// The rules that edits of the pose follow, with what they are applied to.
#[derive(Clone, Copy, Debug)]
pub struct EditRules<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) rules: &'a PoseRules,
    pub(crate) edits: &'a Arc<Edits>,
    pub(crate) playback: &'a Playback,
    pub(crate) pose: &'a Pose,
}

impl<'a> EditRules<'a> {
    /// The plane between left and right, and the partner of each node: as they were found, or as the user has changed them.
    #[must_use]
    pub fn mirror(self) -> Option<&'a Mirror> {
        let document = self.document?;
        Some(self.rules.mirror.as_deref().unwrap_or_else(|| document.mirror()))
    }

    /// The node on the other side; `None` where a node has none.
    #[must_use]
    pub fn partner(self, node: NodeId) -> Option<NodeId> {
        let partner = self.mirror()?.partner(node);
        (partner != node).then_some(partner)
    }

    /// A node, and where editing is symmetric its partner too.
    pub(crate) fn with_partner(self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::once(node).chain(self.partner(node).filter(|_| self.rules.symmetric))
    }

    /// The nodes whose partner is not the one that was found, each with the partner that it has.
    #[must_use]
    pub fn changed_pairs(self) -> Vec<[NodeId; 2]> {
        let (Some(own), Some(document)) = (self.rules.own_pairs(), self.document) else { return Vec::new() };
        let nodes = (0..document.model.skeleton.len()).map(NodeId::from_index);
        nodes
            .map(|node| [node, own.partner(node)])
            .filter(|[node, to]| document.mirror().partner(*node) != *to)
            .collect()
    }

    /// Completes an edit that has changed channels of some nodes, as the rules have it.
    pub(crate) fn follow_rules(self, model: &Model, edits: &mut Edits, changed: &[(NodeId, ChannelKind)]) {
        for (node, _) in changed.iter().filter(|(_, kind)| *kind == ChannelKind::Rotation) {
            if let Some(limits) = self.rules.obeyed(*node) {
                limit(model, edits, *node, limits);
            }
        }
        let mut all = changed.to_vec();
        if self.rules.symmetric {
            self.mirror_edits(model, edits, &mut all);
        }
        self.hold_pins(model, edits, &all);
        edits.nodes.retain(|_, edit| *edit != NodeEdit::default());
    }

    /// The pose that is shown, with other edits, before controls act.
    fn with_edits(self, edits: &Edits) -> LocalPose {
        let mut pose = self.pose.undriven().clone();
        edits.apply(&mut pose);
        pose
    }

    /// What controls make of a pose.
    fn driven(self, model: &Model, mut pose: LocalPose) -> LocalPose {
        if let Some(driving) = self.pose.driving(self.playback, self.edits) {
            driving.drive(model, self.playback.time_secs, &mut DriveScratch::default(), &mut pose);
        }
        pose
    }

    /// Does to the partners of the changed nodes, mirrored, what was done to these. A node that was changed itself stays as it
    /// is.
    fn mirror_edits(self, model: &Model, edits: &mut Edits, changed: &mut Vec<(NodeId, ChannelKind)>) {
        let Some(mirror) = self.mirror() else { return };
        let now = self.with_edits(edits);
        let exchanged = mirror.exchanged(model, &now);
        for (node, kind) in changed.clone() {
            let partner = mirror.partner(node);
            if changed.iter().any(|(other, _)| *other == partner) {
                continue;
            }
            let to = exchanged.transforms[partner.index()];
            let edit = edits.nodes.entry(partner).or_default();
            match kind {
                ChannelKind::Translation => {
                    edit.set_translation(to.translation, exchanged.wide.offset(partner), now.wide.offset(partner));
                }
                ChannelKind::Rotation => edit.set(ChannelValue::Quaternion(to.rotation)),
                ChannelKind::Scale => edit.set(ChannelValue::Scale(to.scale)),
            }
            changed.push((partner, kind));
        }
    }

    /// Turns the limbs of pinned joints so that these stand as they stood when the step began.
    fn hold_pins(self, model: &Model, edits: &mut Edits, changed: &[(NodeId, ChannelKind)]) {
        if self.rules.pinned_at.is_empty() || self.rules.pins.is_empty() {
            return;
        }
        let before = self.driven(model, self.with_edits(edits));
        let mut pose = before.clone();
        let moved: Vec<NodeId> = changed.iter().map(|(node, _)| *node).collect();
        let limits = self.rules.obeyed_limits();
        // A held joint stays by itself, at every moment.
        let stays = |pin: &NodeId| self.rules.pins.contains(pin) && !self.edits.held.contains_key(pin);
        for (pin, at) in self.rules.pinned_at.iter().filter(|(pin, _)| stays(pin)) {
            if !moved.contains(pin) {
                restore_pinned(model, &mut pose, *at, &moved, &limits, *pin);
            }
        }
        for (i, (now, was)) in pose.transforms.iter().zip(&before.transforms).enumerate() {
            if now.rotation != was.rotation {
                let edit = edits.nodes.entry(NodeId::from_index(i)).or_default();
                edit.set(ChannelValue::Quaternion(now.rotation));
            }
        }
    }
}

/// Turns the edited rotation of a node back into its limits.
fn limit(model: &Model, edits: &mut Edits, node: NodeId, limits: Limits) {
    let Some(edit) = edits.nodes.get_mut(&node) else { return };
    let Some(now) = edit.quaternion.or(edit.rotation.map(quat_from_euler_xyz_degrees)) else { return };
    let rest: Quat = model.skeleton.rest.transforms[node.index()].rotation;
    if let Some(within) = limits.brought_back(rest, now) {
        edit.set(ChannelValue::Quaternion(within));
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::tests::sessions::built_in_session as open;
    use crate::{EditCommand, PosingCommand, SelectionCommand};

    fn node(session: &Session, name: &str) -> NodeId {
        NodeId::from_index(session.model().unwrap().skeleton.names.iter().position(|n| n == name).unwrap())
    }

    fn position(session: &mut Session, name: &str) -> DVec3 {
        session.update_pose();
        let node = node(session, name);
        session.pose().model[node.index()].translation.as_dvec3()
    }

    fn steps_back(session: &Session) -> usize {
        let mut session = session.clone();
        std::iter::from_fn(|| session.history().can_undo().then(|| session.apply(EditCommand::Undo))).count()
    }

    #[test]
    fn what_is_done_to_one_side_is_done_mirrored_to_the_other_in_one_step() {
        let mut session = open();
        session.apply(PosingCommand::ToggleSymmetric);
        let arm = node(&session, "UpperArm.L");
        for angle in [10.0, 25.0, 40.0] {
            session.apply(EditCommand::Edit(arm, ChannelValue::Rotation(Vec3::new(angle, 20.0, -angle))));
            let (left, right) = (position(&mut session, "Hand.L"), position(&mut session, "Hand.R"));
            assert!((left * DVec3::new(-1.0, 1.0, 1.0)).distance(right) < 1e-5, "{left} {right}");
        }
        session.apply(EditCommand::EndEdit);
        // What was typed into the sliders of this side stands there still.
        assert_eq!(session.edits().nodes[&arm].rotation, Some(Vec3::new(40.0, 20.0, -40.0)));
        let shin = node(&session, "LowerLeg.R");
        let turned = [(shin, Quat::from_rotation_x(0.7))];
        session.apply(EditCommand::TurnNodes(Arc::from(turned)));
        session.apply(EditCommand::EndEdit);
        let (left, right) = (position(&mut session, "Foot.L"), position(&mut session, "Foot.R"));
        assert!((left * DVec3::new(-1.0, 1.0, 1.0)).distance(right) < 1e-5, "{left} {right}");
        assert_eq!(steps_back(&session), 2);
        // A joint that is given back takes its partner along.
        session.apply(SelectionCommand::Select(Some(shin)));
        session.apply(EditCommand::ResetJoint);
        assert!(!session.edits().nodes.contains_key(&node(&session, "LowerLeg.L")));
        // Switched off, the other side stays.
        session.apply(PosingCommand::ToggleSymmetric);
        session.apply(EditCommand::Edit(shin, ChannelValue::Scale(Vec3::splat(1.1))));
        assert!(!session.edits().nodes.contains_key(&node(&session, "LowerLeg.L")));
    }

    #[test]
    fn a_pulled_hand_takes_the_other_one_along_and_back() {
        let mut session = open();
        session.apply(PosingCommand::ToggleSymmetric);
        let hand = Vec3::from(session.pose().model[node(&session, "Hand.L").index()].translation);
        let at = session.view().project(hand).unwrap();
        let pull = session.gizmos().begin_pull(at).unwrap();
        for (x, y) in [(10.0, 30.0), (-30.0, 60.0), (-20.0, 10.0)] {
            session.apply(session.gizmos().pull_to(&pull, at + glam::Vec2::new(x, y)).unwrap());
            let (left, right) = (position(&mut session, "Hand.L"), position(&mut session, "Hand.R"));
            assert!((left * DVec3::new(-1.0, 1.0, 1.0)).distance(right) < 1e-4, "{left} {right}");
        }
    }

    #[test]
    fn pairs_can_be_changed_and_forgotten() {
        let mut session = open();
        let [arm, other, head] = ["UpperArm.L", "UpperArm.R", "Head"].map(|name| node(&session, name));
        assert_eq!((session.edit_rules().partner(arm), session.edit_rules().partner(head)), (Some(other), None));
        session.apply(PosingCommand::SetPartner(arm, None));
        assert_eq!((session.edit_rules().partner(arm), session.edit_rules().partner(other)), (None, None));
        session.apply(PosingCommand::SetPartner(head, Some(other)));
        assert_eq!((session.edit_rules().partner(other), session.edit_rules().partner(arm)), (Some(head), None));
        session.apply(PosingCommand::SetPartner(NodeId(9999), Some(arm)));
        session.apply(PosingCommand::ForgetPairs);
        assert_eq!((session.edit_rules().partner(arm), session.edit_rules().partner(head)), (Some(other), None));
    }

    #[test]
    fn pinned_feet_and_hands_stay_while_the_hips_move_and_turn() {
        let mut session = open();
        let pinned = ["Foot.L", "Foot.R", "Hand.L"];
        for name in pinned {
            session.apply(PosingCommand::TogglePin(node(&session, name)));
        }
        let before = pinned.map(|name| position(&mut session, name));
        let hips = node(&session, "Hips");
        let rest = session.model().unwrap().skeleton.rest.transforms[hips.index()];
        for k in 1..=10 {
            let by = 0.01 * k as f32;
            let moved = rest.translation + Vec3::new(0.3 * by, -by, 0.5 * by);
            session.apply(EditCommand::Edit(hips, ChannelValue::Translation(moved)));
            for (name, was) in pinned.iter().zip(before) {
                let now = position(&mut session, name);
                assert!(now.distance(was) < 2e-5, "{name} after {by}: {now} {was}");
            }
        }
        session.apply(EditCommand::EndEdit);
        assert_eq!(steps_back(&session), 1);
        let turned = rest.rotation * Quat::from_rotation_y(0.2);
        session.apply(EditCommand::Edit(hips, ChannelValue::Quaternion(turned)));
        session.apply(EditCommand::EndEdit);
        for (name, was) in pinned.iter().zip(before) {
            assert!(position(&mut session, name).distance(was) < 2e-5, "{name}");
        }
        // A foot that is let go follows, and a pinned joint can be moved itself.
        session.apply(PosingCommand::TogglePin(node(&session, "Foot.R")));
        session.apply(EditCommand::Edit(hips, ChannelValue::Translation(rest.translation)));
        session.apply(EditCommand::EndEdit);
        assert!(position(&mut session, "Foot.R").distance(before[1]) > 0.01);
        assert!(position(&mut session, "Foot.L").distance(before[0]) < 2e-5);
        let hand = node(&session, "Hand.L");
        session.apply(EditCommand::Edit(hand, ChannelValue::Translation(Vec3::splat(0.1))));
        session.apply(EditCommand::EndEdit);
        assert!(position(&mut session, "Hand.L").distance(before[2]) > 0.01);
    }

    #[test]
    fn limits_are_obeyed_by_sliders_turns_and_pull_until_they_are_switched_off() {
        let mut session = open();
        let elbow = node(&session, "LowerArm.L");
        let limits = Limits { least: Vec3::new(-10.0, -90.0, -20.0), most: Vec3::new(30.0, 5.0, 20.0) };
        session.apply(PosingCommand::SetLimits(elbow, Some(limits)));
        let angles = |session: &mut Session| {
            session.update_pose();
            let rest = session.model().unwrap().skeleton.rest.transforms[elbow.index()].rotation;
            Limits::angles(rest, session.pose().local.transforms[elbow.index()].rotation)
        };
        let within = |angles: Vec3| {
            let (low, high) = (limits.least - Vec3::splat(1e-3), limits.most + Vec3::splat(1e-3));
            assert!(angles.cmpge(low).all() && angles.cmple(high).all(), "{angles}");
        };
        session.apply(EditCommand::Edit(elbow, ChannelValue::Rotation(Vec3::new(80.0, 40.0, 0.0))));
        session.apply(EditCommand::EndEdit);
        within(angles(&mut session));
        let rest = session.model().unwrap().skeleton.rest.transforms[elbow.index()].rotation;
        session.apply(EditCommand::TurnNodes(Arc::from([(elbow, rest * Quat::from_rotation_z(2.0))])));
        session.apply(EditCommand::EndEdit);
        within(angles(&mut session));
        let hand = Vec3::from(session.pose().model[node(&session, "Hand.L").index()].translation);
        let at = session.view().project(hand).unwrap();
        let pull = session.gizmos().begin_pull(at).unwrap();
        for k in 0..12 {
            let way = 15.0 * glam::Vec2::from_angle(0.5 * k as f32) * k as f32;
            if let Some(edit) = session.gizmos().pull_to(&pull, at + way) {
                session.apply(edit);
            }
            within(angles(&mut session));
        }
        session.apply(EditCommand::EndEdit);
        session.apply(PosingCommand::ToggleLimits);
        session.apply(EditCommand::Edit(elbow, ChannelValue::Rotation(Vec3::new(80.0, 40.0, 0.0))));
        assert_eq!(session.edits().nodes[&elbow].rotation, Some(Vec3::new(80.0, 40.0, 0.0)));
    }
}

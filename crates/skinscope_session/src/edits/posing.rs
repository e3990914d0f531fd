//! Poses as a whole: copied, pasted, mirrored.

use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::{Limits, PoseFile, capture, resolve};
use skinscope_inspect::symmetry::NoPlane;
use skinscope_model::{LocalPose, Model, NodeId};

use crate::edits::blended_pose::LastBlended;
use crate::{
    BlendedPose, ChannelKind, ChannelValue, Document, EditRules, Edits, History, PoseRules, PoseSource, Session,
};

/// Commands about the pose as a whole, and the rules that edits follow. Each that changes the pose is one step that can be
/// undone.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum PosingCommand {
    /// Exchange left and right of the pose that is shown.
    Mirror,
    /// Exchange the limb below the selected node with that on the other side, and leave the rest.
    Flip,
    /// Remember the pose that is shown.
    Copy,
    /// Show the pose that was copied last.
    Paste,
    /// Show the pose that was copied last, with left and right exchanged.
    PasteMirrored,
    /// Blend this pose over the one that is shown. Given again with another share, and nothing edited in between, it replaces the
    /// one before, as the same step.
    #[serde(rename = "Lay")]
    Blend(BlendedPose),
    /// Switch whether what is done to one side is done mirrored to the other.
    ToggleSymmetric,
    /// Give a node another partner on the other side, or none.
    SetPartner(NodeId, Option<NodeId>),
    /// Take the pairs as they were found.
    ForgetPairs,
    /// Let a joint stay where it is while joints above it are edited, or let it go.
    TogglePin(NodeId),
    /// Do that with the selected joint.
    TogglePinSelected,
    /// Let all pinned joints go.
    Unpin,
    /// Let a joint stay where it is now over the whole clip, its limb following by inverse kinematics, or let it go.
    ToggleHeld(NodeId),
    /// Do that with the selected joint.
    ToggleHeldSelected,
    /// Let limbs that are pulled begin at this joint, where it is above the joint that is pulled; `None`: they have two bones.
    SetPullRoot(Option<NodeId>),
    /// Let limbs that are pulled bend to the side of this position (world space, metres).
    SetPole(Option<[f32; 3]>),
    /// Limit how far a joint turns, or let it turn freely.
    SetLimits(NodeId, Option<Limits>),
    /// Switch whether limits are obeyed.
    ToggleLimits,
}

/// The poses that were copied and blended over others last.
#[derive(Clone, Debug, Default)]
pub struct Posing {
    /// The pose that was copied last; it stays when another model is opened.
    pub(crate) copied: Option<Arc<PoseFile>>,
    /// The pose that was blended over the others last.
    pub(crate) last_blended: Option<LastBlended>,
}

impl Posing {
    /// The pose that was copied last, of whatever model.
    #[must_use]
    pub(crate) fn copied_pose(&self) -> Option<&Arc<PoseFile>> {
        self.copied.as_ref()
    }
}

impl Session {
    /// The pose that is shown, as the content of a pose file of this name.
    #[must_use]
    pub fn pose_file(&mut self, name: &str) -> Option<PoseFile> {
        self.update_pose();
        Some(capture(self.model()?, &self.pose().local, name))
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &PosingCommand) {
    let selected = session.view().selected;
    if session.pose_edits().change_rules(selected, command) {
        return;
    }
    let held = match command {
        PosingCommand::Blend(blended) => {
            session.pose_edits().take_back(blended);
            session.update_pose();
            let Some(edits) = session.edit_rules().blended(blended) else { return };
            return session.pose_edits().blend(blended, edits);
        }
        PosingCommand::ToggleHeld(node) => Some(*node),
        PosingCommand::ToggleHeldSelected if selected.is_none() => return,
        PosingCommand::ToggleHeldSelected => selected,
        _ => None,
    };
    if let Some(node) = held {
        session.update_pose();
        if let Some(edits) = session.edit_rules().with_held(node) {
            session.pose_edits().change(edits);
        }
        return;
    }
    let mirrors = matches!(command, PosingCommand::Mirror | PosingCommand::Flip | PosingCommand::PasteMirrored);
    if mirrors && session.edit_rules().mirror_refusal().is_some() {
        return;
    }
    session.update_pose();
    let (Some(document), Some(mirror)) = (session.document(), session.edit_rules().mirror()) else { return };
    let model = Arc::clone(&document.model);
    let shown = session.pose().undriven();
    let wanted = match command {
        PosingCommand::Copy => {
            let copied = session.pose_file("").map(Arc::new);
            session.pose_edits().posing.copied = copied;
            return;
        }
        PosingCommand::Mirror => mirror.exchanged(&model, shown),
        PosingCommand::Flip => {
            let Some(limb) = selected else { return };
            mirror.flipped(&model, shown, limb)
        }
        PosingCommand::Paste | PosingCommand::PasteMirrored => {
            let Some(copied) = session.posing().copied_pose() else { return };
            let mut pose = model.skeleton.rest.clone();
            resolve(&model, copied).apply(&mut pose);
            if *command == PosingCommand::PasteMirrored { mirror.exchanged(&model, &pose) } else { pose }
        }
        _ => return,
    };
    let edits = session.edit_rules().edits_towards(&model, &wanted);
    session.pose_edits().change(edits);
}

/// The edits of the pose and the rules that they follow, with the poses that were copied and blended, and the steps that lead back.
pub(crate) struct PoseEdits<'a> {
    pub document: Option<&'a Document>,
    pub edits: &'a mut Arc<Edits>,
    pub rules: &'a mut PoseRules,
    pub posing: &'a mut Posing,
    pub history: &'a mut History,
}

impl PoseEdits<'_> {
    /// Replaces the edits, as a step of its own.
    pub(crate) fn change(&mut self, edits: Edits) {
        self.history.change_edits(self.edits, edits);
    }

    /// Carries out a command about the rules of edits; returns whether it was one.
    fn change_rules(&mut self, selected: Option<NodeId>, command: &PosingCommand) -> bool {
        let is_about_rules = change_rules(self.document, self.rules, selected, command);
        if is_about_rules {
            // Limbs of held joints obey the limits as they are now.
            if !self.edits.held.is_empty() {
                *self.edits = Arc::new(Edits::clone(self.edits));
            }
            // What follows is another step, in which pinned joints stay where they stand now.
            self.history.close_step();
        }
        is_about_rules
    }

    /// Takes the pose out that was blended last, where the same pose takes its place.
    fn take_back(&mut self, blended: &BlendedPose) {
        self.posing.take_back(blended, self.edits, self.history);
    }

    /// Takes the edits that a pose has become which was blended over the others.
    fn blend(&mut self, blended: &BlendedPose, edits: Edits) {
        let before = Arc::clone(self.edits);
        self.history.change_edits(self.edits, edits);
        self.posing.note_blended(blended, before, self.edits);
    }
}

/// Carries out a command about the rules of edits; returns whether it was one.
fn change_rules(
    document: Option<&Document>,
    rules: &mut PoseRules,
    selected: Option<NodeId>,
    command: &PosingCommand,
) -> bool {
    let count = document.map_or(0, |document| document.model.skeleton.len());
    let toggle = |pins: &mut std::collections::BTreeSet<NodeId>, node: NodeId| {
        if node.index() < count && !pins.remove(&node) {
            pins.insert(node);
        }
    };
    match *command {
        PosingCommand::ToggleSymmetric => rules.symmetric = !rules.symmetric,
        PosingCommand::SetPartner(node, partner) => {
            if let Some(document) = document {
                rules.set_partner(document, node, partner);
            }
        }
        PosingCommand::ForgetPairs => rules.forget_pairs(),
        PosingCommand::TogglePin(node) => toggle(&mut rules.pins, node),
        PosingCommand::TogglePinSelected => {
            if let Some(node) = selected {
                toggle(&mut rules.pins, node);
            }
        }
        PosingCommand::Unpin => rules.pins.clear(),
        PosingCommand::SetLimits(node, limits) => match limits.filter(|_| node.index() < count) {
            Some(limits) => _ = rules.limits.insert(node, limits),
            None => _ = rules.limits.remove(&node),
        },
        PosingCommand::SetPullRoot(root) => rules.pull_root = root.filter(|root| root.index() < count),
        PosingCommand::SetPole(pole) => {
            rules.pole = pole.filter(|pole| pole.iter().all(|v| v.is_finite()));
        }
        PosingCommand::ToggleLimits => rules.ignores_limits = !rules.ignores_limits,
        PosingCommand::Mirror
        | PosingCommand::Flip
        | PosingCommand::Blend(_)
        | PosingCommand::ToggleHeld(_)
        | PosingCommand::ToggleHeldSelected
        | PosingCommand::Copy
        | PosingCommand::Paste
        | PosingCommand::PasteMirrored => return false,
    }
    true
}

impl EditRules<'_> {
    /// Returns why no pose can be mirrored: the model has no plane of symmetry, and the user has paired no nodes.
    #[must_use]
    pub(crate) fn mirror_refusal(self) -> Option<NoPlane> {
        self.document?.without_mirror().filter(|_| !self.rules.has_own_pairs())
    }

    /// Returns the edits by which a joint, and where editing is symmetric its partner, stays where it stands now, or is let go; `None` where
    /// there is no such joint.
    fn with_held(self, node: NodeId) -> Option<Edits> {
        if node.index() >= self.pose.model.len() {
            return None;
        }
        let mut edits = Edits::clone(self.edits);
        let lets_go = edits.held.contains_key(&node);
        for node in self.with_partner(node) {
            match lets_go {
                true => _ = edits.held.remove(&node),
                false => _ = edits.held.insert(node, self.pose.model[node.index()]),
            }
        }
        Some(edits)
    }

    /// Returns the edits that change the pose that is shown, before controls act, to `wanted`. A channel that is already as it is wanted stays as
    /// it is, edited or not, and one that comes to what the model shows without edits needs none.
    pub(crate) fn edits_towards(self, model: &Model, wanted: &LocalPose) -> Edits {
        let mut edits = Edits::clone(self.edits);
        let shown = self.pose.undriven();
        let rests = self.playback.source == PoseSource::Rest;
        for (i, (to, now)) in wanted.transforms.iter().zip(&shown.transforms).enumerate() {
            let rest = Some(model.skeleton.rest.transforms[i]).filter(|_| rests);
            let node = NodeId::from_index(i);
            let (added, shown_added) = (wanted.wide.offset(node), shown.wide.offset(node));
            let edit = edits.nodes.entry(node).or_default();
            if to.rotation != now.rotation {
                edit.clear(ChannelKind::Rotation);
                if rest.is_none_or(|rest| rest.rotation != to.rotation) {
                    edit.set(ChannelValue::Quaternion(to.rotation));
                }
            }
            if to.translation != now.translation || added != shown_added {
                if added == DVec3::ZERO && rest.is_some_and(|rest| rest.translation == to.translation) {
                    edit.clear(ChannelKind::Translation);
                } else {
                    edit.set_translation(to.translation, added, shown_added);
                }
            }
            if to.scale != now.scale {
                edit.scale = Some(to.scale).filter(|to| rest.is_none_or(|rest| rest.scale != *to));
            }
        }
        edits.nodes.retain(|_, edit| *edit != crate::NodeEdit::default());
        let rest = &model.skeleton.rest.morph_weights;
        for (index, (to, now)) in wanted.morph_weights.iter().zip(&shown.morph_weights).enumerate() {
            if to == now {
                continue;
            }
            if rests && rest.get(index) == Some(to) {
                edits.morphs.remove(&index);
            } else {
                edits.morphs.insert(index, *to);
            }
        }
        edits
    }
}

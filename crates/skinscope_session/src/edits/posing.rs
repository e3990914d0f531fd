//! Poses as a whole: copied, pasted, mirrored.

use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::{Limits, PoseFile, capture, resolve};
use skinscope_inspect::symmetry::NoPlane;
use skinscope_model::{LocalPose, Model, NodeId};

use crate::edits::blended_pose::{self, LastBlended};
use crate::{BlendedPose, ChannelKind, ChannelValue, EditRules, Edits, PoseSource, Session};

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
        Some(capture(self.model()?, &self.pose.local, name))
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &PosingCommand) {
    if change_rules(session, command) {
        return;
    }
    match command {
        PosingCommand::Blend(blended) => return blended_pose::blend_over(session, blended),
        PosingCommand::ToggleHeld(node) => return toggle_held(session, *node),
        PosingCommand::ToggleHeldSelected => {
            return session.view.selected.into_iter().for_each(|node| toggle_held(session, node));
        }
        _ => {}
    }
    let mirrors = matches!(command, PosingCommand::Mirror | PosingCommand::Flip | PosingCommand::PasteMirrored);
    if mirrors && session.edit_rules().mirror_refusal().is_some() {
        return;
    }
    session.update_pose();
    let (Some(document), Some(mirror)) = (&session.document, session.edit_rules().mirror()) else { return };
    let model = Arc::clone(&document.model);
    let shown = session.pose().undriven();
    let wanted = match command {
        PosingCommand::Copy => {
            session.posing.copied = session.pose_file("").map(Arc::new);
            return;
        }
        PosingCommand::Mirror => mirror.exchanged(&model, shown),
        PosingCommand::Flip => {
            let Some(limb) = session.view.selected else { return };
            mirror.flipped(&model, shown, limb)
        }
        PosingCommand::Paste | PosingCommand::PasteMirrored => {
            let Some(copied) = &session.posing.copied else { return };
            let mut pose = model.skeleton.rest.clone();
            resolve(&model, copied).apply(&mut pose);
            if *command == PosingCommand::PasteMirrored { mirror.exchanged(&model, &pose) } else { pose }
        }
        _ => return,
    };
    let edits = session.edit_rules().edits_towards(&model, &wanted);
    session.history.change_edits(&mut session.edits, edits);
}

/// Lets a joint, and where editing is symmetric its partner, stay where it stands now, or lets it go.
fn toggle_held(session: &mut Session, node: NodeId) {
    session.update_pose();
    if node.index() >= session.pose.model.len() {
        return;
    }
    let mut edits = Edits::clone(&session.edits);
    let lets_go = edits.held.contains_key(&node);
    for node in session.edit_rules().with_partner(node) {
        match lets_go {
            true => _ = edits.held.remove(&node),
            false => _ = edits.held.insert(node, session.pose.model[node.index()]),
        }
    }
    session.history.change_edits(&mut session.edits, edits);
}

/// Carries out a command about the rules of edits; returns whether it was one.
fn change_rules(session: &mut Session, command: &PosingCommand) -> bool {
    let count = session.model().map_or(0, |model| model.skeleton.len());
    let toggle = |pins: &mut std::collections::BTreeSet<NodeId>, node: NodeId| {
        if node.index() < count && !pins.remove(&node) {
            pins.insert(node);
        }
    };
    match *command {
        PosingCommand::ToggleSymmetric => session.rules.symmetric = !session.rules.symmetric,
        PosingCommand::SetPartner(node, partner) => {
            if let Some(document) = &session.document {
                session.rules.set_partner(document, node, partner);
            }
        }
        PosingCommand::ForgetPairs => session.rules.forget_pairs(),
        PosingCommand::TogglePin(node) => toggle(&mut session.rules.pins, node),
        PosingCommand::TogglePinSelected => {
            if let Some(node) = session.view.selected {
                toggle(&mut session.rules.pins, node);
            }
        }
        PosingCommand::Unpin => session.rules.pins.clear(),
        PosingCommand::SetLimits(node, limits) => match limits.filter(|_| node.index() < count) {
            Some(limits) => _ = session.rules.limits.insert(node, limits),
            None => _ = session.rules.limits.remove(&node),
        },
        PosingCommand::SetPullRoot(root) => session.rules.pull_root = root.filter(|root| root.index() < count),
        PosingCommand::SetPole(pole) => {
            session.rules.pole = pole.filter(|pole| pole.iter().all(|v| v.is_finite()));
        }
        PosingCommand::ToggleLimits => session.rules.ignores_limits = !session.rules.ignores_limits,
        PosingCommand::Mirror
        | PosingCommand::Flip
        | PosingCommand::Blend(_)
        | PosingCommand::ToggleHeld(_)
        | PosingCommand::ToggleHeldSelected
        | PosingCommand::Copy
        | PosingCommand::Paste
        | PosingCommand::PasteMirrored => return false,
    }
    // Limbs of held joints obey the limits as they are now.
    if !session.edits.held.is_empty() {
        session.edits = Arc::new(Edits::clone(&session.edits));
    }
    // What follows is another step, in which pinned joints stay where they stand now.
    session.history.close_step();
    true
}

impl EditRules<'_> {
    /// Returns why no pose can be mirrored: the model has no plane of symmetry, and the user has paired no nodes.
    #[must_use]
    pub(crate) fn mirror_refusal(self) -> Option<NoPlane> {
        self.document?.without_mirror().filter(|_| !self.rules.has_own_pairs())
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

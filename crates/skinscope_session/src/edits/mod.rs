//! The user's edits, and their undo history.

pub(crate) mod blended_pose;
pub(crate) mod controls;
pub(crate) mod history;
pub(crate) mod posing;
pub(crate) mod rules;

pub use self::blended_pose::BlendedPose;
pub use self::controls::{ControlCommand, ControlState};
pub use self::history::History;
pub use self::posing::{Posing, PosingCommand};
pub use self::rules::{EditRules, PoseRules};

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim::pose::controls::Controls;
use skinscope_anim::pose::{Resolved, unit};
use skinscope_base::math::{euler_xyz_degrees, quat_from_euler_xyz_degrees};
use skinscope_model::{LocalPose, Model, NodeId, parted};

use crate::edits::history::{Changed, Marks};
use crate::playback::clips;
use crate::{EditCommand, PoseEdits, Session};

/// The user's edits of the pose. They replace what the clip (or the rest or bind pose) says, until they are reset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    /// The edits of each node; never an entry without a channel.
    pub nodes: BTreeMap<NodeId, NodeEdit>,
    /// The edited morph weights, by index in [`LocalPose::morph_weights`].
    pub morphs: BTreeMap<usize, f32>,
    /// Joints that stay where they are over the clip, with their matrices `model_from_node`. Their limbs follow by inverse kinematics.
    pub held: BTreeMap<NodeId, Affine3A>,
    /// Sliders, and what drives joints by them.
    pub controls: Arc<Controls>,
}

/// Edited channels of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeEdit {
    /// The translation, metres.
    pub translation: Option<Vec3>,
    /// What is added to this translation ([`skinscope_model::Wide`]), metres in the space of the parent; `None`: what the clip adds. Only
    /// poses that lead far from the origin have one.
    pub far: Option<DVec3>,
    /// The rotation as Euler angles XYZ in degrees ([`skinscope_base::math::euler_xyz_degrees`]), stored as typed, so that sliders
    /// do not jump.
    pub rotation: Option<Vec3>,
    /// The same rotation as a quaternion, where a pose gave one: of any length but 0, stored to the bit. Then `rotation`
    /// holds its angles.
    pub quaternion: Option<Quat>,
    /// The scale factors.
    pub scale: Option<Vec3>,
}

/// A channel of a node with its new value.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ChannelValue {
    /// A translation, metres.
    Translation(#[serde(with = "skinscope_base::text_form::vector")] Vec3),
    /// A rotation as Euler angles XYZ, degrees.
    Rotation(#[serde(with = "skinscope_base::text_form::vector")] Vec3),
    /// Scale factors.
    Scale(#[serde(with = "skinscope_base::text_form::vector")] Vec3),
    /// A rotation as a quaternion of length 1.
    Quaternion(#[serde(with = "skinscope_base::text_form::vector")] Quat),
}

/// A channel of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum ChannelKind {
    Translation,
    Rotation,
    Scale,
}

impl ChannelValue {
    /// The channel whose value it is.
    #[must_use]
    pub fn kind(self) -> ChannelKind {
        match self {
            Self::Translation(_) => ChannelKind::Translation,
            Self::Rotation(_) | Self::Quaternion(_) => ChannelKind::Rotation,
            Self::Scale(_) => ChannelKind::Scale,
        }
    }
}

impl NodeEdit {
    /// Replaces one channel.
    pub fn set(&mut self, value: ChannelValue) {
        match value {
            ChannelValue::Translation(v) => self.translation = Some(v),
            ChannelValue::Rotation(v) => (self.rotation, self.quaternion) = (Some(v), None),
            ChannelValue::Scale(v) => self.scale = Some(v),
            ChannelValue::Quaternion(q) => {
                (self.rotation, self.quaternion) = (Some(euler_xyz_degrees(unit(q).unwrap_or_default())), Some(q));
            }
        }
    }

    /// Replaces the translation by one in two parts, where the pose that is shown adds `shown` to it. Where nothing is added, before and
    /// after, it is an edit as sliders make it.
    pub(super) fn set_translation(&mut self, translation: Vec3, added: DVec3, shown: DVec3) {
        let is_far = added != DVec3::ZERO || shown != DVec3::ZERO || self.far.is_some();
        (self.translation, self.far) = (Some(translation), is_far.then_some(added));
    }

    /// Gives one channel back to the clip.
    pub fn clear(&mut self, kind: ChannelKind) {
        match kind {
            ChannelKind::Translation => (self.translation, self.far) = (None, None),
            ChannelKind::Rotation => (self.rotation, self.quaternion) = (None, None),
            ChannelKind::Scale => self.scale = None,
        }
    }
}

impl Edits {
    /// Returns whether nothing of the pose is edited, and every slider has its default value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.morphs.is_empty() && self.held.is_empty() && self.controls.is_at_default()
    }

    /// Returns the same controls, with sliders as they are, and no other edit.
    pub(super) fn without_pose(&self) -> Self {
        Self { controls: Arc::clone(&self.controls), ..Self::default() }
    }

    /// Adds the channels of a pose, which replace edits of the same channels. `is_far` says whether clips of the model lead far away.
    pub fn add(&mut self, said: &Resolved, is_far: bool) {
        for (node, channels) in &said.nodes {
            let edit = self.nodes.entry(*node).or_default();
            if let Some(rotation) = channels.rotation.map(Quat::from_array) {
                edit.quaternion = Some(rotation);
                edit.rotation = Some(euler_xyz_degrees(unit(rotation).unwrap_or_default()));
            }
            if let Some(translation) = channels.translation {
                let (added, near) = parted(DVec3::from_array(translation));
                (edit.translation, edit.far) = (Some(near), (is_far || added != DVec3::ZERO).then_some(added));
            }
            edit.scale = channels.scale.map(Vec3::from_array).or(edit.scale);
        }
        self.nodes.retain(|_, edit| *edit != NodeEdit::default());
        self.morphs.extend(said.morphs.iter().copied());
    }

    /// Returns the same edits of a model whose nodes have other ids, which `find` finds. Those of nodes that are there no more are left out.
    pub(crate) fn following(&self, find: &dyn Fn(NodeId) -> Option<NodeId>) -> Self {
        Self {
            nodes: self.nodes.iter().filter_map(|(node, edit)| Some((find(*node)?, *edit))).collect(),
            held: self.held.iter().filter_map(|(node, at)| Some((find(*node)?, *at))).collect(),
            ..self.clone()
        }
    }

    /// Returns the same edits of a model whose morph weights are at other places in a pose. Those that are there no more are left out.
    pub(crate) fn with_morphs_at(&self, places: &[Option<usize>]) -> Self {
        let place = |(at, weight): (&usize, &f32)| Some(((*places.get(*at)?)?, *weight));
        Self { morphs: self.morphs.iter().filter_map(place).collect(), ..self.clone() }
    }

    /// Writes the edits over `pose`.
    pub fn apply(&self, pose: &mut LocalPose) {
        for (node, edit) in &self.nodes {
            let Some(transform) = pose.transforms.get_mut(node.index()) else { continue };
            transform.translation = edit.translation.unwrap_or(transform.translation);
            let turned = edit.quaternion.map(usable).or(edit.rotation.map(quat_from_euler_xyz_degrees));
            transform.rotation = turned.unwrap_or(transform.rotation);
            transform.scale = edit.scale.unwrap_or(transform.scale);
            if let (Some(_), Some(added)) = (edit.translation, edit.far) {
                pose.wide.set_offset(*node, added);
            }
        }
        for (&index, &weight) in &self.morphs {
            if let Some(w) = pose.morph_weights.get_mut(index) {
                *w = weight;
            }
        }
    }
}

/// Returns a rotation from which matrices may be made: normalised, but to the bit where its length is 1 but for
/// rounding.
fn usable(rotation: Quat) -> Quat {
    if (rotation.length_squared() - 1.0).abs() < 1e-6 { rotation } else { unit(rotation).unwrap_or_default() }
}

/// Carries out a command of its family.
pub(super) fn apply(session: &mut Session, command: &EditCommand) {
    if matches!(
        command,
        EditCommand::Undo
            | EditCommand::Redo
            | EditCommand::ChangeWeights(_)
            | EditCommand::NormaliseWeights
            | EditCommand::Bind(_)
            | EditCommand::InsertLinks(..)
            | EditCommand::Shape(_)
    ) {
        session.stop_trial();
    }
    let Some(model) = session.model().map(Arc::clone) else { return };
    // Partners and pinned joints follow the pose that is shown.
    if session.rules().symmetric || !session.rules().pins.is_empty() {
        session.update_pose();
        session.pose_edits().note_pins(&model);
    }
    let mut edits = Edits::clone(session.edits());
    match *command {
        EditCommand::Undo => return take_step(session, model, History::undo),
        EditCommand::Redo => return take_step(session, model, History::redo),
        EditCommand::ChangeWeights(ref changes) => return session.skinning().change_weights(changes),
        EditCommand::NormaliseWeights => return session.skinning().normalise_weights(),
        // One that does not fit the model is ignored as a whole.
        EditCommand::Bind(ref change) => {
            if session.bind(change).is_ok() {
                session.note_given();
            }
            return;
        }
        EditCommand::InsertLinks(joint, ref settings) => return session.insert_links(joint, settings),
        EditCommand::Shape(ref command) => return session.reshape(command),
        // Gestures are of all parts (`gesture`).
        EditCommand::BeginEdit | EditCommand::EndEdit | EditCommand::CancelEdit => return,
        EditCommand::Edit(node, value) => {
            if node.index() < model.skeleton.len() {
                edits.nodes.entry(node).or_default().set(value);
                session.edit_rules().follow_rules(&model, &mut edits, &[(node, value.kind())]);
            }
            return session.pose_edits().drag(edits);
        }
        EditCommand::TurnNodes(ref turned) => {
            let mut changed = Vec::with_capacity(turned.len());
            for (node, rotation) in turned.iter().filter(|(node, _)| node.index() < model.skeleton.len()) {
                edits.nodes.entry(*node).or_default().set(ChannelValue::Quaternion(*rotation));
                changed.push((*node, ChannelKind::Rotation));
            }
            session.edit_rules().follow_rules(&model, &mut edits, &changed);
            return session.pose_edits().drag(edits);
        }
        EditCommand::MoveHeld(node, to) => {
            if let Some(target) = edits.held.get_mut(&node).filter(|_| to.is_finite()) {
                target.translation = to.into();
            }
            return session.pose_edits().drag(edits);
        }
        EditCommand::EditMorph(index, weight) => {
            if index < model.skeleton.rest.morph_weights.len() && weight.is_finite() {
                edits.morphs.insert(index, weight);
            }
            return session.pose_edits().drag(edits);
        }
        EditCommand::ResetChannel(node, kind) => {
            for node in session.edit_rules().with_partner(node) {
                if let Some(edit) = edits.nodes.get_mut(&node) {
                    edit.clear(kind);
                }
            }
        }
        EditCommand::ResetMorph(index) => {
            edits.morphs.remove(&index);
        }
        EditCommand::ResetJoint => {
            for node in session.view().selected.into_iter().flat_map(|node| session.edit_rules().with_partner(node)) {
                edits.nodes.remove(&node);
                edits.held.remove(&node);
            }
        }
        EditCommand::ResetAll => {
            let controls = Arc::new(session.edits().controls.reset());
            edits = Edits { controls, ..Edits::default() };
        }
        EditCommand::SetPose(ref said) => {
            edits = session.edits().without_pose();
            edits.add(said, model.clips.iter().any(|clip| !clip.far.is_empty()));
        }
    }
    edits.nodes.retain(|_, edit| *edit != NodeEdit::default());
    session.pose_edits().change(edits);
    if matches!(command, EditCommand::SetPose(_)) {
        // A file or the library has it.
        session.note_pose_saved();
    }
}

/// Takes a step of the history back or forward, and shows what it has changed.
fn take_step(session: &mut Session, mut model: Arc<Model>, step: fn(&mut History, &mut Changed<'_>)) {
    let (mut clip, mut layers) = (session.playback().clip, session.playback().layers);
    let marked = Arc::clone(&session.view().marked);
    let mut marks = Marks { vertices: Arc::clone(&marked), by_hand: session.marking().by_hand };
    let mut weight_layers = session.painting().layers().clone();
    let mut asked_layers = session.painting().asked_in_file().cloned();
    let mut placed = Arc::clone(session.placing().joints());
    let mut strokes = session.painting().last_recorded();
    let PoseEdits { edits, history, .. } = session.pose_edits();
    let mut now = Changed {
        edits,
        model: &mut model,
        clip: &mut clip,
        layers: &mut layers,
        marks: &mut marks,
        weight_layers: &mut weight_layers,
        asked_layers: &mut asked_layers,
        placed: &mut placed,
        strokes: &mut strokes,
    };
    step(history, &mut now);
    session.gesture = None;
    let before = session.model().map(Arc::clone);
    clips::show_edited(session, model, clip);
    session.playback.layers = layers;
    session.painting.take_layers(weight_layers);
    session.painting.go_to_recorded(strokes);
    session.painting.ask_about(asked_layers);
    session.show_placed(placed);
    session.follow_step(before.as_deref());
    session.follow_left();
    if !Arc::ptr_eq(&marks.vertices, &marked) {
        session.marker().mark(marks.vertices, marks.by_hand);
    }
}

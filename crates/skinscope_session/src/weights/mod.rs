//! Edited weights and inverse bind matrices: each edit is one step of the history, beside the edits of the pose.

mod bindings;
mod links;
pub(crate) mod marks;
pub(crate) mod reshaping;
mod sculpts;
mod shapes;
pub(crate) mod tool_commands;
pub(crate) mod tools;
mod trial;
mod unknown;
mod within;

pub use self::links::{GainedLinks, LinkVolumes, LinksMade};
pub use self::marks::{MarkCommand, MarkMode, MarkShape, MarkTool, Marking};
pub use self::reshaping::{ShapeCommand, ShapeSettings};
pub use self::sculpts::{SculptCommand, ShownPose};
pub use self::shapes::{EnvelopeHandle, EnvelopeScore, with_radius};
pub use self::tools::{ChangedByTool, EditedWeights, Examination, Scope, ToolCommand, Tools};

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_model::{BindChange, Model, PrimitiveId, SkinningChange, WeightChange};

use crate::{Document, History, Pose, Session, View};

impl Session {
    /// Returns whether normalised weights are asked for and not there yet; until then the weights stay as they are.
    #[must_use]
    pub fn is_normalising(&self) -> bool {
        self.tools.is_normalising && self.document.is_some()
    }
}

/// The weights and matrices of the open model, with the tools that change them and the steps that lead back.
pub(crate) struct Skinning<'a> {
    pub document: &'a mut Option<Document>,
    pub history: &'a mut History,
    pub tools: &'a mut Tools,
    pub view: &'a View,
    pub pose: &'a Pose,
    pub defers_work: bool,
}

impl Skinning<'_> {
    fn model(&self) -> Option<&Arc<Model>> {
        self.document.as_ref().map(|document| &document.model)
    }

    /// Gives some vertices other weights, in one step, which holds the vertices whose weights differ. Nothing happens
    /// where the changes do not fit the model.
    pub(crate) fn change_weights(&mut self, changes: &[WeightChange]) {
        self.change_skinning(changes, &[]);
    }

    /// Shows a model whose weights were painted, as a step that holds what differs; `changes` make it of the one that is shown. Returns
    /// whether anything differs.
    pub(crate) fn change_painted(&mut self, changes: &[WeightChange], painted: Arc<Model>) -> bool {
        let Some(model) = self.model() else { return false };
        let touched = SkinningChange { weights: differing(model, changes), binds: Vec::new() };
        if touched.is_empty() {
            return false;
        }
        let before = model.skinning_before(&touched);
        self.history.skinning_changed(before);
        self.show_skinning(painted);
        true
    }

    /// Does the same for a model of which it is not known what was painted: all that differs from the one that is shown is the step.
    pub(crate) fn show_painted(&mut self, painted: Arc<Model>) -> bool {
        let Some(model) = self.model() else { return false };
        let before = SkinningChange::from(weights_beside(model, &painted));
        if before.is_empty() {
            return false;
        }
        self.history.skinning_changed(before);
        self.show_skinning(painted);
        true
    }

    /// Gives some vertices other weights and some joints other inverse bind matrices, in one step, which holds what
    /// differs. Nothing happens where the changes do not fit the model.
    pub(crate) fn change_skinning(&mut self, weights: &[WeightChange], binds: &[BindChange]) {
        let Some(model) = self.model() else { return };
        let changed = model.with_weights(weights).and_then(|model| model.with_binds(binds));
        let Ok(changed) = changed else { return };
        let touched =
            SkinningChange { weights: differing(model, weights), binds: differing_binds(model, &changed, binds) };
        if touched.is_empty() {
            return;
        }
        let before = model.skinning_before(&touched);
        self.history.skinning_changed(before);
        self.show_skinning(Arc::new(changed));
    }

    /// Divides all weights by their sums. In a large model of a session that defers work that becomes
    /// [`Work::NormaliseWeights`](crate::Work), which the same command cancels.
    pub(crate) fn normalise_weights(&mut self) {
        let Some(document) = self.document.as_ref() else { return };
        if self.defers_work && document.is_large() {
            self.tools.is_normalising = !self.tools.is_normalising;
            return;
        }
        let changes = document.model.normalised_weights();
        self.change_weights(&changes);
    }

    /// Takes the changes that normalise the weights of a model. They are made where the model is still the one that is
    /// open, with the same weights, and where they are still asked for.
    pub(crate) fn take_normalised(&mut self, model: &Arc<Model>, changes: &[WeightChange]) {
        if self.tools.is_normalising && self.model().is_some_and(|open| Arc::ptr_eq(open, model)) {
            self.tools.is_normalising = false;
            self.change_weights(changes);
        }
    }

    /// Shows the open file with the weights and matrices of `model`. Where findings were forgotten by that, since it has other skins or morph
    /// targets, the model is looked at again.
    pub(crate) fn show_skinning(&mut self, model: Arc<Model>) {
        let Some(document) = self.document.as_mut() else { return };
        let was_checked = document.inspection.is_some();
        document.show_edited(model, self.defers_work);
        if was_checked && document.inspection.is_none() {
            self.tools.ask_for_check();
        }
    }

    /// Keeps the weights and matrices that were edited in an earlier version of the open file, in which vertices and joints have the same numbers.
    /// Returns whether they fit.
    pub(crate) fn carry_skinning(&mut self, edited: &SkinningChange) -> bool {
        self.tools.is_normalising = false;
        let Some(model) = self.model().filter(|_| !edited.is_empty()) else { return true };
        let Ok(changed) = model.with_skinning(edited) else { return false };
        self.show_skinning(Arc::new(changed));
        true
    }
}

/// Returns the changes of those vertices whose weights differ from what they are now.
fn differing(model: &Model, changes: &[WeightChange]) -> Vec<WeightChange> {
    let of = |change: &WeightChange| {
        let now = model.influences(change.mesh, change.primitive)?;
        let unusable = now.unusable();
        let mut out = WeightChange::new(change.mesh, change.primitive, change.per_vertex);
        for (i, vertex) in change.vertices.iter().enumerate() {
            let (joints, weights) = change.row(i);
            let is_same = skinscope_model::is_same_row((joints, weights), now.of(*vertex as usize));
            if !is_same || unusable.contains(vertex) {
                out.push(*vertex, joints, weights);
            }
        }
        Some(out).filter(|out| !out.vertices.is_empty())
    };
    changes.iter().filter_map(of).collect()
}

/// Returns the weights of the vertices that have others in a model that was painted: the change that leads back from it.
fn weights_beside(model: &Model, painted: &Model) -> Vec<WeightChange> {
    let (before, after) = (model.weight_edits(), painted.weight_edits());
    let edited: BTreeSet<PrimitiveId> = before.primitives().chain(after.primitives()).collect();
    let of = |PrimitiveId { mesh, primitive }: PrimitiveId| {
        let (now, then) = model.influences(mesh, primitive).zip(painted.influences(mesh, primitive))?;
        let (unusable, stored) = (now.unusable(), model.meshes[mesh.index()].primitives[primitive].stored_vertices);
        let differs = |vertex: &usize| {
            !skinscope_model::is_same_row(now.of(*vertex), then.of(*vertex)) || unusable.contains(&(*vertex as u32))
        };
        let all = after.changed_since(before, mesh, primitive).take_while(|vertex| *vertex < stored);
        let vertices: Vec<u32> = all.filter(differs).map(|vertex| vertex as u32).collect();
        (!vertices.is_empty()).then(|| WeightChange { vertices, ..WeightChange::new(mesh, primitive, now.per_vertex) })
    };
    let touched: Vec<WeightChange> = edited.into_iter().filter_map(of).collect();
    model.weights_before(&touched)
}

/// Returns the changes of those joints whose matrices differ from what they are now.
fn differing_binds(now: &Model, then: &Model, changes: &[BindChange]) -> Vec<BindChange> {
    let of = |model: &Model, change: &BindChange| {
        let skin = model.skins.get(change.skin.index())?;
        let unusable = skin.not_finite.binary_search(&change.joint).is_ok();
        Some((skin.inverse_bind.get(change.joint)?.to_cols_array().map(f32::to_bits), unusable))
    };
    changes.iter().filter(|change| of(now, change) != of(then, change)).copied().collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{BindEdits, LocalPose, MeshId, NodeId, WeightEdits};

    use super::*;
    use crate::{ChannelValue, EditCommand, Edits};

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u32) -> u32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) as u32) % end
        }
    }

    fn open(shape: Tube) -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(shape)), Vec::new(), None));
        session
    }

    /// Makes new pairs for some vertices, in four or eight slots.
    fn some(random: &mut Random, vertices: u32, joints: u32) -> WeightChange {
        let slots = [4, 8][random.below(2) as usize];
        let mut out = WeightChange::new(MeshId(0), 0, slots);
        let mut vertex = random.below(40);
        while vertex < vertices && out.vertices.len() < 60 {
            let pairs = (0..slots).map(|_| (random.below(joints) as u16, random.below(1000) as f32 / 999.0));
            let (joints, weights): (Vec<u16>, Vec<f32>) = pairs.unzip();
            out.push(vertex, &joints, &weights);
            vertex += 1 + random.below(30);
        }
        out
    }

    /// What edits change: the edits of the pose, those of weights and matrices, the pairs of every vertex and the matrices as
    /// bits, and the bind pose.
    type State = (Edits, WeightEdits, BindEdits, Vec<Vec<(u16, u32)>>, Vec<[u32; 12]>, LocalPose);

    /// Returns everything that edits change.
    fn state(session: &Session) -> State {
        let model = session.model().unwrap();
        let i = model.influences(MeshId(0), 0).unwrap();
        let row = |v| i.of(v).0.iter().copied().zip(i.of(v).1.iter().map(|w| w.to_bits())).collect();
        let matrices = model.skins[0].inverse_bind.iter().map(|m| m.to_cols_array().map(f32::to_bits));
        (
            Edits::clone(&session.edits),
            model.weight_edits().clone(),
            model.bind_edits().clone(),
            (0..i.vertices()).map(row).collect(),
            matrices.collect(),
            model.bind_pose().clone(),
        )
    }

    #[test]
    fn edits_of_all_kinds_undone_and_redone_give_the_same_bytes() {
        let mut session = open(Tube { joints: 12, rings: 61, ..Tube::default() });
        let count = session.model().unwrap().meshes[0].primitives[0].stored_vertices as u32;
        let mut random = Random(16);
        let mut states = vec![state(&session)];
        let mut bound = 0;
        while states.len() <= 300 {
            match random.below(7) {
                0 | 1 => {
                    let at = Vec3::new(random.below(100) as f32, random.below(100) as f32, 1.0);
                    session.apply(EditCommand::Edit(NodeId(random.below(12)), ChannelValue::Translation(at)));
                    session.apply(EditCommand::EndEdit);
                }
                2 => _ = session.apply(EditCommand::NormaliseWeights),
                tool @ (3 | 4) => {
                    session.apply(ToolCommand::Choose(Some(["bind-here", "inverse-binds"][tool as usize - 3])));
                    session.apply(ToolCommand::Apply);
                    bound += usize::from(states.last().is_some_and(|last| last.4 != state(&session).4));
                }
                _ => {
                    let change = some(&mut random, count, 12);
                    session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
                }
            }
            let now = state(&session);
            if states.last() != Some(&now) {
                states.push(now);
            }
        }
        for want in states.iter().rev().skip(1) {
            session.apply(EditCommand::Undo);
            assert!(state(&session) == *want);
        }
        assert!(bound > 40, "matrices have changed in {bound} steps alone");
        assert!(!session.history.can_undo() && !session.model().unwrap().is_edited());
        let document = session.document.as_ref().unwrap();
        assert!(Arc::ptr_eq(&document.model, document.stored()));
        for want in &states[1..] {
            session.apply(EditCommand::Redo);
            assert!(state(&session) == *want);
        }
        assert!(!session.history.can_redo());
    }

    #[test]
    fn a_thousand_steps_of_5000_vertices_stay_below_400_mib() {
        let mut session = open(Tube { joints: 12, rings: 200, sides: 30, influences: 8, ..Tube::default() });
        let stored = session.model().unwrap().meshes[0].primitives[0].stored_vertices;
        assert!(stored > 5000 && session.model().unwrap().influences(MeshId(0), 0).unwrap().per_vertex == 8);
        // Fifty steps are enough, since each takes as much memory as any other.
        for step in 0..50_u32 {
            let mut change = WeightChange::new(MeshId(0), 0, 8);
            let weight = (step + 1) as f32 / 2000.0;
            (0..5000).for_each(|v| change.push(v, &[1, 2], &[weight, 1.0 - weight]));
            session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        }
        let bytes = session.history.skinning_bytes();
        assert!(20 * bytes < 400 << 20 && bytes >= 50 * 5000 * 8 * 6, "{bytes}");
    }

    #[test]
    fn a_step_holds_the_vertices_that_it_touched_alone_and_what_changes_nothing_is_none() {
        let mut session = open(Tube { joints: 12, ..Tube::default() });
        let model = Arc::clone(session.model().unwrap());
        let i = model.influences(MeshId(0), 0).unwrap();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        (0..50).for_each(|v| change.push(v, i.of(v as usize).0, i.of(v as usize).1));
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change.clone()])));
        assert!(!session.history.can_undo() && Arc::ptr_eq(session.model().unwrap(), &model));
        change.weights[4 * 7] = 0.25;
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        assert_eq!(session.model().unwrap().weight_edits().vertices(MeshId(0), 0).collect::<Vec<_>>(), [7]);
        assert_eq!(session.history.skinning_bytes(), 4 + 4 * 6);
    }

    #[test]
    fn a_new_edit_takes_the_steps_forward_away() {
        let mut session = open(Tube { joints: 12, ..Tube::default() });
        let edit = |vertex: u32| {
            let mut change = WeightChange::new(MeshId(0), 0, 4);
            change.push(vertex, &[11], &[1.0]);
            EditCommand::ChangeWeights(Arc::new(vec![change]))
        };
        session.apply(edit(3));
        session.apply(EditCommand::Undo);
        assert!(session.history.can_redo());
        session.apply(edit(4));
        let now = state(&session);
        assert!(!session.history.can_redo());
        session.apply(EditCommand::Redo);
        assert!(state(&session) == now);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_newer_version_of_the_file_keeps_the_edits_that_fit() {
        let mut session = open(Tube { joints: 12, ..Tube::default() });
        let path = Some(std::path::PathBuf::from("model.glb"));
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), path.clone()));
        let edit = |joint: u16| {
            let mut change = WeightChange::new(MeshId(0), 0, 4);
            change.push(3, &[joint], &[1.0]);
            EditCommand::ChangeWeights(Arc::new(vec![change]))
        };
        session.apply(edit(12));
        assert!(!session.history.can_undo());
        session.apply(edit(11));
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), path.clone()));
        assert_eq!(session.model().unwrap().influences(MeshId(0), 0).unwrap().of(3).0[0], 11);
        session.apply(EditCommand::Undo);
        assert!(session.model().unwrap().weight_edits().is_empty());
        session.apply(EditCommand::Redo);
        // A skin with fewer joints cannot have them.
        session.open(Document::new(Arc::new(tube(Tube { joints: 5, ..Tube::default() })), Vec::new(), path));
        assert!(session.model().unwrap().weight_edits().is_empty() && !session.history.can_undo());
        let warned =
            |session: &Session, what: &str| session.document().unwrap().warnings.iter().any(|w| w.contains(what));
        assert!(warned(&session, "1 edited vertex set aside: the skin has no joint \"joint 11\""));
        assert_eq!((session.unsaved().unsaved_vertices(), session.unsaved().unsaved_work().set_aside), (0, 1));
        // Once the joints are back, so is the edit.
        let path = Some(std::path::PathBuf::from("model.glb"));
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), path));
        assert_eq!(session.model().unwrap().influences(MeshId(0), 0).unwrap().of(3).0[0], 11);
        assert!(session.files().set_aside().is_empty() && session.history().can_undo());
    }
}

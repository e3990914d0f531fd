//! Edits that no file has yet: which there are, and what becomes of them when the model is saved and read again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope_model::{BindChange, Model, PrimitiveId, SkinningChange, WeightChange, is_same_row};

use crate::{Document, Files, Unsaved};

/// A model that was written into a file, which has its weights and matrices now.
#[derive(Clone, Debug)]
pub(crate) struct SavedModel {
    path: PathBuf,
    pub(crate) model: Arc<Model>,
}

impl SavedModel {
    /// Whether it is an earlier state of `before`, and was written into the file at `path`.
    pub(crate) fn is_of(&self, before: &Model, path: Option<&Path>) -> bool {
        Some(self.path.as_path()) == path && self.model.is_of_one_file(before)
    }
}

impl<'a> Unsaved<'a> {
    /// Vertices whose weights were edited and are in no file yet.
    #[must_use]
    pub fn unsaved_vertices(self) -> usize {
        self.weights.edited_model().map_or(0, |model| model.weight_edits().count(model))
    }

    /// Inverse bind matrices that were edited and are in no file yet.
    #[must_use]
    pub fn unsaved_binds(self) -> usize {
        self.weights.edited_model().map_or(0, |model| model.bind_edits().count())
    }

    /// Meshes that gained a skin which is in no file yet, by the nodes that show them.
    #[must_use]
    pub(crate) fn unsaved_bindings(self) -> usize {
        self.weights
            .edited_model()
            .map_or(0, |model| model.bindings().iter().map(|change| change.bound().count()).sum())
    }

    /// Meshes with other morph targets than their file has, which are in no file yet.
    #[must_use]
    pub(crate) fn unsaved_shapes(self) -> usize {
        self.weights.edited_model().map_or(0, |model| model.retargeted.len())
    }

    /// Whether weights or matrices were edited or clips were added that are in no file yet.
    #[must_use]
    pub(crate) fn has_unsaved_edits(self) -> bool {
        self.has_unsaved_skinning() || self.unsaved_clips() > 0
    }

    /// Whether weights or matrices were edited ([`crate::Unsaved::unsaved_vertices`], [`crate::Unsaved::unsaved_binds`]), or meshes gained a
    /// skin or other morph targets.
    #[must_use]
    pub fn has_unsaved_skinning(self) -> bool {
        // An example is no file, and is as it was when it is opened again.
        let has_other_skinning =
            |model: &Arc<Model>| model.is_edited() || !model.bindings().is_empty() || !model.retargeted.is_empty();
        !self.is_example && self.weights.edited_model().is_some_and(has_other_skinning)
    }

    /// Returns the file that the open model was saved as, where it was opened from another one and that one is still open.
    #[must_use]
    pub fn saved_elsewhere(self) -> Option<&'a Path> {
        let saved = self.files.saved.as_ref()?;
        let open = self.document.filter(|open| saved.model.is_of_one_file(open.stored()))?;
        Some(saved.path.as_path()).filter(|path| open.path.as_deref() != Some(*path))
    }

    /// Whether a document is another version of the open one.
    pub(crate) fn is_newer_version(self, document: &Document) -> bool {
        let Some(open) = self.document else { return false };
        let is_saved = |path: &Path| {
            let of_open = |saved: &SavedModel| saved.model.is_of_one_file(open.stored());
            self.files.saved.as_ref().is_some_and(|saved| saved.path == path && of_open(saved))
        };
        if document.lesson().is_some() || open.lesson().is_some() {
            return document.page_file().is_some() && document.page_file() == open.page_file();
        }
        document.path.as_deref().is_some_and(|path| open.path.as_deref() == Some(path) || is_saved(path))
    }

    /// The edits of `before`, the open model until now, that the file at `path` does not have yet.
    pub(crate) fn skinning_to_keep(self, before: &Model, path: Option<&Path>) -> SkinningChange {
        match self.files.saved.as_ref().filter(|saved| saved.is_of(before, path)) {
            Some(saved) => changed_since(&saved.model, before),
            None => before.edited_skinning(),
        }
    }
}

/// What makes the weights and matrices of `now` out of those of `then`, two models of one file.
pub(crate) fn changed_since(then: &Model, now: &Model) -> SkinningChange {
    SkinningChange { weights: weights_since(then, now), binds: binds_since(then, now) }
}

fn binds_since(then: &Model, now: &Model) -> Vec<BindChange> {
    let mut found: Vec<_> = then.bind_edits().all().chain(now.bind_edits().all()).map(|(s, p, _)| (s, p)).collect();
    found.sort_unstable();
    found.dedup();
    let of = |(skin, joint): (skinscope_model::SkinId, usize)| {
        let matrix = now.skins[skin.index()].inverse_bind[joint];
        let is_same = then.skins[skin.index()].inverse_bind[joint] == matrix;
        (!is_same).then_some(BindChange { skin, joint, matrix, restored: false })
    };
    found.into_iter().filter_map(of).collect()
}

fn weights_since(then: &Model, now: &Model) -> Vec<WeightChange> {
    let mut found: Vec<_> = then.weight_edits().primitives().chain(now.weight_edits().primitives()).collect();
    found.sort_unstable();
    found.dedup();
    let of = |PrimitiveId { mesh, primitive }| {
        let (old, new) = (then.influences(mesh, primitive)?, now.influences(mesh, primitive)?);
        let stored = now.meshes[mesh.index()].primitives[primitive].stored_vertices as u32;
        let edited = |model: &Model| model.weight_edits().vertices(mesh, primitive).collect::<Vec<u32>>();
        let mut vertices = [edited(then), edited(now)].concat();
        vertices.sort_unstable();
        vertices.dedup();
        let mut out = WeightChange::new(mesh, primitive, old.per_vertex.max(new.per_vertex));
        for v in vertices.into_iter().filter(|v| *v < stored) {
            let row = new.of(v as usize);
            if !is_same_row(row, old.of(v as usize)) {
                out.push(v, row.0, row.1);
            }
        }
        Some(out).filter(|out| !out.vertices.is_empty())
    };
    found.into_iter().filter_map(of).collect()
}

impl Files {
    /// The weights and matrices of `model`, which is or was the open one, have been written into the file at `path`. When that file is
    /// opened next it replaces the open one: camera, selection, pose and history stay, and of the edits those stay
    /// that were made since.
    pub fn note_model_saved(&mut self, path: PathBuf, model: Arc<Model>) {
        self.saved = Some(SavedModel { path, model });
    }
}

#[cfg(test)]
mod tests {
    use crate::Session;
    use skinscope_model::MeshId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::EditCommand;

    fn document(path: &str, edited: Option<&Model>) -> Document {
        let mut model = tube(Tube { joints: 12, ..Tube::default() });
        if let Some(edited) = edited {
            // As a file that holds these weights is read.
            let mut parts = (*model).clone();
            let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
            let i = edited.influences(MeshId(0), 0).unwrap();
            for v in 0..i.vertices() {
                let (joints, weights) = i.of(v);
                stored.joints[v * 4..v * 4 + 4].copy_from_slice(joints);
                stored.weights[v * 4..v * 4 + 4].copy_from_slice(weights);
            }
            model = Model::build(parts).unwrap();
        }
        Document::new(Arc::new(model), Vec::new(), Some(PathBuf::from(path)))
    }

    fn edit(session: &mut Session, vertex: u32, joint: u16) {
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(vertex, &[joint], &[1.0]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    }

    fn joint(session: &Session, vertex: usize) -> u16 {
        session.model().unwrap().influences(MeshId(0), 0).unwrap().of(vertex).0[0]
    }

    fn edited(session: &Session) -> Vec<u32> {
        session.model().unwrap().weight_edits().vertices(MeshId(0), 0).collect()
    }

    #[test]
    fn matrices_that_were_saved_are_no_edits_any_more_and_undo_goes_back_past_them() {
        let mut session = Session::default();
        session.open(document("model.glb", None));
        let stored = session.model().unwrap().skins[0].inverse_bind.clone();
        let bind = |session: &mut Session, joint: usize, x: f32| {
            let matrix = glam::Affine3A::from_translation(glam::Vec3::new(x, 0.0, 0.0));
            let change = BindChange { skin: skinscope_model::SkinId(0), joint, matrix, restored: false };
            session.skinning().change_skinning(&[], &[change]);
        };
        bind(&mut session, 3, 1.0);
        bind(&mut session, 4, 2.0);
        let saved = Arc::clone(session.model().unwrap());
        session.files_mut().note_model_saved(PathBuf::from("model.glb"), Arc::clone(&saved));
        // While it is being written one edit is taken back and another is made.
        session.apply(EditCommand::Undo);
        bind(&mut session, 5, 3.0);
        let mut parts = (**session.document().unwrap().stored()).clone();
        parts.skins = saved.skins.to_vec();
        let path = Some(PathBuf::from("model.glb"));
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), path));
        let edited: Vec<usize> = session.model().unwrap().bind_edits().all().map(|(_, joint, _)| joint).collect();
        assert_eq!((edited, session.unsaved().unsaved_binds()), (vec![4, 5], 2));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Undo);
        assert_eq!(session.model().unwrap().skins[0].inverse_bind, stored);
        assert_eq!(session.unsaved().unsaved_binds(), 2, "the file has two others");
    }

    #[test]
    fn what_was_saved_is_no_edit_any_more_and_what_was_edited_since_still_is() {
        for path in ["model.glb", "other.glb"] {
            let mut session = Session::default();
            session.open(document("model.glb", None));
            let stored = joint(&session, 7);
            edit(&mut session, 3, 11);
            edit(&mut session, 7, 10);
            let saved = Arc::clone(session.model().unwrap());
            assert_eq!(session.unsaved().unsaved_vertices(), 2);
            session.files_mut().note_model_saved(PathBuf::from(path), Arc::clone(&saved));
            // While it is being written one edit is taken back and another is made.
            session.apply(EditCommand::Undo);
            edit(&mut session, 20, 9);
            session.open(document(path, Some(&saved)));
            assert_eq!(edited(&session), [7, 20], "{path}");
            assert_eq!([3, 7, 20].map(|v| joint(&session, v)), [11, stored, 9]);
            // Back past what was saved, and forward again.
            session.apply(EditCommand::Undo);
            session.apply(EditCommand::Undo);
            assert_eq!(edited(&session), [3, 7]);
            session.apply(EditCommand::Redo);
            session.apply(EditCommand::Redo);
            assert_eq!([3, 7, 20].map(|v| joint(&session, v)), [11, stored, 9]);
            // The next time it is read it is a reload like any other.
            session.open(document(path, Some(&saved)));
            assert_eq!(edited(&session), [7, 20]);
        }
    }

    #[test]
    fn another_file_is_no_newer_version_of_the_open_one() {
        let mut session = Session::default();
        session.open(document("model.glb", None));
        edit(&mut session, 3, 11);
        let model = Arc::clone(session.model().unwrap());
        session.files_mut().note_model_saved(PathBuf::from("copy.glb"), model);
        session.open(document("third.glb", None));
        assert!(!session.unsaved().has_unsaved_skinning() && !session.history().can_undo());
    }
}

//! The open model beside what it is compared with: the weights that its file stores, or another file.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use skinscope_deform::{self as deform, Surface, SurfaceInput};
use skinscope_inspect::compare::arranged;
use skinscope_inspect::{PerVertex, changed_positions, changed_surface, changed_weights, why_not_comparable};
use skinscope_model::Model;

use crate::{ComparisonCommand, Deforming, Measurements, Session, SideWeights, Toggle};

/// Two models, and how far the weights of each vertex differ between them.
type Difference = (Weak<Model>, Weak<Model>, Arc<PerVertex>);

/// How far the weights have moved, for the last two models that were compared.
#[derive(Debug, Default)]
pub(crate) struct ChangedWeights(Mutex<Option<Difference>>);

impl Clone for ChangedWeights {
    /// Returns an empty cache: what was cached is computed again where it is needed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// A file beside the open one.
#[derive(Clone, Debug)]
pub struct ComparedFile {
    /// The model as the file stores it.
    pub model: Arc<Model>,
    /// Its name, for labels.
    pub name: String,
}

impl Session {
    /// Compares the open model from now on with another file, in place of the weights that its own file stores; `None`: with
    /// those again. Another file that is opened ends it.
    ///
    /// # Errors
    /// The two cannot be compared vertex by vertex; the message says why.
    pub fn compare_with(&mut self, mut other: Option<ComparedFile>) -> Result<(), String> {
        if let (Some(model), Some(other)) = (self.model(), &mut other) {
            if let Some(why) = why_not_comparable(model, &other.model) {
                return Err(why);
            }
            // Other weights of one file are of the same vertices.
            if !model.shares_all_but_edits(&other.model)
                && let Some(arranged) = arranged(model, &other.model)?
            {
                other.model = Arc::new(arranged);
            }
        }
        self.compared.file = other;
        self.pose.invalidate();
        Ok(())
    }

    /// Does the same as [`Session::compare_with`], and shows the other file as the second side of a comparison, deformed as what is
    /// shown is, or as the second side was before.
    ///
    /// # Errors
    /// The two cannot be compared vertex by vertex; the message says why.
    pub fn compare_file(&mut self, other: ComparedFile) -> Result<(), String> {
        self.compare_with(Some(other))?;
        if self.deforming().comparison().is_none() {
            let choice = self.view.choice();
            self.apply(ComparisonCommand::Set(true));
            self.view.comparison.iter_mut().for_each(|comparison| comparison.choice = choice);
        }
        self.apply(ComparisonCommand::SetWeights(SideWeights::Stored));
        Ok(())
    }
}

impl<'a> Deforming<'a> {
    /// Returns the name of the file that the open model is compared with; `None` where that is its own.
    #[must_use]
    pub fn compared_file(self) -> Option<&'a str> {
        self.compared.file.as_ref().map(|other| &*other.name)
    }

    /// Returns the model that the open one is compared with.
    #[must_use]
    pub(crate) fn compared_with(self) -> Option<&'a Arc<Model>> {
        let other = self.compared.file.as_ref().map(|other| &other.model);
        other.or_else(|| self.document.map(|document| document.stored()))
    }

    /// Returns the model of the picture: the open one, or while [`Toggle::Stored`] is on what it is compared with.
    #[must_use]
    pub fn shown_model(self) -> Option<&'a Arc<Model>> {
        if self.view.is_on(Toggle::Stored) { self.compared_with() } else { self.model }
    }
}

impl Measurements<'_> {
    /// Returns how far the weights are from those that the open model is compared with.
    pub(crate) fn changed_weights(self) -> Option<Arc<PerVertex>> {
        let (model, other) = (self.model?, self.deforming.compared_with()?);
        let mut cached = self.deforming.compared.changed_weights.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |weak: &Weak<Model>, model: &Arc<Model>| std::ptr::eq(weak.as_ptr(), Arc::as_ptr(model));
        if let Some((_, _, known)) = cached.as_ref().filter(|(a, b, _)| same(a, model) && same(b, other)) {
            return Some(Arc::clone(known));
        }
        let found = Arc::new(changed_weights(model, other));
        *cached = Some((Arc::downgrade(model), Arc::downgrade(other), Arc::clone(&found)));
        Some(found)
    }

    /// Returns how far the surface is from that of the weights that the open model is compared with, in the pose that is shown: once for a pose.
    pub(crate) fn changed_surface(self) -> Option<Arc<PerVertex>> {
        let (model, other) = (self.model?, self.deforming.compared_with()?);
        Some(self.pose.surfaces.changed(self.view.choice(), || {
            // Both are deformed in one way, by the default method until what another one needs is there for both.
            let choice = self.deforming.ready(self.deforming.ready(self.view.choice(), Some(model)), Some(other));
            let palettes_of = |model: &Arc<Model>| {
                let mut palettes = Vec::new();
                deform::palettes(model, &self.pose.model, &mut palettes);
                palettes
            };
            let (draws, morph_weights) = (&self.pose.draws[..], &self.pose.local.morph_weights[..]);
            let palettes = palettes_of(model);
            let method = self.deforming.deformation_of(choice, Some(model));
            let posed = SurfaceInput { model, draws, palettes: &palettes, morph_weights, method };
            changed_positions(&posed, other).unwrap_or_else(|| {
                let (palettes, method) = (palettes_of(other), self.deforming.deformation_of(choice, Some(other)));
                let other = SurfaceInput { model: other, draws, palettes: &palettes, morph_weights, method };
                changed_surface(model, &Surface::of(&posed), &Surface::of(&other))
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_inspect::overlay;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{MeshId, ModelParts, NodeId, WeightChange};

    use super::*;
    use crate::{ChannelValue, Document, EditCommand, PlaybackCommand, ViewCommand};

    fn open() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        (0..5).for_each(|v| change.push(v, &[11], &[1.0]));
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        session.update_pose();
        session
    }

    fn values(session: &Session, id: &str) -> Arc<PerVertex> {
        session.vertex_values(overlay(id).unwrap()).unwrap()
    }

    #[test]
    fn the_surface_moves_as_far_as_the_two_deformed_ones_are_apart_in_this_pose() {
        let mut session = open();
        let rest = values(&session, "changed-surface");
        // Joints that stand where they were bound move nothing, whatever the weights; only rounding differs.
        assert!(rest.of(MeshId(0), 0).iter().all(|mm| *mm < 0.01));
        assert!(Arc::ptr_eq(&rest, &values(&session, "changed-surface")), "once for a pose");
        session.apply(EditCommand::Edit(NodeId(11), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 40.0))));
        session.update_pose();
        let posed = values(&session, "changed-surface");
        let now = session.surfaces().surface().unwrap();
        session.apply(ViewCommand::Set(Toggle::Stored, true));
        session.update_pose();
        let then = session.surfaces().surface().unwrap();
        for (v, mm) in posed.of(MeshId(0), 0).iter().enumerate() {
            let apart = 1000.0 * (now.parts[0].deformed.positions[v] - then.parts[0].deformed.positions[v]).length();
            assert!((mm.max(0.0) - apart).abs() < 1e-3, "vertex {v}: {mm}, not {apart}");
        }
        assert!(posed.of(MeshId(0), 0)[0] > 1.0);
    }

    #[test]
    fn what_is_stored_is_shown_while_it_is_asked_for_and_the_edits_stay() {
        let mut session = open();
        let edited = Arc::clone(session.model().unwrap());
        assert!(Arc::ptr_eq(session.deforming().shown_model().unwrap(), &edited));
        session.apply(ViewCommand::Set(Toggle::Stored, true));
        session.update_pose();
        assert!(session.deforming().shown_model().unwrap().weight_edits().is_empty());
        assert!(Arc::ptr_eq(session.model().unwrap(), &edited) && session.unsaved().has_unsaved_skinning());
        session.apply(ViewCommand::Set(Toggle::Stored, false));
        assert!(Arc::ptr_eq(session.deforming().shown_model().unwrap(), &edited));
    }

    #[test]
    fn numbers_follow_the_weights_and_another_model_to_compare_with() {
        let mut session = open();
        let first = values(&session, "changed");
        assert_eq!(first.missing(), first.of(MeshId(0), 0).len() - 5);
        assert!(Arc::ptr_eq(&first, &values(&session, "changed")));
        let edited = Arc::clone(session.model().unwrap());
        session.apply(EditCommand::Undo);
        session.update_pose();
        let now = values(&session, "changed");
        assert_eq!(now.missing(), now.of(MeshId(0), 0).len());
        let file = |model| ComparedFile { model, name: "other.glb".to_owned() };
        session.compare_with(Some(file(edited))).unwrap();
        assert_eq!(session.deforming().compared_file(), Some("other.glb"));
        assert_eq!(values(&session, "changed").missing(), first.missing());
        let other = Arc::new(tube(Tube { joints: 3, ..Tube::default() }));
        assert!(session.compare_with(Some(file(other))).is_err());
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), None));
        assert!(Arc::ptr_eq(session.deforming().compared_with().unwrap(), session.model().unwrap()));
        assert_eq!(session.deforming().compared_file(), None);
    }

    #[test]
    fn another_file_is_the_second_side_until_it_is_left() {
        let mut session = open();
        session.apply(EditCommand::Edit(NodeId(11), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 40.0))));
        session.update_pose();
        let mut other = ModelParts::clone(session.document().unwrap().stored());
        let moved = &mut other.meshes[0].primitives[0].positions;
        moved.iter_mut().for_each(|p| *p *= 1.5);
        let model = Arc::new(Model::build(other).unwrap());
        session.compare_file(ComparedFile { model: Arc::clone(&model), name: "larger.glb".to_owned() }).unwrap();
        let comparison = *session.deforming().comparison().unwrap();
        assert!(comparison.weights == SideWeights::Stored && comparison.choice == session.view().choice());
        assert!(Arc::ptr_eq(session.deforming().compared_model().unwrap(), &model));
        let compared = session.surfaces().compared_surfaces().unwrap();
        assert!(compared.distance.worst > 0.1, "{:?}", compared.distance);
        // Its measures are those of its own surface against its own rest.
        session.apply(ViewCommand::SetOverlay(Some("stretch")));
        let measured = session.measurements().compared_measures().unwrap();
        let mut alone = Session::default();
        alone.open(Document::new(model, Vec::new(), None));
        alone.apply(PlaybackCommand::SetPlaying(false));
        alone.apply(EditCommand::Edit(NodeId(11), ChannelValue::Rotation(Vec3::new(0.0, 0.0, 40.0))));
        alone.apply(ViewCommand::SetOverlay(Some("stretch")));
        alone.update_pose();
        assert_eq!(measured.measures.stretch, alone.measurements().measures().unwrap().measures.stretch);
        assert_ne!(measured.measures.stretch, session.measurements().measures().unwrap().measures.stretch);
        session.apply(ComparisonCommand::LeaveFile);
        assert!(
            session.deforming().compared_file().is_none()
                && session.deforming().comparison().is_some_and(|c| c.weights == SideWeights::Shown)
        );
    }
}

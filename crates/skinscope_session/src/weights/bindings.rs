//! Skins and morph targets that meshes gain while they are open: each change is one step of the history. Nodes and meshes that come with it follow those that
//! there were, so that what was made before keeps its numbers.

use std::sync::Arc;

use skinscope_anim::Layers;
use skinscope_model::{BindingChange, BuildError, Model, NodeId};

use crate::{FindingCommand, Session};

impl Session {
    /// Gives skins to meshes that have none, in one step. Layers of weights become the weights that they make together, in the same step, and
    /// nothing is asked any more about layers that the file keeps.
    ///
    /// # Errors
    /// Something cannot be bound, and nothing has changed: [`Model::with_bindings`].
    pub(crate) fn bind(&mut self, change: &BindingChange) -> Result<(), BuildError> {
        self.choose_tool(None);
        let Some(before) = self.model().map(Arc::clone) else { return Ok(()) };
        let bound = Arc::new(before.with_bindings(change)?);
        self.show_gained(before, bound);
        Ok(())
    }

    /// Shows a model that has gained skins or joints, as one step.
    pub(super) fn show_gained(&mut self, before: Arc<Model>, gained: Arc<Model>) {
        // Layers name the vertices of the parts that have weights, and there are more of these now.
        let layers = Some(self.painting.layers().clone()).filter(|layers| !layers.is_empty());
        if let Some(layers) = &layers {
            self.painting.note_merged(|_| true);
            self.painting.take_layers(layers.emptied());
        }
        let asked = self.painting.stop_asking();
        self.history.bindings_changed(Arc::clone(&before), layers, asked);
        self.skinning().show_skinning(gained);
        self.follow_bindings(Some(&before));
    }

    /// Lets what names nodes and vertices follow the model that is shown, where its meshes have gained skins or a joint has gained links since
    /// `before` was shown, or have lost them again.
    pub(crate) fn follow_bindings(&mut self, before: Option<&Model>) {
        let Some((before, now)) = before.zip(self.model().map(Arc::clone)) else { return };
        if now.shares_all_but_edits(before) {
            return;
        }
        if self.before_finding.is_some() {
            self.apply(FindingCommand::LeaveFinding);
        }
        let count = now.skeleton.len();
        let found = before.nodes_in(&now);
        let is_there = |node: NodeId| found.get(node.index()).copied().flatten();
        self.view.selected = self.view.selected.and_then(is_there);
        self.view.hovered = None;
        self.view.hidden = Arc::new(self.view.hidden.iter().filter_map(|node| is_there(*node)).collect());
        self.view_history.follow_nodes(is_there);
        self.painting.follow_nodes(is_there);
        self.placing.follow(&now);
        self.rules.follow_nodes(count, &is_there);
        self.tools.follow_nodes(&is_there);
        if found.iter().enumerate().any(|(i, to)| to.is_some_and(|to| to.index() != i)) {
            self.edits = Arc::new(self.edits.following(&is_there));
            self.tools.follow_moved(&is_there);
        }
        let morphs = before.morphs_in(&now);
        let rest = &now.skeleton.rest.morph_weights;
        if morphs.len() != rest.len() || morphs.iter().enumerate().any(|(i, to)| *to != Some(i)) {
            self.edits = Arc::new(self.edits.with_morphs_at(&morphs));
            self.tools.follow_morphs(&morphs, rest);
        }
        let (marked, by_hand) = (Arc::clone(&self.view.marked), self.marking.by_hand);
        self.marker().forget_vertices();
        if marked.parts.iter().all(|part| part.mesh.index() < now.meshes.len()) {
            (self.view.marked, self.marking.by_hand) = (marked, by_hand);
        }
        self.posing.last_blended = None;
        self.pose.invalidate();
        self.pose.forget_surfaces();
        // While a newer version of the file is being opened, what plays may be none of its clips yet.
        let Layers { fade, add } = self.playback.layers;
        let layers = fade.map(|fade| fade.clip).into_iter().chain(add.map(|add| add.clip));
        if layers.chain(self.playback.clip).all(|clip| clip.index() < now.clips.len()) {
            self.playing().arrange_crowd();
            self.update_pose();
        }
    }
}

//! What a tool tries and applies beyond the weights of meshes that have a skin: skins that meshes gain, which other parts of the session
//! follow, and layers of weights.

use std::sync::{Arc, Weak};

use skinscope_edit::{Baked, Operation, Outcome, Task, clear_bind_meshes, follow_bind_root};
use skinscope_inspect::PerVertex;
use skinscope_model::{BindingChange, LocalPose, Model, NodeId, WeightEdits};
use skinscope_paint::CopiedLayer;

use super::links::LinksMade;
use crate::painting::layers;
use crate::{ComparedFile, EditedWeights, Examination, Session, Tools, ViewCommand};

/// How far the weights of a model leave each vertex from a method that was baked into them.
#[derive(Clone, Debug)]
pub(super) struct LeftByBaking {
    of: Weak<Model>,
    /// The weights. Undo and redo make other models of the same ones.
    edits: WeightEdits,
    values: [Arc<PerVertex>; 2],
}

impl LeftByBaking {
    pub fn of(model: &Arc<Model>, values: [Arc<PerVertex>; 2]) -> Self {
        Self { of: Arc::downgrade(model), edits: model.weight_edits().clone(), values }
    }
}

impl Tools {
    /// Asks for another look at the model, unless more is asked for already.
    pub(super) fn ask_for_check(&mut self) {
        self.examination = self.examination.or(Some(Examination::Check));
    }

    /// Follows a model that has gained nodes or lost some: locked joints, and the joint that gained links last.
    pub(super) fn follow_nodes(&mut self, find: &dyn Fn(NodeId) -> Option<NodeId>) {
        self.locked = Arc::new(self.locked.iter().filter_map(|node| find(*node)).collect());
        let links = self.links.take();
        self.links = links.and_then(|links| Some(LinksMade { joint: find(links.joint)?, ..links }));
    }

    /// Follows a model whose nodes have other ids: the joints that settings name.
    pub(super) fn follow_moved(&mut self, find: &dyn Fn(NodeId) -> Option<NodeId>) {
        self.shape_settings.joints = self.shape_settings.joints.iter().filter_map(|node| find(*node)).collect();
        let settings = Arc::make_mut(&mut self.settings);
        follow_bind_root(settings, find);
        settings.joint = settings.joint.and_then(find);
        settings.other = settings.other.and_then(find);
        settings.copied = settings.copied.iter().filter_map(|(node, weight)| Some((find(*node)?, *weight))).collect();
        settings.pairs = settings.pairs.iter().filter_map(|[a, b]| Some([find(*a)?, find(*b)?])).collect();
    }

    /// Follows a model whose nodes or morph targets are others than those of the one before: the poses that settings keep.
    pub(super) fn follow_poses(&mut self, before: &Model, now: &Model) {
        let follow = |pose: &mut Arc<LocalPose>| *pose = Arc::new(before.pose_in(now, pose));
        let settings = Arc::make_mut(&mut self.settings);
        settings.pose.iter_mut().for_each(follow);
        settings.poses.iter_mut().for_each(follow);
        if !settings.examples.is_empty() {
            Arc::make_mut(&mut settings.examples).iter_mut().for_each(|example| follow(&mut example.pose));
        }
    }

    /// Asks for a look at a mesh that was bound, and at how it moves.
    pub(super) fn ask_for_motion(&mut self) {
        self.examination = Some(Examination::CheckAndMotion);
    }
}

impl<'a> EditedWeights<'a> {
    /// Returns whether the last change of weights was a step that gave skins to meshes without a tool, as dressing a body does.
    #[must_use]
    pub fn was_given_skins(self) -> bool {
        self.edited_model().is_some_and(|now| std::ptr::eq(self.tools.given.as_ptr(), Arc::as_ptr(now)))
    }

    /// Returns the weights before what the chosen tool has just done; `None` where there were none, or something else was done since.
    #[must_use]
    pub fn weights_before(self) -> Option<&'a Arc<Model>> {
        self.tools.before.as_ref().filter(|_| self.just_changed().is_some())
    }

    /// Returns whether *Bind here* would bind in another pose than the one that is shown.
    #[must_use]
    pub fn binds_elsewhere(self) -> bool {
        self.tools.settings.pose.as_deref().is_some_and(|pose| pose.transforms != self.pose.local.transforms)
    }

    /// Returns what baking a method into the weights reaches, as the chosen tool tries it or has just done it.
    #[must_use]
    pub fn baked(self) -> Option<&'a Arc<Baked>> {
        self.last_outcome()?.baked.as_ref()
    }

    /// Returns how far the weights leave each vertex from the method that was baked into them, millimetres: the root of the mean of the squares
    /// over the poses, and the largest distance. `None` where nothing is known of these weights.
    #[must_use]
    pub fn left(self) -> Option<&'a [Arc<PerVertex>; 2]> {
        let tried = self.tools.outcome().and_then(|outcome| outcome.baked.as_ref());
        let is_of_now =
            |of: &Weak<Model>| self.edited_model().is_some_and(|now| std::ptr::eq(of.as_ptr(), Arc::as_ptr(now)));
        let kept = self.tools.left.as_ref().filter(|kept| is_of_now(&kept.of) && !self.tools.is_trying());
        tried.map(|baked| &baked.left).or(kept.map(|kept| &kept.values))
    }

    /// Returns numbers that say of no vertex how far it is left from a method.
    pub(crate) fn nothing_left(self) -> Option<Arc<PerVertex>> {
        self.edited_model().map(|model| self.tools.unknown.of(model))
    }

    /// Returns whether what the chosen tool would do now is not worked out yet, though the preview from before may be shown.
    #[must_use]
    pub fn awaits_outcome(self) -> bool {
        let tools = self.tools;
        let Some(operation) = tools.operation.filter(|_| !tools.is_normalising && !tools.rests()) else { return false };
        let Some(task) = tools.shown_task() else { return self.model.is_some() };
        let is_of_scope = match (&task.within, self.vertices_of(tools.scope)) {
            (Some(shown), Some(now)) => Arc::ptr_eq(shown, &now) || *shown == now,
            (shown, now) => shown.is_none() && now.is_none(),
        };
        let is_same = std::ptr::eq(task.operation, operation) && task.settings == *tools.settings;
        !(is_same && is_of_scope && task.locked == tools.locked)
    }
}

impl Session {
    /// Keeps how far the weights of the open model leave each vertex from a method, as a file tells it ([`EditedWeights::left`]).
    pub fn keep_left(&mut self, left: [Arc<PerVertex>; 2]) {
        self.tools.left = self.model().map(|model| LeftByBaking::of(model, left));
    }

    /// Knows how far the weights that are shown leave each vertex from a method where they are again those that this is known of, such as after
    /// undo and redo.
    pub(crate) fn follow_left(&mut self) {
        let now = self.edited_weights().edited_model().map(Arc::clone);
        if let Some((left, now)) = self.tools.left.as_mut().zip(now)
            && left.edits == *now.weight_edits()
        {
            left.of = Arc::downgrade(&now);
        }
    }

    /// Returns the model that is shown where a tool tries to give skins to its meshes. [`Session::follow_trial`] has to know it from before
    /// anything is done that may begin or end the preview of a tool.
    pub(crate) fn tried_skins(&self) -> Option<Arc<Model>> {
        self.tools.skinless().and_then(|_| self.model().map(Arc::clone))
    }

    /// Lets what names nodes and meshes follow the preview of a tool that gives skins to meshes, where it has begun or ended since.
    pub(crate) fn follow_trial(&mut self, tried: Option<Arc<Model>>) {
        let skinless = self.tools.skinless();
        let (was_tried, is_tried) = (tried.is_some(), skinless.is_some());
        let Some(before) = tried.or_else(|| skinless.map(Arc::clone)) else { return };
        // Another model may have become the active one, which knows nothing of it.
        if self.model().is_none_or(|now| !now.is_of_one_file(&before) || now.shares_all_but_edits(&before)) {
            return;
        }
        self.follow_bindings(Some(&before));
        // With the skins the findings of the checker went; they are those of the model again.
        if was_tried && !is_tried {
            self.tools.ask_for_check();
        }
    }

    /// Chooses a tool, or none; what another one previewed is given up.
    pub(crate) fn choose_tool(&mut self, operation: Option<&'static Operation>) {
        let tried = self.tried_skins();
        self.skinning().choose(operation);
        self.follow_trial(tried);
    }

    /// Shows the weights without what a tool would do to them.
    pub(crate) fn stop_trial(&mut self) {
        let tried = self.tried_skins();
        self.skinning().stop_preview();
        self.follow_trial(tried);
    }

    /// A task has been worked out: what it would do is shown where it is still wanted, and done where that was asked for.
    pub(crate) fn take_outcome(&mut self, base: &Arc<Model>, task: &Task, outcome: Option<Outcome>) {
        let tried = self.tried_skins();
        self.skinning().take_outcome(base, task, outcome);
        self.follow_trial(tried);
        self.apply_tool_if_ready();
    }

    /// Does what the chosen tool previews, where that was asked for and is worked out.
    pub(crate) fn apply_tool_if_ready(&mut self) {
        let Some(outcome) = self.skinning().take_ready() else { return };
        let before = self.edited_weights().edited_model().map(Arc::clone);
        self.tools.before = before.filter(|_| outcome.gained.is_none());
        if let Some(change) = &outcome.gained {
            return self.apply_gained(change, &outcome);
        }
        let finds = self.tools.operation.is_some_and(|tool| tool.finds_weights() || tool.bakes_method());
        if self.tools.as_layer && finds && !outcome.changes.is_empty() {
            return self.apply_as_layer(&outcome);
        }
        let values = self.skinning().end_preview();
        self.skinning().carry_out(&outcome, values);
    }

    /// Lets weights that were found be a layer over those that there are, as one step.
    fn apply_as_layer(&mut self, outcome: &Arc<Outcome>) {
        self.skinning().end_preview();
        let name = self.tools.operation.map_or("", |operation| operation.tool);
        let Some(layer) = self.model().map(|model| CopiedLayer::of_changes(name, model, &outcome.changes)) else {
            return;
        };
        layers::take_copy(&mut self.painter(), &layer);
        self.skinning().note_made(outcome);
    }

    /// Gives meshes the skins that were previewed, as one step. The tool stays, to say what was bound.
    fn apply_gained(&mut self, change: &BindingChange, outcome: &Arc<Outcome>) {
        let operation = self.tools.operation;
        // What was tried fits the model.
        if self.bind(change).is_err() {
            return;
        }
        self.tools.operation = operation;
        // Those that were chosen have a skin now.
        clear_bind_meshes(Arc::make_mut(&mut self.tools.settings));
        self.skinning().note_made(outcome);
    }

    /// Notes that a step of its own gave skins to meshes, which the checker and the range of motion look at.
    pub(crate) fn note_given(&mut self) {
        self.tools.given = self.model().map(Arc::downgrade).unwrap_or_default();
        self.tools.ask_for_motion();
    }

    /// Returns what is to be looked at anew since the model has other skins or morph targets, once.
    pub fn take_examination(&mut self) -> Option<Examination> {
        self.tools.examination.take()
    }

    /// Compares the model with the weights before what was applied, and colours the skin by how far they are apart.
    pub(crate) fn compare_before(&mut self) {
        let Some(before) = self.edited_weights().weights_before().map(Arc::clone) else { return };
        let tool = self.tools.operation.map_or("", |operation| operation.tool);
        let before = ComparedFile { model: before, name: format!("the weights before {tool}") };
        if self.compare_with(Some(before)).is_ok() {
            self.apply(ViewCommand::SetOverlay(Some("changed")));
        }
    }
}

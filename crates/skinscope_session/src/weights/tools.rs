//! Tools that change weights or inverse bind matrices: one is chosen, with settings and vertices that it works on; what it would do is shown before
//! it is done, and doing it is one step of the history.
//!
//! What a tool would do is computed in the background ([`Work::TryTool`](crate::Work)) where the session defers work; else at once.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use skinscope_edit::{
    Align, BoundSkin, Operation, Outcome, ParameterKind, REPAIRED, Settings, Task, bind_root, clear_bind_envelopes,
    forget_bind_numbers, has_bare_mesh, likely_bind_root, set_bind_root, set_dress_align,
};
use skinscope_inspect::{InspectedValues, VertexSet};
use skinscope_model::{Model, NodeId};

use super::links::LinksMade;
use super::reshaping::{ShapeSettings, Shaping};
use super::sculpts::SculptCommand;
use super::trial::LeftByBaking;
use super::unknown::Unknown;
use crate::command::ids::Id;
use crate::{Document, Pose, Session, Skinning, View};

/// The vertices that a tool works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Scope {
    /// All vertices.
    #[default]
    All,
    /// The vertices that the selected joint moves.
    Joint,
    /// The marked vertices.
    Marked,
    /// The vertices of the finding that is shown.
    Finding,
}

/// Commands about tools that change weights or inverse bind matrices.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ToolCommand {
    /// Opens the panel, or closes it and drops the preview.
    TogglePanel,
    /// Chooses a tool, by [`Operation::id`], and previews what it would do; `None`: previews nothing.
    Choose(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Chooses the vertices that tools work on.
    SetScope(Scope),
    /// Replaces the settings of all tools.
    Set(#[serde(with = "skinscope_base::text_form::shared")] Arc<Settings>),
    /// Changes the examples that weights are solved from.
    Sculpts(SculptCommand),
    /// Takes the present pose for *Bind here*.
    TakePose,
    /// Keeps the mean weights of the vertices that tools work on, for *Paste*.
    Copy,
    /// Shows a finding and previews its repair.
    Repair {
        /// The index of the finding in [`crate::Document::findings`].
        finding: usize,
        /// Whether the vertices of all findings of its rule are repaired.
        all: bool,
    },
    /// Applies what is previewed, as one step of the history.
    Apply,
    /// Chooses no tool; the weights stay as they are.
    Cancel,
    /// Colours the skin by how far its weights are from those before what was applied, with which the model is compared from then on.
    CompareBefore,
    /// Switches whether weights that are found from the mesh and its joints become a layer of weights of their own when they are applied.
    ToggleAsLayer,
    /// Locks a joint, so that no tool changes its weights, or unlocks it.
    ToggleLock(NodeId),
    /// Unlocks all joints.
    UnlockAll,
}

/// The state of the panel of tools.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// Whether the panel is open.
    pub open: bool,
    /// The chosen tool.
    pub operation: Option<&'static Operation>,
    /// The settings of all tools.
    pub settings: Arc<Settings>,
    /// The vertices that they work on.
    pub scope: Scope,
    /// Joints whose weights no tool changes.
    pub locked: Arc<BTreeSet<NodeId>>,
    /// Whether weights that are found from the mesh and its joints become a layer of their own when they are applied.
    pub as_layer: bool,
    /// The preview, with the weights that it is based on.
    shown: Option<Shown>,
    /// Whether the preview is applied as soon as it is computed.
    pub(super) apply: bool,
    /// Whether normalised weights are asked for and not there yet, see [`Work::NormaliseWeights`](crate::Work).
    pub(super) is_normalising: bool,
    /// The vertices of the scope when they were last collected.
    within: Option<Within>,
    /// What was applied last. The tool stays, and tries the same again only where that is asked for.
    applied: Option<Task>,
    /// Whether the tool that stays has nothing else to try than what was applied.
    rests: bool,
    /// What the tool that was applied last has changed.
    made: Option<Made>,
    /// The scope from before the finding whose repair was chosen.
    scope_before: Option<Scope>,
    /// The model after the last step that gave its meshes skins that no tool had found.
    pub(super) given: Weak<Model>,
    /// What is to be looked at anew since a mesh was bound.
    pub(super) examination: Option<Examination>,
    /// The joint that gained links last.
    pub links: Option<LinksMade>,
    /// What came of the last command about corrective shapes: a line for each thing that is to be said, or why nothing was done.
    pub shapes: Option<Result<Vec<String>, String>>,
    /// How the next shape is made.
    pub shape_settings: ShapeSettings,
    /// The shapes that are being made in the background, and how often some were.
    pub(super) shaping: Option<Shaping>,
    pub(super) shapings: u64,
    /// How far the weights of a model leave each vertex from a method that was baked into them.
    pub(super) left: Option<LeftByBaking>,
    /// What is shown in its place where it is not known.
    pub(super) unknown: Unknown,
    /// The weights before those that were applied last; `None` where the meshes had none.
    pub(super) before: Option<Arc<Model>>,
}

/// What is to be looked at anew of a model: its mesh was bound or is no longer tried to be bound, or it has other morph targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examination {
    /// What the checker finds.
    Check,
    /// What the checker finds, and the range of motion.
    CheckAndMotion,
}

#[derive(Clone, Debug)]
struct Shown {
    base: Arc<Model>,
    task: Task,
    outcome: Arc<Outcome>,
    /// What overlays and tables show of the model with what is previewed, once the model is checked.
    values: Option<Arc<InspectedValues>>,
}

/// What a tool has changed, with the model as it was then.
#[derive(Clone, Debug)]
struct Made {
    after: Arc<Model>,
    changed: ChangedByTool,
    outcome: Arc<Outcome>,
}

/// How much a tool has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedByTool {
    /// How many vertices got other weights.
    pub vertices: usize,
    /// How many joints got another inverse bind matrix.
    pub binds: usize,
}

/// The vertices of a scope, with everything that they depend on.
#[derive(Clone, Debug)]
struct Within {
    scope: Scope,
    base: Arc<Model>,
    selected: Option<NodeId>,
    marked: Arc<VertexSet>,
    finding: Option<usize>,
    vertices: Arc<VertexSet>,
}

impl Tools {
    /// Forgets what belongs to a model that is no longer open.
    pub(crate) fn forget(&mut self) {
        let settings = Settings::clone(&self.settings);
        let mut settings = Settings { pose: None, poses: Vec::new(), examples: Arc::default(), ..settings };
        forget_bind_numbers(&mut settings);
        clear_bind_envelopes(&mut settings);
        set_dress_align(&mut settings, Align::None);
        let scope = self.scope_before.unwrap_or(self.scope);
        *self =
            Self { open: self.open, settings: Arc::new(settings), scope, as_layer: self.as_layer, ..Self::default() };
    }

    /// Works on the vertices of a scope that somebody has chosen.
    pub(crate) fn set_scope(&mut self, scope: Scope) {
        (self.scope, self.scope_before) = (scope, None);
    }

    /// Chooses the tool that repairs a finding, on the vertices of a scope. What tools worked on before comes back once the finding is left.
    pub(crate) fn offer(&mut self, operation: Option<&'static Operation>, scope: Scope) {
        let before = self.scope_before.unwrap_or(self.scope);
        (self.scope, self.scope_before) = (scope, Some(before));
        (self.operation, self.open) = (operation, true);
    }

    /// Forgets what is asked for and locked in a version of the file in which other things have those numbers.
    pub(crate) fn leave_version(&mut self) {
        (self.is_normalising, self.locked, self.left) = (false, Arc::default(), None);
        let settings = Arc::make_mut(&mut self.settings);
        (settings.examples, settings.poses) = (Arc::default(), Vec::new());
        forget_bind_numbers(settings);
        self.shape_settings.joints.clear();
    }

    /// Works on what tools worked on before a finding was repaired.
    pub(crate) fn leave_finding(&mut self) {
        self.scope = self.scope_before.take().unwrap_or(self.scope);
    }

    /// Puts what overlays would show of the preview in place of what was found.
    pub(crate) fn inspect_trial(&mut self, document: &Document) {
        let inspection = document.inspection.as_ref();
        if let (Some(inspection), Some(shown)) = (inspection, &mut self.shown) {
            let Outcome { asymmetry, rogue, .. } = &*shown.outcome;
            shown.values = asymmetry.clone().zip(rogue.clone()).map(|(asymmetry, rogue)| {
                let (asymmetry, rogue) = (Arc::new(asymmetry), Arc::new(rogue));
                Arc::new(InspectedValues { asymmetry, rogue, ..InspectedValues::clone(&inspection.values) })
            });
        }
    }
}

impl Session {
    /// Returns the state of the panel of tools.
    #[must_use]
    pub fn tools(&self) -> &Tools {
        &self.tools
    }
}

/// Returns the weights that a tool would make of those of `base`, with what it would do; where that does not fit, with the reason.
fn tried(base: &Arc<Model>, outcome: Outcome) -> (Outcome, Arc<Model>) {
    if let Some(change) = &outcome.gained {
        return match base.with_bindings(change) {
            Ok(bound) => (outcome, Arc::new(bound)),
            Err(why) => (Outcome { refused: Some(why.into()), ..Outcome::default() }, Arc::clone(base)),
        };
    }
    let made = Some(&outcome).filter(|outcome| !outcome.is_empty());
    let made = made.and_then(|outcome| Some(Arc::new(base.with_skinning(&outcome.change()).ok()?)));
    let changed = made.unwrap_or_else(|| Arc::clone(base));
    (outcome, changed)
}

impl Skinning<'_> {
    /// Chooses a tool. What it reads of the pose that is shown is taken by [`Skinning::take_pose`].
    pub(crate) fn choose(&mut self, operation: Option<&'static Operation>) {
        for parameter in operation.map(|operation| operation.parameters).unwrap_or_default() {
            let settings = &mut self.tools.settings;
            match &parameter.kind {
                ParameterKind::Joint(kind) if kind.takes_selected => {
                    if let Some(selected) = self.view.selected {
                        parameter.set_joint(Arc::make_mut(settings), Some(selected));
                    }
                }
                // The repair of one finding leaves no trace: all rules are chosen, wherever the tool is opened from.
                ParameterKind::Rules => Arc::make_mut(settings).rules = REPAIRED.to_vec(),
                // Where no mesh has a skin, those without one are bound.
                ParameterKind::Binding => {
                    let model = self.document.as_ref().map(|document| &document.model);
                    if let Some(model) = model.filter(|model| model.skins.is_empty() && has_bare_mesh(model))
                        && bind_root(model, settings).is_none()
                    {
                        set_bind_root(Arc::make_mut(settings), likely_bind_root(model));
                    }
                }
                _ => {}
            }
        }
        self.tools.operation = operation;
        (self.tools.apply, self.tools.applied, self.tools.rests) = (false, None, false);
        self.tools.made = None;
        self.stop_preview();
    }

    /// Keeps the pose that is shown for *Bind here*.
    pub(crate) fn take_pose(&mut self) {
        let pose = self.model().map(|_| Arc::new(self.pose.local.clone()));
        Arc::make_mut(&mut self.tools.settings).pose = pose;
    }

    /// Shows the weights without what a tool would do to them.
    pub(crate) fn stop_preview(&mut self) {
        if let Some(Shown { base, .. }) = self.tools.shown.take() {
            self.show_skinning(base);
        }
    }

    /// Keeps the vertices of the scope, so that they are not collected for every picture.
    fn collect_scope(&mut self) {
        let scope = self.tools.scope;
        let (Some(vertices), Some(base)) =
            (self.edited().vertices_of(scope), self.edited().edited_model().map(Arc::clone))
        else {
            self.tools.within = None;
            return;
        };
        let (selected, finding) = (self.view.selected, self.view.finding);
        let marked = Arc::clone(&self.view.marked);
        self.tools.within = Some(Within { scope, base, selected, marked, finding, vertices });
    }

    /// What the chosen tool is to be worked out for, unless that is shown already or was applied: the weights and the task.
    pub(crate) fn wanted_task(&mut self) -> Option<(Arc<Model>, Task)> {
        let (base, task) = self.task_now()?;
        self.tools.applied.take_if(|applied| *applied != task);
        self.tools.rests = self.tools.applied.is_some() && !self.tools.apply;
        let is_shown = self.tools.shown.as_ref().is_some_and(|s| Arc::ptr_eq(&s.base, &base) && s.task == task);
        (!is_shown && !self.tools.rests).then_some((base, task))
    }

    /// What the chosen tool would be worked out for: the weights and the task.
    fn task_now(&mut self) -> Option<(Arc<Model>, Task)> {
        let operation = self.tools.operation.filter(|_| !self.tools.is_normalising)?;
        self.collect_scope();
        let base = Arc::clone(self.edited().edited_model()?);
        let within = self.tools.within.as_ref().map(|w| Arc::clone(&w.vertices));
        let settings = Settings::clone(&self.tools.settings);
        Some((base, Task { operation, settings, within, locked: Arc::clone(&self.tools.locked) }))
    }

    /// A task has been worked out: what it would do is shown where it is still wanted.
    pub(crate) fn take_outcome(&mut self, base: &Arc<Model>, task: &Task, outcome: Option<Outcome>) {
        let is_wanted = self.wanted_task().is_some_and(|(b, t)| Arc::ptr_eq(&b, base) && t == *task);
        let Some(outcome) = outcome.filter(|_| is_wanted) else { return };
        let (outcome, changed) = tried(base, outcome);
        let outcome = Arc::new(outcome);
        self.tools.shown = Some(Shown { base: Arc::clone(base), task: task.clone(), outcome, values: None });
        if let Some(document) = self.document.as_ref() {
            self.tools.inspect_trial(document);
        }
        self.show_skinning(changed);
    }

    /// Returns what is to be done now, once: the tool was to be applied, and what it does is worked out.
    pub(super) fn take_ready(&mut self) -> Option<Arc<Outcome>> {
        if !self.tools.apply || self.wanted_task().is_some() {
            return None;
        }
        self.tools.apply = false;
        let outcome = self.tools.outcome().map(Arc::clone)?;
        // A tool that cannot do it stays chosen, and its panel says why.
        if outcome.refused.is_some() {
            self.tools.open = true;
            return None;
        }
        Some(outcome)
    }

    /// Ends the preview, and returns what overlays showed of it.
    pub(super) fn end_preview(&mut self) -> Option<Arc<InspectedValues>> {
        let values = self.tools.shown.as_ref().and_then(|shown| shown.values.clone());
        self.stop_preview();
        values
    }

    /// Does what a tool was worked out to do. `values` are what overlays showed of its preview.
    pub(super) fn carry_out(&mut self, outcome: &Arc<Outcome>, values: Option<Arc<InspectedValues>>) {
        self.change_skinning(&outcome.changes, &outcome.binds);
        // Until the model is inspected again, overlays show what they showed of the preview.
        let inspection = self.document.as_mut().and_then(|document| document.inspection.as_mut());
        if let (Some(values), Some(inspection)) = (values, inspection) {
            Arc::make_mut(inspection).values = values;
        }
        self.tools.leave_finding();
        self.note_made(outcome);
    }

    /// Notes what the chosen tool has done. It stays, so that its settings can be changed and it can be applied once more.
    pub(super) fn note_made(&mut self, outcome: &Arc<Outcome>) {
        self.tools.applied = self.task_now().map(|(_, task)| task);
        self.tools.rests = self.tools.applied.is_some();
        let changed = ChangedByTool { vertices: outcome.vertices, binds: outcome.binds.len() };
        let after = self.edited().edited_model().map(Arc::clone);
        let outcome = Arc::clone(outcome);
        if let Some((baked, after)) = outcome.baked.as_ref().zip(after.as_ref()) {
            self.tools.left = Some(LeftByBaking::of(after, baked.left.clone()));
        }
        self.tools.made = after.filter(|_| !outcome.is_empty()).map(|after| Made { after, changed, outcome });
        if self.tools.made.as_ref().is_some_and(|made| !made.outcome.bound.is_empty()) {
            self.tools.ask_for_motion();
        }
    }

    /// Returns the weights that they work on.
    pub(crate) fn edited(&self) -> EditedWeights<'_> {
        EditedWeights {
            document: self.document.as_ref(),
            model: self.model(),
            view: self.view,
            pose: self.pose,
            tools: self.tools,
        }
    }
}

/// The weights that tools work on: the model as edited, without what a tool previews, and the vertices of a scope.
#[derive(Clone, Copy, Debug)]
pub struct EditedWeights<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) view: &'a View,
    pub(crate) pose: &'a Pose,
    pub(crate) tools: &'a Tools,
}

impl<'a> EditedWeights<'a> {
    /// Returns the open model with the weights that were edited so far, without the preview of a tool.
    #[must_use]
    pub fn edited_model(self) -> Option<&'a Arc<Model>> {
        self.tools.shown.as_ref().map(|shown| &shown.base).or(self.model)
    }

    /// Returns what the chosen tool has just changed; `None` once its settings, its vertices or the weights are others since.
    #[must_use]
    pub fn just_changed(self) -> Option<ChangedByTool> {
        let made = self.tools.made.as_ref().filter(|_| self.tools.rests())?;
        self.edited_model().is_some_and(|now| Arc::ptr_eq(now, &made.after)).then_some(made.changed)
    }

    /// Returns the skins whose weights the chosen tool has just found, as long as [`EditedWeights::just_changed`] says that it has.
    #[must_use]
    pub fn just_bound(self) -> &'a [BoundSkin] {
        let made = self.tools.made.as_ref().filter(|_| self.just_changed().is_some());
        made.map_or(&[], |made| made.outcome.bound.as_slice())
    }

    /// Returns the skins whose weights the chosen tool tries to find, or else has found in the model as it is, though its settings be others since.
    pub(super) fn last_bound(self) -> &'a [BoundSkin] {
        self.last_outcome().map_or(&[], |outcome| outcome.bound.as_slice())
    }

    /// Returns what the chosen tool tries to do, or else has done to the model as it is, though its settings be others since.
    pub(super) fn last_outcome(self) -> Option<&'a Arc<Outcome>> {
        let made =
            self.tools.made.as_ref().filter(|made| self.edited_model().is_some_and(|m| Arc::ptr_eq(m, &made.after)));
        self.tools.outcome().or(made.map(|made| &made.outcome))
    }

    /// The vertices of a scope; `None` for all.
    #[must_use]
    pub fn vertices_of(self, scope: Scope) -> Option<Arc<VertexSet>> {
        let base = self.edited_model()?;
        let view = self.view;
        let known = self.tools.within.as_ref().filter(|w| {
            w.scope == scope
                && Arc::ptr_eq(&w.base, base)
                && w.selected == view.selected
                && Arc::ptr_eq(&w.marked, &view.marked)
                && w.finding == view.finding
        });
        if let Some(known) = known {
            return Some(Arc::clone(&known.vertices));
        }
        match scope {
            Scope::All => None,
            Scope::Marked => Some(Arc::clone(&view.marked)),
            Scope::Joint => {
                Some(Arc::new(view.selected.map(|node| VertexSet::moved_by(base, node)).unwrap_or_default()))
            }
            Scope::Finding => {
                let finding = view.finding.and_then(|index| self.document?.findings().nth(index));
                Some(Arc::new(finding.map(skinscope_inspect::check::Finding::vertex_set).unwrap_or_default()))
            }
        }
    }

    /// Returns the numbers of each vertex that the checker has found, once the model is checked; while a tool is tried, the
    /// differences of mirror images are those of the weights that are shown.
    #[must_use]
    pub fn inspected_values(self) -> Option<&'a Arc<InspectedValues>> {
        let inspection = self.document?.inspection.as_ref()?;
        let tried = self.tools.shown.as_ref().and_then(|shown| shown.values.as_ref());
        Some(tried.unwrap_or(&inspection.values))
    }
}

impl Tools {
    /// Returns what the chosen tool would do, if that is worked out and previewed.
    #[must_use]
    pub fn outcome(&self) -> Option<&Arc<Outcome>> {
        self.shown.as_ref().map(|shown| &shown.outcome)
    }

    /// Returns what the preview was worked out for.
    pub(super) fn shown_task(&self) -> Option<&Task> {
        self.shown.as_ref().map(|shown| &shown.task)
    }

    /// Returns whether the weights that are shown are the preview of a tool.
    #[must_use]
    pub fn is_trying(&self) -> bool {
        self.shown.is_some()
    }

    /// Returns the model without the skins that its meshes have in the preview alone, where that gives them some.
    pub(super) fn skinless(&self) -> Option<&Arc<Model>> {
        self.shown.as_ref().filter(|shown| shown.outcome.gained.is_some()).map(|shown| &shown.base)
    }

    /// Returns whether the chosen tool was applied, and nothing that it works by is another since: it tries nothing until then.
    #[must_use]
    pub fn rests(&self) -> bool {
        self.rests && self.operation.is_some() && self.shown.is_none()
    }

    #[cfg(test)]
    /// Whether a tool is chosen whose work is still to be done by somebody.
    pub(crate) fn awaits_task(&self) -> bool {
        self.apply
    }
}

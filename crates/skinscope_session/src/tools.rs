//! Tools that change weights or inverse bind matrices: one is chosen, with settings and vertices that it works on; what it would do is shown before
//! it is done, and doing it is one step of the history.
//!
//! What a tool would do is computed in the background ([`Work::TryTool`](super::Work)) where the session is patient; else at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_edit::{BIND_HERE, Operation, Outcome, Settings, Sheet, Task, mean_of, operation, work_out};
use skinscope_inspect::{InspectedValues, VertexSet};
use skinscope_model::{Model, NodeId};

use super::Session;
use super::ids::Id;

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
    Choose(#[serde(deserialize_with = "super::ids::optional")] Option<Id>),
    /// Chooses the vertices that tools work on.
    SetScope(Scope),
    /// Replaces the settings of all tools.
    Set(#[serde(with = "skinscope_base::text_form::shared")] Arc<Settings>),
    /// Takes the present pose for *Bind here*.
    TakePose,
    /// Keeps the mean weights of the vertices that tools work on, for *Paste*.
    Copy,
    /// Shows a finding and previews its repair.
    Repair {
        /// The place of the finding in [`super::Document::findings`].
        finding: usize,
        /// Whether the vertices of all findings of its rule are repaired.
        all: bool,
    },
    /// Applies what is previewed, as one step of the history.
    Apply,
    /// Chooses no tool; the weights stay as they are.
    Cancel,
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
    /// The preview, with the weights that it is based on.
    shown: Option<Shown>,
    /// Whether the preview is applied as soon as it is worked out.
    apply: bool,
    /// The vertices of the scope when they were last collected.
    within: Option<Within>,
}

#[derive(Clone, Debug)]
struct Shown {
    base: Arc<Model>,
    task: Task,
    outcome: Arc<Outcome>,
    /// What overlays and tables show of the model with what is previewed, once the model is checked.
    values: Option<Arc<InspectedValues>>,
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

impl Session {
    /// Returns the state of the panel of tools.
    #[must_use]
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Returns the open model with the weights that were edited so far, without the preview of a tool.
    #[must_use]
    pub fn edited_model(&self) -> Option<&Arc<Model>> {
        self.tools.shown.as_ref().map(|shown| &shown.base).or_else(|| self.model())
    }

    /// Returns what the chosen tool would do, if that is worked out and previewed.
    #[must_use]
    pub fn outcome(&self) -> Option<&Arc<Outcome>> {
        self.tools.shown.as_ref().map(|shown| &shown.outcome)
    }

    /// Returns whether the weights that are shown are the preview of a tool.
    #[must_use]
    pub fn is_trying(&self) -> bool {
        self.tools.shown.is_some()
    }

    /// Carries out a command of its family.
    pub(super) fn use_tool(&mut self, command: &ToolCommand) {
        match command {
            ToolCommand::TogglePanel => {
                self.tools.open = !self.tools.open;
                if !self.tools.open {
                    self.choose_tool(None);
                }
            }
            ToolCommand::Choose(id) => {
                self.choose_tool(id.and_then(operation));
                self.tools.open |= self.tools.operation.is_some();
            }
            ToolCommand::SetScope(scope) => self.tools.scope = *scope,
            ToolCommand::Set(settings) => self.tools.settings = Arc::clone(settings),
            ToolCommand::TakePose => self.take_pose(),
            ToolCommand::Copy => self.copy_weights(),
            ToolCommand::Repair { finding, all } => self.repair(*finding, *all),
            ToolCommand::Apply => self.tools.apply = self.tools.operation.is_some(),
            ToolCommand::Cancel => self.choose_tool(None),
            ToolCommand::ToggleLock(node) => {
                if self.model().is_some_and(|model| node.index() < model.skeleton.len()) {
                    let locked = Arc::make_mut(&mut self.tools.locked);
                    if !locked.remove(node) {
                        locked.insert(*node);
                    }
                }
            }
            ToolCommand::UnlockAll => self.tools.locked = Arc::default(),
        }
        if let (false, Some((base, task))) = (self.is_patient, self.wanted_task()) {
            let outcome = work_out(&base, &task, &JobContext::of_waiting());
            self.worked_out(&base, &task, outcome);
        }
        self.apply_if_ready();
    }

    pub(super) fn choose_tool(&mut self, operation: Option<&'static Operation>) {
        if let Some(joint) = self.view.selected.filter(|_| operation.is_some_and(|o| o.argument.starts_with("JOINT"))) {
            Arc::make_mut(&mut self.tools.settings).joint = Some(joint);
        }
        self.tools.operation = operation;
        self.tools.apply = false;
        self.stop_trying();
        if operation.is_some_and(|operation| std::ptr::eq(operation, &BIND_HERE)) {
            self.take_pose();
        }
    }

    /// Keeps the pose that is shown for *Bind here*.
    fn take_pose(&mut self) {
        self.update_pose();
        let pose = self.model().map(|_| Arc::new(self.pose.local.clone()));
        Arc::make_mut(&mut self.tools.settings).pose = pose;
    }

    /// Returns whether *Bind here* would bind in another pose than the one that is shown.
    #[must_use]
    pub fn binds_elsewhere(&self) -> bool {
        self.tools.settings.pose.as_deref().is_some_and(|pose| pose.transforms != self.pose.local.transforms)
    }

    /// Keeps the mean of the weights of the scope.
    fn copy_weights(&mut self) {
        let Some(base) = self.edited_model().map(Arc::clone) else { return };
        let mut sheet = Sheet::of(&base);
        if let Some(within) = self.vertices_of(self.tools.scope) {
            sheet.limit_to(&within);
        }
        let joints = base.skeleton.len() as u32;
        let copied = mean_of(&sheet).into_iter().filter(|(key, _)| *key < joints);
        Arc::make_mut(&mut self.tools.settings).copied = copied.map(|(key, weight)| (NodeId(key), weight)).collect();
    }

    /// Shows the weights without what a tool would do to them.
    pub(super) fn stop_trying(&mut self) {
        if let Some(Shown { base, .. }) = self.tools.shown.take() {
            self.show_skinning(base);
        }
    }

    /// Forgets what belongs to a model that is no longer open.
    pub(super) fn forget_tools(&mut self) {
        let settings = Settings { pose: None, ..Settings::clone(&self.tools.settings) };
        self.tools =
            Tools { open: self.tools.open, settings: Arc::new(settings), scope: self.tools.scope, ..Tools::default() };
    }

    /// The vertices of a scope; `None` for all.
    #[must_use]
    pub fn vertices_of(&self, scope: Scope) -> Option<Arc<VertexSet>> {
        let base = self.edited_model()?;
        let view = &self.view;
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
                let finding = view.finding.and_then(|place| self.document()?.findings().nth(place));
                Some(Arc::new(finding.map(skinscope_inspect::check::Finding::vertex_set).unwrap_or_default()))
            }
        }
    }

    /// Keeps the vertices of the scope, so that they are not collected for every picture.
    fn collect_scope(&mut self) {
        let scope = self.tools.scope;
        let (Some(vertices), Some(base)) = (self.vertices_of(scope), self.edited_model().map(Arc::clone)) else {
            self.tools.within = None;
            return;
        };
        let (selected, finding) = (self.view.selected, self.view.finding);
        let marked = Arc::clone(&self.view.marked);
        self.tools.within = Some(Within { scope, base, selected, marked, finding, vertices });
    }

    /// What the chosen tool is to be worked out for, unless that is shown already: the weights and the task.
    pub(super) fn wanted_task(&mut self) -> Option<(Arc<Model>, Task)> {
        let operation = self.tools.operation.filter(|_| !self.is_normalising)?;
        self.collect_scope();
        let base = Arc::clone(self.edited_model()?);
        let within = self.tools.within.as_ref().map(|w| Arc::clone(&w.vertices));
        let settings = Settings::clone(&self.tools.settings);
        let task = Task { operation, settings, within, locked: Arc::clone(&self.tools.locked) };
        let is_shown = self.tools.shown.as_ref().is_some_and(|s| Arc::ptr_eq(&s.base, &base) && s.task == task);
        (!is_shown).then_some((base, task))
    }

    /// A task has been worked out: what it would do is shown where it is still wanted.
    pub(super) fn worked_out(&mut self, base: &Arc<Model>, task: &Task, outcome: Option<Outcome>) {
        let is_wanted = self.wanted_task().is_some_and(|(b, t)| Arc::ptr_eq(&b, base) && t == *task);
        let Some(outcome) = outcome.filter(|_| is_wanted) else { return };
        let made = Some(&outcome).filter(|outcome| !outcome.is_empty());
        let made = made.and_then(|outcome| Some(Arc::new(base.with_skinning(&outcome.change()).ok()?)));
        let changed = made.unwrap_or_else(|| Arc::clone(base));
        let outcome = Arc::new(outcome);
        self.tools.shown = Some(Shown { base: Arc::clone(base), task: task.clone(), outcome, values: None });
        self.inspect_trial();
        self.show_skinning(changed);
        self.apply_if_ready();
    }

    /// Returns the numbers of each vertex that the checker has found, once the model is checked; while a tool is tried, the
    /// differences of mirror images are those of the weights that are shown.
    #[must_use]
    pub fn inspected_values(&self) -> Option<&Arc<InspectedValues>> {
        let inspection = self.document.as_ref()?.inspection.as_ref()?;
        let tried = self.tools.shown.as_ref().and_then(|shown| shown.values.as_ref());
        Some(tried.unwrap_or(&inspection.values))
    }

    /// Puts the differences of mirror images that the preview would have in place of those that were found.
    pub(super) fn inspect_trial(&mut self) {
        let inspection = self.document.as_ref().and_then(|document| document.inspection.as_ref());
        if let (Some(inspection), Some(shown)) = (inspection, &mut self.tools.shown) {
            let asymmetry = shown.outcome.asymmetry.clone();
            let with =
                |asymmetry| Arc::new(InspectedValues { asymmetry, ..InspectedValues::clone(&inspection.values) });
            shown.values = asymmetry.map(with);
        }
    }

    fn apply_if_ready(&mut self) {
        if !self.tools.apply || self.wanted_task().is_some() {
            return;
        }
        self.tools.apply = false;
        let Some(outcome) = self.outcome().map(Arc::clone) else { return };
        // A tool that cannot do it stays chosen, and its panel says why.
        if outcome.refused.is_some() {
            self.tools.open = true;
            return;
        }
        self.stop_trying();
        self.change_skinning(&outcome.changes, &outcome.binds);
        self.tools.operation = None;
    }

    /// Whether a tool is chosen whose work is still to be done by somebody.
    #[must_use]
    pub fn awaits_task(&self) -> bool {
        self.tools.apply
    }
}

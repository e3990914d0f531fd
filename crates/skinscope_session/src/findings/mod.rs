//! Pinned and marked vertices, and the finding that is shown.

pub(crate) mod repair;

use std::sync::Arc;

use glam::{Quat, Vec3};
use skinscope_base::math::{Aabb, euler_xyz_degrees};
use skinscope_inspect::check::{Finding, FindingPose};
use skinscope_inspect::rom::RomReport;
use skinscope_inspect::{self as inspect, Inspection, Overlay, VertexRef, VertexSet};
use skinscope_model::{Model, NodeId};

use crate::files::unsaved::{has_pose, has_same_pose};
use crate::{
    ChannelValue, Document, Edits, Extents, FindingCommand, History, Marking, Marks, NodeEdit, Orbit, Playback,
    PlaybackCommand, Playing, PoseSource, Session, Toggle, Unsaved, View,
};

/// The state of the session before a finding was shown.
#[derive(Clone, Debug)]
pub(super) struct StateBeforeFinding {
    /// The pose, where another one is shown since.
    pose: Option<PoseBefore>,
    orbit: Orbit,
    overlay: Option<&'static Overlay>,
    bones: bool,
    selected: Option<NodeId>,
    marked: Arc<VertexSet>,
    /// Whether these were marked by hand.
    by_hand: bool,
}

/// What was played and edited before a finding was shown in its own pose.
#[derive(Clone, Debug)]
struct PoseBefore {
    playback: Playback,
    edits: Arc<Edits>,
    /// The edits that show the pose of the finding.
    shown: Arc<Edits>,
}

impl StateBeforeFinding {
    /// Returns the state as it is now.
    fn of(view: &View, marking: &Marking) -> Self {
        Self {
            pose: None,
            orbit: view.orbit,
            overlay: view.overlay,
            bones: view.is_on(Toggle::Bones),
            selected: view.selected,
            marked: Arc::clone(&view.marked),
            by_hand: marking.by_hand,
        }
    }

    /// Returns whether a person has made any of it.
    pub(super) fn has_work(&self) -> bool {
        self.by_hand || self.pose.as_ref().is_some_and(|pose| has_pose(&pose.edits))
    }
}

impl<'a> Unsaved<'a> {
    /// Returns the edits of the pose that a person has made, with what was played: while a finding is shown, those from before it. Where
    /// there were none, and the pose of the finding was edited further, that is the one.
    pub(super) fn own_pose(self) -> (Arc<Edits>, &'a Playback) {
        let before = self.before_finding.as_ref().and_then(|before| before.pose.as_ref());
        let is_own = |before: &&PoseBefore| has_pose(&before.edits) || has_same_pose(self.edits, &before.shown);
        match before.filter(is_own) {
            None => (Arc::clone(self.edits), self.playback),
            Some(before) if Arc::ptr_eq(&before.edits.controls, &self.edits.controls) => {
                (Arc::clone(&before.edits), &before.playback)
            }
            Some(before) => (Arc::new(with_controls_of(&before.edits, self.edits)), &before.playback),
        }
    }

    /// Returns what is marked by hand; while a finding is shown, what was so before it. `None`: nothing.
    pub(super) fn own_marks(self) -> Option<&'a Arc<VertexSet>> {
        let before = self.before_finding.as_ref().filter(|before| before.by_hand);
        before.map(|before| &before.marked).or(self.marking.by_hand.then_some(&self.view.marked))
    }
}

impl Session {
    /// Takes the inspection of a model, which is stored if the model is still open, with the same weights. The finding that is shown stays
    /// open where it was found again.
    pub fn inspected(&mut self, model: &Arc<Model>, inspection: Inspection) {
        let is_it = self.edited_weights().edited_model().is_some_and(|edited| Arc::ptr_eq(edited, model));
        if let Some(document) = self.document.as_mut().filter(|_| is_it) {
            let shown = self.view.finding.and_then(|index| document.findings().nth(index).cloned());
            let had_finding = shown.is_some();
            document.take_inspection(model, inspection);
            self.view.finding = shown.and_then(|shown| {
                let to_the_letter = document.findings().position(|found| *found == shown);
                to_the_letter.or_else(|| document.findings().position(|found| is_about_the_same(found, &shown)))
            });
            self.tools.inspect_trial(document);
            if had_finding && self.view.finding.is_none() && self.tools.rests() {
                self.marker().mark_as_before();
            }
        }
    }

    /// Takes the range of motion of a model, which is stored if the model is still open, whatever its weights are by now.
    pub fn measured(&mut self, model: &Arc<Model>, report: RomReport) {
        let Some(document) = self.document.as_mut().filter(|d| d.model.shares_all_but_edits(model)) else { return };
        let checked = document.inspection.as_ref().map_or(0, |i| i.report.findings.len());
        document.take_rom(model, report);
        self.view.finding = self.view.finding.filter(|index| *index < checked);
    }
}

/// What is marked and pinned, with what remembers it.
pub(super) struct Marker<'a> {
    pub document: Option<&'a Document>,
    pub view: &'a mut View,
    pub marking: &'a mut Marking,
    pub history: &'a mut History,
    pub before_finding: &'a mut Option<Box<StateBeforeFinding>>,
}

impl Marker<'_> {
    /// Pins this vertex, if it exists.
    pub(super) fn pin(&mut self, vertex: Option<VertexRef>) {
        self.view.pinned = vertex.filter(|v| has_vertex(self.document, *v));
        self.view.pinned_copy = 0;
        self.view.pinned_second = false;
    }

    /// Marks these vertices, if all exist; `by_hand`: by several strokes. What a person had made before the finding that is shown comes
    /// back once that is left.
    pub(super) fn mark(&mut self, vertices: Arc<VertexSet>, by_hand: bool) {
        if !self.document.is_some_and(|document| fits(&document.model, &vertices)) {
            return;
        }
        if let Some(before) = self.before_finding.as_mut().filter(|before| !before.by_hand) {
            (before.marked, before.by_hand) = (Arc::clone(&vertices), by_hand);
        }
        self.before_finding.take_if(|before| !before.has_work());
        (self.view.marked, self.marking.by_hand) = (vertices, by_hand);
        self.view.finding = None;
    }

    /// Marks these vertices, if all exist, as a step that can be undone.
    pub(super) fn mark_as_step(&mut self, vertices: Arc<VertexSet>, by_hand: bool) {
        if *vertices != *self.view.marked && self.document.is_some_and(|document| fits(&document.model, &vertices)) {
            let before = Arc::clone(&self.view.marked);
            self.history.marks_changed(Marks { vertices: before, by_hand: self.marking.by_hand });
        }
        self.mark(vertices, by_hand);
    }

    /// Marks these vertices by hand, also before the finding that is shown.
    pub(super) fn mark_for_good(&mut self, vertices: Arc<VertexSet>) {
        self.before_finding.iter_mut().for_each(|before| before.by_hand = false);
        self.mark(vertices, true);
    }

    /// Marks these vertices until they are left as a finding is: then what was marked before is marked again.
    pub(super) fn mark_for_a_look(&mut self, vertices: Arc<VertexSet>) {
        let before = self.take_before();
        self.mark(vertices, false);
        *self.before_finding = Some(before);
    }

    /// Marks again what was marked before the finding that a tool has repaired.
    fn mark_as_before(&mut self) {
        if let Some(before) = &*self.before_finding {
            self.view.marked = Arc::clone(&before.marked);
            self.marking.by_hand = before.by_hand;
        }
    }

    /// Shows a finding, by its index, with the overlay and the joint that it is about. `before` is what was shown before.
    fn show(
        &mut self,
        index: usize,
        (about, joint): (Option<&'static Overlay>, Option<NodeId>),
        before: Box<StateBeforeFinding>,
    ) {
        self.view.finding = Some(index);
        self.view.overlay = about.or(before.overlay);
        self.view.set(Toggle::Bones, before.bones || joint.is_some());
        // A finding that names no joint concerns none: the weights of some joint would mislead.
        let count = self.document.map_or(0, |document| document.model.skeleton.len());
        self.view.select(joint, count);
        *self.before_finding = Some(before);
    }

    /// Shows again what was shown and marked before the findings.
    fn go_back(&mut self, before: StateBeforeFinding) {
        let StateBeforeFinding { orbit, overlay, bones, selected, marked, by_hand, .. } = before;
        (self.view.orbit, self.view.overlay, self.view.selected) = (orbit, overlay, selected);
        self.view.set(Toggle::Bones, bones);
        (self.view.marked, self.view.finding) = (marked, None);
        self.marking.by_hand = by_hand;
    }

    /// Takes the state before the finding that is shown; the state as it is now where none is.
    fn take_before(&mut self) -> Box<StateBeforeFinding> {
        self.before_finding.take().unwrap_or_else(|| Box::new(StateBeforeFinding::of(self.view, self.marking)))
    }

    /// Forgets vertices and findings of a model that is no longer open.
    pub(super) fn forget_vertices(&mut self) {
        self.view.pinned = self.view.pinned.filter(|v| has_vertex(self.document, *v));
        self.view.marked = Arc::default();
        self.marking.by_hand = false;
        self.view.finding = None;
        *self.before_finding = None;
    }
}

/// Carries out a command of its family.
pub(super) fn apply(session: &mut Session, command: &FindingCommand) {
    let FindingCommand::ShowFinding(index) = *command else { return leave_finding(session) };
    let finding = session.document().and_then(|d| d.findings().nth(index).cloned());
    let Some(finding) = &finding else { return };
    let mut before = session.marker().take_before();
    let (playback, edits) = match before.pose.take() {
        Some(pose) => (pose.playback, pose.edits),
        None => (session.playback().clone(), Arc::clone(session.edits())),
    };
    session.playing().pose_as(finding.pose);
    before.pose = Some(PoseBefore { playback, edits, shown: Arc::clone(session.edits()) });
    session.marker().mark(Arc::new(finding.vertex_set()), false);
    let joint = session.model().and_then(|model| joint_of(model, finding));
    let about = inspect::overlay_of_rule(finding.rule).and_then(inspect::overlay);
    // The weights of no joint at all are zero everywhere.
    let about = about.filter(|o| o.id != "weights" || joint.is_some());
    session.marker().show(index, (about, joint), before);
    session.update_pose();
    let bounds = session.extents().surroundings(&finding.vertex_set(), &finding.joints);
    session.view.frame_in_clear(bounds);
}

/// Restores the state before the first of the findings that were shown; pose edits come back in one step that can be
/// undone.
pub(super) fn leave_finding(session: &mut Session) {
    let Some(mut before) = session.marker().before_finding.take() else { return };
    if let Some(PoseBefore { playback, edits, .. }) = before.pose.take() {
        *session.playing().playback = playback;
        // What was done to controls meanwhile stays.
        let edits = with_controls_of(&edits, session.edits());
        session.pose_edits().change(edits);
    }
    session.marker().go_back(*before);
    session.tools.leave_finding();
    session.update_pose();
}

impl Playing<'_> {
    /// Shows exactly this pose: pose edits are removed, in one step that can be undone.
    pub(super) fn pose_as(&mut self, pose: FindingPose) {
        self.playback.playing = false;
        let mut edits = self.edits.without_pose();
        match pose {
            FindingPose::Rest => self.apply(&PlaybackCommand::SetPose(PoseSource::Rest)),
            FindingPose::Turned { joint, axis, angle } => {
                self.apply(&PlaybackCommand::SetPose(PoseSource::Rest));
                let rest = self.document.and_then(|d| d.model.skeleton.rest.transforms.get(joint.index()));
                if let (Some(rest), Some(axis)) = (rest, axis.try_normalize()) {
                    let turned = rest.rotation * Quat::from_axis_angle(axis, angle);
                    let mut edit = NodeEdit::default();
                    edit.set(ChannelValue::Rotation(euler_xyz_degrees(turned)));
                    edits.nodes.insert(joint, edit);
                }
            }
            FindingPose::Clip { clip, time_secs } => {
                self.apply(&PlaybackCommand::SetClip(clip));
                self.apply(&PlaybackCommand::Seek(time_secs));
            }
        }
        self.history.change_edits(self.edits, edits);
    }
}

impl Extents<'_> {
    /// Returns the box around the marked vertices as posed, and some of what is around.
    pub(super) fn marked_bounds(self) -> Aabb {
        self.surroundings(&self.view.marked, &[])
    }

    /// Returns the box around these vertices and joints as posed, and some of what is around.
    pub(super) fn surroundings(self, vertices: &VertexSet, joints: &[NodeId]) -> Aabb {
        let Some(posed) = self.surfaces.posed() else { return Aabb::EMPTY };
        let mut bounds = inspect::bounds_of(&posed, &self.pose.draws, &mut |instance, primitive, out| {
            out.extend_from_slice(vertices.of(instance.mesh, primitive));
        });
        let joint = |n: &NodeId| Vec3::from(self.pose.model[n.index()].translation);
        bounds = bounds.union(Aabb::from_points(joints.iter().map(joint).filter(|p| p.is_finite())));
        let whole = self.bounds();
        if bounds.is_empty() {
            return whole;
        }
        // A point without its surroundings cannot be recognised.
        let around = (0.25 * whole.diagonal() - 0.5 * bounds.diagonal()).max(0.05 * whole.diagonal());
        Aabb { min: bounds.min - around, max: bounds.max + around }
    }
}

/// Returns these edits with the controls that there are now.
fn with_controls_of(edits: &Edits, now: &Edits) -> Edits {
    Edits { controls: Arc::clone(&now.controls), ..edits.clone() }
}

/// Returns whether a model has this vertex.
fn has_vertex(document: Option<&Document>, vertex: VertexRef) -> bool {
    let Some(model) = document.map(|document| &document.model) else { return false };
    let instance = model.instances.get(vertex.instance.index());
    let primitive = instance.and_then(|i| model.meshes[i.mesh.index()].primitives.get(vertex.primitive));
    primitive.is_some_and(|p| vertex.vertex < p.vertex_count())
}

/// Whether two findings are of one rule, about the same vertices and joints.
fn is_about_the_same(a: &Finding, b: &Finding) -> bool {
    let about = |f: &Finding| (f.rule, f.mesh, f.primitive);
    about(a) == about(b) && a.vertices == b.vertices && a.joints == b.joints
}

/// Returns the joint that the text of a finding is about: the first that it names; where it names none, the one that
/// its pose turns, else the first of those at fault.
fn joint_of(model: &Model, finding: &Finding) -> Option<NodeId> {
    let named = |joint: &NodeId| {
        let name = model.skeleton.names.get(joint.index())?;
        Some((finding.message.find(&format!("\"{name}\""))?, *joint))
    };
    let turned = match finding.pose {
        FindingPose::Turned { joint, .. } => Some(joint),
        _ => None,
    };
    let first_named = finding.joints.iter().filter_map(named).min_by_key(|(index, _)| *index);
    first_named.map(|(_, joint)| joint).or(turned).or(finding.joints.first().copied())
}

/// Returns whether all vertices of a set exist.
fn fits(model: &Model, set: &VertexSet) -> bool {
    set.parts.iter().all(|part| {
        let primitive = model.meshes.get(part.mesh.index()).and_then(|m| m.primitives.get(part.primitive));
        let last = part.vertices.last().map_or(0, |v| *v as usize + 1);
        part.vertices.is_sorted() && primitive.is_some_and(|p| last <= p.stored_vertices)
    })
}

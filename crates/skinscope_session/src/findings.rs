//! Pinned and marked vertices, and the finding that is shown.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::{ChannelValue, Edits, FindingCommand, NodeEdit, Orbit, Playback, PlaybackCommand, PoseSource, Session};
use skinscope_base::math::{Aabb, euler_xyz_degrees};
use skinscope_inspect::check::{Finding, FindingPose};
use skinscope_inspect::rom::RomReport;
use skinscope_inspect::{self as inspect, Inspection, Overlay, VertexRef, VertexSet};
use skinscope_model::{Model, NodeId};

/// The state of the session before a finding was shown.
#[derive(Clone, Debug)]
pub(super) struct StateBeforeFinding {
    playback: Playback,
    edits: Arc<Edits>,
    orbit: Orbit,
    overlay: Option<&'static Overlay>,
    bones: bool,
    selected: Option<NodeId>,
    marked: Arc<VertexSet>,
}

impl Session {
    /// Takes the inspection of a model, which is kept if the model is still open, with the same weights. The finding that is shown stays
    /// open where it was found again.
    pub fn inspected(&mut self, model: &Arc<Model>, inspection: Inspection) {
        let is_it = self.edited_model().is_some_and(|edited| Arc::ptr_eq(edited, model));
        if let Some(document) = self.document.as_mut().filter(|_| is_it) {
            let shown = self.view.finding.and_then(|place| document.findings().nth(place).cloned());
            document.take_inspection(model, inspection);
            self.view.finding = shown.and_then(|shown| {
                let to_the_letter = document.findings().position(|found| *found == shown);
                to_the_letter.or_else(|| document.findings().position(|found| is_about_the_same(found, &shown)))
            });
            self.inspect_trial();
        }
    }

    /// Takes the range of motion of a model, which is kept if the model is still open, whatever its weights are by now.
    pub fn measured(&mut self, model: &Arc<Model>, report: RomReport) {
        let Some(document) = self.document.as_mut().filter(|d| d.model.shares_all_but_edits(model)) else { return };
        let checked = document.inspection.as_ref().map_or(0, |i| i.report.findings.len());
        document.take_rom(model, report);
        self.view.finding = self.view.finding.filter(|place| *place < checked);
    }

    /// Carries out a command of its family.
    pub(super) fn examine(&mut self, command: &FindingCommand) {
        match command {
            FindingCommand::ShowFinding(place) => self.show_finding(*place),
            FindingCommand::LeaveFinding => self.leave_finding(),
        }
    }

    /// Pins this vertex, if it exists.
    pub(super) fn pin(&mut self, vertex: Option<VertexRef>) {
        self.view.pinned = vertex.filter(|v| self.has_vertex(*v));
        self.view.pinned_copy = 0;
        self.view.pinned_second = false;
    }

    /// Marks these vertices, if all exist.
    pub(super) fn mark(&mut self, vertices: Arc<VertexSet>) {
        if self.model().is_some_and(|m| fits(m, &vertices)) {
            self.view.marked = vertices;
            self.marking.by_hand = false;
            self.view.finding = None;
            self.before_finding = None;
        }
    }

    pub(super) fn frame_marked(&mut self) {
        let marked = Arc::clone(&self.view.marked);
        self.view.frame(self.surroundings(&marked, &[]));
    }

    /// Forgets vertices and findings of a model that is no longer open.
    pub(super) fn forget_vertices(&mut self) {
        self.view.pinned = self.view.pinned.filter(|v| self.has_vertex(*v));
        self.view.marked = Arc::default();
        self.marking.by_hand = false;
        self.view.finding = None;
        self.before_finding = None;
    }

    fn has_vertex(&self, vertex: VertexRef) -> bool {
        let Some(model) = self.model() else { return false };
        let instance = model.instances.get(vertex.instance.index());
        let primitive = instance.and_then(|i| model.meshes[i.mesh.index()].primitives.get(vertex.primitive));
        primitive.is_some_and(|p| vertex.vertex < p.vertex_count())
    }

    fn show_finding(&mut self, place: usize) {
        let finding = self.document.as_ref().and_then(|d| d.findings().nth(place).cloned());
        let Some(finding) = &finding else { return };
        let before = self.before_finding.take().unwrap_or_else(|| Box::new(self.now()));
        self.pose_as(finding.pose);
        let vertices = finding.vertex_set();
        self.mark(Arc::new(vertices));
        self.view.finding = Some(place);
        let joint = self.model().and_then(|model| joint_of(model, finding));
        let about = inspect::overlay_of_rule(finding.rule).and_then(inspect::overlay);
        // The weights of no joint at all are zero everywhere.
        let about = about.filter(|o| o.id != "weights" || joint.is_some());
        self.view.overlay = about.or(before.overlay);
        self.view.bones = before.bones || joint.is_some();
        // A finding that names no joint concerns none: the weights of some joint would mislead.
        self.view.selected = None;
        self.before_finding = Some(before);
        if joint.is_some() {
            self.select(joint);
        }
        self.update_pose();
        let bounds = self.surroundings(&finding.vertex_set(), &finding.joints);
        self.view.frame(bounds);
    }

    fn now(&self) -> StateBeforeFinding {
        let view = &self.view;
        StateBeforeFinding {
            playback: self.playback.clone(),
            edits: Arc::clone(&self.edits),
            orbit: view.orbit,
            overlay: view.overlay,
            bones: view.bones,
            selected: view.selected,
            marked: Arc::clone(&view.marked),
        }
    }

    /// Restores the state before the first of the findings that were shown; pose edits come back in one step that can be
    /// undone.
    pub(super) fn leave_finding(&mut self) {
        let Some(before) = self.before_finding.take() else { return };
        let StateBeforeFinding { playback, edits, orbit, overlay, bones, selected, marked } = *before;
        self.playback = playback;
        // What was done to controls meanwhile stays.
        self.change_edits(Edits { controls: Arc::clone(&self.edits.controls), ..Edits::clone(&edits) });
        (self.view.orbit, self.view.overlay, self.view.selected) = (orbit, overlay, selected);
        self.view.bones = bones;
        (self.view.marked, self.view.finding) = (marked, None);
        self.update_pose();
    }

    /// Shows exactly this pose: pose edits are removed, in one step that can be undone.
    pub(super) fn pose_as(&mut self, pose: FindingPose) {
        self.playback.playing = false;
        let mut edits = self.edits.without_pose();
        match pose {
            FindingPose::Rest => self.play(&PlaybackCommand::SetPose(PoseSource::Rest)),
            FindingPose::Turned { joint, axis, angle } => {
                self.play(&PlaybackCommand::SetPose(PoseSource::Rest));
                let rest = self.model().and_then(|m| m.skeleton.rest.transforms.get(joint.index()));
                if let (Some(rest), Some(axis)) = (rest, axis.try_normalize()) {
                    let turned = rest.rotation * Quat::from_axis_angle(axis, angle);
                    let mut edit = NodeEdit::default();
                    edit.set(ChannelValue::Rotation(euler_xyz_degrees(turned)));
                    edits.nodes.insert(joint, edit);
                }
            }
            FindingPose::Clip { clip, time_secs } => {
                self.play(&PlaybackCommand::SetClip(clip));
                self.play(&PlaybackCommand::Seek(time_secs));
            }
        }
        self.change_edits(edits);
    }

    /// Returns the box around these vertices and joints as posed, and some of what is around.
    pub(super) fn surroundings(&self, vertices: &VertexSet, joints: &[NodeId]) -> Aabb {
        let Some(posed) = self.posed() else { return Aabb::EMPTY };
        let mut bounds = inspect::bounds_of(&posed, &self.pose.draws, &mut |instance, primitive, out| {
            out.extend_from_slice(vertices.of(instance.mesh, primitive));
        });
        let joint = |n: &NodeId| Vec3::from(self.pose.model[n.index()].translation);
        bounds = bounds.union(Aabb::from_points(joints.iter().map(joint).filter(|p| p.is_finite())));
        let whole = self.bounds();
        if bounds.is_empty() {
            return whole;
        }
        // A place without its surroundings cannot be recognised.
        let around = (0.25 * whole.diagonal() - 0.5 * bounds.diagonal()).max(0.05 * whole.diagonal());
        Aabb { min: bounds.min - around, max: bounds.max + around }
    }
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
    let first_named = finding.joints.iter().filter_map(named).min_by_key(|(place, _)| *place);
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

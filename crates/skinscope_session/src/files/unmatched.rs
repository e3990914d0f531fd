//! Work that does not fit the open model: it is set aside, so that it can be listed, saved in a session file, and restored when a model is
//! opened that it fits.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use skinscope_base::math::BoxTree;
use skinscope_base::words::counted;
use skinscope_edit::{Identities, carry};
use skinscope_inspect::VertexSet;
use skinscope_model::{MeshId, Model};

use crate::files::carrying::{self, Bringing, Nodes};
use crate::files::session_file::{MeshRecord, WeightsRecord, WorkRecord, absolute};
use crate::{Files, Session};

/// Commands about work that is set aside, given by its index in [`crate::Files::set_aside`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum AsideCommand {
    /// Mark the vertices of the open model that are nearest to where those were that were edited, and frame them. What was marked before comes
    /// back when that is left, as a finding is.
    Show(usize),
    /// Restore what fits the open model, whatever model it was made on.
    #[serde(rename = "TakeUp")]
    Restore(usize),
    /// Give it up; it is lost.
    Forget(usize),
}

impl Files {
    /// Returns the work that does not fit the open model, by the model that it was made on.
    #[must_use]
    pub fn set_aside(&self) -> &[WorkRecord] {
        &self.aside
    }
}

impl Files {
    /// Sets work aside, and says so.
    pub(crate) fn set_work_aside(&mut self, work: WorkRecord, lines: &mut Vec<String>) {
        if work.is_empty() {
            return;
        }
        lines.push(set_aside_line(&work));
        let aside = Arc::make_mut(&mut self.aside);
        match aside.iter_mut().find(|other| other.agrees_with(&work)) {
            Some(other) => other.add(work),
            None => aside.push(work),
        }
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: AsideCommand) {
    let (AsideCommand::Show(at) | AsideCommand::Restore(at) | AsideCommand::Forget(at)) = command;
    let Some(work) = session.files.aside.get(at).cloned() else { return };
    match command {
        AsideCommand::Show(_) => {
            if let Some(model) = session.model().map(Arc::clone) {
                session.marker().mark_for_a_look(Arc::new(nearest(&model, &work)));
                session.update_pose();
                let bounds = session.extents().marked_bounds();
                session.view.frame(bounds);
            }
        }
        AsideCommand::Restore(_) => {
            Arc::make_mut(&mut session.files.aside).remove(at);
            let lines = restore_work(session, &work, true, true);
            session.warn(&lines);
        }
        AsideCommand::Forget(_) => _ = Arc::make_mut(&mut session.files.aside).remove(at),
    }
}

/// Adds work to the open model; what does not fit is set aside again. Returns the messages about it.
fn restore_work(session: &mut Session, work: &WorkRecord, by_number: bool, repainted: bool) -> Vec<String> {
    let Some(model) = session.model().map(Arc::clone) else { return Vec::new() };
    let names: BTreeSet<&str> = work.names().collect();
    let nodes = Nodes::of(&model, &names, &work.paths);
    let mut by = Bringing { nodes, controls: None, by_number, repainted, lines: Vec::new() };
    let left = carrying::add_work(session, work, &mut by);
    let mut lines = Vec::new();
    let taken = work.contents().count().saturating_sub(left.contents().count());
    if taken > 0 {
        let of = counted(taken, "thing", "things");
        lines.push(format!("Took up {of} that had been set aside of {}.", work.model));
        lines.append(&mut by.lines);
    }
    session.files.set_work_aside(left, &mut Vec::new());
    lines
}

/// Restores what was set aside and fits the open model, which was opened just now: all that fits if it was made on this file, else only
/// work whose vertices are all there. Vertices must have the stored weights that they had: other ones may be later than the edit.
/// Returns the messages about it.
pub(crate) fn restore_fitting(session: &mut Session) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(model) = session.model().map(Arc::clone) else { return lines };
    if session.files.aside.is_empty() || session.document().is_some_and(|document| document.lesson().is_some()) {
        return lines;
    }
    let path = session.document().and_then(|document| document.path.clone());
    for work in std::mem::take(&mut session.files.aside).iter() {
        if is_of(work, &model, path.as_deref()) || is_made_on(work, &model) {
            lines.extend(restore_work(session, work, false, false));
        } else {
            session.files.set_work_aside(work.clone(), &mut Vec::new());
        }
    }
    lines
}

/// Says that work is set aside, and what it is.
pub(crate) fn set_aside_line(work: &WorkRecord) -> String {
    let some = work.lines(MOST_NAMED);
    let more = if work.contents().count() > some.len() { "; …" } else { "" };
    format!(
        "Set aside of {}: {} ({}{more}). A session file keeps them, and they are taken up when the model is as it was.",
        work.model,
        work.contents().words().join(", "),
        some.join("; "),
    )
}

/// Whether work was made on the file of a model, or on one of the same name with the same meshes. Of an earlier session only the name is known.
fn is_of(work: &WorkRecord, model: &Model, path: Option<&Path>) -> bool {
    let same_file = work.path.is_none() || work.path == absolute(path);
    let same_meshes = || {
        let meshes: Vec<MeshRecord> = Identities::of(model).meshes.iter().map(MeshRecord::of).collect();
        !work.meshes.is_empty() && work.meshes == meshes
    };
    work.model == model.source.name && (same_file || same_meshes())
}

/// Whether a model has all vertices of edited weights, with the stored weights that they had.
fn is_made_on(work: &WorkRecord, model: &Model) -> bool {
    let edited: Option<Vec<_>> = work.weights.iter().map(WeightsRecord::edited).collect();
    let Some(edited) = edited.filter(|all| !all.is_empty() && all.iter().all(|e| !e.list.identities.is_empty())) else {
        return false;
    };
    let carried = carry(&edited, &work.made_on(), model);
    carried.aside.is_empty() && carried.repainted == 0
}

/// Returns the vertices of a model that are nearest to the stored positions of the vertices that work was made on.
fn nearest(model: &Model, work: &WorkRecord) -> VertexSet {
    let records = work.weights.iter().chain(&work.marked).filter_map(WeightsRecord::edited);
    let wanted: Vec<Vec3> = records.flat_map(|edited| edited.list.positions).take(MOST_SHOWN).collect();
    nearest_vertices(model, &wanted)
}

/// Returns the skinned vertex whose stored position is nearest to each of `wanted` (mesh space), by the squared distance as `f32`. Of several
/// that are equally near it is the one with the lowest index of mesh, then primitive, then vertex. A position that is not finite has none.
pub(crate) fn nearest_vertices(model: &Model, wanted: &[Vec3]) -> VertexSet {
    let mut seen: HashSet<[u32; 3]> = HashSet::new();
    let (mut vertices, mut positions) = (Vec::new(), Vec::new());
    for (m, mesh) in model.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate().filter(|(_, p)| p.stored_influences.is_some()) {
            for (v, position) in primitive.positions[..primitive.stored_vertices].iter().enumerate() {
                if seen.insert(position.to_array().map(f32::to_bits)) {
                    vertices.push((MeshId::from_index(m), p, v as u32));
                    positions.push(*position);
                }
            }
        }
    }
    let tree = BoxTree::of_points(positions.iter().copied());
    let mut out = Vec::new();
    for position in wanted {
        // Vertices rise by their indices, so that the index in the list decides as they do.
        let mut best: Option<(f32, u32)> = None;
        tree.nearest(position.as_dvec3(), |i| {
            let found = (positions[i as usize].distance_squared(*position), i);
            if best.is_none_or(|best| found < best) {
                best = Some(found);
            }
            best.map_or(f64::INFINITY, |(squared, _)| reach(squared))
        });
        out.extend(best.map(|(_, i)| vertices[i as usize]));
    }
    VertexSet::from_vertices(out)
}

/// Returns a distance beyond which no point has this squared distance or a lower one, both rounded to `f32`.
fn reach(squared: f32) -> f64 {
    // Rounding changes a square by less than a millionth of it, and squares below the least number are zero.
    f64::from(squared).sqrt() * 1.000_001 + 1e-18
}

/// How many things are named in a message.
const MOST_NAMED: usize = 3;

/// The most vertices of which the nearest are looked for.
const MOST_SHOWN: usize = 500;

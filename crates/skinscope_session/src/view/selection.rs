//! Carries out the commands about what is selected, pinned and marked.

use glam::Vec2;
use skinscope_model::NodeId;

use crate::weights::{marks, tools};
use crate::{MarkCommand, SelectionCommand, Session, findings};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: SelectionCommand) {
    match command {
        SelectionCommand::Select(node) => select(session, node),
        SelectionCommand::SelectParent => {
            let parent = session.model().zip(session.view.selected).and_then(|(m, n)| m.skeleton.parents[n.index()]);
            if parent.is_some() {
                select(session, parent);
            }
        }
        SelectionCommand::SelectChild => {
            let child = session.model().zip(session.view.selected).and_then(|(m, n)| m.skeleton.children(n).next());
            if child.is_some() {
                select(session, child);
            }
        }
        SelectionCommand::Hover(node) => session.view.hovered = node,
        SelectionCommand::PickAt(at) => pick_at(session, at),
        SelectionCommand::PinAt(at) => pin_at(session, at),
        SelectionCommand::Deselect => deselect(session),
        SelectionCommand::Pin(vertex) => findings::pin(session, vertex),
        SelectionCommand::Mark(vertices) => findings::mark_as_step(session, vertices, false),
    }
}

/// Selects this node, if the model has it.
fn select(session: &mut Session, node: Option<NodeId>) {
    let count = session.model().map_or(0, |model| model.skeleton.len());
    session.view.select(node, count);
}

/// Carries out a click: selects the bone at a point, if bones are shown and one is near, else pins the vertex of
/// the skin and selects the joint that moves it most. Where there is nothing, nothing is selected or pinned any
/// more.
fn pick_at(session: &mut Session, at: Vec2) {
    match session.bones().bone_at(at) {
        Some(bone) => select(session, Some(bone)),
        None => pin_at(session, at),
    }
}

/// Does the same as [`pick_at`], without regard to bones.
fn pin_at(session: &mut Session, at: Vec2) {
    let hit = session.picking().vertex_at(at);
    session.view.pinned = hit.map(|hit| hit.vertex_ref());
    session.view.pinned_copy = hit.map_or(0, |hit| hit.copy);
    session.view.pinned_second = session.deforming().is_second_at(at);
    let mover = hit.and_then(|hit| session.picking().mover(hit));
    select(session, mover);
}

/// A tool that is tried goes first, then the pinned vertex, then the finding that is shown, then the selection.
fn deselect(session: &mut Session) {
    if session.tools.operation.is_some() {
        return tools::choose(session, None);
    }
    if session.marking.tool.is_some() {
        return marks::apply(session, &MarkCommand::Use(None));
    }
    if session.view.pinned.take().is_some() {
        return;
    }
    if session.before_finding.is_some() {
        findings::leave_finding(session);
    } else {
        session.view.selected = None;
    }
}

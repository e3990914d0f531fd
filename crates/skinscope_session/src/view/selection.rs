//! Carries out the commands about what is selected, pinned and marked.

use crate::painting::paint_commands;
use crate::{PaintCommand, PlaceCommand, SelectionCommand, Session, VertexDragCommand, findings};

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: SelectionCommand) {
    let count = session.model().map_or(0, |model| model.skeleton.len());
    match command {
        SelectionCommand::Select(node) => session.view.select(node, count),
        SelectionCommand::SelectParent => {
            let parent = session.model().zip(session.view.selected).and_then(|(m, n)| m.skeleton.parents[n.index()]);
            if parent.is_some() {
                session.view.select(parent, count);
            }
        }
        SelectionCommand::SelectChild => {
            let child = session.model().zip(session.view.selected).and_then(|(m, n)| m.skeleton.children(n).next());
            if child.is_some() {
                session.view.select(child, count);
            }
        }
        SelectionCommand::Hover(node) => session.view.hovered = node,
        // A click selects the bone at a point, if bones are shown and one is near; else it pins the vertex of the skin and selects the joint
        // that moves it most. Where there is nothing, nothing is selected or pinned any more.
        SelectionCommand::PickAt(at) | SelectionCommand::PinAt(at) => {
            let bone = matches!(command, SelectionCommand::PickAt(_)).then(|| session.bones().bone_at(at)).flatten();
            if bone.is_some() {
                return session.view.select(bone, count);
            }
            let hit = session.picking().vertex_at(at);
            let mover = hit.and_then(|hit| session.picking().mover(hit));
            session.view.pinned_second = session.deforming().is_second_at(at);
            session.view.pinned = hit.map(|hit| hit.vertex_ref());
            session.view.pinned_copy = hit.map_or(0, |hit| hit.copy);
            session.view.select(mover, count);
        }
        // The tools that place joints and drag vertices and the brush in the hand go first, then a tool that is tried, then the tool that marks, then the pinned vertex, then the finding that is shown, then the selection.
        SelectionCommand::Deselect => {
            if session.placing().is_on() {
                session.place(&PlaceCommand::Use(false));
            } else if session.painting().vertex_drag().is_on() {
                paint_commands::apply(session, PaintCommand::DragVertex(VertexDragCommand::Use(false)));
            } else if session.painting().brush().is_some() {
                paint_commands::apply(session, PaintCommand::Hold(None));
            } else if session.tools().operation.is_some() {
                session.choose_tool(None);
            } else if session.marking.tool.take().is_none() && session.view.pinned.take().is_none() {
                if session.before_finding.is_some() {
                    findings::leave_finding(session);
                } else {
                    session.view.selected = None;
                }
            }
        }
        SelectionCommand::Pin(vertex) => session.marker().pin(vertex),
        SelectionCommand::Mark(vertices) => session.marker().mark_as_step(vertices, false),
    }
}

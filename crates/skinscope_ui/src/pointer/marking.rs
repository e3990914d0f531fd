//! Marking vertices by drags over the picture: in a box, inside of a line, or in a circle.

use std::sync::Arc;

use egui::{CornerRadius, CursorIcon, PointerButton, Pos2, Rect, Shape, Stroke, StrokeKind};
use skinscope_session::{Command, MarkCommand, MarkMode, MarkShape, MarkTool, Session};

use super::{Held, PointerTool, Pointing, camera};
use crate::theme::colors;
use crate::widgets::counted;

/// The most points of a lasso.
const MOST_POINTS: usize = 4096;

pub(super) static BOX: PointerTool =
    row("mark-box", "Marking by box", |session| session.marking().tool == Some(MarkTool::Box));
pub(super) static LASSO: PointerTool =
    row("mark-lasso", "Marking by lasso", |session| session.marking().tool == Some(MarkTool::Lasso));
pub(super) static CIRCLE: PointerTool =
    row("mark-circle", "Marking by circle", |session| session.marking().tool == Some(MarkTool::Circle));

const fn row(id: &'static str, label: &'static str, is_chosen: fn(&Session) -> bool) -> PointerTool {
    PointerTool {
        id,
        label,
        hint: "Shift adds, Ctrl takes away, middle-drag turns, Esc ends",
        note,
        cursor: CursorIcon::Crosshair,
        owns_picture: true,
        at_once: false,
        is_chosen,
        press: |_, at, _| Some(Held::Marks(vec![at])),
        moved,
        release,
        keeps: |session, _, _| session.marking().tool.is_some(),
        click,
        wheel: camera::wheel,
        paint,
    }
}

/// Says how many vertices are marked, and whether what the surface hides is too.
fn note(session: &Session) -> String {
    let through = if session.marking().through { ", through the surface" } else { "" };
    let marked = counted(session.view().marked.len(), "vertex", "vertices");
    format!("{through}: {marked}")
}

/// Returns what becomes of the vertices that were marked before.
fn mode(pointing: &Pointing<'_>) -> MarkMode {
    let (shift, remove) = pointing.ui.input(|i| (i.modifiers.shift, i.modifiers.command || i.modifiers.alt));
    match (shift, remove) {
        (_, true) => MarkMode::Remove,
        (true, false) => MarkMode::Add,
        (false, false) => MarkMode::Replace,
    }
}

/// Takes the point where the pointer is now. A box and a circle have two points.
fn moved(pointing: &Pointing<'_>, held: &mut Held, _commands: &mut Vec<Command>) {
    let Held::Marks(path) = held else { return };
    if !pointing.response.dragged_by(PointerButton::Primary) {
        return;
    }
    if let Some(at) = pointing.response.interact_pointer_pos().filter(|at| path.last() != Some(at)) {
        if path.len() < MOST_POINTS {
            path.push(at);
        }
        if pointing.session.marking().tool != Some(MarkTool::Lasso) && path.len() > 1 {
            path.drain(1..path.len() - 1);
        }
    }
}

/// Marks what the drag has gone around.
fn release(pointing: &Pointing<'_>, held: Held, commands: &mut Vec<Command>) {
    let (Held::Marks(path), Some(tool)) = (held, pointing.session.marking().tool) else { return };
    // The release of another button ends the drag too.
    if !pointing.response.drag_stopped_by(PointerButton::Primary) {
        return;
    }
    let pixel = |at: Pos2| pointing.pixel(at);
    if let [first, .., last] = path[..] {
        let shape = match tool {
            MarkTool::Box => MarkShape::Box(pixel(first), pixel(last)),
            MarkTool::Circle => MarkShape::Circle(pixel(first), pixel(first).distance(pixel(last))),
            MarkTool::Lasso => MarkShape::Lasso(Arc::new(path.iter().map(|at| pixel(*at)).collect())),
        };
        commands.push(MarkCommand::In(shape, mode(pointing)).into());
    }
}

/// Marks the vertex nearest to a click.
fn click(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let response = pointing.response;
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        commands.push(MarkCommand::In(MarkShape::Point(pointing.pixel(at)), mode(pointing)).into());
    }
}

/// Draws the part of the picture that is about to be marked.
fn paint(pointing: &Pointing<'_>, held: Option<&Held>) {
    let (Some(Held::Marks(path)), Some(tool)) = (held, pointing.session.marking().tool) else { return };
    let [first, .., last] = path[..] else { return };
    let (painter, c) = (pointing.ui.painter(), colors(pointing.ui));
    let (stroke, fill) = (Stroke::new(1.5, c.accent), c.accent.gamma_multiply(0.12));
    match tool {
        MarkTool::Box => {
            let rect = Rect::from_two_pos(first, last);
            painter.rect(rect, CornerRadius::ZERO, fill, stroke, StrokeKind::Middle);
        }
        MarkTool::Circle => _ = painter.circle(first, first.distance(last), fill, stroke),
        MarkTool::Lasso => _ = painter.add(Shape::closed_line(path.clone(), stroke)),
    }
}

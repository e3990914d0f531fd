//! Marking vertices: by drags over the picture, and by buttons among the weight tools.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::{CornerRadius, PointerButton, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, vec2};
use glam::Vec2;
use skinscope_session::{CameraCommand, Command, MarkCommand, MarkMode, MarkShape, MarkTool, Session};

use super::theme::{self, BODY, colors};
use super::widgets::{chip, counted, link, paint_line, section, segments, tip};

/// A drag over the picture that marks.
#[derive(Clone, Debug, Default)]
pub(super) struct MarkDrag {
    /// Where the pointer was, points.
    path: Vec<Pos2>,
}

/// The tools that mark by drags, with the name and the tooltip of each.
const TOOLS: [(Option<MarkTool>, &str, &str); 4] = [
    (None, "Camera", "A drag over the picture turns the camera"),
    (Some(MarkTool::Box), "Box", "A drag over the picture marks the vertices in a box, a click the nearest one"),
    (Some(MarkTool::Lasso), "Lasso", "A drag over the picture marks the vertices inside of the line"),
    (Some(MarkTool::Circle), "Circle", "A drag over the picture marks the vertices in a circle"),
];

/// The most points of a lasso.
const MOST_POINTS: usize = 4096;

/// Takes the mouse over the picture while it marks: left marks, middle turns, right pans.
pub(super) fn mouse(
    ui: &Ui,
    response: &Response,
    rect: Rect,
    tool: MarkTool,
    drag: &mut MarkDrag,
    commands: &mut Vec<Command>,
) {
    let scale = ui.pixels_per_point();
    let pixel = |at: Pos2| Vec2::new(at.x - rect.min.x, at.y - rect.min.y) * scale;
    let (shift, remove) = ui.input(|i| (i.modifiers.shift, i.modifiers.command || i.modifiers.alt));
    let mode = match (shift, remove) {
        (_, true) => MarkMode::Remove,
        (true, false) => MarkMode::Add,
        (false, false) => MarkMode::Replace,
    };
    let delta = response.drag_delta();
    let delta = Vec2::new(delta.x, delta.y);
    if response.dragged_by(PointerButton::Primary) {
        if drag.path.is_empty() {
            drag.path.extend(ui.input(|i| i.pointer.press_origin()));
        }
        if let Some(at) = response.interact_pointer_pos().filter(|at| drag.path.last() != Some(at)) {
            if drag.path.len() < MOST_POINTS {
                drag.path.push(at);
            }
            if tool != MarkTool::Lasso && drag.path.len() > 1 {
                drag.path.drain(1..drag.path.len() - 1);
            }
        }
    } else if delta != Vec2::ZERO {
        commands.push(match response.dragged_by(PointerButton::Middle) {
            true => CameraCommand::Orbit(delta).into(),
            false => CameraCommand::Pan(delta * scale).into(),
        });
    }
    if response.drag_stopped_by(PointerButton::Primary) {
        let path = std::mem::take(&mut drag.path);
        if let [first, .., last] = path[..] {
            let shape = match tool {
                MarkTool::Box => MarkShape::Box(pixel(first), pixel(last)),
                MarkTool::Circle => MarkShape::Circle(pixel(first), pixel(first).distance(pixel(last))),
                MarkTool::Lasso => MarkShape::Lasso(Arc::new(path.iter().map(|at| pixel(*at)).collect())),
            };
            commands.push(MarkCommand::In(shape, mode).into());
        }
    } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        drag.path.clear();
        commands.push(MarkCommand::In(MarkShape::Point(pixel(at)), mode).into());
    }
}

/// Draws the part of the picture that is about to be marked.
pub(super) fn outline(ui: &Ui, tool: MarkTool, drag: &MarkDrag) {
    let c = colors(ui);
    let (stroke, fill) = (Stroke::new(1.5, c.accent), c.accent.gamma_multiply(0.12));
    let [first, .., last] = drag.path[..] else { return };
    match tool {
        MarkTool::Box => {
            let rect = Rect::from_two_pos(first, last);
            ui.painter().rect(rect, CornerRadius::ZERO, fill, stroke, StrokeKind::Middle);
        }
        MarkTool::Circle => _ = ui.painter().circle(first, first.distance(last), fill, stroke),
        MarkTool::Lasso => _ = ui.painter().add(Shape::closed_line(drag.path.clone(), stroke)),
    }
}

/// Says below the switches over the picture that drags mark.
pub(super) fn line(ui: &mut Ui, session: &Session) {
    let Some(tool) = session.marking().tool else { return };
    let name = TOOLS.iter().find(|(t, ..)| *t == Some(tool)).map_or("", |(_, name, _)| name).to_lowercase();
    let through = if session.marking().through { ", through the surface" } else { "" };
    let marked = counted(session.view().marked.len(), "vertex", "vertices");
    let text =
        format!("Marking by {name}{through}: {marked}. Shift adds, Ctrl takes away, middle-drag turns, Esc ends");
    line_over_picture(ui, &text);
}

/// Shows a line of text below the switches over the picture.
pub(super) fn line_over_picture(ui: &mut Ui, text: &str) {
    let c = colors(ui);
    ui.end_row();
    let galley = ui.painter().layout(text.to_owned(), theme::regular(BODY), c.text, ui.available_width() - 18.0);
    let (rect, response) = ui.allocate_exact_size(galley.size() + vec2(18.0, 6.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    ui.painter().rect_filled(rect, CornerRadius::same(theme::RADIUS), c.plate);
    paint_line(ui, galley, rect.left() + 9.0, rect.center().y, c.text);
}

/// Shows the section of the weight tools that marks vertices.
pub(super) fn panel(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    section(ui, "Marks", |ui| {
        let through = Command::Mark(MarkCommand::ToggleThrough);
        if chip(ui, "Through", session.marking().through).on_hover_text(tip(&through)).clicked() {
            commands.push(through);
        }
    });
    let now = session.marking().tool;
    let choices = TOOLS.map(|(tool, name, help)| (name, tool == now, help.to_owned()));
    if let Some(chosen) = segments(ui, &choices) {
        commands.push(MarkCommand::Use(TOOLS[chosen].0).into());
    }
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(12.0, 0.0);
        for (text, command) in [
            ("All", MarkCommand::All),
            ("None", MarkCommand::None),
            ("Invert", MarkCommand::Invert),
            ("Grow", MarkCommand::Grow),
            ("Shrink", MarkCommand::Shrink),
            ("Of joint", MarkCommand::OfJoint),
        ] {
            let command = Command::Mark(command);
            let name = skinscope_session::row_of(&command).map_or(text, |row| row.label);
            if link(ui, text, name).on_hover_text(tip(&command)).clicked() {
                commands.push(command);
            }
        }
    });
}

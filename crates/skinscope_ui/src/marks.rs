//! Marking vertices by buttons among the weight tools, and the lines of text over the picture.

use egui::accesskit::Role;
use egui::{CornerRadius, Sense, Ui, WidgetInfo, vec2};
use skinscope_session::{Command, MarkCommand, MarkTool, Session};

use super::theme::{self, BODY, colors};
use super::widgets::{chip, link, paint_line, section, segments, tip};

/// The tools that mark by drags, with the name and the tooltip of each.
const TOOLS: [(Option<MarkTool>, &str, &str); 4] = [
    (None, "Camera", "A drag over the picture turns the camera"),
    (Some(MarkTool::Box), "Box", "A drag over the picture marks the vertices in a box, a click the nearest one"),
    (Some(MarkTool::Lasso), "Lasso", "A drag over the picture marks the vertices inside of the line"),
    (Some(MarkTool::Circle), "Circle", "A drag over the picture marks the vertices in a circle"),
];

/// Shows a line of text over the picture, such as below its switches.
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
            ("Pieces", MarkCommand::Pieces),
            ("Material", MarkCommand::SameMaterial),
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

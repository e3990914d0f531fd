//! The choice of a tool: groups of tools that do the same kind of work, a line each.

use std::borrow::Cow;

use egui::accesskit::Role;
use egui::{Align2, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_edit::{OPERATIONS, Operation};
use skinscope_session::{Command, Session, ToolCommand, refusal};

use crate::icons;
use crate::theme::{self, SMALL, colors};
use crate::widgets::{focus_ring, paint_line, paint_switch, press, section};

/// The width of the name of a group, points.
const NAME: f32 = 40.0;
/// The height of a tool, points.
const HEIGHT: f32 = 22.0;
/// The part of a tool before its name, which has the icon, and the part after it, points.
const BEFORE: f32 = 18.0;
const AFTER: f32 = 4.0;
/// How strong the ink of a tool is that is off.
const OFF: f32 = 0.6;

/// A tool in its group.
struct Tool {
    /// The name of the operation ([`Operation::id`]).
    id: &'static str,
    icon: &'static str,
    /// The name that is shown beside that of the group, where it is not that of the operation.
    name: Option<&'static str>,
}

const fn tool(id: &'static str, icon: &'static str) -> Tool {
    Tool { id, icon, name: None }
}

const fn named(id: &'static str, icon: &'static str, name: &'static str) -> Tool {
    Tool { id, icon, name: Some(name) }
}

/// The groups, each with its name, what its tools do, and the tools.
const GROUPS: [(&str, &str, &[Tool]); 6] = [
    (
        "Clean",
        "Bring the weights of each vertex in order",
        &[
            tool("normalise", icons::SCALES),
            tool("prune", icons::SCISSORS),
            tool("limit", icons::LIST_NUMBERS),
            tool("quantise", icons::HASH),
        ],
    ),
    (
        "Repair",
        "Repair what the checker finds",
        &[tool("rules", icons::WRENCH), tool("remove-rogues", icons::BUG), tool("weld-seams", icons::LINK)],
    ),
    (
        "Blend",
        "Make weights even with those around them",
        &[tool("smooth", icons::WAVES), tool("hammer", icons::HAMMER), tool("average", icons::APPROXIMATE_EQUALS)],
    ),
    (
        "Copy",
        "Take weights from elsewhere",
        &[
            tool("mirror", icons::FLIP_HORIZONTAL),
            tool("paste", icons::CLIPBOARD),
            tool("transfer", icons::ARROWS_LEFT_RIGHT),
        ],
    ),
    (
        "Joint",
        "Change the weights of one joint",
        &[
            tool("set", icons::PENCIL),
            named("remove-joint", icons::MINUS_CIRCLE, "Remove"),
            named("replace-joint", icons::SWAP, "Replace"),
        ],
    ),
    (
        "Bind",
        "Change inverse bind matrices, and no weights",
        &[named("bind-here", icons::ANCHOR, "Here"), tool("inverse-binds", icons::BRACKETS)],
    ),
];

/// Shows the tools; a press on the one that is chosen puts it away.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    section(ui, "Tool", |_| {});
    let now = session.tools().operation;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 3.0);
        for (group, help, tools) in GROUPS {
            ui.horizontal_wrapped(|ui| {
                let left = ui.cursor().left();
                let name = RichText::new(group).font(theme::regular(SMALL)).color(colors(ui).dim);
                ui.label(name).on_hover_text(help);
                ui.add_space((left + NAME - ui.cursor().left()).max(0.0));
                for tool in tools {
                    let Some(operation) = OPERATIONS.iter().find(|operation| operation.id == tool.id) else { continue };
                    let on = now.is_some_and(|now| std::ptr::eq(now, *operation));
                    let command = Command::from(ToolCommand::Choose((!on).then_some(operation.id)));
                    // One that is on can be given up whatever the model lacks.
                    let why = refusal(&command, session).filter(|_| !on);
                    if button(ui, tool, operation, on, why) {
                        commands.push(command);
                    }
                }
            });
        }
    });
}

/// Shows the button of a tool, which is off where there is a reason `why`; returns true when it was pressed.
fn button(ui: &mut Ui, tool: &Tool, operation: &Operation, on: bool, why: Option<Cow<'static, str>>) -> bool {
    let c = colors(ui);
    let name = tool.name.unwrap_or(operation.tool);
    let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(SMALL), c.text);
    let size = vec2(BEFORE + galley.size().x + AFTER, HEIGHT);
    if let Some(why) = why {
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| WidgetInfo::selected(Role::Button, false, on, operation.tool));
        let ink = c.dim.gamma_multiply(OFF);
        let icon_at = pos2(rect.left() + 0.5 * BEFORE + 0.5, rect.center().y);
        ui.painter().text(icon_at, Align2::CENTER_CENTER, tool.icon, theme::icon(13.0), ink);
        let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(SMALL), ink);
        paint_line(ui, galley, rect.left() + BEFORE, rect.center().y, ink);
        response.on_hover_text(why);
        return false;
    }
    let (rect, response) = press(ui, size, operation.tool, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.raised);
    let icon_at = pos2(rect.left() + 0.5 * BEFORE + 0.5, rect.center().y);
    let ink = if on { c.text } else { c.dim };
    ui.painter().text(icon_at, Align2::CENTER_CENTER, tool.icon, theme::icon(13.0), ink);
    paint_line(ui, galley, rect.left() + BEFORE, rect.center().y, c.text);
    focus_ring(ui, rect, &response);
    response.on_hover_text(format!("{}: {}", operation.label, operation.help)).clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(.., tools)| tools.iter().map(|tool| tool.id)).collect();
        let mut all: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}

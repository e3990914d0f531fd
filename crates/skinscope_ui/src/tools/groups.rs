//! The choice of a tool: groups of tools that do the same kind of work, a line each.

use std::borrow::Cow;

use egui::accesskit::Role;
use egui::{Align2, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_edit::{OPERATIONS, Operation};
use skinscope_session::{Command, Session, TOOL_GROUPS, ToolCommand, refusal};

use crate::icons;
use crate::theme::{self, SMALL, colors};
use crate::widgets::{focus_ring, link, paint_line, paint_switch, press, section};

/// The width of the name of a group, points.
const NAME: f32 = 40.0;
/// The height of a tool, points.
const HEIGHT: f32 = 22.0;
/// The part of a tool before its name, which has the icon, and the part after it, points.
const BEFORE: f32 = 18.0;
const AFTER: f32 = 4.0;
/// How strong the ink of a tool is that is off.
const OFF: f32 = 0.6;

/// Returns the icon of a tool, by the id of its operation.
fn icon(id: &str) -> &'static str {
    match id {
        "normalise" => icons::SCALES,
        "prune" => icons::SCISSORS,
        "limit" => icons::LIST_NUMBERS,
        "quantise" => icons::HASH,
        "rules" => icons::WRENCH,
        "remove-rogues" => icons::BUG,
        "weld-seams" => icons::LINK,
        "smooth" => icons::WAVES,
        "hammer" => icons::HAMMER,
        "average" => icons::APPROXIMATE_EQUALS,
        "mirror" => icons::FLIP_HORIZONTAL,
        "paste" => icons::CLIPBOARD,
        "transfer" => icons::ARROWS_LEFT_RIGHT,
        "set" => icons::PENCIL,
        "remove-joint" => icons::MINUS_CIRCLE,
        "replace-joint" => icons::SWAP,
        "bind-here" => icons::ANCHOR,
        _ => icons::BRACKETS,
    }
}

/// Returns the name of a tool beside that of its group.
fn short_name(operation: &Operation) -> &'static str {
    match operation.id {
        "remove-joint" => "Remove",
        "replace-joint" => "Replace",
        "bind-here" => "Here",
        _ => operation.tool,
    }
}

/// Shows the tools; a press on the one that is chosen puts it away.
/// Where the panel is low, the groups without the chosen one are folded.
pub(super) fn show(ui: &mut Ui, session: &Session, is_low: bool, commands: &mut Vec<Command>) {
    let now = session.tools().operation;
    let id = ui.scope_id().with("all tools");
    let mut is_open: bool = ui.data(|d| d.get_temp(id)).unwrap_or_default();
    section(ui, "Tool", |ui| {
        let (text, name) =
            if is_open { ("Fewer", "Show the group of the chosen tool alone") } else { ("All", "Show all tools") };
        if is_low && now.is_some() && link(ui, text, name).clicked() {
            is_open = !is_open;
            ui.data_mut(|d| d.insert_temp(id, is_open));
        }
    });
    let shows_all = !is_low || is_open || now.is_none();
    let is_shown = |tools: &[&str]| shows_all || now.is_some_and(|now| tools.contains(&now.id));
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 3.0);
        for (group, help, tools) in TOOL_GROUPS {
            if !is_shown(tools) {
                continue;
            }
            ui.horizontal_wrapped(|ui| {
                let left = ui.cursor().left();
                let name = RichText::new(group).font(theme::regular(SMALL)).color(colors(ui).dim);
                ui.label(name).on_hover_text(help);
                ui.add_space((left + NAME - ui.cursor().left()).max(0.0));
                for tool in tools {
                    let Some(operation) = OPERATIONS.iter().find(|operation| operation.id == *tool) else { continue };
                    let on = now.is_some_and(|now| std::ptr::eq(now, *operation));
                    let command = Command::from(ToolCommand::Choose((!on).then_some(operation.id)));
                    // One that is on can be given up whatever the model lacks.
                    let why = refusal(&command, session).filter(|_| !on);
                    if button(ui, operation, on, why) {
                        commands.push(command);
                    }
                }
            });
        }
    });
}

/// Shows the button of a tool, which is off where there is a reason `why`; returns true when it was pressed.
fn button(ui: &mut Ui, operation: &Operation, on: bool, why: Option<Cow<'static, str>>) -> bool {
    let c = colors(ui);
    let (name, icon) = (short_name(operation), icon(operation.id));
    let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(SMALL), c.text);
    let size = vec2(BEFORE + galley.size().x + AFTER, HEIGHT);
    if let Some(why) = why {
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| WidgetInfo::selected(Role::Button, false, on, operation.tool));
        let ink = c.dim.gamma_multiply(OFF);
        let icon_at = pos2(rect.left() + 0.5 * BEFORE + 0.5, rect.center().y);
        ui.painter().text(icon_at, Align2::CENTER_CENTER, icon, theme::icon(13.0), ink);
        let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(SMALL), ink);
        paint_line(ui, galley, rect.left() + BEFORE, rect.center().y, ink);
        response.on_hover_text(why);
        return false;
    }
    let (rect, response) = press(ui, size, operation.tool, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.raised);
    let icon_at = pos2(rect.left() + 0.5 * BEFORE + 0.5, rect.center().y);
    let ink = if on { c.text } else { c.dim };
    ui.painter().text(icon_at, Align2::CENTER_CENTER, icon, theme::icon(13.0), ink);
    paint_line(ui, galley, rect.left() + BEFORE, rect.center().y, c.text);
    focus_ring(ui, rect, &response);
    response.on_hover_text(format!("{}: {}", operation.label, operation.help)).clicked()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_one_group() {
        let mut grouped: Vec<&str> = TOOL_GROUPS.iter().flat_map(|(.., tools)| tools.iter().copied()).collect();
        let mut all: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}

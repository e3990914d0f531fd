//! The choice of a tool: groups of tools that do the same kind of work, a line each.

use std::borrow::Cow;

use egui::accesskit::Role;
use egui::{Align2, RichText, Sense, Ui, WidgetInfo, pos2, vec2};
use skinscope_edit::{Group, Operation};
use skinscope_session::{Command, Session, ToolCommand, refusal};

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
    let is_shown = |group: &Group| shows_all || now.is_some_and(|now| now.group == *group);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(2.0, 3.0);
        for group in Group::ALL.into_iter().filter(is_shown) {
            let (name, help) = group.words();
            ui.horizontal_wrapped(|ui| {
                let left = ui.cursor().left();
                let name = RichText::new(name).font(theme::regular(SMALL)).color(colors(ui).dim);
                ui.label(name).on_hover_text(help);
                ui.add_space((left + NAME - ui.cursor().left()).max(0.0));
                for operation in group.operations() {
                    let on = now.is_some_and(|now| std::ptr::eq(now, operation));
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
    let (name, icon) = (operation.name_in_group(), icons::named(operation.icon).unwrap_or_default());
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
    use skinscope_edit::OPERATIONS;

    use super::*;

    #[test]
    fn every_operation_has_an_icon_and_a_place_of_its_own_in_its_group() {
        let mut icons: Vec<&str> = OPERATIONS.iter().filter_map(|operation| icons::named(operation.icon)).collect();
        icons.sort_unstable();
        icons.dedup();
        assert_eq!(icons.len(), OPERATIONS.len(), "each has an icon that is there, and no two the same");
        for group in Group::ALL {
            let places: Vec<usize> = group.operations().iter().map(|operation| usize::from(operation.place)).collect();
            assert!(!places.is_empty() && places.iter().copied().eq(0..places.len()), "{group:?}: {places:?}");
        }
    }

    #[test]
    fn no_group_has_the_name_of_a_tool_or_of_what_tools_work_on() {
        for name in Group::ALL.map(|group| group.words().0) {
            assert!(OPERATIONS.iter().all(|operation| operation.tool != name), "{name}");
            assert!(!["Joint", "Of joint"].contains(&name), "{name}");
        }
    }
}

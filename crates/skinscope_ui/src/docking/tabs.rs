//! What panels are dragged by: the tabs of a stack, and the grip at the upper edge of a panel that is alone. Both have a menu that moves the panel
//! without a drag.

use egui::accesskit::Role;
use egui::{
    Align2, Color32, CornerRadius, CursorIcon, Popup, Rect, Response, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2,
    vec2,
};
use skinscope_session::{Command, DockPanel, PanelPosition, WindowCommand};

use super::arrangement::Edge;
use crate::theme::{self, ROW, SMALL, colors};
use crate::widgets::{elided, focus_ring, icon_button, paint_line};
use crate::{focus, icons};

/// The height of tabs, points.
pub(crate) const TABS: f32 = 24.0;
/// The height of a grip, points.
const GRIP_HEIGHT: f32 = 9.0;
/// The width of a grip, points.
const GRIP_WIDTH: f32 = 96.0;

/// What a user does with a tab or a grip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TabAction {
    /// Brings the panel to the front.
    Show(DockPanel),
    /// Begins to drag it.
    Drag(DockPanel),
    /// Closes it.
    Close(DockPanel),
}

/// Shows the tabs of a cell with the panel `front` in front. Returns what the user does.
pub(crate) fn show_tabs(
    ui: &mut Ui,
    rect: Rect,
    tabs: &[DockPanel],
    front: DockPanel,
    commands: &mut Vec<Command>,
) -> Option<TabAction> {
    let c = colors(ui);
    let mut action = None;
    ui.painter().rect_filled(rect, CornerRadius::ZERO, c.raised);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, Stroke::new(1.0, c.line));
    let room = rect.width() - TABS;
    let names: Vec<f32> = tabs
        .iter()
        .map(|tab| ui.painter().layout_no_wrap(tab.title().to_owned(), theme::regular(SMALL), c.text).size().x + 24.0)
        .collect();
    // Where they have no room all of them are made narrower.
    let scale = (room / names.iter().sum::<f32>()).min(1.0);
    let mut left = rect.left();
    for (tab, width) in tabs.iter().zip(names) {
        let at = Rect::from_min_size(pos2(left, rect.top()), vec2(width * scale, rect.height()));
        left += width * scale;
        let response = tab_button(ui, at, *tab, *tab == front);
        if response.drag_started() {
            action = Some(TabAction::Drag(*tab));
        } else if response.clicked() {
            action = Some(TabAction::Show(*tab));
        }
        let about = format!("{}: drag to move the panel; right click for a menu", tab.title());
        let response = response.on_hover_text(about);
        Popup::context_menu(&response).show(|ui| action = menu(ui, *tab, commands).or(action));
    }
    let close = Rect::from_center_size(pos2(rect.right() - 0.5 * TABS, rect.center().y), vec2(20.0, 20.0));
    let mut ui = ui.new_child(UiBuilder::new().max_rect(close));
    let name = format!("Close the panel {}", front.title());
    if icon_button(&mut ui, icons::CLOSE, &name, 20.0, false).on_hover_text("Close this panel").clicked() {
        action = Some(TabAction::Close(front));
    }
    action
}

fn tab_button(ui: &Ui, rect: Rect, tab: DockPanel, is_front: bool) -> Response {
    let c = colors(ui);
    let response = ui.interact(rect, ui.scope_id().with(("tab", tab.id())), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, is_front, tab.title()));
    let fill = match (is_front, response.hovered()) {
        (true, _) => c.panel,
        (false, true) => c.hovered,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, CornerRadius::ZERO, fill);
    let ink = if is_front { c.text } else { c.dim };
    if is_front {
        ui.painter().hline(rect.x_range(), rect.top() + 1.0, Stroke::new(2.0, c.accent));
    }
    let (name, _) = elided(ui, tab.title(), theme::regular(SMALL), ink, rect.width() - 12.0);
    paint_line(ui, name.clone(), rect.center().x - 0.5 * name.size().x, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response
}

/// Shows the grip of a panel that is alone in its cell, while the pointer is near it. Returns what the user does.
pub(crate) fn show_grip(ui: &Ui, cell: Rect, panel: DockPanel, commands: &mut Vec<Command>) -> Option<TabAction> {
    let size = vec2(GRIP_WIDTH.min(0.5 * cell.width()), GRIP_HEIGHT);
    let rect = Align2::CENTER_TOP.align_size_within_rect(size, cell);
    let response = ui.interact(rect, ui.scope_id().with(("grip", panel.id())), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Move the panel {}", panel.title())));
    // Commands move it by keyboard; Tab goes through what panels are for.
    focus::pass_over(ui, response.id);
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
    if response.hovered() || response.dragged() || response.has_focus() || is_open {
        let c = colors(ui);
        let pill = Rect::from_center_size(rect.center(), vec2(36.0, 4.0));
        let ink = if response.hovered() || is_open { c.accent } else { c.dim };
        ui.painter().rect_filled(rect, CornerRadius { sw: 4, se: 4, nw: 0, ne: 0 }, c.raised);
        ui.painter().rect_filled(pill, CornerRadius::same(2), ink);
    }
    if response.hovered() {
        ui.ctx().set_cursor_icon(CursorIcon::Grab);
    }
    let mut action = response.drag_started().then_some(TabAction::Drag(panel));
    let response = response.on_hover_text(format!("{}: drag to move the panel, click for a menu", panel.title()));
    Popup::menu(&response).show(|ui| action = menu(ui, panel, commands).or(action));
    action
}

/// Shows what a panel can be told; returns what this file cannot do.
fn menu(ui: &mut Ui, panel: DockPanel, commands: &mut Vec<Command>) -> Option<TabAction> {
    ui.set_width(180.0);
    ui.spacing_mut().item_spacing.y = 0.0;
    let row = |ui: &mut Ui, label: &str, help: &str| {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, true, label));
        let c = colors(ui);
        let fill = if response.hovered() { c.hovered } else { Color32::TRANSPARENT };
        ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
        let text = ui.painter().layout_no_wrap(label.to_owned(), theme::regular(theme::BODY), c.text);
        paint_line(ui, text, rect.left() + 12.0, rect.center().y, c.text);
        focus_ring(ui, rect, &response);
        response.on_hover_text(help).clicked()
    };
    for (to, label, help) in [
        (PanelPosition::Left, "Move left", "To a column at the left of the picture"),
        (PanelPosition::Right, "Move right", "To a column at the right of the picture"),
        (PanelPosition::Bottom, "Move to the bottom", "To a row below the picture"),
        (PanelPosition::Float, "Float", "Over the picture"),
        (PanelPosition::Tab, "Stack with the next panel", "As a tab beside the panel next to it"),
    ] {
        let has_room = match to {
            PanelPosition::Left => Edge::Left.has_room_for(panel),
            PanelPosition::Right => Edge::Right.has_room_for(panel),
            _ => true,
        };
        if has_room && row(ui, label, help) {
            commands.push(WindowCommand::MovePanel(Some(panel), to).into());
        }
    }
    if row(ui, "Reset layout", "Put every panel where it is at first, as large as usual") {
        commands.push(WindowCommand::ResetLayout.into());
    }
    row(ui, "Close", "Close the panel; its command opens it again, where it was").then_some(TabAction::Close(panel))
}

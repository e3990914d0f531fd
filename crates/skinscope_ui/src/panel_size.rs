//! The sizes of panels, which are remembered by the settings and not by egui.

use egui::accesskit::Action;
use egui::containers::panel::PanelState;
use egui::{Id, IdSalt, Pos2, Rect, Ui, Vec2};

use super::focus;

fn panel_id(ui: &Ui, panel: &str) -> Id {
    ui.scope_id().with_salt(IdSalt::new(panel))
}

/// Gives a panel the size that the user wants, which egui forgets wherever a small window has no room for it.
pub(super) fn want_size(ui: &Ui, panel: &str, size: Vec2) {
    let state = PanelState { outer_rect: Rect::from_min_size(Pos2::ZERO, size) };
    ui.data_mut(|d| d.insert_persisted(panel_id(ui, panel), state));
}

/// Returns whether the user changes the panel's size, by its edge or through a screen reader.
pub(super) fn was_dragged(ui: &Ui, panel: &str) -> bool {
    let edge = panel_id(ui, panel).with("__resize");
    // The edge can be moved by the mouse alone.
    focus::pass_over(ui, edge);
    let asked = ui.input(|i| {
        [Action::Increment, Action::Decrement, Action::SetValue]
            .iter()
            .any(|a| i.has_accesskit_action_request(edge, *a))
    });
    asked || ui.ctx().read_response(edge).is_some_and(|r| r.dragged() || r.drag_stopped())
}

//! The choice of what colours the surface, in the bar of the menus.

use egui::{Ui, vec2};
use skinscope_inspect::{OVERLAYS, Overlay};
use skinscope_session::{Command, Session, ViewCommand};

use super::theme::ROW;
use super::widgets::{drop_down, segmented};

/// The width of the choice of surface, points.
pub(super) const SURFACE_WIDTH: f32 = 430.0;
/// The part of that width that the list of other overlays takes.
const MORE_WIDTH: f32 = 104.0;
/// The width of the choice of surface as a list, points.
pub(super) const LIST_WIDTH: f32 = 112.0;

/// Shows the switch for what colours the surface: the overlays that are used most, and a list of the others.
pub(super) fn surface(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let now = session.view().overlay;
    let (front, more): (Vec<&Overlay>, Vec<&Overlay>) = OVERLAYS.iter().copied().partition(|o| o.short.is_some());
    let other = now.filter(|o| o.short.is_none());
    // A longer name is cut where the buttons beside it and the menus leave no room for it.
    let room = vec2(ui.available_width() - (SURFACE_WIDTH - MORE_WIDTH), ROW);
    ui.allocate_ui(room, |ui| {
        let help = "More that the skin can be coloured by";
        drop_down(ui, "More overlays", other.map_or("More", |o| o.label), MORE_WIDTH, help, |ui| {
            for overlay in more {
                let row = ui.selectable_label(now == Some(overlay), overlay.label).on_hover_text(overlay.help);
                if row.clicked() {
                    commands.push(ViewCommand::SetOverlay(Some(overlay.id)).into());
                }
            }
        });
    });
    let mut choices = vec![("Shaded", now.is_none(), Command::View(ViewCommand::SetOverlay(None)))];
    let choice =
        |o: &'static Overlay| Some((o.short?, now == Some(o), Command::View(ViewCommand::ToggleOverlay(o.id))));
    choices.extend(front.into_iter().filter_map(choice));
    segmented(ui, &choices, commands);
}

/// Shows the same as one list, for a bar without room for the switch.
pub(super) fn surface_list(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let now = session.view().overlay;
    let help = "What colours the skin";
    drop_down(ui, "Overlay", now.map_or("Shaded", |o| o.label), LIST_WIDTH, help, |ui| {
        if ui.selectable_label(now.is_none(), "Shaded").on_hover_text("The surface by its materials").clicked() {
            commands.push(ViewCommand::SetOverlay(None).into());
        }
        for overlay in OVERLAYS.iter().copied() {
            let row = ui.selectable_label(now == Some(overlay), overlay.label).on_hover_text(overlay.help);
            if row.clicked() {
                commands.push(ViewCommand::SetOverlay(Some(overlay.id)).into());
            }
        }
    });
}

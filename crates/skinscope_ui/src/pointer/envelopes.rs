//! The radii of the envelopes of the selected joint, dragged in the picture while *Auto bind* finds weights by them.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::{CursorIcon, Rect, Sense, Stroke, WidgetInfo, vec2};
use skinscope_edit::Settings;
use skinscope_session::{Command, EnvelopeHandle, ToolCommand};

use super::Pointing;
use crate::theme::colors;

/// Paints a handle for each radius. Returns whether one is dragged.
pub(super) fn paint(pointing: &Pointing<'_>, commands: &mut Vec<Command>) -> bool {
    let handles = pointing.session.edited_weights().envelope_handles();
    let mut owns = false;
    for handle in &handles {
        owns |= drag(pointing, handle, commands);
    }
    owns
}

/// Shows a handle, which is dragged across the bone. Returns whether it is.
fn drag(pointing: &Pointing<'_>, handle: &EnvelopeHandle, commands: &mut Vec<Command>) -> bool {
    let (ui, session) = (pointing.ui, pointing.session);
    let at = pointing.point(handle.at());
    if !pointing.seen.contains(at) {
        return false;
    }
    let id = ui.scope_id().with(("envelope", handle.capsule, handle.is_outer));
    let response = ui.interact(Rect::from_center_size(at, vec2(14.0, 14.0)), id, Sense::drag());
    let word = if handle.is_outer { "Outer" } else { "Inner" };
    let name = format!("{word} radius of envelope {}", handle.capsule + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
    let c = colors(ui);
    let is_hot = response.hovered() || response.dragged();
    let fill = if handle.is_outer { c.accent } else { c.panel };
    ui.painter().circle(at, if is_hot { 6.0 } else { 4.5 }, fill, Stroke::new(1.5, c.text));
    if is_hot {
        ui.set_cursor_icon(if response.dragged() { CursorIcon::Grabbing } else { CursorIcon::Grab });
    }
    let pointer = response.interact_pointer_pos().filter(|_| response.dragged());
    if let Some(radii) =
        pointer.map(|pointer| handle.shares_at(pointing.pixel(pointer))).filter(|r| *r != handle.shares)
    {
        let mut settings = Settings::clone(&session.tools().settings);
        session.put_envelope(&mut settings, handle.node, Some(radii));
        commands.push(ToolCommand::Set(Arc::new(settings)).into());
    }
    let dragged = response.dragged();
    let share = handle.shares[usize::from(handle.is_outer)];
    response.on_hover_text(format!("{word} radius: {share:.2} of the distance of the surface"));
    dragged
}

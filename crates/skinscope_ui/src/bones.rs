//! The look of bones and the opacity of the skin: the controls that are no rows of a menu, and the caret beside *Bones*
//! that opens them.

use egui::{Align2, Popup, PopupCloseBehavior, Response, Ui, vec2};
use skinscope_session::{Command, Session, View, ViewCommand};

use super::icons;
use super::theme::{self, ROW, colors};
use super::widgets::{NumberField, describe_others, focus_ring, press, rail_and_box};

/// Shows a caret next to a control, which opens `rows`.
pub(super) fn caret(ui: &mut Ui, name: &str, help: &str, rows: impl FnOnce(&mut Ui)) {
    let response = caret_button(ui, name, help);
    Popup::menu(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(rows);
}

/// Shows a caret next to a control.
pub(super) fn caret_button(ui: &mut Ui, name: &str, help: &str) -> Response {
    let (rect, response) = press(ui, vec2(22.0, ROW), name, None);
    let c = colors(ui);
    let fill = if response.hovered() { c.hovered } else { c.plate };
    let stroke = egui::Stroke::new(1.0, c.line);
    ui.painter().rect(rect, egui::CornerRadius::same(theme::RADIUS), fill, stroke, egui::StrokeKind::Inside);
    let ink = if response.hovered() || response.has_focus() { c.text } else { c.dim };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::CARET_DOWN, theme::icon(12.0), ink);
    focus_ring(ui, rect, &response);
    response.on_hover_text(help)
}

/// Shows sliders for the thickness of bones and the opacity of the skin.
pub(super) fn sliders(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.add_space(4.0);
    ui.separator();
    ui.add_space(4.0);
    let [least, most] = View::BONE_SIZES;
    let size = session.view().bone_size;
    if let Some(size) = slider(ui, "Bone size", size, least..=most, true) {
        commands.push(ViewCommand::SetBoneSize(size).into());
    }
    describe_others(ui, "How thick bones and joints are drawn; 100 % is the usual");
    if let Some(opacity) = slider(ui, "Skin opacity", session.view().skin_opacity, 0.0..=1.0, false) {
        commands.push(ViewCommand::SetSkinOpacity(opacity).into());
    }
    describe_others(ui, "How opaque the skin is drawn, so that bones can be seen through it");
}

/// Shows a slider of a percentage with its name before it; returns the value that it was moved to. `by_factor`: the
/// scale is logarithmic, with as much room for half of 1 as for twice.
fn slider(ui: &mut Ui, name: &str, now: f32, range: std::ops::RangeInclusive<f32>, by_factor: bool) -> Option<f32> {
    let field = menu_number(name, 100.0 * now, 100.0 * range.start()..=100.0 * range.end(), 0, " %");
    named_slider(ui, &field, 74.0, by_factor).map(|percent| percent / 100.0)
}

/// Returns the number of a slider in a menu, which what stands below the slider describes.
pub(super) fn menu_number<'a>(
    name: &'a str,
    value: f32,
    range: std::ops::RangeInclusive<f32>,
    decimals: usize,
    unit: &'a str,
) -> NumberField<'a> {
    let per_point = (range.end() - range.start()) / 200.0;
    let (is_bounded, is_short, edited) = (true, false, false);
    NumberField { name, help: "", value, range, is_bounded, per_point, decimals, is_short, unit, width: 62.0, edited }
}

/// Shows a slider in a row of a menu, with its name before it; returns the value that it was moved to or that was typed. `width`: that of its
/// rail, points.
pub(super) fn named_slider(ui: &mut Ui, field: &NumberField<'_>, width: f32, by_factor: bool) -> Option<f32> {
    let row = ui.horizontal(|ui| {
        ui.set_height(ROW + 2.0);
        ui.add_space(28.0);
        let (rect, _) = ui.allocate_exact_size(vec2(84.0, ROW), egui::Sense::hover());
        let c = colors(ui);
        ui.painter().text(rect.left_center(), Align2::LEFT_CENTER, field.name, theme::regular(theme::BODY), c.text);
        rail_and_box(ui, field, width, by_factor)
    });
    row.inner
}

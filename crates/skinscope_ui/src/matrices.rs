//! The matrices of a joint: its world matrix, its inverse bind matrix, and their product, which moves its vertices.

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, Label, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::{Affine3A, DVec3};
use skinscope_model::{NodeId, SkinId};
use skinscope_session::Session;

use super::icons;
use super::theme::{self, RADIUS, SMALL, colors};
use super::widgets::{describe, number, paint_line, press};

/// Shows world, inverse bind and skinning matrix; `open` says which are unfolded.
pub(super) fn show(ui: &mut Ui, session: &Session, node: NodeId, skins: &[(SkinId, usize)], open: &mut [bool; 3]) {
    let Some(model) = session.model() else { return };
    let Some(world) = session.pose().model.get(node.index()) else { return };
    let [world_open, inverse_open, palette_open] = open;
    ui.add_space(8.0);
    fold(
        ui,
        ("World matrix", "From the space of the joint to the world, in the pose that is shown"),
        world_open,
        world,
    );
    let origin = model.skeleton.origin_of(node) + session.pose().shift;
    if let Some(text) = position_in_file(world, origin).filter(|_| *world_open) {
        ui.add(Label::new(RichText::new(text).font(theme::regular(SMALL)).color(colors(ui).dim)).wrap());
    }
    let Some(&(skin, slot)) = skins.first() else { return };
    let first = model.palette_layout().skins[skin.index()] as usize;
    fold(
        ui,
        ("Inverse bind matrix", "From the space of the mesh to that of the joint, as the skin stores it: B⁻¹"),
        inverse_open,
        &model.skins[skin.index()].inverse_bind[slot],
    );
    if let Some(palette) = session.pose().palettes.get(first + slot) {
        fold(
            ui,
            ("Skinning matrix", "What the joint does to a vertex in the pose that is shown: M = T B⁻¹"),
            palette_open,
            palette,
        );
    }
    if skins.len() > 1 {
        let text = format!("of the first of {} skins that refer to this joint", skins.len());
        ui.label(RichText::new(text).font(theme::regular(SMALL)).color(colors(ui).dim));
    }
}

/// Returns the position of a node in the world of the file, with all digits; `None` where that is also the world of the
/// matrices.
fn position_in_file(world: &Affine3A, origin: DVec3) -> Option<String> {
    let numbers = (world.translation.as_dvec3() + origin).to_array().map(|v| format!("{v:.4}").replace('-', "−"));
    (origin != DVec3::ZERO).then(|| format!("The file has it at {}.", numbers.join(", ")))
}

/// Shows a section head that folds.
fn fold(ui: &mut Ui, (title, about): (&str, &str), open: &mut bool, matrix: &Affine3A) {
    let c = colors(ui);
    let (rect, response) = press(ui, vec2(ui.available_width(), 26.0), title, Some(*open));
    let ink = if response.hovered() || response.has_focus() { c.text } else { c.dim };
    let icon = if *open { icons::TREE_OPEN } else { icons::TREE_CLOSED };
    let y = rect.center().y;
    ui.painter().text(pos2(rect.left() + 5.0, y), Align2::CENTER_CENTER, icon, theme::icon(9.0), ink);
    let head = egui::text::LayoutJob::single_section(
        title.to_uppercase(),
        egui::text::TextFormat { extra_letter_spacing: 0.6, ..egui::TextFormat::simple(theme::strong(SMALL), ink) },
    );
    let head = ui.painter().layout_job(head);
    paint_line(ui, head, rect.left() + 16.0, y, ink);
    describe(&response, about);
    if response.clicked() {
        *open = !*open;
    }
    if *open {
        table(ui, title, matrix);
    }
}

/// Shows three rows of four numbers, with the translation set apart.
pub(super) fn table(ui: &mut Ui, title: &str, m: &Affine3A) {
    let c = colors(ui);
    let (row_height, pad) = (18.0, 8.0);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), 3.0 * row_height + 2.0 * pad), Sense::hover());
    ui.painter().rect_filled(rect, CornerRadius::same(RADIUS), c.background);
    let columns = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    let width = (rect.width() - 2.0 * pad - 8.0) / 4.0;
    let mut spoken = String::new();
    for row in 0..3 {
        let y = rect.top() + pad + (row as f32 + 0.5) * row_height;
        for (i, column) in columns.iter().enumerate() {
            let text = matrix_cell(column[row]);
            spoken += &format!("{text} ");
            let gap = if i == 3 { 8.0 } else { 0.0 };
            let x = rect.left() + pad + (i + 1) as f32 * width + gap;
            let ink = if i == 3 { c.text } else { c.dim };
            ui.painter().text(pos2(x, y), Align2::RIGHT_CENTER, text, theme::regular(12.0), ink);
        }
    }
    let x = rect.left() + pad + 3.0 * width + 8.0;
    ui.painter().vline(x, rect.top() + pad..=rect.bottom() - pad, Stroke::new(1.0, c.line));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title} rows: {}", spoken.trim())));
    ui.add_space(4.0);
}

/// Writes a number with three decimals, fewer for large numbers.
pub(super) fn matrix_cell(value: f32) -> String {
    match value.abs() {
        v if v < 1e3 => number(value, 3),
        v if v < 1e5 => number(value, 1),
        _ => format!("{value:.2e}").replace('-', "−"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_far_away_is_said_with_all_digits() {
        let world = Affine3A::from_translation(glam::Vec3::new(0.125, -1.5, 2.0));
        let origin = DVec3::new(12_958_095.37, 0.0, -4_865_499.81);
        let text = position_in_file(&world, origin).unwrap();
        assert_eq!(text, "The file has it at 12958095.4950, −1.5000, −4865497.8100.");
        assert_eq!(position_in_file(&world, DVec3::ZERO), None);
    }
}

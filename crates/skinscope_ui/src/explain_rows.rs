//! The rows of the page about a vertex: labels with numbers in columns, and warnings.

use egui::accesskit::Role;
use egui::{Color32, Label, RichText, Sense, Ui, WidgetInfo, vec2};
use glam::DVec3;
use skinscope_base::math::Units;

use super::theme::{self, SMALL, colors};
use super::widgets::{number, paint_line, shortened};

/// The width of the labels before the columns, points.
const LABEL: f32 = 88.0;

/// Shows a label and three numbers in columns.
pub(super) fn vector(ui: &mut Ui, label: &str, v: DVec3, decimals: usize, ink: Color32) -> egui::Response {
    columns(ui, label, &v.to_array(), decimals, ink)
}

/// Does the same as [`vector`] for lengths: `v` in metres, written in the unit of columns.
pub(super) fn position(ui: &mut Ui, label: &str, v: DVec3, decimals: usize, ink: Color32) -> egui::Response {
    vector(ui, label, v / Units::of_columns().1, decimals, ink)
}

/// The width of the labels before four columns, points.
const SHORT_LABEL: f32 = 52.0;

/// Shows a label and three or four numbers in columns of one width.
pub(super) fn columns(ui: &mut Ui, label: &str, numbers: &[f64], decimals: usize, ink: Color32) -> egui::Response {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let before = if numbers.len() > 3 { SHORT_LABEL } else { LABEL };
    let (galley, _) = shortened(ui, label, theme::regular(12.0), c.dim, before - 4.0);
    paint_line(ui, galley, rect.left(), rect.center().y, c.dim);
    let width = (rect.width() - before) / numbers.len() as f32;
    let text: Vec<String> = numbers.iter().map(|x| number(*x as f32, decimals)).collect();
    for (i, text) in text.iter().enumerate() {
        let galley = ui.painter().layout_no_wrap(text.clone(), theme::regular(12.0), ink);
        let x = rect.left() + before + (i + 1) as f32 * width - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, ink);
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{label}: {}", text.join(", "))));
    response
}

/// Shows the letters over the columns.
pub(super) fn axes(ui: &mut Ui) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let width = (rect.width() - LABEL) / 3.0;
    for (i, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
        let galley = ui.painter().layout_no_wrap(letter.to_owned(), theme::strong(SMALL), c.axes[i]);
        let x = rect.left() + LABEL + (i + 1) as f32 * width - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, c.axes[i]);
    }
    response.on_hover_text(
        "Mesh space. A glTF character stands on y = 0 and faces +Z; in VRM 0.x, and in many texts on skinning, it faces −Z.",
    );
}

/// Shows a sentence in the colour of warnings.
pub(super) fn warning(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
}

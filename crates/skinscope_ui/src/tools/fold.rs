//! A row of the panel of tools that folds those below it.

use egui::{Align2, Ui, vec2};

use crate::icons;
use crate::theme::{self, ROW, colors};
use crate::widgets::{focus_ring, paint_line, press};

/// Shows the row that folds others, with a tooltip; returns true when it was pressed.
pub(super) fn fold(ui: &mut Ui, name: &str, help: &str, is_open: bool) -> bool {
    let c = colors(ui);
    let (rect, response) = press(ui, vec2(ui.available_width(), ROW), name, Some(is_open));
    let ink = if response.hovered() { c.text } else { c.dim };
    let icon = if is_open { icons::TREE_OPEN } else { icons::TREE_CLOSED };
    ui.painter().text(rect.left_center() + vec2(6.0, 0.0), Align2::CENTER_CENTER, icon, theme::icon(9.0), ink);
    let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(12.0), ink);
    paint_line(ui, galley, rect.left() + 16.0, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response.on_hover_text(help).clicked()
}

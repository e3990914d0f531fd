//! Lists that are longer than the window, such as those of menus: a sign below them says that they go on.

use egui::accesskit::Role;
use egui::{Align2, ScrollArea, Sense, Ui, WidgetInfo, vec2};

use super::icons;
use super::theme::{self, ROW, colors};

/// The height of the sign below a list that scrolls, points.
pub(super) const MORE_HEIGHT: f32 = 14.0;

/// The room between a list and the edge of the window, points.
const MARGIN: f32 = 16.0;

/// Shows rows `width` points wide, as wide as the longest label and key need; rows that do not fit the window below where they begin scroll.
pub(super) fn scrolled(ui: &mut Ui, width: f32, rows: impl FnOnce(&mut Ui)) {
    let height = ui.ctx().content_rect().bottom() - ui.cursor().top() - MARGIN - MORE_HEIGHT;
    within(ui, width, height, rows);
}

/// Shows such rows beside a row of a menu: they begin higher where they do not fit below it, and scroll where the whole window is too low.
pub(super) fn scrolled_beside(ui: &mut Ui, width: f32, rows: impl FnOnce(&mut Ui)) {
    let height = ui.ctx().content_rect().height() - 2.0 * MARGIN - MORE_HEIGHT;
    within(ui, width, height, rows);
}

fn within(ui: &mut Ui, width: f32, height: f32, rows: impl FnOnce(&mut Ui)) {
    ui.set_width(width);
    let height = height.max(4.0 * ROW);
    let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
    signed(ui, list, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        rows(ui);
    });
}

/// Shows a list that may scroll, with a sign below it while it does.
pub(super) fn signed(ui: &mut Ui, list: ScrollArea, rows: impl FnOnce(&mut Ui)) {
    // A row that is faded at the edge would look like one that is disabled.
    ui.spacing_mut().scroll.fade.strength = 0.0;
    let shown = list.show(ui, rows);
    let hidden = shown.content_size.y - shown.inner_rect.height();
    if hidden > 0.5 {
        more_below(ui, hidden - shown.state.clamped_offset().y > 0.5);
    }
}

/// Shows whether a list that scrolls has more rows below those that are seen.
fn more_below(ui: &mut Ui, has_more: bool) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), MORE_HEIGHT), Sense::hover());
    if has_more {
        let ink = colors(ui).text;
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::CARET_DOWN, theme::icon(12.0), ink);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, "More rows below"));
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn a_list_that_scrolls_says_so_until_its_last_row_is_seen() {
        let setup = Harness::builder().with_size(vec2(400.0, 300.0)).with_context_setup(crate::install);
        let mut harness = setup.build_ui(|ui| {
            scrolled(ui, 200.0, |ui| {
                for i in 0..40 {
                    ui.label(format!("Row {i}"));
                }
            });
        });
        harness.run();
        assert!(harness.query_by_label("More rows below").is_some());
        harness.get_by_label("Row 39").scroll_to_me();
        harness.run();
        assert!(harness.query_by_label("More rows below").is_none());
    }
}

//! The panels around the picture: which of them a window of this width has room for, and how large they are.

use egui::{Frame, Margin, Ui, vec2};
use skinscope_session::{Command, Session};

use super::focus::{FocusCounter, FocusRegion};
use super::{
    Status, UiState, inspector, measures, outliner, page, statistics, tables, theme, timeline, tools, want_size,
    was_dragged,
};

/// The width of the panel of tools, points.
const TOOLS_WIDTH: f32 = 312.0;
/// The width of a window in which inspector and tools both have room, points.
const BOTH: f32 = 1500.0;

/// The width of a window without the page of an example in which outliner and inspector have room too, points.
const BESIDE_PAGE: f32 = 1400.0;

/// The least height of the picture that tables leave, points.
const LEAST_PICTURE: f32 = 120.0;

/// Shows the panels around the picture, and counts their widgets for the order in which Tab visits them.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
    widgets: &mut FocusCounter,
) {
    let c = theme::colors(ui);
    let frame = Frame::NONE.fill(c.panel).inner_margin(Margin::symmetric(theme::MARGIN, 0));
    let saved = state.saved.clone();
    if let Some(height) = timeline::height(session).filter(|_| saved.timeline && !state.presents) {
        let panel = egui::Panel::bottom("timeline").resizable(false).frame(frame).exact_size(height);
        panel.show(ui, |ui| timeline::show(ui, session, state, commands));
        widgets.shown(ui, FocusRegion::Timeline);
    }
    let frame = Frame::NONE.fill(c.panel);
    // The page of an example needs room beside the picture.
    let window = ui.ctx().content_rect().width();
    let text = page::TextSize::of(saved.large_text, state.presents, ui.ctx().content_rect().size());
    let page_width = session.shows_page().then(|| page::width(window, text));
    if state.presents {
        show_page(ui, session, page_width, text, commands);
        widgets.shown(ui, FocusRegion::Page);
        return;
    }
    let has_room = page_width.is_none_or(|page| window - page >= BESIDE_PAGE);
    if saved.outliner && has_room {
        let panel = egui::Panel::left("outliner").frame(frame).size_range(180.0..=480.0);
        want_size(ui, "outliner", vec2(saved.outliner_width, 0.0));
        let shown = panel.show(ui, |ui| outliner::show(ui, session, state, status, commands));
        if was_dragged(ui, "outliner") {
            state.saved.outliner_width = shown.response.rect.width();
        }
        widgets.shown(ui, FocusRegion::Outliner);
    }
    let tools_open = session.tools().open;
    let has_other_panel = tools_open || session.measuring().open || saved.statistics || saved.log;
    // A narrow window has room for one of them beside the picture.
    if saved.inspector && has_room && (!has_other_panel || ui.ctx().content_rect().width() >= BOTH) {
        let panel = egui::Panel::right("inspector").frame(frame).size_range(264.0..=480.0);
        want_size(ui, "inspector", vec2(saved.inspector_width, 0.0));
        let shown = panel.show(ui, |ui| inspector::show(ui, session, state, status, commands));
        if was_dragged(ui, "inspector") {
            state.saved.inspector_width = shown.response.rect.width();
        }
        widgets.shown(ui, FocusRegion::Inspector);
    }
    if tools_open && (!session.measuring().open || ui.ctx().content_rect().width() >= BOTH) {
        let panel = egui::Panel::right("tools").resizable(false).frame(frame).exact_size(TOOLS_WIDTH);
        panel.show(ui, |ui| tools::show(ui, session, commands));
        widgets.shown(ui, FocusRegion::Tools);
    }
    // A narrow window has room for one of them; the measures came last.
    let measures_open = session.measuring().open;
    if measures_open {
        let panel = egui::Panel::right("deformation").resizable(false).frame(frame).exact_size(TOOLS_WIDTH);
        panel.show(ui, |ui| measures::show(ui, session, status, &mut state.normal_times, commands));
        widgets.shown(ui, FocusRegion::Deformation);
    }
    show_statistics(ui, state, status, commands, widgets);
    if page_width.is_some() {
        show_page(ui, session, page_width, text, commands);
        widgets.shown(ui, FocusRegion::Page);
    }
    // This panel is the last, so that its room comes from the picture alone.
    if saved.tables {
        let most = (ui.available_height() - LEAST_PICTURE).clamp(140.0, 640.0);
        let panel = egui::Panel::bottom("tables").resizable(true).frame(frame).size_range(140.0..=most);
        want_size(ui, "tables", vec2(0.0, saved.tables_height.min(most)));
        let shown = panel.show(ui, |ui| tables::show(ui, session, state, status, commands));
        if was_dragged(ui, "tables") {
            state.saved.tables_height = shown.response.rect.height();
        }
        widgets.shown(ui, FocusRegion::Tables);
    }
}

/// Shows the panel of the statistics and the log; nothing where both are closed.
fn show_statistics(
    ui: &mut Ui,
    state: &mut UiState,
    status: &Status,
    commands: &mut Vec<Command>,
    widgets: &mut FocusCounter,
) {
    if !(state.saved.statistics || state.saved.log) {
        return;
    }
    let frame = Frame::NONE.fill(theme::colors(ui).panel).inner_margin(Margin::symmetric(theme::MARGIN, 0));
    let panel = egui::Panel::right("statistics").resizable(false).frame(frame).exact_size(TOOLS_WIDTH);
    panel.show(ui, |ui| statistics::show(ui, state, status, commands));
    widgets.shown(ui, FocusRegion::Statistics);
}

/// Shows the page of an example, so wide (points); nothing where there is no width for it.
fn show_page(ui: &mut Ui, session: &Session, width: Option<f32>, text: page::TextSize, commands: &mut Vec<Command>) {
    let Some(width) = width else { return };
    let frame = Frame::NONE.fill(theme::colors(ui).panel);
    let panel = egui::Panel::right("page").resizable(false).frame(frame).exact_size(width);
    panel.show(ui, |ui| page::show(ui, session, text, commands));
}

//! What every mode of the normals of linear blending makes of the pose: how far its normals are from those of the posed triangles, and what a
//! vertex costs, below each other. A click on one shows it.

use std::sync::{Arc, Weak};

use egui::accesskit::Role;
use egui::{CornerRadius, Sense, Ui, WidgetInfo, vec2};
use skinscope_deform::NORMAL_MODES;
use skinscope_inspect::benchmark::{Cost, CostOf, costs};
use skinscope_inspect::measure::{NormalModeMeasures, SurfaceMeasures};
use skinscope_model::Model;
use skinscope_session::{Command, MeasureCommand, Session, ViewCommand};

use super::background_query::BackgroundQuery;
use super::theme::{self, colors};
use super::widgets::{chip, focus_ring, paint_line, shortened};

/// The columns of figures: the name, and the right end in points before that of the panel.
const COLUMNS: [(&str, f32); 4] =
    [("worst", 230.0), ("mean", 176.0), ("zero", 134.0), ("ns a vertex (quartiles)", 0.0)];
/// The height of a mode: its name, and its figures below.
const ROW: f32 = 36.0;

/// The times of the modes, measured in the background once for a model.
#[derive(Debug, Default)]
pub(super) struct NormalTimes(BackgroundQuery<Timed, Vec<Cost>>);

/// The model whose modes are timed.
#[derive(Debug)]
struct Timed(Weak<Model>);

impl PartialEq for Timed {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl NormalTimes {
    /// Measures the modes on the model in its pose, unless that was done or goes on.
    fn ask(&mut self, ui: &Ui, session: &Session) {
        let Some(model) = session.deforming().shown_model().map(Arc::clone) else { return };
        let (palettes, weights) = (session.pose().palettes.clone(), session.pose().local.morph_weights.clone());
        self.0.ask(ui, Timed(Arc::downgrade(&model)), false, move |cancel| {
            costs(&model, (&palettes, &weights), &[CostOf::Normals], cancel)
        });
    }

    /// Returns the time of a mode, once it is known.
    fn of(&self, mode: &str) -> Option<&Cost> {
        self.0.latest()?.iter().find(|cost| cost.id == mode)
    }
}

/// Shows the switch, and the modes while it is on. Nothing where the modes do not fit what is shown.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    now: Option<&SurfaceMeasures>,
    times: &mut NormalTimes,
    commands: &mut Vec<Command>,
) {
    if !session.deforming().has_normal_modes() {
        return;
    }
    let on = session.measuring().modes;
    let command = Command::from(MeasureCommand::ToggleNormalModes);
    let response = chip(ui, "All modes", on);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, "Errors of all modes of normals"));
    let help = "Measure the normals of every mode of linear blending, and show them below each other";
    if response.on_hover_text(help).clicked() {
        commands.push(command);
    }
    let Some(modes) = now.map(|now| &now.normal_modes).filter(|modes| on && !modes.is_empty()) else { return };
    times.ask(ui, session);
    head(ui);
    for measures in modes {
        row(ui, session, (measures, times.of(measures.mode)), commands);
    }
}

/// Writes nanoseconds with three digits, or all of them where there are more before the point.
fn three_digits(ns: f64) -> String {
    let decimals = if ns >= 99.95 { 0 } else { 1 };
    format!("{ns:.decimals$}")
}

/// The names of the columns.
fn head(ui: &mut Ui) {
    let c = colors(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    for (name, before) in COLUMNS {
        let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(theme::SMALL), c.dim);
        let x = rect.right() - before - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, c.dim);
    }
}

fn row(ui: &mut Ui, session: &Session, (of, cost): (&NormalModeMeasures, Option<&Cost>), commands: &mut Vec<Command>) {
    let Some(mode) = NORMAL_MODES.iter().find(|mode| mode.id == of.mode) else { return };
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let on = session.view().normals.id == mode.id;
    let time = cost.map_or_else(
        || "…".to_owned(),
        |Cost { ns: [_, lower, median, upper, _], .. }| {
            // Three digits, so that the longest text ends before the column to the left of it.
            let [lower, median, upper] = [*lower, *median, *upper].map(three_digits);
            format!("{median} ({lower}–{upper})")
        },
    );
    let figures = [format!("{:.1}°", of.worst), format!("{:.2}°", of.mean), of.zero.to_string(), time];
    let [worst, mean, zero, _] = &figures;
    let time = cost.map_or_else(String::new, |cost| format!(", a vertex {}", cost.text()));
    let spoken = format!("{}: worst {worst}, mean {mean}, {zero} of length zero{time}", mode.label);
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, on, &spoken));
    if response.hovered() {
        ui.painter().rect_filled(rect.expand2(vec2(4.0, 0.0)), CornerRadius::same(4), c.hovered);
    }
    let ink = if on { c.accent } else { c.text };
    let (label, _) = shortened(ui, mode.label, theme::regular(12.0), ink, rect.width());
    paint_line(ui, label, rect.left(), rect.top() + 0.28 * ROW, ink);
    for (figure, (_, before)) in figures.iter().zip(COLUMNS) {
        let galley = ui.painter().layout_no_wrap(figure.clone(), theme::regular(12.0), c.text);
        let x = rect.right() - before - galley.size().x;
        paint_line(ui, galley, x, rect.top() + 0.72 * ROW, c.text);
    }
    focus_ring(ui, rect, &response);
    let help = format!("{}. {}.\nClick to show it", mode.label, mode.help);
    if response.on_hover_text(help).clicked() {
        commands.push(ViewCommand::SetNormals(mode.id).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_and_no_head_reaches_the_column_to_its_left() {
        let ctx = egui::Context::default();
        crate::install(&ctx);
        let mut widths = [[0.0; 4]; 2];
        let widest = ["180.0°", "180.00°", "99999", "1234 (1234–1234)"];
        // The fonts are there after the first pass.
        for _ in 0..2 {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                let width = |text: &str, size| {
                    ui.painter().layout_no_wrap(text.to_owned(), theme::regular(size), colors(ui).text).size().x
                };
                widths = [COLUMNS.map(|(name, _)| width(name, theme::SMALL)), widest.map(|figure| width(figure, 12.0))];
            });
            output.textures_delta.clear();
        }
        for widths in widths {
            for (i, (pair, width)) in COLUMNS.windows(2).zip(&widths[1..]).enumerate() {
                assert!(pair[1].1 + width + 3.0 <= pair[0].1, "column {i}: {width} at {pair:?}");
            }
            assert!(COLUMNS[0].1 + widths[0] < 284.0, "{widths:?}");
        }
        assert_eq!([9.96, 99.9, 137.94, 1316.6].map(three_digits), ["10.0", "99.9", "138", "1317"]);
    }
}

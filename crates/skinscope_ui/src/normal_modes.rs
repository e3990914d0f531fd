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
    [("worst", 190.0), ("mean", 144.0), ("zero", 112.0), ("ns a vertex (quartiles)", 0.0)];
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
        |Cost { ns: [_, lower, median, upper, _], .. }| format!("{median:.1} ({lower:.1}–{upper:.1})"),
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

//! What every mode of the normals of linear blending makes of the pose: how far its normals are from those of the posed triangles, below
//! each other. A click on one shows it.

use egui::accesskit::Role;
use egui::{CornerRadius, Sense, Ui, WidgetInfo, vec2};
use skinscope_deform::NORMAL_MODES;
use skinscope_inspect::measure::{NormalModeMeasures, SurfaceMeasures};
use skinscope_session::{Command, MeasureCommand, Session, ViewCommand};

use super::theme::{self, colors};
use super::widgets::{chip, focus_ring, paint_line, shortened};

/// The width of a column of figures, points.
const COLUMN: f32 = 52.0;
const ROW: f32 = 20.0;

/// Shows the switch, and the modes while it is on. Nothing where the modes do not fit what is shown.
pub(super) fn show(ui: &mut Ui, session: &Session, now: Option<&SurfaceMeasures>, commands: &mut Vec<Command>) {
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
    head(ui);
    for measures in modes {
        row(ui, session, measures, commands);
    }
}

/// The names of the columns.
fn head(ui: &mut Ui) {
    let c = colors(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    for (i, name) in ["worst", "mean", "zero"].into_iter().rev().enumerate() {
        let galley = ui.painter().layout_no_wrap(name.to_owned(), theme::regular(theme::SMALL), c.dim);
        let x = rect.right() - i as f32 * COLUMN - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, c.dim);
    }
}

fn row(ui: &mut Ui, session: &Session, of: &NormalModeMeasures, commands: &mut Vec<Command>) {
    let Some(mode) = NORMAL_MODES.iter().find(|mode| mode.id == of.mode) else { return };
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let on = session.view().normals.id == mode.id;
    let figures = [format!("{:.1}°", of.worst), format!("{:.2}°", of.mean), of.zero.to_string()];
    let [worst, mean, zero] = &figures;
    let spoken = format!("{}: worst {worst}, mean {mean}, {zero} of length zero", mode.label);
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, on, &spoken));
    if response.hovered() {
        ui.painter().rect_filled(rect.expand2(vec2(4.0, 0.0)), CornerRadius::same(4), c.hovered);
    }
    let ink = if on { c.accent } else { c.text };
    let room = rect.width() - 3.0 * COLUMN;
    let (label, _) = shortened(ui, mode.label, theme::regular(12.0), ink, room);
    paint_line(ui, label, rect.left(), rect.center().y, ink);
    for (i, figure) in figures.iter().rev().enumerate() {
        let galley = ui.painter().layout_no_wrap(figure.clone(), theme::regular(12.0), c.text);
        let x = rect.right() - i as f32 * COLUMN - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, c.text);
    }
    focus_ring(ui, rect, &response);
    let help = format!("{}. {}.\nClick to show it", mode.label, mode.help);
    if response.on_hover_text(help).clicked() {
        commands.push(ViewCommand::SetNormals(mode.id).into());
    }
}

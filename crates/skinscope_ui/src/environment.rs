//! The controls of the environment that are no rows of a menu: which file it is, how it is turned, and how bright it is.

use egui::{Ui, vec2};
use skinscope_session::{Command, EnvironmentCommand, EnvironmentView, Session, ViewCommand};

use super::bones::{menu_number, named_slider};
use super::theme::{self, BODY, ROW, colors};
use super::widgets::{describe_others, paint_line, shortened};

/// The length of the rails of both sliders, points.
const RAIL: f32 = 190.0;

/// Shows the name of the file, and sliders for rotation and exposure.
pub(super) fn controls(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let EnvironmentView { file, rotation, exposure } = &session.view().environment;
    ui.add_space(4.0);
    ui.separator();
    ui.add_space(4.0);
    if let Some(path) = file {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), egui::Sense::hover());
        let color = colors(ui).dim;
        let (label, _) = shortened(ui, &name, theme::regular(BODY), color, rect.width() - 40.0);
        paint_line(ui, label, rect.left() + 28.0, rect.center().y, color);
        response.on_hover_text(path.display().to_string());
    }
    let field = menu_number("Rotation", *rotation, -180.0..=180.0, 0, "°");
    if let Some(degrees) = named_slider(ui, &field, RAIL, false) {
        commands.push(ViewCommand::Environment(EnvironmentCommand::Turn(degrees)).into());
    }
    describe_others(ui, "How far the surroundings are turned about the vertical axis, in degrees");
    let [least, most] = EnvironmentView::EXPOSURES;
    let field = menu_number("Exposure", *exposure, least..=most, 1, "");
    if let Some(stops) = named_slider(ui, &field, RAIL, false) {
        commands.push(ViewCommand::Environment(EnvironmentCommand::Expose(stops)).into());
    }
    describe_others(ui, "How bright the surroundings are, in stops; one more doubles their light");
}

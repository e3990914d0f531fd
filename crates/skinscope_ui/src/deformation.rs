//! The parameters of the deformation method, and what comes after it: the list that opens from the caret beside the drop-down of
//! methods. All of it comes from the tables of methods and passes.

use egui::{Align2, Label, RichText, Ui, vec2};
use skinscope_deform::{METHODS, NORMAL_MODES, NormalMode, PASSES, Parameter};
use skinscope_session::{Command, Session, ViewCommand};

use super::bones::{self, menu_number};
use super::theme::{self, ROW, SMALL, colors};
use super::widgets::{NumberField, chip, rail_and_box};

/// The width of the list, points.
const WIDTH: f32 = 292.0;

/// Shows the caret next to the drop-down.
pub(super) fn caret(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let help = "Parameters of the method, and what comes after it";
    bones::caret(ui, "Deformation parameters", help, |ui| rows(ui, session, commands));
}

fn rows(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    ui.set_width(WIDTH);
    let view = session.view();
    let dim = colors(ui).dim;
    let note = |ui: &mut Ui, text: &str| {
        // A menu justifies its rows, which would stretch the words to both its edges; a vertical layout does not.
        ui.vertical(|ui| ui.add(Label::new(RichText::new(text).font(theme::regular(SMALL)).color(dim)).wrap()));
    };
    ui.label(RichText::new(view.method.label).font(theme::strong(theme::BODY)));
    note(ui, view.method.help);
    for parameter in view.method.parameters {
        slider(ui, session, parameter, commands);
    }
    ui.separator();
    ui.label(RichText::new("Normals").font(theme::strong(theme::BODY)));
    let fits = |mode: &&&NormalMode| mode.fits_all || std::ptr::eq(view.method, METHODS[0]);
    let now = if fits(&&view.normals) { view.normals } else { NORMAL_MODES[0] };
    for mode in NORMAL_MODES.iter().filter(fits) {
        let row = ui.selectable_label(std::ptr::eq(*mode, now), mode.label).on_hover_text(mode.help);
        if row.clicked() {
            commands.push(ViewCommand::SetNormals(mode.id).into());
        }
    }
    for pass in PASSES {
        ui.separator();
        let on = view.pass.is_some_and(|now| now.id == pass.id);
        let row = ui.horizontal(|ui| chip(ui, pass.label, on)).inner;
        if row.on_hover_text(pass.help).clicked() {
            commands.push(ViewCommand::SetPass((!on).then_some(pass.id)).into());
        }
        note(ui, pass.help);
        if on {
            for parameter in pass.parameters {
                slider(ui, session, parameter, commands);
            }
        }
    }
}

/// Shows a slider for a parameter, with its name before it.
fn slider(ui: &mut Ui, session: &Session, parameter: &'static Parameter, commands: &mut Vec<Command>) {
    let now = session.view().parameters.get(parameter);
    let moved = ui.horizontal(|ui| {
        ui.set_height(ROW + 2.0);
        let (rect, _) = ui.allocate_exact_size(vec2(84.0, ROW), egui::Sense::hover());
        let c = colors(ui);
        ui.painter().text(
            rect.left_center(),
            Align2::LEFT_CENTER,
            parameter.label,
            theme::regular(theme::BODY),
            c.text,
        );
        let [least, most] = parameter.range;
        let decimals = if parameter.is_whole { 0 } else { 2 };
        let field = menu_number(parameter.label, now, least..=most, decimals, "");
        rail_and_box(ui, &NumberField { help: parameter.help, ..field }, 130.0, false)
    });
    if let Some(value) = moved.inner {
        commands.push(ViewCommand::SetParameter(parameter.id, value).into());
    }
}

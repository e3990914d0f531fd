//! The crowd: its number in the View menu, and the line that says whose pose is shown.

use egui::{CornerRadius, Sense, Ui, vec2};
use skinscope_session::{Command, Session, ViewCommand, most_members};

use super::theme::{self, BODY, ROW, colors};
use super::widgets::{BOX_WIDTH, NumberField, grouped, paint_line};

/// Returns how many members there may be; one where nothing is open.
pub(super) fn most(session: &Session) -> u32 {
    session.model().map_or(1, |model| most_members(model))
}

/// Shows the field for any other number.
pub(super) fn field(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let (most, shown) = (most(session), session.pose().formation.members as u32);
    ui.horizontal(|ui| {
        ui.set_height(ROW + 4.0);
        ui.add_space(28.0);
        ui.label("Crowd of");
        let field = NumberField {
            name: "Crowd of",
            help: &format!("How many of the model are shown: up to {} of this one", grouped(most as usize)),
            value: shown as f32,
            range: 1.0..=most as f32,
            is_bounded: true,
            per_point: 1.0,
            decimals: 0,
            is_short: false,
            unit: "",
            width: BOX_WIDTH,
            edited: false,
        };
        let change = ui.add_enabled_ui(most > 1, |ui| field.show(ui)).inner;
        if let Some(members) = change.value {
            commands.push(ViewCommand::SetCrowd(members.round() as u32).into());
        }
    });
}

/// Shows a line below the switches over the picture, where there is a crowd or one was asked for.
pub(super) fn line(ui: &mut Ui, session: &Session) {
    let c = colors(ui);
    let (text, ink) = match session.extents().crowd_refusal() {
        Some(why) => (why, c.amber),
        None if session.pose().formation.members > 1 => {
            let members = grouped(session.pose().formation.members);
            (format!("Crowd of {members}: the first is the one you pose"), c.text)
        }
        None => return,
    };
    ui.end_row();
    let galley = ui.painter().layout(text.clone(), theme::regular(BODY), ink, ui.available_width() - 18.0);
    let (rect, response) = ui.allocate_exact_size(galley.size() + vec2(18.0, 6.0), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::accesskit::Role::Label, true, &text));
    ui.painter().rect_filled(rect, CornerRadius::same(theme::RADIUS), c.plate);
    paint_line(ui, galley, rect.left() + 9.0, rect.center().y, ink);
}

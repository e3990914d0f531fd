//! The crowd: its number in the View menu, and the line that says whose pose is shown.

use egui::{CornerRadius, DragValue, Sense, Ui, vec2};
use skinscope_session::{Command, Session, ViewCommand, most_members};

use super::theme::{self, BODY, ROW, colors};
use super::widgets::{grouped, paint_line};

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
        let label = ui.label("Crowd of");
        let mut members = shown;
        let field = DragValue::new(&mut members).range(1..=most).speed(1.0);
        let help = format!("How many of the model are shown: up to {} of this one", grouped(most as usize));
        ui.add_enabled(most > 1, field).labelled_by(label.id).on_hover_text(help);
        if members != shown {
            commands.push(ViewCommand::SetCrowd(members).into());
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

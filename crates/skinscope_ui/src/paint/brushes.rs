//! The choice of a brush: those that change the weight of one joint, and those that change the whole row.

use egui::accesskit::Role;
use egui::{RichText, Sense, Ui, WidgetInfo, vec2};
use skinscope_session::{Command, CommandRow, PaintCommand, Session, refusal, row_of};
use skinscope_weights::{BRUSHES, Brush, LAYER_BRUSHES};

use super::pictures;
use crate::theme::{self, SMALL, colors};
use crate::widgets::{focus_ring, paint_line, paint_switch, press, section};

/// The width of the name of a group, points.
const NAME: f32 = 34.0;
/// The distance of brushes, and how wide one is at the most, points.
const GAP: f32 = 3.0;
const WIDEST: f32 = 110.0;
/// The height of a brush, points.
const HEIGHT: f32 = 24.0;
/// The part of a brush before its name, which has the drawing, and the part after it, points.
const BEFORE: f32 = 22.0;
const AFTER: f32 = 7.0;
/// How strong the ink of a brush is that is off.
const OFF: f32 = 0.6;

/// Shows the brushes; a press on the one in the hand puts it down.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    section(ui, "Brush", |_| {});
    let groups = [
        ("Joint", "They change the weight of the painted joint, and the other joints make room", true),
        ("All", "They change the weights of all joints of a vertex that are not locked", false),
    ];
    let of = |is_of_joint: bool| -> Vec<&'static Brush> {
        BRUSHES.iter().chain(LAYER_BRUSHES).copied().filter(|brush| brush.is_of_joint() == is_of_joint).collect()
    };
    let (room, ink) = (ui.available_width() - NAME, colors(ui).text);
    let words =
        |brush: &&'static Brush| ui.painter().layout_no_wrap(short(brush).to_owned(), theme::regular(12.0), ink);
    let widest = [of(true), of(false)].concat().iter().map(|brush| words(brush).size().x).fold(0.0, f32::max);
    let columns = columns(of(true).len().max(of(false).len()), BEFORE + widest + AFTER, room);
    let width = ((room + GAP) / columns as f32 - GAP).min(WIDEST);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(GAP, 4.0);
        for (name, help, is_of_joint) in groups {
            for (number, row) in of(is_of_joint).chunks(columns).enumerate() {
                ui.horizontal(|ui| {
                    let left = ui.cursor().left();
                    if number == 0 {
                        let name = RichText::new(name).font(theme::regular(SMALL)).color(colors(ui).dim);
                        ui.label(name).on_hover_text(help);
                    }
                    ui.add_space((left + NAME - ui.cursor().left()).max(0.0));
                    row.iter().copied().for_each(|brush| button(ui, session, brush, width, commands));
                });
            }
        }
    });
}

/// Returns in how many columns so many brushes stand, so that their rows are as even as there is room for.
fn columns(count: usize, widest: f32, room: f32) -> usize {
    let count = count.max(1);
    let most = (((room + GAP) / (widest + GAP)) as usize).clamp(1, count);
    count.div_ceil(count.div_ceil(most))
}

/// Returns the name of a brush where the panel says that it is one.
fn short(brush: &'static Brush) -> &'static str {
    brush.label.split(' ').next().unwrap_or(brush.label)
}

fn button(ui: &mut Ui, session: &Session, brush: &'static Brush, width: f32, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let on = session.painting().brush().is_some_and(|held| held.id == brush.id);
    let take = Command::from(PaintCommand::Hold(Some(brush.id.to_owned())));
    let row = row_of(&take);
    let name = row.map_or(brush.label, |row| row.label);
    let why = refusal(&take, session).filter(|_| !on);
    let is_off = why.is_some();
    let size = vec2(width, HEIGHT);
    let (rect, response) = match is_off {
        true => {
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            response.widget_info(|| WidgetInfo::selected(Role::Button, false, on, name));
            (rect, response)
        }
        false => press(ui, size, name, Some(on)),
    };
    let (ink, text) = match (is_off, on) {
        (true, _) => (c.dim.gamma_multiply(OFF), c.dim.gamma_multiply(OFF)),
        (false, true) => (c.text, c.text),
        (false, false) => (c.dim, c.text),
    };
    if !is_off {
        paint_switch(ui, rect, on, response.hovered(), c.raised);
    }
    pictures::brush(ui.painter(), brush.id, rect.left_center() + vec2(0.5 * BEFORE + 1.0, 0.0), ink);
    let words = ui.painter().layout_no_wrap(short(brush).to_owned(), theme::regular(12.0), text);
    paint_line(ui, words, rect.left() + BEFORE, rect.center().y, text);
    focus_ring(ui, rect, &response);
    let keys = row.and_then(CommandRow::keys).map(|keys| format!("  ({keys})")).unwrap_or_default();
    let help = why.unwrap_or_else(|| format!("{}: {}{keys}", brush.label, brush.help).into());
    if response.on_hover_text(help).clicked() {
        commands.push(if on { PaintCommand::Hold(None).into() } else { take });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_of_brushes_are_as_even_as_there_is_room_for() {
        let widest = 80.0;
        let room = |columns: f32| columns * widest + (columns - 1.0) * GAP;
        for (places, wanted) in [(0.5, 1), (1.0, 1), (2.0, 2), (3.0, 3), (4.0, 3), (5.0, 5), (9.0, 5)] {
            assert_eq!(columns(5, widest, room(places) + 0.01), wanted, "room for {places}");
        }
        assert_eq!(columns(0, widest, room(3.0)), 1);
    }

    #[test]
    fn every_brush_has_a_name_of_its_own_in_the_panel() {
        let names: BTreeSet<&str> = BRUSHES.iter().chain(LAYER_BRUSHES).map(|brush| short(brush)).collect();
        assert_eq!(names.len(), BRUSHES.len() + LAYER_BRUSHES.len());
        assert!(names.iter().all(|name| name.len() <= 10), "{names:?}");
    }
}

//! Copying to the clipboard, and the short message at the lower edge of the picture: a tick and what was done, or the
//! sign of a warning and what was not done or not completely. A presentation says in it how to leave.

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, Id, Rect, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::icons;
use super::theme::{self, BODY, colors};
use super::widgets::{counted, paint_line, plates_of_pass};

/// How long the plate is shown; a hint is read for the first time.
const SHOWN_SECS: f64 = 2.5;
const HINT_SECS: f64 = 3.0;

/// The distance between the plate and the lower edge, points.
const INSET: f32 = 16.0;
/// The greatest width of its text, and the least distance from other plates, points.
const WIDEST: f32 = 620.0;
const GAP: f32 = 8.0;

/// The message that the plate shows.
#[derive(Clone, Debug)]
struct Copied {
    what: String,
    sign: Sign,
    /// When it disappears, by the clock of egui, seconds.
    until: f64,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// What was done.
    Done,
    /// What was not done, or not completely.
    Warning,
    /// What can be done.
    Hint,
}

fn id() -> Id {
    Id::unique("copied")
}

/// Puts `text` on the clipboard, and shows that `what` was copied.
pub(super) fn copy(ui: &Ui, text: String, what: &str) {
    ui.ctx().copy_text(text);
    say(ui, format!("Copied {what}"));
}

/// Shows for a moment what was done.
pub(super) fn say(ui: &Ui, what: String) {
    tell(ui, what, Sign::Done);
}

/// Shows for a moment what was not done, or not completely.
pub(super) fn warn(ui: &Ui, what: String) {
    tell(ui, what, Sign::Warning);
}

/// Says how to leave a presentation, which has no menus, when it begins.
pub(super) fn follow_presentation(ui: &Ui, presents: bool) {
    let key = Id::unique("presents");
    let presented = ui.data(|data| data.get_temp(key).unwrap_or(false));
    if presents == presented {
        return;
    }
    ui.data_mut(|data| data.insert_temp(key, presents));
    if presents {
        tell(ui, "Esc leaves".to_owned(), Sign::Hint);
    } else if ui.data(|data| data.get_temp::<Copied>(id())).is_some_and(|copied| copied.sign == Sign::Hint) {
        ui.data_mut(|data| data.remove::<Copied>(id()));
    }
}

fn tell(ui: &Ui, what: String, sign: Sign) {
    let secs = if sign == Sign::Hint { HINT_SECS } else { SHOWN_SECS };
    let until = ui.input(|i| i.time) + secs;
    ui.data_mut(|data| data.insert_temp(id(), Copied { what, sign, until }));
    ui.ctx().request_repaint();
}

/// Puts the rows of a table with a header line on the clipboard, and shows how many of `one` or `many` they are.
pub(super) fn copy_rows(ui: &Ui, table: String, one: &str, many: &str) {
    let rows = table.lines().count().saturating_sub(1);
    copy(ui, table, &counted(rows, one, many));
}

/// Shows the plate over the picture in `rect`, `lift` points higher than without anything below it.
pub(super) fn show(ui: &Ui, rect: Rect, lift: f32) {
    let Some(Copied { what, sign, until }) = ui.data(|data| data.get_temp(id())) else { return };
    let left = until - ui.input(|i| i.time);
    if left <= 0.0 {
        ui.data_mut(|data| data.remove::<Copied>(id()));
        return;
    }
    ui.ctx().request_repaint_after_secs(left as f32);
    let c = colors(ui);
    let room = (rect.width() - 2.0 * INSET - 46.0).clamp(80.0, WIDEST);
    let galley = ui.painter().layout(what.clone(), theme::regular(BODY), c.text, room);
    let size = vec2(galley.size().x + 46.0, galley.size().y.max(18.0) + 16.0);
    let mut plate_rect =
        Align2::CENTER_BOTTOM.align_size_within_rect(size, rect.shrink(INSET)).translate(vec2(0.0, -lift));
    // It stands above the plates of the corners that it would reach, such as the legend.
    let reached = plates_of_pass(ui.ctx()).into_iter().filter(|plate| plate.expand(GAP).intersects(plate_rect));
    if let Some(top) = reached.map(|plate| plate.top()).reduce(f32::min) {
        plate_rect = plate_rect.translate(vec2(0.0, top - GAP - plate_rect.bottom()));
    }
    let response = ui.interact(plate_rect, id(), Sense::hover());
    let role = if sign == Sign::Warning { Role::Alert } else { Role::Status };
    response.widget_info(|| WidgetInfo::labeled(role, true, &what));
    let painter = ui.painter();
    painter.rect(plate_rect, CornerRadius::same(8), c.panel, Stroke::new(1.0, c.line), StrokeKind::Inside);
    let icon = pos2(plate_rect.left() + 20.0, plate_rect.center().y);
    let (glyph, ink) = match sign {
        Sign::Done => (icons::CHECK, c.accent),
        Sign::Warning => (icons::WARNING, c.amber),
        Sign::Hint => (icons::INFO, c.accent),
    };
    painter.text(icon, Align2::CENTER_CENTER, glyph, theme::icon(15.0), ink);
    paint_line(ui, galley, plate_rect.left() + 33.0, plate_rect.center().y, c.text);
}

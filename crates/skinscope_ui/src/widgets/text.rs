//! Numbers and names as text: how they are written, and how they are cut where they do not fit.

use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Color32, FontId, Galley, Rect, Sense, Ui, pos2};
use unicode_segmentation::UnicodeSegmentation as _;

use super::apart;
use crate::bidi;

/// Writes a whole number with thin spaces between thousands.
pub(crate) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

/// Writes `3 joints`, `1 joint`.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// Writes a number with a real minus sign; never "−0.0".
pub(crate) fn number(value: f32, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text,
    }
}

/// Lays out one line of `text`, cut with an ellipsis at `width`, and returns whether it was cut.
pub(crate) fn elided(ui: &Ui, text: &str, font: FontId, color: Color32, width: f32) -> (Arc<Galley>, bool) {
    if bidi::runs_left(text) {
        return cut(ui, text, &font, color, width, 1.0);
    }
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
    job.wrap = TextWrapping { max_rows: 1, break_anywhere: true, ..TextWrapping::wrap_at_width(width.max(8.0)) };
    let galley = ui.painter().layout_job(job);
    let cut = galley.elided;
    (galley, cut)
}

/// Lays out one line of a name, cut in its middle: the ends of joint names (`_L`, `_02`) tell more than what they have
/// in common. Where another name of the model would look the same, the letters stay in which they differ.
pub(crate) fn shortened(ui: &Ui, name: &str, font: FontId, color: Color32, width: f32) -> (Arc<Galley>, bool) {
    // Beyond Latin, Greek and Cyrillic several letters may share a glyph, or a letter have several.
    if name.chars().any(|c| c >= '\u{300}' && !('\u{370}'..'\u{530}').contains(&c)) {
        return cut(ui, name, &font, color, width, 0.4);
    }
    let line = |text: String| ui.painter().layout_no_wrap(text, font.clone(), color);
    let whole = line(name.to_owned());
    if whole.size().x <= width {
        return (whole, false);
    }
    let dots = line("…".to_owned()).size().x;
    let room = (width - dots).max(0.0);
    let Some(row) = whole.rows.first() else { return (whole, false) };
    let chars: Vec<char> = name.chars().collect();
    let ends: Vec<f32> = row.glyphs.iter().map(|g| g.pos.x + g.advance_width).take(chars.len()).collect();
    let (head, from) = apart::middle(&ends, room);
    let differ = apart::differences_of(ui, name, head, chars.len().saturating_sub(from));
    let text = match differ.is_empty() || ends.len() < chars.len() {
        true => chars[..head].iter().chain(&['…']).chain(&chars[from..]).collect(),
        false => apart::telling(&chars, &ends, &differ, width, dots),
    };
    (line(text), true)
}

/// Returns a name as [`shortened`] shows it, as text, and whether it was cut.
pub(crate) fn shortened_text(ui: &Ui, name: &str, font: FontId, width: f32) -> (String, bool) {
    let (galley, cut) = shortened(ui, name, font, Color32::WHITE, width);
    (galley.text().to_owned(), cut)
}

/// Shows a name that was cut whole while the pointer rests on it.
pub(crate) fn whole_on_hover(ui: &Ui, rect: Rect, name: &str) {
    if ui.rect_contains_pointer(rect) {
        ui.interact(rect, ui.scope_id().with(("whole name", name)), Sense::hover()).on_hover_text(name);
    }
}

/// Lays out one line of `text` in any script, cut between what readers see as letters; the part before the ellipsis
/// takes `head` of the room (0…1), the part after it the rest.
fn cut(ui: &Ui, text: &str, font: &FontId, color: Color32, width: f32, head: f32) -> (Arc<Galley>, bool) {
    let line = |text: String| ui.painter().layout_no_wrap(text, font.clone(), color);
    let whole = line(text.to_owned());
    if whole.size().x <= width {
        return (whole, false);
    }
    let ends: Vec<usize> = text.grapheme_indices(true).map(|(at, letter)| at + letter.len()).collect();
    let starts: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).rev().collect();
    let room = (width - line("…".to_owned()).size().x).max(0.0);
    let wide = |part: &str| line(part.to_owned()).size().x;
    let before = ends.partition_point(|end| wide(&text[..*end]) <= head * room);
    let before = before.checked_sub(1).map_or(0, |i| ends[i]);
    let left = if head < 1.0 { room - wide(&text[..before]) } else { 0.0 };
    let after = starts.partition_point(|start| *start >= before && wide(&text[*start..]) <= left);
    let after = after.checked_sub(1).map_or(text.len(), |i| starts[i]);
    (line(format!("{}…{}", &text[..before], &text[after..])), true)
}

/// Paints `galley` with its middle at height `y`.
pub(crate) fn paint_line(ui: &Ui, galley: Arc<Galley>, x: f32, y: f32, color: Color32) {
    let top = y - 0.5 * galley.size().y;
    ui.painter().galley(pos2(x, top), galley, color);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(grouped(1_234_567), "1\u{2009}234\u{2009}567");
        assert_eq!((grouped(0), grouped(999)), ("0".into(), "999".into()));
        assert_eq!(counted(1, "joint", "joints"), "1 joint");
        assert_eq!(number(-43.46, 1), "−43.5");
        assert_eq!(number(-0.04, 1), "0.0");
        assert_eq!(number(12.0, 3), "12.000");
    }
}

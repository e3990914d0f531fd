//! Small controls that several panels share. They know the theme, not the session; each has a name for screen readers.

use std::sync::Arc;

use egui::accesskit::Role;
use egui::text::{CCursorRange, LayoutJob, TextFormat, TextWrapping};
use egui::text_edit::TextEditState;
use egui::{
    Align, Align2, Color32, Context, CornerRadius, CursorIcon, Event, FontId, Frame, Galley, Id, Key, Layout, Margin,
    Modifiers, PointerButton, Pos2, Rect, Response, RichText, Sense, Stroke, StrokeKind, TextEdit, Ui, Vec2,
    WidgetInfo, WidgetText, pos2, vec2,
};

use unicode_segmentation::UnicodeSegmentation as _;

use super::theme::{self, BODY, RADIUS, ROW, SMALL, colors};
use super::{bidi, focus, icons};
use crate::session::{Command, row_of};

/// A tooltip that says what a command does, with its key.
pub(super) fn tip(command: &Command) -> String {
    let Some(row) = row_of(command) else { return String::new() };
    match row.shortcut {
        Some(shortcut) => format!("{}  ({shortcut})", row.help),
        None => row.help.to_owned(),
    }
}

/// A whole number with thin spaces between thousands.
pub(super) fn grouped(n: usize) -> String {
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

/// `3 joints`, `1 joint`.
pub(super) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// A number with a real minus sign; never "−0.0".
pub(super) fn number(value: f32, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text,
    }
}

/// One line of `text`, cut with an ellipsis at `width`. The flag says whether it was cut.
pub(super) fn elided(ui: &Ui, text: &str, font: FontId, color: Color32, width: f32) -> (Arc<Galley>, bool) {
    if bidi::runs_left(text) {
        return cut(ui, text, &font, color, width, 1.0);
    }
    let mut job = LayoutJob::single_section(text.to_owned(), TextFormat::simple(font, color));
    job.wrap = TextWrapping { max_rows: 1, break_anywhere: true, ..TextWrapping::wrap_at_width(width.max(8.0)) };
    let galley = ui.painter().layout_job(job);
    let cut = galley.elided;
    (galley, cut)
}

/// One line of a name, cut in its middle: how names of joints end (`_L`, `_02`) tells more than what they have in common.
pub(super) fn shortened(ui: &Ui, name: &str, font: FontId, color: Color32, width: f32) -> (Arc<Galley>, bool) {
    // Beyond Latin, Greek and Cyrillic several letters may share a glyph, or a letter have several.
    if name.chars().any(|c| c >= '\u{300}' && !('\u{370}'..'\u{530}').contains(&c)) {
        return cut(ui, name, &font, color, width, 0.4);
    }
    let line = |text: String| ui.painter().layout_no_wrap(text, font.clone(), color);
    let whole = line(name.to_owned());
    if whole.size().x <= width {
        return (whole, false);
    }
    let room = (width - line("…".to_owned()).size().x).max(0.0);
    let Some(row) = whole.rows.first() else { return (whole, false) };
    let ends: Vec<f32> = row.glyphs.iter().map(|g| g.pos.x + g.advance_width).collect();
    let chars: Vec<char> = name.chars().collect();
    let total = whole.size().x;
    let head = ends.iter().filter(|x| **x <= 0.4 * room).count();
    let used = head.checked_sub(1).map_or(0.0, |i| ends[i]);
    let tail = ends.iter().filter(|x| total - **x <= room - used).count().min(chars.len());
    // The glyph that ends first within the tail's room starts before it.
    let from = (chars.len() - tail + 1).max(head).min(chars.len());
    let text = chars[..head.min(chars.len())].iter().chain(&['…']).chain(&chars[from..]).collect();
    (line(text), true)
}

/// One line of `text` in any script, cut between what readers see as letters; what stands before the ellipsis takes `head`
/// of the room (0…1), what follows it the rest.
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
pub(super) fn paint_line(ui: &Ui, galley: Arc<Galley>, x: f32, y: f32, color: Color32) {
    let top = y - 0.5 * galley.size().y;
    ui.painter().galley(pos2(x, top), galley, color);
}

/// Room for a button, with its name; `selected` makes it a toggle.
pub(super) fn press(ui: &mut Ui, size: Vec2, name: &str, selected: Option<bool>) -> (Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| match selected {
        Some(on) => WidgetInfo::selected(Role::Button, enabled, on, name),
        None => WidgetInfo::labeled(Role::Button, enabled, name),
    });
    (rect, response)
}

/// The ring around what the keyboard would press.
pub(super) fn focus_ring(ui: &Ui, rect: Rect, response: &Response) {
    if response.has_focus() {
        let stroke = Stroke::new(1.5, colors(ui).accent);
        ui.painter().rect_stroke(rect, CornerRadius::same(RADIUS), stroke, StrokeKind::Inside);
    }
}

/// The row of an open list that Enter takes.
pub(super) fn mark_row(ui: &Ui, rect: Rect) {
    ui.painter().rect_stroke(rect, CornerRadius::same(4), Stroke::new(1.5, colors(ui).accent), StrokeKind::Inside);
}

/// A square button with an icon. `filled`: the one that matters most in its row.
pub(super) fn icon_button(ui: &mut Ui, icon: &str, name: &str, side: f32, filled: bool) -> Response {
    let (rect, response) = press(ui, Vec2::splat(side), name, None);
    let c = colors(ui);
    let fill = match (filled, response.hovered()) {
        (true, false) => c.accent,
        (true, true) => c.accent.lerp_to_gamma(Color32::WHITE, 0.15),
        (false, true) => c.hovered,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, CornerRadius::same(RADIUS), fill);
    let ink = if filled { c.on_accent } else { c.text };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icon(side * 0.62), ink);
    focus_ring(ui, rect, &response);
    response
}

/// A button with a text, and maybe an icon before it.
pub(super) fn text_button(ui: &mut Ui, icon: Option<&str>, text: &str, primary: bool) -> Response {
    let c = colors(ui);
    let ink = if primary { c.on_accent } else { c.text };
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(BODY), ink);
    let before = if icon.is_some() { 20.0 } else { 0.0 };
    let (rect, response) = press(ui, vec2(galley.size().x + before + 20.0, ROW + 2.0), text, None);
    let fill = match (primary, response.hovered()) {
        (true, false) => c.accent,
        (true, true) => c.accent.lerp_to_gamma(Color32::WHITE, 0.15),
        (false, true) => c.hovered,
        (false, false) => c.raised,
    };
    let edge = if primary { Stroke::NONE } else { Stroke::new(1.0, c.line) };
    ui.painter().rect(rect, CornerRadius::same(RADIUS), fill, edge, StrokeKind::Inside);
    if let Some(icon) = icon {
        let at = pos2(rect.left() + 18.0, rect.center().y);
        ui.painter().text(at, Align2::CENTER_CENTER, icon, theme::icon(15.0), ink);
    }
    paint_line(ui, galley, rect.left() + 10.0 + before, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response
}

/// A quiet button that is only its text, in the accent colour.
pub(super) fn link(ui: &mut Ui, text: &str, name: &str) -> Response {
    let c = colors(ui);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::strong(SMALL), c.accent);
    let (rect, response) = press(ui, vec2(galley.size().x, 20.0), name, None);
    let underline = response.hovered() || response.has_focus();
    paint_line(ui, galley, rect.left(), rect.center().y, c.accent);
    if underline {
        let y = rect.center().y + 7.0;
        ui.painter().hline(rect.x_range(), y, Stroke::new(1.0, c.accent));
    }
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// A toggle on a plate over the picture: filled when on.
pub(super) fn chip(ui: &mut Ui, text: &str, on: bool) -> Response {
    let c = colors(ui);
    let ink = if on { c.text } else { c.dim };
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(12.0), ink);
    let (rect, response) = press(ui, vec2(galley.size().x + 18.0, ROW), text, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.plate);
    paint_line(ui, galley, rect.left() + 9.0, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response
}

/// Paints the ground of a switch: filled and edged in accent when on, `off` when not.
pub(super) fn paint_switch(ui: &Ui, rect: Rect, on: bool, hovered: bool, off: Color32) {
    let c = colors(ui);
    let fill = match (on, hovered) {
        (true, false) => c.active,
        (true, true) => c.active.lerp_to_gamma(c.accent, 0.2),
        (false, true) => c.hovered,
        (false, false) => off,
    };
    let edge = Stroke::new(1.0, if on { c.accent } else { c.line });
    ui.painter().rect(rect, CornerRadius::same(RADIUS), fill, edge, StrokeKind::Inside);
}

/// A choice of one among few: its commands go to `commands`.
pub(super) fn segmented(ui: &mut Ui, choices: &[(&str, bool, Command)], commands: &mut Vec<Command>) {
    let rows: Vec<_> = choices.iter().map(|(text, on, command)| (*text, *on, tip(command))).collect();
    if let Some(chosen) = segments(ui, &rows) {
        commands.push(choices[chosen].2.clone());
    }
}

/// A choice of one among few, each with whether it is chosen and a tooltip; gives back what becomes chosen.
pub(super) fn segments(ui: &mut Ui, choices: &[(&str, bool, String)]) -> Option<usize> {
    let c = colors(ui);
    let pad = 11.0;
    let galleys: Vec<_> = choices
        .iter()
        .map(|(text, on, _)| {
            let ink = if *on { c.on_accent } else { c.text };
            ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(BODY), ink)
        })
        .collect();
    let width: f32 = galleys.iter().map(|g| g.size().x + 2.0 * pad).sum();
    let mut chosen = None;
    ui.allocate_ui_with_layout(vec2(width, ROW), Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let well = Rect::from_min_size(ui.max_rect().min, vec2(width, ROW));
        // Panels sink it; plates, which are as dark as it, raise it.
        ui.painter().rect_filled(well, CornerRadius::same(RADIUS), ui.visuals().extreme_bg_color);
        for (i, ((text, on, tip), galley)) in choices.iter().zip(galleys).enumerate() {
            let (rect, response) = press(ui, vec2(galley.size().x + 2.0 * pad, ROW), text, Some(*on));
            let fill = match (*on, response.hovered()) {
                (true, _) => c.accent,
                (false, true) => c.hovered,
                (false, false) => Color32::TRANSPARENT,
            };
            ui.painter().rect_filled(rect, CornerRadius::same(RADIUS), fill);
            let ink = if *on { c.on_accent } else { c.text };
            paint_line(ui, galley, rect.left() + pad, rect.center().y, ink);
            focus_ring(ui, rect, &response);
            if response.on_hover_text(tip).clicked() && !on {
                chosen = Some(i);
            }
        }
    });
    chosen
}

/// The caret of drop-downs.
pub(super) fn caret(ui: &Ui, rect: Rect, _: &egui::style::WidgetVisuals, _: bool) {
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::CARET_DOWN, theme::icon(12.0), colors(ui).dim);
}

/// A drop-down of fixed width with a name for screen readers.
pub(super) fn drop_down(ui: &mut Ui, name: &str, shown: &str, width: f32, list: impl FnOnce(&mut Ui)) -> Response {
    let mut text = WidgetText::from(shown);
    if bidi::runs_left(shown) {
        // egui would cut such a word at its first letters.
        let room = width - ui.spacing().icon_width - ui.spacing().icon_spacing - 2.0 * ui.spacing().button_padding.x;
        text = elided(ui, shown, theme::regular(BODY), colors(ui).text, room).0.into();
    }
    let response = egui::ComboBox::from_id_salt(name)
        .selected_text(text)
        .width(width)
        .truncate()
        .icon(caret)
        .show_ui(ui, |ui| {
            ui.set_min_width(width);
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            list(ui);
        })
        .response;
    response.accessible_name(format!("{name}: {shown}"))
}

/// The user's actions in a search field in this frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SearchResponse {
    /// Other things are found now.
    pub changed: bool,
    /// Down (positive) or up in what is found.
    pub steps: i64,
    /// Enter: what is found first, or what the steps have led to, is wanted.
    pub taken: bool,
}

/// How often down was pressed more than up. Uses them up.
pub(super) fn steps_down(ui: &Ui) -> i64 {
    ui.input_mut(|i| {
        let down = i.count_and_consume_key(Modifiers::NONE, Key::ArrowDown) as i64;
        down - i.count_and_consume_key(Modifiers::NONE, Key::ArrowUp) as i64
    })
}

/// Gives the focus to a text field, which may not have been shown yet. Its text is selected, so that typing replaces it.
pub(super) fn open_field(ctx: &Context, id: Id, text: &str) {
    let mut state = TextEditState::default();
    state.cursor.set_char_range(Some(CCursorRange::select_all_str(text)));
    state.store(ctx, id);
    ctx.memory_mut(|m| m.request_focus(id));
}

/// A field to search with: `name` says for what. Escape first clears, then leaves. `open`: it gets the focus now. The text
/// that is still in it when it gets the focus is selected, so that typing replaces it.
pub(super) fn search_field(
    ui: &mut Ui,
    id: Id,
    text: &mut String,
    name: &str,
    width: f32,
    open: bool,
) -> SearchResponse {
    let c = colors(ui);
    let before = text.clone();
    let had_focus = ui.memory(|m| m.has_focus(id));
    let mut searched =
        SearchResponse { steps: if had_focus { steps_down(ui) } else { 0 }, ..SearchResponse::default() };
    let edit = TextEdit::singleline(text)
        .id(id)
        .hint_text(RichText::new(format!("{name}…")).color(c.dim))
        .margin(Margin { left: 28, right: 28, top: 5, bottom: 5 })
        .desired_width(width);
    let response = ui.add(edit).accessible_name(name);
    let (focused, had_last) = ui.memory(|m| (m.has_focus(id), m.had_focus_last_frame(id)));
    searched.taken = had_focus && !focused && ui.input(|i| i.key_pressed(Key::Enter));
    // egui takes the focus away as soon as Escape is pressed; the first one takes it back.
    if had_last && !focused && !text.is_empty() && ui.input(|i| i.key_pressed(Key::Escape)) {
        text.clear();
        response.request_focus();
    }
    if open || response.gained_focus() {
        open_field(ui.ctx(), id, text);
    }
    let at = pos2(response.rect.left() + 15.0, response.rect.center().y);
    ui.painter().text(at, Align2::CENTER_CENTER, icons::SEARCH, theme::icon(15.0), c.dim);
    if !text.is_empty() {
        let side = 20.0;
        let center = pos2(response.rect.right() - 15.0, response.rect.center().y);
        let rect = Rect::from_center_size(center, vec2(side, side));
        let clear = ui.interact(rect, id.with("clear"), Sense::click()).on_hover_cursor(CursorIcon::Default);
        // Escape does the same.
        focus::pass_over(ui, clear.id);
        clear.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Clear search"));
        let ink = if clear.hovered() { c.text } else { c.dim };
        ui.painter().text(center, Align2::CENTER_CENTER, icons::CLOSE, theme::icon(13.0), ink);
        if clear.clicked() {
            text.clear();
        }
    }
    searched.changed = *text != before;
    searched
}

/// The head of a section: small capitals, dim; `right` adds what stands at its end.
pub(super) fn section(ui: &mut Ui, title: &str, right: impl FnOnce(&mut Ui)) {
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        let text = RichText::new(title.to_uppercase()).font(theme::strong(SMALL)).color(colors(ui).dim);
        ui.label(text.extra_letter_spacing(0.6));
        ui.with_layout(Layout::right_to_left(Align::Center), right);
    });
    ui.add_space(2.0);
}

/// A label at the left and a figure at the right end of the row.
pub(super) fn figure(ui: &mut Ui, label: &str, value: &str) -> Response {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let name = ui.painter().layout_no_wrap(label.to_owned(), theme::regular(BODY), c.dim);
    let room = rect.width() - name.size().x - 16.0;
    let (galley, cut) = elided(ui, value, theme::regular(BODY), c.text, room);
    paint_line(ui, name, rect.left(), rect.center().y, c.dim);
    let x = rect.right() - galley.size().x;
    paint_line(ui, galley, x, rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{label}: {value}")));
    if cut { response.on_hover_text(value) } else { response }
}

/// How far something is, 0…1, as wide as there is room.
pub(super) fn progress_bar(ui: &mut Ui, name: &str, fraction: f32) {
    let c = colors(ui);
    let fraction = fraction.clamp(0.0, 1.0);
    let (rail, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(fraction));
        info
    });
    let done = rail.with_max_x(rail.left() + fraction * rail.width());
    ui.painter().rect_filled(rail, CornerRadius::same(3), c.line);
    ui.painter().rect_filled(done, CornerRadius::same(3), c.accent);
}

/// A pointer that holds a rail.
pub(super) struct SliderDrag {
    /// The place where the button went down, if it did so in this frame.
    pub pressed: Option<Pos2>,
    /// The place of the pointer, or where it was let go.
    pub at: Pos2,
    /// The button went up in this frame.
    pub released: bool,
}

/// The pointer that holds `response`, up to and including the frame that lets go. A press that is over within one frame
/// counts too: egui calls it a click where it stayed in place, and nothing at all where it moved.
pub(super) fn slider_drag(ui: &Ui, response: &Response) -> Option<SliderDrag> {
    let (mut pressed, mut let_go) = (None, None);
    ui.input(|i| {
        for event in &i.events {
            if let Event::PointerButton { pos, button: PointerButton::Primary, pressed: down, .. } = event {
                let place = if *down { &mut pressed } else { &mut let_go };
                *place = Some(*pos);
            }
        }
    });
    let released = response.clicked() || response.drag_stopped();
    if released || response.is_pointer_button_down_on() {
        let at = let_go.filter(|_| released).or(response.interact_pointer_pos())?;
        return Some(SliderDrag { pressed, at, released });
    }
    let (start, at) = pressed.zip(let_go)?;
    let ours = response.enabled()
        && response.interact_rect.contains(start)
        && ui.ctx().layer_id_at(start) == Some(response.layer_id)
        && !ui.input(|i| i.pointer.any_down());
    ours.then_some(SliderDrag { pressed, at, released: true })
}

/// A translucent plate over the picture.
pub(super) fn plate(ui: &Ui) -> Frame {
    let c = colors(ui);
    Frame::NONE
        .fill(c.plate)
        .stroke(Stroke::new(1.0, c.line))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(12, 10))
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

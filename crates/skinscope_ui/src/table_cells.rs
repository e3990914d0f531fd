//! Cells of a table that are edited: a cursor that the arrows move, text that is typed into a cell, and text that is pasted.

use egui::accesskit::Role;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{
    Align2, Area, CornerRadius, Event, Frame, Id, Key, Margin, Modifiers, Order, Rect, Response, RichText, Sense,
    Stroke, StrokeKind, TextEdit, Ui, WidgetInfo,
};

use super::table_state::{CellEditor, Rows, TableResponse, TableState};
use super::theme::{self, BODY, colors};
use super::widgets::open_field;

fn editor_id(table: &Response) -> Id {
    table.id.with("cell")
}

/// Opens the editor of a cell. Text that was typed already is its start, with the cursor after it; else all is
/// selected.
fn open(ui: &Ui, table: &Response, (row, column): (usize, usize), now: String, typed: Option<String>) -> CellEditor {
    let text = typed.clone().unwrap_or_else(|| now.clone());
    open_field(ui.ctx(), editor_id(table), &text);
    if typed.is_some() {
        let mut state = TextEditState::default();
        state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
        state.store(ui.ctx(), editor_id(table));
    }
    let before = if typed.is_some() { String::new() } else { now };
    CellEditor { row, column, text, before, fresh: true, shown: true }
}

fn begins(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-' | '*' | '−' | '×'))
}

/// Returns whether a key types one of the characters that a weight begins with.
fn is_of_weight(key: Key) -> bool {
    begins(key.symbol_or_name()) || matches!(key, Key::Equals | Key::Plus | Key::Minus | Key::Comma | Key::Period)
}

/// Takes the keys that move the cursor from cell to cell, begin to edit a cell, or paste.
pub(super) fn keys(
    ui: &Ui,
    response: &Response,
    (rows, columns): (&Rows<'_>, usize),
    state: &mut TableState,
    answer: &mut TableResponse,
) {
    let Some(edit) = rows.edit else { return };
    if let Some(editor) = &mut state.editor {
        editor.shown = false;
        return;
    }
    // Another key or button says that the reason was read.
    if ui.input(|i| i.pointer.any_pressed() || i.events.iter().any(|e| matches!(e, Event::Key { pressed: true, .. }))) {
        state.refusal = None;
    }
    let at = state.cursor.filter(|row| *row < rows.count).zip(state.column);
    let Some((row, column)) = at.filter(|_| response.has_focus()) else { return };
    let now = edit(row, column);
    let (mut side, mut begun, mut typed) = (0, false, String::new());
    ui.input_mut(|i| {
        side += i.count_and_consume_key(Modifiers::NONE, Key::ArrowRight) as i64;
        side -= i.count_and_consume_key(Modifiers::NONE, Key::ArrowLeft) as i64;
        begun =
            now.is_some() && (i.consume_key(Modifiers::NONE, Key::Enter) || i.consume_key(Modifiers::NONE, Key::F2));
        i.events.retain(|event| match event {
            Event::Paste(text) => {
                answer.pasted = Some(text.clone());
                false
            }
            Event::Text(text) if now.is_some() && (!typed.is_empty() || begins(text)) => {
                typed.push_str(text);
                false
            }
            // A key that begins a weight is no shortcut.
            Event::Key { key, modifiers, .. } => !is_of_weight(*key) || modifiers.command || modifiers.alt,
            _ => true,
        });
    });
    let next = usize::try_from(column as i64 + side).ok().filter(|next| side != 0 && *next < columns);
    if let Some(next) = next.filter(|next| edit(row, *next).is_some()) {
        (state.column, state.reveal_column) = (Some(next), Some(next));
    }
    if let Some(now) = now.filter(|_| begun || !typed.is_empty()) {
        state.editor = Some(open(ui, response, (row, column), now, Some(typed).filter(|typed| !typed.is_empty())));
    }
}

/// Moves the cursor to the cell that was clicked; a second click edits it.
pub(super) fn click(
    ui: &Ui,
    table: &Response,
    rows: &Rows<'_>,
    state: &mut TableState,
    (row, column): (usize, Option<usize>),
    twice: bool,
) {
    let Some(edit) = rows.edit else { return };
    let text = column.and_then(|column| Some((column, edit(row, column)?)));
    state.column = text.as_ref().map(|(column, _)| *column);
    if let Some((column, text)) = text.filter(|_| twice) {
        state.editor = Some(open(ui, table, (row, column), text, None));
    }
}

/// Shows the cursor around its cell, or the field in which the cell is edited. Enter, Tab and the loss of the focus take the text,
/// Escape leaves the cell as it was.
pub(super) fn show(
    ui: &mut Ui,
    table: &Response,
    rect: Rect,
    cell: (usize, usize),
    rows: &Rows<'_>,
    state: &mut TableState,
    answer: &mut TableResponse,
) {
    let is_cursor = (state.cursor, state.column) == (Some(cell.0), Some(cell.1)) && rows.edit.is_some();
    let refusal = state.refusal.as_ref().filter(|refusal| (refusal.row, refusal.column) == cell);
    if let Some(refusal) = refusal {
        note(ui, table, rect, &refusal.why, true);
    }
    let is_refused = refusal.is_some();
    let Some(editor) = state.editor.as_mut().filter(|editor| (editor.row, editor.column) == cell) else {
        if is_refused {
            let stroke = Stroke::new(1.5, colors(ui).red);
            ui.painter().rect_stroke(rect.shrink(1.0), CornerRadius::same(2), stroke, StrokeKind::Inside);
        } else if is_cursor && state.editor.is_none() {
            let stroke = Stroke::new(1.0, colors(ui).accent);
            ui.painter().rect_stroke(rect.shrink(1.0), CornerRadius::same(2), stroke, StrokeKind::Inside);
        }
        return;
    };
    let id = editor_id(table);
    let fill = colors(ui).panel;
    ui.painter().rect_filled(rect.shrink(1.0), CornerRadius::same(2), fill);
    let field = TextEdit::singleline(&mut editor.text)
        .id(id)
        .font(theme::regular(BODY))
        .align(Align2::RIGHT_CENTER)
        .margin(Margin::symmetric(6, 2))
        .desired_width(rect.width() - 14.0);
    let response = ui.put(rect.shrink(1.0), field);
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Weight of the cell"));
    if is_refused {
        let stroke = Stroke::new(1.5, colors(ui).red);
        ui.painter().rect_stroke(rect.shrink(1.0), CornerRadius::same(2), stroke, StrokeKind::Inside);
    } else if let Some(text) = rows.note.and_then(|of_row| of_row(cell.0)) {
        note(ui, table, rect, &text, false);
    }
    if response.changed() {
        state.refusal = None;
    }
    editor.shown = true;
    if std::mem::take(&mut editor.fresh) {
        response.request_focus();
        return;
    }
    let entered = ui.input(|i| i.key_pressed(Key::Enter));
    if ui.memory(|m| m.has_focus(id)) && !entered {
        return;
    }
    let Some(editor) = state.editor.take() else { return };
    let escaped = ui.input(|i| i.key_pressed(Key::Escape));
    state.refusal = None;
    if entered && editor.row + 1 < rows.count {
        (state.cursor, state.reveal) = (Some(editor.row + 1), Some(editor.row + 1));
    }
    answer.typed = editor.typed(entered).filter(|_| !escaped);
    if entered || escaped {
        table.request_focus();
    }
}

/// Shows a line of text above a cell; where it is the reason of a refusal, in red.
fn note(ui: &Ui, table: &Response, cell: Rect, text: &str, is_refusal: bool) {
    let c = colors(ui);
    let ink = if is_refusal { c.red } else { c.dim };
    let area = Area::new(table.id.with("note")).order(Order::Foreground).pivot(Align2::RIGHT_BOTTOM);
    area.fixed_pos(cell.right_top()).interactable(false).show(ui.ctx(), |ui| {
        let frame = Frame::NONE.fill(theme::opaque(c.plate)).stroke(Stroke::new(1.0, ink));
        frame.corner_radius(CornerRadius::same(4)).inner_margin(Margin::symmetric(8, 4)).show(ui, |ui| {
            let label = egui::Label::new(RichText::new(text).font(theme::regular(BODY)).color(ink)).extend();
            let response = ui.add(label.sense(Sense::hover()));
            let role = if is_refusal { Role::Alert } else { Role::Label };
            response.widget_info(|| WidgetInfo::labeled(role, true, text));
        });
    });
}

/// Closes the editor of a cell that is not there any more, such as one that was scrolled out of sight.
pub(super) fn end(state: &mut TableState) {
    if state.editor.as_ref().is_some_and(|editor| !editor.shown) {
        state.editor = None;
    }
}

//! A search field with a button that clears it.

use egui::accesskit::Role;
use egui::text::CCursorRange;
use egui::text_edit::TextEditState;
use egui::{
    Align2, Context, CursorIcon, Id, Key, Margin, Modifiers, Rect, RichText, Sense, TextEdit, Ui, WidgetInfo, pos2,
    vec2,
};

use super::describe;
use crate::theme::{self, colors};
use crate::{focus, icons};

/// The user's actions in a search field in this frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchResponse {
    /// Whether the results have changed.
    pub changed: bool,
    /// Steps down (positive) or up in the results.
    pub steps: i64,
    /// Whether Enter was pressed: the first result is wanted, or the one that the steps have led to.
    pub taken: bool,
}

/// Returns how often down was pressed more than up. The keys count as used.
pub(crate) fn steps_down(ui: &Ui) -> i64 {
    ui.input_mut(|i| {
        let down = i.count_and_consume_key(Modifiers::NONE, Key::ArrowDown) as i64;
        down - i.count_and_consume_key(Modifiers::NONE, Key::ArrowUp) as i64
    })
}

/// Gives the focus to a text field, which may not have been shown yet. Its text is selected, so that typing replaces it.
pub(crate) fn open_field(ctx: &Context, id: Id, text: &str) {
    let mut state = TextEditState::default();
    state.cursor.set_char_range(Some(CCursorRange::select_all_str(text)));
    state.store(ctx, id);
    ctx.memory_mut(|m| m.request_focus(id));
}

/// Shows a search field; `name` says what is searched. Escape first clears, then leaves. `open`: it gets the focus now.
/// Text that is in it when it gets the focus is selected, so that typing replaces it.
pub(crate) fn search_field(
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
    describe(
        &response,
        "Type a part of the name; Enter takes what is found first, Escape clears the search and then leaves it",
    );
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
        describe(&clear, "Show all again");
        let ink = if clear.hovered() { c.text } else { c.dim };
        ui.painter().text(center, Align2::CENTER_CENTER, icons::CLOSE, theme::icon(13.0), ink);
        if clear.clicked() {
            text.clear();
        }
    }
    searched.changed = *text != before;
    searched
}

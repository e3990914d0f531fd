//! What all dialogs have in common; the list of keys, and what program this is.

use egui::accesskit::Role;
use egui::{Context, Id, Key, Label, Modal, Modifiers, Popup, RichText, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use skinscope_session::{COMMANDS, Command, CommandRow, Menu};

use super::docking::dialog;
use super::saved::MouseHabit;
use super::theme::{self, BODY, colors};
use super::widgets::{dialog_head, paint_line, section};
use super::{Dialog, Status, UiState, preferences_dialog};

/// The key of what [`note_popups`] notes.
fn noted() -> Id {
    Id::unique("a popup was open")
}

/// Notes whether a menu or another popup is open before anything is shown. Escape closes it in this frame, and must not leave a dialog that
/// is shown after it too.
pub(super) fn note_popups(ctx: &Context) {
    let is_open = Popup::is_any_open(ctx);
    ctx.data_mut(|data| data.insert_temp(noted(), is_open));
}

/// Returns whether a key was pressed without others, and takes it, so that nothing else has it. A popup that is or was open in this frame has
/// its keys for itself.
///
/// A modal does not react to Escape in its first pass, where a key that opens it and Escape may follow each other within one frame.
pub(super) fn take_key(ui: &Ui, key: Key) -> bool {
    let was_open = ui.ctx().data(|data| data.get_temp(noted())).unwrap_or(false);
    !was_open && !Popup::is_any_open(ui.ctx()) && ui.ctx().input_mut(|i| i.consume_key(Modifiers::NONE, key))
}

/// Asks something over all else. `contents` is told whether Enter was pressed, and returns the answer; where there is none, Escape gives
/// `on_escape`.
pub(super) fn question<T>(
    ui: &Ui,
    id: Id,
    on_escape: Option<T>,
    contents: impl FnOnce(&mut Ui, bool) -> Option<T>,
) -> Option<T> {
    let (escaped, entered) = (take_key(ui, Key::Escape), take_key(ui, Key::Enter));
    let modal = Modal::new(id).frame(egui::Frame::window(ui.style()));
    let answer = modal.show(ui.ctx(), |ui| contents(ui, entered)).inner;
    answer.or(on_escape.filter(|_| escaped))
}

pub(super) fn show(ui: &Ui, state: &mut UiState, status: &Status, commands: &mut Vec<Command>) {
    let Some(mut dialog) = state.dialog else { return };
    let escaped = take_key(ui, Key::Escape);
    let modal = Modal::new(Id::unique("dialog")).frame(egui::Frame::window(ui.style()));
    let shown = modal.show(ui.ctx(), |ui| match &mut dialog {
        Dialog::Keys => keys(ui, state.saved.mouse),
        Dialog::Preferences => preferences_dialog::show(ui, &state.saved, commands),
        Dialog::Layouts => dialog::show(ui, &state.saved, &mut state.dock.dialog, commands),
        Dialog::About => about(ui, &status.adapter),
    });
    let is_closed = shown.inner || escaped || shown.should_close();
    state.dialog = Some(dialog).filter(|_| !is_closed);
}

fn keys(ui: &mut Ui, habit: MouseHabit) -> bool {
    let screen = ui.ctx().content_rect();
    let width = (screen.width() - 64.0).min(760.0);
    ui.set_width(width);
    let close = dialog_head(ui, "Keys");
    let height = screen.height() - 140.0;
    ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| {
        ui.columns(2, |columns| {
            let groups = [
                (0, Menu::File, "File"),
                (0, Menu::Edit, "Edit"),
                (0, Menu::Pose, "Pose"),
                (0, Menu::Playback, "Playback"),
                (1, Menu::View, "View"),
                (1, Menu::Look, "Look"),
                (0, Menu::Overlay, "Overlay"),
                (0, Menu::Tools, "Tools"),
                (0, Menu::Help, "Help"),
            ];
            for (column, menu, title) in groups {
                group(&mut columns[column], menu, title);
            }
            in_panels(&mut columns[0]);
            mouse(&mut columns[1], habit);
        });
    });
    close
}

fn group(ui: &mut Ui, menu: Menu, title: &str) {
    section(ui, title, |_| {});
    ui.spacing_mut().item_spacing.y = 0.0;
    let rows: Vec<(&CommandRow, String)> =
        COMMANDS.iter().filter(|row| row.menu == menu).filter_map(|row| Some((row, row.keys()?.to_string()))).collect();
    for (row, keys) in rows {
        line(ui, &keys, row.label).on_hover_text(row.help);
    }
}

/// Lists the keys of panels and lists.
fn in_panels(ui: &mut Ui) {
    section(ui, "In panels and lists", |_| {});
    let rows = [
        ("Tab", "To the next button or value; with Shift back"),
        ("Enter", "Press it; take what a search finds first"),
        ("Arrows", "Walk a list, step a value; with Shift by ten"),
        ("Esc", "Clear a search, then leave it"),
    ];
    for (keys, does) in rows {
        line(ui, keys, does);
    }
}

/// Lists the uses of the mouse over the picture.
fn mouse(ui: &mut Ui, habit: MouseHabit) {
    section(ui, "Mouse over the picture", |_| {});
    let of_habit: &[(&str, &str)] = match habit {
        MouseHabit::Skinscope => {
            &[("Drag", "Turn the camera"), ("Shift+drag", "Move the camera; also middle or right drag")]
        }
        MouseHabit::Blender => &[
            ("Middle drag", "Turn the camera; also left drag"),
            ("Shift+middle", "Move the camera"),
            ("Ctrl+middle", "Come nearer or go back"),
        ],
        MouseHabit::Maya => &[
            ("Alt+left drag", "Turn the camera; also left drag"),
            ("Alt+middle", "Move the camera"),
            ("Alt+right", "Come nearer or go back"),
        ],
    };
    let rows = [
        ("Wheel", "Come nearer or go back"),
        ("Click", "Select the bone, or pin the vertex of the skin and select its main joint"),
        ("Ctrl+click", "Pin the vertex, whatever bone is near"),
        ("Double click", "Frame the selection"),
    ];
    for (keys, does) in of_habit.iter().chain(&rows) {
        line(ui, keys, does);
    }
}

fn line(ui: &mut Ui, keys: &str, does: &str) -> egui::Response {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{keys}: {does}")));
    let key = ui.painter().layout_no_wrap(keys.to_owned(), theme::strong(12.0), c.text);
    paint_line(ui, key, rect.left(), rect.center().y, c.text);
    let (does, _) = super::widgets::elided(ui, does, theme::regular(BODY), c.dim, rect.width() - 112.0);
    paint_line(ui, does, rect.left() + 112.0, rect.center().y, c.dim);
    response
}

fn about(ui: &mut Ui, adapter: &str) -> bool {
    ui.set_width(440.0);
    let c = colors(ui);
    let close = dialog_head(ui, "About Skinscope");
    let version = concat!("Version ", env!("CARGO_PKG_VERSION"));
    ui.label(RichText::new(version).color(c.dim));
    ui.add_space(4.0);
    ui.add(Label::new(env!("CARGO_PKG_DESCRIPTION")).wrap());
    if !adapter.is_empty() {
        section(ui, "Graphics", |_| {});
        ui.add(Label::new(adapter).wrap());
    }
    section(ui, "Licences", |_| {});
    let lines = [
        ("Skinscope", "MIT or Apache-2.0, as you like"),
        ("Inter, the typeface", "SIL Open Font License 1.1, © The Inter Project Authors"),
        ("Phosphor, the icons", "MIT, © 2020–2021 Phosphor Icons"),
        ("Viridis, the colour map", "CC0, Smith & van der Walt"),
    ];
    for (what, licence) in lines {
        ui.add(Label::new(RichText::new(what).font(theme::strong(BODY))).wrap());
        ui.add(Label::new(RichText::new(licence).color(c.dim)).wrap());
        ui.add_space(4.0);
    }
    close
}

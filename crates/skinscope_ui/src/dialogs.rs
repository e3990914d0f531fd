//! What all dialogs have in common; the list of keys, and what program this is.

use egui::accesskit::Role;
use egui::{Context, Id, Key, Label, Modal, Modifiers, Popup, RichText, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use skinscope_session::{COMMANDS, Command, Keymap, Menu};

use super::docking::dialog;
use super::saved::MouseHabit;
use super::theme::{self, BODY, colors};
use super::widgets::{dialog_head, paint_line, section};
use super::{Status, UiState, menu_scroll, preferences_dialog};

/// The dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialog {
    Keys,
    Preferences,
    Layouts,
    About,
}

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

/// A group of the list of keys, such as the commands of one menu.
struct Group {
    title: &'static str,
    /// Each with the keys, what they do, and what a tooltip adds to that.
    rows: Vec<(String, &'static str, &'static str)>,
}

impl Group {
    /// The least width of a column that is worth having, points.
    const LEAST_COLUMN: f32 = 270.0;
    /// The height of a row, points.
    const LINE: f32 = 22.0;

    fn of_menu(menu: Menu, title: &'static str) -> Self {
        let rows = COMMANDS.iter().filter(|row| row.menu == menu);
        let rows = rows.filter_map(|row| Some((row.keys()?.to_string(), row.label, row.help)));
        Self { title, rows: rows.collect() }
    }

    fn of_rows(title: &'static str, rows: &[(&str, &'static str)]) -> Self {
        Self { title, rows: rows.iter().map(|(keys, does)| ((*keys).to_owned(), *does, "")).collect() }
    }

    /// Returns about how high it is, points.
    fn height(&self) -> f32 {
        2.0 * Self::LINE + Self::LINE * self.rows.len() as f32
    }

    fn show(&self, ui: &mut Ui) {
        section(ui, self.title, |_| {});
        ui.spacing_mut().item_spacing.y = 0.0;
        for (keys, does, help) in &self.rows {
            let response = line(ui, keys, does);
            if !help.is_empty() {
                response.on_hover_text(*help);
            }
        }
    }
}

/// Shows the list of keys in as many columns as the window has room for; returns true when it was closed.
fn keys(ui: &mut Ui, habit: MouseHabit) -> bool {
    let screen = ui.ctx().content_rect();
    let width = (screen.width() - 64.0).min(1140.0);
    ui.set_width(width);
    let close = dialog_head(ui, "Keys");
    let menus = [
        (Menu::File, "File"),
        (Menu::Edit, "Edit"),
        (Menu::Pose, "Pose"),
        (Menu::View, "View"),
        (Menu::Look, "Look"),
        (Menu::Overlay, "Overlay"),
        (Menu::Tools, "Tools"),
        (Menu::Playback, "Playback"),
        (Menu::Help, "Help"),
    ];
    let mut groups: Vec<Group> = menus.into_iter().map(|(menu, title)| Group::of_menu(menu, title)).collect();
    groups.retain(|group| !group.rows.is_empty());
    groups.extend([of_brush(), in_panels(), mouse(habit)]);
    let count = ((width / Group::LEAST_COLUMN) as usize).clamp(1, 3);
    let whole: f32 = groups.iter().map(Group::height).sum();
    let height = screen.height() - 140.0 - menu_scroll::MORE_HEIGHT;
    let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
    menu_scroll::signed(ui, list, |ui| {
        ui.columns(count, |columns| {
            // Each group is in the column in which its middle would be if all columns were one that is cut into equal parts.
            let mut above = 0.0;
            for group in &groups {
                let middle = (above + 0.5 * group.height()) / whole;
                let column = ((middle * count as f32) as usize).min(count - 1);
                group.show(&mut columns[column]);
                above += group.height();
            }
        });
    });
    close
}

/// Returns the keys that are the brush's while one is in the hand.
fn of_brush() -> Group {
    let rows = [
        ("1 to 9, 0", "Set the strength of the brush: 1 is 0.1, 0 is 1"),
        ("Ctrl", "Do the opposite, from the press of the button on"),
        ("Shift", "Smooth instead, from the press of the button on"),
        ("Alt+click", "Take the weight there for Replace"),
        ("Ctrl+wheel", "Make the brush wider or narrower"),
        ("Shift+wheel", "Make the brush stronger or weaker"),
    ];
    let of_maya = [("B+drag", "Make the brush wider or narrower")];
    let is_maya = Keymap::chosen() == Keymap::Maya;
    Group::of_rows("While a brush is in the hand", &[&rows[..], &of_maya[..usize::from(is_maya)]].concat())
}

/// Returns the keys of panels and lists.
fn in_panels() -> Group {
    let rows = [
        ("Tab", "To the next button or value; with Shift back"),
        ("Enter", "Press it; take what a search finds first"),
        ("Arrows", "Walk a list, step a value; with Shift by ten"),
        ("Esc", "Clear a search, then leave it"),
    ];
    Group::of_rows("In panels and lists", &rows)
}

/// Returns the uses of the mouse over the picture.
fn mouse(habit: MouseHabit) -> Group {
    let of_habit: &[(&str, &'static str)] = match habit {
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
    Group::of_rows("Mouse over the picture", &[of_habit, &rows].concat())
}

/// Shows keys and what they do, which takes as many lines as it needs.
fn line(ui: &mut Ui, keys: &str, does: &str) -> egui::Response {
    const KEYS: f32 = 112.0;
    let c = colors(ui);
    let width = ui.available_width();
    let key = ui.painter().layout_no_wrap(keys.to_owned(), theme::strong(12.0), c.text);
    let text = ui.painter().layout(does.to_owned(), theme::regular(BODY), c.dim, width - KEYS - 8.0);
    let height = Group::LINE.max(text.size().y + 6.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{keys}: {does}")));
    paint_line(ui, key, rect.left(), rect.top() + 0.5 * Group::LINE, c.text);
    paint_line(ui, text, rect.left() + KEYS, rect.center().y, c.dim);
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

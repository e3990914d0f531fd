//! A drop-down of many items, with a search: typing filters, arrows walk, Enter takes, Escape first clears and then
//! closes.

use std::borrow::Cow;

use egui::{
    Button, ComboBox, FocusDirection, Key, Modifiers, PopupCloseBehavior, Response, RichText, ScrollArea, Ui, vec2,
};
use skinscope_model::{Model, NodeId};

use super::focus;
use super::theme::{self, BODY, ROW, colors};
use super::widgets::{caret, describe_others, mark_row, search_field, shortened_text, steps_down};

/// The least number of items for which the list has a search.
const SEARCH_FROM: usize = 10;
/// The greatest height of the list, points.
const MOST_HEIGHT: f32 = 340.0;

/// The state of such a list.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchList {
    search: String,
    /// Whether it was open in the last frame.
    open: bool,
    /// The match that Enter takes, by its index among the matches.
    at: usize,
    /// The scroll offset of the list, and its visible height, points.
    offset: f32,
    height: f32,
    /// The item that was right-clicked in this frame, with its row.
    menu: Option<(usize, Response)>,
}

/// The options of a list.
pub(super) struct SearchListOptions<'a> {
    /// An id that tells the drop-down from its siblings.
    pub id: &'a str,
    /// The name of the search field.
    pub search: &'a str,
    /// The text where nothing is found.
    pub none: &'a str,
    /// The widths of the closed drop-down and of the list, points.
    pub width: f32,
    pub list_width: f32,
    /// The number of items, and which of them is chosen.
    pub count: usize,
    pub now: Option<usize>,
    /// The text while it is closed.
    pub shown: &'a str,
}

/// Returns the text that tells a node from others of its name: `#12`, its index in the file, as everywhere; `None` where no other node has
/// the name.
pub(super) fn index_of(model: &Model, node: NodeId) -> Option<String> {
    let names = &model.skeleton.names;
    let same = names.iter().filter(|name| **name == names[node.index()]).count();
    (same > 1).then(|| format!("#{}", model.skeleton.file_index[node.index()]))
}

impl SearchList {
    /// Shows the drop-down; returns the index of the item that becomes chosen. `name` returns the text of a row,
    /// `suffix` the text at its end.
    pub(super) fn show<'n>(
        &mut self,
        ui: &mut Ui,
        choice: &SearchListOptions<'_>,
        name: impl Fn(usize) -> Cow<'n, str>,
        suffix: impl Fn(usize) -> Option<String>,
    ) -> (Response, Option<usize>) {
        // The list has as much room as all of them need, however few are found, if the window has it.
        let room = (0.5 * ui.ctx().content_rect().height()).min(MOST_HEIGHT);
        let height = (choice.count as f32 * ROW).min(room);
        let mut chosen = None;
        self.menu = None;
        let spacing = ui.spacing();
        let room = choice.width.max(ui.available_width())
            - spacing.icon_width
            - spacing.icon_spacing
            - 2.0 * spacing.button_padding.x;
        let (shown, cut) = shortened_text(ui, choice.shown, theme::regular(BODY), room);
        let response = ComboBox::from_id_salt(choice.id)
            .selected_text(shown)
            .width(choice.width)
            .height(height + 2.0 * ROW)
            .truncate()
            .icon(caret)
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .show_ui(ui, |ui| {
                ui.set_min_width(choice.list_width);
                chosen = self.contents(ui, choice, height, &name, &suffix);
                if chosen.is_some() {
                    ui.close();
                }
            });
        self.open = response.inner.is_some();
        let response = response.response;
        (if cut { response.on_hover_text(choice.shown) } else { response }, chosen)
    }

    fn contents<'n>(
        &mut self,
        ui: &mut Ui,
        choice: &SearchListOptions<'_>,
        height: f32,
        name: &impl Fn(usize) -> Cow<'n, str>,
        suffix: &impl Fn(usize) -> Option<String>,
    ) -> Option<usize> {
        let just_opened = !self.open;
        if just_opened {
            self.search.clear();
        }
        let (mut changed, mut steps, mut taken) = (just_opened, 0, false);
        if choice.count >= SEARCH_FROM {
            if !self.search.is_empty() && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
                self.search.clear();
                changed = true;
            }
            let id = ui.make_persistent_id("search");
            let searched = search_field(ui, id, &mut self.search, choice.search, f32::INFINITY, changed);
            changed |= searched.changed;
            (steps, taken) = (searched.steps, searched.taken);
            ui.add_space(4.0);
        } else if just_opened {
            // The keys go to the list now.
            ui.memory_mut(|m| m.stop_text_input());
        } else if ui.memory(|m| m.focused().is_none()) {
            steps = steps_down(ui);
            ui.memory_mut(|m| m.move_focus(FocusDirection::None));
            taken = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
        }
        let wanted = self.search.trim().to_lowercase();
        let found: Vec<usize> = (0..choice.count).filter(|i| name(*i).to_lowercase().contains(&wanted)).collect();
        if changed {
            let now = choice.now.filter(|_| wanted.is_empty());
            self.at = now.and_then(|now| found.iter().position(|i| *i == now)).unwrap_or(0);
        }
        self.at = (self.at as i64 + steps).clamp(0, found.len().saturating_sub(1) as i64) as usize;
        let mut chosen = found.get(self.at).copied().filter(|_| taken && !just_opened);
        let mut list = ScrollArea::vertical().max_height(height).min_scrolled_height(height).id_salt(choice.id);
        if let Some(offset) = self.scroll_to(changed || steps != 0, height) {
            list = list.vertical_scroll_offset(offset);
        }
        let top = ui.cursor().top();
        if found.is_empty() {
            ui.label(RichText::new(choice.none).color(colors(ui).dim));
        } else {
            ui.spacing_mut().item_spacing.y = 0.0;
            let shown = list.show_rows(ui, ROW, found.len(), |ui, range| {
                for match_index in range {
                    let i = found[match_index];
                    let text = name(i);
                    let suffix = suffix(i);
                    let after = suffix.as_ref().map_or(0.0, |suffix| 8.0 * suffix.chars().count() as f32 + 16.0);
                    let room = ui.available_width() - 2.0 * ui.spacing().button_padding.x - after;
                    let (shown, cut) = shortened_text(ui, &text, theme::regular(BODY), room);
                    let size = vec2(ui.available_width(), ROW);
                    let mut button = Button::selectable(Some(i) == choice.now, shown).truncate().min_size(size);
                    if let Some(suffix) = suffix {
                        button = button.right_text(RichText::new(suffix).color(colors(ui).dim));
                    }
                    let mut row = ui.add(button);
                    if cut {
                        row = row.accessible_name(&*text).on_hover_text(&*text);
                    }
                    // The arrow keys walk through the rows, so Tab skips them.
                    focus::pass_over(ui, row.id);
                    if match_index == self.at {
                        mark_row(ui, row.rect);
                    }
                    if row.clicked() {
                        chosen = Some(i);
                    }
                    if row.secondary_clicked() {
                        self.menu = Some((i, row));
                    }
                }
            });
            self.offset = shown.state.clamped_offset().y;
            self.height = shown.inner_rect.height();
        }
        describe_others(ui, "An entry of the list; a click chooses it, and so does Enter where the frame is");
        let rest = height - (ui.cursor().top() - top);
        if rest > 0.0 {
            ui.add_space(rest);
        }
        chosen
    }

    /// Returns the item that was right-clicked while the list was shown last, with its row.
    pub(super) fn take_menu(&mut self) -> Option<(usize, Response)> {
        self.menu.take()
    }

    /// Returns the scroll offset at which the match that Enter takes is visible; `None` where nothing has to move.
    fn scroll_to(&self, moved: bool, height: f32) -> Option<f32> {
        let top = self.at as f32 * ROW;
        let height = if self.height > 0.0 { self.height } else { height };
        match moved {
            true if top < self.offset => Some(top),
            true if top + ROW > self.offset + height => Some(top + ROW - height),
            _ => None,
        }
    }
}

//! The panel that shows pages of the manual beside the picture: with their pictures, links, a search over all pages, and the way back.

use std::collections::BTreeMap;

use egui::{
    Align, ColorImage, Frame, Image, Label, Layout, RichText, ScrollArea, TextureHandle, TextureOptions, Ui, vec2,
};

use super::dialogs::take_key;
use super::finder_words::words_of;
use super::manual::{Block, ManualPage, PAGES, PICTURES, Text, target};
use super::theme::{self, BODY, Colors, SMALL, colors};
use super::widgets::{drop_down, elided, icon_button, paint_line, press, row_background, search_field, text_button};
use super::{UiState, icons};

/// The height of a line of text, points.
const LINE: f32 = 18.0;
/// The most places that a search lists.
const MOST_HITS: usize = 60;

/// The manual: what is read of it.
#[derive(Default)]
pub(super) struct Manual {
    /// The page that is shown, by its index.
    page: usize,
    /// The block to which the page is to be scrolled.
    scroll_to: Option<usize>,
    /// The pages from which links have led here.
    before: Vec<usize>,
    search: String,
    hits: Vec<Hit>,
    /// Whether a page was asked for before.
    was_opened: bool,
    /// Whether something else was pressed since it was opened or pressed.
    is_left: bool,
    /// The pictures that were shown, by their files.
    pictures: BTreeMap<&'static str, TextureHandle>,
}

impl std::fmt::Debug for Manual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manual").field("page", &self.page).field("search", &self.search).finish_non_exhaustive()
    }
}

/// A place that has the searched words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    page: usize,
    block: usize,
}

impl Manual {
    /// Goes to a page, by its id; one that there is not leaves the manual where it was.
    pub(super) fn open(&mut self, id: &str) {
        self.is_left = false;
        if let Some(page) = PAGES.iter().position(|page| page.id == id) {
            self.go_to(page, None);
            if !std::mem::replace(&mut self.was_opened, true) {
                // Nothing was read before it.
                self.before.clear();
            }
        }
    }

    fn go_to(&mut self, page: usize, block: Option<usize>) {
        if page != self.page {
            self.before.push(self.page);
        }
        (self.page, self.scroll_to) = (page, Some(block.unwrap_or(0)));
        self.search.clear();
        self.hits.clear();
    }

    fn find(&mut self) {
        let words = words_of(&self.search);
        self.hits.clear();
        if words.is_empty() {
            return;
        }
        // Headings and titles say best what a place is about.
        let mut found: Vec<(u32, Hit)> = Vec::new();
        for (page, of) in PAGES.iter().enumerate() {
            let title = of.title.to_lowercase();
            for (block, text) in of.blocks.iter().enumerate() {
                let has = text.text().to_lowercase();
                if words.iter().all(|word| has.contains(word.as_str())) {
                    let rank = u32::from(!matches!(text, Block::Heading(_)));
                    found.push((rank, Hit { page, block }));
                }
            }
            if words.iter().all(|word| title.contains(word.as_str())) {
                found.push((0, Hit { page, block: 0 }));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.truncate(MOST_HITS);
        self.hits.extend(found.into_iter().map(|(_, hit)| hit));
    }
}

/// Shows the panel. `has_tabs`: tabs above it name it and close it.
pub(super) fn show(ui: &mut Ui, state: &mut UiState, has_tabs: bool) {
    // The first Escape clears a search. Once something else was pressed, it is about that.
    let is_searching = !state.manual.search.is_empty();
    let place = ui.max_rect();
    if let Some(at) = ui.input(|i| i.pointer.press_origin().filter(|_| i.pointer.any_pressed())) {
        state.manual.is_left = !place.contains(at);
    }
    ui.add_space(10.0);
    let is_closed = contents(ui, &mut state.manual, has_tabs);
    let is_meant = !state.manual.is_left && !is_searching;
    let is_over = state.dialog.is_none() && !state.finder.open;
    if is_closed || is_meant && is_over && take_key(ui, egui::Key::Escape) {
        state.shows_manual = false;
    }
}

/// Returns true when it was closed.
fn contents(ui: &mut Ui, manual: &mut Manual, has_tabs: bool) -> bool {
    let mut close = false;
    if !has_tabs {
        ui.horizontal(|ui| {
            ui.set_min_height(20.0);
            ui.label(RichText::new("Manual").font(theme::strong(15.0)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let button = icon_button(ui, icons::CLOSE, "Close the manual", 20.0, false);
                close = button.on_hover_text("Put the manual away; Help shows it again").clicked();
            });
        });
        ui.add_space(4.0);
    }
    ui.horizontal(|ui| {
        let back = ui.add_enabled_ui(!manual.before.is_empty(), |ui| text_button(ui, None, "Back", false)).inner;
        let back = back.on_hover_text("To the page from which a link has led here");
        if back.on_disabled_hover_text("No link has led here").clicked()
            && let Some(page) = manual.before.pop()
        {
            (manual.page, manual.scroll_to) = (page, Some(0));
        }
        let title = PAGES.get(manual.page).map_or("", |page| page.title.as_str());
        let width = (ui.available_width() - 8.0).min(420.0);
        let mut chosen = None;
        drop_down(ui, "Page", title, width, "Read another page of the manual", |ui| {
            for (i, page) in PAGES.iter().enumerate() {
                if ui.selectable_label(i == manual.page, page.title.as_str()).clicked() {
                    chosen = Some(i);
                }
            }
        });
        if let Some(page) = chosen {
            manual.go_to(page, None);
        }
    });
    let id = ui.make_persistent_id("search of the manual");
    let searched = search_field(ui, id, &mut manual.search, "Search the manual", f32::INFINITY, false);
    if searched.changed {
        manual.find();
    }
    if searched.taken
        && let Some(hit) = manual.hits.first().copied()
    {
        manual.go_to(hit.page, Some(hit.block));
    }
    ui.add_space(6.0);
    if manual.search.trim().is_empty() {
        let area = ScrollArea::vertical().id_salt(("manual", manual.page)).auto_shrink(false);
        area.show(ui, |ui| {
            ui.set_width(ui.available_width());
            let scroll_to = manual.scroll_to.take();
            let led = PAGES.get(manual.page).and_then(|page| text(ui, page, scroll_to, &mut manual.pictures));
            if let Some(link) = led {
                match target(&link, manual.page) {
                    Some((page, block)) => manual.go_to(page, block),
                    None if link.contains("://") => ui.ctx().open_url(egui::OpenUrl::new_tab(link)),
                    None => {}
                }
            }
        });
    } else {
        ScrollArea::vertical().id_salt("hits of the manual").auto_shrink(false).show(ui, |ui| hits(ui, manual));
    }
    close
}

/// Lists the places that have the searched words.
fn hits(ui: &mut Ui, manual: &mut Manual) {
    let c = colors(ui);
    if manual.hits.is_empty() {
        ui.label(RichText::new("No page has these words.").color(c.dim));
        return;
    }
    let mut chosen = None;
    ui.spacing_mut().item_spacing.y = 2.0;
    for hit in &manual.hits {
        let Some((page, block)) = PAGES.get(hit.page).and_then(|page| Some((page, page.blocks.get(hit.block)?))) else {
            continue;
        };
        let said = block.text();
        let (rect, response) = press(ui, vec2(ui.available_width(), 38.0), &format!("{}: {said}", page.title), None);
        row_background(ui.painter(), rect, false, response.hovered(), false, c);
        let (title, _) = elided(ui, &page.title, theme::strong(SMALL), c.dim, rect.width() - 16.0);
        paint_line(ui, title, rect.left() + 8.0, rect.top() + 10.0, c.dim);
        let (line, _) = elided(ui, &said, theme::regular(BODY), c.text, rect.width() - 16.0);
        paint_line(ui, line, rect.left() + 8.0, rect.top() + 27.0, c.text);
        if response.on_hover_text("Show this place").clicked() {
            chosen = Some(*hit);
        }
    }
    if let Some(hit) = chosen {
        manual.go_to(hit.page, Some(hit.block));
    }
}

/// Shows a page, scrolled to a block where that is asked for; returns the target of the link that was pressed.
fn text(
    ui: &mut Ui,
    page: &ManualPage,
    scroll_to: Option<usize>,
    pictures: &mut BTreeMap<&'static str, TextureHandle>,
) -> Option<String> {
    let c = colors(ui);
    let mut led = None;
    let title = ui.label(RichText::new(&page.title).font(theme::strong(19.0)).color(c.text));
    if scroll_to == Some(0) {
        title.scroll_to_me(Some(Align::TOP));
    }
    for (i, block) in page.blocks.iter().enumerate() {
        let top = ui.cursor().top();
        match block {
            Block::Heading(text) => {
                ui.add_space(10.0);
                ui.label(RichText::new(&**text).font(theme::strong(15.0)).color(c.text));
            }
            Block::Paragraph(text) => spans(ui, text, c.text, &mut led),
            Block::Entry(text) => {
                ui.horizontal_top(|ui| {
                    ui.add_space(8.0);
                    ui.label(RichText::new("•").line_height(Some(LINE)).color(c.dim));
                    ui.vertical(|ui| spans(ui, text, c.text, &mut led));
                });
            }
            Block::Picture(text, file) => {
                ui.add_space(4.0);
                picture(ui, text, file, pictures);
            }
            Block::Code(text) => code(ui, text),
            Block::Row(cells) => {
                if let Some(first) = cells.first() {
                    ui.add(Label::new(RichText::new(&**first).font(theme::strong(BODY)).color(c.text)).wrap());
                }
                for cell in cells.get(1..).unwrap_or_default() {
                    spans(ui, cell, c.dim, &mut led);
                }
            }
        }
        if scroll_to == Some(i) && i > 0 {
            let place = egui::Rect::from_x_y_ranges(ui.max_rect().x_range(), top..=ui.cursor().top());
            ui.scroll_to_rect(place, Some(Align::TOP));
        }
        ui.allocate_space(vec2(0.0, 2.0));
    }
    led
}

/// Shows lines as they are, on a plate; what has no room in the line of a command goes on below its first word.
fn code(ui: &mut Ui, text: &str) {
    let c = colors(ui);
    let plate = Frame::NONE.fill(c.raised).corner_radius(6).inner_margin(8);
    plate.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().interact_size.y = LINE;
        let line = |ui: &mut Ui, text: &str| {
            ui.add(Label::new(RichText::new(text).monospace().line_height(Some(LINE)).color(c.text)).wrap());
        };
        for text in text.trim_end().lines() {
            match text.strip_prefix("$ ") {
                None => line(ui, text),
                Some(command) => {
                    ui.horizontal_top(|ui| {
                        ui.label(RichText::new("$").monospace().line_height(Some(LINE)).color(c.dim));
                        ui.vertical(|ui| line(ui, command));
                    });
                }
            }
        }
    });
}

/// Shows a picture as wide as it is, or as there is room, with what it shows below it.
fn picture(ui: &mut Ui, text: &str, file: &str, pictures: &mut BTreeMap<&'static str, TextureHandle>) {
    let Some((name, bytes)) = PICTURES.iter().find(|(name, _)| *name == file) else { return };
    if !pictures.contains_key(name) {
        let Ok(read) = image::load_from_memory(bytes) else { return };
        let size = [read.width() as usize, read.height() as usize];
        let read = ColorImage::from_rgba_unmultiplied(size, &read.to_rgba8());
        pictures.insert(name, ui.ctx().load_texture(*name, read, TextureOptions::LINEAR));
    }
    if let Some(texture) = pictures.get(name) {
        let width = texture.size_vec2().x.min(ui.available_width());
        ui.add(Image::new(texture).max_width(width).corner_radius(6).alt_text(text));
    }
    ui.add(Label::new(RichText::new(text).font(theme::regular(SMALL)).color(colors(ui).dim)).wrap());
}

/// Shows a text with its bold words, code and links, which wraps; a link that is pressed goes to `led`.
fn spans(ui: &mut Ui, text: &Text, ink: egui::Color32, led: &mut Option<String>) {
    let c = colors(ui);
    // The first line is as high as the others, whatever is in them.
    ui.scope(|ui| {
        ui.spacing_mut().interact_size.y = LINE;
        wrapped_spans(ui, text, ink, c, led);
    });
}

fn wrapped_spans(ui: &mut Ui, text: &Text, ink: egui::Color32, c: &Colors, led: &mut Option<String>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for span in &text.spans {
            let mut rich = RichText::new(&span.text).color(ink).line_height(Some(LINE));
            if span.bold {
                rich = rich.font(theme::strong(BODY)).color(c.text);
            }
            if span.code {
                rich = rich.monospace().background_color(c.raised);
            }
            match &span.link {
                None => _ = ui.label(rich),
                Some(link) => {
                    let response = ui.link(rich.color(c.accent));
                    if response.on_hover_text(link).clicked() {
                        *led = Some(link.clone());
                    }
                }
            }
        }
    });
}

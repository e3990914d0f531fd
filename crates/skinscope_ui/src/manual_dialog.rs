//! The window that shows pages of the manual beside the picture: with links, a search over all pages, and the way back.

use egui::{Align, Align2, Label, RichText, ScrollArea, Ui, Window, vec2};

use super::UiState;
use super::dialogs::take_key;
use super::finder_words::words_of;
use super::manual::{Block, ManualPage, PAGES, Text, target};
use super::theme::{self, BODY, SMALL, colors};
use super::widgets::{dialog_head, drop_down, elided, paint_line, press, row_background, search_field, text_button};

/// The usual width of the window, points.
const WIDTH: f32 = 560.0;
/// The most places that a search lists.
const MOST_HITS: usize = 60;

/// The manual while it is open.
#[derive(Debug)]
pub(super) struct Manual {
    /// The page that is shown, by its index.
    pub page: usize,
    /// The block to which the page is to be scrolled.
    scroll_to: Option<usize>,
    /// The pages from which links have led here.
    before: Vec<usize>,
    search: String,
    hits: Vec<Hit>,
}

/// A place that has the searched words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    page: usize,
    block: usize,
}

impl Manual {
    /// Opens a page, by its index.
    pub(super) fn of(page: usize) -> Self {
        Self { page, scroll_to: None, before: Vec::new(), search: String::new(), hits: Vec::new() }
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

/// Shows the manual where it is open.
pub(super) fn show(ui: &Ui, state: &mut UiState) {
    let Some(mut manual) = state.manual.take() else { return };
    // The first Escape clears a search.
    let is_searching = !manual.search.is_empty();
    let screen = ui.ctx().content_rect();
    let size = vec2(WIDTH.min(screen.width() - 48.0), (0.8 * screen.height()).min(760.0));
    let frame = egui::Frame::window(ui.style());
    let window = Window::new("Manual").title_bar(false).frame(frame).default_size(size).min_size(vec2(320.0, 240.0));
    let window = window.pivot(Align2::CENTER_CENTER).default_pos(screen.center()).constrain_to(screen);
    let shown = window.show(ui.ctx(), |ui| contents(ui, &mut manual));
    let Some(shown) = shown else {
        state.manual = Some(manual);
        return;
    };
    // It is no dialog: Tab goes on to it from the panels.
    state.focus.floats.push(shown.response.layer_id);
    let is_over = state.dialog.is_none() && !state.finder.open && !is_searching;
    let is_closed = shown.inner.unwrap_or(false) || is_over && take_key(ui, egui::Key::Escape);
    state.manual = Some(manual).filter(|_| !is_closed);
}

/// Returns true when it was closed.
fn contents(ui: &mut Ui, manual: &mut Manual) -> bool {
    let close = dialog_head(ui, "Manual");
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
            let led = PAGES.get(manual.page).and_then(|page| text(ui, page, scroll_to));
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
fn text(ui: &mut Ui, page: &ManualPage, scroll_to: Option<usize>) -> Option<String> {
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
                    ui.label(RichText::new("•").color(c.dim));
                    ui.vertical(|ui| spans(ui, text, c.text, &mut led));
                });
            }
            Block::Code(text) => {
                ui.add(Label::new(RichText::new(text.trim_end()).monospace().color(c.dim)).wrap());
            }
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

/// Shows a text with its bold words, code and links, which wraps; a link that is pressed goes to `led`.
fn spans(ui: &mut Ui, text: &Text, ink: egui::Color32, led: &mut Option<String>) {
    let c = colors(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for span in &text.spans {
            let mut rich = RichText::new(&span.text).color(ink);
            if span.bold {
                rich = rich.font(theme::strong(BODY)).color(c.text);
            }
            if span.code {
                rich = rich.monospace();
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

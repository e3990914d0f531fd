//! The dialog that shows a page of the manual.

use egui::{Label, RichText, ScrollArea, Ui, vec2};

use super::manual::{Block, ManualPage, PAGES};
use super::theme::{self, BODY, colors};
use super::widgets::{dialog_head, drop_down};

/// The greatest width of a page, points.
const WIDTH: f32 = 720.0;

/// Shows the page of this index, which a list replaces by another; returns true when the dialog was closed.
pub(super) fn show(ui: &mut Ui, shown: &mut usize) -> bool {
    let screen = ui.ctx().content_rect();
    ui.set_width((screen.width() - 64.0).min(WIDTH));
    let close = dialog_head(ui, "Manual");
    let title = PAGES.get(*shown).map_or("", |page| page.title.as_str());
    let before = *shown;
    drop_down(ui, "Page", title, 420.0, "Read another page of the manual", |ui| {
        for (i, page) in PAGES.iter().enumerate() {
            if ui.selectable_label(i == before, page.title.as_str()).clicked() {
                *shown = i;
            }
        }
    });
    ui.add_space(6.0);
    let height = screen.height() - 180.0;
    let area = ScrollArea::vertical().id_salt(("manual", *shown)).max_height(height).min_scrolled_height(height);
    area.auto_shrink(false).show(ui, |ui| {
        if let Some(page) = PAGES.get(*shown) {
            text(ui, page);
        }
    });
    close
}

fn text(ui: &mut Ui, page: &ManualPage) {
    let c = colors(ui);
    let wrapped = |ui: &mut Ui, text: RichText| _ = ui.add(Label::new(text).wrap());
    for block in &page.blocks {
        match block {
            Block::Heading(text) => {
                ui.add_space(10.0);
                ui.label(RichText::new(text).font(theme::strong(15.0)).color(c.text));
            }
            Block::Paragraph(text) => wrapped(ui, RichText::new(text).color(c.text)),
            Block::Entry(text) => {
                ui.horizontal_top(|ui| {
                    ui.add_space(8.0);
                    ui.label(RichText::new("•").color(c.dim));
                    wrapped(ui, RichText::new(text).color(c.text));
                });
            }
            Block::Code(text) => wrapped(ui, RichText::new(text.trim_end()).monospace().color(c.dim)),
            Block::Row(cells) => {
                let first = cells.first().map_or("", String::as_str);
                wrapped(ui, RichText::new(first).font(theme::strong(BODY)).color(c.text));
                let rest = cells.get(1..).unwrap_or_default().join(" · ");
                wrapped(ui, RichText::new(rest).color(c.dim));
            }
        }
        ui.allocate_space(vec2(0.0, 2.0));
    }
}

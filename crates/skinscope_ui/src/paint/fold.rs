//! Heads of sections that fold, so that brush, settings and layers have room in one panel.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Ui, pos2, vec2};

use crate::icons;
use crate::theme::{self, SMALL, colors};
use crate::widgets::{focus_ring, paint_line, press, shortened};

/// Which sections of the panel are open.
#[derive(Debug)]
pub(super) struct Folds {
    pub touch: bool,
    pub stroke: bool,
    pub limits: bool,
}

impl Default for Folds {
    /// What is set once and then left alone is folded at first, so that little stands below what is set often.
    fn default() -> Self {
        Self { touch: true, stroke: false, limits: false }
    }
}

/// The head of a section.
pub(super) struct Head<'a> {
    /// The title that is shown.
    pub title: &'a str,
    /// The name of the button.
    pub name: &'a str,
    pub help: &'a str,
    /// What is set in the section, which is said while it is folded; empty where that is nothing unusual.
    pub set: &'a str,
}

/// Shows a head; a press folds the section or opens it. Returns whether it is open.
pub(super) fn show(ui: &mut Ui, head: &Head<'_>, open: &mut bool) -> bool {
    let c = colors(ui);
    ui.add_space(8.0);
    let (rect, response) = press(ui, vec2(ui.available_width(), 20.0), head.name, Some(*open));
    let ink = if response.hovered() || response.has_focus() { c.text } else { c.dim };
    let icon = if *open { icons::TREE_OPEN } else { icons::TREE_CLOSED };
    let y = rect.center().y;
    ui.painter().text(pos2(rect.left() + 5.0, y), Align2::CENTER_CENTER, icon, theme::icon(9.0), ink);
    let format = TextFormat { extra_letter_spacing: 0.6, ..TextFormat::simple(theme::strong(SMALL), ink) };
    let title = ui.painter().layout_job(LayoutJob::single_section(head.title.to_uppercase(), format));
    let after = rect.left() + 16.0 + title.size().x + 8.0;
    paint_line(ui, title, rect.left() + 16.0, y, ink);
    if !*open && !head.set.is_empty() {
        let (set, _) = shortened(ui, head.set, theme::regular(SMALL), c.text, (rect.right() - after).max(0.0));
        let left = rect.right() - set.size().x;
        paint_line(ui, set, left, y, c.text);
    }
    focus_ring(ui, rect, &response);
    let help = match head.set {
        "" => head.help.to_owned(),
        set => format!("{}\nSet: {set}", head.help),
    };
    if response.on_hover_text(help).clicked() {
        *open = !*open;
    }
    ui.add_space(2.0);
    *open
}

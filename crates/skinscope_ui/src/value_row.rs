//! A slider with a typed value: one row of the inspector.

use std::ops::RangeInclusive;

use egui::accesskit::Role;
use egui::{Color32, CornerRadius, EventFilter, Key, Rect, Response, Sense, Stroke, Ui, pos2, vec2};

use super::focus;
use super::theme::{self, BODY, ROW, colors};
use super::widgets::{BOX_WIDTH, Change, NumberField, elided, focus_ring, paint_line, slider_drag, steps};

/// A value with a label, a rail and a box to type in.
pub(super) struct ValueRow<'a> {
    /// The name for screen readers, such as "Rotation X".
    pub name: &'a str,
    /// What the value is, for screen readers and F1.
    pub help: &'a str,
    /// The text before the rail.
    pub label: &'a str,
    /// The width reserved for the label, points.
    pub label_width: f32,
    /// The colour of the label and the thumb.
    pub color: Color32,
    /// The present value.
    pub value: f32,
    /// The range of the rail; a typed value may lie outside.
    pub range: RangeInclusive<f32>,
    /// The value at which the rail's fill starts: zero or the rest value.
    pub home: f32,
    /// How many decimals are shown; values are rounded to them.
    pub decimals: usize,
    /// The unit after the number.
    pub unit: &'a str,
    /// Whether it is edited, which is marked amber.
    pub edited: bool,
}

const THUMB: f32 = 6.5;

impl ValueRow<'_> {
    /// Shows the row over the whole width.
    pub(super) fn show(&self, ui: &mut Ui) -> Change {
        self.show_scaled(ui, 1.0)
    }

    /// Shows the row over the whole width, with text and thumb at this scale.
    pub(super) fn show_scaled(&self, ui: &mut Ui, scale: f32) -> Change {
        let c = colors(ui);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let (rect, hover) = ui.allocate_exact_size(vec2(self.label_width, ROW * scale), Sense::hover());
            let size = BODY * scale;
            let font = if self.label.len() == 1 { theme::strong(size) } else { theme::regular(size) };
            let (galley, cut) = elided(ui, self.label, font, self.color, self.label_width);
            paint_line(ui, galley, rect.left(), rect.center().y, self.color);
            if cut {
                hover.on_hover_text(self.label);
            }
            let rail_width = (ui.available_width() - BOX_WIDTH * scale - theme::GAP).max(24.0);
            let rail = self.rail(ui, rail_width, scale, c);
            let typed = self.number_field(&format!("{} value", self.name)).show_scaled(ui, scale);
            if typed.value.is_some() || typed.ended { typed } else { rail }
        })
        .inner
    }

    /// Returns the box in which the value can be typed; a typed value may lie outside of the rail.
    fn number_field<'b>(&'b self, name: &'b str) -> NumberField<'b> {
        NumberField {
            name,
            help: self.help,
            value: self.value,
            range: self.range.clone(),
            is_bounded: false,
            per_point: (self.range.end() - self.range.start()) / 360.0,
            decimals: self.decimals,
            is_short: false,
            unit: self.unit,
            width: BOX_WIDTH,
            edited: self.edited,
        }
    }

    fn rail(&self, ui: &mut Ui, width: f32, scale: f32, c: &theme::Colors) -> Change {
        let thumb = THUMB * scale;
        let (rect, response) = ui.allocate_exact_size(vec2(width, ROW * scale), Sense::click_and_drag());
        // Tab goes from value to value.
        focus::pass_over(ui, response.id);
        let rail = Rect::from_x_y_ranges(rect.left() + thumb..=rect.right() - thumb, rect.y_range());
        let (lo, hi) = (*self.range.start(), *self.range.end());
        let x_of = |v: f32| rail.left() + ((v - lo) / (hi - lo).max(1e-9)).clamp(0.0, 1.0) * rail.width();
        let mut change = self.keys(ui, &response);
        if let Some(slider_drag) = slider_drag(ui, &response) {
            // Grabbing the thumb beside its middle must not move it: it stays until the pointer moves.
            if let Some(pressed) = slider_drag.pressed {
                let off = x_of(self.value) - pressed.x;
                let grab = if off.abs() <= thumb + 2.0 { (off, pressed.x) } else { (0.0, f32::NAN) };
                ui.data_mut(|d| d.insert_temp(response.id, grab));
            }
            let (off, start): (f32, f32) = ui.data(|d| d.get_temp(response.id)).unwrap_or((0.0, f32::NAN));
            let at = ((slider_drag.at.x + off - rail.left()) / rail.width().max(1.0)).clamp(0.0, 1.0);
            let value = self.number_field(self.name).rounded(lo + at * (hi - lo));
            if value != self.number_field(self.name).rounded(self.value) && slider_drag.at.x != start {
                change.value = Some(value);
            }
            change.ended |= slider_drag.released;
        }
        self.number_field(self.name).describe(ui, &response, Role::Slider, self.name);
        let y = rect.center().y;
        let bar = |a: f32, b: f32| Rect::from_min_max(pos2(a.min(b), y - 2.0 * scale), pos2(a.max(b), y + 2.0 * scale));
        let painter = ui.painter();
        painter.rect_filled(bar(rail.left() - thumb, rail.right() + thumb), CornerRadius::same(2), c.line);
        let (from, to) = (x_of(self.home), x_of(self.value));
        let fill = if self.edited { self.color } else { c.dim };
        painter.rect_filled(bar(from, to), CornerRadius::same(2), fill.gamma_multiply(0.7));
        let grow = if response.hovered() || response.dragged() { 1.0 } else { 0.0 };
        painter.circle(
            pos2(to, y),
            thumb + grow,
            if self.edited { self.color } else { c.dim },
            Stroke::new(2.0, c.panel),
        );
        focus_ring(ui, rect, &response);
        change
    }

    /// Handles arrows on the focused rail, and requests of a screen reader.
    fn keys(&self, ui: &Ui, response: &Response) -> Change {
        let id = response.id;
        let focused = response.has_focus();
        if focused {
            let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
            ui.memory_mut(|m| m.set_focus_lock_filter(id, filter));
        }
        let field = self.number_field(self.name);
        let steps = if focused { steps(ui, Key::ArrowRight, Key::ArrowLeft) } else { 0.0 };
        if steps != 0.0 { field.stepped(steps) } else { field.asked(ui, id) }
    }
}

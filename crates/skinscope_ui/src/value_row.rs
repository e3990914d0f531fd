//! A slider with a typed value: one row of the inspector.

use std::ops::RangeInclusive;

use egui::accesskit::{Action, ActionData, Role};
use egui::{
    Color32, CornerRadius, CursorIcon, EventFilter, Id, Key, Modifiers, Rect, Response, Sense, Stroke, TextEdit, Ui,
    WidgetInfo, pos2, vec2,
};

use super::focus;
use super::theme::{self, BODY, ROW, colors};
use super::widgets::{describe, elided, focus_ring, number, open_field, paint_line, slider_drag};

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

/// The user's changes to a value in this frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// The new value.
    pub value: Option<f32>,
    /// Whether the drag is over, or the value was typed.
    pub ended: bool,
}

impl Change {
    fn done(value: f32) -> Self {
        Self { value: Some(value), ended: true }
    }
}

const BOX_WIDTH: f32 = 72.0;
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
            let typed = self.field(ui, scale, c);
            if typed.value.is_some() || typed.ended { typed } else { rail }
        })
        .inner
    }

    fn rounded(&self, value: f32) -> f32 {
        let scale = 10.0_f32.powi(self.decimals as i32);
        (value * scale).round() / scale
    }

    fn step(&self) -> f32 {
        let span = self.range.end() - self.range.start();
        self.rounded(span / 360.0).max(10.0_f32.powi(-(self.decimals as i32)))
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
            let value = self.rounded(lo + at * (hi - lo));
            if value != self.rounded(self.value) && slider_drag.at.x != start {
                change.value = Some(value);
            }
            change.ended |= slider_drag.released;
        }
        self.describe(ui, &response, Role::Slider, self.name);
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
        let steps = if focused { steps(ui, Key::ArrowRight, Key::ArrowLeft) } else { 0.0 };
        if steps != 0.0 {
            return Change::done(self.rounded(self.value + steps * self.step()));
        }
        self.asked(ui, id)
    }

    /// Handles a value that a screen reader sets, or steps that it asks for.
    fn asked(&self, ui: &Ui, id: Id) -> Change {
        let count = |action| ui.input(|i| i.num_accesskit_action_requests(id, action)) as f32;
        let steps = count(Action::Increment) - count(Action::Decrement);
        if steps != 0.0 {
            return Change::done(self.rounded(self.value + steps * self.step()));
        }
        let asked = ui.input(|i| {
            i.accesskit_action_requests(id, Action::SetValue)
                .filter_map(|request| match &request.data {
                    Some(ActionData::NumericValue(value)) => Some(*value as f32),
                    Some(ActionData::Value(text)) => parse(text),
                    _ => None,
                })
                .last()
        });
        asked.filter(|v| v.is_finite()).map_or_else(Change::default, Change::done)
    }

    fn describe(&self, ui: &Ui, response: &Response, role: Role, name: &str) {
        let value = f64::from(self.value);
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(role, ui.is_enabled(), name);
            info.value = Some(value);
            info
        });
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_description(self.help);
            node.set_min_numeric_value(f64::from(*self.range.start()));
            node.set_max_numeric_value(f64::from(*self.range.end()));
            node.set_value(format!("{}{}", number(self.value, self.decimals), self.unit));
            for action in [Action::SetValue, Action::Increment, Action::Decrement] {
                node.add_action(action);
            }
        });
    }

    /// Shows the typed value: a click edits it as text, a drag changes it.
    fn field(&self, ui: &mut Ui, scale: f32, c: &theme::Colors) -> Change {
        let id = ui.make_persistent_id((self.name, "value"));
        let size = scale * vec2(BOX_WIDTH, ROW);
        if let Some(text) = ui.data(|d| d.get_temp::<String>(id)) {
            return self.edit_text(ui, id, text, scale);
        }
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let response = ui.interact(rect, id, Sense::click_and_drag());
        let mut change = self.asked(ui, id);
        // The pointer may still move in the frame that releases the button.
        let is_dragged = response.dragged() || response.drag_stopped();
        let moved = if is_dragged { ui.input(|i| i.pointer.delta().x) } else { 0.0 };
        if response.clicked() || response.has_focus() {
            self.begin_text(ui, id, self.value);
            ui.ctx().request_repaint();
        } else if moved != 0.0 {
            // The unrounded value lives as long as the drag.
            let slow = if ui.input(|i| i.modifiers.shift) { 0.1 } else { 1.0 };
            let per_point = (self.range.end() - self.range.start()) / 360.0 * slow;
            let drag = id.with("drag");
            let exact = ui.data(|d| d.get_temp(drag)).unwrap_or(self.value) + moved * per_point;
            ui.data_mut(|d| d.insert_temp(drag, exact));
            change.value = Some(self.rounded(exact));
        }
        if response.drag_stopped() {
            ui.data_mut(|d| d.remove::<f32>(id.with("drag")));
            change.ended = true;
        }
        self.describe(ui, &response, Role::SpinButton, &format!("{} value", self.name));
        let stroke = if response.hovered() { Stroke::new(1.0, c.line) } else { Stroke::NONE };
        ui.painter().rect(rect, CornerRadius::same(4), c.background, stroke, egui::StrokeKind::Inside);
        let ink = if self.edited { c.amber } else { c.text };
        let text = format!("{}{}", number(self.value, self.decimals), self.unit);
        let (galley, _) = elided(ui, &text, theme::regular(BODY * scale), ink, rect.width() - 12.0);
        let x = rect.right() - 8.0 - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, ink);
        focus_ring(ui, rect, &response);
        response.on_hover_cursor(CursorIcon::ResizeHorizontal).on_hover_text("Click to type, drag to change");
        change
    }

    /// Returns the value as text, all of it selected, so that typing replaces it.
    fn begin_text(&self, ui: &Ui, id: Id, value: f32) -> String {
        let text = number(value, self.decimals);
        open_field(ui.ctx(), id, &text);
        ui.data_mut(|d| d.insert_temp(id, text.clone()));
        text
    }

    /// Shows the text field that replaces the value while it is typed. It has the same id, so that Tab knows where it
    /// is even before it was shown. Up and down step by one, with Shift by ten.
    fn edit_text(&self, ui: &mut Ui, id: Id, mut text: String, scale: f32) -> Change {
        let mut stepped = Change::default();
        if ui.memory(|m| m.has_focus(id)) {
            let steps = steps(ui, Key::ArrowUp, Key::ArrowDown);
            if steps != 0.0 {
                let value = self.rounded(parse(&text).unwrap_or(self.value) + steps * self.step());
                text = self.begin_text(ui, id, value);
                stepped = Change::done(value);
            }
        }
        let output = TextEdit::singleline(&mut text)
            .id(id)
            .font(theme::regular(BODY * scale))
            .align(egui::Align2::RIGHT_CENTER)
            .margin(egui::Margin::symmetric(8, 3))
            .desired_width(BOX_WIDTH * scale - 16.0)
            .min_size(scale * vec2(BOX_WIDTH, ROW))
            .show(ui);
        let response = output.response.response.accessible_name(format!("{} value", self.name));
        describe(&response, self.help);
        if !ui.memory(|m| m.has_focus(id)) {
            ui.data_mut(|d| d.remove::<String>(id));
            // Text that was typed before the row was hidden for a while may have been meant for another joint.
            let is_accepted = response.lost_focus() && !ui.input(|i| i.key_pressed(Key::Escape));
            let typed = parse(&text).filter(|v| is_accepted && *v != self.rounded(self.value));
            return typed.map_or_else(Change::default, Change::done);
        }
        ui.data_mut(|d| d.insert_temp(id, text));
        stepped
    }
}

/// Returns how often one key was pressed more than the other; with Shift each counts ten times. The keys count as used.
fn steps(ui: &Ui, more: Key, less: Key) -> f32 {
    ui.input_mut(|i| {
        let mut steps = 0.0;
        // Shift is tested first: keys without it match those with it as well.
        for (modifiers, size) in [(Modifiers::SHIFT, 10.0), (Modifiers::NONE, 1.0)] {
            steps += size * i.count_and_consume_key(modifiers, more) as f32;
            steps -= size * i.count_and_consume_key(modifiers, less) as f32;
        }
        steps
    })
}

/// Reads a number as people type it: comma or point, either minus sign, with or without the unit.
fn parse(text: &str) -> Option<f32> {
    let plain: String = text.trim().replace(',', ".").replace('−', "-");
    let end = plain.trim_end_matches(|c: char| !c.is_ascii_digit() && c != '.').trim_end();
    end.parse().ok().filter(|v: &f32| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_numbers_are_understood() {
        assert_eq!(parse(" −12,5° "), Some(-12.5));
        assert_eq!(parse("3.25 m"), Some(3.25));
        assert_eq!(parse("1e-2"), Some(0.01));
        assert_eq!(parse("inf"), None);
        assert_eq!(parse("abc"), None);
    }
}

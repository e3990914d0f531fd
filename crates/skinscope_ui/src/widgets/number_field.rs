//! A number in a box: a drag changes it, a click edits it as text. Every number that can be typed in a panel is one of these.
//!
//! Text that nobody has changed writes nothing. What the box showed when it was opened is rounded, and while a clip plays it is old by the time
//! the box is left; to write it would be an edit that nobody has made.

use std::ops::RangeInclusive;

use egui::accesskit::{Action, ActionData, Role};
use egui::{
    CornerRadius, CursorIcon, Event, Id, Key, Modifiers, Response, Sense, Slider, SliderClamping, Stroke, StrokeKind,
    TextEdit, Ui, WidgetInfo, vec2,
};

use super::{describe, elided, focus_ring, number, open_field, paint_line};
use crate::theme::{self, BODY, ROW, colors};

/// The usual width of a box, points.
pub(crate) const BOX_WIDTH: f32 = 72.0;

/// A number with the box that shows it.
pub(crate) struct NumberField<'a> {
    /// The name for screen readers, one of its kind within its parent.
    pub name: &'a str,
    /// What the number is, for screen readers and F1.
    pub help: &'a str,
    /// The present value.
    pub value: f32,
    /// Where the value usually lies.
    pub range: RangeInclusive<f32>,
    /// Whether what is typed or dragged stays in the range.
    pub is_bounded: bool,
    /// How far a drag of one point leads; zero: a drag leads nowhere.
    pub per_point: f32,
    /// How many decimals are shown; values are rounded to them.
    pub decimals: usize,
    /// Whether zeros at the end of the decimals are left out.
    pub is_short: bool,
    /// The unit after the number.
    pub unit: &'a str,
    /// The width of the box, points.
    pub width: f32,
    /// Whether it is edited, which is marked amber.
    pub edited: bool,
}

/// The user's changes to a value in this frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Change {
    /// The new value.
    pub value: Option<f32>,
    /// Whether the drag is over, or the value was typed.
    pub ended: bool,
}

impl Change {
    pub(crate) fn done(value: f32) -> Self {
        Self { value: Some(value), ended: true }
    }
}

/// What is typed into a box that is open.
#[derive(Clone, Debug, Default)]
struct Typed {
    /// The text when the box was opened, or when an arrow key stepped the value last.
    before: String,
    /// The text that is there now.
    text: String,
    /// Whether somebody has changed the text since.
    is_touched: bool,
}

impl NumberField<'_> {
    /// Shows the box.
    pub(crate) fn show(&self, ui: &mut Ui) -> Change {
        self.show_scaled(ui, 1.0)
    }

    /// Shows the box with its text at this scale.
    pub(crate) fn show_scaled(&self, ui: &mut Ui, scale: f32) -> Change {
        let id = ui.make_persistent_id((self.name, "number"));
        if let Some(typed) = ui.data(|d| d.get_temp::<Typed>(id)) {
            return self.edit_text(ui, id, typed, scale);
        }
        let c = colors(ui);
        let (rect, _) = ui.allocate_exact_size(scale * vec2(self.width, ROW), Sense::hover());
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
            let drag = id.with("drag");
            let exact = ui.data(|d| d.get_temp(drag)).unwrap_or(self.value) + moved * slow * self.per_point;
            ui.data_mut(|d| d.insert_temp(drag, exact));
            change.value = Some(self.allowed(exact)).filter(|value| *value != self.rounded(self.value));
        }
        if response.drag_stopped() {
            ui.data_mut(|d| d.remove::<f32>(id.with("drag")));
            change.ended = true;
        }
        self.describe(ui, &response, Role::SpinButton, self.name);
        let stroke = if response.hovered() { Stroke::new(1.0, c.line) } else { Stroke::NONE };
        ui.painter().rect(rect, CornerRadius::same(4), c.background, stroke, StrokeKind::Inside);
        let ink = if self.edited { c.amber } else { c.text };
        let (galley, _) = elided(ui, &self.shown(), theme::regular(BODY * scale), ink, rect.width() - 12.0);
        let x = rect.right() - 8.0 - galley.size().x;
        paint_line(ui, galley, x, rect.center().y, ink);
        focus_ring(ui, rect, &response);
        response.on_hover_cursor(CursorIcon::ResizeHorizontal).on_hover_text("Click to type, drag to change");
        change
    }

    /// Returns the value as it is shown, with its unit.
    fn shown(&self) -> String {
        format!("{}{}", self.written(self.value), self.unit)
    }

    /// Returns a value as text with the decimals that are shown.
    fn written(&self, value: f32) -> String {
        let text = number(value, self.decimals);
        match self.is_short && text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    }

    /// Returns a value with the decimals that are shown.
    pub(crate) fn rounded(&self, value: f32) -> f32 {
        let scale = 10.0_f32.powi(self.decimals as i32);
        (value * scale).round() / scale
    }

    /// Returns a value with the decimals that are shown, within the range where that bounds it.
    fn allowed(&self, value: f32) -> f32 {
        self.bounded(self.rounded(value))
    }

    /// Returns the step of an arrow key.
    pub(crate) fn step(&self) -> f32 {
        self.rounded(self.per_point).max(10.0_f32.powi(-(self.decimals as i32)))
    }

    /// Returns the change to a value that is so many steps away.
    pub(crate) fn stepped(&self, steps: f32) -> Change {
        Change::done(self.allowed(self.value + steps * self.step()))
    }

    /// Handles a value that a screen reader sets, or steps that it asks for.
    pub(crate) fn asked(&self, ui: &Ui, id: Id) -> Change {
        let count = |action| ui.input(|i| i.num_accesskit_action_requests(id, action)) as f32;
        let steps = count(Action::Increment) - count(Action::Decrement);
        if steps != 0.0 {
            return self.stepped(steps);
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
        asked.filter(|v| v.is_finite()).map_or_else(Change::default, |v| Change::done(self.bounded(v)))
    }

    /// Returns a value within the range where that bounds it, with all its decimals.
    fn bounded(&self, value: f32) -> f32 {
        if self.is_bounded { value.min(*self.range.end()).max(*self.range.start()) } else { value }
    }

    /// Says what the number is to screen readers.
    pub(crate) fn describe(&self, ui: &Ui, response: &Response, role: Role, name: &str) {
        let value = f64::from(self.value);
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(role, ui.is_enabled(), name);
            info.value = Some(value);
            info
        });
        ui.ctx().accesskit_node_builder(response.id, |node| {
            if !self.help.is_empty() {
                node.set_description(self.help);
            }
            node.set_min_numeric_value(f64::from(*self.range.start()));
            node.set_max_numeric_value(f64::from(*self.range.end()));
            node.set_value(self.shown());
            for action in [Action::SetValue, Action::Increment, Action::Decrement] {
                node.add_action(action);
            }
        });
    }

    /// Opens the value as text, all of it selected, so that typing replaces it. Nobody has touched it yet.
    fn begin_text(&self, ui: &Ui, id: Id, value: f32) -> Typed {
        let text = self.written(value);
        open_field(ui.ctx(), id, &text);
        let typed = Typed { before: text.clone(), text, is_touched: false };
        ui.data_mut(|d| d.insert_temp(id, typed.clone()));
        typed
    }

    /// Shows the text field that replaces the value while it is typed. It has the same id, so that Tab knows where it
    /// is even before it was shown. Up and down step by one, with Shift by ten.
    fn edit_text(&self, ui: &mut Ui, id: Id, mut typed: Typed, scale: f32) -> Change {
        let mut stepped = Change::default();
        if ui.memory(|m| m.has_focus(id)) {
            let steps = steps(ui, Key::ArrowUp, Key::ArrowDown);
            if steps != 0.0 {
                let value = self.allowed(parse(&typed.text).unwrap_or(self.value) + steps * self.step());
                typed = self.begin_text(ui, id, value);
                stepped = Change::done(value);
            }
        }
        let output = TextEdit::singleline(&mut typed.text)
            .id(id)
            .font(theme::regular(BODY * scale))
            .align(egui::Align2::RIGHT_CENTER)
            .margin(egui::Margin::symmetric(8, 3))
            .desired_width(self.width * scale - 16.0)
            .min_size(scale * vec2(self.width, ROW))
            .show(ui);
        let response = output.response.response.accessible_name(self.name);
        describe(&response, self.help);
        if response.changed() {
            // What was taken back was never typed.
            let is_undo = |event: &Event| matches!(event, Event::Key { key: Key::Z, pressed: true, modifiers, .. } if modifiers.command);
            let is_undone = ui.input(|i| i.events.iter().any(is_undo));
            typed.is_touched = !is_undone || typed.text != typed.before;
        }
        if !ui.memory(|m| m.has_focus(id)) {
            ui.data_mut(|d| d.remove::<Typed>(id));
            // Text that was typed before the row was hidden for a while may have been meant for another joint.
            let is_left = response.lost_focus() && !ui.input(|i| i.key_pressed(Key::Escape));
            return self.taken(&typed).filter(|_| is_left).map_or_else(Change::default, Change::done);
        }
        ui.data_mut(|d| d.insert_temp(id, typed));
        stepped
    }

    /// Returns the value that was typed; `None` where nobody has typed, or what was typed is no number.
    fn taken(&self, typed: &Typed) -> Option<f32> {
        let value = parse(&typed.text).filter(|_| typed.is_touched)?;
        Some(self.bounded(value)).filter(|value| *value != self.value)
    }
}

/// Shows a number with a rail of this length before its box, for menus; returns the value that it was moved to or that was typed. `by_factor`:
/// the rail is logarithmic, with as much room for half of 1 as for twice.
pub(crate) fn rail_and_box(ui: &mut Ui, field: &NumberField<'_>, rail: f32, by_factor: bool) -> Option<f32> {
    let mut value = field.value;
    ui.spacing_mut().slider_width = rail;
    // A slider that is only shown must not round its value.
    let slider = Slider::new(&mut value, field.range.clone())
        .show_value(false)
        .clamping(SliderClamping::Edits)
        .max_decimals(field.decimals)
        .logarithmic(by_factor);
    let response = ui.add(slider).accessible_name(field.name);
    describe(&response, field.help);
    let typed = NumberField { name: &format!("{} value", field.name), range: field.range.clone(), ..*field }.show(ui);
    typed.value.or(Some(value)).filter(|value| *value != field.value)
}

/// Returns how often one key was pressed more than the other; with Shift each counts ten times. The keys count as used.
pub(crate) fn steps(ui: &Ui, more: Key, less: Key) -> f32 {
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

    #[test]
    fn text_that_nobody_has_touched_is_no_value() {
        let field = NumberField {
            name: "Share",
            help: "",
            value: 0.123,
            range: 0.0..=1.0,
            is_bounded: true,
            per_point: 0.01,
            decimals: 2,
            is_short: false,
            unit: "",
            width: BOX_WIDTH,
            edited: false,
        };
        let typed = |text: &str, is_touched| Typed { before: "0.12".to_owned(), text: text.to_owned(), is_touched };
        assert_eq!(field.taken(&typed("0.12", false)), None, "it is the value, rounded");
        assert_eq!(field.taken(&typed("0.12", true)), Some(0.12), "it was typed");
        assert_eq!(field.taken(&typed("7", true)), Some(1.0), "the range bounds it");
        assert_eq!(field.taken(&typed("much", true)), None);
    }
}

//! Curves over the range of a slider; a drag moves the slider.

use egui::accesskit::Role;
use egui::{Align2, Color32, CornerRadius, CursorIcon, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use skinscope_examples::{Chart, Curve, Lesson, written};
use skinscope_session::{Command, ExampleCommand};

use crate::theme::{self, colors};
use crate::widgets::paint_line;

/// The height of a chart, points at the usual size of text.
const HEIGHT: f32 = 132.0;

/// Returns the colour of a curve by its index.
fn ink(ui: &Ui, index: usize) -> Color32 {
    let c = colors(ui);
    let [x, y, z] = c.axes;
    [c.accent, c.amber, y, x, z.lerp_to_gamma(x, 0.5), c.dim, y.lerp_to_gamma(c.text, 0.5), c.text][index % 8]
}

/// The rectangle of the curves of a chart, and the ranges of its axes.
#[derive(Clone, Copy)]
struct Axes {
    rect: Rect,
    slider: [f32; 2],
    values: [f64; 2],
}

impl Axes {
    /// Returns the horizontal coordinate of a value of the slider, points.
    fn x(&self, value: f64) -> f32 {
        let [least, most] = self.slider;
        self.rect.left() + ((value as f32 - least) / (most - least)) * self.rect.width()
    }

    /// Returns the vertical coordinate of a value of a curve, points.
    fn y(&self, value: f64) -> f32 {
        let [low, high] = self.values;
        self.rect.bottom() - ((value - low) / (high - low)) as f32 * self.rect.height()
    }
}

/// Shows a chart and its legend; a drag sets the slider. `shown`: the name of the curve that is emphasised.
pub(super) fn show(
    ui: &mut Ui,
    chart: &'static Chart,
    lesson: &Lesson,
    scale: f32,
    shown: &str,
    commands: &mut Vec<Command>,
) {
    let Some(slider) = lesson.example().sliders.iter().find(|slider| slider.id == chart.slider) else { return };
    let c = colors(ui);
    let small = theme::regular(theme::SMALL * scale);
    ui.add_space(6.0);
    ui.label(egui::RichText::new(chart.title).font(theme::strong(theme::BODY * scale)).color(c.text));
    let (whole, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT * scale), Sense::click_and_drag());
    let foot = 18.0 * scale;
    let rect = Rect::from_min_max(whole.min, pos2(whole.right(), whole.bottom() - foot));
    ui.painter().rect_filled(rect, CornerRadius::same(4), c.raised);
    let [least, most] = slider.range;
    let [low, high] = chart.range;
    // The numbers of the vertical axis have a column of their own, left of the curves.
    let numbers = [high, low].map(|at| ui.painter().layout_no_wrap(written(at, chart.unit, 0), small.clone(), c.dim));
    let column = numbers.iter().map(|galley| galley.size().x).fold(0.0, f32::max);
    let inner = Rect::from_min_max(rect.min + vec2(column + 10.0, 6.0), rect.max - vec2(6.0, 6.0));
    let axes = Axes { rect: inner, slider: slider.range, values: chart.range };
    let now = lesson.moment().settings().get(chart.slider);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Chart: {}", chart.title)));
    for at in [0.25, 0.5, 0.75] {
        let y = inner.top() + at * inner.height();
        ui.painter().hline(inner.x_range(), y, Stroke::new(1.0, c.line));
    }
    let curves = lesson.curves(chart);
    let leads = |curve: &Curve| curve.name == shown;
    draw_curves(ui, curves, &leads, scale, axes);
    ui.painter().vline(axes.x(f64::from(now)), rect.y_range(), Stroke::new(1.0, c.text));
    let text = |at, align, text: String| ui.painter().text(at, align, text, small.clone(), c.dim);
    let on_axis = |value: f32| slider_text(slider, value);
    let left = text(pos2(inner.left(), whole.bottom()), Align2::LEFT_BOTTOM, on_axis(least));
    let right = text(pos2(inner.right(), whole.bottom()), Align2::RIGHT_BOTTOM, on_axis(most));
    let room = right.left() - left.right() - 16.0;
    if let Some(name) = axis_names(slider.label)
        .map(|name| ui.painter().layout_no_wrap(name.to_owned(), small.clone(), c.text))
        .into_iter()
        .find(|galley| galley.size().x <= room)
    {
        let at = pos2(0.5 * (left.right() + right.left() - name.size().x), whole.bottom() - name.size().y);
        ui.painter().galley(at, name, c.text);
    }
    let [top, bottom] = numbers;
    let right = rect.left() + 5.0 + column;
    ui.painter().galley(pos2(right - top.size().x, inner.top()), top, c.dim);
    ui.painter().galley(pos2(right - bottom.size().x, inner.bottom() - bottom.size().y), bottom, c.dim);
    legend(ui, curves, scale, &leads);
    if let Some(at) = response.interact_pointer_pos() {
        let share = ((at.x - inner.left()) / inner.width().max(1.0)).clamp(0.0, 1.0);
        let value = least + share * (most - least);
        if value != now {
            commands.push(ExampleCommand::SetSlider(slider.id, value).into());
        }
    }
    let hovered = response.hover_pos().filter(|_| !response.dragged());
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    if let Some(at) = hovered {
        let x = f64::from(least + ((at.x - inner.left()) / inner.width().max(1.0)).clamp(0.0, 1.0) * (most - least));
        let lines = curves
            .iter()
            .filter_map(|curve| Some(format!("{}: {}", curve.name, written(value_at(curve, x)?, chart.unit, 0))));
        let lines = lines.collect::<Vec<_>>().join("\n");
        response.on_hover_text_at_pointer(format!("{}\n{lines}", on_axis(x as f32)));
    }
}

/// Draws curves, of which those that `leads` accepts are thicker.
fn draw_curves(ui: &Ui, curves: &[Curve], leads: &dyn Fn(&Curve) -> bool, scale: f32, axes: Axes) {
    let c = colors(ui);
    // The emphasised curve is drawn over the others.
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by_key(|i| (leads(&curves[*i]), curves[*i].is_formula));
    for i in order {
        let curve = &curves[i];
        let points: Vec<_> = curve.points.iter().map(|[x, y]| pos2(axes.x(*x), axes.y(*y))).collect();
        let width = if leads(curve) { 3.0 } else { 1.5 };
        // Curves may leave the range of their axis.
        let painter = ui.painter().with_clip_rect(axes.rect.expand2(vec2(2.0, 6.0)).intersect(ui.clip_rect()));
        if curve.is_formula {
            painter.extend(Shape::dashed_line(&points, Stroke::new(1.5, c.text), 5.0, 4.0));
        } else {
            painter.add(Shape::line(points, Stroke::new(width * scale.sqrt(), ink(ui, i))));
        }
    }
}

/// Returns the possible names of the horizontal axis, the longer one first: the label of its slider, or its letter
/// alone, which follows the last comma.
fn axis_names(label: &str) -> [&str; 2] {
    [label, label.rsplit(", ").next().unwrap_or(label)]
}

/// Writes the value of a slider.
pub(super) fn slider_text(slider: &skinscope_examples::Slider, value: f32) -> String {
    let value = f64::from(value);
    let number = if slider.unit == skinscope_examples::Unit::Degrees { value.to_radians() } else { value };
    written(number, slider.unit, 0)
}

/// Returns the value of a curve at `x`, interpolated between its points.
fn value_at(curve: &Curve, x: f64) -> Option<f64> {
    let after = curve.points.partition_point(|[at, _]| *at < x);
    let [x1, y1] = *curve.points.get(after)?;
    let [x0, y0] = *after.checked_sub(1).and_then(|i| curve.points.get(i)).unwrap_or(&[x1, y1]);
    let share = if x1 > x0 { (x - x0) / (x1 - x0) } else { 0.0 };
    Some(y0 + share * (y1 - y0))
}

fn legend(ui: &mut Ui, curves: &[Curve], scale: f32, leads: &dyn Fn(&Curve) -> bool) {
    let c = colors(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(10.0, 0.0);
        for (i, curve) in curves.iter().enumerate() {
            let font = if leads(curve) { theme::strong(12.0 * scale) } else { theme::regular(12.0 * scale) };
            let galley = ui.painter().layout_no_wrap(curve.name.clone(), font, c.text);
            let (rect, response) =
                ui.allocate_exact_size(vec2(galley.size().x + 14.0, galley.size().y), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &curve.name));
            let y = rect.center().y;
            if curve.is_formula {
                let line = [pos2(rect.left(), y), pos2(rect.left() + 10.0, y)];
                ui.painter().extend(Shape::dashed_line(&line, Stroke::new(1.5, c.text), 4.0, 2.0));
            } else {
                ui.painter().circle_filled(pos2(rect.left() + 5.0, y), 4.0, ink(ui, i));
            }
            paint_line(ui, galley, rect.left() + 14.0, y, c.text);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_called_as_its_slider_or_by_the_letter_alone() {
        assert_eq!(axis_names("Turn of the upper end, θ"), ["Turn of the upper end, θ", "θ"]);
        assert_eq!(axis_names("Time"), ["Time", "Time"]);
    }

    #[test]
    fn between_points_a_curve_is_straight() {
        let curve = Curve { name: String::new(), is_formula: false, points: vec![[0.0, 1.0], [2.0, 3.0]] };
        assert_eq!(
            (value_at(&curve, 0.0), value_at(&curve, 0.5), value_at(&curve, 2.0)),
            (Some(1.0), Some(1.5), Some(3.0))
        );
        assert_eq!(value_at(&curve, 2.5), None);
    }
}

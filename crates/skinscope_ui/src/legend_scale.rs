//! The ramp of colours in the legend.

use egui::accesskit::Role;
use egui::{Align2, Color32, CornerRadius, Mesh, Rect, Sense, Shape, Ui, WidgetInfo, pos2, vec2};
use skinscope_base::math::Ramp;
use skinscope_inspect::Step;
use skinscope_session::Session;
use skinscope_weights::Need;

use super::theme::{self, SMALL, colors};

/// Returns a colour of the table of overlays.
pub(super) fn color32(color: [f32; 3]) -> Color32 {
    let [r, g, b] = color.map(|v| (v * 255.0).round() as u8);
    Color32::from_rgb(r, g, b)
}

/// Shows the ramp of weights, with a mark at the floor and one at the ceiling of the brush in the hand.
pub(super) fn weights_gradient(
    ui: &mut Ui,
    session: &Session,
    scale: (Ramp, Option<[f32; 3]>),
    [low, high]: [f32; 2],
    ticks: &[(f32, &str)],
) {
    let limits = limits_of_brush(session);
    let is_inside = |weight: f32| weight > low && weight < high;
    let inside = limits.iter().filter(|(_, weight)| is_inside(*weight));
    let texts: Vec<(f32, String)> = inside.map(|(_, weight)| (*weight, format!("{weight:.2}"))).collect();
    let own = texts.iter().map(|(weight, text)| (*weight, text.as_str()));
    let ticks: Vec<(f32, &str)> = own.chain(ticks.iter().copied()).collect();
    let bar = gradient(ui, scale, [low, high], &ticks);
    let c = colors(ui);
    for (name, weight) in limits {
        let x = bar.left() + (weight - low) / (high - low) * bar.width();
        let mark = Rect::from_min_max(pos2(x - 1.0, bar.top() - 2.0), pos2(x + 1.0, bar.bottom() + 3.0));
        ui.painter().rect_filled(mark.expand(1.0), CornerRadius::ZERO, theme::opaque(c.plate));
        ui.painter().rect_filled(mark, CornerRadius::ZERO, c.text);
        let response = ui.interact(mark.expand(3.0), ui.scope_id().with(name), Sense::hover());
        let text = format!("{name} of the brush: {weight:.2}");
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
        response.on_hover_text(text.as_str());
    }
}

/// Returns the weights between which the brush in the hand paints.
fn limits_of_brush(session: &Session) -> Vec<(&'static str, f32)> {
    let settings = session.painting().settings();
    match session.painting().brush() {
        Some(brush) if brush.is_of_joint() && !brush.needs.contains(&Need::To) => {
            vec![("Floor", settings.floor as f32), ("Ceiling", settings.ceiling as f32)]
        }
        _ => Vec::new(),
    }
}

/// Shows the ramp from end to end, with the colour of exactly zero before it where that is different, and the labels
/// below. Returns where the ramp is.
pub(super) fn gradient(
    ui: &mut Ui,
    (ramp, zero): (Ramp, Option<[f32; 3]>),
    [low, high]: [f32; 2],
    ticks: &[(f32, &str)],
) -> Rect {
    const STEPS: u32 = 72;
    /// The side of the square for zero, and the gap between it and the ramp, points.
    const ZERO: [f32; 2] = [14.0, 3.0];
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0 + 18.0), Sense::hover());
    let mut bar = rect.with_max_y(rect.top() + 10.0);
    if let Some(zero) = zero {
        let square = bar.with_max_x(bar.left() + ZERO[0]);
        ui.painter().rect_filled(square, CornerRadius::ZERO, color32(zero));
        bar.min.x = square.right() + ZERO[1];
    }
    let mut mesh = Mesh::default();
    for i in 0..=STEPS {
        let at = i as f32 / STEPS as f32;
        let color = color32(ramp.rise(at));
        let x = bar.left() + at * bar.width();
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if i > 0 {
            let v = 2 * i;
            mesh.add_triangle(v - 2, v - 1, v);
            mesh.add_triangle(v - 1, v + 1, v);
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    // The ends come first; what lies between is left out where it would touch another label.
    let place = |number: f32| (number - low) / (high - low);
    let is_end = |tick: &&(f32, &str)| place(tick.0) <= 0.0 || place(tick.0) >= 1.0;
    let ends_first = ticks.iter().filter(is_end).chain(ticks.iter().filter(|tick| !is_end(tick)));
    let mut taken: Vec<Rect> = Vec::new();
    for (number, text) in ends_first {
        let at = place(*number);
        let (align, x) = match at {
            at if at <= 0.0 => (Align2::LEFT_BOTTOM, rect.left()),
            at if at >= 1.0 => (Align2::RIGHT_BOTTOM, rect.right()),
            _ => (Align2::CENTER_BOTTOM, bar.left() + at * bar.width()),
        };
        let galley = ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(SMALL), c.text);
        let label = align.anchor_size(pos2(x, rect.bottom()), galley.size());
        if taken.iter().all(|other| !other.expand(3.0).intersects(label)) {
            ui.painter().galley(label.min, galley, c.text);
            taken.push(label);
        }
    }
    let names: Vec<&str> = ticks.iter().map(|(_, text)| *text).collect();
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Scale: {}", names.join(", "))));
    bar
}

/// Shows the colours of steps side by side; each says what it stands for while the pointer is over it.
pub(super) fn strip(ui: &mut Ui, steps: &[Step]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0), Sense::hover());
    let width = rect.width() / steps.len().max(1) as f32;
    let mut left = rect.left();
    for step in steps {
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        ui.painter().rect_filled(part, CornerRadius::ZERO, color32(step.color));
        left += width;
    }
    let names: Vec<&str> = steps.iter().map(|step| step.label).collect();
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Steps: {}", names.join(", "))));
    let under = response.hover_pos().and_then(|at| steps.get(((at.x - rect.left()) / width) as usize));
    if let Some(step) = under {
        response.on_hover_text(step.label);
    }
}

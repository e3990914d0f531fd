//! The comparison of two surfaces: the line between its sides, their names over the picture, and the plate with what is compared and
//! how far it is apart.

mod plate;

use std::time::Duration;

use egui::accesskit::Role;
use egui::{Align2, CornerRadius, CursorIcon, Key, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
pub(super) use plate::{Plate, show_floating as show_plate, show_panel, shows_legend};
use skinscope_session::{Command, Comparison, ComparisonCommand, ComparisonLayout, MethodChoice, Session, SideWeights};

use super::theme::{self, BODY, colors};
use super::widgets::{INSET, paint_line, shortened};

/// The time for which each side is shown while they alternate, seconds.
const TURN_SECS: f64 = 0.5;
/// The distance from the line within which it can be dragged, points.
const REACH: f32 = 6.0;
/// The height of the strip at the bottom of the picture with the names of the sides, points.
const STRIP: f32 = 36.0;
/// The distance between the line and the names on both sides of it, points.
const BESIDE_LINE: f32 = 12.0;

/// Returns the part of the picture in whose corners plates may be: all of it, or the part above the names of two sides, whose text is
/// `scale` times as large as usual.
pub(super) fn above_names(rect: Rect, session: &Session, scale: f32) -> Rect {
    let names = if session.deforming().comparison().is_some() { STRIP * scale - INSET } else { 0.0 };
    rect.with_max_y(rect.bottom() - names)
}

/// Shows the line between the sides of a comparison and their names, where there is a comparison.
pub(super) fn show_sides(ui: &mut Ui, rect: Rect, session: &Session, scale: f32, commands: &mut Vec<Command>) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let names = names(session, comparison);
    match comparison.layout {
        ComparisonLayout::Split => {
            let x = rect.left() + comparison.split * rect.width();
            line(ui, rect, x, comparison, commands);
            both_names(ui, rect, x, &names, scale);
        }
        ComparisonLayout::SideBySide => {
            let c = colors(ui);
            let x = rect.center().x;
            ui.painter().vline(x, rect.y_range(), Stroke::new(1.0, c.line));
            both_names(ui, rect, x, &names, scale);
        }
        ComparisonLayout::Blink => {
            let is_second = (ui.input(|i| i.time) / TURN_SECS) as u64 % 2 == 1;
            if is_second != comparison.is_turned {
                commands.push(ComparisonCommand::Blink.into());
            }
            let strip = rect.with_min_y(rect.bottom() - STRIP * scale).shrink2(vec2(4.0, 0.0));
            name(ui, strip, Align2::CENTER_CENTER, ("Shown side", &names[usize::from(comparison.is_turned)]), scale);
            ui.ctx().request_repaint_after(Duration::from_secs_f64(TURN_SECS / 2.0));
        }
    }
}

/// Shows the names of the sides in a picture that is no window, where each side has a part of it.
pub(super) fn show_names(ui: &Ui, rect: Rect, session: &Session) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let x = match comparison.layout {
        ComparisonLayout::Split => rect.left() + comparison.split * rect.width(),
        ComparisonLayout::SideBySide => rect.center().x,
        ComparisonLayout::Blink => return,
    };
    both_names(ui, rect, x, &names(session, comparison), 1.0);
}

/// Returns the names of what the two sides show, the left or first one first.
fn names(session: &Session, comparison: &Comparison) -> [String; 2] {
    let mut out = side_names(session, comparison);
    if comparison.swapped {
        out.swap(0, 1);
    }
    out
}

/// Returns the names of what is shown and of what it is compared with: what they differ in, which is the method, the normals, the weights
/// or the file.
pub(super) fn side_names(session: &Session, comparison: &Comparison) -> [String; 2] {
    let sides = [session.view().choice(), comparison.choice];
    let [a, b] = sides;
    let (same_surface, same_normals) =
        (a.method.id == b.method.id && a.pass.map(|p| p.id) == b.pass.map(|p| p.id), a.normals.id == b.normals.id);
    let of = |choice: MethodChoice, weights: Option<String>| {
        let mut words = Vec::new();
        if !same_surface || (same_normals && comparison.weights == SideWeights::Shown) {
            words.push(choice.label());
        }
        if !same_normals {
            words.push(format!("normals: {}", choice.normals.label.to_lowercase()));
        }
        words.extend(weights);
        let text = words.join(", ");
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    };
    let own = session.document().and_then(|document| document.path.as_deref()?.file_name());
    let own = own.map_or_else(|| "the open file".to_owned(), |name| name.to_string_lossy().into_owned());
    let [edited, stored] = match comparison.weights {
        SideWeights::Shown => [None, None],
        SideWeights::Stored => [Some("edited weights".to_owned()), Some("stored weights".to_owned())],
        SideWeights::Packed(packing) => {
            [Some("weights as they are".to_owned()), Some(format!("as {}", packing.label()))]
        }
    };
    // Names of files keep their letters.
    match session.deforming().compared_file().filter(|_| comparison.weights == SideWeights::Stored) {
        None => [of(a, edited), of(b, stored)],
        Some(other) => [(a, own.as_str()), (b, other)].map(|(choice, name)| match same_surface && same_normals {
            true => name.to_owned(),
            false => format!("{name}, {}", choice.label().to_lowercase()),
        }),
    }
}

/// Shows the names of both sides in the strip at the bottom, each on its side of a line at `x`.
fn both_names(ui: &Ui, rect: Rect, x: f32, names: &[String; 2], scale: f32) {
    let strip = rect.with_min_y(rect.bottom() - STRIP * scale).shrink2(vec2(4.0, 0.0));
    name(ui, strip.with_max_x(x - BESIDE_LINE), Align2::RIGHT_CENTER, ("Left side", &names[0]), scale);
    name(ui, strip.with_min_x(x + BESIDE_LINE), Align2::LEFT_CENTER, ("Right side", &names[1]), scale);
}

/// Shows the name of a side on a plate of its own, cut to the width of `room`; nothing where that is too narrow for a
/// few letters.
fn name(ui: &Ui, room: Rect, align: Align2, (side, text): (&str, &str), scale: f32) {
    const PAD: f32 = 9.0;
    if room.width() < 2.0 * PAD + 24.0 {
        return;
    }
    let c = colors(ui);
    let (galley, is_cut) = shortened(ui, text, theme::strong(BODY * scale), c.text, room.width() - 2.0 * PAD);
    let plate = align.align_size_within_rect(galley.size() + vec2(2.0 * PAD, 8.0), room);
    ui.painter().rect_filled(plate, CornerRadius::same(theme::RADIUS), c.plate);
    paint_line(ui, galley, plate.left() + PAD, plate.center().y, c.text);
    let response = ui.interact(plate, ui.scope_id().with(side), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{side}: {text}")));
    if is_cut {
        response.on_hover_text(text);
    }
}

/// Shows the line between the sides, which can be dragged, and moved by arrow keys while it has the focus.
fn line(ui: &mut Ui, rect: Rect, x: f32, comparison: &Comparison, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let hit = Rect::from_x_y_ranges(x - REACH..=x + REACH, rect.y_range()).intersect(rect);
    let response = ui.interact(hit, ui.scope_id().with("comparison line"), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::slider(true, f64::from(comparison.split), "Comparison line"));
    let is_lit = response.hovered() || response.dragged() || response.has_focus();
    if is_lit {
        ui.set_cursor_icon(CursorIcon::ResizeHorizontal);
    }
    let ink = if is_lit { c.accent } else { c.text };
    let painter = ui.painter();
    painter.vline(x, rect.y_range(), Stroke::new(4.0, c.background.gamma_multiply(0.5)));
    painter.vline(x, rect.y_range(), Stroke::new(if is_lit { 2.0 } else { 1.5 }, ink));
    let grip = Rect::from_center_size(pos2(x, rect.top() + 0.75 * rect.height()), vec2(10.0, 32.0));
    painter.rect(grip, CornerRadius::same(5), c.panel, Stroke::new(1.5, ink), egui::StrokeKind::Inside);
    for offset in [-4.0, 0.0, 4.0] {
        painter.hline(x - 2.5..=x + 2.5, grip.center().y + offset, Stroke::new(1.0, ink));
    }
    let mut split = comparison.split;
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
        split = (at.x - rect.left()) / rect.width().max(1.0);
    }
    if response.has_focus() {
        let steps = ui.input(|i| i32::from(i.key_pressed(Key::ArrowRight)) - i32::from(i.key_pressed(Key::ArrowLeft)));
        split += 0.02 * steps as f32;
    }
    if split != comparison.split {
        commands.push(ComparisonCommand::SetSplit(split).into());
    }
    response.on_hover_text("Drag to see more of one side");
}

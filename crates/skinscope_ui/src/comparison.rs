//! The comparison of two surfaces over the picture: the line between its sides, their names, and the plate with what is compared and
//! how far it is apart.

use std::time::Duration;

use egui::accesskit::Role;
use egui::{
    Align2, CornerRadius, CursorIcon, Key, Rect, RichText, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use skinscope_deform::{METHODS, NORMAL_MODES, PASSES};
use skinscope_session::{
    Command, Comparison, ComparisonCommand, ComparisonLayout, MethodChoice, Session, SideWeights, ViewCommand,
};

use super::theme::{self, BODY, SMALL, colors};
use super::widgets::{
    INSET, chip, corner_plate, drop_down, figure, icon_button, paint_line, progress_bar, segments, shortened,
    text_button, tip,
};
use super::{Status, icons, runtime};

/// The width of the plate where there is room, points.
const WIDTH: f32 = 268.0;
/// The width of the picture below which the plate is folded at first, points.
const LEAST_WIDTH: f32 = 670.0;
/// The distance of the plate from the top of the picture, where the triad is; points.
const BELOW: f32 = 150.0;
/// The time for which each side is shown while they alternate, seconds.
const TURN_SECS: f64 = 0.5;
/// The distance from the line within which it can be dragged, points.
const REACH: f32 = 6.0;
/// The height of the strip at the bottom of the picture with the names of the sides, points.
const STRIP: f32 = 36.0;
/// The distance between the line and the names on both sides of it, points.
const BESIDE_LINE: f32 = 12.0;
/// The height of the room above the card of the pointer below which the plate is folded, points.
const LEAST_HEIGHT: f32 = 130.0;
/// The height of that room below which only the title of the plate is shown, points.
const LEAST_FOLDED: f32 = 94.0;

/// Returns the part of the picture in whose corners plates may be: all of it, or the part above the names of two sides.
pub(super) fn above_names(rect: Rect, session: &Session) -> Rect {
    let names = if session.deforming().comparison().is_some() { STRIP - INSET } else { 0.0 };
    rect.with_max_y(rect.bottom() - names)
}

/// Returns whether the plate of a comparison is in use, so that nothing may push it away: one of its controls has the
/// focus, or a menu is open.
pub(super) fn is_used(ui: &Ui, session: &Session) -> bool {
    if session.deforming().comparison().is_none() {
        return false;
    }
    let focused = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
    let plate: Option<Rect> = ui.data(|data| data.get_temp(plate_id()));
    let within = focused.zip(plate).is_some_and(|(control, plate)| plate.contains_rect(control.rect));
    within || egui::Popup::is_any_open(ui.ctx())
}

fn plate_id() -> egui::Id {
    egui::Id::unique("plate of the comparison")
}

/// Shows what belongs to a comparison, where there is one. The plate ends above `card`, which describes what the pointer is over.
pub(super) fn show(
    ui: &mut Ui,
    rect: Rect,
    card: Option<Rect>,
    session: &Session,
    status: &Status,
    commands: &mut Vec<Command>,
) {
    let Some(comparison) = session.deforming().comparison() else { return };
    let names = names(session, comparison);
    match comparison.layout {
        ComparisonLayout::Split => {
            let x = rect.left() + comparison.split * rect.width();
            line(ui, rect, x, comparison, commands);
            both_names(ui, rect, x, &names);
        }
        ComparisonLayout::SideBySide => {
            let c = colors(ui);
            let x = rect.center().x;
            ui.painter().vline(x, rect.y_range(), Stroke::new(1.0, c.line));
            both_names(ui, rect, x, &names);
        }
        ComparisonLayout::Blink => {
            let is_second = (ui.input(|i| i.time) / TURN_SECS) as u64 % 2 == 1;
            if is_second != comparison.is_turned {
                commands.push(ComparisonCommand::Blink.into());
            }
            let strip = rect.with_min_y(rect.bottom() - STRIP).shrink2(vec2(4.0, 0.0));
            name(ui, strip, Align2::CENTER_CENTER, "Shown side", &names[usize::from(comparison.is_turned)]);
            ui.ctx().request_repaint_after(Duration::from_secs_f64(TURN_SECS / 2.0));
        }
    }
    let mut room = above_names(rect, session);
    if let Some(card) = card {
        // The inset below the plate separates it from the card.
        room.max.y = room.bottom().min(card.top() + INSET - 8.0);
    }
    let plate_rect = plate(ui, (rect, room), session, (comparison, status), commands);
    // Controls that the card has pushed out of sight are the plate's too.
    let controls = plate_rect.with_max_y(above_names(rect, session).bottom());
    ui.data_mut(|data| data.insert_temp(plate_id(), controls));
}

/// Returns the names of what the two sides show, the left or first one first.
fn names(session: &Session, comparison: &Comparison) -> [String; 2] {
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
    let mut out = match session.deforming().compared_file().filter(|_| comparison.weights == SideWeights::Stored) {
        None => [of(a, edited), of(b, stored)],
        Some(other) => [(a, own.as_str()), (b, other)].map(|(choice, name)| match same_surface && same_normals {
            true => name.to_owned(),
            false => format!("{name}, {}", choice.label().to_lowercase()),
        }),
    };
    if comparison.swapped {
        out.swap(0, 1);
    }
    out
}

/// Shows the names of both sides in the strip at the bottom, each on its side of a line at `x`.
fn both_names(ui: &Ui, rect: Rect, x: f32, names: &[String; 2]) {
    let strip = rect.with_min_y(rect.bottom() - STRIP).shrink2(vec2(4.0, 0.0));
    name(ui, strip.with_max_x(x - BESIDE_LINE), Align2::RIGHT_CENTER, "Left side", &names[0]);
    name(ui, strip.with_min_x(x + BESIDE_LINE), Align2::LEFT_CENTER, "Right side", &names[1]);
}

/// Shows the name of a side on a plate of its own, cut to the width of `room`; nothing where that is too narrow for a
/// few letters.
fn name(ui: &Ui, room: Rect, align: Align2, side: &str, text: &str) {
    const PAD: f32 = 9.0;
    if room.width() < 2.0 * PAD + 24.0 {
        return;
    }
    let c = colors(ui);
    let (galley, is_cut) = shortened(ui, text, theme::strong(BODY), c.text, room.width() - 2.0 * PAD);
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

/// Shows what is compared, how it is shown, and how far apart both surfaces are, within `room` of the picture `rect`.
/// Returns the rectangle of the plate.
fn plate(
    ui: &mut Ui,
    (rect, room): (Rect, Rect),
    session: &Session,
    (comparison, status): (&Comparison, &Status),
    commands: &mut Vec<Command>,
) -> Rect {
    let below = room.with_min_y(rect.top() + BELOW.min(0.3 * rect.height()));
    let is_pushed = room.bottom() < above_names(rect, session).bottom() && below.height() < LEAST_HEIGHT + 2.0 * INSET;
    corner_plate(ui, below, Align2::RIGHT_TOP, WIDTH.min(0.5 * rect.width() - INSET), "comparison", |ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 6.0);
        // The picture does not answer to the pointer here.
        let ground = ui.interact(ui.max_rect().expand(10.0), ui.scope_id().with("ground"), Sense::CLICK | Sense::DRAG);
        ground.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Comparison"));
        // Where the picture is narrow the plate would cover the model, and an example has numbers of its own.
        let is_example = session.lesson().is_some();
        let id = ui.scope_id().with(("folded", is_example));
        let mut folded = ui.data(|d| d.get_temp(id)).unwrap_or(is_example || rect.width() < LEAST_WIDTH);
        ui.horizontal(|ui| {
            let (icon, help) = match folded {
                true => (icons::TREE_CLOSED, "Unfold the comparison"),
                false => (icons::TREE_OPEN, "Fold the comparison"),
            };
            if icon_button(ui, icon, help, 16.0, false).on_hover_text(help).clicked() {
                folded = !folded;
                ui.data_mut(|d| d.insert_temp(id, folded));
            }
            ui.label(RichText::new("Compare").font(theme::strong(BODY)).color(colors(ui).text));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let stop = Command::Comparison(ComparisonCommand::Toggle);
                if icon_button(ui, icons::CLOSE, "Stop comparing", 20.0, false).on_hover_text(tip(&stop)).clicked() {
                    commands.push(stop);
                }
            });
        });
        if folded || is_pushed {
            if !is_pushed || below.height() >= LEAST_FOLDED + 2.0 * INSET {
                figures(ui, session, 1);
            }
            return;
        }
        // What does not fit the picture scrolls.
        let height = (room.bottom() - ui.cursor().top() - INSET - 10.0).max(3.0 * theme::ROW);
        let list = ScrollArea::vertical().max_height(height).min_scrolled_height(height);
        list.auto_shrink([false, true]).show(ui, |ui| {
            // The scroll bar is next to the figures.
            ui.set_max_width(ui.available_width() - 8.0);
            contents(ui, session, (comparison, status), commands);
        });
    })
}

/// Shows the contents of the plate below its title.
fn contents(ui: &mut Ui, session: &Session, (comparison, status): (&Comparison, &Status), commands: &mut Vec<Command>) {
    choices(ui, session, comparison, commands);
    file(ui, session, commands);
    figures(ui, session, 3);
    runtime::figures(ui, session);
    ui.horizontal_wrapped(|ui| {
        let help = "Pin and frame the vertex at which the two sides are farthest apart";
        if text_button(ui, None, "To the worst", false).on_hover_text(help).clicked() {
            commands.push(ComparisonCommand::ToWorst.into());
        }
        if session.playback().clip.is_some() {
            let help = "Go to the moment of the clip at which the two sides are farthest apart";
            let label = if session.compared().is_seeking_worst() { "Stop" } else { "Worst of the clip" };
            if text_button(ui, None, label, false).on_hover_text(help).clicked() {
                commands.push(ComparisonCommand::ToWorstMoment.into());
            }
        }
    });
    if let Some(fraction) = status.worst.filter(|_| session.compared().is_seeking_worst()) {
        progress_bar(ui, "Looking for the worst moment", fraction);
    }
}

fn choices(ui: &mut Ui, session: &Session, comparison: &Comparison, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("With").font(theme::regular(BODY)).color(colors(ui).dim));
        drop_down(ui, "Compare with", comparison.choice.method.label, ui.available_width() - 8.0, |ui| {
            for method in METHODS {
                let on = std::ptr::eq(comparison.choice.method, *method);
                if ui.selectable_label(on, method.label).on_hover_text(method.help).clicked() {
                    commands.push(ComparisonCommand::SetMethod(method.id).into());
                }
            }
        });
    });
    ui.horizontal(|ui| {
        ui.label(RichText::new("Normals").font(theme::regular(BODY)).color(colors(ui).dim));
        let now = comparison.choice.normals;
        drop_down(ui, "Normals of the other side", now.label, ui.available_width() - 8.0, |ui| {
            let is_linear = std::ptr::eq(comparison.choice.method, METHODS[0]);
            for mode in NORMAL_MODES.iter().filter(|mode| mode.fits_all || is_linear) {
                if ui.selectable_label(now.id == mode.id, mode.label).on_hover_text(mode.help).clicked() {
                    commands.push(ComparisonCommand::SetNormals(mode.id).into());
                }
            }
        });
    });
    runtime::weights(ui, session, comparison, commands);
    let shown =
        ComparisonLayout::ALL.map(|layout| (layout.label(), layout == comparison.layout, layout.help().to_owned()));
    if let Some(chosen) = segments(ui, &shown) {
        commands.push(ComparisonCommand::SetLayout(ComparisonLayout::ALL[chosen]).into());
    }
    ui.horizontal_wrapped(|ui| {
        let mut switch = |ui: &mut Ui, label: &str, on: bool, help: &str, command: Command| {
            if chip(ui, label, on).on_hover_text(help).clicked() {
                commands.push(command);
            }
        };
        for pass in PASSES {
            let on = comparison.choice.pass.is_some_and(|now| now.id == pass.id);
            let command = ComparisonCommand::SetPass((!on).then_some(pass.id)).into();
            let help = format!("After the method of the other side. {}", pass.help);
            switch(ui, pass.label, on, &help, command);
        }
        if let Some(name) = session.deforming().compared_file() {
            let stored = comparison.weights == SideWeights::Stored;
            let weights = if stored { SideWeights::Shown } else { SideWeights::Stored };
            let command = ComparisonCommand::SetWeights(weights).into();
            switch(ui, "Other file", stored, &format!("The other side is {name}"), command);
        }
        let command = ComparisonCommand::Swap.into();
        switch(ui, "Swap", comparison.swapped, "The sides change places", command);
        let on = session.view().overlay.is_some_and(|overlay| overlay.id == "distance");
        let help = "Colour the skin by how far the two sides are apart";
        switch(ui, "Distance", on, help, ViewCommand::ToggleOverlay("distance").into());
    });
}

/// Shows which file is compared with the open one, if any, and a link that ends that comparison.
fn file(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(name) = session.deforming().compared_file() else { return };
    figure(ui, "File", name);
    let help = "Compare with the weights that the open file stores again";
    if text_button(ui, None, "Leave this file", false).on_hover_text(help).clicked() {
        commands.push(ComparisonCommand::LeaveFile.into());
    }
}

/// Shows how far apart the sides are in this pose: the first `count` of three figures.
fn figures(ui: &mut Ui, session: &Session, count: usize) {
    let Some(compared) = session.surfaces().compared_surfaces() else { return };
    let height = f64::from(session.extents().rest_height());
    let distance = compared.distance;
    let all = [("Worst", distance.worst), ("Mean", distance.mean), ("RMS", distance.rms)];
    for (label, metres) in all.into_iter().take(count) {
        let millimetres = figures_of(1e3 * metres);
        let share = if height > 0.0 { format!("  {} %", figures_of(100.0 * metres / height)) } else { String::new() };
        let help = "How far the two sides are apart in this pose; percentages are of the height of the model at rest";
        figure(ui, label, &format!("{millimetres} mm{share}")).on_hover_text(help);
    }
    if height > 0.0 {
        ui.label(RichText::new("% of the model's height").font(theme::regular(SMALL)).color(colors(ui).dim));
    }
}

/// Returns a number with three significant digits.
fn figures_of(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

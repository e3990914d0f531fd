//! Small controls that several panels share. They know the theme, not the session; each has a name for screen readers.

mod apart;
mod figures;
mod number_field;
mod path_field;
mod search;
mod text;

use egui::accesskit::Role;
use egui::{
    Align, Align2, Color32, CornerRadius, CursorIcon, Event, Label, Layout, Painter, PointerButton, Pos2, Rect,
    Response, RichText, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, WidgetText, pos2, vec2,
};
use skinscope_session::{Command, row_of};

pub(super) use self::apart::tell_apart;
pub(super) use self::figures::{
    BY_INFLUENCES, INSET, corner_plate, figure, histogram, plate, plates_of_pass, progress_bar, section,
    section_scaled, title,
};
pub(super) use self::number_field::{BOX_WIDTH, Change, NumberField, rail_and_box, steps};
pub(super) use self::path_field::PathField;
pub(super) use self::search::{SearchResponse, open_field, search_field, steps_down};
pub(super) use self::text::{counted, elided, grouped, number, paint_line, shortened, shortened_text, whole_on_hover};
use super::theme::{self, BODY, Colors, RADIUS, ROW, SMALL, colors};
use super::{bidi, icons};

/// Returns a tooltip that says what a command does, with its key.
pub(super) fn tip(command: &Command) -> String {
    let Some(row) = row_of(command) else { return String::new() };
    match row.keys() {
        Some(shortcut) => format!("{}  ({shortcut})", row.help),
        None => row.help.to_owned(),
    }
}

/// Shows dim text, which is wrapped.
pub(super) fn quiet_text(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
}

/// Says what a control does to screen readers and to F1, where a tooltip would be in the way.
pub(super) fn describe(response: &Response, text: &str) {
    if !text.is_empty() && response.ctx.has_accesskit_node(response.id) {
        response.ctx.accesskit_node_builder(response.id, |node| node.set_description(text));
    }
}

/// Says of all controls of a list that say nothing of themselves what the list is.
pub(super) fn describe_others(ui: &Ui, text: &str) {
    let ctx = ui.ctx();
    if !ctx.has_accesskit_node(egui::accesskit_root_id()) {
        return;
    }
    let layer = ui.layer_id();
    let ids: Vec<_> =
        ctx.viewport(|viewport| viewport.this_pass.widgets.get_layer(layer).map(|widget| widget.id).collect());
    for id in ids.into_iter().filter(|id| ctx.has_accesskit_node(*id)) {
        ctx.accesskit_node_builder(id, |node| {
            if node.description().is_none() {
                node.set_description(text);
            }
        });
    }
}

/// Allocates a button with a name; `selected` makes it a toggle.
pub(super) fn press(ui: &mut Ui, size: Vec2, name: &str, selected: Option<bool>) -> (Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let enabled = ui.is_enabled();
    response.widget_info(|| match selected {
        Some(on) => WidgetInfo::selected(Role::Button, enabled, on, name),
        None => WidgetInfo::labeled(Role::Button, enabled, name),
    });
    (rect, response)
}

/// Draws the ring around the widget that the keyboard would press.
pub(super) fn focus_ring(ui: &Ui, rect: Rect, response: &Response) {
    if response.has_focus() {
        let stroke = Stroke::new(1.5, colors(ui).accent);
        ui.painter().rect_stroke(rect, CornerRadius::same(RADIUS), stroke, StrokeKind::Inside);
    }
}

/// Marks the row of an open list that Enter takes.
pub(super) fn mark_row(ui: &Ui, rect: Rect) {
    ui.painter().rect_stroke(rect, CornerRadius::same(4), Stroke::new(1.5, colors(ui).accent), StrokeKind::Inside);
}

/// Shows a square button with an icon. `filled`: it is the most important one in its row.
pub(super) fn icon_button(ui: &mut Ui, icon: &str, name: &str, side: f32, filled: bool) -> Response {
    let (rect, response) = press(ui, Vec2::splat(side), name, None);
    let c = colors(ui);
    let fill = match (filled, response.hovered()) {
        (true, false) => c.accent,
        (true, true) => c.accent.lerp_to_gamma(Color32::WHITE, 0.15),
        (false, true) => c.hovered,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, CornerRadius::same(RADIUS), fill);
    let ink = if filled { c.on_accent } else { c.text };
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icon(side * 0.62), ink);
    focus_ring(ui, rect, &response);
    response
}

/// Shows a button with a text, and maybe an icon before it.
pub(super) fn text_button(ui: &mut Ui, icon: Option<&str>, text: &str, primary: bool) -> Response {
    let c = colors(ui);
    let ink = if primary { c.on_accent } else { c.text };
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(BODY), ink);
    let before = if icon.is_some() { 20.0 } else { 0.0 };
    let (rect, response) = press(ui, vec2(galley.size().x + before + 20.0, ROW + 2.0), text, None);
    let fill = match (primary, response.hovered()) {
        (true, false) => c.accent,
        (true, true) => c.accent.lerp_to_gamma(Color32::WHITE, 0.15),
        (false, true) => c.hovered,
        (false, false) => c.raised,
    };
    let edge = if primary { Stroke::NONE } else { Stroke::new(1.0, c.line) };
    ui.painter().rect(rect, CornerRadius::same(RADIUS), fill, edge, StrokeKind::Inside);
    if let Some(icon) = icon {
        let at = pos2(rect.left() + 18.0, rect.center().y);
        ui.painter().text(at, Align2::CENTER_CENTER, icon, theme::icon(15.0), ink);
    }
    paint_line(ui, galley, rect.left() + 10.0 + before, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response
}

/// Shows a button that is only its text, in the accent colour.
pub(super) fn link(ui: &mut Ui, text: &str, name: &str) -> Response {
    scaled_link(ui, text, name, 1.0)
}

/// Returns the width of a [`link`], points.
pub(super) fn link_width(ui: &Ui, text: &str) -> f32 {
    ui.painter().layout_no_wrap(text.to_owned(), theme::strong(SMALL), colors(ui).accent).size().x
}

/// Shows a [`link`] whose text is `scale` times as large as usual.
pub(super) fn scaled_link(ui: &mut Ui, text: &str, name: &str, scale: f32) -> Response {
    let c = colors(ui);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::strong(SMALL * scale), c.accent);
    let (rect, response) = press(ui, vec2(galley.size().x, 20.0 * scale), name, None);
    let underline = response.hovered() || response.has_focus();
    paint_line(ui, galley, rect.left(), rect.center().y, c.accent);
    if underline {
        let y = rect.center().y + 7.0 * scale;
        ui.painter().hline(rect.x_range(), y, Stroke::new(1.0, c.accent));
    }
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// Shows a toggle on a plate over the picture, which is filled when on.
pub(super) fn chip(ui: &mut Ui, text: &str, on: bool) -> Response {
    scaled_chip(ui, text, on, 1.0)
}

/// Shows a [`chip`] that is `scale` times as large as usual.
pub(super) fn scaled_chip(ui: &mut Ui, text: &str, on: bool, scale: f32) -> Response {
    let c = colors(ui);
    let ink = if on { c.text } else { c.dim };
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(12.0 * scale), ink);
    let (rect, response) = press(ui, vec2(galley.size().x + 18.0 * scale, ROW * scale), text, Some(on));
    paint_switch(ui, rect, on, response.hovered(), c.plate);
    paint_line(ui, galley, rect.left() + 9.0 * scale, rect.center().y, ink);
    focus_ring(ui, rect, &response);
    response
}

/// Returns how wide a [`chip`] is, points.
pub(super) fn chip_width(ui: &Ui, text: &str) -> f32 {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), theme::regular(12.0), colors(ui).text);
    galley.size().x + 18.0
}

/// Paints the ground of a switch: filled and edged in accent when on, `off` when not.
pub(super) fn paint_switch(ui: &Ui, rect: Rect, on: bool, hovered: bool, off: Color32) {
    let c = colors(ui);
    let fill = match (on, hovered) {
        (true, false) => c.active,
        (true, true) => c.active.lerp_to_gamma(c.accent, 0.2),
        (false, true) => c.hovered,
        (false, false) => off,
    };
    let edge = Stroke::new(1.0, if on { c.accent } else { c.line });
    ui.painter().rect(rect, CornerRadius::same(RADIUS), fill, edge, StrokeKind::Inside);
}

/// Shows a choice of one among few; its commands go to `commands`.
pub(super) fn segmented(ui: &mut Ui, choices: &[(&str, bool, Command)], commands: &mut Vec<Command>) {
    let rows: Vec<_> = choices.iter().map(|(text, on, command)| (*text, *on, tip(command))).collect();
    if let Some(chosen) = segments(ui, &rows) {
        commands.push(choices[chosen].2.clone());
    }
}

/// Shows the title of a dialog and its close button; returns true when it was closed.
pub(super) fn dialog_head(ui: &mut Ui, title: &str) -> bool {
    let mut close = false;
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).font(theme::strong(16.0)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            close = icon_button(ui, icons::CLOSE, "Close", 24.0, false).on_hover_text("Close it (Esc)").clicked();
        });
    });
    close
}

/// The room at both sides of the text of a segment, points.
const SEGMENT_PAD: f32 = 11.0;

/// Shows a choice of one among few, each with whether it is chosen and a tooltip; returns what becomes chosen.
pub(super) fn segments(ui: &mut Ui, choices: &[(&str, bool, String)]) -> Option<usize> {
    let c = colors(ui);
    let pad = SEGMENT_PAD;
    let galleys: Vec<_> = choices
        .iter()
        .map(|(text, on, _)| {
            let ink = if *on { c.on_accent } else { c.text };
            ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(BODY), ink)
        })
        .collect();
    let width: f32 = galleys.iter().map(|g| g.size().x + 2.0 * pad).sum();
    let mut chosen = None;
    ui.allocate_ui_with_layout(vec2(width, ROW), Layout::left_to_right(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let well = Rect::from_min_size(ui.max_rect().min, vec2(width, ROW));
        // On panels its ground is darker; on plates, which are as dark, it is lighter.
        ui.painter().rect_filled(well, CornerRadius::same(RADIUS), ui.visuals().extreme_bg_color);
        for (i, ((text, on, tip), galley)) in choices.iter().zip(galleys).enumerate() {
            let (rect, response) = press(ui, vec2(galley.size().x + 2.0 * pad, ROW), text, Some(*on));
            let fill = match (*on, response.hovered()) {
                (true, _) => c.accent,
                (false, true) => c.hovered,
                (false, false) => Color32::TRANSPARENT,
            };
            ui.painter().rect_filled(rect, CornerRadius::same(RADIUS), fill);
            let ink = if *on { c.on_accent } else { c.text };
            paint_line(ui, galley, rect.left() + pad, rect.center().y, ink);
            focus_ring(ui, rect, &response);
            if response.on_hover_text(tip).clicked() && !on {
                chosen = Some(i);
            }
        }
    });
    chosen
}

/// Shows [`segments`] in as many rows as the choices need in the width that there is.
pub(super) fn wrapped_segments(ui: &mut Ui, choices: &[(&str, bool, String)]) -> Option<usize> {
    let room = ui.available_width();
    let (mut rows, mut width) = (vec![0], f32::INFINITY);
    for (index, (text, ..)) in choices.iter().enumerate() {
        let galley = ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(BODY), Color32::PLACEHOLDER);
        let segment = galley.size().x + 2.0 * SEGMENT_PAD;
        width += segment;
        if width > room {
            if index > 0 {
                rows.push(index);
            }
            width = segment;
        }
    }
    rows.push(choices.len());
    let show = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        let mut chosen = None;
        for (first, end) in rows.iter().zip(rows.iter().skip(1)) {
            let row = choices.get(*first..*end).unwrap_or_default();
            chosen = segments(ui, row).map(|at| first + at).or(chosen);
        }
        chosen
    };
    ui.scope(show).inner
}

/// Paints the background of a row in a list, with a bar at the left of the one that leads the selection.
pub(super) fn row_background(painter: &Painter, rect: Rect, selected: bool, hovered: bool, has_bar: bool, c: &Colors) {
    let fill = match (selected, hovered) {
        (true, _) => c.selection,
        (false, true) => c.raised,
        (false, false) => Color32::TRANSPARENT,
    };
    painter.rect_filled(rect, CornerRadius::ZERO, fill);
    if has_bar {
        let bar = Rect::from_min_size(rect.min, vec2(2.0, rect.height()));
        painter.rect_filled(bar, CornerRadius::ZERO, c.accent);
    }
}

/// Shows why something failed, after a sign, in the layout of `ui`. The text can be selected.
pub(super) fn error_line(ui: &mut Ui, why: &str) {
    let c = colors(ui);
    ui.label(RichText::new(icons::ERROR).font(theme::icon(18.0)).color(c.red));
    ui.add(Label::new(RichText::new(why).color(c.text)).wrap().selectable(true));
}

/// Paints the caret of drop-downs.
pub(super) fn caret(ui: &Ui, rect: Rect, _: &egui::style::WidgetVisuals, _: bool) {
    scaled_caret(ui, rect, 1.0);
}

fn scaled_caret(ui: &Ui, rect: Rect, scale: f32) {
    let font = theme::icon(12.0 * scale);
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, icons::CARET_DOWN, font, colors(ui).dim);
}

/// Shows a drop-down of fixed width with a name for screen readers. `help` says what it chooses; so do rows that say nothing themselves.
pub(super) fn drop_down(
    ui: &mut Ui,
    name: &str,
    shown: &str,
    width: f32,
    help: &str,
    list: impl FnOnce(&mut Ui),
) -> Response {
    drop_down_of(ui, (name, shown), (width, 1.0), help, list)
}

/// Shows a [`drop_down`] that is `scale` times as large as usual, with its list.
pub(super) fn scaled_drop_down(
    ui: &mut Ui,
    names: (&str, &str),
    (width, scale): (f32, f32),
    help: &str,
    list: impl FnOnce(&mut Ui),
) -> Response {
    if scale == 1.0 {
        return drop_down_of(ui, names, (width, scale), help, list);
    }
    let shown = ui.scope(|ui| {
        theme::magnify(ui, scale);
        drop_down_of(ui, names, (width * scale, scale), help, list)
    });
    shown.inner
}

fn drop_down_of(
    ui: &mut Ui,
    (name, shown): (&str, &str),
    (width, scale): (f32, f32),
    help: &str,
    list: impl FnOnce(&mut Ui),
) -> Response {
    let font = theme::regular(BODY * scale);
    let around = ui.spacing().icon_width + ui.spacing().icon_spacing + 2.0 * ui.spacing().button_padding.x;
    // egui would cut a word that runs to the left at its first letters, and others at their end.
    let (text, cut) = match bidi::runs_left(shown) {
        true => {
            let (galley, cut) = elided(ui, shown, font, colors(ui).text, width - around);
            (WidgetText::from(galley), cut)
        }
        false => {
            // The button grows with its text while there is room beside it.
            let room = width.max(ui.available_width()) - around;
            let (text, cut) = shortened_text(ui, shown, font.clone(), room);
            (RichText::new(text).font(font).into(), cut)
        }
    };
    let help = if cut { format!("{shown}\n{help}") } else { help.to_owned() };
    let response = egui::ComboBox::from_id_salt(name)
        .selected_text(text)
        .width(width)
        .truncate()
        .icon(move |ui, rect, _, _| scaled_caret(ui, rect, scale))
        .show_ui(ui, |ui| {
            ui.set_min_width(width);
            theme::magnify(ui, scale);
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            list(ui);
            describe_others(ui, &help);
        })
        .response;
    response.accessible_name(format!("{name}: {shown}")).on_hover_text(&help)
}

/// The pointer while it drags a slider.
pub(super) struct SliderDrag {
    /// The position where the button was pressed, if that was in this frame.
    pub pressed: Option<Pos2>,
    /// The position of the pointer, or where the button was released.
    pub at: Pos2,
    /// Whether the button was released in this frame.
    pub released: bool,
}

/// Returns the pointer that drags `response`, up to and including the frame that releases the button. A press that is
/// over within one frame counts too: egui calls it a click where the pointer did not move, and nothing at all where it
/// did.
pub(super) fn slider_drag(ui: &Ui, response: &Response) -> Option<SliderDrag> {
    let (mut pressed, mut let_go) = (None, None);
    ui.input(|i| {
        for event in &i.events {
            if let Event::PointerButton { pos, button: PointerButton::Primary, pressed: down, .. } = event {
                let target = if *down { &mut pressed } else { &mut let_go };
                *target = Some(*pos);
            }
        }
    });
    let released = response.clicked() || response.drag_stopped();
    if released || response.is_pointer_button_down_on() {
        let at = let_go.filter(|_| released).or(response.interact_pointer_pos())?;
        return Some(SliderDrag { pressed, at, released });
    }
    let (start, at) = pressed.zip(let_go)?;
    let ours = response.enabled()
        && response.interact_rect.contains(start)
        && ui.ctx().layer_id_at(start) == Some(response.layer_id)
        && !ui.input(|i| i.pointer.any_down());
    ours.then_some(SliderDrag { pressed, at, released: true })
}

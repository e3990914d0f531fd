//! The rules that edits of the selected node follow: its partner on the other side, whether it is pinned, how far it may
//! turn. In the picture pinned joints have a mark, and limits are arcs.

use std::borrow::Cow;

use egui::accesskit::Role;
use egui::{Color32, CursorIcon, Label, Rect, RichText, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::{Vec2, Vec3};
use skinscope_anim::pose::Limits;
use skinscope_model::NodeId;
use skinscope_session::{Command, PosingCommand, Session};

use super::search_list::{SearchList, SearchListOptions, index_of};
use super::theme::colors;
use super::value_row::ValueRow;
use super::widgets::{chip, link, section, tip};

/// Shows the rules of a node in the inspector.
pub(super) fn show(ui: &mut Ui, session: &Session, node: NodeId, list: &mut SearchList, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let c = colors(ui);
    section(ui, "Other side", |ui| {
        if session.rules().has_own_pairs() {
            let help = "Take all pairs as names and places tell them";
            if link(ui, "Reset pairs", "Reset pairs").on_hover_text(help).clicked() {
                commands.push(PosingCommand::ForgetPairs.into());
            }
        }
    });
    let names = &model.skeleton.names;
    let partner = session.edit_rules().partner(node);
    let width = ui.available_width();
    let options = SearchListOptions {
        id: "other side",
        search: "Search nodes",
        none: "No node is called that.",
        width,
        list_width: width.max(240.0),
        count: names.len() + 1,
        now: Some(partner.map_or(0, |partner| partner.index() + 1)),
        shown: partner.map_or("None", |partner| names[partner.index()].as_str()),
    };
    let name = |i: usize| i.checked_sub(1).map_or(Cow::Borrowed("None"), |i| Cow::Borrowed(names[i].as_str()));
    let index = |i: usize| index_of(model, NodeId::from_index(i.checked_sub(1)?));
    let (response, chosen) = list.show(ui, &options, name, index);
    let shown = format!("Other side: {}", options.shown);
    response.accessible_name(shown).on_hover_text("The joint that takes the mirror image of what is done to this one");
    if let Some(chosen) = chosen {
        let partner = chosen.checked_sub(1).map(NodeId::from_index);
        commands.push(PosingCommand::SetPartner(node, partner.filter(|partner| *partner != node)).into());
    }
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        let pinned = session.rules().pins.contains(&node);
        let help = tip(&PosingCommand::TogglePinSelected.into());
        if chip(ui, "Pinned", pinned).on_hover_text(help).clicked() {
            commands.push(PosingCommand::TogglePin(node).into());
        }
        let held = session.edits().held.contains_key(&node);
        let help = tip(&PosingCommand::ToggleHeldSelected.into());
        if chip(ui, "Held over the clip", held).on_hover_text(help).clicked() {
            commands.push(PosingCommand::ToggleHeld(node).into());
        }
    });
    let limits = session.rules().limits.get(&node).copied();
    section(ui, "Limits (degrees from rest)", |ui| {
        let (text, name, to) = match limits {
            Some(_) => ("Remove", "Remove limits", None),
            None => ("Add", "Add limits", Some(Limits::FREE)),
        };
        let help = "The angles between which the joint turns; tools that pose it stay within them";
        if link(ui, text, name).on_hover_text(help).clicked() {
            commands.push(PosingCommand::SetLimits(node, to).into());
        }
    });
    let Some(limits) = limits else {
        ui.add(Label::new(RichText::new("It turns freely.").color(c.dim)).wrap());
        return;
    };
    ui.spacing_mut().item_spacing.y = 1.0;
    limit_rows(ui, node, limits, commands);
    ui.add_space(6.0);
    let command = Command::Posing(PosingCommand::ToggleLimits);
    if chip(ui, "Obey limits", !session.rules().ignores_limits).on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
}

/// Shows the least and the greatest angle of each axis, each of which can be changed.
fn limit_rows(ui: &mut Ui, node: NodeId, limits: Limits, commands: &mut Vec<Command>) {
    let c = colors(ui);
    for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
        for (is_most, word) in [(false, "least"), (true, "most")] {
            let end = if is_most { limits.most } else { limits.least };
            let row = ValueRow {
                name: &format!("{letter} {word}"),
                help: "The angle up to which the joint turns about this axis, degrees from rest",
                label: &format!("{letter} {word}"),
                label_width: 48.0,
                color: c.axes[axis],
                value: end[axis],
                range: Limits::FREE.least[axis]..=Limits::FREE.most[axis],
                home: 0.0,
                decimals: 1,
                unit: "°",
                edited: end[axis] != if is_most { Limits::FREE.most[axis] } else { Limits::FREE.least[axis] },
            };
            if let Some(value) = row.show(ui).value {
                let to = with_end(limits, axis, is_most, value);
                commands.push(PosingCommand::SetLimits(node, Some(to)).into());
            }
        }
    }
}

/// Paints the targets of held joints: a cross in a ring, and a line to a joint that does not reach its target.
fn paint_held(ui: &Ui, session: &Session, rect: Rect, point: &dyn Fn(Vec2) -> egui::Pos2) {
    let (c, painter) = (colors(ui), ui.painter());
    let names = session.model().map(|model| &model.skeleton.names);
    for (node, target) in &session.edits().held {
        let seen = |target: Vec3| session.view().project(target).map(point);
        let Some(at) = seen(target.translation.into()).filter(|at| rect.contains(*at)) else { continue };
        let now = session.pose().model.get(node.index()).map(|m| Vec3::from(m.translation));
        if let Some(joint) = now.and_then(seen).filter(|joint| joint.distance(at) > 1.0) {
            painter.line_segment([joint, at], Stroke::new(3.5, c.panel));
            painter.line_segment([joint, at], Stroke::new(1.5, c.amber));
        }
        for stroke in [Stroke::new(4.0, c.panel), Stroke::new(1.5, c.amber)] {
            painter.circle_stroke(at, 7.0, stroke);
            painter.line_segment([at - vec2(11.0, 0.0), at + vec2(11.0, 0.0)], stroke);
            painter.line_segment([at - vec2(0.0, 11.0), at + vec2(0.0, 11.0)], stroke);
        }
        let mark = Rect::from_center_size(at, vec2(14.0, 14.0));
        let response = ui.interact(mark, ui.scope_id().with(("held", node.0)), Sense::empty());
        let name = names.and_then(|names| names.get(node.index())).map_or("", String::as_str);
        let off = now.map_or(0.0, |now| now.distance(target.translation.into()));
        let short = if off > 1e-3 { format!(", {:.1} cm from its place", 100.0 * off) } else { String::new() };
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Held {name}{short}")));
    }
}

/// Paints the arcs of limits, and marks at pinned and held joints. `point` converts pixels of the viewport, which is
/// `rect`, to points. Returns true while an end of an arc is dragged.
pub(super) fn paint(
    ui: &Ui,
    session: &Session,
    rect: Rect,
    point: &dyn Fn(Vec2) -> egui::Pos2,
    commands: &mut Vec<Command>,
) -> bool {
    let mut owns = false;
    paint_held(ui, session, rect, point);
    let c = colors(ui);
    let painter = ui.painter();
    for arc in session.gizmos().limit_arcs(ui.pixels_per_point()) {
        let color = c.axes[arc.axis];
        let line: Vec<_> = arc.line.iter().map(|p| point(*p)).collect();
        let middle = point(arc.middle);
        for end in [line.first(), line.last()].into_iter().flatten() {
            painter.line_segment([middle, *end], Stroke::new(1.0, color.gamma_multiply(0.6)));
        }
        if let Some(at) = line.get(line.len() / 2).filter(|at| rect.contains(**at)) {
            let mark = Rect::from_center_size(*at, vec2(4.0, 4.0));
            let response = ui.interact(mark, ui.scope_id().with(("limit", arc.axis)), Sense::empty());
            let name = format!("Limits about {}", ["X", "Y", "Z"][arc.axis]);
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
        }
        painter.add(Shape::line(line.clone(), Stroke::new(6.0, Color32::from_black_alpha(70))));
        painter.add(Shape::line(line.clone(), Stroke::new(4.0, color.gamma_multiply(0.85))));
        painter.line_segment([middle, point(arc.now)], Stroke::new(2.0, c.text));
        painter.circle_filled(point(arc.now), 3.0, c.text);
        for (is_most, end) in [(false, line.first()), (true, line.last())] {
            if let Some(end) = end.filter(|end| rect.contains(**end)) {
                owns |= drag_end(ui, session, (arc.axis, is_most), *end, rect, commands);
            }
        }
    }
    let names = session.model().map(|model| &model.skeleton.names);
    for pin in &session.rules().pins {
        let position = session.pose().model.get(pin.index()).map(|m| Vec3::from(m.translation));
        let Some(at) = position.and_then(|position| session.view().project(position)).map(point) else { continue };
        if !rect.contains(at) {
            continue;
        }
        // A drawing pin: its head above the joint, its point on it.
        let head = at - vec2(0.0, 13.0);
        let outline = Stroke::new(1.0, c.panel);
        painter.line_segment([head, at], Stroke::new(3.5, c.panel));
        painter.line_segment([head, at], Stroke::new(1.5, c.amber));
        painter.circle(head, 5.0, c.amber, outline);
        let mark = Rect::from_center_size(pos2(head.x, head.y), vec2(10.0, 10.0));
        let response = ui.interact(mark, ui.scope_id().with(("pin", pin.0)), Sense::empty());
        let name = names.and_then(|names| names.get(pin.index())).map_or("", String::as_str);
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Pinned {name}")));
    }
    owns
}

/// Shows an end of an arc, which is dragged along the arc; with Ctrl in steps of five degrees. Returns whether it is.
fn drag_end(
    ui: &Ui,
    session: &Session,
    (axis, is_most): (usize, bool),
    end: egui::Pos2,
    rect: Rect,
    commands: &mut Vec<Command>,
) -> bool {
    let Some(node) = session.view().selected else { return false };
    let Some(limits) = session.rules().obeyed(node) else { return false };
    let now = if is_most { limits.most[axis] } else { limits.least[axis] };
    let handle = Rect::from_center_size(end, vec2(14.0, 14.0));
    let response = ui.interact(handle, ui.scope_id().with(("limit end", axis, is_most)), Sense::drag());
    let (letter, word) = (["X", "Y", "Z"][axis], if is_most { "Most" } else { "Least" });
    response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, format!("{word} angle about {letter}")));
    let c = colors(ui);
    let is_hot = response.hovered() || response.dragged();
    ui.painter().circle(end, if is_hot { 6.0 } else { 4.5 }, c.axes[axis], Stroke::new(1.5, c.text));
    if is_hot {
        ui.set_cursor_icon(if response.dragged() { CursorIcon::Grabbing } else { CursorIcon::Grab });
    }
    let at = response.interact_pointer_pos().filter(|_| response.dragged());
    let scale = ui.pixels_per_point();
    let pixel = |at: egui::Pos2| Vec2::new(at.x - rect.min.x, at.y - rect.min.y) * scale;
    if let Some(angle) = at.and_then(|at| session.gizmos().limit_at(scale, axis, pixel(at), now)) {
        let angle = if ui.input(|i| i.modifiers.command) { (angle / 5.0).round() * 5.0 } else { angle };
        if angle != now {
            commands.push(PosingCommand::SetLimits(node, Some(with_end(limits, axis, is_most, angle))).into());
        }
    }
    let dragged = response.dragged();
    response.on_hover_text(format!("{letter} {} {now:.1}° from rest", word.to_lowercase()));
    dragged
}

/// Returns limits with one end changed; the other one moves with it where they would cross.
fn with_end(limits: Limits, axis: usize, is_most: bool, degrees: f32) -> Limits {
    let mut to = limits;
    let value = degrees.clamp(Limits::FREE.least[axis], Limits::FREE.most[axis]);
    if is_most {
        to.most[axis] = value;
        to.least[axis] = to.least[axis].min(value);
    } else {
        to.least[axis] = value;
        to.most[axis] = to.most[axis].max(value);
    }
    to
}

/// Shows the switch of symmetric editing over the picture, where a node is selected or it is on.
pub(super) fn symmetric(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let on = session.rules().symmetric;
    if session.view().selected.is_none() && !on {
        return;
    }
    ui.add_space(8.0);
    let command = Command::Posing(PosingCommand::ToggleSymmetric);
    if chip(ui, "Symmetric", on).on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
}

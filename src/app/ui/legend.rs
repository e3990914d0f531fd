//! The legend in the lower left corner: what the colours of the surface mean.

use egui::accesskit::Role;
use egui::{
    Align, Align2, Color32, CornerRadius, Layout, Mesh, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

use super::theme::{self, BODY, SMALL, colors};
use super::viewport::corner_plate;
use super::widgets::{chip, counted, grouped, paint_line, segmented, shortened, tip};
use crate::inspect::{LIMITS, Overlay, Scale, Step};
use crate::math::Ramp;
use crate::session::{Command, Session, Toggle};

/// Points across.
const WIDTH: f32 = 264.0;

pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, commands: &mut Vec<Command>) {
    let Some(overlay) = session.view.overlay else { return };
    corner_plate(ui, rect, Align2::LEFT_BOTTOM, WIDTH, "legend", |ui| {
        let view = &session.view;
        head(ui, session, overlay);
        ui.add_space(4.0);
        let waits = overlay.values.is_some() && session.document.as_ref().is_none_or(|d| d.inspection.is_none());
        if waits {
            ui.label(RichText::new("Working…").color(colors(ui).text));
            return;
        }
        match &overlay.scale {
            Scale::Ramp { ramp, ends, ticks } => {
                gradient(ui, ramp.unwrap_or(view.ramp), *ends, ticks);
                if ramp.is_none() && view.selected.is_some() {
                    ui.add_space(4.0);
                    ui.horizontal(|ui| {
                        let choice = |label, ramp| (label, view.ramp == ramp, Command::SetRamp(ramp));
                        segmented(ui, &[choice("Blender", Ramp::Blender), choice("Viridis", Ramp::Viridis)], commands);
                        toggle(ui, "With children", Toggle::WithChildren, session, commands);
                    });
                }
            }
            Scale::Steps(steps) => {
                for step in *steps {
                    let count = session.document.as_ref().map(|d| (step.count)(d.stats(), view.influence_limit));
                    swatch(ui, step, count.unwrap_or(0));
                }
            }
            Scale::Joints => {
                let text = RichText::new("Each joint has its colour, as in the outliner.").font(theme::regular(12.0));
                ui.add(egui::Label::new(text.color(colors(ui).text)).wrap());
                ui.add_space(4.0);
                toggle(ui, "Shared in black", Toggle::SharedBlack, session, commands);
            }
        }
        if overlay.has_limit {
            ui.add_space(4.0);
            limit(ui, session, commands);
        }
    });
}

fn head(ui: &mut Ui, session: &Session, overlay: &Overlay) {
    let name = session.view.selected.zip(session.model()).map(|(n, m)| m.skeleton.names[n.index()].as_str());
    match (overlay.of_joint, name) {
        (false, _) => _ = ui.label(RichText::new(overlay.label).font(theme::strong(BODY))).on_hover_text(overlay.help),
        (true, None) => {
            _ = ui.label(RichText::new("Select a joint to see its weights").color(colors(ui).text));
        }
        (true, Some(name)) if session.view.with_children => joint_head(ui, "Weight at and below ", name),
        (true, Some(name)) => joint_head(ui, "Weight of ", name),
    }
}

fn toggle(ui: &mut Ui, label: &str, toggle: Toggle, session: &Session, commands: &mut Vec<Command>) {
    let command = Command::Toggle(toggle);
    if chip(ui, label, session.view.is_on(toggle)).on_hover_text(tip(&command)).clicked() {
        commands.push(command);
    }
}

/// The colour of a step, what it stands for, and how many vertices have it.
fn swatch(ui: &mut Ui, step: &Step, count: usize) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let y = rect.center().y;
    let square = Rect::from_center_size(pos2(rect.left() + 6.0, y), vec2(12.0, 12.0));
    let edge = Stroke::new(1.0, c.dim.gamma_multiply(0.6));
    ui.painter().rect(square, CornerRadius::same(3), color32(step.color), edge, StrokeKind::Inside);
    let ink = if count > 0 { c.text } else { c.dim };
    let label = ui.painter().layout_no_wrap(step.label.to_owned(), theme::regular(12.0), ink);
    paint_line(ui, label, rect.left() + 20.0, y, ink);
    let figure = ui.painter().layout_no_wrap(grouped(count), theme::regular(12.0), ink);
    let x = rect.right() - figure.size().x;
    paint_line(ui, figure, x, y, ink);
    let name = format!("{}: {}", step.label, counted(count, "vertex", "vertices"));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
}

/// How many influences a runtime can use, and what it loses of the weights.
fn limit(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let now = session.view.influence_limit;
    ui.horizontal(|ui| {
        ui.label(RichText::new("Limit").font(theme::regular(12.0)).color(colors(ui).dim));
        let mut value = now;
        let drag = egui::DragValue::new(&mut value).range(1..=LIMITS).speed(0.04);
        let response = ui.add(drag).on_hover_text("The most influences of a vertex that the runtime can use: 1 to 8");
        response.widget_info(|| WidgetInfo::slider(true, now as f64, "Influence limit"));
        if value != now {
            commands.push(Command::SetInfluenceLimit(value));
        }
        let lost = session.document.as_ref().map_or(0.0, |d| d.stats().lost[now.clamp(1, LIMITS) - 1]);
        let text = if lost > 0.0 { format!("loses up to {:.1} %", 100.0 * lost) } else { "loses nothing".to_owned() };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let tip = "The largest part of a vertex' weights beyond the limit";
            ui.label(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).text)).on_hover_text(tip);
        });
    });
}

fn color32(color: [f32; 3]) -> Color32 {
    let [r, g, b] = color.map(|v| (v * 255.0).round() as u8);
    Color32::from_rgb(r, g, b)
}

fn joint_head(ui: &mut Ui, before: &str, name: &str) {
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let first = ui.painter().layout_no_wrap(before.to_owned(), theme::regular(BODY), c.text);
    let width = first.size().x;
    let (galley, cut) = shortened(ui, name, theme::strong(BODY), c.text, rect.width() - width);
    paint_line(ui, first, rect.left(), rect.center().y, c.text);
    paint_line(ui, galley, rect.left() + width, rect.center().y, c.text);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{before}{name}")));
    if cut {
        response.on_hover_text(name);
    }
}

/// The ramp from end to end, and what is written below it.
fn gradient(ui: &mut Ui, ramp: Ramp, [low, high]: [f32; 2], ticks: &[(f32, &str)]) {
    const STEPS: u32 = 72;
    let c = colors(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0 + 18.0), Sense::hover());
    let bar = rect.with_max_y(rect.top() + 10.0);
    let mut mesh = Mesh::default();
    for i in 0..=STEPS {
        let at = i as f32 / STEPS as f32;
        let color = color32(ramp.color(at));
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
    for (number, text) in ticks {
        let at = (number - low) / (high - low);
        let align = match at {
            at if at <= 0.0 => Align2::LEFT_BOTTOM,
            at if at >= 1.0 => Align2::RIGHT_BOTTOM,
            _ => Align2::CENTER_BOTTOM,
        };
        let x = bar.left() + at * bar.width();
        ui.painter().text(pos2(x, rect.bottom()), align, text, theme::regular(SMALL), c.text);
    }
    let names: Vec<&str> = ticks.iter().map(|(_, text)| *text).collect();
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Scale: {}", names.join(", "))));
}

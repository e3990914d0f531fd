//! The axis triad: it shows how the camera is turned, and has six directions to look from.

use egui::accesskit::Role;
use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::Vec3;
use skinscope_base::math::length;
use skinscope_session::frame::grid_unit;
use skinscope_session::{CameraCommand, Command, Session, ViewFrom};

use super::theme::{self, colors};
use super::widgets::{shortened, tip};

/// The distance from the middle to the balls, points.
const REACH: f32 = 30.0;

/// The ends of the axes: direction, letter, number of the axis, and name.
const ENDS: [(Vec3, &str, usize, &str); 6] = [
    (Vec3::X, "X", 0, "+X"),
    (Vec3::Y, "Y", 1, "+Y"),
    (Vec3::Z, "Z", 2, "+Z"),
    (Vec3::NEG_X, "", 0, "−X"),
    (Vec3::NEG_Y, "", 1, "−Y"),
    (Vec3::NEG_Z, "", 2, "−Z"),
];

/// Returns the rectangle that it covers in the picture `rect`, with what stands below it.
pub(super) fn covered(rect: Rect) -> Rect {
    Rect::from_min_max(pos2(rect.right() - 110.0, rect.top()), pos2(rect.right(), rect.top() + REACH + 108.0))
}

pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let center = pos2(rect.right() - 56.0, rect.top() + 56.0);
    let view_from_world = session.view().world_from_view().matrix3.transpose();
    let front = session.model().map_or(Vec3::Z, |model| model.front());
    let mut ends: Vec<_> = ENDS.iter().map(|end| (view_from_world * end.0, end)).collect();
    // Balls that are nearer to the eye are painted later.
    ends.sort_by(|a, b| a.0.z.total_cmp(&b.0.z));
    for (at, (direction, letter, axis, end)) in ends {
        let ball = center + vec2(at.x, -at.y) * REACH;
        let from = ViewFrom::of_axis(*direction, front);
        let positive = !letter.is_empty();
        let radius = if positive { 8.5 } else { 5.5 };
        let hit = Rect::from_center_size(ball, egui::Vec2::splat(2.0 * radius + 2.0));
        let response = ui.interact(hit, ui.scope_id().with(end), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name(from, end)));
        let color = shade(c.axes[*axis], c.background, at.z);
        let painter = ui.painter();
        if positive {
            let to = center + vec2(at.x, -at.y) * (REACH - radius * 0.5);
            painter.line_segment([center, to], Stroke::new(2.0, color));
            painter.circle_filled(ball, radius, color);
            painter.text(ball, Align2::CENTER_CENTER, *letter, theme::strong(11.0), c.on_accent);
        } else {
            painter.circle(ball, radius, color.gamma_multiply(0.25), Stroke::new(1.5, color));
        }
        if response.hovered() || response.has_focus() {
            painter.circle_stroke(ball, radius + 2.0, Stroke::new(1.5, c.text));
        }
        let command = Command::Camera(CameraCommand::LookFrom(from));
        if response.on_hover_text(help(&command, front)).clicked() {
            commands.push(command);
        }
    }
    projection(ui, center.x, center.y + REACH + 20.0, session, commands);
    grid(ui, center.x, center.y + REACH + 42.0, session);
}

/// Shows how far apart the lines of the ground are.
fn grid(ui: &Ui, x: f32, y: f32, session: &Session) {
    let Some(unit) = grid_unit(session.surfaces()) else { return };
    let c = colors(ui);
    let text = format!("Grid {}", length(unit.into()));
    let galley = ui.painter().layout_no_wrap(text.clone(), theme::regular(theme::SMALL), c.text);
    let rect = Rect::from_center_size(pos2(x, y), galley.size() + vec2(12.0, 6.0));
    let response = ui.interact(rect, ui.scope_id().with("grid unit"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    ui.painter().rect_filled(rect, 4.0, c.plate);
    ui.painter().galley(Align2::CENTER_CENTER.align_size_within_rect(galley.size(), rect).min, galley, c.text);
    response.on_hover_text("From one line of the ground to the next; every tenth is stronger");
}

/// Returns the name of the end of an axis.
fn name(from: ViewFrom, end: &str) -> String {
    let side = match from {
        ViewFrom::Front | ViewFrom::Corner => "the front",
        ViewFrom::Back => "the back",
        ViewFrom::Left => "the left",
        ViewFrom::Right => "the right",
        ViewFrom::Top => "above",
        ViewFrom::Bottom => "below",
    };
    format!("Look from {side} ({end})")
}

/// Returns the tooltip of an axis: what a click does, and for the front, which way that is.
fn help(command: &Command, front: Vec3) -> String {
    let facing = match front.z < 0.0 {
        false => {
            "A glTF character stands on y = 0 and faces +Z. Many texts on skinning (and some engines) have it face −Z."
        }
        true => "This file is of VRM 0.x, whose characters stand on y = 0 and face −Z. Those of glTF face +Z.",
    };
    match command {
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Front | ViewFrom::Back)) => {
            format!("{}\n{facing}", tip(command))
        }
        _ => tip(command),
    }
}

/// Mixes the colours of an axis that points away from the eye with the background.
fn shade(color: Color32, back: Color32, toward_eye: f32) -> Color32 {
    color.lerp_to_gamma(back, 0.35 * (1.0 - toward_eye).clamp(0.0, 2.0) * 0.5)
}

/// Shows "Perspective" or "Orthographic" under the triad, or the camera that is looked through; a click switches, or
/// leaves it.
fn projection(ui: &Ui, x: f32, y: f32, session: &Session, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let camera = session.view().through.and_then(|t| session.file_lights().camera_label(t.index));
    let own = if session.view().orbit.orthographic { "Orthographic" } else { "Perspective" };
    let text = camera.as_deref().unwrap_or(own);
    let (galley, _) = shortened(ui, text, theme::regular(theme::SMALL), c.text, 96.0);
    let rect = Rect::from_center_size(pos2(x, y), galley.size() + vec2(12.0, 6.0));
    let response = ui.interact(rect, ui.scope_id().with("projection"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, text));
    let fill = if response.hovered() { c.hovered } else { c.plate };
    ui.painter().rect_filled(rect, 4.0, fill);
    let at = Align2::CENTER_CENTER.align_size_within_rect(galley.size(), rect).min;
    ui.painter().galley(at, galley, c.text);
    let (command, help) = match camera {
        Some(_) => (
            Command::Camera(CameraCommand::SetCamera(None)),
            "Leave the camera of the file for your own place".to_owned(),
        ),
        None => (
            Command::Camera(CameraCommand::ToggleOrthographic),
            tip(&Command::Camera(CameraCommand::ToggleOrthographic)),
        ),
    };
    if response.on_hover_text(help).clicked() {
        commands.push(command);
    }
}

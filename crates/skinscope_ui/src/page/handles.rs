//! Points of an example that can be dragged in the picture.

use egui::accesskit::Role;
use egui::{CursorIcon, Rect, Sense, Stroke, Ui, Vec2, WidgetInfo, vec2};
use skinscope_session::{Command, ExampleCommand, Session};

use crate::theme::colors;

/// How near the pointer must come, points.
const REACH: f32 = 14.0;

/// Shows a ring around each point, and moves its sliders while it is dragged.
pub(crate) fn show(ui: &Ui, session: &Session, rect: Rect, commands: &mut Vec<Command>) {
    let Some(lesson) = session.lesson() else { return };
    let scale = ui.pixels_per_point();
    for handle in lesson.example().handles {
        let settings = lesson.moment().settings();
        let Some(at) = session.view().project((handle.at)(settings)) else { continue };
        let at = rect.min + vec2(at.x, at.y) / scale;
        let handle_rect = Rect::from_center_size(at, Vec2::splat(2.0 * REACH));
        let response = ui.interact(handle_rect, ui.scope_id().with(("handle", handle.name)), Sense::drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, handle.name));
        let is_dragged = response.dragged();
        if is_dragged || response.hovered() {
            ui.painter().circle_stroke(at, REACH, Stroke::new(2.0, colors(ui).accent));
        }
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| is_dragged) {
            let pixel = (pointer - rect.min) * scale;
            let ray = session.view().ray(glam::Vec2::new(pixel.x, pixel.y));
            let along = -ray.origin.z / ray.direction.z;
            let to = ray.origin + ray.direction * along;
            if to.is_finite() && along > 0.0 {
                let moved = (handle.drag)(settings, to).into_iter();
                commands.extend(moved.map(|(slider, value)| ExampleCommand::SetSlider(slider, value).into()));
            }
        }
        response.on_hover_cursor(if is_dragged { CursorIcon::Grabbing } else { CursorIcon::Grab });
    }
}

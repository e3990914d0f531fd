//! The camera, which has the pointer where no other tool takes it: drags turn, move and zoom, and a click selects.

use egui::{CursorIcon, Modifiers, PointerButton, Pos2, Rect, Ui};
use glam::Vec2;
use skinscope_session::{CameraCommand, Command, SelectionCommand};

use super::{MouseHabit, PointerTool, Pointing, no_note};

/// How many points of scrolling are one step of the wheel.
const POINTS_PER_STEP: f32 = 40.0;
/// How many points of a drag are one step of the wheel.
const DRAG_PER_STEP: f32 = 20.0;

pub(super) static CAMERA: PointerTool = PointerTool {
    id: "camera",
    label: "Camera",
    hint: "",
    note: no_note,
    cursor: CursorIcon::Grabbing,
    owns_picture: false,
    at_once: false,
    is_chosen: |_| true,
    press: |_, _, _| None,
    moved: |_, _, _| {},
    release: |_, _, _| {},
    keeps: |_, _, _| false,
    click,
    wheel,
    paint: |_, _| {},
};

/// What a drag over the picture does to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CameraDrag {
    Turn,
    Move,
    Zoom,
}

/// Returns what a drag with this button and these keys does, as the user is used to.
fn camera_drag(habit: MouseHabit, button: PointerButton, keys: Modifiers) -> CameraDrag {
    use PointerButton::{Middle, Primary, Secondary};
    match (habit, button) {
        (MouseHabit::Maya, Secondary) if keys.alt => CameraDrag::Zoom,
        (MouseHabit::Blender, Middle) if keys.command => CameraDrag::Zoom,
        (MouseHabit::Blender, Middle) if !keys.shift => CameraDrag::Turn,
        (_, Primary) if !keys.shift => CameraDrag::Turn,
        _ => CameraDrag::Move,
    }
}

/// Returns a point relative to the corner of what the camera sees. Where that is a half of the area, points of the
/// other half are mapped to it.
pub(crate) fn from_corner(at: Pos2, seen: Rect) -> Vec2 {
    let x = if at.x > seen.right() { at.x - seen.width() } else { at.x };
    Vec2::new(x - seen.left(), at.y - seen.top())
}

/// Returns whether the key is held down that lets the pointer ignore bones.
pub(crate) fn ignores_bones(ui: &Ui) -> bool {
    ui.input(|i| i.modifiers.command || i.modifiers.alt)
}

/// Returns how far a drag went in this pass, points.
fn delta(pointing: &Pointing<'_>) -> Vec2 {
    let delta = pointing.response.drag_delta();
    Vec2::new(delta.x, delta.y)
}

/// Moves the camera by a drag, as the user is used to.
pub(super) fn drag(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let (scale, delta) = (pointing.scale(), delta(pointing));
    let button = [PointerButton::Primary, PointerButton::Middle, PointerButton::Secondary]
        .into_iter()
        .find(|button| pointing.response.dragged_by(*button));
    let Some(button) = button.filter(|_| delta != Vec2::ZERO) else { return };
    let mut keys = pointing.ui.input(|i| i.modifiers);
    // Where a drag began with Alt it goes on without.
    keys.alt |= pointing.is_camera_only;
    match camera_drag(pointing.habit, button, keys) {
        // The angle depends on how far the hand moves, whatever the pixel density.
        CameraDrag::Turn => commands.push(CameraCommand::Orbit(delta).into()),
        CameraDrag::Move => commands.push(CameraCommand::Pan(delta * scale).into()),
        CameraDrag::Zoom => {
            let middle = from_corner(pointing.seen.center(), pointing.seen) * scale;
            commands.push(CameraCommand::Zoom((delta.x - delta.y) / DRAG_PER_STEP, middle).into());
        }
    }
}

/// Moves the camera by a drag where the left button is a tool's: the middle button turns it, the right one moves it.
pub(super) fn drag_of_other_buttons(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let delta = delta(pointing);
    if delta == Vec2::ZERO || pointing.response.dragged_by(PointerButton::Primary) {
        return;
    }
    commands.push(match pointing.response.dragged_by(PointerButton::Middle) {
        true => CameraCommand::Orbit(delta).into(),
        false => CameraCommand::Pan(delta * pointing.scale()).into(),
    });
}

/// Selects what a click is on, or pins the vertex there; two clicks frame what is selected.
pub(super) fn click(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let response = pointing.response;
    if response.double_clicked() {
        commands.push(CameraCommand::FrameSelected.into());
    } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        let pixel = from_corner(at, pointing.seen) * pointing.scale();
        commands.push(if ignores_bones(pointing.ui) {
            Command::Selection(SelectionCommand::PinAt(pixel))
        } else {
            Command::Selection(SelectionCommand::PickAt(pixel))
        });
    }
}

/// Zooms by the wheel, or by two fingers.
pub(super) fn wheel(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    if !pointing.response.hovered() {
        return;
    }
    let (scroll, pinch) = pointing.ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
    let steps = scroll / POINTS_PER_STEP + pinch.ln() / -(0.9_f32.ln());
    let at = pointing.response.hover_pos().unwrap_or(pointing.seen.center());
    if steps != 0.0 && steps.is_finite() {
        commands.push(CameraCommand::Zoom(steps, from_corner(at, pointing.seen) * pointing.scale()).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_habit_has_the_buttons_of_its_program() {
        use CameraDrag::{Move, Turn, Zoom};
        use PointerButton::{Middle, Primary, Secondary};
        let (none, shift, command, alt) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND, Modifiers::ALT);
        let rows = [
            (MouseHabit::Skinscope, Primary, none, Turn),
            (MouseHabit::Skinscope, Primary, shift, Move),
            (MouseHabit::Skinscope, Middle, none, Move),
            (MouseHabit::Skinscope, Secondary, none, Move),
            (MouseHabit::Blender, Middle, none, Turn),
            (MouseHabit::Blender, Middle, shift, Move),
            (MouseHabit::Blender, Middle, command, Zoom),
            (MouseHabit::Blender, Primary, none, Turn),
            (MouseHabit::Maya, Primary, alt, Turn),
            (MouseHabit::Maya, Middle, alt, Move),
            (MouseHabit::Maya, Secondary, alt, Zoom),
            (MouseHabit::Maya, Primary, none, Turn),
        ];
        for (habit, button, keys, drag) in rows {
            assert_eq!(camera_drag(habit, button, keys), drag, "{habit:?} {button:?} {keys:?}");
        }
    }
}

//! Drags of limbs: a bone or the skin is pulled and the limb follows, the pole moves that limbs bend to, and a joint looks at the pointer.

use egui::accesskit::Role;
use egui::{CursorIcon, Pos2, Rect, Sense, Shape, Stroke, WidgetInfo, vec2};
use glam::{Vec2, Vec3};
use skinscope_session::{Command, EditCommand, PoseTool, PosingCommand, SelectionCommand, Session};

use super::{Held, PointerTool, Pointing, camera, no_note};
use crate::theme::colors;

/// How near to the pole the pointer has to be to take hold of it, points.
const REACH: f32 = 10.0;

pub(super) static PULL: PointerTool = PointerTool {
    id: "pull",
    label: "Pulling",
    hint: "Drag a bone or the skin; elsewhere a drag turns the camera",
    note: no_note,
    cursor: CursorIcon::Grabbing,
    owns_picture: false,
    at_once: false,
    is_chosen: |session| session.view().pose_tool == PoseTool::Pull,
    press: press_pull,
    moved,
    release,
    keeps,
    click: camera::click,
    wheel: camera::wheel,
    paint: |_, _| {},
};

pub(super) static LOOK: PointerTool = PointerTool {
    id: "look",
    label: "Looking",
    hint: "Drag from a joint to what it is to look at; elsewhere a drag turns the camera",
    note: no_note,
    cursor: CursorIcon::Grabbing,
    owns_picture: false,
    at_once: false,
    is_chosen: |session| session.view().pose_tool == PoseTool::Look,
    press: press_look,
    moved,
    release,
    keeps,
    click: camera::click,
    wheel: camera::wheel,
    paint: |_, _| {},
};

/// Takes hold of the pole of limbs, or else of a bone or the skin over it, whose joint it selects.
fn press_pull(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let session = pointing.session;
    let pole = session.rules().pole.map(Vec3::from);
    let reached = pole.filter(|pole| seen_at(pointing, *pole).is_some_and(|place| place.distance(at) <= REACH));
    if let Some(pole) = reached {
        return Some(Held::Pole(pole));
    }
    let pull = session.gizmos().begin_pull(pointing.pixel(at))?;
    commands.push(SelectionCommand::Select(Some(pull.joint())).into());
    Some(Held::Pull(pull))
}

/// Takes hold of the joint that is to look at the pointer, and selects it.
fn press_look(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let look = pointing.session.gizmos().begin_look(pointing.pixel(at))?;
    commands.push(SelectionCommand::Select(Some(look.joint())).into());
    Some(Held::Look(look))
}

/// Turns joints to the pointer.
fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    let (session, Some(at)) = (pointing.session, pointing.latest()) else { return };
    let edit = match held {
        Held::Pull(pull) => session.gizmos().pull_to(pull, at),
        Held::Look(look) => session.gizmos().look_at(look, at),
        Held::Pole(pole) => {
            *pole = moved_pole(session, *pole, at);
            session.view().selected.and_then(|joint| session.gizmos().bend_to(joint, *pole))
        }
        Held::Marks(_)
        | Held::Handle(_)
        | Held::Joint(_)
        | Held::Stroke(_)
        | Held::Gradient(_)
        | Held::Brush(_)
        | Held::Vertex(_) => None,
    };
    commands.extend(edit.map(Command::Edit));
}

/// Returns where the pole is to be for a pointer at a point of the viewport (pixels from its top left): as far from the eye as it was.
fn moved_pole(session: &Session, pole: Vec3, at: Vec2) -> Vec3 {
    let (ray, ahead) = (session.view().ray(at), -Vec3::from(session.view().world_from_view().matrix3.z_axis));
    let to = ray.origin + ray.direction * ((pole - ray.origin).dot(ahead) / ray.direction.dot(ahead));
    if to.is_finite() { to } else { pole }
}

/// Ends the step, and keeps the pole where it was dragged to.
fn release(_pointing: &Pointing<'_>, held: Held, commands: &mut Vec<Command>) {
    commands.push(EditCommand::EndEdit.into());
    if let Held::Pole(pole) = held {
        commands.push(PosingCommand::SetPole(Some(pole.to_array())).into());
    }
}

/// Returns whether a tool is still chosen that does such things. A pull goes on whatever is chosen.
fn keeps(session: &Session, held: &Held, _commands: &mut Vec<Command>) -> bool {
    matches!(held, Held::Pull(_)) || matches!(session.view().pose_tool, PoseTool::Pull | PoseTool::Look)
}

/// Returns the place of a point of the world on the screen.
fn seen_at(pointing: &Pointing<'_>, at: Vec3) -> Option<Pos2> {
    pointing.session.view().projector().project(at).map(|at| pointing.point(at))
}

/// Paints the pole of limbs while they can be pulled.
pub(super) fn paint_pole(pointing: &Pointing<'_>, held: Option<&Held>) {
    let (ui, session) = (pointing.ui, pointing.session);
    let dragged = match held {
        Some(Held::Pole(pole)) => Some(*pole),
        Some(Held::Look(_)) => None,
        _ if pointing.is_camera_only => return,
        _ => None,
    };
    if session.view().pose_tool != PoseTool::Pull {
        return;
    }
    let Some(pole) = dragged.or(session.rules().pole.map(Vec3::from)) else { return };
    let Some(at) = seen_at(pointing, pole) else { return };
    let c = colors(ui);
    let corner = |x: f32, y: f32| at + 7.0 * vec2(x, y);
    let corners = vec![corner(0.0, -1.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(-1.0, 0.0)];
    ui.painter().add(Shape::convex_polygon(corners, c.accent, Stroke::new(1.5, c.text)));
    let mark = ui.interact(Rect::from_center_size(at, vec2(4.0, 4.0)), ui.scope_id().with("pole"), Sense::empty());
    mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, "Pole of limbs"));
}

//! Placing joints in a mesh without a skin: a click places one in the middle of the body, or selects one, and a drag moves it.

use egui::accesskit::Role;
use egui::{Align2, CursorIcon, Pos2, Rect, Sense, Stroke, WidgetInfo, vec2};
use skinscope_session::{Command, EditCommand, PlaceCommand, Session};

use super::{Held, PointerTool, Pointing, camera};
use crate::theme::{self, SMALL, colors};
use crate::widgets::counted;

/// How wide the ring is around the joint that the pointer is over, points.
const RING: f32 = 7.0;
/// The most joints that are told to screen readers.
const MOST_TOLD: usize = 100;

pub(super) static PLACE: PointerTool = PointerTool {
    id: "place-joints",
    label: "Placing joints",
    hint: "Click into the mesh, drag a joint, Shift keeps it in the middle, middle-drag turns, Esc ends",
    note,
    cursor: CursorIcon::Crosshair,
    owns_picture: true,
    at_once: false,
    is_chosen: |session| session.placing().is_on(),
    press,
    moved,
    release: |_, _, commands| commands.push(EditCommand::EndEdit.into()),
    keeps: |session, _, _| session.placing().is_on(),
    click,
    wheel: camera::wheel,
    paint,
};

/// Says how many joints there are.
fn note(session: &Session) -> String {
    format!(": {}", counted(session.placing().joints().len(), "joint", "joints"))
}

/// Takes hold of the joint that the button went down on, and selects it.
fn press(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let joint = pointing.session.placed_at(pointing.pixel_in_half(at))?;
    commands.push(PlaceCommand::Select(Some(joint)).into());
    Some(Held::Joint(joint))
}

/// Moves the joint with the pointer: in the plane of the picture, or with Shift in the middle of the body there.
fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    let Held::Joint(joint) = held else { return };
    let Some(at) = pointing.ui.input(|i| i.pointer.latest_pos()).map(|at| pointing.pixel_in_half(at)) else { return };
    let is_kept_within = pointing.ui.input(|i| i.modifiers.shift);
    let to = match is_kept_within {
        true => pointing.session.middle_at(at),
        false => pointing.session.dragged_to(*joint, at),
    };
    commands.extend(to.map(|to| Command::from(PlaceCommand::Move(*joint, to))));
}

/// Selects the joint that a click is on, or places one.
fn click(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    let response = pointing.response;
    if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        let pixel = pointing.pixel_in_half(at);
        let command = match pointing.session.placed_at(pixel) {
            Some(joint) => PlaceCommand::Select(Some(joint)),
            None => PlaceCommand::Add(pixel),
        };
        commands.push(command.into());
    }
}

/// Paints a ring around the joint that the pointer is over or holds, with its name and that of the selected one.
fn paint(pointing: &Pointing<'_>, held: Option<&Held>) {
    let (ui, placing) = (pointing.ui, pointing.session.placing());
    let c = colors(ui);
    let over = match held {
        Some(Held::Joint(joint)) => Some(*joint),
        _ => pointing.response.hover_pos().and_then(|at| pointing.session.placed_at(pointing.pixel_in_half(at))),
    };
    let projector = pointing.session.view().projector();
    for (index, joint) in placing.joints().iter().enumerate() {
        let Some(at) = projector.project(joint.position).map(|at| pointing.point(at)) else { continue };
        if over == Some(index) {
            ui.painter().circle_stroke(at, RING, Stroke::new(1.5, c.accent));
        }
        if over == Some(index) || placing.selected() == Some(index) {
            let beside = at + vec2(RING + 4.0, 0.0);
            ui.painter().text(beside, Align2::LEFT_CENTER, &joint.name, theme::regular(SMALL), c.text);
        }
        if index < MOST_TOLD {
            let id = ui.scope_id().with(("placed joint", index));
            let mark = ui.interact(Rect::from_center_size(at, vec2(4.0, 4.0)), id, Sense::empty());
            mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("Placed joint {}", joint.name)));
        }
    }
}

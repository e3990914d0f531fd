//! Dragging a vertex of the skin to where it should be: its weights follow the pointer.

use egui::{CursorIcon, Pos2};
use skinscope_base::math::length;
use skinscope_session::{Command, EditCommand, PaintCommand, SelectionCommand, Session, VertexDragCommand};

use super::{Held, PointerTool, Pointing, camera, paint_marks};

/// Distances below this share of the size of the model are not said.
const NOTHING: f64 = 1e-4;

pub(super) static VERTEX: PointerTool = PointerTool {
    id: "drag-vertex",
    label: "Dragging a vertex",
    hint: "Drag the pinned vertex or one of the skin; elsewhere a drag turns the camera, Esc ends",
    note,
    cursor: CursorIcon::Grabbing,
    owns_picture: false,
    at_once: false,
    is_chosen: is_on,
    press,
    moved,
    release: |_, _, commands| commands.push(EditCommand::EndEdit.into()),
    keeps: |session, _, _| is_on(session),
    click,
    wheel: camera::wheel,
    paint: |_, _| {},
};

fn is_on(session: &Session) -> bool {
    session.painting().vertex_drag().is_on()
}

/// Says why the vertex does not move, or not all of the way, and how far it is from where it should be in the pose that is shown.
fn note(session: &Session) -> String {
    let painting = session.painting();
    let pose = session.pose();
    let here = painting.vertex_drag().pins().iter().find(|pin| pin.is_of(&pose.local));
    let least = NOTHING * f64::from(pose.opened_bounds.diagonal());
    let away = here.filter(|pin| pin.away() > least).map(|pin| {
        let (away, outside) = (length(pin.away()), length(pin.outside()));
        match pin.outside() > least {
            true if away == outside => format!("{away} away, the joints reach no nearer"),
            true => format!("{away} away, the joints reach no nearer than {outside}"),
            false => format!("{away} away"),
        }
    });
    let said: Vec<String> = painting.note().map(|note| note.text.clone()).into_iter().chain(away).collect();
    if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) }
}

/// Takes hold of the vertex under the pointer, and pins it.
fn press(pointing: &Pointing<'_>, at: Pos2, commands: &mut Vec<Command>) -> Option<Held> {
    let grip = pointing.session.grip_vertex(pointing.pixel_in_half(at))?;
    paint_marks::forget_note(pointing.ui);
    if pointing.session.view().pinned != Some(grip.vertex()) {
        commands.push(SelectionCommand::Pin(Some(grip.vertex())).into());
    }
    Some(Held::Vertex(grip))
}

/// Lets the vertex follow the pointer in the plane of the picture.
fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    let Held::Vertex(grip) = held else { return };
    let Some(at) = pointing.ui.input(|i| i.pointer.latest_pos()).map(|at| pointing.pixel_in_half(at)) else { return };
    let to = pointing.session.vertex_dragged_to(grip, at);
    commands.extend(to.map(|to| Command::from(PaintCommand::DragVertex(VertexDragCommand::To(to)))));
}

/// Does what a click on the picture does, and shows why the last drag did not come all of the way, with what can be done about it.
fn click(pointing: &Pointing<'_>, commands: &mut Vec<Command>) {
    camera::click(pointing, commands);
    paint_marks::note_card(pointing, commands);
}

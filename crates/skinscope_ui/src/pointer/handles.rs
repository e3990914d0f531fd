//! The handles of the selected node: arrows that move it, rings that turn it, boxes that scale it. A drag of one follows the pointer, or a
//! number that is typed.

use egui::{CursorIcon, Key, Pos2};
use glam::Vec2;
use skinscope_session::{Command, Drag, EditCommand, Handle, Orientation, PoseTool, Session, Snap};

use super::handle_shapes::{announce, paint_drag, paint_shape};
use super::{Held, PointerTool, Pointing, camera, no_note};

pub(super) static MOVE: PointerTool =
    row("move", "Moving", "Drag an arrow or a plane; elsewhere a drag turns the camera", |session| {
        session.view().pose_tool == PoseTool::Move
    });
// The window begins with it.
pub(super) static TURN: PointerTool = row("turn", "Turning", "", |session| session.view().pose_tool == PoseTool::Turn);
pub(super) static SCALE: PointerTool =
    row("scale", "Scaling", "Drag a box; elsewhere a drag turns the camera", |session| {
        session.view().pose_tool == PoseTool::Scale
    });

const fn row(
    id: &'static str,
    label: &'static str,
    hint: &'static str,
    is_chosen: fn(&Session) -> bool,
) -> PointerTool {
    PointerTool {
        id,
        label,
        hint,
        note: no_note,
        cursor: CursorIcon::Grabbing,
        owns_picture: false,
        at_once: false,
        is_chosen,
        press,
        moved,
        release: |_, _, commands| commands.push(EditCommand::EndEdit.into()),
        keeps,
        click: camera::click,
        wheel: camera::wheel,
        paint,
    }
}

/// A drag of a handle.
#[derive(Debug)]
pub(super) struct HandleDrag {
    pub drag: Drag,
    /// Where the pointer was last, in pixels from the viewport's top left.
    pub at: Vec2,
    /// The last value in words.
    pub label: String,
}

impl HandleDrag {
    /// Adds a character to the number that is typed.
    pub fn type_char(&mut self, typed: char) {
        self.drag.type_char(typed);
    }

    /// Takes a key; returns whether the drag ends by it: kept (`true`) or given up (`false`).
    pub fn key(&mut self, key: Key, shift: bool) -> Option<bool> {
        match key {
            Key::Escape => return Some(false),
            Key::Enter | Key::Space => return Some(true),
            Key::Backspace => {
                self.drag.erase_char();
            }
            Key::X => self.constrain(0, shift),
            Key::Y => self.constrain(1, shift),
            Key::Z => self.constrain(2, shift),
            _ => {}
        }
        None
    }

    /// Constrains the drag to an axis: to that of the world at first, with the same key again to the node's own, and
    /// with it a third time to none. With `shift`, a move is constrained to the plane across the axis instead.
    fn constrain(&mut self, axis: usize, shift: bool) {
        let drag = &mut self.drag;
        let can_be_plane = drag.gizmo().tool == PoseTool::Move;
        let handle = if shift && can_be_plane { Handle::Plane(axis) } else { Handle::Axis(axis) };
        if drag.handle() != handle {
            drag.constrain(handle, Orientation::World);
        } else if drag.orientation() == Orientation::World {
            drag.constrain(handle, Orientation::Local);
        } else {
            drag.constrain(Handle::View, Orientation::World);
        }
    }
}

/// Begins a drag where the pointer is, because the key of a tool asked for it.
pub(super) fn begin_by_key(pointing: &Pointing<'_>, tool: PoseTool) -> Option<(&'static PointerTool, Held)> {
    let session = pointing.session;
    let from = if tool == PoseTool::Scale { Orientation::Local } else { Orientation::World };
    let gizmo = session.gizmos().gizmo_of(tool, from, pointing.scale())?;
    let at = pointing.latest().unwrap_or_else(|| pointing.pixel(pointing.response.rect.center()));
    let drag = session.gizmos().begin_drag(gizmo, Handle::View, from, at)?;
    let row = match tool {
        PoseTool::Move => &MOVE,
        PoseTool::Scale => &SCALE,
        PoseTool::Select | PoseTool::Turn | PoseTool::Pull | PoseTool::Look => &TURN,
    };
    Some((row, Held::Handle(Box::new(HandleDrag { drag, at, label: String::new() }))))
}

/// Takes hold of the handle at a point of the screen.
fn press(pointing: &Pointing<'_>, at: Pos2, _commands: &mut Vec<Command>) -> Option<Held> {
    let (session, at) = (pointing.session, pointing.pixel(at));
    let gizmo = session.gizmos().gizmo(pointing.scale())?;
    let handle = gizmo.handle_at(at)?;
    let drag = session.gizmos().begin_drag(gizmo, handle, session.view().orientation, at)?;
    Some(Held::Handle(Box::new(HandleDrag { drag, at, label: String::new() })))
}

/// Applies the pointer's position to the pose.
fn moved(pointing: &Pointing<'_>, held: &mut Held, commands: &mut Vec<Command>) {
    let Held::Handle(held) = held else { return };
    held.at = pointing.latest().unwrap_or(held.at);
    let snap = pointing.ui.input(|i| match (i.modifiers.command, i.modifiers.shift) {
        (false, _) => Snap::Off,
        (true, false) => Snap::Fine,
        (true, true) => Snap::Coarse,
    });
    let value = held.drag.to(held.at, snap);
    held.label = value.label;
    commands.push(EditCommand::Edit(held.drag.gizmo().node, value.value).into());
}

/// Returns whether the node is still selected whose handle is dragged; if not, the drag ends.
fn keeps(session: &Session, held: &Held, commands: &mut Vec<Command>) -> bool {
    let Held::Handle(held) = held else { return false };
    let keeps = Some(held.drag.gizmo().node) == session.view().selected;
    if !keeps {
        commands.push(EditCommand::EndEdit.into());
    }
    keeps
}

/// Paints the handles of the selected node, or the one that is dragged.
pub(super) fn paint(pointing: &Pointing<'_>, held: Option<&Held>) {
    let ui = pointing.ui;
    let point = |at: Vec2| pointing.point(at);
    match held {
        Some(Held::Handle(held)) => {
            let drag = (&held.drag, held.at, held.label.as_str());
            paint_drag(ui, pointing.session, drag, &point, pointing.seen);
            return;
        }
        Some(_) => return,
        None => {}
    }
    let Some(gizmo) = pointing.session.gizmos().gizmo(pointing.scale()) else { return };
    let is_free = !pointing.is_camera_only && !ui.input(|i| i.pointer.any_down());
    let hover = pointing.response.hover_pos().filter(|_| is_free);
    let hovered = hover.and_then(|at| gizmo.handle_at(pointing.pixel(at)));
    for shape in &gizmo.shapes() {
        paint_shape(ui.painter(), &gizmo, shape, hovered == Some(shape.handle), &point, ui);
        announce(ui, &gizmo, shape, &point, pointing.seen);
    }
    if hovered.is_some() {
        ui.set_cursor_icon(CursorIcon::Grab);
    }
}

//! Drags as gestures: whatever a drag changes is one step that can be undone, and Escape in the middle of it gives everything back as it was.
//! The panels know nothing of this. What they ask for in a pass is looked at when the pass is over.

use egui::{Context, Event, Key};
use skinscope_session::{
    BesideCommand, Command, EditCommand, PaintCommand, PlaceCommand, SelectionCommand, Session, VertexDragCommand,
};

use super::UiState;

/// The drag of the pointer that is under way, as the passes before this one left it.
#[derive(Debug, Default)]
pub(super) struct PointerDrag {
    /// Whether the last pass ended while something was dragged.
    is_on: bool,
    /// Whether a gesture was begun because the drag changed something.
    has_begun: bool,
    /// Whether Escape was pressed. Until the button is released, nobody has the pointer.
    is_given_up: bool,
    /// Whether the pass began with a drag of a handle that follows the pointer without a button. It ends by keys of its own, or by a press.
    is_by_key: bool,
}

/// Begins a pass, before anything else looks at its keys. Escape in the middle of a drag gives up the drag, and does nothing else.
pub(super) fn begin(ctx: &Context, state: &mut UiState) {
    let drag = &mut state.pointer_drag;
    drag.is_by_key = state.viewport.pointer.is_by_key();
    let is_drag = drag.is_on || drag.has_begun || drag.is_given_up;
    // In a text field Escape belongs to what is typed.
    if !is_drag || drag.is_by_key || state.in_text || !ctx.input(|i| i.key_pressed(Key::Escape)) {
        return;
    }
    let is_escape = |event: &Event| matches!(event, Event::Key { key: Key::Escape, pressed: true, .. });
    ctx.input_mut(|i| i.events.retain(|event| !is_escape(event)));
    drag.is_given_up = true;
    state.viewport.pointer.give_up();
    state.dock.drag = None;
}

/// Ends a pass, which has added `commands` from `first` on: those of a drag that was given up go, and around those of a drag that changes
/// something there is one gesture.
pub(super) fn end(ctx: &Context, session: &Session, state: &mut UiState, first: usize, commands: &mut Vec<Command>) {
    let is_by_key = state.pointer_drag.is_by_key || state.viewport.pointer.is_by_key();
    let drag = &mut state.pointer_drag;
    let is_down = ctx.input(|i| i.pointer.any_down());
    let is_dragged = ctx.dragged_id().is_some() || ctx.input(|i| i.pointer.is_decidedly_dragging());
    // Commands of a pass that egui has discarded are not carried out yet.
    let was_open = is_open(session.has_gesture(), commands.get(..first).unwrap_or_default());
    if drag.is_given_up {
        commands.truncate(first);
        if drag.has_begun && was_open {
            commands.push(EditCommand::CancelEdit.into());
        }
        *drag = PointerDrag { is_given_up: is_down, ..PointerDrag::default() };
        return;
    }
    if was_open
        && drag.has_begun
        && let Some(at) = commands.iter().skip(first).position(steps)
    {
        // A step back in the middle of a drag takes back what the drag has changed so far.
        commands.insert(first + at, EditCommand::EndEdit.into());
    }
    if is_down && !is_by_key {
        drag.has_begun |= begin_where_something_changes(was_open, first, commands);
    }
    if !is_down && std::mem::take(&mut drag.has_begun) && is_open(session.has_gesture(), commands) {
        commands.push(EditCommand::EndEdit.into());
    }
    drag.is_on = is_down && is_dragged;
}

/// Begins a gesture before the first command that changes something and belongs to no gesture yet; returns whether there is one. What comes
/// before the end of a step, such as a value that was typed and is taken as the button goes down elsewhere, is no part of the drag.
fn begin_where_something_changes(is_open: bool, first: usize, commands: &mut Vec<Command>) -> bool {
    let new = commands.get(first..).unwrap_or_default();
    let end = new.iter().rposition(ends);
    if is_open && end.is_none() {
        return false;
    }
    let start = first + end.map_or(0, |end| end + 1);
    let Some(at) = commands.iter().skip(start).position(changes) else { return false };
    commands.insert(start + at, EditCommand::BeginEdit.into());
    true
}

/// Returns whether a gesture is under way after these commands.
fn is_open(before: bool, commands: &[Command]) -> bool {
    commands.iter().fold(before, |is_open, command| match command {
        Command::Edit(EditCommand::BeginEdit) => true,
        command => is_open && !ends(command),
    })
}

/// Returns whether a command ends the gesture that is under way, or gives it up.
fn ends(command: &Command) -> bool {
    matches!(command, Command::Edit(EditCommand::EndEdit | EditCommand::CancelEdit))
}

/// Returns whether a command goes back or forward in what was done.
fn steps(command: &Command) -> bool {
    matches!(command, Command::Edit(EditCommand::Undo | EditCommand::Redo))
}

/// Returns whether a command changes something that a gesture gives back, such as what is selected because a limb is pulled. The camera is
/// moved by drags that change nothing.
fn changes(command: &Command) -> bool {
    match command {
        Command::Edit(edit) => *edit != EditCommand::BeginEdit && !ends(command) && !steps(command),
        Command::Beside(beside) => matches!(beside, BesideCommand::SetGap(_)),
        Command::Selection(selection) => matches!(selection, SelectionCommand::Select(_)),
        Command::Paint(paint) => matches!(
            paint,
            PaintCommand::Set(_)
                | PaintCommand::GiveTo(_)
                | PaintCommand::Dab(_)
                | PaintCommand::Flood
                | PaintCommand::Gradient { .. }
                | PaintCommand::Layer(_)
                | PaintCommand::DragVertex(VertexDragCommand::To(_))
        ),
        Command::Place(place) => matches!(
            place,
            PlaceCommand::Add(_)
                | PlaceCommand::Move(..)
                | PlaceCommand::Rename(..)
                | PlaceCommand::Delete(_)
                | PlaceCommand::Hang(..)
                | PlaceCommand::Humanoid
                | PlaceCommand::Replace(_)
        ),
        Command::Posing(_)
        | Command::Keying(_)
        | Command::Control(_)
        | Command::Tool(_)
        | Command::Mark(_)
        | Command::Playback(_)
        | Command::Comparison(_)
        | Command::Example(_)
        | Command::View(_) => true,
        Command::File(_)
        | Command::Library(_)
        | Command::Aside(_)
        | Command::Finding(_)
        | Command::Measure(_)
        | Command::Inspection(_)
        | Command::Camera(_)
        | Command::Window(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use skinscope_session::{CameraCommand, PlaybackCommand};

    use super::*;

    #[test]
    fn a_gesture_begins_before_the_first_change_that_no_step_has_ended() {
        let seek = || Command::from(PlaybackCommand::Seek(0.5));
        let (begin, end) = (Command::from(EditCommand::BeginEdit), Command::from(EditCommand::EndEdit));
        let camera = || Command::from(CameraCommand::FrameAll);
        for (is_open, first, commands, want) in [
            (false, 0, vec![camera(), seek(), seek()], vec![camera(), begin.clone(), seek(), seek()]),
            (true, 0, vec![seek()], vec![seek()]),
            (false, 0, vec![camera()], vec![camera()]),
            // What is typed is a step of its own.
            (false, 0, vec![seek(), end.clone()], vec![seek(), end.clone()]),
            (true, 0, vec![seek(), end.clone(), seek()], vec![seek(), end.clone(), begin.clone(), seek()]),
            (false, 1, vec![seek(), seek()], vec![seek(), begin.clone(), seek()]),
        ] {
            let mut now = commands;
            let begun = begin_where_something_changes(is_open, first, &mut now);
            assert_eq!((begun, &now), (want.contains(&begin), &want));
        }
        assert!(is_open(false, &[begin.clone(), seek()]) && !is_open(true, &[begin, seek(), end]));
    }
}

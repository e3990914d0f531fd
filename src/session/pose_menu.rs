//! The rows of the Pose menu: tools in the picture, and poses as a whole.

use super::command_row::{ctrl_shift, key, row, shift};
use super::{Command, CommandRow, EditCommand, Key, Menu, Orientation, PoseTool, ViewCommand, WindowCommand};

/// They follow those of the Edit menu.
pub(super) static ROWS: &[CommandRow] = &[
    row(
        Menu::Pose,
        "Move",
        key(Key::Char('g')),
        Command::Window(WindowCommand::Grab(PoseTool::Move)),
        "Let the selected node follow the pointer; X, Y, Z choose an axis, a click ends it",
    ),
    row(
        Menu::Pose,
        "Turn",
        key(Key::Char('r')),
        Command::Window(WindowCommand::Grab(PoseTool::Turn)),
        "Turn the selected node with the pointer; X, Y, Z choose an axis, a click ends it",
    ),
    row(
        Menu::Pose,
        "Scale",
        key(Key::Char('s')),
        Command::Window(WindowCommand::Grab(PoseTool::Scale)),
        "Scale the selected node with the pointer; X, Y, Z choose an axis, a click ends it",
    ),
    row(
        Menu::Pose,
        "Camera only",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Select)),
        "A drag in the picture turns the camera and nothing else",
    ),
    row(
        Menu::Pose,
        "Move tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Move)),
        "Show arrows and planes that move the selected node",
    ),
    row(
        Menu::Pose,
        "Turn tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Turn)),
        "Show rings that turn the selected node",
    ),
    row(
        Menu::Pose,
        "Scale tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Scale)),
        "Show boxes that scale the selected node",
    ),
    row(
        Menu::Pose,
        "Pull tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Pull)),
        "Pull a bone, or the skin over it, and the limb follows",
    ),
    row(
        Menu::Pose,
        "Local axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::Local)),
        "Move and turn along the node's own axes",
    ),
    row(
        Menu::Pose,
        "Parent axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::Parent)),
        "Move and turn along the axes of the node above",
    ),
    row(
        Menu::Pose,
        "World axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::World)),
        "Move and turn along the axes of the world",
    ),
    row(
        Menu::Pose,
        "Reset joint",
        shift(Key::Char('r')),
        Command::Edit(EditCommand::ResetJoint),
        "Give the selected joint back to the clip",
    ),
    row(
        Menu::Pose,
        "Reset all",
        ctrl_shift(Key::Char('r')),
        Command::Edit(EditCommand::ResetAll),
        "Give every joint back to the clip",
    ),
    row(
        Menu::Pose,
        "Mirror pose",
        None,
        Command::Edit(EditCommand::MirrorPose),
        "Exchange left and right of the pose that is shown",
    ),
];

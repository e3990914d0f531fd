//! The rows of the Pose menu: tools in the picture, and poses as a whole.

use crate::menus::command_row::{ctrl_shift, key, row, shift};
use crate::{
    Command, CommandRow, EditCommand, FileCommand, FileUse, Key, KeyingCommand, Menu, Orientation, PoseTool,
    PosingCommand, Submenu, ViewCommand, WindowCommand,
};

/// They follow those of the Edit menu.
pub(crate) static ROWS: &[CommandRow] = &[
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
    )
    .in_submenu(Submenu::PoseTools)
    .after_line(),
    row(
        Menu::Pose,
        "Move tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Move)),
        "Show arrows and planes that move the selected node",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Turn tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Turn)),
        "Show rings that turn the selected node",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Scale tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Scale)),
        "Show boxes that scale the selected node",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Pull tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Pull)),
        "Pull a bone, or the skin over it, and the limb follows",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Look tool",
        None,
        Command::View(ViewCommand::SetPoseTool(PoseTool::Look)),
        "Drag from a joint, such as the head, to what its front is to look at",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Local axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::Local)),
        "Move and turn along the node's own axes",
    )
    .in_submenu(Submenu::PoseTools)
    .after_line(),
    row(
        Menu::Pose,
        "Parent axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::Parent)),
        "Move and turn along the axes of the node above",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "World axes",
        None,
        Command::View(ViewCommand::SetOrientation(Orientation::World)),
        "Move and turn along the axes of the world",
    )
    .in_submenu(Submenu::PoseTools),
    row(
        Menu::Pose,
        "Reset joint",
        shift(Key::Char('r')),
        Command::Edit(EditCommand::ResetJoint),
        "Give the selected joint back to the clip",
    )
    .after_line(),
    row(
        Menu::Pose,
        "Reset all",
        ctrl_shift(Key::Char('r')),
        Command::Edit(EditCommand::ResetAll),
        "Give every joint back to the clip",
    ),
    row(
        Menu::Pose,
        "Key this pose",
        shift(Key::Char('k')),
        Command::Keying(KeyingCommand::KeyPose),
        "Make the pose a key at this time of the clip that you make; first of all of a new clip",
    )
    .after_line(),
    row(
        Menu::Pose,
        "Remove key",
        None,
        Command::Keying(KeyingCommand::RemoveKeyHere),
        "Take the key at this time out of the clip that you make",
    ),
    row(
        Menu::Pose,
        "Symmetric editing",
        None,
        Command::Posing(PosingCommand::ToggleSymmetric),
        "What is done to one side is done mirrored to the other: by sliders, in the picture, and by pulling",
    )
    .after_line(),
    row(
        Menu::Pose,
        "Pin joint",
        key(Key::Char('p')),
        Command::Posing(PosingCommand::TogglePinSelected),
        "Let the selected joint stay where it is while joints above it move, or let it go",
    ),
    row(
        Menu::Pose,
        "Hold joint",
        shift(Key::Char('p')),
        Command::Posing(PosingCommand::ToggleHeldSelected),
        "Let the selected joint stay where it is now over the whole clip, its limb following, or let it go",
    ),
    row(Menu::Pose, "Unpin all", None, Command::Posing(PosingCommand::Unpin), "Let all pinned joints go"),
    row(
        Menu::Pose,
        "Obey limits",
        None,
        Command::Posing(PosingCommand::ToggleLimits),
        "Joints turn no farther than their limits: by sliders, in the picture, and by pulling",
    ),
    row(
        Menu::Pose,
        "Mirror pose",
        None,
        Command::Posing(PosingCommand::Mirror),
        "Exchange left and right of the pose that is shown",
    )
    .after_line(),
    row(
        Menu::Pose,
        "Mirror clip",
        None,
        Command::Keying(KeyingCommand::MirrorClip(None)),
        "Add the clip that is shown once more, with left and right exchanged; keys stay keys",
    ),
    row(
        Menu::Pose,
        "Flip pose",
        None,
        Command::Posing(PosingCommand::Flip),
        "Exchange the limb below the selected joint with that on the other side",
    ),
    row(
        Menu::Pose,
        "Copy pose",
        None,
        Command::Posing(PosingCommand::Copy),
        "Remember the pose that is shown, to paste it here or on another model",
    )
    .after_line(),
    row(Menu::Pose, "Paste pose", None, Command::Posing(PosingCommand::Paste), "Show the pose that was copied last"),
    row(
        Menu::Pose,
        "Paste mirrored",
        None,
        Command::Posing(PosingCommand::PasteMirrored),
        "Show the pose that was copied last, with left and right exchanged",
    ),
    row(
        Menu::Pose,
        "Pose library",
        None,
        Command::Window(WindowCommand::ShowPoses),
        "Show the poses of a folder as pictures: a click shows one, in part, added, or on one limb",
    ),
    row(
        Menu::Pose,
        "Load pose…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::LoadPose)),
        "Show the pose of a pose file, of this model or another",
    )
    .after_line(),
    row(
        Menu::Pose,
        "Save pose…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::SavePose)),
        "Write the pose that is shown into a pose file",
    ),
];

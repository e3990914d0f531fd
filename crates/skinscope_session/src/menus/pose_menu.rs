//! The rows of the Pose menu: tools in the picture, and poses as a whole.

use crate::menus::command_row::{ctrl_shift, key, row, rows, shift};
use crate::{
    Command, CommandRow, EditCommand, FileCommand, FileUse, Key, KeyingCommand, Menu, Orientation, PaintCommand,
    PlaceCommand, PoseTool, PosingCommand, Submenu, VertexDragCommand, ViewCommand, WindowCommand,
};

/// They follow those of the Edit menu.
pub(crate) static ROWS: &[CommandRow] = rows! {
    Pose "Move", key(Key::Char('g')), Window(WindowCommand::Grab(PoseTool::Move)):
        "Let the selected node follow the pointer; X, Y, Z choose an axis, a click ends it";
    Pose "Turn", key(Key::Char('r')), Window(WindowCommand::Grab(PoseTool::Turn)):
        "Turn the selected node with the pointer; X, Y, Z choose an axis, a click ends it";
    Pose "Scale", key(Key::Char('s')), Window(WindowCommand::Grab(PoseTool::Scale)):
        "Scale the selected node with the pointer; X, Y, Z choose an axis, a click ends it";
    Pose "Camera only", None, View(ViewCommand::SetPoseTool(PoseTool::Select)) in PoseTools, after_line:
        "A drag in the picture turns the camera and nothing else";
    Pose "Move tool", None, View(ViewCommand::SetPoseTool(PoseTool::Move)) in PoseTools:
        "Show arrows and planes that move the selected node";
    Pose "Turn tool", None, View(ViewCommand::SetPoseTool(PoseTool::Turn)) in PoseTools:
        "Show rings that turn the selected node";
    Pose "Scale tool", None, View(ViewCommand::SetPoseTool(PoseTool::Scale)) in PoseTools:
        "Show boxes that scale the selected node";
    Pose "Pull tool", None, View(ViewCommand::SetPoseTool(PoseTool::Pull)) in PoseTools:
        "Pull a bone, or the skin over it, and the limb follows";
    Pose "Look tool", None, View(ViewCommand::SetPoseTool(PoseTool::Look)) in PoseTools:
        "Drag from a joint, such as the head, to what its front is to look at";
    Pose "Local axes", None, View(ViewCommand::SetOrientation(Orientation::Local)) in PoseTools, after_line:
        "Move and turn along the node's own axes";
    Pose "Parent axes", None, View(ViewCommand::SetOrientation(Orientation::Parent)) in PoseTools:
        "Move and turn along the axes of the node above";
    Pose "World axes", None, View(ViewCommand::SetOrientation(Orientation::World)) in PoseTools:
        "Move and turn along the axes of the world";
    Pose "Place joints", None, Place(PlaceCommand::Use(true)) in PoseTools, after_line:
        "Place joints by clicks into a mesh without a skin, and bind it to them";
    Pose "Drag a vertex", shift(Key::Char('q')), Paint(PaintCommand::DragVertex(VertexDragCommand::Use(true))) in PoseTools:
        "Drag a vertex of the skin to where it should be in this pose; its weights and those around it follow";
    Pose "Reset joint", shift(Key::Char('r')), Edit(EditCommand::ResetJoint), after_line:
        "Give the selected joint back to the clip";
    Pose "Reset all", ctrl_shift(Key::Char('r')), Edit(EditCommand::ResetAll): "Give every joint back to the clip";
    Pose "Key this pose", shift(Key::Char('k')), Keying(KeyingCommand::KeyPose), after_line:
        "Make the pose a key at this time of the clip that you make; first of all of a new clip";
    Pose "Remove key", None, Keying(KeyingCommand::RemoveKeyHere):
        "Take the key at this time out of the clip that you make";
    Pose "Symmetric editing", None, Posing(PosingCommand::ToggleSymmetric), after_line:
        "What is done to one side is done mirrored to the other: by sliders, in the picture, and by pulling";
    Pose "Pin joint", key(Key::Char('p')), Posing(PosingCommand::TogglePinSelected):
        "Let the selected joint stay where it is while joints above it move, or let it go";
    Pose "Hold joint", shift(Key::Char('p')), Posing(PosingCommand::ToggleHeldSelected):
        "Let the selected joint stay where it is now over the whole clip, its limb following, or let it go";
    Pose "Unpin all", None, Posing(PosingCommand::Unpin): "Let all pinned joints go";
    Pose "Obey limits", None, Posing(PosingCommand::ToggleLimits):
        "Joints turn no farther than their limits: by sliders, in the picture, and by pulling";
    Pose "Mirror pose", None, Posing(PosingCommand::Mirror), after_line:
        "Exchange left and right of the pose that is shown";
    Pose "Mirror clip", None, Keying(KeyingCommand::MirrorClip(None)):
        "Add the clip that is shown once more, with left and right exchanged; keys stay keys";
    Pose "Flip pose", None, Posing(PosingCommand::Flip):
        "Exchange the limb below the selected joint with that on the other side";
    Pose "Copy pose", None, Posing(PosingCommand::Copy), after_line:
        "Remember the pose that is shown, to paste it here or on another model";
    Pose "Paste pose", None, Posing(PosingCommand::Paste): "Show the pose that was copied last";
    Pose "Paste mirrored", None, Posing(PosingCommand::PasteMirrored):
        "Show the pose that was copied last, with left and right exchanged";
    Pose "Pose library", None, Window(WindowCommand::ShowPoses):
        "Show the poses of a folder as pictures: a click shows one, in part, added, or on one limb";
    Pose "Load pose…", None, File(FileCommand::AskForFile(FileUse::LoadPose)), after_line:
        "Show the pose of a pose file, of this model or another";
    Pose "Save pose…", None, File(FileCommand::AskForFile(FileUse::SavePose)):
        "Write the pose that is shown into a pose file";
};

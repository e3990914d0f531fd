//! The rows of the menus File and Edit: files, the history of edits, and the selection.

use crate::menus::command_row::{ctrl, ctrl_shift, key, row, rows, shift};
use crate::{
    BesideCommand, ClipNamesCommand, Command, CommandRow, EditCommand, ExportKind, FileCommand, FileUse, Key, Menu,
    SaveKind, SelectionCommand, Submenu, ViewCommand, WindowCommand,
};

/// The rows of File come before those of Edit.
pub(crate) static ROWS: &[CommandRow] = rows! {
    File "Open…", ctrl(Key::Char('o')), File(FileCommand::OpenDialog): "Open a glTF or GLB file";
    File "Open built-in character", None, File(FileCommand::OpenBuiltIn):
        "Open the character that comes with Skinscope";
    File "Next in folder", ctrl(Key::PageDown), File(FileCommand::StepInFolder(1)):
        "Open the next model of the open file's folder, by name";
    File "Previous in folder", ctrl(Key::PageUp), File(FileCommand::StepInFolder(-1)):
        "Open the previous model of the open file's folder, by name";
    // The examples follow these two in the menu.
    File "Next example", shift(Key::PageDown), File(FileCommand::StepExample(1)) in Examples:
        "Open the next example, or the next page of the open page's folder; in a presentation Page Down does so too";
    File "Previous example", shift(Key::PageUp), File(FileCommand::StepExample(-1)) in Examples:
        "Open the previous example, or the previous page of the open page's folder; in a presentation Page Up does so too";
    File "Reload", ctrl(Key::Char('r')), File(FileCommand::Reload): "Read the open file again";
    File "Follow changes", None, Window(WindowCommand::ToggleWatch):
        "Read the open file again, by itself, once another program has changed it or a file that it names; edits stay";
    File "Compare with file…", None, File(FileCommand::CompareDialog):
        "Compare the open file, vertex by vertex, with another one that has the same nodes and vertices";
    File "Open second model…", None, File(FileCommand::BesideDialog) in Beside:
        "Open another file in the same picture, beside the open one: any model, with a clip, pose and selection of its own";
    File "Work on the other model", shift(Key::Char('b')), Beside(BesideCommand::Activate) in Beside:
        "Let all panels and commands be about the other one of two models; a click on it does so too";
    File "In the same place", None, Beside(BesideCommand::ToggleSamePlace) in Beside:
        "Let both models stand in one place, one over the other, or side by side";
    File "At the same height", None, Beside(BesideCommand::ToggleSameHeight) in Beside:
        "Draw the second model as high as the first one, or as large as its file says; its figures stay as they are";
    File "At the same time", None, Beside(BesideCommand::ToggleSameTime) in Beside:
        "Let the clips of both models go on together, or each by itself";
    File "Weights from the model beside…", None, File(FileCommand::WeightsFromBeside) in Beside:
        "Give the model its joints and the weights of its surface, as a garment that it wears; a model with a skin keeps its joints";
    File "Close the other model", None, Beside(BesideCommand::Close) in Beside:
        "Close the model that is not worked on; edits that are in no file are asked about";
    File "Take clips from file…", None, File(FileCommand::ChooseClips):
        "Play the clips of another file on the open model, by the names of joints";
    File "Joints of taken clips…", None, File(FileCommand::ClipNames(ClipNamesCommand::Show)):
        "Show and change which joints of the clips that were taken last are which of the open model";
    File "Save…", ctrl(Key::Char('s')), File(FileCommand::Save(SaveKind::InPlace)), after_line:
        "Write edited weights and new clips into the open file, after saying what will change";
    File "Save as…", ctrl_shift(Key::Char('s')), File(FileCommand::Save(SaveKind::As)):
        "Write the model with edited weights and new clips into another file, and go on with that one";
    File "Save a copy…", None, File(FileCommand::Save(SaveKind::Copy)):
        "Write the model with edited weights and new clips into another file, and go on with the open one";
    File "Open session…", None, File(FileCommand::AskForFile(FileUse::OpenSession)), after_line:
        "Open a model with all that a session file keeps: edits, pose, limits, pins, camera and view";
    File "Save session…", None, File(FileCommand::AskForFile(FileUse::SaveSession)):
        "Write edits, pose, limits, pins, camera and view into a session file; the model stays as it is";
    File "Save picture…", None, File(FileCommand::AskForFile(FileUse::Export(ExportKind::Picture))), after_line:
        "Write the picture into a PNG file, in any size, with or without background";
    File "Copy picture", None, File(FileCommand::CopyPicture): "Put the picture on the clipboard";
    File "Export posed mesh…", None, File(FileCommand::AskForFile(FileUse::Export(ExportKind::Mesh))):
        "Write the surface as it is posed into a GLB, OBJ, PLY or STL file";
    File "Record film…", None, File(FileCommand::AskForFile(FileUse::Export(ExportKind::Film))):
        "Write the clip or a turn of the model as GIF, WebP, APNG, MP4, WebM or numbered pictures";
    File "Quit", ctrl(Key::Char('q')), File(FileCommand::Quit), after_line: "Close the window";
    Edit "Undo", ctrl(Key::Char('z')), Edit(EditCommand::Undo): "Take back the last edit";
    Edit "Redo", ctrl_shift(Key::Char('z')), Edit(EditCommand::Redo): "Bring back the edit taken back last";
    Edit "Undo view change", key(Key::Char('u')), View(ViewCommand::Undo):
        "Take back the last change of switches, overlay, method or look; edits stay";
    Edit "Redo view change", shift(Key::Char('u')), View(ViewCommand::Redo):
        "Bring back the change of the view taken back last";
    Edit "Normalise weights", None, Edit(EditCommand::NormaliseWeights), after_line:
        "Divide the weights of every vertex by their sum";
    Edit "Deselect", key(Key::Escape), Selection(SelectionCommand::Deselect), after_line:
        "Give up the tool, then unpin the vertex, then leave the finding, then select nothing";
    Edit "Select parent", key(Key::PageUp), Selection(SelectionCommand::SelectParent):
        "Select the parent of the selected node";
    Edit "Select child", key(Key::PageDown), Selection(SelectionCommand::SelectChild):
        "Select the first child of the selected node";
    Edit "Find node", ctrl(Key::Char('f')), Window(WindowCommand::FindNode): "Search the list of nodes by name";
    Edit "Find anything…", ctrl(Key::Char('p')), Window(WindowCommand::FindAnything):
        "Find every command, node, clip and overlay by typing";
    Edit "Hide selection", key(Key::Char('h')), View(ViewCommand::HideSelected), after_line:
        "Hide the selected node and all below it";
    Edit "Show all", shift(Key::Char('h')), View(ViewCommand::ShowAll): "Show all that is hidden";
    Edit "Preferences…", ctrl(Key::Char(',')), Window(WindowCommand::ShowPreferences), after_line:
        "Theme, size of the interface, keys and mouse, what opens at the start, units";
};

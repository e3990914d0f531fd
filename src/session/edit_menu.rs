//! The rows of the menus File and Edit: files, the history of edits, and the selection.

use super::command_row::{ctrl, ctrl_shift, key, row, shift};
use super::{
    Command, CommandRow, EditCommand, FileCommand, FileUse, Key, Menu, SaveKind, SelectionCommand, ViewCommand,
    WindowCommand,
};

/// The rows of File come before those of Edit.
pub(super) static ROWS: &[CommandRow] = &[
    row(Menu::File, "Open…", ctrl(Key::Char('o')), Command::File(FileCommand::OpenDialog), "Open a glTF or GLB file"),
    row(
        Menu::File,
        "Open built-in character",
        None,
        Command::File(FileCommand::OpenBuiltIn),
        "Open the character that comes with Skinscope",
    ),
    row(Menu::File, "Reload", ctrl(Key::Char('r')), Command::File(FileCommand::Reload), "Read the open file again"),
    row(
        Menu::File,
        "Follow changes",
        None,
        Command::Window(WindowCommand::ToggleWatch),
        "Read the open file again, by itself, once another program has changed it or a file that it names; edits stay",
    ),
    row(
        Menu::File,
        "Compare with file…",
        None,
        Command::File(FileCommand::CompareDialog),
        "Show another file beside the open one, with the same nodes and vertices",
    ),
    row(
        Menu::File,
        "Save…",
        ctrl(Key::Char('s')),
        Command::File(FileCommand::Save(SaveKind::InPlace)),
        "Write edited weights into the open file, after saying what will change",
    ),
    row(
        Menu::File,
        "Save as…",
        ctrl_shift(Key::Char('s')),
        Command::File(FileCommand::Save(SaveKind::As)),
        "Write the model with edited weights into another file, and go on with that one",
    ),
    row(
        Menu::File,
        "Save a copy…",
        None,
        Command::File(FileCommand::Save(SaveKind::Copy)),
        "Write the model with edited weights into another file, and go on with the open one",
    ),
    row(
        Menu::File,
        "Open session…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::OpenSession)),
        "Open a model with all that a session file keeps: edits, pose, limits, pins, camera and view",
    ),
    row(
        Menu::File,
        "Save session…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::SaveSession)),
        "Write edits, pose, limits, pins, camera and view into a session file; the model stays as it is",
    ),
    row(Menu::File, "Quit", ctrl(Key::Char('q')), Command::File(FileCommand::Quit), "Close the window"),
    row(Menu::Edit, "Undo", ctrl(Key::Char('z')), Command::Edit(EditCommand::Undo), "Take back the last edit"),
    row(
        Menu::Edit,
        "Redo",
        ctrl_shift(Key::Char('z')),
        Command::Edit(EditCommand::Redo),
        "Bring back the edit taken back last",
    ),
    row(
        Menu::Edit,
        "Normalise weights",
        None,
        Command::Edit(EditCommand::NormaliseWeights),
        "Divide the weights of every vertex by their sum",
    ),
    row(
        Menu::Edit,
        "Deselect",
        key(Key::Escape),
        Command::Selection(SelectionCommand::Deselect),
        "Give up the tool, then unpin the vertex, then leave the finding, then select nothing",
    ),
    row(
        Menu::Edit,
        "Select parent",
        key(Key::PageUp),
        Command::Selection(SelectionCommand::SelectParent),
        "Select the parent of the selected node",
    ),
    row(
        Menu::Edit,
        "Select child",
        key(Key::PageDown),
        Command::Selection(SelectionCommand::SelectChild),
        "Select the first child of the selected node",
    ),
    row(
        Menu::Edit,
        "Find node",
        ctrl(Key::Char('f')),
        Command::Window(WindowCommand::FindNode),
        "Search the list of nodes by name",
    ),
    row(
        Menu::Edit,
        "Find anything…",
        ctrl(Key::Char('p')),
        Command::Window(WindowCommand::FindAnything),
        "Find every command, node, clip and overlay by typing",
    ),
    row(
        Menu::Edit,
        "Hide selection",
        key(Key::Char('h')),
        Command::View(ViewCommand::HideSelected),
        "Hide the selected node and all below it",
    ),
    row(Menu::Edit, "Show all", shift(Key::Char('h')), Command::View(ViewCommand::ShowAll), "Show all that is hidden"),
];

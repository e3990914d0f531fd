//! The rows of the menus File and Edit: files, the history of edits, and the selection.

use crate::menus::command_row::{ctrl, ctrl_shift, key, row, shift};
use crate::{
    BesideCommand, ClipNamesCommand, Command, CommandRow, EditCommand, ExportKind, FileCommand, FileUse, Key, Menu,
    SaveKind, SelectionCommand, Submenu, ViewCommand, WindowCommand,
};

/// The rows of File come before those of Edit.
pub(crate) static ROWS: &[CommandRow] = &[
    row(Menu::File, "Open…", ctrl(Key::Char('o')), Command::File(FileCommand::OpenDialog), "Open a glTF or GLB file"),
    row(
        Menu::File,
        "Open built-in character",
        None,
        Command::File(FileCommand::OpenBuiltIn),
        "Open the character that comes with Skinscope",
    ),
    row(
        Menu::File,
        "Next in folder",
        ctrl(Key::PageDown),
        Command::File(FileCommand::StepInFolder(1)),
        "Open the next model of the open file's folder, by name",
    ),
    row(
        Menu::File,
        "Previous in folder",
        ctrl(Key::PageUp),
        Command::File(FileCommand::StepInFolder(-1)),
        "Open the previous model of the open file's folder, by name",
    ),
    // The examples follow these two in the menu.
    row(
        Menu::File,
        "Next example",
        shift(Key::PageDown),
        Command::File(FileCommand::StepExample(1)),
        "Open the next example, or the next page of the open page's folder; in a presentation Page Down does so too",
    )
    .in_submenu(Submenu::Examples),
    row(
        Menu::File,
        "Previous example",
        shift(Key::PageUp),
        Command::File(FileCommand::StepExample(-1)),
        "Open the previous example, or the previous page of the open page's folder; in a presentation Page Up does so too",
    )
    .in_submenu(Submenu::Examples),
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
        "Compare the open file, vertex by vertex, with another one that has the same nodes and vertices",
    ),
    row(
        Menu::File,
        "Open second model…",
        None,
        Command::File(FileCommand::BesideDialog),
        "Open another file in the same picture, beside the open one: any model, with a clip, pose and selection of its own",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "Work on the other model",
        shift(Key::Char('b')),
        Command::Beside(BesideCommand::Activate),
        "Let all panels and commands be about the other one of two models; a click on it does so too",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "In the same place",
        None,
        Command::Beside(BesideCommand::ToggleSamePlace),
        "Let both models stand in one place, one over the other, or side by side",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "At the same height",
        None,
        Command::Beside(BesideCommand::ToggleSameHeight),
        "Draw the second model as high as the first one, or as large as its file says; its figures stay as they are",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "At the same time",
        None,
        Command::Beside(BesideCommand::ToggleSameTime),
        "Let the clips of both models go on together, or each by itself",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "Close the other model",
        None,
        Command::Beside(BesideCommand::Close),
        "Close the model that is not worked on; edits that are in no file are asked about",
    )
    .in_submenu(Submenu::Beside),
    row(
        Menu::File,
        "Take clips from file…",
        None,
        Command::File(FileCommand::ChooseClips),
        "Play the clips of another file on the open model, by the names of joints",
    ),
    row(
        Menu::File,
        "Joints of taken clips…",
        None,
        Command::File(FileCommand::ClipNames(ClipNamesCommand::Show)),
        "Show and change which joints of the clips that were taken last are which of the open model",
    ),
    row(
        Menu::File,
        "Save…",
        ctrl(Key::Char('s')),
        Command::File(FileCommand::Save(SaveKind::InPlace)),
        "Write edited weights and new clips into the open file, after saying what will change",
    )
    .after_line(),
    row(
        Menu::File,
        "Save as…",
        ctrl_shift(Key::Char('s')),
        Command::File(FileCommand::Save(SaveKind::As)),
        "Write the model with edited weights and new clips into another file, and go on with that one",
    ),
    row(
        Menu::File,
        "Save a copy…",
        None,
        Command::File(FileCommand::Save(SaveKind::Copy)),
        "Write the model with edited weights and new clips into another file, and go on with the open one",
    ),
    row(
        Menu::File,
        "Open session…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::OpenSession)),
        "Open a model with all that a session file keeps: edits, pose, limits, pins, camera and view",
    )
    .after_line(),
    row(
        Menu::File,
        "Save session…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::SaveSession)),
        "Write edits, pose, limits, pins, camera and view into a session file; the model stays as it is",
    ),
    row(
        Menu::File,
        "Save picture…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::Export(ExportKind::Picture))),
        "Write the picture into a PNG file, in any size, with or without background",
    )
    .after_line(),
    row(Menu::File, "Copy picture", None, Command::File(FileCommand::CopyPicture), "Put the picture on the clipboard"),
    row(
        Menu::File,
        "Export posed mesh…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::Export(ExportKind::Mesh))),
        "Write the surface as it is posed into a GLB, OBJ, PLY or STL file",
    ),
    row(
        Menu::File,
        "Record film…",
        None,
        Command::File(FileCommand::AskForFile(FileUse::Export(ExportKind::Film))),
        "Write the clip or a turn of the model as GIF, WebP, APNG, MP4, WebM or numbered pictures",
    ),
    row(Menu::File, "Quit", ctrl(Key::Char('q')), Command::File(FileCommand::Quit), "Close the window").after_line(),
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
        "Undo view change",
        key(Key::Char('u')),
        Command::View(ViewCommand::Undo),
        "Take back the last change of switches, overlay, method or look; edits stay",
    ),
    row(
        Menu::Edit,
        "Redo view change",
        shift(Key::Char('u')),
        Command::View(ViewCommand::Redo),
        "Bring back the change of the view taken back last",
    ),
    row(
        Menu::Edit,
        "Normalise weights",
        None,
        Command::Edit(EditCommand::NormaliseWeights),
        "Divide the weights of every vertex by their sum",
    )
    .after_line(),
    row(
        Menu::Edit,
        "Deselect",
        key(Key::Escape),
        Command::Selection(SelectionCommand::Deselect),
        "Give up the tool, then unpin the vertex, then leave the finding, then select nothing",
    )
    .after_line(),
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
    )
    .after_line(),
    row(Menu::Edit, "Show all", shift(Key::Char('h')), Command::View(ViewCommand::ShowAll), "Show all that is hidden"),
    row(
        Menu::Edit,
        "Preferences…",
        ctrl(Key::Char(',')),
        Command::Window(WindowCommand::ShowPreferences),
        "Theme, size of the interface, keys and mouse, what opens at the start, units",
    )
    .after_line(),
];

//! The table of menus and keys: every command without a value of its own, once, with its label, help and key.

use std::sync::LazyLock;

use super::{
    CameraCommand, Command, CommandRow, ComparisonCommand, EditCommand, FileCommand, Key, Lighting, MarkCommand,
    MarkTool, Menu, Panel, PlaybackCommand, PoseSource, SaveKind, SelectionCommand, Shortcut, Toggle, ToolCommand,
    ViewCommand, ViewFrom, WindowCommand, pose_menu,
};
use crate::edit::OPERATIONS;
use crate::inspect::{BoneShape, OVERLAYS, Overlay};

const fn plain(c: char) -> Shortcut {
    Shortcut { key: Key::Char(c), ctrl: false, shift: false }
}

pub(super) const fn key(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: false })
}

pub(super) const fn ctrl(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: false })
}

pub(super) const fn shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: true })
}

pub(super) const fn ctrl_shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: true })
}

pub(super) const fn row(
    menu: Menu,
    label: &'static str,
    shortcut: Option<Shortcut>,
    command: Command,
    help: &'static str,
) -> CommandRow {
    CommandRow { command, label, help, shortcut, menu }
}

/// Every command without a value of its own; menus, tooltips, keys and the README's table all come from here.
pub static COMMANDS: LazyLock<Vec<CommandRow>> = LazyLock::new(|| {
    let overlay = |o: &&Overlay| {
        row(Menu::Overlay, o.label, o.key.map(plain), Command::View(ViewCommand::ToggleOverlay(o.id)), o.help)
    };
    let (before, after) = ROWS.split_at(ROWS.iter().position(|r| r.menu == Menu::Overlay).map_or(0, |i| i + 1));
    let tools = OPERATIONS.iter().filter(|operation| operation.is_of_weights()).map(|operation| {
        row(Menu::Tools, operation.tool, None, Command::Tool(ToolCommand::Choose(Some(operation.id))), operation.help)
    });
    let (edit, view) = before.split_at(before.iter().position(|r| r.menu == Menu::View).unwrap_or(before.len()));
    let rows = edit.iter().chain(pose_menu::ROWS).chain(view).cloned().chain(OVERLAYS.iter().map(overlay));
    rows.chain(after.iter().cloned()).chain(tools).chain(MARKS.iter().cloned()).collect()
});

/// All rows but the overlays, which follow the first row of their menu.
static ROWS: &[CommandRow] = &[
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
        "Hide selection",
        key(Key::Char('h')),
        Command::View(ViewCommand::HideSelected),
        "Hide the selected node and all below it",
    ),
    row(Menu::Edit, "Show all", shift(Key::Char('h')), Command::View(ViewCommand::ShowAll), "Show all that is hidden"),
    row(
        Menu::View,
        "Bones",
        key(Key::Char('b')),
        Command::View(ViewCommand::Toggle(Toggle::Bones)),
        "Draw the skeleton over the skin",
    ),
    row(
        Menu::View,
        "Joint axes",
        key(Key::Char('a')),
        Command::View(ViewCommand::Toggle(Toggle::Axes)),
        "Draw the axes of the joints",
    ),
    row(
        Menu::View,
        "Joint names",
        key(Key::Char('n')),
        Command::View(ViewCommand::Toggle(Toggle::Names)),
        "Write the names of the joints",
    ),
    row(Menu::View, "Grid", shift(Key::Char('g')), Command::View(ViewCommand::Toggle(Toggle::Grid)), "Draw the ground"),
    row(
        Menu::View,
        "Wireframe",
        key(Key::Char('e')),
        Command::View(ViewCommand::Toggle(Toggle::Wireframe)),
        "Draw the edges of the triangles",
    ),
    row(Menu::View, "Mesh", key(Key::Char('m')), Command::View(ViewCommand::Toggle(Toggle::Mesh)), "Draw the surface"),
    row(
        Menu::View,
        "Octahedra",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Octahedra)),
        "Draw bones thick near the joint, pointed at the next one",
    ),
    row(
        Menu::View,
        "Sticks",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Sticks)),
        "Draw bones as sticks",
    ),
    row(
        Menu::View,
        "Lines",
        None,
        Command::View(ViewCommand::SetBoneShape(BoneShape::Lines)),
        "Draw bones as thin lines",
    ),
    row(
        Menu::View,
        "Deforming joints only",
        None,
        Command::View(ViewCommand::ToggleDeformingOnly),
        "Leave out the bones of joints that move no vertex",
    ),
    row(
        Menu::View,
        "Frame selection",
        key(Key::Char('f')),
        Command::Camera(CameraCommand::FrameSelected),
        "Bring the selected joint into view",
    ),
    row(
        Menu::View,
        "Frame all",
        key(Key::Home),
        Command::Camera(CameraCommand::FrameAll),
        "Bring the whole posed model into view",
    ),
    row(
        Menu::View,
        "Frame everything",
        shift(Key::Home),
        Command::Camera(CameraCommand::FrameEverything),
        "Bring into view what lies far outside of the model too",
    ),
    row(
        Menu::View,
        "Front",
        key(Key::Numpad(1)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Front)),
        "Look from the front (+Z)",
    ),
    row(
        Menu::View,
        "Back",
        ctrl(Key::Numpad(1)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Back)),
        "Look from the back (−Z)",
    ),
    row(
        Menu::View,
        "Right",
        key(Key::Numpad(3)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Right)),
        "Look from +X",
    ),
    row(
        Menu::View,
        "Left",
        ctrl(Key::Numpad(3)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Left)),
        "Look from −X",
    ),
    row(
        Menu::View,
        "Top",
        key(Key::Numpad(7)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Top)),
        "Look from above",
    ),
    row(
        Menu::View,
        "Bottom",
        ctrl(Key::Numpad(7)),
        Command::Camera(CameraCommand::LookFrom(ViewFrom::Bottom)),
        "Look from below",
    ),
    row(
        Menu::View,
        "Orthographic",
        key(Key::Numpad(5)),
        Command::Camera(CameraCommand::ToggleOrthographic),
        "Switch between perspective and orthographic",
    ),
    row(
        Menu::View,
        "Next camera",
        key(Key::Numpad(0)),
        Command::Camera(CameraCommand::NextCamera),
        "Look through the next camera of the file; after the last one, from your own place",
    ),
    row(
        Menu::View,
        "Studio light",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::Studio)),
        "Light the model by a studio that turns with you",
    ),
    row(
        Menu::View,
        "Lights of the file",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::File)),
        "Light the model by the lights of the file alone",
    ),
    row(
        Menu::View,
        "Studio and file lights",
        None,
        Command::View(ViewCommand::SetLighting(Lighting::Both)),
        "Light the model by the studio and the lights of the file",
    ),
    row(Menu::View, "No crowd", None, Command::View(ViewCommand::SetCrowd(1)), "Show the model alone"),
    row(
        Menu::View,
        "Crowd of 10",
        None,
        Command::View(ViewCommand::SetCrowd(10)),
        "Show ten of it, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Crowd of 100",
        None,
        Command::View(ViewCommand::SetCrowd(100)),
        "Show a hundred, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Crowd of 500",
        None,
        Command::View(ViewCommand::SetCrowd(500)),
        "Show five hundred, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Crowd of 1000",
        None,
        Command::View(ViewCommand::SetCrowd(1000)),
        "Show a thousand of it, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Compare",
        key(Key::Char('x')),
        Command::Comparison(ComparisonCommand::Toggle),
        "Compare two deformation methods, or edited weights with stored ones, in one picture",
    ),
    row(
        Menu::View,
        "Outliner",
        ctrl(Key::Char('1')),
        Command::Window(WindowCommand::TogglePanel(Panel::Outliner)),
        "Show or hide the list of nodes",
    ),
    row(
        Menu::View,
        "Inspector",
        ctrl(Key::Char('2')),
        Command::Window(WindowCommand::TogglePanel(Panel::Inspector)),
        "Show or hide the sliders and figures",
    ),
    row(
        Menu::View,
        "Timeline",
        ctrl(Key::Char('3')),
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline)),
        "Show or hide the timeline",
    ),
    row(
        Menu::View,
        "Tables",
        ctrl(Key::Char('4')),
        Command::Window(WindowCommand::TogglePanel(Panel::Tables)),
        "Show or hide the tables of joints, vertices, matrices and skins",
    ),
    row(
        Menu::View,
        "Weight tools",
        ctrl(Key::Char('5')),
        Command::Tool(ToolCommand::TogglePanel),
        "Show or hide the tools that change weights",
    ),
    row(
        Menu::View,
        "Light theme",
        ctrl(Key::Char('t')),
        Command::Window(WindowCommand::ToggleTheme),
        "Switch between dark and light",
    ),
    row(
        Menu::Overlay,
        "Shaded",
        shift(Key::Char('s')),
        Command::View(ViewCommand::SetOverlay(None)),
        "Show materials and light",
    ),
    row(
        Menu::Overlay,
        "With children",
        key(Key::Char('c')),
        Command::View(ViewCommand::Toggle(Toggle::WithChildren)),
        "Let the selected joint stand for all joints below it too",
    ),
    row(
        Menu::Overlay,
        "Influenced only",
        key(Key::Char('o')),
        Command::View(ViewCommand::Toggle(Toggle::InfluencedOnly)),
        "Dim what the selected joint does not move",
    ),
    row(
        Menu::Overlay,
        "Shared in black",
        None,
        Command::View(ViewCommand::Toggle(Toggle::SharedBlack)),
        "Dominant joint: paint triangles black whose vertices several joints move, instead of mixing the colours",
    ),
    row(
        Menu::Overlay,
        "Vertex dots",
        key(Key::Char('v')),
        Command::View(ViewCommand::Toggle(Toggle::Vertices)),
        "Draw vertices as dots",
    ),
    row(
        Menu::Playback,
        "Play or pause",
        key(Key::Space),
        Command::Playback(PlaybackCommand::TogglePlay),
        "Play or pause the clip",
    ),
    row(
        Menu::Playback,
        "Next frame",
        key(Key::Right),
        Command::Playback(PlaybackCommand::StepFrames(1)),
        "One frame forward",
    ),
    row(
        Menu::Playback,
        "Previous frame",
        key(Key::Left),
        Command::Playback(PlaybackCommand::StepFrames(-1)),
        "One frame back",
    ),
    row(
        Menu::Playback,
        "Next key",
        key(Key::Up),
        Command::Playback(PlaybackCommand::NextKey),
        "To the next key of the selected joint",
    ),
    row(
        Menu::Playback,
        "Previous key",
        key(Key::Down),
        Command::Playback(PlaybackCommand::PreviousKey),
        "To the previous key of the selected joint",
    ),
    row(
        Menu::Playback,
        "To start",
        shift(Key::Left),
        Command::Playback(PlaybackCommand::ToStart),
        "To the start of the clip",
    ),
    row(
        Menu::Playback,
        "To end",
        shift(Key::Right),
        Command::Playback(PlaybackCommand::ToEnd),
        "To the end of the clip",
    ),
    row(
        Menu::Playback,
        "Next clip",
        shift(Key::Down),
        Command::Playback(PlaybackCommand::StepClip(1)),
        "Show the next clip of the file",
    ),
    row(
        Menu::Playback,
        "Previous clip",
        shift(Key::Up),
        Command::Playback(PlaybackCommand::StepClip(-1)),
        "Show the previous clip of the file",
    ),
    row(
        Menu::Playback,
        "Rest pose",
        None,
        Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest)),
        "The node transforms stored in the file",
    ),
    row(
        Menu::Playback,
        "Bind pose",
        None,
        Command::Playback(PlaybackCommand::SetPose(PoseSource::Bind)),
        "The pose that the inverse bind matrices invert",
    ),
    row(
        Menu::Playback,
        "Clip pose",
        None,
        Command::Playback(PlaybackCommand::SetPose(PoseSource::Clip)),
        "The clip at the current time",
    ),
    row(Menu::Help, "Keys", key(Key::F1), Command::Window(WindowCommand::ShowShortcuts), "What every key does"),
    row(Menu::Help, "About Skinscope", None, Command::Window(WindowCommand::ShowAbout), "Version and licences"),
];

/// Rows about marks, in the menu of tools.
static MARKS: &[CommandRow] = &[
    row(
        Menu::Tools,
        "Mark by box",
        key(Key::Char('k')),
        Command::Mark(MarkCommand::Use(Some(MarkTool::Box))),
        "Let a drag over the picture mark the vertices in a box, and a click the nearest one",
    ),
    row(
        Menu::Tools,
        "Mark by lasso",
        None,
        Command::Mark(MarkCommand::Use(Some(MarkTool::Lasso))),
        "Let a drag over the picture mark the vertices inside of the line",
    ),
    row(
        Menu::Tools,
        "Mark by circle",
        None,
        Command::Mark(MarkCommand::Use(Some(MarkTool::Circle))),
        "Let a drag over the picture mark the vertices in a circle",
    ),
    row(
        Menu::Tools,
        "Mark through",
        None,
        Command::Mark(MarkCommand::ToggleThrough),
        "Mark also vertices that the surface hides",
    ),
    row(Menu::Tools, "Mark all", None, Command::Mark(MarkCommand::All), "Mark every vertex with weights"),
    row(Menu::Tools, "Mark none", None, Command::Mark(MarkCommand::None), "Mark nothing"),
    row(
        Menu::Tools,
        "Invert marks",
        None,
        Command::Mark(MarkCommand::Invert),
        "Mark what is not marked, and nothing else",
    ),
    row(
        Menu::Tools,
        "Grow marks",
        None,
        Command::Mark(MarkCommand::Grow),
        "Mark the neighbours of marked vertices too",
    ),
    row(
        Menu::Tools,
        "Shrink marks",
        None,
        Command::Mark(MarkCommand::Shrink),
        "Unmark vertices that have a neighbour without a mark",
    ),
    row(
        Menu::Tools,
        "Mark what the joint moves",
        None,
        Command::Mark(MarkCommand::OfJoint),
        "Mark the vertices that the selected joint moves",
    ),
];

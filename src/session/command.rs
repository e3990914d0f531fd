//! Everything a user can ask for, as plain data. Buttons, keys, menus and tests all send these.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use glam::Vec2;

use super::edits::{ChannelKind, ChannelValue};
use super::playback::{LoopMode, PoseSource};
use super::view::{Antialiasing, Lighting, Toggle, ViewFrom};
use crate::inspect::rom::RomOptions;
use crate::inspect::{BoneShape, OVERLAYS, Overlay, VertexRef, VertexSet};
use crate::math::Ramp;
use crate::model::{ClipId, NodeId};

/// One wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Ask for a file, then open it.
    OpenDialog,
    /// Open this file.
    Open(PathBuf),
    /// Open the character that comes with the program.
    OpenBuiltIn,
    /// Read the open file again.
    Reload,
    /// Stop the load that is under way.
    CancelLoad,
    /// Close the window.
    Quit,

    /// One pose edit back.
    Undo,
    /// One pose edit forward.
    Redo,
    /// Replace a channel of a node. Those of one drag end with [`Command::EndEdit`].
    Edit(NodeId, ChannelValue),
    /// Replace a morph weight, by its place in [`crate::model::LocalPose::morph_weights`].
    EditMorph(usize, f32),
    /// The drag is over: what follows is another undo step.
    EndEdit,
    /// Give one channel back to the clip.
    ResetChannel(NodeId, ChannelKind),
    /// Give one morph weight back to the clip.
    ResetMorph(usize),
    /// Give all channels of the selected joint back.
    ResetJoint,
    /// Give everything back.
    ResetAll,
    /// Weights divided by their sums, or as stored.
    ToggleNormaliseWeights,

    /// Play or pause.
    TogglePlay,
    /// Show this clip from its start.
    SetClip(ClipId),
    /// The next (+1) or previous (−1) clip of the file.
    StepClip(i32),
    /// Seconds on the clip's timeline.
    Seek(f32),
    /// Frames forward or back; pauses.
    StepFrames(i32),
    /// To the nearest earlier key of the selected joint (or of all); pauses.
    PreviousKey,
    /// To the nearest later key.
    NextKey,
    /// To the start.
    ToStart,
    /// To the end.
    ToEnd,
    /// −4…4.
    SetSpeed(f32),
    /// At the end of the clip.
    SetLoop(LoopMode),
    /// Frames per second of counter and steps.
    SetFps(f32),
    /// Rest pose, bind pose or clip.
    SetPose(PoseSource),

    /// Select a node, or nothing.
    Select(Option<NodeId>),
    /// Select the parent of the selected node.
    SelectParent,
    /// Select the first child of the selected node.
    SelectChild,
    /// The pointer is over this node.
    Hover(Option<NodeId>),
    /// Select what is under this point of the viewport (pixels from its top left): a bone, or else the joint that moves the
    /// skin there most, with the vertex pinned.
    PickAt(Vec2),
    /// The same without regard to bones.
    PinAt(Vec2),
    /// Unpin the vertex; where none is pinned, leave the finding that is shown; where none is, select nothing.
    Deselect,
    /// Explain this vertex, or none.
    Pin(Option<VertexRef>),
    /// Let these vertices stand out.
    Mark(Arc<VertexSet>),
    /// Pose, mark, select and frame a finding, by its place in [`super::Document::findings`].
    ShowFinding(usize),
    /// Back to what was seen before a finding was shown; [`Command::Select`] of nothing does so too.
    LeaveFinding,
    /// Look for a node by its name: to the search above the list of nodes.
    FindNode,
    /// Drive every joint through its limits and list where the skin suffers most.
    RunRom(RomOptions),
    /// Stop the range of motion that is under way.
    CancelRom,
    /// Look for what is wrong with the open model.
    Inspect,
    /// Stop that.
    CancelInspect,
    /// Shows an overlay, by [`crate::inspect::Overlay::id`]; `None`: materials and light.
    SetOverlay(Option<&'static str>),
    /// Shows an overlay, or goes back to materials and light where that overlay is shown.
    ToggleOverlay(&'static str),
    /// The most influences of a vertex that a runtime can use, 1…8.
    SetInfluenceLimit(usize),
    /// Colours of the heat map.
    SetRamp(Ramp),
    /// Bones, axes, names, grid, wireframe…
    Toggle(Toggle),
    /// Sets the shape in which bones are drawn.
    SetBoneShape(BoneShape),
    /// Sets how thick bones are, as a factor of the usual: [`super::View::BONE_SIZES`].
    SetBoneSize(f32),
    /// Bones for joints that move some vertex, or for all.
    ToggleDeformingOnly,
    /// How opaque the surface is, 0…1.
    SetSkinOpacity(f32),
    /// Hide a node with all below it, or show it again.
    ToggleHidden(NodeId),
    /// Hide the selected node with all below it.
    HideSelected,
    /// Show all that is hidden.
    ShowAll,
    /// By [`crate::deform::Method::id`].
    SetMethod(&'static str),
    /// Which scene of the file.
    SetScene(usize),
    /// Which of the file's material variants is shown; `None`: its materials as they stand.
    SetVariant(Option<usize>),
    /// The size of the viewport, pixels.
    SetViewport(Vec2),
    /// Turn the camera: pixels of a drag.
    Orbit(Vec2),
    /// Move the camera sideways: pixels of a drag.
    Pan(Vec2),
    /// Come nearer (positive) or back, steps of the wheel: what is seen at this point of the viewport (pixels from its top
    /// left) stays there.
    Zoom(f32, Vec2),
    /// Frame the selected joint, what it moves, and some of what is around.
    FrameSelected,
    /// Frame the marked vertices and some of what is around.
    FrameMarked,
    /// Frame the model as deformed, but for what lies far outside of it.
    FrameAll,
    /// Frame the model and what lies far outside of it.
    FrameEverything,
    /// Look along an axis.
    LookFrom(ViewFrom),
    /// Perspective or orthographic.
    ToggleOrthographic,
    /// Look through a camera of the file, by its place in [`crate::model::ModelParts::camera_nodes`], or from the own place.
    SetCamera(Option<usize>),
    /// The file's next camera; after the last one, the own place.
    NextCamera,
    /// Chooses the lights.
    SetLighting(Lighting),
    /// Chooses whether edges are smoothed.
    SetAntialiasing(Antialiasing),
    /// How many of the model are shown, each at a phase of its own: 1…[`super::MOST_MEMBERS`].
    SetCrowd(u32),

    /// Dark or light.
    ToggleTheme,
    /// Show or hide a panel.
    TogglePanel(Panel),
    /// Keys and what they do.
    ShowShortcuts,
    /// Shows name, version and licence of the program.
    ShowAbout,
}

/// Panels that can be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the labels of the menu")]
pub enum Panel {
    Outliner,
    Inspector,
    Timeline,
    Tables,
}

/// Work that [`super::Session::apply`] leaves to the application.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask for a file.
    OpenDialog,
    /// Load this file in the background.
    Open(PathBuf),
    /// Load the built-in character.
    OpenBuiltIn,
    /// Load again what was loaded last.
    Reload,
    /// Look again for what is wrong with the open model: what to look for has changed.
    Inspect,
    /// Stop loading.
    CancelLoad,
    /// Measure the range of motion of the stored model in the background.
    RunRom(RomOptions),
    /// Stop that.
    CancelRom,
    /// Stop looking for what is wrong with the open model.
    CancelInspect,
    /// Close the window.
    Quit,
    /// Change the look of the window itself.
    ToggleTheme,
    /// Show or hide a panel.
    TogglePanel(Panel),
    /// Give the focus to the search above the list of nodes.
    FindNode,
    /// Show the list of keys.
    ShowShortcuts,
    /// Show what program this is.
    ShowAbout,
}

/// A key, named by what is printed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the keys")]
pub enum Key {
    Char(char),
    /// A digit of the number pad, or the same digit of the top row.
    Numpad(u8),
    Space,
    Home,
    End,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    F1,
    Escape,
}

/// A key with what is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcut {
    /// The key.
    pub key: Key,
    /// Ctrl (Cmd on a Mac).
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
}

impl std::fmt::Display for Shortcut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl+")?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.key {
            Key::Char(c) => write!(f, "{}", c.to_ascii_uppercase()),
            Key::Numpad(n) => write!(f, "Numpad {n}"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::Escape => f.write_str("Esc"),
            key => write!(f, "{key:?}"),
        }
    }
}

/// The menu in which a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles of the menus")]
pub enum Menu {
    File,
    Edit,
    View,
    Overlay,
    Playback,
    Help,
}

/// A row of [`COMMANDS`].
#[derive(Clone, Debug)]
pub struct CommandRow {
    /// The command that the row sends.
    pub command: Command,
    /// The label in the menu.
    pub label: &'static str,
    /// One sentence, for tooltips and the list of keys.
    pub help: &'static str,
    /// The key.
    pub shortcut: Option<Shortcut>,
    /// The menu.
    pub menu: Menu,
}

const fn plain(c: char) -> Shortcut {
    Shortcut { key: Key::Char(c), ctrl: false, shift: false }
}

const fn key(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: false })
}

const fn ctrl(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: false })
}

const fn shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: false, shift: true })
}

const fn ctrl_shift(key: Key) -> Option<Shortcut> {
    Some(Shortcut { key, ctrl: true, shift: true })
}

const fn row(
    menu: Menu,
    label: &'static str,
    shortcut: Option<Shortcut>,
    command: Command,
    help: &'static str,
) -> CommandRow {
    CommandRow { command, label, help, shortcut, menu }
}

/// Every command without a value of its own: menus, tooltips, keys, the README's table all come from here.
pub static COMMANDS: LazyLock<Vec<CommandRow>> = LazyLock::new(|| {
    let overlay = |o: &&Overlay| row(Menu::Overlay, o.label, o.key.map(plain), Command::ToggleOverlay(o.id), o.help);
    let (before, after) = ROWS.split_at(ROWS.iter().position(|r| r.menu == Menu::Overlay).map_or(0, |i| i + 1));
    before.iter().cloned().chain(OVERLAYS.iter().map(overlay)).chain(after.iter().cloned()).collect()
});

/// All but the overlays, which follow the first of their menu.
static ROWS: &[CommandRow] = &[
    row(Menu::File, "Open…", ctrl(Key::Char('o')), Command::OpenDialog, "Open a glTF or GLB file"),
    row(
        Menu::File,
        "Open built-in character",
        None,
        Command::OpenBuiltIn,
        "Open the character that comes with Skinscope",
    ),
    row(Menu::File, "Reload", ctrl(Key::Char('r')), Command::Reload, "Read the open file again"),
    row(Menu::File, "Quit", ctrl(Key::Char('q')), Command::Quit, "Close the window"),
    row(Menu::Edit, "Undo", ctrl(Key::Char('z')), Command::Undo, "Take back the last pose edit"),
    row(Menu::Edit, "Redo", ctrl_shift(Key::Char('z')), Command::Redo, "Bring back the pose edit taken back last"),
    row(
        Menu::Edit,
        "Reset joint",
        key(Key::Char('r')),
        Command::ResetJoint,
        "Give the selected joint back to the clip",
    ),
    row(Menu::Edit, "Reset all", ctrl_shift(Key::Char('r')), Command::ResetAll, "Give every joint back to the clip"),
    row(
        Menu::Edit,
        "Normalise weights",
        None,
        Command::ToggleNormaliseWeights,
        "Divide the weights of every vertex by their sum; off: as the file stores them",
    ),
    row(
        Menu::Edit,
        "Deselect",
        key(Key::Escape),
        Command::Deselect,
        "Unpin the vertex, then leave the finding, then select nothing",
    ),
    row(Menu::Edit, "Select parent", key(Key::PageUp), Command::SelectParent, "Select the parent of the selected node"),
    row(
        Menu::Edit,
        "Select child",
        key(Key::PageDown),
        Command::SelectChild,
        "Select the first child of the selected node",
    ),
    row(Menu::Edit, "Find node", ctrl(Key::Char('f')), Command::FindNode, "Search the list of nodes by name"),
    row(
        Menu::Edit,
        "Hide selection",
        key(Key::Char('h')),
        Command::HideSelected,
        "Hide the selected node and all below it",
    ),
    row(Menu::Edit, "Show all", shift(Key::Char('h')), Command::ShowAll, "Show all that is hidden"),
    row(Menu::View, "Bones", key(Key::Char('b')), Command::Toggle(Toggle::Bones), "Draw the skeleton over the skin"),
    row(Menu::View, "Joint axes", key(Key::Char('a')), Command::Toggle(Toggle::Axes), "Draw the axes of the joints"),
    row(
        Menu::View,
        "Joint names",
        key(Key::Char('n')),
        Command::Toggle(Toggle::Names),
        "Write the names of the joints",
    ),
    row(Menu::View, "Grid", key(Key::Char('g')), Command::Toggle(Toggle::Grid), "Draw the ground"),
    row(
        Menu::View,
        "Wireframe",
        key(Key::Char('e')),
        Command::Toggle(Toggle::Wireframe),
        "Draw the edges of the triangles",
    ),
    row(Menu::View, "Mesh", key(Key::Char('m')), Command::Toggle(Toggle::Mesh), "Draw the surface"),
    row(
        Menu::View,
        "Octahedra",
        None,
        Command::SetBoneShape(BoneShape::Octahedra),
        "Draw bones thick near the joint, pointed at the next one",
    ),
    row(Menu::View, "Sticks", None, Command::SetBoneShape(BoneShape::Sticks), "Draw bones as sticks"),
    row(Menu::View, "Lines", None, Command::SetBoneShape(BoneShape::Lines), "Draw bones as thin lines"),
    row(
        Menu::View,
        "Deforming joints only",
        None,
        Command::ToggleDeformingOnly,
        "Leave out the bones of joints that move no vertex",
    ),
    row(
        Menu::View,
        "Frame selection",
        key(Key::Char('f')),
        Command::FrameSelected,
        "Bring the selected joint into view",
    ),
    row(Menu::View, "Frame all", key(Key::Home), Command::FrameAll, "Bring the whole posed model into view"),
    row(
        Menu::View,
        "Frame everything",
        shift(Key::Home),
        Command::FrameEverything,
        "Bring into view what lies far outside of the model too",
    ),
    row(Menu::View, "Front", key(Key::Numpad(1)), Command::LookFrom(ViewFrom::Front), "Look from the front (+Z)"),
    row(Menu::View, "Back", ctrl(Key::Numpad(1)), Command::LookFrom(ViewFrom::Back), "Look from the back (−Z)"),
    row(Menu::View, "Right", key(Key::Numpad(3)), Command::LookFrom(ViewFrom::Right), "Look from +X"),
    row(Menu::View, "Left", ctrl(Key::Numpad(3)), Command::LookFrom(ViewFrom::Left), "Look from −X"),
    row(Menu::View, "Top", key(Key::Numpad(7)), Command::LookFrom(ViewFrom::Top), "Look from above"),
    row(Menu::View, "Bottom", ctrl(Key::Numpad(7)), Command::LookFrom(ViewFrom::Bottom), "Look from below"),
    row(
        Menu::View,
        "Orthographic",
        key(Key::Numpad(5)),
        Command::ToggleOrthographic,
        "Switch between perspective and orthographic",
    ),
    row(
        Menu::View,
        "Next camera",
        key(Key::Numpad(0)),
        Command::NextCamera,
        "Look through the next camera of the file; after the last one, from your own place",
    ),
    row(
        Menu::View,
        "Studio light",
        None,
        Command::SetLighting(Lighting::Studio),
        "Light the model by a studio that turns with you",
    ),
    row(
        Menu::View,
        "Lights of the file",
        None,
        Command::SetLighting(Lighting::File),
        "Light the model by the lights of the file alone",
    ),
    row(
        Menu::View,
        "Studio and file lights",
        None,
        Command::SetLighting(Lighting::Both),
        "Light the model by the studio and the lights of the file",
    ),
    row(Menu::View, "No crowd", None, Command::SetCrowd(1), "Show the model alone"),
    row(Menu::View, "Crowd of 10", None, Command::SetCrowd(10), "Show ten of it, each at its own time of the clip"),
    row(Menu::View, "Crowd of 100", None, Command::SetCrowd(100), "Show a hundred, each at its own time of the clip"),
    row(
        Menu::View,
        "Crowd of 500",
        None,
        Command::SetCrowd(500),
        "Show five hundred, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Crowd of 1000",
        None,
        Command::SetCrowd(1000),
        "Show a thousand of it, each at its own time of the clip",
    ),
    row(
        Menu::View,
        "Outliner",
        ctrl(Key::Char('1')),
        Command::TogglePanel(Panel::Outliner),
        "Show or hide the list of nodes",
    ),
    row(
        Menu::View,
        "Inspector",
        ctrl(Key::Char('2')),
        Command::TogglePanel(Panel::Inspector),
        "Show or hide the sliders and figures",
    ),
    row(
        Menu::View,
        "Timeline",
        ctrl(Key::Char('3')),
        Command::TogglePanel(Panel::Timeline),
        "Show or hide the timeline",
    ),
    row(
        Menu::View,
        "Tables",
        ctrl(Key::Char('4')),
        Command::TogglePanel(Panel::Tables),
        "Show or hide the tables of joints, vertices, matrices and skins",
    ),
    row(Menu::View, "Light theme", ctrl(Key::Char('t')), Command::ToggleTheme, "Switch between dark and light"),
    row(Menu::Overlay, "Shaded", key(Key::Char('s')), Command::SetOverlay(None), "Show materials and light"),
    row(
        Menu::Overlay,
        "With children",
        key(Key::Char('c')),
        Command::Toggle(Toggle::WithChildren),
        "Let the selected joint stand for all joints below it too",
    ),
    row(
        Menu::Overlay,
        "Influenced only",
        key(Key::Char('o')),
        Command::Toggle(Toggle::InfluencedOnly),
        "Dim what the selected joint does not move",
    ),
    row(
        Menu::Overlay,
        "Shared in black",
        None,
        Command::Toggle(Toggle::SharedBlack),
        "Dominant joint: paint triangles black whose vertices several joints move, instead of mixing the colours",
    ),
    row(Menu::Overlay, "Vertex dots", key(Key::Char('v')), Command::Toggle(Toggle::Vertices), "Draw vertices as dots"),
    row(Menu::Playback, "Play or pause", key(Key::Space), Command::TogglePlay, "Play or pause the clip"),
    row(Menu::Playback, "Next frame", key(Key::Right), Command::StepFrames(1), "One frame forward"),
    row(Menu::Playback, "Previous frame", key(Key::Left), Command::StepFrames(-1), "One frame back"),
    row(Menu::Playback, "Next key", key(Key::Up), Command::NextKey, "To the next key of the selected joint"),
    row(
        Menu::Playback,
        "Previous key",
        key(Key::Down),
        Command::PreviousKey,
        "To the previous key of the selected joint",
    ),
    row(Menu::Playback, "To start", shift(Key::Left), Command::ToStart, "To the start of the clip"),
    row(Menu::Playback, "To end", shift(Key::Right), Command::ToEnd, "To the end of the clip"),
    row(Menu::Playback, "Next clip", shift(Key::Down), Command::StepClip(1), "Show the next clip of the file"),
    row(Menu::Playback, "Previous clip", shift(Key::Up), Command::StepClip(-1), "Show the previous clip of the file"),
    row(
        Menu::Playback,
        "Rest pose",
        None,
        Command::SetPose(PoseSource::Rest),
        "The node transforms stored in the file",
    ),
    row(
        Menu::Playback,
        "Bind pose",
        None,
        Command::SetPose(PoseSource::Bind),
        "The pose that the inverse bind matrices invert",
    ),
    row(Menu::Playback, "Clip pose", None, Command::SetPose(PoseSource::Clip), "The clip at the current time"),
    row(Menu::Help, "Keys", key(Key::F1), Command::ShowShortcuts, "What every key does"),
    row(Menu::Help, "About Skinscope", None, Command::ShowAbout, "Version and licences"),
];

/// The row of a command, if it has one.
#[must_use]
pub fn row_of(command: &Command) -> Option<&'static CommandRow> {
    COMMANDS.iter().find(|row| row.command == *command)
}

/// The command of a key.
#[must_use]
pub fn command_of(shortcut: Shortcut) -> Option<&'static Command> {
    COMMANDS.iter().find(|row| row.shortcut == Some(shortcut)).map(|row| &row.command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_label_is_given_twice() {
        for (i, a) in COMMANDS.iter().enumerate() {
            for b in &COMMANDS[i + 1..] {
                assert!(a.shortcut.is_none() || a.shortcut != b.shortcut, "{} and {}", a.label, b.label);
                assert!(a.label != b.label && a.command != b.command, "{}", a.label);
            }
        }
    }

    #[test]
    fn the_keys_of_the_manual() {
        assert_eq!(
            command_of(Shortcut { key: Key::Char('w'), ctrl: false, shift: false }),
            Some(&Command::ToggleOverlay("weights"))
        );
        assert_eq!(command_of(Shortcut { key: Key::Char('z'), ctrl: true, shift: true }), Some(&Command::Redo));
        assert_eq!(
            row_of(&Command::Redo).and_then(|r| r.shortcut).map(|s| s.to_string()).as_deref(),
            Some("Ctrl+Shift+Z")
        );
    }
}

//! Everything a user can ask for, as plain data. Buttons, keys, menus and tests all send these.
//!
//! Commands fall into families. Each family is carried out by one `match` that names all of its commands, in the file that
//! owns what they change: a command that nobody carries out does not compile.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec2;

use super::edits::{ChannelKind, ChannelValue};
use super::playback::{LoopMode, PoseSource};
use super::view::{Antialiasing, Lighting, Toggle, ViewFrom};
use crate::deform::{Deformer, PaletteBuffer};
use crate::inspect::rom::RomOptions;
use crate::inspect::{BoneShape, VertexRef, VertexSet};
use crate::math::{Aabb, Ramp};
use crate::model::{ClipId, NodeId, WeightChange};
use crate::pose::Resolved;

/// One wish, by the family that it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Files: left to the application.
    File(FileCommand),
    /// Edits of pose and weights, which can be undone.
    Edit(EditCommand),
    /// Clip and time.
    Playback(PlaybackCommand),
    /// Commands about what is selected, pinned and marked.
    Selection(SelectionCommand),
    /// Which finding is shown.
    Finding(FindingCommand),
    /// Looking for what is wrong: left to the application, which does it in the background.
    Inspection(InspectionCommand),
    /// Commands about what is shown of the model, and how.
    View(ViewCommand),
    /// Commands that move the camera.
    Camera(CameraCommand),
    /// Panels and dialogs: left to the application.
    Window(WindowCommand),
}

macro_rules! families {
    ($($family:ident($command:ident)),* $(,)?) => {$(
        impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::$family(command)
            }
        }
    )*};
}

families!(
    File(FileCommand),
    Edit(EditCommand),
    Playback(PlaybackCommand),
    Selection(SelectionCommand),
    Finding(FindingCommand),
    Inspection(InspectionCommand),
    View(ViewCommand),
    Camera(CameraCommand),
    Window(WindowCommand),
);

/// Files, and the program as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCommand {
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
}

/// Edits, all of which can be undone.
#[derive(Clone, Debug, PartialEq)]
pub enum EditCommand {
    /// One edit back.
    Undo,
    /// One edit forward.
    Redo,
    /// Replace a channel of a node. Those of one drag end with [`EditCommand::EndEdit`].
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
    /// Exchange left and right of the pose that is shown, in one step.
    MirrorPose,
    /// Show this pose: its channels replace all edits, what it does not say is given back.
    SetPose(Arc<Resolved>),
    /// Give some vertices other weights: one step. What does not fit the model is left out as a whole.
    ChangeWeights(Arc<Vec<WeightChange>>),
    /// Divide the weights of every vertex by their sum: one step. Asked for again while that is being worked out, it is given
    /// up.
    NormaliseWeights,
}

/// Which pose is shown, and how time passes.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaybackCommand {
    /// Play where the clip is paused, pause where it plays.
    TogglePlay,
    /// Play (`true`) or pause.
    SetPlaying(bool),
    /// Show this clip from its start.
    SetClip(ClipId),
    /// The next (+1) or previous (−1) clip of the file.
    StepClip(i32),
    /// Seconds on the clip's timeline.
    Seek(f32),
    /// Lets this many seconds pass, where the clip plays.
    Advance(f32),
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
}

/// Commands about what is selected, pinned and marked.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectionCommand {
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
}

/// Which finding is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingCommand {
    /// Pose, mark, select and frame a finding, by its place in [`super::Document::findings`].
    ShowFinding(usize),
    /// Back to what was seen before a finding was shown; [`SelectionCommand::Deselect`] does so too.
    LeaveFinding,
}

/// Looking for what is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum InspectionCommand {
    /// Drive every joint of the stored model through its limits and list where the skin suffers most.
    RunRom(RomOptions),
    /// Stop the range of motion that is under way.
    CancelRom,
    /// Look for what is wrong with the open model.
    Inspect,
    /// Stop that.
    CancelInspect,
}

/// Commands about what is shown of the model, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum ViewCommand {
    /// Shows an overlay, by [`crate::inspect::Overlay::id`]; `None`: materials and light.
    SetOverlay(Option<&'static str>),
    /// Shows an overlay, or goes back to materials and light where that overlay is shown.
    ToggleOverlay(&'static str),
    /// The most influences of a vertex that a runtime can use, 1…8.
    SetInfluenceLimit(usize),
    /// Colours of the heat map.
    SetRamp(Ramp),
    /// Turns bones, axes, names, grid, wireframe… on or off.
    Toggle(Toggle),
    /// The same, on (`true`) or off whatever it was.
    Set(Toggle, bool),
    /// Sets the shape in which bones are drawn.
    SetBoneShape(BoneShape),
    /// Sets how thick bones are, as a factor of the usual: [`super::View::BONE_SIZES`].
    SetBoneSize(f32),
    /// Bones for joints that move some vertex, or for all.
    ToggleDeformingOnly,
    /// Bones for joints that move some vertex (`true`) or for all; `None`: as fits the model.
    SetDeformingOnly(Option<bool>),
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
    /// Chooses the lights.
    SetLighting(Lighting),
    /// Chooses whether edges are smoothed.
    SetAntialiasing(Antialiasing),
    /// Chooses the kind of buffer that shaders read the palette from.
    SetPaletteBuffer(PaletteBuffer),
    /// Chooses who deforms vertices before they are drawn.
    SetDeformer(Deformer),
    /// How many of the model are shown, each at a phase of its own: 1…[`super::MOST_MEMBERS`].
    SetCrowd(u32),
}

/// Commands that move the camera.
#[derive(Clone, Debug, PartialEq)]
pub enum CameraCommand {
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
    /// Frame this box (world, metres).
    FrameBox(Aabb),
    /// Look along an axis.
    LookFrom(ViewFrom),
    /// Perspective or orthographic.
    ToggleOrthographic,
    /// Look through a camera of the file, by its place in [`crate::model::ModelParts::camera_nodes`], or from the own place.
    SetCamera(Option<usize>),
    /// The file's next camera; after the last one, the own place.
    NextCamera,
}

/// Panels and dialogs.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowCommand {
    /// Dark or light.
    ToggleTheme,
    /// Show or hide a panel.
    TogglePanel(Panel),
    /// Give the focus to the search above the list of nodes.
    FindNode,
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
    /// Files are opened in the background.
    File(FileCommand),
    /// The open model is looked at in the background.
    Inspection(InspectionCommand),
    /// The window changes itself.
    Window(WindowCommand),
}

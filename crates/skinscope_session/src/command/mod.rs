//! Commands: everything a user can ask for, as plain data. Buttons, keys, menus and tests all send these.
//!
//! Commands fall into families. Each family is carried out by one `match` that names all of its commands, in the file
//! that owns what they change, so that a command that nothing carries out does not compile.

pub(crate) mod answers;
pub(crate) mod brush_key;
pub(crate) mod effect;
pub(crate) mod files;
pub(crate) mod ids;
pub(crate) mod panels;
pub(crate) mod recording;
pub(crate) mod shared_lists;

pub use self::answers::{RecoveryAnswer, SaveKind, UnsavedAnswer};
pub use self::brush_key::BrushKey;
pub use self::effect::Effect;
pub use self::files::{FileCommand, FileUse};
pub use self::panels::{DockPanel, LAYOUTS, LayoutRow, Panel, PanelPosition};
pub use self::recording::{
    RECORDING_SCHEMA, RecordedSource, RecordingHead, UnreadableLine, command_line, read_command,
};

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use skinscope_anim::Layers;
use skinscope_anim::pose::Resolved;
use skinscope_base::math::{Aabb, Ramp};
use skinscope_deform::{Deformer, PaletteBuffer, PaletteRows};
use skinscope_edit::LinkSettings;
use skinscope_inspect::rom::RomOptions;
use skinscope_inspect::{BoneShape, VertexRef, VertexSet};
use skinscope_model::{BindingChange, ClipId, NodeId, WeightChange};

use crate::beside::BesideCommand;
use crate::command::ids::Id;
use crate::comparison::ComparisonCommand;
use crate::document::lesson::ExampleCommand;
use crate::edits::controls::ControlCommand;
use crate::edits::posing::PosingCommand;
use crate::edits::{ChannelKind, ChannelValue};
use crate::files::library::LibraryCommand;
use crate::files::unmatched::AsideCommand;
use crate::gizmo::{Orientation, PoseTool};
use crate::measuring::MeasureCommand;
use crate::menus::toggles::Toggle;
use crate::painting::paint_commands::PaintCommand;
use crate::placing::place_commands::PlaceCommand;
use crate::playback::keying::KeyingCommand;
use crate::playback::{LoopMode, PoseSource};
use crate::pose::onion::Onion;
use crate::view::{Antialiasing, EnvironmentCommand, Lighting, ViewFrom};
use crate::weights::marks::MarkCommand;
use crate::weights::reshaping::ShapeCommand;
use crate::weights::tools::ToolCommand;

/// Makes [`Command`] of its families; each command of a family is a [`Command`] too.
macro_rules! families {
    ($($(#[$doc:meta])* $family:ident($command:ident)),* $(,)?) => {
        /// A command, by its family.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum Command {
            $($(#[$doc])* $family($command),)*
        }

        $(impl From<$command> for Command {
            fn from(command: $command) -> Self {
                Self::$family(command)
            }
        })*
    };
}

families!(
    /// Commands about files; the application carries them out.
    File(FileCommand),
    /// Edits of pose and weights, which can be undone.
    Edit(EditCommand),
    /// Poses as a whole: copied, pasted, mirrored.
    Posing(PosingCommand),
    /// The library of poses; the application carries them out.
    Library(LibraryCommand),
    /// Clips that the file does not have, and their keys.
    Keying(KeyingCommand),
    /// Sliders and driven joints.
    Control(ControlCommand),
    /// Tools that change weights.
    Tool(ToolCommand),
    /// Brushes that paint weights.
    Paint(PaintCommand),
    /// Joints that are placed by hand.
    Place(PlaceCommand),
    /// Commands about marked vertices.
    Mark(MarkCommand),
    /// Commands about work that does not fit the open model.
    Aside(AsideCommand),
    /// Commands about the clip and its time.
    Playback(PlaybackCommand),
    /// Commands about what is selected, pinned and marked.
    Selection(SelectionCommand),
    /// Commands about the finding that is shown.
    Finding(FindingCommand),
    /// The model beside the open one.
    Beside(BesideCommand),
    /// Comparing two surfaces.
    Comparison(ComparisonCommand),
    /// Measuring what poses do to the surface.
    Measure(MeasureCommand),
    /// The example that is shown.
    Example(ExampleCommand),
    /// Commands that look for faults; the application carries them out in the background.
    Inspection(InspectionCommand),
    /// Commands about what is shown of the model, and how.
    View(ViewCommand),
    /// Commands that move the camera.
    Camera(CameraCommand),
    /// Commands about panels and dialogs; the application carries them out.
    Window(WindowCommand),
);

/// Edits, all of which can be undone.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum EditCommand {
    /// One edit back.
    Undo,
    /// One edit forward.
    Redo,
    /// Replace a channel of a node. Those of one drag end with [`EditCommand::EndEdit`].
    Edit(NodeId, ChannelValue),
    /// Replace the rotations of several nodes by quaternions of length 1: part of the step that is open.
    TurnNodes(#[serde(with = "crate::command::shared_lists::turns")] Arc<[(NodeId, Quat)]>),
    /// Move the position that a held joint stays at, world space, metres: part of the step that is open.
    MoveHeld(NodeId, #[serde(with = "skinscope_base::text_form::vector")] Vec3),
    /// Replace a morph weight, given by its index in [`skinscope_model::LocalPose::morph_weights`].
    EditMorph(usize, f32),
    /// Begin a gesture, such as a drag: everything that changes until [`EditCommand::EndEdit`] is one step, whatever it is.
    BeginEdit,
    /// End a drag: edits that follow are another undo step.
    EndEdit,
    /// The drag is given up: what it has changed is as it was, to the bit, and the steps to redo are those from before it.
    CancelEdit,
    /// Give one channel back to the clip.
    ResetChannel(NodeId, ChannelKind),
    /// Give one morph weight back to the clip.
    ResetMorph(usize),
    /// Give all channels of the selected joint back.
    ResetJoint,
    /// Give everything back.
    ResetAll,
    /// Show this pose: its channels replace all edits, and channels that it does not have are given back.
    SetPose(#[serde(with = "skinscope_base::text_form::shared")] Arc<Resolved>),
    /// Give some vertices other weights, in one step. Changes that do not fit the model are ignored as a whole.
    ChangeWeights(#[serde(with = "skinscope_base::text_form::shared")] Arc<Vec<WeightChange>>),
    /// Divide the weights of every vertex by their sum, in one step. Asked for again while that is being computed, it is cancelled.
    NormaliseWeights,
    /// Give skins to meshes that have none, in one step. Layers of weights become the weights that they make together, in the same step. A
    /// change that does not fit the model is ignored as a whole: [`skinscope_model::Model::with_bindings`] says why it does not.
    Bind(#[serde(with = "skinscope_base::text_form::shared")] Arc<BindingChange>),
    /// Put bone links between a joint and the one above it, in one step. A joint that cannot have them stays as it is, and
    /// [`crate::Tools::links`] says why.
    InsertLinks(NodeId, LinkSettings),
    /// Make, name or remove a corrective shape, in one step. What cannot be done changes nothing, and [`crate::Tools::shapes`] says why.
    Shape(ShapeCommand),
}

/// Commands about the pose that is shown, and how time passes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum PlaybackCommand {
    /// Play where the clip is paused, pause where it plays.
    TogglePlay,
    /// Play (`true`) or pause.
    SetPlaying(bool),
    /// Show this clip from its start.
    SetClip(ClipId),
    /// The next (+1) or previous (−1) clip of the file.
    StepClip(i32),
    /// Go to this time on the clip's timeline, seconds.
    Seek(f32),
    /// Let this many seconds pass, where the clip plays.
    Advance(f32),
    /// Step so many frames forward or back, and pause.
    StepFrames(i32),
    /// Go to the nearest earlier key of the selected joint (or of all), and pause.
    PreviousKey,
    /// Go to the nearest later key, and pause.
    NextKey,
    /// Go to the start of the clip.
    ToStart,
    /// Go to the end of the clip.
    ToEnd,
    /// Set the speed, −4…4.
    SetSpeed(f32),
    /// Set what happens at the end of the clip.
    SetLoop(LoopMode),
    /// Set the frames per second of counter and steps.
    SetFps(f32),
    /// Show the rest pose, the bind pose or the clip.
    SetPose(PoseSource),
    /// Lay these clips over the current one.
    SetLayers(Layers),
    /// Switch whether root motion is taken out: what carries the whole skeleton along the ground.
    ToggleInPlace,
}

/// Commands about what is selected, pinned and marked.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum SelectionCommand {
    /// Select a node, or nothing.
    Select(Option<NodeId>),
    /// Select the parent of the selected node.
    SelectParent,
    /// Select the first child of the selected node.
    SelectChild,
    /// Tell that the pointer is over this node.
    Hover(Option<NodeId>),
    /// Select what is at this point of the viewport (pixels from its top left): a bone, else the joint that moves the vertex, which is pinned.
    PickAt(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Select what is under this point as [`SelectionCommand::PickAt`] does, but without regard to bones.
    PinAt(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Give up the tool that is tried; where there is none, unpin the vertex; where none is pinned, leave the finding that is shown; where none is, select nothing.
    Deselect,
    /// Explain this vertex, or none.
    Pin(Option<VertexRef>),
    /// Mark these vertices.
    Mark(#[serde(with = "skinscope_base::text_form::shared")] Arc<VertexSet>),
}

/// Commands about the finding that is shown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FindingCommand {
    /// Pose, mark, select and frame a finding, given by its index in [`crate::Document::findings`].
    ShowFinding(usize),
    /// Go back to what was seen before a finding was shown; [`SelectionCommand::Deselect`] does so too.
    LeaveFinding,
}

/// Commands that look for faults.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum InspectionCommand {
    /// Drive every joint of the stored model through its limits and list where the skin deforms worst.
    RunRom(RomOptions),
    /// Stop the range of motion that is under way.
    CancelRom,
    /// Look for faults of the open model.
    Inspect,
    /// Stop looking for faults.
    CancelInspect,
}

/// Commands about what is shown of the model, and how.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ViewCommand {
    /// One change of the view back; edits stay.
    Undo,
    /// One change of the view forward.
    Redo,
    /// Show an overlay, given by [`skinscope_inspect::Overlay::id`]; `None`: materials and light.
    SetOverlay(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Show an overlay, or go back to materials and light where that overlay is shown.
    ToggleOverlay(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// Draw surfaces without an overlay in this look, given by [`skinscope_frame::Look::id`].
    SetLook(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// Go so many looks on in their table, round and round, without an overlay.
    StepLook(i32),
    /// Bring light into the range of the picture by this tone map, given by [`skinscope_frame::ToneMap::id`].
    SetToneMap(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// Choose the environment that lights the model in that look, and turn it.
    Environment(EnvironmentCommand),
    /// Set the most influences of a vertex that a runtime can use, 1…8.
    SetInfluenceLimit(usize),
    /// The greatest distance on the scale of distances, metres ([`View::distance_scale`](crate::View)).
    SetDistanceScale(Option<f32>),
    /// Set the colours of weights.
    SetRamp(Ramp),
    /// Turn bones, axes, names, grid, wireframe… on or off.
    Toggle(Toggle),
    /// Turn one of these on (`true`) or off, whatever it was, as a key does while it is pressed. It is no step of the history of the view.
    Set(Toggle, bool),
    /// Set the shape in which bones are drawn.
    SetBoneShape(BoneShape),
    /// Set how thick bones are, as a factor of the usual: [`crate::View::BONE_SIZES`].
    SetBoneSize(f32),
    /// Set how onion skins are shown.
    SetOnion(Onion),
    /// Switch between bones for joints that move some vertex, and for all.
    ToggleDeformingOnly,
    /// Show bones for joints that move some vertex (`true`) or for all; `None`: decide by the model.
    SetDeformingOnly(Option<bool>),
    /// Set how opaque the surface is, 0…1.
    SetSkinOpacity(f32),
    /// Hide a node with all below it, or show it again.
    ToggleHidden(NodeId),
    /// Hide the selected node with all below it.
    HideSelected,
    /// Show all that is hidden.
    ShowAll,
    /// Choose what a drag in the picture does.
    SetPoseTool(PoseTool),
    /// Choose the axes along which tools act.
    SetOrientation(Orientation),
    /// Set the deformation method, given by [`skinscope_deform::Method::id`].
    SetMethod(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// What comes after the method, by [`skinscope_deform::Pass::id`]; `None`: nothing.
    SetPass(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Where normals come from, by [`skinscope_deform::NormalMode::id`].
    SetNormals(#[serde(deserialize_with = "crate::command::ids::id")] Id),
    /// The value of a parameter of a method or pass, by [`skinscope_deform::Parameter::id`].
    SetParameter(#[serde(deserialize_with = "crate::command::ids::id")] Id, f32),
    /// Go back to a method that needs no data, while that of the chosen one is being worked out.
    GiveUpData,
    /// Show this scene of the file.
    SetScene(usize),
    /// Show this material variant of the file; `None`: its materials without a variant.
    SetVariant(Option<usize>),
    /// Choose the lights.
    SetLighting(Lighting),
    /// Choose whether edges are smoothed.
    SetAntialiasing(Antialiasing),
    /// Choose the kind of buffer that shaders read the palette from.
    SetPaletteBuffer(PaletteBuffer),
    /// Choose how many rows each matrix of the palette has.
    SetPaletteRows(PaletteRows),
    /// Choose who deforms vertices before they are drawn.
    SetDeformer(Deformer),
    /// Subdivide what is shown so often: 0…[`skinscope_deform::MOST_LEVELS`].
    SetSubdivision(u32),
    /// Subdivide it before it is skinned, or after.
    ToggleSubdivideFirst,
    /// Show so many copies of the model, each at its own phase of the clip: 1…[`crate::MOST_MEMBERS`].
    SetCrowd(u32),
}

/// Commands that move the camera.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum CameraCommand {
    /// Set the size of the viewport, pixels.
    SetViewport(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Set the part of the viewport that nothing over the picture covers: x and y of its least and of its greatest corner, pixels from the
    /// top left; `None`: all of it. Findings are framed there.
    SetClearPart(Option<[f32; 4]>),
    /// Turn the camera by the pixels of a drag.
    Orbit(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Move the camera sideways by the pixels of a drag.
    Pan(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Zoom in (positive) or out by steps of the wheel; what is at this point of the viewport (pixels from its top left) stays there.
    Zoom(f32, #[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Frame the selected joint, what it moves, and some of what is around.
    FrameSelected,
    /// Frame the marked vertices and some of what is around.
    FrameMarked,
    /// Frame the model as deformed, without what lies far outside of it.
    FrameAll,
    /// Frame the model and what lies far outside of it.
    FrameEverything,
    /// Frame this box (world, metres).
    FrameBox(Aabb),
    /// Look along an axis.
    LookFrom(ViewFrom),
    /// Switch between perspective and parallel projection.
    ToggleOrthographic,
    /// Look through a camera of the file, by its index in [`skinscope_model::ModelParts::camera_nodes`]; `None`: the user's own camera.
    SetCamera(Option<usize>),
    /// Look through the file's next camera; after the last one, from the user's own camera.
    NextCamera,
}

/// Commands about panels and dialogs.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum WindowCommand {
    /// Switch between the dark and the light theme.
    ToggleTheme,
    /// Show or hide a panel.
    TogglePanel(Panel),
    /// Give the focus to the search above the list of nodes.
    FindNode,
    /// Find any command, node or clip by typing.
    FindAnything,
    /// Let the selected node follow the pointer until a click: it is moved, turned or scaled.
    Grab(PoseTool),
    /// Do with the brush that paints weights what a key asks for.
    Brush(BrushKey),
    /// Read the open file again by itself once another program has changed it, or no longer.
    ToggleWatch,
    /// Write the pages of examples large, for a projector, or as usual.
    ToggleLargeText,
    /// Fill the screen with the picture and the page of an example in large text, or leave that.
    TogglePresentation,
    /// Switch between keys as in Blender and keys as in Maya.
    ToggleMayaKeys,
    /// Show the library of poses, among the tables.
    ShowPoses,
    /// Show a page of the manual, by the name of its file without ending; the first one where no page has that name.
    ShowManual(String),
    /// Show the first steps.
    ShowFirstSteps,
    /// Copy what a report of a bug needs: version, device, figures and settings, without names.
    CopyBugReport,
    /// Show the preferences.
    ShowPreferences,
    /// Give a preference, by its word, one of the values that it can have, by that one's word. Words that are not known change nothing.
    SetPreference(String, String),
    /// Move a panel to an edge of the picture, or let it float over it; `None`: the panel that was used last.
    MovePanel(Option<DockPanel>, PanelPosition),
    /// Arrange the panels as this text says, which the settings have too. Nothing changes where it cannot be read.
    ArrangePanels(String),
    /// Arrange the panels, and show those that belong to it, as the layout of this name does.
    ChooseLayout(String),
    /// Keep the panels as they are now as a layout of this name, in place of an own one that has it already.
    SaveLayout(String),
    /// Give the own layout of the first name the second one.
    RenameLayout(String, String),
    /// Forget the own layout of this name; the panels stay as they are.
    DeleteLayout(String),
    /// Put every panel where it is at first, as large as usual.
    ResetLayout,
    /// Ask for the name of a layout to save, and list the own ones.
    ShowLayouts,
    /// Make the interface one step larger (1) or smaller (-1), or as large as usual (0).
    StepScale(i32),
    /// Show the keys and what they do.
    ShowShortcuts,
    /// Show name, version and licence of the program.
    ShowAbout,
}

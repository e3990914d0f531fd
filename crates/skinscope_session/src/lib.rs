//! The open model with its state: pose edits, view, playback. Everything changes through [`Session::apply`].
//!
//! Knows nothing of windows, panels or the GPU.

#![forbid(unsafe_code)]

mod beside;
mod borrowed;
mod command;
mod comparison;
mod document;
mod edits;
mod files;
mod findings;
pub mod frame;
mod gesture;
mod gizmo;
mod measuring;
mod menus;
mod painting;
mod placing;
mod playback;
mod pose;
pub mod shaping;
mod surfaces;
#[cfg(test)]
mod tests;
mod view;
mod weights;
mod work;

use std::sync::Arc;

use skinscope_model::Model;

pub use beside::{Arrangement, Beside, BesideCommand, BesideSnapshot, Standing};
pub use command::{
    BrushKey, CameraCommand, Command, DockPanel, EditCommand, Effect, FileCommand, FileUse, FindingCommand,
    InspectionCommand, LAYOUTS, LayoutRow, Panel, PanelPosition, PlaybackCommand, RECORDING_SCHEMA, RecordedSource,
    RecordingHead, RecoveryAnswer, SaveKind, SelectionCommand, UnreadableLine, UnsavedAnswer, ViewCommand,
    WindowCommand, command_line, read_command,
};
pub use comparison::{
    Compared, ComparedFile, ComparedSurfaces, Comparison, ComparisonCommand, ComparisonLayout, SideWeights, WorstPose,
};
pub use document::{Document, DocumentWarning, ExampleCommand, Source, is_page};
pub use edits::{
    BlendedPose, ChannelKind, ChannelValue, ControlCommand, ControlState, EditRules, Edits, History, NodeEdit,
    PoseRules, Posing, PosingCommand,
};
pub use files::{
    AsideCommand, ExportKind, ExportSettings, Files, LibraryCommand, PictureLayers, SESSION_ENDING, SessionContents,
    SessionFile, SessionModel, SessionSnapshot, Unsaved, UnsavedWork, WorkContents, WorkRecord, is_session,
};
pub use gizmo::{
    Drag, DragValue, Gizmo, Gizmos, Handle, HandleShape, LimitArc, LookDrag, Orientation, PoseTool, Pull, Snap,
};
pub use measuring::{
    CurvesKey, MEASURES_PER_SECOND, MOST_MEASURED, MeasureCommand, MeasureCurves, MeasureKey, MeasuredPose,
    Measurements, Measuring, WorstMomentKey,
};
pub use menus::{
    COMMANDS, CommandRow, Key, Keymap, Menu, RenderOption, Shortcut, Submenu, TOGGLES, Toggle, ToggleRow, command_of,
    is_on, refusal, row_of,
};
pub use painting::{
    DRAG_JOINTS, DragJoints, DragPin, LayerCommand, PaintCommand, PaintDab, PaintDrag, PaintHit, PaintNote, PaintPlace,
    PaintSettings, Painting, STROKES_ENDING, VertexDrag, VertexDragCommand, VertexGrip,
};
pub use placing::{PlaceCommand, PlacedTask, Placing, SKELETON_ENDING};
pub use playback::{
    ClipFile, ClipKeys, ClipNames, ClipNamesCommand, KeyingCommand, LoopMode, Playback, PoseSource, RootMotion,
    TakenClips, mirrored_clips,
};
pub use pose::{CrowdPose, Formation, MOST_MEMBERS, Onion, OnionSkin, Pose, Trail, most_members};
pub use surfaces::{Deforming, MethodChoice, Subdivide, Surfaces};
pub use view::{
    ActiveCamera, Antialiasing, Bones, EnvironmentCommand, EnvironmentView, Extents, FOV_Y, FileLights, Lighting,
    Orbit, Picking, PosedLight, Projector, View, ViewFrom, WeightsJointSource,
};
pub use weights::{
    ChangedByTool, EditedWeights, EnvelopeHandle, EnvelopeScore, Examination, GainedLinks, LinkVolumes, LinksMade,
    MarkCommand, MarkMode, MarkShape, MarkTool, Marking, Scope, SculptCommand, ShapeCommand, ShapeSettings, ShownPose,
    ToolCommand, Tools, with_radius,
};
pub use work::{Done, ModelKey, Run, Work};

use self::document::lesson::OpenLesson;
use self::edits::history::Marks;
use self::edits::posing::PoseEdits;
use self::findings::{Marker, StateBeforeFinding};
use self::gesture::Gesture;
use self::painting::{Brushwork, Painter};
use self::playback::Playing;
use self::surfaces::deforming::DataCache;
use self::view::ViewHistory;
use self::view::environment::Environments;
use self::view::view_commands::Viewing;
use self::weights::Skinning;

/// The open model with its state, in parts.
///
/// A question that one part can answer is a method of that part, such as [`Pose::shown_bounds`]. One that needs several is a method of a type
/// that borrows them, such as [`Session::surfaces`]. What a command changes is found by its family, in [`Session::apply`].
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// The open file; `None` until something is open.
    document: Option<Document>,
    edits: Arc<Edits>,
    history: History,
    view_history: ViewHistory,
    view: View,
    environments: Environments,
    playback: Playback,
    /// The pose at the last [`Session::update_pose`].
    pose: Pose,
    rules: PoseRules,
    posing: Posing,
    marking: Marking,
    tools: Tools,
    painting: Painting,
    placing: Placing,
    measuring: Measuring,
    compared: Compared,
    /// The data that methods have computed for the open model.
    methods: DataCache,
    files: Files,
    /// The state that was replaced when a finding was shown.
    before_finding: Option<Box<StateBeforeFinding>>,
    /// The example that is shown.
    lesson: Option<OpenLesson>,
    /// The model beside this one, where there is one.
    beside: Option<Box<Beside>>,
    /// The gesture that is under way.
    gesture: Option<Gesture>,
    /// Whether work that takes long is done by the owner of the session, see [`Session::wanted`].
    defers_work: bool,
}

impl Session {
    /// Returns the user's edits of the pose.
    #[must_use]
    pub fn edits(&self) -> &Arc<Edits> {
        &self.edits
    }

    /// Returns the edits that can be undone and redone.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the changes of the view that can be undone and redone.
    #[must_use]
    pub(crate) fn view_history(&self) -> &ViewHistory {
        &self.view_history
    }

    /// Returns camera, selection and overlays.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns clip and time.
    #[must_use]
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Returns the pose as of the last [`Session::update_pose`].
    #[must_use]
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// Returns the poses that were copied and blended last.
    #[must_use]
    pub fn posing(&self) -> &Posing {
        &self.posing
    }

    /// Returns which files have what was made, and what belongs to no file.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the same, for the application to note what it has written.
    pub fn files_mut(&mut self) -> &mut Files {
        &mut self.files
    }

    /// Carries out `command`; returns what the application must do for it.
    pub fn apply(&mut self, command: impl Into<Command>) -> Option<Effect> {
        let command = command.into();
        gesture::note(&mut self.gesture, &command);
        painting::note(&mut self.painting, &command);
        placing::note(&mut self.placing, &command);
        self.history.note_strokes(self.painting.last_recorded());
        let tried = self.tried_skins();
        let effect = self.carry_out(command);
        self.follow_trial(tried);
        self.follow_shaping();
        painting::follow(&mut self.painter());
        effect
    }

    fn carry_out(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::File(command) => return Some(Effect::File(command)),
            Command::Inspection(command) => return Some(Effect::Inspection(command)),
            Command::Library(command) => return Some(Effect::Library(command)),
            Command::Window(command) => return Some(Effect::Window(command)),
            Command::View(command) => return view::view_commands::apply(self, command),
            Command::Edit(EditCommand::BeginEdit) => gesture::begin(self),
            Command::Edit(EditCommand::EndEdit) => {
                gesture::end(&mut self.gesture, &mut self.history, self.document.as_ref())
            }
            Command::Edit(EditCommand::CancelEdit) => gesture::cancel(self),
            Command::Edit(command) => edits::apply(self, &command),
            Command::Posing(command) => edits::posing::apply(self, &command),
            Command::Keying(command) => playback::keying::apply(self, &command),
            Command::Control(command) => {
                let changed = self.control_state().changed(&command);
                edits::controls::apply(changed, &command, &mut self.edits, &mut self.history);
            }
            Command::Tool(command) => weights::tool_commands::apply(self, &command),
            Command::Paint(command) => painting::paint_commands::apply(self, command),
            Command::Place(command) => self.place(&command),
            Command::Mark(command) => weights::marks::apply(self, &command),
            Command::Aside(command) => files::unmatched::apply(self, command),
            Command::Playback(command) => self.playing().apply(&command),
            Command::Beside(command) => beside::apply(self, &command),
            Command::Selection(command) => view::selection::apply(self, command),
            Command::Finding(command) => findings::apply(self, &command),
            Command::Comparison(command) => {
                comparison::apply(self, &command);
                comparison::pack(self);
            }
            Command::Measure(command) => measuring::measure_commands::apply(self, &command),
            Command::Example(command) => document::lesson_commands::apply(self, &command),
            Command::Camera(command) => view::camera::apply(self, command),
        }
        None
    }
}

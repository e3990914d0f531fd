//! The open model with its state: pose edits, view, playback. Everything changes through [`Session::apply`].
//!
//! Knows nothing of windows, panels or the GPU.

#![forbid(unsafe_code)]

mod aside;
#[cfg(test)]
mod aside_tests;
mod camera;
mod carrying;
mod clip_names;
mod clips;
mod command;
mod command_row;
mod comparison;
#[cfg(test)]
mod comparison_tests;
#[cfg(test)]
mod control_tests;
mod controls;
mod crowd;
mod deforming;
mod document;
mod edit_menu;
#[cfg(test)]
mod edit_tests;
mod edits;
mod export;
#[cfg(test)]
mod far_tests;
mod files;
#[cfg(test)]
mod finding_tests;
mod findings;
pub mod frame;
mod gizmo;
#[cfg(test)]
mod held_tests;
mod hiding;
mod ids;
mod kept;
#[cfg(test)]
mod kept_tests;
mod keying;
mod laid_pose;
mod lesson;
mod library;
mod lighting;
mod marks;
mod marks_menu;
mod measure_commands;
mod measuring;
#[cfg(test)]
mod measuring_tests;
mod menus;
mod onion;
mod opening;
mod orbit;
mod over;
mod page_file;
#[cfg(test)]
mod part_tests;
mod playback;
mod pose;
mod pose_menu;
mod pose_sources;
mod posing;
#[cfg(test)]
mod preset_tests;
mod projector;
mod pull;
mod queries;
#[cfg(test)]
mod random_clips_tests;
mod recording;
mod repair;
mod root_motion;
mod rules;
mod saving;
mod selection;
mod session_file;
mod shared_lists;
mod shortcuts;
mod source;
mod stored;
mod surfaces;
mod take_up;
mod tangents;
#[cfg(test)]
pub(crate) mod test_sessions;
#[cfg(test)]
mod tests;
mod toggles;
mod tool_commands;
#[cfg(test)]
mod tool_tests;
mod tools;
mod trail;
mod unsaved;
#[cfg(test)]
mod version_tests;
mod view;
mod view_commands;
mod view_menu;
mod warnings;
#[cfg(test)]
mod ways_tests;
mod weights;
mod words;
mod work;
#[cfg(test)]
mod work_tests;

use std::sync::Arc;

pub use aside::AsideCommand;
pub use camera::Extents;
pub use clip_names::{ClipFile, ClipNames, ClipNamesCommand};
pub use clips::TakenClips;
pub use command::{
    CameraCommand, Command, EditCommand, Effect, FileCommand, FileUse, FindingCommand, InspectionCommand, Panel,
    PlaybackCommand, RecoveryAnswer, SaveKind, SelectionCommand, UnsavedAnswer, ViewCommand, WindowCommand,
};
pub use comparison::{
    Compared, ComparedSurfaces, Comparison, ComparisonCommand, ComparisonLayout, SideWeights, WorstPose,
};
pub use controls::{ControlCommand, ControlState};
pub use crowd::{CrowdPose, Formation, MOST_MEMBERS, most_members};
pub use deforming::{Deforming, MethodChoice};
pub use document::Document;
pub use edits::{ChannelKind, ChannelValue, Edits, History, NodeEdit};
pub use export::{ExportKind, ExportSettings};
pub use files::Files;
pub use gizmo::{Drag, DragValue, Gizmo, Gizmos, Handle, HandleShape, LimitArc, Orientation, PoseTool, Snap};
pub use hiding::Bones;
pub use kept::KeptSession;
pub use keying::{ClipKeys, KeyingCommand};
pub use laid_pose::LaidPose;
pub use lesson::ExampleCommand;
pub use library::LibraryCommand;
pub use lighting::{FileLights, PosedLight};
pub use marks::{MarkCommand, MarkMode, MarkShape, MarkTool, Marking};
pub use measuring::{
    CurvesKey, MEASURES_PER_SECOND, MOST_MEASURED, MeasureCommand, MeasureCurves, MeasureKey, MeasuredPose,
    Measurements, Measuring,
};
pub use menus::COMMANDS;
pub use onion::{Onion, OnionSkin};
pub use orbit::{FOV_Y, Orbit};
pub use page_file::is_page;
pub use playback::{LoopMode, Playback, PoseSource};
pub use pose::Pose;
pub use posing::{Posing, PosingCommand};
pub use projector::Projector;
pub use pull::Pull;
pub use queries::{Picking, WeightsJointSource};
pub use recording::{RECORDING_SCHEMA, RecordedSource, RecordingHead, UnreadableLine, command_line, read_command};
pub use repair::{Repair, RepairTool, repair_of};
pub use root_motion::RootMotion;
pub use rules::{EditRules, PoseRules};
pub use session_file::{
    SESSION_ENDING, SessionContents, SessionFile, SessionModel, WorkContents, WorkRecord, is_session,
};
pub use shortcuts::{CommandRow, Key, Keymap, Menu, Shortcut, command_of, row_of};
use skinscope_model::Model;
pub use source::Source;
pub use stored::ComparedFile;
pub use surfaces::Surfaces;
pub use toggles::{TOGGLES, Toggle, ToggleRow};
pub use tools::{EditedWeights, Scope, ToolCommand, Tools};
pub use trail::Trail;
pub use unsaved::{Unsaved, UnsavedWork};
pub use view::{ActiveCamera, Antialiasing, Lighting, View, ViewFrom};
pub use work::{Done, Run, Work};

use self::deforming::DataCache;
use self::findings::StateBeforeFinding;

/// The open model with its state, in parts.
///
/// A question that one part can answer is a method of that part, such as [`Pose::trail`]. One that needs several is a method of a type that
/// borrows them, such as [`Session::surfaces`]. What a command changes is found by its family, in [`Session::apply`].
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// The open file; `None` until something is open.
    document: Option<Document>,
    edits: Arc<Edits>,
    history: History,
    view: View,
    playback: Playback,
    /// The pose at the last [`Session::update_pose`].
    pose: Pose,
    rules: PoseRules,
    posing: Posing,
    marking: Marking,
    tools: Tools,
    measuring: Measuring,
    compared: Compared,
    /// The data that methods have computed for the open model.
    methods: DataCache,
    files: Files,
    /// The state that was replaced when a finding was shown.
    before_finding: Option<Box<StateBeforeFinding>>,
    /// The example that is shown.
    lesson: Option<lesson::OpenLesson>,
    /// Whether work that takes long is done by the owner of the session, see [`Session::wanted`].
    is_patient: bool,
}

impl Session {
    /// Adds lines to the warnings of the open document; returns whether any was new.
    pub fn warn(&mut self, lines: &[String]) -> bool {
        let Some(document) = &mut self.document else { return false };
        let before = document.warnings.len();
        for line in lines {
            if !document.warnings.contains(line) {
                document.warnings.push(line.clone());
            }
        }
        document.warnings.len() > before
    }

    /// Returns the open file; `None` until something is open.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

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

    /// Returns what the open model is compared with, as far as it is computed.
    #[must_use]
    pub fn compared(&self) -> &Compared {
        &self.compared
    }

    /// Returns the poses that were copied and laid last.
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

    /// Returns the open model.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.document.as_ref().map(|d| &d.model)
    }

    /// Carries out `command`; returns what the application must do for it.
    pub fn apply(&mut self, command: impl Into<Command>) -> Option<Effect> {
        match command.into() {
            Command::File(command) => return Some(Effect::File(command)),
            Command::Inspection(command) => return Some(Effect::Inspection(command)),
            Command::Library(command) => return Some(Effect::Library(command)),
            Command::Window(command) => return Some(Effect::Window(command)),
            Command::View(command) => return view_commands::apply(self, command),
            Command::Edit(command) => edits::apply(self, &command),
            Command::Posing(command) => posing::apply(self, &command),
            Command::Keying(command) => keying::apply(self, &command),
            Command::Control(command) => controls::apply(self, &command),
            Command::Tool(command) => {
                let was_open = self.tools.open;
                tool_commands::apply(self, &command);
                // A narrow window has room for one of these panels.
                self.measuring.open &= was_open || !self.tools.open;
            }
            Command::Mark(command) => marks::apply(self, &command),
            Command::Aside(command) => aside::apply(self, command),
            Command::Playback(command) => {
                playback::apply(self, &command);
                // Each clip has room of its own.
                if matches!(command, PlaybackCommand::SetClip(_) | PlaybackCommand::StepClip(_)) {
                    crowd::arrange_crowd(self);
                }
            }
            Command::Selection(command) => selection::apply(self, command),
            Command::Finding(command) => findings::apply(self, &command),
            Command::Comparison(command) => {
                comparison::apply(self, &command);
                comparison::pack(self);
            }
            Command::Measure(command) => measure_commands::apply(self, &command),
            Command::Example(command) => self.teach(&command),
            Command::Camera(command) => camera::apply(self, command),
        }
        None
    }
}

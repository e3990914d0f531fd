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
mod measuring;
#[cfg(test)]
mod measuring_tests;
mod menus;
mod onion;
mod opening;
mod orbit;
mod over;
mod page_file;
mod playback;
mod pose;
mod pose_menu;
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
pub use clip_names::{ClipFile, ClipNames, ClipNamesCommand};
pub use clips::TakenClips;
pub use command::{
    CameraCommand, Command, EditCommand, Effect, FileCommand, FileUse, FindingCommand, InspectionCommand, Panel,
    PlaybackCommand, RecoveryAnswer, SaveKind, SelectionCommand, UnsavedAnswer, ViewCommand, WindowCommand,
};
pub use comparison::{ComparedSurfaces, Comparison, ComparisonCommand, ComparisonLayout, SideWeights, WorstPose};
pub use controls::ControlCommand;
pub use crowd::{CrowdPose, Formation, MOST_MEMBERS, most_members};
pub use deforming::MethodChoice;
pub use document::Document;
pub use edits::{ChannelKind, ChannelValue, Edits, History, NodeEdit};
pub use export::{ExportKind, ExportSettings};
pub use gizmo::{Drag, DragValue, Gizmo, Handle, HandleShape, LimitArc, Orientation, PoseTool, Snap};
pub use kept::KeptSession;
pub use keying::KeyingCommand;
pub use laid_pose::LaidPose;
pub use lesson::ExampleCommand;
pub use library::LibraryCommand;
pub use lighting::PosedLight;
pub use marks::{MarkCommand, MarkMode, MarkShape, MarkTool, Marking};
pub use measuring::{
    CurvesKey, MEASURES_PER_SECOND, MOST_MEASURED, MeasureCommand, MeasureCurves, MeasureKey, MeasuredPose, Measuring,
};
pub use menus::COMMANDS;
pub use onion::{Onion, OnionSkin};
pub use orbit::{FOV_Y, Orbit};
pub use page_file::is_page;
pub use playback::{LoopMode, Playback, PoseSource};
pub use pose::Pose;
pub use posing::PosingCommand;
pub use projector::Projector;
pub use pull::Pull;
pub use queries::WeightsJointSource;
pub use recording::{RECORDING_SCHEMA, RecordedSource, RecordingHead, UnreadableLine, command_line, read_command};
pub use repair::{Repair, RepairTool, repair_of};
pub use root_motion::RootMotion;
pub use rules::PoseRules;
pub use session_file::{
    SESSION_ENDING, SessionContents, SessionFile, SessionModel, WorkContents, WorkRecord, is_session,
};
pub use shortcuts::{CommandRow, Key, Keymap, Menu, Shortcut, command_of, row_of};
use skinscope_anim::pose::PoseFile;
use skinscope_base::math::Aabb;
use skinscope_model::Model;
pub use source::Source;
pub use stored::ComparedFile;
pub use toggles::{TOGGLES, Toggle, ToggleRow};
pub use tools::{Scope, ToolCommand, Tools};
pub use trail::Trail;
pub use unsaved::UnsavedWork;
pub use view::{ActiveCamera, Antialiasing, Lighting, View, ViewFrom};
pub use work::{Done, Run, Work};

use self::findings::StateBeforeFinding;

/// The open model with its state.
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
    /// The box that [`Session::opened_bounds`] returns.
    opened_bounds: Aabb,
    /// The places of a crowd's members; one place where there is no crowd.
    formation: Formation,
    /// The factor of the file's lights, see [`Session::lights`]; it is measured where the model was opened.
    exposure: f32,
    /// The state that was replaced when a finding was shown.
    before_finding: Option<Box<StateBeforeFinding>>,
    /// Whether work that takes long is done by the owner of the session, see [`Session::wanted`].
    is_patient: bool,
    /// Whether normalised weights are asked for and not there yet, see [`Work::NormaliseWeights`].
    is_normalising: bool,
    /// Whether the worst moment of a comparison is asked for and not found yet, see [`Work::FindWorstMoment`].
    is_seeking_worst: bool,
    measuring: Measuring,
    tools: Tools,
    /// What methods have worked out for the open model.
    method_data: deforming::DataCache,
    /// What was saved last, until the file is read again.
    saved: Option<saving::SavedModel>,
    marking: Marking,
    /// The files whose clips were taken, the last one at the end.
    clip_files: Arc<Vec<ClipFile>>,
    /// What was made that the open model has no place for.
    aside: Arc<Vec<WorkRecord>>,
    /// What the open session file holds.
    session_file: Option<Box<KeptSession>>,
    /// The edits of the pose when the pose was last read from a pose file or written into one.
    pose_in_file: Arc<Edits>,
    /// The model that the open one is compared with, where that is not the one that its file stores.
    compared_with: Option<ComparedFile>,
    changed_weights: stored::ChangedWeights,
    /// What the runtime makes of the open model that it is compared with.
    packed: Option<comparison::PackedModel>,
    /// The pose that was copied last; it stays when another model is opened.
    copied: Option<Arc<PoseFile>>,
    /// The pose that was laid over the others last.
    last_laid: Option<laid_pose::LastLaid>,
    rules: PoseRules,
    /// The example that is shown.
    lesson: Option<lesson::OpenLesson>,
    trail: trail::HeldTrail,
    onion: onion::HeldOnion,
    root: root_motion::HeldRoot,
    program: controls::HeldProgram,
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

    /// Returns the model's box in the pose that it was opened in (world, metres), which tells its size and does not
    /// change while the pose moves.
    #[must_use]
    pub fn opened_bounds(&self) -> Aabb {
        self.opened_bounds
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
            Command::View(command) => return self.look(command),
            Command::Edit(command) => self.edit(&command),
            Command::Posing(command) => self.change_pose(&command),
            Command::Keying(command) => self.change_keys(&command),
            Command::Control(command) => self.control(&command),
            Command::Tool(command) => {
                let was_open = self.tools.open;
                self.use_tool(&command);
                // A narrow window has room for one of these panels.
                self.measuring.open &= was_open || !self.tools.open;
            }
            Command::Mark(command) => self.change_marks(&command),
            Command::Aside(command) => self.change_aside(command),
            Command::Playback(command) => {
                self.play(&command);
                // Each clip has room of its own.
                if matches!(command, PlaybackCommand::SetClip(_) | PlaybackCommand::StepClip(_)) {
                    self.form_up();
                }
            }
            Command::Selection(command) => self.point_at(command),
            Command::Finding(command) => self.examine(&command),
            Command::Comparison(command) => {
                self.compare(&command);
                self.pack();
            }
            Command::Measure(command) => self.measure(&command),
            Command::Example(command) => self.teach(&command),
            Command::Camera(command) => self.move_camera(command),
        }
        None
    }
}

//! The state of a command in the menus: in which submenu it is, whether it is ticked, and whether it would do anything
//! now.

use skinscope_session::{
    CameraCommand, Command, ComparisonCommand, EditCommand, ExampleCommand, ExportKind, FileCommand, FileUse,
    KeyingCommand, Lighting, MarkCommand, MeasureCommand, Orientation, Panel, PlaybackCommand, PoseSource,
    PosingCommand, SaveKind, SelectionCommand, Session, Toggle, ToolCommand, ViewCommand, WindowCommand,
};

use super::{UiState, crowd};

/// A submenu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Submenu {
    Examples,
    Bones,
    Views,
    Lights,
    Crowd,
    Panels,
    PoseTools,
    Marks,
}

impl Submenu {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Examples => "Examples",
            Self::Bones => "Bones and skin",
            Self::Views => "Views",
            Self::Lights => "Lights",
            Self::Crowd => "Crowd",
            Self::Panels => "Panels",
            Self::PoseTools => "Tool and axes",
            Self::Marks => "Marks",
        }
    }
}

/// Returns the submenu that contains a command; `None` where it is in the menu itself.
pub(super) fn submenu_of(command: &Command) -> Option<Submenu> {
    match command {
        Command::File(FileCommand::OpenExample(_)) => Some(Submenu::Examples),
        Command::View(ViewCommand::SetBoneShape(_)) | Command::View(ViewCommand::ToggleDeformingOnly) => {
            Some(Submenu::Bones)
        }
        Command::Camera(CameraCommand::LookFrom(_))
        | Command::Camera(CameraCommand::ToggleOrthographic)
        | Command::Camera(CameraCommand::NextCamera) => Some(Submenu::Views),
        Command::View(ViewCommand::SetLighting(_)) => Some(Submenu::Lights),
        Command::View(ViewCommand::SetCrowd(_)) => Some(Submenu::Crowd),
        Command::Window(WindowCommand::TogglePanel(_) | WindowCommand::ToggleLargeText)
        | Command::Example(ExampleCommand::TogglePage)
        | Command::Tool(ToolCommand::TogglePanel) => Some(Submenu::Panels),
        Command::View(ViewCommand::SetPoseTool(_) | ViewCommand::SetOrientation(_)) => Some(Submenu::PoseTools),
        Command::Mark(_) => Some(Submenu::Marks),
        _ => None,
    }
}

/// Returns whether a line separates this command from the one before it.
pub(super) fn starts_group(command: &Command) -> bool {
    matches!(
        command,
        Command::File(FileCommand::Quit | FileCommand::AskForFile(FileUse::Export(ExportKind::Picture)))
            | Command::File(FileCommand::Save(SaveKind::InPlace))
            | Command::File(FileCommand::AskForFile(FileUse::OpenSession))
            | Command::Edit(EditCommand::ResetJoint)
            | Command::Keying(KeyingCommand::KeyPose)
            | Command::Posing(PosingCommand::ToggleSymmetric | PosingCommand::Mirror | PosingCommand::Copy)
            | Command::File(FileCommand::AskForFile(FileUse::LoadPose))
            | Command::Edit(EditCommand::NormaliseWeights)
            | Command::View(ViewCommand::SetOrientation(Orientation::Local))
            | Command::Selection(SelectionCommand::Deselect)
            | Command::View(ViewCommand::Toggle(Toggle::WithChildren))
            | Command::View(ViewCommand::HideSelected)
            | Command::View(ViewCommand::ToggleDeformingOnly)
            | Command::Camera(CameraCommand::FrameSelected)
            | Command::Camera(CameraCommand::ToggleOrthographic)
            | Command::Camera(CameraCommand::NextCamera)
            | Command::Window(WindowCommand::ToggleTheme)
            | Command::Mark(MarkCommand::All)
            | Command::Playback(PlaybackCommand::ToStart)
            | Command::Playback(PlaybackCommand::StepClip(1))
            | Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest))
    )
}

/// Returns whether a command that switches something is ticked.
pub(super) fn is_on(command: &Command, session: &Session, state: &UiState) -> Option<bool> {
    let view = session.view();
    Some(match command {
        Command::View(ViewCommand::SetOverlay(id)) => view.overlay.map(|o| o.id) == *id,
        Command::View(ViewCommand::ToggleOverlay(id)) => view.overlay.is_some_and(|o| o.id == *id),
        Command::View(ViewCommand::Toggle(toggle)) => view.is_on(*toggle),
        Command::Camera(CameraCommand::ToggleOrthographic) => view.orbit.orthographic,
        Command::Comparison(ComparisonCommand::Toggle) => session.deforming().comparison().is_some(),
        Command::View(ViewCommand::SetBoneShape(shape)) => view.bone_shape == *shape,
        Command::View(ViewCommand::ToggleDeformingOnly) => session.bones().deforming_only(),
        Command::View(ViewCommand::SetPoseTool(tool)) => view.pose_tool == *tool,
        Command::View(ViewCommand::SetOrientation(orientation)) => view.orientation == *orientation,
        Command::Posing(PosingCommand::ToggleSymmetric) => session.rules().symmetric,
        Command::Posing(PosingCommand::ToggleLimits) => !session.rules().ignores_limits,
        Command::Posing(PosingCommand::TogglePinSelected) => {
            view.selected.is_some_and(|node| session.rules().pins.contains(&node))
        }
        Command::Posing(PosingCommand::ToggleHeldSelected) => {
            view.selected.is_some_and(|node| session.edits().held.contains_key(&node))
        }
        Command::View(ViewCommand::SetLighting(lighting)) => {
            let shown = if session.file_lights().has_lights() { view.lighting } else { Lighting::Studio };
            shown == *lighting
        }
        Command::View(ViewCommand::SetCrowd(members)) => session.pose().formation.members == *members as usize,
        Command::Window(WindowCommand::TogglePanel(Panel::Outliner)) => state.saved.outliner,
        Command::Window(WindowCommand::TogglePanel(Panel::Inspector)) => state.saved.inspector,
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline)) => state.saved.timeline,
        Command::Window(WindowCommand::TogglePanel(Panel::Tables)) => state.saved.tables,
        Command::Tool(ToolCommand::TogglePanel) => session.tools().open,
        Command::Measure(MeasureCommand::TogglePanel) => session.measuring().open,
        Command::Tool(ToolCommand::Choose(Some(id))) => session.tools().operation.is_some_and(|o| o.id == *id),
        Command::Mark(MarkCommand::Use(tool)) => session.marking().tool == *tool,
        Command::Mark(MarkCommand::ToggleThrough) => session.marking().through,
        Command::Window(WindowCommand::ToggleTheme) => state.saved.light,
        Command::Window(WindowCommand::ToggleWatch) => state.saved.watch,
        Command::Window(WindowCommand::ToggleLargeText) => state.saved.large_text,
        Command::Example(ExampleCommand::TogglePage) => session.shows_page(),
        Command::File(FileCommand::OpenExample(id)) => session.lesson().is_some_and(|l| l.example().id == *id),
        Command::Window(WindowCommand::ToggleMayaKeys) => state.saved.maya_keys,
        Command::Playback(PlaybackCommand::ToggleInPlace) => session.playback().in_place,
        Command::Playback(PlaybackCommand::SetPose(source)) => {
            session.document().is_some() && session.playback().source == *source
        }
        _ => return None,
    })
}

/// Returns why a command that mirrors poses cannot be carried out on the open model.
pub(super) fn why_not(command: &Command, session: &Session) -> Option<String> {
    let Command::Posing(PosingCommand::Mirror | PosingCommand::Flip | PosingCommand::PasteMirrored) = command else {
        return None;
    };
    session.edit_rules().mirror_refusal().map(|why| format!("This cannot be done: {why}."))
}

/// Returns whether a command would do anything now.
pub(super) fn is_possible(command: &Command, session: &Session) -> bool {
    if why_not(command, session).is_some() {
        return false;
    }
    let has_clip = session.playback().clip.is_some();
    let selected = session.view().selected;
    match command {
        Command::Edit(EditCommand::Undo) => session.history().can_undo(),
        Command::Edit(EditCommand::Redo) => session.history().can_redo(),
        Command::Edit(EditCommand::ResetJoint) => selected.is_some_and(|n| session.edits().nodes.contains_key(&n)),
        Command::Edit(EditCommand::ResetAll) => !session.edits().is_empty(),
        Command::Camera(CameraCommand::NextCamera) => session.model().is_some_and(|m| !m.camera_nodes.is_empty()),
        Command::View(ViewCommand::SetLighting(Lighting::File | Lighting::Both)) => session.file_lights().has_lights(),
        Command::View(ViewCommand::SetCrowd(members)) => crowd::most(session) >= *members,
        Command::Edit(EditCommand::NormaliseWeights) => {
            session.document().is_some_and(|d| d.stats().uneven.is_some()) || session.is_normalising()
        }
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline)) => has_clip,
        Command::Example(_) => session.lesson().is_some(),
        Command::File(FileCommand::Save(_)) => session.lesson().is_none(),
        Command::File(FileCommand::AskForFile(FileUse::SaveSession)) => {
            session.document().is_some() && session.lesson().is_none()
        }
        Command::Mark(MarkCommand::OfJoint) => session.picking().has_joint().is_some(),
        Command::Mark(MarkCommand::Grow | MarkCommand::Shrink | MarkCommand::None) => !session.view().marked.is_empty(),
        Command::Mark(_) | Command::Tool(ToolCommand::Choose(Some(_))) => {
            session.model().is_some_and(|m| !m.skins.is_empty())
        }
        Command::Keying(KeyingCommand::KeyPose) => session.model().is_some_and(|m| !m.skeleton.is_empty()),
        Command::Keying(KeyingCommand::RemoveKeyHere) => {
            session.clip_keys().key_near(session.playback().time_secs).is_some()
        }
        Command::Posing(PosingCommand::Unpin) => !session.rules().pins.is_empty(),
        Command::Posing(PosingCommand::Paste | PosingCommand::PasteMirrored) => {
            session.document().is_some() && session.posing().copied_pose().is_some()
        }
        Command::View(ViewCommand::ShowAll) => !session.view().hidden.is_empty(),
        Command::Selection(SelectionCommand::Select(_))
        | Command::Window(WindowCommand::Grab(_))
        | Command::Posing(PosingCommand::Flip | PosingCommand::TogglePinSelected | PosingCommand::ToggleHeldSelected)
        | Command::View(ViewCommand::HideSelected)
        | Command::Selection(SelectionCommand::SelectParent)
        | Command::Selection(SelectionCommand::SelectChild)
        | Command::Camera(CameraCommand::FrameSelected) => selected.is_some(),
        Command::File(FileCommand::StepInFolder(_)) => session.document().is_some_and(|d| d.path.is_some()),
        Command::File(
            FileCommand::Reload
            | FileCommand::CompareDialog
            | FileCommand::ChooseClips
            | FileCommand::ClipNames(_)
            | FileCommand::AskForFile(FileUse::Export(_))
            | FileCommand::CopyPicture,
        )
        | Command::File(FileCommand::AskForFile(FileUse::SavePose | FileUse::LoadPose))
        | Command::Posing(PosingCommand::Mirror | PosingCommand::Copy)
        | Command::Camera(CameraCommand::FrameAll)
        | Command::Camera(CameraCommand::FrameEverything)
        | Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest | PoseSource::Bind)) => {
            session.document().is_some()
        }
        Command::Playback(PlaybackCommand::TogglePlay)
        | Command::Playback(PlaybackCommand::StepFrames(_))
        | Command::Playback(PlaybackCommand::NextKey)
        | Command::Playback(PlaybackCommand::PreviousKey)
        | Command::Playback(PlaybackCommand::ToStart)
        | Command::Playback(PlaybackCommand::ToEnd)
        | Command::Playback(PlaybackCommand::StepClip(_))
        | Command::Playback(PlaybackCommand::ToggleInPlace)
        | Command::Playback(PlaybackCommand::SetPose(PoseSource::Clip)) => has_clip,
        _ => true,
    }
}

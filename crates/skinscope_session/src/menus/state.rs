//! The state of a command in menus: whether it is ticked, and why it would do nothing now.

use std::borrow::Cow;
use std::sync::Arc;

use skinscope_edit::{Operation, has_bare_mesh, likely_bind_root, operation};
use skinscope_model::Model;
use skinscope_weights::LAYER_BRUSHES;

use crate::{
    BesideCommand, BrushKey, CameraCommand, Command, ComparisonCommand, Document, EditCommand, EditedWeights,
    EnvironmentCommand, FileCommand, FileUse, KeyingCommand, Lighting, MarkCommand, MeasureCommand, PaintCommand,
    PaintDrag, Painting, Panel, PlaceCommand, Playback, PlaybackCommand, PoseSource, PosingCommand, SelectionCommand,
    Session, ToolCommand, VertexDragCommand, View, ViewCommand, WindowCommand, most_members,
};

const NO_MODEL: &str = "No model is open.";
const NO_OTHER: &str = "No second model is open.";
const NO_CLIP: &str = "No clip is shown.";
const NO_SELECTION: &str = "No node is selected.";
const NO_SKIN: &str = "The model has no skin.";
const NO_BARE_MESH: &str = "No mesh is without a skin.";
const NO_MARKS: &str = "No vertex is marked.";
const NO_BRUSH: &str = "No brush is in the hand.";
const NO_LAYER: &str = "Brushes paint in no layer now: add one, or choose one, in the panel of brushes.";

/// Returns whether a command that switches something is ticked; `None`: it switches nothing, or what only a window knows, such as its
/// panels.
#[must_use]
pub fn is_on(command: &Command, session: &Session) -> Option<bool> {
    let view = session.view();
    Some(match command {
        Command::View(ViewCommand::SetOverlay(id)) => view.overlay.map(|o| o.id) == *id,
        Command::View(ViewCommand::ToggleOverlay(id)) => view.overlay.is_some_and(|o| o.id == *id),
        Command::View(ViewCommand::SetLook(id)) => view.overlay.is_none() && view.look.id == *id,
        Command::View(ViewCommand::SetToneMap(id)) => view.tone_map.id == *id,
        Command::View(ViewCommand::Environment(EnvironmentCommand::Show(None))) => view.environment.file.is_none(),
        Command::View(ViewCommand::Toggle(toggle)) => view.is_on(*toggle),
        Command::Camera(CameraCommand::ToggleOrthographic) => view.orbit.orthographic,
        Command::Beside(BesideCommand::ToggleSamePlace) => {
            session.beside().is_some_and(|beside| beside.arrangement().same_place)
        }
        Command::Beside(BesideCommand::ToggleSameHeight) => {
            session.beside().is_some_and(|beside| beside.arrangement().same_height)
        }
        Command::Beside(BesideCommand::ToggleSameTime) => {
            session.beside().is_some_and(|beside| beside.arrangement().same_time)
        }
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
        Command::View(ViewCommand::SetSubdivision(levels)) => view.subdivision.levels == *levels,
        Command::View(ViewCommand::ToggleSubdivideFirst) => view.subdivision.is_first,
        Command::View(ViewCommand::SetCrowd(members)) => session.pose().formation.members == *members as usize,
        Command::Tool(ToolCommand::TogglePanel) => session.tools().open,
        Command::Measure(MeasureCommand::TogglePanel) => session.measuring().open,
        Command::Tool(ToolCommand::Choose(Some(id))) => session.tools().operation.is_some_and(|o| o.id == *id),
        Command::Mark(MarkCommand::Use(tool)) => session.marking().tool == *tool,
        Command::Paint(PaintCommand::Hold(Some(id))) => session.painting().brush().is_some_and(|brush| brush.id == *id),
        Command::Paint(PaintCommand::DragVertex(VertexDragCommand::Use(_))) => session.painting().vertex_drag().is_on(),
        Command::Window(WindowCommand::Brush(BrushKey::Take)) => session.painting().brush().is_some(),
        Command::Window(WindowCommand::Brush(BrushKey::Gradient)) => {
            session.painting().settings().drag != PaintDrag::Stroke
        }
        Command::Place(PlaceCommand::Use(_)) => session.placing().is_on(),
        Command::Mark(MarkCommand::ToggleThrough) => session.marking().through,
        Command::Example(crate::ExampleCommand::TogglePage) => session.shows_page(),
        Command::File(FileCommand::OpenExample(id)) => session.lesson().is_some_and(|l| l.example().id == *id),
        Command::Playback(PlaybackCommand::ToggleInPlace) => session.playback().in_place,
        Command::Playback(PlaybackCommand::SetPose(source)) => {
            session.document().is_some() && session.playback().source == *source
        }
        _ => return None,
    })
}

/// Returns in a sentence why a command would do nothing now; `None`: it can be carried out.
#[must_use]
pub fn refusal(command: &Command, session: &Session) -> Option<Cow<'static, str>> {
    if let Command::Posing(PosingCommand::Mirror | PosingCommand::Flip | PosingCommand::PasteMirrored) = command
        && let Some(why) = session.edit_rules().mirror_refusal()
    {
        return Some(format!("This cannot be done: {why}.").into());
    }
    if let Command::View(ViewCommand::SetSubdivision(levels @ 1..)) = command
        && let Some(why) = session.deforming().subdivision_refusal(*levels)
    {
        return Some(format!("This cannot be done: {why}.").into());
    }
    let missing = missing_of_family(command, session);
    let missing = missing.or_else(|| missing_of_brush(command, session.model(), session.painting())).or_else(|| {
        let is_example = session.lesson().is_some();
        missing_around(command, session.document(), is_example, session.view(), session.playback())
    });
    missing.map(Cow::Borrowed)
}

/// Returns `why` where it does not hold.
fn unless(holds: bool, why: &'static str) -> Option<&'static str> {
    (!holds).then_some(why)
}

/// Returns what a command lacks that has a condition of its own.
fn missing_of_family(command: &Command, session: &Session) -> Option<&'static str> {
    let model = session.model();
    match command {
        Command::Edit(EditCommand::Undo) => unless(session.history().can_undo(), "There is no edit to take back."),
        Command::Edit(EditCommand::Redo) => unless(session.history().can_redo(), "No edit was taken back."),
        Command::View(ViewCommand::Undo) => {
            unless(session.view_history().can_undo(session.view()), "There is no change of the view to take back.")
        }
        Command::View(ViewCommand::Redo) => {
            unless(session.view_history().can_redo(session.view()), "No change of the view was taken back.")
        }
        Command::Edit(EditCommand::ResetJoint) => {
            let edits = &session.edits().nodes;
            let selected = session.view().selected;
            unless(selected.is_some_and(|n| edits.contains_key(&n)), "The selected node was not posed by hand.")
        }
        Command::Edit(EditCommand::ResetAll) => unless(!session.edits().is_empty(), "Nothing was posed by hand."),
        Command::Edit(EditCommand::NormaliseWeights) => {
            let uneven = session.document().is_some_and(|d| d.stats().uneven.is_some());
            unless(uneven || session.is_normalising(), "The weights of every vertex sum to 1.")
        }
        Command::Camera(CameraCommand::NextCamera) => {
            unless(model.is_some_and(|m| !m.camera_nodes.is_empty()), "The file has no camera.")
        }
        Command::View(ViewCommand::SetLighting(Lighting::File | Lighting::Both)) => {
            unless(session.file_lights().has_lights(), "The file has no light.")
        }
        Command::View(ViewCommand::SetCrowd(members)) => {
            let most = model.map_or(1, |model| most_members(model));
            unless(most >= *members, "The model has too many joints, or none, for so large a crowd.")
        }
        Command::Beside(_) | Command::File(FileCommand::WeightsFromBeside) => {
            unless(session.beside().is_some(), NO_OTHER)
        }
        Command::View(ViewCommand::ShowAll) => unless(!session.view().hidden.is_empty(), "Nothing is hidden."),
        Command::Example(_) => unless(session.lesson().is_some(), "No example is shown."),
        Command::Tool(ToolCommand::Apply) => missing_of_tool(session.edited_weights()),
        Command::Mark(MarkCommand::OfJoint) => {
            unless(session.picking().has_joint().is_some(), "No joint with vertices is selected.")
        }
        Command::Mark(
            MarkCommand::Grow
            | MarkCommand::Shrink
            | MarkCommand::Pieces
            | MarkCommand::SameMaterial
            | MarkCommand::None,
        ) => unless(!session.view().marked.is_empty(), NO_MARKS),
        Command::Mark(_) => unless(model.is_some_and(|m| !m.skins.is_empty()), NO_SKIN),
        // A skin that a tool tries stands in the way of none.
        Command::Place(_) => {
            let edited = session.edited_weights().edited_model();
            unless(edited.is_some_and(|model| has_bare_mesh(model)), NO_BARE_MESH)
        }
        Command::Tool(ToolCommand::Choose(Some(id))) => missing_of_choice(model, id),
        Command::Keying(KeyingCommand::KeyPose) => {
            unless(model.is_some_and(|m| !m.skeleton.is_empty()), "There is no node that could be posed.")
        }
        Command::Keying(KeyingCommand::MirrorClip(axis)) => {
            let refused = axis.is_none() && session.edit_rules().mirror_refusal().is_some();
            unless(session.playback().clip.is_some(), "No clip is shown.")
                .or_else(|| unless(!refused, "The model has no plane between left and right, and no joints in pairs."))
        }
        Command::Keying(KeyingCommand::RemoveKeyHere) => {
            let key = session.clip_keys().key_near(session.playback().time_secs);
            unless(key.is_some(), "No clip of yours has a key at this time.")
        }
        Command::Posing(PosingCommand::Unpin) => unless(!session.rules().pins.is_empty(), "No joint is pinned."),
        Command::Posing(PosingCommand::Paste | PosingCommand::PasteMirrored) => {
            let has_pose = session.document().is_some() && session.posing().copied_pose().is_some();
            unless(has_pose, "No pose was copied.")
        }
        _ => None,
    }
}

/// Returns what a command about brushes lacks.
fn missing_of_brush(command: &Command, model: Option<&Arc<Model>>, painting: &Painting) -> Option<&'static str> {
    let has_skin = model.is_some_and(|model| !model.skins.is_empty());
    match command {
        Command::Paint(PaintCommand::Hold(Some(id))) => {
            let needs_layer = LAYER_BRUSHES.iter().any(|brush| brush.id == *id);
            let has_layer = painting.layers().active().is_some();
            unless(has_skin, NO_SKIN).or_else(|| unless(has_layer || !needs_layer, NO_LAYER))
        }
        Command::Paint(PaintCommand::DragVertex(VertexDragCommand::Use(true)))
        | Command::Window(WindowCommand::Brush(BrushKey::Take)) => unless(has_skin, NO_SKIN),
        Command::Paint(PaintCommand::Flood) | Command::Window(WindowCommand::Brush(_)) => {
            unless(painting.brush().is_some(), NO_BRUSH)
        }
        Command::File(FileCommand::AskForFile(FileUse::SaveStrokes)) => {
            unless(painting.recorded_count() > 0, "No stroke was painted.")
        }
        _ => None,
    }
}

/// Returns what the model lacks that a tool works on.
fn missing_of_choice(model: Option<&Arc<Model>>, id: &str) -> Option<&'static str> {
    let could_gain_skin = model.is_some_and(|model| has_bare_mesh(model) && likely_bind_root(model).is_some());
    if could_gain_skin && operation(id).is_some_and(Operation::finds_weights) {
        return None;
    }
    let Some(model) = model.filter(|model| !model.skins.is_empty()) else { return Some(NO_SKIN) };
    let is_of_weights = operation(id).is_none_or(Operation::is_of_weights);
    let has_weights = || model.meshes.iter().flat_map(|m| &m.primitives).any(|p| p.stored_influences.is_some());
    unless(!is_of_weights || has_weights(), "No mesh of the file has weights.")
}

/// Returns why the chosen tool cannot be applied.
fn missing_of_tool(weights: EditedWeights<'_>) -> Option<&'static str> {
    if weights.just_changed().is_some() {
        return Some("It was applied. Other settings or vertices are tried as they are chosen.");
    }
    let outcome = weights.tools.outcome().filter(|outcome| outcome.is_empty());
    match (weights.tools.operation, outcome) {
        (None, _) => Some("No tool is chosen."),
        (Some(_), None) => None,
        (Some(_), Some(outcome)) if outcome.refused.is_some() => Some("This cannot be done; the panel says why."),
        (Some(_), Some(_)) => Some("The tool would change nothing."),
    }
}

/// Returns what is not open, shown or selected that a command acts on.
fn missing_around(
    command: &Command,
    document: Option<&Document>,
    is_example: bool,
    view: &View,
    playback: &Playback,
) -> Option<&'static str> {
    match command {
        Command::Selection(
            SelectionCommand::Select(_) | SelectionCommand::SelectParent | SelectionCommand::SelectChild,
        )
        | Command::Window(WindowCommand::Grab(_))
        | Command::Posing(PosingCommand::Flip | PosingCommand::TogglePinSelected | PosingCommand::ToggleHeldSelected)
        | Command::View(ViewCommand::HideSelected)
        | Command::Camera(CameraCommand::FrameSelected) => unless(view.selected.is_some(), NO_SELECTION),
        Command::File(FileCommand::Save(_) | FileCommand::AskForFile(FileUse::SaveSession)) if is_example => {
            Some("An example cannot be saved.")
        }
        Command::File(FileCommand::StepInFolder(_)) => {
            unless(document.is_some_and(|d| d.path.is_some()), "No file of a folder is open.")
        }
        Command::File(
            FileCommand::Reload
            | FileCommand::CompareDialog
            | FileCommand::BesideDialog
            | FileCommand::ChooseClips
            | FileCommand::ClipNames(_)
            | FileCommand::CopyPicture
            | FileCommand::AskForFile(FileUse::Export(_) | FileUse::SavePose | FileUse::LoadPose | FileUse::SaveSession),
        )
        | Command::Posing(PosingCommand::Mirror | PosingCommand::Copy)
        | Command::Camera(CameraCommand::FrameAll | CameraCommand::FrameEverything)
        | Command::Playback(PlaybackCommand::SetPose(PoseSource::Rest | PoseSource::Bind)) => {
            unless(document.is_some(), NO_MODEL)
        }
        Command::Window(WindowCommand::TogglePanel(Panel::Timeline))
        | Command::Playback(
            PlaybackCommand::TogglePlay
            | PlaybackCommand::StepFrames(_)
            | PlaybackCommand::NextKey
            | PlaybackCommand::PreviousKey
            | PlaybackCommand::ToStart
            | PlaybackCommand::ToEnd
            | PlaybackCommand::StepClip(_)
            | PlaybackCommand::ToggleInPlace
            | PlaybackCommand::SetPose(PoseSource::Clip),
        ) => unless(playback.clip.is_some(), NO_CLIP),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::COMMANDS;

    #[test]
    fn without_a_model_a_command_is_possible_or_says_why_it_is_not() {
        let session = Session::default();
        let why = |command: &Command| refusal(command, &session);
        let refused = COMMANDS.iter().filter_map(|row| Some((row, why(&row.command)?)));
        let mut count = 0;
        for (row, why) in refused {
            assert!(why.ends_with('.') && why.starts_with(char::is_uppercase), "{}: {why}", row.label);
            count += 1;
        }
        assert!(count > 50, "{count} commands need a model");
        assert_eq!(why(&Command::Edit(EditCommand::Undo)).as_deref(), Some("There is no edit to take back."));
        assert_eq!(why(&Command::File(FileCommand::Reload)).as_deref(), Some(NO_MODEL));
        assert_eq!(why(&Command::Playback(PlaybackCommand::TogglePlay)).as_deref(), Some(NO_CLIP));
        assert_eq!(why(&Command::File(FileCommand::OpenDialog)), None);
    }

    #[test]
    fn the_rows_of_a_submenu_follow_each_other() {
        let mut seen = Vec::new();
        for rows in COMMANDS.chunk_by(|a, b| (a.menu, a.submenu) == (b.menu, b.submenu)) {
            let Some(submenu) = rows[0].submenu else { continue };
            assert!(!seen.contains(&submenu), "{submenu:?} is interrupted by other rows");
            seen.push(submenu);
        }
        assert_eq!(seen.len(), 20);
    }
}

//! Gestures, such as a drag of a slider or a stroke: whatever changes between their begin and their end is one step that can be undone, and
//! a gesture that is given up leaves everything as it was when it began, to the bit.

use std::sync::Arc;

use skinscope_edit::{Operation, PlacedJoint, Settings};
use skinscope_inspect::VertexSet;
use skinscope_model::{Model, NodeId};
use skinscope_paint::LayerStack;

use crate::beside::Arrangement;
use crate::edits::blended_pose::LastBlended;
use crate::findings::StateBeforeFinding;
use crate::painting::file_layers::FileLayers;
use crate::playback::clips;
use crate::view::view_history::ViewSettings;
use crate::{
    CameraCommand, Command, Comparison, Document, Edits, ExampleCommand, History, Orbit, PaintSettings, Playback,
    PlaybackCommand, PoseRules, Session, ViewCommand, ViewHistory, Work, comparison, document,
};

/// A gesture that is under way, with what a drag may change as it was when it began. Most of it is shared with the session until it changes.
#[derive(Clone, Debug)]
pub(crate) struct Gesture {
    before: Box<Before>,
    /// Whether a command has moved the time. A clip that plays goes on by itself, and is not put back.
    has_sought: bool,
    /// Whether a command has moved the camera.
    has_moved: bool,
}

#[derive(Clone, Debug)]
struct Before {
    model: Arc<Model>,
    /// The model with the weights that were edited, without what a tool previews.
    edited: Arc<Model>,
    /// The work that was wanted and reads a model.
    wanted: Vec<Work>,
    edits: Arc<Edits>,
    playback: Playback,
    last_blended: Option<LastBlended>,
    rules: PoseRules,
    /// A drag of a limb selects the joint that it takes hold of.
    selected: Option<NodeId>,
    marked: Arc<VertexSet>,
    by_hand: bool,
    finding: Option<usize>,
    before_finding: Option<Box<StateBeforeFinding>>,
    settings: Arc<Settings>,
    /// The settings of brushes.
    brushes: PaintSettings,
    /// The layers of weights.
    weight_layers: LayerStack,
    /// What is known of the layers in the model's file.
    file_layers: FileLayers,
    /// The joints that are placed by hand, and the selected one of them.
    placed: (Arc<Vec<PlacedJoint>>, Option<usize>),
    view: ViewSettings,
    view_history: ViewHistory,
    orbit: Orbit,
    crowd: u32,
    comparison: Option<Comparison>,
    /// The sliders of the example that is shown.
    sliders: Vec<(&'static str, f32)>,
    arrangement: Option<Arrangement>,
}

impl Session {
    /// Returns whether a gesture is under way.
    #[must_use]
    pub fn has_gesture(&self) -> bool {
        self.gesture.is_some()
    }

    /// Returns the model with its edited weights as it was when the gesture began that is under way.
    #[must_use]
    pub fn model_before_gesture(&self) -> Option<&Model> {
        self.gesture.as_ref().map(|gesture| &*gesture.before.edited)
    }

    /// Returns whether a gesture is under way that has made the open model another, such as a stroke that changes weights: whatever reads the
    /// whole model waits for its end. A drag that moves joints or sliders changes the pose, not the model: measures, the search for
    /// the worst moment and the curves of a clip go on following it, and so does a tool whose settings are dragged, since it previews
    /// other weights and edits none; of those one that finds weights waits too ([`Session::waits_to_find`]).
    #[must_use]
    pub fn waits_for_commit(&self) -> bool {
        let now = self.edited_weights().edited_model();
        self.gesture.as_ref().zip(now).is_some_and(|(gesture, now)| !Arc::ptr_eq(&gesture.before.edited, now))
    }

    /// Returns whether a gesture is under way that has changed what weights are found by, such as a drag of a slider of *Auto bind* or *Solve*. Finding
    /// them takes long, and begins once with what is set at the end of the gesture; until then the preview from before is shown.
    #[must_use]
    pub fn waits_to_find(&self) -> bool {
        let has_changed = |gesture: &Gesture| gesture.before.settings != self.tools.settings;
        self.tools.operation.is_some_and(Operation::takes_long) && self.gesture.as_ref().is_some_and(has_changed)
    }

    /// Returns the work that was wanted when the gesture began for whose end work waits, but for what reads no model; `None` where nothing
    /// waits.
    pub(crate) fn wanted_before_gesture(&self) -> Option<Vec<Work>> {
        self.waits_for_commit().then(|| self.gesture.as_ref().map(|gesture| gesture.before.wanted.clone())).flatten()
    }
}

/// Notes what a command changes that only some gestures give back.
pub(crate) fn note(gesture: &mut Option<Gesture>, command: &Command) {
    let Some(gesture) = gesture else { return };
    gesture.has_sought |= matches!(command, Command::Playback(PlaybackCommand::Seek(_)) | Command::Keying(_));
    gesture.has_moved |= matches!(
        command,
        Command::Camera(CameraCommand::Orbit(_) | CameraCommand::Pan(_) | CameraCommand::Zoom(..))
            | Command::View(ViewCommand::SetCrowd(_))
            | Command::Example(_)
    );
}

/// Begins a gesture; one that is under way ends.
pub(crate) fn begin(session: &mut Session) {
    end(&mut session.gesture, &mut session.history, session.document.as_ref());
    let Some(model) = session.model().map(Arc::clone) else { return };
    session.history.begin_gesture(&model);
    let wanted = if session.defers_work { session.wanted_of_models() } else { Vec::new() };
    let lesson = session.lesson();
    let before = Before {
        edited: Arc::clone(session.edited_weights().edited_model().unwrap_or(&model)),
        wanted,
        edits: Arc::clone(&session.edits),
        playback: session.playback.clone(),
        last_blended: session.posing.last_blended.clone(),
        rules: session.rules.clone(),
        selected: session.view.selected,
        marked: Arc::clone(&session.view.marked),
        by_hand: session.marking.by_hand,
        finding: session.view.finding,
        before_finding: session.before_finding.clone(),
        settings: Arc::clone(&session.tools.settings),
        brushes: session.painting.settings().clone(),
        weight_layers: session.painting.layers().clone(),
        file_layers: session.painting.file_layers().clone(),
        placed: (Arc::clone(session.placing.joints()), session.placing.selected()),
        view: ViewSettings::of(&session.view),
        view_history: session.view_history.clone(),
        orbit: session.view.orbit,
        crowd: session.view.crowd,
        comparison: session.view.comparison,
        sliders: lesson.map_or_else(Vec::new, |lesson| {
            lesson
                .example()
                .sliders
                .iter()
                .map(|slider| (slider.id, lesson.moment().slider(slider.id) as f32))
                .collect()
        }),
        arrangement: session.beside.as_ref().map(|beside| beside.arrangement()),
        model,
    };
    session.gesture = Some(Gesture { before: Box::new(before), has_sought: false, has_moved: false });
}

/// Ends the gesture that is under way, if there is one, and the step that is open.
pub(crate) fn end(gesture: &mut Option<Gesture>, history: &mut History, document: Option<&Document>) {
    *gesture = None;
    history.end_gesture(document.map(|document| &document.model));
}

/// Gives up the gesture that is under way: everything that it has changed is as it was when it began. Without one it gives up the step of
/// the pose that is open.
pub(crate) fn cancel(session: &mut Session) {
    let Some(Gesture { before, has_sought, has_moved }) = session.gesture.take() else {
        return session.history.cancel_step(&mut session.edits);
    };
    session.stop_trial();
    session.history.drop_gesture();
    let Before { model, edits, playback, .. } = *before;
    (session.edits, session.posing.last_blended, session.rules) = (edits, before.last_blended, before.rules);
    let bound = session.model().map(Arc::clone);
    clips::show_edited(session, model, playback.clip);
    session.follow_bindings(bound.as_deref());
    let now = std::mem::replace(&mut session.playback, playback);
    if !has_sought {
        let Playback { time_secs, playing, returning, .. } = now;
        session.playback = Playback { time_secs, playing, returning, ..session.playback.clone() };
    }
    session.tools.settings = before.settings;
    session.painting.give_back(before.brushes, before.weight_layers, before.file_layers);
    session.placing.give_back(before.placed);
    for (slider, value) in before.sliders {
        document::lesson_commands::apply(session, &ExampleCommand::SetSlider(slider, value));
    }
    before.view.show(&mut session.view);
    session.view_history = before.view_history;
    let view = &mut session.view;
    view.selected = before.selected;
    (view.marked, view.finding, view.crowd, view.comparison) =
        (before.marked, before.finding, before.crowd, before.comparison);
    (session.marking.by_hand, session.before_finding) = (before.by_hand, before.before_finding);
    if has_moved {
        view.orbit = before.orbit;
    }
    if let (Some(beside), Some(arrangement)) = (&mut session.beside, before.arrangement) {
        beside.arrange(arrangement);
    }
    comparison::pack(session);
    session.playing().arrange_crowd();
    session.environments.follow(&session.view, session.defers_work);
    session.pose.forget_surfaces();
    session.update_pose();
}

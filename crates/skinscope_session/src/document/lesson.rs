//! The example that is shown. While one is open, the picture has the look that the example describes; the view from before is restored when
//! another file is opened. [`lesson_commands`](super::lesson_commands) moves its sliders.

use skinscope_deform::{self as deform, METHODS, NORMAL_MODES};
use skinscope_examples::{Lesson, Mark};
use skinscope_inspect as inspect;
use skinscope_model::NodeId;

use crate::command::ids::Id;
use crate::{Comparison, Document, Session, Toggle, View};

/// Commands about the example that is shown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ExampleCommand {
    /// Move a slider, by its id, to this value.
    SetSlider(#[serde(deserialize_with = "crate::command::ids::id")] Id, f32),
    /// Put all sliders back, and give all joints back to them.
    Reset,
    /// Show in the picture what a symbol of the page is, by its id; `None`: nothing.
    PointAt(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Show the page beside the picture, or close it.
    TogglePage,
}

/// An example that is open.
#[derive(Clone, Debug)]
pub(crate) struct OpenLesson {
    pub(crate) lesson: Lesson,
    /// Whether the page is closed.
    pub(crate) is_hidden: bool,
    /// The view of the model that was open before it.
    before: Box<View>,
}

impl Session {
    /// Returns the example that is shown.
    #[must_use]
    pub fn lesson(&self) -> Option<&Lesson> {
        self.lesson.as_ref().map(|open| &open.lesson)
    }

    /// Returns whether the page of the example that is shown stands beside the picture.
    #[must_use]
    pub fn shows_page(&self) -> bool {
        self.lesson.as_ref().is_some_and(|open| !open.is_hidden)
    }

    /// Returns what an example draws over the picture.
    #[must_use]
    pub fn example_marks(&self) -> Vec<Mark> {
        self.lesson().map(Lesson::marks).unwrap_or_default()
    }
}

/// Leaves the example that was shown, if there was one, and opens that of `document`, which is about to be shown.
pub(crate) fn open(shown: &mut Option<OpenLesson>, view: &mut View, document: &Document) {
    let before = shown.take().map(|open| open.before);
    if let Some(before) = before.clone() {
        let viewport = view.viewport;
        *view = *before;
        view.viewport = viewport;
    }
    let Some(lesson) = document.lesson().cloned() else { return };
    let before = before.unwrap_or_else(|| Box::new(view.clone()));
    *shown = Some(OpenLesson { lesson, is_hidden: false, before });
}

/// Replaces the example that is shown by a newer version of its page. Returns whether that page describes another look of the picture.
pub(crate) fn replace(shown: &mut Option<OpenLesson>, document: &Document) -> bool {
    let (Some(open), Some(lesson)) = (shown, document.lesson()) else { return false };
    let before = std::mem::replace(&mut open.lesson, lesson.clone());
    before.example().look != lesson.example().look
}

/// Gives the view the look that the example describes. Does nothing where no example is shown.
pub(crate) fn apply_look(shown: Option<&OpenLesson>, view: &mut View, document: Option<&Document>) {
    let Some(look) = shown.map(|open| &open.lesson.example().look) else { return };
    let names = document.map(|document| &document.model.skeleton.names);
    let selected = look.selected.and_then(|name| names?.iter().position(|n| n == name)).map(NodeId::from_index);
    view.method = deform::method(look.method).unwrap_or(METHODS[0]);
    (view.pass, view.normals) = (None, NORMAL_MODES[0]);
    view.overlay = look.overlay.and_then(inspect::overlay);
    view.skin_opacity = look.opacity;
    for (toggle, on) in [
        (Toggle::Bones, look.bones),
        (Toggle::Wireframe, look.wireframe),
        (Toggle::Mesh, true),
        (Toggle::Vertices, false),
        (Toggle::Axes, false),
    ] {
        view.set(toggle, on);
    }
    view.selected = selected;
    (view.orbit.yaw, view.orbit.pitch) = (look.from[0].to_radians(), look.from[1].to_radians());
    view.comparison = look.compare.map(|other| {
        let mut comparison = Comparison::of(view.choice());
        comparison.choice.method = deform::method(other).unwrap_or(comparison.choice.method);
        comparison
    });
}

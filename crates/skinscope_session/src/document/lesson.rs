//! The example that is shown: its sliders move by commands, and the pose follows them. While one is open the picture has the look that
//! the example wants; what was looked at before comes back with the next file.

use skinscope_base::math::Aabb;
use skinscope_deform::{self as deform, METHODS, NORMAL_MODES};
use skinscope_examples::{Lesson, Mark};
use skinscope_inspect as inspect;
use skinscope_model::NodeId;

use crate::command::ids::Id;
use crate::document::opening;
use crate::{Comparison, ComparisonCommand, Document, Session, Toggle, View, comparison, edits};

/// Commands about the example that is shown.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ExampleCommand {
    /// Move a slider, by its id, to this value.
    SetSlider(#[serde(deserialize_with = "crate::command::ids::id")] Id, f32),
    /// Put all sliders back, and give all joints back to them.
    Reset,
    /// Show in the picture what a symbol of the page is, by its id; `None`: nothing.
    PointAt(#[serde(deserialize_with = "crate::command::ids::optional")] Option<Id>),
    /// Show the page beside the picture, or put it away.
    TogglePage,
}

/// An example that is open.
#[derive(Clone, Debug)]
pub(crate) struct OpenLesson {
    pub(crate) lesson: Lesson,
    /// The page is put away.
    is_hidden: bool,
    /// How the model before it was looked at.
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

    /// Returns the box that an example wants to have in the picture.
    pub(crate) fn stage(&self) -> Option<Aabb> {
        Some(self.lesson()?.moment().settings().stage())
    }

    /// Leaves the example before, if one was shown, and takes up that of a document that is opened.
    pub(crate) fn take_up_lesson(&mut self, document: &Document) {
        let before = self.lesson.take().map(|open| open.before);
        if let Some(before) = before.clone() {
            let viewport = self.view.viewport;
            self.view = *before;
            self.view.viewport = viewport;
        }
        let Some(lesson) = document.lesson().cloned() else { return };
        let before = before.unwrap_or_else(|| Box::new(self.view.clone()));
        self.lesson = Some(OpenLesson { lesson, is_hidden: false, before });
    }

    /// Takes up a newer version of the page that is shown. Returns whether the picture is to look in another way now.
    pub(crate) fn take_up_newer_page(&mut self, document: &Document) -> bool {
        let (Some(open), Some(lesson)) = (&mut self.lesson, document.lesson()) else { return false };
        let before = std::mem::replace(&mut open.lesson, lesson.clone());
        before.example().look != lesson.example().look
    }

    /// Looks at the model as the example wants it. Does nothing without an example.
    pub fn look_as_example(&mut self) {
        let Some(look) = self.lesson().map(|lesson| &lesson.example().look) else { return };
        let names = self.model().map(|model| &model.skeleton.names);
        let selected = look.selected.and_then(|name| names?.iter().position(|n| n == name)).map(NodeId::from_index);
        let view = &mut self.view;
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
        view.comparison = None::<Comparison>;
        if let Some(other) = look.compare {
            comparison::apply(self, &ComparisonCommand::Set(true));
            comparison::apply(self, &ComparisonCommand::SetMethod(other));
        }
    }

    /// Carries out a command of its family.
    pub(crate) fn teach(&mut self, command: &ExampleCommand) {
        let Some(open) = &mut self.lesson else { return };
        match command {
            ExampleCommand::SetSlider(slider, value) => {
                let before = open.lesson.moment().settings().stage();
                if open.lesson.set(slider, *value) {
                    self.show_moment_of_lesson(before);
                }
            }
            ExampleCommand::Reset => {
                let before = open.lesson.moment().settings().stage();
                open.lesson.reset();
                self.show_moment_of_lesson(before);
                edits::apply(self, &crate::EditCommand::ResetAll);
            }
            ExampleCommand::PointAt(symbol) => open.lesson.point_at(*symbol),
            ExampleCommand::TogglePage => open.is_hidden = !open.is_hidden,
        }
    }

    /// Shows the pose of the sliders, and the rig where they have made another one. The camera goes with the stage, which was
    /// `before`.
    fn show_moment_of_lesson(&mut self, before: Aabb) {
        let Some(lesson) = self.lesson() else { return };
        let moved = lesson.moment().settings().stage().center() - before.center();
        let Some(document) = &self.document else { return };
        if !std::ptr::eq(&**document.stored(), &**lesson.moment().model()) {
            let document = document.with_lesson(lesson.clone());
            opening::reopen(self, document);
        }
        if moved != glam::Vec3::ZERO {
            self.view.orbit.target += moved;
        }
        self.pose.invalidate();
        self.update_pose();
    }
}

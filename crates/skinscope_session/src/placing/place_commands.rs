//! Commands about joints that are placed by hand, and carrying them out.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_edit::{
    BareBinding, BindSettings, BodyFrame, Humanoid, PlacedAxes, PlacedJoint, body_frame, has_bare_mesh, humanoid_in,
};
use skinscope_model::Model;

use super::{PlacedTask, Placing, chosen, plan};
use crate::{MarkCommand, PaintCommand, PlaybackCommand, PoseSource, Session, ToolCommand};

/// Commands about joints that are placed in meshes without a skin.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum PlaceCommand {
    /// Let clicks in the picture place joints (`true`), in the rest pose, or not.
    Use(bool),
    /// Do on the other side of the figure too what is done on one, or not.
    Mirror(bool),
    /// Place a joint in the middle of the body under a point of the viewport (pixels from its top left). It hangs on the selected one, and is
    /// selected.
    Add(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Select a joint by its index, or none: the next one is another root.
    Select(Option<usize>),
    /// Move a joint to a place in the scene, metres.
    Move(usize, #[serde(with = "skinscope_base::text_form::vector")] Vec3),
    /// Give a joint another name, which none has.
    Rename(usize, String),
    /// Take a joint away; what hung on it hangs on its parent.
    Delete(usize),
    /// Hang a joint on another one, or on none.
    Hang(usize, Option<usize>),
    /// Place the joints of a standing figure by sections through the meshes, in place of those that there are.
    Humanoid,
    /// Replace all joints, as by those of a file.
    Replace(#[serde(with = "skinscope_base::text_form::shared")] Arc<Vec<PlacedJoint>>),
    /// Choose the method that finds the weights, by its id.
    SetMethod(String),
    /// Choose which way the axes of the joints point once they are nodes.
    SetAxes(PlacedAxes),
    /// Bind these meshes alone, by their numbers in the file; without any, all that have no skin.
    SetMeshes(BTreeSet<u32>),
    /// Make nodes of the joints, and give the meshes weights and a skin, in one step.
    Bind,
    /// Give up the binding that is under way.
    CancelBind,
}

/// Returns where the figure has its sides, by the meshes that are bound.
fn frame_of(placing: &Placing, model: &Model) -> BodyFrame {
    body_frame(model, chosen(&placing.meshes(model)))
}

impl Session {
    /// Carries out a command of its family.
    pub(crate) fn place(&mut self, command: &PlaceCommand) {
        // A tool that is tried may show skins that are none yet.
        let Some(model) = self.edited_weights().edited_model().map(Arc::clone) else { return };
        self.placing.refused = None;
        if let PlaceCommand::Use(is_on) = command {
            return self.use_placing(*is_on, &model);
        }
        let frame = self.placing.frame.unwrap_or_else(|| frame_of(&self.placing, &model));
        self.placing.frame = Some(frame);
        let mirrors = self.placing.mirrors;
        let mirror = mirrors.then_some(&frame);
        let mut joints = Vec::clone(&self.placing.joints);
        let mut selected = self.placing.selected;
        match command {
            PlaceCommand::Use(_) => return,
            PlaceCommand::Mirror(is_on) => return self.placing.mirrors = *is_on,
            PlaceCommand::Select(index) => {
                return self.placing.selected = index.filter(|index| *index < joints.len());
            }
            PlaceCommand::SetMethod(id) => return self.placing.how.set_method(id),
            PlaceCommand::SetAxes(axes) => return self.placing.how.axes = *axes,
            PlaceCommand::SetMeshes(meshes) => {
                self.placing.how.meshes.clone_from(meshes);
                return self.placing.frame = Some(frame_of(&self.placing, &model));
            }
            PlaceCommand::Bind => return self.bind_placed(&model),
            PlaceCommand::CancelBind => return self.placing.task = None,
            PlaceCommand::Add(at) => {
                let Some(position) = self.middle_at(*at) else { return };
                selected = Some(plan::add(&mut joints, position, selected, mirror));
            }
            PlaceCommand::Move(index, position) => plan::move_to(&mut joints, *index, *position, mirror),
            PlaceCommand::Rename(index, name) => plan::rename(&mut joints, *index, name, mirrors),
            PlaceCommand::Delete(index) => selected = plan::delete(&mut joints, *index, mirrors),
            PlaceCommand::Hang(index, parent) => plan::hang(&mut joints, *index, *parent, mirrors),
            PlaceCommand::Humanoid => {
                let placed: Humanoid = humanoid_in(&model, chosen(&self.placing.meshes(&model)));
                self.placing.humanoid = Some((Arc::new(placed.joints.clone()), placed.words()));
                (joints, selected) = (placed.joints, Some(0));
            }
            PlaceCommand::Replace(others) => {
                if !plan::is_usable(others) {
                    self.placing.refused = Some("These joints cannot be used.".to_owned());
                    return;
                }
                (joints, selected) = (Vec::clone(others), None);
            }
        }
        self.replace_placed(joints);
        self.placing.selected = selected.filter(|index| *index < self.placing.joints.len());
    }

    /// Replaces the placed joints, as a step of the history.
    fn replace_placed(&mut self, joints: Vec<PlacedJoint>) {
        if joints != *self.placing.joints {
            self.history.placed_changed(Arc::clone(&self.placing.joints));
            self.placing.take(Arc::new(joints));
        }
    }

    /// Takes the tool that places joints in the hand, or puts it down. Joints are placed where the meshes are at rest.
    fn use_placing(&mut self, is_on: bool, model: &Model) {
        if is_on && !self.placing.is_on {
            // A tool that is tried may show skins that are none yet.
            self.apply(ToolCommand::Choose(None));
            self.apply(MarkCommand::Use(None));
            self.apply(PaintCommand::Hold(None));
            self.apply(PlaybackCommand::SetPose(PoseSource::Rest));
            // The meshes without a skin may be others than when joints were placed last.
            self.placing.frame = Some(frame_of(&self.placing, model));
        }
        self.placing.is_on = is_on && self.model().is_some_and(|model| has_bare_mesh(model));
    }

    /// Begins to bind, or does it at once where nobody works in the background.
    fn bind_placed(&mut self, model: &Arc<Model>) {
        let how = self.placing.how();
        let settings = BindSettings { method: how.method.clone(), ..BindSettings::default() };
        let (joints, meshes) = (Arc::clone(&self.placing.joints), self.placing.meshes(model));
        let task = PlacedTask { joints, settings, axes: how.axes, meshes };
        self.placing.task = Some(task.clone());
        if !self.defers_work {
            let result = task.run(model, &JobContext::of_waiting());
            self.take_bound(model, &task, result);
        }
    }

    /// Takes what a binding has found, where it is still wanted: the joints are nodes from now on.
    pub(crate) fn take_bound(&mut self, model: &Arc<Model>, task: &PlacedTask, result: Result<BareBinding, String>) {
        let is_wanted = self.placing.task() == Some(task);
        if !is_wanted || !self.edited_weights().edited_model().is_some_and(|open| Arc::ptr_eq(open, model)) {
            return;
        }
        self.placing.task = None;
        let change = match result {
            Ok(BareBinding { change, .. }) => change,
            Err(why) => return self.placing.refused = Some(why),
        };
        self.choose_tool(None);
        // The nodes take the place of the joints in one step.
        let is_alone = !self.has_gesture();
        if is_alone {
            self.history.begin_gesture(model);
        }
        match self.bind(&change) {
            Ok(()) => {
                self.history.placed_changed(Arc::clone(&self.placing.joints));
                self.placing.take(Arc::default());
                self.placing.is_on = false;
                self.placing.frame = None;
                self.note_given();
            }
            Err(why) => self.placing.refused = Some(why.to_string()),
        }
        let now = self.model().map(Arc::clone);
        if is_alone {
            self.history.end_gesture(now.as_ref());
        }
    }
}

//! Carries out the commands about what is shown of the model, and how.

use std::sync::Arc;

use skinscope_deform::MOST_LEVELS;
use skinscope_frame::{self as frame, LOOKS, Look};
use skinscope_inspect as inspect;

use crate::pose::crowd;
use crate::view::environment::{self, Environments};
use crate::view::view_history::{DraggedValue, ViewSettings};
use crate::{
    CameraCommand, Document, Effect, InspectionCommand, MOST_MEMBERS, Pose, Session, View, ViewCommand, ViewHistory,
};

impl View {
    /// Sets how thick bones are, within [`View::BONE_SIZES`].
    fn set_bone_size(&mut self, size: f32) {
        if size.is_finite() {
            let [least, most] = Self::BONE_SIZES;
            self.bone_size = size.clamp(least, most);
        }
    }

    /// Sets the greatest distance on the scale of distances, metres; what is no distance leaves it as it is.
    fn set_distance_scale(&mut self, metres: Option<f32>) {
        if metres.is_none_or(|metres| metres.is_finite() && metres > 0.0) {
            self.distance_scale = metres;
        }
    }

    /// Draws the surface in a look, and without an overlay, which would hide it.
    fn set_look(&mut self, look: Option<&'static Look>) {
        if let Some(look) = look {
            (self.look, self.overlay) = (look, None);
        }
    }

    /// Goes `steps` looks on in their table, round and round; from an overlay first to the look that it hides.
    fn step_look(&mut self, steps: i32) {
        let index = LOOKS.iter().position(|look| look == self.look).unwrap_or(0) as i64;
        let steps = if self.overlay.is_some() { 0 } else { i64::from(steps) };
        self.set_look(LOOKS.get((index + steps).rem_euclid(LOOKS.len() as i64) as usize));
    }

    /// Sets how opaque the surface is, 0…1.
    fn set_skin_opacity(&mut self, opacity: f32) {
        if opacity.is_finite() {
            self.skin_opacity = opacity.clamp(0.0, 1.0);
        }
    }
}

/// What is shown of the model, with the history of it and what follows it.
pub(crate) struct Viewing<'a> {
    pub document: Option<&'a Document>,
    pub view: &'a mut View,
    pub view_history: &'a mut ViewHistory,
    pub environments: &'a mut Environments,
    pub pose: &'a mut Pose,
    pub defers_work: bool,
}

/// Carries out a command of its family. What it changes becomes a step of the history of the view.
pub(crate) fn apply(session: &mut Session, command: ViewCommand) -> Option<Effect> {
    let is_step = !matches!(command, ViewCommand::Undo | ViewCommand::Redo | ViewCommand::Set(..));
    let (before, dragged) = (ViewSettings::of(session.view()), DraggedValue::of(&command));
    let deforms_otherwise = deforms_otherwise(&command);
    let effect = change(session, command);
    let Viewing { view, view_history, environments, pose, defers_work, .. } = session.viewing();
    if deforms_otherwise {
        pose.forget_surfaces();
    }
    if is_step {
        view_history.add(before, view, dragged);
    }
    environments.follow(view, defers_work);
    effect
}

/// Returns whether vertices are deformed otherwise after a command.
fn deforms_otherwise(command: &ViewCommand) -> bool {
    matches!(
        command,
        ViewCommand::SetMethod(_)
            | ViewCommand::GiveUpData
            | ViewCommand::SetNormals(_)
            | ViewCommand::SetPass(_)
            | ViewCommand::SetParameter(..)
    )
}

/// Carries out a command that asks for more than what is shown, or leaves it to what is.
fn change(session: &mut Session, command: ViewCommand) -> Option<Effect> {
    match command {
        ViewCommand::ToggleDeformingOnly => {
            let on = session.bones().deforming_only();
            session.viewing().view.deforming_only = Some(!on);
        }
        ViewCommand::GiveUpData => {
            let ready = session.deforming().ready_choices();
            let is_subdivided = session.deforming().subdivision().is_some();
            let view = session.viewing().view;
            view.give_up_data(ready);
            if !is_subdivided {
                view.subdivision.levels = 0;
            }
        }
        ViewCommand::SetScene(scene) => {
            if session.model().is_some_and(|model| scene < model.scenes.len()) {
                session.viewing().view.scene = scene;
                session.update_pose();
            }
        }
        ViewCommand::SetCrowd(members) => {
            session.viewing().view.crowd = members.clamp(1, MOST_MEMBERS);
            crowd::show_crowd(session);
            // The whole crowd is framed, unless the view is that of a camera of the file.
            if session.document().is_some() && session.view().through.is_none() {
                session.apply(CameraCommand::FrameAll);
            }
        }
        command => return session.viewing().change(command),
    }
    None
}

impl Viewing<'_> {
    /// Takes a step of the history of the view back or forward.
    fn take_step(&mut self, step: fn(&mut ViewHistory, &mut View) -> bool) -> Option<Effect> {
        let limit = self.view.influence_limit;
        if step(self.view_history, self.view) {
            self.pose.forget_surfaces();
        }
        (self.view.influence_limit != limit).then_some(Effect::Inspection(InspectionCommand::Inspect))
    }

    /// Carries out a command that changes nothing else.
    fn change(mut self, command: ViewCommand) -> Option<Effect> {
        let view = &mut *self.view;
        match command {
            ViewCommand::Undo => return self.take_step(ViewHistory::undo),
            ViewCommand::Redo => return self.take_step(ViewHistory::redo),
            ViewCommand::SetOverlay(id) => view.overlay = id.and_then(inspect::overlay),
            ViewCommand::ToggleOverlay(id) => {
                view.overlay = inspect::overlay(id).filter(|o| view.overlay != Some(*o));
            }
            ViewCommand::SetLook(id) => view.set_look(frame::look(id)),
            ViewCommand::StepLook(steps) => view.step_look(steps),
            ViewCommand::Environment(command) => environment::apply(self.environments, view, command),
            ViewCommand::SetToneMap(id) => view.tone_map = frame::tone_map(id).unwrap_or(view.tone_map),
            ViewCommand::SetInfluenceLimit(limit) => {
                view.influence_limit = limit.clamp(1, inspect::LIMITS);
                // The limit that the checker uses has changed.
                return Some(Effect::Inspection(InspectionCommand::Inspect));
            }
            ViewCommand::SetDistanceScale(metres) => view.set_distance_scale(metres),
            ViewCommand::SetRamp(ramp) => view.ramp = ramp,
            ViewCommand::Toggle(toggle) => view.toggle(toggle),
            ViewCommand::Set(toggle, on) => view.set(toggle, on),
            ViewCommand::SetBoneShape(shape) => view.bone_shape = shape,
            ViewCommand::SetBoneSize(size) => view.set_bone_size(size),
            ViewCommand::SetOnion(onion) => view.onion = onion.clamped(),
            ViewCommand::SetDeformingOnly(only) => view.deforming_only = only,
            ViewCommand::SetSkinOpacity(opacity) => view.set_skin_opacity(opacity),
            ViewCommand::ToggleHidden(node) => {
                if let Some(document) = self.document {
                    view.toggle_hidden(node, &document.model);
                }
            }
            ViewCommand::HideSelected => view.hide_selected(),
            ViewCommand::ShowAll => view.hidden = Arc::default(),
            ViewCommand::SetPoseTool(tool) => view.pose_tool = tool,
            ViewCommand::SetOrientation(orientation) => view.orientation = orientation,
            ViewCommand::SetMethod(id) => view.set_method(id),
            ViewCommand::SetNormals(id) => view.set_normals(id),
            ViewCommand::SetPass(id) => view.set_pass(id),
            ViewCommand::SetParameter(id, value) => view.set_parameter(id, value),
            ViewCommand::SetVariant(variant) => {
                let known = self.document.map_or(0, |document| document.model.variants.len());
                if variant.is_none_or(|v| v < known) {
                    view.variant = variant;
                }
            }
            ViewCommand::SetLighting(lighting) => view.lighting = lighting,
            ViewCommand::SetAntialiasing(antialiasing) => view.antialiasing = antialiasing,
            ViewCommand::SetPaletteBuffer(buffer) => view.palette_buffer = buffer,
            ViewCommand::SetPaletteRows(rows) => view.palette_rows = rows,
            ViewCommand::SetDeformer(deformer) => view.deformer = deformer,
            ViewCommand::SetSubdivision(levels) => view.subdivision.levels = levels.min(MOST_LEVELS),
            ViewCommand::ToggleSubdivideFirst => view.subdivision.is_first = !view.subdivision.is_first,
            // These ask for more.
            ViewCommand::ToggleDeformingOnly
            | ViewCommand::GiveUpData
            | ViewCommand::SetScene(_)
            | ViewCommand::SetCrowd(_) => {}
        }
        None
    }
}

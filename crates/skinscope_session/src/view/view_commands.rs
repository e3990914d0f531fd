//! Carries out the commands about what is shown of the model, and how.

use std::sync::Arc;

use skinscope_frame::{self as frame, LOOKS, Look};
use skinscope_inspect as inspect;

use crate::pose::crowd;
use crate::view::environment;
use crate::view::view_history::{DraggedValue, ViewSettings};
use crate::{CameraCommand, Effect, InspectionCommand, MOST_MEMBERS, Pose, Session, View, ViewCommand, ViewHistory};

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

/// Carries out a command of its family. What it changes becomes a step of the history of the view.
pub(crate) fn apply(session: &mut Session, command: ViewCommand) -> Option<Effect> {
    let is_step = !matches!(command, ViewCommand::Undo | ViewCommand::Redo | ViewCommand::Set(..));
    let (before, dragged) = (ViewSettings::of(&session.view), DraggedValue::of(&command));
    let effect = change(session, command);
    if is_step {
        session.view_history.add(before, &session.view, dragged);
    }
    session.environments.follow(&session.view, session.defers_work);
    effect
}

/// Takes a step of the history of the view back or forward.
fn take_step(
    step: fn(&mut ViewHistory, &mut View) -> bool,
    history: &mut ViewHistory,
    view: &mut View,
    pose: &mut Pose,
) -> Option<Effect> {
    let limit = view.influence_limit;
    if step(history, view) {
        pose.forget_surfaces();
    }
    (view.influence_limit != limit).then_some(Effect::Inspection(InspectionCommand::Inspect))
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

fn change(session: &mut Session, command: ViewCommand) -> Option<Effect> {
    let deforms_otherwise = deforms_otherwise(&command);
    let view = &mut session.view;
    match command {
        ViewCommand::Undo => return take_step(ViewHistory::undo, &mut session.view_history, view, &mut session.pose),
        ViewCommand::Redo => return take_step(ViewHistory::redo, &mut session.view_history, view, &mut session.pose),
        ViewCommand::SetOverlay(id) => view.overlay = id.and_then(inspect::overlay),
        ViewCommand::ToggleOverlay(id) => {
            view.overlay = inspect::overlay(id).filter(|o| view.overlay != Some(*o));
        }
        ViewCommand::SetLook(id) => view.set_look(frame::look(id)),
        ViewCommand::StepLook(steps) => view.step_look(steps),
        ViewCommand::Environment(command) => environment::apply(&mut session.environments, view, command),
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
        ViewCommand::ToggleDeformingOnly => {
            let on = session.bones().deforming_only();
            session.view.deforming_only = Some(!on);
        }
        ViewCommand::SetDeformingOnly(only) => view.deforming_only = only,
        ViewCommand::SetSkinOpacity(opacity) => view.set_skin_opacity(opacity),
        ViewCommand::ToggleHidden(node) => {
            if let Some(document) = &session.document {
                view.toggle_hidden(node, &document.model);
            }
        }
        ViewCommand::HideSelected => view.hide_selected(),
        ViewCommand::ShowAll => view.hidden = Arc::default(),
        ViewCommand::SetPoseTool(tool) => view.pose_tool = tool,
        ViewCommand::SetOrientation(orientation) => view.orientation = orientation,
        ViewCommand::SetMethod(id) => view.set_method(id),
        ViewCommand::GiveUpData => {
            let ready = session.deforming().ready_choices();
            session.view.give_up_data(ready);
        }
        ViewCommand::SetNormals(id) => view.set_normals(id),
        ViewCommand::SetPass(id) => view.set_pass(id),
        ViewCommand::SetParameter(id, value) => view.set_parameter(id, value),
        ViewCommand::SetScene(scene) => {
            if session.document.as_ref().is_some_and(|d| scene < d.model.scenes.len()) {
                view.scene = scene;
                session.update_pose();
            }
        }
        ViewCommand::SetVariant(variant) => {
            let known = session.document.as_ref().map_or(0, |d| d.model.variants.len());
            if variant.is_none_or(|v| v < known) {
                view.variant = variant;
            }
        }
        ViewCommand::SetLighting(lighting) => view.lighting = lighting,
        ViewCommand::SetAntialiasing(antialiasing) => view.antialiasing = antialiasing,
        ViewCommand::SetPaletteBuffer(buffer) => view.palette_buffer = buffer,
        ViewCommand::SetDeformer(deformer) => view.deformer = deformer,
        ViewCommand::SetCrowd(members) => {
            view.crowd = members.clamp(1, MOST_MEMBERS);
            crowd::show_crowd(session);
            // The whole crowd is framed, unless the view is that of a camera of the file.
            if session.document.is_some() && session.view.through.is_none() {
                session.apply(CameraCommand::FrameAll);
            }
        }
    }
    if deforms_otherwise {
        session.pose.forget_surfaces();
    }
    None
}

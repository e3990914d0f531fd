//! Carries out the commands about what is shown of the model, and how.

use std::sync::Arc;

use skinscope_inspect as inspect;

use super::{Effect, InspectionCommand, MOST_MEMBERS, Session, View, ViewCommand};

impl Session {
    /// Carries out a command of its family.
    pub(super) fn look(&mut self, command: ViewCommand) -> Option<Effect> {
        let view = &mut self.view;
        match command {
            ViewCommand::SetOverlay(id) => view.overlay = id.and_then(inspect::overlay),
            ViewCommand::ToggleOverlay(id) => {
                view.overlay = inspect::overlay(id).filter(|o| view.overlay != Some(*o));
            }
            ViewCommand::SetInfluenceLimit(limit) => {
                view.influence_limit = limit.clamp(1, inspect::LIMITS);
                // The limit that the checker uses has changed.
                return Some(Effect::Inspection(InspectionCommand::Inspect));
            }
            ViewCommand::SetRamp(ramp) => view.ramp = ramp,
            ViewCommand::Toggle(toggle) => view.toggle(toggle),
            ViewCommand::Set(toggle, on) => view.set(toggle, on),
            ViewCommand::SetBoneShape(shape) => view.bone_shape = shape,
            ViewCommand::SetBoneSize(size) => {
                if size.is_finite() {
                    let [least, most] = View::BONE_SIZES;
                    view.bone_size = size.clamp(least, most);
                }
            }
            ViewCommand::SetOnion(onion) => view.onion = onion.clamped(),
            ViewCommand::ToggleDeformingOnly => {
                let on = self.deforming_only();
                self.view.deforming_only = Some(!on);
            }
            ViewCommand::SetDeformingOnly(only) => view.deforming_only = only,
            ViewCommand::SetSkinOpacity(opacity) => {
                if opacity.is_finite() {
                    view.skin_opacity = opacity.clamp(0.0, 1.0);
                }
            }
            ViewCommand::ToggleHidden(node) => self.toggle_hidden(node),
            ViewCommand::HideSelected => self.hide_selected(),
            ViewCommand::ShowAll => view.hidden = Arc::default(),
            ViewCommand::SetPoseTool(tool) => view.pose_tool = tool,
            ViewCommand::SetOrientation(orientation) => view.orientation = orientation,
            ViewCommand::SetMethod(id) => self.set_method(id),
            ViewCommand::GiveUpData => self.give_up_data(),
            ViewCommand::SetNormals(id) => self.set_normals(id),
            ViewCommand::SetPass(id) => self.set_pass(id),
            ViewCommand::SetParameter(id, value) => self.set_parameter(id, value),
            ViewCommand::SetScene(scene) => {
                if self.document.as_ref().is_some_and(|d| scene < d.model.scenes.len()) {
                    view.scene = scene;
                    self.update_pose();
                }
            }
            ViewCommand::SetVariant(variant) => {
                let known = self.document.as_ref().map_or(0, |d| d.model.variants.len());
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
                self.show_crowd();
                self.frame_crowd();
            }
        }
        None
    }
}

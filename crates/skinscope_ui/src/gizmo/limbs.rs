//! Drags that let a joint look at the pointer, and that move the pole of limbs; and the choice of where limbs begin that are pulled.

use egui::accesskit::Role;
use egui::{CursorIcon, PointerButton, Pos2, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo, vec2};
use glam::{Vec2, Vec3};
use skinscope_session::{Command, EditCommand, LookDrag, PoseTool, PosingCommand, SelectionCommand, Session};

use super::GizmoState;
use crate::theme::colors;
use crate::widgets::chip;

/// How near to the pole the pointer has to be to take hold of it, points.
const REACH: f32 = 10.0;

/// The drags of limbs that are under way.
#[derive(Debug, Default)]
pub(super) struct LimbDrags {
    look: Option<LookDrag>,
    /// The position of the pole while it is dragged: world space, metres.
    pole: Option<Vec3>,
}

impl LimbDrags {
    pub(super) fn is_active(&self) -> bool {
        self.look.is_some() || self.pole.is_some()
    }
}

/// What a drag does to the pose, and points of the picture in pixels and on the screen.
pub(super) struct Picture<'a> {
    pub pixel: &'a dyn Fn(Pos2) -> Vec2,
    pub point: &'a dyn Fn(Vec2) -> Pos2,
}

/// Carries out the drags of the tools that look and pull; returns true while one goes on.
pub(super) fn drag(
    ui: &Ui,
    response: &Response,
    session: &Session,
    state: &mut GizmoState,
    picture: &Picture<'_>,
    commands: &mut Vec<Command>,
) -> bool {
    let begins = response.drag_started_by(PointerButton::Primary);
    let pressed = ui.input(|i| i.pointer.press_origin()).filter(|_| begins);
    match session.view().pose_tool {
        PoseTool::Look => {
            if let Some(at) = pressed {
                state.limbs.look = session.gizmos().begin_look((picture.pixel)(at));
                let joint = state.limbs.look.as_ref().map(LookDrag::joint);
                commands.extend(joint.map(|joint| Command::from(SelectionCommand::Select(Some(joint)))));
            }
        }
        PoseTool::Pull => show_pole(ui, session, state, picture, pressed),
        _ => state.limbs = LimbDrags::default(),
    }
    if !state.limbs.is_active() {
        return false;
    }
    ui.set_cursor_icon(CursorIcon::Grabbing);
    if ui.input(|i| i.pointer.button_pressed(PointerButton::Secondary)) {
        commands.push(EditCommand::CancelEdit.into());
        (state.limbs, state.until_released) = (LimbDrags::default(), true);
        return true;
    }
    if let Some(at) = ui.input(|i| i.pointer.latest_pos()).map(picture.pixel) {
        follow(session, &mut state.limbs, at, commands);
    }
    if response.drag_stopped() || !ui.input(|i| i.pointer.primary_down()) {
        commands.push(EditCommand::EndEdit.into());
        let pole = state.limbs.pole.map(|pole| PosingCommand::SetPole(Some(pole.to_array())));
        commands.extend(pole.map(Command::from));
        state.limbs = LimbDrags::default();
    }
    true
}

/// Turns joints to the pointer, which is at a point of the viewport (pixels from its top left).
fn follow(session: &Session, drags: &mut LimbDrags, at: Vec2, commands: &mut Vec<Command>) {
    if let Some(look) = &drags.look {
        commands.extend(session.gizmos().look_at(look, at).map(Command::Edit));
    }
    if let Some(pole) = &mut drags.pole {
        // It stays as far from the eye as it was.
        let (ray, ahead) = (session.view().ray(at), -Vec3::from(session.view().world_from_view().matrix3.z_axis));
        let to = ray.origin + ray.direction * ((*pole - ray.origin).dot(ahead) / ray.direction.dot(ahead));
        *pole = if to.is_finite() { to } else { *pole };
        let bent = session.view().selected.and_then(|joint| session.gizmos().bend_to(joint, *pole));
        commands.extend(bent.map(Command::Edit));
    }
}

/// Paints the pole of limbs, and takes hold of it where the button went down on it.
fn show_pole(ui: &Ui, session: &Session, state: &mut GizmoState, picture: &Picture<'_>, pressed: Option<Pos2>) {
    let Some(pole) = state.limbs.pole.or(session.rules().pole.map(Vec3::from)) else { return };
    let Some(at) = session.view().projector().project(pole).map(picture.point) else { return };
    if pressed.is_some_and(|pressed| pressed.distance(at) <= REACH) {
        state.limbs.pole = Some(pole);
    }
    let c = colors(ui);
    let corner = |x: f32, y: f32| at + 7.0 * vec2(x, y);
    let corners = vec![corner(0.0, -1.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(-1.0, 0.0)];
    ui.painter().add(Shape::convex_polygon(corners, c.accent, Stroke::new(1.5, c.text)));
    let mark = ui.interact(Rect::from_center_size(at, vec2(4.0, 4.0)), ui.scope_id().with("pole"), Sense::empty());
    mark.widget_info(|| WidgetInfo::labeled(Role::Label, true, "Pole of limbs"));
}

/// Shows where limbs begin that are pulled, and whether they bend to the side of a pole.
pub(super) fn settings(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let rules = session.rules();
    let name = |node: skinscope_model::NodeId| model.skeleton.names[node.index()].as_str();
    let selected = session.view().selected.filter(|node| model.is_joint(*node));
    super::space(ui);
    ui.spacing_mut().item_spacing.y = 4.0;
    let root = rules.pull_root;
    let help = match (root, selected) {
        (Some(root), _) => {
            format!("Limbs that are pulled begin at {}, where it is above. Let them have two bones", name(root))
        }
        (None, Some(joint)) => {
            format!("Let limbs that are pulled begin at {}, in place of two bones above", name(joint))
        }
        (None, None) => String::new(),
    };
    let button = ui.add_enabled_ui(root.or(selected).is_some(), |ui| chip(ui, "Limb root", root.is_some())).inner;
    let why = "Select the joint at which limbs are to begin that are pulled";
    if button.on_hover_text(help).on_disabled_hover_text(why).clicked() {
        commands.push(PosingCommand::SetPullRoot(if root.is_some() { None } else { selected }).into());
    }
    let pole = selected.and_then(|joint| session.gizmos().pole_of(joint)).map(|pole| pole.to_array());
    let is_on = rules.pole.is_some();
    let button = ui.add_enabled_ui(is_on || pole.is_some(), |ui| chip(ui, "Pole", is_on)).inner;
    let help = "Let limbs that are pulled bend to the side of a point, which can be dragged";
    let why = "Select the end of a limb, such as a hand, to give it a pole";
    if button.on_hover_text(help).on_disabled_hover_text(why).clicked() {
        commands.push(PosingCommand::SetPole(if is_on { None } else { pole }).into());
    }
}

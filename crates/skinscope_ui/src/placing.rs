//! The plate over the picture while joints are placed by hand: the list of them, the selected one's name and parent, and the button that
//! binds the meshes to them.

use std::collections::BTreeSet;

use egui::accesskit::Role;
use egui::{Align2, Label, Margin, Rect, RichText, ScrollArea, Sense, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_edit::{BINDERS, PLACED_AXES, PlacedJoint, bare_meshes};
use skinscope_session::{Command, FileCommand, FileUse, PlaceCommand, Session, refusal};

use crate::theme::{self, BODY, ROW, colors};
use crate::widgets::{
    chip, corner_plate, drop_down, error_line, focus_ring, link, paint_line, press, row_background, section, shortened,
    text_button, tip,
};

/// The width of the plate, points.
const WIDTH: f32 = 264.0;
/// How many rows of the list are seen at once.
const ROWS: f32 = 5.0;
/// How far a joint stands to the right of its parent in the list, points, and at the most.
const STEP: f32 = 10.0;
const FARTHEST: f32 = 80.0;
/// The width of what is chosen from a list, points.
const CHOICE: f32 = 150.0;
/// The room beside the name of a joint for what deletes it, points.
const DELETE: f32 = 54.0;

/// What the plate keeps from pass to pass.
#[derive(Debug, Default)]
pub(super) struct JointPlate {
    /// The name that is being typed for a joint.
    typed: Option<(usize, String)>,
}

/// Shows the plate in the corner of the picture while joints are placed.
pub(super) fn show(ui: &mut Ui, rect: Rect, session: &Session, plate: &mut JointPlate, commands: &mut Vec<Command>) {
    if !session.placing().is_on() {
        plate.typed = None;
        return;
    }
    corner_plate(ui, rect, Align2::RIGHT_BOTTOM, WIDTH, "placed joints", |ui| {
        // A click beside the controls is not for the picture behind them.
        let ground = ui.max_rect().expand2(vec2(12.0, 10.0));
        let id = ui.scope_id().with("ground of joints");
        let behind = ui.interact(ground, id, Sense::CLICK | Sense::DRAG);
        behind.widget_info(|| WidgetInfo::labeled(Role::Group, true, "Placed joints"));
        contents(ui, session, plate, commands);
    });
}

/// Offers to place joints, where a mesh has no skin.
pub(super) fn offer(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let place = Command::from(PlaceCommand::Use(true));
    if refusal(&place, session).is_none()
        && link(ui, "Place joints for it", "Place joints").on_hover_text(tip(&place)).clicked()
    {
        commands.push(place);
    }
}

fn contents(ui: &mut Ui, session: &Session, plate: &mut JointPlate, commands: &mut Vec<Command>) {
    let placing = session.placing();
    section(ui, "Joints", |ui| {
        if link(ui, "Done", "Stop placing joints").on_hover_text("The joints stay until they are bound").clicked() {
            commands.push(PlaceCommand::Use(false).into());
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        let help = "What is done on one side of the figure is done on the other one too";
        if chip(ui, "Mirror", placing.mirrors()).on_hover_text(help).clicked() {
            commands.push(PlaceCommand::Mirror(!placing.mirrors()).into());
        }
        let help =
            "Place the 19 joints of a standing figure by sections through it, in place of those that there are; then drag them into place";
        if chip(ui, "Humanoid", false).on_hover_text(help).clicked() {
            commands.push(PlaceCommand::Humanoid.into());
        }
    });
    if let Some(told) = placing.told() {
        quiet(ui, &told);
    }
    let joints = placing.joints();
    if joints.is_empty() {
        quiet(ui, "Click into the mesh: a joint stands in the middle of the body there, and the next one hangs on it.");
    } else {
        list(ui, session, commands);
    }
    if let Some((index, joint)) = placing.selected().and_then(|index| Some((index, joints.get(index)?))) {
        selected(ui, (index, joint), joints, plate, commands);
    }
    ui.add_space(6.0);
    bind(ui, session, commands);
}

/// Shows the joints; a press selects one.
fn list(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let placing = session.placing();
    let joints = placing.joints();
    ui.add_space(4.0);
    ScrollArea::vertical().id_salt("placed joints").max_height(ROWS * ROW).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        let c = colors(ui);
        for index in depth_first(joints) {
            let Some(joint) = joints.get(index) else { continue };
            let is_selected = placing.selected() == Some(index);
            let size = vec2(ui.available_width().max(60.0), ROW);
            let (rect, response) = press(ui, size, &format!("Select {}", joint.name), Some(is_selected));
            row_background(ui.painter(), rect, is_selected, response.hovered(), is_selected, c);
            let indent = 8.0 + (STEP * depth(joints, index) as f32).min(FARTHEST);
            let room = rect.width() - indent - 8.0;
            let (galley, _) = shortened(ui, &joint.name, theme::regular(BODY), c.text, room);
            paint_line(ui, galley, rect.left() + indent, rect.center().y, c.text);
            focus_ring(ui, rect, &response);
            if response.on_hover_text("The next joint that is placed hangs on this one").clicked() {
                commands.push(PlaceCommand::Select((!is_selected).then_some(index)).into());
            }
        }
    });
}

/// Returns the joints parents first, what hangs on one after it.
fn depth_first(joints: &[PlacedJoint]) -> Vec<usize> {
    let children = |of: Option<usize>| {
        let all = joints.iter().enumerate().filter(move |(_, joint)| joint.parent == of);
        all.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let mut open = children(None);
    open.reverse();
    let mut out = Vec::with_capacity(joints.len());
    while let Some(index) = open.pop() {
        out.push(index);
        open.extend(children(Some(index)).into_iter().rev());
    }
    out
}

/// Returns how many joints are above one.
fn depth(joints: &[PlacedJoint], index: usize) -> usize {
    let parent = |index: &usize| joints.get(*index)?.parent;
    std::iter::successors(parent(&index), parent).take(joints.len()).count()
}

/// Shows the name and the parent of the selected joint.
fn selected(
    ui: &mut Ui,
    (index, joint): (usize, &PlacedJoint),
    joints: &[PlacedJoint],
    plate: &mut JointPlate,
    commands: &mut Vec<Command>,
) {
    ui.add_space(6.0);
    let typed = plate.typed.take().filter(|(of, _)| *of == index);
    let mut name = typed.map_or_else(|| joint.name.clone(), |(_, name)| name);
    let response = ui.horizontal(|ui| {
        let width = ui.available_width() - DELETE;
        let field = TextEdit::singleline(&mut name).desired_width(width).margin(Margin::symmetric(6, 3));
        let response = ui.push_id(("joint", index), |ui| ui.add(field)).inner;
        if link(ui, "Delete", "Delete the joint").on_hover_text("What hangs on it hangs on its parent").clicked() {
            commands.push(PlaceCommand::Delete(index).into());
        }
        response
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the joint"));
    let response = response.on_hover_text("The name of the joint; that of the joint on the other side follows");
    if response.has_focus() {
        plate.typed = Some((index, name));
    } else if response.lost_focus() && name != joint.name && !ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        commands.push(PlaceCommand::Rename(index, name).into());
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let above = joint.parent.and_then(|parent| joints.get(parent)).map_or("None", |above| above.name.as_str());
        ui.label(RichText::new("Hangs on").font(theme::regular(12.0)).color(colors(ui).dim));
        drop_down(ui, "Hangs on", above, CHOICE, "The joint that this one hangs on", |ui| {
            if ui.selectable_label(joint.parent.is_none(), "None").clicked() {
                commands.push(PlaceCommand::Hang(index, None).into());
            }
            for (parent, other) in joints.iter().enumerate().filter(|(parent, _)| *parent != index) {
                if ui.selectable_label(joint.parent == Some(parent), other.name.as_str()).clicked() {
                    commands.push(PlaceCommand::Hang(index, Some(parent)).into());
                }
            }
        });
    });
}

/// Shows which way the axes of the joints point once they are nodes.
fn axes(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let chosen = session.placing().axes();
    let now = PLACED_AXES.iter().find(|(axes, ..)| *axes == chosen);
    let (label, help) = now.map_or(("", ""), |(_, _, label, help)| (*label, *help));
    ui.horizontal(|ui| {
        ui.label(RichText::new("Axes").font(theme::regular(12.0)).color(colors(ui).dim));
        drop_down(ui, "Axes of joints", label, CHOICE - 40.0, help, |ui| {
            for (axes, _, label, help) in PLACED_AXES {
                if ui.selectable_label(chosen == axes, label).on_hover_text(help).clicked() {
                    commands.push(PlaceCommand::SetAxes(axes).into());
                }
            }
        });
    });
    ui.add_space(4.0);
}

/// Shows which meshes are bound, where there is a choice.
fn meshes(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(model) = session.edited_weights().edited_model() else { return };
    let (all, chosen) = (bare_meshes(model), session.placing().meshes(model));
    if all.len() < 2 {
        return;
    }
    let label = match chosen.len() {
        0 => format!("All {} meshes", all.len()),
        count => format!("{count} of {} meshes", all.len()),
    };
    let help = "Which of the meshes without a skin are bound; those that are not chosen stay as they are";
    ui.horizontal(|ui| {
        ui.label(RichText::new("Meshes").font(theme::regular(12.0)).color(colors(ui).dim));
        drop_down(ui, "Meshes to bind", &label, CHOICE - 40.0, help, |ui| {
            if ui.selectable_label(chosen.is_empty(), "All meshes").clicked() {
                commands.push(PlaceCommand::SetMeshes(BTreeSet::new()).into());
            }
            for (mesh, name) in &all {
                if ui.selectable_label(chosen.contains(mesh), name.as_str()).clicked() {
                    let only = BTreeSet::from([*mesh]);
                    commands.push(PlaceCommand::SetMeshes(&chosen ^ &only).into());
                }
            }
        });
    });
    ui.add_space(4.0);
}

/// Shows the method, and what makes nodes of the joints, or keeps them in a file.
fn bind(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let placing = session.placing();
    axes(ui, session, commands);
    meshes(ui, session, commands);
    let now = BINDERS.iter().find(|binder| binder.id == placing.method());
    let (label, help) = now.map_or(("", ""), |binder| (binder.label, binder.help));
    ui.horizontal_wrapped(|ui| {
        drop_down(ui, "Method", label, CHOICE - 40.0, help, |ui| {
            for binder in BINDERS {
                let response = ui.selectable_label(placing.method() == binder.id, binder.label);
                if response.on_hover_text(binder.help).clicked() {
                    commands.push(PlaceCommand::SetMethod(binder.id.to_owned()).into());
                }
            }
        });
        if placing.is_binding() {
            if text_button(ui, None, "Cancel", false).clicked() {
                commands.push(PlaceCommand::CancelBind.into());
            }
        } else if !placing.joints().is_empty() {
            let help = "Make nodes of the joints, find the weights, and give the meshes a skin, in one step that can be undone";
            if text_button(ui, None, "Bind to joints", true).on_hover_text(help).clicked() {
                commands.push(PlaceCommand::Bind.into());
            }
        }
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let help = "Read the joints of a file in place of those that there are";
        if link(ui, "Load…", "Load joints").on_hover_text(help).clicked() {
            commands.push(FileCommand::AskForFile(FileUse::LoadPlaced).into());
        }
        let help = "Write the joints into a file, as skinscope bind --skeleton takes it";
        if !placing.joints().is_empty() && link(ui, "Save…", "Save joints").on_hover_text(help).clicked() {
            commands.push(FileCommand::AskForFile(FileUse::SavePlaced).into());
        }
    });
    if let Some(why) = placing.refused() {
        ui.horizontal_top(|ui| error_line(ui, why));
    }
}

fn quiet(ui: &mut Ui, text: &str) {
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
}

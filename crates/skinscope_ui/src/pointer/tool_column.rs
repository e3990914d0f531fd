//! The tools over the picture, one below the other, with what belongs to the one that is chosen.

use egui::{Align2, Popup, PopupCloseBehavior, Rect, Ui, vec2};
use skinscope_session::{Command, Orientation, PoseTool, PosingCommand, Session, ViewCommand, row_of};

use crate::theme::{self, colors};
use crate::widgets::{chip, focus_ring, paint_line, paint_switch, press, tip};
use crate::{icons, rules};

/// The width of the picture below which the tools are one button, points: their plate would lie over the figure.
const NARROW: f32 = 560.0;

/// Shows the choice of the tool and of its axes. Returns the rectangle that the plate of the tools covers; none where they are a button.
pub(crate) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) -> Rect {
    let view = session.view();
    let tools = [
        ("Camera", PoseTool::Select),
        ("Move", PoseTool::Move),
        ("Turn", PoseTool::Turn),
        ("Scale", PoseTool::Scale),
        ("Pull", PoseTool::Pull),
        ("Look", PoseTool::Look),
    ];
    // While a brush is in the hand, joints are placed or vertices are dragged none of them has the pointer; choosing one ends that.
    let painting = session.painting();
    let is_free = painting.brush().is_none() && !painting.vertex_drag().is_on() && !session.placing().is_on();
    let choices =
        tools.map(|(text, tool)| (text, is_free && view.pose_tool == tool, ViewCommand::SetPoseTool(tool).into()));
    if ui.clip_rect().width() < NARROW {
        button(ui, session, &choices, commands);
        return Rect::ZERO;
    }
    if !is_low(ui) {
        let covered = column(ui, &choices, commands);
        settings(ui, session, commands);
        return covered;
    }
    // A low picture has no room for all of it below each other.
    let both = ui.horizontal_top(|ui| {
        let covered = ui.vertical(|ui| column(ui, &choices, commands)).inner;
        ui.vertical(|ui| settings(ui, session, commands));
        covered
    });
    both.inner
}

/// Shows the tools as a button with the name of the one that is chosen, which opens all of them with what belongs to that one.
fn button(ui: &mut Ui, session: &Session, choices: &[(&str, bool, Command)], commands: &mut Vec<Command>) {
    let c = colors(ui);
    let chosen = choices.iter().find(|(_, on, _)| *on).map_or("None", |(text, ..)| *text);
    let galley = ui.painter().layout_no_wrap(chosen.to_owned(), theme::regular(12.0), c.text);
    let size = vec2(galley.size().x + 32.0, theme::ROW);
    let (rect, response) = press(ui, size, &format!("Tool: {chosen}"), None);
    paint_switch(ui, rect, false, response.hovered(), c.plate);
    paint_line(ui, galley, rect.left() + 9.0, rect.center().y, c.text);
    let caret = rect.right_center() - vec2(12.0, 0.0);
    ui.painter().text(caret, Align2::CENTER_CENTER, icons::CARET_DOWN, theme::icon(12.0), c.dim);
    focus_ring(ui, rect, &response);
    let response = response.on_hover_text("What a drag in the picture does: the camera, or a tool that poses");
    Popup::menu(&response).close_behavior(PopupCloseBehavior::CloseOnClickOutside).show(|ui| {
        let before = commands.len();
        column(ui, choices, commands);
        if commands.len() > before {
            ui.close();
        }
        settings(ui, session, commands);
    });
}

/// Returns whether the picture is lower than the tools and their settings.
fn is_low(ui: &Ui) -> bool {
    ui.clip_rect().height() < 440.0
}

/// Shows what belongs to the chosen tool. With a brush in the hand that is nothing: *Symmetric* is about poses, and would be taken for what paints
/// the other side.
fn settings(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    if session.painting().brush().is_some() {
        return;
    }
    let view = session.view();
    if view.selected.is_some() && matches!(view.pose_tool, PoseTool::Move | PoseTool::Turn) {
        axes(ui, session, commands);
    }
    if view.pose_tool == PoseTool::Pull {
        limb_settings(ui, session, commands);
    }
    rules::symmetric(ui, session, commands);
}

/// Leaves room above settings that stand below the tools.
fn space(ui: &mut Ui) {
    if !is_low(ui) {
        ui.add_space(8.0);
    }
}

/// Shows the choice of the axes of tools.
fn axes(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let view = session.view();
    space(ui);
    let axes = [("Local", Orientation::Local), ("Parent", Orientation::Parent), ("World", Orientation::World)];
    let choices = axes.map(|(text, axes)| (text, view.orientation == axes, ViewCommand::SetOrientation(axes).into()));
    column(ui, &choices, commands);
}

/// Shows a choice of one among few, one below the other, each with whether it is chosen. Name and tooltip are those of
/// its command. Returns the rectangle that its plate covers: all but its edges, which are smooth, and its round corners.
fn column(ui: &mut Ui, choices: &[(&str, bool, Command)], commands: &mut Vec<Command>) -> Rect {
    let c = colors(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let size = vec2(68.0, if is_low(ui) { theme::ROW - 4.0 } else { theme::ROW });
    let well = Rect::from_min_size(ui.cursor().min, vec2(size.x, size.y * choices.len() as f32));
    let plate = theme::opaque(c.plate);
    ui.painter().rect_filled(well, theme::RADIUS, plate);
    for (text, on, command) in choices {
        let (rect, response) = press(ui, size, row_of(command).map_or(text, |row| row.label), Some(*on));
        let ink = if *on { c.text } else { c.dim };
        if *on || response.hovered() {
            paint_switch(ui, rect, *on, response.hovered(), plate);
        }
        let galley = ui.painter().layout_no_wrap((*text).to_owned(), theme::regular(12.0), ink);
        paint_line(ui, galley, rect.left() + 9.0, rect.center().y, ink);
        focus_ring(ui, rect, &response);
        if response.on_hover_text(tip(command)).clicked() && !on {
            commands.push(command.clone());
        }
    }
    well.shrink2(vec2(1.0, f32::from(theme::RADIUS)))
}

/// Shows where limbs begin that are pulled, and whether they bend to the side of a pole.
fn limb_settings(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let rules = session.rules();
    let name = |node: skinscope_model::NodeId| model.skeleton.names[node.index()].as_str();
    let selected = session.view().selected.filter(|node| model.is_joint(*node));
    space(ui);
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

//! The menu of a right click: what one can do with a joint, with the skin and the joint that moves it most, or with the picture.

use egui::{Popup, Response, Ui};
use skinscope_inspect::VertexRef;
use skinscope_model::NodeId;
use skinscope_session::{
    CameraCommand, Command, EditCommand, MarkCommand, PosingCommand, RepairTool, SelectionCommand, Session,
    ToolCommand, ViewCommand, row_of,
};

use super::UiState;
use super::copied;
use super::menu::{RowSuffix, command_item, item};
use super::theme::{SMALL, colors, strong};
use super::widgets::{describe, shortened};

/// The width of the menu, points.
const WIDTH: f32 = 250.0;

/// What a menu is about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct About {
    /// The node that was clicked, or the joint that moves the clicked skin most.
    pub node: Option<NodeId>,
    /// The vertex that was clicked.
    pub vertex: Option<VertexRef>,
}

/// What a menu asks for that is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// The table of vertices.
    Table,
}

/// Selects what a right click is on, since that is what commands are about.
pub(super) fn begin(about: About, session: &Session, commands: &mut Vec<Command>) {
    if about.node.is_some() && about.node != session.view().selected {
        commands.push(SelectionCommand::Select(about.node).into());
    }
}

/// Shows the menu of what `response` is of, while it is open.
pub(super) fn show(
    response: &Response,
    about: About,
    session: &Session,
    state: &mut UiState,
    commands: &mut Vec<Command>,
) {
    let mut asked = None;
    let popup = Popup::context_menu(response);
    popup.show(|ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 0.0;
        asked = contents(ui, about, session, state, commands);
    });
    if asked == Some(Asked::Table) {
        state.tables.choose_for(RepairTool::Vertices);
        state.saved.tables = true;
    }
}

fn contents(
    ui: &mut Ui,
    about: About,
    session: &Session,
    state: &UiState,
    commands: &mut Vec<Command>,
) -> Option<Asked> {
    let model = session.model()?;
    let mut asked = None;
    let rows = |ui: &mut Ui, rows: &[Command], commands: &mut Vec<Command>| {
        for row in rows.iter().filter_map(row_of) {
            command_item(ui, row, session, state, commands);
        }
    };
    if let Some(vertex) = about.vertex {
        head(ui, &format!("Vertex {} of the skin", vertex.vertex));
        if own(ui, "Pin this vertex", "Keep its weights and what moves it in sight, in the inspector") {
            commands.push(SelectionCommand::Pin(Some(vertex)).into());
        }
        if own(ui, "Weights in the table", "Pin it, and show its row in the table of vertices") {
            commands.push(SelectionCommand::Pin(Some(vertex)).into());
            asked = Some(Asked::Table);
        }
        ui.separator();
    }
    if let Some(node) = about.node {
        let name = model.skeleton.names.get(node.index()).map_or("", String::as_str);
        head(ui, name);
        let is_joint = model.is_joint(node);
        rows(
            ui,
            &[
                CameraCommand::FrameSelected.into(),
                ViewCommand::ToggleOverlay("weights").into(),
                SelectionCommand::SelectParent.into(),
                SelectionCommand::SelectChild.into(),
            ],
            commands,
        );
        ui.separator();
        rows(
            ui,
            &[
                PosingCommand::TogglePinSelected.into(),
                PosingCommand::ToggleHeldSelected.into(),
                EditCommand::ResetJoint.into(),
                PosingCommand::Copy.into(),
                PosingCommand::PasteMirrored.into(),
            ],
            commands,
        );
        ui.separator();
        rows(ui, &[MarkCommand::OfJoint.into()], commands);
        if is_joint {
            let is_locked = session.tools().locked.contains(&node);
            let label = if is_locked { "Unlock its weights" } else { "Lock its weights" };
            if own(ui, label, "A tool changes no weight of a joint that is locked") {
                commands.push(ToolCommand::ToggleLock(node).into());
            }
        }
        rows(ui, &[ViewCommand::HideSelected.into()], commands);
        if own(ui, "Copy its name", "Put its name on the clipboard") {
            copied::copy(ui, name.to_owned(), name);
        }
        ui.separator();
    }
    rows(ui, &[CameraCommand::FrameAll.into(), ViewCommand::ShowAll.into()], commands);
    asked
}

/// Shows what the rows below it are about.
fn head(ui: &mut Ui, text: &str) {
    let (galley, _) = shortened(ui, text, strong(SMALL), colors(ui).dim, WIDTH - 20.0);
    ui.horizontal(|ui| {
        ui.add_space(10.0);
        ui.label(galley);
    });
}

/// Shows a row that no menu has; returns whether it was pressed.
fn own(ui: &mut Ui, label: &str, help: &str) -> bool {
    let response = item(ui, label, RowSuffix::None, None);
    describe(&response, help);
    let pressed = response.on_hover_text(help).clicked();
    if pressed {
        ui.close();
    }
    pressed
}

//! The menu of a right click: what one can do with a joint, with the skin and the joint that moves it most, with a finding, or with the
//! picture.

use egui::{Align, Id, LayerId, Layout, Popup, PopupAnchor, PopupKind, Pos2, Response, Ui};
use skinscope_inspect::{VertexRef, rule_words};
use skinscope_model::NodeId;
use skinscope_session::{
    CameraCommand, Command, DockPanel, EditCommand, FindingCommand, MarkCommand, PosingCommand, RepairTool,
    SelectionCommand, Session, ToolCommand, ViewCommand, repair_of, row_of,
};

use super::UiState;
use super::card::influences_of;
use super::copied;
use super::menu::{RowSuffix, command_item, item};
use super::repair_words::repair_words;
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
    /// The finding that was clicked, by its index in the document.
    pub finding: Option<usize>,
}

impl About {
    /// A node, wherever it is named.
    pub fn node(node: NodeId) -> Self {
        Self { node: Some(node), ..Self::default() }
    }
}

/// The menu of a row that is shown where all panels are there, since its row may have other rows' place by then.
#[derive(Clone, Copy, Debug)]
struct OfRow {
    about: About,
    at: Pos2,
    layer: LayerId,
}

/// Opens the menu of a row of a table or a list where `response` says that it was right-clicked.
pub(super) fn ask(ui: &Ui, response: &Response, about: About, session: &Session, commands: &mut Vec<Command>) {
    let Some(at) = response.interact_pointer_pos().filter(|_| response.secondary_clicked()) else { return };
    begin(about, session, commands);
    ui.data_mut(|d| d.insert_temp(rows_menu(), OfRow { about, at, layer: response.layer_id }));
    Popup::open_id(ui.ctx(), rows_menu());
}

fn rows_menu() -> Id {
    Id::unique("menu of a row")
}

/// Shows the menu that [`ask`] has opened.
pub(super) fn show_asked(ui: &Ui, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    if !Popup::is_id_open(ui.ctx(), rows_menu()) {
        return;
    }
    let Some(OfRow { about, at, layer }) = ui.data(|d| d.get_temp(rows_menu())) else { return };
    let popup = Popup::new(rows_menu(), ui.ctx().clone(), PopupAnchor::Position(at), layer);
    let popup = popup.kind(PopupKind::Menu).layout(Layout::top_down_justified(Align::Min));
    fill(popup.style(egui::containers::menu::menu_style).gap(0.0).open_memory(None), about, session, state, commands);
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
    fill(Popup::context_menu(response), about, session, state, commands);
}

fn fill(popup: Popup<'_>, about: About, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    let mut asked = None;
    popup.show(|ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 0.0;
        asked = contents(ui, about, session, state, commands);
    });
    if let Some(table @ (RepairTool::Joints | RepairTool::Vertices)) = asked {
        state.tables.choose_for(table);
        state.saved.tables = true;
        state.dock.ask(DockPanel::Tables);
    }
}

fn contents(
    ui: &mut Ui,
    about: About,
    session: &Session,
    state: &UiState,
    commands: &mut Vec<Command>,
) -> Option<RepairTool> {
    let model = session.model()?;
    let mut asked = None;
    if let Some(index) = about.finding {
        return of_finding(ui, index, session, commands);
    }
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
        // A row of the table of vertices names no node, and its weights are in sight; so is a vertex that no joint moves, which has none.
        if about.node.is_some() && own(ui, "Weights in the table", "Pin it, and show its row in the table of vertices")
        {
            commands.push(SelectionCommand::Pin(Some(vertex)).into());
            asked = Some(RepairTool::Vertices);
        }
        if about.node.is_none() {
            if let Some(joint) = heaviest(session, vertex)
                && own(ui, "Select the joint that moves it most", "Select the joint of its largest weight")
            {
                commands.push(SelectionCommand::Select(Some(joint)).into());
            }
            if own(ui, "Bring it into view", "Pin it, and move the camera to it") {
                commands.push(SelectionCommand::Pin(Some(vertex)).into());
                commands.push(CameraCommand::FrameMarked.into());
            }
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

/// Shows what one can do with a finding; returns the tool that is asked for.
fn of_finding(ui: &mut Ui, index: usize, session: &Session, commands: &mut Vec<Command>) -> Option<RepairTool> {
    let finding = session.document()?.findings().nth(index)?;
    let mut asked = None;
    head(ui, rule_words(finding.rule).map_or(finding.rule, |(label, _)| label));
    if session.view().finding == Some(index) {
        if own(ui, "Leave it", "Go back to what was seen before it was shown") {
            commands.push(FindingCommand::LeaveFinding.into());
        }
    } else if own(ui, "Show it", "Pose, mark and frame what it is about") {
        commands.push(FindingCommand::ShowFinding(index).into());
    }
    for (all, label, help) in repair_words(finding) {
        if own(ui, &label, help) {
            commands.push(ToolCommand::Repair { finding: index, all }.into());
            asked = Some(repair_of(finding).tool);
        }
    }
    let joints = &finding.joints;
    if let [joint] = joints[..]
        && own(ui, "Select its joint", "Select the joint that it names")
    {
        commands.push(SelectionCommand::Select(Some(joint)).into());
    }
    ui.separator();
    if own(ui, "Copy its text", "Put what is wrong, and what to do, on the clipboard") {
        copied::copy(ui, format!("{} {}", finding.message, finding.fix), "the text of the finding");
    }
    asked
}

/// Returns the joint of the largest weight of a vertex.
fn heaviest(session: &Session, vertex: VertexRef) -> Option<NodeId> {
    let model = session.model()?;
    let (joints, weights) = influences_of(model, vertex)?.of(vertex.vertex);
    let (joint, _) = joints.iter().zip(weights).max_by(|a, b| a.1.total_cmp(b.1))?;
    let skin = model.instances.get(vertex.instance.index())?.skin?;
    model.skins[skin.index()].joints.get(usize::from(*joint)).copied()
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

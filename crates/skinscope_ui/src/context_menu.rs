//! The menu of a right click: what one can do with a joint, with the skin and the joint that moves it most, with a finding, a clip, a row of
//! the skins, or with the picture.

use egui::{Align, Id, LayerId, Layout, Popup, PopupAnchor, PopupKind, Pos2, Response, Ui};
use skinscope_inspect::check::RepairTool;
use skinscope_inspect::{VertexRef, repair_of, rule_words};
use skinscope_model::{ClipId, NodeId, SkinId};
use skinscope_session::{
    CameraCommand, Command, DockPanel, EditCommand, FindingCommand, KeyingCommand, MarkCommand, PlaybackCommand,
    PosingCommand, SelectionCommand, Session, ToolCommand, ViewCommand, refusal, row_of,
};

use super::UiState;
use super::card::influences_of;
use super::copied;
use super::menu::{RowSuffix, command_item, item};
use super::repair_words::repair_words;
use super::theme::{SMALL, colors, strong};
use super::vertex_weights;
use super::widgets::{counted, describe, shortened};

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
    /// The clip that was clicked.
    pub clip: Option<ClipId>,
    /// The skin whose row was clicked.
    pub skin: Option<SkinId>,
}

/// What a row of a menu asks of the panels.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// The table that this tool is used in.
    Table(RepairTool),
    /// The table of the joints of one skin.
    JointsOf(SkinId),
    /// The field for the name of the clip that is shown.
    NameOfClip,
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
        asked = match (about.clip, about.skin) {
            (Some(clip), _) => of_clip(ui, clip, session, commands),
            (None, Some(skin)) => of_skin(ui, skin, session, commands),
            (None, None) => contents(ui, about, session, state, commands).map(Asked::Table),
        };
    });
    match asked {
        Some(Asked::Table(table @ (RepairTool::Joints | RepairTool::Vertices))) => state.tables.choose_for(table),
        Some(Asked::JointsOf(skin)) => state.tables.choose_joints_of(skin),
        Some(Asked::NameOfClip) => return state.timeline.ask_for_name(),
        Some(Asked::Table(RepairTool::Operation(_))) | None => return,
    }
    state.saved.tables = true;
    state.dock.ask(DockPanel::Tables);
}

/// Shows the menu of what `response` is of, where the rows are its owner's: each with its help; returns the index of the one that was chosen.
pub(super) fn choose(response: &Response, title: &str, rows: &[(&str, &str)]) -> Option<usize> {
    let mut chosen = None;
    Popup::context_menu(response).show(|ui| {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 0.0;
        head(ui, title);
        for (i, (label, help)) in rows.iter().enumerate() {
            if own(ui, label, help) {
                chosen = Some(i);
            }
        }
    });
    chosen
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
        asked = of_vertex(ui, vertex, about.node.is_some(), session, commands);
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

/// Shows what one can do with a vertex; returns the table that is asked for. `on_skin`: it was clicked on the skin, whose joint's rows follow.
fn of_vertex(
    ui: &mut Ui,
    vertex: VertexRef,
    on_skin: bool,
    session: &Session,
    commands: &mut Vec<Command>,
) -> Option<RepairTool> {
    let model = session.model()?;
    head(ui, &format!("Vertex {} of the skin", vertex.vertex));
    if own(ui, "Pin this vertex", "Keep its weights and what moves it in sight, in the inspector") {
        commands.push(SelectionCommand::Pin(Some(vertex)).into());
    }
    if on_skin {
        if own(ui, "Weights in the table", "Pin it, and show its row in the table of vertices") {
            commands.push(SelectionCommand::Pin(Some(vertex)).into());
            return Some(RepairTool::Vertices);
        }
        return None;
    }
    // A row of the table of vertices names no node, and its weights are in sight; so is a vertex that no joint moves, which has none.
    if let Some(joint) = heaviest(session, vertex)
        && own(ui, "Select the joint that moves it most", "Select the joint of its largest weight")
    {
        commands.push(SelectionCommand::Select(Some(joint)).into());
    }
    if own(ui, "Bring it into view", "Pin it, and move the camera to it") {
        commands.push(SelectionCommand::Pin(Some(vertex)).into());
        commands.push(CameraCommand::FrameMarked.into());
    }
    if influences_of(model, vertex).is_some() {
        if own(ui, "Copy its weights", "Keep them for Paste weights here, and for the tool Paste") {
            vertex_weights::copy(ui, session, vertex, commands);
        }
        let why = session.tools().settings.copied.is_empty().then_some("Copy the weights of a vertex first");
        let help = "Give it the weights that were copied; where it is marked, give them to all marked vertices";
        if own_unless(ui, "Paste weights", help, why) {
            vertex_weights::paste(ui, session, vertex, commands);
        }
    }
    None
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

/// Shows what one can do with a clip.
fn of_clip(ui: &mut Ui, id: ClipId, session: &Session, commands: &mut Vec<Command>) -> Option<Asked> {
    let clip = session.model()?.clips.get(id.index())?;
    let shown: Option<Command> = (session.playback().clip != Some(id)).then(|| PlaybackCommand::SetClip(id).into());
    let mut asked = None;
    head(ui, &clip.name);
    if own(ui, "Play it", "Show this clip, and play it from its start") {
        commands.push(PlaybackCommand::SetClip(id).into());
        commands.push(PlaybackCommand::SetPlaying(true).into());
    }
    let mirror = Command::Keying(KeyingCommand::MirrorClip(None));
    if refusal(&mirror, session).is_none()
        && own(ui, "Add its mirror image", "Add this clip once more with left and right exchanged")
    {
        commands.extend(shown.clone());
        commands.push(mirror);
    }
    if clip.is_added() {
        if own(ui, "Rename…", "Show this clip, and type another name for it") {
            commands.extend(shown);
            asked = Some(Asked::NameOfClip);
        }
        if own(ui, "Remove clip", "Take this clip out, which the file does not have yet") {
            commands.push(KeyingCommand::RemoveClip(id).into());
        }
    }
    ui.separator();
    if own(ui, "Copy its name", "Put its name on the clipboard") {
        copied::copy(ui, clip.name.clone(), &clip.name);
    }
    asked
}

/// Shows what one can do with a skin.
fn of_skin(ui: &mut Ui, id: SkinId, session: &Session, commands: &mut Vec<Command>) -> Option<Asked> {
    let model = session.model()?;
    let skin = model.skins.get(id.index())?;
    let mut asked = None;
    head(ui, &format!("Skin {} {}", id.0, skin.name));
    if let Some(root) = skin.root.or_else(|| skin.joints.iter().copied().min())
        && own(ui, "Select its root", "Select the node that the file names as its skeleton, else its uppermost joint")
    {
        commands.push(SelectionCommand::Select(Some(root)).into());
    }
    if own(ui, "Its joints in the table", "Show the rows of its joints alone, in the table of joints") {
        asked = Some(Asked::JointsOf(id));
    }
    ui.separator();
    if !skin.name.is_empty() && own(ui, "Copy its name", "Put its name on the clipboard") {
        copied::copy(ui, skin.name.clone(), &skin.name);
    }
    if own(ui, "Copy the names of its joints", "Put the names of its joints on the clipboard, one a line") {
        let names = skin.joints.iter().filter_map(|joint| model.skeleton.names.get(joint.index()));
        let text = names.map(String::as_str).collect::<Vec<_>>().join("\n");
        copied::copy(ui, text, &counted(skin.joints.len(), "name", "names"));
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
    own_unless(ui, label, help, None)
}

/// Does the same; the row is off where there is a reason `why`.
fn own_unless(ui: &mut Ui, label: &str, help: &str, why: Option<&str>) -> bool {
    let response = ui.add_enabled_ui(why.is_none(), |ui| item(ui, label, RowSuffix::None, None)).inner;
    describe(&response, why.unwrap_or(help));
    let pressed = response.on_hover_text(help).on_disabled_hover_text(why.unwrap_or_default()).clicked();
    if pressed {
        ui.close();
    }
    pressed
}

//! The palette table: world, inverse bind and skinning matrix of each joint, as they are now; and the chain of nodes
//! that makes the world matrix of one.

use egui::{Align2, Label, Rect, RichText, Stroke, Ui, pos2, vec2};
use glam::{Affine3A, Vec3};
use skinscope_base::math::{Units, smallest_euler_xyz_degrees};
use skinscope_inspect::tables::{ChainLink, Tsv, chain, scale_of};
use skinscope_model::{Model, NodeId, SkinId};
use skinscope_session::{CameraCommand, Command, SelectionCommand, Session};

use super::{StatusText, Tab, TableContext, bar, choose_skin, number_column, skin_name, text_column};
use crate::context_menu::{self, About};
use crate::copied::copy_rows;
use crate::matrices::matrix_cell;
use crate::table::{Column, PAD, RowStyle, Rows, Table, TableResponse, TableState, cell_text};
use crate::theme::{self, colors};
use crate::widgets::{counted, number, search_field, segments};

/// State of the table for the open model.
#[derive(Debug, Default)]
pub(super) struct PaletteTableState {
    search: String,
    skin: Option<SkinId>,
    /// Whether the chain of the selected joint is shown instead of all joints.
    chain: bool,
    rows: Vec<(SkinId, usize)>,
    /// The search text and the skin that `rows` were built for.
    built_for: Option<(String, Option<SkinId>)>,
    table_state: TableState,
    chain_state: TableState,
    /// The selection that was last brought into view.
    shown: Option<NodeId>,
}

/// The matrices of a joint.
struct JointMatrices {
    world: Affine3A,
    inverse_bind: Affine3A,
    skinning: Affine3A,
}

/// The height of three lines of a matrix, points.
const ROW: f32 = 62.0;
/// The width of a matrix, points.
const MATRIX: f32 = 236.0;

impl PaletteTableState {
    fn build(&mut self, model: &Model) {
        let key = (self.search.clone(), self.skin);
        if self.built_for.as_ref() == Some(&key) {
            return;
        }
        let wanted = self.search.trim().to_lowercase();
        let skins = model.skins.iter().enumerate().filter(|(i, _)| self.skin.is_none_or(|s| s.index() == *i));
        let has = |node: NodeId| model.skeleton.names[node.index()].to_lowercase().contains(&wanted);
        let slots = skins.flat_map(|(i, skin)| {
            let found = skin.joints.iter().enumerate().filter(|(_, node)| has(**node));
            found.map(move |(slot, _)| (SkinId::from_index(i), slot))
        });
        self.rows = slots.collect();
        self.table_state.cursor = None;
        self.built_for = Some(key);
    }
}

/// Shows the table; returns true while it has the keyboard.
pub(super) fn show(
    ui: &mut Ui,
    given: TableContext<'_>,
    tab: &mut Tab,
    palette: &mut PaletteTableState,
    hovered: &mut Option<NodeId>,
    commands: &mut Vec<Command>,
) {
    let TableContext { session, model, .. } = given;
    palette.build(model);
    let links = match session.view().selected.filter(|_| palette.chain) {
        Some(node) => chain(model, &session.pose().local, node),
        None => Vec::new(),
    };
    let rows = if palette.chain {
        counted(links.len(), "node", "nodes")
    } else {
        counted(palette.rows.len(), "joint", "joints")
    };
    let status = StatusText { rows, no_copy: None };
    let wanted = if model.skins.len() > 1 { 510.0 } else { 370.0 };
    let mut copy = bar(ui, tab, wanted, |ui| filters(ui, model, palette), Some(&status));
    palette.build(model);
    if palette.chain {
        let answer = chain_table(ui, session, model, &links, &mut palette.chain_state);
        copy |= answer.copy;
        react(ui, &answer, |row| links[row].node, session, hovered, commands);
        if copy {
            copy_rows(ui, chain_tsv(model, &links), "node", "nodes");
        }
        return;
    }
    let node = |row: usize| {
        let (skin, slot) = palette.rows[row];
        model.skins[skin.index()].joints[slot]
    };
    let selected = session.view().selected;
    if palette.shown != selected {
        palette.shown = selected;
        palette.table_state.reveal = (0..palette.rows.len()).find(|r| Some(node(*r)) == selected);
        palette.table_state.cursor = palette.table_state.reveal;
    }
    let answer = table(ui, given, &palette.rows, &mut palette.table_state);
    if let Some((row, _)) = answer.chosen {
        palette.shown = Some(node(row));
    }
    react(ui, &answer, node, session, hovered, commands);
    if copy || answer.copy {
        let only = selected.filter(|_| answer.copy);
        let rows: Vec<usize> = (0..palette.rows.len()).filter(|r| only.is_none_or(|n| node(*r) == n)).collect();
        copy_rows(ui, tsv(given, rows.iter().map(|r| palette.rows[*r])), "joint", "joints");
    }
}

/// Reacts to the user: a click selects, Enter frames, a right click opens a menu, and the row under the pointer is reported.
fn react(
    ui: &Ui,
    answer: &TableResponse,
    node: impl Fn(usize) -> NodeId,
    session: &Session,
    hovered: &mut Option<NodeId>,
    commands: &mut Vec<Command>,
) {
    *hovered = answer.hovered.map(&node).or(*hovered);
    if let Some((row, response)) = &answer.menu {
        context_menu::ask(ui, response, About::node(node(*row)), session, commands);
    }
    if let Some((row, _)) = answer.chosen {
        commands.push(SelectionCommand::Select(Some(node(row))).into());
    }
    if answer.opened.is_some() {
        commands.push(CameraCommand::FrameSelected.into());
    }
}

fn filters(ui: &mut Ui, model: &Model, palette: &mut PaletteTableState) {
    let modes = [
        ("All joints", !palette.chain, "The matrices of every joint".to_owned()),
        (
            "Chain",
            palette.chain,
            "How the world matrix of the selected joint comes about, from the root down".to_owned(),
        ),
    ];
    if let Some(chosen) = segments(ui, &modes) {
        palette.chain = chosen == 1;
    }
    if !palette.chain {
        let id = ui.make_persistent_id("search");
        search_field(ui, id, &mut palette.search, "Search joints", 152.0, false);
        choose_skin(ui, model, &mut palette.skin);
    }
}

fn matrices(given: TableContext<'_>, (skin, slot): (SkinId, usize)) -> JointMatrices {
    let TableContext { session, model, .. } = given;
    let of_skin = &model.skins[skin.index()];
    let index = model.palette_layout().skins[skin.index()] as usize + slot;
    let get = |all: &[Affine3A], at: usize| all.get(at).copied().unwrap_or_default();
    JointMatrices {
        world: get(&session.pose().model, of_skin.joints[slot].index()),
        inverse_bind: of_skin.inverse_bind[slot],
        skinning: get(&session.pose().palettes, index),
    }
}

fn table(ui: &mut Ui, given: TableContext<'_>, list: &[(SkinId, usize)], state: &mut TableState) -> TableResponse {
    let TableContext { session, model, .. } = given;
    let fixed = |title: &str, width, help: &str| Column { sorts: false, ..text_column(title, width, help) };
    let columns = [
        Column { grows: true, ..fixed("Joint", 170.0, "The name of the joint") },
        fixed("World", MATRIX, "Where the joint is: model from node, in the pose that is shown"),
        fixed("Inverse bind", MATRIX, "From the mesh to the joint, when it was bound"),
        fixed("Skinning matrix", MATRIX, "World · inverse bind: what moves the vertices"),
        Column {
            sorts: false,
            ..number_column("Determinant", 96.0, "Of the skinning matrix: negative where it mirrors")
        },
        Column { sorts: false, ..number_column("Scale", 76.0, "How long the skinning matrix makes the axes X, Y, Z") },
    ];
    let node = |row: usize| model.skins[list[row].0.index()].joints[list[row].1];
    let rows = Rows {
        count: list.len(),
        height: ROW,
        label: &|row| {
            let m = matrices(given, list[row]);
            let name = &model.skeleton.names[node(row).index()];
            format!("{name}: skinning matrix {}", flat(&m.skinning).map(|v| number(v, 3)).join(" "))
        },
        look: &|row| {
            let selected = session.view().selected == Some(node(row));
            RowStyle { selected, leads: selected, hovered: session.view().hovered == Some(node(row)) }
        },
        cell: &|ui, rect, row, column| cell(ui, rect, given, list[row], column),
        tip: &|row, column| (column == 0).then(|| model.skeleton.names[node(row).index()].clone()),
        edit: None,
        note: None,
    };
    Table { name: "Palette table", columns: &columns, frozen: 1, sorted: None }.show(ui, &rows, state)
}

fn cell(ui: &Ui, rect: Rect, given: TableContext<'_>, at: (SkinId, usize), column: usize) {
    let c = colors(ui);
    let model = given.model;
    let skin = &model.skins[at.0.index()];
    let m = matrices(given, at);
    match column {
        0 => {
            let lines = rect.translate(vec2(0.0, -9.0));
            cell_text(ui, lines, &model.skeleton.names[skin.joints[at.1].index()], false, c.text);
            let slot_text = format!("slot {} of {}", at.1, skin_name(model, at.0));
            small(ui, rect.translate(vec2(0.0, 9.0)), &slot_text);
        }
        1 => matrix(ui, rect, &m.world),
        2 if skin.binds_missing => {
            let lines = rect.translate(vec2(0.0, -9.0));
            cell_text(ui, lines, "Identity", false, c.text);
            small(ui, rect.translate(vec2(0.0, 9.0)), "not stored in the file");
        }
        2 => matrix(ui, rect, &m.inverse_bind),
        3 => matrix(ui, rect, &m.skinning),
        4 => {
            let (_, determinant) = scale_of(&m.skinning);
            let ink = if determinant > 0.0 { c.text } else { c.amber };
            cell_text(ui, rect, &matrix_cell(determinant), true, ink);
        }
        _ => {
            let (scale, _) = scale_of(&m.skinning);
            lines(ui, rect, scale.to_array().map(matrix_cell), c.text);
        }
    }
}

/// Paints a second line, dim.
fn small(ui: &Ui, rect: Rect, text: &str) {
    let at = pos2(rect.left() + PAD, rect.center().y);
    ui.painter().text(at, Align2::LEFT_CENTER, text, theme::regular(theme::SMALL), colors(ui).dim);
}

/// Paints three numbers, one below the other.
fn lines(ui: &Ui, rect: Rect, texts: [String; 3], ink: egui::Color32) {
    for (i, text) in texts.iter().enumerate() {
        let at = pos2(rect.right() - PAD, rect.center().y + 18.0 * (i as f32 - 1.0));
        ui.painter().text(at, Align2::RIGHT_CENTER, text, theme::regular(12.0), ink);
    }
}

/// Paints three rows of four numbers, with the translation set apart.
fn matrix(ui: &Ui, rect: Rect, m: &Affine3A) {
    let c = colors(ui);
    let columns = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    let width = (rect.width() - 2.0 * PAD) / 4.0;
    for (i, column) in columns.iter().enumerate() {
        let cell = Rect::from_x_y_ranges(
            rect.left() + i as f32 * width..=rect.left() + PAD + (i + 1) as f32 * width + PAD,
            rect.y_range(),
        );
        let ink = if i == 3 { c.text } else { c.dim };
        lines(ui, cell, column.to_array().map(matrix_cell), ink);
    }
    let x = rect.left() + 2.0 * PAD + 3.0 * width - 4.0;
    ui.painter().vline(x, rect.center().y - 24.0..=rect.center().y + 24.0, Stroke::new(1.0, c.line));
}

fn chain_table(
    ui: &mut Ui,
    session: &Session,
    model: &Model,
    links: &[ChainLink],
    state: &mut TableState,
) -> TableResponse {
    let c = colors(ui);
    let name = |node: NodeId| model.skeleton.names[node.index()].as_str();
    let Some(last) = links.last() else {
        egui::Frame::NONE.inner_margin(egui::Margin::symmetric(theme::MARGIN, 8)).show(ui, |ui| {
            ui.label(RichText::new("Select a joint to see the product that makes its world matrix.").color(c.dim));
        });
        ui.take_available_space();
        return TableResponse::default();
    };
    let factors: Vec<&str> = links.iter().map(|l| name(l.node)).collect();
    let product = format!("World of {} = {},  each T · R · S", name(last.node), factors.join(" · "));
    egui::Frame::NONE
        .inner_margin(egui::Margin { left: theme::MARGIN, right: theme::MARGIN, top: 0, bottom: 6 })
        .show(ui, |ui| ui.add(Label::new(RichText::new(product).font(theme::regular(12.0)).color(c.text)).truncate()));
    let (unit, metres) = Units::of_columns();
    let fixed = |title: &str, width, help: &str| Column { sorts: false, ..text_column(title, width, help) };
    let of = |title: &str, help: &str| Column { right: true, ..fixed(title, 84.0, help) };
    let columns = [
        Column { grows: true, ..fixed("Node", 170.0, "From the root down") },
        of(&format!("T ({unit})"), "Translation from its parent: X, Y, Z"),
        of("R (°)", "Rotation about X, Y, Z"),
        of("S", "Scale along X, Y, Z"),
        fixed("Local matrix", MATRIX, "T · R · S: parent from node"),
        fixed("Product so far", MATRIX, "That of the parent times the local matrix: model from node"),
    ];
    let rows = Rows {
        count: links.len(),
        height: ROW,
        label: &|row| {
            let product = flat(&links[row].model_from_node).map(|v| number(v, 3)).join(" ");
            format!("{}: product {product}", name(links[row].node))
        },
        look: &|row| {
            let selected = session.view().selected == Some(links[row].node);
            RowStyle { selected, leads: selected, hovered: session.view().hovered == Some(links[row].node) }
        },
        cell: &|ui, rect, row, column| {
            let link = &links[row];
            let three = |v: Vec3| v.to_array().map(matrix_cell);
            match column {
                0 => cell_text(ui, rect, name(link.node), false, c.text),
                1 => lines(ui, rect, three(link.local.translation / metres as f32), c.text),
                2 => lines(
                    ui,
                    rect,
                    smallest_euler_xyz_degrees(link.local.rotation).to_array().map(|d| number(d, 1)),
                    c.text,
                ),
                3 => lines(ui, rect, three(link.local.scale), c.text),
                4 => matrix(ui, rect, &link.parent_from_node),
                _ => matrix(ui, rect, &link.model_from_node),
            }
        },
        tip: &|row, column| (column == 0).then(|| name(links[row].node).to_owned()),
        edit: None,
        note: None,
    };
    Table { name: "Chain table", columns: &columns, frozen: 1, sorted: None }.show(ui, &rows, state)
}

/// Returns the numbers of a matrix, row after row.
fn flat(m: &Affine3A) -> [f32; 12] {
    let columns = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
    std::array::from_fn(|i| columns[i % 4][i / 4])
}

/// Returns the titles of a matrix's numbers: `world 00` to `world 23`, row and column.
fn titles(of: &str) -> impl Iterator<Item = String> {
    (0..12).map(move |i| format!("{of} {}{}", i / 4, i % 4))
}

fn tsv(given: TableContext<'_>, rows: impl Iterator<Item = (SkinId, usize)>) -> String {
    let model = given.model;
    let mut header: Vec<String> = ["joint", "skin", "slot", "node"].map(str::to_owned).into();
    header.extend(["world", "inverse bind", "skinning"].into_iter().flat_map(titles));
    header.extend(["determinant", "scale x", "scale y", "scale z", "inverse bind stored"].map(str::to_owned));
    let mut out = Tsv::new(header.iter().map(String::as_str));
    for at in rows {
        let skin = &model.skins[at.0.index()];
        let node = skin.joints[at.1].index();
        out.cell(&model.skeleton.names[node]).number(at.0.0).number(at.1).number(model.skeleton.file_index[node]);
        let m = matrices(given, at);
        let (scale, determinant) = scale_of(&m.skinning);
        for value in [m.world, m.inverse_bind, m.skinning].iter().flat_map(flat) {
            out.number(value);
        }
        out.number(determinant);
        scale.to_array().iter().for_each(|v| _ = out.number(v));
        out.cell(if skin.binds_missing { "no" } else { "yes" }).end_row();
    }
    out.into_text()
}

fn chain_tsv(model: &Model, links: &[ChainLink]) -> String {
    let mut header: Vec<String> = ["name", "node"].map(str::to_owned).into();
    let parts = ["t x", "t y", "t z", "r x", "r y", "r z", "r w", "s x", "s y", "s z"];
    header.extend(parts.map(str::to_owned));
    header.extend(["local", "product"].into_iter().flat_map(titles));
    let mut out = Tsv::new(header.iter().map(String::as_str));
    for link in links {
        out.cell(&model.skeleton.names[link.node.index()]).number(model.skeleton.file_index[link.node.index()]);
        let local = link.local;
        let parts =
            local.translation.to_array().into_iter().chain(local.rotation.to_array()).chain(local.scale.to_array());
        let matrices = [link.parent_from_node, link.model_from_node];
        for value in parts.chain(matrices.iter().flat_map(flat)) {
            out.number(value);
        }
        out.end_row();
    }
    out.into_text()
}

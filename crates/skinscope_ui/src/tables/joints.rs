//! The joint table: the effect of each joint, sorted and searched.

use egui::{Rect, Ui, pos2, vec2};
use skinscope_base::math::{Units, length, lengths, tick_length};
use skinscope_inspect::tables::{JointColumn, JointRow, Tsv};
use skinscope_model::{Model, NodeId, SkinId};
use skinscope_session::{CameraCommand, Command, SelectionCommand, Session, ToolCommand};

use super::{
    Counted, StatusText, Tab, TableContext, TableData, bar, choose_skin, next_order, number_column, text_column,
};
use crate::context_menu::{self, About};
use crate::copied::copy_rows;
use crate::outliner_row::padlock;
use crate::table::{Column, RowStyle, Rows, Table, TableResponse, TableState, cell_text};
use crate::theme::colors;
use crate::widgets::{counted, grouped, search_field};

/// State of the table for the open model.
#[derive(Debug, Default)]
pub(super) struct JointTableState {
    search: String,
    skin: Option<SkinId>,
    order: Option<(JointColumn, bool)>,
    rows: Vec<JointRow>,
    /// The search text, skin and order that `rows` were built for.
    built_for: Option<RowQuery>,
    /// The edits of weights that the figures of `rows` were counted with.
    counted: Counted,
    table_state: TableState,
    /// The selection that was last brought into view.
    shown: Option<NodeId>,
}

/// The search text, the skin and the order.
type RowQuery = (String, Option<SkinId>, Option<(JointColumn, bool)>);

const COLUMNS: [JointColumn; 14] = [
    JointColumn::Name,
    JointColumn::Slot,
    JointColumn::Node,
    JointColumn::Parent,
    JointColumn::Depth,
    JointColumn::Vertices,
    JointColumn::Sum,
    JointColumn::Largest,
    JointColumn::Mean,
    JointColumn::Size,
    JointColumn::Drift,
    JointColumn::DriftAngle,
    JointColumn::Rest,
    JointColumn::Unused,
];

fn column(of: JointColumn) -> Column {
    match of {
        JointColumn::Name => Column { grows: true, ..text_column("Joint", 180.0, "The name of the joint") },
        JointColumn::Slot => number_column("Slot", 52.0, "Its place in the list of joints of the skin"),
        JointColumn::Node => number_column("Node", 56.0, "Its number in the file"),
        JointColumn::Parent => text_column("Parent", 132.0, "The node that it hangs on"),
        JointColumn::Depth => number_column("Depth", 60.0, "Steps from the root of the hierarchy"),
        JointColumn::Vertices => number_column("Vertices", 74.0, "Stored vertices that it moves at all"),
        JointColumn::Sum => number_column("Sum", 74.0, "Sum of its weights over all vertices"),
        JointColumn::Largest => number_column("Largest", 70.0, "Its largest weight"),
        JointColumn::Mean => number_column("Mean", 60.0, "Sum of its weights over the vertices that it moves"),
        JointColumn::Size => {
            number_column("Moves", 162.0, "The box around what it moves in the bind pose: width × height × depth")
        }
        JointColumn::Drift => number_column("Drift", 78.0, "From where the skin bound it to where it rests"),
        JointColumn::DriftAngle => number_column("Drift (°)", 74.0, "Between how the skin bound it and how it rests"),
        JointColumn::Rest => number_column(
            "Rest (°)",
            70.0,
            "Angle of its own rotation at rest: some clips and scripts take for granted that it is zero",
        ),
        JointColumn::Unused => text_column("Use", 68.0, "Unused: it moves no vertex, and nor does any node below it"),
    }
}

impl JointTableState {
    /// Shows the joints of one skin, all of them.
    pub(super) fn choose_skin(&mut self, skin: SkinId) {
        self.search.clear();
        self.skin = Some(skin);
    }

    fn build(&mut self, model: &Model, base: &TableData) {
        let key = (self.search.clone(), self.skin, self.order);
        let is_other = self.built_for.as_ref() != Some(&key);
        if is_other || self.counted != base.counted {
            self.rows = base.joints.select(model, self.skin, &self.search, self.order);
            self.counted.clone_from(&base.counted);
            self.built_for = Some(key);
        }
        if is_other {
            self.table_state.cursor = None;
        }
    }
}

/// Shows the table; returns true while it has the keyboard.
pub(super) fn show(
    ui: &mut Ui,
    given: TableContext<'_>,
    tab: &mut Tab,
    joints: &mut JointTableState,
    hovered: &mut Option<NodeId>,
    commands: &mut Vec<Command>,
) {
    let TableContext { session, model, base } = given;
    joints.build(model, base);
    let all = base.joints.rows(joints.skin).len();
    let rows = match joints.rows.len() {
        n if n == all => counted(n, "joint", "joints"),
        n => format!("{} of {}", grouped(n), counted(all, "joint", "joints")),
    };
    let status = StatusText { rows, no_copy: None };
    let filters = |ui: &mut Ui| {
        let id = ui.make_persistent_id("search");
        search_field(ui, id, &mut joints.search, "Search joints", 152.0, false);
        choose_skin(ui, model, &mut joints.skin);
    };
    let mut copy = bar(ui, tab, if model.skins.len() > 1 { 356.0 } else { 216.0 }, filters, Some(&status));
    joints.build(model, base);
    let selected = session.view().selected;
    if joints.shown != selected {
        joints.shown = selected;
        joints.table_state.reveal = joints.rows.iter().position(|r| Some(r.node) == selected);
        joints.table_state.cursor = joints.table_state.reveal;
    }
    let answer = table(ui, session, model, joints, commands);
    if let Some(row) = answer.hovered {
        *hovered = Some(joints.rows[row].node);
    }
    if let Some((row, _)) = answer.chosen {
        joints.shown = Some(joints.rows[row].node);
        commands.push(SelectionCommand::Select(joints.shown).into());
    }
    if answer.opened.is_some() {
        commands.push(CameraCommand::FrameSelected.into());
    }
    if let Some((row, response)) = &answer.menu {
        let node = joints.rows[*row].node;
        joints.shown = Some(node);
        context_menu::ask(ui, response, About::node(node), session, commands);
    }
    if let Some(head) = answer.head {
        let by = COLUMNS[head];
        joints.order = next_order(joints.order, by, column(by).right || by == JointColumn::Unused);
        ui.ctx().request_repaint();
    }
    let mut only = None;
    if answer.copy {
        only = selected.filter(|s| joints.rows.iter().any(|r| r.node == *s));
        copy = true;
    }
    if copy {
        let rows = joints.rows.iter().filter(|r| only.is_none_or(|node| r.node == node));
        copy_rows(ui, tsv(model, rows), "joint", "joints");
    }
}

fn table(
    ui: &mut Ui,
    session: &Session,
    model: &Model,
    joints: &mut JointTableState,
    commands: &mut Vec<Command>,
) -> TableResponse {
    let locked = std::cell::Cell::new(None);
    let columns = COLUMNS.map(column);
    let column_index = |by: JointColumn| COLUMNS.iter().position(|c| *c == by);
    let sorted = joints.order.and_then(|(by, descending)| Some((column_index(by)?, descending)));
    let table = Table { name: "Joint table", columns: &columns, frozen: 1, sorted };
    let list = &joints.rows;
    let rows = Rows {
        count: list.len(),
        height: 24.0,
        label: &|row| {
            let text = |by: &JointColumn| format!("{} {}", column(*by).title, text(model, &list[row], *by));
            COLUMNS.iter().map(text).collect::<Vec<_>>().join(", ")
        },
        look: &|row| {
            let selected = session.view().selected == Some(list[row].node);
            let hovered = session.view().hovered == Some(list[row].node);
            RowStyle { selected, leads: selected, hovered }
        },
        cell: &|ui, rect, row, at| {
            let node = list[row].node;
            let is_name = COLUMNS[at] == JointColumn::Name;
            let room = if is_name { rect.with_max_x(rect.right() - 22.0) } else { rect };
            cell(ui, room, model, &list[row], COLUMNS[at]);
            let name = &model.skeleton.names[node.index()];
            if is_name && padlock(ui, session, node, name, pos2(rect.right() - 12.0, rect.center().y), (false, true)) {
                locked.set(Some(node));
            }
        },
        tip: &|row, at| tip(model, &list[row], COLUMNS[at]),
        edit: None,
        note: None,
    };
    if list.is_empty() {
        let message = Rect::from_min_size(ui.cursor().min + vec2(12.0, 32.0), vec2(400.0, 24.0));
        cell_text(ui, message, "No joint has that in its name.", false, colors(ui).dim);
    }
    let answer = table.show(ui, &rows, &mut joints.table_state);
    commands.extend(locked.get().map(|node| ToolCommand::ToggleLock(node).into()));
    answer
}

fn cell(ui: &Ui, rect: Rect, model: &Model, row: &JointRow, column: JointColumn) {
    let c = colors(ui);
    let text = text(model, row, column);
    let right = self::column(column).right;
    let quiet = row.figures.vertices == 0;
    let ink = match column {
        JointColumn::Unused => c.amber,
        JointColumn::Drift | JointColumn::DriftAngle if row.drifts => c.amber,
        JointColumn::Rest if row.is_turned => c.text,
        JointColumn::Name if !quiet => c.text,
        JointColumn::Vertices | JointColumn::Sum | JointColumn::Largest | JointColumn::Mean if !quiet => c.text,
        _ => c.dim,
    };
    cell_text(ui, rect, &text, right, ink);
}

/// Returns the text of a cell.
fn text(model: &Model, row: &JointRow, column: JointColumn) -> String {
    let skeleton = &model.skeleton;
    let name = |node: NodeId| skeleton.names[node.index()].clone();
    let none = row.figures.vertices == 0;
    let figure = |text: String| if none { "–".to_owned() } else { text };
    match column {
        JointColumn::Name => name(row.node),
        JointColumn::Slot => row.slot.to_string(),
        JointColumn::Node => skeleton.file_index[row.node.index()].to_string(),
        JointColumn::Parent => skeleton.parents[row.node.index()].map_or_else(String::new, name),
        JointColumn::Depth => row.depth.to_string(),
        JointColumn::Vertices => grouped(row.figures.vertices),
        JointColumn::Sum => figure(format!("{:.1}", row.figures.sum)),
        JointColumn::Largest => figure(format!("{:.3}", row.figures.largest)),
        JointColumn::Mean => figure(format!("{:.3}", row.figures.mean())),
        JointColumn::Size => {
            let size = row.figures.bounds.size();
            figure(lengths(size.to_array().map(f64::from)))
        }
        JointColumn::Drift => row.drift.map_or_else(|| "–".to_owned(), |d| drift(d.metres)),
        JointColumn::DriftAngle => row.drift.map_or_else(|| "–".to_owned(), |d| format!("{:.1}", d.degrees)),
        JointColumn::Rest => format!("{:.1}", row.rest_degrees),
        JointColumn::Unused => if row.unused { "unused" } else { "" }.to_owned(),
    }
}

/// Writes a distance for its narrow column, in which rounding errors have no number.
fn drift(metres: f64) -> String {
    if metres > 0.0 && metres < 1e-6 { "< 1 µm".to_owned() } else { tick_length(metres) }
}

/// Returns the tooltip of a cell: facts that the cell has no room for.
fn tip(model: &Model, row: &JointRow, column: JointColumn) -> Option<String> {
    let figures = row.figures;
    match column {
        JointColumn::Name => {
            let humanoid = model.humanoid(row.node).map(|h| format!("\nHumanoid: {h}")).unwrap_or_default();
            Some(format!("{}{humanoid}", text(model, row, column)))
        }
        JointColumn::Parent => Some(text(model, row, column)).filter(|t| !t.is_empty()),
        JointColumn::Slot if row.skins > 1 => {
            Some(format!("Of skin {}, the first of {} that refer to this joint", row.skin.0, row.skins))
        }
        JointColumn::Sum => Some(figures.sum.to_string()),
        JointColumn::Largest => Some(figures.largest.to_string()),
        JointColumn::Mean => Some(figures.mean().to_string()),
        JointColumn::Drift => row.drift.map(|d| {
            let (unit, metres) = Units::of_columns();
            format!("{} {unit}", d.metres / metres)
        }),
        JointColumn::DriftAngle => row.drift.map(|d| format!("{}°", d.degrees)),
        JointColumn::Rest => {
            let flag = if row.is_turned {
                "The rest rotation is not the identity"
            } else {
                "The rest rotation is the identity"
            };
            Some(format!("{flag}: {}°", row.rest_degrees))
        }
        JointColumn::Size if figures.vertices > 0 => {
            let (min, max) = (figures.bounds.min, figures.bounds.max);
            let point = |p: glam::Vec3| p.to_array().map(|v| length(v.into())).join(", ");
            Some(format!("From {} to {}, in the bind pose", point(min), point(max)))
        }
        _ => None,
    }
}

/// Writes the rows for a spreadsheet.
fn tsv<'a>(model: &Model, rows: impl Iterator<Item = &'a JointRow>) -> String {
    let skeleton = &model.skeleton;
    let mut out = Tsv::new([
        "joint",
        "skin",
        "slot",
        "node",
        "parent",
        "depth",
        "vertices",
        "sum",
        "largest",
        "mean",
        "min x",
        "min y",
        "min z",
        "max x",
        "max y",
        "max z",
        "drift m",
        "drift degrees",
        "drifts",
        "rest degrees",
        "rest is turned",
        "unused",
    ]);
    for row in rows {
        let node = row.node.index();
        out.cell(&skeleton.names[node]).number(row.skin.0).number(row.slot).number(skeleton.file_index[node]);
        out.cell(skeleton.parents[node].map_or("", |p| &skeleton.names[p.index()]));
        let figures = row.figures;
        out.number(row.depth)
            .number(figures.vertices)
            .number(figures.sum)
            .number(figures.largest)
            .number(figures.mean());
        let corners = [figures.bounds.min.to_array(), figures.bounds.max.to_array()];
        for value in corners.as_flattened() {
            if figures.bounds.is_empty() {
                out.blank()
            } else {
                out.number(value)
            };
        }
        match row.drift {
            Some(drift) => out.number(drift.metres).number(drift.degrees),
            None => out.blank().blank(),
        };
        let flag = |on: bool, word: &'static str| if on { word } else { "" };
        out.cell(flag(row.drifts, "drifts")).number(row.rest_degrees).cell(flag(row.is_turned, "turned"));
        out.cell(if row.unused { "unused" } else { "" }).end_row();
    }
    out.into_text()
}

//! The vertex spreadsheet: a row for each stored vertex, its influences as pairs or as a column for each joint.

use std::sync::Arc;

use egui::{CornerRadius, Modifiers, Rect, Ui, pos2, vec2};

use super::{StatusText, Tab, TableContext, bar, choose_skin, next_order, number_column, skin_name, text, text_column};
use crate::app::ui::copied::copy_rows;
use crate::app::ui::table::{Column, PAD, RowStyle, Rows, Table, TableResponse, TableState, cell_text};
use crate::app::ui::theme::{self, BODY, colors};
use crate::app::ui::widgets::{chip, counted, drop_down, grouped, paint_line, segments, shortened};
use crate::app::ui::work::Work;
use crate::inspect::check::SAME_WEIGHT;
use crate::inspect::tables::{CountFilter, Pair, Row, SumFilter, VertexOrder, VertexQuery};
use crate::inspect::{Inspection, PerVertex, VertexRef, VertexSet};
use crate::model::{Model, NodeId, SkinId, WeightFormat};
use crate::session::{CameraCommand, Command, SelectionCommand, Session};

/// What the table keeps for the open model.
#[derive(Debug, Default)]
pub(super) struct VertexTableState {
    skin: Option<SkinId>,
    /// Only those that the selected joint moves.
    of_joint: bool,
    /// Only those that are marked.
    marked: bool,
    sums: SumFilter,
    counts: CountFilter,
    /// A column for each joint, in place of the pairs.
    matrix: bool,
    order: Option<(SortKey, bool)>,
    found: Work<VertexQuery, Arc<Vec<u32>>>,
    /// The text that is being made for the clipboard.
    text: Work<(), String>,
    columns: (Vec<ColumnKind>, Vec<Column>),
    place: TableState,
    /// The row that a range starts from.
    anchor: Option<usize>,
    /// The pinned vertex that was last brought into view.
    shown: Option<VertexRef>,
    /// The joint whose column was last brought into view.
    shown_joint: Option<NodeId>,
}

/// A column that the rows can be ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SortKey {
    Mesh,
    Number,
    Count,
    Sum,
    Asymmetry,
    /// Of the selected joint, whichever that is.
    Selected,
    Joint(NodeId),
}

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Mesh,
    Skin,
    Number,
    Count,
    Sum,
    /// How far its weights differ from those of its mirror image, or that it has none.
    Asymmetry,
    /// The weight of the selected joint.
    Selected(NodeId),
    /// The influence of this rank, the heaviest first.
    Rank(usize),
    Joint(NodeId),
}

impl ColumnKind {
    /// What a click on the head orders by.
    fn orders(self) -> Option<SortKey> {
        match self {
            Self::Mesh | Self::Skin => Some(SortKey::Mesh),
            Self::Number => Some(SortKey::Number),
            Self::Count => Some(SortKey::Count),
            Self::Sum => Some(SortKey::Sum),
            Self::Asymmetry => Some(SortKey::Asymmetry),
            Self::Selected(_) => Some(SortKey::Selected),
            Self::Joint(node) => Some(SortKey::Joint(node)),
            Self::Rank(_) => None,
        }
    }
}

/// The rows as found: places in the file's order.
#[derive(Clone, Debug)]
pub(super) enum RowIndices {
    All(usize),
    These(Arc<Vec<u32>>),
}

impl RowIndices {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(count) => *count,
            Self::These(rows) => rows.len(),
        }
    }

    pub(super) fn at(&self, row: usize) -> usize {
        match self {
            Self::All(_) => row,
            Self::These(rows) => rows[row] as usize,
        }
    }
}

impl VertexTableState {
    fn query(&self, session: &Session) -> VertexQuery {
        let selected = session.view().selected;
        let (order, descending) = match self.order {
            None => (VertexOrder::File, false),
            Some((SortKey::Mesh, descending)) => (VertexOrder::File, descending),
            Some((SortKey::Number, descending)) => (VertexOrder::Number, descending),
            Some((SortKey::Count, descending)) => (VertexOrder::Count, descending),
            Some((SortKey::Sum, descending)) => (VertexOrder::Sum, descending),
            Some((SortKey::Asymmetry, descending)) => (VertexOrder::Asymmetry, descending),
            Some((SortKey::Joint(node), descending)) => (VertexOrder::Weight(node), descending),
            Some((SortKey::Selected, descending)) => {
                selected.map_or((VertexOrder::File, false), |node| (VertexOrder::Weight(node), descending))
            }
        };
        VertexQuery {
            skin: self.skin,
            joint: selected.filter(|_| self.of_joint),
            sums: self.sums,
            counts: self.counts,
            within: self.marked.then(|| Arc::clone(&session.view().marked)),
            part: None,
            order,
            descending,
        }
    }

    /// The rows, and whether others are being looked for.
    fn find(&mut self, ui: &Ui, given: TableContext<'_>) -> RowIndices {
        let query = self.query(given.session);
        let table = &given.base.vertices;
        if query.is_plain() {
            self.found = Work::default();
            return RowIndices::All(table.len());
        }
        let (model, table, asked) = (Arc::clone(given.model), Arc::clone(table), query.clone());
        let inspection = inspection_of(given.session).cloned();
        let quick = table.len() <= super::QUICK;
        self.found.ask(ui, query, quick, move |cancel| {
            let asymmetry = inspection.as_ref().map(|i| &i.asymmetry);
            table.select(&model, &asked, asymmetry, cancel).map(Arc::new)
        });
        // Until they are found, those from before stay.
        self.found
            .latest()
            .map_or(RowIndices::All(given.base.vertices.len()), |rows| RowIndices::These(Arc::clone(rows)))
    }

    /// Brings a vertex into view that was pinned elsewhere.
    fn follow_pin(&mut self, given: TableContext<'_>, found: &RowIndices) {
        let pinned = given.session.view().pinned;
        if self.shown == pinned {
            return;
        }
        self.shown = pinned;
        let place = pinned.and_then(|v| given.base.vertices.find(given.model, v));
        let row = place.and_then(|place| match found {
            RowIndices::All(_) => Some(place),
            RowIndices::These(rows) => rows.iter().position(|r| *r as usize == place),
        });
        self.place.reveal = row;
        self.place.cursor = row.or(self.place.cursor);
    }

    fn order_by(&mut self, shows: ColumnKind) {
        if let Some(by) = shows.orders() {
            self.order = next_order(self.order, by, !matches!(by, SortKey::Mesh | SortKey::Number));
        }
    }

    /// A click pins a vertex and marks it; with Ctrl it is marked too, or no more; with Shift all between are.
    fn choose(
        &mut self,
        given: TableContext<'_>,
        found: &RowIndices,
        row: usize,
        held: Modifiers,
        commands: &mut Vec<Command>,
    ) {
        let vertex = |row: usize| {
            let Row { part, vertex } = given.base.vertices.row(found.at(row));
            (part.mesh, part.primitive, vertex as u32)
        };
        let mut set: Vec<_> = if held.command { given.session.view().marked.iter().collect() } else { Vec::new() };
        if let Some(anchor) = self.anchor.filter(|a| held.shift && *a < found.len()) {
            set.extend((anchor.min(row)..=anchor.max(row)).map(vertex));
        } else {
            self.anchor = Some(row);
            let this = vertex(row);
            let before = set.len();
            set.retain(|v| *v != this);
            if set.len() == before {
                set.push(this);
            }
        }
        self.shown = Some(given.base.vertices.row(found.at(row)).vertex_ref());
        commands.push(SelectionCommand::Pin(self.shown).into());
        commands.push(SelectionCommand::Mark(Arc::new(VertexSet::from_vertices(set))).into());
    }

    fn shows(&self, given: TableContext<'_>) -> Vec<ColumnKind> {
        let TableContext { session, model, base } = given;
        let mut out = Vec::new();
        if base.vertices.parts.len() > 1 {
            out.push(ColumnKind::Mesh);
        }
        if model.skins.len() > 1 {
            out.push(ColumnKind::Skin);
        }
        out.extend([ColumnKind::Number, ColumnKind::Count, ColumnKind::Sum]);
        if asymmetry(session).is_some() {
            out.push(ColumnKind::Asymmetry);
        }
        if self.matrix {
            match self.skin {
                Some(skin) => out.extend(model.skins[skin.index()].joints.iter().map(|n| ColumnKind::Joint(*n))),
                None => out.extend(base.joints.rows(None).iter().map(|r| ColumnKind::Joint(r.node))),
            }
            return out;
        }
        if let Some(node) = session.view().selected.filter(|n| model.is_joint(*n)) {
            out.push(ColumnKind::Selected(node));
        }
        out.extend((0..base.most).map(ColumnKind::Rank));
        out
    }
}

/// Shows the table; true while it has the keyboard.
pub(super) fn show(
    ui: &mut Ui,
    given: TableContext<'_>,
    tab: &mut Tab,
    vertices: &mut VertexTableState,
    commands: &mut Vec<Command>,
) {
    let found = vertices.find(ui, given);
    let said = said(given, vertices, &found);
    let wanted = if given.model.skins.len() > 1 { 728.0 } else { 592.0 };
    let copy = bar(ui, tab, wanted, |ui| filters(ui, given, vertices), Some(&said));
    let shows = vertices.shows(given);
    vertices.follow_pin(given, &found);
    let selected = given.session.view().selected.filter(|_| vertices.matrix);
    if vertices.shown_joint != selected {
        vertices.shown_joint = selected;
        vertices.place.reveal_column = shows.iter().position(|s| selected.map(ColumnKind::Joint) == Some(*s));
    }
    let answer = table(ui, given, vertices, &found, &shows);
    if let Some(head) = answer.head {
        vertices.order_by(shows[head]);
        ui.ctx().request_repaint();
    }
    if let Some((row, held)) = answer.chosen {
        vertices.choose(given, &found, row, held, commands);
    }
    if answer.opened.is_some() {
        commands.push(CameraCommand::FrameMarked.into());
    }
    if copy || answer.copy && said.no_copy.is_none() {
        let marked = Arc::clone(&given.session.view().marked);
        let only = (answer.copy && !marked.is_empty()).then_some(marked);
        let quick = text::cells(given, &found, &shows) <= super::QUICK;
        let (model, table) = (Arc::clone(given.model), Arc::clone(&given.base.vertices));
        let inspection = inspection_of(given.session).cloned();
        vertices.text.ask(ui, (), quick, move |cancel| {
            let asymmetry = inspection.as_ref().map(|i| &i.asymmetry);
            text::tsv((&model, asymmetry), &table, &found, &shows, only.as_deref(), cancel)
        });
    }
    vertices.text.take(ui);
    if let Some(text) = vertices.text.finish() {
        copy_rows(ui, text, "vertex", "vertices");
    }
}

/// How many rows there are, and whether they can be copied.
fn said(given: TableContext<'_>, vertices: &VertexTableState, found: &RowIndices) -> StatusText {
    let all = given.base.vertices.len();
    let count = match found.len() {
        n if n == all => counted(n, "vertex", "vertices"),
        n => format!("{} of {}", grouped(n), counted(all, "vertex", "vertices")),
    };
    let left_out = match given.base.vertices.left_out {
        0 => String::new(),
        n => format!(", {} more not listed", grouped(n)),
    };
    let rows = match (vertices.found.is_under_way(), vertices.text.is_under_way()) {
        (true, _) => "Looking…".to_owned(),
        (false, true) => "Copying…".to_owned(),
        (false, false) => format!("{count}{left_out}"),
    };
    let bytes = text::cells(given, found, &vertices.shows(given)).saturating_mul(text::CELL_BYTES);
    let no_copy = (bytes > text::MOST_BYTES).then(|| {
        let mib = bytes >> 20;
        format!("That would be about {mib} MiB of text. Filter the rows, or show pairs in place of all joints.")
    });
    StatusText { rows, no_copy }
}

fn filters(ui: &mut Ui, given: TableContext<'_>, vertices: &mut VertexTableState) {
    let TableContext { session, model, .. } = given;
    let modes = [
        ("Pairs", !vertices.matrix, "The influences of a vertex, the heaviest first".to_owned()),
        ("All joints", vertices.matrix, "A column for each joint".to_owned()),
    ];
    if let Some(chosen) = segments(ui, &modes) {
        vertices.matrix = chosen == 1;
    }
    choose_skin(ui, model, &mut vertices.skin);
    let selected = session.view().selected.map(|n| model.skeleton.names[n.index()].as_str());
    let of_joint = ui.add_enabled_ui(selected.is_some(), |ui| chip(ui, "Selected joint", vertices.of_joint)).inner;
    let tip = format!("Only the vertices that {} moves", selected.unwrap_or_default());
    if of_joint.on_hover_text(tip).on_disabled_hover_text("Select a joint to see only what it moves").clicked() {
        vertices.of_joint = !vertices.of_joint;
    }
    let any = !session.view().marked.is_empty();
    let marked = ui.add_enabled_ui(any || vertices.marked, |ui| chip(ui, "Marked", vertices.marked)).inner;
    let why = "Mark vertices by a click on their rows, or on a finding";
    if marked.on_hover_text("Only the vertices that are marked").on_disabled_hover_text(why).clicked() {
        vertices.marked = !vertices.marked;
    }
    const SUMS: [(SumFilter, &str); 4] = [
        (SumFilter::Any, "Any sum"),
        (SumFilter::NotOne, "Sum ≠ 1"),
        (SumFilter::Below, "Sum < 1"),
        (SumFilter::Above, "Sum > 1"),
    ];
    pick(ui, "Sums", 76.0, &SUMS, &mut vertices.sums);
    const COUNTS: [(CountFilter, &str); 7] = [
        (CountFilter::Any, "Any count"),
        (CountFilter::Exactly(0), "No influence"),
        (CountFilter::Exactly(1), "1 influence"),
        (CountFilter::Exactly(2), "2 influences"),
        (CountFilter::Exactly(3), "3 influences"),
        (CountFilter::Exactly(4), "4 influences"),
        (CountFilter::AtLeast(5), "More than 4"),
    ];
    pick(ui, "Influences", 96.0, &COUNTS, &mut vertices.counts);
}

fn pick<T: Copy + PartialEq>(ui: &mut Ui, name: &str, width: f32, choices: &[(T, &str)], now: &mut T) {
    let shown = choices.iter().find(|c| c.0 == *now).map_or("", |c| c.1);
    drop_down(ui, name, shown, width, |ui| {
        for (value, text) in choices {
            if ui.selectable_label(value == now, *text).clicked() {
                *now = *value;
            }
        }
    });
}

fn column(model: &Model, shows: ColumnKind) -> Column {
    let name = |node: NodeId| model.skeleton.names[node.index()].clone();
    match shows {
        ColumnKind::Mesh => text_column("Mesh", 150.0, "Its name, and the number of the primitive"),
        ColumnKind::Skin => text_column("Skin", 110.0, ""),
        ColumnKind::Number => number_column("Vertex", 76.0, "Its number in the file, within its primitive"),
        ColumnKind::Count => number_column("Count", 60.0, "Joints with a weight other than zero"),
        ColumnKind::Sum => number_column("Sum", 68.0, "Of its weights, as stored"),
        ColumnKind::Asymmetry => number_column(
            "Asymmetry",
            90.0,
            "The largest difference between one of its weights and that of the mirrored vertex",
        ),
        ColumnKind::Selected(node) => number_column(&name(node), 110.0, "Weight of the selected joint"),
        ColumnKind::Rank(rank) => {
            let title = format!("Influence {}", rank + 1);
            let help = if rank == 0 { "The joint that moves it most" } else { "" };
            Column { sorts: false, ..text_column(&title, 190.0, help) }
        }
        ColumnKind::Joint(node) => number_column(&name(node), 76.0, "Weights of this joint"),
    }
}

fn table(
    ui: &mut Ui,
    given: TableContext<'_>,
    vertices: &mut VertexTableState,
    found: &RowIndices,
    shows: &[ColumnKind],
) -> TableResponse {
    let TableContext { session, model, base } = given;
    if vertices.columns.0 != shows {
        vertices.columns = (shows.to_vec(), shows.iter().map(|s| column(model, *s)).collect());
    }
    let sorted = vertices.order.and_then(|(by, down)| Some((shows.iter().position(|s| s.orders() == Some(by))?, down)));
    let frozen = shows.iter().position(|s| *s == ColumnKind::Sum).map_or(0, |at| at + 1);
    let table = Table { name: "Vertex table", columns: &vertices.columns.1, frozen, sorted };
    let pinned = session.view().pinned.and_then(|v| base.vertices.find(model, v));
    let row = |row: usize| base.vertices.row(found.at(row));
    let rows = Rows {
        count: found.len(),
        height: 24.0,
        label: &|at| label(session, model, &row(at)),
        look: &|at| {
            let Row { part, vertex } = row(at);
            RowStyle {
                selected: session.view().marked.contains(part.mesh, part.primitive, vertex as u32),
                leads: pinned == Some(found.at(at)),
                hovered: false,
            }
        },
        cell: &|ui, rect, at, column| cell(ui, rect, given, &row(at), shows[column]),
        tip: &|at, column| tip(given, &row(at), shows[column]),
    };
    if found.len() == 0 {
        let message = Rect::from_min_size(ui.cursor().min + vec2(4.0, 32.0), vec2(400.0, 24.0));
        cell_text(ui, message, "No vertex is like that.", false, colors(ui).dim);
    }
    table.show(ui, &rows, &mut vertices.place)
}

/// For screen readers.
fn label(session: &Session, model: &Model, row: &Row) -> String {
    let name = |p: &Pair| format!("{} {:.3}", model.skeleton.names[p.node.index()], p.weight);
    let pairs: Vec<String> = row.pairs(model).iter().map(name).collect();
    let place = mesh_name(model, row);
    let mirrored = match asymmetry(session).map(|values| row.asymmetry(values)) {
        None => String::new(),
        Some(None) => "; no mirror image".to_owned(),
        Some(Some(difference)) => format!("; asymmetry {difference:.3}"),
    };
    format!("Vertex {} of {place}: {}; sum {:.3}{mirrored}", row.vertex, pairs.join(", "), row.sum(model))
}

/// What is found out about the model, once it is checked.
fn inspection_of(session: &Session) -> Option<&Arc<Inspection>> {
    session.document()?.inspection.as_ref()
}

/// What is known of mirror images.
fn asymmetry(session: &Session) -> Option<&PerVertex> {
    inspection_of(session).map(|inspection| &inspection.asymmetry)
}

/// The mesh, and the primitive where it has several.
fn mesh_name(model: &Model, row: &Row) -> String {
    let mesh = &model.meshes[row.part.mesh.index()];
    let name = if mesh.name.is_empty() { format!("mesh {}", row.part.mesh.0) } else { mesh.name.clone() };
    if mesh.primitives.len() > 1 { format!("{name} · {}", row.part.primitive) } else { name }
}

fn cell(ui: &Ui, rect: Rect, given: TableContext<'_>, row: &Row, shows: ColumnKind) {
    let TableContext { session, model, base } = given;
    let c = colors(ui);
    let weight_of = |node| base.slot(row.part.skin, node).map_or(0.0, |slot| row.weight(model, slot));
    match shows {
        ColumnKind::Mesh => cell_text(ui, rect, &mesh_name(model, row), false, c.dim),
        ColumnKind::Skin => cell_text(ui, rect, &skin_name(model, row.part.skin), false, c.dim),
        ColumnKind::Number => cell_text(ui, rect, &grouped(row.vertex), true, c.text),
        ColumnKind::Count => {
            let count = row.count(model);
            let ink = if count == 0 { c.amber } else { c.text };
            cell_text(ui, rect, &count.to_string(), true, ink);
        }
        ColumnKind::Sum => {
            let ink = if row.sums_to_one(model) { c.dim } else { c.amber };
            cell_text(ui, rect, &weight_text(row.sum(model)), true, ink);
        }
        ColumnKind::Asymmetry => match asymmetry(session).and_then(|values| row.asymmetry(values)) {
            None => cell_text(ui, rect, "no mirror", true, c.dim),
            Some(difference) => {
                let ink = if difference > SAME_WEIGHT { c.amber } else { c.dim };
                cell_text(ui, rect, &weight_text(difference.into()), true, ink);
            }
        },
        ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
            let weight = weight_of(node);
            if weight != 0.0 {
                share(ui, rect, weight);
                cell_text(ui, rect, &weight_text(f64::from(weight)), true, c.text);
            }
        }
        ColumnKind::Rank(rank) => {
            if let Some(pair) = row.pairs(model).get(rank) {
                paired(ui, rect, &model.skeleton.names[pair.node.index()], pair.weight);
            }
        }
    }
}

/// Three places; what is not one must not read so.
fn weight_text(weight: f64) -> String {
    let text = format!("{weight:.3}");
    text.replace('-', "−")
}

/// A name and its weight.
fn paired(ui: &Ui, rect: Rect, name: &str, weight: f32) {
    let c = colors(ui);
    share(ui, rect, weight);
    let figure = ui.painter().layout_no_wrap(weight_text(f64::from(weight)), theme::regular(BODY), c.text);
    let x = rect.right() - PAD - figure.size().x;
    let (name, _) = shortened(ui, name, theme::regular(BODY), c.dim, x - rect.left() - 2.0 * PAD);
    paint_line(ui, name, rect.left() + PAD, rect.center().y, c.dim);
    paint_line(ui, figure, x, rect.center().y, c.text);
}

/// A line under a cell, as long as its weight.
fn share(ui: &Ui, rect: Rect, weight: f32) {
    let whole = rect.shrink2(vec2(PAD, 0.0));
    let from = pos2(whole.left(), rect.bottom() - 3.0);
    let long = if weight.is_finite() { weight.clamp(0.0, 1.0) * whole.width() } else { 0.0 };
    let line = Rect::from_min_size(from, vec2(long, 2.0));
    ui.painter().rect_filled(line, CornerRadius::same(1), colors(ui).accent.gamma_multiply(0.6));
}

/// Weights in full, and as the file stores them.
fn tip(given: TableContext<'_>, row: &Row, shows: ColumnKind) -> Option<String> {
    let model = given.model;
    let of_pair = |pair: &Pair| {
        let stored = match (pair.integer(), pair.format) {
            (Some(n), WeightFormat::U8) => format!(", stored as {n} of 255"),
            (Some(n), _) => format!(", stored as {n} of 65535"),
            (None, _) => String::new(),
        };
        let name = &model.skeleton.names[pair.node.index()];
        format!("{name}\n{}{stored}\nSlot {} of {}", pair.weight, pair.slot, skin_name(model, row.part.skin))
    };
    match shows {
        ColumnKind::Mesh => Some(mesh_name(model, row)),
        ColumnKind::Sum => {
            let integers: Option<Vec<u32>> = row.pairs(model).iter().map(Pair::integer).collect();
            let total = integers.filter(|all| !all.is_empty()).map(|all| all.iter().sum::<u32>());
            let stored = total.map(|n| format!("\nThe stored integers sum to {n}")).unwrap_or_default();
            Some(format!("{}{stored}", row.sum(model)))
        }
        ColumnKind::Rank(rank) => row.pairs(model).get(rank).map(of_pair),
        ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
            let pairs = row.pairs(model);
            let of: Vec<String> = pairs.iter().filter(|p| p.node == node).map(of_pair).collect();
            (!of.is_empty()).then(|| of.join("\n"))
        }
        ColumnKind::Asymmetry => {
            Some(match asymmetry(given.session)?.of(row.part.mesh, row.part.primitive).get(row.vertex)? {
                d if *d < 0.0 => "It has no mirror image to compare it with".to_owned(),
                d => d.to_string(),
            })
        }
        ColumnKind::Skin | ColumnKind::Number | ColumnKind::Count => None,
    }
}

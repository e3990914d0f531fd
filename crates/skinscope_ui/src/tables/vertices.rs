//! The vertex spreadsheet: a row for each stored vertex, its influences as pairs or as a column for each joint.

use std::sync::Arc;

use egui::{Modifiers, Rect, Ui, vec2};
use skinscope_inspect::tables::{Row, VertexOrder, VertexQuery};
use skinscope_inspect::{VertexRef, VertexSet};
use skinscope_model::NodeId;
use skinscope_session::{CameraCommand, Command, SelectionCommand, Session};

use super::vertex_cells::{asymmetry, cell, label, tip};
use super::vertex_columns::{ColumnKind, RowIndices, SortKey, column};
use super::vertex_edit::{Spreadsheet, joint_of};
use super::vertex_filters::Filters;
use super::{StatusText, Tab, TableContext, bar, next_order, room_of_filters, text};
use crate::background_query::BackgroundQuery;
use crate::context_menu::{self, About};
use crate::copied::copy_rows;
use crate::table::{Column, RowStyle, Rows, Table, TableResponse, TableState, cell_text};
use crate::theme::colors;
use crate::widgets::{counted, grouped};

/// The state that the table keeps for the open model.
#[derive(Debug, Default)]
pub(super) struct VertexTableState {
    filters: Filters,
    order: Option<(SortKey, bool)>,
    found: BackgroundQuery<(VertexQuery, bool), Arc<Vec<u32>>>,
    /// The text that is being made for the clipboard.
    text: BackgroundQuery<(), String>,
    columns: (Vec<ColumnKind>, Vec<Column>),
    table_state: TableState,
    /// The row that a range starts from.
    anchor: Option<usize>,
    /// What was marked before the range that was marked last, and what is since.
    range: Option<[Arc<VertexSet>; 2]>,
    /// What the table itself has marked last, and the marked vertices whose rows it shows.
    own_marks: Arc<VertexSet>,
    shown_marks: Arc<VertexSet>,
    /// The pinned vertex that was last brought into view.
    shown: Option<VertexRef>,
    /// The joint whose column was last brought into view.
    shown_joint: Option<NodeId>,
}

impl VertexTableState {
    fn query(&mut self, session: &Session) -> VertexQuery {
        let selected = session.view().selected;
        // Rows stay while marks are changed in them.
        if !self.filters.marked || !Arc::ptr_eq(&self.own_marks, &session.view().marked) {
            self.shown_marks = Arc::clone(&session.view().marked);
        }
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
            skin: self.filters.skin,
            joint: selected.filter(|_| self.filters.of_joint),
            sums: self.filters.sums,
            counts: self.filters.counts,
            within: self.filters.marked.then(|| Arc::clone(&self.shown_marks)),
            primitive: None,
            order,
            descending,
        }
    }

    /// Returns the rows, and whether others are being looked for.
    fn find(&mut self, ui: &Ui, given: TableContext<'_>) -> RowIndices {
        let query = self.query(given.session);
        let table = &given.base.vertices;
        if query.is_plain() {
            self.found = BackgroundQuery::default();
            return RowIndices::All(table.len());
        }
        let (model, table, asked) = (Arc::clone(given.model), Arc::clone(table), query.clone());
        let values = given.session.edited_weights().inspected_values().cloned();
        let quick = table.len() <= super::QUICK;
        // Rows stay in their order while one works in them, also where the differences of mirror images have changed.
        let has_order = values.is_some() && query.order == VertexOrder::Asymmetry;
        self.found.ask(ui, (query, has_order), quick, move |cancel| {
            let asymmetry = values.as_ref().map(|values| &*values.asymmetry);
            table.select(&model, &asked, asymmetry, cancel).map(Arc::new)
        });
        // Until they are found, those from before stay.
        self.found
            .latest()
            .map_or(RowIndices::All(given.base.vertices.len()), |rows| RowIndices::These(Arc::clone(rows)))
    }

    /// Scrolls to a vertex that was pinned elsewhere.
    fn follow_pin(&mut self, given: TableContext<'_>, found: &RowIndices) {
        let pinned = given.session.view().pinned;
        if self.shown == pinned {
            return;
        }
        self.shown = pinned;
        let index = pinned.and_then(|v| given.base.vertices.find(given.model, v));
        let row = index.and_then(|index| match found {
            RowIndices::All(_) => Some(index),
            RowIndices::These(rows) => rows.iter().position(|r| *r as usize == index),
        });
        self.table_state.reveal = row;
        self.table_state.cursor = row.or(self.table_state.cursor);
    }

    fn order_by(&mut self, shows: ColumnKind) {
        if let Some(by) = shows.orders() {
            self.order = next_order(self.order, by, !matches!(by, SortKey::Mesh | SortKey::Number));
        }
    }

    /// Reacts to a click and to arrows: they pin a vertex, and what is marked stays; with Ctrl the mark of the vertex is switched; with
    /// Shift all between are marked too.
    fn choose(
        &mut self,
        given: TableContext<'_>,
        found: &RowIndices,
        row: usize,
        modifiers: Modifiers,
        commands: &mut Vec<Command>,
    ) {
        let vertex = |row: usize| {
            let Row { part, vertex } = given.base.vertices.row(found.at(row));
            (part.mesh, part.primitive, vertex as u32)
        };
        self.shown = Some(given.base.vertices.row(found.at(row)).vertex_ref());
        commands.push(SelectionCommand::Pin(self.shown).into());
        let marked = &given.session.view().marked;
        let anchor = self.anchor.filter(|anchor| modifiers.shift && *anchor < found.len()).unwrap_or(row);
        self.anchor = Some(anchor);
        let set = if modifiers.shift {
            // A range that grows or shrinks starts from what was marked before it.
            let before = match &self.range {
                Some([before, made]) if Arc::ptr_eq(made, marked) => Arc::clone(before),
                _ => Arc::clone(marked),
            };
            let between = (anchor.min(row)..=anchor.max(row)).map(vertex);
            let set = Arc::new(VertexSet::from_vertices(before.iter().chain(between).collect()));
            self.range = Some([before, Arc::clone(&set)]);
            set
        } else {
            self.range = None;
            if !modifiers.command {
                return;
            }
            let this = vertex(row);
            let others: Vec<_> = marked.iter().filter(|other| *other != this).collect();
            let added = (others.len() == marked.len()).then_some(this);
            Arc::new(VertexSet::from_vertices(others.into_iter().chain(added).collect()))
        };
        self.own_marks = Arc::clone(&set);
        commands.push(SelectionCommand::Mark(set).into());
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
        if self.filters.matrix {
            match self.filters.skin {
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

/// Shows the table; returns true while it has the keyboard.
pub(super) fn show(
    ui: &mut Ui,
    given: TableContext<'_>,
    tab: &mut Tab,
    vertices: &mut VertexTableState,
    commands: &mut Vec<Command>,
) {
    let found = vertices.find(ui, given);
    let status = status(given, vertices, &found);
    let (in_row, in_menu, wanted) = vertices.filters.divided(ui, given, room_of_filters(ui, &status));
    let filters = |ui: &mut Ui| {
        for of in in_row {
            vertices.filters.show(ui, given, of, false);
        }
        vertices.filters.more(ui, given, &in_menu);
    };
    let copy = bar(ui, tab, wanted, filters, Some(&status));
    let shows = vertices.shows(given);
    vertices.follow_pin(given, &found);
    let selected = given.session.view().selected.filter(|_| vertices.filters.matrix);
    if vertices.shown_joint != selected {
        vertices.shown_joint = selected;
        vertices.table_state.reveal_column = shows.iter().position(|s| selected.map(ColumnKind::Joint) == Some(*s));
    }
    let answer = table(ui, given, vertices, &found, &shows);
    if let Some(head) = answer.head {
        vertices.order_by(shows[head]);
        ui.ctx().request_repaint();
    }
    if let Some((row, modifiers)) = answer.chosen {
        vertices.choose(given, &found, row, modifiers, commands);
    }
    if answer.opened.is_some() {
        commands.push(CameraCommand::FrameMarked.into());
    }
    if let Some((row, response)) = &answer.menu {
        let vertex = Some(given.base.vertices.row(found.at(*row)).vertex_ref());
        context_menu::ask(ui, response, About { vertex, ..About::default() }, given.session, commands);
    }
    let sheet = Spreadsheet { given, found: &found, shows: &shows, follow: !vertices.filters.stays };
    if let Some(typed) = answer.typed {
        sheet.type_in(ui, typed, &mut vertices.table_state, commands);
    }
    if let (Some(text), Some(row), Some(column)) =
        (&answer.pasted, vertices.table_state.cursor, vertices.table_state.column)
    {
        sheet.paste(ui, (row, column), text, &mut vertices.table_state, commands);
    }
    if copy || answer.copy && status.no_copy.is_none() {
        let marked = Arc::clone(&given.session.view().marked);
        let only = (answer.copy && !marked.is_empty()).then_some(marked);
        let quick = text::cells(given, &found, &shows) <= super::QUICK;
        let (model, table) = (Arc::clone(given.model), Arc::clone(&given.base.vertices));
        let values = given.session.edited_weights().inspected_values().cloned();
        vertices.text.ask(ui, (), quick, move |cancel| {
            let asymmetry = values.as_ref().map(|values| &*values.asymmetry);
            text::tsv((&model, asymmetry), &table, &found, &shows, only.as_deref(), cancel)
        });
    }
    vertices.text.take(ui);
    if let Some(text) = vertices.text.finish() {
        copy_rows(ui, text, "vertex", "vertices");
    }
}

/// Returns the text that says how many rows there are, and whether they can be copied.
fn status(given: TableContext<'_>, vertices: &VertexTableState, found: &RowIndices) -> StatusText {
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
        edit: Some(&|at, column| {
            let (_, weight) = joint_of(given, &row(at), *shows.get(column)?)?;
            Some(weight.to_string())
        }),
        note: Some(&|at| Spreadsheet { given, found, shows, follow: false }.note(at)),
    };
    if found.len() == 0 {
        let message = Rect::from_min_size(ui.cursor().min + vec2(4.0, 32.0), vec2(400.0, 24.0));
        cell_text(ui, message, "No vertex is like that.", false, colors(ui).dim);
    }
    table.show(ui, &rows, &mut vertices.table_state)
}

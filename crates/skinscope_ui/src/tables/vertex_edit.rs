//! Weights that are typed into cells of the vertex spreadsheet, or pasted as tab-separated text.

use std::sync::Arc;

use egui::Ui;
use skinscope_anim::pose::{Keys, NameError, find_key};
use skinscope_edit::{Amount, CellEdit, set_cells};
use skinscope_inspect::tables::Row;
use skinscope_model::{MeshId, NodeId, PrimitiveId};
use skinscope_session::{Command, EditCommand};

use super::TableContext;
use super::vertex_columns::{ColumnKind, RowIndices};
use crate::copied::{say, warn};
use crate::table::{TableState, TypedText};
use crate::widgets::{counted, grouped};

fn no_weight(cell: &str) -> String {
    format!("“{cell}” is no weight")
}

/// Returns the joint and the weight that a cell shows; `None` where it shows no weight.
pub(super) fn joint_of(given: TableContext<'_>, row: &Row, shows: ColumnKind) -> Option<(NodeId, f32)> {
    let TableContext { model, base, .. } = given;
    match shows {
        ColumnKind::Selected(node) | ColumnKind::Joint(node) => {
            Some((node, row.weight(model, base.slot(row.part.skin, node)?)))
        }
        ColumnKind::Rank(rank) => row.pairs(model).get(rank).map(|pair| (pair.node, pair.weight)),
        ColumnKind::Mesh
        | ColumnKind::Skin
        | ColumnKind::Number
        | ColumnKind::Count
        | ColumnKind::Sum
        | ColumnKind::Asymmetry => None,
    }
}

/// The rows and columns that are shown, and how a weight that is typed changes the others.
pub(super) struct Spreadsheet<'a> {
    pub given: TableContext<'a>,
    pub found: &'a RowIndices,
    pub shows: &'a [ColumnKind],
    /// Whether the other joints of the vertex follow.
    pub follow: bool,
}

impl Spreadsheet<'_> {
    fn row(&self, row: usize) -> Row {
        self.given.base.vertices.row(self.found.at(row))
    }

    fn cell(&self, row: usize, column: usize, amount: Amount) -> Option<CellEdit> {
        let Row { part, vertex } = self.row(row);
        let (joint, _) = joint_of(self.given, &self.row(row), *self.shows.get(column)?)?;
        Some(CellEdit { mesh: part.mesh, primitive: part.primitive, vertex: vertex as u32, joint, amount })
    }

    /// Returns the rows that a weight typed into `row` applies to: all marked rows where `row` is marked.
    pub fn rows(&self, row: usize) -> Vec<usize> {
        let marked = &self.given.session.view().marked;
        let is_marked = |row: &usize| {
            let Row { part, vertex } = self.row(*row);
            marked.contains(part.mesh, part.primitive, vertex as u32)
        };
        if is_marked(&row) { (0..self.found.len()).filter(is_marked).collect() } else { vec![row] }
    }

    /// Says how many vertices a weight that is typed into `row` changes, where that is more than one.
    pub fn note(&self, row: usize) -> Option<String> {
        let count = self.rows(row).len();
        (count > 1).then(|| format!("Edits all {} marked vertices", grouped(count)))
    }

    /// Gives the weight that was typed into a cell to its vertex, or to all marked ones where it is marked. What cannot be taken is said at
    /// the cell.
    pub(crate) fn type_in(&self, ui: &Ui, typed: TypedText, state: &mut TableState, commands: &mut Vec<Command>) {
        if let Err(why) = self.fill(ui, (typed.row, typed.column), &typed.text, commands) {
            state.refuse(typed, why);
        }
    }

    /// Gives the weight of a text to the vertices of a cell; the reason where no vertex can take it.
    fn fill(
        &self,
        ui: &Ui,
        (row, column): (usize, usize),
        text: &str,
        commands: &mut Vec<Command>,
    ) -> Result<(), String> {
        if text.trim().is_empty() || row >= self.found.len() {
            return Ok(());
        }
        let amount = Amount::parse(text)
            .ok_or_else(|| format!("{}, which is 0 to 1: 0.3, 30%, +0.1, -0.1 or *2", no_weight(text.trim())))?;
        let cells: Vec<CellEdit> =
            self.rows(row).into_iter().filter_map(|row| self.cell(row, column, amount)).collect();
        self.set(ui, &cells, commands)
    }

    /// Gives the cells from this one on the weights of a text, with a line for each row and tabs between the cells. One weight
    /// alone is for all marked rows. Text with the header line of this table goes to the vertices that it names.
    pub fn paste(
        &self,
        ui: &Ui,
        (row, column): (usize, usize),
        text: &str,
        state: &mut TableState,
        commands: &mut Vec<Command>,
    ) {
        let lines: Vec<Vec<&str>> =
            text.trim_end_matches(['\r', '\n']).lines().map(|line| line.split('\t').map(str::trim).collect()).collect();
        if let [line] = &lines[..]
            && let [cell] = line[..]
        {
            if let Err(why) = self.fill(ui, (row, column), cell, commands) {
                state.refuse_at(row, column, why);
            }
            return;
        }
        let named = lines.first().and_then(|head| self.named(head, &lines[1..]));
        let cells = named.unwrap_or_else(|| {
            let mut out = Vec::new();
            for (row, line) in (row..self.found.len()).zip(&lines) {
                for (column, cell) in (column..).zip(line).filter(|(_, cell)| !cell.is_empty()) {
                    let amount = Amount::parse(cell).ok_or_else(|| no_weight(cell))?;
                    out.extend(self.cell(row, column, amount));
                }
            }
            Ok(out)
        });
        match cells.map(|cells| self.set(ui, &cells, commands)) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => state.refuse_at(row, column, why),
            Err(why) => warn(ui, format!("Nothing was pasted: {why}")),
        }
    }

    /// Reads text that this table has copied, whose first line names the columns; `None` where the line is no such header, and the reason
    /// where a joint or a weight cannot be read.
    fn named(&self, head: &[&str], lines: &[Vec<&str>]) -> Option<Result<Vec<CellEdit>, String>> {
        let column = |name: &str| head.iter().position(|cell| *cell == name);
        let (mesh, primitive, vertex) = (column("mesh")?, column("primitive")?, column("vertex")?);
        let skin = column("skin");
        let model = self.given.model;
        let keys = Keys::of(model);
        let node = |name: &str| find_key(model, &keys, name);
        let mut out = Vec::new();
        for line in lines {
            let number = |column: usize| line.get(column).and_then(|cell| cell.parse::<u32>().ok());
            let indices = number(mesh).zip(number(primitive)).zip(number(vertex));
            let Some(((mesh, primitive), vertex)) = indices else { continue };
            let part = self.given.base.vertices.part(
                model,
                PrimitiveId::new(MeshId(mesh), primitive as usize),
                skin.and_then(number),
            );
            let mesh = part.map_or(MeshId(mesh), |part| part.mesh);
            for (name, cell) in head.iter().zip(line).filter(|(_, cell)| !cell.is_empty()) {
                let joint = match name.strip_prefix("weight ") {
                    Some(rank) => match rank.strip_prefix("of ") {
                        Some(name) => Some(node(name)),
                        None => column(&format!("joint {rank}")).and_then(|at| line.get(at).map(|name| node(name))),
                    },
                    // Other columns have names of their own.
                    None => match node(name) {
                        Err(NameError::Unknown { .. }) => None,
                        found => Some(found).filter(|found| !found.as_ref().is_ok_and(|node| !model.is_joint(*node))),
                    },
                };
                let joint = match joint {
                    None => continue,
                    Some(Err(error)) => return Some(Err(error.to_string())),
                    Some(Ok(joint)) => joint,
                };
                let Some(amount) = Amount::parse(cell) else { return Some(Err(no_weight(cell))) };
                out.push(CellEdit { mesh, primitive: primitive as usize, vertex, joint, amount });
            }
        }
        Some(Ok(out))
    }

    /// Gives cells other weights; the reason where none of them can take its weight.
    fn set(&self, ui: &Ui, cells: &[CellEdit], commands: &mut Vec<Command>) -> Result<(), String> {
        let session = self.given.session;
        let Some(model) = session.edited_weights().edited_model() else { return Ok(()) };
        let out = set_cells(model, cells, self.follow, &session.tools().locked);
        let changed: usize = out.changes.iter().map(|change| change.vertices.len()).sum();
        let mut notes = Vec::new();
        if out.unchanged > 0 {
            let kept = counted(out.unchanged, "vertex stays", "vertices stay");
            let why = format!("{kept} as before: the joint is locked, or no other one can take the rest");
            if changed == 0 {
                return Err(why);
            }
            notes.push(why);
        }
        if out.unmet > 0 {
            let get = counted(out.unmet, "vertex gets", "vertices get");
            notes.push(format!("{get} another weight than was typed: the others have no more to give, or are locked"));
        }
        if out.without_pair > 0 {
            let lose = counted(out.without_pair, "vertex loses a joint", "vertices lose a joint");
            notes.push(format!("{lose}: there is no pair left for it"));
        }
        if !notes.is_empty() {
            warn(ui, notes.join(". "));
        } else if changed > 1 {
            say(ui, format!("Changed the weights of {}", counted(changed, "vertex", "vertices")));
        }
        if changed > 0 {
            commands.push(EditCommand::ChangeWeights(Arc::new(out.changes)).into());
        }
        Ok(())
    }
}

//! Vertices that get only a part of what an operation is asked for, and why: they have no pair left, joints are locked, or there is no weight
//! left to give.

use std::collections::BTreeSet;

use skinscope_base::words::counted;

use skinscope_weights::{Partly, Table, TableRow};

use super::operation_row::vertices_get;
use super::{AfterRow, Left, Operation, Settings, Sheet, rogues};

/// Adds to what an operation noted the vertices whose weights show that it has not done all, and counts. Vertices that were `stuck` as a
/// whole count apart.
pub(super) fn count(
    operation: &Operation,
    sheet: &mut Sheet,
    (before, stuck): (&[Table], &BTreeSet<TableRow>),
    settings: &Settings,
) -> Partly {
    let mut lacks = std::mem::take(&mut sheet.lacks);
    let mut shares = Vec::new();
    let locked = &sheet.bounds.locked;
    for (number, table) in sheet.tables.iter().enumerate() {
        for row in (0..table.vertices()).filter(|row| sheet.bounds.has(number, *row)) {
            table.shares(row, &mut shares);
            let at = TableRow { table: number, row };
            match (operation.left)(&AfterRow { table, row, shares: &shares, locked, settings }) {
                Left::Locked if shares.iter().any(|(key, _)| locked.contains(key)) => _ = lacks.locked.insert(at),
                Left::Room => _ = lacks.room.insert(at),
                Left::Nothing | Left::Locked => {}
            }
        }
    }
    let rules: &[&'static str] = if operation.asks_again { operation.rules(settings) } else { &[] };
    for rule in rules {
        lacks.room.extend(still_found(sheet, rule));
    }
    let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && sheet.tables[a].has_same(&sheet.tables[b]);
    let counts = |rows: &BTreeSet<TableRow>| {
        let counts = |row: &&TableRow| {
            sheet.bounds.has(row.table, row.row) && !lacks.kept.contains(*row) && !stuck.contains(*row)
        };
        let others = rows.iter().filter(counts).copied().collect();
        sheet.count_once(&others, &is_same)
    };
    let all = lacks.pairs.iter().chain(&lacks.locked).chain(&lacks.room).copied().collect();
    Partly {
        vertices: counts(&all),
        pairs: counts(&lacks.pairs),
        locked: counts(&lacks.locked),
        room: counts(&lacks.room),
        matrices: lacks.matrices,
    }
}

/// Returns the rows that may change and that a rule finds fault with.
fn still_found(sheet: &Sheet, rule: &'static str) -> BTreeSet<TableRow> {
    let mut out = BTreeSet::new();
    for finding in rogues::found(sheet, rule) {
        let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { continue };
        let at = skinscope_model::PrimitiveId { mesh, primitive };
        let Some(table) = sheet.table_of(at) else { continue };
        let rows = finding.vertices.iter().map(|vertex| TableRow { table, row: *vertex as usize });
        out.extend(rows.filter(|at| sheet.bounds.has(at.table, at.row)));
    }
    out
}

/// Returns a sentence, without its full stop, for each reason why vertices got only a part of what was asked for.
#[must_use]
pub(crate) fn explain_partly(operation: &Operation, partly: &Partly) -> Vec<String> {
    let locked = counted(partly.locked, "vertex changes", "vertices change");
    let matrices = counted(partly.matrices, "matrix stays", "matrices stay");
    [
        (partly.room, (operation.room)(partly.room)),
        (
            partly.pairs,
            format!(
                "{} only the largest of their joints: the file has no room for more joints of a vertex",
                vertices_get(partly.pairs)
            ),
        ),
        (partly.locked, format!("{locked} only in part: locked joints keep their weights")),
        (partly.matrices, format!("{matrices}: a joint has no inverse, or no matrix says how the mesh stands to it")),
    ]
    .into_iter()
    .filter_map(|(number, text)| (number > 0).then_some(text))
    .collect()
}

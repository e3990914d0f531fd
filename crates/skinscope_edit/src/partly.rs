//! Vertices that get only a part of what an operation is asked for, and why: they have no pair left, joints are locked, or there is no weight
//! left to give.

use std::collections::BTreeSet;

use skinscope_base::words::counted;

use skinscope_weights::{Partly, Table, TableRow};

use super::{Operation, Settings, Sheet, rogues};

/// The operations that ask for something that the weights show afterwards. All others ask for certain weights, so that a locked joint
/// whose weight was to change stands in their way.
const BY_RESULT: &[&str] = &["normalise", "prune", "limit", "quantise", "set", "rules"];

/// Returns whether a locked joint that keeps its weight stands in the way of an operation.
pub(super) fn is_by_weights(operation: &Operation) -> bool {
    !BY_RESULT.contains(&operation.id)
}

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
            let has_locked = shares.iter().any(|(key, _)| locked.contains(key));
            let is_left = match operation.id {
                "normalise" => !table.is_normal(row),
                "prune" => keeps_small(&shares, settings.threshold, locked),
                "limit" => shares.len() > settings.limit,
                _ => false,
            };
            if has_locked && is_left {
                lacks.locked.insert(TableRow { table: number, row });
            }
            if operation.id == "hammer" && shares.is_empty() {
                lacks.room.insert(TableRow { table: number, row });
            }
        }
    }
    let rules: &[&'static str] = match operation.id {
        "rules" => &settings.rules,
        "remove-rogues" | "weld-seams" => operation.repairs,
        _ => &[],
    };
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

/// Returns whether a locked joint has a share below a threshold and is not the largest, which pruning leaves.
fn keeps_small(shares: &[(u32, f64)], threshold: f64, locked: &BTreeSet<u32>) -> bool {
    let largest = shares.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| *key);
    shares.iter().any(|(key, weight)| *weight < threshold && Some(*key) != largest && locked.contains(key))
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
pub fn explain_partly(operation: &Operation, partly: &Partly) -> Vec<String> {
    let get = |number: usize| counted(number, "vertex gets", "vertices get");
    let still = |number: usize| counted(number, "vertex still has", "vertices still have");
    let room = match operation.id {
        "hammer" => format!("{} no weight: no vertex has any that they could take", still(partly.room)),
        "rules" | "remove-rogues" | "weld-seams" => {
            format!("{} what was to be repaired: the rule finds it after the repair as well", still(partly.room))
        }
        "transfer" => {
            format!("{} only a part of the weights: some of the joints have no counterpart here", get(partly.room))
        }
        "average" | "paste" => {
            format!("{} only a part of what is asked for: their skin does not have all of the joints", get(partly.room))
        }
        _ => format!(
            "{} only a part of what is asked for: no other joint has weight left to give, or it is locked",
            get(partly.room)
        ),
    };
    let locked = counted(partly.locked, "vertex changes", "vertices change");
    let matrices = counted(partly.matrices, "matrix stays", "matrices stay");
    [
        (partly.room, room),
        (
            partly.pairs,
            format!(
                "{} only the largest of their joints: the file has no room for more joints of a vertex",
                get(partly.pairs)
            ),
        ),
        (partly.locked, format!("{locked} only in part: locked joints keep their weights")),
        (partly.matrices, format!("{matrices}: a joint has no inverse, or no matrix says how the mesh stands to it")),
    ]
    .into_iter()
    .filter_map(|(number, text)| (number > 0).then_some(text))
    .collect()
}

//! Operations that give many vertices the same weights: the mean of their own, or those that were copied from others.

use skinscope_weights::{kernels, mean, unit_shares};

use super::{Operation, Settings, Sheet, by_row};

/// The operation that gives vertices the mean of their weights.
pub static AVERAGE: Operation = Operation {
    id: "average",
    label: "Average weights",
    tool: "Average",
    help: "Give all vertices the mean of their weights",
    argument: "",
    repairs: &[],
    run: |sheet, _: &Settings| {
        let shares = mean_of(sheet);
        give(sheet, &shares);
    },
};

/// The operation that gives vertices weights that were copied from others.
pub static PASTE: Operation = Operation {
    id: "paste",
    label: "Paste weights",
    tool: "Paste",
    help: "Give all vertices these weights",
    argument: "WEIGHTS",
    repairs: &[],
    run: |sheet, settings| {
        let shares: Vec<(u32, f64)> = settings.copied.iter().map(|(node, weight)| (node.0, *weight)).collect();
        give(sheet, &shares);
    },
};

/// Returns the mean of the weights of all vertices that may change, as keys of joints with their shares, the largest
/// first. Vertices without weight do not count.
#[must_use]
pub fn mean_of(sheet: &Sheet) -> Vec<(u32, f64)> {
    let mut lists = Vec::new();
    for (number, table) in sheet.tables.iter().enumerate() {
        let rows = (0..table.vertices()).filter(|row| sheet.bounds.has(number, *row));
        lists.extend(rows.map(|row| unit_shares(table, row)).filter(|shares| !shares.is_empty()));
    }
    let mut out = mean(lists.iter().map(|list| &list[..]));
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    out
}

/// Gives all vertices that may change the largest of some shares, as many as each has room for.
fn give(sheet: &mut Sheet, shares: &[(u32, f64)]) {
    by_row::run_given(&kernels::AVERAGE, sheet, [0.0; 4], &|table| Some(kernels::part_of(shares, table)));
}

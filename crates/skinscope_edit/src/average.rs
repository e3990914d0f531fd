//! Operations that give many vertices the same weights: the mean of their own, or those that were copied from others.

use super::table::SAME;
use super::weld::{cut_noting, difference, mean, unit_shares};
use super::{Operation, Settings, Sheet, TableRow};

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
    let bounds = sheet.bounds.clone();
    for (number, table) in sheet.tables.iter_mut().enumerate() {
        let mut known: Vec<(u32, f64)> = Vec::new();
        for (key, weight) in shares.iter().filter(|(key, _)| table.keys.contains(key)) {
            match known.iter_mut().find(|(k, _)| k == key) {
                Some((_, sum)) => *sum += weight,
                None => known.push((*key, *weight)),
            }
        }
        let all: f64 = shares.iter().map(|(_, weight)| weight).sum();
        let has_all = all - known.iter().map(|(_, weight)| weight).sum::<f64>() <= SAME * all;
        let (shares, is_cut) = cut_noting(known, table.per_vertex);
        let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
        let unit: Vec<(u32, f64)> = shares.iter().map(|(key, weight)| (*key, weight / sum)).collect();
        for row in (0..table.vertices()).filter(|row| bounds.has(number, *row)) {
            if sum > 0.0 && difference(&unit_shares(table, row), &unit) > 1e-9 {
                table.put_in_order(row, &unit);
            }
            let at = TableRow { table: number, row };
            sheet.lacks.pairs.extend(is_cut.then_some(at));
            sheet.lacks.room.extend((!has_all).then_some(at));
        }
    }
}

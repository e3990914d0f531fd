//! The operation that limits how many joints move a vertex.

use super::table::{Table, clean};
use super::{Operation, Settings, Sheet, best};

/// The operation that keeps only so many influences of each vertex.
pub static LIMIT: Operation = Operation {
    id: "limit",
    label: "Limit influences",
    help: "Keep the N largest joints of every vertex, in its first pairs, and normalise them",
    argument: "N",
    run: limit,
};

fn limit(sheet: &mut Sheet, settings: &Settings) {
    let rows: Vec<Vec<usize>> = sheet.tables.iter().map(|table| (0..table.vertices()).collect()).collect();
    limit_rows(sheet, &rows, settings);
}

/// Limits some vertices of each table.
pub(super) fn limit_rows(sheet: &mut Sheet, rows: &[Vec<usize>], settings: &Settings) {
    if settings.best {
        best::choose(sheet, rows, settings.limit);
    }
    for (table, rows) in sheet.tables.iter_mut().zip(rows) {
        rows.iter().for_each(|vertex| limit_vertex(table, *vertex, settings.limit));
    }
}

fn limit_vertex(table: &mut Table, vertex: usize, most: usize) {
    let mut shares = Vec::new();
    table.shares(vertex, &mut shares);
    let mut beyond = table.slots(vertex).skip(most);
    if shares.len() <= most && !beyond.any(|slot| clean(table.weights[slot]) > 0.0) {
        return;
    }
    let mut ranked: Vec<usize> = (0..shares.len()).collect();
    // The sort is stable: of equal weights that of the earlier pair stays.
    ranked.sort_by(|a, b| shares[*b].1.total_cmp(&shares[*a].1));
    ranked.truncate(most);
    ranked.sort_unstable();
    let kept: Vec<(u32, f64)> = ranked.into_iter().map(|i| shares[i]).collect();
    table.put_in_order(vertex, &kept);
}

//! The operation that limits how many joints move a vertex.

use std::collections::BTreeSet;

use super::table::{Table, clean};
use super::{Operation, Settings, Sheet, best};

/// The operation that keeps only a given number of influences of each vertex.
pub static LIMIT: Operation = Operation {
    id: "limit",
    label: "Limit influences",
    tool: "Limit",
    help: "Keep the N largest joints of every vertex, in its first pairs, and normalise them",
    argument: "N",
    repairs: &["too-many-influences"],
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
    let locked = &sheet.bounds.locked;
    for (table, rows) in sheet.tables.iter_mut().zip(rows) {
        rows.iter().for_each(|vertex| limit_vertex(table, *vertex, settings.limit, locked));
    }
}

fn limit_vertex(table: &mut Table, vertex: usize, most: usize, locked: &BTreeSet<u32>) {
    let mut shares = Vec::new();
    table.shares(vertex, &mut shares);
    let mut beyond = table.slots(vertex).skip(most);
    if shares.len() <= most && !beyond.any(|slot| clean(table.weights[slot]) > 0.0) {
        return;
    }
    let mut ranked: Vec<usize> = (0..shares.len()).collect();
    // Locked joints stay before all others. The sort is stable: of equal weights, that of the earlier pair stays.
    let is_locked = |i: usize| locked.contains(&shares[i].0);
    ranked.sort_by(|a, b| is_locked(*b).cmp(&is_locked(*a)).then_with(|| shares[*b].1.total_cmp(&shares[*a].1)));
    ranked.truncate(most);
    ranked.sort_unstable();
    let retained: Vec<(u32, f64)> = ranked.into_iter().map(|i| shares[i]).collect();
    table.put_in_order(vertex, &retained);
}

#[cfg(test)]
mod tests {
    use skinscope_model::shapes::{Tube, tube};
    use skinscope_model::{MeshId, WeightChange};

    use super::*;
    use crate::apply;

    #[test]
    fn a_locked_joint_stays_among_the_few_however_little_it_weighs() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(5, &[3, 4, 5, 6], &[0.0625, 0.5, 0.25, 0.1875]);
        let edited = model.with_weights(&[change]).unwrap();
        let mut sheet = Sheet::of(&edited);
        let [locked, heaviest] = [3, 4].map(|joint: usize| sheet.tables[0].keys[joint]);
        sheet.bounds.locked.insert(locked);
        apply(&LIMIT, &mut sheet, &Settings { limit: 2, best: false, ..Settings::default() });
        let mut shares = Vec::new();
        sheet.tables[0].shares(5, &mut shares);
        shares.sort_by_key(|(key, _)| *key);
        assert_eq!(shares, [(locked, 0.0625), (heaviest, 0.9375)]);
    }
}

//! The operation that removes small weights.

use super::table::Table;
use super::{Operation, Settings, Sheet};

/// The operation that removes weights below a threshold.
pub static PRUNE: Operation = Operation {
    id: "prune",
    label: "Prune small weights",
    tool: "Prune",
    help: "Take away the joints whose weight for a vertex is below W, but not its largest, and normalise what is left",
    argument: "W",
    repairs: &[],
    run: prune,
};

fn prune(sheet: &mut Sheet, settings: &Settings) {
    for table in &mut sheet.tables {
        (0..table.vertices()).for_each(|vertex| prune_vertex(table, vertex, settings.threshold));
    }
}

fn prune_vertex(table: &mut Table, vertex: usize, threshold: f64) {
    let mut shares = Vec::new();
    table.shares(vertex, &mut shares);
    // Of equal largest weights, the first is kept.
    let largest = shares.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| *key);
    shares.retain(|(key, weight)| *weight < threshold && Some(*key) != largest);
    if shares.is_empty() {
        return;
    }
    for slot in table.slots(vertex) {
        let key = table.key(table.joints[slot]);
        if table.weights[slot] != 0.0 && shares.iter().any(|(k, _)| *k == key) {
            table.empty(vertex, slot);
        }
    }
    table.normalise(vertex);
}

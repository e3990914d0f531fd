//! Summarises a change of weights for people.

use std::collections::{BTreeMap, BTreeSet};

use super::wants::is_gained;
use crate::{Sheet, value};

/// Returns how many joints have another weight than in the file for some vertex. Weights are compared as they are
/// stored.
pub(super) fn joints(sheet: &Sheet) -> usize {
    let before = Sheet::of_file(sheet.model).tables;
    let mut joints = BTreeSet::new();
    for (old, new) in before.iter().zip(&sheet.tables) {
        let stored = [(old, old.stored()), (new, new.stored())];
        // What gained a skin had no weights before.
        let skipped = usize::from(is_gained(sheet.model, new));
        for vertex in 0..new.vertices() {
            let mut sums: BTreeMap<u32, [f64; 2]> = BTreeMap::new();
            for (side, (table, stored)) in stored.iter().enumerate().skip(skipped) {
                for slot in table.slots(vertex) {
                    let format = table.formats.get((slot % table.per_vertex) / 4).copied().unwrap_or_default();
                    let weight = value(stored.numbers[slot], format);
                    if weight != 0.0 {
                        sums.entry(table.key(stored.joints[slot])).or_default()[side] += weight;
                    }
                }
            }
            let differ = |[a, b]: [f64; 2]| a as f32 != b as f32 && !(a.is_nan() && b.is_nan());
            joints.extend(sums.into_iter().filter(|(_, sums)| differ(*sums)).map(|(joint, _)| joint));
        }
    }
    joints.len()
}

//! Summarises a change of weights for people.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{MeshId, Model, NodeId};

use super::wants::is_gained;
use crate::refusal::{mesh_name, name};
use crate::{Sheet, value};

/// Returns the names of meshes, each with its number.
pub(super) fn meshes(model: &Model, counts: &BTreeMap<MeshId, usize>) -> Vec<(String, usize)> {
    let named = |(mesh, count): (&MeshId, &usize)| {
        let name = mesh_name(model, mesh.index());
        (if name.is_empty() { format!("mesh {}", model.file_mesh(*mesh).0) } else { name }, *count)
    };
    counts.iter().map(named).collect()
}

/// Returns the names of the joints that have another weight than in the file for some vertex. Weights are compared as they are
/// stored.
pub(super) fn joints(sheet: &Sheet) -> Vec<String> {
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
    joints.into_iter().map(|joint| name(sheet.model, NodeId(joint))).collect()
}

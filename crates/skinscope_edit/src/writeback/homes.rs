//! Finds the mesh of the file that each mesh of the model is written into. A mesh that was parted from another one because it is
//! shown with other joints stays with it as long as both have the same weights; else it becomes a mesh of its own.

use std::collections::BTreeMap;

use skinscope_model::{MeshId, PrimitiveId};

use crate::{Sheet, Stored};

/// A mesh that is added to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NewMesh {
    /// The mesh of the file that it has everything from but joints and weights.
    pub from: usize,
    /// The nodes of the file that show it from now on.
    pub nodes: Vec<u32>,
}

/// The meshes of the result.
#[derive(Clone, Debug, Default)]
pub(super) struct Homes {
    /// The meshes that are added, after those of the file.
    pub new: Vec<NewMesh>,
    /// For each mesh of the model that stands for one of the result: that one.
    home: BTreeMap<usize, usize>,
}

impl Homes {
    /// Finds the meshes of the result. The one of the file goes to the first of those that were parted, so that the meshes of the
    /// result are in the order of the model's.
    pub fn of(sheet: &Sheet) -> Self {
        let model = sheet.model;
        let in_file = model.file_meshes().count();
        let mut out =
            Self { new: Vec::new(), home: model.file_meshes().map(|(id, _)| (id.index(), id.index())).collect() };
        let mut of_file: BTreeMap<MeshId, Vec<(Weights, usize)>> = BTreeMap::new();
        for (own, file) in &model.parted {
            let known = of_file.entry(*file).or_insert_with(|| vec![(weights(sheet, *file), file.index())]);
            let weights = weights(sheet, *own);
            let nodes = model.instances.iter().filter(|instance| instance.mesh == *own).map(|instance| instance.node);
            let nodes = nodes.map(|node| model.skeleton.file_index[node.index()]);
            match known.iter().find(|(other, _)| *other == weights).map(|(_, home)| home.checked_sub(in_file)) {
                Some(None) => {}
                Some(Some(new)) => out.new[new].nodes.extend(nodes),
                None => {
                    let home = in_file + out.new.len();
                    known.push((weights, home));
                    out.home.insert(own.index(), home);
                    out.new.push(NewMesh { from: file.index(), nodes: nodes.collect() });
                }
            }
        }
        out
    }

    /// Returns the mesh of the result that has the weights of a mesh of the model; `None` where those of another mesh of the model
    /// stand there, which are the same.
    pub fn home(&self, mesh: usize) -> Option<usize> {
        self.home.get(&mesh).copied()
    }
}

/// The numbers to be stored for each primitive of a mesh.
type Weights = Vec<Option<Stored>>;

fn weights(sheet: &Sheet, mesh: MeshId) -> Weights {
    let table = |primitive: usize| sheet.table_of(PrimitiveId { mesh, primitive });
    // Those that share a storage have as many pairs, for the sake of comparison.
    let width = |table: usize| {
        let first = sheet.tables[table].first_stored_there;
        let there = sheet.tables.iter().filter(|table| table.first_stored_there == first);
        there.map(|table| table.per_vertex).max().unwrap_or_default()
    };
    let stored = |number: usize| {
        let mut table = sheet.tables[number].clone();
        table.widen(width(number));
        table.stored()
    };
    let primitives = sheet.model.meshes[mesh.index()].primitives.len();
    (0..primitives).map(|primitive| table(primitive).map(stored)).collect()
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube, with_two_skins};
    use skinscope_model::{WeightChange, WeightFormat};

    use super::*;

    #[test]
    fn a_parted_mesh_stays_with_that_of_the_file_where_its_further_pairs_are_too_small_to_be_stored() {
        let model = with_two_skins(&tube(Tube { joints: 8, ..Tube::default() }), |parts| {
            let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
            influences.format = WeightFormat::U8;
            influences.weights.iter_mut().for_each(|weight| *weight = weight.round());
        });
        let edited = |rows: [&[f32]; 2]| {
            let change = |(mesh, weights): (u32, &[f32])| {
                let joints: Vec<u16> = (1..).take(weights.len()).collect();
                let mut change = WeightChange::new(MeshId(mesh), 0, 8);
                change.push(3, &joints, weights);
                change
            };
            model.with_weights(&(0..).zip(rows).map(change).collect::<Vec<_>>()).unwrap()
        };
        let (few, more): (&[f32], &[f32]) = (&[0.4, 0.2, 0.2, 0.2], &[0.4, 0.2, 0.2, 0.2, 1e-6]);
        for rows in [[few, more], [more, few]] {
            let model = edited(rows);
            let sheet = Sheet::of(&model);
            assert_ne!(sheet.tables[0].per_vertex, sheet.tables[1].per_vertex);
            let homes = Homes::of(&sheet);
            assert_eq!((&homes.new[..], homes.home(0), homes.home(1)), (&[][..], Some(0), None));
        }
        let model = edited([few, &[0.2; 5]]);
        let homes = Homes::of(&Sheet::of(&model));
        assert_eq!(homes.new, [NewMesh { from: 0, nodes: vec![0] }]);
        assert_eq!([0, 1].map(|mesh| homes.home(mesh)), [Some(0), Some(1)]);
    }
}

//! The vertex spreadsheet: a row for each stored vertex of each skin that moves it, found and ordered on request.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};

use skinscope_model::{InfluencesRef, InstanceId, MeshId, Model, NodeId, PrimitiveId, SkinId};

use super::Row;
use super::row::weight_of;
use crate::symmetry::NO_IMAGE;
use crate::{PerVertex, VertexRef, VertexSet};

/// A primitive and a skin that moves it. A mesh that is drawn several times with one skin counts once, and so do vertices that
/// several lists name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePart {
    /// The first instance that draws it with this skin.
    pub instance: InstanceId,
    /// The index of the mesh in the file.
    pub mesh: MeshId,
    /// The index of the primitive in the mesh.
    pub primitive: usize,
    /// The index of the skin in the file.
    pub skin: SkinId,
    /// How many stored vertices it has.
    pub vertices: usize,
    /// How many rows come before its first.
    pub first: usize,
}

/// Every skinned vertex of a model, as rows.
#[derive(Clone, Debug, Default)]
pub struct VertexTable {
    /// The parts, by mesh, primitive and skin.
    pub parts: Vec<TablePart>,
    /// How many vertices are left out: a file that draws one large mesh with thousands of skins has more rows than
    /// memory could hold.
    pub left_out: usize,
}

/// Selects rows by the sum of weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SumFilter {
    /// Vertices with any sum.
    #[default]
    Any,
    /// Sums that are not one.
    NotOne,
    /// Sums below one.
    Below,
    /// Sums above one.
    Above,
}

/// Selects rows by the number of influences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountFilter {
    /// Vertices with any number of joints.
    #[default]
    Any,
    /// Vertices with this number of joints.
    Exactly(usize),
    /// Vertices with this number of joints or more.
    AtLeast(usize),
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexOrder {
    /// Rows stand in the order of the file: by mesh, primitive, skin, number.
    #[default]
    File,
    /// Rows are ordered by the number within the primitive.
    Number,
    /// Rows are ordered by the number of influences.
    Count,
    /// Rows are ordered by the sum of weights.
    Sum,
    /// Rows are ordered by the difference to the weights of the mirror image; vertices without one count less than all others.
    Asymmetry,
    /// Rows are ordered by the weight of this joint.
    Weight(NodeId),
}

/// A selection of rows, and their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexQuery {
    /// The primitive whose rows are selected; `None`: all.
    pub primitive: Option<PrimitiveId>,
    /// The skin whose rows are selected; `None`: all.
    pub skin: Option<SkinId>,
    /// The joint that must move the vertex; `None`: any.
    pub joint: Option<NodeId>,
    /// The sums of weights that are selected.
    pub sums: SumFilter,
    /// The numbers of influences that are selected.
    pub counts: CountFilter,
    /// The vertices that are selected; `None`: all.
    pub within: Option<Arc<VertexSet>>,
    /// The order of the rows.
    pub order: VertexOrder,
    /// Whether the largest comes first.
    pub descending: bool,
}

impl VertexTable {
    /// The most rows that a table has.
    pub const MOST_ROWS: usize = 100_000_000;

    /// Returns the part of a primitive that a skin moves, or with `None` the first skin that does. `primitive` is numbered as in the
    /// file, which may show one mesh with several skins.
    #[must_use]
    pub fn part(&self, model: &Model, primitive: PrimitiveId, skin: Option<u32>) -> Option<&TablePart> {
        // The vertices of a primitive may be in another one.
        let holder = model.meshes.get(primitive.mesh.index()).map(|mesh| mesh.holder(primitive.primitive));
        let primitive = PrimitiveId { primitive: holder.unwrap_or(primitive.primitive), ..primitive };
        let find = |primitive: PrimitiveId| {
            self.parts.iter().find(|part| {
                PrimitiveId::new(model.file_mesh(part.mesh), part.primitive) == primitive
                    && skin.is_none_or(|skin| part.skin.0 == skin)
            })
        };
        let list = || model.meshes.get(primitive.mesh.index())?.primitives.get(primitive.primitive);
        find(primitive).or_else(|| find(list()?.repeats?))
    }

    /// Makes the table of all skinned vertices.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let mut parts = Vec::new();
        for (i, instance) in model.instances.iter().enumerate() {
            let Some(skin) = instance.skin else { continue };
            for (primitive, source) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
                let is_counted = model.counted_in(instance.mesh, primitive, instance.skin).is_some();
                if source.stored_influences.is_some() && !is_counted {
                    let (instance_id, mesh) = (InstanceId::from_index(i), instance.mesh);
                    let vertices = source.stored_vertices;
                    parts.push(TablePart { instance: instance_id, mesh, primitive, skin, vertices, first: 0 });
                }
            }
        }
        let key = |p: &TablePart| (p.mesh, p.primitive, p.skin);
        parts.sort_by_key(key);
        parts.dedup_by_key(|p| key(p));
        let (mut first, mut left_out) = (0, 0);
        parts.retain_mut(|part| {
            let fits = first + part.vertices <= Self::MOST_ROWS;
            part.first = first;
            *if fits { &mut first } else { &mut left_out } += part.vertices;
            fits
        });
        Self { parts, left_out }
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.last().map_or(0, |p| p.first + p.vertices)
    }

    /// Returns whether there are no skinned vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a row by its index in the file's order.
    #[must_use]
    pub fn row(&self, index: usize) -> Row {
        let part_index = self.parts.partition_point(|p| p.first <= index) - 1;
        let part = self.parts[part_index];
        Row { part, vertex: index - part.first }
    }

    /// Returns the index of a drawn vertex in the file's order; `None` where it is not skinned.
    #[must_use]
    pub fn find(&self, model: &Model, vertex: VertexRef) -> Option<usize> {
        let instance = model.instances.get(vertex.instance.index())?;
        let skin = instance.skin?;
        let stored = vertex.stored(model.meshes[instance.mesh.index()].primitives.get(vertex.primitive)?);
        let first = model.counted_in(instance.mesh, vertex.primitive, Some(skin));
        let is_list = |p: &TablePart| match first {
            Some(first) => PrimitiveId::new(model.file_mesh(p.mesh), p.primitive) == first,
            None => p.mesh == instance.mesh && p.primitive == vertex.primitive,
        };
        self.parts.iter().find(|p| is_list(p) && p.skin == skin).map(|p| p.first + stored)
    }

    /// Returns the rows that `query` asks for, as indices in the file's order. `None` once `cancel` is set. `asymmetry`:
    /// the values for [`VertexOrder::Asymmetry`] (see [`crate::InspectedValues::asymmetry`]).
    #[must_use]
    pub fn select(
        &self,
        model: &Model,
        query: &VertexQuery,
        asymmetry: Option<&PerVertex>,
        cancel: &AtomicBool,
    ) -> Option<Vec<u32>> {
        let mut rows = Vec::new();
        let mut keyed = Vec::new();
        for part in &self.parts {
            let left_out = query.skin.is_some_and(|s| s != part.skin)
                || query.primitive.is_some_and(|p| p != PrimitiveId::new(part.mesh, part.primitive));
            let Some(influences) = part.influences(model).filter(|_| !left_out) else { continue };
            let filter = Filter::new(model, part, query);
            if filter.joint == Some(None) {
                continue;
            }
            let by = match query.order {
                VertexOrder::Weight(node) => part.slot_of(model, node),
                _ => None,
            };
            let differences = asymmetry.map_or(&[][..], |a| a.of(part.mesh, part.primitive));
            for vertex in 0..part.vertices {
                if vertex % 65_536 == 0 && cancel.load(atomic::Ordering::Relaxed) {
                    return None;
                }
                if !filter.keeps(influences, vertex) {
                    continue;
                }
                let row = (part.first + vertex) as u32;
                let key = match query.order {
                    VertexOrder::File => {
                        rows.push(row);
                        continue;
                    }
                    VertexOrder::Number => vertex as f64,
                    VertexOrder::Count => influences.used(vertex) as f64,
                    VertexOrder::Sum => influences.sum(vertex),
                    VertexOrder::Asymmetry => f64::from(differences.get(vertex).copied().unwrap_or(NO_IMAGE)),
                    VertexOrder::Weight(_) => by.map_or(0.0, |slot| f64::from(weight_of(influences, vertex, slot))),
                };
                keyed.push((key, row));
            }
        }
        if query.order == VertexOrder::File {
            if query.descending {
                rows.reverse();
            }
            return Some(rows);
        }
        // Equal rows stay in the file's order, in both directions.
        let order = |a: &(f64, u32), b: &(f64, u32)| {
            let by_key = if query.descending { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) };
            by_key.then_with(|| a.1.cmp(&b.1))
        };
        keyed.sort_unstable_by(order);
        Some(keyed.into_iter().map(|(_, row)| row).collect())
    }
}

impl VertexQuery {
    /// Returns whether it asks for all rows in the file's order.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

impl TablePart {
    /// Returns its weights.
    #[must_use]
    pub fn influences<'a>(&self, model: &'a Model) -> Option<InfluencesRef<'a>> {
        model.influences(self.mesh, self.primitive)
    }

    /// Returns the index of a joint in its skin.
    #[must_use]
    pub fn slot_of(&self, model: &Model, node: NodeId) -> Option<u16> {
        let joints = &model.skins[self.skin.index()].joints;
        joints.iter().position(|j| *j == node).and_then(|slot| u16::try_from(slot).ok())
    }
}

/// A query applied to one part.
struct Filter<'a> {
    /// The index of the wanted joint, which the part's skin may not have.
    joint: Option<Option<u16>>,
    sums: SumFilter,
    counts: CountFilter,
    within: Option<&'a [u32]>,
}

impl<'a> Filter<'a> {
    fn new(model: &Model, part: &TablePart, query: &'a VertexQuery) -> Self {
        Self {
            joint: query.joint.map(|node| part.slot_of(model, node)),
            sums: query.sums,
            counts: query.counts,
            within: query.within.as_ref().map(|set| set.of(part.mesh, part.primitive)),
        }
    }

    fn keeps(&self, influences: InfluencesRef<'_>, vertex: usize) -> bool {
        let moved = |slot: u16| {
            let (joints, weights) = influences.of(vertex);
            joints.iter().zip(weights).any(|(j, w)| *j == slot && *w != 0.0)
        };
        let sum =
            |side: Ordering| !influences.sums_to_one(vertex) && influences.sum(vertex).partial_cmp(&1.0) == Some(side);
        self.within.is_none_or(|set| set.binary_search(&(vertex as u32)).is_ok())
            && self.joint.is_none_or(|slot| slot.is_some_and(moved))
            && match self.counts {
                CountFilter::Any => true,
                CountFilter::Exactly(n) => influences.used(vertex) == n,
                CountFilter::AtLeast(n) => influences.used(vertex) >= n,
            }
            && match self.sums {
                SumFilter::Any => true,
                SumFilter::NotOne => !influences.sums_to_one(vertex),
                SumFilter::Below => sum(Ordering::Less),
                SumFilter::Above => sum(Ordering::Greater),
            }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Influences, Instance, ModelParts};

    use super::*;
    use crate::VertexPart;

    /// Makes six vertices in two meshes, which two skins move: joints 1 and 2 of the first, 2 and 1 of the second.
    ///
    /// ```text
    /// mesh 0, skin 0: 0: a 1.0 · 1: a 0.75 b 0.25 · 2: b 0.5 · 3: none
    /// mesh 1, skin 1: 0: b 0.5 a 0.5 · 1: a 1.5
    /// ```
    fn model() -> Model {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 2, rings: 2, sides: 3, ..Tube::default() }));
        let mesh = parts.meshes[0].clone();
        let weigh = |joints: &[[u16; 2]], weights: &[[f32; 2]]| {
            let mut mesh = mesh.clone();
            let primitive = &mut mesh.primitives[0];
            let count = joints.len();
            primitive.positions.truncate(count);
            primitive.normals.truncate(count);
            primitive.indices = vec![0, 1, (count - 1) as u32];
            primitive.stored_vertices = count;
            primitive.stored_influences = Some(Influences {
                per_vertex: 2,
                joints: joints.concat(),
                weights: weights.concat(),
                ..Influences::default()
            });
            mesh
        };
        parts.meshes = vec![
            weigh(&[[0, 1]; 4], &[[1.0, 0.0], [0.75, 0.25], [0.0, 0.5], [0.0, 0.0]]),
            weigh(&[[0, 1], [1, 1]], &[[0.5, 0.5], [0.5, 1.0]]),
        ];
        let mut second = parts.skins[0].clone();
        second.joints.reverse();
        parts.skins.push(second);
        let of = |mesh, skin| Instance { mesh: MeshId(mesh), skin: Some(SkinId(skin)), ..Instance::default() };
        // The first mesh is drawn twice with one skin.
        parts.instances = vec![of(1, 1), of(0, 0), of(0, 0)];
        Model::build(parts).unwrap()
    }

    /// The asymmetry of [`model`]: vertices 1 of both meshes differ from their mirror images, vertex 3 has none.
    fn asymmetry() -> PerVertex {
        PerVertex { values: vec![vec![vec![0.0, 0.25, 0.0, NO_IMAGE]], vec![vec![0.0, 0.5]]] }
    }

    fn rows(model: &Model, query: &VertexQuery) -> Vec<(u32, usize)> {
        let table = VertexTable::of(model);
        let rows = table.select(model, query, Some(&asymmetry()), &AtomicBool::new(false)).unwrap();
        let name = |row: u32| {
            let row = table.row(row as usize);
            (row.part.mesh.0, row.vertex)
        };
        rows.into_iter().map(name).collect()
    }

    #[test]
    fn rows_are_the_stored_vertices_of_each_mesh_and_skin_once() {
        let model = model();
        let table = VertexTable::of(&model);
        assert_eq!((table.len(), table.left_out, table.parts.len()), (6, 0, 2));
        assert_eq!(rows(&model, &VertexQuery::default()), [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]);
        let row = table.row(5);
        assert_eq!((row.part.instance, row.part.skin, row.vertex), (InstanceId(0), SkinId(1), 1));
        // Each row is found again, whichever instance draws it.
        for (instance, vertex, want) in [(1, 2, 2), (2, 2, 2), (0, 1, 5)] {
            let vertex = VertexRef { instance: InstanceId(instance), primitive: 0, vertex };
            assert_eq!(table.find(&model, vertex), Some(want));
        }
    }

    #[test]
    fn what_a_row_says() {
        let model = model();
        let table = VertexTable::of(&model);
        let pairs = |row: usize| -> Vec<(u32, u16, f32)> {
            table.row(row).pairs(&model).iter().map(|p| (p.node.0, p.slot, p.weight)).collect()
        };
        assert_eq!(pairs(1), [(1, 0, 0.75), (2, 1, 0.25)]);
        // The second skin lists the joints the other way round, and names one twice: the heavier pair comes first.
        assert_eq!(pairs(5), [(1, 1, 1.0), (1, 1, 0.5)]);
        assert_eq!((table.row(3).count(&model), table.row(3).sum(&model)), (0, 0.0));
        assert_eq!(
            (table.row(5).count(&model), table.row(5).sum(&model), table.row(5).weight(&model, 1)),
            (2, 1.5, 1.5)
        );
        assert_eq!((table.row(4).sums_to_one(&model), table.row(2).sums_to_one(&model)), (true, false));
    }

    #[test]
    fn filters() {
        let model = model();
        let found = |query: VertexQuery| rows(&model, &query);
        let sums = |sums| found(VertexQuery { sums, ..VertexQuery::default() });
        assert_eq!(sums(SumFilter::NotOne), [(0, 2), (0, 3), (1, 1)]);
        assert_eq!(sums(SumFilter::Below), [(0, 2), (0, 3)]);
        assert_eq!(sums(SumFilter::Above), [(1, 1)]);
        let counts = |counts| found(VertexQuery { counts, ..VertexQuery::default() });
        assert_eq!(counts(CountFilter::Exactly(1)), [(0, 0), (0, 2)]);
        assert_eq!(counts(CountFilter::AtLeast(2)), [(0, 1), (1, 0), (1, 1)]);
        let joint = |node| found(VertexQuery { joint: Some(NodeId(node)), ..VertexQuery::default() });
        assert_eq!(joint(2), [(0, 1), (0, 2), (1, 0)]);
        assert_eq!(joint(0), [], "no joint");
        assert_eq!(found(VertexQuery { skin: Some(SkinId(1)), ..VertexQuery::default() }), [(1, 0), (1, 1)]);
        let primitive = Some(PrimitiveId::default());
        assert_eq!(
            found(VertexQuery { primitive, joint: Some(NodeId(1)), ..VertexQuery::default() }),
            [(0, 0), (0, 1)]
        );
        let parts = vec![VertexPart { mesh: MeshId(0), primitive: 0, vertices: vec![1, 3] }];
        let within = Some(Arc::new(VertexSet { parts }));
        assert_eq!(found(VertexQuery { within, ..VertexQuery::default() }), [(0, 1), (0, 3)]);
    }

    #[test]
    fn orders() {
        let model = model();
        let found = |order, descending| rows(&model, &VertexQuery { order, descending, ..VertexQuery::default() });
        assert_eq!(found(VertexOrder::File, true)[..2], [(1, 1), (1, 0)]);
        assert_eq!(found(VertexOrder::Number, false), [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (0, 3)]);
        assert_eq!(found(VertexOrder::Count, true), [(0, 1), (1, 0), (1, 1), (0, 0), (0, 2), (0, 3)]);
        assert_eq!(found(VertexOrder::Sum, false), [(0, 3), (0, 2), (0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(found(VertexOrder::Asymmetry, true), [(1, 1), (0, 1), (0, 0), (0, 2), (1, 0), (0, 3)]);
        let by_joint = VertexOrder::Weight(NodeId(2));
        assert_eq!(found(by_joint, true), [(0, 2), (1, 0), (0, 1), (0, 0), (0, 3), (1, 1)]);
    }

    #[test]
    fn nobody_waits_for_a_cancelled_search() {
        let model = model();
        let table = VertexTable::of(&model);
        assert_eq!(table.select(&model, &VertexQuery::default(), None, &AtomicBool::new(true)), None);
    }

    #[test]
    fn a_part_is_found_by_the_numbers_of_the_file_and_its_skin() {
        let mut parts = ModelParts::clone(&model());
        // Mesh 1 is mesh 0, shown with another skin.
        parts.meshes[1] = parts.meshes[0].clone();
        parts.parted = vec![(MeshId(1), MeshId(0))];
        let model = Model::build(parts).unwrap();
        let table = VertexTable::of(&model);
        let mesh = |skin: Option<u32>| table.part(&model, PrimitiveId::default(), skin).map(|part| part.mesh.0);
        assert_eq!([Some(0), Some(1), None, Some(2)].map(mesh), [Some(0), Some(1), Some(0), None]);
        assert_eq!(table.part(&model, PrimitiveId::new(MeshId(1), 0), None), None, "the file has no such mesh");
    }
}

//! The sheet: all weights of a model while they are edited, and what operations need to know of the model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use glam::{Affine3A, DAffine3};
use skinscope_anim::pose::Axis;
use skinscope_base::parallel::{self, JobContext};
use skinscope_inspect::VertexSet;
use skinscope_inspect::symmetry::{Mirrored, WithoutPlane};
use skinscope_model::{
    BindingChange, Influences, InfluencesRef, MeshId, Model, ModelParts, NotFinite, Origins, OutOfRange, Primitive,
    PrimitiveId, PrimitiveRef, SetOrigin, Skin, WeightFormat,
};
use skinscope_weights::{Bounds, Lacks, RestSurface, Stored, Table, TableRow, value};

use super::Refusal;
use super::baked::Baked;
use super::bind::BoundSkin;
use super::layers_in_file::LayersInFile;
use super::mirrored::Mirroring;
use super::solved_examples::SolvedExamples;
use super::surface;
use super::transferred::Transferred;

/// The weights of a model while they are edited, and new inverse bind matrices. The model stays as it is.
#[derive(Debug)]
pub struct Sheet<'m> {
    /// The model that the weights were taken from.
    pub model: &'m Model,
    /// A table for each primitive with weights, in the model's order; those that share accessors and mean the same joints share one.
    pub tables: Vec<Table>,
    /// Inverse bind matrices that differ from those of the file, by the index of the skin and that of the joint in it.
    pub binds: BTreeMap<(usize, usize), DAffine3>,
    /// How far away the surface was whose weights were transferred last.
    pub transferred: Option<Transferred>,
    /// The report on the weights that were mirrored last.
    pub mirroring: Option<Mirroring>,
    /// What was found from examples last.
    pub solved: Option<SolvedExamples>,
    /// What becomes of the layers of weights that the file keeps in its extras.
    pub layers: LayersInFile,
    /// The skins whose weights were found last by a binding.
    pub bound: Vec<BoundSkin>,
    /// What baking a method into the weights has reached last.
    pub baked: Option<Baked>,
    /// The skins that meshes without one would gain by the binding that ran last.
    pub(super) gained: Option<BindingChange>,
    /// Why the operation that ran last could not be done, where that shows only while it runs.
    pub(super) not_done: Option<Refusal>,
    /// What operations may change.
    pub bounds: Bounds,
    /// The vertices that operations are limited to, where they are: also those of meshes without a skin, of which no table has rows.
    pub(super) within: Option<VertexSet>,
    /// What the operation that is running could do only in part.
    pub(super) lacks: Lacks,
    /// The background job that edits the sheet: for reporting progress, and for learning that it was cancelled.
    pub context: JobContext,
    surfaces: OnceLock<Vec<RestSurface>>,
    mirrored: [OnceLock<FoundPlanes>; 3],
}

/// The bodies that have a plane of symmetry across an axis, and the meshes that have none.
pub(super) type FoundPlanes = (Vec<Mirrored>, Vec<WithoutPlane>);

/// An accessor, with the attribute and the view of a Draco stream that fills it.
type Filled = (usize, Option<(u32, usize)>);

/// What identifies the weights of a primitive in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Storage {
    /// The accessors of each set.
    sets: Vec<[Filled; 2]>,
    /// Mesh and primitive of the file; `None` where there are sets, which others may share.
    entry: Option<PrimitiveId>,
    /// How many vertices the file has.
    vertices: usize,
}

fn storage(model: &Model, mesh: usize, primitive: usize) -> Storage {
    let file = model.file_mesh(MeshId::from_index(mesh));
    let origins: &Origins = &model.source.origins;
    let origin = origins.primitives.get(file.index()).and_then(|mesh| mesh.get(primitive));
    let stream = origin.and_then(|origin| origin.draco).map(|draco| draco.view);
    let of = |set: &SetOrigin| [set.joints, set.weights].map(|a| (a.accessor, a.draco.zip(stream)));
    let sets: Vec<_> = origin.into_iter().flat_map(|origin| &origin.sets).map(of).collect();
    let entry = sets.is_empty().then_some(PrimitiveId::new(file, primitive));
    Storage { sets, entry, vertices: model.meshes[mesh].primitives[primitive].stored_vertices }
}

/// The tables of the primitives that were seen, by what identifies their weights, each with the skin whose joints its numbers mean.
#[derive(Default)]
struct Tables<'m> {
    known: HashMap<Storage, Vec<(Option<&'m Skin>, usize)>>,
    count: usize,
}

/// The table of a primitive.
struct TableEntry {
    /// Its number; that of a new one follows those of the others.
    table: usize,
    /// The first table whose weights are stored at the same location.
    first: usize,
    /// Whether no primitive before this one has said whose joints are meant.
    is_first_of_skin: bool,
}

impl<'m> Tables<'m> {
    /// Returns the table of a primitive, which `skin` moves. A mesh without a skin takes the first one of its storage.
    fn entry(&mut self, storage: Storage, skin: Option<&'m Skin>) -> TableEntry {
        let all = self.known.entry(storage).or_default();
        let first = all.first().map_or(self.count, |(_, table)| *table);
        let means_same = |other: Option<&Skin>| skin.zip(other).is_none_or(|(a, b)| a.joints == b.joints);
        if let Some((other, table)) = all.iter_mut().find(|(other, _)| means_same(*other)) {
            let is_first_of_skin = other.is_none() && skin.is_some();
            *other = other.or(skin);
            return TableEntry { table: *table, first, is_first_of_skin };
        }
        all.push((skin, self.count));
        self.count += 1;
        TableEntry { table: self.count - 1, first, is_first_of_skin: true }
    }
}

impl<'m> Sheet<'m> {
    /// Takes the weights and matrices that a model has now, edits over those of its file. Of primitives that share weights the first edits count.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        Self::reading(model, &|mesh, primitive| model.primitive(mesh, primitive))
    }

    /// Takes the weights and matrices of a model as its file stores them, whatever was edited since.
    #[must_use]
    pub fn of_file(model: &'m Model) -> Self {
        let read = |mesh: MeshId, primitive: usize| model.meshes[mesh.index()].primitives[primitive].as_stored();
        Self { binds: BTreeMap::new(), ..Self::reading(model, &read) }
    }

    fn reading(model: &'m Model, read: &dyn Fn(MeshId, usize) -> PrimitiveRef<'m>) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        let mut entries = Tables::default();
        for (m, mesh) in model.meshes.iter().enumerate() {
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let Some(influences) = read(MeshId::from_index(m), p).influences else { continue };
                let skin = skin(model, m);
                let entry = entries.entry(storage(model, m, p), skin);
                if entry.table == tables.len() {
                    tables.push(table(skin, entry.first, primitive, influences));
                } else if entry.is_first_of_skin {
                    tables[entry.table].keys = keys(skin, influences);
                }
                let table = &mut tables[entry.table];
                table.primitives.push(PrimitiveId::new(MeshId::from_index(m), p));
                table.widen(influences.per_vertex);
                for vertex in (0..primitive.stored_vertices).filter(|v| influences.is_edited(*v)) {
                    table.take_edited(vertex, influences.of(vertex));
                }
            }
        }
        let edited = model.bind_edits().all();
        let binds = edited.map(|(skin, joint, matrix)| ((skin.index(), joint), double(matrix))).collect();
        let (bounds, lacks, layers, surfaces, mirrored) = Default::default();
        Self {
            model,
            tables,
            binds,
            transferred: None,
            mirroring: None,
            solved: None,
            bound: Vec::new(),
            baked: None,
            gained: None,
            not_done: None,
            layers,
            bounds,
            within: None,
            lacks,
            context: JobContext::of_waiting(),
            surfaces,
            mirrored,
        }
    }

    /// Returns the welded surfaces that the vertices make, at rest; they are made when first asked for.
    #[must_use]
    pub fn surfaces(&self) -> &[RestSurface] {
        self.surfaces.get_or_init(|| surface::all(self.model, &self.tables))
    }

    /// Gives the tables and the welded surfaces away.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Table>, Vec<RestSurface>) {
        _ = self.surfaces();
        (self.tables, self.surfaces.into_inner().unwrap_or_default())
    }

    /// Returns the tables that [`Sheet::of`] makes, and the welded surfaces; both are made at once.
    #[must_use]
    pub fn parts_of(model: &Model) -> (Vec<Table>, Vec<RestSurface>) {
        let (mut tables, mut welded) = (Vec::new(), Vec::new());
        // The surfaces take longer, so that they are begun first.
        parallel::both(|| welded = surface::welded(model), || tables = Sheet::of(model).tables);
        let surfaces = surface::made(model, &tables, welded.into_iter());
        (tables, surfaces)
    }

    /// Returns the bodies that have a plane of symmetry across an axis, and the meshes that have none; they are looked for
    /// when first asked for.
    pub(super) fn mirrored(&self, axis: Axis) -> &FoundPlanes {
        self.mirrored[axis as usize].get_or_init(|| Mirrored::all(self.model, axis))
    }

    /// Returns the numbers that would be stored now, by table.
    #[must_use]
    pub fn stored(&self) -> Vec<Stored> {
        self.tables.iter().map(Table::stored).collect()
    }

    /// Returns the model with these weights as they would be stored; `None` where they are not valid.
    #[must_use]
    pub fn to_model(&self) -> Option<Model> {
        let mut parts: ModelParts = (**self.model).clone();
        for table in &self.tables {
            let stored = table.stored();
            for PrimitiveId { mesh, primitive } in &table.primitives {
                let primitive = &mut parts.meshes[mesh.index()].primitives[*primitive];
                let joint_count = table.keys.len();
                primitive.stored_influences = Some(influences(primitive, table, &stored, joint_count));
            }
        }
        for ((skin, joint), matrix) in &self.binds {
            let skin = &mut parts.skins[*skin];
            skin.inverse_bind[*joint] = single(*matrix);
            skin.not_finite.retain(|j| j != joint);
            skin.binds_missing = false;
        }
        Model::build(parts).ok()
    }

    /// Returns whether what becomes of a table is what becomes of one before it that is stored at the same location, so that it does
    /// not count a second time. `is_same` compares two tables by their numbers.
    pub(super) fn is_counted_before(&self, table: usize, is_same: &dyn Fn(usize, usize) -> bool) -> bool {
        let first = self.tables[table].first_stored_there;
        (first..table).any(|other| self.tables[other].first_stored_there == first && is_same(other, table))
    }

    /// Returns how many vertices of the file some rows are, which rise: one counts once where it is a row of several tables that are
    /// stored at the same location and have the same weights. `is_same` compares two tables by their numbers.
    pub(super) fn count_once(&self, rows: &BTreeSet<TableRow>, is_same: &dyn Fn(usize, usize) -> bool) -> usize {
        self.once(rows, is_same).count()
    }

    /// Returns those of some rows that count, as in [`Sheet::count_once`].
    pub(super) fn once<'r>(
        &self,
        rows: &'r BTreeSet<TableRow>,
        is_same: &dyn Fn(usize, usize) -> bool,
    ) -> impl Iterator<Item = TableRow> + use<'r> {
        let stored_there = |table: usize| self.tables[table].first_stored_there;
        let before = |table: usize| -> Vec<usize> {
            (stored_there(table)..table)
                .filter(|other| stored_there(*other) == stored_there(table) && is_same(*other, table))
                .collect()
        };
        let before: Vec<Vec<usize>> = (0..self.tables.len()).map(before).collect();
        let counts = move |at: &TableRow| {
            !before[at.table].iter().any(|other| rows.contains(&TableRow { table: *other, ..*at }))
        };
        rows.iter().copied().filter(counts)
    }

    /// Returns the table of a primitive.
    #[must_use]
    pub(crate) fn table_of(&self, primitive: PrimitiveId) -> Option<usize> {
        self.tables.iter().position(|t| t.primitives.contains(&primitive))
    }
}

/// Rounds a matrix to what the file stores.
#[must_use]
pub(super) fn single(matrix: DAffine3) -> Affine3A {
    Affine3A::from_cols_array(&matrix.to_cols_array().map(|v| v as f32))
}

/// The matrix in double precision.
#[must_use]
pub(super) fn double(matrix: Affine3A) -> DAffine3 {
    DAffine3::from_cols_array(&matrix.to_cols_array().map(f64::from))
}

/// Makes a table of the stored weights of a primitive; it does not name the primitive yet.
fn table(skin: Option<&Skin>, first: usize, primitive: &Primitive, influences: InfluencesRef<'_>) -> Table {
    let stored: Vec<_> = (0..primitive.stored_vertices).map(|vertex| influences.of_stored(vertex)).collect();
    let per_vertex = stored.first().map_or(influences.per_vertex, |(joints, _)| joints.len());
    let mut joints: Vec<u16> = stored.iter().flat_map(|(joints, _)| *joints).copied().collect();
    let formats: Vec<_> = (0..per_vertex / 4).map(|set| influences.format_of(set * 4)).collect();
    let exact = |(slot, weight): (usize, &f32)| match formats[slot / 4].one() {
        Some(one) => (f64::from(*weight) * f64::from(one)).round() / f64::from(one),
        None => f64::from(*weight),
    };
    let mut weights: Vec<f64> = stored.iter().flat_map(|(_, weights)| weights.iter().enumerate()).map(exact).collect();
    let pair_index = |vertex: u32, slot: u32| vertex as usize * per_vertex + slot as usize;
    for NotFinite { vertex, slot, value } in influences.not_finite {
        if let Some(weight) = weights.get_mut(pair_index(*vertex, *slot)) {
            *weight = f64::from(*value);
        }
    }
    for OutOfRange { vertex, slot, joint } in influences.out_of_range {
        if let Some(number) = joints.get_mut(pair_index(*vertex, *slot)) {
            *number = *joint;
        }
    }
    let keys = keys(skin, influences);
    let touched = vec![false; primitive.stored_vertices];
    Table { primitives: Vec::new(), per_vertex, joints, weights, formats, keys, touched, first_stored_there: first }
}

/// Returns the skin whose joints the numbers of a mesh mean.
fn skin(model: &Model, mesh: usize) -> Option<&Skin> {
    let skins = model.instances.iter().filter(|i| i.mesh.index() == mesh).filter_map(|i| i.skin);
    // Of several skins the one with the fewest joints counts: import checks joint numbers against that one.
    skins.map(|skin| &model.skins[skin.index()]).min_by_key(|skin| skin.joints.len())
}

/// Returns the key of each joint of the skin that moves a mesh.
fn keys(skin: Option<&Skin>, influences: InfluencesRef<'_>) -> Vec<u32> {
    match skin {
        Some(skin) => skin.joints.iter().map(|node| node.0).collect(),
        None => (0..influences.joints_needed() as u32).collect(),
    }
}

/// Returns the primitives that share their weights with this one in the file, and whose joint numbers mean the same joints, in
/// the model's order; itself among them.
pub(super) fn sharing(model: &Model, primitive: PrimitiveId) -> Vec<PrimitiveId> {
    let mut entries = Tables::default();
    let mut all = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate() {
        let weighted = mesh.primitives.iter().enumerate().filter(|(_, p)| p.stored_influences.is_some());
        all.extend(weighted.map(|(p, _)| {
            let id = PrimitiveId::new(MeshId::from_index(m), p);
            (id, entries.entry(storage(model, m, p), skin(model, m)).table)
        }));
    }
    let own = all.iter().find(|(at, _)| *at == primitive).map(|(_, table)| *table);
    all.iter().filter(|(_, table)| Some(*table) == own).map(|(at, _)| *at).collect()
}

/// Makes a table of the weights that some vertices of a primitive have now, a row for each of `vertices` that it has. It names
/// no primitive. `None` where there are no weights.
pub(super) fn rows(model: &Model, PrimitiveId { mesh, primitive }: PrimitiveId, vertices: &[u32]) -> Option<Table> {
    let stored = model.meshes.get(mesh.index())?.primitives.get(primitive)?.stored_vertices;
    let influences = model.influences(mesh, primitive)?;
    let mut out = Table { per_vertex: influences.per_vertex, ..Table::default() };
    for vertex in vertices.iter().map(|vertex| *vertex as usize).filter(|vertex| *vertex < stored) {
        let (joints, weights) = influences.of(vertex);
        out.joints.extend_from_slice(joints);
        out.weights.extend(weights.iter().map(|weight| f64::from(*weight)));
        out.touched.push(false);
    }
    out.formats = vec![WeightFormat::F32; out.per_vertex / 4];
    out.keys = keys(skin(model, mesh.index()), influences);
    Some(out)
}

/// Returns weights as import would read them.
fn influences(primitive: &Primitive, table: &Table, stored: &Stored, joint_count: usize) -> Influences {
    let per_vertex = table.per_vertex;
    let mut out = Influences { per_vertex, ..Influences::default() };
    for (at, (joint, number)) in stored.joints.iter().zip(&stored.numbers).enumerate() {
        let (vertex, slot) = ((at / per_vertex) as u32, (at % per_vertex) as u32);
        let weight = value(*number, table.formats[slot as usize / 4]) as f32;
        if !weight.is_finite() {
            out.not_finite.push(NotFinite { vertex, slot, value: weight });
        }
        let is_beyond = usize::from(*joint) >= joint_count;
        if is_beyond {
            out.out_of_range.push(OutOfRange { vertex, slot, joint: *joint });
        }
        out.weights.push(if weight.is_finite() { weight } else { 0.0 });
        out.joints.push(if is_beyond { 0 } else { *joint });
    }
    for from in &primitive.split_from {
        let from = *from as usize * per_vertex..(*from as usize + 1) * per_vertex;
        out.joints.extend_from_within(from.clone());
        out.weights.extend_from_within(from);
    }
    out.format = table.formats.iter().copied().max().unwrap_or_default();
    if table.formats.iter().any(|f| *f != out.format) {
        out.formats.clone_from(&table.formats);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{AttributeOrigin, Instance, NodeId, PrimitiveOrigin, SkinId, WeightChange, part_meshes};

    use super::*;
    use crate::{Settings, apply, operation};

    /// The first primitive of a mesh.
    fn first(mesh: u32) -> PrimitiveId {
        PrimitiveId::new(MeshId(mesh), 0)
    }

    #[test]
    fn a_sheet_reads_edited_weights_and_the_file_s_on_request() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let mut change = WeightChange::new(MeshId(0), 0, 8);
        change.push(5, &[3, 4, 0, 0, 7], &[0.25, 0.5, 0.0, 0.0, 0.25]);
        let edited = model.with_weights(&[change]).unwrap();
        let sheet = Sheet::of(&edited);
        let table = &sheet.tables[0];
        assert_eq!((table.per_vertex, table.formats.len()), (8, 2));
        assert_eq!(table.joints[table.slots(5)], [3, 4, 0, 0, 7, 0, 0, 0]);
        assert_eq!(table.weights[table.slots(5)], [0.25, 0.5, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0]);
        let file = Sheet::of_file(&edited);
        assert_eq!(file.tables, Sheet::of(&model).tables);
        for vertex in (0..table.vertices()).filter(|v| *v != 5) {
            assert_eq!(table.joints[table.slots(vertex)][..4], file.tables[0].joints[file.tables[0].slots(vertex)]);
            assert!(!table.touched[vertex]);
        }
        // The edited weights and the stored ones make one model.
        let stored = sheet.to_model().unwrap();
        assert_eq!(stored.influences(MeshId(0), 0).unwrap().of(5).1, edited.influences(MeshId(0), 0).unwrap().of(5).1);
    }

    #[test]
    fn numbers_that_are_none_can_be_mended_and_come_back() {
        let mut parts: ModelParts = (*tube(Tube { joints: 12, ..Tube::default() })).clone();
        let influences = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        (influences.weights[8], influences.weights[9]) = (1.0, 0.0);
        influences.not_finite.push(NotFinite { vertex: 2, slot: 1, value: f32::NAN });
        let model = Model::build(parts).unwrap();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        let (joints, weights) = model.influences(MeshId(0), 0).unwrap().of(2);
        change.push(2, joints, weights);
        let mended = model.with_weights(std::slice::from_ref(&change)).unwrap();
        let numbers = |model: &Model| Sheet::of(model).tables[0].weights[8..12].to_vec();
        assert!(numbers(&model)[1].is_nan() && numbers(&mended)[1] == 0.0);
        let back = mended.with_weights(&model.weights_before(&[change])).unwrap();
        assert!(numbers(&back)[1].is_nan() && back.weight_edits().is_empty());
    }

    #[test]
    fn a_mesh_without_a_skin_that_shares_the_weights_of_a_skinned_one_means_the_joints_of_that() {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        parts.meshes.push(parts.meshes[0].clone());
        let attribute = |accessor: usize| AttributeOrigin { accessor, draco: None };
        let sets = vec![SetOrigin { joints: attribute(0), weights: attribute(1) }];
        let origins = vec![vec![PrimitiveOrigin { sets, draco: None }]; 2];
        parts.source.origins = Arc::new(Origins { primitives: origins, ..Origins::default() });
        let joints: Vec<u32> = parts.skins[0].joints.iter().map(|node| node.0).collect();
        for skinned in [0, 1] {
            parts.instances[0].mesh = MeshId(skinned);
            let model = Model::build(parts.clone()).unwrap();
            let tables = Sheet::of(&model).tables;
            assert_eq!((tables.len(), &tables[0].primitives[..]), (1, &[first(0), first(1)][..]), "{skinned}");
            assert_eq!(tables[0].keys, joints, "{skinned}");
        }
    }

    #[test]
    fn of_several_skins_that_show_a_mesh_the_one_with_the_fewest_joints_says_whose_joints_are_meant() {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        let mut longer = parts.skins[0].clone();
        longer.joints.push(NodeId(0));
        longer.inverse_bind.push(Affine3A::IDENTITY);
        parts.skins.insert(0, longer);
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        let model = Model::build(parts).unwrap();
        assert_eq!(Sheet::of(&model).tables[0].keys, [1, 2, 3, 4]);
    }

    #[test]
    fn a_mesh_of_two_skins_has_a_table_for_each_and_what_both_become_counts_once() {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        let mut skin = parts.skins[0].clone();
        skin.joints.reverse();
        parts.skins.push(skin);
        parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
        parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap().weights[4] *= 0.5;
        let ModelParts { skins, meshes, instances, .. } = &mut parts;
        let parted = part_meshes(skins, meshes, instances, &mut |_, _| true);
        parts.parted = parted;
        let model = Model::build(parts).unwrap();
        let mut sheet = Sheet::of(&model);
        let primitives: Vec<_> = sheet.tables.iter().map(|table| table.primitives.clone()).collect();
        assert_eq!(primitives, [[first(0)], [first(1)]]);
        let reversed: Vec<u32> = sheet.tables[0].keys.iter().rev().copied().collect();
        assert_eq!(sheet.tables[1].keys, reversed);
        assert_eq!([0, 1].map(|mesh| sharing(&model, first(mesh))), [[first(0)], [first(1)]]);
        let normalise = operation("normalise").unwrap();
        assert_eq!(apply(normalise, &mut sheet, &Settings::default()).vertices, 1);
        // Two joints are taken off that have one number, so that the two become different.
        let joint = Some(model.skins[0].joints[3]);
        let settings = Settings { joint, ..Settings::default() };
        let alone = Sheet::of(&model).tables.iter().map(|t| t.joints.iter().filter(|j| **j == 3).count()).max();
        assert!(apply(operation("remove-joint").unwrap(), &mut sheet, &settings).vertices > alone.unwrap_or_default());
        assert!(!sheet.tables[0].has_same(&sheet.tables[1]));
    }
}

//! Carries edits of weights over to another version of the file that they were made on: by what tells vertices from others, and not
//! by their numbers.
//!
//! A vertex is looked for by [`VertexIdentity::full`] first, then by [`VertexIdentity::geometry`], since its stored weights may have
//! changed outside. Where a vertex was split, every copy gets its edit; one in another mesh does so only if the mesh has not all of
//! its vertices any more. Several vertices of one identity are distinguished by the materials of their primitives, or are matched in the
//! order of the file where that is the same and there are as many of them as before. What has no counterpart is set aside, with the reason.

mod identity;
mod nodes;

use std::collections::{BTreeMap, HashMap, HashSet};

use identity::material_of;
pub use identity::{Copies, Identities, MeshIdentity, VertexIdentity, VertexList, skin_of};
pub use nodes::{find_nodes, paths_of};
use skinscope_anim::pose::Keys;
use skinscope_model::{MeshId, Model, NodeId, WeightChange, is_same_row};

/// Edited weights of some vertices of a primitive, or with no pair for a vertex the vertices alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditedVertices {
    /// The vertices that are edited.
    pub list: VertexList,
    /// The keys of the joints that `joints` means ([`Keys`]).
    pub skin: Vec<String>,
    /// How many pairs each vertex has.
    pub per_vertex: usize,
    /// Indices in `skin`, vertex after vertex.
    pub joints: Vec<u16>,
    /// Weights, as many as `joints`.
    pub weights: Vec<f32>,
}

/// A row of weights that does not depend on the order of its pairs: the keys of joints with the bits of their weights, without weights of 0.
type SortedRow<'a> = Vec<(&'a str, u32)>;

impl EditedVertices {
    /// Returns the pairs of the `i`-th vertex: indices in `skin`, and weights.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u16], &[f32]) {
        let pairs = i * self.per_vertex..(i + 1) * self.per_vertex;
        (&self.joints[pairs.clone()], &self.weights[pairs])
    }

    /// Returns the pairs of the `i`-th vertex in an order of their own.
    #[must_use]
    pub fn sorted_row(&self, i: usize) -> SortedRow<'_> {
        let (joints, weights) = self.row(i);
        let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let key = |joint: &u16| self.skin.get(usize::from(*joint)).map_or("", String::as_str);
        let mut row: SortedRow<'_> = used.map(|(joint, weight)| (key(joint), weight.to_bits())).collect();
        row.sort_unstable();
        row
    }

    /// Returns whether its lists fit each other.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let VertexList { vertices, identities, copies, positions, .. } = &self.list;
        let count = vertices.len();
        let fits = |length: usize| length == 0 || length == count;
        let pairs = count.checked_mul(self.per_vertex);
        let rising = vertices.is_sorted_by(|a, b| a < b);
        let lists = fits(identities.len()) && fits(copies.len()) && fits(positions.len());
        rising && lists && pairs == Some(self.joints.len()) && pairs == Some(self.weights.len())
    }

    /// Returns the same with some of the vertices alone, given by their indices in the list, rising.
    #[must_use]
    pub fn only(&self, indices: &[usize]) -> Self {
        fn some<T: Copy>(all: &[T], indices: &[usize]) -> Vec<T> {
            indices.iter().filter_map(|i| all.get(*i).copied()).collect()
        }
        let list = &self.list;
        Self {
            list: VertexList {
                vertices: some(&list.vertices, indices),
                identities: some(&list.identities, indices),
                copies: some(&list.copies, indices),
                positions: some(&list.positions, indices),
                material: list.material.clone(),
                ..*list
            },
            skin: self.skin.clone(),
            per_vertex: self.per_vertex,
            joints: indices.iter().flat_map(|i| self.row(*i).0).copied().collect(),
            weights: indices.iter().flat_map(|i| self.row(*i).1).copied().collect(),
        }
    }
}

/// Why an edit cannot be carried over to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetAside {
    /// No vertex is where its own was, with that normal and those texture coordinates.
    Gone,
    /// Several vertices were where its own was and not all were edited alike, and now there are more or fewer of them, or the mesh
    /// has another order.
    Ambiguous,
    /// The skin has no joint of this key.
    NoJoint(String),
    /// The vertex is known by its number alone, and the primitive has another number of vertices, or is not there.
    OtherCount,
}

impl std::fmt::Display for SetAside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gone => f.write_str("their vertices are not there any more"),
            Self::Ambiguous => {
                f.write_str("several vertices were in one place, and it is not clear any more which is which")
            }
            Self::NoJoint(key) => write!(f, "the skin has no joint \"{key}\""),
            Self::OtherCount => {
                f.write_str("they are known by number alone, and the file has another number of vertices")
            }
        }
    }
}

/// New joints and weights of vertices of one primitive, by their numbers.
type NewRows = BTreeMap<u32, (Vec<u16>, Vec<f32>)>;

/// A stored vertex: mesh, primitive, and its number there.
type VertexLocation = (usize, usize, u32);

/// A vertex that an edit was carried to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CarriedVertex {
    /// Its mesh, primitive, and number there.
    pub location: (MeshId, usize, u32),
    /// The index of the edit in the list that was carried.
    pub edit: usize,
    /// The index of the vertex in the edit.
    pub row: usize,
    /// Whether its stored weights have changed outside.
    pub is_repainted: bool,
}

/// What became of edits in another version of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// The edits, as the model has their vertices and joints.
    pub weights: Vec<WeightChange>,
    /// All vertices that were found, rising.
    pub vertices: Vec<CarriedVertex>,
    /// What was not found: the index of the edit in the list that was carried, that of the vertex in the edit, and the reason.
    pub aside: Vec<(usize, usize, SetAside)>,
    /// How many edits went to vertices whose stored weights have changed outside.
    pub repainted: usize,
    /// How many edits went to the vertices of their numbers, since nothing else was recorded of them.
    pub by_number: usize,
    /// How many edits went to a vertex of their own mesh, and to equal ones of a mesh that was not there before.
    pub elsewhere: usize,
}

/// What is known of the model that edits were made on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MadeOn {
    /// Its meshes; empty where that is not known.
    pub meshes: Vec<MeshIdentity>,
    /// The paths of joints whose keys are numbers ([`paths_of`]).
    pub paths: BTreeMap<String, String>,
}

/// Carries edits over to `model`.
#[must_use]
pub fn carry(made: &[EditedVertices], on: &MadeOn, model: &Model) -> Carried {
    let mut out = Carried::default();
    if made.iter().all(|edit| edit.list.vertices.is_empty()) {
        return out;
    }
    let target = Target::of(model, made, &on.meshes);
    let mut rows: BTreeMap<(usize, usize), NewRows> = BTreeMap::new();
    let mut found_all = Vec::new();
    for (number, edit) in made.iter().enumerate() {
        let found_joints = find_nodes(model, edit.skin.iter().map(String::as_str), &on.paths);
        for i in 0..edit.list.vertices.len() {
            let carried = target.find(edit, i).and_then(|(locations, way)| {
                let row = |location: &VertexLocation| {
                    target.row(edit, i, location.0, &found_joints).map(|row| (*location, row))
                };
                Ok((locations.iter().map(row).collect::<Result<Vec<_>, _>>()?, way))
            });
            match carried {
                Err(why) => out.aside.push((number, i, why)),
                Ok((located, way)) => {
                    out.repainted += usize::from(way == Way::Geometry);
                    out.by_number += usize::from(way == Way::Number);
                    out.elsewhere += usize::from(target.is_elsewhere_too(edit, &located));
                    for ((mesh, primitive, vertex), row) in located {
                        let location = (MeshId::from_index(mesh), primitive, vertex);
                        let is_repainted = way == Way::Geometry;
                        found_all.push(CarriedVertex { location, edit: number, row: i, is_repainted });
                        if edit.per_vertex > 0 {
                            rows.entry((mesh, primitive)).or_default().insert(vertex, row);
                        }
                    }
                }
            }
        }
    }
    found_all.sort_unstable();
    out.vertices = found_all;
    out.weights = rows.into_iter().map(|(location, rows)| change(location, &rows)).collect();
    out
}

fn change((mesh, primitive): (usize, usize), rows: &NewRows) -> WeightChange {
    let width = rows.values().map(|row| row.0.len()).max().unwrap_or_default();
    let mut out = WeightChange::new(MeshId::from_index(mesh), primitive, width);
    rows.iter().for_each(|(vertex, (joints, weights))| out.push(*vertex, joints, weights));
    out
}

/// Returns whether two models have the same vertices under the same numbers in the meshes that are named, and the same joints under the
/// same indices there. With `stored`, they have the same stored weights too.
#[must_use]
pub fn is_same_order(a: &Model, b: &Model, meshes: impl IntoIterator<Item = MeshId>, stored: bool) -> bool {
    let (of_a, of_b) = (Keys::of(a), Keys::of(b));
    meshes.into_iter().all(|id| {
        let (Some(m), Some(n)) = (a.meshes.get(id.index()), b.meshes.get(id.index())) else { return false };
        let joints = |model: &Model, keys: &Keys| {
            let skin = skin_of(model, id).map(|skin| &model.skins[skin.index()].joints);
            skin.into_iter().flatten().map(|joint| keys.key(*joint).to_owned()).collect::<Vec<_>>()
        };
        m.name == n.name
            && m.primitives.len() == n.primitives.len()
            && joints(a, &of_a) == joints(b, &of_b)
            && m.primitives.iter().zip(&n.primitives).all(|(p, q)| {
                let count = p.stored_vertices;
                let same_geometry = count == q.stored_vertices
                    && p.positions[..count] == q.positions[..count]
                    && p.normals.get(..count) == q.normals.get(..count)
                    && p.uvs[0].get(..count) == q.uvs[0].get(..count);
                let same_weights = || match (p.as_stored().influences, q.as_stored().influences) {
                    (Some(p), Some(q)) => (0..count).all(|v| is_same_row(p.of_stored(v), q.of_stored(v))),
                    (p, q) => p.is_none() && q.is_none(),
                };
                same_geometry && (!stored || same_weights())
            })
    })
}

/// How a vertex was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Full,
    Geometry,
    Number,
}

/// What a mesh has become in another version of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counterpart {
    mesh: usize,
    /// Whether its vertices are in the same order.
    is_in_order: bool,
    /// Whether it has the same vertices, in whatever order.
    is_whole: bool,
}

/// The model that edits are carried to.
struct Target<'a> {
    model: &'a Model,
    identities: Identities,
    /// What each mesh of the other model has become.
    counterparts: Vec<Option<Counterpart>>,
    /// The meshes that are no counterpart of another one.
    fresh: HashSet<usize>,
    /// All vertices that may be meant, by hash and rising.
    full: HashMap<u64, Vec<VertexLocation>>,
    geometry: HashMap<u64, Vec<VertexLocation>>,
    /// The identities, by mesh, all vertices of which are edited, and in the same way.
    full_alike: HashSet<(u32, u64)>,
    geometry_alike: HashSet<(u32, u64)>,
}

impl<'a> Target<'a> {
    fn of(model: &'a Model, made: &'a [EditedVertices], meshes: &[MeshIdentity]) -> Self {
        let has_identities = made.iter().any(|edit| !edit.list.identities.is_empty());
        let identities = if has_identities { Identities::of(model) } else { Identities::default() };
        let counterparts = counterparts(meshes, &identities.meshes);
        let taken: HashSet<usize> = counterparts.iter().flatten().map(|c| c.mesh).collect();
        let fresh = (0..identities.meshes.len()).filter(|mesh| !taken.contains(mesh)).collect();
        let wanted: HashSet<u64> =
            made.iter().flat_map(|edit| &edit.list.identities).map(|identity| identity.geometry).collect();
        let (mut full, mut geometry): (HashMap<u64, Vec<VertexLocation>>, HashMap<u64, Vec<VertexLocation>>) =
            Default::default();
        for (m, mesh) in identities.vertices.iter().enumerate() {
            for (p, primitive) in mesh.iter().enumerate() {
                for (v, identity) in primitive.iter().enumerate().filter(|(_, i)| wanted.contains(&i.geometry)) {
                    let location = (m, p, v as u32);
                    full.entry(identity.full).or_default().push(location);
                    geometry.entry(identity.geometry).or_default().push(location);
                }
            }
        }
        let full_alike = alike(made, |identity, copies| (identity.full, copies.full));
        let geometry_alike = alike(made, |identity, copies| (identity.geometry, copies.geometry));
        Self { model, identities, counterparts, fresh, full, geometry, full_alike, geometry_alike }
    }

    /// Finds the vertices that the `i`-th of an edit has become.
    fn find(&self, edit: &EditedVertices, i: usize) -> Result<(Vec<VertexLocation>, Way), SetAside> {
        let list = &edit.list;
        let Some(identity) = list.identities.get(i) else { return self.by_number(list, i) };
        let copies = list.copies_of(i);
        let counterpart = self.counterparts.get(list.mesh as usize).copied().flatten();
        // What stands in another mesh too is a copy of it where its own mesh has all that it had.
        let is_whole = counterpart.is_some_and(|c| c.is_whole);
        let may_be = |location: &&VertexLocation| {
            Some(location.0) == counterpart.map(|c| c.mesh) || !is_whole && self.fresh.contains(&location.0)
        };
        let among = |all: &HashMap<u64, Vec<VertexLocation>>, hash: u64| -> Vec<VertexLocation> {
            all.get(&hash).into_iter().flatten().filter(may_be).copied().collect()
        };
        let is_in_order = counterpart.is_some_and(|c| c.is_in_order);
        let one_of = |found: &[VertexLocation], count: u32, before: u32| {
            self.one_of(found, list, is_in_order, [count as usize, before as usize]).ok_or(SetAside::Ambiguous)
        };
        let found = among(&self.full, identity.full);
        if !found.is_empty() {
            if copies.full == 1 || self.full_alike.contains(&(list.mesh, identity.full)) {
                return Ok((found, Way::Full));
            }
            return one_of(&found, copies.full, copies.full_before).map(|location| (vec![location], Way::Full));
        }
        let found = among(&self.geometry, identity.geometry);
        if found.is_empty() {
            return Err(SetAside::Gone);
        }
        let hash =
            |location: &VertexLocation| self.identities.vertices[location.0][location.1][location.2 as usize].full;
        let is_split = copies.geometry == 1 && found.iter().all(|location| hash(location) == hash(&found[0]));
        if is_split || self.geometry_alike.contains(&(list.mesh, identity.geometry)) {
            return Ok((found, Way::Geometry));
        }
        one_of(&found, copies.geometry, copies.geometry_before).map(|location| (vec![location], Way::Geometry))
    }

    /// Returns which of several equal vertices is meant, of which there were so many, and so many before it: the only one of its
    /// material, or the one with the same index in the same order.
    fn one_of(
        &self,
        found: &[VertexLocation],
        list: &VertexList,
        is_in_order: bool,
        [count, before]: [usize; 2],
    ) -> Option<VertexLocation> {
        if found.len() != count {
            return None;
        }
        let material =
            |location: &VertexLocation| material_of(self.model, &self.model.meshes[location.0].primitives[location.1]);
        let same: Vec<&VertexLocation> = found.iter().filter(|location| material(location) == list.material).collect();
        match same[..] {
            [one] if !list.material.is_empty() => Some(*one),
            // Its material has another name now.
            [] => found.get(before).filter(|_| is_in_order).copied(),
            _ => found.get(before).filter(|location| is_in_order && same.contains(location)).copied(),
        }
    }

    /// Returns whether an edit has gone to a vertex of what its mesh has become, and to others of meshes that were not there.
    fn is_elsewhere_too<T>(&self, edit: &EditedVertices, located: &[(VertexLocation, T)]) -> bool {
        let own = self.counterparts.get(edit.list.mesh as usize).copied().flatten();
        let is_own = |(location, _): &(VertexLocation, T)| own.is_some_and(|own| own.mesh == location.0);
        located.iter().any(is_own) && !located.iter().all(is_own)
    }

    fn by_number(&self, list: &VertexList, i: usize) -> Result<(Vec<VertexLocation>, Way), SetAside> {
        let mesh = list.mesh as usize;
        // The vertices of a primitive may be in another one now.
        let holder = self.model.meshes.get(mesh).map_or(list.primitive, |mesh| mesh.holder(list.primitive));
        let primitive = self.model.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(holder));
        let fits = |p: &&skinscope_model::Primitive| {
            p.stored_influences.is_some()
                && p.stored_vertices == list.stored_vertices
                && (list.vertices[i] as usize) < p.stored_vertices
        };
        primitive
            .filter(fits)
            .map(|_| (vec![(mesh, holder, list.vertices[i])], Way::Number))
            .ok_or(SetAside::OtherCount)
    }

    /// The `i`-th row of an edit, with indices in the skin that shows a mesh of the model. A joint without weight need not be there.
    fn row(
        &self,
        edit: &EditedVertices,
        i: usize,
        mesh: usize,
        found: &HashMap<&str, NodeId>,
    ) -> Result<(Vec<u16>, Vec<f32>), SetAside> {
        let skin = skin_of(self.model, MeshId::from_index(mesh));
        let joints = skin.map_or(&[][..], |skin| &self.model.skins[skin.index()].joints);
        let (indices, weights) = edit.row(i);
        let mut out = Vec::with_capacity(indices.len());
        for (index, weight) in indices.iter().zip(weights) {
            let key = edit.skin.get(usize::from(*index));
            let node = key.and_then(|key| found.get(key.as_str()));
            // Most often it has the same index as before.
            let is_there = |at: &usize| joints.get(*at).is_some_and(|joint| Some(joint) == node);
            let now = Some(usize::from(*index))
                .filter(is_there)
                .or_else(|| node.and_then(|node| joints.iter().position(|joint| joint == node)));
            out.push(match now.and_then(|now| u16::try_from(now).ok()) {
                Some(now) => now,
                None if skin.is_none() && edit.skin.is_empty() => *index,
                None if *weight == 0.0 => 0,
                None => return Err(SetAside::NoJoint(key.cloned().unwrap_or_else(|| format!("#{index}")))),
            });
        }
        Ok((out, weights.to_vec()))
    }
}

/// Returns the identities, by mesh, that have several vertices, all of which are edited and have the same row.
fn alike(made: &[EditedVertices], hash: impl Fn(&VertexIdentity, Copies) -> (u64, u32)) -> HashSet<(u32, u64)> {
    let mut seen: HashMap<(u32, u64), (u32, u32, Option<SortedRow<'_>>)> = HashMap::new();
    for edit in made {
        for (i, identity) in edit.list.identities.iter().enumerate() {
            let (hash, count) = hash(identity, edit.list.copies_of(i));
            if count == 1 {
                continue;
            }
            let row = edit.sorted_row(i);
            let (listed, _, common) =
                seen.entry((edit.list.mesh, hash)).or_insert_with(|| (0, count, Some(row.clone())));
            *listed += 1;
            if common.as_ref() != Some(&row) {
                *common = None;
            }
        }
    }
    seen.into_iter().filter(|(_, (listed, count, row))| listed == count && row.is_some()).map(|(key, _)| key).collect()
}

/// Finds the mesh that each mesh has become: the one of its name, content and joints, else of its name and content, else of its content, else of its name, else of its number
/// where neither is the counterpart of another one.
fn counterparts(before: &[MeshIdentity], now: &[MeshIdentity]) -> Vec<Option<Counterpart>> {
    type Rule = fn(&MeshIdentity, &MeshIdentity) -> bool;
    let rules: [Rule; 5] = [
        |a, b| a.joints == b.joints && a.order == b.order && a.name == b.name,
        |a, b| a.order == b.order && a.name == b.name,
        |a, b| a.content == b.content && a.name == b.name,
        |a, b| a.content == b.content,
        |a, b| !a.name.is_empty() && a.name == b.name,
    ];
    let mut out: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = HashSet::new();
    for rule in rules {
        for (i, mesh) in before.iter().enumerate().filter(|(_, mesh)| mesh.content != 0) {
            if out[i].is_some() {
                continue;
            }
            let fits = |j: &usize| !taken.contains(j) && rule(mesh, &now[*j]);
            // Of equal ones that of its number is meant.
            let found = Some(i).filter(|j| *j < now.len()).filter(fits).or_else(|| (0..now.len()).find(fits));
            out[i] = found.inspect(|j| _ = taken.insert(*j));
        }
    }
    for (i, counterpart) in out.iter_mut().enumerate() {
        if counterpart.is_none() && i < now.len() && taken.insert(i) {
            *counterpart = Some(i);
        }
    }
    let what = |mesh: usize, was: &MeshIdentity| Counterpart {
        mesh,
        is_in_order: was.order == now[mesh].order,
        is_whole: was.content == now[mesh].content,
    };
    out.into_iter().zip(before).map(|(mesh, was)| mesh.map(|mesh| what(mesh, was))).collect()
}

#[cfg(test)]
mod tests;

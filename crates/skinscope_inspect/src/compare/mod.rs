//! Differences between two models: hierarchy, rest poses, what nodes show, weights, inverse bind matrices, clips, materials, and how far
//! the posed surfaces are apart.
//!
//! Order alone is no difference: nodes, clips and materials are matched by name; vertices by order where both meshes have as many and the
//! same triangles, however far they were moved, else by place, the nearest first, texture coordinates and neighbours decide ties; weights
//! by joint. A vertex of either model without a counterpart is a difference and is counted. A node that has another name and stands in the same position of the tree,
//! with the same transform at rest or the same inverse bind matrix, is one that was renamed; to stay where its parent is says nothing of a
//! node without children, and one that shows a mesh shows the same.

mod arranged;
mod attributes;
mod clips;
mod materials;
mod moments;
mod nodes;
#[cfg(test)]
mod nodes_tests;
#[cfg(test)]
mod order_tests;
mod pairing;
mod places;
mod pose;
mod posed;
mod shown;
mod surfaces;
#[cfg(test)]
mod surfaces_tests;
mod vertices;
mod weights;

pub use arranged::arranged;
use nodes::Nodes;
pub use posed::Apart;
pub use shown::Shown;
use skinscope_model::{MeshId, Model};
use surfaces::Pair;

/// Names that only one of two models has, or whose contents differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Names that only the second model has; a name that it has more often is listed as often.
    pub added: Vec<String>,
    /// Names that only the first model has.
    pub removed: Vec<String>,
    /// Names that both have, with different contents.
    pub changed: Vec<String>,
    /// What has another name in the second model: both names. Only nodes are recognised.
    pub renamed: Vec<[String; 2]>,
}

impl Named {
    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty() && self.renamed.is_empty()
    }
}

/// The differences of the weights of a primitive.
#[derive(Clone, Debug, PartialEq)]
pub struct PrimitiveDifference {
    /// The number of the mesh in the first model.
    pub mesh: usize,
    /// The number of the primitive in the first model.
    pub primitive: usize,
    /// How many vertices differ.
    pub vertices: usize,
    /// The largest difference of a weight.
    pub largest: f64,
}

/// The differences of the surface of a primitive. What has no counterpart in the first model is counted with the primitive there that has
/// the number of its own; where only the second model has the mesh, numbers are those of the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceDifference {
    /// The number of the mesh in the first model.
    pub mesh: usize,
    /// The number of the primitive in the first model.
    pub primitive: usize,
    /// How many vertices lie elsewhere.
    pub moved: usize,
    /// How many vertices of the first and of the second model have no counterpart in the other.
    pub unmatched: [usize; 2],
    /// How many triangles, lines or points only one of the models has, among those whose corners have counterparts.
    pub shapes: usize,
}

impl SurfaceDifference {
    /// Returns how many vertices and triangles differ. A vertex without a counterpart on either side may be one that was moved far, so that
    /// the two count once.
    #[must_use]
    pub fn count(&self) -> usize {
        self.moved + self.unmatched[0].max(self.unmatched[1]) + self.shapes
    }
}

/// Vertices of a primitive that differ in something but their place and their weights, or triangles with another material.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeDifference {
    /// The number of the mesh in the first model.
    pub mesh: usize,
    /// The number of the primitive in the first model.
    pub primitive: usize,
    /// What differs, for people: "normals", "texture coordinates", "colours", "morph target" with its name, or "materials".
    pub what: String,
    /// How many vertices differ; triangles, lines or points for materials.
    pub count: usize,
    /// The largest difference: a distance in metres for morph targets, of values else; 0 where one model has none.
    pub largest: f64,
}

/// All differences between two models.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// Differences of nodes; changed are those that have another parent or another rest transform, by their names in the first model.
    pub nodes: Named,
    /// Nodes that show something else.
    pub shown: Shown,
    /// The primitives whose weights differ.
    pub weights: Vec<PrimitiveDifference>,
    /// The primitives whose surface differs: vertices that lie elsewhere or have no counterpart, or triangles.
    pub surface: Vec<SurfaceDifference>,
    /// The primitives whose vertices differ in something else.
    pub attributes: Vec<AttributeDifference>,
    /// How many inverse bind matrices differ.
    pub inverse_binds: usize,
    /// Differences of clips.
    pub clips: Named,
    /// Differences of materials.
    pub materials: Named,
    /// Where the posed surfaces are farthest apart.
    pub posed: Apart,
}

impl Differences {
    /// Returns whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let named = [&self.nodes, &self.clips, &self.materials].into_iter().all(Named::is_empty);
        named
            && self.shown.is_empty()
            && self.weights.is_empty()
            && self.surface.is_empty()
            && self.attributes.is_empty()
            && self.inverse_binds == 0
            && !self.posed.is_seen
    }

    /// Returns how many vertices of the first and of the second model have no counterpart in the other. Neither their places nor their
    /// weights were compared.
    #[must_use]
    pub fn unmatched(&self) -> [usize; 2] {
        [0, 1].map(|side| self.surface.iter().map(|part| part.unmatched[side]).sum())
    }
}

/// Compares two models. The cost is linear in vertices where their order is the same, times 33 for each clip.
#[must_use]
pub fn compare(a: &Model, b: &Model) -> Differences {
    let nodes = Nodes::of(a, b);
    let meshes = surfaces::meshes(a, b, &nodes);
    let pairs = Pair::all(a, b, &nodes, &meshes);
    let paired = clips::pair(a, b, &nodes);
    let mut out = Differences {
        nodes: nodes.named(a, b),
        shown: Shown::of(a, b, &nodes, &meshes),
        inverse_binds: weights::inverse_binds(a, b, &nodes),
        clips: paired.named(&clips::names(a), &clips::names(b)),
        materials: materials::compare(a, b),
        ..Differences::default()
    };
    let weights = pairs.iter().flat_map(|pair| weights::of_pair(a, b, pair, &nodes));
    out.weights = without_repeats(a, weights, |part| [&mut part.mesh, &mut part.primitive]);
    out.surface = without_repeats(a, surfaces::differing(a, b, &pairs), |part| [&mut part.mesh, &mut part.primitive]);
    let attributes = pairs.iter().flat_map(|pair| attributes::of_pair(a, b, pair));
    out.attributes = without_repeats(a, attributes, |part| [&mut part.mesh, &mut part.primitive]);
    let clips: Vec<([usize; 2], bool)> = paired.pairs.iter().copied().zip(paired.differ.iter().copied()).collect();
    out.posed = posed::farthest(a, b, &pairs, &clips);
    out
}

/// Names the meshes of the file. What differs in a mesh that was parted from one of the file, as it does in that, is reported once, and so is
/// what differs in vertices that several lists name.
fn without_repeats<T: Clone + PartialEq>(
    a: &Model,
    parts: impl IntoIterator<Item = T>,
    at: impl Fn(&mut T) -> [&mut usize; 2],
) -> Vec<T> {
    let mut out: Vec<T> = Vec::new();
    for mut part in parts {
        let [mesh, primitive] = at(&mut part);
        let of_file = a.file_mesh(MeshId::from_index(*mesh)).index();
        let first = a.meshes.get(*mesh).and_then(|of| of.primitives.get(*primitive)?.repeats);
        let is_parted = std::mem::replace(mesh, of_file) != of_file;
        let mut known = part.clone();
        if let Some(first) = first {
            let [mesh, primitive] = at(&mut known);
            (*mesh, *primitive) = (first.mesh.index(), first.primitive);
        }
        let may_repeat = is_parted || first.is_some();
        if !may_repeat || !out.contains(&known) {
            out.push(part);
        }
    }
    out
}

/// The items of two lists in pairs of one name.
#[derive(Clone, Debug, Default)]
struct Pairing {
    /// The indices of the two items of each pair, by that in the first list.
    pairs: Vec<[usize; 2]>,
    /// For each pair whether the contents differ.
    differ: Vec<bool>,
    /// The items of the first list that are left over.
    removed: Vec<usize>,
    /// The items of the second list that are left over.
    added: Vec<usize>,
}

impl Pairing {
    /// Returns the names of items that differ or are left over.
    fn named(&self, own: &[&str], other: &[&str]) -> Named {
        let changed = self.pairs.iter().zip(&self.differ).filter(|(_, differ)| **differ);
        Named {
            changed: changed.map(|([here, _], _)| own[*here].to_owned()).collect(),
            removed: self.removed.iter().map(|index| own[*index].to_owned()).collect(),
            added: self.added.iter().map(|index| other[*index].to_owned()).collect(),
            renamed: Vec::new(),
        }
    }
}

/// Compares the items of two lists.
struct Contents<'c> {
    /// Returns a number that two items of either list share where their contents are the same to the bit: 0 asks for an item of the first
    /// list, 1 for one of the second.
    hash: &'c dyn Fn(usize, usize) -> u64,
    /// Returns whether two items differ.
    differ: &'c dyn Fn([usize; 2]) -> bool,
}

/// Pairs the items of two lists by name: of several with one name those with the same contents, and what is left in order. Takes time
/// linear in their contents; only those that no item equals to the bit are compared with each other.
fn by_contents(own: &[&str], other: &[&str], contents: &Contents<'_>) -> Pairing {
    let differ = contents.differ;
    let mut groups: std::collections::BTreeMap<&str, [Vec<usize>; 2]> = std::collections::BTreeMap::new();
    own.iter().enumerate().for_each(|(index, name)| groups.entry(name).or_default()[0].push(index));
    other.iter().enumerate().for_each(|(index, name)| groups.entry(name).or_default()[1].push(index));
    let mut found: Vec<([usize; 2], bool)> = Vec::new();
    let mut out = Pairing::default();
    for [mut here, mut there] in groups.into_values() {
        if here.len() == 1 && there.len() == 1 {
            found.push(([here[0], there[0]], differ([here[0], there[0]])));
            continue;
        }
        if !here.is_empty() && !there.is_empty() {
            let same = take_same(&mut here, &mut there, contents);
            found.extend(same.into_iter().map(|pair| (pair, false)));
        }
        here.retain(|index| {
            let same = there.iter().position(|other| !differ([*index, *other]));
            found.extend(same.map(|at| ([*index, there.remove(at)], false)));
            same.is_none()
        });
        let both = here.len().min(there.len());
        found.extend(here.drain(..both).zip(there.drain(..both)).map(|(here, there)| ([here, there], true)));
        out.removed.extend(here);
        out.added.extend(there);
    }
    found.sort_unstable();
    (out.pairs, out.differ) = found.into_iter().unzip();
    out.removed.sort_unstable();
    out.added.sort_unstable();
    out
}

/// Takes the items out of two lists that are the same to the bit, and returns them in pairs.
fn take_same(here: &mut Vec<usize>, there: &mut Vec<usize>, contents: &Contents<'_>) -> Vec<[usize; 2]> {
    let mut by_hash: std::collections::HashMap<u64, std::collections::VecDeque<usize>> =
        std::collections::HashMap::new();
    there.iter().for_each(|other| by_hash.entry((contents.hash)(1, *other)).or_default().push_back(*other));
    let mut pairs = Vec::new();
    here.retain(|index| {
        let alike = by_hash.get_mut(&(contents.hash)(0, *index));
        let same = alike.and_then(|alike| {
            let other = alike.front().copied().filter(|other| !(contents.differ)([*index, *other]))?;
            alike.pop_front();
            Some(other)
        });
        pairs.extend(same.map(|other| [*index, other]));
        same.is_none()
    });
    let taken: std::collections::HashSet<usize> = pairs.iter().map(|[_, other]| *other).collect();
    there.retain(|other| !taken.contains(other));
    pairs
}

/// Returns the hash of the text of something.
fn hash_of_text(text: &impl std::fmt::Debug) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    format!("{text:?}").hash(&mut hasher);
    hasher.finish()
}

/// Pairs the items of two lists by name: of several with one name the first with the first, and so on. Also returns the
/// items of each that are left over.
fn by_name<'n>(
    a: impl Iterator<Item = &'n str>,
    b: impl Iterator<Item = &'n str>,
) -> (Vec<[usize; 2]>, Vec<usize>, Vec<usize>) {
    let mut left_by_name: std::collections::HashMap<&str, std::collections::VecDeque<usize>> =
        std::collections::HashMap::new();
    let mut count = 0;
    for (index, name) in b.enumerate() {
        left_by_name.entry(name).or_default().push_back(index);
        count += 1;
    }
    let (mut pairs, mut removed, mut taken) = (Vec::new(), Vec::new(), vec![false; count]);
    for (index, name) in a.enumerate() {
        match left_by_name.get_mut(name).and_then(std::collections::VecDeque::pop_front) {
            Some(other) => {
                taken[other] = true;
                pairs.push([index, other]);
            }
            None => removed.push(index),
        }
    }
    let added = (0..count).filter(|index| !taken[*index]).collect();
    (pairs, removed, added)
}

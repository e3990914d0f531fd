//! Edited weights: the pairs that differ from those of the file, in small pages, so that a model with edits shares all
//! other memory with the model without them.
//!
//! The stored edits depend only on the current pairs and not on the order of the edits: a vertex that has the pairs of
//! the file again counts as not edited, and a page without edited vertices is removed.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;

use super::{BuildError, InfluencesRef, MeshId, Model, NotFinite, OutOfRange, Primitive, PrimitiveId};

/// How many vertices a page has, which is what the edit of one vertex copies.
pub(super) const PAGE: usize = 16;
/// So many pages one thread changes at a time: a dab changes fewer.
const PIECE: usize = 256;
/// A bit for each vertex of a page.
pub(super) type PageBits = u16;

/// New influences, (joint, weight) pairs, for some vertices of a primitive.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct WeightChange {
    /// The mesh.
    pub mesh: MeshId,
    /// The index of the primitive in the mesh.
    pub primitive: usize,
    /// The indices of the vertices in the file, rising.
    pub vertices: Vec<u32>,
    /// The number of pairs of each vertex.
    pub per_vertex: usize,
    /// The joints of the pairs, vertex by vertex, as indices into [`super::Skin::joints`].
    pub joints: Vec<u16>,
    /// The weights of the pairs, as many as `joints`.
    pub weights: Vec<f32>,
    /// Those of `vertices`, rising, that get back values of the file that cannot be used: a weight that is not finite,
    /// or a joint outside of the skin. `joints` and `weights` have the values that are used in their place.
    pub restored: Vec<u32>,
}

impl WeightChange {
    /// Makes an empty change with `per_vertex` pairs for each vertex.
    #[must_use]
    pub fn new(mesh: MeshId, primitive: usize, per_vertex: usize) -> Self {
        Self { mesh, primitive, per_vertex, ..Self::default() }
    }

    /// Adds a vertex, whose index is larger than those before it. Missing pairs become joint 0 with weight 0.
    pub fn push(&mut self, vertex: u32, joints: &[u16], weights: &[f32]) {
        self.vertices.push(vertex);
        let end = self.vertices.len() * self.per_vertex;
        self.joints.extend_from_slice(&joints[..joints.len().min(self.per_vertex)]);
        self.weights.extend_from_slice(&weights[..weights.len().min(self.per_vertex)]);
        self.joints.resize(end, 0);
        self.weights.resize(end, 0.0);
    }

    /// Returns the new joints and weights of entry `i` of the list of vertices.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u16], &[f32]) {
        self.rows(i..i + 1)
    }

    /// Returns the new joints and weights of entries of the list that follow one another.
    fn rows(&self, entries: std::ops::Range<usize>) -> (&[u16], &[f32]) {
        let pairs = entries.start * self.per_vertex..entries.end * self.per_vertex;
        (&self.joints[pairs.clone()], &self.weights[pairs])
    }

    /// Adds the rows of those vertices of `later` that it lacks; `later` is of the same primitive.
    pub(crate) fn add_absent(&mut self, later: &Self) {
        let is_there = |vertex: &u32| self.vertices.binary_search(vertex).is_ok();
        if self.per_vertex >= later.per_vertex && later.vertices.iter().all(is_there) {
            return;
        }
        let mut out = Self::new(self.mesh, self.primitive, self.per_vertex.max(later.per_vertex));
        let (mut own, mut others) = (0..self.vertices.len(), (0..later.vertices.len()).peekable());
        let push = |out: &mut Self, from: &Self, i: usize| {
            let (joints, weights) = from.row(i);
            out.push(from.vertices[i], joints, weights);
            out.restored.extend(from.restored.binary_search(&from.vertices[i]).is_ok().then_some(from.vertices[i]));
        };
        loop {
            let next = own.next();
            let before = next.map_or(u32::MAX, |i| self.vertices[i]);
            while let Some(i) = others.next_if(|i| later.vertices[*i] <= before) {
                if next.is_none() || later.vertices[i] < before {
                    push(&mut out, later, i);
                }
            }
            let Some(i) = next else { break };
            push(&mut out, self, i);
        }
        *self = out;
        self.vertices.shrink_to_fit();
        self.joints.shrink_to_fit();
        self.weights.shrink_to_fit();
        self.restored.shrink_to_fit();
    }

    /// Returns the size of its lists in memory, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<u32>() * self.vertices.capacity()
            + size_of::<u16>() * self.joints.capacity()
            + size_of::<f32>() * self.weights.capacity()
            + size_of::<u32>() * self.restored.capacity()
    }
}

/// The pairs of [`PAGE`] vertices that follow each other, at least one of which is edited; the others are as stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Page {
    pub per_vertex: usize,
    /// The weights of all vertices as bits, then their joints, two in a word: one piece of memory for both.
    words: Box<[u32]>,
    /// A bit for each vertex that is edited.
    pub edited: PageBits,
}

impl Page {
    fn new(vertices: usize, per_vertex: usize, edited: PageBits) -> Self {
        let pairs = vertices * per_vertex;
        Self { per_vertex, words: vec![0; pairs + pairs.div_ceil(2)].into(), edited }
    }

    /// Makes a page of all pairs of its vertices.
    pub fn of((joints, weights): (&[u16], &[f32]), per_vertex: usize, edited: PageBits) -> Self {
        let mut words = Vec::with_capacity(weights.len() + weights.len().div_ceil(2));
        words.extend(weights.iter().map(|weight| weight.to_bits()));
        words.resize(weights.len() + weights.len().div_ceil(2), 0);
        let all_joints: &mut [u16] = bytemuck::cast_slice_mut(&mut words[weights.len()..]);
        all_joints[..joints.len()].copy_from_slice(joints);
        Self { per_vertex, words: words.into(), edited }
    }

    /// The index of the first joint in `words`.
    #[inline]
    fn pairs(&self) -> usize {
        // Of 3 n / 2 words, rounded up, n are weights.
        self.words.len() * 2 / 3
    }

    /// The joints of all vertices; one more where their number is odd, which is 0.
    #[inline]
    pub fn joints(&self) -> &[u16] {
        bytemuck::cast_slice(&self.words[self.pairs()..])
    }

    #[inline]
    pub fn row(&self, vertex: usize) -> (&[u16], &[f32]) {
        self.rows(vertex..vertex + 1)
    }

    #[inline]
    pub fn rows(&self, vertices: std::ops::Range<usize>) -> (&[u16], &[f32]) {
        let pairs = vertices.start * self.per_vertex..vertices.end * self.per_vertex;
        let (weights, joints) = self.words.split_at(self.pairs());
        (&bytemuck::cast_slice(joints)[pairs.clone()], &bytemuck::cast_slice(weights)[pairs])
    }

    /// Returns the joints and weights of all vertices, to be changed. There may be one joint more.
    #[inline]
    pub(super) fn rows_mut(&mut self) -> (&mut [u16], &mut [f32]) {
        let pairs = self.pairs();
        let (weights, joints) = self.words.split_at_mut(pairs);
        (bytemuck::cast_slice_mut(joints), bytemuck::cast_slice_mut(weights))
    }

    fn set(&mut self, vertex: usize, (joints, weights): (&[u16], &[f32])) {
        let pairs = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        let put = joints.len().min(self.per_vertex);
        let (all_weights, all_joints) = self.words.split_at_mut(self.words.len() * 2 / 3);
        let to_joints: &mut [u16] = &mut bytemuck::cast_slice_mut(all_joints)[pairs.clone()];
        let to_weights: &mut [f32] = &mut bytemuck::cast_slice_mut(all_weights)[pairs];
        to_joints[..put].copy_from_slice(&joints[..put]);
        to_weights[..put].copy_from_slice(&weights[..put]);
        to_joints[put..].fill(0);
        to_weights[put..].fill(0.0);
    }

    #[cfg(test)]
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.words)
    }
}

/// The bits that are set, rising.
pub(super) fn set_bits(mut bits: PageBits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The edited pairs of one primitive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EditedInfluences {
    pub per_vertex: usize,
    /// The page of every [`PAGE`] vertices; `None` where none of them is edited.
    pub pages: Vec<Option<Arc<Page>>>,
    /// The weights that import replaced, of vertices that are not edited.
    pub not_finite: Vec<NotFinite>,
    pub out_of_range: Vec<OutOfRange>,
}

impl EditedInfluences {
    pub fn is_edited(&self, vertex: usize) -> bool {
        self.pages[vertex / PAGE].as_ref().is_some_and(|page| page.edited >> (vertex % PAGE) & 1 == 1)
    }

    /// Returns the edited vertices, rising.
    fn vertices(&self) -> impl Iterator<Item = u32> {
        let of = |(i, page): (usize, &Option<Arc<Page>>)| {
            let edited = page.as_ref().map_or(0, |page| page.edited);
            set_bits(edited).map(move |v| (i * PAGE + v) as u32)
        };
        self.pages.iter().enumerate().flat_map(of)
    }
}

/// All edited weights of a model: the vertices whose pairs differ from the file, by mesh and primitive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightEdits {
    primitives: BTreeMap<PrimitiveId, Arc<EditedInfluences>>,
}

impl WeightEdits {
    /// Returns whether all weights are those of the file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.primitives.is_empty()
    }

    /// Returns whether both share the same memory; equal edits that were made separately do not.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let both = || self.primitives.iter().zip(&other.primitives);
        self.primitives.len() == other.primitives.len() && both().all(|(a, b)| a.0 == b.0 && Arc::ptr_eq(a.1, b.1))
    }

    pub(super) fn of(&self, mesh: MeshId, primitive: usize) -> Option<&EditedInfluences> {
        if self.primitives.is_empty() {
            None
        } else {
            self.primitives.get(&PrimitiveId { mesh, primitive }).map(|e| &**e)
        }
    }

    /// Returns the primitives that have edited vertices.
    pub fn primitives(&self) -> impl Iterator<Item = PrimitiveId> {
        self.primitives.keys().copied()
    }

    /// Counts the edited vertices, without those split off for tangents. `model` is the model that the edits belong to.
    #[must_use]
    pub fn count(&self, model: &Model) -> usize {
        let of = |(PrimitiveId { mesh, primitive }, edited): (&PrimitiveId, &Arc<EditedInfluences>)| {
            let all: usize = edited.pages.iter().flatten().map(|page| page.edited.count_ones() as usize).sum();
            let p = &model.meshes[mesh.index()].primitives[*primitive];
            let split = p.split_from.iter().filter(|v| edited.is_edited(**v as usize)).count();
            all - split
        };
        self.primitives.iter().map(of).sum()
    }

    /// Returns the indices of the edited vertices of a primitive, rising, with those split off for tangents.
    pub fn vertices(&self, mesh: MeshId, primitive: usize) -> impl Iterator<Item = u32> {
        self.of(mesh, primitive).into_iter().flat_map(EditedInfluences::vertices)
    }

    /// Returns the size in memory of the pages that `before` does not share, and of the lists of pages, bytes: what was
    /// copied to make these edits out of those.
    #[cfg(test)]
    pub(crate) fn bytes_beside(&self, before: &Self) -> usize {
        let of = |key: &PrimitiveId, edited: &Arc<EditedInfluences>| {
            let old = before.primitives.get(key);
            if old.is_some_and(|old| Arc::ptr_eq(old, edited)) {
                return 0;
            }
            let has = |i: usize, page: &Arc<Page>| {
                old.and_then(|old| old.pages[i].as_ref()).is_some_and(|old| Arc::ptr_eq(old, page))
            };
            let pages = edited.pages.iter().enumerate().filter_map(|(i, p)| p.as_ref().filter(|p| !has(i, p)));
            size_of_val(edited.pages.as_slice()) + pages.map(|page| page.bytes()).sum::<usize>()
        };
        self.primitives.iter().map(|(key, edited)| of(key, edited)).sum()
    }
}

impl Model {
    /// Returns the edits of weights since the file was read.
    #[must_use]
    pub fn weight_edits(&self) -> &WeightEdits {
        &self.edits
    }

    /// Returns the edits of each primitive, to be changed.
    pub(super) fn edits_mut(&mut self) -> &mut BTreeMap<PrimitiveId, Arc<EditedInfluences>> {
        &mut self.edits.primitives
    }

    /// Returns how many joints every skin that shows a mesh has at least.
    pub(super) fn fewest_joints(&self, mesh: MeshId) -> usize {
        let skins = self.instances.iter().filter(|i| i.mesh == mesh).filter_map(|i| i.skin);
        skins.map(|skin| self.skins[skin.index()].joints.len()).min().unwrap_or(usize::MAX)
    }

    /// Returns whether a primitive of two meshes with the same stored weights has the same edits.
    pub(super) fn has_same_edits(&self, [a, b]: [MeshId; 2], primitive: usize) -> bool {
        self.edits.of(a, primitive) == self.edits.of(b, primitive)
    }

    /// Returns the same model with other weights for some vertices, and for the copies of them that were split off for
    /// tangents. All other memory is shared with this model: only the pages of the edited vertices are copied.
    ///
    /// # Errors
    /// A change names something that does not exist (a primitive, its weights, vertices, joints of a skin that shows
    /// it), its lists have different lengths, or a weight is not finite.
    pub fn with_weights(&self, changes: &[WeightChange]) -> Result<Self, BuildError> {
        let mut edits = self.edits.clone();
        for change in changes.iter().filter(|change| !change.vertices.is_empty()) {
            self.check(change)?;
            let key = PrimitiveId::new(change.mesh, change.primitive);
            let primitive = &self.meshes[change.mesh.index()].primitives[change.primitive];
            let all = with_copies(primitive, change);
            let Some(stored) = primitive.as_stored().influences else { continue };
            let entry = edits.primitives.entry(key);
            let before = match &entry {
                Entry::Occupied(before) => Some(&**before.get()),
                Entry::Vacant(_) => None,
            };
            match (changed(before, stored, change, &all), entry) {
                (Some(edited), Entry::Occupied(mut entry)) => _ = entry.insert(Arc::new(edited)),
                (Some(edited), Entry::Vacant(entry)) => _ = entry.insert(Arc::new(edited)),
                (None, Entry::Occupied(entry)) => _ = entry.remove(),
                (None, Entry::Vacant(_)) => {}
            }
        }
        Ok(Self { edits, ..self.twin() })
    }

    /// Returns all edited vertices with their pairs, as changes: made on the model without edits, they give this model.
    #[must_use]
    pub fn edited_weights(&self) -> Vec<WeightChange> {
        let of = |PrimitiveId { mesh, primitive }| {
            let i = self.influences(mesh, primitive)?;
            let stored = self.meshes[mesh.index()].primitives[primitive].stored_vertices as u32;
            let mut out = WeightChange::new(mesh, primitive, i.per_vertex);
            for v in self.edits.vertices(mesh, primitive).filter(|v| *v < stored) {
                let (joints, weights) = i.of(v as usize);
                out.push(v, joints, weights);
            }
            Some(out)
        };
        self.edits.primitives().filter_map(of).collect()
    }

    /// Returns whether both models come from one reading of a file and gained the same skins since, so that they differ at most
    /// in edits and added clips. [`Model::is_of_one_file`] does not ask for the skins.
    #[must_use]
    pub fn shares_all_but_edits(&self, other: &Self) -> bool {
        self.is_of_one_file(other) && Arc::ptr_eq(&self.shared.bindings, &other.shared.bindings)
    }

    /// Returns the current pairs of the vertices of some changes: these are the changes that undo `changes`, which have
    /// not been made yet.
    #[must_use]
    pub fn weights_before(&self, changes: &[WeightChange]) -> Vec<WeightChange> {
        let of = |change: &WeightChange| {
            let i = self.influences(change.mesh, change.primitive)?;
            let rows = || change.vertices.iter().map(|v| i.of(*v as usize));
            let per_vertex = rows().map(|(joints, _)| joints.len()).max().unwrap_or(i.per_vertex);
            let mut out = WeightChange::new(change.mesh, change.primitive, per_vertex);
            out.vertices.reserve_exact(change.vertices.len());
            out.joints.reserve_exact(change.vertices.len() * per_vertex);
            out.weights.reserve_exact(change.vertices.len() * per_vertex);
            change.vertices.iter().zip(rows()).for_each(|(v, (joints, weights))| out.push(*v, joints, weights));
            let unusable = i.unusable();
            out.restored.extend(change.vertices.iter().filter(|v| unusable.contains(v)));
            Some(out)
        };
        changes.iter().filter_map(of).collect()
    }

    fn check(&self, change: &WeightChange) -> Result<(), BuildError> {
        let location = || format!("mesh {}, primitive {}", self.file_mesh(change.mesh).0, change.primitive);
        let error = |what: &str| Err(BuildError { location: location(), what: what.to_owned() });
        let primitive = self.meshes.get(change.mesh.index()).and_then(|m| m.primitives.get(change.primitive));
        let Some(p) = primitive.filter(|p| p.stored_influences.is_some()) else {
            return error("a change of weights is about one that is not there or has none");
        };
        let rising = change.vertices.is_sorted_by(|a, b| a < b);
        if !rising || change.vertices.last().is_some_and(|last| *last as usize >= p.stored_vertices) {
            return error("the vertices of a change of weights do not rise, or are not there");
        }
        let pairs = change.vertices.len() * change.per_vertex;
        if change.per_vertex == 0 || change.joints.len() != pairs || change.weights.len() != pairs {
            return error("the pairs of a change of weights do not fit its vertices");
        }
        if !super::builder::is_finite(&change.weights) {
            return error("a change of weights holds numbers that are not finite");
        }
        let fewest = self.fewest_joints(change.mesh);
        if change.joints.iter().any(|joint| usize::from(*joint) >= fewest) {
            return error("a change of weights names a joint beyond the skin");
        }
        Ok(())
    }
}

/// Returns the vertices to change, rising, each with its index in the list of the change: the named ones and those
/// split off from them.
fn with_copies(p: &Primitive, change: &WeightChange) -> Vec<(u32, u32)> {
    let mut all: Vec<(u32, u32)> = Vec::with_capacity(change.vertices.len() + p.split_from.len());
    prefer_large_pages(&mut all);
    all.extend((0..).zip(&change.vertices).map(|(i, v)| (*v, i)));
    let copies = (p.stored_vertices as u32..).zip(&p.split_from);
    let vertices = &change.vertices;
    all.extend(copies.filter_map(|(copy, from)| Some((copy, vertices.binary_search(from).ok()? as u32))));
    all
}

/// The first vertex of a page, the page, and which of its vertices change, each with the row of the change.
type PageWork<'a> = (usize, &'a mut Option<Arc<Page>>, &'a [(u32, u32)]);

/// Returns the pairs of a primitive after a change; `None` where all are as stored again. `all`: the result of
/// [`with_copies`].
fn changed(
    before: Option<&EditedInfluences>,
    stored: InfluencesRef<'_>,
    change: &WeightChange,
    all: &[(u32, u32)],
) -> Option<EditedInfluences> {
    let count = stored.vertices();
    let mut pages = before.map_or_else(|| vec![None; count.div_ceil(PAGE)], |before| before.pages.clone());
    // Shown as 0 they have the pairs of a vertex that was mended, and yet they are not mended.
    let mut unusable = stored.unusable();
    change.restored.iter().for_each(|v| _ = unusable.remove(v));
    let mut groups = all.chunk_by(|a, b| a.0 as usize / PAGE == b.0 as usize / PAGE).peekable();
    let mut work = Vec::new();
    let first = all.first().map_or(0, |(vertex, _)| *vertex as usize / PAGE);
    for (number, page) in pages.iter_mut().enumerate().skip(first) {
        let is_of_page = |group: &&[(u32, u32)]| group.first().is_some_and(|(v, _)| *v as usize / PAGE == number);
        work.extend(groups.next_if(is_of_page).map(|group| (number * PAGE, page, group)));
    }
    parallel::in_pieces(&mut work, PIECE, &|_, work: &mut [PageWork<'_>]| {
        for (base, page, group) in work {
            let vertices = *base..(*base + PAGE).min(count);
            **page = changed_page(page.as_deref(), (stored, &unusable), vertices, change, group).map(Arc::new);
        }
    });
    if pages.iter().all(Option::is_none) {
        return None;
    }
    let mut out = EditedInfluences { per_vertex: 0, pages, not_finite: Vec::new(), out_of_range: Vec::new() };
    out.per_vertex = out.pages.iter().flatten().map(|page| page.per_vertex).fold(stored.per_vertex, usize::max);
    out.not_finite = stored.not_finite.iter().filter(|n| !out.is_edited(n.vertex as usize)).copied().collect();
    out.out_of_range = stored.out_of_range.iter().filter(|n| !out.is_edited(n.vertex as usize)).copied().collect();
    Some(out)
}

/// Returns a page after a change; `None` where all of its vertices are as stored.
fn changed_page(
    before: Option<&Page>,
    (stored, unusable): (InfluencesRef<'_>, &HashSet<u32>),
    vertices: std::ops::Range<usize>,
    change: &WeightChange,
    group: &[(u32, u32)],
) -> Option<Page> {
    let base = vertices.start;
    let mut edited = before.map_or(0, |page| page.edited);
    let mut touched: PageBits = 0;
    for (vertex, row) in group {
        let bit: PageBits = 1 << (*vertex as usize - base);
        touched |= bit;
        let is_stored = is_same_row(change.row(*row as usize), stored.of_stored(*vertex as usize))
            && !unusable.contains(&change.vertices[*row as usize]);
        edited = if is_stored { edited & !bit } else { edited | bit };
    }
    if edited == 0 {
        return None;
    }
    // The pairs that an edited vertex has now: from the change, or from the page before it.
    let row = |vertex: usize| -> (&[u16], &[f32]) {
        let bit: PageBits = 1 << (vertex - base);
        if edited & bit == 0 {
            return stored.of_stored(vertex);
        }
        if touched & bit == 0 {
            return before.map_or_else(|| stored.of_stored(vertex), |page| page.row(vertex - base));
        }
        let changed = group.binary_search_by_key(&(vertex as u32), |(vertex, _)| *vertex).map(|i| group[i].1);
        changed.map_or_else(|_| stored.of_stored(vertex), |row| change.row(row as usize))
    };
    let wide = before.is_some_and(|page| page.per_vertex > stored.per_vertex) || change.per_vertex > stored.per_vertex;
    if let Some((_, first)) =
        group.first().filter(|_| group.len() == vertices.len() && change.per_vertex == stored.per_vertex && !wide)
    {
        // All of its vertices change: their pairs stand one after the other in the change.
        let last = *first as usize + group.len();
        if group.iter().map(|(_, row)| *row as usize).eq(*first as usize..last) {
            return Some(Page::of(change.rows(*first as usize..last), change.per_vertex, edited));
        }
    }
    let width = if wide { vertices.clone().map(|v| width(row(v))).fold(stored.per_vertex, usize::max) } else { 0 };
    let per_vertex = width.max(stored.per_vertex);
    let mut page = Page::new(vertices.len(), per_vertex, edited);
    for vertex in vertices {
        page.set(vertex - base, row(vertex));
    }
    Some(page)
}

/// Returns how many slots the pairs of a vertex need: whole sets of four.
fn width((joints, weights): (&[u16], &[f32])) -> usize {
    let is_used = |i: &usize| joints[*i] != 0 || weights[*i].to_bits() != 0;
    (0..joints.len()).rfind(is_used).map_or(0, |last| last + 1).next_multiple_of(4)
}

/// Returns whether two vertices, each given as joints and weights, have the same pairs to the bit. A pair that one of
/// them lacks counts as joint 0 with weight 0.
#[must_use]
pub fn is_same_row(a: (&[u16], &[f32]), b: (&[u16], &[f32])) -> bool {
    if a.0.len() == b.0.len() {
        return a.0 == b.0 && a.1.iter().map(|w| w.to_bits()).eq(b.1.iter().map(|w| w.to_bits()));
    }
    let slots = a.0.len().max(b.0.len());
    let at = |(joints, weights): (&[u16], &[f32]), i: usize| {
        (joints.get(i).copied().unwrap_or(0), weights.get(i).map_or(0, |w| w.to_bits()))
    };
    (0..slots).all(|i| at(a, i) == at(b, i))
}

impl Model {
    /// Returns the changes that make the weights of every vertex sum to 1, by dividing them by their sum. Where that is
    /// not positive (no weight at all, or negative ones) they stay as they are, since no positive factor makes them sum
    /// to 1.
    #[must_use]
    pub fn normalised_weights(&self) -> Vec<WeightChange> {
        let mut out = Vec::new();
        for (m, mesh) in self.meshes.iter().enumerate() {
            let mesh_id = MeshId::from_index(m);
            for (p, primitive) in mesh.primitives.iter().enumerate() {
                let Some(i) = self.influences(mesh_id, p) else { continue };
                let mut change = WeightChange::new(mesh_id, p, i.per_vertex);
                let mut divided = Vec::new();
                for vertex in 0..primitive.stored_vertices {
                    let (joints, weights) = i.of(vertex);
                    let sum: f64 = weights.iter().map(|w| f64::from(*w)).sum();
                    divided.clear();
                    divided.extend(weights.iter().map(|w| (f64::from(*w) / sum) as f32));
                    if sum > 0.0 && divided != weights && super::builder::is_finite(&divided) {
                        change.push(vertex as u32, joints, &divided);
                    }
                }
                if !change.vertices.is_empty() {
                    out.push(change);
                }
            }
        }
        out
    }
}

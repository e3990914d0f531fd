//! The current weights of a primitive: those of the file, or where a vertex was edited the new ones. All code that asks
//! for the weights of a vertex asks here, so that it sees edits.

use std::collections::HashSet;
use std::ops::{Deref, Range};

use super::weight_edits::{EditedInfluences, PAGE, is_same_row, set_bits};
use super::{Influences, MeshId, Model, NotFinite, OutOfRange, Primitive, WeightEdits, WeightFormat};

/// The current influences, (joint, weight) pairs, of all vertices of a primitive, edits included.
#[derive(Clone, Copy, Debug)]
pub struct InfluencesRef<'a> {
    /// The largest number of pairs of a vertex, in the file or after edits.
    pub per_vertex: usize,
    /// The format in which the file stores the weights; see [`Influences::format`]. Edited vertices may have any float:
    /// see [`InfluencesRef::format_at`].
    pub format: WeightFormat,
    /// The format of each `WEIGHTS_n` set of the file; see [`Influences::formats`].
    pub formats: &'a [WeightFormat],
    /// Weights that import replaced by 0, of vertices that are not edited.
    pub not_finite: &'a [NotFinite],
    /// Joints that import replaced by joint 0, of vertices that are not edited.
    pub out_of_range: &'a [OutOfRange],
    /// How many pairs each vertex has room for in the file.
    stored_per_vertex: usize,
    joints: &'a [u16],
    weights: &'a [f32],
    edited: Option<&'a EditedInfluences>,
}

impl Influences {
    /// Returns the pairs of the file, without edits.
    #[must_use]
    pub fn as_stored(&self) -> InfluencesRef<'_> {
        InfluencesRef {
            per_vertex: self.per_vertex,
            format: self.format,
            formats: &self.formats,
            not_finite: &self.not_finite,
            out_of_range: &self.out_of_range,
            stored_per_vertex: self.per_vertex,
            joints: &self.joints,
            weights: &self.weights,
            edited: None,
        }
    }
}

impl<'a> InfluencesRef<'a> {
    pub(super) fn with_edits(self, edited: Option<&'a EditedInfluences>) -> Self {
        match edited {
            Some(edited) => Self {
                per_vertex: edited.per_vertex,
                not_finite: &edited.not_finite,
                out_of_range: &edited.out_of_range,
                edited: Some(edited),
                ..self
            },
            None => self,
        }
    }

    /// Returns the joints and the weights of one vertex, pairs with weight 0 included.
    #[inline]
    #[must_use]
    pub fn of(&self, vertex: usize) -> (&'a [u16], &'a [f32]) {
        match self.edited {
            Some(edited) => self.of_edited(edited, vertex),
            None => self.of_stored(vertex),
        }
    }

    /// Returns the joints and the weights that the file stores for one vertex.
    #[inline]
    #[must_use]
    pub fn of_stored(&self, vertex: usize) -> (&'a [u16], &'a [f32]) {
        let range = vertex * self.stored_per_vertex..(vertex + 1) * self.stored_per_vertex;
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Returns the joints and the weights that the file stores for vertices that follow one another.
    pub(super) fn stored_rows(&self, vertices: Range<usize>) -> (&'a [u16], &'a [f32]) {
        let range = vertices.start * self.stored_per_vertex..vertices.end * self.stored_per_vertex;
        (&self.joints[range.clone()], &self.weights[range])
    }

    fn of_edited(&self, edited: &'a EditedInfluences, vertex: usize) -> (&'a [u16], &'a [f32]) {
        edited.pages[vertex / PAGE].as_ref().map_or_else(|| self.of_stored(vertex), |page| page.row(vertex % PAGE))
    }

    /// Cuts a range of vertices into runs whose pairs are contiguous in memory; there is one run where no vertex of the
    /// primitive is edited.
    pub fn runs(self, vertices: Range<usize>) -> impl Iterator<Item = Run<'a>> {
        let mut left = vertices;
        std::iter::from_fn(move || {
            if left.is_empty() {
                return None;
            }
            let start = left.start;
            let page_of = |vertex: usize| self.edited.and_then(|edited| edited.pages[vertex / PAGE].as_ref());
            let page_end = |vertex: usize| ((vertex / PAGE + 1) * PAGE).min(left.end);
            if let Some(page) = page_of(start) {
                let end = page_end(start);
                left.start = end;
                let base = start / PAGE * PAGE;
                let (joints, weights) = page.rows(start - base..end - base);
                return Some(Run { vertices: start..end, per_vertex: page.per_vertex, joints, weights });
            }
            let mut end = if self.edited.is_some() { page_end(start) } else { left.end };
            while end < left.end && page_of(end).is_none() {
                end = page_end(end);
            }
            left.start = end;
            let pairs = start * self.stored_per_vertex..end * self.stored_per_vertex;
            let (joints, weights) = (&self.joints[pairs.clone()], &self.weights[pairs]);
            Some(Run { vertices: start..end, per_vertex: self.stored_per_vertex, joints, weights })
        })
    }

    /// Returns whether an edit changed the pairs of a vertex.
    #[must_use]
    pub fn is_edited(&self, vertex: usize) -> bool {
        self.edited.is_some_and(|edited| edited.is_edited(vertex))
    }

    /// Returns the vertices with a weight or joint in the file that cannot be used, unless they were edited.
    #[must_use]
    pub fn unusable(&self) -> HashSet<u32> {
        let numbers = self.not_finite.iter().map(|n| n.vertex);
        numbers.chain(self.out_of_range.iter().map(|n| n.vertex)).collect()
    }

    /// Returns the format in which the file stores the weight of a pair.
    #[must_use]
    pub fn format_of(&self, slot: usize) -> WeightFormat {
        self.formats.get(slot / 4).copied().unwrap_or(self.format)
    }

    /// Returns the format whose precision applies to the weights of a vertex: that of the file, or floats where the
    /// vertex is edited.
    #[must_use]
    pub fn format_at(&self, vertex: usize) -> WeightFormat {
        if self.is_edited(vertex) { WeightFormat::F32 } else { self.format }
    }

    /// Returns the number of weights of one vertex that are not zero.
    #[must_use]
    pub fn used(&self, vertex: usize) -> usize {
        self.of(vertex).1.iter().filter(|w| **w != 0.0).count()
    }

    /// Returns the sum of the weights of one vertex.
    #[must_use]
    pub fn sum(&self, vertex: usize) -> f64 {
        self.of(vertex).1.iter().map(|w| f64::from(*w)).sum()
    }

    /// Returns whether the weights of one vertex sum to 1, within [`WeightFormat::tolerance`].
    #[must_use]
    pub fn sums_to_one(&self, vertex: usize) -> bool {
        (self.sum(vertex) - 1.0).abs() <= self.format_at(vertex).tolerance()
    }

    /// Returns the largest joint index of all pairs plus one, those with weight 0 included: a skin needs as many
    /// joints.
    #[must_use]
    pub fn joints_needed(&self) -> usize {
        let stored = needed(self.joints);
        let edited = self.edited.iter().flat_map(|edited| edited.pages.iter().flatten());
        edited.map(|page| needed(page.joints())).fold(stored, usize::max)
    }

    /// Returns the largest number of non-zero weights of any vertex.
    #[must_use]
    pub fn most_used(&self) -> usize {
        let used = |v: &[f32]| v.iter().filter(|w| **w != 0.0).count();
        let of_run = |run: Run<'_>| run.weights.chunks_exact(run.per_vertex.max(1)).map(used).max().unwrap_or(0);
        self.runs(0..self.vertices()).map(of_run).max().unwrap_or(0)
    }

    /// Returns the pairs of all vertices, vertex by vertex, each vertex as [`InfluencesRef::of`] returns it.
    pub fn all(self) -> impl Iterator<Item = (u16, f32)> {
        let pairs = |run: Run<'a>| run.joints.iter().copied().zip(run.weights.iter().copied());
        self.runs(0..self.vertices()).flat_map(pairs)
    }

    /// Returns the joints and the weights of some vertices, [`InfluencesRef::per_vertex`] pairs for each.
    #[must_use]
    pub fn gathered(&self, vertices: &[u32]) -> (Vec<u16>, Vec<f32>) {
        if self.per_vertex == 4 {
            // Rows whose length the compiler knows are copied in a third of the time.
            let rows = || vertices.iter().map(|vertex| self.of(*vertex as usize));
            let joints: Vec<[u16; 4]> = rows().map(|(joints, _)| four(joints)).collect();
            let weights: Vec<[f32; 4]> = rows().map(|(_, weights)| four(weights)).collect();
            return (joints.into_flattened(), weights.into_flattened());
        }
        let pairs = vertices.len() * self.per_vertex;
        let (mut joints, mut weights) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
        for (i, vertex) in (1..).zip(vertices) {
            let (of, shares) = self.of(*vertex as usize);
            joints.extend_from_slice(of);
            weights.extend_from_slice(shares);
            // A vertex of a page without edits may have less room.
            joints.resize(i * self.per_vertex, 0);
            weights.resize(i * self.per_vertex, 0.0);
        }
        (joints, weights)
    }

    /// Returns the number of vertices, those split off for tangents included.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.joints.len() / self.stored_per_vertex.max(1)
    }

    /// Returns the vertices whose pairs differ from those of `other` in any bit, rising. Both must belong to one
    /// primitive of one file. It compares only vertices that are edited in one of them.
    pub fn changed_vertices(self, other: InfluencesRef<'a>) -> impl Iterator<Item = usize> + 'a {
        let differs = move |vertex: &usize| !is_same_row(self.of(*vertex), other.of(*vertex));
        edited_in_either(self.edited, other.edited).filter(differs)
    }
}

impl WeightEdits {
    /// Returns the vertices of a primitive whose pairs may differ from those with the edits `before`, rising: those that are edited in either, but
    /// for memory that both share. Both must be edits of one file.
    pub fn changed_since<'a>(
        &'a self,
        before: &'a Self,
        mesh: MeshId,
        primitive: usize,
    ) -> impl Iterator<Item = usize> + 'a {
        edited_in_either(self.of(mesh, primitive), before.of(mesh, primitive))
    }
}

/// Returns the vertices that either has edited, rising, but for pages that both share.
fn edited_in_either<'a>(
    a: Option<&'a EditedInfluences>,
    b: Option<&'a EditedInfluences>,
) -> impl Iterator<Item = usize> + 'a {
    let page = |of: Option<&'a EditedInfluences>, i: usize| of.and_then(|e| e.pages.get(i)?.as_deref());
    let same_list = match (a, b) {
        (Some(a), Some(b)) => std::ptr::eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    let pages = if same_list { 0 } else { a.or(b).map_or(0, |edited| edited.pages.len()) };
    let edited = move |i: usize| match (page(a, i), page(b, i)) {
        (Some(a), Some(b)) if std::ptr::eq(a, b) => 0,
        (a, b) => a.map_or(0, |a| a.edited) | b.map_or(0, |b| b.edited),
    };
    (0..pages).flat_map(move |i| set_bits(edited(i)).map(move |v| i * PAGE + v))
}

/// Returns the four values of a list; where it has fewer, followed by zeros.
fn four<T: Copy + Default>(list: &[T]) -> [T; 4] {
    list.first_chunk().copied().unwrap_or_else(|| {
        let mut out = [T::default(); 4];
        out.iter_mut().zip(list).for_each(|(out, value)| *out = *value);
        out
    })
}

fn needed(joints: &[u16]) -> usize {
    // The loop is written so that the compiler uses wide instructions.
    if joints.is_empty() { 0 } else { usize::from(joints.iter().fold(0, |most, joint| most.max(*joint))) + 1 }
}

/// Vertices whose pairs are contiguous in memory.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The indices of the vertices.
    pub vertices: Range<usize>,
    /// The number of pairs of each vertex.
    pub per_vertex: usize,
    /// The joints of the pairs, as indices into [`super::Skin::joints`].
    pub joints: &'a [u16],
    /// The weights of the pairs, as many as `joints`.
    pub weights: &'a [f32],
}

/// A primitive with its current weights. It dereferences to the [`Primitive`].
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveRef<'a> {
    /// The primitive; its current weights are in `influences`.
    pub primitive: &'a Primitive,
    /// The influences; `None`: no joint moves the primitive, though the node may have a skin.
    pub influences: Option<InfluencesRef<'a>>,
}

impl Deref for PrimitiveRef<'_> {
    type Target = Primitive;
    fn deref(&self) -> &Primitive {
        self.primitive
    }
}

impl Primitive {
    /// Returns the primitive with the weights of the file.
    #[must_use]
    pub fn as_stored(&self) -> PrimitiveRef<'_> {
        PrimitiveRef { primitive: self, influences: self.stored_influences.as_ref().map(Influences::as_stored) }
    }
}

impl Model {
    /// Returns a primitive with its current weights.
    #[must_use]
    pub fn primitive(&self, mesh: MeshId, primitive: usize) -> PrimitiveRef<'_> {
        let stored = self.meshes[mesh.index()].primitives[primitive].as_stored();
        let edited = self.weight_edits().of(mesh, primitive);
        PrimitiveRef { influences: stored.influences.map(|i| i.with_edits(edited)), ..stored }
    }

    /// Returns all primitives of a mesh with their current weights.
    pub fn primitives(&self, mesh: MeshId) -> impl ExactSizeIterator<Item = PrimitiveRef<'_>> {
        (0..self.meshes[mesh.index()].primitives.len()).map(move |primitive| self.primitive(mesh, primitive))
    }

    /// Returns the current weights of a primitive; `None` where no joint moves it.
    #[must_use]
    pub fn influences(&self, mesh: MeshId, primitive: usize) -> Option<InfluencesRef<'_>> {
        self.primitive(mesh, primitive).influences
    }
}

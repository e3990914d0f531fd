//! Packs primitives for the vertex shader: small, and in an order that suits the device. This module defines the words
//! of a vertex and knows nothing of devices. `shaders/common/deform.wgsl` unpacks what is packed here.
//!
//! A vertex is a row of 32-bit words, without those that its primitive does not need: position (three floats), normal
//! and tangent (octahedral coordinates). Joints and weights (of 8 or 16 bits as needed, or floats) are in rows of their
//! own, which can change while everything else stays. So are the values that only the surface's shader reads (texture
//! coordinates, colour).
//!
//! Packing changes directions by at most [`NORMAL_ERROR`] and [`TANGENT_ERROR`]; [`MOST_MOVED`] limits the effect of
//! rounding weights.

mod chunks;
mod directions;
mod influences;
mod order;
mod weights;

use chunks::rows;
pub use directions::{NORMAL_ERROR, TANGENT_ERROR};
use glam::{Vec2, Vec3, Vec4};
pub use influences::{InfluenceLayout, PackedInfluences, pack_all_influences, pack_influences};
pub use order::VertexOrder;
use skinscope_model::{AlphaMode, InfluencesRef, MeshId, Model, Primitive, PrimitiveRef};
pub(super) use weights::merged;
pub use weights::{MOST_MOVED, WeightBits};

/// The layout of a vertex: the words of its row, and of the row of its influences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// Whether it has a normal, which takes one word.
    pub normals: bool,
    /// Whether it has a tangent, which takes one word.
    pub tangents: bool,
    /// The layout of its influences, which have a row of their own.
    pub influences: InfluenceLayout,
}

impl VertexLayout {
    fn of(p: PrimitiveRef<'_>) -> (Self, f32) {
        let (influences, moved) = influences::layout_of(p);
        (Self { influences, ..Self::of_directions(p) }, moved)
    }

    /// The layout of a primitive without influences.
    fn of_directions(p: PrimitiveRef<'_>) -> Self {
        let (normals, tangents) = (!p.normals.is_empty(), !p.tangents.is_empty());
        Self { normals, tangents, influences: InfluenceLayout::None }
    }

    /// Returns the offset of the normal from the start of the vertex, in words.
    #[must_use]
    pub const fn normal_at(self) -> usize {
        3
    }

    /// Returns the offset of the tangent from the start of the vertex, in words.
    #[must_use]
    pub const fn tangent_at(self) -> usize {
        self.normal_at() + self.normals as usize
    }

    /// Returns the number of words of the vertex without its influences.
    #[must_use]
    pub const fn words(self) -> usize {
        self.tangent_at() + self.tangents as usize
    }
}

/// The layout of the values of a vertex that only the surface's shader reads: floats, without those that the primitive
/// does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaintLayout {
    /// Whether each set of texture coordinates exists, which takes two words.
    pub uvs: [bool; 2],
    /// Whether the vertex has a colour, which takes four words.
    pub colors: bool,
}

impl PaintLayout {
    fn of(p: &Primitive) -> Self {
        Self { uvs: [0, 1].map(|set: usize| !p.uvs[set].is_empty()), colors: !p.colors.is_empty() }
    }

    /// Returns the offset of a set of texture coordinates from the start of the vertex, in words.
    #[must_use]
    pub const fn uv_at(self, set: usize) -> usize {
        if set == 0 { 0 } else { 2 * self.uvs[0] as usize }
    }

    /// Returns the offset of the colour from the start of the vertex, in words.
    #[must_use]
    pub const fn color_at(self) -> usize {
        2 * (self.uvs[0] as usize + self.uvs[1] as usize)
    }

    /// Returns the number of words of a vertex.
    #[must_use]
    pub const fn words(self) -> usize {
        self.color_at() + 4 * self.colors as usize
    }
}

/// A primitive as it is copied to a device. All lists by vertex are in the order of the device.
#[derive(Clone, Debug)]
pub struct PackedPrimitive {
    /// The layout of `vertices` and of the influences.
    pub layout: VertexLayout,
    /// The words of all vertices, [`VertexLayout::words`] for each.
    pub vertices: Vec<u32>,
    /// The packed joints and weights.
    pub influences: PackedInfluences,
    /// The layout of `paint`.
    pub paint_layout: PaintLayout,
    /// The words that only the surface's shader reads, [`PaintLayout::words`] for each vertex.
    pub paint: Vec<u32>,
    /// Displacements of morph targets, [`morph_words`] floats for each target and vertex: position, then normal and
    /// tangent where there are any.
    pub morphs: Vec<f32>,
    /// Indices that replace those of the primitive, where another order suits the device better.
    pub indices: Option<Vec<u32>>,
    /// The vertex in each slot of the device's lists.
    pub order: VertexOrder,
}

impl PackedPrimitive {
    /// Packs its influences again in a layout that also holds what `other` holds ([`PackedInfluences::widened`]).
    #[must_use]
    pub fn widened(mut self, p: PrimitiveRef<'_>, other: InfluenceLayout) -> Self {
        self.influences = self.influences.widened(p, other, &self.order);
        self.layout.influences = self.influences.layout;
        self
    }
}

/// The most vertices of a model whose primitives share one layout of influences.
const MOST_SHARED: usize = 1 << 15;

/// Returns the layout of influences that all primitives of a small model can have, so that one pipeline draws them all: rows of weights
/// of some thousand vertices cost less than a pipeline takes to compile. [`InfluenceLayout::None`] where each has its own.
#[must_use]
pub fn shared_layout(primitives: &[PrimitiveRef<'_>]) -> InfluenceLayout {
    let vertices: usize = primitives.iter().map(|p| p.positions.len()).sum();
    let (first, each) = (InfluenceLayout::None, primitives.iter().map(|p| layout_of(*p).influences));
    if vertices > MOST_SHARED { first } else { each.fold(first, |a, b| a.with(b).unwrap_or(a)) }
}

/// Returns whether the order of the triangles of a primitive is invisible within each of its parts, since none of their
/// materials blends.
#[must_use]
pub fn may_reorder(model: &Model, mesh: MeshId, primitive: usize) -> bool {
    let mut materials = model.meshes[mesh.index()].materials_of(primitive);
    materials.all(|m| model.materials[m.index()].alpha != AlphaMode::Blend)
}

/// Packs a primitive. `may_reorder` says that the order of its triangles is invisible ([`may_reorder`]). Small
/// primitives then get a better order here ([`is_cheap_to_reorder`]), and large ones may get it later ([`repacked`]).
#[must_use]
pub fn pack_primitive(p: PrimitiveRef<'_>, may_reorder: bool) -> PackedPrimitive {
    let improved = (may_reorder && is_cheap_to_reorder(&p)).then(|| order::improved(&p)).flatten();
    pack(p, improved)
}

/// Returns whether finding a better order takes no longer than uploading the primitive, so that [`pack_primitive`] does
/// it.
#[must_use]
pub fn is_cheap_to_reorder(p: &Primitive) -> bool {
    order::is_cheap(p)
}

/// Packs a primitive of any size in a better order; `None` where its present order is good. The order of its triangles
/// must be invisible ([`may_reorder`]).
#[must_use]
pub fn repacked(p: PrimitiveRef<'_>) -> Option<PackedPrimitive> {
    order::improved(&p).map(|improved| pack(p, Some(improved)))
}

/// Returns the layout of the vertices of a primitive.
#[must_use]
pub fn layout_of(p: PrimitiveRef<'_>) -> VertexLayout {
    VertexLayout::of(p).0
}

/// Packs some vertices of a larger primitive, which the caller gathered in `p` in their order. The result has the same
/// bits as packing all of them. `layout` is that of the larger primitive ([`layout_of`]).
#[must_use]
pub fn pack_part(p: PrimitiveRef<'_>, layout: VertexLayout) -> PackedPrimitive {
    pack_in(p, (layout, MOST_MOVED), None)
}

/// Writes the weights of some vertices as the device has them to `out`, as many for each as the model has
/// ([`skinscope_model::Run`]). `out` stays empty where they are those of the model.
pub fn stored_weights(
    influences: &InfluencesRef<'_>,
    layout: VertexLayout,
    vertices: std::ops::Range<usize>,
    out: &mut Vec<f32>,
) {
    out.clear();
    if let InfluenceLayout::Four { weights: WeightBits::Sixteen, .. } = layout.influences {
        let per_vertex = influences.of(vertices.start).0.len();
        out.resize(vertices.len() * per_vertex, 0.0);
        for (vertex, row) in vertices.zip(out.chunks_exact_mut(per_vertex)) {
            weights::rounded(influences, vertex, row);
        }
    }
}

fn pack(p: PrimitiveRef<'_>, improved: Option<(Vec<u32>, VertexOrder)>) -> PackedPrimitive {
    let improved = improved.map_or_else(Default::default, |(indices, order)| (Some(indices), order));
    let influences = pack_all_influences(p, &improved.1);
    let layout = VertexLayout { influences: influences.layout, ..VertexLayout::of_directions(p) };
    packed(p, layout, improved, influences)
}

fn pack_in(
    p: PrimitiveRef<'_>,
    (layout, moved): (VertexLayout, f32),
    improved: Option<(Vec<u32>, VertexOrder)>,
) -> PackedPrimitive {
    let (indices, order) = improved.map_or_else(Default::default, |(indices, order)| (Some(indices), order));
    let influences = influences::packed_in(p, (layout.influences, moved), &order);
    packed(p, layout, (indices, order), influences)
}

/// Packs all but the influences, which are packed already.
fn packed(
    p: PrimitiveRef<'_>,
    layout: VertexLayout,
    (indices, order): (Option<Vec<u32>>, VertexOrder),
    influences: PackedInfluences,
) -> PackedPrimitive {
    let write = |slot: usize, words: &mut [u32]| write_vertex(p, layout, order.vertex(slot), words);
    let vertices = rows(p.positions.len(), layout.words(), &write);
    let paint_layout = PaintLayout::of(&p);
    let paint = rows(p.positions.len(), paint_layout.words(), &|slot, words| write_paint(p, order.vertex(slot), words));
    let morphs = morphs(&p, &order);
    PackedPrimitive { layout, vertices, influences, paint_layout, paint, morphs, indices, order }
}

/// Packs single vertices, which are drawn as dots: for each its words, those of its influences, and its slot.
/// `vertices` are indices of stored vertices.
#[must_use]
pub fn pack_marks(p: PrimitiveRef<'_>, layout: VertexLayout, order: &VertexOrder, vertices: &[u32]) -> Vec<u32> {
    let starts = influences::list_starts(p, layout.influences, order);
    let words = layout.words() + layout.influences.words();
    let mut out = Vec::with_capacity(vertices.len() * (words + 1));
    for vertex in vertices.iter().filter(|v| (**v as usize) < p.stored_vertices) {
        let slot = order.slot(*vertex as usize);
        let at = out.len();
        out.resize(at + words, 0);
        let (own, influences) = out[at..].split_at_mut(layout.words());
        write_vertex(p, layout, *vertex as usize, own);
        influences::write(p, layout.influences, *vertex as usize, influences::list_at(&starts, slot), influences);
        out.push(slot as u32);
    }
    out
}

/// Returns the number of words of one displacement: the position, then normal and tangent where any target displaces
/// them. Displacements of tangents are stored only where there are those of normals.
#[must_use]
pub fn morph_words(p: &Primitive) -> usize {
    3 + 3 * usize::from(morphs_normals(p)) + 3 * usize::from(morphs_tangents(p))
}

/// Returns whether [`PackedPrimitive::morphs`] has displacements of normals.
#[must_use]
pub fn morphs_normals(p: &Primitive) -> bool {
    !p.normals.is_empty() && p.morphs.iter().any(|m| !m.normals.is_empty()) || morphs_tangents(p)
}

/// Returns whether [`PackedPrimitive::morphs`] has displacements of tangents.
#[must_use]
pub fn morphs_tangents(p: &Primitive) -> bool {
    !p.tangents.is_empty() && p.morphs.iter().any(|m| !m.tangents.is_empty())
}

fn write_vertex(p: PrimitiveRef<'_>, layout: VertexLayout, vertex: usize, row: &mut [u32]) {
    row[..3].copy_from_slice(&p.positions[vertex].to_array().map(f32::to_bits));
    if layout.normals {
        row[layout.normal_at()] = directions::pack_normal(p.normals[vertex]);
    }
    if layout.tangents {
        row[layout.tangent_at()] = directions::pack_tangent(p.tangents[vertex]);
    }
}

fn write_paint(p: PrimitiveRef<'_>, vertex: usize, row: &mut [u32]) {
    let layout = PaintLayout::of(&p);
    for set in 0..2 {
        if layout.uvs[set] {
            let uv: Vec2 = p.uvs[set][vertex];
            row[layout.uv_at(set)..][..2].copy_from_slice(&uv.to_array().map(f32::to_bits));
        }
    }
    if layout.colors {
        let color: Vec4 = p.colors[vertex];
        row[layout.color_at()..][..4].copy_from_slice(&color.to_array().map(f32::to_bits));
    }
}

fn morphs(p: &Primitive, order: &VertexOrder) -> Vec<f32> {
    let mut out = Vec::with_capacity(p.morphs.len() * p.positions.len() * morph_words(p));
    let (normals, tangents) = (morphs_normals(p), morphs_tangents(p));
    for target in &p.morphs {
        for slot in 0..p.positions.len() {
            let vertex = order.vertex(slot);
            let mut push = |list: &[Vec3]| out.extend(list.get(vertex).copied().unwrap_or_default().to_array());
            push(&target.positions);
            if normals {
                push(if p.normals.is_empty() { &[] } else { &target.normals });
            }
            if tangents {
                push(&target.tangents);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;

//! A primitive in the form that the vertex shader reads: small, and in an order that suits the device. This module owns
//! the meaning of a vertex's words and knows nothing of devices. `shaders/common/deform.wgsl` unpacks what is packed
//! here.
//!
//! A vertex is a row of 32-bit words, without those that its primitive has no use for: position (three floats), normal and
//! tangent (octahedral). Joints and weights (of 8 or 16 bits by need, or floats) stand in rows of their own, which can change while all
//! else stays, and so does what only the surface reads (texture coordinates, colour).
//!
//! Directions turn by [`NORMAL_ERROR`] and [`TANGENT_ERROR`] at most; [`MOST_MOVED`] bounds the effect of rounding
//! weights.

mod directions;
mod order;
mod weights;

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use glam::{Vec2, Vec3, Vec4};

pub use directions::{NORMAL_ERROR, TANGENT_ERROR, unpack_normal, unpack_tangent};
pub use order::VertexOrder;
pub use weights::{MOST_MOVED, WeightBits};

use skinscope_base::parallel;
use skinscope_model::{AlphaMode, InfluencesRef, Model, Primitive, PrimitiveRef};

/// The form in which the influences of a vertex are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfluenceLayout {
    /// They are not stored: one joint moves all vertices.
    None,
    /// Four stand in the vertex. Those with weight come first, pairs of one joint one after the other; the others have
    /// the first one's joint and no weight.
    Four {
        /// Whether joints are numbers of 16 bits, else of 8.
        wide_joints: bool,
        /// The format of the weights.
        weights: WeightBits,
    },
    /// They stand in a list of their own; the vertex says where its part begins, and how many there are.
    List,
}

/// Which words a vertex has, in its row and in that of its influences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexLayout {
    /// Whether it has a normal: one word.
    pub normals: bool,
    /// Whether it has a tangent: one word.
    pub tangents: bool,
    /// Joints, then weights, in a row of their own.
    pub influences: InfluenceLayout,
}

impl VertexLayout {
    fn of(p: PrimitiveRef<'_>) -> (Self, f32) {
        let (influences, moved) =
            p.influences.as_ref().map_or((InfluenceLayout::None, 0.0), |i| influence_layout(i, p));
        (Self { normals: !p.normals.is_empty(), tangents: !p.tangents.is_empty(), influences }, moved)
    }

    /// Returns the offset of the normal from the start of the vertex, in words.
    #[must_use]
    pub const fn normal_at(self) -> usize {
        3
    }

    /// Returns the offset of the tangent, in words.
    #[must_use]
    pub const fn tangent_at(self) -> usize {
        self.normal_at() + self.normals as usize
    }

    /// All words of the vertex itself.
    #[must_use]
    pub const fn words(self) -> usize {
        self.tangent_at() + self.tangents as usize
    }
}

impl InfluenceLayout {
    /// The words of the joints, which come first in the row; of a list, where it begins and how many there are.
    #[must_use]
    pub const fn joint_words(self) -> usize {
        match self {
            Self::None => 0,
            Self::Four { wide_joints: false, .. } => 1,
            Self::Four { wide_joints: true, .. } | Self::List => 2,
        }
    }

    /// The words of the weights, which follow them.
    #[must_use]
    pub const fn weight_words(self) -> usize {
        match self {
            Self::None | Self::List => 0,
            Self::Four { weights: WeightBits::Eight, .. } => 1,
            Self::Four { weights: WeightBits::Sixteen, .. } => 2,
            Self::Four { weights: WeightBits::Float, .. } => 4,
        }
    }

    /// All words of a row.
    #[must_use]
    pub const fn words(self) -> usize {
        self.joint_words() + self.weight_words()
    }
}

/// The layout of the values of a vertex that only the surface's shader reads: floats, without those that the primitive
/// lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaintLayout {
    /// Whether each set of texture coordinates is there: two words.
    pub uvs: [bool; 2],
    /// Whether the vertex has a colour: four words.
    pub colors: bool,
}

impl PaintLayout {
    fn of(p: &Primitive) -> Self {
        Self { uvs: [0, 1].map(|set: usize| !p.uvs[set].is_empty()), colors: !p.colors.is_empty() }
    }

    /// Returns the offset of a set of texture coordinates, in words.
    #[must_use]
    pub const fn uv_at(self, set: usize) -> usize {
        if set == 0 { 0 } else { 2 * self.uvs[0] as usize }
    }

    /// Returns the offset of the colour, in words.
    #[must_use]
    pub const fn color_at(self) -> usize {
        2 * (self.uvs[0] as usize + self.uvs[1] as usize)
    }

    /// Returns how many words a vertex has.
    #[must_use]
    pub const fn words(self) -> usize {
        self.color_at() + 4 * self.colors as usize
    }
}

/// A primitive in the form in which it is copied to a device. All lists by vertex are in the device's order.
#[derive(Clone, Debug)]
pub struct PackedPrimitive {
    /// The layout of `vertices` and of the influences.
    pub layout: VertexLayout,
    /// The words of all vertices, [`VertexLayout::words`] for each.
    pub vertices: Vec<u32>,
    /// Joints and weights.
    pub influences: PackedInfluences,
    /// The layout of `paint`.
    pub paint_layout: PaintLayout,
    /// The words that only the surface's shader reads, [`PaintLayout::words`] for each vertex.
    pub paint: Vec<u32>,
    /// Displacements, [`morph_words`] for each target and vertex: position, then normal and tangent as far as there are any.
    pub morphs: Vec<f32>,
    /// Indices that replace the primitive's own, where another order suits the device better.
    pub indices: Option<Vec<u32>>,
    /// The vertex that stands in each place.
    pub order: VertexOrder,
}

/// The joints and weights of a primitive, ready to be copied to a device, in the order of its vertices there.
#[derive(Clone, Debug)]
pub struct PackedInfluences {
    /// The layout of `rows`.
    pub layout: InfluenceLayout,
    /// [`InfluenceLayout::words`] for each vertex.
    pub rows: Vec<u32>,
    /// Joint and weight (the bits of a float) of what [`InfluenceLayout::List`] lists.
    pub listed: Vec<[u32; 2]>,
    /// The largest part of a vertex' weight that rounding gave to other joints, up to [`MOST_MOVED`].
    pub moved: f32,
}

/// Returns whether the order of the primitive's triangles cannot be seen, since none of its materials blends.
#[must_use]
pub fn may_reorder(model: &Model, p: &Primitive) -> bool {
    p.materials().all(|m| model.materials[m.index()].alpha != AlphaMode::Blend)
}

/// Packs a primitive. `may_reorder` says that the order of its triangles cannot be seen, as it can where they blend;
/// then small primitives get a better order here ([`is_cheap_to_reorder`]), and large ones may get it later
/// ([`repacked`]).
#[must_use]
pub fn pack_primitive(p: PrimitiveRef<'_>, may_reorder: bool) -> PackedPrimitive {
    let improved = (may_reorder && is_cheap_to_reorder(&p)).then(|| order::improved(&p)).flatten();
    pack(p, improved)
}

/// Returns whether the search for a better order takes no longer than the upload of the primitive, so that
/// [`pack_primitive`] does it.
#[must_use]
pub fn is_cheap_to_reorder(p: &Primitive) -> bool {
    order::is_cheap(p)
}

/// Packs a primitive of any size in a better order; `None` where its own is good. The order of its triangles must not
/// be visible.
#[must_use]
pub fn repacked(p: PrimitiveRef<'_>) -> Option<PackedPrimitive> {
    order::improved(&p).map(|improved| pack(p, Some(improved)))
}

/// Returns the words that the vertices of a primitive have.
#[must_use]
pub fn layout_of(p: PrimitiveRef<'_>) -> VertexLayout {
    VertexLayout::of(p).0
}

/// Packs some vertices of a larger primitive, gathered in `p`, in its order; the result is to the bit the one that
/// packing all of them gives. `layout` is that of the larger one ([`layout_of`]).
#[must_use]
pub fn pack_part(p: PrimitiveRef<'_>, layout: VertexLayout) -> PackedPrimitive {
    pack_in(p, (layout, MOST_MOVED), None)
}

/// Writes the weights of some vertices as the device reads them, as many for each as the model has
/// ([`skinscope_model::Run`]). The list stays empty where they are the model's own weights.
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
    pack_in(p, VertexLayout::of(p), improved)
}

fn pack_in(
    p: PrimitiveRef<'_>,
    (layout, moved): (VertexLayout, f32),
    improved: Option<(Vec<u32>, VertexOrder)>,
) -> PackedPrimitive {
    let (indices, order) = match improved {
        Some((indices, order)) => (Some(indices), order),
        None => (None, VertexOrder::default()),
    };
    let write = |place: usize, words: &mut [u32]| write_vertex(p, layout, order.vertex(place), words);
    let vertices = rows(p.positions.len(), layout.words(), &write);
    let influences = influences_in(p, (layout.influences, moved), &order);
    let paint_layout = PaintLayout::of(&p);
    let paint =
        rows(p.positions.len(), paint_layout.words(), &|place, words| write_paint(p, order.vertex(place), words));
    let morphs = morphs(&p, &order);
    PackedPrimitive { layout, vertices, influences, paint_layout, paint, morphs, indices, order }
}

/// Packs the joints and weights of a primitive alone, in the order that its vertices have on the device.
#[must_use]
pub fn pack_all_influences(p: PrimitiveRef<'_>, order: &VertexOrder) -> PackedInfluences {
    let (layout, moved) = VertexLayout::of(p);
    influences_in(p, (layout.influences, moved), order)
}

fn influences_in(
    p: PrimitiveRef<'_>,
    (layout, moved): (InfluenceLayout, f32),
    order: &VertexOrder,
) -> PackedInfluences {
    let starts = list_starts(p, layout, order);
    let write = |place: usize, words: &mut [u32]| {
        write_influences(p, layout, order.vertex(place), list_at(&starts, place), words);
    };
    let rows = rows(p.positions.len(), layout.words(), &write);
    PackedInfluences { layout, rows, listed: listed(p, layout, order), moved }
}

/// Appends the words of joints and weights of one vertex. False, and nothing appended, where a layout of a primitive has no
/// room for them; lists have none, since what they say of a vertex may have grown.
pub fn pack_influences(p: PrimitiveRef<'_>, layout: InfluenceLayout, vertex: usize, out: &mut Vec<u32>) -> bool {
    let (InfluenceLayout::Four { wide_joints, weights: bits }, Some(influences)) = (layout, &p.influences) else {
        return false;
    };
    let (joints, weights) = influences.of(vertex);
    let used = || joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    let fits = used().count() <= 4
        && (wide_joints || used().all(|(joint, _)| *joint < 256))
        && weights::needed(influences, vertex..vertex + 1).0 <= bits;
    if fits {
        let start = out.len();
        out.resize(start + layout.words(), 0);
        write_four(influences, vertex, wide_joints, bits, &mut out[start..]);
    }
    fits
}

/// Vertices of their own, for the dots that stand for them: the words of each, those of its influences, then its place. `vertices` are
/// numbers of the model.
#[must_use]
pub fn pack_marks(p: PrimitiveRef<'_>, layout: VertexLayout, order: &VertexOrder, vertices: &[u32]) -> Vec<u32> {
    let starts = list_starts(p, layout.influences, order);
    let words = layout.words() + layout.influences.words();
    let mut out = Vec::with_capacity(vertices.len() * (words + 1));
    for vertex in vertices.iter().filter(|v| (**v as usize) < p.stored_vertices) {
        let place = order.place(*vertex as usize);
        let at = out.len();
        out.resize(at + words, 0);
        let (own, influences) = out[at..].split_at_mut(layout.words());
        write_vertex(p, layout, *vertex as usize, own);
        write_influences(p, layout.influences, *vertex as usize, list_at(&starts, place), influences);
        out.push(place as u32);
    }
    out
}

/// Returns how many words one displaced vertex has: the position, then normal and tangent where some target displaces
/// them. Tangents have a place only where normals have one.
#[must_use]
pub fn morph_words(p: &Primitive) -> usize {
    3 + 3 * usize::from(morphs_normals(p)) + 3 * usize::from(morphs_tangents(p))
}

/// Returns whether [`PackedPrimitive::morphs`] holds displacements of normals.
#[must_use]
pub fn morphs_normals(p: &Primitive) -> bool {
    !p.normals.is_empty() && p.morphs.iter().any(|m| !m.normals.is_empty()) || morphs_tangents(p)
}

/// Returns whether [`PackedPrimitive::morphs`] holds displacements of tangents.
#[must_use]
pub fn morphs_tangents(p: &Primitive) -> bool {
    !p.tangents.is_empty() && p.morphs.iter().any(|m| !m.tangents.is_empty())
}

/// How many vertices one piece of work packs.
const CHUNK: usize = 1 << 15;

/// Calls `work` for each chunk of `count` vertices, on all cores.
fn by_chunk<T: Send>(count: usize, work: &(dyn Fn(std::ops::Range<usize>) -> T + Sync)) -> Vec<T> {
    let chunk = |i: usize| work(i * CHUNK..((i + 1) * CHUNK).min(count));
    // Nothing cancels it, so there is always a result.
    parallel::map(count.div_ceil(CHUNK), &AtomicBool::new(false), &chunk).unwrap_or_default()
}

/// Returns `words` words for each of `count` places, which `write` fills.
fn rows(count: usize, words: usize, write: &(dyn Fn(usize, &mut [u32]) + Sync)) -> Vec<u32> {
    if words == 0 {
        return Vec::new();
    }
    let mut out = vec![0; count * words];
    let chunks: Vec<Mutex<&mut [u32]>> = out.chunks_mut(CHUNK * words).map(Mutex::new).collect();
    by_chunk(count, &|places| {
        let mut chunk = chunks[places.start / CHUNK].lock().unwrap_or_else(PoisonError::into_inner);
        places.zip(chunk.chunks_exact_mut(words)).for_each(|(place, row)| write(place, row));
    });
    drop(chunks);
    out
}

fn influence_layout(influences: &InfluencesRef<'_>, p: PrimitiveRef<'_>) -> (InfluenceLayout, f32) {
    // Most primitives have room for no more.
    if influences.per_vertex > 4 && influences.most_used() > 4 {
        return (InfluenceLayout::List, 0.0);
    }
    let needs = by_chunk(p.positions.len(), &|vertices| weights::needed(influences, vertices));
    let weights = needs.iter().map(|(bits, _)| *bits).max().unwrap_or(WeightBits::Eight);
    let moved = needs.iter().map(|(_, moved)| *moved).fold(0.0, f32::max);
    let moved = if weights == WeightBits::Sixteen { moved } else { 0.0 };
    (InfluenceLayout::Four { wide_joints: influences.joints_needed() > 256, weights }, moved)
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

fn write_influences(p: PrimitiveRef<'_>, layout: InfluenceLayout, vertex: usize, list: [u32; 2], row: &mut [u32]) {
    match (layout, &p.influences) {
        (InfluenceLayout::List, _) => row.copy_from_slice(&list),
        (InfluenceLayout::Four { wide_joints, weights }, Some(influences)) => {
            write_four(influences, vertex, wide_joints, weights, row);
        }
        (InfluenceLayout::None | InfluenceLayout::Four { .. }, _) => {}
    }
}

fn write_four(influences: &InfluencesRef<'_>, vertex: usize, wide_joints: bool, bits: WeightBits, row: &mut [u32]) {
    let used = weights::four_by_joint(influences, vertex);
    let four = used.weights;
    // Slots without weight name the first joint too, so that no other joint is read for them.
    let [a, b, c, d] = std::array::from_fn(|i| u32::from(used.joints[if i < used.count { i } else { 0 }]));
    let row = if wide_joints {
        row[..2].copy_from_slice(&[a | b << 16, c | d << 16]);
        &mut row[2..]
    } else {
        row[0] = a | b << 8 | c << 16 | d << 24;
        &mut row[1..]
    };
    match bits {
        WeightBits::Eight => row[0] = u32::from_le_bytes(four.map(weights::in_8_bits)),
        WeightBits::Sixteen => {
            let [a, b, c, d] = weights::in_steps(four).map_or([0; 4], |(steps, _)| steps.map(u32::from));
            row.copy_from_slice(&[a | b << 16, c | d << 16]);
        }
        WeightBits::Float => row.copy_from_slice(&four.map(f32::to_bits)),
    }
}

/// For each place, and one past the last: how many influences are listed before it. Empty where none are.
fn list_starts(p: PrimitiveRef<'_>, layout: InfluenceLayout, order: &VertexOrder) -> Vec<u32> {
    let (InfluenceLayout::List, Some(influences)) = (layout, &p.influences) else { return Vec::new() };
    let mut starts = vec![0];
    let mut sum = 0;
    starts.extend((0..p.positions.len()).map(|place| {
        sum += influences.used(order.vertex(place)) as u32;
        sum
    }));
    starts
}

/// Returns the start of a vertex's influences in the list, and their number.
fn list_at(starts: &[u32], place: usize) -> [u32; 2] {
    starts.get(place).map_or([0; 2], |start| [*start, starts[place + 1] - start])
}

fn listed(p: PrimitiveRef<'_>, layout: InfluenceLayout, order: &VertexOrder) -> Vec<[u32; 2]> {
    let (InfluenceLayout::List, Some(influences)) = (layout, &p.influences) else { return Vec::new() };
    let of = |place| weights::used_by_joint(influences, order.vertex(place));
    (0..p.positions.len()).flat_map(of).map(|(joint, weight)| [u32::from(joint), weight.to_bits()]).collect()
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
        for place in 0..p.positions.len() {
            let vertex = order.vertex(place);
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

//! Packs the joints and weights of vertices: chooses their layout and writes their words.

use skinscope_base::parallel;
use skinscope_model::{InfluencesRef, PrimitiveRef};

use super::chunks::{CHUNK, filled, rows};
use super::order::VertexOrder;
use super::weights::{self, FourInfluences, WeightBits};

/// The layout in which the influences of a vertex are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfluenceLayout {
    /// None are stored: one joint moves all vertices.
    None,
    /// Four pairs are stored with the vertex. Those with a weight come first, pairs of one joint one after the other;
    /// the others have the joint of the first pair and weight 0.
    Four {
        /// Whether joints have 16 bits instead of 8.
        wide_joints: bool,
        /// The format of the weights.
        weights: WeightBits,
    },
    /// The pairs are in a list of their own; the vertex has the start of its part in the list, and its length.
    List,
}

impl InfluenceLayout {
    /// Returns the number of words of the joints, which come first in the row; of a list, those of start and length.
    #[must_use]
    pub const fn joint_words(self) -> usize {
        match self {
            Self::None => 0,
            Self::Four { wide_joints: false, .. } => 1,
            Self::Four { wide_joints: true, .. } | Self::List => 2,
        }
    }

    /// Returns the number of words of the weights, which follow the joints.
    #[must_use]
    pub const fn weight_words(self) -> usize {
        match self {
            Self::None | Self::List => 0,
            Self::Four { weights: WeightBits::Eight, .. } => 1,
            Self::Four { weights: WeightBits::Sixteen, .. } => 2,
            Self::Four { weights: WeightBits::Float, .. } => 4,
        }
    }

    /// Returns the layout of four pairs that holds what both hold; `None` where one of them is a list, or neither stores pairs.
    #[must_use]
    pub fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::List, _) | (_, Self::List) | (Self::None, Self::None) => None,
            (Self::None, four) | (four, Self::None) => Some(four),
            (Self::Four { wide_joints: a, weights: b }, Self::Four { wide_joints, weights }) => {
                Some(Self::Four { wide_joints: a || wide_joints, weights: b.max(weights) })
            }
        }
    }

    /// Returns the number of all words of a row.
    #[must_use]
    pub const fn words(self) -> usize {
        self.joint_words() + self.weight_words()
    }
}

/// The packed influences of a primitive, in the order of its vertices on the device.
#[derive(Clone, Debug)]
pub struct PackedInfluences {
    /// The layout of `rows`.
    pub layout: InfluenceLayout,
    /// The rows of all vertices, [`InfluenceLayout::words`] words each.
    pub rows: Vec<u32>,
    /// The pairs of [`InfluenceLayout::List`]: joint, and the bits of the weight as f32.
    pub listed: Vec<[u32; 2]>,
    /// The largest share of a vertex's weight that rounding moved to other joints, at most [`super::MOST_MOVED`].
    pub moved: f32,
}

impl PackedInfluences {
    /// Packs them again in the layout that also holds what `other` holds, where there is one. A primitive without influences then has
    /// the first joint with all of the weight at each vertex.
    #[must_use]
    pub fn widened(self, p: PrimitiveRef<'_>, other: InfluenceLayout, order: &VertexOrder) -> Self {
        match self.layout.with(other).filter(|layout| *layout != self.layout) {
            Some(layout) => packed_in(p, (layout, self.moved), order),
            None => self,
        }
    }
}

/// Packs the influences of a primitive without its other data, in the order that its vertices have on the device.
#[must_use]
pub fn pack_all_influences(p: PrimitiveRef<'_>, order: &VertexOrder) -> PackedInfluences {
    if let Some(packed) = influences_in_16_bits(p, order) {
        return packed;
    }
    packed_in(p, layout_of(p), order)
}

/// Packs the joints and weights of a primitive in this layout; `moved` becomes [`PackedInfluences::moved`].
pub(crate) fn packed_in(
    p: PrimitiveRef<'_>,
    (layout, moved): (InfluenceLayout, f32),
    order: &VertexOrder,
) -> PackedInfluences {
    let starts = list_starts(p, layout, order);
    let fill = |slot: usize, words: &mut [u32]| {
        write(p, layout, order.vertex(slot), list_at(&starts, slot), words);
    };
    let rows = rows(p.positions.len(), layout.words(), &fill);
    PackedInfluences { layout, rows, listed: listed(p, layout, order), moved }
}

/// Packs influences whose weights need 16 bits; `None` where they need others or a list. Most files of floats need them, and
/// to find that out is to round all weights, which is most of the work.
fn influences_in_16_bits(p: PrimitiveRef<'_>, order: &VertexOrder) -> Option<PackedInfluences> {
    let influences = p.influences.as_ref()?;
    if p.positions.is_empty() || needs_list(influences) || weights::stored_in_8_bits(influences) {
        return None;
    }
    let wide_joints = influences.joints_needed() > 256;
    let layout = InfluenceLayout::Four { wide_joints, weights: WeightBits::Sixteen };
    let words = layout.words();
    let (rows, moved) = filled(p.positions.len(), words, &|slots, rows| {
        let mut most = 0.0_f32;
        for (slot, row) in slots.zip(rows.chunks_exact_mut(words)) {
            let used = weights::four_by_joint(influences, order.vertex(slot));
            let (steps, moved) = weights::in_steps(used.weights)?;
            most = most.max(moved);
            let weights = write_joints(&used, wide_joints, row);
            write_steps(steps, weights);
        }
        Some(most)
    });
    let moved = moved.into_iter().try_fold(0.0, |most: f32, moved| moved.map(|moved| most.max(moved)))?;
    Some(PackedInfluences { layout, rows, listed: Vec::new(), moved })
}

/// Packs the influences of one vertex and appends them to `out`. Returns false, and appends nothing, where they do not
/// fit into `layout`, which is that of the whole primitive. They never fit into a list, since the vertex may have more
/// of them than before.
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

/// Returns whether some vertex has more than four influences.
fn needs_list(influences: &InfluencesRef<'_>) -> bool {
    // Most primitives have room for no more than four.
    influences.per_vertex > 4 && influences.most_used() > 4
}

/// Returns the layout for the influences of a primitive, and the largest share of a vertex's weight that rounding then
/// moves to other joints.
pub fn layout_of(p: PrimitiveRef<'_>) -> (InfluenceLayout, f32) {
    let Some(influences) = p.influences.as_ref() else { return (InfluenceLayout::None, 0.0) };
    if needs_list(influences) {
        return (InfluenceLayout::List, 0.0);
    }
    let needs = parallel::by_chunk(p.positions.len(), CHUNK, &|vertices| weights::needed(influences, vertices));
    let weights = needs.iter().map(|(bits, _)| *bits).max().unwrap_or(WeightBits::Eight);
    let moved = needs.iter().map(|(_, moved)| *moved).fold(0.0, f32::max);
    let moved = if weights == WeightBits::Sixteen { moved } else { 0.0 };
    (InfluenceLayout::Four { wide_joints: influences.joints_needed() > 256, weights }, moved)
}

/// Writes the words of one vertex; `list` are its words where influences are listed ([`list_at`]).
pub fn write(p: PrimitiveRef<'_>, layout: InfluenceLayout, vertex: usize, list: [u32; 2], row: &mut [u32]) {
    match (layout, &p.influences) {
        (InfluenceLayout::List, _) => row.copy_from_slice(&list),
        (InfluenceLayout::Four { wide_joints, weights }, Some(influences)) => {
            write_four(influences, vertex, wide_joints, weights, row);
        }
        (InfluenceLayout::Four { wide_joints, weights }, None) => write_whole(wide_joints, weights, row),
        (InfluenceLayout::None, _) => {}
    }
}

fn write_four(influences: &InfluencesRef<'_>, vertex: usize, wide_joints: bool, bits: WeightBits, row: &mut [u32]) {
    let used = weights::four_by_joint(influences, vertex);
    let four = used.weights;
    let row = write_joints(&used, wide_joints, row);
    match bits {
        WeightBits::Eight => row[0] = u32::from_le_bytes(four.map(weights::in_8_bits)),
        WeightBits::Sixteen => write_steps(weights::in_steps(four).map_or([0; 4], |(steps, _)| steps), row),
        WeightBits::Float => row.copy_from_slice(&four.map(f32::to_bits)),
    }
}

/// Writes that the first joint has all of the weight.
fn write_whole(wide_joints: bool, bits: WeightBits, row: &mut [u32]) {
    row.fill(0);
    row[if wide_joints { 2 } else { 1 }] = match bits {
        WeightBits::Eight => 0xff,
        WeightBits::Sixteen => 0xffff,
        WeightBits::Float => 1.0_f32.to_bits(),
    };
}

/// Writes the joints of a vertex, and returns the words of its weights.
fn write_joints<'r>(used: &FourInfluences, wide_joints: bool, row: &'r mut [u32]) -> &'r mut [u32] {
    // Slots without weight name the first joint too, so that no other joint is read for them.
    let [a, b, c, d] = std::array::from_fn(|i| u32::from(used.joints[if i < used.count { i } else { 0 }]));
    if wide_joints {
        row[..2].copy_from_slice(&[a | b << 16, c | d << 16]);
        &mut row[2..]
    } else {
        row[0] = a | b << 8 | c << 16 | d << 24;
        &mut row[1..]
    }
}

/// Writes weights of 16 bits.
fn write_steps(steps: [u16; 4], row: &mut [u32]) {
    let [a, b, c, d] = steps.map(u32::from);
    row.copy_from_slice(&[a | b << 16, c | d << 16]);
}

/// For each slot, and one past the last: how many influences are listed before it. Empty where none are.
pub(crate) fn list_starts(p: PrimitiveRef<'_>, layout: InfluenceLayout, order: &VertexOrder) -> Vec<u32> {
    let (InfluenceLayout::List, Some(influences)) = (layout, &p.influences) else { return Vec::new() };
    let mut starts = vec![0];
    let mut sum = 0;
    starts.extend((0..p.positions.len()).map(|slot| {
        sum += influences.used(order.vertex(slot)) as u32;
        sum
    }));
    starts
}

/// Returns the start of a vertex's influences in the list, and their number.
pub(crate) fn list_at(starts: &[u32], slot: usize) -> [u32; 2] {
    starts.get(slot).map_or([0; 2], |start| [*start, starts[slot + 1] - start])
}

fn listed(p: PrimitiveRef<'_>, layout: InfluenceLayout, order: &VertexOrder) -> Vec<[u32; 2]> {
    let (InfluenceLayout::List, Some(influences)) = (layout, &p.influences) else { return Vec::new() };
    let of = |slot| weights::used_by_joint(influences, order.vertex(slot));
    (0..p.positions.len()).flat_map(of).map(|(joint, weight)| [u32::from(joint), weight.to_bits()]).collect()
}

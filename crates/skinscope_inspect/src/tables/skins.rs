//! A summary of each skin: its contents, the distribution of its weights, and the skins that share its skeleton.

use std::collections::BTreeSet;
use std::mem::size_of;

use skinscope_model::{MeshId, Model, NodeId, SkinId, WeightFormat};

use super::VertexTable;

/// The percentages of vertices with one, two and three influences, on average of several production characters of about
/// 2000 triangles (from a book chapter on smooth skinning). It tells what to expect of a person or an animal; four
/// influences were rare, if there were any.
pub const BOOK_SHARES: [f64; 3] = [60.0, 35.0, 5.0];

/// The summary of one skin.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinSummary {
    /// The skin.
    pub skin: SkinId,
    /// How many joints it has.
    pub joints: usize,
    /// The `skin.skeleton` of the file.
    pub root: Option<NodeId>,
    /// How many primitives it moves.
    pub primitives: usize,
    /// How many stored vertices they have.
    pub vertices: usize,
    /// How many vertices have 0, 1, 2, 3, 4 and more influences.
    pub by_influences: [usize; 6],
    /// How many weights are not zero.
    pub used: usize,
    /// How many pairs of joint and weight are stored, those without weight included.
    pub stored: usize,
    /// The most influences of a vertex.
    pub most: usize,
    /// How many vertices have more influences than the limit.
    pub over_limit: usize,
    /// How many vertices have weights that do not sum to one.
    pub uneven: usize,
    /// How many other skins have a joint in common with it, or with one that has.
    pub shared_with: usize,
    /// The bytes that a runtime keeps of it: a joint number (one or two bytes) and a weight of the file's format for
    /// each stored pair, and 64 for each inverse bind matrix.
    pub bytes: usize,
}

impl SkinSummary {
    /// Returns how many influences a vertex has on average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.vertices == 0 { 0.0 } else { self.used as f64 / self.vertices as f64 }
    }

    /// Returns the bytes that skinning data take: for each stored pair a joint number (one byte where the skin has no
    /// more than 256 joints, else two) and a weight of the file's format, and 64 bytes for each inverse bind matrix. It
    /// is called for one primitive after the other; the matrices count once.
    fn bytes_of(joints: usize, pairs: usize, format: WeightFormat) -> usize {
        let number = if joints <= 256 { size_of::<u8>() } else { size_of::<u16>() };
        let weight = match format {
            WeightFormat::U8 => size_of::<u8>(),
            WeightFormat::U16 => size_of::<u16>(),
            WeightFormat::F32 => size_of::<f32>(),
        };
        pairs * (number + weight)
    }
}

/// The memory that all skins of a model take together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkinData {
    /// How many stored vertices there are, counted once for each skin that moves them.
    pub vertices: usize,
    /// How many weights are not zero.
    pub used: usize,
    /// How many pairs of joint and weight are stored.
    pub stored: usize,
    /// Bytes, counted as in [`SkinSummary::bytes`].
    pub bytes: usize,
}

impl SkinData {
    /// Counts the memory of a model's skins.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let mut out = Self::default();
        for skin in skin_summaries(model, &VertexTable::of(model), usize::MAX) {
            out.vertices += skin.vertices;
            out.used += skin.used;
            out.stored += skin.stored;
            out.bytes += skin.bytes;
        }
        out
    }

    /// Returns how many influences a vertex has on average.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.vertices == 0 { 0.0 } else { self.used as f64 / self.vertices as f64 }
    }
}

/// Returns the percentages of `counts`; zeros where the sum is zero.
#[must_use]
pub fn share_percent(counts: &[usize]) -> Vec<f64> {
    let total = counts.iter().sum::<usize>().max(1) as f64;
    counts.iter().map(|n| 100.0 * *n as f64 / total).collect()
}

/// Summarises every skin of the file; `limit` is the most influences of a vertex that the runtime can use.
#[must_use]
pub fn skin_summaries(model: &Model, vertices: &VertexTable, limit: usize) -> Vec<SkinSummary> {
    const MATRIX_BYTES: usize = 64;
    let shared = shared_with(model);
    let empty = |(i, skin): (usize, &skinscope_model::Skin)| SkinSummary {
        skin: SkinId::from_index(i),
        joints: skin.joints.len(),
        root: skin.root,
        primitives: 0,
        vertices: 0,
        by_influences: [0; 6],
        used: 0,
        stored: 0,
        most: 0,
        over_limit: 0,
        uneven: 0,
        shared_with: shared[i],
        bytes: MATRIX_BYTES * skin.joints.len(),
    };
    let mut out: Vec<SkinSummary> = model.skins.iter().enumerate().map(empty).collect();
    let moved: BTreeSet<(MeshId, SkinId)> = model.instances.iter().filter_map(|i| Some((i.mesh, i.skin?))).collect();
    for (mesh, skin) in moved {
        let mesh = &model.meshes[mesh.index()];
        let lists = mesh.vertex_lists().filter(|(_, list)| list.stored_influences.is_some());
        out[skin.index()].primitives += lists.map(|(list, _)| mesh.parts(list).count()).sum::<usize>();
    }
    for part in &vertices.parts {
        let (summary, Some(influences)) = (&mut out[part.skin.index()], part.influences(model)) else { continue };
        let pairs = part.vertices * influences.per_vertex;
        summary.vertices += part.vertices;
        summary.stored += pairs;
        summary.bytes += SkinSummary::bytes_of(summary.joints, pairs, influences.format);
        for vertex in 0..part.vertices {
            let used = influences.used(vertex);
            summary.by_influences[used.min(5)] += 1;
            summary.used += used;
            summary.most = summary.most.max(used);
            summary.over_limit += usize::from(used > limit);
            summary.uneven += usize::from(!influences.sums_to_one(vertex));
        }
    }
    out
}

/// Returns how many other skins are connected with each through joints that they have in common.
fn shared_with(model: &Model) -> Vec<usize> {
    let count = model.skins.len();
    let mut group: Vec<usize> = (0..count).collect();
    fn leader(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    let mut first: Vec<Option<usize>> = vec![None; model.skeleton.len()];
    for (i, skin) in model.skins.iter().enumerate() {
        for joint in &skin.joints {
            let other = *first[joint.index()].get_or_insert(i);
            let (a, b) = (leader(&mut group, other), leader(&mut group, i));
            group[b] = a;
        }
    }
    let leaders: Vec<usize> = (0..count).map(|i| leader(&mut group, i)).collect();
    let mut size = vec![0; count];
    leaders.iter().for_each(|l| size[*l] += 1);
    leaders.iter().map(|l| size[*l] - 1).collect()
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, Model, ModelParts};

    use super::*;

    #[test]
    fn a_tube_in_figures() {
        let mut parts =
            ModelParts::clone(&tube(Tube { joints: 6, rings: 5, sides: 4, influences: 5, ..Tube::default() }));
        let weights = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        // There are eight pairs for each vertex, five of them used; the first vertex has none, the second sums to a
        // half.
        weights.weights[..8].fill(0.0);
        weights.weights[8..16].copy_from_slice(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let model = Model::build(parts).unwrap();
        let [skin] = &skin_summaries(&model, &VertexTable::of(&model), 4)[..] else { unreachable!() };
        assert_eq!((skin.joints, skin.primitives, skin.vertices), (6, 1, 20));
        assert_eq!(skin.by_influences, [1, 1, 0, 0, 0, 18]);
        assert_eq!((skin.used, skin.stored, skin.most, skin.over_limit, skin.uneven), (91, 160, 5, 18, 2));
        assert_eq!(skin.mean(), 4.55);
        // 160 pairs of a byte and a float, six matrices.
        assert_eq!(skin.bytes, 160 * 5 + 6 * 64);
        assert_eq!(skin_summaries(&model, &VertexTable::of(&model), 8)[0].over_limit, 0);
    }

    #[test]
    fn skins_share_a_skeleton_through_common_joints() {
        let mut parts = ModelParts::clone(&tube(Tube { joints: 6, ..Tube::default() }));
        let skin = parts.skins[0].clone();
        let of = |range: std::ops::Range<usize>| {
            let mut skin = skin.clone();
            (skin.joints, skin.inverse_bind) = (skin.joints[range.clone()].to_vec(), skin.inverse_bind[range].to_vec());
            skin
        };
        // The first and the third are connected only through the second; the fourth stands alone.
        parts.skins = vec![of(0..2), of(1..4), of(3..5), of(5..6)];
        parts.instances = vec![Instance::default()];
        let model = Model::build(parts).unwrap();
        let shared: Vec<_> =
            skin_summaries(&model, &VertexTable::of(&model), 4).iter().map(|s| s.shared_with).collect();
        assert_eq!(shared, [2, 2, 2, 0]);
        assert_eq!(model.instances[0].mesh, MeshId(0));
    }

    #[test]
    fn shares_in_percent() {
        assert_eq!(share_percent(&[3, 1, 0]), [75.0, 25.0, 0.0]);
        assert_eq!(share_percent(&[0, 0]), [0.0, 0.0]);
        assert_eq!(BOOK_SHARES.iter().sum::<f64>(), 100.0);
    }
}

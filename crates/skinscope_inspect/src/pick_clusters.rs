//! Sorts the triangles of a primitive into clusters for [`super::PickIndex`]: along a Morton curve, then cut into
//! pieces, the leaves of a tree.

mod edited;

use std::ops::Range;
use std::sync::OnceLock;

use glam::{UVec3, Vec3};
use skinscope_base::math::{Aabb, Csr};
use skinscope_model::PrimitiveRef;

pub(super) use self::edited::EditedNodes;

/// The triangles of one primitive; empty where it has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    pub leaves: Vec<Leaf>,
    /// What is known of the nodes: of the leaves, then of each level above, whose nodes have [`BRANCH`] nodes of the one below.
    pub levels: Vec<Vec<Members>>,
    /// Each joint with the box around the vertices that it moves; [`Members::joints`] are ranges of this list.
    joints: Vec<(u16, Aabb)>,
    /// Numbers of vertices; [`Leaf::vertices`] are ranges of this list.
    vertices: Vec<u32>,
    /// The triangles; [`Leaf::triangles`] are ranges of this list.
    triangles: Vec<Triangle>,
    /// For each morph target: the leaves that it displaces and the box around the displacements.
    pub morphs: Vec<Vec<(u32, Aabb)>>,
    /// Whether the primitive had influences, so that the joints are known.
    is_bound: bool,
    /// The leaves that have each vertex, once they were asked for.
    leaves_of: OnceLock<Csr>,
}

/// Some triangles that lie close together.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub vertices: Range<u32>,
    /// How many of the vertices no leaf before has; they come first.
    pub own: u32,
    pub triangles: Range<u32>,
}

/// What is known of the joints that move some vertices.
#[derive(Clone, Debug)]
pub(super) struct Members {
    joints: Range<u32>,
    /// The box around all of the vertices, mesh space.
    pub around: Aabb,
    /// The least and the greatest sum of weights; see [`skinscope_deform::InfluenceBounds::sums`].
    pub sums: [f32; 2],
    /// Whether nothing is known of where the vertices can be: a weight is negative, or there are too many joints.
    pub wild: bool,
}

/// What is known of a node, with the joints: each with the box around the vertices that it moves.
pub(super) type Known<'a> = (&'a Members, &'a [(u16, Aabb)]);

/// A triangle of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// The number of the triangle in the primitive.
    pub number: u32,
    /// The corners, as indices among the vertices of the leaf.
    pub corners: [u8; 3],
}

/// How many nodes of the level below a node has.
pub(super) const BRANCH: usize = 8;

/// The most triangles of a leaf; their corners must be countable by a byte.
const LEAF: usize = 64;

/// The most joints of a leaf for which a box is computed; leaves of characters have far fewer.
const MOST_JOINTS: usize = 64;

/// Makes the clusters of a primitive of points or lines, which have vertices and no triangles.
pub(super) fn vertex_clusters(p: PrimitiveRef<'_>) -> Clusters {
    let mut used: Vec<u32> = p.indices.iter().copied().filter(|v| (*v as usize) < p.positions.len()).collect();
    used.sort_unstable();
    used.dedup();
    let alone: Vec<[u32; 3]> = used.iter().map(|v| [*v; 3]).collect();
    let (mut out, mut known) = (Clusters::default(), Vec::new());
    for of_leaf in along_a_curve(p, &alone).chunks(LEAF) {
        let first = out.vertices.len() as u32;
        out.vertices.extend(of_leaf.iter().map(|at| used[*at as usize]));
        let vertices = first..out.vertices.len() as u32;
        known.push(members(p, &out.vertices[first as usize..], &mut out.joints));
        out.leaves.push(Leaf { own: vertices.len() as u32, vertices, triangles: 0..0 });
    }
    out.finish(p, known)
}

/// Makes the clusters of a primitive of triangles.
pub(super) fn clusters(p: PrimitiveRef<'_>) -> Clusters {
    let (mut out, mut known) = (Clusters::default(), Vec::new());
    let triangles = p.indices.as_chunks::<3>().0;
    let order = along_a_curve(p, triangles);
    // The index of each vertex in the current leaf; it is valid where the leaf's number plus one stands next to it.
    let mut index_in_leaf = vec![(0_u32, 0_u8); p.positions.len()];
    let mut is_new = vec![true; p.positions.len()];
    let mut here: Vec<(u32, bool)> = Vec::new();
    for of_leaf in order.chunks(LEAF) {
        let number = out.leaves.len() as u32;
        here.clear();
        for triangle in of_leaf {
            let corners = triangles[*triangle as usize].map(|v| {
                let seen = &mut index_in_leaf[v as usize];
                if seen.0 != number + 1 {
                    *seen = (number + 1, here.len() as u8);
                    here.push((v, is_new[v as usize]));
                    is_new[v as usize] = false;
                }
                seen.1
            });
            out.triangles.push(Triangle { number: *triangle, corners });
        }
        out.add_leaf(&here, of_leaf.len());
        known.push(members(p, &out.vertices[out.vertices.len() - here.len()..], &mut out.joints));
    }
    out.finish(p, known)
}

impl Clusters {
    /// Adds a leaf of the last `count` triangles, whose corners are indices of `here`: vertices, and whether no leaf has them yet.
    fn add_leaf(&mut self, here: &[(u32, bool)], count: usize) {
        let (first, first_triangle) = (self.vertices.len(), self.triangles.len() - count);
        let own = here.iter().filter(|(_, is_new)| *is_new).count();
        // Where the next vertex goes: behind the new ones, or behind the others.
        let (mut ends, mut places) = ([0, own], [0_u8; 3 * LEAF]);
        self.vertices.resize(first + here.len(), 0);
        for ((vertex, is_new), place) in here.iter().zip(&mut places) {
            let end = &mut ends[usize::from(!is_new)];
            *place = *end as u8;
            self.vertices[first + *end] = *vertex;
            *end += 1;
        }
        for triangle in &mut self.triangles[first_triangle..] {
            triangle.corners = triangle.corners.map(|corner| places[usize::from(corner)]);
        }
        let vertices = first as u32..self.vertices.len() as u32;
        let triangles = first_triangle as u32..self.triangles.len() as u32;
        self.leaves.push(Leaf { vertices, own: own as u32, triangles });
    }

    /// Returns the vertices of a leaf.
    pub fn vertices_of(&self, leaf: &Leaf) -> &[u32] {
        &self.vertices[leaf.vertices.start as usize..leaf.vertices.end as usize]
    }

    /// Returns the triangles of a leaf.
    pub fn triangles_of(&self, leaf: &Leaf) -> &[Triangle] {
        &self.triangles[leaf.triangles.start as usize..leaf.triangles.end as usize]
    }

    /// Returns those vertices of a leaf that no leaf before has.
    pub(crate) fn own_vertices_of(&self, leaf: &Leaf) -> &[u32] {
        &self.vertices[leaf.vertices.start as usize..(leaf.vertices.start + leaf.own) as usize]
    }

    /// Returns what is known of a node with the weights as stored.
    pub fn known(&self, level: usize, node: usize) -> Known<'_> {
        let members = &self.levels[level][node];
        (members, &self.joints[members.joints.start as usize..members.joints.end as usize])
    }

    /// Returns the leaves that have a vertex, rising.
    fn leaves_of(&self, vertex: usize) -> &[u32] {
        let all = self.leaves_of.get_or_init(|| {
            let leaves = (0..).zip(&self.leaves);
            let pairs = leaves.flat_map(|(number, leaf)| self.vertices_of(leaf).iter().map(move |v| (*v, number)));
            Csr::new(self.vertices.iter().max().map_or(0, |most| *most as usize + 1), pairs)
        });
        if vertex < all.row_count() { all.row(vertex) } else { &[] }
    }

    /// Adds what is known of the nodes and of morph targets once all leaves are there.
    fn finish(mut self, p: PrimitiveRef<'_>, known: Vec<Members>) -> Self {
        let joints = &mut self.joints;
        self.levels = levels(known, &mut |below| {
            let of = |members: &Members| members.joints.start as usize..members.joints.end as usize;
            let (members, own) = joined(below.iter().map(|members| (members, &joints[of(members)])));
            let start = joints.len() as u32;
            joints.extend(own);
            Members { joints: start..joints.len() as u32, ..members }
        });
        self.morphs = p.morphs.iter().map(|target| displaced(&self, &target.positions)).collect();
        self.is_bound = p.influences.is_some();
        self
    }
}

/// Returns something for the nodes of all levels, the leaves first: what `join` makes of each [`BRANCH`] nodes of a level, for the one above.
pub(super) fn levels<T>(leaves: Vec<T>, join: &mut dyn FnMut(&[T]) -> T) -> Vec<Vec<T>> {
    let mut out = vec![leaves];
    while let Some(below) = out.last().filter(|below| below.len() > BRANCH) {
        let above = below.chunks(BRANCH).map(&mut *join).collect();
        out.push(above);
    }
    out
}

/// Returns triangle numbers sorted along a Morton curve, so that neighbours in the list are neighbours in space.
fn along_a_curve(p: PrimitiveRef<'_>, triangles: &[[u32; 3]]) -> Vec<u32> {
    let bounds = Aabb::from_points(p.positions.iter().copied());
    // A key is the place on the curve, then the number. Cells are cubes, so that clusters are about as long as wide.
    let number_bits = u64::BITS - (triangles.len() as u64).leading_zeros();
    let cell_bits = ((u64::BITS - number_bits) / 3).min(21);
    let last_cell = ((1_u64 << cell_bits) - 1) as f32;
    let scale = last_cell / bounds.size().max_element().max(1e-30);
    let mut keys: Vec<u64> = Vec::with_capacity(triangles.len());
    for (number, corners) in triangles.iter().enumerate() {
        let middle = corners.iter().map(|v| p.positions[*v as usize] / 3.0).sum::<Vec3>();
        let cell = ((middle - bounds.min) * scale).clamp(Vec3::ZERO, Vec3::splat(last_cell)).as_uvec3();
        keys.push(morton(cell) << number_bits | number as u64);
    }
    keys.sort_unstable();
    let numbers = (1_u64 << number_bits) - 1;
    keys.into_iter().map(|key| (key & numbers) as u32).collect()
}

/// Interleaves the bits of three numbers below 2²¹.
fn morton(cell: UVec3) -> u64 {
    let spread = |v: u32| {
        let v = u64::from(v);
        let v = (v | v << 32) & 0x001f_0000_0000_ffff;
        let v = (v | v << 16) & 0x001f_0000_ff00_00ff;
        let v = (v | v << 8) & 0x100f_00f0_0f00_f00f;
        let v = (v | v << 4) & 0x10c3_0c30_c30c_30c3;
        (v | v << 2) & 0x1249_2492_4924_9249
    };
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}

/// Collects what is known of the joints of these vertices.
fn members(p: PrimitiveRef<'_>, vertices: &[u32], joints: &mut Vec<(u16, Aabb)>) -> Members {
    let start = joints.len();
    // With normalised weights the sum is one.
    let mut sums = [1.0_f32; 2];
    let (mut wild, mut around) = (false, Aabb::EMPTY);
    let influences = p.influences.as_ref();
    for v in vertices {
        let position = p.positions[*v as usize];
        around = Aabb { min: around.min.min(position), max: around.max.max(position) };
        let Some(influences) = influences.filter(|_| !wild) else { continue };
        let (mut sum, (slots, weights)) = (0.0, influences.of(*v as usize));
        for (joint, weight) in slots.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            include(joints, start, *joint, position);
            sum += weight;
            wild |= *weight < 0.0 || joints.len() - start > MOST_JOINTS;
            if wild {
                break;
            }
        }
        sums = [sums[0].min(sum), sums[1].max(sum)];
    }
    if wild {
        joints.truncate(start);
    }
    Members { joints: start as u32..joints.len() as u32, around, sums, wild }
}

fn include(joints: &mut Vec<(u16, Aabb)>, start: usize, joint: u16, position: Vec3) {
    let known = joints[start..].iter().position(|(j, _)| *j == joint);
    let at = known.map_or_else(
        || {
            joints.push((joint, Aabb::EMPTY));
            joints.len() - 1
        },
        |i| start + i,
    );
    let around = &mut joints[at].1;
    *around = Aabb { min: around.min.min(position), max: around.max.max(position) };
}

/// Returns what is known of some nodes together, with the joints.
fn joined<'a>(below: impl Iterator<Item = Known<'a>>) -> (Members, Vec<(u16, Aabb)>) {
    let mut out = Members { joints: 0..0, around: Aabb::EMPTY, sums: [1.0; 2], wild: false };
    let mut all: Vec<(u16, Aabb)> = Vec::new();
    for (members, joints) in below {
        all.extend_from_slice(joints);
        out.around = out.around.union(members.around);
        out.sums = [out.sums[0].min(members.sums[0]), out.sums[1].max(members.sums[1])];
        out.wild |= members.wild;
    }
    all.sort_unstable_by_key(|(joint, _)| *joint);
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 = kept.1.union(next.1);
        }
        is_same
    });
    out.joints = 0..all.len() as u32;
    (out, all)
}

/// Returns the leaves that a morph target displaces.
fn displaced(clusters: &Clusters, by: &[Vec3]) -> Vec<(u32, Aabb)> {
    let mut out = Vec::new();
    for (number, leaf) in clusters.leaves.iter().enumerate() {
        let vertices = clusters.vertices_of(leaf);
        let mut around = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        for by in vertices.iter().filter_map(|v| by.get(*v as usize)) {
            around = Aabb { min: around.min.min(*by), max: around.max.max(*by) };
        }
        if around.min != Vec3::ZERO || around.max != Vec3::ZERO {
            out.push((number as u32, around));
        }
    }
    out
}

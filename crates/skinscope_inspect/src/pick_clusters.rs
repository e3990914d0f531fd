//! Sorts the triangles of a primitive into clusters for [`super::PickIndex`]: along a Morton curve, then cut into
//! pieces.

use std::ops::Range;

use glam::{UVec3, Vec3};
use skinscope_base::math::Aabb;
use skinscope_model::PrimitiveRef;

/// The triangles of one primitive; empty where it has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    pub leaves: Vec<Leaf>,
    /// The branches, each of which has [`BRANCH`] leaves.
    pub branches: Vec<Members>,
    /// Each joint with the box around the vertices that it moves; [`Members::joints`] are ranges of this list.
    pub joints: Vec<(u16, Aabb)>,
    /// Numbers of vertices; [`Leaf::vertices`] are ranges of this list.
    pub vertices: Vec<u32>,
    /// For each of those, whether no leaf before has the vertex.
    pub is_first: Vec<bool>,
    /// The triangles; [`Leaf::triangles`] are ranges of this list.
    pub triangles: Vec<Triangle>,
    /// For each morph target: the leaves that it displaces and the box around the displacements.
    pub morphs: Vec<Vec<(u32, Aabb)>>,
}

/// Some triangles that lie close together.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub members: Members,
    pub vertices: Range<u32>,
    pub triangles: Range<u32>,
}

/// What is known of the joints that move some vertices.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub joints: Range<u32>,
    /// The box around all of the vertices, mesh space.
    pub around: Aabb,
    /// The least and the greatest sum of weights; see [`skinscope_deform::InfluenceBounds::sums`].
    pub sums: [f32; 2],
    /// Whether nothing is known of where the vertices can be: a weight is negative, or there are too many joints.
    pub wild: bool,
}

/// A triangle of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// The number of the triangle in the primitive.
    pub number: u32,
    /// The corners, as indices among the vertices of the leaf.
    pub corners: [u8; 3],
}

/// How many leaves a branch has.
pub(super) const BRANCH: usize = 16;

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
    let mut out = Clusters::default();
    for of_leaf in along_a_curve(p, &alone).chunks(LEAF) {
        let first = out.vertices.len() as u32;
        out.vertices.extend(of_leaf.iter().map(|at| used[*at as usize]));
        let vertices = first..out.vertices.len() as u32;
        let members = members(p, &out.vertices[first as usize..], &mut out.joints);
        out.leaves.push(Leaf { members, vertices, triangles: 0..0 });
    }
    out.is_first = vec![true; out.vertices.len()];
    out.finish(p)
}

/// Makes the clusters of a primitive of triangles.
pub(super) fn clusters(p: PrimitiveRef<'_>) -> Clusters {
    let mut out = Clusters::default();
    let triangles = p.indices.as_chunks::<3>().0;
    let order = along_a_curve(p, triangles);
    // The index of each vertex in the current leaf; it is valid where the leaf's number plus one stands next to it.
    let mut index_in_leaf = vec![(0_u32, 0_u8); p.positions.len()];
    let mut is_new = vec![true; p.positions.len()];
    for of_leaf in order.chunks(LEAF) {
        let number = out.leaves.len() as u32;
        let (first_vertex, first_triangle) = (out.vertices.len() as u32, out.triangles.len() as u32);
        for triangle in of_leaf {
            let corners = triangles[*triangle as usize].map(|v| {
                let seen = &mut index_in_leaf[v as usize];
                if seen.0 != number + 1 {
                    *seen = (number + 1, (out.vertices.len() as u32 - first_vertex) as u8);
                    out.vertices.push(v);
                    out.is_first.push(is_new[v as usize]);
                    is_new[v as usize] = false;
                }
                seen.1
            });
            out.triangles.push(Triangle { number: *triangle, corners });
        }
        let vertices = first_vertex..out.vertices.len() as u32;
        let triangles = first_triangle..out.triangles.len() as u32;
        let members = members(p, &out.vertices[first_vertex as usize..], &mut out.joints);
        out.leaves.push(Leaf { members, vertices, triangles });
    }
    out.finish(p)
}

impl Clusters {
    /// Returns the vertices of a leaf.
    pub fn vertices_of(&self, leaf: &Leaf) -> &[u32] {
        &self.vertices[leaf.vertices.start as usize..leaf.vertices.end as usize]
    }

    /// Returns the triangles of a leaf.
    pub fn triangles_of(&self, leaf: &Leaf) -> &[Triangle] {
        &self.triangles[leaf.triangles.start as usize..leaf.triangles.end as usize]
    }

    /// Adds what is known of branches and of morph targets once all leaves are there.
    fn finish(mut self, p: PrimitiveRef<'_>) -> Self {
        let branches = self.leaves.chunks(BRANCH).map(|leaves| branch(leaves, &mut self.joints)).collect();
        self.branches = branches;
        self.morphs = p.morphs.iter().map(|target| displaced(&self, &target.positions)).collect();
        self
    }

    /// Returns for each leaf whether a vertex with edited weights is moved by a joint that is not known to move it
    /// there, or by weights outside of the known bounds.
    pub fn unknown(&self, p: PrimitiveRef<'_>) -> Vec<bool> {
        let Some(influences) = p.influences else { return Vec::new() };
        let is_known = |leaf: &Leaf, vertex: usize| {
            let Members { joints, sums: [least, most], .. } = &leaf.members;
            let known = &self.joints[joints.start as usize..joints.end as usize];
            let (joints, weights) = influences.of(vertex);
            let sum: f32 = weights.iter().sum();
            let position = p.positions[vertex];
            let holds = |joint: u16| known.iter().any(|(j, around)| *j == joint && around.distance(position) == 0.0);
            let mut pairs = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
            (*least..=*most).contains(&sum) && pairs.all(|(joint, weight)| *weight > 0.0 && holds(*joint))
        };
        let is_unknown = |leaf: &Leaf| {
            let vertices = self.vertices_of(leaf);
            vertices.iter().any(|v| influences.is_edited(*v as usize) && !is_known(leaf, *v as usize))
        };
        self.leaves.iter().map(is_unknown).collect()
    }
}

/// Returns triangle numbers sorted along a Morton curve, so that neighbours in the list are neighbours in space.
fn along_a_curve(p: PrimitiveRef<'_>, triangles: &[[u32; 3]]) -> Vec<u32> {
    let bounds = Aabb::from_points(p.positions.iter().copied());
    let scale = Vec3::splat(1023.0) / bounds.size().max(Vec3::splat(1e-30));
    let mut keys: Vec<u64> = Vec::with_capacity(triangles.len());
    for (number, corners) in triangles.iter().enumerate() {
        let middle = corners.iter().map(|v| p.positions[*v as usize] / 3.0).sum::<Vec3>();
        let cell = ((middle - bounds.min) * scale).clamp(Vec3::ZERO, Vec3::splat(1023.0)).as_uvec3();
        keys.push(u64::from(morton(cell)) << 32 | number as u64);
    }
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// Interleaves the bits of three numbers below 1024.
fn morton(cell: UVec3) -> u32 {
    let spread = |v: u32| {
        let v = (v | v << 16) & 0x0300_00ff;
        let v = (v | v << 8) & 0x0300_f00f;
        let v = (v | v << 4) & 0x030c_30c3;
        (v | v << 2) & 0x0924_9249
    };
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}

/// Collects what is known of the joints of these vertices.
fn members(p: PrimitiveRef<'_>, vertices: &[u32], joints: &mut Vec<(u16, Aabb)>) -> Members {
    let start = joints.len();
    // With normalised weights the sum is one.
    let mut sums = [1.0_f32; 2];
    let (mut wild, mut around) = (false, Aabb::EMPTY);
    for v in vertices {
        let position = p.positions[*v as usize];
        around = Aabb { min: around.min.min(position), max: around.max.max(position) };
        let Some(influences) = p.influences.filter(|_| !wild) else { continue };
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

/// Collects what is known of the joints of these leaves.
fn branch(leaves: &[Leaf], joints: &mut Vec<(u16, Aabb)>) -> Members {
    let mut all: Vec<(u16, Aabb)> = Vec::new();
    for leaf in leaves {
        all.extend(&joints[leaf.members.joints.start as usize..leaf.members.joints.end as usize]);
    }
    all.sort_by_key(|(joint, _)| *joint);
    let start = joints.len() as u32;
    for one_joint in all.chunk_by(|a, b| a.0 == b.0) {
        joints.push((one_joint[0].0, one_joint.iter().fold(Aabb::EMPTY, |all, (_, b)| all.union(*b))));
    }
    let sums = leaves
        .iter()
        .fold([1.0_f32; 2], |[least, most], leaf| [least.min(leaf.members.sums[0]), most.max(leaf.members.sums[1])]);
    let around = leaves.iter().fold(Aabb::EMPTY, |all, leaf| all.union(leaf.members.around));
    let wild = leaves.iter().any(|leaf| leaf.members.wild);
    Members { joints: start..joints.len() as u32, around, sums, wild }
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

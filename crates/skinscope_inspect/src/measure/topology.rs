//! Collects what of a surface does not change with the pose: the triangles, edges and folds of a primitive by welded vertex, the parts that
//! hang together, and the regions of the joints.

use glam::Vec4;
use skinscope_base::math::{DisjointSets, Weld, WeldRule};
use skinscope_deform::{Borders, MeshTopology, Side, triangle_edges};
use skinscope_model::{InfluencesRef, Primitive};

/// Stands for "no triangle".
pub(super) const NONE: u32 = u32::MAX;

/// The triangles of a primitive with their edges. A *welded vertex* is given by the first stored vertex at a stored position: vertices on
/// both sides of a seam share one.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasuredTopology {
    /// For each stored vertex: the welded vertex that it belongs to.
    pub welded: Vec<u32>,
    /// The stored vertices at the corners of each triangle, sorted by piece.
    pub corners: Vec<[u32; 3]>,
    /// The same corners as welded vertices.
    pub welded_corners: Vec<[u32; 3]>,
    /// The piece that each triangle belongs to; it never falls along the list.
    pub piece_of: Vec<u32>,
    pub pieces: Vec<Piece>,
    /// The parts of the surface: triangles that are joined over edges.
    pub parts: Vec<Part>,
    /// Every edge once, the ends as stored vertices: on a seam each side has its own.
    pub edges: Vec<[u32; 2]>,
    /// The triangles of each hinge: an edge between exactly two triangles that run along it in opposite directions.
    pub hinges: Vec<[u32; 2]>,
    /// The ends of the same edges. They are apart, because only those of folds are read.
    pub hinge_ends: Vec<[u32; 2]>,
    /// The open sides of parts, and those of pieces.
    pub part_borders: Borders,
    pub piece_borders: Borders,
    /// For each triangle: whether its corners do not all follow one joint alike. Without a pass after the method only such triangles can
    /// be turned over.
    pub is_blended: Vec<bool>,
    /// For each stored vertex: whether some triangle stands at it.
    pub used: Vec<bool>,
}

/// The triangles of one part that one joint holds most of. Where no joint has a weight, `joint` is [`NONE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub part: u32,
    /// The joint's index in the skin.
    pub joint: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub triangles: usize,
    /// Whether every edge runs once each way.
    pub closed: bool,
}

impl MeasuredTopology {
    /// Finds out all of it; `None` soon after `stop` returns true. Where `parted` has a vector for each vertex, only vertices with one
    /// vector can be welded.
    pub fn new(
        p: &Primitive,
        influences: InfluencesRef<'_>,
        parted: Option<&[Vec4]>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut mesh = MeshTopology::of_primitive(p, WeldRule::Exact, stop)?;
        if let Some(vectors) = parted {
            let weld = part(&mesh.weld, vectors, stop)?;
            mesh = MeshTopology::new(weld, mesh.triangles, stop)?;
        }
        let joint_of: Vec<u32> = mesh.triangles.iter().map(|t| heaviest(influences, *t)).collect();
        let edges = triangle_edges(&mesh.triangles, p.stored_vertices, stop)?;
        let (part_of, count) = parts(&mesh);
        if stop() {
            return None;
        }
        // Triangles of one piece follow each other, so that sums are taken along the list.
        let mut order: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
        let key = |t: u32| (part_of[t as usize], joint_of[t as usize]);
        order.sort_by_key(|t| key(*t));
        let mut sorted_index = vec![0; order.len()];
        for (i, t) in (0..).zip(&order) {
            sorted_index[*t as usize] = i;
        }
        let parts = vec![Part { triangles: 0, closed: true }; count];
        let mut out = Self { parts, edges, ..Self::default() };
        for t in &order {
            let (part, joint) = key(*t);
            if out.pieces.last().is_none_or(|last| (last.part, last.joint) != (part, joint)) {
                out.pieces.push(Piece { part, joint });
            }
            out.piece_of.push(out.pieces.len() as u32 - 1);
            out.parts[part as usize].triangles += 1;
            out.corners.push(mesh.triangles[*t as usize]);
        }
        out.welded_corners = out.corners.iter().map(|t| t.map(|v| mesh.welded(v))).collect();
        out.welded = (0..mesh.vertex_count()).map(|v| mesh.welded(v)).collect();
        out.join(&mesh, &sorted_index);
        let follows_one = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| influences.of(v as usize));
            a == b && b == c && a.1.iter().filter(|w| **w != 0.0).count() == 1
        };
        out.used = vec![false; out.welded.len()];
        out.corners.iter().flatten().for_each(|v| out.used[*v as usize] = true);
        out.is_blended = out.corners.iter().map(|t| !follows_one(t)).collect();
        (!stop()).then_some(out)
    }

    /// Finds hinges and open sides. `sorted_index` says where each triangle of `mesh` stands in the sorted list.
    fn join(&mut self, mesh: &MeshTopology, sorted_index: &[u32]) {
        let (mut of_parts, mut of_pieces, mut hinges) = (Vec::new(), Vec::new(), Vec::new());
        let (mut there, mut back): (Vec<Side>, Vec<Side>) = (Vec::new(), Vec::new());
        let face = |side: &Side| sorted_index[side.triangle as usize];
        let first_vertices = |ends: [u32; 2]| ends.map(|welded| mesh.weld.first[welded as usize]);
        for edge in mesh.edges() {
            there.clear();
            there.extend(edge.iter().filter(|side| !side.is_back));
            back.clear();
            back.extend(edge.iter().filter(|side| side.is_back));
            if let ([one], [other]) = (&there[..], &back[..]) {
                hinges.push(([face(one), face(other)], first_vertices(one.ends)));
            }
            for (i, side) in there.iter().enumerate().chain(back.iter().enumerate()) {
                let partner = if side.is_back { there.get(i) } else { back.get(i) };
                let piece = self.piece_of[face(side) as usize];
                let other = partner.map(|side| self.piece_of[face(side) as usize]);
                let part = self.pieces[piece as usize].part;
                if other != Some(piece) {
                    of_pieces.push((piece, first_vertices(side.along())));
                }
                if other.is_none() {
                    of_parts.push((part, first_vertices(side.along())));
                }
                if there.len() != 1 || back.len() != 1 {
                    self.parts[part as usize].closed = false;
                }
            }
        }
        // In the order of the list, hinges read triangles that lie near each other.
        hinges.sort_by_key(|([one, other], _)| *one.min(other));
        (self.hinges, self.hinge_ends) = hinges.into_iter().unzip();
        (self.part_borders, self.piece_borders) =
            (Borders::new(&of_parts, &|at| at), Borders::new(&of_pieces, &|at| at));
    }
}

/// Splits the welded vertices whose stored vertices have different vectors; `None` once `stop` returns true.
fn part(weld: &Weld, vectors: &[Vec4], stop: &dyn Fn() -> bool) -> Option<Weld> {
    let vector = |v: usize| vectors.get(v).map(|vector| vector.to_array().map(f32::to_bits));
    Weld::by_key(weld.group.iter().enumerate().map(|(v, welded)| (*welded, vector(v))), stop)
}

/// Returns the joint (its index in the skin) with the largest sum of weights at three corners, of equal ones the first;
/// [`NONE`] where no sum is above zero.
fn heaviest(influences: InfluencesRef<'_>, corners: [u32; 3]) -> u32 {
    let mut sums: Vec<(u16, f32)> = Vec::new();
    for (joints, weights) in corners.map(|v| influences.of(v as usize)) {
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            match sums.iter_mut().find(|(of, _)| of == joint) {
                Some((_, sum)) => *sum += *weight,
                None => sums.push((*joint, *weight)),
            }
        }
    }
    let most = sums.iter().map(|(_, sum)| *sum).fold(0.0, f32::max);
    sums.iter().filter(|(_, sum)| *sum >= most - 1e-6).map(|(joint, _)| u32::from(*joint)).min().unwrap_or(NONE)
}

/// Returns the part of each triangle, numbered in the order of the triangles, and how many parts there are.
fn parts(mesh: &MeshTopology) -> (Vec<u32>, usize) {
    let mut groups = DisjointSets::new(mesh.triangles.len());
    for pair in mesh.edges().flat_map(|edge| edge.windows(2)) {
        groups.join(pair[0].triangle, pair[1].triangle);
    }
    groups.numbered()
}

//! Collects what of a surface does not change with the pose: the triangles, edges and folds of a primitive by place, the parts that hang
//! together, and the regions of the joints.

use std::collections::HashMap;

use glam::Vec4;
use skinscope_base::math::DisjointSets;
use skinscope_deform::SurfaceTopology;
use skinscope_model::{InfluencesRef, Primitive};

/// Stands for "no triangle".
pub(super) const NONE: u32 = u32::MAX;

/// The triangles of a primitive with their edges. A *place* is the first stored vertex at a stored position: vertices on both
/// sides of a seam share one.
#[derive(Clone, Debug, Default)]
pub(super) struct MeasuredTopology {
    /// For each stored vertex: its place.
    pub welded: Vec<u32>,
    /// The stored vertices at the corners of each triangle, sorted by piece.
    pub corners: Vec<[u32; 3]>,
    /// The places of the same corners.
    pub places: Vec<[u32; 3]>,
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
    pub part_rims: Rims,
    pub piece_rims: Rims,
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
    /// The joint's place in the skin.
    pub joint: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub triangles: usize,
    /// Whether every edge runs once each way.
    pub closed: bool,
}

/// Open sides of groups of triangles: those that touch form a border.
#[derive(Clone, Debug, Default)]
pub(super) struct Rims {
    pub edges: Vec<RimEdge>,
    /// How many borders there are.
    pub count: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RimEdge {
    pub ends: [u32; 2],
    pub group: u32,
    pub rim: u32,
}

/// A side of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The lower place, then the higher one.
    ends: [u32; 2],
    /// Whether it runs from the higher place to the lower one.
    back: bool,
    face: u32,
}

impl Side {
    fn along(self) -> [u32; 2] {
        let [a, b] = self.ends;
        if self.back { [b, a] } else { [a, b] }
    }
}

impl MeasuredTopology {
    /// Finds out all of it; `None` soon after `stop` returns true. Where `parted` has a vector for each vertex, only vertices with one
    /// vector can share a place.
    pub fn new(
        p: &Primitive,
        influences: InfluencesRef<'_>,
        parted: Option<&[Vec4]>,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let SurfaceTopology { triangles: corners, mut welded, edges, .. } = SurfaceTopology::new_unless(p, stop)?;
        if let Some(vectors) = parted {
            part(&mut welded, vectors);
        }
        let joint_of: Vec<u32> = corners.iter().map(|t| heaviest(influences, *t)).collect();
        let all = sides(&corners, &welded, stop)?;
        let (part_of, count) = parts(corners.len(), &all);
        // Triangles of one piece follow each other, so that sums are taken along the list.
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        let key = |t: u32| (part_of[t as usize], joint_of[t as usize]);
        order.sort_by_key(|t| key(*t));
        let mut place_of = vec![0; order.len()];
        for (i, t) in (0..).zip(&order) {
            place_of[*t as usize] = i;
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
            out.corners.push(corners[*t as usize]);
        }
        out.places = out.corners.iter().map(|t| t.map(|v| welded[v as usize])).collect();
        out.welded = welded;
        out.join(&all, &place_of);
        let follows_one = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| influences.of(v as usize));
            a == b && b == c && a.1.iter().filter(|w| **w != 0.0).count() == 1
        };
        out.used = vec![false; out.welded.len()];
        out.corners.iter().flatten().for_each(|v| out.used[*v as usize] = true);
        out.is_blended = out.corners.iter().map(|t| !follows_one(t)).collect();
        (!stop()).then_some(out)
    }

    /// Finds hinges and open sides. `place_of` says where each triangle of `all` stands in the sorted list.
    fn join(&mut self, all: &[Side], place_of: &[u32]) {
        let (mut of_parts, mut of_pieces, mut hinges) = (Vec::new(), Vec::new(), Vec::new());
        for group in all.chunk_by(|a, b| a.ends == b.ends) {
            let (there, back) = group.split_at(group.partition_point(|side| !side.back));
            let face = |side: &Side| place_of[side.face as usize];
            if let ([one], [other]) = (there, back) {
                hinges.push(([face(one), face(other)], one.ends));
            }
            for (i, side) in there.iter().enumerate().chain(back.iter().enumerate()) {
                let partner = if side.back { there.get(i) } else { back.get(i) };
                let [piece, other] = [Some(side), partner].map(|s| s.map(|s| self.piece_of[face(s) as usize]));
                let piece = piece.unwrap_or_default();
                let part = self.pieces[piece as usize].part;
                if other != Some(piece) {
                    of_pieces.push((piece, side.along()));
                }
                if other.is_none() {
                    of_parts.push((part, side.along()));
                }
                if there.len() != 1 || back.len() != 1 {
                    self.parts[part as usize].closed = false;
                }
            }
        }
        // In the order of the list, hinges read triangles that lie near each other.
        hinges.sort_by_key(|([one, other], _)| *one.min(other));
        (self.hinges, self.hinge_ends) = hinges.into_iter().unzip();
        (self.part_rims, self.piece_rims) = (rims(&of_parts), rims(&of_pieces));
    }
}

/// Parts the vertices of one place that have different vectors.
fn part(welded: &mut [u32], vectors: &[Vec4]) {
    let mut first: HashMap<(u32, Option<[u32; 4]>), u32> = HashMap::new();
    for (v, place) in (0..).zip(welded) {
        let vector = vectors.get(v as usize).map(|vector| vector.to_array().map(f32::to_bits));
        *place = *first.entry((*place, vector)).or_insert(v);
    }
}

/// Returns the joint (its place in the skin) with the largest sum of weights at three corners, of equal ones the first;
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

/// Returns all sides of all triangles, sorted by edge and direction; `None` once `stop` returns true.
fn sides(corners: &[[u32; 3]], welded: &[u32], stop: &dyn Fn() -> bool) -> Option<Vec<Side>> {
    let mut out = Vec::with_capacity(3 * corners.len());
    for (face, t) in (0..).zip(corners) {
        let [a, b, c] = t.map(|v| welded[v as usize]);
        out.extend([[a, b], [b, c], [c, a]].map(|[a, b]| Side { ends: [a.min(b), a.max(b)], back: a > b, face }));
    }
    if stop() {
        return None;
    }
    out.sort_unstable();
    (!stop()).then_some(out)
}

/// Returns the part of each triangle, numbered in the order of the triangles, and how many parts there are.
fn parts(count: usize, all: &[Side]) -> (Vec<u32>, usize) {
    let mut groups = DisjointSets::new(count);
    for pair in all.windows(2).filter(|pair| pair[0].ends == pair[1].ends) {
        groups.join(pair[0].face, pair[1].face);
    }
    groups.numbered()
}

/// Finds the border of each open side: sides of one group that touch belong to one border.
fn rims(open: &[(u32, [u32; 2])]) -> Rims {
    let mut places: Vec<(u32, u32)> = open.iter().flat_map(|(group, ends)| ends.map(|end| (*group, end))).collect();
    places.sort_unstable();
    places.dedup();
    let place = |group: u32, end: u32| places.binary_search(&(group, end)).unwrap_or_default() as u32;
    let mut groups = DisjointSets::new(places.len());
    for (group, [a, b]) in open {
        groups.join(place(*group, *a), place(*group, *b));
    }
    let (rim_of, count) = groups.numbered();
    let edge = |(group, ends): &(u32, [u32; 2])| RimEdge {
        ends: *ends,
        group: *group,
        rim: rim_of[place(*group, ends[0]) as usize],
    };
    Rims { edges: open.iter().map(edge).collect(), count }
}

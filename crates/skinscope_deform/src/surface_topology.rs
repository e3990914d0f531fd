//! The topology of a primitive's triangles: its edges, and the triangle across each of them.

use std::collections::HashMap;

use glam::Vec3;
use skinscope_model::{Primitive, Topology};

/// Stands for "no triangle".
pub(super) const NONE: u32 = u32::MAX;

/// The triangles of a primitive by stored vertices (one that was split off for tangents is the one that it copies).
/// Triangles with two corners in one place have no surface and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceTopology {
    /// The corners of each triangle, as stored vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Every edge once, as stored vertices; on a seam, where vertices share a place, each side has its own edge.
    pub edges: Vec<[u32; 2]>,
    /// For each triangle and each of its sides a→b, b→c, c→a: the triangle across, over seams too; [`u32::MAX`] at a
    /// border.
    pub across: Vec<[u32; 3]>,
    /// For each stored vertex: the first one in the same place.
    pub welded: Vec<u32>,
}

impl SurfaceTopology {
    /// Builds the topology of `p`; there are no triangles where `p` has points or lines.
    #[must_use]
    pub fn new(p: &Primitive) -> Self {
        Self::new_unless(p, &|| false).unwrap_or_default()
    }

    /// Does the same as [`SurfaceTopology::new`], but gives up and returns `None` soon after `stop` returns true: it is
    /// called every few ten thousand vertices and triangles.
    #[must_use]
    pub fn new_unless(p: &Primitive, stop: &dyn Fn() -> bool) -> Option<Self> {
        let welded = weld(&p.positions[..p.stored_vertices], stop)?;
        let stored = |v: u32| {
            let split = (v as usize).checked_sub(p.stored_vertices);
            split.and_then(|i| p.split_from.get(i)).map_or(v, |from| *from)
        };
        let mut triangles = Vec::new();
        if p.topology == Topology::Triangles {
            triangles.extend(p.indices.as_chunks::<3>().0.iter().map(|t| t.map(stored)));
            let place = |v: u32| welded[v as usize];
            triangles.retain(|&[a, b, c]| place(a) != place(b) && place(b) != place(c) && place(c) != place(a));
        }
        let edges = triangle_edges(&triangles, p.stored_vertices, stop)?;
        let across = across(&triangles, &welded, stop)?;
        Some(Self { triangles, edges, across, welded })
    }
}

/// Returns the sides of a triangle, in the order of [`SurfaceTopology::across`].
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// How many steps are taken between two questions whether to stop.
const STEPS: usize = 1 << 15;

fn weld(positions: &[Vec3], stop: &dyn Fn() -> bool) -> Option<Vec<u32>> {
    let mut first: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    // Adding zero turns −0 into +0, so that both have the same bits.
    let key = |p: &Vec3| (*p + Vec3::ZERO).to_array().map(f32::to_bits);
    let mut out = Vec::with_capacity(positions.len());
    for (i, p) in positions.iter().enumerate() {
        if i % STEPS == 0 && stop() {
            return None;
        }
        out.push(*first.entry(key(p)).or_insert(i as u32));
    }
    Some(out)
}

/// Sorts `all`, whose order begins with a key below `count`: by the key in linear time, then the items of one key.
/// Returns `None` once `stop` returns true.
fn sorted_by<T: Copy + Ord>(
    all: &mut Vec<T>,
    count: usize,
    key: impl Fn(&T) -> u32,
    stop: &dyn Fn() -> bool,
) -> Option<()> {
    let mut starts = vec![0_u32; count + 1];
    all.iter().for_each(|entry| starts[key(entry) as usize + 1] += 1);
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let Some(any) = all.first().copied() else { return Some(()) };
    let (mut next, mut out) = (starts.clone(), vec![any; all.len()]);
    for (i, entry) in all.iter().enumerate() {
        if i % STEPS == 0 && stop() {
            return None;
        }
        let place = &mut next[key(entry) as usize];
        out[*place as usize] = *entry;
        *place += 1;
    }
    for (i, ends) in starts.windows(2).enumerate() {
        if i % STEPS == 0 && stop() {
            return None;
        }
        out[ends[0] as usize..ends[1] as usize].sort_unstable();
    }
    *all = out;
    Some(())
}

/// Returns every edge of some triangles once, each with its lower vertex first, rising. All vertices are below
/// `vertices`. `None` soon after `stop` returns true.
#[must_use]
pub fn triangle_edges(triangles: &[[u32; 3]], vertices: usize, stop: &dyn Fn() -> bool) -> Option<Vec<[u32; 2]>> {
    let all = triangles.iter().flat_map(|t| sides(*t)).filter(|[a, b]| a != b);
    let mut out: Vec<[u32; 2]> = all.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    sorted_by(&mut out, vertices, |ends| ends[0], stop)?;
    out.dedup();
    Some(out)
}

/// A side of a triangle, for the search of the triangle across it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Its ends, the lower place first.
    places: [u32; 2],
    /// Whether it runs from the higher place to the lower one.
    back: bool,
    triangle: u32,
    /// The number of the side, in the order of [`SurfaceTopology::across`].
    side: u8,
}

/// Finds the triangle across each side: a side meets one that runs the other way between the same places. Where more
/// than two triangles share an edge, they are paired in the order of the file.
fn across(triangles: &[[u32; 3]], welded: &[u32], stop: &dyn Fn() -> bool) -> Option<Vec<[u32; 3]>> {
    let mut all: Vec<Side> = Vec::with_capacity(triangles.len() * 3);
    for (triangle, corners) in (0..).zip(triangles) {
        for (side, ends) in (0..).zip(sides(*corners)) {
            let [a, b] = ends.map(|v| welded[v as usize]);
            all.push(Side { places: [a.min(b), a.max(b)], back: a > b, triangle, side });
        }
    }
    sorted_by(&mut all, welded.len(), |side| side.places[0], stop)?;
    let mut out = vec![[NONE; 3]; triangles.len()];
    for (i, group) in all.chunk_by(|a, b| a.places == b.places).enumerate() {
        if i % STEPS == 0 && stop() {
            return None;
        }
        let (there, back) = group.split_at(group.partition_point(|s| !s.back));
        for (one, other) in there.iter().zip(back) {
            out[one.triangle as usize][usize::from(one.side)] = other.triangle;
            out[other.triangle as usize][usize::from(other.side)] = one.triangle;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```text
    /// 3 ── 2, 5      two triangles whose common edge is a seam: 1 and 4, 2 and 5 share their places;
    /// │  ╱  │        6 was split off 1, and 0 3 3 has no surface
    /// 0 ── 1, 4
    /// ```
    #[test]
    fn seams_are_closed_splits_are_undone_and_flat_triangles_left_out() {
        let (o, x, xy, y) = (Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y);
        let p = Primitive {
            positions: vec![o, x, xy, y, Vec3::new(-0.0, 0.0, -0.0), xy, x],
            indices: vec![0, 6, 2, 4, 5, 3, 0, 4, 3],
            stored_vertices: 6,
            split_from: vec![1],
            ..Primitive::default()
        };
        let topology = SurfaceTopology::new(&p);
        assert_eq!(topology.triangles, [[0, 1, 2], [4, 5, 3]]);
        assert_eq!(topology.welded, [0, 1, 2, 3, 0, 2]);
        assert_eq!(topology.across, [[NONE, NONE, 1], [0, NONE, NONE]]);
        assert_eq!(topology.edges, [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]);
        let lines = Primitive { topology: Topology::Lines, ..p };
        assert!(SurfaceTopology::new(&lines).triangles.is_empty());
    }

    #[test]
    fn a_third_triangle_on_an_edge_has_no_partner() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NEG_Y, Vec3::Z];
        let indices = vec![0, 1, 2, 1, 0, 3, 1, 0, 4];
        let topology =
            SurfaceTopology::new(&Primitive { stored_vertices: 5, positions, indices, ..Primitive::default() });
        assert_eq!(topology.across.iter().map(|t| t[0]).collect::<Vec<_>>(), [1, 0, NONE]);
    }
}

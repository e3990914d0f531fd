//! How the triangles of a primitive hang together: its edges, and what lies across each of them.

use std::collections::HashMap;

use glam::Vec3;

use crate::model::{Primitive, Topology};

/// No triangle.
pub(super) const NONE: u32 = u32::MAX;

/// The triangles of a primitive by stored vertices (one that was split off for tangents is the one that it copies).
/// Triangles with two corners in one place have no surface and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// Corners by stored vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Every edge once, by stored vertices: on a seam, where vertices share a place, each side has its own.
    pub edges: Vec<[u32; 2]>,
    /// By triangle, for the sides a→b, b→c, c→a: the triangle across, over seams too; [`u32::MAX`] at a border.
    pub across: Vec<[u32; 3]>,
    /// By stored vertex: the first one in the same place.
    pub welded: Vec<u32>,
}

impl Sheet {
    /// Of the stored vertices of `p`; no triangles where it has points or lines.
    #[must_use]
    pub fn new(p: &Primitive) -> Self {
        let welded = weld(&p.positions[..p.stored_vertices]);
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
        let edges = edges(&triangles);
        let across = across(&triangles, &welded);
        Self { triangles, edges, across, welded }
    }
}

/// The sides of a triangle, in the order of [`Sheet::across`].
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn weld(positions: &[Vec3]) -> Vec<u32> {
    let mut first: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
    // Adding zero makes one zero of both.
    let key = |p: &Vec3| (*p + Vec3::ZERO).to_array().map(f32::to_bits);
    positions.iter().enumerate().map(|(i, p)| *first.entry(key(p)).or_insert(i as u32)).collect()
}

fn edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let all = triangles.iter().flat_map(|t| sides(*t));
    let mut out: Vec<[u32; 2]> = all.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// A side meets one that runs the other way between the same places. Where more than two triangles share an edge, they are
/// paired in the order of the file.
fn across(triangles: &[[u32; 3]], welded: &[u32]) -> Vec<[u32; 3]> {
    // (ends by rising place, which way, triangle and side)
    let mut all: Vec<(u64, bool, u32, u8)> = Vec::with_capacity(triangles.len() * 3);
    for (t, triangle) in triangles.iter().enumerate() {
        for (side, ends) in sides(*triangle).into_iter().enumerate() {
            let [a, b] = ends.map(|v| welded[v as usize]);
            let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
            all.push((key, a > b, t as u32, side as u8));
        }
    }
    all.sort_unstable();
    let mut out = vec![[NONE; 3]; triangles.len()];
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let (there, back) = group.split_at(group.partition_point(|s| !s.1));
        for ((_, _, t, side), (_, _, other, other_side)) in there.iter().zip(back) {
            out[*t as usize][usize::from(*side)] = *other;
            out[*other as usize][usize::from(*other_side)] = *t;
        }
    }
    out
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
        let sheet = Sheet::new(&p);
        assert_eq!(sheet.triangles, [[0, 1, 2], [4, 5, 3]]);
        assert_eq!(sheet.welded, [0, 1, 2, 3, 0, 2]);
        assert_eq!(sheet.across, [[NONE, NONE, 1], [0, NONE, NONE]]);
        assert_eq!(sheet.edges, [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]);
        let lines = Primitive { topology: Topology::Lines, ..p };
        assert!(Sheet::new(&lines).triangles.is_empty());
    }

    #[test]
    fn a_third_triangle_on_an_edge_has_no_partner() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NEG_Y, Vec3::Z];
        let indices = vec![0, 1, 2, 1, 0, 3, 1, 0, 4];
        let sheet = Sheet::new(&Primitive { stored_vertices: 5, positions, indices, ..Primitive::default() });
        assert_eq!(sheet.across.iter().map(|t| t[0]).collect::<Vec<_>>(), [1, 0, NONE]);
    }
}

//! The topology of a triangle mesh with welded vertices: which points, edges and triangles are adjacent.
//!
//! Files split vertices for materials, texture seams and hard edges, but the visible surface is continuous. A *point*
//! is a position of the surface, which several vertices may share ([`Weld`]).

use std::sync::OnceLock;

use skinscope_base::math::{Csr, Weld, WeldRule};
use skinscope_model::Primitive;

/// Stands for "no triangle".
pub(super) const NONE: u32 = u32::MAX;

/// Triangles with welded vertices. Triangles with two corners at one point have no area and are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshTopology {
    /// The welding of vertices to points.
    pub weld: Weld,
    /// The corners of each triangle, as vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Every side of every triangle, sorted by edge, then by triangle.
    sides: Vec<Side>,
    members: OnceLock<Csr>,
    neighbours: OnceLock<Csr>,
    opposite: OnceLock<Csr<[u32; 2]>>,
    vertex_edges: OnceLock<Vec<[u32; 2]>>,
    across: OnceLock<Vec<[u32; 3]>>,
    fans: OnceLock<Fans>,
}

/// How to go from a triangle to all others that share an edge or a point with it, whichever way they are turned. A side has the number of its
/// triangle times three, plus the corner from which it runs. Of triangles with the same three points only the first is among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fans {
    /// For each side the next one on the same edge, in a ring: itself at a border.
    pub ring: Vec<u32>,
    /// For each point the side across from it in each of its triangles.
    pub facing: Csr,
    /// Whether the triangles of a point are anything else than one closed fan around it.
    pub is_rim: Vec<bool>,
}

impl Fans {
    fn of(mesh: &MeshTopology) -> Self {
        let third =
            |side: &Side| mesh.point(mesh.triangles[side.triangle as usize][(usize::from(side.corner) + 2) % 3]);
        let mut is_double = vec![false; mesh.triangles.len()];
        for edge in mesh.edges() {
            for (before, side) in edge.iter().enumerate() {
                let is_again = edge[..before].iter().any(|other| third(other) == third(side));
                is_double[side.triangle as usize] |= is_again;
            }
        }
        let mut ring: Vec<u32> = (0..).take(3 * mesh.triangles.len()).collect();
        let number = |side: &Side| 3 * side.triangle + u32::from(side.corner);
        for edge in mesh.edges() {
            let once = edge.iter().filter(|side| !is_double[side.triangle as usize]);
            for (side, next) in once.clone().zip(once.cycle().skip(1)) {
                ring[number(side) as usize] = number(next);
            }
        }
        let sides = (0..).step_by(3).zip(mesh.point_triangles()).zip(&is_double).filter(|(_, is_double)| !**is_double);
        let sides =
            sides.map(|(side, _)| side).flat_map(|(first, [a, b, c])| [(a, first + 1), (b, first + 2), (c, first)]);
        let facing = Csr::new(mesh.weld.first.len(), sides);
        let is_rim = facing.rows().map(|sides| !is_closed_fan(sides, &ring)).collect();
        Self { ring, facing, is_rim }
    }
}

/// Whether the triangles of a point, of which the sides across from it are given, are one closed fan around it.
fn is_closed_fan(facing: &[u32], ring: &[u32]) -> bool {
    let Some(first) = facing.first() else { return false };
    // The side after the one across from the point runs to it.
    let start = first - first % 3 + (first % 3 + 1) % 3;
    let mut side = start;
    for step in 1..=facing.len() {
        let next = ring[side as usize];
        let across = facing.iter().find(|across| **across / 3 == next / 3);
        let Some(across) = across.filter(|_| next != side && ring[next as usize] == side) else { return false };
        // Of the three sides, neither the one that leads here nor the one across from the point.
        side = next - next % 3 + (3 - next % 3 - across % 3);
        if side == start {
            return step == facing.len();
        }
    }
    false
}

/// A side of a triangle (half-edge).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// The two points that it joins, the lower first.
    pub ends: [u32; 2],
    /// The index of the triangle in [`MeshTopology::triangles`].
    pub triangle: u32,
    /// The corner of the triangle, 0…2, from which the side runs to the next corner.
    pub corner: u8,
    /// Whether it runs from the higher point to the lower one.
    pub is_back: bool,
}

impl Side {
    /// Returns the two points in the direction of the side.
    #[must_use]
    pub fn along(self) -> [u32; 2] {
        let [a, b] = self.ends;
        if self.is_back { [b, a] } else { [a, b] }
    }
}

impl MeshTopology {
    /// Builds the topology of `triangles`, whose corners are indices of welded vertices. `stop` is called every few ten
    /// thousand vertices; soon after it returns true, this returns `None`.
    #[must_use]
    pub fn new(weld: Weld, mut triangles: Vec<[u32; 3]>, stop: &dyn Fn() -> bool) -> Option<Self> {
        let points = |corners: [u32; 3]| corners.map(|v| weld.group[v as usize]);
        triangles.retain(|corners| {
            let [a, b, c] = points(*corners);
            a != b && b != c && c != a
        });
        let side = |(triangle, corner, [a, b]): (u32, u8, [u32; 2])| {
            (a.min(b), Side { ends: [a.min(b), a.max(b)], triangle, corner, is_back: a > b })
        };
        let of_triangle = |(triangle, corners): (u32, &[u32; 3])| {
            let [ab, bc, ca] = sides(points(*corners));
            [(triangle, 0, ab), (triangle, 1, bc), (triangle, 2, ca)].map(side)
        };
        let all = (0..).zip(&triangles).flat_map(of_triangle);
        let sides = Csr::new(weld.first.len(), all).into_sorted(stop)?;
        Some(Self { weld, triangles, sides, ..Self::default() })
    }

    /// Builds the topology of the stored vertices of a primitive, welded by `rule`; it has no triangles where the
    /// primitive has points or lines. Returns `None` soon after `stop` returns true.
    #[must_use]
    pub fn of_primitive(primitive: &Primitive, rule: WeldRule, stop: &dyn Fn() -> bool) -> Option<Self> {
        let weld = Weld::new(&primitive.positions[..primitive.stored_vertices], rule, stop)?;
        Self::new(weld, primitive.stored_triangles().collect(), stop)
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        self.weld.group.len() as u32
    }

    /// Returns the number of points.
    #[must_use]
    pub fn point_count(&self) -> u32 {
        self.weld.first.len() as u32
    }

    /// Returns the point of a vertex.
    #[inline]
    #[must_use]
    pub fn point(&self, vertex: u32) -> u32 {
        self.weld.group[vertex as usize]
    }

    /// Returns the first vertex at the point of a vertex, which represents all of them.
    #[inline]
    #[must_use]
    pub fn welded(&self, vertex: u32) -> u32 {
        self.weld.first[self.point(vertex) as usize]
    }

    /// Returns the corners of each triangle as points.
    pub fn point_triangles(&self) -> impl Iterator<Item = [u32; 3]> + Clone {
        self.triangles.iter().map(|corners| corners.map(|vertex| self.point(vertex)))
    }

    /// Returns the vertices at a point, rising.
    #[inline]
    #[must_use]
    pub fn members(&self, point: u32) -> &[u32] {
        let all = || Csr::new(self.weld.first.len(), self.weld.group.iter().copied().zip(0..));
        self.members.get_or_init(all).row(point as usize)
    }

    /// Returns the points that share an edge with this one, rising.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, point: u32) -> &[u32] {
        let ends = self.edges().map(|edge| edge[0].ends);
        let all = || Csr::new(self.weld.first.len(), ends.clone().flat_map(|[a, b]| [(a, b), (b, a)]));
        self.neighbours.get_or_init(all).row(point as usize)
    }

    /// Returns the two other corners of each triangle at a point, in the order of the triangles; they follow the point in the direction of the
    /// triangle.
    #[must_use]
    pub fn opposite(&self, point: u32) -> &[[u32; 2]] {
        let sides = self.point_triangles().flat_map(|[a, b, c]| [(a, [b, c]), (b, [c, a]), (c, [a, b])]);
        self.opposite.get_or_init(|| Csr::new(self.weld.first.len(), sides)).row(point as usize)
    }

    /// Returns the edges, in the order of their points, each as the sides of its triangles: two where the surface is
    /// closed, one at a border, more where it is not manifold. The sides of an edge are in the order of triangles.
    pub fn edges(&self) -> impl Iterator<Item = &[Side]> + Clone {
        self.sides.chunk_by(|a, b| a.ends == b.ends)
    }

    /// Returns the vertices at the two ends of a side, in the order of [`Side::ends`].
    #[must_use]
    pub fn side_vertices(&self, side: Side) -> [u32; 2] {
        let triangle = self.triangles[side.triangle as usize];
        let [a, b] = [0, 1].map(|i| triangle[(usize::from(side.corner) + i) % 3]);
        if side.is_back { [b, a] } else { [a, b] }
    }

    /// Returns every edge once as two vertices, rising. On a seam, where several vertices share a point, each side of
    /// the seam has an edge of its own.
    #[must_use]
    pub fn vertex_edges(&self) -> &[[u32; 2]] {
        let all = || triangle_edges(&self.triangles, self.weld.group.len(), &|| false).unwrap_or_default();
        self.vertex_edges.get_or_init(all)
    }

    /// Returns for each triangle and each of its sides a→b, b→c, c→a the adjacent triangle, across seams too;
    /// [`u32::MAX`] at a border. Adjacent triangles have their common side in opposite directions. Where more than two
    /// triangles share an edge, they are paired in their order.
    #[must_use]
    pub fn across(&self) -> &[[u32; 3]] {
        self.across.get_or_init(|| {
            let mut out = vec![[NONE; 3]; self.triangles.len()];
            for edge in self.edges() {
                let running = |is_back: bool| edge.iter().filter(move |side| side.is_back == is_back);
                for (one, other) in running(false).zip(running(true)) {
                    out[one.triangle as usize][usize::from(one.corner)] = other.triangle;
                    out[other.triangle as usize][usize::from(other.corner)] = one.triangle;
                }
            }
            out
        })
    }

    /// Returns how to go from triangle to triangle.
    pub(super) fn fans(&self) -> &Fans {
        self.fans.get_or_init(|| Fans::of(self))
    }

    /// Returns for each point the index of the connected component (shell) of the surface that it belongs to, and how
    /// many there are, in the order of their first points.
    #[must_use]
    pub fn shells(&self) -> (Vec<u32>, usize) {
        self.components(&|_| true, &|_, _| true)
    }

    /// Returns for each point that `counts` accepts the index of its component, [`u32::MAX`] for other points, and how
    /// many components there are. Neighbours are in one component if `joined` accepts them.
    #[must_use]
    pub fn components(&self, counts: &impl Fn(u32) -> bool, joined: &impl Fn(u32, u32) -> bool) -> (Vec<u32>, usize) {
        let mut out = vec![u32::MAX; self.weld.first.len()];
        let (mut number, mut open) = (0, Vec::new());
        for start in 0..self.point_count() {
            if out[start as usize] != u32::MAX || !counts(start) {
                continue;
            }
            out[start as usize] = number;
            open.push(start);
            while let Some(point) = open.pop() {
                for next in self.neighbours(point) {
                    if out[*next as usize] == u32::MAX && counts(*next) && joined(point, *next) {
                        out[*next as usize] = number;
                        open.push(*next);
                    }
                }
            }
            number += 1;
        }
        (out, number as usize)
    }
}

/// Returns the sides of a triangle, in the order of [`MeshTopology::across`].
pub(super) fn sides([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Returns every edge of some triangles once, each with its lower vertex first, in rising order. `vertices` is the
/// number of vertices. Returns `None` soon after `stop` returns true.
#[must_use]
pub fn triangle_edges(triangles: &[[u32; 3]], vertices: usize, stop: &dyn Fn() -> bool) -> Option<Vec<[u32; 2]>> {
    let all = triangles.iter().flat_map(|t| sides(*t)).filter(|[a, b]| a != b);
    let ends = all.map(|[a, b]| (a.min(b), [a.min(b), a.max(b)]));
    let mut out = Csr::new(vertices, ends).into_sorted(stop)?;
    out.dedup();
    Some(out)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::Topology;

    use super::*;

    fn exact(p: &Primitive) -> MeshTopology {
        MeshTopology::of_primitive(p, WeldRule::Exact, &|| false).unwrap()
    }

    /// ```text
    /// 3 ── 2, 5      two triangles whose common edge is a seam: 1 and 4, 2 and 5 share their points;
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
        let topology = exact(&p);
        assert_eq!(topology.triangles, [[0, 1, 2], [4, 5, 3]]);
        assert_eq!(topology.point_triangles().collect::<Vec<_>>(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!((topology.vertex_count(), topology.point_count()), (6, 4));
        assert_eq!([0, 1, 2, 3, 4, 5].map(|v| topology.welded(v)), [0, 1, 2, 3, 0, 2]);
        assert_eq!(topology.across(), [[NONE, NONE, 1], [0, NONE, NONE]]);
        assert_eq!(topology.vertex_edges(), [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]);
        assert_eq!((topology.members(0), topology.members(1)), (&[0, 4][..], &[1][..]));
        assert_eq!((topology.neighbours(0), topology.neighbours(3)), (&[1, 2, 3][..], &[0, 2][..]));
        let seam = topology.edges().find(|edge| edge.len() == 2).unwrap();
        assert_eq!(seam.iter().map(|side| side.along()).collect::<Vec<_>>(), [[2, 0], [0, 2]]);
        assert_eq!(seam.iter().map(|side| topology.side_vertices(*side)).collect::<Vec<_>>(), [[0, 2], [4, 5]]);
        let lines = exact(&Primitive { topology: Topology::Lines, ..p });
        assert!(lines.triangles.is_empty() && lines.neighbours(0).is_empty() && lines.shells().1 == 4);
    }

    #[test]
    fn a_third_triangle_on_an_edge_has_no_partner() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NEG_Y, Vec3::Z];
        let indices = vec![0, 1, 2, 1, 0, 3, 1, 0, 4];
        let topology = exact(&Primitive { stored_vertices: 5, positions, indices, ..Primitive::default() });
        assert_eq!(topology.across().iter().map(|t| t[0]).collect::<Vec<_>>(), [1, 0, NONE]);
    }

    #[test]
    fn triangles_around_a_point_are_one_closed_fan_or_not() {
        // A tetrahedron, a second one that touches it in a point, a third triangle on an edge of it.
        let weld = Weld::by_key(0..8, &|| false).unwrap();
        let triangles = vec![
            [0, 1, 2],
            [0, 2, 3],
            // Turned the other way round.
            [0, 1, 3],
            [1, 3, 2],
            [3, 4, 5],
            [3, 5, 6],
            [3, 6, 4],
            [4, 6, 5],
            [4, 5, 7],
            // Another side of the first one.
            [0, 2, 1],
        ];
        let topology = MeshTopology::new(weld, triangles, &|| false).unwrap();
        let fans = topology.fans();
        assert_eq!(fans.is_rim, [false, false, false, true, true, true, false, true]);
        assert_eq!(fans.facing.row(0), [1, 4, 7]);
        // The edge from 4 to 5 has three triangles, the one from 5 to 7 one.
        assert_eq!([13, 23, 24].map(|side| fans.ring[side]), [23, 24, 13]);
        assert_eq!((fans.ring[25], fans.ring[0], fans.ring[6]), (25, 6, 0));
    }

    #[test]
    fn components_end_where_points_do_not_count_or_are_not_joined() {
        let weld = Weld::by_key(0..9, &|| false).unwrap();
        let triangles = vec![[0, 1, 2], [2, 3, 4], [5, 6, 7]];
        let topology = MeshTopology::new(weld, triangles, &|| false).unwrap();
        assert_eq!(topology.shells(), (vec![0, 0, 0, 0, 0, 1, 1, 1, 2], 3));
        let (parted, count) = topology.components(&|point| point != 2, &|a, b| a.max(b) != 7);
        assert_eq!((parted, count), (vec![0, 0, NONE, 1, 1, 2, 2, 3, 4], 5));
    }
}

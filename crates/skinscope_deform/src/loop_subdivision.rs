//! Loop's subdivision of surfaces of triangles: each point of the finer surface as a weighted mean of points of the coarse one, the *cage*.
//!
//! Inside of the surface the weights are those of Charles Loop, "Smooth Subdivision Surfaces Based on Triangles", 1987. An edge that does
//! not have exactly two triangles is *sharp*: it is subdivided as a curve of its own, by the rule of cubic B-splines, whatever lies beside it
//! (Hoppe, DeRose, Duchamp et al., "Piecewise Smooth Surface Reconstruction", 1994; Warren and Weimer, "Subdivision Methods for Geometric
//! Design", 2002). So two surfaces with the same border have it after every step too, and a border stays one.

use std::ops::{Add, Mul};

use skinscope_base::math::Csr;
use skinscope_base::parallel::by_chunk;

/// A surface that was subdivided so often.
#[derive(Clone, Debug)]
pub struct LoopSurface {
    /// For each point: points of the cage and their weights, whose sum is one. No weight is negative.
    pub masks: Csr<(u32, f64)>,
    /// The triangles, as points.
    pub triangles: Vec<[u32; 3]>,
    /// The edges of the surface one step before, rising: the points that lie on them follow those of before in this order.
    edges: Vec<[u32; 2]>,
}

/// An edge of a surface, and what lies beside it.
struct Edge {
    ends: [u32; 2],
    beside: Beside,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// Two triangles, of which these are the corners that the edge does not have.
    Two([u32; 2]),
    /// One triangle, or more than two.
    Sharp,
    /// Only triangles without area, which do not count.
    Nothing,
}

/// Stands for the corner across from an edge in a triangle without area.
const NONE: u32 = u32::MAX;

/// How many points one thread works on at a time.
const PIECE: usize = 4096;

impl LoopSurface {
    /// Returns the cage itself: so many points, and triangles between them.
    #[must_use]
    pub fn cage(points: u32, triangles: Vec<[u32; 3]>) -> Self {
        let masks = Csr::new(points as usize, (0..points).map(|point| (point, (point, 1.0))));
        Self { masks, triangles, edges: Vec::new() }
    }

    /// Subdivides once more. Every edge gets a point, which comes after the points of before; every triangle becomes four, which follow each
    /// other in the place of the one. Returns `None` soon after `stop` returns true.
    #[must_use]
    pub fn finer(&self, stop: &dyn Fn() -> bool) -> Option<Self> {
        let points = self.masks.row_count();
        let edges = edges(&self.triangles, points, stop)?;
        let around = around(&edges, points);
        if stop() {
            return None;
        }
        // One row after another, so that the result is the same for any number of threads.
        let row = |i: usize, parts: &mut Vec<(u32, f64)>| match i.checked_sub(points) {
            None => point_rule(i as u32, around.row(i), parts),
            Some(edge) => edge_rule(&edges[edge], parts),
        };
        let pieces = by_chunk(points + edges.len(), PIECE, &|range: std::ops::Range<usize>| {
            let (mut lengths, mut values, mut parts) = (Vec::with_capacity(range.len()), Vec::new(), Vec::new());
            for i in range {
                parts.clear();
                row(i, &mut parts);
                lengths.push(self.blend(&parts, &mut values));
            }
            (lengths, values)
        });
        let values = pieces.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        let masks = Csr::of_lengths(pieces.iter().flat_map(|(lengths, _)| lengths.iter().copied()), values);
        let edges = edges.into_iter().map(|edge| edge.ends).collect();
        let mut out = Self { masks, triangles: Vec::new(), edges };
        out.triangles = self.triangles.iter().flat_map(|t| four(*t, &|a, b| out.on_edge(points, a, b))).collect();
        Some(out)
    }

    /// Adds up the masks of some points, each times its share, behind `out`. Returns how many points of the cage that makes.
    fn blend(&self, parts: &[(u32, f64)], out: &mut Vec<(u32, f64)>) -> u32 {
        let start = out.len();
        for (point, share) in parts {
            out.extend(self.masks.row(*point as usize).iter().map(|(of, weight)| (*of, share * weight)));
        }
        // Those of one point stay in their order, so that the sums do not depend on how they are sorted.
        out[start..].sort_by_key(|(of, _)| *of);
        let mut end = start;
        for i in start..out.len() {
            let next = out[i];
            if end > start && out[end - 1].0 == next.0 {
                out[end - 1].1 += next.1;
            } else {
                out[end] = next;
                end += 1;
            }
        }
        out.truncate(end);
        (end - start) as u32
    }

    /// Returns the point that the last step has put on the edge between two points of the surface before it; where both are one, that
    /// point.
    #[must_use]
    pub fn middle(&self, a: u32, b: u32) -> u32 {
        self.on_edge(self.masks.row_count() - self.edges.len(), a, b)
    }

    fn on_edge(&self, points_before: usize, a: u32, b: u32) -> u32 {
        let found = self.edges.binary_search(&[a.min(b), a.max(b)]);
        // Every side of every triangle is among the edges unless both ends are one point.
        found.map_or(a, |edge| (points_before + edge) as u32)
    }

    /// Returns what a point has of something that the points of the cage have.
    pub fn of<T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>>(&self, point: usize, cage: &[T]) -> T {
        self.masks.row(point).iter().fold(T::default(), |sum, (of, weight)| sum + cage[*of as usize] * *weight)
    }
}

/// Divides a triangle into four; `middle` returns what lies on a side. The first has the first corner, the second the second, the third the
/// third, and the last none.
pub(super) fn four([a, b, c]: [u32; 3], middle: &dyn Fn(u32, u32) -> u32) -> [[u32; 3]; 4] {
    let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

/// Returns all edges, rising. Triangles with the same three corners, such as the two sides of a sheet, count as one.
fn edges(triangles: &[[u32; 3]], points: usize, stop: &dyn Fn() -> bool) -> Option<Vec<Edge>> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| {
        let has_area = a != b && b != c && c != a;
        let across = move |point: u32| if has_area { point } else { NONE };
        [[a, b, across(c)], [b, c, across(a)], [c, a, across(b)]]
    });
    let rising = sides.filter(|[a, b, _]| a != b).map(|[a, b, across]| (a.min(b), [a.min(b), a.max(b), across]));
    let mut sides = Csr::new(points, rising).into_sorted(stop)?;
    sides.dedup();
    let of_edge = |sides: &[[u32; 3]]| {
        let [a, b, first] = sides[0];
        // Those without area come last.
        let count = sides.iter().take_while(|side| side[2] != NONE).count();
        let beside = match count {
            0 => Beside::Nothing,
            2 => Beside::Two([first, sides[1][2]]),
            _ => Beside::Sharp,
        };
        Edge { ends: [a, b], beside }
    };
    Some(sides.chunk_by(|a, b| a[..2] == b[..2]).map(of_edge).collect())
}

/// Returns for each point the points at the other ends of its edges, and whether those are sharp.
fn around(edges: &[Edge], points: usize) -> Csr<(u32, bool)> {
    let counted = edges.iter().filter(|edge| edge.beside != Beside::Nothing);
    let ends = counted.flat_map(|edge| {
        let ([a, b], is_sharp) = (edge.ends, edge.beside == Beside::Sharp);
        [(a, (b, is_sharp)), (b, (a, is_sharp))]
    });
    Csr::new(points, ends)
}

/// Where a point goes: on a sharp curve along that; where more than two of those meet, or there is no edge, it stays.
fn point_rule(point: u32, around: &[(u32, bool)], out: &mut Vec<(u32, f64)>) {
    let sharp = around.iter().filter(|(_, is_sharp)| *is_sharp).count();
    match sharp {
        // One alone ends here: the surface is smooth around its end.
        0 | 1 if !around.is_empty() => {
            let n = around.len() as f64;
            let beta = (0.625 - (0.375 + 0.25 * (std::f64::consts::TAU / n).cos()).powi(2)) / n;
            out.push((point, 1.0 - n * beta));
            out.extend(around.iter().map(|(other, _)| (*other, beta)));
        }
        2 => {
            out.push((point, 0.75));
            out.extend(around.iter().filter(|(_, is_sharp)| *is_sharp).map(|(other, _)| (*other, 0.125)));
        }
        _ => out.push((point, 1.0)),
    }
}

/// Where the point on an edge is.
fn edge_rule(edge: &Edge, out: &mut Vec<(u32, f64)>) {
    match edge.beside {
        Beside::Two(across) => {
            out.extend(edge.ends.map(|end| (end, 0.375)));
            out.extend(across.map(|point| (point, 0.125)));
        }
        Beside::Sharp | Beside::Nothing => out.extend(edge.ends.map(|end| (end, 0.5))),
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn finer(surface: &LoopSurface) -> LoopSurface {
        surface.finer(&|| false).unwrap()
    }

    /// The six corners of an octahedron: ±x, ±y, ±z.
    fn octahedron() -> (LoopSurface, Vec<DVec3>) {
        let corners = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let triangle = |i: u32| {
            let (x, y, z) = (i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2));
            if (x + y + z).is_multiple_of(2) { [x, y, z] } else { [x, z, y] }
        };
        (LoopSurface::cage(6, (0..8).map(triangle).collect()), corners.to_vec())
    }

    #[test]
    fn an_octahedron_is_subdivided_as_on_paper() {
        let (cage, corners) = octahedron();
        let fine = finer(&cage);
        assert_eq!((fine.masks.row_count(), fine.triangles.len()), (6 + 12, 32));
        // Around a corner are four others, which lie evenly about it: β = (5/8 − (3/8)²)/4, and what remains is its own.
        let own = 1.0 - (0.625 - 0.375_f64.powi(2));
        assert!(fine.of(0, &corners).distance(DVec3::X * own) < 1e-12);
        // Between +x and +y: 3/8 of both; what lies across, +z and −z, cancels out.
        let middle = fine.middle(2, 0) as usize;
        assert!(fine.of(middle, &corners).distance(DVec3::new(0.375, 0.375, 0.0)) < 1e-12);
        let finest = finer(&finer(&fine));
        assert_eq!(finest.masks.row_count(), 4 * (4 * 18 - 6) - 6, "one more for each of the 3 (N − 2) edges");
        for mask in finest.masks.rows() {
            assert!((mask.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(mask.windows(2).all(|pair| pair[0].0 < pair[1].0) && mask.iter().all(|(_, weight)| *weight > 0.0));
        }
        // All faces look outward, as before.
        let outward = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).dot(a + b + c) > 0.0;
        let first = outward(cage.triangles[0].map(|v| corners[v as usize]));
        assert!(finest.triangles.iter().all(|t| outward(t.map(|v| finest.of(v as usize, &corners))) == first));
        assert!(cage.finer(&|| true).is_none());
    }

    /// The points of a subdivided icosahedron come to lie on a sphere, but for little, which the numbers of its limit surface say: the limit
    /// of a corner of valence n is (1 − χ) v + χ m with the mean m of its neighbours, where χ = 1/(1 + 3/(8 nβ)) (Loop).
    #[test]
    fn an_icosahedron_becomes_nearly_a_sphere() {
        let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
        let signs = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
        let of_axis = |axis: usize| {
            signs.map(|[a, b]| {
                let mut at = [0.0; 3];
                (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (a, b * golden);
                DVec3::from(at).normalize()
            })
        };
        let corners: Vec<DVec3> = (0..3).flat_map(of_axis).collect();
        let is_near = |a: u32, b: u32| corners[a as usize].dot(corners[b as usize]) > 0.4;
        let mut triangles = Vec::new();
        for (a, b, c) in (0..12).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| (a, b, c)))) {
            if is_near(a, b) && is_near(b, c) && is_near(c, a) {
                triangles.push([a, b, c]);
            }
        }
        assert_eq!(triangles.len(), 20);
        let mut surface = LoopSurface::cage(12, triangles);
        let beta = (0.625 - (0.375 + 0.25 * (std::f64::consts::TAU / 5.0).cos()).powi(2)) / 5.0;
        let limit = 1.0 / (1.0 + 3.0 / (8.0 * 5.0 * beta));
        // The neighbours of a corner have their mean on its axis, at 1/√5.
        let limit = 1.0 - limit + limit / 5.0_f64.sqrt();
        let mut before = f64::INFINITY;
        for _ in 0..4 {
            surface = finer(&surface);
            let off = (surface.of(0, &corners).length() - limit).abs();
            assert!(off < 0.5 * before, "{off}");
            before = off;
        }
        assert!(before < 2e-3, "{before}");
        let lengths = || (0..surface.masks.row_count()).map(|v| surface.of(v, &corners).length());
        let (least, most) = (lengths().fold(1.0, f64::min), lengths().fold(0.0, f64::max));
        assert!(most / least < 1.03, "{least} {most}");
    }

    /// ```text
    /// 6 ── 7 ── 8      a sheet of eight triangles
    /// 3 ── 4 ── 5
    /// 0 ── 1 ── 2
    /// ```
    fn sheet() -> (LoopSurface, Vec<DVec3>) {
        let corners = (0..9).map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3), 0.25 * f64::from(i % 3)));
        let squares = [0_u32, 1, 3, 4].into_iter();
        let triangles = squares.flat_map(|v| [[v, v + 1, v + 4], [v, v + 4, v + 3]]);
        (LoopSurface::cage(9, triangles.collect()), corners.collect())
    }

    #[test]
    fn a_flat_sheet_stays_flat_and_keeps_its_border() {
        let (cage, corners) = sheet();
        let fine = finer(&finer(&cage));
        for v in 0..fine.masks.row_count() {
            let at = fine.of(v, &corners);
            assert!((at.z - 0.25 * at.x).abs() < 1e-12 && at.min_element() > -1e-12 && at.x < 2.0 + 1e-12, "{at}");
        }
        let once = finer(&cage);
        // The border is a curve of its own: nothing inside of the sheet is among what makes it.
        assert_eq!(once.masks.row(1), [(0, 0.125), (1, 0.75), (2, 0.125)]);
        assert_eq!(once.masks.row(once.middle(1, 0) as usize), [(0, 0.5), (1, 0.5)]);
        assert_eq!(once.masks.row(once.middle(4, 3) as usize), [(0, 0.125), (3, 0.375), (4, 0.375), (7, 0.125)]);
        // Inside, six neighbours have 1/16 each.
        assert!(
            once.masks.row(4).iter().all(|(of, weight)| (weight - if *of == 4 { 0.625 } else { 0.0625 }).abs() < 1e-12)
        );
    }

    #[test]
    fn what_no_surface_has_stays_and_what_is_twice_counts_once() {
        let (cage, _) = sheet();
        // A triangle again, the other way round; one with two corners in one point; and a point of its own.
        let more = [[1, 0, 4], [8, 8, 0]];
        let triangles = cage.triangles.iter().copied().chain(more).collect();
        let (fine, once) = (finer(&LoopSurface::cage(10, triangles)), finer(&cage));
        assert_eq!(fine.masks.row(9), [(9, 1.0)]);
        assert_eq!(fine.triangles.len(), 4 * 10);
        (0..9).for_each(|v| assert_eq!(fine.masks.row(v), once.masks.row(v), "{v}"));
        assert_eq!(fine.masks.row(fine.middle(8, 0) as usize), [(0, 0.5), (8, 0.5)]);
        // Three triangles on one edge: it is sharp, and what lies between two such edges stays smooth along them.
        let three = finer(&LoopSurface::cage(5, vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]));
        assert_eq!(three.masks.row(three.middle(0, 1) as usize), [(0, 0.5), (1, 0.5)]);
        assert_eq!(three.masks.row(0), [(0, 1.0)], "four sharp edges meet");
    }
}

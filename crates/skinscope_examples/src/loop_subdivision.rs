//! Loop's subdivision of closed surfaces of triangles (Charles Loop, 1987): each vertex of the finer surface as a weighted mean of
//! vertices of the coarse one, the cage.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Add, Mul};

/// A surface that was subdivided so often.
#[derive(Clone, Debug)]
pub(super) struct Subdivided {
    /// For each vertex: vertices of the cage and their weights, whose sum is one.
    pub(super) masks: Vec<Vec<(u32, f64)>>,
    /// The triangles, three vertices each.
    pub(super) indices: Vec<u32>,
    /// A line of edges of the cage, as it runs through the finer vertices.
    pub(super) lines: Vec<Vec<u32>>,
}

impl Subdivided {
    /// Returns the cage itself: so many vertices, with triangles that close it, and lines along its edges that are to be followed.
    pub(super) fn cage(vertices: u32, indices: Vec<u32>, lines: Vec<Vec<u32>>) -> Self {
        Self { masks: (0..vertices).map(|v| vec![(v, 1.0)]).collect(), indices, lines }
    }

    /// Subdivides once more. Every edge gets a vertex, which comes after the vertices of before; every triangle becomes four.
    pub(super) fn finer(&self) -> Self {
        let mut around = vec![BTreeSet::new(); self.masks.len()];
        let mut across: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for &[a, b, c] in self.indices.as_chunks::<3>().0 {
            for [from, to, other] in [[a, b, c], [b, c, a], [c, a, b]] {
                around[from as usize].extend([to, other]);
                across.entry(edge(from, to)).or_default().push(other);
            }
        }
        let blend = |parts: &mut dyn Iterator<Item = (u32, f64)>| {
            let mut mask: BTreeMap<u32, f64> = BTreeMap::new();
            for (vertex, share) in parts {
                for (of, weight) in &self.masks[vertex as usize] {
                    *mask.entry(*of).or_default() += share * weight;
                }
            }
            mask.into_iter().collect::<Vec<_>>()
        };
        let mut masks = Vec::new();
        for (vertex, around) in (0..).zip(&around) {
            let n = around.len() as f64;
            let beta = (0.625 - (0.375 + 0.25 * (std::f64::consts::TAU / n).cos()).powi(2)) / n;
            let own = std::iter::once((vertex, 1.0 - n * beta));
            masks.push(blend(&mut own.chain(around.iter().map(|v| (*v, beta)))));
        }
        let mut middles = BTreeMap::new();
        for (ends, others) in &across {
            middles.insert(*ends, masks.len() as u32);
            let ends = ends.iter().map(|v| (*v, 0.375));
            masks.push(blend(&mut ends.chain(others.iter().map(|v| (*v, 0.125)))));
        }
        let middle = |a: u32, b: u32| middles[&edge(a, b)];
        let mut indices = Vec::new();
        for &[a, b, c] in self.indices.as_chunks::<3>().0 {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            indices.extend([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca]);
        }
        let line = |line: &Vec<u32>| {
            let pairs = line.windows(2).flat_map(|pair| [middle(pair[0], pair[1]), pair[1]]);
            line.first().copied().into_iter().chain(pairs).collect()
        };
        Self { masks, indices, lines: self.lines.iter().map(line).collect() }
    }

    /// Returns what a vertex has of something that the vertices of the cage have.
    pub(super) fn of<T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>>(
        &self,
        vertex: usize,
        cage: &[T],
    ) -> T {
        self.masks[vertex].iter().fold(T::default(), |sum, (of, weight)| sum + cage[*of as usize] * *weight)
    }
}

fn edge(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    /// The six corners of an octahedron: ±x, ±y, ±z.
    fn octahedron() -> (Subdivided, Vec<DVec3>) {
        let corners = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        let mut indices = Vec::new();
        for (x, y, z) in (0..8).map(|i| (i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2))) {
            let turns = (x + y + z) % 2 == 0;
            indices.extend(if turns { [x, y, z] } else { [x, z, y] });
        }
        (Subdivided::cage(6, indices, vec![vec![0, 2, 1]]), corners.to_vec())
    }

    #[test]
    fn an_octahedron_is_subdivided_as_on_paper() {
        let (cage, corners) = octahedron();
        let fine = cage.finer();
        assert_eq!((fine.masks.len(), fine.indices.len() / 3), (6 + 12, 32));
        // Around a corner are four others, which lie evenly about it: β = (5/8 − (3/8)²)/4, and what remains is its own.
        let own = 1.0 - (0.625 - 0.375_f64.powi(2));
        assert!(fine.of(0, &corners).distance(DVec3::X * own) < 1e-12);
        // Between +x and +y: 3/8 of both; what lies across, +z and −z, cancels out.
        let middle = fine.lines[0][1] as usize;
        assert!(fine.of(middle, &corners).distance(DVec3::new(0.375, 0.375, 0.0)) < 1e-12);
        assert_eq!(fine.lines[0].len(), 5);
        let finest = fine.finer().finer();
        assert_eq!(finest.masks.len(), 4 * (4 * 18 - 6) - 6, "one more vertex for each of the 3 (N − 2) edges");
        for mask in &finest.masks {
            assert!((mask.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // All faces look outward, as before.
        for t in finest.indices.as_chunks::<3>().0 {
            let [a, b, c] = t.map(|v| finest.of(v as usize, &corners));
            let outward = |t: &[DVec3; 3]| (t[1] - t[0]).cross(t[2] - t[0]).dot(t[0] + t[1] + t[2]);
            let first = cage.indices.as_chunks::<3>().0[0].map(|v| corners[v as usize]);
            assert_eq!(outward(&[a, b, c]) > 0.0, outward(&first) > 0.0);
        }
    }
}

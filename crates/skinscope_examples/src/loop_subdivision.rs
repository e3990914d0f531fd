//! A closed cage that is subdivided by Loop's rule, with lines along its edges, which are followed as it becomes finer.

use std::ops::{Add, Mul};

use skinscope_deform::LoopSurface;

/// A surface that was subdivided so often.
#[derive(Clone, Debug)]
pub(super) struct Subdivided {
    /// Each vertex as a mean of vertices of the cage, and the triangles.
    surface: LoopSurface,
    /// A line of edges of the cage, as it runs through the finer vertices.
    pub(super) lines: Vec<Vec<u32>>,
}

impl Subdivided {
    /// Returns the cage itself: so many vertices, with triangles that close it, and lines along its edges that are to be followed.
    pub(super) fn cage(vertices: u32, indices: &[u32], lines: Vec<Vec<u32>>) -> Self {
        Self { surface: LoopSurface::cage(vertices, indices.as_chunks::<3>().0.to_vec()), lines }
    }

    /// Subdivides once more. Every edge gets a vertex, which comes after the vertices of before; every triangle becomes four.
    pub(super) fn finer(&self) -> Option<Self> {
        let surface = self.surface.finer(&|| false)?;
        let line = |line: &Vec<u32>| {
            let pairs = line.windows(2).flat_map(|pair| [surface.middle(pair[0], pair[1]), pair[1]]);
            line.first().copied().into_iter().chain(pairs).collect::<Vec<u32>>()
        };
        let lines = self.lines.iter().map(line).collect();
        Some(Self { surface, lines })
    }

    /// Returns how many vertices there are.
    pub(super) fn vertex_count(&self) -> usize {
        self.surface.masks.row_count()
    }

    /// Returns the vertices of the cage of which a vertex is the mean, and their weights.
    pub(super) fn mask(&self, vertex: usize) -> &[(u32, f64)] {
        self.surface.masks.row(vertex)
    }

    /// Returns the triangles, three vertices each.
    pub(super) fn indices(&self) -> Vec<u32> {
        self.surface.triangles.as_flattened().to_vec()
    }

    /// Returns what a vertex has of something that the vertices of the cage have.
    pub(super) fn of<T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>>(
        &self,
        vertex: usize,
        cage: &[T],
    ) -> T {
        self.surface.of(vertex, cage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_run_through_the_vertices_on_their_edges() {
        // A tetrahedron.
        let cage = Subdivided::cage(4, &[0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3], vec![vec![0, 1, 2]]);
        let fine = cage.finer().unwrap();
        assert_eq!((fine.vertex_count(), fine.indices().len()), (4 + 6, 4 * 12));
        let line = &fine.lines[0];
        assert_eq!([line[0], line[2], line[4]], [0, 1, 2]);
        assert_eq!(fine.mask(line[1] as usize), [(0, 0.375), (1, 0.375), (2, 0.125), (3, 0.125)]);
        assert_eq!(fine.finer().unwrap().lines[0].len(), 9);
    }
}

//! What is told of weights that were transferred.

/// How far the vertices of a model are from the surface whose weights they took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transferred {
    /// How many vertices were compared.
    pub vertices: usize,
    /// The mean distance to the closest point, metres.
    pub mean: f64,
    /// The largest distance, metres.
    pub largest: f64,
    /// The vertex with the largest distance: mesh, primitive and vertex.
    pub at: Option<(usize, usize, usize)>,
    /// How many vertices stay as they are because no joint there has the name of one of theirs.
    pub unmatched: usize,
}

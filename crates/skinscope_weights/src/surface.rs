//! The welded rest surface that operations walk on. Vertices with the same position are welded to one, whatever primitive
//! they belong to.

use glam::Vec3;
use skinscope_deform::MeshTopology;
use skinscope_model::PrimitiveId;

use crate::TableRow;

/// The primitives that one skin moves (or several that bind alike), or one primitive that nothing moves.
#[derive(Clone, Debug, Default)]
pub struct RestSurface {
    /// Its primitives; their vertices are numbered consecutively from part to part.
    pub parts: Vec<RestPart>,
    /// Its numbered vertices, welded, and its triangles.
    pub mesh: MeshTopology,
    /// The position of each welded vertex, in the mesh space of the first part.
    pub positions: Vec<Vec3>,
    /// The triangles as welded vertices, in the order of [`MeshTopology::triangles`].
    pub triangles: Vec<[u32; 3]>,
}

/// A primitive of a surface.
#[derive(Clone, Copy, Debug)]
pub struct RestPart {
    /// The index of its table in the sheet.
    pub table: usize,
    /// The primitive of the model.
    pub primitive: PrimitiveId,
    /// The number of its first vertex.
    pub first: u32,
}

impl RestSurface {
    /// Makes a surface of its parts, their welded vertices and the position of each of those.
    #[must_use]
    pub fn new(parts: Vec<RestPart>, (mesh, positions): (MeshTopology, Vec<Vec3>)) -> Self {
        Self { parts, positions, triangles: mesh.point_triangles().collect(), mesh }
    }

    /// Returns the numbered vertices that are welded to one, rising.
    #[inline]
    #[must_use]
    pub fn members(&self, welded: u32) -> &[u32] {
        self.mesh.members(welded)
    }

    /// Returns the welded vertices that an edge joins with this one, rising.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, welded: u32) -> &[u32] {
        self.mesh.neighbours(welded)
    }

    /// Returns the part of a numbered vertex, and its number in the file.
    #[inline]
    #[must_use]
    pub fn stored(&self, vertex: u32) -> (&RestPart, usize) {
        let part = &self.parts[self.parts.partition_point(|p| p.first <= vertex).saturating_sub(1)];
        (part, (vertex - part.first) as usize)
    }

    /// Returns the row of a numbered vertex.
    #[inline]
    #[must_use]
    pub fn row(&self, vertex: u32) -> TableRow {
        let (part, row) = self.stored(vertex);
        TableRow { table: part.table, row }
    }
}

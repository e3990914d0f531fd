//! References to vertices: single ones as they are drawn, and sets of stored ones, with numbers for each.

use skinscope_model::{InstanceId, MeshId, Model, NodeId, Primitive};

/// A reference to one vertex of an instance that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct VertexRef {
    /// The instance that draws it.
    pub instance: InstanceId,
    /// The index of the primitive in the instance's mesh.
    pub primitive: usize,
    /// The index of the vertex in the primitive's positions; the vertex may have been split off for tangents.
    pub vertex: usize,
}

impl VertexRef {
    /// Returns the index of the vertex in the file; one that was split off for tangents has the index of the vertex
    /// that it copies.
    #[must_use]
    pub fn stored(self, primitive: &Primitive) -> usize {
        primitive.stored_vertex(self.vertex as u32) as usize
    }
}

/// Some stored vertices of one primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct VertexPart {
    /// The mesh.
    pub mesh: MeshId,
    /// The index of the primitive in the mesh.
    pub primitive: usize,
    /// The indices of the vertices in the file, rising.
    pub vertices: Vec<u32>,
}

/// A set of stored vertices of a model. It has at most one part for each primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct VertexSet {
    /// The parts, in the order of mesh, then primitive.
    pub parts: Vec<VertexPart>,
}

impl VertexSet {
    /// Returns the number of vertices in all parts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.iter().map(|p| p.vertices.len()).sum()
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(|p| p.vertices.is_empty())
    }

    /// Makes the set of these vertices (mesh, primitive, stored vertex), which may be in any order and occur several
    /// times.
    #[must_use]
    pub fn from_vertices(mut vertices: Vec<(MeshId, usize, u32)>) -> Self {
        vertices.sort_unstable();
        vertices.dedup();
        let part = |chunk: &[(MeshId, usize, u32)]| VertexPart {
            mesh: chunk[0].0,
            primitive: chunk[0].1,
            vertices: chunk.iter().map(|v| v.2).collect(),
        };
        Self { parts: vertices.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(part).collect() }
    }

    /// Returns the vertices with a non-zero weight for a joint.
    #[must_use]
    pub fn moved_by(model: &Model, node: NodeId) -> Self {
        let mut parts = Vec::new();
        for (m, source) in model.meshes.iter().enumerate() {
            let mesh = MeshId::from_index(m);
            let skins = model.instances.iter().filter(|i| i.mesh == mesh).filter_map(|i| i.skin);
            let joints = skins.flat_map(|skin| model.skins[skin.index()].joints.iter().enumerate());
            let mut places: Vec<u16> =
                joints.filter(|(_, joint)| **joint == node).map(|(place, _)| place as u16).collect();
            places.dedup();
            for primitive in (0..source.primitives.len()).filter(|_| !places.is_empty()) {
                let Some(influences) = model.influences(mesh, primitive) else { continue };
                let is_moved = |v: &u32| {
                    let (joints, weights) = influences.of(*v as usize);
                    joints.iter().zip(weights).any(|(joint, weight)| *weight != 0.0 && places.contains(joint))
                };
                let count = source.primitives[primitive].stored_vertices as u32;
                let vertices: Vec<u32> = (0..count).filter(is_moved).collect();
                if !vertices.is_empty() {
                    parts.push(VertexPart { mesh, primitive, vertices });
                }
            }
        }
        Self { parts }
    }

    /// Returns every vertex with its mesh and primitive, in the order of the parts.
    pub fn iter(&self) -> impl Iterator<Item = (MeshId, usize, u32)> {
        self.parts.iter().flat_map(|p| p.vertices.iter().map(|v| (p.mesh, p.primitive, *v)))
    }

    /// Returns whether the set has this vertex.
    #[must_use]
    pub fn contains(&self, mesh: MeshId, primitive: usize, vertex: u32) -> bool {
        self.of(mesh, primitive).binary_search(&vertex).is_ok()
    }

    /// Returns the vertices of one primitive, rising.
    #[must_use]
    pub fn of(&self, mesh: MeshId, primitive: usize) -> &[u32] {
        let part = self.parts.iter().find(|p| p.mesh == mesh && p.primitive == primitive);
        part.map_or(&[], |p| &p.vertices)
    }
}

/// A number for each stored vertex of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerVertex {
    /// The numbers, by mesh, then primitive, then stored vertex; empty for a primitive without numbers.
    pub values: Vec<Vec<Vec<f32>>>,
}

impl PerVertex {
    /// Makes lists without numbers for all primitives of a model.
    #[must_use]
    pub fn empty(model: &Model) -> Self {
        Self { values: model.meshes.iter().map(|m| vec![Vec::new(); m.primitives.len()]).collect() }
    }

    /// Returns how many vertices have a number below zero, which means that they have no value.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.values.iter().flatten().flatten().filter(|v| **v < 0.0).count()
    }

    /// Returns the numbers of one primitive; empty where it has none.
    #[must_use]
    pub fn of(&self, mesh: MeshId, primitive: usize) -> &[f32] {
        self.values.get(mesh.index()).and_then(|m| m.get(primitive)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_vertex_is_named_by_the_one_it_copies() {
        let primitive = Primitive { stored_vertices: 4, split_from: vec![2, 0], ..Primitive::default() };
        let stored = |vertex| VertexRef { instance: InstanceId(0), primitive: 0, vertex }.stored(&primitive);
        assert_eq!([3, 4, 5].map(stored), [3, 2, 0]);
    }

    #[test]
    fn a_set_finds_the_part_of_a_primitive() {
        let part = |mesh, primitive, vertices| VertexPart { mesh: MeshId(mesh), primitive, vertices };
        let set = VertexSet { parts: vec![part(0, 1, vec![3, 4]), part(2, 0, vec![7])] };
        assert_eq!((set.len(), set.is_empty(), VertexSet::default().is_empty()), (3, false, true));
        assert_eq!((set.of(MeshId(0), 1), set.of(MeshId(2), 1)), (&[3, 4][..], &[][..]));
        assert_eq!((set.contains(MeshId(0), 1, 4), set.contains(MeshId(0), 1, 5)), (true, false));
    }

    #[test]
    fn a_set_is_made_of_vertices_in_any_order() {
        let of = |mesh, primitive, vertex| (MeshId(mesh), primitive, vertex);
        let all = vec![of(1, 0, 5), of(0, 1, 4), of(0, 1, 3), of(1, 0, 5), of(0, 0, 9)];
        let set = VertexSet::from_vertices(all);
        let part = |mesh, primitive, vertices| VertexPart { mesh: MeshId(mesh), primitive, vertices };
        assert_eq!(set.parts, [part(0, 0, vec![9]), part(0, 1, vec![3, 4]), part(1, 0, vec![5])]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [of(0, 0, 9), of(0, 1, 3), of(0, 1, 4), of(1, 0, 5)]);
    }
}

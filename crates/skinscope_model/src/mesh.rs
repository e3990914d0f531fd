//! Meshes in memory: positions, normals, influences and morph targets.

use std::ops::Range;

use glam::{DVec3, Vec2, Vec3, Vec4};

use super::{MaterialId, PrimitiveId};

/// A mesh: a list of primitives, each drawn with one material.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The primitives, in file order.
    pub primitives: Vec<Primitive>,
    /// The names of the morph targets (`extras.targetNames`), one for each target; import invents missing ones.
    pub morph_names: Vec<String>,
    /// The offset that was subtracted from the positions, in mesh space: zero except for meshes far from its origin
    /// ([`super::FarMesh`]).
    pub offset: DVec3,
}

/// The kind of primitive that the index list describes once strips, fans and loops are unrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Points: one index each.
    Points,
    /// Lines: two indices each.
    Lines,
    /// Triangles: three indices each.
    #[default]
    Triangles,
}

impl Topology {
    /// Returns how many indices each point, line or triangle has.
    #[must_use]
    pub const fn corners(self) -> usize {
        match self {
            Self::Points => 1,
            Self::Lines => 2,
            Self::Triangles => 3,
        }
    }
}

/// The `primitive.mode` that the file states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of glTF 2.0")]
pub enum SourceMode {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
}

/// The vertices that are drawn with one material. Each list of vertex data is empty or as long as `positions`.
///
/// Exporters that cut a surface at its materials often write one set of vertices that several primitives of the mesh
/// name, each with triangles of its own. The first of them then has the vertices and the triangles of all
/// ([`Primitive::parts`]), and the others have a material and nothing else ([`Primitive::shares`]), so that a vertex is
/// stored, edited and counted once.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// The kind of primitive after strips, fans and loops were unrolled.
    pub topology: Topology,
    /// The kind of primitive that the file stores.
    pub source_mode: SourceMode,
    /// The material without a variant; `None`: the default material.
    pub material: Option<MaterialId>,
    /// The material of each variant that has one of its own here, by rising index in [`super::ModelParts::variants`].
    pub variants: Vec<(usize, MaterialId)>,
    /// Vertex indices: points, lines or triangles, as `topology` says. Import makes the list where the file has none.
    pub indices: Vec<u32>,
    /// Positions in mesh space, metres.
    pub positions: Vec<Vec3>,
    /// Unit normals in mesh space. Empty where the file has none: flat normals are then computed from the deformed
    /// surface.
    pub normals: Vec<Vec3>,
    /// Tangents in mesh space: xyz has unit length, w = ±1 is the handedness. Empty where no normal map needs them.
    pub tangents: Vec<Vec4>,
    /// Both sets of texture coordinates, `TEXCOORD_0` and `TEXCOORD_1`; each may be empty.
    pub uvs: [Vec<Vec2>; 2],
    /// Vertex colours, linear RGBA with straight alpha; may be empty.
    pub colors: Vec<Vec4>,
    /// The influences that the file has; `None`: no joint moves the primitive, though the node may have a skin.
    /// [`super::Model::primitive`] returns the current influences, edits included.
    pub stored_influences: Option<Influences>,
    /// The morph targets, as many as the mesh has names for.
    pub morphs: Vec<MorphTarget>,
    /// How many vertices the file has. Those after them were split off where the tangents of triangles disagree (see
    /// [`Primitive::split_from`]).
    pub stored_vertices: usize,
    /// For vertex `stored_vertices + i`: the stored vertex that it copies.
    pub split_from: Vec<u32>,
    /// The primitive of the mesh that has the vertices and triangles of this one, since the file names the same
    /// vertices in both. All lists of vertex data and the index list are empty then.
    pub shares: Option<usize>,
    /// The first vertex list of the file with the same positions and influences, where this one names the same accessors and yet is
    /// another list: it belongs to another mesh, is drawn as points or lines, or has other attributes. Its vertices are counted there.
    pub repeats: Option<PrimitiveId>,
    /// The parts of the index list, each with the material of another primitive of the mesh: this one first, then those
    /// that share its vertices. Empty where no other primitive does. [`Mesh::parts`] returns the parts of any primitive.
    pub parts: Vec<Part>,
}

/// A part of the index list of a primitive, drawn with the material of one primitive of the mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The index in [`Mesh::primitives`] of the primitive that the file stores these triangles in. Its material and
    /// variants are those of the part.
    pub primitive: usize,
    /// The range in [`Primitive::indices`]. The ranges of a primitive follow one another and cover the whole list.
    pub indices: Range<usize>,
}

impl Mesh {
    /// Returns the parts of a primitive's index list, each with the primitive that has its material. A primitive whose
    /// vertices no other one names is one part; one whose vertices are in another has none.
    pub fn parts(&self, primitive: usize) -> impl Iterator<Item = Part> {
        let p = &self.primitives[primitive];
        let alone =
            (p.shares.is_none() && p.parts.is_empty()).then_some(Part { primitive, indices: 0..p.indices.len() });
        alone.into_iter().chain(p.parts.iter().cloned())
    }

    /// Returns the primitives whose vertices are their own, with their indices in [`Mesh::primitives`]. Each vertex of the
    /// mesh is in one of them.
    pub fn vertex_lists(&self) -> impl Iterator<Item = (usize, &Primitive)> {
        self.primitives.iter().enumerate().filter(|(_, p)| p.shares.is_none())
    }

    /// Returns the index of the primitive that has the vertices of a primitive: itself, or the one whose vertices it shares.
    #[must_use]
    pub fn holder(&self, primitive: usize) -> usize {
        self.primitives.get(primitive).and_then(|p| p.shares).unwrap_or(primitive)
    }

    /// Returns the part of a vertex list that belongs to a primitive of the file: the primitive that has its vertices, and the
    /// range in the index list of that one.
    #[must_use]
    pub fn part_of(&self, primitive: usize) -> (usize, Range<usize>) {
        let holder = self.holder(primitive);
        let own = self.parts(holder).find(|part| part.primitive == primitive);
        (holder, own.map(|part| part.indices).unwrap_or_default())
    }

    /// Returns every material that a vertex list may be drawn with, those of all its parts.
    pub fn materials_of(&self, primitive: usize) -> impl Iterator<Item = MaterialId> {
        self.parts(primitive).flat_map(|part| self.primitives[part.primitive].materials())
    }
}

impl Primitive {
    /// Returns how many vertices there are, those split off for tangents included.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the index in the file of a vertex; one that was split off for tangents has the index of the vertex that
    /// it copies.
    #[inline]
    #[must_use]
    pub fn stored_vertex(&self, vertex: u32) -> u32 {
        let split = (vertex as usize).checked_sub(self.stored_vertices);
        split.and_then(|i| self.split_from.get(i)).map_or(vertex, |from| *from)
    }

    /// Returns the corners of all triangles as indices of stored vertices; none where the topology is points or lines.
    pub fn stored_triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        let indices = if self.topology == Topology::Triangles { &self.indices[..] } else { &[] };
        indices.as_chunks::<3>().0.iter().map(|corners| corners.map(|vertex| self.stored_vertex(vertex)))
    }

    /// Returns the material that is used with a variant (`KHR_materials_variants`); `None`: the default material.
    #[must_use]
    pub fn material_in(&self, variant: Option<usize>) -> Option<MaterialId> {
        let find = |variant| self.variants.binary_search_by_key(&variant, |(of, _)| *of).ok();
        variant.and_then(find).map(|i| self.variants[i].1).or(self.material)
    }

    /// Returns every material that the primitive may be drawn with, the one without a variant first.
    pub fn materials(&self) -> impl Iterator<Item = MaterialId> {
        self.material.into_iter().chain(self.variants.iter().map(|(_, material)| *material))
    }
}

/// The displacements of one morph target in mesh space; each list is empty or as long as the primitive's positions.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Displacements of the positions, metres.
    pub positions: Vec<Vec3>,
    /// Displacements of the normals; the sums are normalised afterwards.
    pub normals: Vec<Vec3>,
    /// Displacements of xyz of the tangents.
    pub tangents: Vec<Vec3>,
}

/// The format in which the file stores weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum WeightFormat {
    /// Normalised integers of 8 bits.
    U8,
    /// Normalised integers of 16 bits.
    U16,
    /// Floats of 32 bits.
    #[default]
    F32,
}

impl WeightFormat {
    /// Returns the integer that represents a weight of 1; `None` for floats.
    #[must_use]
    pub const fn one(self) -> Option<u32> {
        match self {
            Self::U8 => Some(255),
            Self::U16 => Some(65_535),
            Self::F32 => None,
        }
    }

    /// Returns by how much the sum of a vertex's weights may differ from 1. Normalised integers must sum to 1 exactly
    /// (glTF 2.0, 3.7.3.3); floats should be "as close as reasonably possible", which allows for weights that were
    /// rounded to four digits.
    #[must_use]
    pub fn tolerance(self) -> f64 {
        match self {
            // Half a step: integers that do not sum to one are off by a whole step at least.
            Self::U8 => 0.5 / 255.0,
            Self::U16 => 0.5 / 65_535.0,
            Self::F32 => 1e-4,
        }
    }
}

/// A weight of the file that is NaN or infinite; the model has 0 in its place.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NotFinite {
    /// The index of the vertex in the file.
    pub vertex: u32,
    /// The index of the pair within the vertex (*slot*).
    pub slot: u32,
    /// The value in the file, NaN or infinite.
    pub value: f32,
}

/// A joint index of the file that is outside of the skin, with a weight that is 0 or not finite; the model has joint 0
/// in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OutOfRange {
    /// The index of the vertex in the file.
    pub vertex: u32,
    /// The index of the pair within the vertex (*slot*).
    pub slot: u32,
    /// The joint index in the file.
    pub joint: u16,
}

/// The influences that a file stores for a primitive: (joint, weight) pairs of all vertices, vertex by vertex. The
/// pairs of vertex `v` are at `v * per_vertex` to `(v + 1) * per_vertex`. [`super::InfluencesRef`] has the current
/// pairs, edits included.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Influences {
    /// How many pairs each vertex has: four for each `JOINTS_n` set.
    pub per_vertex: usize,
    /// The joints of the pairs, as indices into [`super::Skin::joints`].
    pub joints: Vec<u16>,
    /// The weights of the pairs as stored, not renormalised.
    pub weights: Vec<f32>,
    /// The format in which weights are stored; where the sets have different formats (see [`Influences::formats`]), the
    /// largest of them.
    pub format: WeightFormat,
    /// The format of each `WEIGHTS_n` set, where they differ; empty where all have [`Influences::format`].
    pub formats: Vec<WeightFormat>,
    /// Weights that import replaced by 0 because they are not finite, sorted by vertex and slot.
    pub not_finite: Vec<NotFinite>,
    /// Joints that import replaced by joint 0 because the skin has no such joint, sorted by vertex and slot.
    pub out_of_range: Vec<OutOfRange>,
}

impl Influences {
    /// Returns the joints and the weights of one vertex, pairs with weight 0 included.
    #[must_use]
    pub fn of(&self, vertex: usize) -> (&[u16], &[f32]) {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        (&self.joints[range.clone()], &self.weights[range])
    }
}

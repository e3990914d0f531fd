//! Vertices as stored: positions, normals, influences, morph targets.

use glam::{Vec2, Vec3, Vec4};

use super::MaterialId;

/// A list of primitives.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// The name in the file; it may be empty.
    pub name: String,
    /// In file order.
    pub primitives: Vec<Primitive>,
    /// Names of the morph targets (`extras.targetNames`), as many as there are targets; made up where missing.
    pub morph_names: Vec<String>,
}

/// The kind of primitive that the index list describes once strips, fans and loops are unrolled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Topology {
    /// One index each.
    Points,
    /// Two indices each.
    Lines,
    /// Three indices each.
    #[default]
    Triangles,
}

/// `primitive.mode` of the file.
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

/// Vertices drawn with one material. All lists that are not empty are as long as `positions`.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// After unrolling.
    pub topology: Topology,
    /// Before unrolling.
    pub source_mode: SourceMode,
    /// `None`: the default material.
    pub material: Option<MaterialId>,
    /// The material of each variant that has one of its own here, by rising place in [`super::ModelParts::variants`].
    pub variants: Vec<(usize, MaterialId)>,
    /// Into the vertices; a list by `topology`, written out where the file has none.
    pub indices: Vec<u32>,
    /// Mesh space, metres.
    pub positions: Vec<Vec3>,
    /// Unit; empty: flat, from the deformed surface.
    pub normals: Vec<Vec3>,
    /// xyz unit, w = ±1 the handedness; empty where no normal map needs them.
    pub tangents: Vec<Vec4>,
    /// Both texture coordinate sets, each may be empty.
    pub uvs: [Vec<Vec2>; 2],
    /// Linear RGBA, straight alpha; may be empty.
    pub colors: Vec<Vec4>,
    /// As the file has them: [`super::Model::primitive`] gives those that the model has now, with edits. `None`: rigid, though
    /// the node may have a skin.
    pub stored_influences: Option<Influences>,
    /// Displacements.
    pub morphs: Vec<MorphTarget>,
    /// Vertices of the file. Those after it were split off where tangents disagree (see [`Primitive::split_from`]).
    pub stored_vertices: usize,
    /// For vertex `stored_vertices + i`: the stored vertex it copies.
    pub split_from: Vec<u32>,
}

impl Primitive {
    /// Vertices, those split off for tangents included.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The material that a variant draws it with (`KHR_materials_variants`); `None`: the default material.
    #[must_use]
    pub fn material_in(&self, variant: Option<usize>) -> Option<MaterialId> {
        let place = |variant| self.variants.binary_search_by_key(&variant, |(of, _)| *of).ok();
        variant.and_then(place).map(|i| self.variants[i].1).or(self.material)
    }

    /// Every material that it may be drawn with, the one without a variant first.
    pub fn materials(&self) -> impl Iterator<Item = MaterialId> {
        self.material.into_iter().chain(self.variants.iter().map(|(_, material)| *material))
    }
}

/// Displacements of one morph target; each list is empty or as long as the primitive's positions.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Added to the normal, which is normalised after.
    pub normals: Vec<Vec3>,
    /// Added to the tangent's xyz.
    pub tangents: Vec<Vec3>,
}

/// How the file stores weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum WeightFormat {
    /// Normalised 8 bit.
    U8,
    /// Normalised 16 bit.
    U16,
    /// 32-bit float.
    #[default]
    F32,
}

impl WeightFormat {
    /// The integer that stands for one; `None` for floats.
    #[must_use]
    pub const fn one(self) -> Option<u32> {
        match self {
            Self::U8 => Some(255),
            Self::U16 => Some(65_535),
            Self::F32 => None,
        }
    }

    /// How far the weights of a vertex may sum from one. Normalised integers must do so exactly (glTF 2.0, 3.7.3.3); floats
    /// should come "as close as reasonably possible" there, and what was rounded to four digits is.
    #[must_use]
    pub fn tolerance(self) -> f64 {
        match self {
            // Half a step: integers that sum to another number are a whole step off.
            Self::U8 => 0.5 / 255.0,
            Self::U16 => 0.5 / 65_535.0,
            Self::F32 => 1e-4,
        }
    }
}

/// A weight of the file that is no number; the model has 0 in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotFinite {
    /// The vertex's number in the file.
    pub vertex: u32,
    /// Which of the vertex's pairs.
    pub slot: u32,
    /// NaN or infinite.
    pub value: f32,
}

/// A joint number of the file that lies beyond the skin, where the weight is 0 or no number; the model has joint 0 in its
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The vertex's number in the file.
    pub vertex: u32,
    /// Which of the vertex's pairs.
    pub slot: u32,
    /// The joint that the file stores.
    pub joint: u16,
}

/// The (joint, weight) pairs that a file stores for all vertices of a primitive, vertex after vertex: vertex `v` owns
/// `v * per_vertex ..`. Whoever asks what moves a vertex now asks [`super::InfluencesRef`], which knows of edits.
#[derive(Clone, Debug, Default)]
pub struct Influences {
    /// Pairs for each vertex: four for each `JOINTS_n` set.
    pub per_vertex: usize,
    /// Places in [`super::Skin::joints`].
    pub joints: Vec<u16>,
    /// Not renormalised.
    pub weights: Vec<f32>,
    /// How the weights are stored; of sets that differ (see [`Influences::formats`]) the one that needs most room.
    pub format: WeightFormat,
    /// How each `WEIGHTS_n` set is stored, where they differ; empty where all are stored as [`Influences::format`] says.
    pub formats: Vec<WeightFormat>,
    /// Weights that import replaced by 0 because they are not finite, sorted by vertex and slot.
    pub not_finite: Vec<NotFinite>,
    /// Joints that import replaced by joint 0 because the skin has no such joint, sorted by vertex and slot.
    pub out_of_range: Vec<OutOfRange>,
}

impl Influences {
    /// The pairs of one vertex, zero weights included.
    #[must_use]
    pub fn of(&self, vertex: usize) -> (&[u16], &[f32]) {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        (&self.joints[range.clone()], &self.weights[range])
    }
}

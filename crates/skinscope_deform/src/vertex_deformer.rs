//! Deforms single vertices of a primitive, for code that needs only a few of them.

use glam::{Vec3, Vec4};
use skinscope_model::{InfluencesRef, InstanceId, Model, Primitive};

use super::surface::palette_of;
use super::{Batch, BatchInfluences, BatchOut, Deformation};

/// Deforms single positions of a primitive, with the same result to the bit as [`super::deform_primitive`]. It cannot
/// be used for methods that need the whole surface ([`Deformation::needs_surface`]).
#[derive(Debug)]
pub struct VertexDeformer<'a> {
    primitive: &'a Primitive,
    influences: Option<InfluencesRef<'a>>,
    /// The matrices from the primitive's first one on.
    palette: &'a [Vec4],
    /// The targets with a weight: their displacements and the weight.
    morphs: Vec<(&'a [Vec3], f32)>,
    method: Deformation<'a>,
}

impl<'a> VertexDeformer<'a> {
    /// Prepares the primitive with index `primitive` of an instance; the arguments are those of
    /// [`super::deform_primitive`].
    #[must_use]
    pub fn new(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: impl Into<Deformation<'a>>,
    ) -> Self {
        let method = method.into();
        let bound = palette_of(model, (instance, primitive), packed, &method);
        Self::with(model, (instance, primitive), bound, morph_weights, method)
    }

    /// Prepares a primitive that one matrix moves rigidly, the only one in `packed`; the other arguments are those of
    /// [`VertexDeformer::new`].
    #[must_use]
    pub fn rigid(
        model: &'a Model,
        which: (InstanceId, usize),
        packed: &'a [Vec4],
        morph_weights: &[f32],
        method: impl Into<Deformation<'a>>,
    ) -> Self {
        Self::with(model, which, (packed, None), morph_weights, method.into())
    }

    fn with(
        model: &'a Model,
        (instance, primitive): (InstanceId, usize),
        (palette, influences): (&'a [Vec4], Option<InfluencesRef<'a>>),
        morph_weights: &[f32],
        method: Deformation<'a>,
    ) -> Self {
        let source = &model.instances[instance.index()];
        let primitive = &model.meshes[source.mesh.index()].primitives[primitive];
        let weights = &morph_weights[source.morph_offset..][..source.morph_weights.len()];
        let targets = primitive.morphs.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
        let morphs = targets.map(|(target, weight)| (target.positions.as_slice(), *weight)).collect();
        Self { primitive, influences, palette, morphs, method }
    }

    /// Returns the deformed position of the vertex with index `vertex`, in model space, metres.
    #[must_use]
    pub fn position(&self, vertex: usize) -> Vec3 {
        let mut out = [Vec3::ZERO];
        let movers = self.influences.map_or(BatchInfluences::One, |list| {
            let (joints, weights) = list.of(vertex);
            BatchInfluences::Each { per_vertex: joints.len(), joints, weights }
        });
        self.deform(&[self.morphed(vertex)], movers, &mut out);
        out[0]
    }

    /// Writes the deformed positions of some vertices to `out`, in model space, metres.
    pub fn positions(&self, vertices: &[u32], out: &mut Vec<Vec3>) {
        let from: Vec<Vec3> = vertices.iter().map(|v| self.morphed(*v as usize)).collect();
        out.clear();
        out.resize(vertices.len(), Vec3::ZERO);
        let Some(list) = self.influences else { return self.deform(&from, BatchInfluences::One, out) };
        let (joints, weights) = list.gathered(vertices);
        let movers = BatchInfluences::Each { per_vertex: list.per_vertex, joints: &joints, weights: &weights };
        self.deform(&from, movers, out);
    }

    fn deform(&self, from: &[Vec3], movers: BatchInfluences, out: &mut [Vec3]) {
        let values = self.method.values;
        let batch = Batch { positions: from, normals: &[], tangents: &[], movers, values, vectors: &[] };
        (self.method.deform_all)(self.palette, &batch, &mut BatchOut { positions: out, ..BatchOut::default() });
    }

    fn morphed(&self, vertex: usize) -> Vec3 {
        let mut position = self.primitive.positions[vertex];
        for (by, weight) in &self.morphs {
            if let Some(by) = by.get(vertex) {
                position += *by * *weight;
            }
        }
        position
    }
}

//! Measures what a method draws with some vertices at several positions ([`SplitModel`]): with the vertices and triangles that are drawn,
//! and reported by those of the model that was given.

use std::collections::HashMap;
use std::sync::Arc;

use skinscope_deform::{MethodData, SplitModel, Surface, SurfaceInput};
use skinscope_model::{MeshId, Model, ModelParts, Primitive};

use super::values::worse;
use super::{Measurer, SurfaceMeasures, Wanted};
use crate::{PerVertex, VertexRef};

/// Measures the surfaces of one split model.
#[derive(Clone, Debug)]
pub(super) struct SplitMeasurer {
    split: Arc<SplitModel>,
    /// Whether a pass joins the copies of a vertex again, so that the surface hangs together across them.
    is_joined: bool,
    measurer: Measurer,
}

impl SplitMeasurer {
    /// Prepares to measure the surfaces that are drawn with `data`; `None` where it splits no vertices.
    pub fn new(data: &MethodData, is_joined: bool, by_primitive: bool) -> Option<Self> {
        let split = Arc::clone(data.split.as_ref()?);
        let model = Arc::new(stored_copies(&split, data)?);
        let measurer = Measurer::of(&model, (!is_joined).then_some(data), by_primitive, &|| false)?;
        Some(Self { split, is_joined, measurer })
    }

    /// Returns whether it measures what is drawn with `data`.
    pub fn is_for(&self, data: &MethodData, is_joined: bool) -> bool {
        self.is_joined == is_joined && data.split.as_ref().is_some_and(|split| Arc::ptr_eq(split, &self.split))
    }

    /// Does the same as [`Measurer::measure`]. `model` is the one whose vertices are reported.
    pub fn measure(
        &mut self,
        model: &Model,
        input: &SurfaceInput<'_>,
        surface: &Surface,
        wanted: Wanted,
    ) -> (SurfaceMeasures, PerVertex) {
        let drawn = Arc::clone(self.measurer.model());
        let (mut out, values) = self.measurer.measure_parts(&SurfaceInput { model: &drawn, ..*input }, surface, wanted);
        let of_modes = out.normal_modes.iter_mut().filter_map(|mode| mode.at.as_mut());
        for at in out.at.iter_mut().flatten().chain(of_modes) {
            let mesh = model.instances[at.instance.index()].mesh;
            at.vertex = at.stored(&self.split.model.meshes[mesh.index()].primitives[at.primitive]);
        }
        (out, self.of_stored(model, &values, wanted))
    }

    /// Returns the numbers of stored vertices: each has the worst one of its copies.
    fn of_stored(&self, model: &Model, values: &PerVertex, wanted: Wanted) -> PerVertex {
        let mut out = PerVertex::empty(model);
        let Some(measure) = wanted.vertices else { return out };
        for (m, (lists, mesh)) in out.values.iter_mut().zip(&self.split.model.meshes).enumerate() {
            for (p, (list, source)) in lists.iter_mut().zip(&mesh.primitives).enumerate() {
                let all = values.of(MeshId::from_index(m), p);
                list.extend_from_slice(all.get(..source.stored_vertices).unwrap_or_default());
                for (vertex, value) in all.iter().enumerate().skip(list.len()) {
                    let stored = stored(source, vertex);
                    list[stored] = worse(measure, list[stored], *value);
                }
            }
        }
        out
    }
}

fn stored(source: &Primitive, vertex: usize) -> usize {
    VertexRef { instance: skinscope_model::InstanceId(0), primitive: 0, vertex }.stored(source)
}

/// Makes a model that stores the copies of a split one, so that triangles and edges are distinguished by them. Of vertices that were split
/// for tangents, and follow one joint, the first stands for all.
fn stored_copies(split: &SplitModel, data: &MethodData) -> Option<Model> {
    let mut parts = ModelParts::clone(&split.model);
    for (m, mesh) in parts.meshes.iter_mut().enumerate() {
        let instance = split.model.instances.iter().position(|instance| instance.mesh.index() == m);
        for (p, primitive) in mesh.primitives.iter_mut().enumerate() {
            let vectors = instance.and_then(|i| data.vectors.get(i)?.get(p)).map_or(&[][..], |list| list);
            let mut first = HashMap::new();
            for v in &mut primitive.indices {
                let joint = vectors.get(*v as usize).map(|vector| [vector.x, vector.w].map(f32::to_bits));
                let key = (stored(&split.model.meshes[m].primitives[p], *v as usize), joint);
                *v = *first.entry(key).or_insert(*v);
            }
            primitive.stored_vertices = primitive.positions.len();
            primitive.split_from.clear();
        }
    }
    Model::build(parts).ok()
}

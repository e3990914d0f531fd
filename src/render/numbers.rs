//! What overlays and dots need of single vertices beyond the model: numbers worked out beforehand, and marked vertices.
//! Uploaded when first shown, then kept as long as they are the same.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::PrimitiveKey;
use super::scene::GpuModel;
use crate::deform::packed::pack_marks;
use crate::frame::{Frame, Inspection, Overlay, VertexSet};
use crate::model::{MeshId, Model, Primitive};

/// Buffers of one model.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    inspection: Option<Arc<Inspection>>,
    /// By overlay; all primitives of those that were shown.
    values: HashMap<&'static str, HashMap<PrimitiveKey, wgpu::Buffer>>,
    /// The overlay that is shown.
    shown: Option<&'static Overlay>,
    marked: Arc<VertexSet>,
    marks: HashMap<PrimitiveKey, (wgpu::Buffer, u32)>,
}

impl Numbers {
    /// Uploads what `frame` shows for the first time.
    pub fn follow(&mut self, gpu: &Gpu, model: &Model, copy: &GpuModel, frame: &Frame) -> Result<(), GpuError> {
        if self.inspection.as_ref().map(Arc::as_ptr) != frame.inspection.as_ref().map(Arc::as_ptr) {
            self.values.clear();
            self.inspection.clone_from(&frame.inspection);
        }
        self.shown = frame.overlay();
        if let (Some(overlay), Some(inspection)) = (self.shown, &self.inspection)
            && let Some(values) = overlay.values
            && !self.values.contains_key(overlay.id)
        {
            let values = values(inspection);
            let mut buffers = HashMap::new();
            for (place, primitive) in primitives(model) {
                let Some(on_device) = copy.primitive(place) else { continue };
                let list = of_all(values.of(MeshId::from_index(place.0), place.1), primitive);
                let list = on_device.order.arranged(&list);
                let bytes = bytemuck::cast_slice(&list);
                buffers.insert(place, gpu.buffer("the overlay's numbers", bytes, wgpu::BufferUsages::VERTEX)?);
            }
            self.values.insert(overlay.id, buffers);
        }
        if !Arc::ptr_eq(&self.marked, &frame.marked) {
            self.marks.clear();
            for (place, _) in primitives(model) {
                let marked = frame.marked.of(MeshId::from_index(place.0), place.1);
                let Some(on_device) = copy.primitive(place).filter(|_| !marked.is_empty()) else { continue };
                let marks = pack_marks(model.primitive(MeshId::from_index(place.0), place.1), &on_device.order, marked);
                if !marks.is_empty() {
                    let buffer =
                        gpu.buffer("marked vertices", bytemuck::cast_slice(&marks), wgpu::BufferUsages::VERTEX)?;
                    let layout = on_device.layout;
                    let count = marks.len() / (layout.words() + layout.influences.words() + 1);
                    self.marks.insert(place, (buffer, count as u32));
                }
            }
            self.marked = Arc::clone(&frame.marked);
        }
        Ok(())
    }

    /// Weights have changed: the marked vertices are packed anew.
    pub fn forget_marks(&mut self) {
        self.marked = Arc::default();
    }

    /// A number for each vertex, where the overlay that is shown needs some.
    pub fn values(&self, place: PrimitiveKey) -> Option<&wgpu::Buffer> {
        self.values.get(self.shown?.id)?.get(&place)
    }

    /// Marked vertices, and how many they are.
    pub fn marks(&self, place: PrimitiveKey) -> Option<&(wgpu::Buffer, u32)> {
        self.marks.get(&place)
    }
}

fn primitives(model: &Model) -> impl Iterator<Item = (PrimitiveKey, &Primitive)> {
    let meshes = model.meshes.iter().enumerate();
    meshes.flat_map(|(m, mesh)| mesh.primitives.iter().enumerate().map(move |(n, p)| ((m, n), p)))
}

/// Those of the stored vertices, then of the ones split off from them. What has none has zero.
fn of_all<'a>(stored: &'a [f32], primitive: &Primitive) -> Cow<'a, [f32]> {
    if stored.len() == primitive.vertex_count() {
        return Cow::Borrowed(stored);
    }
    let of = |vertex: usize| stored.get(vertex).copied().unwrap_or(0.0);
    let split = primitive.split_from.iter().map(|v| of(*v as usize));
    (0..primitive.stored_vertices).map(of).chain(split).collect()
}

//! The data of single vertices that overlays and dots need beyond the model: numbers that were computed beforehand, and
//! marked vertices. It is uploaded when first shown, then reused as long as it is the same.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use skinscope_deform::packed::pack_marks;
use skinscope_frame::{Frame, Overlay, PerVertex, VertexSet};
use skinscope_model::{MeshId, Model, Primitive};

use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::PrimitiveKey;
use super::patches::Patches;
use super::pool::BufferRange;
use super::scene::GpuModel;

/// The buffers for one model.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The numbers of each overlay that was shown, by its id.
    values: HashMap<&'static str, Values>,
    /// The overlay that is shown.
    shown: Option<&'static Overlay>,
    marked: Arc<VertexSet>,
    marks: HashMap<PrimitiveKey, (wgpu::Buffer, u32)>,
}

/// The numbers that an overlay shows.
#[derive(Debug)]
struct Values {
    list: Arc<PerVertex>,
    buffers: HashMap<PrimitiveKey, BufferRange>,
}

impl Numbers {
    /// Uploads what `frame` shows for the first time.
    pub fn follow(&mut self, gpu: &Gpu, model: &Model, copy: &GpuModel, frame: &Frame) -> Result<(), GpuError> {
        self.shown = frame.overlay();
        let shown = self.shown.filter(|overlay| overlay.values.is_some()).map(|overlay| overlay.id);
        if let (Some(id), Some(list)) = (shown, &frame.values) {
            let is_there = match self.values.get_mut(id) {
                Some(held) if Arc::ptr_eq(&held.list, list) => true,
                // Where few differ they are written over.
                Some(held) if patch(gpu, model, copy, &held.buffers, (held.list.as_ref(), list.as_ref()))? => {
                    held.list = Arc::clone(list);
                    true
                }
                _ => false,
            };
            if !is_there {
                let mut buffers = HashMap::new();
                for (key, primitive) in primitives(model) {
                    let Some(on_device) = copy.primitive(key) else { continue };
                    let numbers = of_all(list.of(MeshId::from_index(key.0), key.1), primitive);
                    let numbers = on_device.order.arranged(&numbers);
                    let bytes = bytemuck::cast_slice(&numbers);
                    let range = BufferRange::alone(gpu, "the overlay's numbers", bytes, wgpu::BufferUsages::VERTEX)?;
                    buffers.insert(key, range);
                }
                self.values.insert(id, Values { list: Arc::clone(list), buffers });
            }
        }
        // Those of other overlays stay as long as somebody may show them again.
        self.values.retain(|id, held| shown == Some(*id) || Arc::strong_count(&held.list) > 1);
        if !Arc::ptr_eq(&self.marked, &frame.marked) {
            self.marks.clear();
            for (key, _) in primitives(model) {
                let marked = frame.marked.of(MeshId::from_index(key.0), key.1);
                let Some(on_device) = copy.primitive(key).filter(|_| !marked.is_empty()) else { continue };
                let shown = model.primitive(MeshId::from_index(key.0), key.1);
                let marks = pack_marks(shown, on_device.layout, &on_device.order, marked);
                if !marks.is_empty() {
                    let buffer =
                        gpu.buffer("marked vertices", bytemuck::cast_slice(&marks), wgpu::BufferUsages::VERTEX)?;
                    let layout = on_device.layout;
                    let count = marks.len() / (layout.words() + layout.influences.words() + 1);
                    self.marks.insert(key, (buffer, count as u32));
                }
            }
            self.marked = Arc::clone(&frame.marked);
        }
        Ok(())
    }

    /// Has the marked vertices packed again, because weights have changed.
    pub(crate) fn forget_marks(&mut self) {
        self.marked = Arc::default();
    }

    /// The buffer with a number for each vertex of a primitive; `None` where the overlay that is shown needs none.
    pub fn values(&self, key: PrimitiveKey) -> Option<&wgpu::Buffer> {
        self.values.get(self.shown?.id)?.buffers.get(&key).map(BufferRange::buffer)
    }

    /// The buffer of the marked vertices of a primitive, and how many they are.
    pub fn marks(&self, key: PrimitiveKey) -> Option<&(wgpu::Buffer, u32)> {
        self.marks.get(&key)
    }
}

/// A primitive with more than one in so many numbers that differ is uploaded whole.
const FEW: usize = 16;

/// Writes the numbers that differ between two lists, the first of which `buffers` holds. Returns false, with nothing written, where many
/// differ.
fn patch(
    gpu: &Gpu,
    model: &Model,
    copy: &GpuModel,
    buffers: &HashMap<PrimitiveKey, BufferRange>,
    (before, now): (&PerVertex, &PerVertex),
) -> Result<bool, GpuError> {
    let mut patches = Patches::default();
    for (key, primitive) in primitives(model) {
        let mesh = MeshId::from_index(key.0);
        let (before, now) = (before.of(mesh, key.1), now.of(mesh, key.1));
        let (Some(range), Some(on_device)) = (buffers.get(&key), copy.primitive(key)) else { continue };
        if before.len() != now.len() {
            return Ok(false);
        }
        let differs = |vertex: usize| before.get(vertex).map(|v| v.to_bits()) != now.get(vertex).map(|v| v.to_bits());
        // Lists of all vertices have numbers of their own for those that were split off.
        let has_all = now.len() == primitive.vertex_count();
        let split = (primitive.stored_vertices..).zip(&primitive.split_from).filter(|_| !has_all);
        let stored = (0..now.len()).filter(|v| differs(*v)).map(|v| (v, v));
        let all = stored.chain(split.map(|(v, from)| (v, *from as usize)).filter(|(_, from)| differs(*from)));
        let most = now.len() / FEW;
        let changed: Vec<(usize, usize)> = all.take(most + 1).collect();
        if changed.len() > most {
            return Ok(false);
        }
        let words: Vec<u32> = changed.iter().map(|(_, of)| now[*of].to_bits()).collect();
        let rows = changed.iter().enumerate().map(|(row, (v, _))| (on_device.order.slot(*v), row)).collect();
        patches.add(range, rows, &words, 1);
    }
    patches.send(gpu, "changed numbers")?;
    Ok(true)
}

fn primitives(model: &Model) -> impl Iterator<Item = (PrimitiveKey, &Primitive)> {
    let meshes = model.meshes.iter().enumerate();
    meshes.flat_map(|(m, mesh)| mesh.primitives.iter().enumerate().map(move |(n, p)| ((m, n), p)))
}

/// The numbers of the stored vertices, then those of the vertices that were split off from them. A vertex without a
/// number gets zero.
fn of_all<'a>(stored: &'a [f32], primitive: &Primitive) -> Cow<'a, [f32]> {
    if stored.len() == primitive.vertex_count() {
        return Cow::Borrowed(stored);
    }
    let of = |vertex: usize| stored.get(vertex).copied().unwrap_or(0.0);
    let split = primitive.split_from.iter().map(|v| of(*v as usize));
    (0..primitive.stored_vertices).map(of).chain(split).collect()
}

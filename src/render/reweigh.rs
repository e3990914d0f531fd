//! Changed weights on their way to the device: of the vertices that changed, joints and weights are sent, and nothing else.
//!
//! Joints and weights stand in the row of their vertex. Those that fit the layout of the primitive are written over the old
//! ones, all with one upload. A primitive whose layout they do not fit (a vertex that needs more bits, or more than four
//! joints) has its vertices packed anew; its order, indices, colours and textures stay as they are.

use super::error::GpuError;
use super::gpu::Gpu;
use super::pipelines::ModelLayouts;
use super::scene::{GpuModel, MANY_VERTICES, takes_long};
use crate::deform::packed::pack_influences;
use crate::model::{MeshId, Model, PrimitiveRef, is_same_row};

/// More rows than this are not written one by one but with their whole primitive: bytes that a row costs to be copied.
const ROW_COST: usize = 64;

/// The most changed vertices that a picture waits for.
pub(super) const MOST_IN_A_PICTURE: usize = MANY_VERTICES;

/// Vertices whose weights two models may have different: at least those that do.
fn changed_pages(held: &Model, wanted: &Model) -> usize {
    let of = |(mesh, n): (MeshId, usize)| {
        let ranges = ranges(held.primitive(mesh, n), wanted.primitive(mesh, n));
        ranges.into_iter().map(|range| range.len()).sum::<usize>()
    };
    places(held, wanted).into_iter().map(of).sum()
}

/// Whether another model has other weights and nothing else, and no more of them than go to the device between two pictures.
pub(super) fn is_quick(held: &Model, wanted: &Model, most: usize) -> bool {
    held.shares_all_but_weights(wanted) && (!takes_long(wanted) || changed_pages(held, wanted) <= most)
}

/// Where one of two models has edited weights.
fn places(held: &Model, wanted: &Model) -> Vec<(MeshId, usize)> {
    let mut all: Vec<_> = held.weight_edits().places().chain(wanted.weight_edits().places()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The vertices outside of which two primitives have the same weights.
fn ranges(held: PrimitiveRef<'_>, wanted: PrimitiveRef<'_>) -> Vec<std::ops::Range<usize>> {
    match (held.influences, wanted.influences) {
        (Some(held), Some(wanted)) => wanted.changed_since(held).collect(),
        _ => Vec::new(),
    }
}

/// The vertices of which two primitives have different weights.
fn changed(held: PrimitiveRef<'_>, wanted: PrimitiveRef<'_>) -> Vec<u32> {
    let (Some(before), Some(now)) = (held.influences, wanted.influences) else { return Vec::new() };
    let vertices = ranges(held, wanted).into_iter().flatten();
    vertices.filter(|v| !is_same_row(before.of(*v), now.of(*v))).map(|v| v as u32).collect()
}

/// Copies of words from one place to others.
#[derive(Default)]
struct Patches {
    words: Vec<u32>,
    /// Buffer, byte in it, first of `words`, how many.
    copies: Vec<(wgpu::Buffer, u64, usize, usize)>,
}

impl GpuModel {
    /// Makes the copy of `held` one of `wanted`, which has other weights and nothing else.
    pub fn change_weights(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        held: &Model,
        wanted: &Model,
    ) -> Result<(), GpuError> {
        // What is under way was packed with the weights before.
        self.begin_order_again();
        let mut patches = Patches::default();
        for (mesh, n) in places(held, wanted) {
            let (before, now) = (held.primitive(mesh, n), wanted.primitive(mesh, n));
            let place = (mesh.index(), n);
            if self.primitive(place).is_none() {
                continue;
            }
            let vertices = changed(before, now);
            let row = self.primitive(place).map_or(0, |on_device| 4 * on_device.layout.words());
            let many = vertices.len() * ROW_COST > row.max(1) * now.vertex_count().max(1);
            if vertices.is_empty() {
                continue;
            }
            if many || !self.patch(place, now, &vertices, &mut patches) {
                self.pack_again(gpu, layouts, wanted, place)?;
            }
        }
        if patches.copies.is_empty() {
            return Ok(());
        }
        let bytes: &[u8] = bytemuck::cast_slice(&patches.words);
        let staging = gpu.buffer("changed weights", bytes, wgpu::BufferUsages::COPY_SRC)?;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("changed weights") });
        for (buffer, at, first, count) in &patches.copies {
            encoder.copy_buffer_to_buffer(&staging, 4 * *first as u64, buffer, *at, 4 * *count as u64);
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Notes what to write for some vertices of a primitive; false, and nothing noted, where its layout does not hold them.
    fn patch(&mut self, (mesh, n): (usize, usize), now: PrimitiveRef<'_>, vertices: &[u32], out: &mut Patches) -> bool {
        let Some(on_device) = self.meshes.get_mut(mesh).and_then(|mesh| mesh.get_mut(n)) else { return false };
        let layout = on_device.layout;
        let (words, copies) = (out.words.len(), out.copies.len());
        let places = if on_device.order.is_own() { Vec::new() } else { on_device.order.places(now.vertex_count()) };
        for vertex in vertices {
            let first = out.words.len();
            if !pack_influences(now, layout, *vertex as usize, &mut out.words) {
                out.words.truncate(words);
                out.copies.truncate(copies);
                return false;
            }
            let place = places.get(*vertex as usize).copied().unwrap_or(*vertex) as usize;
            let at = on_device.vertices.byte(4 * (place * layout.words() + layout.joints_at()));
            out.copies.push((on_device.vertices.buffer().clone(), at, first, out.words.len() - first));
        }
        on_device.meet(now, vertices);
        true
    }
}

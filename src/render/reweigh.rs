//! Uploads changed weights: joints and weights are sent, and nothing else.
//!
//! They have buffers of their own. If the weights of single vertices change and fit the layout of their primitive, they
//! are written over the old ones, all with one upload. If they do not fit (a vertex needs more bits, or more than four
//! joints), or if most vertices of a primitive change, all of its joints and weights are uploaded again. What would
//! hold a picture up is packed on a thread, and comes with a later picture.

use std::sync::Arc;

use super::device_jobs::{DeviceJob, DeviceJobs};
use super::error::GpuError;
use super::gpu::Gpu;
use super::pipeline_factory::ModelLayouts;
use super::primitive::MANY_VERTICES;
use super::scene::{GpuModel, NewInfluences, takes_long};
use crate::deform::packed::pack_influences;
use crate::model::{MeshId, Model, PrimitiveRef, is_same_row};
use crate::parallel::JobContext;

/// What copying one row costs, in bytes of an upload. If copying its changed rows costs more than uploading all of its
/// rows, a primitive is uploaded whole.
const ROW_COST: usize = 64;

/// Whether `wanted` differs from `held` in nothing but weights, and in so few that they can be packed between two
/// pictures: at most [`MANY_VERTICES`] vertices are touched, and at most as many packed again. Without `waits` pictures
/// wait for slow work, and any change of weights will do.
pub(super) fn is_quick(copy: &GpuModel, held: &Model, wanted: &Model, waits: bool) -> bool {
    held.shares_all_but_edits(wanted) && (!waits || !takes_long(wanted) || is_small(copy, held, wanted))
}

/// Whether few vertices are touched, and fit the present layout if their primitive is large.
fn is_small(copy: &GpuModel, held: &Model, wanted: &Model) -> bool {
    let mut touched = 0;
    places(held, wanted).into_iter().all(|(mesh, n)| {
        let (before, now) = (held.primitive(mesh, n), wanted.primitive(mesh, n));
        let ranges = ranges(before, now);
        touched += ranges.iter().map(|range| range.len()).sum::<usize>();
        if touched > MANY_VERTICES {
            return false;
        }
        let Some(on_device) = copy.primitive((mesh.index(), n)).filter(|_| now.vertex_count() > MANY_VERTICES) else {
            return true;
        };
        let (layout, mut words) = (on_device.layout.influences, Vec::new());
        ranges.into_iter().flatten().all(|vertex| {
            words.clear();
            pack_influences(now, layout, vertex, &mut words)
        })
    })
}

/// The primitives of which one of two models has edited weights.
fn places(held: &Model, wanted: &Model) -> Vec<(MeshId, usize)> {
    let mut all: Vec<_> = held.weight_edits().places().chain(wanted.weight_edits().places()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The ranges of vertices outside of which two primitives have the same weights.
fn ranges(held: PrimitiveRef<'_>, wanted: PrimitiveRef<'_>) -> Vec<std::ops::Range<usize>> {
    match (held.influences, wanted.influences) {
        (Some(held), Some(wanted)) => wanted.changed_since(held).collect(),
        _ => Vec::new(),
    }
}

/// The vertices whose weights differ between two primitives.
fn changed(held: PrimitiveRef<'_>, wanted: PrimitiveRef<'_>) -> Vec<u32> {
    let (Some(before), Some(now)) = (held.influences, wanted.influences) else { return Vec::new() };
    let vertices = ranges(held, wanted).into_iter().flatten();
    vertices.filter(|v| !is_same_row(before.of(*v), now.of(*v))).map(|v| v as u32).collect()
}

/// Words that are uploaded together, and the places that they are then copied to.
#[derive(Default)]
struct Patches {
    words: Vec<u32>,
    /// For each copy the buffer, the byte in it, the first of `words`, and their number.
    copies: Vec<(wgpu::Buffer, u64, usize, usize)>,
}

impl GpuModel {
    /// Turns the copy of `held` into one of `wanted`, which differs in nothing but weights.
    pub fn change_weights(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        held: &Model,
        wanted: &Model,
    ) -> Result<(), GpuError> {
        // A reordering that is under way has packed the old weights.
        self.begin_order_again();
        let (mut patches, mut whole) = (Patches::default(), Vec::new());
        for (mesh, n) in places(held, wanted) {
            let (before, now) = (held.primitive(mesh, n), wanted.primitive(mesh, n));
            let place = (mesh.index(), n);
            let Some(on_device) = self.primitive(place) else { continue };
            let vertices = changed(before, now);
            let row = 4 * on_device.layout.influences.words();
            let many = vertices.len() * ROW_COST > row.max(1) * now.vertex_count().max(1);
            if !vertices.is_empty() && (many || !self.patch(place, now, &vertices, &mut patches)) {
                whole.extend(self.influence_work(place));
            }
        }
        let context = JobContext::of_waiting();
        let news = Self::upload_influences(gpu, layouts, (wanted, self.uniforms()), whole, &context)?;
        self.take_influences(wanted, news);
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

    /// Packs and uploads joints and weights of `wanted`, which differs from `held` in nothing else, on a thread: all of
    /// those of each primitive in which some differ. [`GpuModel::take_weights`] takes the result.
    pub fn begin_weights(
        &self,
        layouts: &ModelLayouts,
        jobs: &DeviceJobs,
        held: &Model,
        wanted: &Arc<Model>,
    ) -> DeviceJob<Vec<NewInfluences>> {
        let of = |(mesh, n): (MeshId, usize)| {
            let differs = !ranges(held.primitive(mesh, n), wanted.primitive(mesh, n)).is_empty();
            differs.then(|| self.influence_work((mesh.index(), n))).flatten()
        };
        let work: Vec<_> = places(held, wanted).into_iter().filter_map(of).collect();
        let (layouts, uniforms, model) = (layouts.clone(), self.uniforms().clone(), Arc::clone(wanted));
        jobs.start("weights", move |gpu, context| {
            Self::upload_influences(gpu, &layouts, (&model, &uniforms), work, context)
        })
    }

    /// Replaces joints and weights by those that [`GpuModel::begin_weights`] has uploaded.
    pub fn take_weights(&mut self, wanted: &Model, news: Vec<NewInfluences>) {
        self.begin_order_again();
        self.take_influences(wanted, news);
    }

    /// Notes what to write for some vertices of a primitive. Returns false, with nothing noted, where its layout cannot
    /// hold them.
    fn patch(&mut self, (mesh, n): (usize, usize), now: PrimitiveRef<'_>, vertices: &[u32], out: &mut Patches) -> bool {
        let Some(on_device) = self.meshes.get_mut(mesh).and_then(|mesh| mesh.get_mut(n)) else { return false };
        let layout = on_device.layout.influences;
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
            let rows = &on_device.influences.rows;
            let at = rows.byte(4 * place * layout.words());
            out.copies.push((rows.buffer().clone(), at, first, out.words.len() - first));
        }
        on_device.influences.meet(now, vertices);
        true
    }
}

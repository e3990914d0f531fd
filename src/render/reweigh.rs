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
use super::patches::Patches;
use super::pipeline_factory::ModelLayouts;
use super::primitive::{GpuPrimitive, MANY_VERTICES};
use super::scene::{GpuModel, NewInfluences, takes_long};
use crate::deform::packed::pack_influences;
use crate::model::{MeshId, Model, PrimitiveRef};
use crate::parallel::JobContext;

/// What copying one row costs, in bytes of an upload. If copying its changed rows costs more than uploading all of its
/// rows, a primitive is uploaded whole.
const ROW_COST: usize = 64;
/// With more changed rows than this, copying them would hold a picture up, and they are packed and uploaded on a thread.
const MOST_ROWS: usize = 16_384;

/// Whether `wanted` differs from `held` in nothing but weights, and in so few that they can be packed between two
/// pictures: those of at most [`MOST_ROWS`] vertices, in a large primitive only as far as they fit its layout. Without `waits` pictures
/// wait for slow work, and any change of weights will do.
pub(super) fn is_quick(copy: &GpuModel, held: &Model, wanted: &Model, waits: bool) -> bool {
    held.shares_all_but_edits(wanted) && (!waits || !takes_long(wanted) || is_small(copy, held, wanted))
}

/// Whether few vertices have other weights, and fit the present layout if their primitive is large.
fn is_small(copy: &GpuModel, held: &Model, wanted: &Model) -> bool {
    let mut rows = 0;
    places(held, wanted).into_iter().all(|(mesh, n)| {
        let (before, now) = (held.primitive(mesh, n), wanted.primitive(mesh, n));
        let on_device = copy.primitive((mesh.index(), n)).filter(|_| now.vertex_count() > MANY_VERTICES);
        let mut words = Vec::new();
        changed(before, now).all(|vertex| {
            rows += 1;
            words.clear();
            let fits = |p: &GpuPrimitive| pack_influences(now, p.layout.influences, vertex, &mut words);
            rows <= MOST_ROWS && on_device.is_none_or(fits)
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

/// The vertices whose weights differ between two primitives, rising.
fn changed<'a>(held: PrimitiveRef<'a>, wanted: PrimitiveRef<'a>) -> impl Iterator<Item = usize> + 'a {
    let both = held.influences.zip(wanted.influences);
    both.into_iter().flat_map(|(before, now)| now.changed_vertices(before))
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
            let vertices: Vec<u32> = changed(before, now).map(|vertex| vertex as u32).collect();
            let row = 4 * on_device.layout.influences.words();
            let many = vertices.len() * ROW_COST > row.max(1) * now.vertex_count().max(1);
            if !vertices.is_empty() && (many || !self.patch(place, now, &vertices, &mut patches)) {
                whole.extend(self.influence_work(place));
            }
        }
        let context = JobContext::of_waiting();
        let news = Self::upload_influences(gpu, layouts, (wanted, self.uniforms()), whole, &context)?;
        self.take_influences(wanted, news);
        patches.send(gpu, "changed weights")
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
            let differs = changed(held.primitive(mesh, n), wanted.primitive(mesh, n)).next().is_some();
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
        let (mut words, mut rows) = (Vec::new(), Vec::with_capacity(vertices.len()));
        for (row, vertex) in vertices.iter().enumerate() {
            if !pack_influences(now, layout, *vertex as usize, &mut words) {
                return false;
            }
            rows.push((on_device.order.place(*vertex as usize), row));
        }
        out.add(&on_device.influences.rows, rows, &words, layout.words());
        on_device.influences.meet(now, vertices);
        true
    }
}

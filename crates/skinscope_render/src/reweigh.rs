//! Uploads changed weights: joints and weights are sent, and nothing else.
//!
//! They have buffers of their own. If the weights of single vertices change and fit the layout of their primitive, they
//! are written over the old ones, all with one upload. If they do not fit (a vertex needs more bits, or more than four
//! joints), or if most vertices of a primitive change, all of its joints and weights are uploaded again. What would
//! hold a picture up is packed on a thread, and comes with a later picture.

use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_deform::packed::pack_influences;
use skinscope_model::{MeshId, Model, PrimitiveId, PrimitiveRef};

use super::device_jobs::{DeviceJob, DeviceJobs};
use super::error::GpuError;
use super::gpu::Gpu;
use super::patches::Patches;
use super::pipeline_factory::ModelLayouts;
use super::primitive::MANY_VERTICES;
use super::scene::{GpuModel, NewInfluences, takes_long};

/// What copying one row costs, in bytes of an upload. If copying its changed rows costs more than uploading all of its
/// rows, a primitive is uploaded whole.
const ROW_COST: usize = 64;
/// With more changed rows than this, copying them would hold a picture up, and they are packed and uploaded on a thread.
const MOST_ROWS: usize = 16_384;

/// What to write for one primitive, some weights of which differ.
struct Rewrite {
    mesh: MeshId,
    primitive: usize,
    /// The vertices whose weights differ, rising.
    vertices: Vec<u32>,
    /// The rows of these vertices, one after the other; `None` where all rows of the primitive are packed and uploaded again: most
    /// differ, or its layout cannot hold one of them.
    words: Option<Vec<u32>>,
}

/// The weights in which a model differs from the one on the device, packed for the device.
pub(super) struct Rewrites(Vec<Rewrite>);

impl Rewrites {
    /// Packs the weights in which `wanted` differs from `resident`. `None` where they differ in more than weights, or in so many that
    /// pictures would wait: those of more than [`MOST_ROWS`] vertices, or in a large primitive some that its layout cannot hold. Without
    /// `waits` pictures wait for slow work, and any change of weights will do.
    pub fn of(copy: &GpuModel, resident: &Model, wanted: &Model, waits: bool) -> Option<Self> {
        if !resident.shares_all_but_edits(wanted) {
            return None;
        }
        let mut left = if waits && takes_long(wanted) { MOST_ROWS } else { usize::MAX };
        let must_be_quick = left != usize::MAX;
        let mut out = Vec::new();
        for PrimitiveId { mesh, primitive } in edited_primitives(resident, wanted) {
            let (before, now) = (resident.primitive(mesh, primitive), wanted.primitive(mesh, primitive));
            let vertices: Vec<u32> =
                changed(before, now).take(left.saturating_add(1)).map(|vertex| vertex as u32).collect();
            left = left.checked_sub(vertices.len())?;
            let Some(on_device) = copy.primitive((mesh.index(), primitive)).filter(|_| !vertices.is_empty()) else {
                continue;
            };
            let layout = on_device.layout.influences;
            let mut words = Vec::with_capacity(vertices.len() * layout.words());
            let fits = vertices.iter().all(|vertex| pack_influences(now, layout, *vertex as usize, &mut words));
            if must_be_quick && !fits && now.vertex_count() > MANY_VERTICES {
                return None;
            }
            let many = vertices.len() * ROW_COST > (4 * layout.words()).max(1) * now.vertex_count().max(1);
            out.push(Rewrite { mesh, primitive, vertices, words: Some(words).filter(|_| fits && !many) });
        }
        Some(Self(out))
    }
}

/// The primitives of which one of two models has edited weights.
fn edited_primitives(resident: &Model, wanted: &Model) -> Vec<PrimitiveId> {
    let mut all: Vec<_> = resident.weight_edits().primitives().chain(wanted.weight_edits().primitives()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The vertices whose weights differ between two primitives, rising.
fn changed<'a>(resident: PrimitiveRef<'a>, wanted: PrimitiveRef<'a>) -> impl Iterator<Item = usize> + 'a {
    let both = resident.influences.zip(wanted.influences);
    both.into_iter().flat_map(|(before, now)| now.changed_vertices(before))
}

impl GpuModel {
    /// Turns the copy of another model into one of `wanted`, which differs from it in these weights alone.
    pub fn change_weights(
        &mut self,
        gpu: &Gpu,
        layouts: &ModelLayouts,
        wanted: &Model,
        rewrites: Rewrites,
    ) -> Result<(), GpuError> {
        // A reordering that is under way has packed the old weights.
        self.begin_order_again();
        let (mut patches, mut whole) = (Patches::default(), Vec::new());
        for Rewrite { mesh, primitive, vertices, words } in rewrites.0 {
            let key = (mesh.index(), primitive);
            match words {
                Some(words) => self.patch(key, wanted.primitive(mesh, primitive), &vertices, &words, &mut patches),
                None => whole.extend(self.influence_work(key)),
            }
        }
        let context = JobContext::of_waiting();
        let news = Self::upload_influences(gpu, layouts, (wanted, self.uniforms()), whole, &context)?;
        self.take_influences(wanted, news);
        patches.send(gpu, "changed weights")
    }

    /// Packs and uploads joints and weights of `wanted`, which differs from `resident` in nothing else, on a thread: all of
    /// those of each primitive in which some differ. [`GpuModel::take_weights`] takes the result.
    pub(crate) fn begin_weights(
        &self,
        layouts: &ModelLayouts,
        jobs: &DeviceJobs,
        resident: &Model,
        wanted: &Arc<Model>,
    ) -> DeviceJob<Vec<NewInfluences>> {
        let of = |PrimitiveId { mesh, primitive: n }| {
            let differs = changed(resident.primitive(mesh, n), wanted.primitive(mesh, n)).next().is_some();
            differs.then(|| self.influence_work((mesh.index(), n))).flatten()
        };
        let work: Vec<_> = edited_primitives(resident, wanted).into_iter().filter_map(of).collect();
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

    /// Notes what to write for some vertices of a primitive: `words` holds their rows.
    fn patch(
        &mut self,
        (mesh, n): (usize, usize),
        now: PrimitiveRef<'_>,
        vertices: &[u32],
        words: &[u32],
        out: &mut Patches,
    ) {
        let Some(on_device) = self.meshes.get_mut(mesh).and_then(|mesh| mesh.get_mut(n)) else { return };
        let rows = vertices.iter().enumerate().map(|(row, v)| (on_device.order.slot(*v as usize), row)).collect();
        out.add(&on_device.influences.rows, rows, words, on_device.layout.influences.words());
        on_device.influences.meet(now, vertices);
    }
}

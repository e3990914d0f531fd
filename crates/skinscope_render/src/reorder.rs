//! Finds a better order of triangles and vertices for large meshes in the background. It takes longer than one picture
//! gains by it, so it begins when several have been drawn. The picture does not change when the new order comes.

use std::sync::Arc;

use skinscope_base::parallel::{Job, JobContext};
use skinscope_deform::packed::{PackedPrimitive, is_cheap_to_reorder, may_reorder, repacked};
use skinscope_model::{MeshId, Model};

use super::layouts::PrimitiveKey;

/// After this many pictures of a model, more are expected.
const PICTURES: u32 = 8;

/// The stage of the work.
#[derive(Debug, Default)]
pub(super) enum Reordering {
    /// It has not begun; this many pictures were drawn.
    Waiting(u32),
    Running(Job<Vec<(PrimitiveKey, PackedPrimitive)>>),
    #[default]
    Done,
}

impl Reordering {
    /// The stage for a model that was just uploaded.
    pub fn new() -> Self {
        Self::Waiting(0)
    }

    /// Counts a picture, and begins the work after some of them. Once it is done, returns the primitives that are to be
    /// uploaded in place of those on the device. `shown` says whether a mesh is on the device.
    pub fn step(&mut self, model: &Arc<Model>, shown: &dyn Fn(usize) -> bool) -> Vec<(PrimitiveKey, PackedPrimitive)> {
        match self {
            Self::Waiting(pictures) if *pictures < PICTURES => *pictures += 1,
            Self::Waiting(_) => *self = Self::start(model, shown),
            Self::Running(job) if job.is_done() => {
                if let Self::Running(job) = std::mem::take(self) {
                    return job.take().unwrap_or_default();
                }
            }
            Self::Running(_) | Self::Done => {}
        }
        Vec::new()
    }

    fn start(model: &Arc<Model>, shown: &dyn Fn(usize) -> bool) -> Self {
        let meshes = model.meshes.iter().enumerate().filter(|(mesh, _)| shown(*mesh));
        let keys = meshes.flat_map(|(mesh, m)| (0..m.primitives.len()).map(move |n| (mesh, n)));
        let keys: Vec<PrimitiveKey> = keys
            .filter(|(mesh, n)| {
                let p = &model.meshes[*mesh].primitives[*n];
                may_reorder(model, MeshId::from_index(*mesh), *n) && !is_cheap_to_reorder(p)
            })
            .collect();
        if keys.is_empty() {
            return Self::Done;
        }
        let model = Arc::clone(model);
        let pack =
            move |(mesh, n): PrimitiveKey| Some(((mesh, n), repacked(model.primitive(MeshId::from_index(mesh), n))?));
        let work = move |context: &JobContext| {
            keys.into_iter().take_while(|_| !context.is_cancelled()).filter_map(pack).collect()
        };
        // Nobody is woken when it is done: the next picture checks.
        Self::Running(Job::start("vertex order", Arc::new(|| ()), work))
    }
}

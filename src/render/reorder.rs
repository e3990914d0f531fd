//! A better order of triangles and vertices for large meshes, worked out beside the pictures: it takes longer than a picture
//! gains from it, so it waits until several have been drawn. Nobody sees when it comes.

use std::sync::Arc;

use super::layouts::PrimitiveKey;
use crate::deform::packed::{PackedPrimitive, is_cheap_to_reorder, may_reorder, repacked};
use crate::model::{MeshId, Model};
use crate::parallel::{Job, JobContext};

/// So many pictures of a model say that more will come.
const PICTURES: u32 = 8;

/// The stage of the work.
#[derive(Debug, Default)]
pub(super) enum Reordering {
    /// So many pictures were drawn.
    Waiting(u32),
    Running(Job<Vec<(PrimitiveKey, PackedPrimitive)>>),
    #[default]
    Done,
}

impl Reordering {
    /// For a model that was just uploaded.
    pub fn new() -> Self {
        Self::Waiting(0)
    }

    /// Counts a picture. What is to be uploaded in place of what the device has, once it is there.
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
        let places = meshes.flat_map(|(mesh, m)| (0..m.primitives.len()).map(move |n| (mesh, n)));
        let places: Vec<PrimitiveKey> = places
            .filter(|(mesh, n)| {
                let p = &model.meshes[*mesh].primitives[*n];
                may_reorder(model, p) && !is_cheap_to_reorder(p)
            })
            .collect();
        if places.is_empty() {
            return Self::Done;
        }
        let model = Arc::clone(model);
        let pack =
            move |(mesh, n): PrimitiveKey| Some(((mesh, n), repacked(model.primitive(MeshId::from_index(mesh), n))?));
        let work = move |context: &JobContext| {
            places.into_iter().take_while(|_| !context.is_cancelled()).filter_map(pack).collect()
        };
        // Nobody is woken: the next picture looks.
        Self::Running(Job::start("vertex order", Arc::new(|| ()), work))
    }
}

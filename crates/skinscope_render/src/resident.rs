//! The model that one side of a picture shows, as it is on the device; uploads the next one.

use std::collections::HashMap;
use std::sync::Arc;

use skinscope_base::parallel::JobContext;
use skinscope_frame::Frame;
use skinscope_model::Model;

use super::BackgroundWork;
use super::device_jobs::{DeviceJob, DeviceJobs};
use super::error::GpuError;
use super::gpu::Gpu;
use super::layouts::PrimitiveKey;
use super::pipeline_factory::ModelLayouts;
use super::reweigh::Rewrites;
use super::scene::{GpuModel, NewInfluences, PrimitivePart, stands_in, takes_long};

/// What is needed to upload a model.
pub(super) struct Loader<'a> {
    pub gpu: &'a Gpu,
    pub layouts: &'a ModelLayouts,
    /// Starts jobs for slow work; `None` where pictures wait for it.
    pub jobs: Option<&'a DeviceJobs>,
    /// How many bytes of textures are uploaded with one picture.
    pub texture_step: u64,
}

/// Counts the changes of a model's copy on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Revision {
    /// Changes of the model, or of the order of its vertices.
    pub vertices: u64,
    /// Changes of weights alone.
    pub weights: u64,
}

/// What is being uploaded for a model.
#[derive(Debug)]
enum Coming {
    /// The whole model.
    All(DeviceJob<GpuModel>),
    /// Only joints and weights, for the model whose copy is resident. They fit as long as `Revision::vertices` has this
    /// value.
    Weights(DeviceJob<Vec<NewInfluences>>, u64),
}

impl Coming {
    fn is_done(&self) -> bool {
        match self {
            Self::All(job) => job.is_done(),
            Self::Weights(job, _) => job.is_done(),
        }
    }

    fn fraction(&self) -> f32 {
        match self {
            Self::All(job) => job.fraction(),
            Self::Weights(job, _) => job.fraction(),
        }
    }
}

/// A model and its copy on the device.
#[derive(Debug, Default)]
pub(super) struct ResidentModel {
    /// The model that was shown last, and its copy (or why there is none).
    resident: Option<(Arc<Model>, Result<GpuModel, GpuError>)>,
    /// A model that is being uploaded.
    coming: Option<(Arc<Model>, Coming)>,
    /// True while the device holds only the part of the model that one picture shows.
    of_one_picture: bool,
    revision: Revision,
}

impl ResidentModel {
    /// The model that was shown last and its copy; `None` where it is not on the device.
    pub fn get(&self) -> Option<(&Model, &GpuModel)> {
        self.resident.as_ref().and_then(|(model, copy)| Some((&**model, copy.as_ref().ok()?)))
    }

    /// How many times the copy has changed.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Whether the device holds only the part of the model that one picture shows.
    pub fn is_part(&self) -> bool {
        self.of_one_picture
    }

    /// Whether a model is on the device, or could be by changing a few weights. `waits`: slow work is done by jobs.
    pub fn is_near(&self, model: &Arc<Model>, waits: bool) -> bool {
        self.holds(model) || self.quick_rewrites(model, waits).is_some()
    }

    /// Whether a model is the one that was shown last.
    pub fn holds(&self, model: &Arc<Model>) -> bool {
        self.resident.as_ref().is_some_and(|(resident, _)| Arc::ptr_eq(resident, model))
    }

    /// The weights in which this model differs from the one on the device, where it differs in nothing else and no job is needed to
    /// change them.
    fn quick_rewrites(&self, wanted: &Model, waits: bool) -> Option<Rewrites> {
        let (resident, copy) = self.get()?;
        Rewrites::of(copy, resident, wanted, waits)
    }

    /// Begins to upload a model in a job. Returns false where there is nothing to wait for: the model is there, or is
    /// small enough to be uploaded with its first picture. The upload of another model that was begun before is given
    /// up.
    pub fn begin(&mut self, layouts: &ModelLayouts, jobs: Option<&DeviceJobs>, model: &Arc<Model>) -> bool {
        if self.is_near(model, jobs.is_some()) {
            return false;
        }
        let Some(jobs) = jobs.filter(|_| takes_long(model)) else { return false };
        if !self.coming.as_ref().is_some_and(|(coming, _)| Arc::ptr_eq(coming, model)) {
            let coming = match &self.resident {
                Some((resident, Ok(copy))) if resident.shares_all_but_edits(model) => {
                    Coming::Weights(copy.begin_weights(layouts, jobs, resident, model), self.revision.vertices)
                }
                _ => {
                    let (layouts, source) = (layouts.clone(), Arc::clone(model));
                    Coming::All(jobs.start("upload", move |gpu, context| {
                        GpuModel::new(gpu, &layouts, &source, &HashMap::new(), context)
                    }))
                }
            };
            self.coming = Some((Arc::clone(model), coming));
        }
        self.coming.as_ref().is_some_and(|(_, job)| !job.is_done())
    }

    /// Gives up the upload of any other model than this one.
    pub fn forget_others(&mut self, model: Option<&Arc<Model>>) {
        self.coming.take_if(|(coming, _)| !model.is_some_and(|model| Arc::ptr_eq(model, coming)));
    }

    /// Drops a copy that was made for one picture.
    pub(crate) fn forget_part(&mut self) {
        if std::mem::take(&mut self.of_one_picture) {
            self.resident = None;
        }
    }

    /// The upload that runs in the background and its progress, 0…1; `None` where there is none.
    pub fn doing(&self) -> Option<(BackgroundWork, f32)> {
        if let Some((_, job)) = self.coming.as_ref().filter(|(_, job)| !job.is_done()) {
            return Some((BackgroundWork::Model, job.fraction()));
        }
        let (_, copy) = self.get()?;
        let wiring = copy.wiring().map(|fraction| (BackgroundWork::Wireframe, fraction));
        wiring.or_else(|| copy.materials.making().map(|fraction| (BackgroundWork::Textures, fraction)))
    }

    /// True when another picture of the same frame would show more.
    pub fn has_news(&self) -> bool {
        self.coming.as_ref().is_some_and(|(_, job)| job.is_done())
            || self.get().is_some_and(|(model, copy)| copy.has_news(model))
    }

    /// Makes the model of `frame` the one that is resident, and takes what jobs have finished for it. `parts` replace whole
    /// primitives, for one picture only.
    pub fn follow(
        &mut self,
        loader: &Loader<'_>,
        frame: &Frame,
        parts: &mut HashMap<PrimitiveKey, PrimitivePart>,
    ) -> Result<(), GpuError> {
        if !frame.model.as_ref().is_some_and(|wanted| self.holds(wanted)) {
            self.exchange(loader, frame.model.as_ref(), parts);
        }
        let Loader { gpu, layouts, jobs, texture_step } = *loader;
        match &mut self.resident {
            Some((model, Ok(copy))) => {
                copy.materials.take_news(gpu, layouts, model, texture_step, jobs)?;
                copy.materials.change(gpu, model, &frame.changes);
                if copy.reorder(gpu, layouts, model, jobs) {
                    self.revision.vertices += 1;
                }
                if let Some(jobs) = jobs {
                    copy.wire(model, frame.display.wireframe, jobs);
                }
                Ok(())
            }
            Some((_, Err(error))) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Replaces the model: at once where the new one is small, otherwise when it has been uploaded. Until then the old
    /// one is shown if it can stand in for the new one, and otherwise none.
    fn exchange(
        &mut self,
        loader: &Loader<'_>,
        wanted: Option<&Arc<Model>>,
        parts: &mut HashMap<PrimitiveKey, PrimitivePart>,
    ) {
        let Loader { gpu, layouts, jobs, .. } = *loader;
        let Some(wanted) = wanted else {
            (self.resident, self.coming) = (None, None);
            self.revision.vertices += 1;
            return;
        };
        if let Some(rewrites) = self.quick_rewrites(wanted, jobs.is_some())
            && let Some((resident, Ok(copy))) = &mut self.resident
            && copy.change_weights(gpu, layouts, wanted, rewrites).is_ok()
        {
            *resident = Arc::clone(wanted);
            self.coming = None;
            self.revision.weights += 1;
            return;
        }
        if self.begin(layouts, jobs, wanted) {
            if !self.resident.as_ref().is_some_and(|(resident, _)| stands_in(resident, wanted)) {
                self.resident = None;
                self.revision.vertices += 1;
            }
            return;
        }
        let arrived = match self.coming.take_if(|(coming, _)| Arc::ptr_eq(coming, wanted)) {
            Some((_, Coming::Weights(job, at))) => {
                let news = job.take();
                let has_failed = !matches!(news, Some(Ok(_)));
                if let (Some((resident, Ok(copy))), Some(Ok(news))) = (&mut self.resident, news)
                    && at == self.revision.vertices
                    && resident.shares_all_but_edits(wanted)
                {
                    copy.take_weights(wanted, news);
                    *resident = Arc::clone(wanted);
                    self.revision.weights += 1;
                    return;
                }
                // If the order of vertices has changed meanwhile, the upload is done again. If it failed, all of the
                // model may fit once the old one is gone.
                if has_failed {
                    self.resident = None;
                    self.revision.vertices += 1;
                }
                None
            }
            Some((_, Coming::All(job))) => job.take(),
            None => None,
        };
        if arrived.is_none() && self.begin(layouts, jobs, wanted) {
            return;
        }
        let had_another = self.resident.take().is_some();
        self.revision.vertices += 1;
        let copy = match arrived {
            // The old model took the memory that this one needs. It is gone now, so the upload is tried again.
            Some(Err(error)) if error.is_of_memory() && had_another => {
                _ = self.begin(layouts, jobs, wanted);
                return;
            }
            Some(arrived) => arrived,
            None => {
                let parts = std::mem::take(parts);
                self.of_one_picture = !parts.is_empty();
                GpuModel::new(gpu, layouts, wanted, &parts, &JobContext::of_waiting())
            }
        };
        self.resident = Some((Arc::clone(wanted), copy));
    }
}

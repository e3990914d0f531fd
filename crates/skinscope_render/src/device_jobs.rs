//! Work for the device that would hold a picture up, done as a [`Job`] on a thread. Pictures that are drawn meanwhile
//! do without its result. Small work costs less than a thread; whoever starts work decides which it is.

use std::fmt;
use std::sync::Arc;

use skinscope_base::parallel::{Job, JobContext};

use super::error::GpuError;
use super::gpu::Gpu;
use super::guard::guarded;

/// The kinds of work that the renderer does in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundWork {
    /// A model is uploaded to the device.
    Model,
    /// The edges of the model's triangles are collected for the wireframe.
    Wireframe,
    /// Textures are made from some of the model's images; there may be more to come.
    Textures,
    /// Pipelines are compiled, which takes long.
    Pipelines,
}

/// Starts jobs that use the device.
#[derive(Clone)]
pub(super) struct DeviceJobs {
    gpu: Arc<Gpu>,
    /// Called when a job is done, on the thread that did it.
    wake: Arc<dyn Fn() + Send + Sync>,
}

/// A job that uses the device.
pub(super) type DeviceJob<T> = Job<Result<T, GpuError>>;

impl fmt::Debug for DeviceJobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceJobs").finish_non_exhaustive()
    }
}

impl DeviceJobs {
    /// Makes jobs for a window. It must be called by the thread that draws the window: that thread never waits for the device from now on. `wake` is called
    /// when a job is done.
    pub fn new(gpu: Arc<Gpu>, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        gpu.never_wait_here();
        Self { gpu, wake }
    }

    /// Starts `work` on a thread with this name. A panic of the graphics library becomes an error of the job.
    pub fn start<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Gpu, &JobContext) -> Result<T, GpuError> + Send + 'static,
    ) -> DeviceJob<T> {
        let gpu = Arc::clone(&self.gpu);
        Job::start(name, Arc::clone(&self.wake), move |context| guarded(|| work(&gpu, context)))
    }
}

/// Reports that `done` of `all` units of work are done.
pub(super) fn progress(context: &JobContext, done: u64, all: u64) {
    // Nobody is woken: the window checks from time to time.
    context.set_fraction(done as f32 / all.max(1) as f32);
}

/// Returns an error, which nobody sees, where the job was cancelled because nobody wants its result.
pub(super) fn check(context: &JobContext) -> Result<(), GpuError> {
    if context.is_cancelled() { Err(GpuError::Device("stopped".into())) } else { Ok(()) }
}

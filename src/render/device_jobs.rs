//! Work for the device that would hold a picture up, done as a [`Job`] on a thread. What is drawn meanwhile does without its
//! result. Small work is not worth a thread: who starts it decides that.

use std::fmt;
use std::sync::Arc;

use super::error::GpuError;
use super::gpu::Gpu;
use super::guard::guarded;
use crate::parallel::{Job, JobContext};

/// Starts jobs that use the device.
#[derive(Clone)]
pub(super) struct DeviceJobs {
    gpu: Arc<Gpu>,
    /// Called when one of them is done, on the thread that did it.
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
    /// For the thread that calls this: it draws a window, and never waits for the device from now on.
    pub fn new(gpu: Arc<Gpu>, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        gpu.never_wait_here();
        Self { gpu, wake }
    }

    /// Does `work` on a thread of this name. A panic of the graphics library is an error of it.
    pub fn start<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Gpu, &JobContext) -> Result<T, GpuError> + Send + 'static,
    ) -> DeviceJob<T> {
        let gpu = Arc::clone(&self.gpu);
        Job::start(name, Arc::clone(&self.wake), move |context| guarded(|| work(&gpu, context)))
    }
}

/// Says that `done` of `all` is done.
pub(super) fn progress(context: &JobContext, done: u64, all: u64) {
    // Nobody is woken: the window looks from time to time.
    context.set_fraction(done as f32 / all.max(1) as f32);
}

/// An error that nobody sees, once nobody wants the result.
pub(super) fn check(context: &JobContext) -> Result<(), GpuError> {
    if context.is_cancelled() { Err(GpuError::Device("stopped".into())) } else { Ok(()) }
}

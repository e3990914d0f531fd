//! Work for the device that would hold a picture up, done on a thread beside the pictures. What is drawn meanwhile does
//! without its result. Small work is not worth a thread: who starts it decides that.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::GpuError;
use super::gpu::Gpu;
use super::guard::guarded;

/// Where work beside the pictures is done.
#[derive(Clone)]
pub(super) struct Beside {
    gpu: Arc<Gpu>,
    /// Told when some of it is done, on the thread that did it.
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside").finish_non_exhaustive()
    }
}

impl Beside {
    pub fn new(gpu: Arc<Gpu>, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { gpu, wake }
    }

    /// Does `work` on a thread of this name; here and now where no thread can be had.
    pub fn start<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Gpu, &Course) -> Result<T, GpuError> + Send + 'static,
    ) -> Job<T> {
        let job = Job { course: Course::default(), result: Arc::default() };
        let (course, result, Self { gpu, wake }) = (job.course.clone(), Arc::clone(&job.result), self.clone());
        let place = Mutex::new(Some(work));
        let run = Arc::new(move || {
            let Some(work) = place.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
            let done = guarded(|| work(&gpu, &course));
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            course.0.done.store(true, Ordering::Release);
            wake();
        });
        let spare = Arc::clone(&run);
        if std::thread::Builder::new().name(name.into()).spawn(move || run()).is_err() {
            spare();
        }
        job
    }
}

/// How far some work is, and whether anybody still wants it.
#[derive(Clone, Debug, Default)]
pub(super) struct Course(Arc<Progress>);

#[derive(Debug, Default)]
struct Progress {
    stopped: AtomicBool,
    done: AtomicBool,
    thousandths: AtomicU32,
}

impl Course {
    /// `done` of `all` is done.
    pub fn is_at(&self, done: u64, all: u64) {
        let part = 1000 * done.min(all) / all.max(1);
        self.0.thousandths.store(part as u32, Ordering::Relaxed);
    }

    /// An error that nobody sees, once nobody wants the result.
    pub fn check(&self) -> Result<(), GpuError> {
        match self.0.stopped.load(Ordering::Relaxed) {
            true => Err(GpuError::Device("stopped".into())),
            false => Ok(()),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }
}

/// Work under way. Dropping it stops the work as soon as that looks.
#[derive(Debug)]
pub(super) struct Job<T> {
    course: Course,
    result: Arc<Mutex<Option<Result<T, GpuError>>>>,
}

impl<T> Job<T> {
    /// Its result can be taken.
    pub fn is_done(&self) -> bool {
        self.course.0.done.load(Ordering::Acquire)
    }

    /// 0…1.
    pub fn fraction(&self) -> f32 {
        self.course.0.thousandths.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// The result, once.
    pub fn take(&self) -> Option<Result<T, GpuError>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.course.0.stopped.store(true, Ordering::Relaxed);
    }
}

//! Background jobs: a piece of work on a thread of its own, with its progress, a way to cancel it, and its result. All
//! background work of the program uses this; [`super::map`] is for work that is shared among all cores and waited for.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Work that may still be under way. Dropping it cancels the work, which stops when it next asks
/// [`JobContext::is_cancelled`]; its result is dropped too.
pub struct Job<T> {
    context: JobContext,
    result: Arc<Mutex<Option<T>>>,
}

/// What the work of a job has access to: it reports progress and asks whether it is cancelled.
#[derive(Clone)]
pub struct JobContext {
    state: Arc<State>,
    wake: Arc<dyn Fn() + Send + Sync>,
    /// From where to where on the way of the whole job the work with this context goes, 0…1.
    span: [f32; 2],
}

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    done: AtomicBool,
    thousandths: AtomicU32,
    on_cancel: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work` on a thread of this name, or runs it at once where no thread can be started. `wake` is called on
    /// that thread once there is a result. Work that panics has no result and is never done, so work that may panic
    /// catches that itself.
    pub fn start(
        name: &str,
        wake: Arc<dyn Fn() + Send + Sync>,
        work: impl FnOnce(&JobContext) -> T + Send + 'static,
    ) -> Self {
        let context = JobContext { state: Arc::default(), wake, span: [0.0, 1.0] };
        let job = Self { context: context.clone(), result: Arc::default() };
        let result = Arc::clone(&job.result);
        // Both the thread and, without one, this function must be able to take the work.
        let work = Mutex::new(Some(work));
        let run = Arc::new(move || {
            let Some(work) = work.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
            let value = work(&context);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
            context.state.done.store(true, Ordering::Release);
            (context.wake)();
        });
        let spare = Arc::clone(&run);
        if std::thread::Builder::new().name(name.into()).spawn(move || run()).is_err() {
            spare();
        }
        job
    }
}

impl<T> Job<T> {
    /// Returns whether there is a result; it stays true after the result was taken.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.context.state.done.load(Ordering::Acquire)
    }

    /// Returns the share of the work that is done, 0…1, as the work last reported it.
    #[must_use]
    pub fn fraction(&self) -> f32 {
        self.context.fraction()
    }

    /// Asks the work to stop. It may still have a result, such as what it had found until then.
    pub fn cancel(&self) {
        self.context.cancel();
    }

    /// Takes the result, which works once; `None` while there is none.
    #[must_use]
    pub fn take(&self) -> Option<T> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl<T> fmt::Debug for Job<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("state", &self.context.state).finish_non_exhaustive()
    }
}

thread_local! {
    /// The context that [`JobContext::of_waiting`] gives to work on this thread; `None`: one of its own.
    static LENT: RefCell<Option<JobContext>> = const { RefCell::new(None) };
}

/// What was lent to this thread before; it is so again when this goes, also where the work panics.
struct Outer(Option<JobContext>);

impl Drop for Outer {
    fn drop(&mut self) {
        LENT.set(self.0.take());
    }
}

impl JobContext {
    /// Makes a context for work that runs on the caller's thread: nothing cancels it and nothing reads its progress, unless a job has lent
    /// its own to this thread ([`JobContext::lend`]).
    #[must_use]
    pub fn of_waiting() -> Self {
        let own = || Self { state: Arc::default(), wake: Arc::new(|| ()), span: [0.0, 1.0] };
        LENT.with_borrow(Option::clone).unwrap_or_else(own)
    }

    /// Runs work that knows nothing of this job: wherever it asks [`JobContext::of_waiting`] on this thread it gets this context, so that it ends
    /// when the job is cancelled.
    pub fn lend<T>(&self, work: impl FnOnce() -> T) -> T {
        let _outer = Outer(LENT.replace(Some(self.clone())));
        work()
    }

    /// Makes the context of a part of this work that may be cancelled alone; it is cancelled with the whole too.
    pub(super) fn inner(&self) -> Self {
        let inner = Self { state: Arc::default(), ..self.clone() };
        let part = inner.clone();
        self.on_cancel(move || part.cancel());
        inner
    }

    /// Asks the work to stop.
    pub(super) fn cancel(&self) {
        // The lock orders this against `JobContext::on_cancel`.
        let mut on_cancel = self.state.on_cancel.lock().unwrap_or_else(PoisonError::into_inner);
        self.state.cancelled.store(true, Ordering::Relaxed);
        if let Some(notify) = on_cancel.take() {
            notify();
        }
    }

    /// Returns whether nobody wants the result any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Relaxed)
    }

    /// Calls `notify` once when the job is cancelled, on the thread that cancels it, or at once where it is cancelled
    /// already. Work that sleeps until something else happens wakes up by it; `notify` must not wait for the work.
    pub fn on_cancel(&self, notify: impl FnOnce() + Send + 'static) {
        let mut on_cancel = self.state.on_cancel.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_cancelled() {
            notify();
        } else {
            *on_cancel = Some(Box::new(notify));
        }
    }

    /// Returns the flag behind [`JobContext::is_cancelled`], for functions that take such a flag.
    #[must_use]
    pub fn cancel_flag(&self) -> &AtomicBool {
        &self.state.cancelled
    }

    /// Reports the share that is done, 0…1. It only rises: a smaller share than an earlier one is ignored. Returns true
    /// where that is a whole per cent more than before: work whose owner looks only when it is woken then calls
    /// [`JobContext::wake`].
    pub fn set_fraction(&self, fraction: f32) -> bool {
        let [from, to] = self.span;
        let now = (1000.0 * (from + (to - from) * fraction.clamp(0.0, 1.0))) as u32;
        let before = self.state.thousandths.fetch_max(now, Ordering::Relaxed);
        now / 10 > before / 10
    }

    /// Returns the context of a part of this work: what it reports as the whole is the way from one share of this work to another.
    #[must_use]
    pub fn part(&self, from: f32, to: f32) -> Self {
        let [start, end] = self.span;
        let at = |share: f32| start + (end - start) * share;
        Self { span: [at(from), at(to)], ..self.clone() }
    }

    /// Wakes the owner of the job, which then reads the progress or results that the work shares before its end.
    pub fn wake(&self) {
        (self.wake)();
    }

    fn fraction(&self) -> f32 {
        self.state.thousandths.load(Ordering::Relaxed) as f32 / 1000.0
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut state = f.debug_struct("State");
        state.field("cancelled", &self.cancelled).field("done", &self.done).field("thousandths", &self.thousandths);
        state.finish_non_exhaustive()
    }
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext").field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn work_that_knows_no_job_has_the_context_that_is_lent_to_its_thread() {
        let (own, lent) = (JobContext::of_waiting(), JobContext::of_waiting());
        let cancel = |context: &JobContext| context.state.cancelled.store(true, Ordering::Relaxed);
        let inner = lent.lend(|| {
            cancel(&JobContext::of_waiting());
            own.lend(|| assert!(!JobContext::of_waiting().is_cancelled()));
            JobContext::of_waiting().is_cancelled()
        });
        assert!(inner && lent.is_cancelled() && !own.is_cancelled());
        assert!(!JobContext::of_waiting().is_cancelled(), "nothing is lent any more");
        let panics = || lent.lend(|| -> u8 { panic!("for the test") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert!(!JobContext::of_waiting().is_cancelled(), "nothing is lent after a panic");
    }

    #[test]
    fn a_job_says_how_far_it_is_wakes_and_has_its_result_once() {
        let (woken, wakes) = channel();
        let (go_on, waits) = channel();
        let job = Job::start("test", Arc::new(move || woken.send(()).unwrap_or_default()), move |context| {
            assert!(context.set_fraction(0.5));
            assert!(!context.set_fraction(0.504) && !context.set_fraction(0.25));
            assert!(!context.part(0.2, 0.5).set_fraction(1.0), "a part that ends where the work has been already");
            context.wake();
            waits.recv_timeout(MINUTE).unwrap();
            7
        });
        wakes.recv_timeout(MINUTE).unwrap();
        assert!(!job.is_done() && job.take().is_none() && job.fraction() == 0.504);
        go_on.send(()).unwrap();
        wakes.recv_timeout(MINUTE).unwrap();
        assert!(job.is_done());
        assert_eq!((job.fraction(), job.take(), job.take()), (0.504, Some(7), None));
        assert!(wakes.try_recv().is_err(), "woken by the work and for the result, no oftener");
    }

    #[test]
    fn work_ends_when_its_job_is_cancelled_or_dropped() {
        let (ended, ends) = channel();
        let work = move |context: &JobContext| {
            while !context.is_cancelled() {
                std::thread::yield_now();
            }
            ended.send(context.cancel_flag().load(Ordering::Relaxed)).unwrap();
            "as far as it came"
        };
        let job = Job::start("test", Arc::new(|| ()), work.clone());
        job.cancel();
        assert!(ends.recv_timeout(MINUTE).unwrap());
        while !job.is_done() {
            std::thread::yield_now();
        }
        assert_eq!(job.take(), Some("as far as it came"));
        drop(Job::start("test", Arc::new(|| ()), work));
        assert!(ends.recv_timeout(MINUTE).unwrap());
    }
}

//! Work that may take no longer than so long.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{Builder, scope};
use std::time::Duration;

use super::JobContext;

/// Runs work on this thread, and cancels it once it has taken `limit`: where it then asks [`JobContext::of_waiting`] whether it is cancelled, it
/// ends. Work that never asks goes on. Returns what the work has returned, and whether its time was over, so that something may be missing in
/// it. Work that is cancelled for another reason is cancelled here too.
pub fn within<T>(limit: Duration, work: impl FnOnce() -> T) -> (T, bool) {
    let context = &JobContext::of_waiting().inner();
    let (done, ends) = channel::<()>();
    let watch = move || {
        let is_late = ends.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        if is_late {
            context.cancel();
        }
        is_late
    };
    scope(|scope| {
        // Where no thread can be had, the work takes as long as it takes.
        let watching = Builder::new().name("time limit".into()).spawn_scoped(scope, watch);
        let result = context.lend(work);
        drop(done);
        let is_late = watching.is_ok_and(|watching| watching.join().unwrap_or(false));
        (result, is_late)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn work_whose_time_is_over_is_cancelled_and_other_work_is_not() {
        let endless = || {
            while !JobContext::of_waiting().is_cancelled() {
                std::thread::yield_now();
            }
            "as far as it came"
        };
        assert_eq!(within(Duration::from_millis(1), endless), ("as far as it came", true));
        assert_eq!(within(HOUR, || JobContext::of_waiting().is_cancelled()), (false, false));
        // The whole work is cancelled in the middle, as by Ctrl+C.
        let outer = JobContext::of_waiting().inner();
        let cancelled = outer.lend(|| {
            within(HOUR, || {
                outer.cancel();
                endless()
            })
        });
        assert_eq!(cancelled, ("as far as it came", false));
    }
}

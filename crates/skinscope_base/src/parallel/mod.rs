//! Threads: work that all cores share, on one pool that starts when it is first needed, and background jobs ([`Job`]).
//! This module knows nothing of what the work is.

mod in_order;
mod job;
mod time_limit;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

pub use in_order::in_order;
pub use job::{Job, JobContext};
pub use time_limit::within;

/// Calls `work` for every index below `count` on all cores and returns the results in order. Calls begin in the order
/// of the indices. Returns `None` where `cancel` was set before all were begun.
pub fn map<T: Send>(count: usize, cancel: &AtomicBool, work: &(dyn Fn(usize) -> T + Sync)) -> Option<Vec<T>> {
    map_at_once(free_cores(), count, cancel, work)
}

/// Calls `work` for each chunk of `size` things, of which there are `count`, on all cores, and returns the results in order. The last chunk
/// may be shorter.
pub fn by_chunk<T: Send>(count: usize, size: usize, work: &(dyn Fn(Range<usize>) -> T + Sync)) -> Vec<T> {
    let chunk = |i: usize| work(i * size..((i + 1) * size).min(count));
    // Nothing cancels it, so there is always a result.
    map(count.div_ceil(size), &AtomicBool::new(false), &chunk).unwrap_or_default()
}

/// Returns how many threads may work at once: 1 or more. The system is asked only once: on Linux the answer is read from some
/// files, which takes longer than packing a small mesh.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// How many callers are in [`sharing`].
static CALLERS: AtomicUsize = AtomicUsize::new(0);

/// Runs the work of one of several threads that each have work of their own, such as those of another program. Where there are as many of
/// them as cores, none of them hands parts of its work to other threads: they would only wait for each other.
pub fn sharing<T>(work: impl FnOnce() -> T) -> T {
    struct Caller;
    impl Drop for Caller {
        fn drop(&mut self) {
            CALLERS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    CALLERS.fetch_add(1, Ordering::Relaxed);
    let _until_its_end = Caller;
    work()
}

/// Returns how many threads may work for one caller: 1 or more.
fn free_cores() -> usize {
    let others = CALLERS.load(Ordering::Relaxed).saturating_sub(1);
    cores().saturating_sub(others).max(1)
}

/// Does the same as [`map`], with no more than `threads` pieces at once.
pub fn map_at_once<T: Send>(
    threads: usize,
    count: usize,
    cancel: &AtomicBool,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Option<Vec<T>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = results.get(turn).filter(|_| !cancel.load(Ordering::Relaxed)) else { return };
            let result = work(turn);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    match threads.min(count) {
        // No pool could be started.
        0 | 1 => worker(),
        threads => rayon::in_place_scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|_| worker());
            }
            worker();
        }),
    }
    results.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Calls `work` with every item that `next` returns, on `threads` threads, until `next` returns `None`. These threads
/// are not those of the pool, so that work that waits for other work, such as its turn to write, blocks nothing there.
pub fn drain<T>(threads: usize, next: &(dyn Fn() -> Option<T> + Sync), work: &(dyn Fn(T) + Sync)) {
    let worker = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, the others do it all.
            let _fewer = std::thread::Builder::new().spawn_scoped(scope, worker).is_err();
        }
        worker();
    });
}

/// Runs both closures, in parallel where another core is free, and returns when both have ended.
pub fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if free_cores() > 1 {
        rayon::join(a, b);
    } else {
        a();
        b();
    }
}

/// Runs `work` on parts of a list on all cores. The list is halved until a part has `most` items or fewer; `work` gets
/// the index of the first item of its part, and the part.
pub fn in_pieces<T: Send>(list: &mut [T], most: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
    fn of<T: Send>(start: usize, list: &mut [T], most: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
        if list.len() <= most {
            return work(start, list);
        }
        let half = list.len() / 2;
        let (a, b) = list.split_at_mut(half);
        both(|| of(start, a, most, work), || of(start + half, b, most, work));
    }
    of(0, list, most.max(1), work);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_know_where_they_begin_and_leave_nothing_out() {
        let mut list = vec![0; 1001];
        in_pieces(&mut list, 10, &|start, piece| {
            assert!(piece.len() <= 10);
            piece.iter_mut().enumerate().for_each(|(i, item)| *item += start + i);
        });
        assert!(list.iter().enumerate().all(|(i, item)| *item == i));
        in_pieces(&mut [0; 0], 0, &|_, piece| assert!(piece.is_empty()));
    }

    #[test]
    fn chunks_come_in_order_and_the_last_may_be_shorter() {
        assert_eq!(by_chunk(7, 3, &|range| range), [0..3, 3..6, 6..7]);
        assert!(by_chunk(0, 3, &|range| range).is_empty());
    }

    #[test]
    fn results_come_in_order_and_a_cancelled_map_ends() {
        let cancel = AtomicBool::new(false);
        let squares = map(100, &cancel, &|i| i * i).unwrap();
        assert_eq!((squares.len(), squares[7], squares[99]), (100, 49, 9801));
        assert_eq!(map(0, &cancel, &|i| i), Some(Vec::new()));
        let stopped = map(10_000, &cancel, &|_| cancel.store(true, Ordering::Relaxed));
        assert!(stopped.is_none());
        assert_eq!(map(3, &cancel, &|i| i), None);
    }

    #[test]
    fn maps_within_maps_end_and_no_more_threads_work_than_were_asked_for() {
        let cancel = AtomicBool::new(false);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        for threads in [1, 2, 3, 16] {
            most.store(0, Ordering::Relaxed);
            let sums = map_at_once(threads, 40, &cancel, &|i| {
                most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                // Long enough for others to begin.
                std::thread::sleep(std::time::Duration::from_micros(500));
                let inner = map(10, &cancel, &|j| i * j).unwrap();
                now.fetch_sub(1, Ordering::Relaxed);
                inner.iter().sum::<usize>()
            });
            assert_eq!(sums.unwrap(), (0..40).map(|i| 45 * i).collect::<Vec<_>>(), "{threads}");
            assert!(most.load(Ordering::Relaxed) <= threads, "{threads}");
        }
    }

    #[test]
    fn every_item_is_worked_on_once_and_work_may_wait_for_other_work() {
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let item = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < 40);
        drain(3, &item, &|n| {
            // The second of two waits for the first.
            while n % 2 == 1 && !done.lock().unwrap().contains(&(n - 1)) {
                std::thread::yield_now();
            }
            done.lock().unwrap().push(n);
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn as_many_callers_as_cores_hand_nothing_to_other_threads() {
        fn within<T>(callers: usize, work: &dyn Fn() -> T) -> T {
            if callers == 0 { work() } else { sharing(|| within(callers - 1, work)) }
        }
        let own = std::thread::current().id();
        let threads = within(cores() + 1, &|| {
            let mut all = by_chunk(100, 1, &|_| std::thread::current().id());
            let other = Mutex::new(Vec::new());
            let note = || other.lock().unwrap().push(std::thread::current().id());
            both(note, note);
            all.append(&mut other.into_inner().unwrap());
            all
        });
        assert!(threads.len() == 102 && threads.iter().all(|thread| *thread == own));
        let stops = std::panic::catch_unwind(|| sharing(|| panic!("for the test")));
        assert!(stops.is_err() && within(1, &free_cores) == cores(), "a caller that panics has left too");
    }

    #[test]
    fn both_are_done() {
        let (mut a, mut b) = (0, 0);
        both(|| a = 1, || b = 2);
        assert_eq!((a, b), (1, 2));
    }
}

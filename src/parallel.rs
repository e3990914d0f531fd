//! Work shared among all cores: each thread takes the next piece until none is left. Knows nothing of what the work is.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// `work` of every number below `count`, in order. Pieces are begun in order; `None` once `cancel` is set and some are left.
pub fn map<T: Send>(count: usize, cancel: &AtomicBool, work: &(dyn Fn(usize) -> T + Sync)) -> Option<Vec<T>> {
    map_at_once(std::thread::available_parallelism().map_or(1, usize::from), count, cancel, work)
}

/// As [`map`], with no more than `threads` pieces at once.
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
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(worker);
        }
        worker();
    });
    results.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

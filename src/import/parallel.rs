//! Work shared among all cores: each thread takes the next piece until none is left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{ImportError, Progress};

/// `work` of every number below `count`, in order.
pub(super) fn map<T: Send>(
    count: usize,
    progress: &Progress,
    work: &(dyn Fn(usize) -> T + Sync),
) -> Result<Vec<T>, ImportError> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = results.get(turn).filter(|_| !progress.is_cancelled()) else { return };
            let result = work(turn);
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(count) {
            scope.spawn(worker);
        }
        worker();
    });
    let take = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|slot| take(slot).ok_or(ImportError::Cancelled)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn results_come_in_order_and_a_cancelled_map_ends() {
        let squares = map(100, &Progress::silent(), &|i| i * i).unwrap();
        assert_eq!((squares.len(), squares[7], squares[99]), (100, 49, 9801));
        let cancel = AtomicBool::new(true);
        let progress = Progress { report: &|_, _| {}, cancel: &cancel };
        assert!(matches!(map(3, &progress, &|i| i), Err(ImportError::Cancelled)));
        assert!(map(0, &Progress::silent(), &|i| i).unwrap().is_empty());
    }
}

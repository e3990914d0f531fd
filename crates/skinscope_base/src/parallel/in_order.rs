//! A pipeline: items are made one after the other on one thread, worked on by all cores, and their results taken in
//! order.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, channel};

/// Calls `make` on this thread until it returns `None`, and `work` with each item on any core, while the next items are
/// made. `take` gets an iterator over the results, in the order of their items. Asking it for a result makes items,
/// until there are `ahead` items whose results have not been taken. The calling thread must not be one of the pool.
pub fn in_order<I: Send, R: Send, T>(
    ahead: usize,
    make: &mut dyn FnMut() -> Option<I>,
    work: &(dyn Fn(I) -> R + Sync),
    take: impl FnOnce(&mut dyn Iterator<Item = R>) -> T,
) -> T {
    rayon::in_place_scope(|scope| {
        let mut waiting: VecDeque<Receiver<R>> = VecDeque::new();
        let mut results = std::iter::from_fn(|| {
            while waiting.len() < ahead.max(1)
                && let Some(item) = make()
            {
                let (done, result) = channel();
                scope.spawn(move |_| {
                    // Nobody takes what comes after an error.
                    let _unwanted = done.send(work(item)).is_err();
                });
                waiting.push_back(result);
            }
            // Work that panics has no result; the panic goes on where the scope ends.
            waiting.pop_front()?.recv().ok()
        });
        take(&mut results)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_items_and_little_is_made_ahead() {
        let (made, taken, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let mut make = || {
            let n = made.fetch_add(1, Ordering::Relaxed);
            let waiting = n.min(49) + 1 - taken.load(Ordering::Relaxed);
            most.fetch_max(waiting, Ordering::Relaxed);
            (n < 50).then_some(n)
        };
        let work = |n: usize| {
            // Later items are done first.
            std::thread::sleep(std::time::Duration::from_micros(((50 - n) % 7) as u64 * 300));
            n * n
        };
        let all = in_order(5, &mut make, &work, |results| {
            results.inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed)).collect::<Vec<_>>()
        });
        assert_eq!(all, (0..50).map(|n| n * n).collect::<Vec<_>>());
        assert!(most.load(Ordering::Relaxed) <= 6, "{most:?}");
        // Who stops early does not wait for more.
        made.store(0, Ordering::Relaxed);
        taken.store(0, Ordering::Relaxed);
        assert_eq!(in_order(2, &mut make, &work, |results| results.next()), Some(0));
        assert!(made.load(Ordering::Relaxed) <= 3);
    }
}

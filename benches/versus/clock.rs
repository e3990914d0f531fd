//! What a piece of work costs: CPU time of the whole process, which other programs on the machine do not change.
//!
//! Linux only: the kernel's own count, in nanoseconds, of what each thread has run.

#![expect(clippy::unwrap_used, reason = "a bench without its clock cannot go on")]

use std::{fs, io, thread};

/// CPU nanoseconds that all live threads of this process have run.
pub fn cpu_ns() -> u64 {
    // A running thread is counted when it is next scheduled: give way, so that this one is counted up to now.
    thread::yield_now();
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let of = |thread: io::Result<fs::DirEntry>| -> Option<u64> {
        // A thread may end between the listing and the reading.
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads.filter_map(of).sum()
}

/// CPU nanoseconds of one call of `work`: the median of 15 batches of about 20 ms each, after a warm-up of 5 ms.
pub fn ns_per_call(mut work: impl FnMut()) -> f64 {
    work();
    let start = cpu_ns();
    let mut calls = 1_u64;
    // Doubling, since reading the clock costs more than many a call.
    loop {
        (0..calls).for_each(|_| work());
        if cpu_ns() - start >= 5_000_000 {
            break;
        }
        calls *= 2;
    }
    // The calls so far are twice the last round.
    let calls = calls * 8;
    let mut batches: Vec<f64> = (0..15)
        .map(|_| {
            let start = cpu_ns();
            (0..calls).for_each(|_| work());
            (cpu_ns() - start) as f64 / calls as f64
        })
        .collect();
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 2]
}

//! Large memory pages for large lists, what freed memory is returned to the system, and the processor time of this process.

/// The least bytes of a list that is worth larger pages: two of 2 MiB.
const LARGE: usize = 4 << 20;

/// Asks the system for larger pages for a list of many megabytes that nothing has been written to yet. The system then clears and
/// maps 2 MiB at a time instead of 4 KiB, which is most of what fresh memory costs. Does nothing for smaller lists, on other systems
/// than Linux, and where the system gives no such pages; the contents of the list stay as they are.
pub fn prefer_large_pages<T>(list: &mut Vec<T>) {
    let bytes = list.capacity().saturating_mul(size_of::<T>());
    if bytes >= LARGE {
        #[cfg(target_os = "linux")]
        advise(list.as_mut_ptr().cast(), bytes);
    }
}

/// Gives the advice for the bytes from `start` on, without the first few up to a page of any size.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "advice for memory is a call of the system")]
fn advise(start: *mut libc::c_void, bytes: usize) {
    const LARGEST_PAGE: usize = 1 << 16;
    let skipped = start.addr().next_multiple_of(LARGEST_PAGE) - start.addr();
    // SAFETY: The bytes belong to a list that the caller has for itself, and this advice changes no contents. The result is of no use:
    // without larger pages everything goes on as before.
    let _ = unsafe { libc::madvise(start.byte_add(skipped), bytes - skipped, libc::MADV_HUGEPAGE) };
}

/// Returns freed memory to the system early, and lets no more threads have memory of their own than there are cores. For a
/// process that works once and ends: freed memory is otherwise kept for the next such work, and each thread keeps its own. A
/// small model then takes a tenth less of the process's own memory while it is drawn, and one that is bound takes a fifth less:
/// long lists, which come and go, get pages of their own, and leave no gaps behind. Does nothing where the C library is not
/// that of GNU. Values that the environment has (`MALLOC_TRIM_THRESHOLD_`, `MALLOC_ARENA_MAX`) are replaced.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// The bytes at the end of the heap that are kept although they are free.
        const KEPT: libc::c_int = 512 << 10;
        let arenas = crate::parallel::cores().clamp(2, 64) as libc::c_int;
        for (option, value) in [(libc::M_TRIM_THRESHOLD, KEPT), (libc::M_ARENA_MAX, arenas)] {
            #[expect(unsafe_code, reason = "options of the allocator are calls of the C library")]
            // SAFETY: The call takes two numbers and changes nothing that is allocated. If it refuses, all goes on as before.
            let _ = unsafe { libc::mallopt(option, value) };
        }
    }
}

/// Returns the processor time of this process so far, seconds, summed over all threads; `None` where the system does not say.
#[must_use]
pub fn processor_secs() -> Option<f64> {
    #[cfg(unix)]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        #[expect(unsafe_code, reason = "the clock is a call of the system")]
        // SAFETY: The call writes one `timespec`, which is this one.
        let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
        (status == 0).then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_stay() {
        for count in [0, 1, LARGE / 4 - 1, LARGE / 4, LARGE / 4 + 12_345] {
            let mut list: Vec<u32> = (0..count as u32).collect();
            prefer_large_pages(&mut list);
            assert!(list.iter().enumerate().all(|(i, n)| *n == i as u32), "{count}");
            let mut fresh: Vec<u32> = Vec::with_capacity(count);
            prefer_large_pages(&mut fresh);
            fresh.extend(0..count as u32);
            assert_eq!(fresh, list);
        }
    }

    #[test]
    fn processor_time_is_that_of_all_threads() {
        let Some(before) = processor_secs() else { return };
        let spin = || {
            let mut n = 0u64;
            let start = std::time::Instant::now();
            while start.elapsed() < std::time::Duration::from_millis(20) {
                n = std::hint::black_box(n + 1);
            }
        };
        std::thread::spawn(spin).join().unwrap();
        assert!(processor_secs().unwrap() > before);
    }
}

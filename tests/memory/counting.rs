//! An allocator that counts the allocations of each thread, and knows how much memory the process uses and has used at most.
#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe functions")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// The allocations of this thread.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

pub struct Counting;

// SAFETY: every call goes unchanged to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both exist while bytes are copied.
        add(size);
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn add(bytes: usize) {
    // Allocations while the thread ends are not counted.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
    let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(used, Ordering::Relaxed);
}

/// Returns how many allocations this thread has made since it began.
pub fn allocations() -> usize {
    COUNT.get()
}

/// Returns the bytes in use at most since the start, or since [`restart`].
pub fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}

/// Forgets the peak.
pub fn restart() {
    PEAK.store(USED.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Waits until no other test of this binary runs. Memory is counted for the whole process, and what another test builds for its own
/// files would count too, so every test holds this from its first line to its last.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_allocator_counts() {
    let _alone = alone();
    restart();
    let (before, count) = (peak(), allocations());
    drop(std::hint::black_box(vec![1_u8; 50 << 20]));
    assert!(peak() >= before + (50 << 20));
    assert!(allocations() > count);
}

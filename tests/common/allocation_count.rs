//! An allocator that counts the allocations of each thread.
#![expect(unsafe_code, reason = "an allocator that counts can only be written with unsafe functions")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// The allocations of this thread: tests run side by side.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

pub struct Counting;

// SAFETY: every call goes unchanged to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(memory, layout, size) }
    }
}

fn count() {
    // Allocations while the thread ends are not counted.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

/// How many allocations this thread has made since it began.
pub fn allocations() -> usize {
    COUNT.get()
}

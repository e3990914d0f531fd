//! Fills rows of words for many vertices, on all cores.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;

/// How many vertices one piece of work packs.
const CHUNK: usize = 1 << 15;

/// Calls `work` for each chunk of `count` vertices, on all cores.
pub fn by_chunk<T: Send>(count: usize, work: &(dyn Fn(std::ops::Range<usize>) -> T + Sync)) -> Vec<T> {
    let chunk = |i: usize| work(i * CHUNK..((i + 1) * CHUNK).min(count));
    // Nothing cancels it, so there is always a result.
    parallel::map(count.div_ceil(CHUNK), &AtomicBool::new(false), &chunk).unwrap_or_default()
}

/// Returns `words` words for each of `count` slots, which `write` fills.
pub fn rows(count: usize, words: usize, write: &(dyn Fn(usize, &mut [u32]) + Sync)) -> Vec<u32> {
    if words == 0 {
        return Vec::new();
    }
    let fill = |slots: std::ops::Range<usize>, chunk: &mut [u32]| {
        slots.zip(chunk.chunks_exact_mut(words)).for_each(|(slot, row)| write(slot, row));
    };
    filled(count, words, &fill).0
}

/// Returns `words` words (at least one) for each of `count` slots, and what `fill` returns for each chunk of slots that it
/// fills.
pub fn filled<T: Send>(
    count: usize,
    words: usize,
    fill: &(dyn Fn(std::ops::Range<usize>, &mut [u32]) -> T + Sync),
) -> (Vec<u32>, Vec<T>) {
    let mut out = vec![0; count * words];
    prefer_large_pages(&mut out);
    let chunks: Vec<Mutex<&mut [u32]>> = out.chunks_mut(CHUNK * words).map(Mutex::new).collect();
    let results = by_chunk(count, &|slots| {
        let mut chunk = chunks[slots.start / CHUNK].lock().unwrap_or_else(PoisonError::into_inner);
        fill(slots, &mut chunk)
    });
    drop(chunks);
    (out, results)
}

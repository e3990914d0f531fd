//! Fills rows of words for many vertices, on all cores.

use std::sync::{Mutex, PoisonError};

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;

/// How many vertices one piece of work packs.
pub const CHUNK: usize = 1 << 15;

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
    let results = parallel::by_chunk(count, CHUNK, &|slots| {
        let mut chunk = chunks[slots.start / CHUNK].lock().unwrap_or_else(PoisonError::into_inner);
        fill(slots, &mut chunk)
    });
    drop(chunks);
    (out, results)
}

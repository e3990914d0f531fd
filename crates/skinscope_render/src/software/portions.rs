//! Draws a large picture in portions. On a software device the driver stores every triangle in memory until the pixels
//! below it are shaded, and is far ahead of the threads that shade them: with two million triangles at four samples per
//! pixel that came to 200 MiB. A picture in memory need not be recorded quickly, so while one portion is drawn, only
//! the next one is recorded.

use std::ops::Range;

use super::super::error::GpuError;
use super::super::gpu::Gpu;
use super::super::items::Item;

/// The most entries of index lists that are drawn at once: three times the number of triangles.
const PORTION: u32 = 3 << 18;
/// The same where only triangles are left that cover something, all of which the driver stores.
const CHOSEN_PORTION: u32 = 3 << 15;

/// Divides `solid` into portions that are drawn one after the other; empty where no division is needed. `chosen`:
/// nearly every triangle covers something. `at_once`: after how many draws the driver draws what is waiting by itself.
pub(in super::super) fn portions<'a>(solid: &[Item<'a>], chosen: bool, at_once: Option<usize>) -> Vec<Vec<Item<'a>>> {
    let most = if chosen { CHOSEN_PORTION } else { PORTION };
    let size = |item: &Item<'_>| [item.range().len() as u32, item.instances(1).len() as u32];
    let sizes: Vec<[u32; 2]> = solid.iter().map(size).collect();
    let total: u64 = sizes.iter().map(|[entries, times]| u64::from(*entries) * u64::from(*times)).sum();
    if total <= u64::from(most) || at_once.is_some_and(|draws| all_are_small(&sizes, most, draws)) {
        return Vec::new();
    }
    let item = |(i, range): (usize, Range<u32>)| {
        let first = solid[i].range().start;
        solid[i].with_range(first + range.start..first + range.end)
    };
    plan(&sizes, most).into_iter().map(|part| part.into_iter().map(item).collect()).collect()
}

/// Whether any `draws` of them together are one portion at most. The driver then never has more of them waiting, and
/// portions would only cost keeping depths and colours between two passes (4 % with 500 parts).
fn all_are_small(sizes: &[[u32; 2]], most: u32, draws: usize) -> bool {
    let drawn = |[entries, times]: &[u32; 2]| u64::from(*entries) * u64::from(*times);
    sizes.iter().all(|size| drawn(size).saturating_mul(draws as u64) <= u64::from(most))
}

/// Plans which of `sizes` (the entries of an index list, and how many times it is drawn) go into each portion, and
/// which range of each list, so that no portion has more than `most` entries. Where even two triangles are more,
/// because they are drawn so often, a portion has these two.
fn plan(sizes: &[[u32; 2]], most: u32) -> Vec<Vec<(usize, Range<u32>)>> {
    let (mut all, mut portion, mut room) = (Vec::new(), Vec::new(), most);
    for (i, [entries, times]) in sizes.iter().copied().enumerate() {
        let times = times.max(1);
        let mut first = 0;
        while first < entries {
            // Ranges hold whole triangles and whole lines.
            let fits = room / times / 6 * 6;
            if fits == 0 && !portion.is_empty() {
                all.push(std::mem::take(&mut portion));
                room = most;
                continue;
            }
            let end = entries.min(first.saturating_add(fits.max(6)));
            portion.push((i, first..end));
            room = room.saturating_sub((end - first).saturating_mul(times));
            first = end;
        }
    }
    all.push(portion);
    all
}

/// Submits work, and after each submission waits for the one before it.
#[derive(Default)]
pub(in super::super) struct Queue(Option<wgpu::SubmissionIndex>);

impl Queue {
    /// Submits what `encoder` has recorded, and replaces it by a new one.
    pub fn submit(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) -> Result<(), GpuError> {
        let next = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("portion") });
        let index = gpu.queue.submit([std::mem::replace(encoder, next).finish()]);
        self.0.replace(index).map_or(Ok(()), |last| gpu.wait_for(Some(last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_hold_everything_once_in_order_and_no_more_than_they_may() {
        let sizes = [[30, 1], [0, 5], [7000, 1], [300, 4], [90, 50], [12, 2000], [5, 1]];
        let portions = plan(&sizes, 1000);
        let mut next = vec![0; sizes.len()];
        let mut last = 0;
        for portion in &portions {
            let entries = |(i, range): &(usize, Range<u32>)| range.len() as u32 * sizes[*i][1];
            let sum: u32 = portion.iter().map(entries).sum();
            assert!(sum <= 1000 || portion.len() == 1 && portion[0].1.len() == 6, "{portion:?}");
            for (i, range) in portion {
                assert!(*i >= last && range.start == next[*i] && range.start % 6 == 0 && !range.is_empty());
                (last, next[*i]) = (*i, range.end);
            }
        }
        assert_eq!(next, sizes.map(|[entries, _]| entries));
        assert!(portions.iter().all(|p| !p.is_empty()) && portions.len() < 25, "{}", portions.len());
    }

    #[test]
    fn small_parts_are_not_divided_where_the_driver_does_it() {
        let parts = [[100, 1]; 500];
        assert!(all_are_small(&parts, 800, 8) && !all_are_small(&parts, 799, 8));
        assert!(!all_are_small(&[[100, 1], [50, 3]], 800, 8), "each is drawn three times");
        assert!(!all_are_small(&[[u32::MAX, u32::MAX]], u32::MAX, 8));
    }
}

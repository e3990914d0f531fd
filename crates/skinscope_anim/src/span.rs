//! Finds the interval of keys that contains a time.

/// The position of a time among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// The key at or before the time; the first one before all keys.
    pub key: usize,
    /// The key after it; `key` itself outside the keys.
    pub next: usize,
    /// The position of the time between `key` and `next`, 0…1.
    pub factor: f32,
    /// The length of the interval from `key` to `next`, seconds.
    pub secs: f32,
}

impl Span {
    pub fn find(times: &[f32], time_secs: f32) -> Self {
        let after = count_until(times, time_secs);
        if after == 0 || after == times.len() {
            let key = after.saturating_sub(1);
            return Self { key, next: key, factor: 0.0, secs: 0.0 };
        }
        // Computed in f64, which is exact and does not overflow however far apart the keys of a file are.
        let start = f64::from(times[after - 1]);
        let secs = f64::from(times[after]) - start;
        let factor = ((f64::from(time_secs) - start) / secs) as f32;
        Self { key: after - 1, next: after, factor, secs: secs as f32 }
    }

    /// Returns whether the time is that of a key, or outside of all keys, where the value of the nearest key applies.
    pub(crate) fn on_key(self) -> bool {
        self.factor == 0.0
    }
}

/// Returns how many keys are not after the time. It looks first where evenly spaced keys would have it, then on both
/// sides of that in growing steps: evenly spaced keys cost the same wherever the time is, and any others no more than
/// about twice a binary search.
fn count_until(times: &[f32], time_secs: f32) -> usize {
    let (&[first, ..], &[.., last]) = (times, times) else { return 0 };
    // A time that is NaN counts as before all keys.
    if time_secs.is_nan() || time_secs < first {
        return 0;
    }
    if time_secs >= last {
        return times.len();
    }
    // The time lies between two keys now, so the answer is 1…len - 1. A range that overflows gives NaN or zero here,
    // and both are cast to zero.
    let share = (time_secs - first) / (last - first);
    let guess = ((share * (times.len() - 1) as f32) as usize).clamp(1, times.len() - 1);
    let mut step = 1;
    if times[guess] <= time_secs {
        let mut low = guess;
        while low + step < times.len() && times[low + step] <= time_secs {
            low += step;
            step *= 2;
        }
        let high = times.len().min(low + step);
        low + 1 + times[low + 1..high].partition_point(|key| *key <= time_secs)
    } else {
        let mut high = guess;
        while high > step && times[high - step] > time_secs {
            high -= step;
            step *= 2;
        }
        let low = high.saturating_sub(step);
        low + times[low..high].partition_point(|key| *key <= time_secs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns lists of key times of every sort: even, uneven, clustered, huge, tiny, few.
    fn lists() -> Vec<Vec<f32>> {
        let even = |n: usize, step: f32| (0..n).map(|i| i as f32 * step).collect::<Vec<f32>>();
        let mut random = 7_u32;
        let mut rising = |n: usize| {
            let mut at = -1.0;
            let mut next = || {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                at += 1e-4 + (random >> 8) as f32 / 1e7 * if random.is_multiple_of(7) { 50.0 } else { 1.0 };
                at
            };
            (0..n).map(|_| next()).collect::<Vec<f32>>()
        };
        let mut out = vec![vec![0.0], vec![-3.5, 4.0], even(301, 1.0 / 30.0), even(1000, 1.0 / 29.97), even(5, 0.25)];
        out.extend([2, 3, 17, 300].map(&mut rising));
        out.push((0..60).map(|i| 2.0_f32.powi(i - 30)).collect());
        out.push((0..60).map(|i| 100.0 - 2.0_f32.powi(8 - i / 2) + (i % 2) as f32 * 1e-6).collect());
        out.push(vec![f32::MIN, -1e30, 0.0, f32::MIN_POSITIVE, 1.0, 1e30, f32::MAX]);
        out.iter_mut().for_each(|list| list.dedup_by(|next, last| *next <= *last));
        out
    }

    #[test]
    fn the_search_finds_what_a_binary_search_finds() {
        for times in lists() {
            assert!(times.windows(2).all(|w| w[0] < w[1]), "{times:?}");
            let ends = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN, f32::MIN, f32::MAX, 0.0];
            let between = times.windows(2).flat_map(|w| [0.25, 0.5, 0.999].map(|f| w[0] * (1.0 - f) + w[1] * f));
            let near = times.iter().flat_map(|t| [t.next_down(), *t, t.next_up()]);
            for time in near.chain(between).chain(ends) {
                let want = times.partition_point(|key| *key <= time);
                assert_eq!(count_until(&times, time), want, "{time} in {times:?}");
            }
        }
    }
}

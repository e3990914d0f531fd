//! Makes key times rise strictly, as glTF 2.0 (3.11) demands and all code that samples clips expects.

use skinscope_base::words::counted;

/// Key times that rise strictly, and the changes that were necessary for that.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Rising {
    /// The times, seconds.
    pub times: Vec<f32>,
    /// The index in the file of the key of each time.
    pub keys: Vec<u32>,
    timeless: usize,
    late: usize,
    together: usize,
    unusable: usize,
}

/// Returns whether times are finite and rise.
pub(super) fn are_rising(times: &[f32]) -> bool {
    times.first().is_none_or(|t| t.is_finite()) && times.windows(2).all(|t| t[0] < t[1] && t[1].is_finite())
}

/// Drops keys whose time is not finite or before that of an earlier key. Of several keys at one time, those without a usable value
/// (`unusable`, by the index of the key; empty where each has one) are left out, unless all of them are. Of what is left of them the first
/// and the last remain, so that the value jumps there: the first one gets the largest f32 time before it.
pub(super) fn rising(stored: &[f32], unusable: &[bool]) -> Rising {
    let mut out = Rising::default();
    let mut in_order: Vec<u32> = Vec::with_capacity(stored.len());
    let time_of = |key: u32| stored[key as usize];
    for (key, time) in (0..).zip(stored) {
        match in_order.last() {
            _ if !time.is_finite() => out.timeless += 1,
            Some(last) if *time < time_of(*last) => out.late += 1,
            _ => in_order.push(key),
        }
    }
    let is_usable = |key: &u32| unusable.get(*key as usize).is_none_or(|unusable| !unusable);
    for moment in in_order.chunk_by(|a, b| time_of(*a) == time_of(*b)) {
        let any = moment.iter().any(is_usable);
        let mut keys = moment.iter().copied().filter(|key| !any || is_usable(key));
        let (Some(first), last) = (keys.next(), keys.next_back()) else { continue };
        let count = moment.iter().filter(|key| !any || is_usable(key)).count();
        out.together += count - 1;
        out.unusable += moment.len() - count;
        out.push(time_of(first), first);
        if let Some(last) = last {
            if !out.move_back() {
                out.times.pop();
                out.keys.pop();
            }
            out.push(time_of(last), last);
        }
    }
    out
}

impl Rising {
    fn push(&mut self, time: f32, key: u32) {
        self.times.push(time);
        self.keys.push(key);
    }

    /// Returns whether keys without a usable value were left out, so that the keys that are left depend on the values.
    pub(crate) fn left_out_any(&self) -> bool {
        self.unusable > 0
    }

    /// Moves the last key to the largest f32 time before it; returns false where another key is there, or where a clip
    /// begins.
    fn move_back(&mut self) -> bool {
        let last = self.times.len() - 1;
        let before = self.times[last].next_down();
        let is_free = last.checked_sub(1).is_none_or(|at| self.times[at] < before);
        // Clips are not shown before 0.
        let moves = is_free && before >= 0.0;
        if moves {
            self.times[last] = before;
        }
        moves
    }

    /// Returns what was changed, in words for warnings.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let timeless = counted(
            self.timeless,
            "key whose time is no finite number; it was",
            "keys whose time is no finite number; they were",
        );
        let late = counted(
            self.late,
            "key that does not come after the one before; it was",
            "keys that do not come after the one before; they were",
        );
        let unusable = counted(
            self.unusable,
            "key without a value that can be used (zero rotations have none) beside another key of its moment; it was",
            "keys without a value that can be used (zero rotations have none) beside another key of their moment; they were",
        );
        let together = counted(
            self.together,
            "key at the moment of the one before; the value jumps there",
            "keys at the moment of the one before; the value jumps there",
        );
        let all = [
            (self.timeless, format!("has {timeless} ignored")),
            (self.late, format!("has {late} ignored")),
            (self.unusable, format!("has {unusable} left out")),
            (self.together, format!("has {together}")),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_keys_at_one_moment_the_first_counts_until_there_and_the_last_from_there_on() {
        let before = 1.0_f32.next_down();
        let made = |times: &[f32]| {
            let rising = rising(times, &[]);
            assert!(are_rising(&rising.times), "{times:?}");
            assert_eq!(are_rising(times), rising.times == times, "{times:?}");
            (rising.times, rising.keys)
        };
        assert_eq!(made(&[0.0, 1.0, 2.0]), (vec![0.0, 1.0, 2.0], vec![0, 1, 2]));
        assert_eq!(made(&[0.0, 1.0, 1.0, 2.0]), (vec![0.0, before, 1.0, 2.0], vec![0, 1, 2, 3]));
        assert_eq!(made(&[0.0, 1.0, 1.0, 1.0, 1.0, 2.0]), (vec![0.0, before, 1.0, 2.0], vec![0, 1, 4, 5]));
        // Nothing is shown before a clip begins, and between two floats there is no other.
        assert_eq!(made(&[0.0, 0.0, 1.0]), (vec![0.0, 1.0], vec![1, 2]));
        assert_eq!(made(&[before, 1.0, 1.0]), (vec![before, 1.0], vec![0, 2]));
        assert_eq!(made(&[1.0, f32::NAN, 0.5, 1.0, f32::INFINITY]), (vec![before, 1.0], vec![0, 3]));
        assert_eq!(made(&[f32::NAN]), (vec![], vec![]));
        assert_eq!(made(&[]), (vec![], vec![]));
    }

    #[test]
    fn of_keys_at_one_moment_those_without_a_usable_value_are_left_out_first() {
        let of = |times: &[f32], unusable: &[u32]| {
            let unusable: Vec<bool> = (0..times.len() as u32).map(|key| unusable.contains(&key)).collect();
            let rising = rising(times, &unusable);
            (rising.times.clone(), rising.keys.clone(), rising.unusable)
        };
        let (before, assimp) = (1.0_f32.next_down(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(of(&assimp, &[0, 2, 3, 5]), (vec![0.0, 1.0], vec![1, 4], 4));
        assert_eq!(of(&assimp, &[1, 4]), (vec![0.0, before, 1.0], vec![2, 3, 5], 2));
        assert_eq!(of(&[0.0, 0.0, 1.0], &[1]), (vec![0.0, 1.0], vec![0, 2], 1));
        // Where no key of a moment has a value, one has to be made up.
        assert_eq!(of(&[0.0, 0.5, 0.5, 1.0], &[1, 2]).1, [0, 1, 2, 3]);
        assert_eq!(of(&[0.0, 0.5, 1.0], &[1]), (vec![0.0, 0.5, 1.0], vec![0, 1, 2], 0));
        // A key whose time is ignored stands beside none.
        assert_eq!(of(&[1.0, 0.5, 1.0, 2.0], &[2]), (vec![1.0, 2.0], vec![0, 3], 1));
    }
}

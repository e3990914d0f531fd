//! Values of keys that are no numbers, or no rotations: which keys have none that can be used, and what stands in for them.

use skinscope_base::words::counted;

/// How the values of a sampler lie in its output, and which of them can be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyLayout {
    /// How many elements of the output belong to one key.
    pub group: usize,
    /// How many of them make its value; where there are more, the key has in-tangent, value and out-tangent.
    pub per_value: usize,
}

impl KeyLayout {
    /// Returns the elements of a key's value, of all its elements.
    fn value_of<'v, T>(&self, key: &'v [T]) -> &'v [T] {
        let start = if self.group > self.per_value { self.per_value } else { 0 };
        key.get(start..start + self.per_value).unwrap_or_default()
    }

    /// Returns for each key whether nothing of its value can be used; empty where each key can.
    pub fn unusable<T>(&self, values: &[T], good: impl Fn(&T) -> bool) -> Vec<bool> {
        let is_bad = |key: &[T]| !self.value_of(key).iter().any(&good);
        match values.chunks_exact(self.group.max(1)).any(is_bad) {
            true => values.chunks_exact(self.group.max(1)).map(is_bad).collect(),
            false => Vec::new(),
        }
    }
}

/// How many values of a sampler could not be used, and what stands in for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced {
    /// Values for which that of the key before was held.
    pub held: usize,
    /// Values before the first that can be used, which stands in for them.
    pub leading: usize,
    /// Values of samplers that have none that can be used; the rest value stands in for them.
    pub without: usize,
    /// Tangents of splines, which were read as zero.
    pub tangents: usize,
}

impl Replaced {
    /// Returns what was done, in words for warnings. `is_rotation`: the values are rotations.
    pub fn warnings(&self, is_rotation: bool) -> impl Iterator<Item = String> + use<> {
        let (one, many, rest) = match is_rotation {
            true => {
                ("rotation that is zero or not finite", "rotations that are zero or not finite", "read as no rotation")
            }
            false => ("value that is not finite", "values that are not finite", "read as zero"),
        };
        let all = [
            (self.held, one, many, "the key before was held"),
            (self.leading, one, many, "at the start, so that the first that can be used counts from there"),
            (self.without, one, many, rest),
            (self.tangents, "tangent that is not finite", "tangents that are not finite", "read as zero"),
        ];
        all.into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many, done)| format!("has {}; {done}", counted(count, one, many)))
    }
}

/// Replaces values that cannot be used by the value at the same index of the key before (of the first good key at the
/// start), or by `none` where no key has a good one, and tangents by `zero`. `good` says which can be used, given whether it is a tangent.
pub(super) fn hold<T: Copy>(
    values: &mut [T],
    layout: KeyLayout,
    good: impl Fn(&T, bool) -> bool,
    (none, zero): (T, T),
) -> Replaced {
    let KeyLayout { group, per_value } = layout;
    let mut bad = Replaced::default();
    let is_tangent = |i: usize| group > per_value && i % group / per_value != 1;
    if values.iter().enumerate().all(|(i, value)| good(value, is_tangent(i))) {
        return bad;
    }
    for i in 0..group {
        if is_tangent(i) {
            for tangent in values.iter_mut().skip(i).step_by(group).filter(|v| !good(v, true)) {
                bad.tangents += 1;
                *tangent = zero;
            }
            continue;
        }
        let first = values.iter().skip(i).step_by(group).find(|v| good(v, false)).copied();
        let mut last = None;
        for value in values.iter_mut().skip(i).step_by(group) {
            if good(value, false) {
                last = Some(*value);
                continue;
            }
            let count = match (last, first) {
                (Some(_), _) => &mut bad.held,
                (None, Some(_)) => &mut bad.leading,
                (None, None) => &mut bad.without,
            };
            *count += 1;
            *value = last.or(first).unwrap_or(none);
        }
    }
    bad
}

/// Drops the keys that are not in `kept` (`None`: all remain); `group` values belong to one key.
pub(super) fn keep<T>(values: &mut Vec<T>, kept: Option<&[u32]>, group: usize) {
    let Some(kept) = kept else { return };
    let (mut at, mut next) = (0, 0);
    values.retain(|_| {
        let key = at / group;
        at += 1;
        while kept.get(next).is_some_and(|kept| (*kept as usize) < key) {
            next += 1;
        }
        kept.get(next).is_some_and(|kept| *kept as usize == key)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_cannot_be_used_where_nothing_of_its_value_can() {
        let good = |v: &f32| v.is_finite();
        let nan = f32::NAN;
        let weights = KeyLayout { group: 2, per_value: 2 };
        assert_eq!(weights.unusable(&[1.0, nan, nan, nan, 2.0, 3.0], good), [false, true, false]);
        assert_eq!(weights.unusable(&[1.0, nan], good), [false; 0]);
        let spline = KeyLayout { group: 3, per_value: 1 };
        assert_eq!(spline.unusable(&[nan, 1.0, nan, 1.0, nan, 1.0], good), [false, true]);
    }

    #[test]
    fn what_stands_in_for_a_value_is_counted_by_where_it_comes_from() {
        let (nan, layout) = (f32::NAN, KeyLayout { group: 1, per_value: 1 });
        let held = |values: &[f32]| {
            let mut values = values.to_vec();
            let replaced = hold(&mut values, layout, |v, _| v.is_finite(), (7.0, 0.0));
            (values, replaced)
        };
        let (values, replaced) = held(&[nan, nan, 1.0, nan, 2.0]);
        assert_eq!(values, [1.0, 1.0, 1.0, 1.0, 2.0]);
        assert_eq!(replaced, Replaced { held: 1, leading: 2, ..Replaced::default() });
        let (values, replaced) = held(&[nan, nan]);
        assert_eq!((values, replaced.without), (vec![7.0, 7.0], 2));
        let said: Vec<String> = replaced.warnings(true).collect();
        assert_eq!(said, ["has 2 rotations that are zero or not finite; read as no rotation"]);
    }
}

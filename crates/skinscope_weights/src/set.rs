//! Weights that are given to some joints of a vertex. Its other joints follow.

use std::collections::{BTreeMap, BTreeSet};

use crate::table::SAME as ALIKE;
use crate::{Around, Change, Given, RowTask, Shares, Table, Wish, share_of};

/// Weights that differ by no more than this are equal: it is what rounding to 32 bits makes of a number below one.
const SAME: f64 = 1e-7;

/// A weight as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Amount {
    /// The weight becomes this number, 0 to 1.
    To(#[serde(with = "crate::exact")] f64),
    /// This number is added to the weight; a negative one is subtracted.
    Add(#[serde(with = "crate::exact")] f64),
    /// The weight is multiplied by this number.
    Times(#[serde(with = "crate::exact")] f64),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Times(1.0)
    }
}

impl Amount {
    /// Reads `0.3`, `30%`, `+0.1`, `-0.1` or `*2`; a comma counts as a point. Returns `None` for any other text, and for a
    /// weight above 1, which no vertex can have.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().replace(',', ".").replace('−', "-").replace('×', "*");
        let (rest, make): (&str, fn(f64) -> Self) = match text.chars().next()? {
            '+' => (&text[1..], Self::Add),
            '-' => (&text[1..], |v| Self::Add(-v)),
            '*' => (&text[1..], Self::Times),
            _ => (&text, Self::To),
        };
        let (number, unit) = match rest.trim().strip_suffix('%') {
            Some(number) => (number.trim(), 0.01),
            None => (rest.trim(), 1.0),
        };
        if !number.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let value: f64 = number.parse().ok()?;
        let amount = (value.is_finite() && value >= 0.0).then(|| make(value * unit))?;
        (!matches!(amount, Self::To(weight) if weight > 1.0 + SAME)).then_some(amount)
    }

    /// Returns whether a weight is another one than what is asked for in place of the weight `now`. To take away more than there is leaves
    /// nothing, as was asked.
    fn is_unmet(self, now: f64, got: f64) -> bool {
        let wanted = match self {
            Self::To(weight) => weight,
            Self::Add(more) => now + more,
            Self::Times(times) => now * times,
        };
        got < wanted - ALIKE || got > self.of(now) + ALIKE
    }

    /// Returns the new weight, 0 to 1, in place of the weight `now`.
    #[must_use]
    pub fn of(self, now: f64) -> f64 {
        match self {
            Self::To(weight) => weight,
            Self::Add(more) => now + more,
            Self::Times(times) => now * times,
        }
        .clamp(0.0, 1.0)
    }
}

/// Gives some joints of a vertex, by their keys, new weights, and writes what it then has into `out`, rising by keys. Where `follow` is set, its
/// other joints share what is left of its sum in their proportions; where too much was asked for, the given weights are scaled down to the sum.
/// Locked joints keep their weights.
pub(crate) fn shares_given(around: &Around<'_>, given: &[(u32, Amount)], follow: bool, out: &mut Shares) -> Wish {
    let (own, locked) = (around.own, around.locked);
    out.extend_from_slice(own);
    let stuck = Wish { change: Change::Stuck, ..Wish::SAME };
    let now = |key: u32| share_of(own, key);
    let mut targets: BTreeMap<u32, f64> = BTreeMap::new();
    let mut is_locked = false;
    for (key, amount) in given.iter().filter(|(key, _)| around.keys.contains(key)) {
        if locked.contains(key) {
            is_locked |= (amount.of(now(*key)) - now(*key)).abs() > SAME;
        } else {
            targets.insert(*key, amount.of(now(*key)));
        }
    }
    if targets.iter().all(|(key, target)| (target - now(*key)).abs() <= SAME) {
        return if is_locked { stuck } else { Wish::SAME };
    }
    let fixed: Shares = own.iter().copied().filter(|(key, _)| locked.contains(key)).collect();
    let mut free: Shares = own.iter().copied().filter(|(key, _)| !locked.contains(key)).collect();
    free.retain(|(key, _)| !targets.contains_key(key));
    let pairs = fixed.len() + targets.values().filter(|target| **target > 0.0).count();
    if pairs > around.room {
        return stuck;
    }
    free.sort_by(|a, b| b.1.total_cmp(&a.1));
    let has_lost = free.len() > around.room - pairs;
    free.truncate(around.room - pairs);
    if follow && !follow_targets(own, &fixed, &mut free, &mut targets) {
        return stuck;
    }
    let mut new: BTreeMap<u32, f64> = fixed.into_iter().chain(free).chain(targets).collect();
    new.retain(|_, weight| *weight > 0.0);
    let stays = |(key, weight): &(u32, f64)| new.get(key).is_some_and(|n| (n - weight).abs() <= SAME);
    if new.len() == own.len() && own.iter().all(stays) {
        return stuck;
    }
    let got = |key: &u32| new.get(key).copied().unwrap_or_default();
    let known = given.iter().filter(|(key, _)| around.keys.contains(key));
    let is_unmet = known.into_iter().any(|(key, amount)| amount.is_unmet(now(*key), got(key)));
    out.clear();
    out.extend(new);
    Wish { change: Change::Changed, has_lost, is_unmet }
}

/// Lets the free joints of a vertex follow those that are given a weight, so that its sum stays. Returns false where nothing can take what one
/// joint gives up.
fn follow_targets(
    own: &[(u32, f64)],
    fixed: &[(u32, f64)],
    free: &mut Shares,
    targets: &mut BTreeMap<u32, f64>,
) -> bool {
    let sum: f64 = own.iter().map(|(_, weight)| *weight).sum();
    let whole = if sum > 0.0 { sum } else { 1.0 };
    let room = (whole - fixed.iter().map(|(_, weight)| *weight).sum::<f64>()).max(0.0);
    let (wanted, rest): (f64, f64) = (targets.values().sum(), free.iter().map(|(_, weight)| *weight).sum());
    if wanted > room || rest <= 0.0 {
        let is_short = wanted < room - SAME;
        if is_short && (targets.len() < 2 || wanted <= 0.0) {
            return false;
        }
        let factor = if wanted > 0.0 { room / wanted } else { 0.0 };
        targets.values_mut().for_each(|target| *target *= factor);
        free.clear();
    } else {
        let factor = (room - wanted) / rest;
        free.iter_mut().for_each(|(_, weight)| *weight *= factor);
    }
    true
}

/// Gives some joints of a row, by their keys, new weights, as the kernel of one joint does.
pub fn set_row(table: &mut Table, row: usize, given: &[(u32, Amount)], follow: bool, locked: &BTreeSet<u32>) -> Wish {
    let (mut own, mut out) = (Vec::new(), Vec::new());
    table.shares(row, &mut own);
    let task = RowTask { neighbours: &[], given: Given::default(), locked, arguments: [0.0; 4] };
    let wish = shares_given(&task.around(table, row, &own), given, follow, &mut out);
    if wish.change == Change::Changed {
        table.write(row, &out);
    }
    wish
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_as_they_are_typed() {
        let read = |text| Amount::parse(text);
        assert_eq!(read(" 0.3"), Some(Amount::To(0.3)));
        assert_eq!((read("30 %"), read("0,5")), (Some(Amount::To(0.3)), Some(Amount::To(0.5))));
        assert_eq!((read("+0.1"), read("-0.25")), (Some(Amount::Add(0.1)), Some(Amount::Add(-0.25))));
        assert_eq!((read("1"), read("100%")), (Some(Amount::To(1.0)), Some(Amount::To(1.0))));
        assert_eq!((read("*2"), read("* 50%")), (Some(Amount::Times(2.0)), Some(Amount::Times(0.5))));
        for text in ["", "x", "nan", "+-1", "inf", "1e999", "+", "%", "Hips", "1.5", "101%", "2"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    fn typed(cells: &[(u32, &str)], follow: bool, locked: &[u32]) -> Option<Vec<(u32, f64)>> {
        let mut table = Table {
            per_vertex: 4,
            joints: vec![0, 1, 2, 0],
            weights: vec![0.5, 0.3, 0.2, 0.0],
            formats: vec![skinscope_model::WeightFormat::F32],
            keys: vec![10, 11, 12, 13, 14],
            touched: vec![false],
            ..Table::default()
        };
        let given: Vec<_> = cells.iter().map(|(key, text)| (*key, Amount::parse(text).unwrap())).collect();
        let done = set_row(&mut table, 0, &given, follow, &locked.iter().copied().collect());
        let mut shares = Vec::new();
        table.shares(0, &mut shares);
        shares.sort_by_key(|(key, _)| *key);
        let is_changed = done.change == Change::Changed;
        assert_eq!(table.touched[0], is_changed);
        is_changed.then_some(shares)
    }

    #[track_caller]
    fn same(a: Option<Vec<(u32, f64)>>, b: &[(u32, f64)]) {
        let a = a.unwrap();
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-12), "{a:?}");
    }

    #[test]
    fn the_others_follow_and_locked_ones_stay() {
        same(typed(&[(10, "0.75")], true, &[]), &[(10, 0.75), (11, 0.15), (12, 0.1)]);
        same(typed(&[(11, "+0.1")], true, &[]), &[(10, 3.0 / 7.0), (11, 0.4), (12, 1.2 / 7.0)]);
        same(typed(&[(12, "*2")], true, &[10]), &[(10, 0.5), (11, 0.1), (12, 0.4)]);
        // No more than the locked ones leave.
        same(typed(&[(12, "0.9")], true, &[10]), &[(10, 0.5), (12, 0.5)]);
        same(typed(&[(13, "0.4")], true, &[]), &[(10, 0.3), (11, 0.18), (12, 0.12), (13, 0.4)]);
        same(typed(&[(11, "0")], true, &[]), &[(10, 5.0 / 7.0), (12, 2.0 / 7.0)]);
        same(typed(&[(11, "0.1")], false, &[]), &[(10, 0.5), (11, 0.1), (12, 0.2)]);
        assert_eq!(typed(&[(10, "0.9")], true, &[10]), None);
        assert_eq!(typed(&[(10, "0.2")], true, &[11, 12]), None, "nobody can take the rest");
        assert_eq!(typed(&[(10, "0.5")], true, &[]), None, "it has that weight");
        assert_eq!(typed(&[(99, "0.5")], true, &[]), None, "its skin has no such joint");
    }

    #[test]
    fn several_cells_of_a_vertex_are_given_at_once() {
        same(typed(&[(10, "0.2"), (11, "0.2")], true, &[]), &[(10, 0.2), (11, 0.2), (12, 0.6)]);
        same(typed(&[(10, "0.2"), (11, "0.2"), (12, "0.4")], true, &[]), &[(10, 0.25), (11, 0.25), (12, 0.5)]);
        same(typed(&[(10, "0.8"), (13, "0.8")], true, &[]), &[(10, 0.5), (13, 0.5)]);
        // Where there is no pair left the smallest joint gives its own.
        same(typed(&[(13, "0.1"), (14, "0.1")], true, &[]), &[(10, 0.5), (11, 0.3), (13, 0.1), (14, 0.1)]);
    }
}

//! Rows of few joints, painted without lists where nothing is locked: to the bit what [`Task::paint`] makes of them, several times as fast.

use super::rules::{LEFT_BY_ROUNDING, SAME};
use super::{Aim, Asked, Effect, Need, Stuck, Task, Weighed, within_bounds};

/// How many joints such a row may have, those included that it has for a moment.
const FEW: usize = 8;
/// Most rows have no more joints: loops over that many are unrolled.
pub(super) const USUAL: usize = FEW / 2;
/// Weights whose sum is beyond this are left to the rules for all rows, which see to sums that are not finite.
pub(super) const ORDINARY: f64 = 1e6;

/// What stands beyond the last joint: the key of none, be it of a node or of a number beyond a skin.
const NO_KEY: u32 = u32::MAX - 0x1_0000;

/// The shares of a row of few joints, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FewShares {
    /// [`NO_KEY`] beyond the last.
    keys: [u32; FEW],
    /// 0 beyond the last.
    weights: [f64; FEW],
    count: usize,
}

impl FewShares {
    /// A row without joints.
    pub const NONE: Self = Self { keys: [NO_KEY; FEW], weights: [0.0; FEW], count: 0 };

    /// Takes shares; `None` where there are too many.
    #[must_use]
    pub fn of(shares: &[(u32, f64)]) -> Option<Self> {
        let mut out = Self::NONE;
        shares.iter().all(|(key, weight)| out.push(*key, *weight)).then_some(out)
    }

    /// Returns the row as one of at most four joints; `None` where it has more.
    #[inline]
    #[must_use]
    pub fn usual(&self) -> Option<UsualShares> {
        let ([a, b, c, d, ..], [e, f, g, h, ..]) = (self.keys, self.weights);
        let Self { count, .. } = *self;
        (count <= USUAL).then_some(UsualShares { keys: [a, b, c, d], weights: [e, f, g, h], count })
    }

    /// Returns how many joints there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the joints with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.keys.iter().copied().zip(self.weights.iter().copied()).take(self.count)
    }

    /// Adds a joint, as far as there is room; returns whether there is.
    #[inline]
    pub fn push(&mut self, key: u32, weight: f64) -> bool {
        let has_room = self.count < FEW;
        if has_room {
            self.keys[self.count] = key;
            self.weights[self.count] = weight;
            self.count += 1;
        }
        has_room
    }

    /// Adds weight to a joint, which is new where it has none; returns whether there was room.
    #[inline]
    pub(crate) fn add_weight(&mut self, key: u32, weight: f64) -> bool {
        match self.position(key) {
            Some(at) => self.weights[at] += weight,
            None => return self.push(key, weight),
        }
        true
    }

    /// Adds a row times a factor, its new joints behind those that there are; returns whether there was room.
    #[inline]
    pub fn add(&mut self, row: &Self, factor: f64) -> bool {
        if self.count == 0 {
            *self = *row;
            self.scale(factor);
            return true;
        }
        if self.has_joints_of(row) {
            self.each_of(row, |sum, weight| sum + factor * weight);
            return true;
        }
        row.iter().all(|(key, weight)| self.add_weight(key, factor * weight))
    }

    /// Divides all weights.
    #[inline]
    pub fn divide(&mut self, divisor: f64) {
        // Beyond the last joint 0 stays 0, but for a divisor that leaves nothing to be painted.
        self.each(|weight| weight / divisor);
    }

    #[inline]
    fn scale(&mut self, factor: f64) {
        self.each(|weight| weight * factor);
    }

    /// Changes the weights.
    #[inline]
    fn each(&mut self, change: impl Fn(f64) -> f64) {
        if self.count == USUAL {
            self.weights[..USUAL].iter_mut().for_each(|weight| *weight = change(*weight));
        } else {
            self.weights[..self.count].iter_mut().for_each(|weight| *weight = change(*weight));
        }
    }

    /// Changes the weights by those of a row with the same joints in the same order.
    #[inline]
    fn each_of(&mut self, row: &Self, change: impl Fn(f64, f64) -> f64) {
        let both = self.weights.iter_mut().zip(&row.weights);
        if self.count == USUAL {
            both.take(USUAL).for_each(|(own, other)| *own = change(*own, *other));
        } else {
            both.take(self.count).for_each(|(own, other)| *own = change(*own, *other));
        }
    }

    /// Whether both have the same joints in the same order.
    #[inline]
    fn has_joints_of(&self, other: &Self) -> bool {
        self.keys == other.keys
    }

    #[inline]
    fn position(&self, key: u32) -> Option<usize> {
        self.keys[..self.count].iter().position(|own| *own == key)
    }

    #[inline]
    fn share_of(&self, key: u32) -> f64 {
        self.position(key).map_or(0.0, |at| self.weights[at])
    }

    #[inline]
    fn sum(&self) -> f64 {
        if self.count == USUAL {
            return self.weights[..USUAL].iter().sum();
        }
        self.weights[..self.count].iter().sum()
    }

    fn remove(&mut self, at: usize) {
        self.keys.copy_within(at + 1.., at);
        self.weights.copy_within(at + 1.., at);
        self.keys[FEW - 1] = NO_KEY;
        self.weights[FEW - 1] = 0.0;
        self.count -= 1;
    }

    /// Leaves the joints with a weight above zero.
    #[inline]
    fn retain_some(&mut self) {
        for at in (0..self.count).rev() {
            // What is no number is not above zero either.
            let is_some = self.weights[at] > 0.0;
            if !is_some {
                self.remove(at);
            }
        }
    }

    /// Sets the weight of a joint, or takes it away.
    #[inline]
    fn put(&mut self, key: u32, weight: f64) -> bool {
        match self.position(key) {
            Some(at) if weight > 0.0 => self.weights[at] = weight,
            Some(at) => self.remove(at),
            None if weight > 0.0 => return self.push(key, weight),
            None => {}
        }
        true
    }

    /// Returns the largest difference between the weights of one joint.
    #[inline]
    fn difference(&self, other: &Self) -> f64 {
        if self.has_joints_of(other) {
            let each = self.weights.iter().zip(&other.weights).map(|(a, b)| (a - b).abs());
            let count = if self.count <= USUAL { USUAL } else { FEW };
            return each.take(count).fold(0.0, f64::max);
        }
        let (own, beyond) = (&self.keys[..self.count], self.count.min(other.count));
        if *own == other.keys[..beyond] {
            // The same joints, and others behind them.
            let each = self.weights.iter().zip(&other.weights).map(|(a, b)| (a - b).abs());
            return each.take(other.count).fold(0.0, f64::max);
        }
        let keys = self.iter().chain(other.iter());
        keys.map(|(key, _)| (self.share_of(key) - other.share_of(key)).abs()).fold(0.0, f64::max)
    }
}

/// A row of at most four joints, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsualShares {
    /// The joints; what no joint has beyond the last.
    pub keys: [u32; USUAL],
    /// Their weights; 0 beyond the last.
    pub weights: [f64; USUAL],
    /// How many there are.
    pub count: usize,
}

impl UsualShares {
    /// A row without joints.
    pub const NONE: Self = Self { keys: [NO_KEY; USUAL], weights: [0.0; USUAL], count: 0 };

    /// Returns the same row as one of few joints.
    #[inline]
    #[must_use]
    pub fn to_few(&self) -> FewShares {
        let mut out = FewShares::NONE;
        out.keys[..USUAL].copy_from_slice(&self.keys);
        out.weights[..USUAL].copy_from_slice(&self.weights);
        out.count = self.count;
        out
    }
}

/// A task for rows of few joints.
#[derive(Clone, Copy, Debug)]
pub struct FewTask<'a> {
    pub(super) task: Task<'a>,
    pub(super) asked: Asked<'a>,
}

impl<'a> Task<'a> {
    /// Returns what paints rows of few joints; `None` where such rows are not painted by themselves. `asked` says what is the same for all rows.
    #[must_use]
    pub fn of_few(self, asked: Asked<'a>) -> Option<FewTask<'a>> {
        let is_simple = self.locked.is_empty() && !self.brush.needs.contains(&Need::To);
        is_simple.then_some(FewTask { task: self, asked })
    }
}

impl FewTask<'_> {
    /// Does the same as [`Task::paint`] for a row, what it goes towards and the strength: where the row changes, `row` has its new weights
    /// afterwards, else something that says nothing. `None` where the row has too many joints for a moment, or weights that are out of the
    /// ordinary: the rules for all rows see to it.
    #[inline]
    #[must_use]
    pub fn paint(&self, own: &FewShares, toward: &FewShares, strength: f64, row: &mut FewShares) -> Option<Effect> {
        let sum = own.sum();
        if !sum.is_finite() || sum > ORDINARY {
            return None;
        }
        let lost = match self.task.brush.aim {
            Aim::Weight(wanted) => {
                let before = own.share_of(self.asked.joint);
                let wanted = within_bounds(&self.asked, before, wanted(&self.asked, Weighed { before, strength }));
                match self.set((own, sum), strength, [before, wanted], row)? {
                    Ok(lost) => lost,
                    Err(effect) => return Some(effect),
                }
            }
            Aim::Toward(times) => match self.go((own, sum), toward, (strength, times * strength), row)? {
                Ok(()) => None,
                Err(effect) => return Some(effect),
            },
            Aim::Give => return None,
        };
        if own.difference(row) <= SAME {
            return Some(lost.map_or(Effect::Same, Effect::Stuck));
        }
        if row.count > self.task.most {
            if self.task.most == 0 {
                return Some(Effect::Stuck(Stuck::NoSlot));
            }
            self.limit(row);
            if own.difference(row) <= SAME {
                return Some(Effect::Stuck(Stuck::NoSlot));
            }
        }
        Some(lost.map_or(Effect::Changed, Effect::Partial))
    }

    /// Gives the painted joint another weight, and makes the others fit. The error is what becomes of a row that stays.
    #[inline]
    fn set(
        &self,
        (own, sum): (&FewShares, f64),
        strength: f64,
        [before, wanted]: [f64; 2],
        row: &mut FewShares,
    ) -> Option<Result<Option<Stuck>, Effect>> {
        let joint = self.asked.joint;
        *row = *own;
        if wanted.is_nan() || wanted > ORDINARY || !row.put(joint, wanted) {
            return None;
        }
        let wanted = if wanted > 0.0 { wanted } else { 0.0 };
        if strength <= 0.0 || (before - wanted).abs() <= SAME {
            return Some(Err(Effect::Same));
        }
        if !self.task.normalise {
            return Some(Ok(None));
        }
        let free = self.task.sum_after_sum(sum).max(0.0);
        let at = row.position(joint);
        let mut others = 0.0;
        (0..row.count).filter(|i| Some(*i) != at).for_each(|i| others += row.weights[i]);
        let given = if others > 0.0 { wanted.min(1.0).min(free) } else { free };
        let forth = if wanted > before { given - before } else { before - given };
        // As for all rows: what rounding has left free is no change that was asked for.
        if forth <= SAME || forth <= LEFT_BY_ROUNDING && (wanted - before).abs() > LEFT_BY_ROUNDING {
            return Some(Err(Effect::Stuck(Stuck::OnlyJoint)));
        }
        if others > 0.0 {
            let factor = (free - given) / others;
            // The painted joint gets its own weight next.
            row.scale(factor);
        }
        if !row.put(joint, given) {
            return None;
        }
        row.retain_some();
        Some(Ok(((wanted - before).abs() - forth > SAME).then_some(Stuck::OnlyJoint)))
    }

    /// Brings the row towards what the brush reads, and makes its sum fit. The error is what becomes of a row that stays.
    #[inline]
    fn go(
        &self,
        (own, sum): (&FewShares, f64),
        toward: &FewShares,
        (strength, share): (f64, f64),
        row: &mut FewShares,
    ) -> Option<Result<(), Effect>> {
        *row = *own;
        if own.has_joints_of(toward) {
            row.each_of(toward, |own, toward| own + share * (toward - own));
        } else {
            for i in 0..own.count {
                row.weights[i] += share * (toward.share_of(own.keys[i]) - own.weights[i]);
            }
            for (key, weight) in toward.iter().filter(|(key, _)| own.share_of(*key) <= 0.0) {
                if !row.push(key, share * weight) {
                    return None;
                }
            }
        }
        row.retain_some();
        let free = row.sum();
        if free > ORDINARY {
            return None;
        }
        if strength <= 0.0 || own.difference(row) <= SAME {
            return Some(Err(Effect::Same));
        }
        if self.task.normalise {
            let left = self.task.sum_after_sum(sum);
            if free <= 0.0 || left <= SAME {
                return Some(Err(Effect::Stuck(Stuck::OnlyJoint)));
            }
            row.scale(left.max(0.0) / free);
            row.retain_some();
        }
        Some(Ok(()))
    }

    /// Leaves the joints that there is room for in a row that has more, and shares the weight of the others among those that stay.
    fn limit(&self, row: &mut FewShares) {
        let joint = self.task.brush.is_of_joint().then_some(self.asked.joint);
        let number = |key: u32| self.task.joints.iter().position(|joint| *joint == key);
        let is_painted = |key: u32| Some(key) == joint;
        let by_rank = |row: &FewShares, a: usize, b: usize| {
            let [(a, one), (b, other)] = [a, b].map(|at| (row.keys[at], row.weights[at]));
            let by_weight = is_painted(b).cmp(&is_painted(a)).then(other.total_cmp(&one));
            // The list of joints is long.
            by_weight.then_with(|| number(a).cmp(&number(b)))
        };
        let rest = if row.count == self.task.most + 1 {
            let last = (0..row.count).max_by(|a, b| by_rank(row, *a, *b)).unwrap_or(0);
            let rest = row.weights[last];
            row.remove(last);
            rest
        } else {
            let mut ranked = [0_usize; FEW];
            (0..).zip(&mut ranked).for_each(|(i, at)| *at = i);
            ranked[..row.count].sort_by(|a, b| by_rank(row, *a, *b));
            let (kept, left) = ranked[..row.count].split_at(self.task.most);
            let rest: f64 = left.iter().map(|at| row.weights[*at]).sum();
            let mut out = FewShares::NONE;
            for at in (0..row.count).filter(|at| kept.contains(at)) {
                out.push(row.keys[at], row.weights[at]);
            }
            *row = out;
            rest
        };
        if !self.task.normalise {
            return;
        }
        let has_others = row.iter().any(|(key, _)| !is_painted(key));
        let takes = |key: u32| !has_others || !is_painted(key);
        let sum: f64 = row.iter().filter(|(key, _)| takes(*key)).map(|(_, weight)| weight).sum();
        let factor = 1.0 + rest / sum;
        for at in 0..row.count {
            row.weights[at] *= if takes(row.keys[at]) { factor } else { 1.0 };
        }
    }
}

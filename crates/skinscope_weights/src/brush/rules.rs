//! What holds for every brush: locked joints, the sum of the weights, and how many joints a vertex may have.

use std::collections::BTreeSet;

use super::{Asked, Brush};
use crate::{Shares, difference, share_of};

/// Weights that differ by no more than this are the same: it is far below what any file can store, and far above the errors of the sums here.
pub(super) const SAME: f64 = 1e-12;
/// The weights of a row that are rounded to what a file stores in floats leave no more than this of one.
pub(super) const LEFT_BY_ROUNDING: f64 = 1e-6;
/// So many joints of a row need no memory of their own while they are put in order.
const FEW: usize = 12;
/// A sum that differs from one by no more than this was meant to be one.
const NEARLY_ONE: f64 = 1e-3;

/// What a dab does, as far as it is the same for all vertices that it touches.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The brush.
    pub brush: &'static Brush,
    /// The joints whose weights stay, by their keys.
    pub locked: &'a BTreeSet<u32>,
    /// Whether the other joints make room, so that the sum stays.
    pub normalise: bool,
    /// The most joints that a changed vertex may have: what was asked for, or what the file has room for.
    pub most: usize,
    /// Whether the weights are stored as integers, whose sum is always one.
    pub is_integer: bool,
    /// The keys of the joints of the skin, in its order: of equal weights that of the first joint stays.
    pub joints: &'a [u32],
}

/// Why a vertex does not get what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stuck {
    /// The painted joint, or the one that is given to, is locked; or all joints of the vertex are.
    Locked,
    /// The painted joint is the only one that may change: no other has weight to take, or can be given some.
    OnlyJoint,
    /// Locked joints have the rest of the weight.
    NoRoom,
    /// Joints that are locked, or have more weight, leave no slot for another one.
    NoSlot,
    /// The skin of the vertex does not have the painted joint, or the one that is given to.
    OtherSkin,
}

impl Stuck {
    /// All reasons.
    pub const ALL: [Self; 5] = [Self::Locked, Self::OnlyJoint, Self::NoRoom, Self::NoSlot, Self::OtherSkin];

    /// Its name in JSON.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Locked => "locked",
            Self::OnlyJoint => "only-joint",
            Self::NoRoom => "no-room",
            Self::NoSlot => "no-slot",
            Self::OtherSkin => "other-skin",
        }
    }

    /// The reason in words, as the end of "12 vertices stay: …".
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Locked => "the joint is locked",
            Self::OnlyJoint => "no other joint that is not locked takes or gives weight there",
            Self::NoRoom => "locked joints have the rest of the weight",
            Self::NoSlot => "joints that are locked, or have more weight, leave no slot for another one",
            Self::OtherSkin => "the skin there does not have the joint",
        }
    }
}

/// What becomes of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It has what is asked for.
    Same,
    /// It gets what is asked for.
    Changed,
    /// It gets a part of it, for this reason.
    Partial(Stuck),
    /// It stays, for this reason.
    Stuck(Stuck),
}

impl Effect {
    /// Whether the vertex gets other weights.
    #[must_use]
    pub fn changes(self) -> bool {
        matches!(self, Self::Changed | Self::Partial(_))
    }
}

/// A row that was painted.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// What becomes of it.
    pub effect: Effect,
    /// Its weights, each joint once, above zero; those of before where the row stays.
    pub row: Shares,
}

impl Task<'_> {
    /// Paints a row.
    #[must_use]
    pub fn paint(&self, asked: &Asked<'_>) -> Painted {
        let mut row = Shares::new();
        let effect = self.paint_into(asked, &mut row);
        if !effect.changes() {
            asked.own.clone_into(&mut row);
        }
        Painted { effect, row }
    }

    /// Does the same with memory that is there: where the row changes, `row` has its new weights afterwards, else something that says nothing.
    #[must_use]
    pub fn paint_into(&self, asked: &Asked<'_>, row: &mut Shares) -> Effect {
        let own = asked.own;
        row.clear();
        self.brush.wish(asked, row);
        if !own.iter().chain(&*row).map(|(_, weight)| weight).sum::<f64>().is_finite() {
            return Effect::Stuck(Stuck::OnlyJoint);
        }
        if asked.strength <= 0.0 || difference(own, row) <= SAME {
            return Effect::Same;
        }
        let lost = match self.keep_locks_and_sum(asked, row) {
            Ok(lost) => lost,
            Err(why) => return Effect::Stuck(why),
        };
        if difference(own, row) <= SAME {
            return lost.map_or(Effect::Same, Effect::Stuck);
        }
        if row.len() > self.most {
            if let Err(why) = self.limit(asked, row) {
                return Effect::Stuck(why);
            }
            if difference(own, row) <= SAME {
                return Effect::Stuck(Stuck::NoSlot);
            }
        }
        lost.map_or(Effect::Changed, Effect::Partial)
    }

    /// Gives locked joints their weights back and makes the others fit. Returns why the painted joint does not get all of its new weight; the
    /// error is why nothing can change.
    fn keep_locks_and_sum(&self, asked: &Asked<'_>, row: &mut Shares) -> Result<Option<Stuck>, Stuck> {
        let own = asked.own;
        let is_locked = |key: u32| self.locked.contains(&key);
        let of_locked =
            |shares: &[(u32, f64)]| shares.iter().filter(|(key, _)| is_locked(*key)).map(|s| s.1).sum::<f64>();
        let sum = self.sum_after(own);
        if self.brush.is_of_joint() {
            let moves_between_two = self.brush.needs.contains(&super::Need::To);
            if is_locked(asked.joint) || moves_between_two && is_locked(asked.to) {
                return Err(Stuck::Locked);
            }
            if moves_between_two || !self.normalise {
                return Ok(None);
            }
            let taken = of_locked(own);
            let ways = [share_of(own, asked.joint), share_of(row, asked.joint)];
            return make_room(row, asked.joint, ways, (sum - taken, 1.0 - taken), &is_locked);
        }
        row.retain(|(key, _)| !is_locked(*key));
        let free: f64 = row.iter().map(|(_, weight)| weight).sum();
        let left = sum - of_locked(own);
        if self.normalise {
            if free <= 0.0 || left <= SAME {
                return Err(if self.locked.is_empty() { Stuck::OnlyJoint } else { Stuck::Locked });
            }
            row.iter_mut().for_each(|(_, weight)| *weight *= left.max(0.0) / free);
            row.retain(|(_, weight)| *weight > 0.0);
        }
        row.extend(own.iter().filter(|(key, _)| is_locked(*key)));
        Ok(None)
    }

    /// What the weights of a row sum to after a change.
    fn sum_after(&self, own: &[(u32, f64)]) -> f64 {
        self.sum_after_sum(own.iter().map(|(_, weight)| weight).sum())
    }

    /// Does the same for a row whose sum is known.
    pub(super) fn sum_after_sum(&self, sum: f64) -> f64 {
        if self.is_integer || sum <= 0.0 || (sum - 1.0).abs() <= NEARLY_ONE { 1.0 } else { sum }
    }

    /// Leaves the joints that there is room for in a row that has more, and shares the weight of the others among those that stay.
    fn limit(&self, asked: &Asked<'_>, row: &mut Shares) -> Result<(), Stuck> {
        let is_locked = |key: u32| self.locked.contains(&key);
        let painted: &[u32] = match () {
            () if !self.brush.is_of_joint() => &[],
            () if self.brush.needs.contains(&super::Need::To) => &[asked.joint, asked.to],
            () => &[asked.joint],
        };
        let locked = row.iter().filter(|(key, _)| is_locked(*key)).count();
        if locked >= self.most {
            return Err(Stuck::NoSlot);
        }
        let mut few = [(0, 0.0); FEW];
        let mut many = Shares::new();
        let ranked = match few.get_mut(..row.len()) {
            Some(few) => few,
            None => {
                many.resize(row.len(), (0, 0.0));
                &mut many[..]
            }
        };
        ranked.copy_from_slice(row);
        let number = |key: u32| self.joints.iter().position(|joint| *joint == key);
        let rank = |key: u32| 2 * u8::from(is_locked(key)) + u8::from(painted.contains(&key));
        ranked.sort_by(|a, b| {
            let by_weight = rank(b.0).cmp(&rank(a.0)).then(b.1.total_cmp(&a.1));
            // The list of joints is long.
            by_weight.then_with(|| number(a.0).cmp(&number(b.0)))
        });
        let (kept, left) = ranked.split_at(self.most);
        let rest: f64 = left.iter().map(|(_, weight)| weight).sum();
        row.retain(|(key, _)| kept.iter().any(|(k, _)| k == key));
        if !self.normalise {
            return Ok(());
        }
        let is_other = |key: u32| !is_locked(key) && !painted.contains(&key);
        let has_others = row.iter().any(|(key, _)| is_other(*key));
        let takes = |key: u32| if has_others { is_other(key) } else { !is_locked(key) };
        let sum: f64 = row.iter().filter(|(key, _)| takes(*key)).map(|(_, weight)| weight).sum();
        for (_, weight) in row.iter_mut().filter(|(key, _)| takes(*key)) {
            *weight *= 1.0 + rest / sum;
        }
        Ok(())
    }
}

/// Scales the joints that are neither painted nor locked so that the free weight is shared out, with a new weight for the painted joint as far as
/// there is room: `before` and `wanted` are its weights, `free` is what locked joints leave of the sum, and `most` the most that it may have.
/// Returns why it gets less of the change; the error is why it cannot change that way at all.
fn make_room(
    row: &mut Shares,
    joint: u32,
    [before, wanted]: [f64; 2],
    (free, most): (f64, f64),
    is_locked: &dyn Fn(u32) -> bool,
) -> Result<Option<Stuck>, Stuck> {
    let is_other = |key: u32| key != joint && !is_locked(key);
    let others: f64 = row.iter().filter(|(key, _)| is_other(*key)).map(|(_, weight)| weight).sum();
    let has_locked = row.iter().any(|(key, _)| is_locked(*key));
    let free = free.max(0.0);
    let given = if others > 0.0 { wanted.min(most.max(0.0)).min(free) } else { free };
    let why = if wanted > before && has_locked { Stuck::NoRoom } else { Stuck::OnlyJoint };
    let forth = if wanted > before { given - before } else { before - given };
    // What rounding has left free is no change that was asked for.
    if forth <= SAME || forth <= LEFT_BY_ROUNDING && (wanted - before).abs() > LEFT_BY_ROUNDING {
        return Err(why);
    }
    if others > 0.0 {
        let factor = (free - given) / others;
        row.iter_mut().filter(|(key, _)| is_other(*key)).for_each(|(_, weight)| *weight *= factor);
    }
    super::put(row, joint, given);
    row.retain(|(_, weight)| *weight > 0.0);
    Ok(((wanted - before).abs() - forth > SAME).then_some(why))
}

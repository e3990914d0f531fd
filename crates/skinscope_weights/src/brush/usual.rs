//! Rows of at most four joints, as most files have them, painted without a search for what stays where it is.

use super::few::{FewTask, ORDINARY, USUAL, UsualShares};
use super::rules::{LEFT_BY_ROUNDING, SAME};
use super::{Aim, Effect, Stuck, Weighed, within_bounds};

impl UsualShares {
    /// Whether all weights are above zero: those beyond the last joint are not.
    #[inline]
    fn are_some(&self) -> bool {
        let [a, b, c, d] = self.weights.map(|weight| u32::from(weight > 0.0));
        a | b << 1 | c << 2 | d << 3 == (1 << self.count) - 1
    }

    /// The largest difference between the weights of rows with the same joints.
    #[inline]
    fn difference(&self, other: &Self) -> f64 {
        // What is no number counts for nothing, as for all rows.
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        self.weights.iter().zip(&other.weights).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
    }
}

/// Adds four numbers in their order.
#[inline]
fn sum([a, b, c, d]: [f64; USUAL]) -> f64 {
    a + b + c + d
}

impl FewTask<'_> {
    /// Does the same as [`FewTask::paint`] for a row of at most four joints, with the same joints in what it goes towards. `None` also where the
    /// row gets more joints than four, or fewer than before. `row` has the shares of before when it is called.
    #[inline]
    #[must_use]
    pub fn paint_usual(
        &self,
        own: &UsualShares,
        toward: &UsualShares,
        strength: f64,
        row: &mut UsualShares,
    ) -> Option<Effect> {
        let whole = sum(own.weights);
        if !whole.is_finite() || whole > ORDINARY || !own.are_some() {
            return None;
        }
        let lost = match self.task.brush.aim {
            Aim::Weight(wanted) => {
                let found = (0..own.count).find(|at| own.keys[*at] == self.asked.joint);
                let at = found.unwrap_or(own.count);
                if at >= USUAL {
                    return None;
                }
                let before = own.weights[at];
                let wanted = within_bounds(&self.asked, before, wanted(&self.asked, Weighed { before, strength }));
                let is_usual = wanted > 0.0 && wanted <= ORDINARY;
                if !is_usual {
                    return None;
                }
                row.keys[at] = self.asked.joint;
                row.weights[at] = wanted;
                row.count = own.count.max(at + 1);
                if strength <= 0.0 || (before - wanted).abs() <= SAME {
                    return Some(Effect::Same);
                }
                if self.task.normalise {
                    match self.make_room((own, whole), (at, wanted), row)? {
                        Ok(lost) => lost,
                        Err(why) => return Some(Effect::Stuck(why)),
                    }
                } else {
                    None
                }
            }
            Aim::Toward(times) => {
                if own.keys != toward.keys {
                    return None;
                }
                let share = times * strength;
                let way = row.weights.iter_mut().zip(&toward.weights);
                way.for_each(|(own, toward)| *own += share * (toward - *own));
                let free = sum(row.weights);
                if !row.are_some() || free > ORDINARY {
                    return None;
                }
                if strength <= 0.0 || own.difference(row) <= SAME {
                    return Some(Effect::Same);
                }
                if self.task.normalise {
                    let left = self.task.sum_after_sum(whole);
                    if free <= 0.0 || left <= SAME {
                        return Some(Effect::Stuck(Stuck::OnlyJoint));
                    }
                    let factor = left / free;
                    row.weights.iter_mut().for_each(|weight| *weight *= factor);
                }
                None
            }
            Aim::Give => return None,
        };
        if !row.are_some() || row.count > self.task.most {
            return None;
        }
        if own.difference(row) <= SAME {
            return Some(lost.map_or(Effect::Same, Effect::Stuck));
        }
        Some(lost.map_or(Effect::Changed, Effect::Partial))
    }

    /// Scales the other joints of a row in which the one at `at` gets another weight. The error is why it cannot get that.
    #[inline]
    fn make_room(
        &self,
        (own, whole): (&UsualShares, f64),
        (at, wanted): (usize, f64),
        row: &mut UsualShares,
    ) -> Option<Result<Option<Stuck>, Stuck>> {
        let before = own.weights[at];
        let free = self.task.sum_after_sum(whole).max(0.0);
        let mut others = own.weights;
        others[at] = 0.0;
        let others = sum(others);
        let has_others = others > 0.0;
        if !has_others {
            return None;
        }
        let given = wanted.min(1.0).min(free);
        let forth = if wanted > before { given - before } else { before - given };
        if forth <= SAME || forth <= LEFT_BY_ROUNDING && (wanted - before).abs() > LEFT_BY_ROUNDING {
            return Some(Err(Stuck::OnlyJoint));
        }
        let factor = (free - given) / others;
        row.weights.iter_mut().for_each(|weight| *weight *= factor);
        row.weights[at] = given;
        Some(Ok(((wanted - before).abs() - forth > SAME).then_some(Stuck::OnlyJoint)))
    }
}

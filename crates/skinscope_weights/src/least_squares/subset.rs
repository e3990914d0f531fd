//! The best few joints of many, and their weights.
//!
//! The choice is exact: joints are left out one after the other until few enough have weight, which gives a first answer, and then every
//! other choice is ruled out by branch and bound: the least error over more joints is a lower bound of that over fewer. Where this takes
//! more than a fixed number of trials, the best answer until then is improved by exchanging joints one for one, and counts as not proven.

use super::active_set::ActiveSet;
use super::quadratic::Quadratic;

/// So many sets of joints are tried before the search for a better one ends; fewer where there are more joints, since each takes longer.
const MOST_TRIALS: usize = 2000;
/// So many are tried at least.
const LEAST_TRIALS: usize = 100;
/// Up to so many joints the number of trials is the greatest.
const FEW_JOINTS: usize = 16;
/// So many joints are looked at: those with weight when all may have some, then those whose weight would harm least.
const MOST_JOINTS: usize = u128::BITS as usize;
/// A choice is better where its error is less by more than this share of the largest number of the equations, and by more than the slack.
const TOLERANCE: f64 = 1e-13;
/// Of so many joints more than may have weight, each is tried for the one to leave out.
const MOST_TRIED: usize = 3;
/// So often each joint is exchanged for each other.
const MOST_EXCHANGES: usize = 4;

/// Choices that are still to be ruled out, as bits by place in the pool.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// The joints that may have weight.
    allowed: u128,
    /// Those of them that were chosen already.
    chosen: u128,
}

/// The best choice that was found last, and memory that is used again.
#[derive(Debug, Default)]
pub struct Subset {
    /// The joints and their weights; none where the numbers were not finite, or no joint may have weight.
    pub best: Vec<(usize, f64)>,
    value: f64,
    solver: ActiveSet,
    pool: Vec<usize>,
    list: Vec<usize>,
    ranked: Vec<(f64, usize)>,
    branches: Vec<Branch>,
}

impl Subset {
    /// Finds the weights with the least value of `q` of which at most `most` are above zero. Returns whether it is certain that there are no
    /// ones that are better by more than a slack.
    pub fn find(&mut self, q: &Quadratic, most: usize, slack: f64) -> bool {
        self.begin(q);
        let value = self.solver.minimise(q, &self.pool);
        if self.solver.set.len() <= most {
            self.note(value);
            return true;
        }
        self.narrow(q);
        self.leave_out(q, most);
        let proven = self.rule_out(q, most, slack);
        if !proven {
            self.exchange(q);
        }
        proven
    }

    /// Does the same in little time, from weights that may be near, and without proof: the joint with the least weight is left out until there
    /// are few enough. Returns by how much that has made the value worse; nothing where few enough have weight anyway.
    pub fn find_quickly(&mut self, q: &Quadratic, most: usize, start: impl Iterator<Item = (usize, f64)>) -> f64 {
        self.begin(q);
        let whole = self.solver.minimise_from(q, &self.pool, start);
        while self.solver.set.len() > most.max(1) {
            self.solver.leave_least(q);
        }
        let value = q.value(&self.solver.set, &self.solver.weights);
        self.note(value);
        value - whole
    }

    /// Forgets what was found before, and puts all joints in the pool.
    fn begin(&mut self, q: &Quadratic) {
        self.best.clear();
        self.value = f64::INFINITY;
        self.pool.clear();
        self.pool.extend(0..q.count());
    }

    /// Takes the weights of the solver where they are better than the best ones.
    fn note(&mut self, value: f64) {
        if value < self.value {
            self.value = value;
            self.best.clear();
            self.best.extend(self.solver.set.iter().copied().zip(self.solver.weights.iter().copied()));
        }
    }

    /// Leaves the joints out of the pool that are too many.
    fn narrow(&mut self, q: &Quadratic) {
        if self.pool.len() <= MOST_JOINTS {
            return;
        }
        let ActiveSet { set, weights, .. } = &self.solver;
        let slope = |j: usize| if set.contains(&j) { f64::NEG_INFINITY } else { q.slope(j, set, weights) };
        self.ranked.clear();
        self.ranked.extend(self.pool.iter().map(|j| (slope(*j), *j)));
        self.ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.ranked.truncate(MOST_JOINTS);
        self.pool.clear();
        self.pool.extend(self.ranked.iter().map(|(_, j)| *j));
        self.pool.sort_unstable();
    }

    /// Leaves out the joint whose loss harms least, until no more than `most` have weight.
    fn leave_out(&mut self, q: &Quadratic, most: usize) {
        // Of very many the least go without trying each: what this misses is found when other choices are ruled out.
        while self.solver.set.len() > most.max(1) + MOST_TRIED {
            self.solver.leave_least(q);
        }
        let mut left = std::mem::take(&mut self.ranked);
        left.clear();
        left.extend(self.solver.set.iter().map(|j| (0.0, *j)));
        while left.len() > most {
            for at in 0..left.len() {
                self.list.clear();
                self.list.extend(left.iter().map(|(_, j)| *j).filter(|j| *j != left[at].1));
                left[at].0 = self.solver.minimise(q, &self.list);
            }
            let out = (0..left.len()).min_by(|a, b| left[*a].0.total_cmp(&left[*b].0)).unwrap_or(0);
            left.remove(out);
        }
        self.list.clear();
        self.list.extend(left.iter().map(|(_, j)| *j));
        let value = self.solver.minimise(q, &self.list);
        self.note(value);
        self.ranked = left;
    }

    /// Looks for better choices until there are none, or too many were tried; returns whether there are none.
    fn rule_out(&mut self, q: &Quadratic, most: usize, slack: f64) -> bool {
        let least = slack.max(TOLERANCE * q.scale());
        let allowed = (0..self.pool.len()).fold(0, |bits, at| bits | 1_u128 << at);
        self.branches.clear();
        self.branches.push(Branch { allowed, chosen: 0 });
        let trials = (MOST_TRIALS * FEW_JOINTS / self.pool.len().max(FEW_JOINTS)).max(LEAST_TRIALS);
        for _ in 0..trials {
            let Some(branch) = self.branches.pop() else { return true };
            self.list.clear();
            let is_allowed = |(at, _): &(usize, &usize)| branch.allowed >> at & 1 == 1;
            self.list.extend(self.pool.iter().enumerate().filter(is_allowed).map(|(_, j)| *j));
            let value = self.solver.minimise(q, &self.list);
            if value >= self.value - least {
                continue;
            }
            if self.solver.set.len() <= most {
                self.note(value);
                continue;
            }
            self.branch(branch, most);
        }
        self.branches.is_empty()
    }

    /// Parts a branch, over whose joints more than `most` have weight. A choice of it lacks one of the joints with weight: the first
    /// branch lacks the one with the largest weight, the next has that one and lacks the second, and so on.
    fn branch(&mut self, Branch { allowed, chosen }: Branch, most: usize) {
        let bit = |j: usize| self.pool.binary_search(&j).map_or(0, |at| 1_u128 << at);
        self.ranked.clear();
        let with_weight = self.solver.set.iter().zip(&self.solver.weights).map(|(j, w)| (*w, *j));
        self.ranked.extend(with_weight.filter(|(_, j)| bit(*j) & chosen == 0));
        self.ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let room = most.saturating_sub(chosen.count_ones() as usize);
        let mut has = chosen;
        for (_, j) in self.ranked.iter().take(room) {
            self.branches.push(Branch { allowed: allowed & !bit(*j), chosen: has });
            has |= bit(*j);
        }
        // It has as many as it may.
        self.branches.push(Branch { allowed: has, chosen: has });
    }

    /// Exchanges joints of the best choice for others as long as that makes it better.
    fn exchange(&mut self, q: &Quadratic) {
        for _ in 0..MOST_EXCHANGES {
            let before = self.value;
            for out in 0..self.best.len() {
                for at in 0..self.pool.len() {
                    let put = self.pool[at];
                    if out >= self.best.len() || self.best.iter().any(|(j, _)| *j == put) {
                        continue;
                    }
                    self.list.clear();
                    self.list.extend(self.best.iter().map(|(j, _)| *j));
                    self.list[out] = put;
                    let value = self.solver.minimise(q, &self.list);
                    self.note(value);
                }
            }
            if self.value >= before - TOLERANCE * q.scale() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, random_quadratic};
    use super::*;

    /// Tries every set of `most` of `count` joints.
    fn search(q: &Quadratic, most: usize) -> f64 {
        let sets = (0_u32..1 << q.count()).filter(|bits| bits.count_ones() as usize == most);
        let mut solver = ActiveSet::default();
        let value = |bits: u32| {
            let set: Vec<usize> = (0..q.count()).filter(|j| bits >> j & 1 == 1).collect();
            solver.minimise(q, &set)
        };
        sets.map(value).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn no_other_choice_is_better() {
        let mut random = Random::default();
        let mut subset = Subset::default();
        for count in [2, 4, 7, 11] {
            for _ in 0..30 {
                let q = random_quadratic(&mut random, count);
                for most in 1..=count.min(5) {
                    assert!(subset.find(&q, most, 0.0), "few joints are always proven");
                    assert!((1..=most).contains(&subset.best.len()));
                    let exact = subset.value;
                    subset.find_quickly(&q, most, [(0, 0.5), (1, 0.7)].into_iter());
                    assert!((1..=most).contains(&subset.best.len()) && subset.value >= exact - 1e-10 * q.scale());
                    subset.find(&q, most, 0.0);
                    let sum: f64 = subset.best.iter().map(|(_, w)| *w).sum();
                    assert!((sum - 1.0).abs() < 1e-12 && subset.best.iter().all(|(_, w)| *w > 0.0));
                    let least = search(&q, most);
                    assert!(subset.value <= least + 1e-10 * q.scale(), "{count} {most}: {} {least}", subset.value);
                }
            }
        }
    }

    #[test]
    fn of_very_many_joints_a_good_choice_is_found() {
        let mut random = Random::default();
        let q = random_quadratic(&mut random, 150);
        let mut subset = Subset::default();
        for most in [1, 4] {
            subset.find(&q, most, 0.0);
            assert!((1..=most).contains(&subset.best.len()));
        }
        let alone = (0..150).map(|j| 0.5 * q.row(j)[j] - q.c(j)).fold(f64::INFINITY, f64::min);
        assert!(subset.value <= alone, "four joints are no worse than the best one alone");
    }
}

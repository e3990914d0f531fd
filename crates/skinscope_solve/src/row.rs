//! The weights of one row, from where it should be in some poses.

use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_weights::least_squares::{Quadratic, Subset};
use skinscope_weights::share_of;

/// Where locked joints leave no more than this of a row's weight, they count as leaving nothing.
const NOTHING: f64 = 1e-6;
/// So much more than the weights of before are kept a joint costs that the row did not have, where its own are preferred: a share of one of it as
/// much as a change of its own weights that goes from one to another.
const OWN: f64 = 2.0;
/// Weights below this are rounding, and are left out.
const ROUNDING: f64 = 1e-6;

/// Choices of joints that put a row nearer by no more than this share of the size, in the mean of its equations, are not looked for.
const NEARER: f64 = 1e-6;
/// What a drag makes worse by leaving joints out matters where it is more than this: half the square of a ten thousandth of the size.
const SEEN: f64 = 5e-9;
/// Of no more joints than these a drag looks for the best choice.
const MOST_EXACT: usize = 12;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has the weights that it had.
    Same,
    /// It has other weights.
    Changed,
    /// It stays, since its locked joints leave nothing, or no place for another joint, or have other weights in each of its rows.
    Stuck,
    /// It stays, since no example says where it should be, or it may have no joint or not change.
    Free,
}

/// What holds for all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowRules<'a> {
    /// The most joints with weight.
    pub most: usize,
    /// How strongly the weights of before are kept.
    pub keep: f64,
    /// Whether joints that the row has are preferred to others that do as well.
    pub prefers_own: bool,
    /// Locked joints, by key.
    pub locked: &'a BTreeSet<u32>,
}

/// What the weights of a row are to make small.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    quadratic: Quadratic,
    /// The joints that may have weight, by key, and the weight of each before.
    free: Vec<(u32, f64)>,
    /// The locked joints with weight.
    fixed: Vec<(u32, f64)>,
    /// The weight that is left for the others.
    left: f64,
    /// How many of the others may have some.
    most: usize,
    equations: usize,
}

impl Row {
    /// Begins a row, which had the shares `before` (their sum is one, or there are none) and may have the joints of `candidates`. Returns
    /// what becomes of it where nothing is to be solved.
    pub fn begin(&mut self, before: &[(u32, f64)], candidates: &[u32], rules: &RowRules) -> Option<Outcome> {
        let is_locked = |key: &u32| rules.locked.contains(key);
        self.fixed.clear();
        self.fixed.extend(before.iter().filter(|(key, weight)| *weight > 0.0 && is_locked(key)));
        self.free.clear();
        let free = candidates.iter().filter(|key| !is_locked(key));
        self.free.extend(free.map(|key| (*key, share_of(before, *key))));
        self.left = 1.0 - self.fixed.iter().map(|(_, weight)| *weight).sum::<f64>();
        if !self.fixed.is_empty() && (self.left <= NOTHING || self.fixed.len() >= rules.most || self.free.is_empty()) {
            return Some(Outcome::Stuck);
        }
        if self.free.is_empty() || rules.most == 0 {
            return Some(Outcome::Free);
        }
        self.most = rules.most - self.fixed.len();
        self.quadratic.reset(self.free.len());
        self.equations = 0;
        None
    }

    /// Adds where the row should be in a pose: `ghost` returns where a joint alone would take it. Both are measured by `size`. Adds how far each
    /// free joint would put it off from there to `off`, and returns whether these are numbers; else the pose does not count.
    pub fn add(&mut self, ghost: &dyn Fn(u32) -> DVec3, target: DVec3, size: f64, off: &mut Vec<DVec3>) -> bool {
        let scale = 1.0 / size;
        // Σ w g − t, with w = left · u and Σ u = 1, is Σ u (left · g + Σ of the locked ones − t).
        let rest = self.fixed.iter().map(|(key, weight)| ghost(*key) * *weight).sum::<DVec3>() - target;
        let (left, from) = (self.left, off.len());
        off.extend(self.free.iter().map(|(key, _)| (ghost(*key) * left + rest) * scale));
        let own = &off[from..];
        let counts = own.iter().all(|difference| difference.is_finite());
        if counts {
            self.quadratic.add(own);
            self.equations += 1;
        }
        counts
    }

    /// Adds that the weights of before are kept, once all poses are added; `rows` is how many rows the equations are of. Returns whether there
    /// are any.
    pub fn hold(&mut self, rules: &RowRules, rows: usize) -> bool {
        let by = rules.keep * rows as f64 * self.left * self.left;
        for (j, (_, before)) in self.free.iter().enumerate() {
            self.quadratic.hold(j, before / self.left, by);
            if rules.prefers_own && *before <= 0.0 {
                self.quadratic.reward(j, -OWN * by);
            }
        }
        self.quadratic.finish();
        self.equations > 0
    }

    /// Finds the weights in little time where the row should be elsewhere than was said: by so much in each pose. `off` has what [`Row::add`]
    /// has added to it, pose after pose. Adds the weights to `out`, and returns whether there are any. Where more joints would have weight than
    /// may, those with the least are left out; with `is_exact` the best choice of a few joints is looked for where that matters, which takes longer.
    pub fn find_quickly(
        &self,
        (off, moved, is_exact): (&[DVec3], &dyn Fn(usize) -> DVec3, bool),
        (quadratic, subset): &mut (Quadratic, Subset),
        out: &mut Vec<(u32, f64)>,
    ) -> bool {
        quadratic.copy(&self.quadratic);
        for (pose, off) in off.chunks_exact(self.free.len().max(1)).enumerate() {
            // With Σ u = 1, ½ |Σ u d − m|² is ½ |Σ u d|² − Σ u d · m and what does not depend on u.
            let moved = moved(pose);
            off.iter().enumerate().for_each(|(j, off)| quadratic.reward(j, off.dot(moved)));
        }
        let before = self.free.iter().enumerate().map(|(j, (_, before))| (j, *before));
        let loss = subset.find_quickly(quadratic, self.most, before);
        if is_exact && loss > SEEN && self.free.len() <= MOST_EXACT {
            subset.find(quadratic, self.most, SEEN);
        }
        let is_found = !subset.best.is_empty();
        if is_found {
            self.take(&mut subset.best, out);
        }
        is_found
    }

    /// Adds weights to `out`: those of locked joints, then those of `best` in the order of the candidates.
    fn take(&self, best: &mut Vec<(usize, f64)>, out: &mut Vec<(u32, f64)>) {
        best.retain(|(_, weight)| *weight > ROUNDING);
        best.sort_unstable_by_key(|(j, _)| *j);
        let sum: f64 = best.iter().map(|(_, weight)| *weight).sum();
        out.extend_from_slice(&self.fixed);
        out.extend(best.iter().map(|(j, weight)| (self.free[*j].0, weight / sum * self.left)));
    }
}

/// Finds the weights of rows, one after the other. Its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct RowSolver {
    row: Row,
    subset: Subset,
    differences: Vec<DVec3>,
}

impl RowSolver {
    /// Begins a row, as [`Row::begin`] does.
    pub fn begin(&mut self, before: &[(u32, f64)], candidates: &[u32], rules: &RowRules) -> Option<Outcome> {
        self.row.begin(before, candidates, rules)
    }

    /// Adds where the row should be in a pose: `ghost` returns where a joint alone would take it. Both are measured by `size`.
    pub fn add(&mut self, ghost: &dyn Fn(u32) -> DVec3, target: DVec3, size: f64) {
        self.differences.clear();
        self.row.add(ghost, target, size, &mut self.differences);
    }

    /// Adds the weights to `out`: those of locked joints, then those with weight of the others in the order of the candidates. `rows` is how
    /// many rows the equations are of. Returns whether the choice of joints is proven to be the best; `None` where there are no equations, or
    /// their numbers have no bounds.
    pub fn finish(&mut self, rules: &RowRules, rows: usize, out: &mut Vec<(u32, f64)>) -> Option<bool> {
        if !self.row.hold(rules, rows) {
            return None;
        }
        let slack = 0.5 * NEARER * NEARER * self.row.equations as f64;
        let proven = self.subset.find(&self.row.quadratic, self.row.most, slack);
        if self.subset.best.is_empty() {
            return None;
        }
        self.row.take(&mut self.subset.best, out);
        Some(proven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(before: &[(u32, f64)], rules: &RowRules, target: DVec3) -> Result<Vec<(u32, f64)>, Outcome> {
        let ghosts = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mut solver = RowSolver::default();
        if let Some(outcome) = solver.begin(before, &[0, 1, 2, 3], rules) {
            return Err(outcome);
        }
        solver.add(&|key| ghosts[key as usize], target, 1.0);
        let mut out = Vec::new();
        assert_eq!(solver.finish(rules, 1, &mut out), Some(true));
        Ok(out)
    }

    #[track_caller]
    fn alike(a: Result<Vec<(u32, f64)>, Outcome>, b: &[(u32, f64)]) {
        let a = a.unwrap();
        assert!(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6), "{a:?}");
    }

    #[test]
    fn locked_joints_keep_their_weights_and_the_others_do_the_best_that_is_left() {
        let none = BTreeSet::new();
        let locked = BTreeSet::from([1]);
        let rules = RowRules { most: 4, keep: 0.0, prefers_own: false, locked: &none };
        let before = [(1, 0.5), (0, 0.5)];
        alike(solved(&before, &rules, DVec3::new(0.1, 0.2, 0.3)), &[(0, 0.4), (1, 0.1), (2, 0.2), (3, 0.3)]);
        let rules = RowRules { locked: &locked, ..rules };
        alike(solved(&before, &rules, DVec3::new(0.1, 0.2, 0.3)), &[(1, 0.5), (2, 0.2), (3, 0.3)]);
        // Two joints: the locked one, and the one that does most.
        alike(solved(&before, &RowRules { most: 2, ..rules }, DVec3::new(0.5, 0.1, 0.4)), &[(1, 0.5), (3, 0.5)]);
        assert_eq!(solved(&before, &RowRules { most: 1, ..rules }, DVec3::ZERO), Err(Outcome::Stuck));
        assert_eq!(solved(&[(1, 1.0)], &rules, DVec3::ZERO), Err(Outcome::Stuck));
        assert_eq!(solved(&[], &RowRules { most: 0, ..rules }, DVec3::ZERO), Err(Outcome::Free));
    }

    #[test]
    fn of_joints_that_do_as_well_those_of_the_row_are_preferred() {
        let none = BTreeSet::new();
        let solved = |prefers_own| {
            let rules = RowRules { most: 4, keep: 1e-6, prefers_own, locked: &none };
            // Joint 2 alone puts it where 0 and 1 do together.
            let ghosts = [DVec3::ZERO, DVec3::X, DVec3::X * 0.3, DVec3::Y];
            let mut solver = RowSolver::default();
            assert_eq!(solver.begin(&[(0, 0.1), (1, 0.9)], &[0, 1, 2, 3], &rules), None);
            solver.add(&|key| ghosts[key as usize], DVec3::X * 0.3, 1.0);
            let mut out = Vec::new();
            assert!(solver.finish(&rules, 1, &mut out).is_some());
            out
        };
        assert!(solved(false).iter().any(|(key, weight)| *key == 2 && *weight > 0.1), "{:?}", solved(false));
        let own = solved(true);
        assert!(own.len() == 2 && (own[0].1 - 0.7).abs() < 1e-3 && (own[1].1 - 0.3).abs() < 1e-3, "{own:?}");
    }

    #[test]
    fn a_row_whose_equations_have_no_bounds_gets_no_weights() {
        let none = BTreeSet::new();
        let rules = RowRules { most: 4, keep: f64::INFINITY, prefers_own: false, locked: &none };
        let mut solver = RowSolver::default();
        assert_eq!(solver.begin(&[(0, 0.5), (1, 0.5)], &[0, 1, 2], &rules), None);
        solver.add(&|key| DVec3::splat(f64::from(key)), DVec3::X, 1.0);
        let mut out = Vec::new();
        assert!(solver.finish(&rules, 1, &mut out).is_none() && out.is_empty());
    }

    #[test]
    fn the_weights_of_before_are_kept_where_that_counts_more() {
        let none = BTreeSet::new();
        let before = [(0, 0.5), (1, 0.5)];
        let rules = |keep| RowRules { most: 2, keep, prefers_own: false, locked: &none };
        alike(solved(&before, &rules(1e12), DVec3::X), &before);
        alike(solved(&before, &rules(1e-12), DVec3::X), &[(1, 1.0)]);
        // ½ (1 − w)² + ½ λ · 2 (w − ½)² with λ = 1 is least where w = 2/3.
        alike(solved(&before, &rules(1.0), DVec3::X), &[(0, 1.0 / 3.0), (1, 2.0 / 3.0)]);
    }
}

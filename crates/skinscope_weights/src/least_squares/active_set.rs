//! The weights, none negative and one in sum, with the least error: a method of active sets (Lawson and Hanson, "Solving Least Squares
//! Problems", 1974, chapter 23, with the sum as an equation beside).

use super::quadratic::Quadratic;

/// A joint joins the others where the error falls by more than this share of the largest number of the equations.
const TOLERANCE: f64 = 1e-12;
/// Up to so many joints a search that begins with weights looks at all of them at once.
const FEW_JOINTS: usize = 12;

/// The weights that were found last, and memory that is used again.
#[derive(Debug, Default)]
pub struct ActiveSet {
    /// The joints with weight, in the order in which they came.
    pub set: Vec<usize>,
    /// Their weights, above zero.
    pub weights: Vec<f64>,
    factor: Vec<f64>,
    found: Vec<f64>,
    /// For each joint of the set: what is solved for, by two right sides.
    sides: Vec<[f64; 2]>,
}

impl ActiveSet {
    /// Finds the weights of the `allowed` joints with the least value of `q`, and returns that value. One joint must be allowed.
    pub fn minimise(&mut self, q: &Quadratic, allowed: &[usize]) -> f64 {
        let alone = |j: usize| 0.5 * q.row(j)[j] - q.c(j);
        let first = allowed.iter().copied().min_by(|a, b| alone(*a).total_cmp(&alone(*b)));
        self.set.clear();
        self.weights.clear();
        let Some(first) = first else { return f64::INFINITY };
        self.set.push(first);
        self.weights.push(1.0);
        self.descend(q, allowed)
    }

    /// Does the same, beginning with some joints and their weights, which may sum to anything: it takes less time where these are near.
    pub(super) fn minimise_from(
        &mut self,
        q: &Quadratic,
        allowed: &[usize],
        start: impl Iterator<Item = (usize, f64)>,
    ) -> f64 {
        self.set.clear();
        self.weights.clear();
        for (j, weight) in start.filter(|(_, weight)| *weight > 0.0) {
            self.set.push(j);
            self.weights.push(weight);
        }
        if self.set.is_empty() {
            return self.minimise(q, allowed);
        }
        self.scale_to_one();
        if allowed.len() <= FEW_JOINTS {
            // Those that do not help leave at the first step: this takes fewer steps than adding the others one after the other.
            for j in allowed {
                if !self.set.contains(j) {
                    self.set.push(*j);
                    self.weights.push(0.0);
                }
            }
        }
        self.settle(q);
        self.descend(q, allowed)
    }

    /// Adds joints as long as that makes the error less.
    fn descend(&mut self, q: &Quadratic, allowed: &[usize]) -> f64 {
        let tolerance = TOLERANCE * q.scale();
        // Each round adds a joint and may take some away; the error falls each time, so that no set comes twice.
        for _ in 0..3 * allowed.len() + 8 {
            let Self { set, weights, .. } = self;
            let level: f64 = set.iter().zip(&*weights).map(|(j, w)| w * q.slope(*j, set, weights)).sum();
            let outside = allowed.iter().copied().filter(|j| !set.contains(j));
            let slopes = outside.map(|j| (q.slope(j, set, weights) - level, j));
            let Some((slope, next)) = slopes.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            if slope >= -tolerance {
                break;
            }
            set.push(next);
            weights.push(0.0);
            self.settle(q);
            if !self.set.contains(&next) {
                // Rounding alone has said that it would help.
                break;
            }
        }
        q.value(&self.set, &self.weights)
    }

    /// Leaves the joint with the least weight out, and moves the weights of the others to their least error.
    pub(super) fn leave_least(&mut self, q: &Quadratic) {
        let least = (0..self.set.len()).min_by(|a, b| self.weights[*a].total_cmp(&self.weights[*b]));
        if let Some(least) = least.filter(|_| self.set.len() > 1) {
            self.set.remove(least);
            self.weights.remove(least);
            self.scale_to_one();
            self.settle(q);
        }
    }

    /// Moves the weights to the least error of the joints of the set; those whose weight would be negative leave it.
    fn settle(&mut self, q: &Quadratic) {
        while self.set.len() > 1 {
            self.solve(q);
            let mut step = (1.0, usize::MAX);
            for (at, (now, then)) in self.weights.iter().zip(&self.found).enumerate() {
                if *then <= 0.0 && now / (now - then).max(f64::MIN_POSITIVE) < step.0 {
                    step = (now / (now - then).max(f64::MIN_POSITIVE), at);
                }
            }
            let (share, leaves) = step;
            if leaves == usize::MAX {
                self.weights.clone_from(&self.found);
                return self.scale_to_one();
            }
            self.weights.iter_mut().zip(&self.found).for_each(|(now, then)| *now += share * (then - *now));
            self.leave(leaves);
            self.scale_to_one();
        }
        self.weights.fill(1.0);
    }

    /// Takes a joint out of the set, and all others that have no weight and would get none.
    fn leave(&mut self, leaves: usize) {
        let Self { set, weights, found, .. } = self;
        let mut kept = 0;
        for at in 0..set.len() {
            if at != leaves && (weights[at] > 0.0 || found[at] > 0.0) {
                (set[kept], weights[kept]) = (set[at], weights[at]);
                kept += 1;
            }
        }
        set.truncate(kept);
        weights.truncate(kept);
    }

    /// Takes what rounding has added to the sum of the weights away.
    fn scale_to_one(&mut self) {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
    }

    /// Writes the weights of the joints of the set that sum to one and have the least error, negative ones too, to `found`: with
    /// `A y = c` and `A z = 1` they are `y − μ z` (Lagrange).
    fn solve(&mut self, q: &Quadratic) {
        let n = self.set.len();
        let Self { set, factor, found, sides, .. } = self;
        factor.clear();
        for j in set.iter() {
            let row = q.row(*j);
            factor.extend(set.iter().map(|k| row[*k]));
        }
        cholesky(factor, n);
        sides.clear();
        sides.extend(set.iter().map(|j| [q.c(*j), 1.0]));
        substitute(factor, n, sides);
        let sum = |side: usize| sides.iter().map(|both| both[side]).sum::<f64>();
        let level = (sum(0) - 1.0) / sum(1);
        found.clear();
        found.extend(sides.iter().map(|[y, z]| y - level * z));
    }
}

/// Puts the factor `L` of `A = L Lᵀ` in place of the lower half of a matrix of `n` rows, but for its diagonal: there 1 over each number of it,
/// since what is solved multiplies by these.
fn cholesky(a: &mut [f64], n: usize) {
    for i in 0..n {
        let (above, from) = a.split_at_mut(i * n);
        let own = &mut from[..n];
        for j in 0..i {
            let other = &above[j * n..][..=j];
            let sum: f64 = own.iter().zip(&other[..j]).map(|(a, b)| a * b).sum();
            own[j] = (own[j] - sum) * other[j];
        }
        let sum: f64 = own[..i].iter().map(|a| a * a).sum();
        // What rounding leaves of a joint that moves like others is no more than a share of what it had.
        own[i] = 1.0 / (own[i] - sum).max(1e-15 * own[i]).max(f64::MIN_POSITIVE).sqrt();
    }
}

/// Solves `L Lᵀ x = b` in place of each of two right sides `b`, by a factor as [`cholesky`] leaves it.
fn substitute(factor: &[f64], n: usize, b: &mut [[f64; 2]]) {
    for i in 0..n {
        let row = &factor[i * n..][..=i];
        let mut left = b[i];
        for (l, [y, z]) in row[..i].iter().zip(&*b) {
            left[0] -= l * y;
            left[1] -= l * z;
        }
        b[i] = left.map(|left| left * row[i]);
    }
    for i in (0..n).rev() {
        let row = &factor[i * n..][..=i];
        let [y, z] = b[i].map(|left| left * row[i]);
        b[i] = [y, z];
        for (l, left) in row[..i].iter().zip(&mut *b) {
            left[0] -= l * y;
            left[1] -= l * z;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Random, random_quadratic};
    use super::*;

    /// By the conditions of Karush, Kuhn and Tucker, no weights are better: all joints with weight have one slope, the others none less.
    #[test]
    fn no_other_weights_are_better() {
        let mut random = Random::default();
        for count in [1, 2, 3, 5, 12, 30] {
            for _ in 0..60 {
                let q = random_quadratic(&mut random, count);
                let all: Vec<usize> = (0..count).collect();
                let mut solver = ActiveSet::default();
                let value = solver.minimise(&q, &all);
                let ActiveSet { set, weights, .. } = &solver;
                assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights.iter().all(|w| *w > 0.0));
                let level = q.slope(set[0], set, weights);
                for j in 0..count {
                    let slope = q.slope(j, set, weights) - level;
                    let is_level = slope.abs() < 1e-9 * q.scale();
                    assert!(is_level || !set.contains(&j) && slope > 0.0, "{count}: {j} {slope}");
                }
                assert!((value - q.value(set, weights)).abs() < 1e-15);
                let quick = ActiveSet::default().minimise_from(&q, &all, [(count - 1, 0.5)].into_iter());
                assert!((value - quick).abs() < 1e-11 * q.scale(), "{count}: {value} {quick}");
            }
        }
    }
}

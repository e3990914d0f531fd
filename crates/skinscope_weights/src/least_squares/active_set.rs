//! The weights, none negative and one in sum, with the least error: a method of active sets (Lawson and Hanson, "Solving Least Squares
//! Problems", 1974, chapter 23, with the sum as an equation beside).

use super::quadratic::Quadratic;

/// A joint joins the others where the error falls by more than this share of the largest number of the equations.
const TOLERANCE: f64 = 1e-12;

/// The weights that were found last, and memory that is used again.
#[derive(Debug, Default)]
pub struct ActiveSet {
    /// The joints with weight, in the order in which they came.
    pub set: Vec<usize>,
    /// Their weights, above zero.
    pub weights: Vec<f64>,
    factor: Vec<f64>,
    found: Vec<f64>,
    ones: Vec<f64>,
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
            self.set.remove(leaves);
            self.weights.remove(leaves);
            self.scale_to_one();
        }
        self.weights.fill(1.0);
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
        let Self { set, factor, found, ones, .. } = self;
        factor.clear();
        for (i, j) in set.iter().enumerate() {
            let row = q.row(*j);
            factor.extend(set.iter().take(n).map(|k| row[*k]));
            debug_assert_eq!(factor.len(), (i + 1) * n);
        }
        cholesky(factor, n);
        found.clear();
        found.extend(set.iter().map(|j| q.c(*j)));
        ones.clear();
        ones.resize(n, 1.0);
        substitute(factor, n, found);
        substitute(factor, n, ones);
        let level = (found.iter().sum::<f64>() - 1.0) / ones.iter().sum::<f64>();
        found.iter_mut().zip(&*ones).for_each(|(y, z)| *y -= level * z);
    }
}

/// Puts the factor `L` of `A = L Lᵀ` in place of the lower half of a matrix of `n` rows.
fn cholesky(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let left = a[i * n + j] - sum;
            // What rounding leaves of a joint that moves like others is no more than a share of what it had.
            a[i * n + j] = match i == j {
                true => left.max(1e-15 * a[i * n + i]).max(f64::MIN_POSITIVE).sqrt(),
                false => left / a[j * n + j],
            };
        }
    }
}

/// Solves `L Lᵀ x = b` in place of `b`.
fn substitute(factor: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| factor[i * n + k] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| factor[k * n + i] * b[k]).sum();
        b[i] = (b[i] - sum) / factor[i * n + i];
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
            }
        }
    }
}

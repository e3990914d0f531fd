//! The normal equations of a row: what its weights are to make small.

use glam::DVec3;

/// A share of the largest number on the diagonal that is added to it, so that joints that move alike do not get weights without bounds.
const STIFF: f64 = 1e-12;

/// The function `½ wᵀ A w − cᵀ w` of some weights, with a symmetric matrix `A`. Its memory is used again for the next row.
#[derive(Clone, Debug, Default)]
pub struct Quadratic {
    count: usize,
    /// The rows of `A`, one after the other.
    a: Vec<f64>,
    c: Vec<f64>,
}

impl Quadratic {
    /// Makes it zero, for `count` weights.
    pub fn reset(&mut self, count: usize) {
        self.count = count;
        self.a.clear();
        self.a.resize(count * count, 0.0);
        self.c.clear();
        self.c.resize(count, 0.0);
    }

    /// Adds `½ |Σ w_j d_j|²`. Only the lower half of `A` is written, until [`Quadratic::finish`].
    pub fn add(&mut self, d: &[DVec3]) {
        let mut from = 0;
        for (j, own) in d.iter().enumerate() {
            for (sum, other) in self.a[from..=from + j].iter_mut().zip(d) {
                *sum += own.dot(*other);
            }
            from += self.count;
        }
    }

    /// Adds `½ by (w_j − wanted)²` for one weight.
    pub fn hold(&mut self, j: usize, wanted: f64, by: f64) {
        self.a[j * self.count + j] += by;
        self.c[j] += by * wanted;
    }

    /// Copies the lower half of `A` to the upper one, once all is added.
    pub fn finish(&mut self) {
        let n = self.count;
        let largest = (0..n).map(|j| self.a[j * n + j]).fold(0.0, f64::max);
        let stiff = STIFF * largest;
        // Where nothing moves, all weights fit as well; these equations have a solution too.
        let stiff = if stiff.is_normal() { stiff } else { 1.0 };
        for j in 0..n {
            self.a[j * n + j] += stiff;
            for k in 0..j {
                self.a[k * n + j] = self.a[j * n + k];
            }
        }
    }

    /// Makes it another one.
    pub fn copy(&mut self, of: &Self) {
        self.count = of.count;
        self.a.clone_from(&of.a);
        self.c.clone_from(&of.c);
    }

    /// Takes `by · w_j` away, for one weight.
    pub fn reward(&mut self, j: usize, by: f64) {
        self.c[j] += by;
    }

    /// Returns how many weights there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns a row of `A`.
    pub(super) fn row(&self, j: usize) -> &[f64] {
        &self.a[j * self.count..][..self.count]
    }

    /// Returns a number of `c`.
    pub(super) fn c(&self, j: usize) -> f64 {
        self.c[j]
    }

    /// Returns the largest number on the diagonal of `A`.
    pub(super) fn scale(&self) -> f64 {
        (0..self.count).map(|j| self.a[j * self.count + j]).fold(0.0, f64::max)
    }

    /// Returns the derivative by weight `j` where the weights `w` of `set` are not zero.
    pub(super) fn slope(&self, j: usize, set: &[usize], w: &[f64]) -> f64 {
        let row = self.row(j);
        set.iter().zip(w).map(|(k, w)| row[*k] * w).sum::<f64>() - self.c[j]
    }

    /// Returns the value where the weights `w` of `set` are not zero.
    pub(super) fn value(&self, set: &[usize], w: &[f64]) -> f64 {
        set.iter().zip(w).map(|(j, own)| own * (0.5 * (self.slope(*j, set, w) - self.c[*j]))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_half_the_squares_less_what_is_constant() {
        let d = [DVec3::new(1.0, 2.0, 0.0), DVec3::new(0.0, -1.0, 3.0), DVec3::new(0.5, 0.0, 1.0)];
        let (w, wanted) = ([0.2, 0.5, 0.3], [0.1, 0.6, 0.3]);
        let mut q = Quadratic::default();
        q.reset(3);
        q.add(&d);
        (0..3).for_each(|j| q.hold(j, wanted[j], 0.25));
        q.finish();
        let at: DVec3 = d.iter().zip(w).map(|(d, w)| *d * w).sum();
        let held: f64 = (0..3).map(|j| 0.125 * (w[j] * w[j] - 2.0 * wanted[j] * w[j])).sum();
        let set = [0, 1, 2];
        assert!((q.value(&set, &w) - (0.5 * at.length_squared() + held)).abs() < 1e-9);
        let step = 1e-6;
        for j in 0..3 {
            let (mut more, mut less) = (w, w);
            (more[j], less[j]) = (w[j] + step, w[j] - step);
            let slope = (q.value(&set, &more) - q.value(&set, &less)) / (2.0 * step);
            assert!((slope - q.slope(j, &set, &w)).abs() < 1e-6);
        }
    }
}

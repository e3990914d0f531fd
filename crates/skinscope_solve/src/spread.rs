//! The figures of many distances that come one after the other, of which none is kept.

use crate::example::Deviation;

/// The upper and the lower bits of a distance in single precision take so many values each.
const VALUES: usize = 1 << 16;

/// Sums up distances that are given twice: first each with [`Spread::add`], then, once [`Spread::find_rank`] was called, each again with
/// [`Spread::add_again`]. The order of positive numbers of single precision is that of their bits, so that the first pass says with which upper
/// half of the bits the distance begins that 95 of 100 do not exceed, and the second one finds the lower half.
#[derive(Debug)]
pub(crate) struct Spread {
    count: usize,
    squares: f64,
    largest: f64,
    /// How many distances begin with each upper half.
    upper: Vec<usize>,
    /// How many of those that begin with `begins` end with each lower half.
    lower: Vec<usize>,
    /// The upper half with which the distance of the rank begins.
    begins: usize,
    /// How many of those that begin so are no farther.
    rank: usize,
}

impl Default for Spread {
    fn default() -> Self {
        let (upper, lower) = (vec![0; VALUES], vec![0; VALUES]);
        Self { count: 0, squares: 0.0, largest: 0.0, upper, lower, begins: 0, rank: 0 }
    }
}

/// Returns the upper and the lower half of the bits of a distance in single precision.
fn halves(distance: f64) -> [usize; 2] {
    let bits = (distance as f32).to_bits();
    [bits >> 16, bits & 0xffff].map(|half| half as usize)
}

/// Returns the first of some numbers up to which there are at least `rank` in all, and how many of the rank are left there.
fn find(counts: &[usize], rank: usize) -> (usize, usize) {
    let mut left = rank;
    for (number, count) in counts.iter().enumerate() {
        if left <= *count {
            return (number, left);
        }
        left -= count;
    }
    (0, 0)
}

impl Spread {
    /// Adds a distance, which is 0 or more, and no NaN.
    pub fn add(&mut self, distance: f64) {
        self.count += 1;
        self.squares += distance * distance;
        self.largest = self.largest.max(distance);
        let [upper, _] = halves(distance);
        self.upper[upper] += 1;
    }

    /// All distances were added: finds where the one is that 95 of 100 do not exceed.
    pub fn find_rank(&mut self) {
        (self.begins, self.rank) = find(&self.upper, (self.count * 95).div_ceil(100));
    }

    /// Adds a distance for the second time.
    pub fn add_again(&mut self, distance: f64) {
        let [upper, lower] = halves(distance);
        if upper == self.begins {
            self.lower[lower] += 1;
        }
    }

    /// Returns the figures of all distances; the one that 95 of 100 do not exceed is rounded to single precision.
    pub fn deviation(&self) -> Deviation {
        if self.count == 0 {
            return Deviation::default();
        }
        let (ends, _) = find(&self.lower, self.rank);
        let p95 = f64::from(f32::from_bits(((self.begins << 16) | ends) as u32));
        Deviation { rms: (self.squares / self.count as f64).sqrt(), p95: p95.min(self.largest), largest: self.largest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Random;

    fn figures(distances: &[f64]) -> Deviation {
        let mut spread = Spread::default();
        distances.iter().for_each(|distance| spread.add(*distance));
        spread.find_rank();
        distances.iter().for_each(|distance| spread.add_again(*distance));
        spread.deviation()
    }

    #[test]
    fn the_figures_are_those_of_a_list_of_all_distances() {
        let mut random = Random::default();
        for count in [0, 1, 2, 19, 20, 21, 100, 5000] {
            // Of many sizes, and several that are the same.
            let mut all: Vec<f64> = (0..count).map(|_| (1e-9_f64).powf(random.number().abs())).collect();
            all.extend_from_within(..count / 3);
            let (found, exact) = (figures(&all), Deviation::of(&mut all));
            assert!((found.rms - exact.rms).abs() <= 1e-12 && found.largest == exact.largest, "{count}: {found:?}");
            assert!((found.p95 - exact.p95).abs() <= 1e-7 * exact.p95, "{count}: {found:?} {exact:?}");
        }
        assert_eq!(figures(&[0.0, 0.0]), Deviation::default());
        assert_eq!(figures(&[f64::INFINITY, 0.0]).p95, f64::INFINITY);
    }
}

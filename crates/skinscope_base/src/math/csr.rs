//! Many lists in two flat arrays: *compressed sparse rows*.

use crate::memory::prefer_large_pages;

/// Rows of values that are stored one after another (compressed sparse rows).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T = u32> {
    /// Where each row begins in `values`; the last entry is the end.
    starts: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for Csr<T> {
    /// Returns a table without rows.
    fn default() -> Self {
        Self { starts: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy> Csr<T> {
    /// Makes a table of `rows` rows from pairs of row index and value, in linear time. The values of a row stay in the
    /// order of the pairs. Every row index has to be below `rows`.
    #[must_use]
    pub fn new(rows: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = vec![0_u32; rows + 1];
        pairs.clone().for_each(|(row, _)| starts[row as usize + 1] += 1);
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let Some((_, any)) = pairs.clone().next() else { return Self { starts, values: Vec::new() } };
        let mut next = starts.clone();
        let mut values = Vec::with_capacity(starts[rows] as usize);
        prefer_large_pages(&mut values);
        values.resize(starts[rows] as usize, any);
        for (row, value) in pairs {
            let slot = &mut next[row as usize];
            values[*slot as usize] = value;
            *slot += 1;
        }
        Self { starts, values }
    }

    /// Makes a table of rows that follow one another in `values`, from how many values each of them has.
    #[must_use]
    pub fn of_lengths(lengths: impl Iterator<Item = u32>, values: Vec<T>) -> Self {
        let mut end = 0;
        let ends = lengths.map(|length| {
            end += length;
            end
        });
        Self { starts: std::iter::once(0).chain(ends).collect(), values }
    }

    /// Returns how many rows there are.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the values of the row with this index.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Returns all rows, one after another.
    pub fn rows(&self) -> impl Iterator<Item = &[T]> {
        (0..self.row_count()).map(|row| self.row(row))
    }

    /// Sorts the values of each row, and returns the values of all rows, one after another. `stop` is called every few
    /// ten thousand rows; soon after it returns true, this returns `None`.
    #[must_use]
    pub fn into_sorted(mut self, stop: &dyn Fn() -> bool) -> Option<Vec<T>>
    where
        T: Ord,
    {
        for (row, ends) in self.starts.windows(2).enumerate() {
            if row % STEPS == 0 && stop() {
                return None;
            }
            self.values[ends[0] as usize..ends[1] as usize].sort_unstable();
        }
        Some(self.values)
    }
}

/// How many rows are sorted between two questions whether to stop.
const STEPS: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_by_row_in_the_order_in_which_they_came() {
        let pairs = [(2, 7), (0, 5), (2, 3), (0, 9), (2, 5)];
        let csr = Csr::new(4, pairs.into_iter());
        assert_eq!(csr.rows().collect::<Vec<_>>(), [&[5, 9][..], &[], &[7, 3, 5], &[]]);
        assert_eq!((csr.row_count(), csr.row(2)), (4, &[7, 3, 5][..]));
        assert_eq!(csr.clone().into_sorted(&|| false), Some(vec![5, 9, 3, 5, 7]));
        assert_eq!(csr.into_sorted(&|| true), None);
        assert_eq!(
            Csr::of_lengths([2, 0, 3].into_iter(), vec![5, 9, 7, 3, 5]),
            Csr::new(3, [(0, 5), (0, 9), (2, 7), (2, 3), (2, 5)].into_iter())
        );
        let empty = Csr::<u32>::new(2, std::iter::empty());
        assert_eq!((empty.row_count(), empty.row(1)), (2, &[][..]));
        assert_eq!(Csr::<u32>::default().row_count(), 0);
    }
}

//! A sparse list of rows, whose copies share what they have in common.

use std::sync::Arc;

/// So many rows are copied together when one of them changes.
const PAGE: usize = 16;
/// So many pages are named together.
const LEAF: usize = 64;

type Page<T> = [Option<T>; PAGE];
type Leaf<T> = [Option<Arc<Page<T>>>; LEAF];

/// Values of some rows of a long list. A copy of it costs next to nothing, and a change copies the page of 16 rows that it touches alone, so that a
/// history of many states needs memory by what was changed.
#[derive(Debug)]
pub struct Paged<T> {
    leaves: Arc<Vec<Option<Arc<Leaf<T>>>>>,
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Self { leaves: Arc::default() }
    }
}

impl<T> Clone for Paged<T> {
    fn clone(&self) -> Self {
        Self { leaves: Arc::clone(&self.leaves) }
    }
}

impl<T> Paged<T> {
    /// Returns the value of a row; `None` where it has none.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&T> {
        let leaf = self.leaves.get(row / (PAGE * LEAF))?.as_ref()?;
        leaf[row / PAGE % LEAF].as_ref()?[row % PAGE].as_ref()
    }

    /// Returns the rows that have a value, rising, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let leaves = self.leaves.iter().enumerate().filter_map(|(l, leaf)| Some((l, leaf.as_ref()?)));
        let pages = leaves.flat_map(|(l, leaf)| {
            leaf.iter().enumerate().filter_map(move |(p, page)| Some((l * LEAF + p, page.as_ref()?)))
        });
        pages.flat_map(|(p, page)| {
            page.iter().enumerate().filter_map(move |(r, row)| Some((p * PAGE + r, row.as_ref()?)))
        })
    }

    /// Returns how many bytes its pages take, those included that it shares with copies. What a value itself points at does not count.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let leaves = self.leaves.iter().flatten();
        let pages: usize = leaves.clone().map(|leaf| leaf.iter().flatten().count()).sum();
        let head = self.leaves.len() * size_of::<Option<Arc<Leaf<T>>>>();
        head + leaves.count() * size_of::<Leaf<T>>() + pages * size_of::<Page<T>>()
    }

    /// Whether both are one state: no row of one was set since they were the same.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.leaves, &other.leaves)
    }
}

impl<T: Clone> Paged<T> {
    /// Gives a row a value, or takes it away.
    pub fn set(&mut self, row: usize, value: Option<T>) {
        let leaves = Arc::make_mut(&mut self.leaves);
        let at = row / (PAGE * LEAF);
        if leaves.len() <= at {
            leaves.resize(at + 1, None);
        }
        let leaf = Arc::make_mut(leaves[at].get_or_insert_with(|| Arc::new([const { None }; LEAF])));
        let page = Arc::make_mut(leaf[row / PAGE % LEAF].get_or_insert_with(|| Arc::new([const { None }; PAGE])));
        page[row % PAGE] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_rows_and_shares_the_pages_that_did_not_change() {
        let mut rows: Paged<u32> = Paged::default();
        for row in [3, 40, 5000, 5001] {
            rows.set(row, Some(row as u32));
        }
        let before = rows.clone();
        assert!(before.is_same_as(&rows));
        rows.set(40, Some(7));
        rows.set(41, Some(8));
        assert!(!before.is_same_as(&rows));
        assert_eq!([before.get(40), before.get(41), rows.get(40), rows.get(41)], [Some(&40), None, Some(&7), Some(&8)]);
        assert_eq!(rows.iter().map(|(row, _)| row).collect::<Vec<_>>(), [3, 40, 41, 5000, 5001]);
        let page = |rows: &Paged<u32>, row: usize| rows.get(row).map(std::ptr::from_ref);
        assert_eq!(page(&before, 5001), page(&rows, 5001), "one page in memory");
        assert_ne!(page(&before, 40), page(&rows, 40));
        assert_eq!(rows.get(1_000_000), None);
        // Two leaves of 64 pages each, of which three are there.
        let bytes = rows.bytes();
        assert!((3 * 16 * 8..3 * 16 * 8 + 5 * 8 + 2 * 64 * 8 + 1).contains(&bytes), "{bytes}");
        rows.set(40, None);
        assert_eq!([rows.get(40), rows.get(41)], [None, Some(&8)]);
    }
}

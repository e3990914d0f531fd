//! A sparse list of rows, whose copies share what they have in common.

use std::sync::Arc;

use skinscope_base::parallel;

/// So many rows are copied together when one of them changes.
const PAGE: usize = 16;
/// So many pages are named together.
const LEAF: usize = 64;

/// So many leaves, which are at least some thousand rows, one thread changes at a time.
const PIECE: usize = 8;

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

    /// Returns the numbers of the pages that there are, rising ([`Paged::page_of`]).
    pub fn pages(&self) -> impl Iterator<Item = usize> {
        let leaves = self.leaves.iter().enumerate().filter_map(|(l, leaf)| Some((l, leaf.as_ref()?)));
        leaves.flat_map(|(l, leaf)| {
            leaf.iter().enumerate().filter(|(_, page)| page.is_some()).map(move |(p, _)| l * LEAF + p)
        })
    }

    /// Returns the number of the page that has a row: one for every 16 rows.
    #[must_use]
    pub fn page_of(row: usize) -> usize {
        row / PAGE
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

    /// Does the same for many rows, on all cores: each gets a value, or loses it. Of two values for one row the last counts.
    pub fn set_all(&mut self, rows: Vec<(usize, Option<T>)>)
    where
        T: Send + Sync,
    {
        self.set_lists(vec![rows]);
    }

    /// Does the same for lists that follow one another.
    pub fn set_lists(&mut self, mut lists: Vec<Vec<(usize, Option<T>)>>)
    where
        T: Send + Sync,
    {
        if !lists.iter().flatten().is_sorted_by_key(|(row, _)| *row) {
            let mut rows: Vec<(usize, Option<T>)> = lists.into_iter().flatten().collect();
            rows.sort_by_key(|(row, _)| *row);
            lists = vec![rows];
        }
        let in_leaf = PAGE * LEAF;
        let last = lists.iter().rev().find_map(|rows| rows.last());
        let Some(count) = last.map(|(row, _)| row / in_leaf + 1) else { return };
        let leaves = Arc::make_mut(&mut self.leaves);
        if leaves.len() < count {
            leaves.resize(count, None);
        }
        let groups = lists.iter_mut().flat_map(|rows| rows.chunk_by_mut(|a, b| a.0 / in_leaf == b.0 / in_leaf));
        let mut groups = groups.peekable();
        let mut work = Vec::new();
        for (number, leaf) in leaves.iter_mut().enumerate() {
            let is_of_leaf = |group: &&mut [(usize, Option<T>)]| group.first().is_some_and(|g| g.0 / in_leaf == number);
            let own: Vec<_> = std::iter::from_fn(|| groups.next_if(is_of_leaf)).collect();
            if !own.is_empty() {
                work.push((leaf, own));
            }
        }
        parallel::in_pieces(&mut work, PIECE, &|_, work: &mut [(&mut Option<Arc<Leaf<T>>>, Vec<_>)]| {
            for (leaf, groups) in work {
                groups.iter_mut().for_each(|group| set_leaf(leaf, group));
            }
        });
    }
}

/// Gives rows of one leaf, which rise, their values.
fn set_leaf<T: Clone>(leaf: &mut Option<Arc<Leaf<T>>>, rows: &mut [(usize, Option<T>)]) {
    let leaf = Arc::make_mut(leaf.get_or_insert_with(|| Arc::new([const { None }; LEAF])));
    for group in rows.chunk_by_mut(|a, b| a.0 / PAGE == b.0 / PAGE) {
        let Some(slot) = group.first().map(|(row, _)| &mut leaf[row / PAGE % LEAF]) else { continue };
        if let Some(page) = slot.as_mut().and_then(Arc::get_mut) {
            group.iter_mut().for_each(|(row, value)| page[*row % PAGE] = value.take());
            continue;
        }
        // Of a page that others have too, only what stays is copied.
        let mut page: Page<T> = [const { None }; PAGE];
        let mut is_set = [false; PAGE];
        for (row, value) in group {
            page[*row % PAGE] = value.take();
            is_set[*row % PAGE] = true;
        }
        if let Some(before) = slot.take() {
            let kept = page.iter_mut().zip(&*before).zip(is_set).filter(|(_, is_set)| !is_set);
            kept.for_each(|((new, old), _)| new.clone_from(old));
        }
        *slot = Some(Arc::new(page));
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

    #[test]
    fn many_rows_become_what_they_become_one_by_one() {
        let numbers = (0_usize..40_000).map(|i| i * 7919 % 60_000);
        let changes: Vec<(usize, Option<usize>)> =
            numbers.chain([5, 5, 90_000]).enumerate().map(|(i, row)| (row, (i % 5 > 0).then_some(i))).collect();
        let mut before = Paged::default();
        (0..30_000).for_each(|row| before.set(3 * row, Some(row)));
        let (mut one, mut all) = (before.clone(), before.clone());
        changes.iter().for_each(|(row, value)| one.set(*row, *value));
        let mut lists = before.clone();
        let mut rising: Vec<(usize, Option<usize>)> = changes.iter().copied().rev().collect();
        rising.sort_by_key(|(row, _)| *row);
        rising.dedup_by_key(|(row, _)| *row);
        lists.set_lists(rising.chunks(777).map(<[_]>::to_vec).collect());
        all.set_all(changes);
        assert!(all.iter().eq(one.iter()) && !all.is_same_as(&before));
        assert!(lists.iter().eq(one.iter()), "lists whose borders lie within pages");
        assert!(one.iter().all(|(row, _)| one.pages().any(|page| page == Paged::<usize>::page_of(row))));
        assert!(before.iter().all(|(row, value)| row == 3 * value), "copies keep their rows");
        all.set_all(Vec::new());
        assert!(all.iter().eq(one.iter()), "no change");
    }
}

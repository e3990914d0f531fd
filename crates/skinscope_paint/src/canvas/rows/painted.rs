//! The rows of a table that were painted: those with few joints side by side in memory, so that all of them are gone through quickly.

use std::sync::Arc;

use skinscope_base::parallel;
use skinscope_weights::Shares;
use skinscope_weights::brush::{FewShares, UsualShares};

use crate::layers::LayerRow;

/// So many rows are copied together when one of them changes: as many as a page of a model has vertices.
pub(in crate::canvas) const PAGE: usize = 16;
/// So many pages are named together.
pub(in crate::canvas) const LEAF: usize = 64;
/// So many leaves one thread changes at a time.
const PIECE: usize = 8;
/// A row of so many joints needs no memory of its own.
const USUAL: usize = 4;

/// Some rows that follow one another.
#[derive(Clone, Debug)]
pub(in crate::canvas) struct RowPage {
    /// For rows of few joints: the joints; what no joint has beyond the last, and for all other rows.
    keys: [[u32; USUAL]; PAGE],
    /// Their weights, 0 beyond the last.
    weights: [[f64; USUAL]; PAGE],
    counts: [u8; PAGE],
    /// A bit for each row of few joints.
    few: u16,
    /// A bit for each of them whose weights sum to what they are to sum to.
    whole: u16,
    /// The other rows: those of more joints, and those that have the pairs of a table.
    others: Option<Box<[Option<LayerRow>; PAGE]>>,
}

/// Pages that are named together.
pub(in crate::canvas) type Leaf = [Option<Arc<RowPage>>; LEAF];

/// The rows of a table that were painted. A copy shares the pages that do not change afterwards.
#[derive(Clone, Debug, Default)]
pub(in crate::canvas) struct PaintedRows {
    leaves: Arc<Vec<Option<Arc<Leaf>>>>,
}

/// A row that was painted.
#[derive(Clone, Copy, Debug)]
pub(in crate::canvas) enum PaintedRow<'a> {
    /// One of few joints, as many as the number says, and whether its weights sum to what they are to sum to.
    Few(&'a [u32; USUAL], &'a [f64; USUAL], usize, bool),
    /// Any other.
    Row(&'a LayerRow),
}

impl<'a> PaintedRow<'a> {
    /// Returns its joints with their weights, which may be written to `space`.
    pub(crate) fn shares<'s>(self, space: &'s mut Shares) -> &'s [(u32, f64)]
    where
        'a: 's,
    {
        match self {
            Self::Few(keys, weights, count, _) => {
                space.clear();
                space.extend(keys.iter().copied().zip(weights.iter().copied()).take(count));
                space
            }
            Self::Row(row) => &row.shares,
        }
    }

    /// Returns it as a row of a layer.
    pub(crate) fn to_row(self) -> LayerRow {
        match self {
            Self::Few(_, _, _, is_whole) => LayerRow::painted(self.shares(&mut Shares::new()), is_whole),
            Self::Row(row) => row.clone(),
        }
    }
}

impl RowPage {
    /// A page without rows.
    pub(crate) const EMPTY: Self = Self {
        keys: [UsualShares::NONE.keys; PAGE],
        weights: [[0.0; USUAL]; PAGE],
        counts: [0; PAGE],
        few: 0,
        whole: 0,
        others: None,
    };

    /// Brings the page near the processor: one word of each 64 bytes is read, and none of them waited for.
    #[inline]
    pub(crate) fn fetch(&self) {
        let keys = self.keys.iter().step_by(4).fold(0, |all, keys| all ^ keys[0]);
        let weights = self.weights.iter().step_by(2).fold(0, |all, weights| all ^ weights[0].to_bits());
        std::hint::black_box((keys, weights, self.few));
    }

    /// Returns a row, by its number in the page; `None` where it was not painted.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<PaintedRow<'_>> {
        if self.few >> row & 1 == 1 {
            let is_whole = self.whole >> row & 1 == 1;
            return Some(PaintedRow::Few(&self.keys[row], &self.weights[row], usize::from(self.counts[row]), is_whole));
        }
        self.others.as_ref()?[row].as_ref().map(PaintedRow::Row)
    }

    /// Gives a row its weights, or takes it away.
    pub(crate) fn set(&mut self, row: usize, value: Option<LayerRow>) {
        let few = value.as_ref().filter(|value| value.pairs.is_none() && value.shares.len() <= USUAL);
        let few = few.and_then(|value| Some((FewShares::of(&value.shares)?.usual()?, value.is_whole)));
        if let Some((few, is_whole)) = few {
            self.set_usual(row, &few, is_whole);
            return;
        }
        (self.keys[row], self.counts[row]) = (UsualShares::NONE.keys, 0);
        self.few &= !(1 << row);
        self.whole &= !(1 << row);
        match (&mut self.others, value) {
            (Some(others), value) => others[row] = value,
            (None, Some(value)) => self.others.insert(Box::default())[row] = Some(value),
            (None, None) => {}
        }
    }

    /// Does the same for a row that may have more joints.
    pub(crate) fn set_few(&mut self, row: usize, shares: &FewShares, is_whole: bool) -> bool {
        if let Some(usual) = shares.usual() {
            return self.set_usual(row, &usual, is_whole);
        }
        let shares: Shares = shares.iter().collect();
        self.set_shares(row, &shares, is_whole);
        false
    }

    /// Gives a row weights of many joints or few.
    pub(crate) fn set_shares(&mut self, row: usize, shares: &[(u32, f64)], is_whole: bool) {
        self.set(row, Some(LayerRow::painted(shares, is_whole)));
    }

    /// Returns a row of at most four joints; `None` where it was not painted or has other joints than so many.
    #[inline]
    pub(crate) fn usual(&self, row: usize) -> Option<UsualShares> {
        let count = usize::from(self.counts[row]);
        (self.few >> row & 1 == 1).then(|| UsualShares { keys: self.keys[row], weights: self.weights[row], count })
    }

    /// Adds a row times a factor to the weights of some joints; returns false where it has others.
    #[inline]
    pub(crate) fn add_to(&self, row: usize, factor: f64, to: &mut UsualShares) -> bool {
        // Most have the same joints in the same order.
        if self.keys[row] == to.keys {
            to.weights.iter_mut().zip(&self.weights[row]).for_each(|(sum, weight)| *sum += factor * weight);
            return true;
        }
        let mut shares = self.keys[row].iter().zip(&self.weights[row]).take(usize::from(self.counts[row]));
        let mut add = |(key, weight): (&u32, &f64)| {
            let at = (0..to.count.min(USUAL)).find(|at| to.keys[*at] == *key);
            at.is_some_and(|at| {
                to.weights[at] += factor * weight;
                true
            })
        };
        self.few >> row & 1 == 1 && shares.all(&mut add)
    }

    /// Gives a row weights of at most four joints. Returns whether it had few joints before, and these in their order.
    #[inline]
    pub(crate) fn set_usual(&mut self, row: usize, shares: &UsualShares, is_whole: bool) -> bool {
        let bit = 1 << row;
        let is_alike = shares.count > 0 && self.keys[row] == shares.keys;
        self.weights[row] = shares.weights;
        self.whole = self.whole & !bit | u16::from(is_whole) << row;
        if !is_alike {
            self.keys[row] = shares.keys;
            self.counts[row] = shares.count as u8;
            self.few |= bit;
            if let Some(others) = &mut self.others {
                others[row] = None;
            }
        }
        is_alike
    }
}

impl PaintedRows {
    /// Returns a row; `None` where it was not painted.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<PaintedRow<'_>> {
        self.page(row / PAGE)?.get(row % PAGE)
    }

    /// Returns a page, by its number; `None` where it has no rows.
    #[inline]
    pub(crate) fn page(&self, page: usize) -> Option<&RowPage> {
        self.leaves.get(page / LEAF)?.as_ref()?[page % LEAF].as_deref()
    }

    /// Returns all pages, by their numbers.
    pub(crate) fn all_pages(&self) -> Vec<Option<&RowPage>> {
        let leaves = self.leaves.iter();
        let pages =
            leaves.flat_map(|leaf| (0..LEAF).map(move |page| leaf.as_ref().and_then(|leaf| leaf[page].as_deref())));
        pages.collect()
    }

    /// Returns the rows that were painted, rising.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, PaintedRow<'_>)> {
        (0..self.leaves.len() * LEAF).flat_map(|number| {
            let rows = self.page(number).into_iter().flat_map(|page| (0..PAGE).map(|row| (row, page.get(row))));
            rows.filter_map(move |(row, painted)| Some((number * PAGE + row, painted?)))
        })
    }

    /// Returns the leaves of so many rows, to be changed.
    pub(crate) fn leaves_mut(&mut self, rows: usize) -> &mut [Option<Arc<Leaf>>] {
        let leaves = Arc::make_mut(&mut self.leaves);
        let count = rows.div_ceil(PAGE * LEAF);
        if leaves.len() < count {
            leaves.resize(count, None);
        }
        leaves
    }

    /// Frees what nobody else has, on all cores.
    pub(crate) fn free(self) {
        if let Ok(mut leaves) = Arc::try_unwrap(self.leaves) {
            parallel::in_pieces(&mut leaves, PIECE, &|_, leaves: &mut [Option<Arc<Leaf>>]| leaves.fill(None));
        }
    }

    /// Gives a row its weights, or takes it away.
    pub(crate) fn set(&mut self, row: usize, value: Option<LayerRow>) {
        if let Some(leaf) = self.leaves_mut(row + 1).get_mut(row / (PAGE * LEAF)) {
            set_leaf(leaf, &mut [(row, value)]);
        }
    }

    /// Does the same for rows in lists that follow one another, on all cores. Of two values for one row the last counts.
    pub(crate) fn set_lists(&mut self, mut lists: Vec<Vec<(usize, Option<LayerRow>)>>) {
        if !lists.iter().flatten().is_sorted_by_key(|(row, _)| *row) {
            let mut rows: Vec<(usize, Option<LayerRow>)> = lists.into_iter().flatten().collect();
            rows.sort_by_key(|(row, _)| *row);
            lists = vec![rows];
        }
        let in_leaf = PAGE * LEAF;
        let Some((last, _)) = lists.iter().rev().find_map(|rows| rows.last()) else { return };
        let leaves = self.leaves_mut(last + 1);
        let groups = lists.iter_mut().flat_map(|rows| rows.chunk_by_mut(|a, b| a.0 / in_leaf == b.0 / in_leaf));
        let mut groups = groups.peekable();
        let mut work = Vec::new();
        for (number, leaf) in leaves.iter_mut().enumerate() {
            let is_of_leaf =
                |group: &&mut [(usize, Option<LayerRow>)]| group.first().is_some_and(|g| g.0 / in_leaf == number);
            let own: Vec<_> = std::iter::from_fn(|| groups.next_if(is_of_leaf)).collect();
            if !own.is_empty() {
                work.push((leaf, own));
            }
        }
        parallel::in_pieces(&mut work, PIECE, &|_, work: &mut [(&mut Option<Arc<Leaf>>, Vec<_>)]| {
            for (leaf, groups) in work {
                groups.iter_mut().for_each(|group| set_leaf(leaf, group));
            }
        });
    }
}

/// Returns a leaf, to be changed: its own memory, where a copy has it too.
pub(in crate::canvas) fn leaf_mut(leaf: &mut Option<Arc<Leaf>>) -> &mut Leaf {
    Arc::make_mut(leaf.get_or_insert_with(|| Arc::new([const { None }; LEAF])))
}

/// Gives rows of one leaf, which rise, their values.
fn set_leaf(leaf: &mut Option<Arc<Leaf>>, rows: &mut [(usize, Option<LayerRow>)]) {
    let leaf = leaf_mut(leaf);
    for group in rows.chunk_by_mut(|a, b| a.0 / PAGE == b.0 / PAGE) {
        let Some(slot) = group.first().map(|(row, _)| &mut leaf[row / PAGE % LEAF]) else { continue };
        let page = Arc::make_mut(slot.get_or_insert_with(|| Arc::new(RowPage::EMPTY)));
        group.iter_mut().for_each(|(row, value)| page.set(*row % PAGE, value.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_rows_and_lists_become_what_rows_become_one_by_one() {
        let row = |seed: usize| {
            let shares: Shares = (0..1 + seed as u32 % 6).map(|key| (key + 2, 0.125 * f64::from(key + 1))).collect();
            (!seed.is_multiple_of(5)).then(|| LayerRow::painted(shares, seed.is_multiple_of(2)))
        };
        let all = |rows: &PaintedRows| rows.iter().map(|(row, painted)| (row, painted.to_row())).collect::<Vec<_>>();
        let mut before = PaintedRows::default();
        (0..3000).for_each(|at| before.set(3 * at, row(at)));
        assert!(all(&before).iter().all(|(at, painted)| row(at / 3).as_ref() == Some(painted) && at % 3 == 0));
        let kept = all(&before);
        let changes: Vec<(usize, Option<LayerRow>)> = (0..4000)
            .map(|i| (i * 7919 % 12_000, row(i)))
            .chain([(5, row(1)), (5, row(2)), (90_000, row(3))])
            .collect();
        let (mut one, mut lists) = (before.clone(), before.clone());
        changes.iter().cloned().for_each(|(at, painted)| one.set(at, painted));
        let mut rising = changes.clone();
        rising.reverse();
        rising.sort_by_key(|(at, _)| *at);
        rising.dedup_by_key(|(at, _)| *at);
        lists.set_lists(rising.chunks(77).map(<[_]>::to_vec).collect());
        assert!(all(&lists) == all(&one) && all(&before) == kept);
        let mut unsorted = before.clone();
        unsorted.set_lists(vec![changes]);
        assert!(all(&unsorted) == all(&one));
        assert!(one.get(90_000).is_some() && one.get(1_000_000).is_none() && one.page(3).is_some());
        unsorted.set_lists(Vec::new());
        assert!(all(&unsorted) == all(&one));
    }
}

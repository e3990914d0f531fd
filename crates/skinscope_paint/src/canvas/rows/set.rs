//! How rows get other weights.

use std::collections::BTreeSet;
use std::ops::Range;

use skinscope_base::parallel;
use skinscope_weights::{Shares, TableRow, share_of};

use super::{Member, PaintedRow, Rows};
use crate::layers::LayerRow;

/// Rows of one table with what they become; `None`: what the file has, or what lies below a layer.
pub(in crate::canvas) type NewRows = Vec<(usize, Option<LayerRow>)>;
/// The weights that a place gets, and whether they sum to what they are to sum to; `None` as in [`NewRows`].
type NewWeights<'a> = Option<(&'a [(u32, f64)], bool)>;
/// How many rows one thread composes at a time.
const CHUNK: usize = 1 << 10;
/// So many rows a list has room for from the start: as many as places are painted for one list.
const LIST: usize = 1 << 10;

impl Rows {
    /// Whether brushes paint in layers, which make the weights together.
    pub fn is_layered(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Whether what a dab changes is noted first, and set for all of it together: no joint is locked whose weight layers above could change.
    pub fn notes(&self, locked: &BTreeSet<u32>) -> bool {
        // Effects follow for the whole dab, and look at the locked joints then.
        !self.is_layered() || locked.is_empty() || self.layers.has_effects()
    }

    /// Adds what all vertices of a place become with the same weights, or without, to the lists of their tables ([`Rows::set_all`]).
    pub fn note(&self, members: &[Member], weights: NewWeights<'_>, into: &mut [NewRows]) {
        for Member { at, own } in members {
            if into[at.table].is_empty() {
                into[at.table].reserve(LIST);
            }
            into[at.table].push((at.row, self.row_for((at.table, *own), weights)));
        }
    }

    /// Returns an empty list for each table.
    pub(crate) fn new_rows(&self) -> Vec<NewRows> {
        self.tables.iter().map(|_| NewRows::new()).collect()
    }

    /// Gives vertices what was noted for them, in lists for each table: in the layer that is painted in, where there are layers.
    pub fn set_all(&mut self, rows: Vec<Vec<NewRows>>) {
        if !self.is_layered() {
            self.painted.iter_mut().zip(rows).for_each(|(painted, rows)| painted.set_lists(rows));
            return;
        }
        for (table, rows) in rows.into_iter().enumerate().filter(|(_, rows)| !rows.iter().all(Vec::is_empty)) {
            self.set_all_layered(table, rows);
        }
    }

    /// Gives the layer that is painted in rows of a table, or takes them away, and makes the flat ones anew.
    fn set_all_layered(&mut self, table: usize, rows: Vec<NewRows>) {
        let Self { tables, painted, layers, .. } = self;
        let (own, flat) = (&tables[table], &mut painted[table]);
        let numbers: Vec<usize> = rows.iter().flatten().map(|(row, _)| *row).collect();
        let before = |row: usize| flat.get(row).map_or_else(|| LayerRow::of_table(own, row), PaintedRow::to_row);
        let unknown = numbers.iter().copied().filter(|row| layers.base_row(TableRow { table, row: *row }).is_none());
        let base: NewRows = unknown.map(|row| (row, Some(before(row)))).collect();
        layers.put_all(table, base, rows);
        // Effects follow later, for the whole dab.
        if layers.has_effects() {
            return;
        }
        let layers = &*layers;
        let of_row = |row: usize| (row, layers.flat(TableRow { table, row }, own.per_vertex));
        let of_chunk = |chunk: Range<usize>| numbers[chunk].iter().map(|row| of_row(*row)).collect::<NewRows>();
        flat.set_lists(parallel::by_chunk(numbers.len(), CHUNK, &of_chunk));
    }

    /// Returns the row of a table with weights for a place that is painted with the joints of another one. A vertex that the file stores for
    /// several skins has the same numbers for all of them.
    fn row_for(&self, (table, own): (usize, usize), weights: NewWeights<'_>) -> Option<LayerRow> {
        let (shares, is_whole) = weights?;
        Some(match table == own {
            true => LayerRow::painted(shares, is_whole),
            false => LayerRow::painted(self.with_skin_of(table, own, shares), is_whole),
        })
    }

    /// Gives all vertices of a place the same weights in the layer that is painted in, or takes them away there. Returns whether locked joints have
    /// kept theirs under the layers above; else nothing has changed.
    pub(crate) fn set_in_layer(&mut self, members: &[Member], weights: NewWeights<'_>, locked: &BTreeSet<u32>) -> bool {
        let mut before = Vec::new();
        for Member { at, own } in members {
            let row = self.row_for((at.table, *own), weights);
            before.push((*at, self.painted(*at).map(PaintedRow::to_row), self.of_locked(*at, locked)));
            self.set_layered(*at, row);
        }
        let keeps = before.iter().all(|(at, _, kept)| self.of_locked(*at, locked) == *kept);
        if !keeps {
            before.into_iter().for_each(|(at, row, _)| self.set_layered(at, row));
        }
        keeps
    }

    /// Gives a vertex the weights that it had before, in the layer that is painted in.
    pub fn give_back(&mut self, at: TableRow, before: &Self) {
        self.set_layered(at, before.painted(at).map(PaintedRow::to_row));
    }

    /// Returns the flat weights of locked joints, as bits.
    pub(super) fn of_locked(&self, at: TableRow, locked: &BTreeSet<u32>) -> Vec<u64> {
        if locked.is_empty() {
            return Vec::new();
        }
        let mut space = Shares::new();
        let flat = self.flat(at, &mut space);
        locked.iter().map(|key| share_of(flat, *key).to_bits()).collect()
    }

    /// Gives the layer that is painted in a row, or takes it away, and makes the flat one anew.
    pub(super) fn set_layered(&mut self, at: TableRow, row: Option<LayerRow>) {
        let Self { tables, painted, layers, .. } = self;
        let (table, flat) = (&tables[at.table], &mut painted[at.table]);
        let before = || flat.get(at.row).map_or_else(|| LayerRow::of_table(table, at.row), PaintedRow::to_row);
        layers.set_row(at, row, before);
        // Effects follow later, for the whole dab.
        if !layers.has_effects() {
            flat.set(at.row, layers.flat(at, table.per_vertex));
        }
    }
}

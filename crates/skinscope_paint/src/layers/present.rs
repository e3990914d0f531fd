//! Which layers have weights where, so that the others are not looked at there.

use std::sync::Arc;

use skinscope_weights::{Paged, TableRow};

use super::{Layer, LayerRow};

/// How many layers one number stands for.
const BITS: usize = u64::BITS as usize;

/// For each page of rows of each table, the layers that may have weights for any of them: a bit for each, the lowest one first.
#[derive(Clone, Debug, Default)]
pub(super) struct Present {
    /// How many numbers each page has.
    per_page: usize,
    tables: Vec<Vec<u64>>,
}

impl Present {
    pub fn of(layers: &[Arc<Layer>]) -> Self {
        let mut out = Self { per_page: layers.len().div_ceil(BITS), tables: Vec::new() };
        for (number, layer) in layers.iter().enumerate() {
            for (table, rows) in layer.rows.iter().enumerate() {
                rows.pages().for_each(|page| out.add_page(number, (table, page)));
            }
        }
        out
    }

    /// Notes that a layer, of which there was one when this was made, has weights for a row.
    pub fn add(&mut self, number: usize, at: TableRow) {
        self.add_page(number, (at.table, Paged::<LayerRow>::page_of(at.row)));
    }

    fn add_page(&mut self, number: usize, (table, page): (usize, usize)) {
        if self.tables.len() <= table {
            self.tables.resize(table + 1, Vec::new());
        }
        let (pages, at) = (&mut self.tables[table], page * self.per_page + number / BITS);
        if pages.len() <= at {
            pages.resize((page + 1) * self.per_page, 0);
        }
        pages[at] |= 1 << (number % BITS);
    }

    fn page(&self, at: TableRow) -> &[u64] {
        let start = Paged::<LayerRow>::page_of(at.row) * self.per_page;
        self.tables.get(at.table).and_then(|pages| pages.get(start..start + self.per_page)).unwrap_or_default()
    }

    /// Whether a layer may have weights for a row.
    pub fn has(&self, number: usize, at: TableRow) -> bool {
        self.page(at).get(number / BITS).is_some_and(|bits| (bits >> (number % BITS)) & 1 > 0)
    }

    /// Returns the numbers of the layers below one that may have weights for a row, the highest first.
    pub fn below(&self, count: usize, at: TableRow) -> impl Iterator<Item = usize> + '_ {
        let numbered = self.page(at).iter().enumerate().rev();
        numbered
            .flat_map(|(i, bits)| highest_first(*bits).map(move |bit| i * BITS + bit))
            .skip_while(move |n| *n >= count)
    }
}

/// Returns the places of the bits of a number, the highest first.
fn highest_first(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.checked_ilog2()?;
        bits &= !(1 << bit);
        Some(bit as usize)
    })
}

//! Where a layer is: how much of it there is at each vertex.

use std::sync::Arc;

use skinscope_weights::{Paged, TableRow};

use super::changes::put;
use super::{Layer, LayerStack, OfTables, are_same, row_of, rows_of};

/// The least share that a mask has.
const LEAST: f32 = 1e-9;

/// How much of a layer there is at each vertex, 0 to 1. A copy shares what it has in common.
#[derive(Clone, Debug)]
pub struct LayerMask {
    /// The share of the vertices that have none of their own: 0 where the mask was made of marked vertices, 1 where a brush has begun it.
    rest: f32,
    rows: OfTables<f32>,
}

impl LayerMask {
    /// Makes a mask that has one share everywhere.
    pub(crate) fn new(rest: f32) -> Self {
        Self { rest, rows: Vec::new() }
    }

    /// Returns the share of a vertex.
    #[must_use]
    pub fn share(&self, at: TableRow) -> f32 {
        row_of(&self.rows, at).copied().unwrap_or(self.rest)
    }

    /// Whether no vertex has any of the layer.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest <= 0.0 && self.listed().all(|(_, share)| share <= 0.0)
    }

    /// Whether both are one state: nothing was painted since they were the same.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.rest.to_bits() == other.rest.to_bits() && are_same(&self.rows, &other.rows)
    }

    /// Gives a vertex a share.
    pub(crate) fn set(&mut self, at: TableRow, share: f32) {
        // What is less than any weight can show is nothing.
        let share = if share < LEAST { 0.0 } else { share };
        put(&mut self.rows, at, Some(share).filter(|share| share.to_bits() != self.rest.to_bits()));
    }

    /// Returns the share of the vertices that are not listed.
    pub(super) fn rest(&self) -> f32 {
        self.rest
    }

    /// Returns the vertices with another share.
    pub(super) fn listed(&self) -> impl Iterator<Item = (TableRow, f32)> + '_ {
        let of_table = |(table, rows): (usize, &Paged<f32>)| {
            rows.iter().map(|(row, share)| (TableRow { table, row }, *share)).collect::<Vec<_>>()
        };
        self.rows.iter().enumerate().flat_map(of_table)
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.iter().map(Paged::bytes).sum()
    }
}

impl Layer {
    /// Returns the mask that says where it is; without one it is everywhere.
    #[must_use]
    pub fn mask(&self) -> Option<&LayerMask> {
        self.mask.as_ref()
    }
}

impl LayerStack {
    /// Whether the mask of one of the layers leaves nothing of it: it is empty, or 0 wherever the layer has weights.
    #[must_use]
    pub fn is_masked_out(&self, layer: &Layer) -> bool {
        let Some(mask) = &layer.mask else { return false };
        // A mirror gives it weights elsewhere, and the base knows all vertices that it reaches.
        let is_spread = layer.effects().iter().any(|effect| effect.is_on() && effect.is_mirror());
        let has_rows = rows_of(&layer.rows).next().is_some();
        let is_out = |rows: &OfTables<super::LayerRow>| rows_of(rows).all(|at| mask.share(at) <= 0.0);
        match has_rows {
            true => is_out(if is_spread { &self.base } else { &layer.rows }),
            false => mask.is_empty(),
        }
    }

    /// Returns how much there is at a vertex of the layer that brushes paint in, by its mask alone.
    pub(crate) fn mask_share(&self, at: TableRow) -> f32 {
        let mask = self.active_layer().and_then(|(_, layer)| layer.mask.as_ref());
        mask.map_or(1.0, |mask| mask.share(at))
    }

    /// Says how much there is at a vertex of the layer that brushes paint in. A layer without a mask gets one that is full everywhere else.
    pub(crate) fn set_mask_share(&mut self, at: TableRow, share: f32) {
        let Some(number) = self.active_number() else { return };
        let layer = Arc::make_mut(&mut self.layers[number]);
        layer.mask.get_or_insert_with(|| LayerMask::new(1.0)).set(at, share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: usize) -> TableRow {
        TableRow { table: 0, row }
    }

    #[test]
    fn a_mask_that_a_brush_begins_is_full_elsewhere_and_one_of_marked_vertices_is_empty_there() {
        let mut stack = LayerStack::default();
        let id = stack.add("");
        let is_out = |stack: &LayerStack| stack.layer(id).is_some_and(|layer| stack.is_masked_out(layer));
        assert!(stack.layer(id).is_some_and(|layer| !layer.has_mask()) && !is_out(&stack));
        assert_eq!(stack.mask_share(at(3)), 1.0);
        let before = stack.clone();
        stack.set_mask_share(at(3), 0.25);
        assert_eq!([stack.mask_share(at(3)), stack.mask_share(at(4)), before.mask_share(at(3))], [0.25, 1.0, 1.0]);
        assert!(!stack.is_same_as(&before) && stack.layer(id).is_some_and(Layer::has_mask));
        stack.set_mask(id, Some(&[at(5)]));
        assert_eq!([stack.mask_share(at(3)), stack.mask_share(at(5))], [0.0, 1.0]);
        assert!(!is_out(&stack));
        stack.set_mask_share(at(5), 0.0);
        assert!(is_out(&stack));
    }
}

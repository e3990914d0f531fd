//! Effects of layers while one paints: what a dab changes is composed anew with all that effects reach from there.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_model::Model;
use skinscope_weights::{RestSurface, Shares, TableRow, share_of};

use super::composer::Composer;
use super::mirrored::Mirrors;
use super::rows::{PaintedRow, Rows};
use super::vicinity::Vicinity;
use super::{Brushing, Canvas, PaintError};
use crate::MirrorAxis;
use crate::layers::{LayerEffect, LayerId, LayerRow, LayerStack};

impl Rows {
    /// Lets rows know what lies around them.
    pub(crate) fn with_surfaces(mut self, surfaces: &Arc<Vec<RestSurface>>) -> Self {
        self.near = Vicinity::new(surfaces, self.tables.len());
        self
    }

    /// Finds what is opposite to what for the mirrors among the effects of layers.
    pub(super) fn look_across(
        &mut self,
        mirrors: &Mirrors,
        (model, surfaces): (&Model, &[RestSurface]),
        layers: &LayerStack,
    ) -> Result<(), PaintError> {
        let of_layers = layers.layers().iter().flat_map(|layer| layer.effects());
        let on = of_layers.chain(layers.effects()).filter(|effect| effect.is_on());
        for (axis, _) in on.filter_map(LayerEffect::across) {
            let named = MirrorAxis::ALL.into_iter().find(|named| named.axis() == Some(axis));
            let images = mirrors.across(model, surfaces, named.unwrap_or(MirrorAxis::Auto))?;
            self.near.set_images(axis, images);
        }
        Ok(())
    }

    /// Returns what the layer that is painted in lies over, as far as effects have a say there; `None` where the stack knows nothing of the row.
    pub(crate) fn below_with_effects(&self, at: TableRow) -> Option<LayerRow> {
        let number = self.layers.active_layer().map_or(0, |(number, _)| number);
        let below = Composer::new(&self.layers, &self.near).over_known(&self.below, number, at)?;
        Some(below.fitted(self.tables[at.table].per_vertex))
    }

    /// Returns the flat weights of rows that the stack knows.
    pub(crate) fn composed(&self, rows: &[TableRow]) -> Vec<(TableRow, LayerRow)> {
        let room = |at: &TableRow| self.tables[at.table].per_vertex;
        if !self.layers.has_effects() {
            return rows.iter().filter_map(|at| Some((*at, self.layers.flat(*at, room(at))?))).collect();
        }
        let composer = Composer::new(&self.layers, &self.near);
        rows.iter().filter_map(|at| Some((*at, composer.flat(*at)?.fitted(room(at))))).collect()
    }

    /// Returns the rows whose flat weights rows of the layer that is painted in may change, rising.
    fn reached(&self, rows: &[TableRow]) -> Vec<TableRow> {
        let number = self.layers.active_layer().map_or(0, |(number, _)| number);
        self.reached_from(number, rows)
    }

    fn reached_from(&self, layer: usize, rows: &[TableRow]) -> Vec<TableRow> {
        let effects = Composer::new(&self.layers, &self.near).effects_from(layer);
        let mut out = self.near.reached(rows.iter().copied(), &effects);
        out.retain(|at| self.has(*at));
        out
    }

    /// Lets the base have all rows that effects read for some rows.
    fn know(&mut self, rows: &[TableRow]) {
        for at in self.reached_from(0, rows) {
            if self.layers.base_row(at).is_none() {
                let painted = self.painted[at.table].get(at.row);
                let row =
                    painted.map_or_else(|| LayerRow::of_table(&self.tables[at.table], at.row), PaintedRow::to_row);
                self.layers.put_base(at, row);
            }
        }
    }

    /// Returns the weights that layers and their effects make of a row now, whatever was composed of them before.
    pub(super) fn made_now(&mut self, at: TableRow) -> Shares {
        self.know(&[at]);
        match self.composed(&[at]).pop() {
            Some((_, flat)) => flat.shares.to_vec(),
            None => self.flat(at, &mut Shares::new()).to_vec(),
        }
    }

    /// Makes the flat weights of some rows anew, and returns those that are others now. Where a locked joint would get another weight, nothing
    /// changes, and the error has those rows.
    fn compose(&mut self, rows: &[TableRow], locked: &BTreeSet<u32>) -> Result<Vec<TableRow>, Vec<TableRow>> {
        let (mut new, mut refused) = (Vec::new(), Vec::new());
        for (at, flat) in self.composed(rows) {
            let is_same = match self.painted[at.table].get(at.row) {
                Some(before) => before.to_row() == flat,
                // It is as the file has it.
                None => flat.pairs.is_some(),
            };
            if is_same {
                continue;
            }
            let mut space = Shares::new();
            let before = self.flat(at, &mut space);
            let bits = |shares: &[(u32, f64)], key: u32| share_of(shares, key).to_bits();
            if locked.iter().any(|key| bits(before, *key) != bits(&flat.shares, *key)) {
                refused.push(at);
            } else {
                new.push((at, flat));
            }
        }
        if !refused.is_empty() {
            return Err(refused);
        }
        let changed = new.iter().map(|(at, _)| *at).collect();
        new.into_iter().for_each(|(at, flat)| self.painted[at.table].set(at.row, Some(flat)));
        Ok(changed)
    }

    /// Lets what effects reach from some rows of the layer that is painted in follow them, and returns the rows with other flat weights. Rows
    /// by which a locked joint would get another weight are given back as they were.
    pub(super) fn follow_effects(
        &mut self,
        rows: Vec<TableRow>,
        locked: &BTreeSet<u32>,
        give_back: &mut dyn FnMut(&mut Self, &[TableRow]),
    ) -> Vec<TableRow> {
        let reached = self.reached(&rows);
        self.know(&reached);
        let mut left = rows;
        loop {
            let refused = match self.compose(&reached, locked) {
                Ok(changed) => return changed,
                Err(_) if left.is_empty() => return Vec::new(),
                Err(refused) => refused,
            };
            let near: BTreeSet<TableRow> = self.reached(&refused).into_iter().collect();
            let (mut back, mut stay): (Vec<TableRow>, Vec<TableRow>) =
                left.into_iter().partition(|at| near.contains(at));
            if back.is_empty() {
                std::mem::swap(&mut back, &mut stay);
            }
            give_back(self, &back);
            left = stay;
        }
    }

    /// Takes other layers where effects have a say before or after that, and returns the rows that have other flat weights now, rising.
    pub(crate) fn take_with_effects(&mut self, layers: LayerStack) -> Vec<TableRow> {
        let before = std::mem::replace(&mut self.layers, layers);
        self.below.forget();
        for at in before.rows() {
            if let (None, Some(row)) = (self.layers.base_row(at), before.base_row(at)) {
                self.layers.put_base(at, row.clone());
            }
        }
        let painted = self.layers.layers().iter().flat_map(|layer| layer.painted_rows());
        let painted: Vec<TableRow> = painted.filter(|at| self.has(*at)).collect();
        let mut rows = self.reached_from(0, &painted);
        self.know(&rows);
        rows.extend(self.layers.rows().filter(|at| self.has(*at)));
        rows.sort_unstable();
        rows.dedup();
        let changed = self.compose(&rows, &BTreeSet::new()).unwrap_or_default();
        self.layers.forget_base();
        changed
    }
}

impl Canvas {
    /// Finds what is opposite to what for the mirrors among the effects of layers.
    pub(super) fn look_across(&mut self, layers: &LayerStack) -> Result<(), PaintError> {
        self.rows.look_across(&self.mirrors, (&self.model, &self.surfaces), layers)
    }

    /// Returns the axis across which the model is symmetric, the one that [`MirrorAxis::Auto`] stands for; `None` where there is none.
    #[must_use]
    pub fn symmetric_across(&self) -> Option<MirrorAxis> {
        let best = self.mirrors.best(&self.model, &self.surfaces)?;
        MirrorAxis::ALL.into_iter().find(|named| named.axis() == Some(best))
    }

    /// Lets the effect that was added last, where it is a mirror, begin across the axis across which the model is symmetric: across another one it
    /// would be refused, and nobody could choose the axis of a mirror that is not there.
    pub fn begin_across(&self, layers: &mut LayerStack, of: Option<LayerId>) {
        let effects = layers.effects_of(of);
        let Some(place) = effects.len().checked_sub(1) else { return };
        if effects.last().is_some_and(LayerEffect::is_mirror)
            && let Some(axis) = self.symmetric_across().and_then(MirrorAxis::axis)
        {
            layers.set_effect(of, place, "axis", f64::from(axis as u8));
        }
    }

    /// Makes one layer of a layer and of the one below it, or adds the lowest one to the base, with what effects of both have made of them:
    /// the flat weights stay as they are. `None` where they cannot be merged.
    #[must_use]
    pub fn merged_down(&self, id: LayerId) -> Option<LayerStack> {
        let mut out = self.rows.layers.clone();
        if !out.has_effects() {
            return out.merge_down(id).then_some(out);
        }
        let number = out.layers().iter().position(|layer| layer.id() == id)?;
        let composer = Composer::new(&self.rows.layers, &self.rows.near);
        let is_alone = out.layers().len() == 1;
        let mixed = |at: TableRow| {
            let mut own = [Some(number), number.checked_sub(1)].into_iter().flatten();
            let has_any = is_alone || own.any(|number| composer.shown(number, at).is_some());
            let row = if is_alone { composer.flat(at) } else { composer.below(number + 1, at) };
            Some((at, row.filter(|_| has_any)?))
        };
        let mixed: Vec<(TableRow, LayerRow)> = self.rows.layers.rows().filter_map(mixed).collect();
        out.merge_as(id, mixed).then_some(out)
    }

    /// Lets what effects reach from some rows of the layer that is painted in follow them, and returns the rows with other flat weights. Rows
    /// by which a locked joint would get another weight go back to those of `before`.
    pub(super) fn follow_effects(
        &mut self,
        brushing: &mut Brushing,
        before: &LayerStack,
        rows: Vec<TableRow>,
    ) -> Vec<TableRow> {
        let is_of_mask = brushing.is_of_mask();
        let Brushing { stroke, locked, touched, .. } = brushing;
        let (surfaces, accumulates) = (&self.surfaces[..], stroke.accumulate);
        self.rows.follow_effects(rows, locked, &mut |rows, back| {
            for at in back {
                match is_of_mask {
                    true => rows.layers.set_mask_share(*at, before.mask_share(*at)),
                    false => rows.layers.set_active_row(*at, before.active_row(*at).cloned()),
                }
            }
            touched.note_held((&*rows, surfaces), back, accumulates);
        })
    }
}

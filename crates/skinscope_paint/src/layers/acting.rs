//! Which effects change what is painted in a layer.

use skinscope_weights::TableRow;

use super::{LayerEffect, LayerId, LayerStack};

impl LayerStack {
    /// Returns the effects that change what is painted in the layer in hand, each with the layer that has it (`None`: all together) and its place
    /// there: those of the layer, then those of what all layers make together, as far as they are on.
    pub fn acting_effects(&self) -> impl Iterator<Item = (Option<LayerId>, usize, &LayerEffect)> {
        let active = self.active_layer();
        let own = active.map(|(_, layer)| Some(layer.id()));
        // What tools have changed lies over the effects of all layers.
        let is_under = active.is_none_or(|(number, _)| number < self.effected_count());
        let all = (is_under && !self.is_empty()).then_some(None);
        let placed = move |of| (0..).zip(self.effects_of(of)).map(move |(place, effect)| (of, place, effect));
        own.into_iter().chain(all).flat_map(placed).filter(|(_, _, effect)| effect.is_on())
    }

    /// Returns how many joints such effects leave a row at most; `None` where none of them limits these. The effects of a layer that shows only a
    /// part of itself there do not count: what lies below has its joints too.
    pub(crate) fn most_joints(&self, at: TableRow) -> Option<usize> {
        let is_whole = self.active_layer().is_none_or(|(_, layer)| layer.strength(at) >= 1.0);
        let counting = self.acting_effects().filter(|(of, _, _)| of.is_none() || is_whole);
        counting.filter_map(|(_, _, effect)| effect.most_joints()).min()
    }
}

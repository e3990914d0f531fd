//! Layers of painted weights: each has weights of its own for the vertices that were painted in it, and lies over those below it.
//!
//! The weights of a vertex begin with those of the base. Each layer that is on and has a row for the vertex goes from what lies below it towards
//! its row, as far as its opacity and its mask say: `flat = below + opacity · mask · (row − below)`. What is left over all is the flat
//! result, which the model has. A brush changes the row of the layer that is worked on, and begins with what lies below where the layer has
//! none yet. A layer that is off, or whose strength is nothing at a vertex, leaves the same bits as if it had never been.
//!
//! The base has a row for each vertex for which any layer has one, so that a stack needs no file to be composed. Its memory is that of what
//! was painted.

mod acting;
mod changes;
mod effects;
mod form;
mod mask;
mod present;
mod row;
#[cfg(test)]
mod tests;

pub(crate) use self::effects::EffectWork;
pub use self::effects::{EFFECTS, EffectKind, LayerEffect};
pub use self::form::LayersForm;
pub use self::mask::LayerMask;
pub(crate) use self::row::{LayerRow, RowShares};

use std::sync::{Arc, OnceLock};

use self::present::Present;
use skinscope_weights::{Paged, TableRow, share_of};

/// The number of a layer, which it keeps whatever is moved or renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct LayerId(pub u32);

/// A value for some rows of each table.
pub(crate) type OfTables<T> = Vec<Paged<T>>;

/// A layer of weights.
#[derive(Clone, Debug)]
pub struct Layer {
    id: LayerId,
    name: String,
    is_on: bool,
    opacity: f64,
    /// How much of the layer there is at each vertex. Without a mask all of it.
    mask: Option<LayerMask>,
    rows: OfTables<LayerRow>,
    /// What is done to its rows, the first one first.
    effects: Vec<LayerEffect>,
}

/// Layers of weights over the base, the lowest one first. A copy shares what it has in common.
#[derive(Clone, Debug, Default)]
pub struct LayerStack {
    base: OfTables<LayerRow>,
    layers: Vec<Arc<Layer>>,
    /// The layer that brushes paint in; `None`: the base.
    active: Option<LayerId>,
    /// The layer that is shown without the others.
    solo: Option<LayerId>,
    /// What is done to the weights that all layers make together, the first one first.
    effects: Vec<LayerEffect>,
    /// Whether any effect was ever added, so that nothing has to be looked through where there is none.
    may_have_effects: bool,
    /// The number of the next layer.
    next: u32,
    /// The place of the layer that brushes paint in, where it was last seen.
    active_at: usize,
    /// Which layers have weights where: found when it is first asked for.
    present: OnceLock<Arc<Present>>,
}

impl Layer {
    /// Returns its number.
    #[must_use]
    pub fn id(&self) -> LayerId {
        self.id
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns how much of it there is, 0 to 1.
    #[must_use]
    pub fn opacity(&self) -> f64 {
        self.opacity
    }

    /// Returns whether a mask says where it is.
    #[must_use]
    pub fn has_mask(&self) -> bool {
        self.mask.is_some()
    }

    /// Returns what is done to its rows, the first one first.
    #[must_use]
    pub fn effects(&self) -> &[LayerEffect] {
        &self.effects
    }

    /// Returns the rows that were painted in it.
    pub(crate) fn painted_rows(&self) -> impl Iterator<Item = TableRow> + '_ {
        rows_of(&self.rows)
    }

    pub(crate) fn row(&self, at: TableRow) -> Option<&LayerRow> {
        row_of(&self.rows, at)
    }

    /// How much of the layer there is at a vertex, 0 to 1, where it is on.
    pub(crate) fn strength(&self, at: TableRow) -> f64 {
        self.opacity * self.mask.as_ref().map_or(1.0, |mask| f64::from(mask.share(at)))
    }

    fn is_same_as(&self, other: &Self) -> bool {
        let is_same_mask = match (&self.mask, &other.mask) {
            (None, None) => true,
            (Some(own), Some(other)) => own.is_same_as(other),
            _ => false,
        };
        (self.id, &self.name, self.is_on, self.opacity.to_bits())
            == (other.id, &other.name, other.is_on, other.opacity.to_bits())
            && is_same_mask
            && effects::are_same_effects(&self.effects, &other.effects)
            && are_same(&self.rows, &other.rows)
    }
}

impl LayerStack {
    /// Returns a stack without layers, where those that are added get other numbers than all that there have been in this one.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self { next: self.next, ..Self::default() }
    }

    /// Gives layers that are added from now on other numbers than another stack has given.
    pub(crate) fn number_after(&mut self, other: &Self) {
        self.next = self.next.max(other.next);
    }

    /// Whether there is no layer, so that brushes paint the weights themselves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// Returns the layers, the lowest one first.
    #[must_use]
    pub fn layers(&self) -> &[Arc<Layer>] {
        &self.layers
    }

    /// Returns a layer.
    #[must_use]
    pub fn layer(&self, id: LayerId) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.id == id).map(|layer| &**layer)
    }

    /// Returns the layer that brushes paint in; `None`: the base.
    #[must_use]
    pub fn active(&self) -> Option<LayerId> {
        self.active
    }

    /// Returns the layer that is shown without the others.
    #[must_use]
    pub fn solo(&self) -> Option<LayerId> {
        self.solo
    }

    /// Returns whether a layer is shown: it is on, and no other one is shown alone.
    #[must_use]
    pub fn is_shown(&self, layer: &Layer) -> bool {
        self.solo.map_or(layer.is_on, |solo| solo == layer.id)
    }

    /// Whether both are one state, but for the layer that brushes paint in.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.solo == other.solo
            && self.layers.len() == other.layers.len()
            && self.layers.iter().zip(&other.layers).all(|(a, b)| Arc::ptr_eq(a, b) || a.is_same_as(b))
            && effects::are_same_effects(&self.effects, &other.effects)
            && are_same(&self.base, &other.base)
    }

    /// Returns the vertices that the layer that brushes paint in has weights for, each with how much it changes there, whether it is on or not: the
    /// share of the weight that it gives to other joints than what lies below, times its opacity and its mask. What effects do does not count.
    pub fn changes_of_active(&self) -> impl Iterator<Item = (TableRow, f64)> + '_ {
        self.active_layer().into_iter().flat_map(move |(number, layer)| {
            layer.painted_rows().filter_map(move |at| {
                let (below, row) = (self.through(at, number)?, layer.row(at)?);
                Some((at, layer.strength(at) * moved(&below.shares, &row.shares)))
            })
        })
    }

    /// Returns how many bytes the pages of all layers, their masks and the base take, without what rows and pages share.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_rows = |rows: &OfTables<LayerRow>| {
            let row = |row: &LayerRow| {
                let pairs = row.pairs.as_ref().map_or(0, |pairs| 48 + 10 * pairs.joints.len());
                row.shares.bytes() + pairs
            };
            rows.iter().map(|rows| rows.bytes() + rows.iter().map(|(_, r)| row(r)).sum::<usize>()).sum::<usize>()
        };
        let masks = self.layers.iter().filter_map(|layer| layer.mask.as_ref());
        let layers = self.layers.iter().map(|layer| size_of::<Layer>() + of_rows(&layer.rows)).sum::<usize>();
        layers + masks.map(LayerMask::bytes).sum::<usize>() + of_rows(&self.base)
    }

    /// Returns the rows for which there are weights in any layer or in the base.
    pub(crate) fn rows(&self) -> impl Iterator<Item = TableRow> + '_ {
        rows_of(&self.base)
    }

    /// Returns the rows whose flat weights another stack may make others: those of layers that differ.
    pub(crate) fn differing(&self, other: &Self) -> Vec<TableRow> {
        let is_same_order = self.layers.len() == other.layers.len()
            && self.layers.iter().zip(&other.layers).all(|(a, b)| a.id == b.id)
            && self.solo == other.solo
            && are_same(&self.base, &other.base);
        if !is_same_order {
            return self.rows().chain(other.rows()).collect();
        }
        let pairs = self.layers.iter().zip(&other.layers).filter(|(a, b)| !Arc::ptr_eq(a, b));
        pairs.flat_map(|(a, b)| rows_of(&a.rows).chain(rows_of(&b.rows))).collect()
    }

    /// Returns the row of the base.
    pub(crate) fn base_row(&self, at: TableRow) -> Option<&LayerRow> {
        row_of(&self.base, at)
    }

    /// Returns the flat weights of a vertex with room for so many joints; `None` where the stack knows nothing of it.
    pub(crate) fn flat(&self, at: TableRow, room: usize) -> Option<LayerRow> {
        Some(self.through(at, self.layers.len())?.fitted(room))
    }

    /// Returns what lies below the layer that brushes paint in: what they begin with where it has no row.
    pub(crate) fn below(&self, at: TableRow, room: usize) -> Option<LayerRow> {
        let number = self.active_layer().map_or(0, |(number, _)| number);
        Some(self.through(at, number)?.fitted(room))
    }

    /// Returns the row of the layer that brushes paint in; `None` where it has none.
    pub(crate) fn active_row(&self, at: TableRow) -> Option<&LayerRow> {
        match self.active_layer() {
            Some((_, layer)) => layer.row(at),
            None => self.base_row(at),
        }
    }

    /// Returns the layer that brushes paint in, with its number.
    pub(crate) fn active_layer(&self) -> Option<(usize, &Layer)> {
        let number = self.active_number()?;
        self.layers.get(number).map(|layer| (number, &**layer))
    }

    /// Returns the place of the layer that brushes paint in.
    fn active_number(&self) -> Option<usize> {
        let id = self.active?;
        let is_there = |number: &usize| self.layers.get(*number).is_some_and(|layer| layer.id == id);
        Some(self.active_at).filter(is_there).or_else(|| self.position(id))
    }

    /// Lets go of what is known of which layers have weights where; it is found again.
    pub(crate) fn forget_present(&mut self) {
        self.present = OnceLock::new();
    }

    /// Returns the weights of a vertex with the lowest `count` layers, as far as they are shown. They may be of more joints than there is room for.
    fn through(&self, at: TableRow, count: usize) -> Option<LayerRow> {
        let mut lowest = self.base_row(at)?;
        let present = self.present.get_or_init(|| Arc::new(Present::of(&self.layers)));
        // What lies under all of a layer has no say.
        let mut over = Vec::new();
        for layer in present.below(count, at).filter_map(|number| self.layers.get(number)) {
            let Some(row) = layer.row(at).filter(|_| self.is_shown(layer)) else { continue };
            let strength = layer.strength(at);
            if strength >= 1.0 {
                lowest = row;
                break;
            }
            if strength > 0.0 {
                over.push((row, strength));
            }
        }
        let mut over = over.into_iter().rev();
        let Some((row, strength)) = over.next() else { return Some(lowest.clone()) };
        Some(over.fold(lowest.under(row, strength), |out, (row, strength)| out.under(row, strength)))
    }
}

/// Returns the share of the weight that other joints have: half of all that the weights differ by.
fn moved(before: &[(u32, f64)], after: &[(u32, f64)]) -> f64 {
    let of_before: f64 = before.iter().map(|(key, weight)| (*weight - share_of(after, *key)).abs()).sum();
    let is_new = |key: u32| before.iter().all(|(known, _)| *known != key);
    let of_new: f64 = after.iter().filter(|(key, _)| is_new(*key)).map(|(_, weight)| weight.abs()).sum();
    0.5 * (of_before + of_new)
}

fn row_of<T>(tables: &[Paged<T>], at: TableRow) -> Option<&T> {
    tables.get(at.table)?.get(at.row)
}

fn rows_of<T>(tables: &[Paged<T>]) -> impl Iterator<Item = TableRow> + '_ {
    let numbered = tables.iter().enumerate();
    numbered.flat_map(|(table, rows)| rows.iter().map(move |(row, _)| TableRow { table, row }))
}

fn are_same<T>(a: &[Paged<T>], b: &[Paged<T>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same_as(b))
}

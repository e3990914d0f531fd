//! What is done to the layers of a stack.

use std::sync::Arc;

use skinscope_weights::{Paged, TableRow};

use super::{Layer, LayerId, LayerMask, LayerRow, LayerStack, OfTables, rows_of};

/// The name of the layer that takes what something else than a brush has changed.
pub(super) const OTHERS: &str = "Changes by tools";

impl LayerStack {
    /// Adds a layer over the one that brushes paint in, which they paint in from now on. Without a name it gets a number.
    pub fn add(&mut self, name: &str) -> LayerId {
        let id = LayerId(self.next);
        let name = match name.trim() {
            "" => format!("Layer {}", self.next + 1),
            name => name.to_owned(),
        };
        let layer = Layer { id, name, is_on: true, opacity: 1.0, mask: None, rows: Vec::new(), effects: Vec::new() };
        let at = self.active.and_then(|id| self.position(id)).map_or(self.layers.len(), |at| at + 1);
        self.layers.insert(at, Arc::new(layer));
        (self.active, self.next) = (Some(id), self.next + 1);
        self.note_order();
        id
    }

    /// Removes a layer with its weights. Returns whether there was one.
    pub fn remove(&mut self, id: LayerId) -> bool {
        let Some(at) = self.position(id) else { return false };
        self.layers.remove(at);
        self.solo = self.solo.filter(|solo| *solo != id);
        if self.layers.is_empty() {
            (self.effects, self.may_have_effects) = (Vec::new(), false);
        }
        if self.active == Some(id) {
            self.active = at.checked_sub(1).and_then(|below| self.layers.get(below)).map(|layer| layer.id);
        }
        self.note_order();
        true
    }

    /// Whether there is such a layer, of which there can be a copy too.
    #[must_use]
    pub fn can_duplicate(&self, id: LayerId) -> bool {
        let effects = self.layer(id).map(|layer| layer.effects().iter().map(super::LayerEffect::times).sum::<usize>());
        effects.is_some_and(|times| times <= self.room_for_effects())
    }

    /// Puts a copy over a layer, which brushes paint in from now on.
    pub fn duplicate(&mut self, id: LayerId) -> bool {
        let Some(at) = self.position(id).filter(|_| self.can_duplicate(id)) else { return false };
        let copy = Layer {
            id: LayerId(self.next),
            name: format!("{} copy", self.layers[at].name),
            ..Layer::clone(&self.layers[at])
        };
        self.active = Some(copy.id);
        self.next += 1;
        self.layers.insert(at + 1, Arc::new(copy));
        self.note_order();
        true
    }

    /// Moves a layer to another place from the bottom, 0 being the lowest.
    pub fn move_to(&mut self, id: LayerId, place: usize) -> bool {
        let Some(at) = self.position(id) else { return false };
        let place = place.min(self.layers.len() - 1);
        let layer = self.layers.remove(at);
        self.layers.insert(place, layer);
        self.note_order();
        at != place
    }

    /// Gives a layer another name, which must not be empty.
    pub fn rename(&mut self, id: LayerId, name: &str) -> bool {
        let name = name.trim();
        !name.is_empty() && self.change(id, |layer| std::mem::replace(&mut layer.name, name.to_owned()) != name)
    }

    /// Switches a layer on or off.
    pub fn set_on(&mut self, id: LayerId, is_on: bool) -> bool {
        self.change(id, |layer| std::mem::replace(&mut layer.is_on, is_on) != is_on)
    }

    /// Says how much of a layer there is, 0 to 1.
    pub fn set_opacity(&mut self, id: LayerId, opacity: f64) -> bool {
        let opacity = opacity.clamp(0.0, 1.0);
        opacity.is_finite() && self.change(id, |layer| std::mem::replace(&mut layer.opacity, opacity) != opacity)
    }

    /// Shows one layer without the others, or all that are on.
    pub fn set_solo(&mut self, id: Option<LayerId>) -> bool {
        let id = id.filter(|id| self.position(*id).is_some());
        std::mem::replace(&mut self.solo, id) != id
    }

    /// Says in which layer brushes paint; `None`: in the base.
    pub fn select(&mut self, id: Option<LayerId>) {
        let number = id.and_then(|id| self.position(id));
        (self.active, self.active_at) = (id.filter(|_| number.is_some()), number.unwrap_or(0));
    }

    /// Notes that layers stand in another order, or have other weights.
    fn note_order(&mut self) {
        self.forget_present();
        self.active_at = self.active.and_then(|id| self.position(id)).unwrap_or(0);
    }

    /// Lets a layer be where these rows are alone; `None`: everywhere.
    pub fn set_mask(&mut self, id: LayerId, rows: Option<&[TableRow]>) -> bool {
        let mask = rows.map(|rows| {
            let mut mask = LayerMask::new(0.0);
            rows.iter().for_each(|at| mask.set(*at, 1.0));
            mask
        });
        self.change(id, |layer| {
            let is_other = layer.mask.is_some() || mask.is_some();
            layer.mask = mask;
            is_other
        })
    }

    /// Takes the weights of some rows out of a layer, so that what lies below shows there. Returns whether it had any.
    pub fn erase(&mut self, id: LayerId, rows: &[TableRow]) -> bool {
        self.change(id, |layer| {
            let known: Vec<TableRow> = rows.iter().copied().filter(|at| layer.row(*at).is_some()).collect();
            known.iter().for_each(|at| put(&mut layer.rows, *at, None));
            !known.is_empty()
        })
    }

    /// Makes one layer of a layer and of the one below it, or adds the lowest one to the base. The flat weights stay as they are: what
    /// opacities, masks and the weights below have made of both becomes the layer's own. Both have to be shown.
    pub(crate) fn merge_down(&mut self, id: LayerId) -> bool {
        let Some(at) = self.position(id).filter(|at| self.can_merge(*at)) else { return false };
        let (upper, lower) = (&self.layers[at], at.checked_sub(1));
        let mut rows: Vec<TableRow> = rows_of(&upper.rows).collect();
        rows.extend(lower.into_iter().flat_map(|lower| rows_of(&self.layers[lower].rows)));
        let mixed = |row: TableRow| Some((row, self.through(row, at + 1)?));
        let mixed: Vec<(TableRow, LayerRow)> = rows.into_iter().filter_map(mixed).collect();
        self.merge_as(id, mixed)
    }

    /// Does the same with rows that are known, which effects may have changed: those of both layers, as they lie over what is below both.
    pub(crate) fn merge_as(&mut self, id: LayerId, mixed: Vec<(TableRow, LayerRow)>) -> bool {
        let Some(at) = self.position(id).filter(|at| self.can_merge(*at)) else { return false };
        let lower = at.checked_sub(1);
        let target = match lower {
            Some(lower) => {
                let layer = Arc::make_mut(&mut self.layers[lower]);
                (layer.opacity, layer.mask, layer.is_on) = (1.0, None, true);
                layer.effects = Vec::new();
                &mut layer.rows
            }
            None => &mut self.base,
        };
        mixed.into_iter().for_each(|(row, weights)| put(target, row, Some(weights)));
        let below = lower.map(|lower| self.layers[lower].id);
        self.remove(id);
        self.active = below;
        true
    }

    /// Whether a layer could be merged with what lies below it.
    #[must_use]
    pub fn merges_down(&self, id: LayerId) -> bool {
        self.position(id).is_some_and(|at| self.can_merge(at))
    }

    fn can_merge(&self, at: usize) -> bool {
        let lower = at.checked_sub(1).and_then(|lower| self.layers.get(lower));
        // What is in the base is no more what effects of all layers work on; and what tools have changed lies over them.
        let is_effected = self.effects.iter().any(super::LayerEffect::is_on);
        let may_go = !is_effected || (lower.is_some() && self.layers[at].name != OTHERS) || self.layers.len() == 1;
        self.solo.is_none() && self.layers[at].is_on && lower.is_none_or(|lower| lower.is_on) && may_go
    }

    /// Gives the layer that brushes paint in a row, or takes it away. `before` makes the row of the base, where that has none yet.
    pub(crate) fn set_row(&mut self, at: TableRow, row: Option<LayerRow>, before: impl FnOnce() -> LayerRow) {
        if self.base_row(at).is_none() {
            put(&mut self.base, at, Some(before()));
        }
        // Rows that no layer has need none of the base.
        self.set_active_row(at, row);
    }

    /// Gives the layer that brushes paint in rows of a table, or takes them away, and the base those that it does not have yet.
    pub(crate) fn put_all(
        &mut self,
        table: usize,
        base: Vec<(usize, Option<LayerRow>)>,
        rows: Vec<Vec<(usize, Option<LayerRow>)>>,
    ) {
        of_table(&mut self.base, table).set_all(base);
        let Some(number) = self.active_number() else { return of_table(&mut self.base, table).set_lists(rows) };
        for (row, _) in rows.iter().flatten().filter(|(_, new)| new.is_some()) {
            self.note_present(number, TableRow { table, row: *row });
        }
        of_table(&mut Arc::make_mut(&mut self.layers[number]).rows, table).set_lists(rows);
    }

    /// Notes that a layer has weights for a row.
    fn note_present(&mut self, number: usize, at: TableRow) {
        if let Some(present) = self.present.get_mut().filter(|present| !present.has(number, at)) {
            Arc::make_mut(present).add(number, at);
        }
    }

    /// Gives the layer that brushes paint in a row, or takes it away. The base knows the row.
    pub(crate) fn set_active_row(&mut self, at: TableRow, row: Option<LayerRow>) {
        let Some(number) = self.active_number() else { return put(&mut self.base, at, row) };
        if row.is_some() {
            self.note_present(number, at);
        }
        put(&mut Arc::make_mut(&mut self.layers[number]).rows, at, row);
    }

    /// Gives the base a row that it does not have yet.
    pub(crate) fn put_base(&mut self, at: TableRow, row: LayerRow) {
        put(&mut self.base, at, Some(row));
    }

    /// Returns how many of the layers effects of all layers work on: what tools have changed lies over those.
    pub(crate) fn effected_count(&self) -> usize {
        // There are several where the first one was made weaker, or got a mask, before a tool was used again.
        let over = self.layers.iter().rev().take_while(|layer| layer.name == OTHERS).count();
        self.layers.len() - over
    }

    /// Lets rows be as something else than a brush has made them: they are the highest layer's, which is added where there is none for that.
    /// Where one layer is shown alone they become those of the base, and no layer has them any more. Where effects have a say in that layer they would
    /// make something else of such rows and of those around: it then goes on alone by the others being off, with the rows over it.
    pub(crate) fn take_others(&mut self, rows: Vec<(TableRow, LayerRow)>) {
        if rows.is_empty() {
            return;
        }
        if self.has_effects() {
            self.switch_to_solo();
        }
        if self.solo.is_some() {
            for (at, row) in rows {
                let layers = self.layers.iter_mut().filter(|layer| layer.row(at).is_some());
                layers.for_each(|layer| put(&mut Arc::make_mut(layer).rows, at, None));
                put(&mut self.base, at, Some(row));
            }
            return;
        }
        let is_plain = |layer: &Layer| layer.mask.is_none() && !layer.effects.iter().any(super::LayerEffect::is_on);
        let takes = |layer: &Arc<Layer>| layer.name == OTHERS && layer.is_on && layer.opacity >= 1.0 && is_plain(layer);
        if !self.layers.last().is_some_and(takes) {
            let active = self.active;
            self.active = self.layers.last().map(|layer| layer.id);
            self.add(OTHERS);
            self.active = active;
        }
        if let Some(layer) = self.layers.last_mut() {
            let layer = Arc::make_mut(layer);
            rows.into_iter().for_each(|(at, row)| put(&mut layer.rows, at, Some(row)));
        }
        self.note_order();
    }

    /// Lets the layer that is shown alone be the only one that is on: all weights stay as they are.
    fn switch_to_solo(&mut self) {
        let Some(solo) = self.solo.take() else { return };
        for layer in self.layers.iter_mut().filter(|layer| layer.is_on != (layer.id == solo)) {
            Arc::make_mut(layer).is_on = layer.id == solo;
        }
    }

    /// Returns the layers below one, and the same with it: all of it where its mask is, whether it is on or not. `None` where there is none.
    pub(crate) fn around(&self, id: LayerId) -> Option<[Self; 2]> {
        let at = self.position(id)?;
        let mut with = self.clone();
        with.set_solo(None);
        // Those of all layers together are none of one layer.
        with.effects.clear();
        with.layers.truncate(at + 1);
        with.set_on(id, true);
        with.set_opacity(id, 1.0);
        let mut below = with.clone();
        below.layers.truncate(at);
        Some([below, with])
    }

    /// Lets the layers lie over another base: `row` makes its rows.
    pub(crate) fn put_over(&mut self, row: &dyn Fn(TableRow) -> LayerRow) {
        let known: Vec<TableRow> = self.rows().collect();
        known.into_iter().for_each(|at| put(&mut self.base, at, Some(row(at))));
    }

    /// Forgets the base of a stack without layers.
    pub(crate) fn forget_base(&mut self) {
        if self.layers.is_empty() {
            self.base = Vec::new();
        }
    }

    pub(super) fn position(&self, id: LayerId) -> Option<usize> {
        self.layers.iter().position(|layer| layer.id == id)
    }

    /// Changes a layer; returns what the change returns, and `false` where there is no such layer.
    pub(super) fn change(&mut self, id: LayerId, change: impl FnOnce(&mut Layer) -> bool) -> bool {
        let Some(at) = self.position(id) else { return false };
        let mut layer = Layer::clone(&self.layers[at]);
        let is_other = change(&mut layer);
        if is_other {
            self.layers[at] = Arc::new(layer);
        }
        is_other
    }
}

/// Sets a row of one of several tables, of which there may be too few so far.
pub(super) fn put<T: Clone>(tables: &mut OfTables<T>, at: TableRow, value: Option<T>) {
    if tables.len() <= at.table && value.is_none() {
        return;
    }
    of_table(tables, at.table).set(at.row, value);
}

/// Returns the rows of one of several tables, of which there may be too few so far.
fn of_table<T>(tables: &mut OfTables<T>, table: usize) -> &mut Paged<T> {
    if tables.len() <= table {
        tables.resize_with(table + 1, Paged::default);
    }
    &mut tables[table]
}

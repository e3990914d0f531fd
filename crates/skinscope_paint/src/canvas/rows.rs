//! The rows of weights that were painted, in double precision, over those of the file.

mod mask;

pub(super) use self::mask::MASK;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use skinscope_model::{PrimitiveId, WeightChange};
use skinscope_weights::{Paged, RestSurface, Shares, Table, TableRow, share_of};

pub(super) use super::place::Place;
use super::vicinity::Vicinity;
use crate::layers::{LayerRow, LayerStack};

/// A vertex of a place.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its row.
    pub at: TableRow,
    /// The table with whose joints the place is painted: that of the row, or one whose weights the file stores at the same location.
    pub own: usize,
    /// What was painted of it before the stroke.
    pub before: Option<LayerRow>,
}

/// The weights of all vertices. A copy shares what it has in common.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The weights of the file.
    pub(super) tables: std::sync::Arc<Vec<Table>>,
    /// The joint numbers of the keys of each table.
    numbers: std::sync::Arc<Vec<HashMap<u32, u16>>>,
    /// For each table those whose weights the file stores at the same location, itself first.
    together: std::sync::Arc<Vec<Vec<usize>>>,
    /// The rows of each table that were painted: what layers make together, where there are some.
    pub(super) painted: Vec<Paged<LayerRow>>,
    /// The layers; none where brushes paint the weights themselves.
    pub(super) layers: LayerStack,
    /// What lies around the rows, for effects of layers.
    pub(super) near: Vicinity,
}

impl Rows {
    pub fn new(tables: Vec<Table>) -> Self {
        let numbers = |table: &Table| {
            let mut out = HashMap::new();
            for (number, key) in (0..=u16::MAX).zip(&table.keys) {
                out.entry(*key).or_insert(number);
            }
            out
        };
        let together = |(own, table): (usize, &Table)| -> Vec<usize> {
            let is_there = |other: &usize| tables[*other].first_stored_there == table.first_stored_there;
            let others = (0..tables.len()).filter(|other| *other != own && is_there(other));
            std::iter::once(own).chain(others).collect()
        };
        Self {
            numbers: tables.iter().map(numbers).collect::<Vec<_>>().into(),
            together: tables.iter().enumerate().map(together).collect::<Vec<_>>().into(),
            painted: vec![Paged::default(); tables.len()],
            tables: tables.into(),
            layers: LayerStack::default(),
            near: Vicinity::default(),
        }
    }

    /// Returns the table of a place.
    pub fn table_of(&self, surface: &RestSurface, point: u32) -> &Table {
        let first = surface.row(surface.mesh.weld.first[point as usize]);
        &self.tables[first.table]
    }

    /// Whether the skin of a place has a joint, so that its rows can hold it.
    pub fn has_joint(&self, surface: &RestSurface, point: u32, key: u32) -> bool {
        let first = surface.row(surface.mesh.weld.first[point as usize]);
        self.numbers[first.table].contains_key(&key)
    }

    /// Returns how many joints the vertices of a place have room for.
    pub fn room(&self, surface: &RestSurface, point: u32) -> usize {
        let room = |vertex: &u32| self.tables[surface.row(*vertex).table].per_vertex;
        surface.members(point).iter().map(room).min().unwrap_or(0)
    }

    /// Returns the weights of a place: those of its first vertex. Those that were not painted are written to `space`.
    pub(super) fn of_place<'a>(
        &'a self,
        surfaces: &[RestSurface],
        Place { surface, point }: Place,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        let surface = &surfaces[surface];
        self.of_row(surface.row(surface.mesh.weld.first[point as usize]), space)
    }

    /// Returns the weights of a row that a brush sees: those of the layer that is painted in, where there are layers. Those that were not
    /// painted are written to `space`.
    fn of_row<'a>(&'a self, at: TableRow, space: &'a mut Shares) -> &'a [(u32, f64)] {
        match self.painted(at) {
            Some(painted) => &painted.shares,
            None => self.unpainted(at, space),
        }
    }

    /// Returns the weights that a brush sees of a row that was not painted: what lies below the layer that is painted in.
    fn unpainted<'a>(&'a self, at: TableRow, space: &'a mut Shares) -> &'a [(u32, f64)] {
        if self.layers.active().is_none() {
            return self.with_painted(at, None, space);
        }
        let below = match self.layers.has_effects_below() {
            true => self.below_with_effects(at),
            false => self.layers.below(at, self.tables[at.table].per_vertex),
        };
        match below {
            Some(below) => {
                *space = below.shares;
                space
            }
            None => self.flat(at, space),
        }
    }

    /// Returns the weights that lie below the layer that is painted in at a place; its own where that is the base.
    pub(crate) fn below_place(&self, surfaces: &[RestSurface], Place { surface, point }: Place) -> Shares {
        let surface = &surfaces[surface];
        let at = surface.row(surface.mesh.weld.first[point as usize]);
        let mut space = Shares::new();
        match self.layers.active() {
            Some(_) => self.unpainted(at, &mut space).to_vec(),
            None => self.of_row(at, &mut space).to_vec(),
        }
    }

    /// Returns the weights of a row with all layers.
    pub(super) fn flat<'a>(&'a self, at: TableRow, space: &'a mut Shares) -> &'a [(u32, f64)] {
        self.with_painted(at, self.painted[at.table].get(at.row), space)
    }

    /// Returns the weights of a row whose painted row is known.
    fn with_painted<'a>(
        &'a self,
        TableRow { table, row }: TableRow,
        painted: Option<&'a LayerRow>,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        match painted {
            Some(painted) => &painted.shares,
            None => {
                self.tables[table].shares(row, space);
                space
            }
        }
    }

    /// Returns the painted row of a vertex, in the layer that is painted in where there are layers; `None` where it was not painted.
    pub fn painted(&self, at: TableRow) -> Option<&LayerRow> {
        let flat = self.painted[at.table].get(at.row);
        match self.layers.active() {
            _ if self.layers.is_empty() => flat,
            Some(_) => self.layers.active_row(at),
            None => self.layers.active_row(at).or(flat),
        }
    }

    /// Returns whether a row has other weights than it had when `before` was its painted row.
    pub fn has_changed(&self, at: TableRow, before: Option<&LayerRow>) -> bool {
        let (mut one, mut other) = (Shares::new(), Shares::new());
        let before = match before {
            Some(before) => &before.shares[..],
            None => self.unpainted(at, &mut one),
        };
        skinscope_weights::difference(before, self.of_row(at, &mut other)) > 0.0
    }

    /// Gives all vertices of a place the same weights, in the layer that is painted in where there are layers, or takes them away there. A vertex
    /// that the file stores for several skins has the same numbers for all of them. Returns whether locked joints have kept theirs under the
    /// layers above; else nothing has changed.
    pub fn set(&mut self, members: &[Member], weights: Option<(&[(u32, f64)], bool)>, locked: &BTreeSet<u32>) -> bool {
        let is_layered = !self.layers.is_empty();
        let mut before = Vec::new();
        for Member { at, own, .. } in members {
            let row = weights.map(|(shares, is_whole)| {
                let same = || self.with_skin_of(at.table, *own, shares);
                LayerRow::painted(if at.table == *own { shares.to_vec() } else { same() }, is_whole)
            });
            if is_layered {
                before.push((*at, self.painted(*at).cloned(), self.of_locked(*at, locked)));
                self.set_layered(*at, row);
            } else {
                self.painted[at.table].set(at.row, row);
            }
        }
        let keeps = before.iter().all(|(at, _, kept)| self.of_locked(*at, locked) == *kept);
        if !keeps {
            before.into_iter().for_each(|(at, row, _)| self.set_layered(at, row));
        }
        keeps
    }

    /// Returns the flat weights of locked joints, as bits.
    fn of_locked(&self, at: TableRow, locked: &BTreeSet<u32>) -> Vec<u64> {
        if locked.is_empty() {
            return Vec::new();
        }
        let mut space = Shares::new();
        let flat = self.flat(at, &mut space);
        locked.iter().map(|key| share_of(flat, *key).to_bits()).collect()
    }

    /// Gives the layer that is painted in a row, or takes it away, and makes the flat one anew.
    fn set_layered(&mut self, at: TableRow, row: Option<LayerRow>) {
        let Self { tables, painted, layers, .. } = self;
        let (table, flat) = (&tables[at.table], &mut painted[at.table]);
        let before = || flat.get(at.row).cloned().unwrap_or_else(|| LayerRow::of_table(table, at.row));
        layers.set_row(at, row, before);
        // Effects follow later, for the whole dab.
        if !layers.has_effects() {
            flat.set(at.row, layers.flat(at, table.per_vertex));
        }
    }

    /// Returns the weights of a table with the joints that have the same numbers in the skin of another one.
    fn with_skin_of(&self, table: usize, own: usize, shares: &[(u32, f64)]) -> Shares {
        let keys = &self.tables[table].keys;
        let there = |(key, weight): &(u32, f64)| {
            let number = self.numbers[own].get(key)?;
            Some((*keys.get(usize::from(*number))?, *weight))
        };
        shares.iter().filter_map(there).collect()
    }

    /// Returns the vertices of a place, with those that the file stores at the same location for other skins, each once.
    pub fn members(&self, surfaces: &[RestSurface], place: Place) -> Vec<Member> {
        let mut out: Vec<Member> = Vec::new();
        for TableRow { table: own, row } in rows_of(surfaces, place) {
            for table in self.together[own].iter().copied() {
                let at = TableRow { table, row };
                if !out.iter().any(|known| known.at == at) {
                    out.push(Member { at, own, before: self.painted(at).cloned() });
                }
            }
        }
        out
    }

    /// Gives vertices of a place the weights that they had when these were their painted rows.
    pub fn give_back(&mut self, members: &[Member]) {
        for Member { at, before, .. } in members {
            if self.layers.is_empty() {
                self.painted[at.table].set(at.row, before.clone());
            } else {
                self.set_layered(*at, before.clone());
            }
        }
    }

    /// Takes other layers, and returns the rows whose flat weights may be others with them, rising.
    pub fn take_layers(&mut self, layers: LayerStack) -> Vec<TableRow> {
        if self.layers.has_effects() || layers.has_effects() {
            return self.take_with_effects(layers);
        }
        let before = std::mem::replace(&mut self.layers, layers);
        let mut out: Vec<TableRow> = before.differing(&self.layers).into_iter().filter(|at| self.has(*at)).collect();
        out.sort_unstable();
        out.dedup();
        for at in out.iter().copied() {
            let room = self.tables[at.table].per_vertex;
            // Rows that the new stack does not know are those of the base of the old one.
            let flat = self.layers.flat(at, room).or_else(|| before.base_row(at).cloned());
            self.painted[at.table].set(at.row, flat);
        }
        self.layers.forget_base();
        out
    }

    /// Adds a layer over all others, which has these weights for some rows.
    pub(super) fn add_layer(&mut self, (name, opacity, is_on): (&str, f64, bool), rows: &[(TableRow, Shares)]) {
        self.layers.set_solo(None);
        self.layers.select(self.layers.layers().last().map(|layer| layer.id()));
        let id = self.layers.add(name);
        for (at, shares) in rows {
            if self.has(*at) {
                self.set_layered(*at, Some(LayerRow::painted(shares.clone(), true)));
            }
        }
        self.layers.set_opacity(id, opacity);
        self.layers.set_on(id, is_on);
    }

    /// Returns the rows that were painted, rising.
    pub(super) fn painted_rows(&self) -> Vec<TableRow> {
        let of_table = |(table, rows): (usize, &Paged<LayerRow>)| {
            rows.iter().map(move |(row, _)| TableRow { table, row }).collect::<Vec<_>>()
        };
        self.painted.iter().enumerate().flat_map(of_table).collect()
    }

    /// Takes the layers whose flat weights the tables have, in their precision. Rows that are others there were changed by something else
    /// than a brush: the layers take them as they are.
    pub fn adopt_layers(&mut self, layers: LayerStack) {
        self.layers = layers;
        let (mut others, mut space) = (Vec::new(), Shares::new());
        let known: Vec<TableRow> = self.layers.rows().filter(|at| self.has(*at)).collect();
        for (at, flat) in self.composed(&known) {
            let table = &self.tables[at.table];
            table.shares(at.row, &mut space);
            if skinscope_weights::difference(&flat.shares, &space) > precision(table) {
                others.push((at, LayerRow::of_table(table, at.row)));
            }
        }
        self.layers.take_others(others);
        for (at, flat) in self.composed(&known) {
            self.painted[at.table].set(at.row, Some(flat));
        }
    }

    /// Returns the number of the table of a primitive.
    pub fn number_of(&self, primitive: PrimitiveId) -> Option<usize> {
        self.tables.iter().position(|table| table.primitives.contains(&primitive))
    }

    /// Whether there is a row.
    pub fn has(&self, at: TableRow) -> bool {
        self.tables.get(at.table).is_some_and(|table| at.row < table.vertices())
    }

    /// Returns the number of the table whose weights the file stores first where those of a table are.
    pub(super) fn stored_with(&self, table: usize) -> usize {
        self.tables[table].first_stored_there
    }

    /// Returns the weights of some rows, which rise, in single precision, as changes of a model.
    pub fn changes(&self, rows: &[TableRow]) -> Vec<WeightChange> {
        let mut of_tables: BTreeMap<usize, WeightChange> = BTreeMap::new();
        let (mut joints, mut weights, mut single) = (Vec::new(), Vec::new(), Vec::new());
        for TableRow { table: number, row } in rows.iter().copied() {
            let table = &self.tables[number];
            joints.clear();
            weights.clear();
            single.clear();
            match self.painted[number].get(row) {
                Some(painted) if painted.pairs_of(table.per_vertex).is_some() => {
                    let Some(pairs) = painted.pairs_of(table.per_vertex) else { continue };
                    let shown = |joint: &u16| if usize::from(*joint) < table.keys.len() { *joint } else { 0 };
                    joints.extend(pairs.joints.iter().map(shown));
                    single.extend(pairs.weights.iter().map(|weight| skinscope_weights::clean(*weight) as f32));
                }
                Some(painted) => {
                    let number_of = |key: u32| self.numbers[number].get(&key).copied();
                    table.arrange(row, &painted.shares, &number_of, (&mut joints, &mut weights));
                    single.extend(weights.iter().map(|weight| *weight as f32));
                }
                None => {
                    joints.extend(table.slots(row).map(|slot| table.shown_joint(slot)));
                    single.extend(table.slots(row).map(|slot| skinscope_weights::clean(table.weights[slot]) as f32));
                }
            }
            let change = of_tables
                .entry(number)
                .or_insert_with(|| WeightChange { per_vertex: table.per_vertex, ..WeightChange::default() });
            change.push(row as u32, &joints, &single);
        }
        let for_each = |(table, change): (usize, WeightChange)| {
            let primitives = self.tables[table].primitives.iter();
            primitives.map(move |at| WeightChange { mesh: at.mesh, primitive: at.primitive, ..change.clone() })
        };
        of_tables.into_iter().flat_map(for_each).collect()
    }

    /// Writes the painted rows into tables like those of the file.
    pub fn write_into(&self, tables: &mut [Table]) {
        for (table, painted) in tables.iter_mut().zip(&self.painted) {
            for (row, painted) in painted.iter() {
                match painted.pairs_of(table.per_vertex) {
                    Some(pairs) => {
                        let slots = table.slots(row);
                        table.joints[slots.clone()].copy_from_slice(&pairs.joints);
                        table.weights[slots].copy_from_slice(&pairs.weights);
                    }
                    None => table.write(row, &painted.shares),
                }
                table.touched[row] = painted.is_whole;
            }
        }
    }
}

/// Weights that differ by no more than this are what a table stores of one number.
fn precision(table: &Table) -> f64 {
    let coarsest = table.formats.iter().filter_map(|format| format.one()).min();
    coarsest.map_or(1e-6, |one| 1.001 / f64::from(one))
}

/// Returns the rows of the vertices of a place, rising, each once.
fn rows_of(surfaces: &[RestSurface], Place { surface, point }: Place) -> Vec<TableRow> {
    let surface = &surfaces[surface];
    let mut out: Vec<TableRow> = surface.members(point).iter().map(|vertex| surface.row(*vertex)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// The mean of rows with a weight for each; the joints in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct WeightedMean {
    sums: Shares,
    whole: f64,
}

impl WeightedMean {
    pub fn add(&mut self, row: &[(u32, f64)], share: f64) {
        self.whole += share;
        for (key, weight) in row {
            match self.sums.iter_mut().find(|(k, _)| k == key) {
                Some((_, sum)) => *sum += share * weight,
                None => self.sums.push((*key, share * weight)),
            }
        }
    }

    pub fn finish(self) -> Shares {
        let Self { mut sums, whole } = self;
        sums.iter_mut().for_each(|(_, weight)| *weight /= whole);
        sums
    }
}

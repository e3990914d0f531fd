//! The rows of weights that were painted, in double precision, over those of the file.

mod mask;
mod painted;
mod set;
mod wanted;
mod written;

pub(super) use self::mask::MASK;
pub(super) use self::painted::{LEAF, Leaf, PAGE, PaintedRow, PaintedRows, RowPage, leaf_mut};
pub(super) use self::set::NewRows;
pub use self::wanted::Fit;
pub(super) use self::written::PairSpace;

use skinscope_model::PrimitiveId;
use skinscope_weights::{RestSurface, Shares, Table, TableRow};

use super::composer::KnownSteps;
pub(super) use super::place::Place;
use super::vicinity::Vicinity;
use crate::layers::{LayerRow, LayerStack};

/// A vertex of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its row.
    pub at: TableRow,
    /// The table with whose joints the place is painted: that of the row, or one whose weights the file stores at the same location.
    pub own: usize,
}

/// The vertices of a place. Most places have one.
#[derive(Clone, Debug)]
pub(super) enum Members {
    One(Member),
    Several(Vec<Member>),
}

impl std::ops::Deref for Members {
    type Target = [Member];

    fn deref(&self) -> &[Member] {
        match self {
            Self::One(member) => std::slice::from_ref(member),
            Self::Several(members) => members,
        }
    }
}

/// The weights of all vertices. A copy shares what it has in common.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The weights of the file.
    pub(super) tables: std::sync::Arc<Vec<Table>>,
    /// The joint numbers of the keys of each table.
    numbers: std::sync::Arc<Vec<Numbers>>,
    /// For each table those whose weights the file stores at the same location, itself first.
    together: std::sync::Arc<Vec<Vec<usize>>>,
    /// The rows of each table that were painted: what layers make together, where there are some.
    pub(super) painted: Vec<PaintedRows>,
    /// The layers; none where brushes paint the weights themselves.
    pub(super) layers: LayerStack,
    /// What lies around the rows, for effects of layers.
    pub(super) near: Vicinity,
    /// What lies below the layer that is painted in, as far as it is known.
    pub(super) below: KnownSteps,
}

/// The joint number of each key of a table: the first index of the skin that has it.
#[derive(Debug)]
struct Numbers(Vec<Option<u16>>);

impl Numbers {
    fn of(table: &Table) -> Self {
        // Keys are numbers of nodes, or of the joints of a mesh without a skin.
        let count = table.keys.iter().max().map_or(0, |key| *key as usize + 1);
        let mut out = vec![None; count];
        for (number, key) in (0..=u16::MAX).zip(&table.keys) {
            out[*key as usize].get_or_insert(number);
        }
        Self(out)
    }

    fn get(&self, key: u32) -> Option<u16> {
        self.0.get(key as usize).copied().flatten()
    }
}

impl Rows {
    pub fn new(tables: Vec<Table>) -> Self {
        let together = |(own, table): (usize, &Table)| -> Vec<usize> {
            let is_there = |other: &usize| tables[*other].first_stored_there == table.first_stored_there;
            let others = (0..tables.len()).filter(|other| *other != own && is_there(other));
            std::iter::once(own).chain(others).collect()
        };
        Self {
            numbers: tables.iter().map(Numbers::of).collect::<Vec<_>>().into(),
            together: tables.iter().enumerate().map(together).collect::<Vec<_>>().into(),
            painted: vec![PaintedRows::default(); tables.len()],
            tables: tables.into(),
            layers: LayerStack::default(),
            near: Vicinity::default(),
            below: KnownSteps::default(),
        }
    }

    /// Returns the number of the table of a place, and how many joints its vertices have room for.
    pub fn home(&self, surface: &RestSurface, point: u32) -> (usize, usize) {
        let TableRow { table, .. } = surface.row(surface.mesh.weld.first[point as usize]);
        match surface.members(point) {
            [_] => (table, self.tables[table].per_vertex),
            _ => (table, self.room(surface, point)),
        }
    }

    /// Whether the skin of a table has a joint.
    pub(crate) fn table_has(&self, table: usize, key: u32) -> bool {
        self.numbers[table].get(key).is_some()
    }

    /// Whether no row is that of two vertices, so that no place has a row of another one.
    pub(crate) fn are_of_one_place(&self, surfaces: &[RestSurface]) -> bool {
        let mut seen = std::collections::BTreeSet::new();
        let mut parts = surfaces.iter().flat_map(|surface| &surface.parts);
        let are_alone = |(table, there): (&Table, &Vec<usize>)| table.primitives.len() == 1 && there.len() == 1;
        parts.all(|part| seen.insert(part.primitive)) && self.tables.iter().zip(&*self.together).all(are_alone)
    }

    /// Whether the skin of a place has a joint, so that its rows can hold it.
    pub fn has_joint(&self, surface: &RestSurface, point: u32, key: u32) -> bool {
        let first = surface.row(surface.mesh.weld.first[point as usize]);
        self.numbers[first.table].get(key).is_some()
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

    /// Does the same for the rows of another moment of a stroke. What lies below the layer that is painted in is as it was then, and may be known.
    pub(super) fn of_place_in<'a>(
        &'a self,
        moment: &'a Self,
        surfaces: &[RestSurface],
        Place { surface, point }: Place,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        let surface = &surfaces[surface];
        let at = surface.row(surface.mesh.weld.first[point as usize]);
        if self.layers.is_empty() && moment.layers.is_empty() {
            return moment.flat(at, space);
        }
        match moment.painted(at) {
            Some(painted) => painted.shares(space),
            None if self.layers.active().is_some() => self.unpainted(at, space),
            None => moment.unpainted(at, space),
        }
    }

    /// Returns the weights of a row that a brush sees: those of the layer that is painted in, where there are layers. Those that were not
    /// painted are written to `space`.
    fn of_row<'a>(&'a self, at: TableRow, space: &'a mut Shares) -> &'a [(u32, f64)] {
        match self.painted(at) {
            Some(painted) => painted.shares(space),
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
                space.clear();
                space.extend_from_slice(&below.shares);
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
        painted: Option<PaintedRow<'a>>,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        match painted {
            Some(painted) => painted.shares(space),
            None => {
                self.tables[table].shares(row, space);
                space
            }
        }
    }

    /// Returns the painted row of a vertex, in the layer that is painted in where there are layers; `None` where it was not painted.
    pub fn painted(&self, at: TableRow) -> Option<PaintedRow<'_>> {
        let flat = || self.painted[at.table].get(at.row);
        match self.layers.active() {
            _ if self.layers.is_empty() => flat(),
            Some(_) => self.layers.active_row(at).map(PaintedRow::Row),
            None => self.layers.active_row(at).map(PaintedRow::Row).or_else(flat),
        }
    }

    /// Returns whether a row has other weights than it had when `before` was its painted row.
    pub fn has_changed(&self, at: TableRow, before: Option<PaintedRow<'_>>) -> bool {
        let (mut one, mut other) = (Shares::new(), Shares::new());
        let before = match before {
            Some(before) => before.shares(&mut one),
            None => self.unpainted(at, &mut one),
        };
        skinscope_weights::difference(before, self.of_row(at, &mut other)) > 0.0
    }

    /// Returns the weights of a table with the joints that have the same numbers in the skin of another one.
    fn with_skin_of(&self, table: usize, own: usize, shares: &[(u32, f64)]) -> Shares {
        let keys = &self.tables[table].keys;
        let there = |(key, weight): &(u32, f64)| {
            let number = self.numbers[own].get(*key)?;
            Some((*keys.get(usize::from(number))?, *weight))
        };
        shares.iter().filter_map(there).collect()
    }

    /// Returns the vertices of a place, with those that the file stores at the same location for other skins, each once.
    pub fn members(&self, surfaces: &[RestSurface], place: Place) -> Members {
        let surface = &surfaces[place.surface];
        if let [vertex] = surface.members(place.point) {
            let at = surface.row(*vertex);
            if self.together[at.table].len() == 1 {
                return Members::One(Member { at, own: at.table });
            }
        }
        let mut out: Vec<Member> = Vec::new();
        for TableRow { table: own, row } in rows_of(surfaces, place) {
            for table in self.together[own].iter().copied() {
                let at = TableRow { table, row };
                if !out.iter().any(|known| known.at == at) {
                    out.push(Member { at, own });
                }
            }
        }
        Members::Several(out)
    }

    /// Takes other layers, and returns the rows whose flat weights may be others with them, rising.
    pub fn take_layers(&mut self, layers: LayerStack) -> Vec<TableRow> {
        if self.layers.has_effects() || layers.has_effects() {
            return self.take_with_effects(layers);
        }
        let before = std::mem::replace(&mut self.layers, layers);
        self.below.forget();
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
        let of_table = |(table, rows): (usize, &PaintedRows)| {
            rows.iter().map(move |(row, _)| TableRow { table, row }).collect::<Vec<_>>()
        };
        self.painted.iter().enumerate().flat_map(of_table).collect()
    }

    /// Takes the layers whose flat weights the tables have, in their precision. Rows that are others there were changed by something else
    /// than a brush: the layers take them as they are.
    pub fn adopt_layers(&mut self, layers: LayerStack) {
        self.layers = layers;
        self.below.forget();
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

    /// Returns the vertex of the file that a row is: the row of the first table whose weights are stored where its own are.
    pub(crate) fn stored_at(&self, TableRow { table, row }: TableRow) -> TableRow {
        TableRow { table: self.tables[table].first_stored_there, row }
    }

    /// Returns how many vertices each table has.
    pub fn counts(&self) -> impl Iterator<Item = usize> {
        self.tables.iter().map(Table::vertices)
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

    pub fn finish(mut self) -> Shares {
        self.mean();
        self.sums
    }

    /// Forgets the rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.sums.clear();
        self.whole = 0.0;
    }

    /// Divides the sums, and returns the mean.
    pub fn mean(&mut self) -> &[(u32, f64)] {
        let Self { sums, whole } = self;
        sums.iter_mut().for_each(|(_, weight)| *weight /= *whole);
        sums
    }
}

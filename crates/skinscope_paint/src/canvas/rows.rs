//! The rows of weights that were painted, in double precision, over those of the file.

use std::collections::{BTreeMap, HashMap};

use skinscope_model::WeightChange;
use skinscope_weights::{Paged, RestSurface, Shares, Table, TableRow};

/// A place of a surface, at which several vertices may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    /// The number of the surface.
    pub surface: usize,
    /// The welded vertex.
    pub point: u32,
}

/// A row that was painted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PaintedRow {
    /// Its weights, each joint once.
    pub shares: Shares,
    /// Whether its weights sum to what they are to sum to, so that integers are rounded together; else each is rounded by itself.
    pub is_whole: bool,
}

/// A vertex of a place.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its row.
    pub at: TableRow,
    /// The table with whose joints the place is painted: that of the row, or one whose weights the file stores at the same location.
    pub own: usize,
    /// What was painted of it before the stroke.
    pub before: Option<PaintedRow>,
}

/// The weights of all vertices. A copy shares what it has in common.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The weights of the file.
    tables: std::sync::Arc<Vec<Table>>,
    /// The joint numbers of the keys of each table.
    numbers: std::sync::Arc<Vec<HashMap<u32, u16>>>,
    /// For each table those whose weights the file stores at the same location, itself first.
    together: std::sync::Arc<Vec<Vec<usize>>>,
    /// The rows of each table that were painted.
    painted: Vec<Paged<PaintedRow>>,
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
        }
    }

    /// Returns the table of a place.
    pub fn table_of(&self, surface: &RestSurface, point: u32) -> &Table {
        let first = surface.row(surface.mesh.weld.first[point as usize]);
        &self.tables[first.table]
    }

    /// Returns how many joints the vertices of a place have room for.
    pub fn room(&self, surface: &RestSurface, point: u32) -> usize {
        let room = |vertex: &u32| self.tables[surface.row(*vertex).table].per_vertex;
        surface.members(point).iter().map(room).min().unwrap_or(0)
    }

    /// Returns the weights of a place: those of its first vertex. Those that were not painted are written to `space`.
    pub fn of_place<'a>(
        &'a self,
        surfaces: &[RestSurface],
        Place { surface, point }: Place,
        space: &'a mut Shares,
    ) -> &'a [(u32, f64)] {
        let surface = &surfaces[surface];
        self.of_row(surface.row(surface.mesh.weld.first[point as usize]), space)
    }

    /// Returns the weights of a row. Those that were not painted are written to `space`.
    fn of_row<'a>(&'a self, at: TableRow, space: &'a mut Shares) -> &'a [(u32, f64)] {
        self.with_painted(at, self.painted(at), space)
    }

    /// Returns the weights of a row whose painted row is known.
    fn with_painted<'a>(
        &'a self,
        TableRow { table, row }: TableRow,
        painted: Option<&'a PaintedRow>,
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

    /// Returns the painted row of a vertex; `None` where it was not painted.
    pub fn painted(&self, TableRow { table, row }: TableRow) -> Option<&PaintedRow> {
        self.painted[table].get(row)
    }

    /// Returns whether a row has other weights than it had when `before` was its painted row.
    pub fn has_changed(&self, at: TableRow, before: Option<&PaintedRow>) -> bool {
        let (mut one, mut other) = (Shares::new(), Shares::new());
        let before = self.with_painted(at, before, &mut one);
        skinscope_weights::difference(before, self.of_row(at, &mut other)) > 0.0
    }

    /// Gives all vertices of a place the same weights. A vertex that the file stores for several skins has the same numbers for all of them.
    pub fn set(&mut self, members: &[Member], shares: &[(u32, f64)], is_whole: bool) {
        for Member { at: TableRow { table, row }, own, .. } in members {
            let shares = if table == own { shares.to_vec() } else { self.with_skin_of(*table, *own, shares) };
            self.painted[*table].set(*row, Some(PaintedRow { shares, is_whole }));
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
        for Member { at: TableRow { table, row }, before, .. } in members {
            self.painted[*table].set(*row, before.clone());
        }
    }

    /// Returns the number of the table whose weights the file stores first where those of a table are.
    pub fn stored_with(&self, table: usize) -> usize {
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
                table.write(row, &painted.shares);
                table.touched[row] = painted.is_whole;
            }
        }
    }
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

//! The rows of weights that were painted, in double precision, over those of the file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

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

/// The weights of all vertices. A copy shares what it has in common.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// The weights of the file.
    tables: std::sync::Arc<Vec<Table>>,
    /// The joint numbers of the keys of each table.
    numbers: std::sync::Arc<Vec<HashMap<u32, u16>>>,
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
        let painted = vec![Paged::default(); tables.len()];
        Self { numbers: tables.iter().map(numbers).collect::<Vec<_>>().into(), tables: tables.into(), painted }
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

    /// Returns the weights of a place: those of its first vertex.
    pub fn of_place(&self, surfaces: &[RestSurface], Place { surface, point }: Place) -> Shares {
        let surface = &surfaces[surface];
        self.of_row(surface.row(surface.mesh.weld.first[point as usize]))
    }

    /// Returns the weights of a row.
    pub fn of_row(&self, TableRow { table, row }: TableRow) -> Shares {
        let painted = self.painted[table].get(row).map(|painted| painted.shares.clone());
        painted.unwrap_or_else(|| self.of_file(TableRow { table, row }))
    }

    fn of_file(&self, TableRow { table, row }: TableRow) -> Shares {
        let mut out = Shares::new();
        self.tables[table].shares(row, &mut out);
        out
    }

    /// Returns the painted row of a vertex; `None` where it was not painted.
    pub fn painted(&self, TableRow { table, row }: TableRow) -> Option<&PaintedRow> {
        self.painted[table].get(row)
    }

    /// Returns whether a row has other weights than it had when `before` was its painted row.
    pub fn has_changed(&self, at: TableRow, before: Option<&PaintedRow>) -> bool {
        let before = before.map_or_else(|| self.of_file(at), |painted| painted.shares.clone());
        skinscope_weights::difference(&before, &self.of_row(at)) > 0.0
    }

    /// Gives all vertices of a place the same weights.
    pub fn set(&mut self, surfaces: &[RestSurface], place: Place, shares: Shares, is_whole: bool) {
        for TableRow { table, row } in rows_of(surfaces, place) {
            self.painted[table].set(row, Some(PaintedRow { shares: shares.clone(), is_whole }));
        }
    }

    /// Gives vertices of a place the weights that they had when these were their painted rows.
    pub fn give_back(&mut self, members: &[(TableRow, Option<PaintedRow>)]) {
        for (TableRow { table, row }, before) in members {
            self.painted[*table].set(*row, before.clone());
        }
    }

    /// Returns the number of the table whose weights the file stores first where those of a table are.
    pub fn stored_with(&self, table: usize) -> usize {
        self.tables[table].first_stored_there
    }

    /// Returns the weights of some rows, in single precision, as changes of a model.
    pub fn changes(&self, rows: &BTreeSet<TableRow>) -> Vec<WeightChange> {
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

/// Returns the rows of the vertices of a place, each once.
pub(super) fn rows_of(surfaces: &[RestSurface], Place { surface, point }: Place) -> BTreeSet<TableRow> {
    let surface = &surfaces[surface];
    surface.members(point).iter().map(|vertex| surface.row(*vertex)).collect()
}

/// Returns the mean of rows with a weight for each; the joints in the order in which they come.
pub(super) fn weighted_mean(rows: impl Iterator<Item = (Shares, f64)>) -> Shares {
    let (mut out, mut whole) = (Shares::new(), 0.0);
    for (row, share) in rows {
        whole += share;
        for (key, weight) in row {
            match out.iter_mut().find(|(k, _)| *k == key) {
                Some((_, sum)) => *sum += share * weight,
                None => out.push((key, share * weight)),
            }
        }
    }
    out.iter_mut().for_each(|(_, weight)| *weight /= whole);
    out
}

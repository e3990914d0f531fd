//! The bounds of operations on a sheet, which leave vertices outside of them alone, and the weights of locked joints.
//!
//! Operations that go step by step ask before each step. In the end the bounds are applied to what any of them has done
//! ([`Sheet::hold`]), so that no operation can forget them.

use skinscope_model::PrimitiveId;
use std::collections::BTreeSet;

use skinscope_inspect::VertexSet;
use skinscope_weights::{Held, hold_row};

use super::{Sheet, Table, TableRow};

impl Sheet<'_> {
    /// Limits operations to these vertices from now on.
    pub fn limit_to(&mut self, vertices: &VertexSet) {
        let mut rows: Vec<Vec<bool>> = self.tables.iter().map(|table| vec![false; table.vertices()]).collect();
        for part in &vertices.parts {
            let Some(table) = self.table_of(PrimitiveId::new(part.mesh, part.primitive)) else { continue };
            for vertex in &part.vertices {
                if let Some(flag) = rows[table].get_mut(*vertex as usize) {
                    *flag = true;
                }
            }
        }
        self.bounds.rows = rows;
        self.within = Some(vertices.clone());
    }

    /// Takes back what an operation was not allowed to change since `before`: vertices out of bounds as a whole, and
    /// the weights of locked joints, for which the other joints of the vertex make room. Returns the number of vertices
    /// of the file that could not change because their locked joints leave nothing. With `notes` the vertices whose locked joints were to
    /// change are noted, since they get only a part of what was asked for.
    pub(super) fn hold(&mut self, before: &[Table], notes: bool) -> usize {
        let bounds = &self.bounds;
        if bounds.rows.is_empty() && bounds.locked.is_empty() {
            return 0;
        }
        let (mut unchanged, mut locked) = (BTreeSet::new(), BTreeSet::new());
        for (number, (table, old)) in self.tables.iter_mut().zip(before).enumerate() {
            for row in 0..table.vertices() {
                if !bounds.has(number, row) {
                    table.give_back(row, old);
                    continue;
                }
                let at = TableRow { table: number, row };
                let held = hold_row(table, row, old, &bounds.locked);
                locked.extend((notes && held != Held::Free).then_some(at));
                unchanged.extend((held == Held::Whole).then_some(at));
            }
        }
        let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && self.tables[a].has_same(&self.tables[b]);
        let count = self.count_once(&unchanged, &is_same);
        self.lacks.locked.append(&mut locked);
        self.lacks.kept = unchanged;
        count
    }
}

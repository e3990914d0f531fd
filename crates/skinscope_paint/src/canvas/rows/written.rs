//! What of the rows a model and a file get: weights in single precision, and tables.

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;
use skinscope_model::{PrimitiveId, WeightChange};
use skinscope_weights::brush::UsualShares;
use skinscope_weights::{Shares, Table, TableRow};

use super::{PAGE, PaintedRow, RowPage, Rows};

/// Memory for the pairs of a row.
#[derive(Default)]
pub(in crate::canvas) struct PairSpace {
    joints: Vec<u16>,
    weights: Vec<f64>,
    shares: Shares,
}

/// A row of so many pairs is written down without lists.
const USUAL: usize = 4;
/// How many rows one thread writes down at a time.
const CHUNK: usize = 1 << 12;

impl Rows {
    /// Returns the weights of some rows, which rise, in single precision, as changes of a model.
    pub fn changes(&self, rows: &[TableRow]) -> Vec<WeightChange> {
        let mut out = Vec::new();
        for rows in rows.chunk_by(|a, b| a.table == b.table) {
            let Some(table) = rows.first().and_then(|at| self.tables.get(at.table)) else { continue };
            let (per_vertex, pairs) = (table.per_vertex, rows.len() * table.per_vertex);
            let (mut joints, mut weights) = (vec![0_u16; pairs], vec![0.0_f32; pairs]);
            prefer_large_pages(&mut joints);
            prefer_large_pages(&mut weights);
            let pairs = joints.chunks_mut(CHUNK * per_vertex.max(1)).zip(weights.chunks_mut(CHUNK * per_vertex.max(1)));
            let mut work: Vec<_> = rows.chunks(CHUNK).zip(pairs).collect();
            parallel::in_pieces(&mut work, 1, &|_, work: &mut [(&[TableRow], _)]| {
                work.iter_mut().for_each(|(rows, pairs)| self.write_pairs(rows, pairs));
            });
            let vertices = rows.iter().map(|at| at.row as u32).collect();
            let change = WeightChange { vertices, per_vertex, joints, weights, ..WeightChange::default() };
            if let Some((last, others)) = table.primitives.split_last() {
                let of = |at: &PrimitiveId, change| WeightChange { mesh: at.mesh, primitive: at.primitive, ..change };
                out.extend(others.iter().map(|at| of(at, change.clone())));
                out.push(of(last, change));
            }
        }
        out
    }

    /// Writes rows of a page that were painted over the pairs that a model has for all rows of the page; `changed` has a bit for each of them, and
    /// `placed` one for each of which the model has the pairs of a painted row with the same joints in the same order. `first` is the first row.
    #[inline]
    pub(in crate::canvas) fn fill_pairs(
        &self,
        first: TableRow,
        (page, changed, placed): (&RowPage, u16, u16),
        (joints, pairs): (&mut [u16], &mut [f32]),
        space: &mut PairSpace,
    ) {
        let table = &self.tables[first.table];
        let mut left = changed;
        if table.per_vertex == USUAL {
            // Rows whose length the compiler knows.
            let rows = joints.as_chunks().0.iter().zip(pairs.as_chunks_mut().0).enumerate();
            for (row, (joints, pairs)) in rows.filter(|(row, _)| changed & placed & 1 << row != 0) {
                if page.usual(row).is_some_and(|shares| replace(table, &shares, (joints, pairs))) {
                    left &= !(1 << row);
                }
            }
        }
        for row in (0..PAGE).filter(|row| left >> row & 1 == 1) {
            let Some(painted) = page.get(row) else { continue };
            let slots = row * table.per_vertex..(row + 1) * table.per_vertex;
            let PairSpace { joints: to_joints, weights, shares } = space;
            to_joints.clear();
            weights.clear();
            let number_of = |key: u32| self.numbers[first.table].get(key);
            table.arrange(first.row + row, painted.shares(shares), &number_of, (to_joints, weights));
            joints[slots.clone()].copy_from_slice(to_joints);
            pairs[slots].iter_mut().zip(weights).for_each(|(to, weight)| *to = *weight as f32);
        }
    }

    /// Writes the joints and weights of rows of one table, row by row.
    fn write_pairs(&self, rows: &[TableRow], (to_joints, to_weights): &mut (&mut [u16], &mut [f32])) {
        let (mut joints, mut weights, mut space) = (Vec::new(), Vec::new(), Shares::new());
        for (i, TableRow { table: number, row }) in rows.iter().copied().enumerate() {
            let table = &self.tables[number];
            joints.clear();
            weights.clear();
            let painted = self.painted[number].get(row);
            match painted {
                Some(PaintedRow::Row(row)) if row.pairs_of(table.per_vertex).is_some() => {
                    let Some(pairs) = row.pairs_of(table.per_vertex) else { continue };
                    let shown = |joint: &u16| if usize::from(*joint) < table.keys.len() { *joint } else { 0 };
                    joints.extend(pairs.joints.iter().map(shown));
                    weights.extend(pairs.weights.iter().map(|weight| skinscope_weights::clean(*weight)));
                }
                Some(painted) => {
                    let number_of = |key: u32| self.numbers[number].get(key);
                    table.arrange(row, painted.shares(&mut space), &number_of, (&mut joints, &mut weights));
                }
                None => {
                    joints.extend(table.slots(row).map(|slot| table.shown_joint(slot)));
                    weights.extend(table.slots(row).map(|slot| skinscope_weights::clean(table.weights[slot])));
                }
            }
            let pairs = i * table.per_vertex..(i + 1) * table.per_vertex;
            to_joints[pairs.clone()].copy_from_slice(&joints);
            to_weights[pairs].iter_mut().zip(&weights).for_each(|(to, weight)| *to = *weight as f32);
        }
    }

    /// Writes the painted rows into tables like those of the file.
    pub fn write_into(&self, tables: &mut [Table]) {
        for (table, painted) in tables.iter_mut().zip(&self.painted) {
            for (row, painted) in painted.iter() {
                let painted = painted.to_row();
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

/// Writes other weights over those of pairs which have these joints, each in one pair with a weight; returns false where they do not.
#[inline]
fn replace(
    table: &Table,
    UsualShares { keys, weights, count }: &UsualShares,
    (joints, pairs): (&[u16; USUAL], &mut [f32; USUAL]),
) -> bool {
    let has = |pair: usize, share: usize| pairs[pair] != 0.0 && table.key(joints[pair]) == keys[share];
    // Most have them in their order.
    if (0..USUAL).all(|at| if at < *count { has(at, at) } else { pairs[at] == 0.0 }) {
        *pairs = weights.map(|weight| weight as f32);
        return true;
    }
    if pairs.iter().filter(|pair| **pair != 0.0).count() != *count {
        return false;
    }
    let mut out = [0.0; USUAL];
    for (share, weight) in weights.iter().enumerate().take(*count) {
        let Some(pair) = (0..USUAL).find(|pair| has(*pair, share)) else { return false };
        out[pair] = *weight as f32;
    }
    *pairs = out;
    true
}

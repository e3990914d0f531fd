//! What of the rows a model and a file get: weights in single precision, and tables.

use skinscope_base::memory::prefer_large_pages;
use skinscope_base::parallel;
use skinscope_model::{PrimitiveId, WeightChange};
use skinscope_weights::{Shares, Table, TableRow};

use super::{PaintedRow, Rows};

/// Memory for the pairs of a row.
#[derive(Default)]
pub(in crate::canvas) struct PairSpace {
    joints: Vec<u16>,
    weights: Vec<f64>,
    shares: Shares,
}

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

    /// Writes a painted row without pairs of a table over the pairs that a model has for it. `is_placed` says whether the model has them of a
    /// painted row with the same joints in the same order.
    #[inline]
    pub(in crate::canvas) fn fill_pairs(
        &self,
        at: TableRow,
        (painted, is_placed): (PaintedRow<'_>, bool),
        (to_joints, to_weights): (&mut [u16], &mut [f32]),
        space: &mut PairSpace,
    ) {
        let table = &self.tables[at.table];
        if let PaintedRow::Few(keys, weights, count, _) = painted
            && is_placed
            && replace(table, (&keys[..count], &weights[..count]), (to_joints, to_weights))
        {
            return;
        }
        let PairSpace { joints, weights, shares } = space;
        joints.clear();
        weights.clear();
        let number_of = |key: u32| self.numbers[at.table].get(key);
        table.arrange(at.row, painted.shares(shares), &number_of, (joints, weights));
        to_joints.copy_from_slice(joints);
        to_weights.iter_mut().zip(weights).for_each(|(to, weight)| *to = *weight as f32);
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
fn replace(table: &Table, (keys, weights): (&[u32], &[f64]), (joints, pairs): (&[u16], &mut [f32])) -> bool {
    let is_used = |pair: usize| pairs[pair] != 0.0;
    if (0..pairs.len()).filter(|pair| is_used(*pair)).count() != keys.len() {
        return false;
    }
    let mut at = [0; 4];
    for (i, (at, key)) in at.iter_mut().zip(keys).enumerate() {
        let has = |pair: &usize| is_used(*pair) && table.key(joints[*pair]) == *key;
        // Most have them in their order.
        let found = if i < pairs.len() && has(&i) { Some(i) } else { (0..pairs.len()).find(has) };
        let Some(found) = found else { return false };
        *at = found;
    }
    at.iter().zip(weights).for_each(|(pair, weight)| pairs[*pair] = *weight as f32);
    true
}

//! What a drag of a vertex has made of the weights: a row for each vertex that it reaches.

use std::borrow::Cow;
use std::collections::BTreeSet;

use glam::DVec3;
use skinscope_model::{PrimitiveId, WeightChange};
use skinscope_weights::{Shares, Table, TableRow};

/// What a drag has made of the weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pulled {
    /// The rows of all places, rising.
    rows: Vec<PulledRow>,
    /// The keys of the joints that keep their weights.
    locked: BTreeSet<u32>,
    /// Where the dragged vertex is now in each pose: in the scene of the file, metres.
    pub landed: Vec<DVec3>,
    /// How far each of these is from where the vertex should be.
    pub away: Vec<f64>,
    /// How far the hull of its joints is from there in each pose.
    pub outside: Vec<f64>,
}

/// The weights of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PulledRow {
    pub at: TableRow,
    /// Whether no other row is of the same place.
    pub is_alone: bool,
    /// The weights by the keys of joints; `None` where the row stays as it was before the drag.
    pub shares: Option<Vec<(u32, f64)>>,
}

impl Pulled {
    /// Begins without rows; these joints keep their weights.
    pub(crate) fn holding(locked: &BTreeSet<u32>) -> Self {
        Self { locked: locked.clone(), ..Self::default() }
    }

    /// Adds rows.
    pub(crate) fn extend(&mut self, rows: impl Iterator<Item = PulledRow>) {
        self.rows.extend(rows);
    }

    /// Lets the rows rise. Most of them do already, which a stable sort makes use of.
    pub(crate) fn sort(&mut self) {
        self.rows.sort_by_key(|row| row.at);
    }

    /// Returns the rows that the drag reaches, rising, each with the weights that it gets, by the keys of joints; `None` where it has those from
    /// before the drag. `tables` are those of [`Pulled::changes`].
    #[must_use]
    pub fn rows(&self, tables: &[Table]) -> Vec<(TableRow, Option<Shares>)> {
        let held = |row: &PulledRow| {
            let (table, shares) = tables.get(row.at.table).zip(row.shares.as_ref())?;
            Some(self.held(table, row.at.row, shares))
        };
        self.rows.iter().map(|row| (row.at, held(row))).collect()
    }

    /// Returns the rows that have other weights now as changes of the model that has these tables, which are as they were before the drag.
    #[must_use]
    pub fn changes(&self, tables: &[Table]) -> Vec<WeightChange> {
        let mut out = Vec::new();
        for rows in self.rows.chunk_by(|a, b| a.at.table == b.at.table) {
            let Some(before) = rows.first().and_then(|row| tables.get(row.at.table)) else { continue };
            let mut change = WeightChange { per_vertex: before.per_vertex, ..WeightChange::default() };
            let joint_of = joints_of(before);
            let (mut joints, mut weights, mut singles) = (Vec::new(), Vec::new(), Vec::new());
            for PulledRow { at, is_alone, shares } in rows {
                let Some(shares) = shares else { continue };
                let shares = match self.locked.is_empty() {
                    true => Cow::Borrowed(&shares[..]),
                    false => Cow::Owned(self.held(before, at.row, shares)),
                };
                joints.clear();
                weights.clear();
                if *is_alone {
                    before.arrange(at.row, &shares, &joint_of, (&mut joints, &mut weights));
                } else {
                    // Rows of one place have them in the same pairs, so that they are rounded alike.
                    let known = shares.iter().filter_map(|(key, weight)| Some((joint_of(*key)?, *weight)));
                    known.take(before.per_vertex).for_each(|(joint, weight)| {
                        joints.push(joint);
                        weights.push(weight);
                    });
                }
                singles.clear();
                singles.extend(weights.iter().map(|weight: &f64| *weight as f32));
                change.push(at.row as u32, &joints, &singles);
            }
            if change.vertices.is_empty() {
                continue;
            }
            let of = |at: &PrimitiveId| WeightChange { mesh: at.mesh, primitive: at.primitive, ..change.clone() };
            out.extend(before.primitives.iter().map(of));
        }
        out
    }

    /// Returns weights for a row in which locked joints have what the row has of them, to the bit: those that were solved sum to one, and stand
    /// for all vertices of the place.
    fn held(&self, before: &Table, row: usize, shares: &[(u32, f64)]) -> Shares {
        let is_locked = |share: &(u32, f64)| self.locked.contains(&share.0);
        let (mut own, mut free) = (Shares::new(), shares.to_vec());
        if !self.locked.is_empty() {
            before.shares(row, &mut own);
            own.retain(is_locked);
            free.retain(|share| !is_locked(share));
        }
        let sum = |shares: &[(u32, f64)]| shares.iter().map(|(_, weight)| *weight).sum::<f64>();
        let (held, left) = (sum(&own), sum(&free));
        if (own.is_empty() && free.len() == shares.len()) || left <= 0.0 {
            return shares.to_vec();
        }
        free.iter_mut().for_each(|(_, weight)| *weight *= (1.0 - held).max(0.0) / left);
        own.extend(free.into_iter().filter(|(_, weight)| *weight > 0.0));
        own
    }
}

/// Returns what does the same as [`Table::joint_of`], which looks through all joints for each weight.
fn joints_of(table: &Table) -> impl Fn(u32) -> Option<u16> {
    let mut known: Vec<(u32, usize)> = table.keys.iter().copied().zip(0..).collect();
    known.sort_unstable();
    known.dedup_by_key(|(key, _)| *key);
    move |key| {
        let at = known.binary_search_by_key(&key, |(key, _)| *key);
        at.map_or_else(|_| u16::try_from(u32::MAX - key).ok(), |at| u16::try_from(known[at].1).ok())
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::tests::table_of;

    #[test]
    fn joints_are_found_as_a_table_finds_them() {
        let keys = vec![7, 3, 9, 3, 1, 7];
        let table = Table { keys, ..Table::default() };
        let joint_of = joints_of(&table);
        for key in (0..12).chain([u32::MAX, u32::MAX - 2, u32::MAX - 70_000]) {
            assert_eq!(joint_of(key), table.joint_of(key), "{key}");
        }
    }

    #[test]
    fn locked_joints_keep_their_weights_to_the_bit_where_sums_are_not_one() {
        let model = tube(Tube { joints: 3, rings: 13, influences: 2, ..Tube::default() });
        let mut table = table_of(&model);
        let large = |row: &usize| table.slots(*row).filter(|slot| table.weights[*slot] > 0.1).count();
        let row = (0..table.vertices()).find(|row| large(row) == 2).unwrap();
        // As files have them that were written with few digits.
        table.slots(row).for_each(|slot| table.weights[slot] *= 1.000_1);
        let (mut own, at) = (Shares::new(), TableRow { table: 0, row });
        table.shares(row, &mut own);
        let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
        // The solver has made the sum one, and has moved all other weight to another joint.
        let other = *table.keys.iter().find(|key| own.iter().all(|(known, _)| known != *key)).unwrap();
        let solved = vec![(own[0].0, own[0].1 / sum), (other, 1.0 - own[0].1 / sum)];
        let mut pulled = Pulled::holding(&BTreeSet::from([own[0].0]));
        pulled.extend(std::iter::once(PulledRow { at, is_alone: true, shares: Some(solved) }));
        let rows = pulled.rows(std::slice::from_ref(&table));
        let got = rows[0].1.as_ref().unwrap();
        assert!(got[0].0 == own[0].0 && got[0].1.to_bits() == own[0].1.to_bits(), "{got:?}");
        assert!((got.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12, "{got:?}");
        let change = &pulled.changes(std::slice::from_ref(&table))[0];
        let held = (own[0].1 as f32).to_bits();
        assert!(change.weights.iter().any(|weight| weight.to_bits() == held), "{:?}", change.weights);
    }
}

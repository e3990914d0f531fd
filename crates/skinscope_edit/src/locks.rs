//! The bounds of operations, which leave vertices outside of them alone, and the weights of locked joints.
//!
//! Operations that go step by step ask before each step. In the end the bounds are applied to what any of them has done
//! ([`Sheet::hold`]), so that no operation can forget them.

use skinscope_model::PrimitiveId;
use std::collections::BTreeSet;

use skinscope_inspect::VertexSet;

use super::{Sheet, Table, TableRow};

/// Weights that differ by less count as the same. This is much less than any stored format can tell apart.
const SAME: f64 = 1e-9;
/// Where locked joints leave no more than this of a vertex's weight, they count as leaving nothing.
const NOTHING: f64 = 1e-6;

/// Which vertices and joints an operation may change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// For each table, whether each of its vertices may change. Empty: all may.
    pub(super) rows: Vec<Vec<bool>>,
    /// The nodes of joints whose weights stay.
    pub locked: BTreeSet<u32>,
}

impl Bounds {
    /// Whether all vertices may change.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a vertex may change.
    #[must_use]
    pub fn has(&self, table: usize, row: usize) -> bool {
        self.rows.is_empty() || self.rows[table][row]
    }
}

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
                } else if !bounds.locked.is_empty() && !table.has_same_pairs(row, old) {
                    let (mut own, mut wanted) = (Vec::new(), Vec::new());
                    old.shares(row, &mut own);
                    table.shares(row, &mut wanted);
                    if same_locked(&own, &wanted, &bounds.locked) {
                        continue;
                    }
                    if notes {
                        locked.insert(TableRow { table: number, row });
                    }
                    match respecting_locks(&own, &wanted, &bounds.locked, table.per_vertex) {
                        Some(shares) if !alike(&shares, &own) => _ = table.put(row, &shares),
                        Some(_) => table.give_back(row, old),
                        None => {
                            table.give_back(row, old);
                            unchanged.insert(TableRow { table: number, row });
                        }
                    }
                }
            }
        }
        let is_same = |a: usize, b: usize| before[a].has_same(&before[b]) && self.tables[a].has_same(&self.tables[b]);
        let count = self.count_once(&unchanged, &is_same);
        self.lacks.locked.append(&mut locked);
        self.lacks.kept = unchanged;
        count
    }
}

fn of(shares: &[(u32, f64)], key: u32) -> f64 {
    shares.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, weight)| *weight)
}

fn same_locked(a: &[(u32, f64)], b: &[(u32, f64)], locked: &BTreeSet<u32>) -> bool {
    let keys = a.iter().chain(b).map(|(key, _)| *key).filter(|key| locked.contains(key));
    keys.into_iter().all(|key| of(a, key) == of(b, key))
}

fn alike(a: &[(u32, f64)], b: &[(u32, f64)]) -> bool {
    a.iter().chain(b).all(|(key, _)| (of(a, *key) - of(b, *key)).abs() <= SAME)
}

/// Returns the shares of a vertex for which `wanted` was asked, with its `own` weights for locked joints: what those
/// leave of one is divided among the others in the proportions of `wanted`. At most `most` joints have a share. `None`
/// where nothing changes but what must stay: locked joints leave nothing, or there is no other joint for what they
/// leave.
pub(super) fn respecting_locks(
    own: &[(u32, f64)],
    wanted: &[(u32, f64)],
    locked: &BTreeSet<u32>,
    most: usize,
) -> Option<Vec<(u32, f64)>> {
    let is_locked = |share: &&(u32, f64)| locked.contains(&share.0);
    let mut out: Vec<(u32, f64)> = own.iter().filter(is_locked).copied().collect();
    let left = 1.0 - out.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut others: Vec<(u32, f64)> = wanted.iter().filter(|share| !is_locked(share)).copied().collect();
    let room = most.saturating_sub(out.len());
    if others.len() > room {
        others = super::weld::cut(others, room);
    }
    let sum: f64 = others.iter().map(|(_, weight)| weight).sum();
    if left <= NOTHING || sum <= 0.0 {
        return None;
    }
    others.iter_mut().for_each(|(_, weight)| *weight *= left / sum);
    out.extend(others);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(keys: &[u32]) -> BTreeSet<u32> {
        keys.iter().copied().collect()
    }

    #[test]
    fn locked_joints_keep_their_weights_and_the_others_share_the_rest_as_is_wanted() {
        let own = [(1, 0.5), (2, 0.3), (3, 0.2)];
        let wanted = [(1, 0.2), (2, 0.2), (4, 0.6)];
        let limited = respecting_locks(&own, &wanted, &locked(&[1, 3]), 4).unwrap();
        assert!(alike(&limited, &[(1, 0.5), (3, 0.2), (2, 0.075), (4, 0.225)]), "{limited:?}");
        // There is room for three joints: the one with the least weight of the others goes.
        let limited = respecting_locks(&own, &wanted, &locked(&[1, 3]), 3).unwrap();
        assert!(alike(&limited, &[(1, 0.5), (3, 0.2), (4, 0.3)]), "{limited:?}");
    }

    #[test]
    fn locks_that_cannot_be_respected_are_reported() {
        assert_eq!(respecting_locks(&[(1, 1.0)], &[(2, 1.0)], &locked(&[1]), 4), None);
        assert_eq!(respecting_locks(&[(1, 0.5), (2, 0.5)], &[(1, 1.0)], &locked(&[1]), 4), None);
        assert_eq!(respecting_locks(&[(1, 0.5), (2, 0.5)], &[(2, 1.0)], &locked(&[1]), 1), None);
    }
}

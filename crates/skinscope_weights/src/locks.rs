//! The bounds of operations, which leave vertices outside of them alone, and the weights of locked joints.
//!
//! Operations that go step by step ask before each step. In the end the bounds are applied to what any of them has done
//! ([`hold_row`]), so that no operation can forget them.

use std::collections::BTreeSet;

use crate::{Shares, Table, cut, share_of};

/// Weights that differ by less count as the same. This is much less than any stored format can tell apart.
const SAME: f64 = 1e-9;
/// Where locked joints leave no more than this of a vertex's weight, they count as leaving nothing.
const NOTHING: f64 = 1e-6;

/// Which vertices and joints an operation may change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// For each table, whether each of its vertices may change. Empty: all may.
    pub rows: Vec<Vec<bool>>,
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

/// What becomes of a row whose locked joints keep their weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No locked joint was to change, or nothing was.
    Free,
    /// Locked joints have their weights back, and the other joints of the vertex have made room for them.
    InPart,
    /// The row is as it was, since its locked joints leave nothing that could change.
    Whole,
}

/// Gives the locked joints of a row the weights back that they have in `before`, for which the other joints of the vertex make room.
pub fn hold_row(table: &mut Table, row: usize, before: &Table, locked: &BTreeSet<u32>) -> Held {
    if locked.is_empty() || table.has_same_pairs(row, before) {
        return Held::Free;
    }
    let (mut own, mut wanted) = (Vec::new(), Vec::new());
    before.shares(row, &mut own);
    table.shares(row, &mut wanted);
    if same_locked(&own, &wanted, locked) {
        return Held::Free;
    }
    match respecting_locks(&own, &wanted, locked, table.per_vertex) {
        Some(shares) if !alike(&shares, &own) => _ = table.put(row, &shares),
        Some(_) => table.give_back(row, before),
        None => {
            table.give_back(row, before);
            return Held::Whole;
        }
    }
    Held::InPart
}

fn same_locked(a: &[(u32, f64)], b: &[(u32, f64)], locked: &BTreeSet<u32>) -> bool {
    let keys = a.iter().chain(b).map(|(key, _)| *key).filter(|key| locked.contains(key));
    keys.into_iter().all(|key| share_of(a, key) == share_of(b, key))
}

fn alike(a: &[(u32, f64)], b: &[(u32, f64)]) -> bool {
    a.iter().chain(b).all(|(key, _)| (share_of(a, *key) - share_of(b, *key)).abs() <= SAME)
}

/// Returns the shares of a vertex for which `wanted` was asked, with its `own` weights for locked joints: what those
/// leave of one is divided among the others in the proportions of `wanted`. At most `most` joints have a share. `None`
/// where nothing changes but what must stay: locked joints leave nothing, or there is no other joint for what they
/// leave.
#[must_use]
pub fn respecting_locks(
    own: &[(u32, f64)],
    wanted: &[(u32, f64)],
    locked: &BTreeSet<u32>,
    most: usize,
) -> Option<Shares> {
    let is_locked = |share: &&(u32, f64)| locked.contains(&share.0);
    let mut out: Vec<(u32, f64)> = own.iter().filter(is_locked).copied().collect();
    let left = 1.0 - out.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut others: Vec<(u32, f64)> = wanted.iter().filter(|share| !is_locked(share)).copied().collect();
    let room = most.saturating_sub(out.len());
    if others.len() > room {
        others = cut(others, room);
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

//! The weights of one vertex in a layer, and how those of two layers are mixed.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use skinscope_weights::{Shares, Table, clean, share_of};

/// So many joints of a row need no memory of their own. Most files have room for no more.
const FEW: usize = 4;

/// The joints of a row with their weights, in their order.
#[derive(Clone)]
pub(crate) enum RowShares {
    /// So many of the list.
    Few(u8, [(u32, f64); FEW]),
    Many(Box<[(u32, f64)]>),
}

/// The weights of a vertex in double precision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerRow {
    /// Its weights, each joint once.
    pub shares: RowShares,
    /// Whether its weights sum to what they are to sum to, so that integers are rounded together; else each is rounded by itself.
    pub is_whole: bool,
    /// The pairs that the vertex had before any brush has touched it, as they stand in the table.
    pub pairs: Option<Arc<Pairs>>,
}

/// The pairs of a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pairs {
    pub joints: Vec<u16>,
    pub weights: Vec<f64>,
}

impl From<&[(u32, f64)]> for RowShares {
    fn from(shares: &[(u32, f64)]) -> Self {
        let mut few = [(0, 0.0); FEW];
        match few.get_mut(..shares.len()) {
            Some(own) => {
                own.copy_from_slice(shares);
                Self::Few(shares.len() as u8, few)
            }
            None => Self::Many(shares.into()),
        }
    }
}

impl From<Shares> for RowShares {
    fn from(shares: Shares) -> Self {
        Self::from(&shares[..])
    }
}

impl Deref for RowShares {
    type Target = [(u32, f64)];

    fn deref(&self) -> &[(u32, f64)] {
        match self {
            Self::Few(count, few) => &few[..usize::from(*count)],
            Self::Many(many) => many,
        }
    }
}

impl PartialEq for RowShares {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl fmt::Debug for RowShares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl RowShares {
    /// Returns how many bytes it takes beside its own.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Few(..) => 0,
            Self::Many(many) => size_of_val(&**many),
        }
    }
}

impl LayerRow {
    /// Makes a row that was painted.
    pub(crate) fn painted(shares: impl Into<RowShares>, is_whole: bool) -> Self {
        Self { shares: shares.into(), is_whole, pairs: None }
    }

    /// Returns the row of a table with its pairs as they are.
    pub(crate) fn of_table(table: &Table, row: usize) -> Self {
        let mut shares = Shares::new();
        table.shares(row, &mut shares);
        let slots = table.slots(row);
        let pairs = Pairs { joints: table.joints[slots.clone()].to_vec(), weights: table.weights[slots].to_vec() };
        Self { shares: shares.into(), is_whole: table.touched[row], pairs: Some(Arc::new(pairs)) }
    }

    /// Returns the pairs that a table of so many pairs for each vertex can take as they are.
    pub(crate) fn pairs_of(&self, per_vertex: usize) -> Option<&Pairs> {
        self.pairs.as_deref().filter(|pairs| pairs.joints.len() == per_vertex && pairs.weights.len() == per_vertex)
    }

    /// Whether its pairs say in a table what the row says. Without pairs nothing says anything else.
    pub(crate) fn fits(&self, table: &Table) -> bool {
        let Some(pairs) = &self.pairs else { return true };
        let mut shares = Shares::new();
        for (joint, weight) in pairs.joints.iter().zip(&pairs.weights) {
            let (key, weight) = (table.key(*joint), clean(*weight));
            match shares.iter_mut().find(|(known, _)| *known == key) {
                _ if weight <= 0.0 => {}
                Some((_, sum)) => *sum += weight,
                None => shares.push((key, weight)),
            }
        }
        shares[..] == self.shares[..]
    }

    /// Returns this row with `strength` of another one over it: 0 leaves this one, 1 is the other one, to the bit.
    pub(crate) fn under(&self, over: &Self, strength: f64) -> Self {
        if strength >= 1.0 {
            return over.clone();
        }
        // Rows of the file that nothing has touched say nothing of sums.
        let is_whole = over.is_whole && (self.is_whole || self.pairs.is_some());
        Self::painted(mixed(&self.shares, &over.shares, strength), is_whole)
    }

    /// Returns the row with the largest `room` joints; they share what the others had, by their size.
    pub(crate) fn fitted(self, room: usize) -> Self {
        if self.shares.len() <= room || room == 0 {
            return self;
        }
        let sum = |shares: &[(u32, f64)]| shares.iter().map(|(_, weight)| *weight).sum::<f64>();
        let whole = sum(&self.shares);
        let mut shares = skinscope_weights::cut(self.shares.to_vec(), room);
        let kept = sum(&shares);
        if kept > 0.0 {
            shares.iter_mut().for_each(|(_, weight)| *weight *= whole / kept);
        }
        Self::painted(shares, self.is_whole)
    }
}

/// Returns the way from one row to another as far as `strength` says, 0 to 1. A joint that has the same weight in both keeps it to the bit.
fn mixed(from: &[(u32, f64)], to: &[(u32, f64)], strength: f64) -> Shares {
    let toward = |key: u32, own: f64| own + strength * (share_of(to, key) - own);
    let mut out: Shares = from.iter().map(|(key, own)| (*key, toward(*key, *own))).collect();
    let new = to.iter().filter(|(key, _)| from.iter().all(|(own, _)| own != key));
    out.extend(new.map(|(key, weight)| (*key, strength * weight)));
    out.retain(|(_, weight)| *weight > 0.0);
    out
}

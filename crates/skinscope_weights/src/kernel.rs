//! Kernels: what becomes of the weights of one vertex, from what it and the vertices around it have.
//!
//! An operation of `fix` and a tool of the window are one kernel, which is run on every row with its whole strength. A kernel says what the weights
//! are to be; rows are written, and locked joints get their weights back ([`hold_row`](crate::hold_row)), in one place for all. Brushes have rules
//! of their own for locks, sums and the number of joints ([`brush`](crate::brush)).

use std::collections::BTreeSet;

use crate::{Shares, Table, blend};

/// The settings of a kernel, in the order in which it names them: numbers, keys of joints, and 1 for a switch that is on.
pub type Arguments = [f64; 4];

/// No joints at all.
static NOTHING_LOCKED: BTreeSet<u32> = BTreeSet::new();

/// What a kernel knows of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// The joints that move it, in the order of their pairs, with their weights: as they are stored for a kernel that reads one row, with a
    /// sum of one for a kernel that reads neighbours.
    pub own: &'a [(u32, f64)],
    /// The shares of its neighbours along the welded surface, with a sum of one each; those that have no weight are left out.
    pub neighbours: &'a [&'a [(u32, f64)]],
    /// What it is given from elsewhere: the weights of others, or the joint that inherits.
    pub given: Given<'a>,
    /// The joints whose weights stay, by their keys.
    pub locked: &'a BTreeSet<u32>,
    /// The keys of the joints of its skin.
    pub keys: &'a [u32],
    /// How many joints it has room for.
    pub room: usize,
    /// How many of its first pairs hold all of its weight.
    pub filled: usize,
    /// Whether its weights are finite, not negative, and sum to one.
    pub is_normal: bool,
    /// The settings of the kernel.
    pub arguments: Arguments,
}

impl Default for Around<'_> {
    fn default() -> Self {
        Self {
            own: &[],
            neighbours: &[],
            given: Given::default(),
            locked: &NOTHING_LOCKED,
            keys: &[],
            room: usize::MAX,
            filled: 0,
            is_normal: true,
            arguments: [0.0; 4],
        }
    }
}

/// Weights that a vertex gets from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The joints and their weights, with a sum of one; empty where nothing is given.
    pub shares: &'a [(u32, f64)],
    /// Whether there are more joints than the vertex has room for.
    pub is_cut: bool,
    /// Whether its skin does not have some of the joints.
    pub is_short: bool,
}

/// What becomes of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it has what is asked for, or the kernel does not concern it.
    #[default]
    Same,
    /// Nothing, although something else is asked for: no other joint can take the weight, or it is locked.
    Stuck,
    /// It gets other weights.
    Changed,
}

/// What a kernel says of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// What becomes of it.
    pub change: Change,
    /// Whether it has no pair for some of its joints.
    pub has_lost: bool,
    /// Whether it gets less than was asked for, since no weight is left for it.
    pub is_unmet: bool,
}

impl Wish {
    /// Other weights, without a reservation.
    pub const CHANGED: Self = Self { change: Change::Changed, has_lost: false, is_unmet: false };
    /// The same weights.
    pub const SAME: Self = Self { change: Change::Same, has_lost: false, is_unmet: false };
}

/// How the weights that a kernel asks for are written into the pairs of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Joints that the row has stay in their pairs; weights are divided by their sum ([`Table::put`]).
    Keep,
    /// Joints stand in the order of the shares, from the first pair on, so that vertices with the same shares are rounded alike.
    InOrder,
    /// Pairs of joints that are gone are emptied, and all are divided by their sum; a joint that stands twice still does.
    InPlace,
    /// Joints that the row has stay in their pairs, and weights are written as they are.
    AsGiven,
}

/// What a kernel reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The row alone.
    Row,
    /// The row and the vertices that an edge of the welded surface joins with it.
    Neighbours,
}

/// A way to change the weights of a vertex.
#[derive(Debug)]
pub struct Kernel {
    /// Its name.
    pub id: &'static str,
    /// What it reads.
    pub reads: Reads,
    /// How rows are written.
    pub write: Write,
    /// Writes the weights that a vertex is to have with the whole strength of the kernel into the list, which is empty before. Locks that it
    /// does not mind itself are seen to where the row is written.
    pub run: fn(&Around<'_>, &mut Shares) -> Wish,
}

impl Kernel {
    /// Writes the weights that a vertex is to have with a strength, 0 to 1: with 0 its own, with 1 those that the kernel asks for. A strength
    /// that is no number counts as 0, and one beyond the range as its end.
    pub fn wish(&self, around: &Around<'_>, strength: f64, out: &mut Shares) -> Wish {
        out.clear();
        if strength.is_nan() || strength <= 0.0 {
            out.extend_from_slice(around.own);
            return Wish::SAME;
        }
        let wish = (self.run)(around, out);
        if wish.change == Change::Changed && strength < 1.0 {
            *out = blend(around.own, out, strength);
        }
        wish
    }

    /// Changes a row by the kernel with its whole strength, whatever is locked, and returns what the kernel says of it.
    pub fn change_row(&self, table: &mut Table, row: usize, task: &RowTask<'_>) -> Wish {
        let (mut own, mut out) = (Vec::new(), Vec::new());
        match self.reads {
            Reads::Row => table.shares(row, &mut own),
            Reads::Neighbours => own = crate::unit_shares(table, row),
        }
        let mut wish = self.wish(&task.around(table, row, &own), 1.0, &mut out);
        if wish.change == Change::Changed {
            wish.has_lost |= write_row(table, row, &out, self.write);
        }
        wish
    }
}

/// What a kernel is given for a row beside the row itself.
#[derive(Clone, Copy, Debug)]
pub struct RowTask<'a> {
    /// As in [`Around::neighbours`].
    pub neighbours: &'a [&'a [(u32, f64)]],
    /// As in [`Around::given`].
    pub given: Given<'a>,
    /// As in [`Around::locked`].
    pub locked: &'a BTreeSet<u32>,
    /// The settings of the kernel.
    pub arguments: Arguments,
}

impl<'a> RowTask<'a> {
    /// What a kernel knows of a row of a table that has these shares.
    #[must_use]
    pub fn around(&self, table: &'a Table, row: usize, own: &'a [(u32, f64)]) -> Around<'a> {
        Around {
            own,
            neighbours: self.neighbours,
            given: self.given,
            locked: self.locked,
            keys: &table.keys,
            room: table.per_vertex,
            filled: table.filled(row),
            is_normal: table.is_normal(row),
            arguments: self.arguments,
        }
    }
}

/// Writes shares into a row; returns whether it has no pair for some of the weight.
pub(crate) fn write_row(table: &mut Table, row: usize, shares: &[(u32, f64)], write: Write) -> bool {
    match write {
        Write::Keep => table.put(row, shares),
        Write::InOrder => table.put_in_order(row, shares),
        Write::InPlace => {
            for slot in table.slots(row) {
                let key = table.key(table.joints[slot]);
                if crate::clean(table.weights[slot]) > 0.0 && !shares.iter().any(|(k, _)| *k == key) {
                    table.empty(row, slot);
                }
            }
            table.normalise(row);
            false
        }
        Write::AsGiven => {
            table.write(row, shares);
            false
        }
    }
}

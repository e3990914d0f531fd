//! The vertices that get only a part of what an operation is asked for, as they are noted and counted.

use std::collections::BTreeSet;

use crate::TableRow;

/// How many vertices got only a part of what an operation was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partly {
    /// How many vertices there are in all; one may be in several of the numbers that follow.
    pub vertices: usize,
    /// How many have no pair left for some of the joints that were to move them.
    pub pairs: usize,
    /// How many have locked joints that keep weights which were to change.
    pub locked: usize,
    /// How many have less than was asked for since no weight is left for it, or still have what was to be repaired.
    pub room: usize,
    /// How many inverse bind matrices stay although they were to be set: their joint has no inverse, or no matrix of the skin says how
    /// the mesh stands to its joints.
    pub matrices: usize,
}

impl Partly {
    /// Returns whether all was done.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.vertices == 0 && self.matrices == 0
    }
}

/// What an operation notes while it works, by the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lacks {
    /// The rows that have no pair left for some of the joints that were to move them.
    pub pairs: BTreeSet<TableRow>,
    /// The rows whose locked joints keep weights that were to change.
    pub locked: BTreeSet<TableRow>,
    /// The rows that have less than was asked for since no weight is left for it.
    pub room: BTreeSet<TableRow>,
    /// How many inverse bind matrices stay although they were to be set.
    pub matrices: usize,
    /// The rows that locked joints hold as a whole; they count apart.
    pub kept: BTreeSet<TableRow>,
}

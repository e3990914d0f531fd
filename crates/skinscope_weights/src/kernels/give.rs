//! Weights that are given from elsewhere: the mean of many vertices, those of another vertex, copied ones.

use crate::{Given, Kernel, Reads, SAME, Shares, Table, Wish, Write, cut_noting, difference};

/// Shares that differ by less than this are equal, and their vertex stays as it is.
const EQUAL: f64 = 1e-9;

/// Gives a vertex the weights that it is given. It has no settings.
pub static AVERAGE: Kernel = Kernel {
    id: "average",
    reads: Reads::Row,
    write: Write::InOrder,
    run: |around, out| {
        let given = around.given;
        let sum: f64 = around.own.iter().map(|(_, weight)| weight).sum();
        let own: Shares = around.own.iter().map(|(key, weight)| (*key, weight / sum)).collect();
        let is_same = given.shares.is_empty() || difference(&own, given.shares) <= EQUAL;
        out.extend_from_slice(if is_same { around.own } else { given.shares });
        let wish = if is_same { Wish::SAME } else { Wish::CHANGED };
        Wish { has_lost: given.is_cut, is_unmet: given.is_short, ..wish }
    },
};

/// Gives a vertex without weight the weights that it is given. It has no settings.
pub static FILL: Kernel = Kernel {
    id: "hammer",
    reads: Reads::Row,
    write: Write::InOrder,
    run: |around, out| {
        let is_needed = around.own.is_empty() && !around.given.shares.is_empty();
        out.extend_from_slice(if is_needed { around.given.shares } else { around.own });
        if is_needed { Wish::CHANGED } else { Wish::SAME }
    },
};

/// The part of some shares that the vertices of a table can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The joints that their skin has, as many as there is room for, with weights that sum to one.
    pub shares: Shares,
    /// Whether there are more joints than there is room for.
    pub is_cut: bool,
    /// Whether their skin does not have some of the joints.
    pub is_short: bool,
}

impl Part {
    /// The part, as a kernel is given it.
    #[must_use]
    pub fn given(&self) -> Given<'_> {
        Given { shares: &self.shares, is_cut: self.is_cut, is_short: self.is_short }
    }
}

/// Returns the part of some shares, the largest first, that the vertices of a table can have.
#[must_use]
pub fn part_of(shares: &[(u32, f64)], table: &Table) -> Part {
    let mut known: Shares = Vec::new();
    for (key, weight) in shares.iter().filter(|(key, _)| table.keys.contains(key)) {
        match known.iter_mut().find(|(k, _)| k == key) {
            Some((_, sum)) => *sum += weight,
            None => known.push((*key, *weight)),
        }
    }
    let all: f64 = shares.iter().map(|(_, weight)| weight).sum();
    let is_short = all - known.iter().map(|(_, weight)| weight).sum::<f64>() > SAME * all;
    let (mut shares, is_cut) = cut_noting(known, table.per_vertex);
    let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
    match sum > 0.0 {
        true => shares.iter_mut().for_each(|(_, weight)| *weight /= sum),
        false => shares.clear(),
    }
    Part { shares, is_cut, is_short }
}

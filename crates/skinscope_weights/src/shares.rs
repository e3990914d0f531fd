//! Shares: the joints that move a vertex, each once, with their weights.
//!
//! A list of shares keeps the order in which its joints come: of equal weights the first is kept where there is no room for all, and sums are
//! added in that order, so that the same shares in the same order give the same numbers to the bit.

use crate::Table;

/// The joints that move a vertex, by their keys ([`Table::keys`]), each once, with their weights, which are above zero.
pub type Shares = Vec<(u32, f64)>;

/// What is left out by rounding alone is no more than this share of the whole.
const NOTHING: f64 = 1e-6;

/// Returns the share of a joint, by its key; 0 where it has none.
#[inline]
#[must_use]
pub fn share_of(shares: &[(u32, f64)], key: u32) -> f64 {
    shares.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, weight)| *weight)
}

/// Returns the way from one list of shares to another: `1 − strength` of the first and `strength` of the second, 0 to 1. The joints of the
/// first come first, in its order, then those that the second has beside them; what becomes nothing is left out.
#[must_use]
pub fn blend(from: &[(u32, f64)], to: &[(u32, f64)], strength: f64) -> Shares {
    let mut out: Shares = from.iter().map(|(key, weight)| (*key, weight * (1.0 - strength))).collect();
    for (key, weight) in to {
        match out.iter_mut().find(|(k, _)| k == key) {
            Some((_, sum)) => *sum += weight * strength,
            None => out.push((*key, weight * strength)),
        }
    }
    out.retain(|(_, weight)| *weight > 0.0);
    out
}

/// Returns the joints of a vertex and their weights, divided by their sum.
#[must_use]
pub fn unit_shares(table: &Table, vertex: usize) -> Shares {
    let mut shares = Vec::new();
    table.shares(vertex, &mut shares);
    let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
    shares.iter_mut().for_each(|(_, weight)| *weight /= sum);
    shares
}

/// Returns the largest difference between the shares of one joint.
#[must_use]
pub fn difference(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    // The same joints in the same order: the ordinary case.
    if a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0) {
        return a.iter().zip(b).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max);
    }
    a.iter().chain(b).map(|(key, _)| (share_of(a, *key) - share_of(b, *key)).abs()).fold(0.0, f64::max)
}

/// Returns the mean of some lists of shares, with the joints in the order in which they come.
#[must_use]
pub fn mean<'s>(lists: impl Iterator<Item = &'s [(u32, f64)]>) -> Shares {
    let mut out: Shares = Vec::new();
    let mut count = 0.0;
    for list in lists {
        count += 1.0;
        for (key, weight) in list {
            match out.iter_mut().find(|(k, _)| k == key) {
                Some((_, sum)) => *sum += weight,
                None => out.push((*key, *weight)),
            }
        }
    }
    out.iter_mut().for_each(|(_, weight)| *weight /= count);
    out
}

/// Does the same as [`cut`]; also returns whether that has left more than rounding out.
#[must_use]
pub fn cut_noting(shares: Shares, most: usize) -> (Shares, bool) {
    let sum = |shares: &[(u32, f64)]| shares.iter().map(|(_, weight)| *weight).sum::<f64>();
    let whole = sum(&shares);
    let out = cut(shares, most);
    let is_cut = whole - sum(&out) > NOTHING * whole;
    (out, is_cut)
}

/// Returns the `most` largest shares, in their order; of equal ones the first.
#[must_use]
pub fn cut(shares: Shares, most: usize) -> Shares {
    let mut ranked: Vec<usize> = (0..shares.len()).collect();
    ranked.sort_by(|a, b| shares[*b].1.total_cmp(&shares[*a].1));
    ranked.truncate(most);
    ranked.sort_unstable();
    ranked.into_iter().map(|i| shares[i]).collect()
}

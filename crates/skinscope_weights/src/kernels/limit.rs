//! The most joints of a vertex.

use crate::{Kernel, Reads, Wish, Write};

/// Keeps so many joints as the first setting says: locked ones first, then the largest, of equal ones those of the earlier pairs. They stand in
/// the first pairs.
pub static LIMIT: Kernel = Kernel {
    id: "limit",
    reads: Reads::Row,
    write: Write::InOrder,
    run: |around, out| {
        let most = around.arguments[0] as usize;
        let shares = around.own;
        if shares.len() <= most && around.filled <= most {
            out.extend_from_slice(shares);
            return Wish::SAME;
        }
        let mut ranked: Vec<usize> = (0..shares.len()).collect();
        // The sort is stable: of equal weights, that of the earlier pair stays.
        let is_locked = |at: usize| around.locked.contains(&shares[at].0);
        ranked.sort_by(|a, b| is_locked(*b).cmp(&is_locked(*a)).then_with(|| shares[*b].1.total_cmp(&shares[*a].1)));
        ranked.truncate(most);
        ranked.sort_unstable();
        out.extend(ranked.into_iter().map(|at| shares[at]));
        Wish::CHANGED
    },
};

//! Weights that are too small to matter.

use crate::{Kernel, Reads, Wish, Write};

/// Takes away the joints whose weight is below the first setting, but not the largest one. Of equal largest ones the first stays.
pub static PRUNE: Kernel = Kernel {
    id: "prune",
    reads: Reads::Row,
    write: Write::InPlace,
    run: |around, out| {
        let largest = around.own.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| *key);
        let is_small = |(key, weight): &(u32, f64)| *weight < around.arguments[0] && Some(*key) != largest;
        out.extend(around.own.iter().filter(|share| !is_small(share)));
        if out.len() == around.own.len() { Wish::SAME } else { Wish::CHANGED }
    },
};

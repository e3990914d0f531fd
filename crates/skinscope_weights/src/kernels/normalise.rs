//! Weights that sum to one.

use crate::{Kernel, Reads, Wish, Write};

/// Divides the weights of a vertex by their sum; those that are negative or no numbers become 0. It has no settings.
pub static NORMALISE: Kernel = Kernel {
    id: "normalise",
    reads: Reads::Row,
    write: Write::InPlace,
    run: |around, out| {
        out.extend_from_slice(around.own);
        if around.is_normal { Wish::SAME } else { Wish::CHANGED }
    },
};

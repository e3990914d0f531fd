//! Weights that go on smoothly along the surface.

use crate::{Kernel, Reads, Wish, Write, mean, share_of};

/// Gives a vertex the mean of its neighbours' weights: with a strength of one half it goes half way. It has no settings.
pub static SMOOTH: Kernel = Kernel {
    id: "smooth",
    reads: Reads::Neighbours,
    write: Write::Keep,
    run: |around, out| {
        if around.own.is_empty() || around.neighbours.is_empty() {
            out.extend_from_slice(around.own);
            return Wish::SAME;
        }
        // Its own joints come first, in their order.
        let mean = mean(around.neighbours.iter().copied());
        out.extend(around.own.iter().map(|(key, _)| (*key, share_of(&mean, *key))));
        out.extend(mean.iter().filter(|(key, _)| !around.own.iter().any(|(own, _)| own == key)));
        out.retain(|(_, weight)| *weight > 0.0);
        Wish::CHANGED
    },
};

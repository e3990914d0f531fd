//! The operation that removes small weights.

use skinscope_weights::kernels;

use super::{Operation, by_row};

/// The operation that removes weights below a threshold.
pub static PRUNE: Operation = Operation {
    id: "prune",
    label: "Prune small weights",
    tool: "Prune",
    help: "Take away the joints whose weight for a vertex is below W, but not its largest, and normalise what is left",
    argument: "W",
    repairs: &[],
    run: |sheet, settings| by_row::run(&kernels::PRUNE, sheet, [settings.threshold, 0.0, 0.0, 0.0]),
};

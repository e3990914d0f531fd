//! The operation that makes weights sum to one.

use skinscope_weights::kernels;

use super::{Group, Left, Operation, by_row};

/// The operation that makes the weights of every vertex sum to one.
pub(crate) static NORMALISE: Operation = Operation {
    id: "normalise",
    label: "Normalise weights",
    tool: "Normalise",
    icon: "SCALES",
    group: Group::Clean,
    place: 0,
    help: "Divide the weights of every vertex by their sum, over all sets; negative weights and those that are no numbers become 0",
    repairs: &["weights-sum", "weights-sum-255", "weights-negative", "weights-not-finite"],
    by_result: true,
    left: |after| Left::locked(!after.table.is_normal(after.row)),
    run: |sheet, _| by_row::run(&kernels::NORMALISE, sheet, [0.0; 4]),
    ..Operation::ROW
};

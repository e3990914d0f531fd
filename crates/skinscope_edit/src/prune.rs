//! The operation that removes small weights.

use skinscope_weights::kernels;

use super::{AfterRow, Group, Kept, Left, NumberKind, Operation, Parameter, ParameterKind, by_row};

/// The weight below which a joint goes.
static THRESHOLD: Parameter = Parameter {
    id: "threshold",
    label: "Threshold",
    help: "Weights below it go, and the others of the vertex take their share",
    kind: ParameterKind::Number(NumberKind {
        slider: [0.0, 0.2],
        default: 0.01,
        decimals: 3,
        noun: "weight",
        kept: Some(Kept { get: |settings| settings.threshold, set: |settings, value| settings.threshold = value }),
        ..NumberKind::ROW
    }),
    ..Parameter::ROW
};

/// The operation that removes weights below a threshold.
pub(crate) static PRUNE: Operation = Operation {
    id: "prune",
    label: "Prune small weights",
    tool: "Prune",
    icon: "SCISSORS",
    group: Group::Clean,
    place: 1,
    help: "Take away the joints whose weight for a vertex is below W, but not its largest, and normalise what is left",
    argument: "W",
    parameters: &[&THRESHOLD],
    by_result: true,
    left: |after| Left::locked(keeps_small(after)),
    run: |sheet, settings| by_row::run(&kernels::PRUNE, sheet, [settings.threshold, 0.0, 0.0, 0.0]),
    ..Operation::ROW
};

/// Returns whether a locked joint has a share below the threshold and is not the largest, which pruning leaves.
fn keeps_small(after: &AfterRow) -> bool {
    let AfterRow { shares, locked, settings, .. } = after;
    let largest = shares.iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(key, _)| *key);
    shares.iter().any(|(key, weight)| *weight < settings.threshold && Some(*key) != largest && locked.contains(key))
}

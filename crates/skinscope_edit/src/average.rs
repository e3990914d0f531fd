//! Operations that give many vertices the same weights: the mean of their own, or those that were copied from others.

use skinscope_model::NodeId;
use skinscope_weights::{kernels, mean, unit_shares};

use super::operation_row::vertices_get;
use super::refusal::{is_joint, name};
use super::{Group, JointNumbers, Operation, Parameter, ParameterKind, Refusal, Settings, Sheet, by_row};

/// The weights that vertices get.
static COPIED: Parameter = Parameter {
    id: "copied",
    label: "Weights",
    help: "Joints and their weights",
    kind: ParameterKind::Copied,
    ..Parameter::ROW
};

/// The operation that gives vertices the mean of their weights.
pub(crate) static AVERAGE: Operation = Operation {
    id: "average",
    label: "Average weights",
    tool: "Average",
    icon: "APPROXIMATE_EQUALS",
    group: Group::Blend,
    place: 2,
    help: "Give all vertices the mean of their weights",
    refuse: |sheet, _: &Settings| if mean_of(sheet).is_empty() { Err(Refusal::NoMean) } else { Ok(()) },
    room: lacks_joints,
    run: |sheet, _: &Settings| {
        let shares = mean_of(sheet);
        give(sheet, &shares);
    },
    ..Operation::ROW
};

/// The operation that gives vertices weights that were copied from others.
pub(crate) static PASTE: Operation = Operation {
    id: "paste",
    label: "Paste weights",
    tool: "Paste",
    icon: "CLIPBOARD",
    group: Group::Copy,
    place: 1,
    help: "Give all vertices these weights",
    more: ": JOINT=WEIGHT, with commas between",
    argument: "WEIGHTS",
    parameters: &[&COPIED],
    refuse: moves_some,
    numbers: JointNumbers::Any,
    room: lacks_joints,
    run: |sheet, settings| {
        let shares: Vec<(u32, f64)> = settings.copied.iter().map(|(node, weight)| (node.0, *weight)).collect();
        give(sheet, &shares);
    },
    ..Operation::ROW
};

/// Returns the mean of the weights of all vertices that may change, as keys of joints with their shares, the largest
/// first. Vertices without weight do not count.
#[must_use]
pub fn mean_of(sheet: &Sheet) -> Vec<(u32, f64)> {
    let mut lists = Vec::new();
    for (number, table) in sheet.tables.iter().enumerate() {
        let rows = (0..table.vertices()).filter(|row| sheet.bounds.has(number, *row));
        lists.extend(rows.map(|row| unit_shares(table, row)).filter(|shares| !shares.is_empty()));
    }
    let mut out = mean(lists.iter().map(|list| &list[..]));
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    out
}

/// Gives all vertices that may change the largest of some shares, as many as each has room for.
fn give(sheet: &mut Sheet, shares: &[(u32, f64)]) {
    by_row::run_given(&kernels::AVERAGE, sheet, [0.0; 4], &|table| Some(kernels::part_of(shares, table)));
}

/// Checks that some of the joints whose weights are given belong to a skin that moves vertices.
fn moves_some(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let first = settings.copied.first().map(|(joint, _)| *joint);
    let known = |(joint, weight): &(NodeId, f64)| *weight > 0.0 && is_joint(sheet, Some(*joint)).is_ok();
    if settings.copied.iter().any(known) {
        Ok(())
    } else {
        first.map_or(Ok(()), |joint| Err(Refusal::NoJoint(name(sheet.model, joint))))
    }
}

/// Says that joints of the wanted weights are not in a skin.
fn lacks_joints(vertices: usize) -> String {
    format!("{} only a part of what is asked for: their skin does not have all of the joints", vertices_get(vertices))
}

//! Operations on the influence of a joint: to remove it, and to give it to another.

use std::collections::BTreeMap;

use skinscope_model::{Model, NodeId, SkinId};

use skinscope_weights::{Bounds, RowTask, Table, TableRow, kernels};

use super::parameter::JOINT;
use super::refusal::{is_joint, name, skins_of};
use super::{
    ChoiceKind, ChoiceWord, Group, JointKind, JointNumbers, Kept, Operation, Parameter, ParameterKind, Refusal,
    Settings, Sheet, Stays, by_row, hammer,
};

/// Where the weight of a joint goes that is taken off.
static SPREAD: Parameter = Parameter {
    id: "spread",
    label: "Its weight",
    help: "Where the weight of the joint goes",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "", label: "To parent", help: "Its weight goes to the nearest joint above it" },
            ChoiceWord {
                id: "spread",
                label: "Spread",
                help: "Its weight goes to the other joints of each vertex; one that it moves alone takes the weights of the nearest",
            },
        ],
        kept: Some(Kept {
            get: |settings| usize::from(settings.spread),
            set: |settings, chosen| settings.spread = chosen == 1,
        }),
        ..ChoiceKind::ROW
    }),
    ..Parameter::ROW
};

/// The joint that takes the place of another.
static OTHER: Parameter = Parameter {
    id: "other",
    label: "By",
    help: "The joint that gets the weight",
    kind: ParameterKind::Joint(JointKind {
        takes_selected: false,
        kept: Kept { get: |settings| settings.other, set: |settings, joint| settings.other = joint },
    }),
    ..Parameter::ROW
};

/// The operation that takes a joint off vertices and gives its weight to others.
pub(crate) static REMOVE_JOINT: Operation = Operation {
    id: "remove-joint",
    label: "Remove joint",
    tool: "Remove joint",
    short: "Remove",
    icon: "MINUS_CIRCLE",
    group: Group::Joint,
    place: 1,
    help: "Take a joint off all vertices: its weight goes to the nearest joint above it, or to the other joints of the vertex; one \
           that it moved alone then takes the weights of the nearest vertex",
    more: " (with :spread after the name)",
    argument: "JOINT",
    repairs: &["far-influence", "bleeding"],
    parameters: &[&JOINT, &SPREAD],
    // The joint above is as far from the vertices of such a finding as the one that is taken off.
    for_finding: |settings| settings.spread = true,
    refuse: |sheet, settings| is_joint(sheet, settings.joint),
    numbers: JointNumbers::Named,
    stays: Some(&TAKEN_OFF),
    run: remove,
    ..Operation::ROW
};

/// What is said of vertices that keep the joint.
static TAKEN_OFF: Stays =
    Stays { is_as_asked: |weight, _: &Settings| weight <= 0.0, refusal: Refusal::NoHeir, why: Stays::WHY };

/// The operation that gives the weight of one joint to another.
pub(crate) static REPLACE_JOINT: Operation = Operation {
    id: "replace-joint",
    label: "Replace joint",
    tool: "Replace joint",
    short: "Replace",
    icon: "SWAP",
    group: Group::Joint,
    place: 2,
    help: "Give the weight of a joint to another one",
    argument: "JOINT=OTHER",
    parameters: &[&JOINT, &OTHER],
    refuse: replaces,
    numbers: JointNumbers::Named,
    stays: Some(&TAKEN_OFF),
    run: replace,
    ..Operation::ROW
};

fn remove(sheet: &mut Sheet, settings: &Settings) {
    let Some(joint) = settings.joint else { return };
    let bounds = sheet.bounds.clone();
    // The vertices that nothing else moves, where the weight is not to go to the joint above.
    let mut alone: BTreeMap<TableRow, Vec<(u16, f64)>> = BTreeMap::new();
    for (number, table) in sheet.tables.iter_mut().enumerate() {
        if settings.spread {
            take_alone(table, number, &bounds, joint.0, &mut alone);
        }
        let above = above(sheet.model, table, joint, &bounds);
        let heir =
            kernels::Part { shares: above.map(|above| (above, 1.0)).into_iter().collect(), ..Default::default() };
        let arguments = [f64::from(joint.0), f64::from(u8::from(settings.spread)), 0.0, 0.0];
        let task = RowTask { neighbours: &[], given: heir.given(), locked: &bounds.locked, arguments };
        for row in (0..table.vertices()).filter(|row| bounds.has(number, *row)) {
            kernels::TAKE.change_row(table, row, &task);
        }
    }
    if alone.is_empty() {
        return;
    }
    hammer::fill(sheet, &|at| alone.contains_key(&at));
    // Where no vertex has other weights, the joint above takes it after all.
    for (TableRow { table, row }, pairs) in alone {
        let table = &mut sheet.tables[table];
        if table.sum(row) > 0.0 {
            continue;
        }
        for (slot, (joint, weight)) in table.slots(row).zip(pairs) {
            (table.joints[slot], table.weights[slot]) = (joint, weight);
        }
        if let Some(above) = above(sheet.model, table, joint, &bounds) {
            table.put(row, &[(above, 1.0)]);
        }
    }
}

/// Empties every vertex that may change and that the joint moves alone, and notes its pairs by table and row. The joint itself may
/// not be locked.
fn take_alone(
    table: &mut Table,
    number: usize,
    bounds: &Bounds,
    key: u32,
    out: &mut BTreeMap<TableRow, Vec<(u16, f64)>>,
) {
    let mut shares = Vec::new();
    let may = |row: &usize| bounds.has(number, *row) && !bounds.locked.contains(&key);
    for row in (0..table.vertices()).filter(may) {
        table.shares(row, &mut shares);
        if !matches!(shares[..], [(only, _)] if only == key) {
            continue;
        }
        let slots = table.slots(row);
        out.insert(
            TableRow { table: number, row },
            slots.clone().map(|slot| (table.joints[slot], table.weights[slot])).collect(),
        );
        slots.for_each(|slot| table.empty(row, slot));
    }
}

fn replace(sheet: &mut Sheet, settings: &Settings) {
    let (Some(joint), Some(other)) = (settings.joint, settings.other) else { return };
    let heir = kernels::Part { shares: vec![(other.0, 1.0)], ..Default::default() };
    by_row::run_given(&kernels::TAKE, sheet, [f64::from(joint.0), 0.0, 0.0, 0.0], &|table| {
        (table.keys.contains(&other.0) && joint != other).then(|| heir.clone())
    });
}

/// Returns the key of the nearest ancestor of a joint that the skin has and that is not locked.
fn above(model: &Model, table: &Table, joint: NodeId, bounds: &Bounds) -> Option<u32> {
    let parents = &model.skeleton.parents;
    let mut at = parents.get(joint.index()).copied().flatten();
    while let Some(node) = at {
        if table.keys.contains(&node.0) && !bounds.locked.contains(&node.0) {
            return Some(node.0);
        }
        at = parents[node.index()];
    }
    None
}

/// Checks that the joint which gets the weights of another is of its skin.
fn replaces(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    let (Some(joint), Some(other)) = (settings.joint, settings.other) else { return Ok(()) };
    is_joint(sheet, Some(joint))?;
    if joint == other {
        return Err(Refusal::Itself(name(sheet.model, joint)));
    }
    let has = |skin: SkinId, node: NodeId| sheet.model.skins[skin.index()].joints.contains(&node);
    let skins = || sheet.tables.iter().flat_map(|table| skins_of(sheet.model, table)).map(|(.., skin)| skin);
    if skins().any(|skin| has(skin, joint) && has(skin, other)) {
        return Ok(());
    }
    Err(Refusal::OtherSkin { joint: name(sheet.model, joint), other: name(sheet.model, other) })
}

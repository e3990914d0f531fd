//! The operation that repairs findings of the checker.

use skinscope_inspect::check::is_bound_elsewhere;
use skinscope_model::PrimitiveId;

use super::rogues::{self, found};
use skinscope_weights::{Given, RowTask, Table, TableRow, kernels};

use super::operation_row::still_found;
use super::{Group, Operation, Parameter, ParameterKind, Settings, Sheet, binds, hammer, weld};

/// The rules whose findings are repaired.
static CHOSEN: Parameter = Parameter {
    id: "repaired-rules",
    label: "Rules",
    help: "The rules whose findings are repaired",
    kind: ParameterKind::Rules,
    ..Parameter::ROW
};

/// The operation that repairs the findings of the given rules.
pub static RULES: Operation = Operation {
    id: "rules",
    label: "Repair findings",
    tool: "Repair",
    icon: "WRENCH",
    group: Group::Repair,
    place: 0,
    help: "Repair what these rules of the checker find",
    more: ": their names with commas between, or `all` of them that can be repaired",
    argument: "RULES",
    parameters: &[&CHOSEN],
    chosen: Some(chosen),
    asks_again: true,
    by_result: true,
    room: still_found,
    run: repair,
    ..Operation::ROW
};

/// The repair of what a rule of the checker finds.
struct Repair {
    /// The id of the rule.
    rule: &'static str,
    /// Repairs what the rule of this id finds.
    run: fn(&mut Sheet, &'static str),
}

/// Every repair, in the order in which they are done.
const REPAIRS: &[Repair] = &[
    Repair {
        rule: "weights-not-finite",
        run: |sheet, rule| {
            normalise(sheet, rule);
            hammer::hammer(sheet);
        },
    },
    Repair { rule: "weights-negative", run: normalise },
    Repair {
        rule: "weights-zero",
        run: |sheet, rule| {
            if !at_fault(sheet, rule).is_empty() {
                hammer::hammer(sheet);
            }
        },
    },
    Repair {
        rule: "joint-duplicate",
        run: |sheet, rule| at_fault(sheet, rule).iter().for_each(|at| merge(&mut sheet.tables[at.table], at.row)),
    },
    Repair { rule: "too-many-influences", run: limit },
    Repair { rule: "rogue-vertices", run: |sheet, _| rogues::remove(sheet) },
    Repair { rule: "seam-weights", run: weld },
    Repair { rule: "weights-sum", run: normalise },
    Repair { rule: "weights-sum-255", run: normalise },
    // A skin that was bound as a whole in another pose may be intended.
    Repair { rule: "inverse-bind-mismatch", run: |sheet, _| binds::set(sheet, None, &is_bound_elsewhere) },
];

/// The ids of the checker's rules that can be repaired, in the order in which that is done.
pub static REPAIRED: &[&str] = &{
    let mut ids = [""; REPAIRS.len()];
    let mut at = 0;
    while at < ids.len() {
        ids[at] = REPAIRS[at].rule;
        at += 1;
    }
    ids
};

/// How many influences remain where there are too many.
const LIMIT: f64 = 4.0;

fn chosen(settings: &Settings) -> &[&'static str] {
    &settings.rules
}

fn repair(sheet: &mut Sheet, settings: &Settings) {
    for repair in REPAIRS.iter().filter(|repair| settings.rules.contains(&repair.rule)) {
        (repair.run)(sheet, repair.rule);
    }
}

fn normalise(sheet: &mut Sheet, rule: &'static str) {
    for TableRow { table, row } in at_fault(sheet, rule) {
        sheet.tables[table].normalise(row);
    }
}

fn limit(sheet: &mut Sheet, rule: &'static str) {
    let rows = at_fault(sheet, rule);
    let Sheet { tables, bounds, .. } = &mut *sheet;
    let (given, arguments) = (Given::default(), [LIMIT, 0.0, 0.0, 0.0]);
    let task = RowTask { neighbours: &[], given, locked: &bounds.locked, arguments };
    for TableRow { table, row } in rows {
        kernels::LIMIT.change_row(&mut tables[table], row, &task);
    }
}

fn weld(sheet: &mut Sheet, rule: &'static str) {
    let findings = found(sheet, rule);
    weld::weld(sheet, &|at, vertex| {
        findings.iter().any(|f| {
            let here = f.mesh == Some(at.mesh) && f.primitive == Some(at.primitive);
            here && f.vertices.binary_search(&vertex).is_ok()
        })
    });
}

/// Returns the rows that a rule finds fault with.
fn at_fault(sheet: &Sheet, rule: &'static str) -> Vec<TableRow> {
    let mut out = Vec::new();
    for finding in found(sheet, rule) {
        let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { continue };
        if let Some(table) = sheet.table_of(PrimitiveId { mesh, primitive }) {
            out.extend(finding.vertices.iter().map(|vertex| TableRow { table, row: *vertex as usize }));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Moves all weight of each joint into its first pair.
fn merge(table: &mut Table, row: usize) {
    let slots: Vec<usize> = table.slots(row).collect();
    for (i, slot) in slots.iter().enumerate() {
        let twice = |other: &&usize| {
            table.key(table.joints[**other]) == table.key(table.joints[*slot]) && table.weights[**other] > 0.0
        };
        if table.weights[*slot] > 0.0
            && let Some(first) = slots[..i].iter().find(twice).copied()
        {
            table.weights[first] += table.weights[*slot];
            table.empty(row, *slot);
        }
    }
}

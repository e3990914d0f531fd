//! The operation that repairs findings of the checker.

use skinscope_inspect::check::is_bound_elsewhere;
use skinscope_model::PrimitiveId;

use super::rogues::{self, found};
use skinscope_weights::{Given, RowTask, Table, TableRow, kernels};

use super::{Operation, Settings, Sheet, binds, hammer, weld};

/// The operation that repairs the findings of the given rules.
pub static RULES: Operation = Operation {
    id: "rules",
    label: "Repair findings",
    tool: "Repair",
    help: "Repair what these rules of the checker find",
    argument: "RULES",
    repairs: &[],
    run: repair,
};

/// The ids of the checker's rules that can be repaired, in the order in which that is done.
pub static REPAIRED: &[&str] = &[
    "weights-not-finite",
    "weights-negative",
    "weights-zero",
    "joint-duplicate",
    "too-many-influences",
    "rogue-vertices",
    "seam-weights",
    "weights-sum",
    "weights-sum-255",
    "inverse-bind-mismatch",
];

/// How many influences remain where there are too many.
const LIMIT: f64 = 4.0;

fn repair(sheet: &mut Sheet, settings: &Settings) {
    for rule in REPAIRED.iter().copied().filter(|rule| settings.rules.contains(rule)) {
        match rule {
            "weights-not-finite" | "weights-negative" | "weights-sum" | "weights-sum-255" => {
                for TableRow { table, row } in at_fault(sheet, rule) {
                    sheet.tables[table].normalise(row);
                }
                if rule == "weights-not-finite" {
                    hammer::hammer(sheet);
                }
            }
            "weights-zero" if !at_fault(sheet, rule).is_empty() => hammer::hammer(sheet),
            "joint-duplicate" => at_fault(sheet, rule).iter().for_each(|at| merge(&mut sheet.tables[at.table], at.row)),
            "too-many-influences" => {
                let rows = at_fault(sheet, rule);
                let Sheet { tables, bounds, .. } = &mut *sheet;
                let (given, arguments) = (Given::default(), [LIMIT, 0.0, 0.0, 0.0]);
                let task = RowTask { neighbours: &[], given, locked: &bounds.locked, arguments };
                for TableRow { table, row } in rows {
                    kernels::LIMIT.change_row(&mut tables[table], row, &task);
                }
            }
            "rogue-vertices" => rogues::remove(sheet),
            "seam-weights" => {
                let findings = found(sheet, rule);
                weld::weld(sheet, &|at, vertex| {
                    findings.iter().any(|f| {
                        let here = f.mesh == Some(at.mesh) && f.primitive == Some(at.primitive);
                        here && f.vertices.binary_search(&vertex).is_ok()
                    })
                });
            }
            // A skin that was bound as a whole in another pose may be intended.
            "inverse-bind-mismatch" => binds::set(sheet, None, &is_bound_elsewhere),
            _ => {}
        }
    }
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

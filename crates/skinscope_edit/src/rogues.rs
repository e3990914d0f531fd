//! The operation that removes rogue influences: joints that move vertices far from the region where they belong.

use skinscope_inspect::check::{CheckOptions, Finding, check};
use skinscope_model::PrimitiveId;

use skinscope_weights::{RestSurface, TableRow, clean, mean, unit_shares};

use super::operation_row::still_found;
use super::{Group, Operation, Settings, Sheet, hammer};

/// The operation that removes rogue influences.
pub(crate) static REMOVE_ROGUES: Operation = Operation {
    id: "remove-rogues",
    label: "Remove rogue vertices",
    tool: "Rogues",
    icon: "BUG",
    group: Group::Repair,
    place: 1,
    help: "Take joints off the vertices that are cut off from where they move the rest, and share their weight among the others",
    repairs: &["rogue-vertices"],
    asks_again: true,
    room: still_found,
    run: |sheet, _: &Settings| remove(sheet),
    ..Operation::ROW
};

/// The rule is asked at most this many times, since removing a rogue may reveal another.
const ROUNDS: usize = 8;
/// The other joints of a vertex decide where it belongs if they have this much of its weight.
const ENOUGH: f64 = 0.02;

/// Removes all rogues that the rule of the checker finds.
pub(super) fn remove(sheet: &mut Sheet) {
    for _ in 0..ROUNDS {
        let findings = found(sheet, "rogue-vertices");
        if findings.is_empty() || sheet.context.is_cancelled() {
            return;
        }
        let mut without: Vec<TableRow> = Vec::new();
        for finding in &findings {
            let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { continue };
            let Some(table) = sheet.table_of(PrimitiveId { mesh, primitive }) else { continue };
            for vertex in &finding.vertices {
                let at = TableRow { table, row: *vertex as usize };
                for joint in &finding.joints {
                    take_off(sheet, at, joint.0);
                }
                if sheet.tables[table].sum(at.row) < ENOUGH {
                    without.push(at);
                }
            }
        }
        without.sort_unstable();
        without.dedup();
        give_surroundings(sheet, &without);
        for finding in &findings {
            let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { continue };
            let Some(table) = sheet.table_of(PrimitiveId { mesh, primitive }) else { continue };
            finding.vertices.iter().for_each(|vertex| sheet.tables[table].normalise(*vertex as usize));
        }
    }
}

/// Returns the findings of a rule in what would be stored now.
pub(super) fn found(sheet: &Sheet, rule: &'static str) -> Vec<Finding> {
    let options = CheckOptions { rules: Some(vec![rule]), ..CheckOptions::default() };
    let report = sheet.to_model().and_then(|model| check(&model, &options, sheet.context.cancel_flag()));
    report.map(|report| report.findings).unwrap_or_default()
}

fn take_off(sheet: &mut Sheet, TableRow { table, row }: TableRow, key: u32) {
    let table = &mut sheet.tables[table];
    for slot in table.slots(row) {
        if clean(table.weights[slot]) > 0.0 && table.key(table.joints[slot]) == key {
            table.empty(row, slot);
        }
    }
}

/// Gives vertices that nothing else moves the mean of the weights around them, ring after ring.
fn give_surroundings(sheet: &mut Sheet, rows: &[TableRow]) {
    let is_without = |row: &TableRow| rows.binary_search(row).is_ok();
    for TableRow { table, row } in rows {
        let table = &mut sheet.tables[*table];
        table.slots(*row).for_each(|slot| table.empty(*row, slot));
    }
    let surfaces = sheet.surfaces().to_vec();
    loop {
        let mut given = Vec::new();
        for surface in &surfaces {
            for vertex in 0..surface.mesh.vertex_count() {
                let row = surface.row(vertex);
                if is_without(&row) && sheet.tables[row.table].sum(row.row) <= 0.0 {
                    let shares = around(sheet, surface, vertex);
                    given.extend((!shares.is_empty()).then_some((row, shares)));
                }
            }
        }
        if given.is_empty() {
            break;
        }
        for (at, shares) in &given {
            if sheet.tables[at.table].put_in_order(at.row, shares) {
                sheet.lacks.pairs.insert(*at);
            }
        }
    }
    if rows.iter().any(|at| sheet.tables[at.table].sum(at.row) <= 0.0) {
        hammer::hammer(sheet);
    }
}

/// Returns the mean of the weights of the vertices that are welded with this one; where they have none, of the neighbours.
fn around(sheet: &Sheet, surface: &RestSurface, vertex: u32) -> Vec<(u32, f64)> {
    let welded = surface.mesh.point(vertex);
    let of = |welded: u32| {
        let rows = surface.members(welded).iter().map(|v| surface.row(*v));
        let lists: Vec<_> =
            rows.map(|at| unit_shares(&sheet.tables[at.table], at.row)).filter(|s| !s.is_empty()).collect();
        mean(lists.iter().map(|list| &list[..]))
    };
    let own = of(welded);
    if !own.is_empty() {
        return own;
    }
    let lists: Vec<_> = surface.neighbours(welded).iter().map(|n| of(*n)).filter(|s| !s.is_empty()).collect();
    mean(lists.iter().map(|list| &list[..]))
}

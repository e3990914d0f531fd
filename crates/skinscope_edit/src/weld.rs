//! The operation that gives vertices on both sides of a seam the same weights.

use std::collections::BTreeSet;

use skinscope_base::math::{Csr, DisjointSets};
use skinscope_inspect::check;
use skinscope_model::PrimitiveId;
use skinscope_weights::{Table, TableRow, cut_noting, difference, mean, unit_shares};

use super::operation_row::still_found;
use super::{Group, Operation, Settings, Sheet};

/// The operation that gives vertices on both sides of a seam the same weights.
pub(crate) static WELD_SEAMS: Operation = Operation {
    id: "weld-seams",
    label: "Weld seams",
    tool: "Weld seams",
    icon: "LINK",
    group: Group::Repair,
    place: 2,
    help: "Give vertices of one place, where the surface goes on, the mean of their weights",
    repairs: &["seam-weights"],
    asks_again: true,
    room: still_found,
    run: |sheet, _: &Settings| weld(sheet, &|_, _| true),
    ..Operation::ROW
};

/// Shares that differ by less than this count as equal.
const SAME: f64 = 1e-6;

/// Seams are searched again until nothing changes, at most this often, since which vertices continue each other may
/// depend on their weights.
const ROUNDS: usize = 4;

/// Welds the seams for one of whose vertices, a primitive and a number there, `wanted` returns true.
pub(super) fn weld(sheet: &mut Sheet, wanted: &dyn Fn(PrimitiveId, u32) -> bool) {
    for _ in 0..ROUNDS {
        let Some(model) = sheet.to_model() else { return };
        let mut changed = false;
        for surface in check::surfaces(&model) {
            let mut groups = DisjointSets::new(surface.mesh.vertex_count() as usize);
            check::meetings(&surface).iter().for_each(|[a, b]| groups.join(*a, *b));
            let (group_of, count) = groups.numbered();
            let groups = Csr::new(count, group_of.into_iter().zip(0..));
            for group in groups.rows().filter(|group| group.len() > 1) {
                let at = |vertex: &u32| {
                    let (part, stored) = surface.stored(*vertex);
                    let check::SkinPart { mesh, primitive, .. } = *part;
                    (PrimitiveId { mesh, primitive }, stored)
                };
                if group.iter().map(at).any(|(primitive, vertex)| wanted(primitive, vertex)) {
                    let row = |(primitive, vertex)| {
                        Some(TableRow { table: sheet.table_of(primitive)?, row: vertex as usize })
                    };
                    let mut rows: Vec<TableRow> = group.iter().map(at).filter_map(row).collect();
                    rows.sort_unstable();
                    rows.dedup();
                    changed |= join(&mut sheet.tables, &rows, &mut sheet.lacks.pairs);
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// A row and the shares of its joints: key and weight.
pub(super) type RowShares = (TableRow, Vec<(u32, f64)>);

/// Gives all rows the mean of their shares; returns false where they agree already. Rows without weight take no part. Those that have no pair
/// for some of the mean are added to `without_pair`.
pub(super) fn join(tables: &mut [Table], rows: &[TableRow], without_pair: &mut BTreeSet<TableRow>) -> bool {
    let all: Vec<RowShares> = rows
        .iter()
        .map(|row| (*row, unit_shares(&tables[row.table], row.row)))
        .filter(|(_, s)| !s.is_empty())
        .collect();
    let Some((_, first)) = all.first() else { return false };
    if all.iter().all(|(_, shares)| difference(first, shares) <= SAME) {
        return false;
    }
    let mean = mean(all.iter().map(|(_, shares)| &shares[..]));
    let most = all.iter().map(|(at, _)| tables[at.table].per_vertex).min().unwrap_or(0);
    let (mean, is_cut) = cut_noting(mean, most);
    without_pair.extend(all.iter().filter(|_| is_cut).map(|(at, _)| *at));
    for (at, _) in &all {
        tables[at.table].put_in_order(at.row, &mean);
    }
    true
}

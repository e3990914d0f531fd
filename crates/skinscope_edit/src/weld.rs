//! The operation that gives vertices on both sides of a seam the same weights.

use std::collections::BTreeSet;

use skinscope_base::math::{Csr, DisjointSets};
use skinscope_inspect::check;
use skinscope_model::PrimitiveId;

use super::{Operation, Settings, Sheet, Table, TableRow};

/// The operation that gives vertices on both sides of a seam the same weights.
pub static WELD_SEAMS: Operation = Operation {
    id: "weld-seams",
    label: "Weld seams",
    tool: "Weld seams",
    help: "Give vertices of one place, where the surface goes on, the mean of their weights",
    argument: "",
    repairs: &["seam-weights"],
    run: |sheet, _: &Settings| weld(sheet, &|_, _| true),
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

/// Returns the joints of a vertex and their weights, divided by their sum.
pub(super) fn unit_shares(table: &Table, vertex: usize) -> Vec<(u32, f64)> {
    let mut shares = Vec::new();
    table.shares(vertex, &mut shares);
    let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
    shares.iter_mut().for_each(|(_, weight)| *weight /= sum);
    shares
}

/// Returns the largest difference between the shares of one joint.
pub(super) fn difference(a: &[(u32, f64)], b: &[(u32, f64)]) -> f64 {
    let of = |list: &[(u32, f64)], key: u32| list.iter().find(|(k, _)| *k == key).map_or(0.0, |(_, weight)| *weight);
    a.iter().chain(b).map(|(key, _)| (of(a, *key) - of(b, *key)).abs()).fold(0.0, f64::max)
}

/// Returns the mean of some lists of shares, with the joints in the order in which they come.
pub(super) fn mean<'s>(lists: impl Iterator<Item = &'s [(u32, f64)]>) -> Vec<(u32, f64)> {
    let mut out: Vec<(u32, f64)> = Vec::new();
    let mut count = 0.0;
    for list in lists {
        count += 1.0;
        for (key, weight) in list {
            match out.iter_mut().find(|(k, _)| k == key) {
                Some((_, sum)) => *sum += weight,
                None => out.push((*key, *weight)),
            }
        }
    }
    out.iter_mut().for_each(|(_, weight)| *weight /= count);
    out
}

/// Does the same as [`cut`]; also returns whether that has left more than rounding out.
pub(super) fn cut_noting(shares: Vec<(u32, f64)>, most: usize) -> (Vec<(u32, f64)>, bool) {
    let sum = |shares: &[(u32, f64)]| shares.iter().map(|(_, weight)| *weight).sum::<f64>();
    let whole = sum(&shares);
    let out = cut(shares, most);
    let is_cut = whole - sum(&out) > SAME * whole;
    (out, is_cut)
}

/// Returns the `most` largest shares, in their order; of equal ones the first.
pub(super) fn cut(shares: Vec<(u32, f64)>, most: usize) -> Vec<(u32, f64)> {
    let mut ranked: Vec<usize> = (0..shares.len()).collect();
    ranked.sort_by(|a, b| shares[*b].1.total_cmp(&shares[*a].1));
    ranked.truncate(most);
    ranked.sort_unstable();
    ranked.into_iter().map(|i| shares[i]).collect()
}

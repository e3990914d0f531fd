//! The operation that gives weights to vertices that have none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skinscope_base::math::BoxTree;

use skinscope_weights::{Given, RestSurface, RowTask, TableRow, clean, kernels};

use super::operation_row::vertices_still_have;
use super::refusal::mesh_name;
use super::{Group, Left, Operation, Refusal, Settings, Sheet};

/// The operation that gives unweighted vertices the weights of the nearest weighted ones.
pub static HAMMER: Operation = Operation {
    id: "hammer",
    label: "Hammer weights",
    tool: "Hammer",
    icon: "HAMMER",
    group: Group::Blend,
    place: 1,
    help: "Give vertices without any weight those of the nearest vertex that has some, along the edges of the surface",
    repairs: &["weights-zero"],
    refuse: |sheet, _: &Settings| has_weights(sheet),
    left: |after| if after.shares.is_empty() { Left::Room } else { Left::Nothing },
    room: |vertices| format!("{} no weight: no vertex has any that they could take", vertices_still_have(vertices)),
    run: |sheet, _: &Settings| hammer(sheet),
    ..Operation::ROW
};

/// Gives weights to every vertex that has no positive weight.
pub(super) fn hammer(sheet: &mut Sheet) {
    fill(sheet, &|_| true);
}

/// Gives weights to those vertices without positive weight that `wanted` names.
pub(super) fn fill(sheet: &mut Sheet, wanted: &dyn Fn(TableRow) -> bool) {
    let surfaces = sheet.surfaces().to_vec();
    let mut copies: Vec<(TableRow, TableRow)> = Vec::new();
    for surface in &surfaces {
        let is_good = |v: &u32| {
            let TableRow { table, row } = surface.row(*v);
            sheet.tables[table].sum(row) > 0.0
        };
        // For each welded vertex, the first of its members that has weights.
        let good: Vec<Option<u32>> = (0..surface.positions.len() as u32)
            .map(|welded| surface.members(welded).iter().copied().find(|v| is_good(v)))
            .collect();
        let bad = (0..surface.mesh.vertex_count()).filter(|v| !is_good(v) && wanted(surface.row(*v)));
        let bad: Vec<u32> = bad.collect();
        if bad.is_empty() || good.iter().all(Option::is_none) {
            continue;
        }
        let source = nearest(surface, &good, &bad);
        for vertex in bad {
            if let Some(from) = source[surface.mesh.point(vertex) as usize].and_then(|welded| good[welded as usize]) {
                copies.push((surface.row(vertex), surface.row(from)));
            }
        }
    }
    copies.iter().for_each(|(to, from)| copy(sheet, *to, *from));
}

/// Copies the positive weights: pair by pair, where both vertices have as many.
fn copy(sheet: &mut Sheet, TableRow { table, row }: TableRow, source: TableRow) {
    if table != source.table {
        let mut shares = Vec::new();
        sheet.tables[source.table].shares(source.row, &mut shares);
        let given = Given { shares: &shares, ..Given::default() };
        let task = RowTask { neighbours: &[], given, locked: &sheet.bounds.locked, arguments: [0.0; 4] };
        let wish = kernels::FILL.change_row(&mut sheet.tables[table], row, &task);
        sheet.lacks.pairs.extend(wish.has_lost.then_some(TableRow { table, row }));
        return;
    }
    if sheet.tables[table].sum(row) > 0.0 {
        // Another primitive that shares the table has already set it.
        return;
    }
    let table = &mut sheet.tables[table];
    for (to, from) in table.slots(row).zip(table.slots(source.row)) {
        let weight = clean(table.weights[from]);
        let joint = if weight > 0.0 { table.joints[from] } else { 0 };
        (table.joints[to], table.weights[to]) = (joint, weight);
    }
    table.touched[row] = true;
    table.normalise(row);
}

/// Returns for each welded vertex with bad members the nearest welded vertex with a good one, along edges; where no edge leads
/// to one, the nearest through space. Of equally near ones it is the first.
fn nearest(surface: &RestSurface, good: &[Option<u32>], bad: &[u32]) -> Vec<Option<u32>> {
    let at = |welded: u32| surface.positions[welded as usize].as_dvec3();
    let mut source: Vec<Option<u32>> = vec![None; good.len()];
    // Distances are not negative, so their bits are ordered as they are.
    let mut open: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
    for (welded, _) in (0..).zip(good).filter(|(_, v)| v.is_some()) {
        source[welded as usize] = Some(welded);
        let next = surface.neighbours(welded).iter().filter(|n| good[**n as usize].is_none());
        next.for_each(|n| open.push(Reverse((at(welded).distance(at(*n)).to_bits(), welded, *n))));
    }
    while let Some(Reverse((bits, from, welded))) = open.pop() {
        if source[welded as usize].is_some() {
            continue;
        }
        source[welded as usize] = Some(from);
        for next in surface.neighbours(welded).iter().filter(|n| source[**n as usize].is_none()) {
            let distance = f64::from_bits(bits) + at(welded).distance(at(*next));
            open.push(Reverse((distance.to_bits(), from, *next)));
        }
    }
    let lost: Vec<u32> = bad.iter().map(|v| surface.mesh.point(*v)).filter(|p| source[*p as usize].is_none()).collect();
    if !lost.is_empty() {
        let all: Vec<u32> = (0..).zip(good).filter(|(_, v)| v.is_some()).map(|(welded, _)| welded).collect();
        let tree = BoxTree::of_points(all.iter().map(|welded| surface.positions[*welded as usize]));
        for welded in lost {
            let mut best = (f64::INFINITY, None);
            tree.nearest(at(welded), |i| {
                let candidate = all[i as usize];
                let distance = at(candidate).distance(at(welded));
                if distance < best.0 || distance == best.0 && best.1.is_some_and(|first| candidate < first) {
                    best = (distance, Some(candidate));
                }
                best.0
            });
            source[welded as usize] = best.1;
        }
    }
    source
}

/// Checks that each surface with vertices to be mended has one with weights.
fn has_weights(sheet: &Sheet) -> Result<(), Refusal> {
    for surface in sheet.surfaces() {
        let mut rows = (0..surface.mesh.vertex_count()).map(|vertex| surface.row(vertex)).peekable();
        let Some(TableRow { table, .. }) = rows.peek().copied() else { continue };
        if rows.all(|at| sheet.tables[at.table].sum(at.row) <= 0.0) {
            let mesh = sheet.tables[table].primitives.first().map_or(0, |first| first.mesh.index());
            return Err(Refusal::NoWeights(mesh_name(sheet.model, mesh)));
        }
    }
    Ok(())
}

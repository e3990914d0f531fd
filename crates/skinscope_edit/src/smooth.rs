//! The operation that smooths weights along the surface.

use std::collections::BTreeSet;

use skinscope_weights::{
    Around, RestSurface, SAME as SAME_WEIGHT, TableRow, difference, kernels, mean, respecting_locks, share_of,
    unit_shares,
};

use super::{Group, Kept, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Settings, Sheet, surface};

/// How many steps are taken.
static TIMES: Parameter = Parameter {
    id: "times",
    label: "Times",
    help: "How often each vertex takes the mean of its neighbours' weights",
    kind: ParameterKind::Number(NumberKind {
        range: [1.0, 1000.0],
        slider: [1.0, 30.0],
        default: 1.0,
        decimals: 0,
        kept: Some(Kept {
            get: |settings| settings.times as f64,
            set: |settings, value| settings.times = value as usize,
        }),
        ..NumberKind::ROW
    }),
    ..Parameter::ROW
};

/// How far each step goes.
static STRENGTH: Parameter = Parameter {
    id: "strength",
    label: "Strength",
    help: "How far it goes there each time: 0 stays, 1 is the mean",
    kind: ParameterKind::Number(NumberKind {
        default: 0.5,
        kept: Some(Kept { get: |settings| settings.strength, set: |settings, value| settings.strength = value }),
        ..NumberKind::ROW
    }),
    option: OptionForm::None,
};

/// The operation that smooths weights along the surface.
pub(crate) static SMOOTH: Operation = Operation {
    id: "smooth",
    label: "Smooth weights",
    tool: "Smooth",
    icon: "WAVES",
    group: Group::Blend,
    place: 0,
    help: "Move the weights of every vertex half way to the mean of its neighbours on the surface, N times",
    argument: "N",
    parameters: &[&TIMES, &STRENGTH],
    run: smooth,
    ..Operation::ROW
};

/// Shares that differ by less than this are equal, and their vertex stays as it is.
const SAME: f64 = 1e-9;

fn smooth(sheet: &mut Sheet, settings: &Settings) {
    let mut done: Vec<Vec<bool>> = sheet.tables.iter().map(|t| vec![false; t.vertices()]).collect();
    // What touches without going on, as closed lips do, must not move what it touches.
    let surfaces = surface::all_apart(sheet.model, &sheet.tables);
    for surface in &surfaces {
        let mut shares = mean_shares(sheet, surface);
        let mut held = vec![false; shares.len()];
        let open: Vec<bool> = (0..shares.len() as u32).map(|welded| is_open(sheet, surface, welded)).collect();
        for round in 0..settings.times {
            if sheet.context.is_cancelled() {
                return;
            }
            sheet.context.set_fraction(0.2 + 0.6 * round as f32 / settings.times as f32);
            let mut next = |welded: u32| match open[welded as usize] {
                true => {
                    let (moved, is_held) = moved(surface, &shares, welded, settings.strength, &sheet.bounds.locked);
                    held[welded as usize] |= is_held;
                    moved
                }
                false => shares[welded as usize].clone(),
            };
            shares = (0..shares.len() as u32).map(&mut next).collect();
        }
        for (welded, shares) in (0..).zip(&shares) {
            let members: Vec<TableRow> = surface.members(welded).iter().map(|v| surface.row(*v)).collect();
            if held[welded as usize] {
                let is_open = |at: &&TableRow| sheet.bounds.has(at.table, at.row);
                sheet.lacks.locked.extend(members.iter().filter(is_open).copied());
            }
            let same = |at: &TableRow| difference(shares, &unit_shares(&sheet.tables[at.table], at.row)) <= SAME;
            if shares.is_empty() || members.iter().all(same) {
                continue;
            }
            for TableRow { table, row } in &members {
                let table_done = &mut done[*table];
                if std::mem::replace(&mut table_done[*row], true) || sheet.tables[*table].sum(*row) <= 0.0 {
                    continue;
                }
                let is_cut = match members.len() {
                    1 => sheet.tables[*table].put(*row, shares),
                    _ => sheet.tables[*table].put_in_order(*row, shares),
                };
                if is_cut && sheet.bounds.has(*table, *row) {
                    sheet.lacks.pairs.insert(TableRow { table: *table, row: *row });
                }
            }
        }
    }
}

/// Returns for each welded vertex the mean of the shares of its members; an empty list where nothing moves them.
fn mean_shares(sheet: &Sheet, surface: &RestSurface) -> Vec<Vec<(u32, f64)>> {
    let of_welded = |welded: u32| {
        let rows = surface.members(welded).iter().map(|v| surface.row(*v));
        let lists: Vec<_> =
            rows.map(|at| unit_shares(&sheet.tables[at.table], at.row)).filter(|s| !s.is_empty()).collect();
        mean(lists.iter().map(|list| &list[..]))
    };
    (0..surface.positions.len() as u32).map(of_welded).collect()
}

/// Whether a member of a welded vertex may change.
fn is_open(sheet: &Sheet, surface: &RestSurface, welded: u32) -> bool {
    surface.members(welded).iter().map(|v| surface.row(*v)).any(|at| sheet.bounds.has(at.table, at.row))
}

/// Returns the shares of a welded vertex after one step towards its neighbours. Those of locked joints stay; also returns whether they were
/// to change.
fn moved(
    surface: &RestSurface,
    shares: &[Vec<(u32, f64)>],
    welded: u32,
    strength: f64,
    locked: &BTreeSet<u32>,
) -> (Vec<(u32, f64)>, bool) {
    let own = &shares[welded as usize];
    let around = surface.neighbours(welded).iter().map(|n| &shares[*n as usize][..]).filter(|s| !s.is_empty());
    let neighbours: Vec<&[(u32, f64)]> = around.collect();
    let mut out = Vec::new();
    let around = Around { own, neighbours: &neighbours, locked, ..Around::default() };
    kernels::SMOOTH.wish(&around, strength, &mut out);
    if locked.is_empty() || neighbours.is_empty() || own.is_empty() {
        return (out, false);
    }
    let is_held = own
        .iter()
        .chain(&out)
        .any(|(key, _)| locked.contains(key) && (share_of(own, *key) - share_of(&out, *key)).abs() > SAME_WEIGHT);
    (respecting_locks(own, &out, locked, usize::MAX).unwrap_or_else(|| own.clone()), is_held)
}

//! What every kernel keeps, asked of random and of broken rows.

use std::collections::BTreeSet;

use skinscope_model::WeightFormat;

use crate::kernel::write_row;
use crate::kernels::{KERNELS, set_arguments};
use crate::{
    Amount, Change, Given, Kernel, Reads, RowTask, Shares, Table, Write, difference, hold_row, share_of, value,
};

/// Numbers from 0 to 1 that look like chance.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }
}

const JOINTS: u32 = 7;

/// A table of rows that sum to one, of one to eight joints.
fn sound(format: WeightFormat, chance: &mut Chance) -> Table {
    let (rows, per_vertex) = (160, 8);
    let mut table = Table {
        per_vertex,
        joints: vec![0; rows * per_vertex],
        weights: vec![0.0; rows * per_vertex],
        formats: vec![format; 2],
        keys: (0..JOINTS).map(|joint| 20 + joint).collect(),
        touched: vec![false; rows],
        ..Table::default()
    };
    for row in 0..rows {
        let count = 1 + chance.below(JOINTS as usize);
        let first = chance.below(JOINTS as usize);
        let shares: Shares = (0..count).map(|i| (20 + ((first + i) as u32 % JOINTS), 0.05 + chance.next())).collect();
        table.put(row, &shares);
        table.touched[row] = false;
    }
    table
}

/// Rows that no exporter should write: empty, negative, no numbers, a joint twice, joints that the skin does not have.
fn broken() -> Table {
    let rows: [([u16; 4], [f64; 4]); 9] = [
        ([0; 4], [0.0; 4]),
        ([0, 1, 2, 3], [f64::NAN, 0.5, 0.5, 0.0]),
        ([0, 1, 2, 3], [-1.0, 1.0, 0.5, 0.5]),
        ([0, 1, 2, 3], [f64::INFINITY, 0.2, 0.0, 0.1]),
        ([3, 3, 3, 3], [0.25; 4]),
        ([9, 1, 60_000, 2], [0.5, 0.25, 0.125, 0.125]),
        ([0, 1, 2, 3], [1e-300, 1e300, 1e-12, 0.0]),
        ([0, 1, 2, 3], [f64::MAX, f64::MAX, f64::MAX, 1.0]),
        ([0, 1, 2, 3], [f64::NEG_INFINITY, f64::NAN, -0.0, f64::MIN_POSITIVE]),
    ];
    Table {
        per_vertex: 4,
        joints: rows.iter().flat_map(|row| row.0).collect(),
        weights: rows.iter().flat_map(|row| row.1).collect(),
        formats: vec![WeightFormat::F32],
        keys: (0..JOINTS).map(|joint| 20 + joint).collect(),
        touched: vec![false; rows.len()],
        ..Table::default()
    }
}

/// Settings with which a kernel has something to do.
fn settings(kernel: &Kernel) -> Vec<[f64; 4]> {
    match kernel.id {
        "prune" => vec![[0.15, 0.0, 0.0, 0.0]],
        "limit" => vec![[2.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]],
        "take" => vec![[22.0, 0.0, 0.0, 0.0], [22.0, 1.0, 0.0, 0.0]],
        "set" => [Amount::To(0.4), Amount::To(0.0), Amount::Add(0.3), Amount::Add(-0.3), Amount::Times(2.0)]
            .map(|amount| set_arguments(23, amount, true))
            .to_vec(),
        _ => vec![[0.0; 4]],
    }
}

/// Changes a row by a kernel with a strength, whatever is locked, and returns what the kernel says of it.
fn change(kernel: &Kernel, table: &mut Table, row: usize, task: &RowTask<'_>, strength: f64) -> Change {
    let wish = if strength >= 1.0 {
        kernel.change_row(table, row, task)
    } else {
        let own = match kernel.reads {
            Reads::Row => shares(table, row),
            Reads::Neighbours => crate::unit_shares(table, row),
        };
        let mut out = Shares::new();
        let wish = kernel.wish(&task.around(table, row, &own), strength, &mut out);
        if wish.change == Change::Changed {
            // Half way to other weights, a row has the joints of both.
            let write = if kernel.write == Write::AsGiven { Write::AsGiven } else { Write::Keep };
            write_row(table, row, &out, write);
        }
        wish
    };
    wish.change
}

/// Runs a kernel on every row of a table; the neighbours of a row are the rows before and after it, as they were.
fn run(kernel: &Kernel, table: &Table, arguments: [f64; 4], locked: &[u32], strength: f64) -> (Table, Vec<Change>) {
    let locked: BTreeSet<u32> = locked.iter().copied().collect();
    let given: Shares = vec![(24, 0.75), (21, 0.25)];
    let mut out = table.clone();
    let mut changes = Vec::new();
    for row in 0..table.vertices() {
        let around = [row.checked_sub(1), Some(row + 1).filter(|next| *next < table.vertices())];
        let around: Vec<Shares> = around.into_iter().flatten().map(|next| crate::unit_shares(table, next)).collect();
        let around: Vec<&[(u32, f64)]> = around.iter().map(|list| &list[..]).filter(|list| !list.is_empty()).collect();
        let neighbours = if kernel.reads == Reads::Neighbours { &around[..] } else { &[] };
        let given = Given { shares: &given, ..Given::default() };
        let task = RowTask { neighbours, given, locked: &locked, arguments };
        changes.push(change(kernel, &mut out, row, &task, strength));
        // As operations do, which know the weights from before.
        hold_row(&mut out, row, table, &locked);
    }
    (out, changes)
}

fn shares(table: &Table, row: usize) -> Shares {
    let mut out = Vec::new();
    table.shares(row, &mut out);
    out
}

fn each(ask: impl Fn(&Kernel, [f64; 4], &Table)) {
    let mut chance = Chance(5);
    for format in [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32] {
        let table = sound(format, &mut chance);
        for kernel in KERNELS {
            settings(kernel).into_iter().for_each(|arguments| ask(kernel, arguments, &table));
        }
    }
}

#[test]
fn without_strength_nothing_changes_to_the_bit() {
    each(|kernel, arguments, table| {
        for strength in [0.0, -1.0, f64::NAN] {
            assert!(run(kernel, table, arguments, &[], strength).0.has_same(table), "{}", kernel.id);
        }
    });
}

#[test]
fn every_kernel_changes_something_and_more_with_more_strength() {
    each(|kernel, arguments, table| {
        let done = [0.3, 1.0].map(|strength| run(kernel, table, arguments, &[], strength).0);
        let moved = |table: &Table, done: &Table| -> f64 {
            (0..table.vertices()).map(|row| difference(&shares(table, row), &shares(done, row))).sum()
        };
        let [some, all] = [&done[0], &done[1]].map(|done| moved(table, done));
        // Rows that sum to one, and of which none is without weight, are what two of them are for.
        let has_nothing_to_do = ["normalise", "hammer"].contains(&kernel.id);
        assert_eq!(all > 0.0, !has_nothing_to_do, "{} {all}", kernel.id);
        assert!(has_nothing_to_do || some > 0.0 && some < all, "{} {some} {all}", kernel.id);
    });
}

#[test]
fn sums_stay_one_and_integers_are_exact() {
    each(|kernel, arguments, table| {
        for (strength, locked) in [(1.0, &[][..]), (0.3, &[]), (1.0, &[21, 25])] {
            let (done, _) = run(kernel, table, arguments, locked, strength);
            let stored = done.stored();
            for row in 0..done.vertices() {
                assert!((done.sum(row) - 1.0).abs() <= 1e-6, "{} {row}: {}", kernel.id, done.sum(row));
                let numbers = &stored.numbers[done.slots(row)];
                match done.formats[0].one() {
                    Some(one) if !done.has_same_pairs(row, table) => {
                        assert_eq!(numbers.iter().sum::<u32>(), one, "{} {row}", kernel.id);
                    }
                    _ => {
                        let sum: f64 = numbers.iter().map(|number| value(*number, done.formats[0])).sum();
                        assert!((sum - 1.0).abs() <= 0.02, "{} {row}: {sum}", kernel.id);
                    }
                }
            }
        }
    });
}

#[test]
fn locked_joints_keep_their_weights() {
    each(|kernel, arguments, table| {
        for locked in [&[21, 25][..], &[22], &[20, 21, 22, 23, 24, 25, 26]] {
            for strength in [0.3, 1.0] {
                let (done, _) = run(kernel, table, arguments, locked, strength);
                for row in 0..table.vertices() {
                    let (before, after) = (shares(table, row), shares(&done, row));
                    for key in locked {
                        let [before, after] = [&before, &after].map(|list| share_of(list, *key));
                        assert!((before - after).abs() <= 1e-12, "{} {row} {key}: {before} {after}", kernel.id);
                    }
                }
            }
        }
        // Where all are locked not a bit changes.
        let all: Vec<u32> = (20..20 + JOINTS).collect();
        assert!(run(kernel, table, arguments, &all, 1.0).0.has_same(table), "{}", kernel.id);
    });
}

#[test]
fn the_order_of_rows_does_not_matter() {
    each(|kernel, arguments, table| {
        let rows = table.vertices();
        let mut turned = table.clone();
        for row in 0..rows {
            let (to, from) = (turned.slots(rows - 1 - row), table.slots(row));
            turned.joints[to.clone()].copy_from_slice(&table.joints[from.clone()]);
            turned.weights[to].copy_from_slice(&table.weights[from]);
        }
        let (done, _) = run(kernel, table, arguments, &[21], 0.7);
        let (other, _) = run(kernel, &turned, arguments, &[21], 0.7);
        for row in 0..rows {
            let [a, b] = [shares(&done, row), shares(&other, rows - 1 - row)];
            assert!(difference(&a, &b) <= 1e-12, "{} {row}", kernel.id);
        }
    });
}

#[test]
fn no_row_becomes_one_that_is_no_number() {
    let table = broken();
    for kernel in KERNELS {
        for arguments in settings(kernel).into_iter().chain([[f64::NAN; 4], [f64::INFINITY; 4], [-1.0; 4]]) {
            for (strength, locked) in [(1.0, &[][..]), (0.5, &[]), (1.0, &[20, 23]), (f64::INFINITY, &[])] {
                let (done, changes) = run(kernel, &table, arguments, locked, strength);
                for (row, change) in changes.iter().enumerate() {
                    let weights = &done.weights[done.slots(row)];
                    let is_whole = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
                    let stays = done.has_same_pairs(row, &table);
                    assert!(is_whole || stays, "{} {row} {:?}: {weights:?}", kernel.id, change);
                }
            }
        }
    }
}

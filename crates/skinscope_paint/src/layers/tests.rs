//! Layers over the rows of a table that is made up.

use skinscope_base::math::test_random::Random;
use skinscope_model::WeightFormat;
use skinscope_weights::{Shares, Table};

use super::*;

/// A table of so many vertices, each moved by joints 7 and 9 with 0.75 and 0.25; its last pair names a joint without weight.
fn table(vertices: usize) -> Table {
    Table {
        per_vertex: 4,
        joints: [0, 1, 0, 2].repeat(vertices),
        weights: [0.75, 0.25, 0.0, 0.0].repeat(vertices),
        formats: vec![WeightFormat::F32],
        keys: vec![7, 9, 11],
        touched: vec![false; vertices],
        ..Table::default()
    }
}

fn at(row: usize) -> TableRow {
    TableRow { table: 0, row }
}

/// Paints a row in the layer that is worked on.
fn paint(stack: &mut LayerStack, table: &Table, row: usize, shares: &[(u32, f64)]) {
    let painted = LayerRow::painted(shares.to_vec(), true);
    stack.set_row(at(row), Some(painted), || LayerRow::of_table(table, row));
}

fn shares(stack: &LayerStack, row: usize) -> Shares {
    stack.flat(at(row), 4).unwrap().shares.to_vec()
}

#[test]
fn a_layer_lies_over_what_is_below_as_far_as_opacity_and_mask_say() {
    let table = table(3);
    let mut stack = LayerStack::default();
    let low = stack.add("");
    paint(&mut stack, &table, 1, &[(7, 0.5), (11, 0.5)]);
    assert_eq!(stack.layer(low).unwrap().name(), "Layer 1");
    assert_eq!(shares(&stack, 1), [(7, 0.5), (11, 0.5)], "what was painted, to the bit");
    assert!(stack.flat(at(0), 4).is_none(), "no layer knows it");
    stack.set_opacity(low, 0.5);
    assert_eq!(shares(&stack, 1), [(7, 0.625), (9, 0.125), (11, 0.25)]);
    let high = stack.add("Hand");
    assert_eq!(stack.below(at(1), 4).unwrap().shares[..], shares(&stack, 1), "a brush begins with what lies below");
    paint(&mut stack, &table, 1, &[(9, 1.0)]);
    assert_eq!(shares(&stack, 1), [(9, 1.0)]);
    stack.set_mask(high, Some(&[at(2)]));
    assert_eq!(shares(&stack, 1), [(7, 0.625), (9, 0.125), (11, 0.25)]);
    stack.set_mask(high, Some(&[at(1)]));
    stack.set_opacity(high, 0.25);
    let sum: f64 = shares(&stack, 1).iter().map(|(_, weight)| weight).sum();
    assert!((sum - 1.0).abs() < 1e-15 && shares(&stack, 1).len() == 3);
    stack.set_solo(Some(high));
    assert_eq!(shares(&stack, 1), [(7, 0.5625), (9, 0.4375)]);
}

#[test]
fn a_layer_that_is_off_leaves_the_same_pairs_as_if_it_had_never_been() {
    let table = table(2);
    let mut stack = LayerStack::default();
    let only = stack.add("One");
    paint(&mut stack, &table, 0, &[(11, 1.0)]);
    for hide in [|s: &mut LayerStack, id| s.set_on(id, false), |s: &mut LayerStack, id| s.set_opacity(id, 0.0)] {
        let mut hidden = stack.clone();
        assert!(hide(&mut hidden, only));
        let flat = hidden.flat(at(0), 4).unwrap();
        assert_eq!(flat, LayerRow::of_table(&table, 0));
        let pairs = flat.pairs_of(4).unwrap();
        assert_eq!((&pairs.joints[..], &pairs.weights[..]), (&table.joints[..4], &table.weights[..4]));
        assert!(flat.pairs_of(8).is_none());
    }
}

#[test]
fn the_flat_row_has_no_more_joints_than_there_is_room_for() {
    let table = table(1);
    let mut stack = LayerStack::default();
    let id = stack.add("");
    paint(&mut stack, &table, 0, &[(1, 0.4), (2, 0.3), (3, 0.2), (4, 0.1)]);
    stack.set_opacity(id, 0.5);
    let flat = shares(&stack, 0);
    let sum: f64 = flat.iter().map(|(_, weight)| weight).sum();
    assert_eq!(flat.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [7, 9, 1, 2]);
    assert!((sum - 1.0).abs() < 1e-15);
}

#[test]
fn merging_leaves_the_flat_weights_to_the_bit_and_needs_layers_that_are_shown() {
    let table = table(4);
    let mut stack = LayerStack::default();
    let low = stack.add("");
    (0..3).for_each(|row| paint(&mut stack, &table, row, &[(7, 0.3), (11, 0.7)]));
    stack.set_opacity(low, 0.3);
    let high = stack.add("");
    (1..4).for_each(|row| paint(&mut stack, &table, row, &[(9, 0.9), (11, 0.1)]));
    stack.set_opacity(high, 0.7);
    let before: Vec<Shares> = (0..4).map(|row| shares(&stack, row)).collect();
    stack.set_on(low, false);
    assert!(!stack.merges_down(high) && !stack.merge_down(high));
    stack.set_on(low, true);
    assert!(stack.merge_down(high));
    assert_eq!((stack.layers().len(), stack.active()), (1, Some(low)));
    assert_eq!((0..4).map(|row| shares(&stack, row)).collect::<Vec<_>>(), before);
    assert!(stack.merge_down(low) && stack.is_empty() && stack.active().is_none());
    assert_eq!((0..4).map(|row| shares(&stack, row)).collect::<Vec<_>>(), before);
}

#[test]
fn layers_are_moved_copied_and_removed() {
    let mut stack = LayerStack::default();
    let ids = ["a", "b", "c"].map(|name| stack.add(name));
    let names = |stack: &LayerStack| stack.layers().iter().map(|l| l.name().to_owned()).collect::<Vec<_>>().join(" ");
    assert!(stack.move_to(ids[0], 9) && !stack.move_to(ids[0], 2));
    assert_eq!(names(&stack), "b c a");
    assert!(stack.duplicate(ids[1]));
    assert_eq!(names(&stack), "b b copy c a");
    assert!(stack.rename(ids[1], " d ") && !stack.rename(ids[1], " ") && !stack.rename(ids[1], "d"));
    let before = stack.clone();
    stack.select(Some(ids[0]));
    assert!(before.is_same_as(&stack), "in which layer one paints is no state of the weights");
    assert!(stack.remove(ids[0]) && stack.active() == Some(ids[2]) && !stack.remove(ids[0]));
    assert_eq!(names(&stack), "d b copy c");
    assert!(!before.is_same_as(&stack));
}

#[test]
fn what_something_else_has_changed_is_the_highest_layer_or_the_base_under_one_that_is_alone() {
    let table = table(2);
    for is_alone in [false, true] {
        let mut stack = LayerStack::default();
        let id = stack.add("One");
        paint(&mut stack, &table, 0, &[(11, 1.0)]);
        stack.set_solo(is_alone.then_some(id));
        let other = LayerRow::painted(vec![(9, 1.0)], true);
        stack.take_others(vec![(at(0), other.clone())]);
        assert_eq!((shares(&stack, 0), stack.active()), (vec![(9, 1.0)], Some(id)));
        assert_eq!(stack.layers().len(), if is_alone { 1 } else { 2 });
        stack.take_others(vec![(at(0), other)]);
        assert_eq!(stack.layers().len(), if is_alone { 1 } else { 2 }, "the same layer takes the next change");
    }
}

#[test]
fn what_tools_have_changed_lies_over_effects_of_all_layers_also_where_it_is_several_layers() {
    let table = table(2);
    let mut stack = LayerStack::default();
    stack.add("One");
    paint(&mut stack, &table, 0, &[(11, 1.0)]);
    let other = || vec![(at(0), LayerRow::painted(vec![(9, 1.0)], true))];
    stack.take_others(other());
    assert_eq!((stack.layers().len(), stack.effected_count()), (2, 1));
    let id = stack.layers()[1].id();
    stack.set_opacity(id, 0.5);
    stack.take_others(other());
    assert_eq!((stack.layers().len(), stack.effected_count()), (3, 1));
}

#[test]
fn effects_are_as_many_as_can_be_done_one_after_the_other() {
    let mut stack = LayerStack::default();
    let low = stack.add("Low");
    let mut added = 0;
    while stack.add_effect(Some(low), "smooth", std::collections::BTreeSet::new()) {
        stack.set_effect(Some(low), added, "passes", 20.0);
        added += 1;
    }
    assert_eq!((added, stack.room_for_effects()), (20, 0));
    assert!(!stack.can_duplicate(low) && !stack.duplicate(low));
    assert!(stack.set_effect(Some(low), 0, "passes", 5.0) && stack.room_for_effects() == 15);
    assert!(stack.set_effect(Some(low), 0, "strength", 0.25));
    let high = stack.add("High");
    assert!(stack.add_effect(Some(high), "smooth", std::collections::BTreeSet::new()));
    assert!(!stack.set_effect(Some(high), 0, "passes", 16.0) && stack.set_effect(Some(high), 0, "passes", 2.0));
    assert!(stack.can_duplicate(high));
}

#[test]
fn a_stack_that_was_written_is_read_to_the_bit() {
    let table = table(40);
    let mut stack = LayerStack::default();
    let low = stack.add("Löw");
    paint(&mut stack, &table, 3, &[(7, 1.0 / 3.0), (u32::MAX - 20, 2.0 / 3.0)]);
    stack.set_opacity(low, 0.1 + 0.2);
    stack.set_mask(low, Some(&[at(3), at(39)]));
    let high = stack.add("High");
    paint(&mut stack, &table, 39, &[(9, 0.1), (11, 0.9)]);
    stack.set_on(low, false);
    stack.set_solo(Some(high));
    let form = LayersForm::of(&stack, &|key| (key < 100).then(|| format!("joint {key}"))).unwrap();
    let text = serde_json::to_string(&form).unwrap();
    let read: LayersForm = serde_json::from_str(&text).unwrap();
    assert!(read == form);
    let key = |name: &str| -> Option<u32> { name.strip_prefix("joint ")?.parse().ok() };
    let again = read.stack(&mut { key }, &|at| at.row < 40).unwrap();
    assert_eq!((again.active(), again.solo()), (Some(high), Some(high)));
    for row in 0..40 {
        assert_eq!(stack.flat(at(row), 4), again.flat(at(row), 4));
        assert_eq!(stack.base_row(at(row)), again.base_row(at(row)));
    }
    let (mut first, mut second) = (stack, again);
    for stack in [&mut first, &mut second] {
        stack.set_solo(None);
        stack.set_on(low, true);
    }
    assert!((0..40).all(|row| first.flat(at(row), 4) == second.flat(at(row), 4)));
    assert!(read.stack(&mut { key }, &|at| at.row < 39).is_none(), "the model has no such row");
    assert!(read.stack(&mut |_: &str| None, &|_| true).is_none(), "the model has no such joint");
}

#[test]
fn a_hundred_layers_of_a_large_mesh_take_memory_for_what_was_painted() {
    let table = table(300_000);
    let mut stack = LayerStack::default();
    for layer in 0..100 {
        stack.add("");
        for row in 0..300 {
            paint(&mut stack, &table, 2_900 * layer + row, &[(7, 0.5), (9, 0.5)]);
        }
    }
    let rows = 100 * 300;
    let bytes = stack.bytes();
    assert!(bytes < 500 * rows, "{} bytes for each painted row", bytes / rows);
    // A copy, as each step of the history has one, shares all but the pages that change.
    let before = stack.clone();
    paint(&mut stack, &table, 0, &[(7, 1.0)]);
    let shared =
        |a: &LayerStack, b: &LayerStack| a.layers().iter().zip(b.layers()).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
    assert_eq!(shared(&before, &stack), 99);
}

/// Returns the flat weights of a row by looking at every layer from the lowest one on.
fn through_all(stack: &LayerStack, at: TableRow) -> Option<LayerRow> {
    let shown = stack.layers().iter().filter(|layer| stack.is_shown(layer) && layer.strength(at) > 0.0);
    let mut out = stack.base_row(at)?.clone();
    for layer in shown {
        out = layer.row(at).map_or(out.clone(), |row| out.under(row, layer.strength(at)));
    }
    Some(out.fitted(4))
}

#[test]
fn layers_that_are_not_looked_at_have_no_say() {
    let table = table(400);
    let mut random = Random(3);
    let mut any = |count: usize| (random.unit() * count as f32) as usize % count;
    let mut stack = LayerStack::default();
    for step in 0..2000 {
        let id = (!stack.is_empty()).then(|| stack.layers()[any(stack.layers().len())].id());
        let rows: Vec<TableRow> = (0..3).map(|_| at(any(400))).collect();
        match (any(20), id) {
            (0, Some(id)) if step > 1500 => _ = stack.remove(id),
            (1, Some(id)) => _ = stack.move_to(id, any(90)),
            (2, Some(id)) if stack.layers().len() < 90 => _ = stack.duplicate(id),
            (3, Some(id)) => _ = stack.set_opacity(id, 0.25 * any(5) as f64),
            (4, Some(id)) => _ = stack.set_mask(id, (any(2) > 0).then_some(&rows)),
            (5, Some(id)) => _ = stack.set_on(id, any(3) > 0),
            (6, Some(id)) => _ = stack.erase(id, &rows),
            (7, Some(id)) if any(8) == 0 => _ = stack.merge_down(id),
            (8, id) => _ = stack.set_solo(id.filter(|_| any(4) == 0)),
            (9, _) => stack.take_others(vec![(rows[0], LayerRow::painted(vec![(9, 1.0)], true))]),
            (10, _) => rows.iter().for_each(|row| stack.set_mask_share(*row, 0.5)),
            (11, _) if stack.layers().len() < 90 => _ = stack.add(""),
            (12, id) => stack.select(id),
            (13, _) => {
                let base = rows.iter().map(|at| (at.row, Some(LayerRow::of_table(&table, at.row))));
                let base = base.filter(|(row, _)| stack.base_row(at(*row)).is_none()).collect();
                let painted = rows.iter().map(|at| (at.row, Some(LayerRow::painted(vec![(11, 1.0)], true))));
                stack.put_all(0, base, vec![painted.collect()]);
            }
            _ => rows.iter().for_each(|at| paint(&mut stack, &table, at.row, &[(7, 0.5), (11, 0.25), (9, 0.25)])),
        }
        for row in (0..4).map(|_| at(any(400))).chain(rows) {
            assert!(stack.flat(row, 4) == through_all(&stack, row), "step {step}, row {}", row.row);
        }
    }
    assert!(stack.layers().len() > 64, "more than one number of bits");
}

#[test]
fn a_row_of_many_joints_is_kept_like_one_of_few() {
    for count in 0..9_u32 {
        let shares: Shares = (0..count).map(|key| (key, 1.0 / f64::from(count))).collect();
        let row = LayerRow::painted(shares.clone(), true);
        assert_eq!(row.shares[..], shares[..]);
        assert!(row == row.clone() && (row.shares.bytes() > 0) == (count > 4));
    }
}

//! What every brush keeps, asked of random and of broken rows.

use std::collections::BTreeSet;

use super::*;
use crate::{Shares, difference};

/// Numbers from 0 to 1 that look like chance.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }

    fn row(&mut self, most: usize) -> Shares {
        let (count, first) = (1 + (self.next() * most as f64) as usize, (self.next() * 7.0) as u32);
        let mut row: Shares = (0..count as u32).map(|i| ((first + i) % 7, 0.01 + self.next())).collect();
        let sum: f64 = row.iter().map(|(_, weight)| weight).sum();
        row.iter_mut().for_each(|(_, weight)| *weight /= sum);
        row
    }
}

const ASKED: Asked<'_> =
    Asked { own: &[], toward: &[], strength: 1.0, joint: 2, to: 3, value: 0.4, factor: 0.5, floor: 0.0, ceiling: 1.0 };

fn task<'a>(brush: &'static Brush, locked: &'a BTreeSet<u32>) -> Task<'a> {
    Task { brush, locked, normalise: true, most: 4, is_integer: false, joints: &[0, 1, 2, 3, 4, 5, 6] }
}

fn sum(row: &[(u32, f64)]) -> f64 {
    row.iter().map(|(_, weight)| weight).sum()
}

#[test]
fn every_brush_keeps_sums_locks_and_the_number_of_joints_and_does_nothing_with_no_strength() {
    let mut chance = Chance(7);
    let mut seen = BTreeSet::new();
    for round in 0..4000 {
        let (own, toward) = (chance.row(4), chance.row(6));
        let locked: BTreeSet<u32> = (0..7).filter(|_| chance.next() < 0.25).collect();
        let brush = BRUSHES[round % BRUSHES.len()];
        let asked = Asked { own: &own, toward: &toward, strength: chance.next(), ..ASKED };
        let done = task(brush, &locked).paint(&asked);
        assert!((sum(&done.row) - 1.0).abs() < 1e-9 && done.row.len() <= 4, "{} {own:?} {done:?}", brush.id);
        assert!(done.row.iter().all(|(_, weight)| *weight > 0.0), "{} {own:?} {done:?}", brush.id);
        let of = |row: &[(u32, f64)], key| share_of(row, key).to_bits();
        assert!(locked.iter().all(|key| of(&own, *key) == of(&done.row, *key)), "{} {own:?} {done:?}", brush.id);
        let is_same = difference(&own, &done.row) == 0.0;
        assert_eq!(is_same, matches!(done.effect, Effect::Same | Effect::Stuck(_)), "{} {own:?} {done:?}", brush.id);
        seen.insert((brush.id, std::mem::discriminant(&done.effect) == std::mem::discriminant(&Effect::Changed)));
        let nothing = task(brush, &locked).paint(&Asked { strength: 0.0, ..asked });
        assert_eq!(nothing, Painted { effect: Effect::Same, row: own.clone() }, "{}", brush.id);
        // The order of joints in a row does not matter.
        let turned: Shares = own.iter().rev().copied().collect();
        let again = task(brush, &locked).paint(&Asked { own: &turned, ..asked });
        assert!(difference(&again.row, &done.row) < 1e-9 && again.effect == done.effect, "{} {own:?}", brush.id);
    }
    assert_eq!(seen.len(), 2 * BRUSHES.len(), "each changes something and leaves something");
}

#[test]
fn broken_rows_give_no_broken_weights() {
    let rows: [&[(u32, f64)]; 5] =
        [&[], &[(2, 1e300), (3, 1e300)], &[(2, f64::MAX), (4, f64::MAX)], &[(9, 1e-300)], &[(2, 0.2), (5, 0.1)]];
    let none = BTreeSet::new();
    for (brush, own) in BRUSHES.iter().flat_map(|brush| rows.map(|own| (*brush, own))) {
        for normalise in [true, false] {
            for toward in rows {
                let asked = Asked { own, toward, strength: 0.7, ..ASKED };
                let done = Task { normalise, ..task(brush, &none) }.paint(&asked);
                let is_sound = |(_, weight): &(u32, f64)| weight.is_finite() && *weight >= 0.0;
                assert!(done.row.iter().all(is_sound), "{} {own:?} {toward:?} {done:?}", brush.id);
            }
        }
    }
}

#[test]
fn a_joint_gets_its_weight_and_the_others_make_room_in_proportion() {
    let own = [(1, 0.3), (2, 0.5), (5, 0.2)];
    let none = BTreeSet::new();
    let painted = |brush: &'static Brush, asked: Asked<'_>, locked: &BTreeSet<u32>| task(brush, locked).paint(&asked);
    let asked = Asked { own: &own, strength: 0.25, ..ASKED };
    let near = |done: &Painted, wanted: &[(u32, f64)]| assert!(difference(&done.row, wanted) < 1e-12, "{done:?}");
    near(&painted(&ADD, asked, &none), &[(1, 0.15), (2, 0.75), (5, 0.1)]);
    near(&painted(&SUBTRACT, asked, &none), &[(1, 0.45), (2, 0.25), (5, 0.3)]);
    near(&painted(&REPLACE, Asked { value: 0.1, strength: 0.5, ..asked }, &none), &[(1, 0.42), (2, 0.3), (5, 0.28)]);
    near(&painted(&SCALE, Asked { factor: 0.2, strength: 1.0, ..asked }, &none), &[(1, 0.54), (2, 0.1), (5, 0.36)]);
    near(&painted(&GIVE, asked, &none), &[(1, 0.3), (2, 0.25), (3, 0.25), (5, 0.2)]);
    // A ceiling stops the joint, and does not take from one that is above it.
    near(&painted(&ADD, Asked { ceiling: 0.6, ..asked }, &none), &[(1, 0.24), (2, 0.6), (5, 0.16)]);
    assert_eq!(painted(&ADD, Asked { ceiling: 0.4, ..asked }, &none).effect, Effect::Same);
    near(&painted(&SUBTRACT, Asked { floor: 0.4, ..asked }, &none), &[(1, 0.36), (2, 0.4), (5, 0.24)]);
    // A locked joint keeps its own, and what it leaves is all that there is.
    let locked = BTreeSet::from([1]);
    let done = painted(&ADD, Asked { strength: 0.4, ..asked }, &locked);
    near(&done, &[(1, 0.3), (2, 0.7)]);
    assert_eq!(done.effect, Effect::Partial(Stuck::NoRoom));
    // What rounding to floats has left of the sum is no room.
    let rounded = [(1, 0.3), (2, 0.699_999_97)];
    assert_eq!(painted(&ADD, Asked { own: &rounded, ..asked }, &locked).effect, Effect::Stuck(Stuck::NoRoom));
    assert_eq!(painted(&ADD, asked, &BTreeSet::from([2])).effect, Effect::Stuck(Stuck::Locked));
    assert_eq!(painted(&GIVE, asked, &BTreeSet::from([3])).effect, Effect::Stuck(Stuck::Locked));
    // The only joint of a vertex cannot lose weight to nobody.
    let alone = [(2, 1.0)];
    assert_eq!(painted(&SUBTRACT, Asked { own: &alone, ..asked }, &none).effect, Effect::Stuck(Stuck::OnlyJoint));
    near(&painted(&ADD, Asked { own: &[], ..asked }, &none), &[(2, 1.0)]);
}

#[test]
fn the_greatest_weights_stay_and_share_what_the_others_had() {
    let own = [(1, 0.4), (2, 0.3), (5, 0.2), (6, 0.1)];
    let none = BTreeSet::new();
    let asked = Asked { own: &own, strength: 0.1, joint: 3, ..ASKED };
    let done = task(&ADD, &none).paint(&asked);
    // A new joint takes the slot of the least; the others that stay share the weight of that one, and the new one keeps its own.
    let wanted = [(1, 0.36 * 0.9 / 0.81), (2, 0.27 * 0.9 / 0.81), (3, 0.1), (5, 0.18 * 0.9 / 0.81)];
    assert!(difference(&done.row, &wanted) < 1e-12, "{done:?}");
    let locked = BTreeSet::from([1, 2, 5, 6]);
    let full = [(1, 0.3), (2, 0.3), (5, 0.2), (6, 0.1)];
    let done = Task { normalise: false, ..task(&ADD, &locked) }.paint(&Asked { own: &full, ..asked });
    assert_eq!(done.effect, Effect::Stuck(Stuck::NoSlot));
    // Without normalising what finds no place is dropped.
    let done = Task { normalise: false, ..task(&ADD, &none) }.paint(&asked);
    assert!(difference(&done.row, &[(1, 0.4), (2, 0.3), (3, 0.1), (5, 0.2)]) < 1e-12, "{done:?}");
}

#[test]
fn what_the_number_of_joints_takes_back_is_said_without_a_word_of_locks_alone() {
    let none = BTreeSet::new();
    let asked = Asked { own: &[(1, 1.0)], toward: &[(2, 1.0)], strength: 0.2, ..ASKED };
    let done = Task { most: 1, ..task(&SMOOTH, &none) }.paint(&asked);
    assert_eq!(done.effect, Effect::Stuck(Stuck::NoSlot));
    assert!(Stuck::NoSlot.text().contains("more weight"));
}

#[test]
fn falloffs_fall_from_one_to_nothing() {
    for falloff in FALLOFFS {
        assert_eq!([falloff.at(0.0), falloff.at(1.0), falloff.at(f64::NAN)], [1.0, 0.0, 0.0], "{}", falloff.id);
        let values: Vec<f64> = (0..100).map(|i| falloff.at(f64::from(i) / 100.0)).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{}", falloff.id);
    }
    let half = FALLOFFS.iter().map(|falloff| falloff.at(0.6));
    let wanted = [0.352, 0.4, 0.16, 0.8, 0.4_f64.sqrt(), 1.0];
    assert!(half.zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn rows_of_few_joints_become_to_the_bit_what_the_rules_for_all_rows_make_of_them() {
    let mut chance = Chance(11);
    let none = BTreeSet::new();
    let (mut alone, mut by_four, mut by_effect) = (0, 0, BTreeSet::new());
    for round in 0..60_000 {
        let brush = BRUSHES[round % BRUSHES.len()];
        let (mut own, mut toward) = (chance.row(6), chance.row(7));
        if chance.next() < 0.3 {
            // The same joints in the same order: what most neighbours have.
            toward = own.iter().map(|(key, weight)| (*key, weight * (0.5 + chance.next()))).collect();
        }
        if chance.next() < 0.3 {
            // Weights that are equal, and sums that are none of one.
            own.iter_mut().for_each(|(_, weight)| *weight = (*weight * 4.0).ceil() / 8.0);
        }
        if chance.next() < 0.05 {
            own.clear();
        }
        let strength = [0.0, 1.0, 1e-13, chance.next(), chance.next(), 1e-4][(chance.next() * 6.0) as usize];
        let bounds = if chance.next() < 0.3 { [chance.next(), chance.next()] } else { [0.0, 1.0] };
        let [floor, ceiling] = bounds;
        let asked = Asked { strength, value: chance.next(), factor: 3.0 * chance.next(), floor, ceiling, ..ASKED };
        let task = Task {
            normalise: chance.next() < 0.8,
            most: (chance.next() * 7.0) as usize,
            is_integer: chance.next() < 0.3,
            joints: &[4, 3, 6, 5, 0, 1, 2],
            ..task(brush, &none)
        };
        let rules = task.paint(&Asked { own: &own, toward: &toward, ..asked });
        let Some(few) = task.of_few(asked) else { continue };
        let (Some(own_few), Some(toward_few)) = (FewShares::of(&own), FewShares::of(&toward)) else { continue };
        let mut row = FewShares::NONE;
        let Some(effect) = few.paint(&own_few, &toward_few, strength, &mut row) else { continue };
        alone += 1;
        assert_eq!(effect, rules.effect, "{} {own:?} {toward:?} {asked:?}", brush.id);
        by_effect.insert((brush.id, format!("{effect:?}")));
        let bits = |row: &mut dyn Iterator<Item = (u32, f64)>| row.map(|(k, w)| (k, w.to_bits())).collect::<Vec<_>>();
        if effect.changes() {
            assert_eq!(bits(&mut row.iter()), bits(&mut rules.row.iter().copied()), "{} {own:?} {asked:?}", brush.id);
        }
        if let (Some(own), Some(toward)) = (own_few.usual(), toward_few.usual().or_else(|| own_few.usual())) {
            let mut four = own;
            let done = few.paint_usual(&own, &toward, strength, &mut four);
            // A brush that reads something is told what it reads.
            let is_told = toward.to_few() == toward_few || brush.toward == Toward::Nothing;
            if let Some(effect) = done.filter(|_| is_told) {
                by_four += 1;
                assert_eq!(effect, rules.effect, "{} {own:?} {toward:?} {asked:?}", brush.id);
                if effect.changes() {
                    assert_eq!(four.to_few(), row, "{} {own:?} {toward:?} {asked:?}", brush.id);
                }
            }
        }
        // Beyond the last joint there is nothing: rows are compared as a whole.
        assert_eq!(FewShares::of(&row.iter().collect::<Shares>()), Some(row));
    }
    assert!(alone > 40_000 && by_four > 10_000 && by_effect.len() > 20, "{alone} {by_four} {}", by_effect.len());
}

#[test]
fn a_mean_of_few_joints_has_them_in_the_order_in_which_they_come() {
    let rows: [&[(u32, f64)]; 3] = [&[(3, 0.5), (1, 0.5)], &[(3, 0.25), (1, 0.75)], &[(7, 1.0), (1, 0.5)]];
    let mut mean = FewShares::NONE;
    assert!(rows.iter().all(|row| FewShares::of(row).is_some_and(|row| mean.add(&row, 2.0))));
    mean.divide(6.0);
    assert_eq!(mean.iter().collect::<Shares>(), [(3, 1.5 / 6.0), (1, 3.5 / 6.0), (7, 2.0 / 6.0)]);
    let ninth = (0..9).map(|key| (key, 0.1)).collect::<Shares>();
    assert!(FewShares::of(&ninth).is_none() && FewShares::of(&ninth[..8]).is_some_and(|mut row| !row.push(9, 0.1)));
}

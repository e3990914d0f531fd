//! Weights of single vertices: broken numbers, sums, duplicates, too many.

use super::{change, places};
use crate::defects::document::Document;
use crate::defects::file::{F32, U8, U16};
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::Rig;
use crate::defects::weights::Weights;

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("weights-not-finite", "NaN in one slot", |r, n| broken(r, n, f64::NAN, false)),
    &defect("weights-not-finite", "infinity in one slot", |r, n| broken(r, n, f64::INFINITY, false)),
    &defect("weights-not-finite", "minus infinity in all slots", |r, n| broken(r, n, f64::NEG_INFINITY, true)),
    &defect("weights-not-finite", "NaN in all slots", |r, n| broken(r, n, f64::NAN, true)),
    &defect("weights-not-finite", "NaN in a second set", |r, n| second_set(r, n, f64::NAN)),
    &defect("weights-negative", "negative, made up for", |r, n| negative(r, n, true)),
    &defect("weights-negative", "negative, not made up for", |r, n| negative(r, n, false)),
    &defect("weights-negative", "negative in a second set", |r, n| second_set(r, n, -0.05)),
    &defect("weights-negative", "all negative", all_negative),
    &near_miss("weights-negative", "minus zero", |r, n| second_set(r, n, -0.0)),
    &defect("weights-zero", "all zero, floats", |r, n| zero(r, n, Some(F32), 1)),
    &defect("weights-zero", "all zero, as stored", |r, n| zero(r, n, None, 1)),
    &defect("weights-zero", "all zero, 8 bit", |r, n| zero(r, n, Some(U8), 1)),
    &defect("weights-zero", "all zero, two sets", |r, n| zero(r, n, None, 2)),
    &near_miss("weights-zero", "only the second set has weight", moved_to_second),
    &defect("joint-out-of-range", "one beyond the last", |r, n| beyond(r, n, 0, 0.3)),
    &defect("joint-out-of-range", "far beyond", |r, n| beyond(r, n, 9_000, 0.5)),
    &defect("joint-out-of-range", "byte at its end", |r, n| {
        beyond(r, n, 255_usize.saturating_sub(r.joints.len()), 0.2)
    }),
    &defect("joint-out-of-range", "hardly any weight", |r, n| beyond(r, n, 3, 0.005)),
    &near_miss("joint-out-of-range", "without weight", |r, n| beyond(r, n, 5, 0.0)),
    &defect("weights-sum", "a little short", |r, n| sum(r, n, F32, &[0.97, 0.99, 0.995], 1)),
    &defect("weights-sum", "a little over", |r, n| sum(r, n, F32, &[1.005, 1.01, 1.05], 1)),
    &defect("weights-sum", "far off", |r, n| sum(r, n, F32, &[0.2, 0.5, 2.0, 4.0], 1)),
    &defect("weights-sum", "16 bit", |r, n| sum(r, n, U16, &[0.9998, 0.99, 0.5], 1)),
    &defect("weights-sum", "two sets", |r, n| sum(r, n, F32, &[0.9, 0.99], 2)),
    &near_miss("weights-sum", "floats off by a rounding", |r, n| sum(r, n, F32, &[1.0 - 2e-7, 1.0 + 1e-6], 1)),
    &near_miss("weights-sum", "spread over two sets", spread),
    &near_miss("weights-sum", "16 bit, exact", |r, _| stored_as(r, U16)),
    &defect("weights-sum-255", "one less", |r, n| sum(r, n, U8, &[254.0 / 255.0], 1)),
    &defect("weights-sum-255", "one more", |r, n| sum(r, n, U8, &[256.0 / 255.0], 1)),
    &defect("weights-sum-255", "far off", |r, n| sum(r, n, U8, &[0.25, 0.8, 1.3], 1)),
    &defect("weights-sum-255", "two sets", |r, n| sum(r, n, U8, &[250.0 / 255.0], 2)),
    &near_miss("weights-sum-255", "8 bit, exact", |r, _| stored_as(r, U8)),
    &defect("joint-duplicate", "twice", |r, n| duplicate(r, n, 1, 0.5)),
    &defect("joint-duplicate", "three times", |r, n| duplicate(r, n, 2, 0.3)),
    &defect("joint-duplicate", "a little", |r, n| duplicate(r, n, 1, 0.01)),
    &defect("joint-duplicate", "in the second set", duplicate_across),
    &near_miss("joint-duplicate", "without weight", |r, n| duplicate(r, n, 1, 0.0)),
    &defect("too-many-influences", "five", |r, n| many(r, n, 5)),
    &defect("too-many-influences", "six", |r, n| many(r, n, 6)),
    &defect("too-many-influences", "eight", |r, n| many(r, n, 8)),
    &defect("too-many-influences", "twelve in three sets", |r, n| many(r, n, 12)),
    &near_miss("too-many-influences", "four over two sets", spread),
];

fn start<'a>(rig: &'a Rig, component: Option<u32>) -> Edit<'a> {
    let mut edit = Edit::new(rig);
    if let Some(component) = component {
        for part in 0..rig.parts.len() {
            let stored = edit.weights(part).stored_as(component);
            *edit.weights(part) = stored;
        }
    }
    edit.plant.also = vec!["asymmetry"];
    edit
}

fn broken(rig: &Rig, random: &mut Random, value: f64, all: bool) -> Case {
    let mut edit = start(rig, Some(F32));
    let slot = random.below(4);
    change(&mut edit, &places(rig, random), |w, v| {
        let first = w.first(v);
        let slots = if all { 0..w.slots() } else { slot..slot + 1 };
        slots.for_each(|s| w.raw[first + s] = value);
    });
    edit.done()
}

fn second_set(rig: &Rig, random: &mut Random, value: f64) -> Case {
    let mut edit = start(rig, Some(F32));
    let at = places(rig, random);
    for part in 0..rig.parts.len() {
        edit.weights(part).widen(2);
    }
    let joint = random.below(rig.joints.len()) as u32;
    change(&mut edit, &at, |w, v| {
        let slot = w.first(v) + 5;
        (w.joints[slot], w.raw[slot]) = (joint, value);
        let first = w.first(v);
        if value < 0.0 {
            // Made up for by the first, and of a joint that has no other pair.
            w.joints[slot] = w.joints[first];
            w.joints[slot] = (0..).find(|j| !w.joints[first..first + 4].contains(j)).unwrap_or(0);
            w.raw[first] -= value;
        }
    });
    // A joint that has only a negative share here moves these vertices too, as a rogue would.
    edit.plant.also.extend(["rogue-vertices", "seam-weights"]);
    edit.done()
}

fn negative(rig: &Rig, random: &mut Random, made_up: bool) -> Case {
    let mut edit = start(rig, Some(F32));
    if !made_up {
        edit.plant.also.push("weights-sum");
    }
    let amount = [0.001, 0.05, 0.4][random.below(3)];
    let at: Vec<usize> = places(rig, random).into_iter().filter(|p| rig.shares(*p).len() > 1).collect();
    change(&mut edit, &at, |w, v| {
        let pairs = w.pairs(v);
        let (most, least) = (pairs[0], pairs[pairs.len() - 1]);
        let most_weight = if made_up { most.1 + least.1 + amount } else { most.1 };
        let mut new: Vec<_> = pairs[1..pairs.len() - 1].to_vec();
        new.extend([(most.0, most_weight), (least.0, -amount)]);
        w.set(v as usize, &new);
    });
    (!at.is_empty()).then(|| edit.done())?
}

fn all_negative(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = start(rig, Some(F32));
    edit.plant.also.push("weights-sum");
    change(&mut edit, &places(rig, random), |w, v| {
        let pairs: Vec<_> = w.pairs(v).iter().map(|(j, x)| (*j, -x)).collect();
        w.set(v as usize, &pairs);
    });
    edit.done()
}

fn zero(rig: &Rig, random: &mut Random, component: Option<u32>, sets: usize) -> Case {
    let mut edit = start(rig, component);
    for part in 0..if sets > 1 { rig.parts.len() } else { 0 } {
        edit.weights(part).widen(sets);
    }
    change(&mut edit, &places(rig, random), |w, v| {
        let first = w.first(v);
        (0..w.slots()).for_each(|s| w.raw[first + s] = 0.0);
    });
    edit.done()
}

fn moved_to_second(rig: &Rig, _: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    for part in 0..rig.parts.len() {
        let w = edit.weights(part);
        w.widen(w.sets + 1);
        for v in 0..w.vertices() {
            let first = w.first(v as u32);
            let last = first + w.slots() - 4;
            (0..4).for_each(|s| {
                w.joints.swap(first + s, last + s);
                w.raw.swap(first + s, last + s);
            });
        }
    }
    edit.done()
}

/// Pairs in every other slot of two sets, in another order for each vertex.
fn spread(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = Edit::new(rig);
    for part in 0..rig.parts.len() {
        let w = edit.weights(part);
        w.widen(w.sets + 1);
        for v in 0..w.vertices() as u32 {
            let mut pairs = w.pairs(v);
            let turn = random.below(pairs.len().max(1));
            pairs.rotate_left(turn);
            let shift = random.below(w.slots() - pairs.len() + 1);
            w.set(v as usize, &[vec![(0, 0.0); shift], pairs].concat());
        }
    }
    edit.done()
}

fn stored_as(rig: &Rig, component: u32) -> Case {
    start(rig, Some(component)).done()
}

fn beyond(rig: &Rig, random: &mut Random, past: usize, share: f64) -> Case {
    let mut edit = start(rig, None);
    let joint = (rig.joints.len() + past) as u32;
    let at = random.below(rig.copies.len());
    change(&mut edit, &[at], |w, v| {
        if share > 0.0 {
            // No less than one step of an integer.
            w.give(v, joint, share.max(1.0 / w.one()));
        } else {
            let first = w.first(v);
            let slot = (0..w.slots()).find(|s| w.raw[first + s] == 0.0);
            slot.map(|s| w.joints[first + s] = joint).unwrap_or_default();
        }
    });
    edit.done()
}

fn sum(rig: &Rig, random: &mut Random, component: u32, sums: &[f64], sets: usize) -> Case {
    let mut edit = start(rig, Some(component));
    // What does not fit into the integers of a vertex goes to a joint that has nothing to do there.
    edit.plant.also.push("rogue-vertices");
    let share = random.pick(sums);
    for part in 0..if sets > 1 { rig.parts.len() } else { 0 } {
        let w = edit.weights(part);
        w.widen(sets);
        for v in 0..w.vertices() as u32 {
            let (first, last) = (w.first(v), w.first(v) + w.slots() - 1);
            w.joints.swap(first, last);
            w.raw.swap(first, last);
        }
    }
    change(&mut edit, &places(rig, random), |w, v| off(w, v, share));
    edit.done()
}

/// Makes the weights of a vertex sum to `share`.
fn off(w: &mut Weights, v: u32, share: f64) {
    let one = w.one();
    let first = w.first(v);
    if w.component == F32 {
        (0..w.slots()).for_each(|s| w.raw[first + s] *= share);
        return;
    }
    let mut change = ((share - 1.0) * one).round();
    for s in first..first + w.slots() {
        let new = (w.raw[s] + change).clamp(0.0, one);
        // Slots that hold nothing stay without a joint.
        if w.raw[s] > 0.0 {
            change -= new - w.raw[s];
            w.raw[s] = new;
        }
    }
    // What would not fit: a joint of its own.
    if change > 0.0
        && let Some(s) = (first..first + w.slots()).find(|s| w.raw[*s] == 0.0)
    {
        w.joints[s] = (0..).find(|j| !w.joints[first..first + w.slots()].contains(j)).unwrap_or(0);
        w.raw[s] = change;
    }
}

fn duplicate(rig: &Rig, random: &mut Random, times: usize, share: f64) -> Case {
    let mut edit = start(rig, None);
    edit.plant.also.clear();
    let room = |p: &usize| {
        rig.copies[*p].iter().all(|(part, v)| {
            let w = &rig.parts[*part].weights;
            let pairs = w.pairs(*v);
            // Of integers each part must be one at least.
            pairs.len() + times <= w.slots() && (share == 0.0 || pairs[0].1 * share >= 1.0 || w.component == F32)
        })
    };
    let at: Vec<usize> = places(rig, random).into_iter().filter(room).collect();
    change(&mut edit, &at, |w, v| {
        let mut pairs = w.pairs(v);
        let (joint, weight) = pairs[0];
        let part = if w.component == F32 { f64::from((weight * share) as f32) } else { (weight * share).floor() };
        pairs[0].1 -= part * times as f64;
        pairs.extend(vec![(joint, part); times]);
        w.set(v as usize, &pairs);
    });
    (!at.is_empty()).then(|| edit.done())?
}

fn duplicate_across(rig: &Rig, random: &mut Random) -> Case {
    let mut edit = start(rig, None);
    // A joint that is listed twice takes two places: with three others there are five.
    edit.plant.also = vec!["too-many-influences"];
    let at = places(rig, random);
    for part in 0..rig.parts.len() {
        edit.weights(part).widen(2);
    }
    change(&mut edit, &at, |w, v| {
        let first = w.first(v);
        let most = (first..first + 4).max_by(|a, b| w.raw[*a].total_cmp(&w.raw[*b])).unwrap_or(first);
        let half = if w.component == F32 { w.raw[most] / 2.0 } else { (w.raw[most] / 2.0).floor() };
        (w.joints[first + 6], w.raw[first + 6]) = (w.joints[most], half);
        w.raw[most] -= half;
    });
    edit.done()
}

/// `count` influences: the nearest joints join in with a little each.
fn many(rig: &Rig, random: &mut Random, count: usize) -> Case {
    if rig.joints.len() < count {
        return None;
    }
    let mut edit = start(rig, None);
    // New joints of a vertex may be rogues there.
    edit.plant.also.extend(["rogue-vertices"]);
    let at = places(rig, random);
    for part in 0..rig.parts.len() {
        edit.weights(part).widen(count.div_ceil(4));
    }
    let share = [0.02, 0.06][random.below(2)];
    let near = |v: glam::DVec3| {
        let mut all: Vec<u32> = (0..rig.joints.len() as u32).collect();
        all.sort_by(|a, b| rig.heads[*a as usize].distance(v).total_cmp(&rig.heads[*b as usize].distance(v)));
        all
    };
    for place in at {
        let joints = near(rig.position(place));
        change(&mut edit, &[place], |w, v| {
            for joint in &joints {
                if w.pairs(v).len() < count && !w.shares(v).contains_key(joint) {
                    w.give(v, *joint, share);
                }
            }
        });
    }
    edit.done()
}

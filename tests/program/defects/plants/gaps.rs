//! Weights across a gap: a joint moves what lies beside its own surface and is far from it along the surface.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{change, patch};
use crate::defects::document::Document;
use crate::defects::plant::{Edit, Kind, Plant, defect, near_miss};
use crate::defects::random::Random;
use crate::defects::rig::Rig;

type Case = Option<(Document, Plant)>;

pub static KINDS: &[&Kind] = &[
    &defect("bleeding", "one vertex, some of it", |r, n| across(r, n, 0, 0.3)),
    &defect("bleeding", "one vertex, a little", |r, n| across(r, n, 0, 0.1)),
    &defect("bleeding", "a patch", |r, n| across(r, n, 1, 0.4)),
    &near_miss("bleeding", "a trace", |r, n| across(r, n, 1, 0.02)),
];

/// The way over the edges to each place from the nearest of some places; infinite where none leads there.
fn ways(rig: &Rig, from: &[usize]) -> Vec<f64> {
    let mut out = vec![f64::INFINITY; rig.copies.len()];
    from.iter().for_each(|place| out[*place] = 0.0);
    let mut open: BinaryHeap<Reverse<(u64, usize)>> = from.iter().map(|place| Reverse((0, *place))).collect();
    while let Some(Reverse((bits, place))) = open.pop() {
        let way = f64::from_bits(bits);
        if way > out[place] {
            continue;
        }
        for next in &rig.edges[place] {
            let there = way + rig.position(place).distance(rig.position(*next));
            if there < out[*next] {
                out[*next] = there;
                open.push(Reverse((there.to_bits(), *next)));
            }
        }
    }
    out
}

/// A joint gets a share of a patch that is far from its own places along the surface, and near them through the air.
fn across(rig: &Rig, random: &mut Random, steps: usize, share: f64) -> Case {
    let heaviest =
        |place: usize| rig.shares(place).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint);
    let heaviest: Vec<Option<u32>> = (0..rig.copies.len()).map(heaviest).collect();
    let (joint, places) = (0..80).find_map(|_| {
        let joint = random.below(rig.joints.len()) as u32;
        let own: Vec<usize> = (0..heaviest.len()).filter(|place| heaviest[*place] == Some(joint)).collect();
        let from_bone = |place: &usize| rig.bone_distance(joint, rig.position(*place));
        let radius = own.iter().map(from_bone).sum::<f64>() / own.len().max(1) as f64;
        let ways = ways(rig, &own);
        let least = (rig.size * 0.05).max(radius * 4.0);
        let is_across = |place: &usize| {
            let from = |other: &usize| rig.position(*other).distance(rig.position(*place));
            let is_far = ways[*place].is_finite() && ways[*place] > least;
            is_far && own.iter().map(from).fold(f64::INFINITY, f64::min) * 5.5 < ways[*place]
        };
        let all: Vec<usize> = (0..rig.copies.len()).filter(is_across).collect();
        let start = if all.is_empty() { return None } else { random.pick(&all) };
        let places = patch(rig, start, steps);
        // So few that they are no second region of the joint.
        (own.len() >= 12 * places.len() && places.iter().all(is_across)).then_some((joint, places))
    })?;
    let mut edit = Edit::new(rig);
    change(&mut edit, &places, |w, v| w.give(v, joint, share));
    edit.plant.joints = vec![rig.joints[joint as usize]];
    edit.plant.also = vec!["rogue-vertices", "far-influence", "asymmetry"];
    edit.done()
}

//! Finds the moments at which two clips that differ move their surfaces farthest apart, by few vertices of each joint.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use skinscope_model::{Clip, InstanceId, Model};

use super::clips::moments;
use super::pose::Posed;
use super::surfaces::Pair;

/// At so many of the moments that the few vertices are farthest apart at, all vertices are compared.
const MOST_MOMENTS: usize = 24;
/// The few vertices are placed at so many moments at most.
const MOST_PLACED: usize = 1024;
/// A vertex stands for a joint that has at least this weight of it.
const OWN: f32 = 0.5;
/// The vertices that stand for a joint are those that lie farthest in these directions.
const DIRECTIONS: [Vec3; 6] = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];

/// Some vertices of an instance of both models.
struct Sample {
    instances: [usize; 2],
    /// The vertices: primitive and index in each model.
    vertices: Vec<[(usize, usize); 2]>,
}

/// Returns the times of keys, and of the middles between keys, at which the sampled vertices are farthest apart, seconds.
pub(super) fn farthest(a: &Model, b: &Model, pairs: &[Pair], clips: [&Clip; 2]) -> Vec<f32> {
    let samples: Vec<Sample> = pairs.iter().flat_map(|pair| samples(a, pair)).collect();
    let mut posed = [Posed::new(a), Posed::new(b)];
    let mut found: Vec<(f64, f32)> = Vec::new();
    let times = moments(clips);
    for time in times.iter().copied().step_by(times.len().div_ceil(MOST_PLACED).max(1)) {
        posed.iter_mut().zip(clips).for_each(|(posed, clip)| posed.set(Some((clip, time))));
        let mut most = 0.0_f64;
        for sample in &samples {
            let origin = |side: usize| {
                let instance = InstanceId::from_index(sample.instances[side]);
                posed[side].shift + posed[side].model.origin_of_instance(instance)
            };
            let apart = origin(0) - origin(1);
            let places = [0, 1].map(|side| {
                let vertices = sample.vertices.iter().map(move |vertex| vertex[side]);
                posed[side].some_positions(sample.instances[side], vertices)
            });
            let distances =
                places[0].iter().zip(&places[1]).map(|(p, q)| (p.as_dvec3() + apart).distance(q.as_dvec3()));
            most = distances.filter(|d| d.is_finite()).fold(most, f64::max);
        }
        found.push((most, time));
    }
    found.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.total_cmp(&y.1)));
    found.into_iter().take(MOST_MOMENTS).map(|(_, time)| time).collect()
}

/// Returns the samples of the instances of a mesh: for each joint, and for the mesh as a whole, the pairs that lie farthest to each side, and
/// for each morph target the pair that it moves farthest.
fn samples(a: &Model, pair: &Pair) -> Vec<Sample> {
    let Some(first) = pair.instances.first() else { return Vec::new() };
    let list = &pair.lists[0];
    let mut best: BTreeMap<(usize, usize), (f32, usize)> = BTreeMap::new();
    let mut offer = |key: (usize, usize), value: f32, pair: usize| {
        let entry = best.entry(key).or_insert((value, pair));
        if value > entry.0 {
            *entry = (value, pair);
        }
    };
    for (number, [v, _]) in pair.matched.pairs.iter().enumerate() {
        let (p, vertex) = list.at(*v);
        let primitive = &list.mesh.primitives[p];
        let position = primitive.positions[vertex];
        let (_, influences) = a.binding(InstanceId::from_index(first[0]), p);
        let (joints, weights) = influences.map(|influences| influences.of(vertex)).unwrap_or_default();
        let owners =
            joints.iter().zip(weights).filter(|(_, weight)| **weight >= OWN).map(|(joint, _)| 1 + usize::from(*joint));
        for owner in owners.chain([0]) {
            for (way, direction) in DIRECTIONS.iter().enumerate() {
                offer((owner, way), position.dot(*direction), number);
            }
        }
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            offer((1 + usize::from(*joint), DIRECTIONS.len()), *weight, number);
        }
        for (target, morph) in primitive.morphs.iter().enumerate() {
            let moved = morph.positions.get(vertex).map_or(0.0, |by| by.length());
            offer((usize::MAX, target), moved, number);
        }
    }
    let chosen: BTreeSet<usize> = best.into_values().map(|(_, number)| number).collect();
    let vertices: Vec<[(usize, usize); 2]> = chosen
        .into_iter()
        .map(|number| {
            let [v, w] = pair.matched.pairs[number];
            [list.at(v), pair.lists[1].at(w)]
        })
        .collect();
    let of_instance = |instances: &[usize; 2]| Sample { instances: *instances, vertices: vertices.clone() };
    pair.instances.iter().map(of_instance).collect()
}

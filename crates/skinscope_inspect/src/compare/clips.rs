//! Compares clips by the channels that they have: the values at every key and between keys. What no channel of either drives is no
//! property of a clip. Clips are matched by name, of several with one name those that are equal; order is no difference.

use std::collections::BTreeSet;

use skinscope_anim::{SampleScratch, reset_to_rest, sample};
use skinscope_model::{Channel, Clip, LocalPose, Model, NodeId, Path, Property, PropertyChannel};

use super::nodes::{Nodes, near, near_with, same_turn};
use super::{Contents, Pairing, by_contents, hash_of_text};

/// The most moments at which two clips are compared.
const MOST_MOMENTS: usize = 4000;
/// Times that differ by less than this are equal, seconds.
const SAME_TIME: f32 = 1e-5;
/// Weights of morph targets that differ by less than this are equal.
const SAME_MORPH: f32 = 1e-5;

/// Returns the names of all clips, for people.
pub(super) fn names(model: &Model) -> Vec<&str> {
    model.clips.iter().map(|clip| clip.name.as_str()).collect()
}

/// The names that the file gives clips; one that has none there is called after its index, and has no name here.
fn given_names(model: &Model) -> Vec<String> {
    let name = |(i, clip): (usize, &Clip)| if clip.name == format!("Clip {i}") { "" } else { &clip.name }.to_owned();
    model.clips.iter().enumerate().map(name).collect()
}

/// Pairs the clips of two models.
pub(super) fn pair(a: &Model, b: &Model, nodes: &Nodes) -> Pairing {
    let [own, other] = [a, b].map(given_names);
    let differ = |[here, there]: [usize; 2]| differs(a, b, [&a.clips[here], &b.clips[there]], nodes);
    let names: [Vec<&str>; 2] = [&own, &other].map(|list| list.iter().map(String::as_str).collect());
    let hash = |side: usize, index: usize| match side {
        0 => hash_of_text(&contents(a, &a.clips[index], &|node| node)),
        _ => hash_of_text(&contents(b, &b.clips[index], &|node| nodes.key[node])),
    };
    by_contents(&names[0], &names[1], &Contents { hash: &hash, differ: &differ })
}

/// Returns all that a clip changes, as text: what it does to nodes, sorted, and the rest ([`properties`]).
fn contents(model: &Model, clip: &Clip, key: &dyn Fn(usize) -> usize) -> [Vec<String>; 2] {
    let values = |c: &Channel| {
        let sampler = &clip.samplers[c.sampler];
        let (subject, times) = (key(c.node.index()), &clip.times[sampler.times]);
        format!("{subject} {:?} {:?} {times:?} {:?}", c.path, sampler.interpolation, sampler.values)
    };
    let mut all: Vec<String> = clip.channels.iter().map(values).collect();
    all.sort();
    [all, properties(model, clip, key)]
}

/// Where between two keys clips are compared, as shares of the way. A cubic curve that agrees with another one at two keys and at two places
/// between them is the same; in the middle alone a symmetric one agrees with a straight line.
const BETWEEN: [f32; 3] = [0.25, 0.5, 0.75];

/// Returns the times of all keys and some between them, seconds.
pub(super) fn moments(clips: [&Clip; 2]) -> Vec<f32> {
    let mut times: Vec<f32> = clips.iter().flat_map(|clip| clip.times.iter().flatten().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let step = times.len().div_ceil(MOST_MOMENTS / (1 + BETWEEN.len())).max(1);
    let mut out: Vec<f32> = times.iter().copied().step_by(step).collect();
    let between = |w: &[f32]| BETWEEN.map(|share| w[0] + (w[1] - w[0]) * share);
    out.extend(times.windows(2).step_by(step).flat_map(between));
    out
}

/// Returns what a clip changes apart from nodes, as text: every channel with its keys, sorted. Nodes have the numbers of `key`, materials
/// their names.
fn properties(model: &Model, clip: &Clip, key: &dyn Fn(usize) -> usize) -> Vec<String> {
    let values = |p: &PropertyChannel| {
        let sampler = &clip.samplers[p.sampler];
        let subject = match p.property {
            Property::Visible(node) => format!("node {} visible", key(node.index())),
            Property::Material(material, property) => {
                let name = model.materials.get(material.index()).map(|m| &m.name);
                format!("material {name:?} {property:?}")
            }
            other => format!("{other:?}"),
        };
        format!("{subject} {:?} {:?} {:?}", sampler.interpolation, clip.times[sampler.times], sampler.values)
    };
    let mut all: Vec<String> = clip.properties.iter().map(values).collect();
    all.sort();
    all
}

/// A property of a node that a channel drives: the node's number in both models, and 0 translation, 1 rotation, 2 scale, 3 morph weights.
type Driven = ([usize; 2], u8);

/// Returns what channels of either clip drive; `None` where one drives a node that the other model does not have.
fn driven([own, other]: [&Clip; 2], nodes: &Nodes) -> Option<BTreeSet<Driven>> {
    let path = |path: Path| match path {
        Path::Translation => 0,
        Path::Rotation => 1,
        Path::Scale => 2,
        Path::Weights => 3,
    };
    let count = nodes.there.len();
    let here = own.channels.iter().map(|c| Some(([c.node.index(), nodes.there[c.node.index()]?], path(c.path))));
    let there = other.channels.iter().map(|c| {
        let partner = Some(nodes.key[c.node.index()]).filter(|key| *key < count)?;
        Some(([partner, c.node.index()], path(c.path)))
    });
    here.chain(there).collect()
}

/// Returns the morph weights that a pose gives the mesh of a node.
fn morphs<'p>(model: &Model, pose: &'p LocalPose, node: usize) -> &'p [f32] {
    let instance = model.instances.iter().find(|i| i.node.index() == node && !i.morph_weights.is_empty());
    instance
        .map_or(&[], |i| pose.morph_weights.get(i.morph_offset..i.morph_offset + i.morph_weights.len()).unwrap_or(&[]))
}

fn differs(a: &Model, b: &Model, [own, other]: [&Clip; 2], nodes: &Nodes) -> bool {
    let apart = |x: f32, y: f32| (x - y).abs() > SAME_TIME * x.abs().max(1.0);
    if apart(own.start_secs, other.start_secs) || apart(own.end_secs, other.end_secs) {
        return true;
    }
    if properties(a, own, &|node| node) != properties(b, other, &|node| nodes.key[node]) {
        return true;
    }
    let Some(driven) = driven([own, other], nodes) else { return true };
    let mut scratches = [SampleScratch::default(), SampleScratch::default()];
    let [mut here_pose, mut there_pose] = [LocalPose::default(), LocalPose::default()];
    // Most clips that differ do so in one of these already, before all their keys are looked at.
    let ends = [own.start_secs, own.end_secs, (own.start_secs + own.end_secs) / 2.0];
    ends.into_iter().chain(std::iter::once_with(|| moments([own, other])).flatten()).any(|time| {
        let [here_scratch, there_scratch] = &mut scratches;
        reset_to_rest(&a.skeleton, &mut here_pose);
        sample(a, own, time, here_scratch, &mut here_pose);
        reset_to_rest(&b.skeleton, &mut there_pose);
        sample(b, other, time, there_scratch, &mut there_pose);
        driven.iter().any(|([here, there], path)| {
            let (x, y) = (here_pose.transforms[*here], there_pose.transforms[*there]);
            match path {
                0 => {
                    let position = |model: &Model, pose: &LocalPose, node: usize| {
                        model.skeleton.base(node) + pose.wide.offset(NodeId::from_index(node))
                    };
                    let apart = position(a, &here_pose, *here) - position(b, &there_pose, *there);
                    !near_with(x.translation, y.translation, apart)
                }
                1 => !same_turn(x.rotation, y.rotation),
                2 => !near(x.scale, y.scale),
                _ => {
                    let (x, y) = (morphs(a, &here_pose, *here), morphs(b, &there_pose, *there));
                    x.len() != y.len() || x.iter().zip(y).any(|(x, y)| (x - y).abs() > SAME_MORPH)
                }
            }
        })
    })
}

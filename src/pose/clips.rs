//! Carries clips over to another model, by the names of nodes.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};

use super::Keys;
use super::carry::Carrier;
use crate::anim::{SampleScratch, sample};
use crate::model::{Channel, Clip, Instance, Interpolation, LocalPose, Model, NodeId, Path, Sampler, Values};

/// The most seconds between two moments of a clip that is corrected for another rest pose.
const STEP_SECS: f32 = 1.0 / 30.0;

/// The most moments of such a clip.
const MOST_MOMENTS: usize = 20_000;

/// How far apart two rest poses may be that count as one: radians, and shares of the size of the skeleton.
const NEAR: f32 = 1e-3;

/// Clips of another model, as a model takes them.
#[derive(Clone, Debug, Default)]
pub struct CarriedClips {
    /// The clips that move something here, under the names that they have there.
    pub clips: Vec<Clip>,
    /// Names of nodes that clips move there and that have no counterpart here, and `node/target` of morph targets.
    pub unmatched: Vec<String>,
    /// Whether the clips were corrected, since the two models rest in other poses.
    pub is_corrected: bool,
}

/// Returns the clips of the model `from` for the model `to`: nodes are matched as by pose files, by name, without
/// prefix, without case.
///
/// Where bones have the same frames in both models, keys mean the same and are taken as they are: nodes have the same
/// translations and scales at rest, and the same rotations where the clip does not turn them. Else each moment is
/// carried over as a pose is ([`super::carry`]), at all keys and at least 30 times a second, and rotations between two
/// moments follow the shorter arc. Morph weights are taken by the names of targets.
#[must_use]
pub fn carry_clips(from: &Model, to: &Model) -> CarriedClips {
    let carrier = Carrier::new(from, to);
    let mut here: Vec<Option<NodeId>> = vec![None; from.skeleton.len()];
    for (i, j) in carrier.other.iter().enumerate() {
        if let Some(j) = j {
            here[*j] = Some(NodeId::from_index(i));
        }
    }
    let keys = Keys::of(from);
    let mut out = CarriedClips::default();
    let mut lost = BTreeSet::new();
    for clip in &from.clips {
        lost.extend(clip.channels.iter().filter(|c| here[c.node.index()].is_none()).map(|c| c.node));
        let rests_alike = fits_as_it_is(from, to, clip, &here);
        let mut carried = if rests_alike { copied(clip, &here) } else { corrected(from, clip, &carrier) };
        out.is_corrected |= !rests_alike;
        for channel in clip.channels.iter().filter(|c| c.path == Path::Weights) {
            let Some(own) = here[channel.node.index()] else { continue };
            let (theirs, ours) = (instance_at(from, channel.node), instance_at(to, own));
            let Some((theirs, ours)) = theirs.zip(ours) else { continue };
            let sampler = &clip.samplers[channel.sampler];
            let names = |model: &Model, of: &Instance| model.meshes[of.mesh.index()].morph_names.clone();
            let (theirs, names) = (names(from, theirs), names(to, ours));
            let missing = theirs.iter().filter(|name| !names.contains(name));
            out.unmatched.extend(missing.map(|name| format!("{}/{name}", keys.key(channel.node))));
            if let Some(values) = weights(sampler, &theirs, &names, &ours.morph_weights) {
                let times = carried.times.iter().position(|times| *times == clip.times[sampler.times]);
                let times = times.unwrap_or_else(|| {
                    carried.times.push(clip.times[sampler.times].clone());
                    carried.times.len() - 1
                });
                carried.samplers.push(Sampler { times, interpolation: sampler.interpolation, values });
                let sampler = carried.samplers.len() - 1;
                carried.channels.push(Channel { node: own, path: Path::Weights, sampler });
            }
        }
        if !carried.channels.is_empty() {
            out.clips.push(carried);
        }
    }
    out.unmatched.extend(lost.into_iter().map(|node| keys.key(node).to_owned()));
    out.unmatched.sort();
    out.unmatched.dedup();
    out
}

/// Returns whether the keys of a clip mean the same in another model.
fn fits_as_it_is(from: &Model, to: &Model, clip: &Clip, here: &[Option<NodeId>]) -> bool {
    let moved: BTreeSet<(NodeId, bool)> = clip.channels.iter().map(|c| (c.node, c.path == Path::Rotation)).collect();
    let is_moved = |node: NodeId| moved.contains(&(node, true)) || moved.contains(&(node, false));
    here.iter().enumerate().all(|(i, own)| {
        let (there, Some(own)) = (NodeId::from_index(i), *own) else { return true };
        let counts = is_moved(there) || from.is_joint(there) && to.is_joint(own);
        if !counts {
            return true;
        }
        let (a, b) = (from.skeleton.rest.transforms[i], to.skeleton.rest.transforms[own.index()]);
        let near = |a: Vec3, b: Vec3| a.distance(b) <= NEAR * a.length().max(b.length()).max(f32::MIN_POSITIVE);
        let turned = 2.0 * a.rotation.normalize().dot(b.rotation.normalize()).abs().min(1.0).acos();
        let turns_alike = moved.contains(&(there, true)) || turned <= NEAR;
        turns_alike && near(a.translation, b.translation) && near(a.scale, b.scale)
    })
}

/// Returns a clip with the same keys, for the nodes of another model.
fn copied(clip: &Clip, here: &[Option<NodeId>]) -> Clip {
    let channels = clip.channels.iter().filter(|c| c.path != Path::Weights);
    let channels = channels.filter_map(|c| Some(Channel { node: here[c.node.index()]?, ..*c })).collect();
    Clip {
        name: clip.name.clone(),
        channels,
        samplers: clip.samplers.clone(),
        times: clip.times.clone(),
        start_secs: clip.start_secs,
        end_secs: clip.end_secs,
        ..Clip::default()
    }
}

/// The moments of a clip that is corrected: all keys of what it moves, and moments between keys that lie far apart.
fn moments(clip: &Clip) -> Vec<f32> {
    let moving = clip.channels.iter().filter(|c| c.path != Path::Weights);
    let lists: BTreeSet<usize> = moving.map(|c| clip.samplers[c.sampler].times).collect();
    let mut keys: Vec<f32> = lists.into_iter().flat_map(|list| clip.times[list].iter().copied()).collect();
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) else { return keys };
    let step = STEP_SECS.max((last - first) / MOST_MOMENTS as f32);
    let mut out = vec![first];
    for key in keys {
        let from = out.last().copied().unwrap_or(first);
        let parts = ((key - from) / step).ceil().max(1.0) as usize;
        out.extend((1..parts).map(|i| from + (key - from) * i as f32 / parts as f32).filter(|t| *t > from && *t < key));
        // Of keys that lie closer together than that few are kept where there are very many.
        if out.len() < 2 * MOST_MOMENTS {
            out.push(key);
        }
    }
    out.dedup();
    out
}

/// Translations, rotations and scales of a node over time, each with four numbers.
type NodeValues = [Vec<[f32; 4]>; 3];

/// Returns a clip that looks on another model as this one does here.
fn corrected(from: &Model, clip: &Clip, carrier: &Carrier<'_>) -> Clip {
    let (to, times) = (carrier.to(), moments(clip));
    let rest = &to.skeleton.rest.transforms;
    let (mut posed, mut scratch) = (LocalPose::default(), SampleScratch::default());
    // The values of each node over time, where it leaves its rest at all.
    let mut values: Vec<Option<Box<NodeValues>>> = vec![None; to.skeleton.len()];
    for (at, time) in times.iter().enumerate() {
        posed.clone_from(&from.skeleton.rest);
        sample(from, clip, *time, &mut scratch, &mut posed);
        for (node, said) in carrier.carry(&posed) {
            let of = rest[node.index()];
            let lists = values[node.index()].get_or_insert_default();
            let wide = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
            let now = [
                said.translation.map(wide).map(|v| (v, wide(of.translation.to_array()))),
                said.rotation.map(|v| (v, of.rotation.to_array())),
                said.scale.map(wide).map(|v| (v, wide(of.scale.to_array()))),
            ];
            for (list, (value, rest)) in lists.iter_mut().zip(now).filter_map(|(list, now)| Some((list, now?))) {
                list.resize(at, rest);
                list.push(value);
            }
        }
    }
    let mut out =
        Clip { name: clip.name.clone(), start_secs: clip.start_secs, end_secs: clip.end_secs, ..Clip::default() };
    let count = times.len();
    out.times.extend(Some(times).filter(|times| !times.is_empty()));
    for (i, lists) in values.into_iter().enumerate() {
        let Some([translations, rotations, scales]) = lists.map(|lists| *lists) else { continue };
        let (node, of) = (NodeId::from_index(i), rest[i]);
        let mut push = |path: Path, values: Values| {
            out.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
            out.channels.push(Channel { node, path, sampler: out.samplers.len() - 1 });
        };
        for (path, mut list, rest) in
            [(Path::Translation, translations, of.translation), (Path::Scale, scales, of.scale)]
        {
            if !list.is_empty() {
                list.resize(count, rest.extend(0.0).to_array());
                push(path, Values::Vec3(list.iter().map(|v| Vec3::new(v[0], v[1], v[2])).collect()));
            }
        }
        if !rotations.is_empty() {
            let mut list = rotations;
            list.resize(count, of.rotation.to_array());
            push(Path::Rotation, Values::Quat(list.iter().map(|v| Quat::from_array(*v)).collect()));
        }
    }
    out
}

fn instance_at(model: &Model, node: NodeId) -> Option<&Instance> {
    model.instances.iter().find(|instance| instance.node == node)
}

/// Returns the weights of a sampler in the order of other targets: those that it lacks are at rest; `None` where it has none of
/// them.
fn weights(sampler: &Sampler, theirs: &[String], ours: &[String], rest: &[f32]) -> Option<Values> {
    let Values::Weights { count, values } = &sampler.values else { return None };
    let place = |name: &String| theirs.iter().position(|other| other == name).filter(|at| at < count);
    let places: Vec<Option<usize>> = ours.iter().map(place).collect();
    if places.iter().all(Option::is_none) {
        return None;
    }
    let mut out = Vec::with_capacity(values.len() / count * ours.len());
    for (entry, row) in values.chunks_exact(*count).enumerate() {
        // The first and third entry of each key of a spline are its tangents.
        let is_tangent = sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
        let still = |target: usize| if is_tangent { 0.0 } else { rest.get(target).copied().unwrap_or_default() };
        out.extend(places.iter().enumerate().map(|(i, place)| place.map_or_else(|| still(i), |at| row[at])));
    }
    Some(Values::Weights { count: ours.len(), values: out })
}

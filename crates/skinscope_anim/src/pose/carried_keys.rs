//! Retargets a clip key by key to a model with another rest pose: times and interpolation stay.
//!
//! A node `i` with the parent `p` rotates in world space as its counterpart does ([`Carrier`]), and so does the nearest
//! node above it that has a counterpart. In the local rotation of `i` all of that cancels except constants on both
//! sides: `L′ = left · L · right`, where `L` is the local rotation of the counterpart. That is a linear map of unit
//! quaternions, so that it can be applied to keys and to the tangents of splines, and slerp between two keys commutes
//! with it. Translations become `t′ = t′_rest + M · (t − t_rest)`.
//!
//! There are no such constants where several nodes rotate between the counterparts because the model lacks some of
//! them: there the clip is sampled, unless all of these nodes jump from key to key.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DQuat, DVec3, DVec4, Quat, Vec3};
use skinscope_base::math::wide_unit;
use skinscope_model::{Channel, Clip, Interpolation, LocalPose, NodeId, Path, Sampler, Values};

use super::Channels;
use super::carry::Carrier;
use crate::{SampleScratch, sample};

/// The most seconds between two moments of a channel that is sampled.
const STEP_SECS: f32 = 1.0 / 30.0;

/// The most moments of such a channel.
const MOST_MOMENTS: usize = 20_000;

/// A map of keys that moves them by less than this, as rounding does, leaves them as they are.
const SAME: f64 = 5e-7;

/// A clip that was retargeted to another model.
pub(super) struct Corrected {
    pub clip: Clip,
    /// Whether any key differs from that of the original clip.
    pub is_changed: bool,
    /// The nodes with channels that were sampled.
    pub resampled: BTreeSet<NodeId>,
}

/// How the local rotation of a node comes of the clip.
enum Turn {
    /// It stays.
    Still(DQuat),
    /// `left · L · right`, or of the inverse of `L`, the local rotation of this node of the other model.
    Keyed { node: usize, is_inverse: bool, left: DQuat, right: DQuat },
    /// Several nodes turn it.
    Mixed(Vec<usize>),
}

/// A channel without a map of keys.
struct Unmapped {
    node: usize,
    path: Path,
    /// The samplers that move it.
    samplers: Vec<usize>,
}

/// Returns a clip that looks on the target model of `carrier` as the original does on its own model, except for morph
/// weights.
pub(super) fn corrected(clip: &Clip, carrier: &Carrier<'_>) -> Corrected {
    let mut out = Corrected { clip: headed(clip), is_changed: false, resampled: BTreeSet::new() };
    let of: BTreeMap<(usize, Path), usize> =
        clip.channels.iter().map(|c| ((c.node.index(), c.path), c.sampler)).collect();
    let turns = |node: &usize| of.contains_key(&(*node, Path::Rotation));
    let mut unmapped = Vec::new();
    for (i, j) in carrier.other.iter().enumerate() {
        let Some(j) = *j else { continue };
        let node = NodeId::from_index(i);
        let own = carrier.to.skeleton.rest.transforms[i];
        let samplers = |nodes: &[usize]| nodes.iter().map(|node| of[&(*node, Path::Rotation)]).collect::<Vec<_>>();
        let led = led_by(carrier, i, j, &of);
        if !led.is_empty() {
            unmapped.push(Unmapped { node: i, path: Path::Translation, samplers: led });
        } else if let Some(at) = of.get(&(j, Path::Translation)) {
            match shift(carrier, i, j, &turns) {
                Ok(map) => {
                    let was = carrier.from.skeleton.rest.transforms[j].translation.as_dvec3();
                    let now = own.translation.as_dvec3();
                    let is_same = near(map, DMat3::IDENTITY) && was.distance(now) <= SAME * was.length();
                    out.map_vectors(clip, *at, (node, Path::Translation), (was, map, now), is_same);
                }
                Err(nodes) => {
                    let samplers = [&[*at], &samplers(&nodes)[..]].concat();
                    unmapped.push(Unmapped { node: i, path: Path::Translation, samplers });
                }
            }
        }
        match turn(carrier, i, j, &turns) {
            Turn::Still(rotation) => {
                if !is_one(rotation * own.rotation.as_dquat().normalize().inverse()) {
                    out.hold(clip, node, rotation.as_quat());
                }
            }
            Turn::Keyed { node: moving, is_inverse, left, right } => {
                out.map_rotations(clip, of[&(moving, Path::Rotation)], node, is_inverse, [left, right]);
            }
            Turn::Mixed(nodes) => {
                unmapped.push(Unmapped { node: i, path: Path::Rotation, samplers: samplers(&nodes) });
            }
        }
        if let Some(at) = of.get(&(j, Path::Scale)) {
            let was = carrier.from.skeleton.rest.transforms[j].scale.as_dvec3();
            let map =
                DMat3::from_diagonal(own.scale.as_dvec3()) * carrier.factors(i, j) * DMat3::from_diagonal(1.0 / was);
            if map.is_finite() {
                let is_same = near(map, DMat3::IDENTITY);
                out.map_vectors(clip, *at, (node, Path::Scale), (DVec3::ZERO, map, DVec3::ZERO), is_same);
            }
        }
    }
    let (jumping, others): (Vec<_>, Vec<_>) = unmapped
        .into_iter()
        .partition(|c| c.samplers.iter().all(|s| clip.samplers[*s].interpolation == Interpolation::Step));
    out.resampled = others.iter().map(|channel| NodeId::from_index(channel.node)).collect();
    out.sample(clip, carrier, &jumping, Interpolation::Step);
    out.sample(clip, carrier, &others, Interpolation::Linear);
    out
}

/// Returns the samplers of all that moves `i` in the world, where it is the hips of a humanoid and a node above its
/// counterpart moves that ([`Carrier::above_hips`]); none where nothing does.
fn led_by(carrier: &Carrier<'_>, i: usize, j: usize, of: &BTreeMap<(usize, Path), usize>) -> Vec<usize> {
    let paths = [Path::Translation, Path::Rotation, Path::Scale];
    let above = carrier.above_hips(i, j).flat_map(|node| paths.map(|path| (node, path)));
    let mut out: Vec<usize> = above.filter_map(|channel| of.get(&channel).copied()).collect();
    if !out.is_empty() {
        out.extend(of.get(&(j, Path::Translation)));
    }
    out
}

/// Returns whether a clip moves the hips of a humanoid by a node above them that has no counterpart.
pub(super) fn is_led(clip: &Clip, carrier: &Carrier<'_>) -> bool {
    let moves = |node: usize| clip.channels.iter().any(|c| c.node.index() == node && c.path != Path::Weights);
    let pairs = carrier.other.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)));
    pairs.into_iter().any(|(i, j)| carrier.above_hips(i, j).any(moves))
}

/// Returns a clip of that name and length without channels.
pub(super) fn headed(clip: &Clip) -> Clip {
    Clip { name: clip.name.clone(), start_secs: clip.start_secs, end_secs: clip.end_secs, ..Clip::default() }
}

/// Adds a channel, and its list of key times where the clip has none that is the same.
pub(super) fn add_channel(clip: &mut Clip, channel: (NodeId, Path), times: &[f32], way: Interpolation, values: Values) {
    let known = clip.times.iter().position(|list| list == times);
    let times = known.unwrap_or_else(|| {
        clip.times.push(times.to_vec());
        clip.times.len() - 1
    });
    clip.samplers.push(Sampler { times, interpolation: way, values });
    let (node, path) = channel;
    clip.channels.push(Channel { node, path, sampler: clip.samplers.len() - 1 });
}

/// Returns a node and all above it.
fn chain(carrier: &Carrier<'_>, node: Option<usize>) -> Vec<usize> {
    let parents = &carrier.from.skeleton.parents;
    std::iter::successors(node, |node| parents[*node].map(NodeId::index)).collect()
}

/// Returns the nodes of the other model on the path from the counterpart of the anchor of `i` to `node`: those from the
/// first one up, and those from the second one up, each below the common ancestor.
fn way(carrier: &Carrier<'_>, i: usize, node: Option<usize>) -> [Vec<usize>; 2] {
    let anchor = carrier.anchor[i].and_then(|a| carrier.other[a]);
    let (mut up, mut down) = (chain(carrier, anchor), chain(carrier, node));
    while up.last().is_some() && up.last() == down.last() {
        _ = (up.pop(), down.pop());
    }
    [up, down]
}

/// Returns what the nearest node above `i` with a counterpart was aligned by.
fn aligned_above(carrier: &Carrier<'_>, i: usize) -> DQuat {
    carrier.anchor[i].map_or(DQuat::IDENTITY, |a| carrier.aligned[a])
}

fn turn(carrier: &Carrier<'_>, i: usize, j: usize, turns: &dyn Fn(&usize) -> bool) -> Turn {
    let [up, down] = way(carrier, i, Some(j));
    let moving: Vec<usize> = up.iter().chain(&down).copied().filter(turns).collect();
    let own = wide_unit(carrier.to.skeleton.rest.transforms[i].rotation);
    let parent = carrier.to.skeleton.parents[i].map_or(DQuat::IDENTITY, |p| carrier.own_rest[p.index()]);
    // What stands left and right of the turns between the counterparts.
    let before = parent.inverse() * aligned_above(carrier, i).inverse();
    let after = carrier.aligned[i] * parent * own;
    match moving[..] {
        [] => Turn::Still((before * after).normalize()),
        [node] => {
            let above = carrier.from.skeleton.parents[node].map(NodeId::index);
            let frame = above.map_or(carrier.standing.facing, |p| carrier.rest[p]);
            let turned = frame * wide_unit(carrier.from.skeleton.rest.transforms[node].rotation);
            let is_inverse = up.contains(&node);
            let [left, right] = if is_inverse { [turned, frame] } else { [frame, turned] };
            let (left, right) = ((before * left).normalize(), (right.inverse() * after).normalize());
            Turn::Keyed { node, is_inverse, left, right }
        }
        _ => Turn::Mixed(moving),
    }
}

/// Returns the map of steps of `j` to steps of `i`, each in the frame of its parent; the nodes that turn in between, where these make it
/// another one from moment to moment.
fn shift(carrier: &Carrier<'_>, i: usize, j: usize, turns: &dyn Fn(&usize) -> bool) -> Result<DMat3, Vec<usize>> {
    let above = carrier.from.skeleton.parents[j].map(NodeId::index);
    let moving: Vec<usize> = way(carrier, i, above).concat().into_iter().filter(turns).collect();
    if !moving.is_empty() {
        return Err(moving);
    }
    let frame = above.map_or(DMat3::from_quat(carrier.standing.facing), |q| carrier.whole[q]);
    let parent = carrier.to.skeleton.parents[i].map_or(DMat3::IDENTITY, |p| carrier.own_whole[p.index()]);
    let aligned = DMat3::from_quat(aligned_above(carrier, i).inverse());
    let map = parent.inverse() * aligned * frame * carrier.standing.ratio;
    Ok(if map.is_finite() { map } else { DMat3::ZERO })
}

fn near(a: DMat3, b: DMat3) -> bool {
    (a - b).to_cols_array().iter().all(|v| v.abs() <= SAME)
}

/// Whether a quaternion is no turn, but for rounding.
fn is_one(q: DQuat) -> bool {
    q.xyz().length() <= SAME
}

impl Corrected {
    /// Adds a channel of vectors `now + map · (v − was)`.
    fn map_vectors(
        &mut self,
        clip: &Clip,
        sampler: usize,
        channel: (NodeId, Path),
        (was, map, now): (DVec3, DMat3, DVec3),
        is_same: bool,
    ) {
        let sampler = &clip.samplers[sampler];
        let Values::Vec3(keys) = &sampler.values else { return };
        let is_tangent = |entry: usize| sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
        let mapped = |(entry, key): (usize, Vec3)| {
            let key = key.as_dvec3();
            (if is_tangent(entry) { map * key } else { now + map * (key - was) }).as_vec3()
        };
        let values: Vec<Vec3> =
            if is_same { keys.iter().collect() } else { keys.iter().enumerate().map(mapped).collect() };
        self.is_changed |= !is_same;
        if values.iter().all(|v| v.is_finite()) {
            let values = Values::Vec3(values.into());
            add_channel(&mut self.clip, channel, &clip.times[sampler.times], sampler.interpolation, values);
        }
    }

    /// Adds a channel of rotations `left · q · right`, or of the inverses of `q`.
    fn map_rotations(
        &mut self,
        clip: &Clip,
        sampler: usize,
        node: NodeId,
        is_inverse: bool,
        [left, right]: [DQuat; 2],
    ) {
        let sampler = &clip.samplers[sampler];
        let Values::Quat(keys) = &sampler.values else { return };
        let is_same = !is_inverse && is_one(left) && is_one(right);
        let mapped = |key: Quat| {
            // A tangent is no rotation: it has any length, and is multiplied as quaternions are.
            let key = key.as_dquat();
            product(product(left, if is_inverse { key.conjugate() } else { key }), right).as_quat()
        };
        let values: Vec<Quat> = if is_same { keys.iter().collect() } else { keys.iter().map(mapped).collect() };
        self.is_changed |= !is_same;
        let values = Values::Quat(values.into());
        let channel = (node, Path::Rotation);
        add_channel(&mut self.clip, channel, &clip.times[sampler.times], sampler.interpolation, values);
    }

    /// Adds a rotation that stays all the time.
    fn hold(&mut self, clip: &Clip, node: NodeId, rotation: Quat) {
        let values = Values::Quat(vec![rotation].into());
        let start = clip.start_secs;
        add_channel(&mut self.clip, (node, Path::Rotation), &[start], Interpolation::Step, values);
        self.is_changed = true;
    }

    /// Adds channels that are sampled: at their keys alone where they jump, else between them too.
    fn sample(&mut self, clip: &Clip, carrier: &Carrier<'_>, channels: &[Unmapped], way: Interpolation) {
        let lists = |jumping: bool| {
            let samplers = channels.iter().flat_map(|c| &c.samplers).map(|s| &clip.samplers[*s]);
            let of = samplers.filter(move |s| !jumping || s.interpolation == Interpolation::Step).map(|s| s.times);
            let lists: BTreeSet<usize> = of.collect();
            lists.into_iter().flat_map(|list| clip.times[list].iter().copied())
        };
        let mut times: Vec<f32> = lists(false).collect();
        if way == Interpolation::Linear {
            // Where a channel jumps its last value holds until just before.
            times.extend(lists(true).map(f32::next_down).filter(|secs| *secs >= clip.start_secs));
        }
        times.sort_by(f32::total_cmp);
        times.dedup();
        if way == Interpolation::Linear {
            times = moments(&times);
        }
        let mut values: Vec<Vec<Channels>> = vec![Vec::with_capacity(times.len()); channels.len()];
        let (mut posed, mut scratch) = (LocalPose::default(), SampleScratch::default());
        for secs in &times {
            posed.clone_from(&carrier.from.skeleton.rest);
            sample(carrier.from, clip, *secs, &mut scratch, &mut posed);
            posed.flatten();
            let said = carrier.carry(&posed);
            for (channel, list) in channels.iter().zip(&mut values) {
                let at = said.binary_search_by_key(&channel.node, |(node, _)| node.index()).ok();
                list.push(at.map_or_else(Channels::default, |at| said[at].1));
            }
        }
        for (channel, list) in channels.iter().zip(values) {
            let rest = carrier.to.skeleton.rest.transforms[channel.node];
            let values = if channel.path == Path::Rotation {
                let rotations = list.iter().map(|said| said.rotation.map_or(rest.rotation, Quat::from_array));
                Values::Quat(rotations.collect::<Vec<_>>().into())
            } else {
                let as_posed = |translation| DVec3::from_array(translation).as_vec3();
                let translations = list.iter().map(|said| said.translation.map_or(rest.translation, as_posed));
                Values::Vec3(translations.collect::<Vec<_>>().into())
            };
            add_channel(&mut self.clip, (NodeId::from_index(channel.node), channel.path), &times, way, values);
            self.is_changed = true;
        }
    }
}

/// Returns the Hamilton product of two quaternions of any length.
pub(super) fn product(a: DQuat, b: DQuat) -> DQuat {
    let (v, w) = (a.xyz(), a.w);
    let (u, s) = (b.xyz(), b.w);
    DQuat::from_vec4(DVec4::from((w * u + s * v + v.cross(u), w * s - v.dot(u))))
}

/// Returns rising moments, with others between those that lie far apart.
pub(super) fn moments(keys: &[f32]) -> Vec<f32> {
    let (Some(first), Some(last)) = (keys.first().copied(), keys.last().copied()) else { return Vec::new() };
    let step = STEP_SECS.max((last - first) / MOST_MOMENTS as f32);
    let mut out = vec![first];
    for key in keys {
        let from = out.last().copied().unwrap_or(first);
        let parts = ((key - from) / step).ceil().max(1.0) as usize;
        out.extend((1..parts).map(|i| from + (key - from) * i as f32 / parts as f32).filter(|t| *t > from && t < key));
        // Of keys that lie closer together than that few are kept where there are very many.
        if out.len() < 2 * MOST_MOMENTS {
            out.push(*key);
        }
    }
    out.dedup();
    out
}

#[cfg(test)]
#[path = "carried_keys_tests.rs"]
mod tests;

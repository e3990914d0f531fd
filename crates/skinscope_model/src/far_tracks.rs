//! Channels of clips that f32 is too coarse for: those that move a node far from its rest position, such as a root with
//! keys at map coordinates, and those that rotate a node with a far child. They are sampled once more in f64
//! ([`super::Wide`]).

use std::collections::BTreeSet;

use glam::{Affine3A, DVec3, Vec3};
use skinscope_base::math::Aabb;

use super::{Channel, Clip, Interpolation, LocalPose, ModelParts, NodeId, Path, Sampler, Skeleton, Values, Wide};

/// Within this many metres of the origin, f32 coordinates are exact to 0.06 mm.
pub const NEAR: f64 = 1024.0;

/// Up to this many metres, the steps between f32 coordinates are no larger than a millimetre.
pub const COARSE: f64 = 16_384.0;

/// A larger model is seen from farther away, so that this many times its size counts where that is more.
const SIZES: f64 = 32.0;

/// A coordinate of fewer metres than this is left in the translation, so that what stands on the ground stands on the ground.
const KEPT: f64 = 64.0;

/// How many keys of a channel are looked at.
const LOOKED_AT: usize = 64;

/// A channel that is sampled in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FarTrack {
    /// The animated node.
    pub node: NodeId,
    /// The animated property: translation or rotation.
    pub path: Path,
    /// The index of the sampler in [`Clip::samplers`].
    pub sampler: usize,
    /// The offset from keys of translations in the model to those in the file, in the space of the node's parent.
    pub base: DVec3,
    /// The offset of the node from its rest translation at the first key, in the space of its parent, where that is
    /// large. Poses of the clip have it as an offset of [`Wide::offsets`].
    pub offset: DVec3,
    /// The distance from there along an axis, in the space of the parent, beyond which the offset of the pose follows
    /// the node.
    pub reach: f64,
}

impl FarTrack {
    /// Makes the track of a channel whose keys are those of the file. [`super::Model::build`] finds its offset and its
    /// reach.
    #[must_use]
    pub fn of(node: NodeId, path: Path, sampler: usize) -> Self {
        Self { node, path, sampler, base: DVec3::ZERO, offset: DVec3::ZERO, reach: f64::INFINITY }
    }
}

impl Clip {
    /// Returns the offset from the keys of a channel to those that the file has, or would have: zero except for
    /// translations of models far away.
    #[must_use]
    pub fn base_of(&self, skeleton: &Skeleton, channel: &Channel) -> DVec3 {
        if channel.path != Path::Translation {
            return DVec3::ZERO;
        }
        let far = self.far.iter().find(|track| track.node == channel.node && track.path == Path::Translation);
        far.map_or_else(|| skeleton.base(channel.node.index()), |track| track.base)
    }

    /// Returns the clip with translation keys in the space of the model's nodes, as exactly as f32 can represent them.
    #[must_use]
    pub fn with_own_keys(&self, skeleton: &Skeleton) -> Self {
        let mut out = self.clone();
        for track in out.far.iter_mut().filter(|track| track.path == Path::Translation) {
            let base = skeleton.base(track.node.index());
            if track.base != base {
                let mut sampler = out.samplers[track.sampler].clone();
                sampler.shift_keys(track.base - base);
                out.samplers.push(sampler);
                (track.base, track.sampler) = (base, out.samplers.len() - 1);
                let own = out.channels.iter_mut().filter(|c| (c.node, c.path) == (track.node, track.path));
                own.for_each(|channel| channel.sampler = track.sampler);
            }
        }
        out
    }
}

impl Sampler {
    /// Adds an offset to the keys of translations, but not to the tangents of splines.
    pub fn shift_keys(&mut self, by: DVec3) {
        let Values::Vec3(keys) = &self.values else { return };
        let is_tangent = |entry: usize| self.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
        let key = |(entry, v): (usize, Vec3)| if is_tangent(entry) { v } else { (v.as_dvec3() + by).as_vec3() };
        self.values = Values::Vec3(keys.iter().enumerate().map(key).collect());
    }
}

impl LocalPose {
    /// Returns the translation of a node in f64: that of its transform plus the offset of the pose.
    #[must_use]
    pub fn translation(&self, node: NodeId) -> DVec3 {
        self.wide.offset(node) + self.transforms[node.index()].translation.as_dvec3()
    }

    /// Adds the offsets of the pose to the translations of the nodes, rounded to f32, and removes the offsets.
    pub fn flatten(&mut self) {
        for (node, offset) in std::mem::take(&mut self.wide.offsets) {
            let own = &mut self.transforms[node.index()].translation;
            *own = (own.as_dvec3() + offset).as_vec3();
        }
    }

    /// Sets the translation of a node, in the space of its parent. The offset of the pose stays where it is near `to`;
    /// otherwise it is chosen anew ([`parted`]).
    pub fn set_translation(&mut self, node: NodeId, to: DVec3) {
        let added = self.wide.offset(node);
        let (added, near) = if added.distance(to) <= NEAR { (added, (to - added).as_vec3()) } else { parted(to) };
        self.wide.set_offset(node, added);
        self.transforms[node.index()].translation = near;
    }
}

/// Splits a translation into an offset for [`Wide::offsets`], which is a whole number on each axis, and the remainder in
/// f32. The offset is zero where f32 is exact enough: up to [`COARSE`], and where a float is the same number.
#[must_use]
pub fn parted(to: DVec3) -> (DVec3, Vec3) {
    let near = to.as_vec3();
    let is_fine = to.abs().max_element() <= COARSE || near.as_dvec3() == to || !to.is_finite();
    if is_fine {
        return (DVec3::ZERO, near);
    }
    let added = to.round();
    (added, (to - added).as_vec3())
}

impl Wide {
    /// Returns whether f32 is exact enough for the whole pose, so that nothing is stored here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty() && self.rotations.is_empty()
    }

    /// Removes all offsets and rotations.
    pub fn clear(&mut self) {
        self.offsets.clear();
        self.rotations.clear();
    }

    /// Returns the offset to add to the translation of a node; zero where none is stored.
    #[must_use]
    pub fn offset(&self, node: NodeId) -> DVec3 {
        self.offsets.iter().find(|(of, _)| *of == node).map_or(DVec3::ZERO, |(_, offset)| *offset)
    }

    /// Sets the offset to add to the translation of a node; zero removes it.
    pub fn set_offset(&mut self, node: NodeId, offset: DVec3) {
        self.offsets.retain(|(of, _)| *of != node);
        if offset != DVec3::ZERO {
            self.offsets.push((node, offset));
        }
    }
}

/// Finds the channels of all clips that are sampled in f64. What import has marked stays marked.
pub(super) fn mark(parts: &mut ModelParts) {
    let mut size = None;
    for clip in 0..parts.clips.len() {
        let given = std::mem::take(&mut parts.clips[clip].far);
        let mut found: Vec<FarTrack> = Vec::new();
        for channel in parts.clips[clip].channels.iter().filter(|channel| channel.path == Path::Translation) {
            // Of several channels of one property the last one counts.
            found.retain(|track| track.node != channel.node);
            let given = given.iter().find(|track| track.node == channel.node && track.path == Path::Translation);
            found.extend(translation(parts, &parts.clips[clip], channel, given, &mut size));
        }
        let bases = parts.skeleton.far.iter().flat_map(|far| &far.bases).map(|base| base.node);
        let moved: Vec<NodeId> = bases.chain(found.iter().map(|track| track.node)).collect();
        if !moved.is_empty() {
            let above = above(&parts.skeleton, &moved);
            let turning = |c: &&Channel| c.path == Path::Rotation && above.contains(&c.node);
            for Channel { node, path, sampler } in parts.clips[clip].channels.iter().filter(turning).copied() {
                found.retain(|track| (track.node, track.path) != (node, path));
                found.push(FarTrack::of(node, path, sampler));
            }
        }
        parts.clips[clip].far = found;
    }
}

/// Returns the nodes above some nodes.
fn above(skeleton: &Skeleton, nodes: &[NodeId]) -> BTreeSet<NodeId> {
    let parent = |node: &NodeId| skeleton.parents[node.index()];
    nodes.iter().flat_map(|node| std::iter::successors(parent(node), parent)).collect()
}

/// Returns how a channel is sampled whose keys lead far from rest; `None`: they do not.
fn translation(
    parts: &ModelParts,
    clip: &Clip,
    channel: &Channel,
    given: Option<&FarTrack>,
    size: &mut Option<f64>,
) -> Option<FarTrack> {
    let skeleton = &parts.skeleton;
    let Channel { node, path, sampler } = *channel;
    let base = given.map_or_else(|| skeleton.base(node.index()), |track| track.base);
    let rest = skeleton.rest.transforms[node.index()].translation.as_dvec3() + skeleton.base(node.index());
    let Sampler { values: Values::Vec3(keys), interpolation, .. } = &clip.samplers[sampler] else { return None };
    let (width, first) = if *interpolation == Interpolation::CubicSpline { (3, 1) } else { (1, 0) };
    let count = keys.len() / width;
    let from_rest = |key: usize| keys.get(key * width + first).as_dvec3() + base - rest;
    let looked_at = (0..count).step_by(count.div_ceil(LOOKED_AT).max(1)).chain(count.checked_sub(1));
    let most = looked_at.map(|key| from_rest(key).abs().max_element()).fold(0.0, f64::max);
    let scale = skeleton.scale_above(node);
    let is_near = most * scale <= NEAR || most * scale >= f64::from(Aabb::FAR) || !most.is_finite();
    if is_near && given.is_none() || count == 0 {
        return None;
    }
    let reach = NEAR.max(SIZES * *size.get_or_insert_with(|| size_of(parts)));
    let is_far = most * scale > reach;
    let in_parent = |metres: f64| if scale > 0.0 { metres / scale } else { f64::INFINITY };
    let first = from_rest(0);
    let offset = DVec3::select(first.abs().cmpgt(DVec3::splat(in_parent(KEPT))), first, DVec3::ZERO);
    (is_far || given.is_some()).then(|| FarTrack { node, path, sampler, base, offset, reach: in_parent(reach) })
}

/// Returns the size of what a model shows at rest, metres, without a few nodes far outside.
fn size_of(parts: &ModelParts) -> f64 {
    let skeleton = &parts.skeleton;
    let mut worlds: Vec<Affine3A> = Vec::with_capacity(skeleton.len());
    for (i, parent) in skeleton.parents.iter().enumerate() {
        let local = skeleton.local_matrix(i, skeleton.rest.transforms[i]);
        worlds.push(parent.map_or(local, |parent| worlds[parent.index()] * local));
    }
    let joints = parts.skins.iter().flat_map(|skin| &skin.joints).copied();
    let shown = joints.chain(parts.instances.iter().map(|instance| instance.node));
    let positions: Vec<Vec3> = shown.map(|node| worlds[node.index()].translation.into()).collect();
    let bounds = Aabb::around_mass(&positions);
    if bounds.is_empty() { 0.0 } else { f64::from(bounds.diagonal()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::test_shapes::{Tube, tube};

    #[test]
    fn what_a_track_bears_is_measured_in_metres_whatever_the_scale_above() {
        const SCALE: f32 = 0.25;
        let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
        parts.skeleton.rest.transforms[0].scale = Vec3::splat(SCALE);
        let clip = &mut parts.clips[0];
        clip.times.push(vec![0.0, 1.0]);
        // 64 km along X, and 50 m above the ground.
        let first = parts.skeleton.rest.transforms[1].translation + Vec3::new(262_144.0, 200.0, 0.0);
        let values = Values::Vec3(vec![first, first + Vec3::Z].into());
        clip.samplers.push(Sampler { times: clip.times.len() - 1, interpolation: Interpolation::Linear, values });
        let channel = Channel { node: NodeId(1), path: Path::Translation, sampler: clip.samplers.len() - 1 };
        clip.channels.push(channel);
        let model = Model::build(parts).unwrap();
        let track = model.clips[0].far.iter().find(|track| track.path == Path::Translation).unwrap();
        assert_eq!((track.node, track.offset), (NodeId(1), DVec3::X * 262_144.0));
        assert_eq!(track.reach, NEAR / f64::from(SCALE));
    }

    #[test]
    fn keys_of_a_spline_are_shifted_and_its_tangents_are_not() {
        let entries = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        let by = Vec3::new(100.0, -20.0, 3.0);
        let shifted = |interpolation| {
            let mut sampler = Sampler { times: 0, interpolation, values: Values::Vec3(entries.to_vec().into()) };
            sampler.shift_keys(by.as_dvec3());
            let Values::Vec3(values) = sampler.values else { panic!("they are no vectors any more") };
            values.iter().collect::<Vec<Vec3>>()
        };
        let [x, y, z, p, q, r] = entries;
        assert_eq!(shifted(Interpolation::CubicSpline), [x, y + by, z, p, q + by, r]);
        assert_eq!(shifted(Interpolation::Linear), entries.map(|entry| entry + by));
    }
}

//! Poses far from the rest position of the model: their origin, and the channels that lead there, sampled in f64
//! ([`skinscope_model::Wide`]).

use std::cmp::Reverse;
use std::ops::Range;

use glam::{DMat3, DQuat, DVec3, DVec4, Quat};
use skinscope_base::math::wide_unit;
use skinscope_model::{Base, Clip, FarTrack, Interpolation, LocalPose, Model, NEAR, NodeId, Path, Skeleton, Values};

use super::span::Span;

/// Floats tell turns no better than this, and no figure should shiver that is turned by hand.
const SAME_TURN: f64 = 2e-6;

/// Keys of rotations that differ by less from rest are those of rest, with other digits.
const SAME_KEY: f32 = 2.5e-7;

/// A range of nodes that a pose moves far away.
#[derive(Debug)]
pub(super) struct Shift {
    pub nodes: Range<usize>,
    /// The displacement, in the world, metres.
    pub by: DVec3,
}

/// Returns the position of the origin of a pose's matrices ([`super::local_to_model`]) relative to the origin of the
/// model, metres, in the world of the file. A position by these matrices plus this vector plus [`Skeleton::origin_of`]
/// is the position in the file. It is zero except for poses that move the model farther than f32 is exact.
#[must_use]
pub fn origin_shift(skeleton: &Skeleton, pose: &LocalPose) -> DVec3 {
    origin(skeleton, &shifts(skeleton, pose))
}

/// Returns the displacements of nodes that a pose moves far away: by a rotation of a node with a far child, or by a
/// clip that leads far away. For all other models it is empty and allocates nothing.
pub(super) fn shifts(skeleton: &Skeleton, pose: &LocalPose) -> Vec<Shift> {
    let below = |node: NodeId| node.index()..skeleton.subtree_end(node);
    let bases = skeleton.far.iter().flat_map(|far| &far.bases);
    let swings = bases.filter_map(|base| Some(Shift { nodes: below(base.node), by: swing(skeleton, pose, base)? }));
    let offsets = pose
        .wide
        .offsets
        .iter()
        .map(|(node, offset)| Shift { nodes: below(*node), by: linear_above(skeleton, pose, *node) * *offset });
    swings.chain(offsets).collect()
}

/// Returns the offset that a pose adds to the translation of a node ([`skinscope_model::Wide::offsets`]), as a vector of
/// the world.
pub(super) fn offset_in_world(skeleton: &Skeleton, pose: &LocalPose, node: NodeId) -> DVec3 {
    match pose.wide.offset(node) {
        DVec3::ZERO => DVec3::ZERO,
        offset => linear_above(skeleton, pose, node) * offset,
    }
}

/// Converts a vector of the world to the space of a node's parent.
pub(super) fn offset_below(skeleton: &Skeleton, pose: &LocalPose, node: NodeId, by: DVec3) -> DVec3 {
    let offset = if by == DVec3::ZERO { by } else { linear_above(skeleton, pose, node).inverse() * by };
    if offset.is_finite() { offset } else { DVec3::ZERO }
}

/// Returns the displacement in the world of the offset that was subtracted from a node, where nodes above it are
/// rotated or scaled.
pub(super) fn swing_of(skeleton: &Skeleton, pose: &LocalPose, node: NodeId) -> DVec3 {
    let base = skeleton.far.iter().flat_map(|far| &far.bases).find(|base| base.node == node);
    base.and_then(|base| swing(skeleton, pose, base)).unwrap_or(DVec3::ZERO)
}

/// Returns the origin of a pose with these displacements: that of most nodes, where it is far away. Those of figures
/// that are far from the first one do not count.
pub(super) fn origin(skeleton: &Skeleton, shifts: &[Shift]) -> DVec3 {
    let others = skeleton.other_figures();
    let is_of_first = |shift: &&Shift| {
        let origin = skeleton.origin_of(NodeId::from_index(shift.nodes.start));
        others.iter().all(|other| other.origin != origin)
    };
    let most = shifts.iter().filter(is_of_first).max_by_key(|shift| (shift.nodes.len(), Reverse(shift.nodes.start)));
    let at = most.map_or(DVec3::ZERO, |most| total(shifts, most.nodes.start));
    if at.length() > NEAR { at } else { DVec3::ZERO }
}

/// Returns the sum of the displacements of a node.
pub(super) fn total(shifts: &[Shift], node: usize) -> DVec3 {
    shifts.iter().filter(|shift| shift.nodes.contains(&node)).map(|shift| shift.by).sum()
}

/// Returns by how much what was taken off a node moves where the nodes above it are turned or scaled otherwise than at rest; `None`:
/// they are not.
fn swing(skeleton: &Skeleton, pose: &LocalPose, base: &Base) -> Option<DVec3> {
    let rest = &skeleton.rest;
    let same = |node: NodeId| {
        let (now, still) = (&pose.transforms[node.index()], &rest.transforms[node.index()]);
        now.rotation == still.rotation && now.scale == still.scale
    };
    if above(skeleton, base.node).all(same) {
        return None;
    }
    let [now, still] = [pose, rest].map(|pose| linear_above(skeleton, pose, base.node));
    let is_wide = above(skeleton, base.node).all(|node| same(node) || turn_of(pose, node).is_some());
    let size = still.determinant().abs().cbrt().max(1e-12);
    let is_turned = is_wide || !now.abs_diff_eq(still, SAME_TURN * size);
    is_turned.then(|| (now - still) * base.by)
}

fn above(skeleton: &Skeleton, node: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = |node: NodeId| skeleton.parents[node.index()];
    std::iter::successors(parent(node), move |node| parent(*node))
}

/// Returns the turn and scale of all nodes above one, in f64.
fn linear_above(skeleton: &Skeleton, pose: &LocalPose, node: NodeId) -> DMat3 {
    above(skeleton, node).fold(DMat3::IDENTITY, |below, node| {
        let i = node.index();
        let turn = turn_of(pose, node).unwrap_or_else(|| wide_unit(pose.transforms[i].rotation));
        DMat3::from_quat(turn) * stretch(skeleton, pose, i) * below
    })
}

/// Returns the matrix that a node applies before its rotation: its scale and the shear of the file.
pub(super) fn stretch(skeleton: &Skeleton, pose: &LocalPose, index: usize) -> DMat3 {
    let scale = DMat3::from_diagonal(pose.transforms[index].scale.as_dvec3());
    match skeleton.residual(index) {
        Some(shear) => scale * glam::Mat3::from(shear).as_dmat3(),
        None => scale,
    }
}

/// Returns the rotation of a node where more digits of it are known.
fn turn_of(pose: &LocalPose, node: NodeId) -> Option<DQuat> {
    let turn = pose.wide.rotations.iter().find(|(of, _)| *of == node)?.1;
    (turn.as_quat() == pose.transforms[node.index()].rotation).then_some(turn)
}

/// Samples the channels of a clip that f32 is too coarse for once more, in f64.
pub(super) fn sample(model: &Model, clip: &Clip, time_secs: f32, pose: &mut LocalPose) {
    if !pose.wide.is_empty() {
        let moves = |of: NodeId, path: Path| clip.channels.iter().any(|c| (c.node, c.path) == (of, path));
        pose.wide.offsets.retain(|(node, _)| !moves(*node, Path::Translation));
        pose.wide.rotations.retain(|(node, _)| !moves(*node, Path::Rotation));
    }
    for track in &clip.far {
        let sampler = &clip.samplers[track.sampler];
        let moment = Moment::of(&clip.times[sampler.times], time_secs, sampler.interpolation);
        let rest = model.skeleton.rest.transforms[track.node.index()];
        match &sampler.values {
            Values::Vec3(keys) => {
                let key = |entry: usize| keys.get(entry).as_dvec3().extend(0.0);
                let value = moment.value(key).truncate() + track.base - model.skeleton.base(track.node.index());
                translate(track, value, rest.translation.as_dvec3(), pose);
            }
            Values::Quat(keys) => {
                let key = |entry: usize| DVec4::from(known(keys.get(entry), rest.rotation));
                let turn = moment.turn(key);
                pose.transforms[track.node.index()].rotation = turn.as_quat();
                pose.wide.rotations.push((track.node, turn));
            }
            Values::Weights { .. } => {}
        }
    }
}

/// Sets the translation of a node. The offset of the clip is not part of it; where the value is beyond the track's
/// reach, the offset follows the node.
fn translate(track: &FarTrack, value: DVec3, rest: DVec3, pose: &mut LocalPose) {
    let is_within = (value - track.offset - rest).abs().cmple(DVec3::splat(track.reach));
    let offset = DVec3::select(is_within, track.offset, value - rest);
    pose.transforms[track.node.index()].translation = (value - offset).as_vec3();
    pose.wide.set_offset(track.node, offset);
}

/// Returns a key, or the rotation of rest where it is the same one. Tangents of splines are no rotations, and stay.
fn known(key: Quat, rest: Quat) -> DQuat {
    let is_rest = |q: Quat| q.abs_diff_eq(rest, SAME_KEY);
    if is_rest(key) || is_rest(-key) { rest.as_dquat() } else { key.as_dquat() }
}

/// A time among keys.
#[derive(Clone, Copy, Debug)]
struct Moment {
    span: Span,
    /// The position of the time between the two keys, 0…1.
    factor: f64,
    /// The time between them, seconds.
    secs: f64,
    interpolation: Interpolation,
}

impl Moment {
    fn of(times: &[f32], time_secs: f32, interpolation: Interpolation) -> Self {
        let span = Span::find(times, time_secs);
        let at = |key: usize| times.get(key).copied().map_or(0.0, f64::from);
        let secs = at(span.next) - at(span.key);
        let factor = if span.next == span.key { 0.0 } else { (f64::from(time_secs) - at(span.key)) / secs };
        Self { span, factor, secs, interpolation }
    }

    /// Returns the value by the formulas of glTF 2.0, appendix C.
    fn value(self, entry: impl Fn(usize) -> DVec4) -> DVec4 {
        let Span { key, next, .. } = self.span;
        match self.interpolation {
            Interpolation::Step => entry(key),
            Interpolation::Linear => entry(key).lerp(entry(next), self.factor),
            Interpolation::CubicSpline => self.spline(entry),
        }
    }

    fn turn(self, entry: impl Fn(usize) -> DVec4) -> DQuat {
        let Span { key, next, .. } = self.span;
        let [from, to] = [key, next].map(|key| DQuat::from_vec4(entry(key)).normalize());
        match self.interpolation {
            Interpolation::Step => from,
            // Slerp of glam takes the shorter arc.
            Interpolation::Linear => from.slerp(to, self.factor).normalize(),
            Interpolation::CubicSpline => {
                let sum = self.spline(&entry);
                let value = if sum.is_finite() && sum.length() > 0.0 { sum } else { entry(key * 3 + 1) };
                DQuat::from_vec4(value).normalize()
            }
        }
    }

    fn spline(self, entry: impl Fn(usize) -> DVec4) -> DVec4 {
        let Span { key, next, .. } = self.span;
        let (t, secs) = (self.factor, self.secs);
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * entry(key * 3 + 1)
            + secs * (t3 - 2.0 * t2 + t) * entry(key * 3 + 2)
            + (3.0 * t2 - 2.0 * t3) * entry(next * 3 + 1)
            + secs * (t3 - t2) * entry(next * 3)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Channel, ClipId, ModelParts, Sampler};

    use super::*;
    use crate::pose::{self, keyed_clip, resolve};
    use crate::{Additive, Crossfade, LayerScratch, Layers, SampleScratch};

    const AWAY: Vec3 = Vec3::new(65_536.0, 0.0, 0.0);

    /// A tube with two clips that move its root: one near, one far away.
    fn model() -> Model {
        let mut parts: ModelParts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
        let mut clip = parts.clips[0].clone();
        clip.times.push(vec![0.0, 1.0]);
        clip.channels.push(Channel { node: NodeId(0), path: Path::Translation, sampler: clip.samplers.len() });
        let times = clip.times.len() - 1;
        parts.clips = [Vec3::ZERO, AWAY]
            .map(|away| {
                let values = Values::Vec3(vec![away, away + Vec3::new(0.125, 0.0, 0.25)].into());
                let mut clip = clip.clone();
                clip.samplers.push(Sampler { times, interpolation: Interpolation::Linear, values });
                clip
            })
            .to_vec();
        Model::build(parts).unwrap()
    }

    fn at(model: &Model, clip: usize, secs: f32) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        super::super::sample(model, &model.clips[clip], secs, &mut SampleScratch::default(), &mut pose);
        pose
    }

    #[test]
    fn layers_of_a_clip_far_away_lead_as_far_as_their_share() {
        let model = model();
        let root = |pose: &LocalPose| pose.translation(NodeId(0));
        let laid = |layers: Layers| {
            let mut pose = at(&model, 0, 0.4);
            layers.lay(&model, 0.4, &mut LayerScratch::default(), &mut pose);
            pose
        };
        let (near, far, clip) = (at(&model, 0, 0.4), at(&model, 1, 0.4), ClipId(1));
        assert!((root(&far) - root(&near)).distance(AWAY.as_dvec3()) < 1e-8);
        let fade = |weight| laid(Layers { fade: Some(Crossfade { clip, weight, rise: None }), add: None });
        assert!(root(&fade(0.25)).distance(root(&near) + 0.25 * AWAY.as_dvec3()) < 1e-8);
        assert_eq!(root(&fade(1.0)), root(&far));
        // What is added is the way from the clip's first moment, which is short.
        let added = laid(Layers { fade: None, add: Some(Additive { clip, weight: 1.0 }) });
        assert!(added.wide.offsets.is_empty());
        assert!(root(&added).distance(2.0 * root(&near)) < 1e-6, "{}", root(&added));
        // A clip that moves the same node near the origin takes its place.
        let mut pose = far;
        super::super::sample(&model, &model.clips[0], 0.4, &mut SampleScratch::default(), &mut pose);
        assert_eq!(pose, near);
    }

    #[test]
    fn poses_far_away_come_back_from_keys_and_from_pose_files() {
        let model = model();
        let poses = [0.0, 0.3].map(|secs| (secs, at(&model, 1, secs)));
        let clip = keyed_clip(&model, "Kept", &poses).unwrap();
        let kept = model.with_clips(vec![clip]).unwrap();
        for (secs, pose) in &poses {
            let again = at(&kept, 2, *secs);
            assert!(again.translation(NodeId(0)).distance(pose.translation(NodeId(0))) < 1e-8, "{secs}");
            assert_eq!(origin_shift(&kept.skeleton, &again), AWAY.as_dvec3());
        }
        let [(_, first), (_, last)] = &poses;
        let said = resolve(&model, &pose::capture(&model, last, ""));
        let mut again = first.clone();
        said.apply(&mut again);
        assert!(again.translation(NodeId(0)).distance(last.translation(NodeId(0))) < 1e-8);
        assert!(again.transforms[0].translation.length() < 1.0);
    }

    #[test]
    fn nodes_that_stay_behind_stay_where_they_are() {
        let mut parts: ModelParts = (*model()).clone();
        // A light beside the figure, which no clip moves.
        let beside = parts.skeleton.len();
        parts.skeleton.parents.push(None);
        parts.skeleton.names.push("Lamp".into());
        parts.skeleton.file_index.push(beside as u32);
        let mut rest = parts.skeleton.rest.transforms[0];
        rest.translation = Vec3::Y * 3.0;
        parts.skeleton.rest.transforms.push(rest);
        parts.scenes.iter_mut().for_each(|scene| scene.contains.push(true));
        let model = Model::build(parts).unwrap();
        let pose = at(&model, 1, 0.4);
        let (mut matrices, wide) = (Vec::new(), pose::world(&model.skeleton, &pose));
        crate::local_to_model(&model.skeleton, &pose, &mut matrices);
        let shift = origin_shift(&model.skeleton, &pose);
        for (node, place) in [(0, pose.translation(NodeId(0))), (beside, DVec3::Y * 3.0)] {
            assert!((wide[node].translation + shift).distance(place) < 1e-8, "{node}");
            assert!((matrices[node].translation.as_dvec3() + shift).distance(place) < 1e-2, "{node}");
        }
    }

    /// The model, whose clips have other keys of the root: `change` is given those of each.
    fn with_keys(interpolation: Interpolation, change: impl Fn([Vec3; 2]) -> Vec<Vec3>) -> ModelParts {
        let mut parts: ModelParts = (*model()).clone();
        for clip in &mut parts.clips {
            let sampler = clip.samplers.last_mut().unwrap();
            let Values::Vec3(keys) = &sampler.values else { panic!("the root is moved by the last sampler") };
            let values = Values::Vec3(change([keys.get(0), keys.get(1)]).into());
            *sampler = Sampler { times: sampler.times, interpolation, values };
        }
        parts
    }

    #[test]
    fn a_spline_far_away_is_the_same_curve_as_near_the_origin() {
        let [into, out] = [Vec3::new(0.5, -1.0, 0.25), Vec3::new(-2.0, 3.0, 0.75)];
        let parts = with_keys(Interpolation::CubicSpline, |[from, to]| vec![-into, from, -out, into, to, out]);
        let model = Model::build(parts).unwrap();
        for secs in [0.0, 0.2, 0.5, 0.9, 1.0] {
            let [near, far] = [0, 1].map(|clip| at(&model, clip, secs).translation(NodeId(0)));
            assert!((far - near).distance(AWAY.as_dvec3()) < 1e-6, "{secs}: {near} {far}");
        }
    }

    #[test]
    fn what_a_clip_bears_stays_while_the_node_moves_within_reach_of_it_wherever_the_node_rests() {
        let rest = Vec3::X * 900.0;
        let gone = |metres: f32| {
            let mut parts =
                with_keys(Interpolation::Linear, |[from, _]| vec![from + rest, from + rest + Vec3::X * metres]);
            parts.skeleton.rest.transforms[0].translation = rest;
            let model = Model::build(parts).unwrap();
            let pose = at(&model, 1, 1.0);
            assert_eq!(pose.translation(NodeId(0)), (AWAY + rest + Vec3::X * metres).as_dvec3());
            pose.wide.offset(NodeId(0))
        };
        assert_eq!(gone(512.0), AWAY.as_dvec3());
        assert_eq!(gone(4096.0), AWAY.as_dvec3() + DVec3::X * 4096.0);
    }

    #[test]
    fn the_origin_of_a_pose_is_where_most_nodes_are_and_of_equals_where_the_first_are() {
        let shift = |nodes: Range<usize>, by: DVec3| Shift { nodes, by };
        let skeleton = tube(Tube::default()).skeleton.clone();
        let origin = |shifts: &[Shift]| origin(&skeleton, shifts);
        let [first, second] = [DVec3::X * 5000.0, DVec3::Z * 7000.0];
        assert_eq!(origin(&[shift(0..4, first), shift(4..5, second)]), first);
        assert_eq!(origin(&[shift(0..1, first), shift(1..5, second)]), second);
        assert_eq!(origin(&[shift(2..4, second), shift(0..2, first)]), first);
        // What is moved with the nodes above it is moved by both.
        assert_eq!(origin(&[shift(0..4, first), shift(1..4, second)]), first);
        assert_eq!(origin(&[shift(1..4, second), shift(1..4, first)]), first + second);
    }
}

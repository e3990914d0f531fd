//! Mirrors clips as a whole, key by key: times and interpolation stay.
//!
//! Where the partner `p` of a node `j` hangs on the partner of the parent of `j`, all that moves in the mirror image
//! `W′ₚ = S · Wⱼ · Wⱼ,rest⁻¹ · S · Wₚ,rest` of [`Mirror::exchange`] cancels in the local transform of `p` but that of
//! `j`: with constants on both sides, its rotation is `left · M(L) · right`, where `M` turns about the mirrored axis the
//! other way. That is linear in the quaternion, so that it maps keys and tangents of splines. Where the skeleton has
//! other parents on both sides there are no such constants, and the node is sampled; where a node rests beside the mirror
//! image of its partner, its place is.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use skinscope_base::math::wide_unit;
use skinscope_model::{Channel, Clip, ClipSource, Interpolation, LocalPose, Model, NodeId, Path, Values};

use super::carried_keys::{add_channel, headed, moments, product};
use super::carry::{mirrored, rotations};
use super::{Mirror, world};
use crate::{SampleScratch, sample};

/// The mirror image of a clip.
#[derive(Clone, Debug)]
pub struct MirroredClip {
    /// The clip, with the name of the original.
    pub clip: Clip,
    /// Whether any node that the clip moves has a partner on the other side.
    pub has_pairs: bool,
    /// The nodes that are sampled 30 times a second, since their keys have no exact counterparts.
    pub resampled: Vec<NodeId>,
    /// How many channels of materials, lights and cameras are left out.
    pub left_out: usize,
}

/// The rest pose of a model, with what a mirror makes of it.
struct Rest<'m> {
    mirror: &'m Mirror,
    model: &'m Model,
    /// The reflection.
    reflect: DMat3,
    /// The rotations of all nodes in the world, and their matrices.
    turned: Vec<DQuat>,
    whole: Vec<DMat3>,
    /// How far each node rests from the mirror image of its partner, metres.
    off: Vec<f64>,
    /// The largest such distance that counts as none, metres.
    near: f64,
}

/// How far a joint may rest from the mirror image of its partner and count as in place, as a share of the size.
const NEAR: f64 = 3e-3;

impl Mirror {
    /// Returns a clip that shows at each time the mirror image of what the original shows ([`Mirror::exchange`]). Keys
    /// stay keys, with their times and interpolation. Where both sides differ by less than 3/1000 of the size, bones keep
    /// their lengths. Morph weights stay as they are.
    #[must_use]
    pub fn mirrored_clip(&self, model: &Model, clip: &Clip) -> MirroredClip {
        let skeleton = &model.skeleton;
        let rest = Rest::of(self, model);
        let own = clip.with_own_keys(skeleton);
        let mut out = Clip { source: clip.source, ..headed(clip) };
        for channel in &own.channels {
            let sampler = &own.samplers[channel.sampler];
            let partner = self.partner(channel.node);
            let (node, values) = match (&sampler.values, rest.is_level(partner)) {
                (Values::Weights { .. }, _) => (channel.node, sampler.values.clone()),
                (_, false) => continue,
                (Values::Vec3(_), true) if channel.path == Path::Translation && !rest.is_in_place(partner) => continue,
                (Values::Quat(keys), true) => {
                    (partner, Values::Quat(keys.iter().map(rest.turn(channel.node)).collect()))
                }
                (Values::Vec3(keys), true) => {
                    let map = rest.shift(channel.node, channel.path);
                    let is_tangent = |entry| sampler.interpolation == Interpolation::CubicSpline && entry % 3 != 1;
                    let mapped = |(entry, key)| map(key, is_tangent(entry));
                    (partner, Values::Vec3(keys.iter().enumerate().map(mapped).collect()))
                }
            };
            add_channel(&mut out, (node, channel.path), &own.times[sampler.times], sampler.interpolation, values);
        }
        let resampled = rest.sample(clip, &mut out);
        if !resampled.is_empty() {
            out.source = ClipSource::Taken;
        }
        let moved = |c: &Channel| c.path != Path::Weights && self.partner(c.node) != c.node;
        MirroredClip {
            has_pairs: clip.channels.iter().any(moved),
            resampled,
            left_out: clip.properties.len(),
            clip: out,
        }
    }
}

impl<'m> Rest<'m> {
    fn of(mirror: &'m Mirror, model: &'m Model) -> Self {
        let skeleton = &model.skeleton;
        let (reflection, rest) = (mirror.reflection(), world(skeleton, &skeleton.rest));
        let place = |node: NodeId| rest[node.index()].translation;
        let nodes = || (0..skeleton.len()).map(NodeId::from_index);
        let off = |node: NodeId| reflection.transform_point3(place(mirror.partner(node))).distance(place(node));
        let size = nodes().map(|node| place(node).distance(rest[0].translation)).fold(0.0, f64::max);
        Self {
            mirror,
            model,
            reflect: reflection.matrix3,
            turned: rotations(skeleton, &skeleton.rest),
            whole: rest.iter().map(|m| m.matrix3).collect(),
            off: nodes().map(off).collect(),
            near: NEAR * size,
        }
    }

    /// Returns whether a node hangs on the partner of what its own partner hangs on, so that keys have counterparts.
    fn is_level(&self, node: NodeId) -> bool {
        let parents = &self.model.skeleton.parents;
        let partner = self.mirror.partner(node);
        parents[node.index()] == parents[partner.index()].map(|parent| self.mirror.partner(parent))
    }

    /// Returns whether a node rests at the mirror image of its partner.
    fn is_in_place(&self, node: NodeId) -> bool {
        self.off[node.index()] <= self.near
    }

    /// Returns the mirror image of a rotation: about the mirrored axis, the other way.
    fn image(&self, q: DQuat) -> DQuat {
        let v = -(self.reflect * q.xyz());
        DQuat::from_xyzw(v.x, v.y, v.z, q.w)
    }

    /// Returns the map of the rotations of a node to those of its partner.
    fn turn(&self, node: NodeId) -> impl Fn(Quat) -> Quat {
        let skeleton = &self.model.skeleton;
        let above = |node: NodeId| skeleton.parents[node.index()].map_or(DQuat::IDENTITY, |p| self.turned[p.index()]);
        let partner = self.mirror.partner(node);
        let signs = [node, partner].map(|node| mirrored(skeleton, node.index()));
        let left = above(partner).inverse() * self.image(above(node));
        let right = self.image(self.turned[node.index()]).inverse() * self.turned[partner.index()];
        let right = (self.image(signs[0]) * right * signs[1].inverse()).normalize();
        let left = left.normalize();
        // Where both sides have the axes of the world only signs change, and no digit is lost.
        let snapped =
            |q: DQuat| if q.xyz().length() < 1e-7 { DQuat::from_xyzw(0.0, 0.0, 0.0, q.w.signum()) } else { q };
        let (left, right) = (snapped(left), snapped(right));
        let reflect = self.reflect;
        move |key: Quat| {
            let key = key.as_dquat();
            let v = -(reflect * key.xyz());
            product(product(left, DQuat::from_xyzw(v.x, v.y, v.z, key.w)), right).as_quat()
        }
    }

    /// Returns the map of the translations or the scale factors of a node to those of its partner; tangents of splines are
    /// mapped without what is added.
    fn shift(&self, node: NodeId, path: Path) -> impl Fn(Vec3, bool) -> Vec3 {
        let skeleton = &self.model.skeleton;
        let partner = self.mirror.partner(node);
        let of = |node: NodeId| skeleton.rest.transforms[node.index()];
        let (was, now, map) = if path == Path::Scale {
            let axes = DMat3::from_quat(self.turned[node.index()].inverse())
                * self.reflect
                * DMat3::from_quat(self.turned[partner.index()]);
            let squared = DMat3::from_cols_array(&axes.to_cols_array().map(|v| v * v)).transpose();
            let map = DMat3::from_diagonal(of(partner).scale.as_dvec3())
                * squared
                * DMat3::from_diagonal(1.0 / of(node).scale.as_dvec3());
            (DVec3::ZERO, DVec3::ZERO, map)
        } else {
            let above =
                |node: NodeId| skeleton.parents[node.index()].map_or(DMat3::IDENTITY, |p| self.whole[p.index()]);
            let map = above(partner).inverse() * self.reflect * above(node);
            (of(node).translation.as_dvec3(), of(partner).translation.as_dvec3(), map)
        };
        let map = if map.is_finite() { map } else { DMat3::IDENTITY };
        move |key: Vec3, is_tangent: bool| {
            let key = key.as_dvec3();
            (if is_tangent { map * key } else { now + map * (key - was) }).as_vec3()
        }
    }

    /// Adds channels to `out` for the nodes whose keys have no counterparts, sampled from the mirrored poses of `clip`.
    /// Returns these nodes.
    fn sample(&self, clip: &Clip, out: &mut Clip) -> Vec<NodeId> {
        let rest = &self.model.skeleton.rest;
        let is_open = |node: &NodeId| !self.is_level(*node) || !self.is_in_place(*node);
        let nodes: Vec<NodeId> = (0..rest.transforms.len()).map(NodeId::from_index).filter(is_open).collect();
        let moves = |c: &Channel| c.path != Path::Weights;
        if nodes.is_empty() || !clip.channels.iter().any(moves) {
            return Vec::new();
        }
        let mut times: Vec<f32> =
            clip.channels.iter().flat_map(|c| &clip.times[clip.samplers[c.sampler].times]).copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let times = moments(&times);
        let mut poses: Vec<LocalPose> = Vec::with_capacity(times.len());
        let mut scratch = SampleScratch::default();
        for secs in &times {
            let mut pose = rest.clone();
            sample(self.model, clip, *secs, &mut scratch, &mut pose);
            poses.push(self.mirror.exchanged(self.model, &pose));
        }
        let mut made = Vec::new();
        for node in nodes {
            let own = rest.transforms[node.index()];
            let of = || poses.iter().map(|pose| pose.transforms[node.index()]);
            let before = out.channels.len();
            let mut add = |path, values| add_channel(out, (node, path), &times, Interpolation::Linear, values);
            let has_keys = self.is_level(node);
            if !has_keys && of().any(|now| now.rotation != own.rotation) {
                let unit = |q: Quat| wide_unit(q).as_quat();
                add(Path::Rotation, Values::Quat(of().map(|now| unit(now.rotation)).collect()));
            }
            if of().any(|now| now.translation != own.translation) {
                add(Path::Translation, Values::Vec3(of().map(|now| now.translation).collect()));
            }
            if !has_keys && of().any(|now| now.scale != own.scale) {
                add(Path::Scale, Values::Vec3(of().map(|now| now.scale).collect()));
            }
            if out.channels.len() > before {
                made.push(node);
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use glam::Affine3A;
    use skinscope_model::Sampler;
    use skinscope_model::test_shapes::{Joint, rigged};

    use super::super::Axis;
    use super::*;
    use crate::evaluate_clip;

    /// A figure whose joints have axes of their own, with its plane at x = 0.25. With `is_odd` its right arm hangs on the
    /// hips.
    fn figure(is_odd: bool) -> (Model, Mirror) {
        let rows: [(&str, Option<usize>, [f32; 3]); 8] = [
            ("Hips", None, [0.25, 1.0, 0.0]),
            ("Chest", Some(0), [0.25, 1.3, 0.0]),
            ("Arm.L", Some(1), [0.45, 1.4, 0.0]),
            ("Hand.L", Some(2), [0.85, 1.35, 0.1]),
            ("Arm.R", Some(if is_odd { 0 } else { 1 }), [0.05, 1.4, 0.0]),
            ("Hand.R", Some(4), [-0.35, 1.35, 0.1]),
            ("Leg.L", Some(0), [0.35, 0.9, 0.0]),
            ("Leg.R", Some(0), [0.15, 0.9, 0.0]),
        ];
        let joint = |(i, (name, parent, place)): (usize, &(&str, Option<usize>, [f32; 3]))| Joint {
            name: (*name).to_owned(),
            parent: *parent,
            place: Vec3::from_array(*place),
            turned: Quat::from_euler(glam::EulerRot::XYZ, i as f32, 0.4 * i as f32, 1.1),
        };
        let model = rigged(&rows.iter().enumerate().map(joint).collect::<Vec<_>>());
        let node =
            |name: &str| NodeId::from_index(model.skeleton.names.iter().position(|other| other == name).unwrap());
        let mut mirror = Mirror::alone(&model, Axis::X, Vec3::new(0.25, 0.0, 0.0));
        for part in ["Arm", "Hand", "Leg"] {
            mirror.pair(node(&format!("{part}.L")), node(&format!("{part}.R")));
        }
        (model, mirror)
    }

    /// A clip of these ways of interpolation, one after the other, in which all joints turn and some move and grow.
    fn clip(model: &Model, ways: &[Interpolation]) -> Clip {
        let mut out = Clip { name: "Punch".into(), end_secs: 1.0, times: vec![vec![0.0, 0.3, 1.0]], ..Clip::default() };
        let value = |i: usize, key: usize| {
            let axis = Vec3::new((i as f32).sin(), (key as f32).cos(), 0.6).normalize();
            Quat::from_axis_angle(axis, 0.3 * key as f32 + 0.1 * i as f32)
        };
        for i in 0..model.skeleton.len() {
            let rest = model.skeleton.rest.transforms[i];
            let interpolation = ways[i % ways.len()];
            let keys = |key: usize| rest.rotation * value(i, key);
            let steps = |key: usize| rest.translation + Vec3::new(0.1, 0.02 * key as f32, -0.05 * key as f32);
            let grown = |key: usize| Vec3::splat(1.0 + 0.1 * key as f32);
            let tripled = |v: Vec<Quat>| v.into_iter().flat_map(|q| [q * 0.1, q, q * -0.2]).collect::<Vec<_>>();
            let spread = |v: Vec<Vec3>| v.into_iter().flat_map(|t| [t * 0.1, t, t * -0.2]).collect::<Vec<_>>();
            let is_spline = interpolation == Interpolation::CubicSpline;
            let (turns, moves): (Vec<Quat>, Vec<Vec3>) = ((0..3).map(keys).collect(), (0..3).map(steps).collect());
            let mut all = vec![
                (Path::Rotation, Values::Quat(if is_spline { tripled(turns) } else { turns }.into())),
                (Path::Translation, Values::Vec3(if is_spline { spread(moves) } else { moves }.into())),
            ];
            if model.skeleton.names[i].starts_with("Hand") && !is_spline {
                all.push((Path::Scale, Values::Vec3((0..3).map(grown).collect::<Vec<_>>().into())));
            }
            for (path, values) in all {
                out.samplers.push(Sampler { times: 0, interpolation, values });
                out.channels.push(Channel { node: NodeId::from_index(i), path, sampler: out.samplers.len() - 1 });
            }
        }
        out
    }

    fn posed(model: &Model, clip: &Clip, secs: f32) -> (LocalPose, Vec<Affine3A>) {
        let (mut local, mut world) = (LocalPose::default(), Vec::new());
        evaluate_clip(model, clip, secs, &mut SampleScratch::default(), &mut local, &mut world);
        (local, world)
    }

    /// How far the mirrored clip is from the mirrored poses of the clip, metres, at many moments.
    fn off(model: &Model, mirror: &Mirror, clip: &Clip) -> (f32, MirroredClip) {
        let with = model.with_clips(vec![clip.clone()]).unwrap();
        let made = mirror.mirrored_clip(&with, &with.clips[0]);
        let both = with.with_clips(vec![made.clip.clone()]).unwrap();
        let mut worst = 0.0_f32;
        for i in 0..=40 {
            let secs = i as f32 / 40.0;
            let pose = posed(&both, &both.clips[0], secs).0;
            let (wanted, mut world) = (mirror.exchanged(&both, &pose), Vec::new());
            crate::local_to_model(&both.skeleton, &wanted, &mut world);
            let now = posed(&both, &both.clips[1], secs).1;
            for (a, b) in now.iter().zip(&world) {
                let corners = [Vec3::ZERO, Vec3::X * 0.1, Vec3::Y * 0.1, Vec3::Z * 0.1];
                worst = corners
                    .iter()
                    .map(|p| a.transform_point3(*p).distance(b.transform_point3(*p)))
                    .fold(worst, f32::max);
            }
        }
        (worst, made)
    }

    #[test]
    fn keys_stay_keys_and_every_moment_is_the_mirror_image() {
        let (model, mirror) = figure(false);
        let ways = [Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline];
        for ways in [&ways[..1], &ways[1..2], &ways] {
            let clip = clip(&model, ways);
            let (worst, made) = off(&model, &mirror, &clip);
            assert!(worst < 2e-5, "{worst} {ways:?}");
            assert!(made.has_pairs && made.resampled.is_empty());
            for channel in &clip.channels {
                let partner = mirror.partner(channel.node);
                let image = made.clip.channels.iter().find(|c| (c.node, c.path) == (partner, channel.path)).unwrap();
                let (a, b) = (&clip.samplers[channel.sampler], &made.clip.samplers[image.sampler]);
                assert_eq!(a.interpolation, b.interpolation);
                assert_eq!(clip.times[a.times], made.clip.times[b.times]);
            }
        }
        // Twice is none.
        let clip = clip(&model, &[Interpolation::Linear]);
        let twice = mirror.mirrored_clip(&model, &mirror.mirrored_clip(&model, &clip).clip).clip;
        for secs in [0.0, 0.2, 0.9] {
            let [a, b] = [&clip, &twice].map(|clip| {
                let model = model.with_clips(vec![clip.clone()]).unwrap();
                posed(&model, &model.clips[0], secs).1
            });
            assert!(a.iter().zip(&b).all(|(a, b)| a.abs_diff_eq(*b, 1e-5)), "{secs}");
        }
    }

    #[test]
    fn where_both_sides_hang_on_other_joints_they_are_sampled() {
        let (model, mirror) = figure(true);
        let (worst, made) = off(&model, &mirror, &clip(&model, &[Interpolation::Linear]));
        let names: Vec<&str> = made.resampled.iter().map(|n| model.skeleton.names[n.index()].as_str()).collect();
        assert_eq!(names, ["Arm.L", "Arm.R"]);
        // Between two samples the image is a little off.
        assert!(worst < 2e-3, "{worst}");
    }

    #[test]
    fn a_clip_without_joints_in_pairs_says_so() {
        let (model, _) = figure(false);
        let alone = Mirror::alone(&model, Axis::Y, Vec3::Y);
        let (worst, made) = off(&model, &alone, &clip(&model, &[Interpolation::Linear]));
        // The places of joints beside the plane are sampled, which is a little off between two samples.
        assert!(!made.has_pairs && worst < 2e-3, "{worst}");
        let turns = made.clip.channels.iter().filter(|c| c.path == Path::Rotation);
        assert!(turns.into_iter().all(|c| made.clip.times[made.clip.samplers[c.sampler].times].len() == 3));
    }
}

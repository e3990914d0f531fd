//! Clips that are blended over another clip: a crossfade, and an additive layer.

use glam::{DQuat, Quat};
use skinscope_model::{ClipId, LocalPose, Model, NodeId, Wide};

use super::{SampleScratch, reset_to_rest, sample};

/// The clips that are blended over the one that plays: first the crossfade, then the additive layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Layers {
    /// The clip that the pose fades into.
    pub fade: Option<Crossfade>,
    /// The clip whose motion is added.
    pub add: Option<Additive>,
}

/// A crossfade: the pose is interpolated towards that of another clip, at every node, rotations by slerp along the
/// shorter arc and all else linearly. What the other clip does not animate is at rest in its pose.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Crossfade {
    /// The clip.
    pub clip: ClipId,
    /// The weight of its pose, 0…1.
    pub weight: f32,
    /// The time at which the weight begins to rise from 0, and the duration of the rise, seconds; `None`: the weight is
    /// the same all the time.
    pub rise: Option<[f32; 2]>,
}

/// An additive layer: the difference of a clip from its own first key is added to the pose, with weight `w`, as engines
/// do by default: `R · (R_first⁻¹ · R_clip)^w`, `T + w (T_clip − T_first)`, `S · (1 + w (S_clip / S_first − 1))`, `m +
/// w (m_clip − m_first)` for rotation, translation, scale and morph weights.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Additive {
    /// The clip.
    pub clip: ClipId,
    /// The weight `w`, 0…1.
    pub weight: f32,
}

/// Memory that [`Layers::lay`] reuses from call to call; it never changes the results.
#[derive(Clone, Debug, Default)]
pub struct LayerScratch {
    sample: SampleScratch,
    other: LocalPose,
    first: LocalPose,
}

impl Crossfade {
    /// Returns the weight at a time of the timeline, seconds.
    #[must_use]
    pub fn share(&self, time_secs: f32) -> f32 {
        let risen = match self.rise {
            None => 1.0,
            Some([start, length]) if length > 0.0 => ((time_secs - start) / length).clamp(0.0, 1.0),
            Some([start, _]) => f32::from(u8::from(time_secs >= start)),
        };
        self.weight * risen
    }
}

impl Layers {
    /// Returns whether nothing is blended over the clip.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fade.is_none() && self.add.is_none()
    }

    /// Blends the clips over `pose`, which is that of another clip at `time_secs`. They begin with the timeline and
    /// repeat at their own ends. Clips that the model does not have are left out.
    pub fn lay(&self, model: &Model, time_secs: f32, scratch: &mut LayerScratch, pose: &mut LocalPose) {
        if let Some(fade) = self.fade.filter(|fade| fade.share(time_secs) > 0.0)
            && scratch.follow(model, fade.clip, time_secs)
        {
            cross(pose, &scratch.other, fade.share(time_secs));
        }
        if let Some(add) = self.add.filter(|add| add.weight > 0.0)
            && scratch.follow(model, add.clip, time_secs)
        {
            scratch.take_first(model, add.clip);
            add_difference(pose, &scratch.first, &scratch.other, add.weight);
        }
    }
}

impl LayerScratch {
    /// Takes the pose of a clip, which starts over at its end; returns whether there is such a clip.
    fn follow(&mut self, model: &Model, clip: ClipId, time_secs: f32) -> bool {
        let Some(clip) = model.clips.get(clip.index()) else { return false };
        let length = clip.duration_secs();
        let own_secs = if time_secs > length && length > 0.0 { time_secs.rem_euclid(length) } else { time_secs };
        reset_to_rest(&model.skeleton, &mut self.other);
        sample(model, clip, own_secs, &mut self.sample, &mut self.other);
        true
    }

    /// Takes the pose of a clip at its first moment.
    fn take_first(&mut self, model: &Model, clip: ClipId) {
        let clip = &model.clips[clip.index()];
        reset_to_rest(&model.skeleton, &mut self.first);
        sample(model, clip, clip.start_secs, &mut self.sample, &mut self.first);
    }
}

/// Interpolates between two rotations (slerp along the shorter arc); `share` is 0…1.
fn between(from: DQuat, to: DQuat, share: f32) -> DQuat {
    from.slerp(to, f64::from(share)).normalize()
}

fn wide(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

fn cross(pose: &mut LocalPose, to: &LocalPose, share: f32) {
    if share >= 1.0 {
        pose.clone_from(to);
        return;
    }
    for (own, to) in pose.transforms.iter_mut().zip(&to.transforms) {
        if own.rotation != to.rotation {
            own.rotation = between(wide(own.rotation), wide(to.rotation), share).as_quat();
        }
        own.translation = own.translation.lerp(to.translation, share);
        own.scale = own.scale.lerp(to.scale, share);
    }
    blend_wide(pose, &to.wide, share);
    for (own, to) in pose.morph_weights.iter_mut().zip(&to.morph_weights) {
        *own += (*to - *own) * share;
    }
}

/// Blends the f64 offsets of two poses, which are no part of their translations.
fn blend_wide(pose: &mut LocalPose, to: &Wide, share: f32) {
    for node in wide_nodes(&pose.wide, to) {
        pose.wide.set_offset(node, pose.wide.offset(node).lerp(to.offset(node), f64::from(share)));
    }
}

/// Returns the nodes of which one of two poses has an f64 offset, each once.
fn wide_nodes(a: &Wide, b: &Wide) -> Vec<NodeId> {
    let only_b = b.offsets.iter().filter(|(node, _)| a.offsets.iter().all(|(other, _)| other != node));
    a.offsets.iter().chain(only_b).map(|(node, _)| *node).collect()
}

/// Adds to a pose the difference of the pose `clip` from the pose `first`, with weight `w`, at every node: `R ·
/// (R_first⁻¹ · R_clip)^w`, `T + w (T_clip − T_first)`, `S · (1 + w (S_clip / S_first − 1))`, and to the morph weights
/// `m + w (m_clip − m_first)`. All three are poses of one model. Values that do not differ stay the same to the bit.
pub(crate) fn add_difference(pose: &mut LocalPose, first: &LocalPose, clip: &LocalPose, weight: f32) {
    for ((own, first), clip) in pose.transforms.iter_mut().zip(&first.transforms).zip(&clip.transforms) {
        if clip.rotation != first.rotation {
            let by = wide(first.rotation).inverse() * wide(clip.rotation);
            own.rotation = (wide(own.rotation) * between(DQuat::IDENTITY, by, weight)).normalize().as_quat();
        }
        own.translation += weight * (clip.translation - first.translation);
        // Where the first moment has no size there is no factor.
        let factor = 1.0 + weight * (clip.scale / first.scale - 1.0);
        own.scale = glam::Vec3::select(factor.is_finite_mask(), own.scale * factor, own.scale);
    }
    for node in wide_nodes(&first.wide, &clip.wide) {
        let moved = clip.wide.offset(node) - first.wide.offset(node);
        pose.wide.set_offset(node, pose.wide.offset(node) + f64::from(weight) * moved);
    }
    for ((own, first), clip) in pose.morph_weights.iter_mut().zip(&first.morph_weights).zip(&clip.morph_weights) {
        *own += weight * (clip - first);
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};
    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};
    use skinscope_model::{Channel, Clip, Interpolation, NodeId, Path, Sampler, Values};

    use super::*;

    /// A quaternion as x, y, z, w.
    type Wide = [f64; 4];

    fn product(a: Wide, b: Wide) -> Wide {
        let [ax, ay, az, aw] = a;
        let [bx, by, bz, bw] = b;
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    }

    fn inverse([x, y, z, w]: Wide) -> Wide {
        [-x, -y, -z, w]
    }

    /// A share of a rotation by its angle and axis, the shorter way.
    fn part([x, y, z, w]: Wide, share: f64) -> Wide {
        let sign = if w < 0.0 { -1.0 } else { 1.0 };
        let axis = DVec3::new(x, y, z) * sign;
        let angle = 2.0 * axis.length().atan2(w * sign);
        let (sin, cos) = (0.5 * share * angle).sin_cos();
        let axis = axis.normalize_or_zero() * sin;
        [axis.x, axis.y, axis.z, cos]
    }

    fn f64s(q: Quat) -> Wide {
        let q = q.as_dquat().normalize();
        q.to_array()
    }

    fn angle(a: Wide, b: Quat) -> f64 {
        let [x, y, z, w] = product(inverse(a), f64s(b));
        2.0 * DVec3::new(x, y, z).length().atan2(w.abs())
    }

    /// The obstacle course with a second clip, which moves, turns and scales other nodes too.
    fn model() -> Model {
        let model = obstacle_course();
        let nodes = model.skeleton.len();
        let mut clip = Clip { name: "Other".into(), times: vec![vec![0.0, 0.8]], end_secs: 0.8, ..Clip::default() };
        let mut push = |node: usize, path, values| {
            clip.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
            clip.channels.push(Channel { node: NodeId::from_index(node), path, sampler: clip.samplers.len() - 1 });
        };
        for node in 0..nodes.min(6) {
            let turn = |by: f32| Quat::from_euler(glam::EulerRot::XYZ, by, 0.3 * by + node as f32, -by);
            push(node, Path::Rotation, Values::Quat(vec![turn(0.2), -turn(1.9)].into()));
            push(node, Path::Translation, Values::Vec3(vec![Vec3::ONE, Vec3::new(0.1, -2.0, node as f32)].into()));
            push(node, Path::Scale, Values::Vec3(vec![Vec3::new(0.5, 1.0, 2.0), Vec3::new(2.0, 0.5, 1.5)].into()));
        }
        model.with_clips(vec![clip]).unwrap()
    }

    fn at(model: &Model, clip: usize, secs: f32) -> LocalPose {
        let mut pose = model.skeleton.rest.clone();
        sample(model, &model.clips[clip], secs, &mut SampleScratch::default(), &mut pose);
        pose
    }

    #[test]
    fn a_crossfade_and_an_added_clip_are_those_of_their_formulas_in_double_precision() {
        let model = model();
        let first = at(&model, 1, 0.0);
        let other = ClipId(1);
        for (secs, own_secs, weight) in [(0.3, 0.3, 0.25), (0.5, 0.5, 0.9), (1.0, 0.2, 0.5)] {
            let (from, to) = (at(&model, 0, secs), at(&model, 1, own_secs));
            let (wide_weight, mut faded, mut sum) = (f64::from(weight), from.clone(), from.clone());
            let mut scratch = LayerScratch::default();
            let fade = Some(Crossfade { clip: other, weight, rise: None });
            Layers { fade, add: None }.lay(&model, secs, &mut scratch, &mut faded);
            let add = Some(Additive { clip: other, weight });
            Layers { fade: None, add }.lay(&model, secs, &mut scratch, &mut sum);
            for i in 0..model.skeleton.len() {
                let (a, b, r) = (from.transforms[i], to.transforms[i], first.transforms[i]);
                let [qa, qb, qr] = [a, b, r].map(|t| f64s(t.rotation));
                let want = product(qa, part(product(inverse(qa), qb), wide_weight));
                assert!(angle(want, faded.transforms[i].rotation) < 1e-6, "fade, node {i}");
                let want = product(qa, part(product(inverse(qr), qb), wide_weight));
                assert!(angle(want, sum.transforms[i].rotation) < 1e-6, "add, node {i}");
                let near = |want: DVec3, got: Vec3| assert!((want - got.as_dvec3()).length() < 1e-5, "{want} {got}");
                let wide = |v: Vec3| v.as_dvec3();
                near(wide(a.translation).lerp(wide(b.translation), wide_weight), faded.transforms[i].translation);
                near(wide(a.scale).lerp(wide(b.scale), wide_weight), faded.transforms[i].scale);
                let moved = wide(b.translation) - wide(r.translation);
                near(wide(a.translation) + wide_weight * moved, sum.transforms[i].translation);
                let grown = DVec3::ONE + wide_weight * (wide(b.scale) / wide(r.scale) - DVec3::ONE);
                near(wide(a.scale) * grown, sum.transforms[i].scale);
            }
            for (i, own) in from.morph_weights.iter().enumerate() {
                let want = own + weight * (to.morph_weights[i] - own);
                assert!((faded.morph_weights[i] - want).abs() < 1e-6);
                let want = own + weight * (to.morph_weights[i] - first.morph_weights[i]);
                assert!((sum.morph_weights[i] - want).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn shares_of_nothing_and_of_all_are_the_pure_clips_and_a_first_moment_adds_nothing() {
        let model = model();
        let other = ClipId(1);
        let layered = |layers: Layers, secs: f32| {
            let mut pose = at(&model, 0, secs);
            layers.lay(&model, secs, &mut LayerScratch::default(), &mut pose);
            pose
        };
        let fade = |weight| Layers { fade: Some(Crossfade { clip: other, weight, rise: None }), add: None };
        let add = |weight| Layers { fade: None, add: Some(Additive { clip: other, weight }) };
        for secs in [0.0, 0.3, 0.8] {
            assert_eq!(layered(fade(0.0), secs), at(&model, 0, secs));
            assert_eq!(layered(fade(1.0), secs), at(&model, 1, secs));
            assert_eq!(layered(add(0.0), secs), at(&model, 0, secs));
        }
        assert_eq!(layered(add(1.0), 0.0), at(&model, 0, 0.0));
        assert_ne!(layered(add(1.0), 0.3), at(&model, 0, 0.3));
    }

    #[test]
    fn a_share_rises_in_its_time_and_nothing_is_layered_where_there_is_no_clip() {
        let fade = Crossfade { clip: ClipId(0), weight: 0.8, rise: Some([1.0, 2.0]) };
        let shares = [0.0, 1.0, 1.6, 3.0, 9.0].map(|secs| fade.share(secs));
        let want = [0.0_f32, 0.0, 0.24, 0.8, 0.8];
        assert!(shares.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-6), "{shares:?}");
        let at_once = Crossfade { rise: Some([1.0, 0.0]), ..fade };
        assert_eq!([0.9, 1.0].map(|secs| at_once.share(secs)), [0.0, 0.8]);
        let model = tube(Tube { joints: 3, ..Tube::default() });
        let mut pose = model.skeleton.rest.clone();
        let gone = Layers {
            fade: Some(Crossfade { clip: ClipId(7), weight: 1.0, rise: None }),
            add: Some(Additive { clip: ClipId(7), weight: 1.0 }),
        };
        gone.lay(&model, 0.5, &mut LayerScratch::default(), &mut pose);
        assert_eq!(pose, model.skeleton.rest);
    }
}

//! Keys and what lies between them (glTF 2.0, appendix C).

use glam::{Quat, Vec3, Vec4};

use crate::model::{Change, Clip, Interpolation, LocalPose, Model, NodeId, Path, Property, Sampler, Values};

/// Reusable memory of [`sample`]; never changes its results.
#[derive(Clone, Debug, Default)]
pub struct SampleScratch {
    /// For each list of key times of the clip: where the time lies in it.
    spans: Vec<Span>,
}

/// Writes what `clip` says at `time_secs` into `pose`; what it does not move stays as it was (start from rest).
/// Each channel clamps to its own first and last key.
pub fn sample(model: &Model, clip: &Clip, time_secs: f32, scratch: &mut SampleScratch, pose: &mut LocalPose) {
    scratch.spans.clear();
    scratch.spans.extend(clip.times.iter().map(|times| Span::find(times, time_secs)));
    for channel in &clip.channels {
        let sampler = &clip.samplers[channel.sampler];
        let at = Keys { span: scratch.spans[sampler.times], interpolation: sampler.interpolation };
        let transform = &mut pose.transforms[channel.node.index()];
        match (&sampler.values, channel.path) {
            (Values::Vec3(values), Path::Translation) => transform.translation = at.vector(values),
            (Values::Vec3(values), Path::Scale) => transform.scale = at.vector(values),
            (Values::Quat(values), Path::Rotation) => transform.rotation = at.rotation(values),
            (Values::Weights { count, values }, Path::Weights) => {
                let first = model.instances.partition_point(|i| i.node < channel.node);
                let offset = model.instances[first].morph_offset;
                for (i, weight) in pose.morph_weights[offset..offset + count].iter_mut().enumerate() {
                    *weight = at.number(|entry| values[entry * count + i]);
                }
            }
            // The builder admits no other pair.
            _ => {}
        }
    }
}

/// Writes what `clip` changes at `time_secs` beside nodes; what it does not change is not in the list.
pub fn sample_properties(clip: &Clip, time_secs: f32, scratch: &mut SampleScratch, out: &mut Vec<Change>) {
    out.clear();
    if clip.properties.is_empty() {
        return;
    }
    scratch.spans.clear();
    scratch.spans.extend(clip.times.iter().map(|times| Span::find(times, time_secs)));
    for channel in &clip.properties {
        let sampler = &clip.samplers[channel.sampler];
        // The builder admits no other kind.
        let Values::Weights { count, values } = &sampler.values else { continue };
        let at = Keys { span: scratch.spans[sampler.times], interpolation: sampler.interpolation };
        let mut value = Vec4::ZERO;
        for i in 0..*count {
            value[i] = at.number(|entry| values[entry * count + i]);
        }
        out.push((channel.property, value));
    }
}

/// The distinct key times in seconds, rising, of all channels of `clip` that move `node`.
#[must_use]
pub fn key_times(clip: &Clip, node: NodeId) -> Vec<f32> {
    let moving = clip.channels.iter().filter(|c| c.node == node).map(|c| c.sampler);
    let shown = clip.properties.iter().filter(|c| c.property == Property::Visible(node)).map(|c| c.sampler);
    let mut times: Vec<f32> = moving.chain(shown).flat_map(|s| key_list(clip, &clip.samplers[s])).copied().collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

fn key_list<'a>(clip: &'a Clip, sampler: &Sampler) -> &'a [f32] {
    &clip.times[sampler.times]
}

/// A time among keys.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The key at or before the time; the first one before all keys.
    key: usize,
    /// The key after it; `key` itself outside the keys.
    next: usize,
    /// 0…1 from `key` to `next`.
    factor: f32,
    /// From `key` to `next`.
    secs: f32,
}

impl Span {
    fn find(times: &[f32], time_secs: f32) -> Self {
        let after = times.partition_point(|key| *key <= time_secs);
        if after == 0 || after == times.len() {
            let key = after.saturating_sub(1);
            return Self { key, next: key, factor: 0.0, secs: 0.0 };
        }
        // In f64: exact, and no overflow however far apart the keys of a file are.
        let start = f64::from(times[after - 1]);
        let secs = f64::from(times[after]) - start;
        let factor = ((f64::from(time_secs) - start) / secs) as f32;
        Self { key: after - 1, next: after, factor, secs: secs as f32 }
    }
}

/// How a sampler's values are read at one time.
#[derive(Clone, Copy)]
struct Keys {
    span: Span,
    interpolation: Interpolation,
}

impl Keys {
    fn vector(self, values: &[Vec3]) -> Vec3 {
        let Span { key, next, factor, .. } = self.span;
        match self.interpolation {
            Interpolation::Step => values[key],
            Interpolation::Linear => values[key].lerp(values[next], factor),
            Interpolation::CubicSpline => {
                let [a, b, c, d] = self.hermite();
                let v =
                    values[key * 3 + 1] * a + values[key * 3 + 2] * b + values[next * 3 + 1] * c + values[next * 3] * d;
                if v.is_finite() { v } else { values[key * 3 + 1] }
            }
        }
    }

    fn rotation(self, values: &[Quat]) -> Quat {
        let Span { key, next, factor, .. } = self.span;
        match self.interpolation {
            Interpolation::Step => values[key],
            Interpolation::Linear if key == next => values[key],
            Interpolation::Linear => slerp(values[key], values[next], factor),
            Interpolation::CubicSpline => {
                let [a, b, c, d] = self.hermite();
                let q =
                    values[key * 3 + 1] * a + values[key * 3 + 2] * b + values[next * 3 + 1] * c + values[next * 3] * d;
                // Opposite values cancel half way and huge tangents overflow: no rotation is right, the key's is one.
                let length = q.length();
                if length > 0.0 && length.is_finite() { q / length } else { values[key * 3 + 1] }
            }
        }
    }

    /// `value` reads one of the entries: keys, or with cubic splines in-tangent, value, out-tangent of each key.
    fn number(self, value: impl Fn(usize) -> f32) -> f32 {
        let Span { key, next, factor, .. } = self.span;
        match self.interpolation {
            Interpolation::Step => value(key),
            Interpolation::Linear => value(key) * (1.0 - factor) + value(next) * factor,
            Interpolation::CubicSpline => {
                let [a, b, c, d] = self.hermite();
                let v = value(key * 3 + 1) * a + value(key * 3 + 2) * b + value(next * 3 + 1) * c + value(next * 3) * d;
                if v.is_finite() { v } else { value(key * 3 + 1) }
            }
        }
    }

    /// Factors of: value and out-tangent of the key, value and in-tangent of the next. Tangents are per second, hence
    /// the length of the interval.
    fn hermite(self) -> [f32; 4] {
        let Span { factor: t, secs, .. } = self.span;
        let (t2, t3) = (t * t, t * t * t);
        [2.0 * t3 - 3.0 * t2 + 1.0, secs * (t3 - 2.0 * t2 + t), 3.0 * t2 - 2.0 * t3, secs * (t3 - t2)]
    }
}

/// Rotations closer than this (radians between the quaternions) are blended straight: the difference is below 1e-10.
const STRAIGHT: f32 = 1e-3;

/// Constant angular velocity along the shorter arc. The angle comes from `atan2`, exact where `acos` of a dot product
/// near one has lost half its digits.
fn slerp(from: Quat, to: Quat, factor: f32) -> Quat {
    let to = if from.dot(to) < 0.0 { -to } else { to };
    let angle = 2.0 * (from - to).length().atan2((from + to).length());
    let (a, b) = if angle < STRAIGHT {
        (1.0 - factor, factor)
    } else {
        (((1.0 - factor) * angle).sin(), (factor * angle).sin())
    };
    (from * a + to * b).normalize()
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::anim::reset_to_rest;
    use crate::model::shapes::obstacle_course;

    fn at(times: &[f32], time_secs: f32, interpolation: Interpolation) -> Keys {
        Keys { span: Span::find(times, time_secs), interpolation }
    }

    /// Between two rotations, radians; exact for small angles too.
    fn angle(a: DQuat, b: DQuat) -> f64 {
        let d = a.conjugate() * b;
        2.0 * d.xyz().length().atan2(d.w.abs())
    }

    #[test]
    fn slerp_is_within_a_microradian_and_takes_the_shorter_way() {
        let axis = Vec3::new(0.36, -0.48, 0.8);
        let turns = [1e-7, 1e-5, 4e-4, 9e-4, 1.1e-3, 2.1e-3, 0.01, 0.3, 1.0, 2.0, 3.0, 3.13];
        for turn in turns {
            let from = Quat::from_rotation_y(0.7);
            let to = from * Quat::from_axis_angle(axis, turn);
            for to in [to, -to] {
                let step = from.as_dquat().normalize().conjugate() * to.as_dquat().normalize();
                let step = if step.w < 0.0 { -step } else { step };
                let half = step.xyz().length().atan2(step.w);
                for i in 0..=16 {
                    let t = i as f32 / 16.0;
                    let (sin, cos) = (half * f64::from(t)).sin_cos();
                    let part = DQuat::from_vec4((step.xyz().normalize() * sin).extend(cos));
                    let want = from.as_dquat().normalize() * part;
                    let error = angle(slerp(from, to, t).as_dquat().normalize(), want);
                    assert!(error <= 1e-6, "turn {turn}, t {t}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn step_holds_until_the_next_key_and_all_kinds_clamp() {
        let times = [1.0, 2.0, 4.0];
        let values = [Vec3::X, Vec3::Y, Vec3::Z];
        let step = |t: f32| at(&times, t, Interpolation::Step).vector(&values);
        assert_eq!([0.0, 1.0, 1.999_999_9, 2.0, 3.9, 4.0, 9.0].map(step).map(|v| v.to_array()), {
            let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
            [x, x, x, y, y, z, z]
        });
        let linear = |t: f32| at(&times, t, Interpolation::Linear).vector(&values);
        assert_eq!([-1.0, 1.0, 2.0, 4.0, 5.0].map(linear), [Vec3::X, Vec3::X, Vec3::Y, Vec3::Z, Vec3::Z]);
        assert_eq!(linear(3.0), Vec3::new(0.0, 0.5, 0.5));
        let entries: Vec<Vec3> = values.iter().flat_map(|v| [Vec3::ONE * 7.0, *v, Vec3::ONE * 9.0]).collect();
        let cubic = |t: f32| at(&times, t, Interpolation::CubicSpline).vector(&entries);
        assert_eq!([-1.0, 1.0, 2.0, 4.0, 5.0].map(cubic), [Vec3::X, Vec3::X, Vec3::Y, Vec3::Z, Vec3::Z]);
        assert_eq!(at(&[3.0], f32::NAN, Interpolation::Linear).vector(&values), Vec3::X);
    }

    /// A cubic polynomial is its own Hermite spline, so values and slopes at uneven keys must give it back in between.
    #[test]
    fn cubic_splines_give_back_a_cubic() {
        let value = |t: f32| 0.5 - 2.0 * t + 1.5 * t * t - 0.25 * t * t * t;
        let slope = |t: f32| -2.0 + 3.0 * t - 0.75 * t * t;
        let times = [0.5, 1.0, 3.0];
        let entries: Vec<f32> = times.iter().flat_map(|t| [slope(*t), value(*t), slope(*t)]).collect();
        for i in 0..=50 {
            let t = 0.5 + 2.5 * i as f32 / 50.0;
            let got = at(&times, t, Interpolation::CubicSpline).number(|entry| entries[entry]);
            assert!((got - value(t)).abs() < 2e-6, "{t}: {got} for {}", value(t));
        }
    }

    #[test]
    fn cubic_rotations_are_unit_and_survive_what_cancels_or_overflows() {
        let (q, zero) = (Quat::from_rotation_x(1.0), Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
        let turned = Quat::from_rotation_y(2.0);
        let huge = Quat::from_xyzw(f32::MAX, 0.0, 0.0, 0.0);
        let mid = |entries: [Quat; 6]| at(&[0.0, 1.0], 0.5, Interpolation::CubicSpline).rotation(&entries);
        assert!(mid([zero, q, zero, zero, turned, zero]).is_normalized());
        assert_eq!(mid([zero, q, zero, zero, -q, zero]), q);
        assert_eq!(mid([zero, q, huge, -huge, turned, zero]), q);
    }

    #[test]
    fn any_order_of_times_gives_the_same_bytes() {
        let model = obstacle_course();
        let clip = &model.clips[0];
        let bytes = |time: f32, scratch: &mut SampleScratch, pose: &mut LocalPose| {
            reset_to_rest(&model.skeleton, pose);
            sample(&model, clip, time, scratch, pose);
            format!("{pose:?}")
        };
        let times: Vec<f32> = (0..40).map(|i| i as f32 * 0.05).collect();
        let (mut scratch, mut pose) = (SampleScratch::default(), LocalPose::default());
        let played: Vec<String> = times.iter().map(|t| bytes(*t, &mut scratch, &mut pose)).collect();
        for k in 0..times.len() {
            let i = k * 17 % times.len();
            assert_eq!(bytes(times[i], &mut scratch, &mut pose), played[i]);
            let fresh = bytes(times[i], &mut SampleScratch::default(), &mut LocalPose::default());
            assert_eq!(fresh, played[i]);
        }
        assert!(played.windows(2).any(|w| w[0] != w[1]));
    }

    #[test]
    fn key_times_of_a_node_are_sorted_and_distinct() {
        let model = obstacle_course();
        let mut clip = model.clips[0].clone();
        let [both, none] = [NodeId(9), NodeId(2)].map(|n| key_times(&clip, n));
        assert_eq!(both, [0.5, 1.5]);
        assert_eq!(none, [0.0; 0]);
        clip.channels[0].node = NodeId(9);
        assert_eq!(key_times(&clip, NodeId(9)), [0.25, 0.5, 1.0, 1.5, 1.75]);
    }
}

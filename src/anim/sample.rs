//! Keys and what lies between them (glTF 2.0, appendix C).

use glam::{Quat, Vec3};

use crate::model::{Clip, Interpolation, LocalPose, Model, NodeId, Path, Sampler, Values};

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

/// The distinct key times in seconds, rising, of all channels of `clip` that move `node`.
#[must_use]
pub fn key_times(clip: &Clip, node: NodeId) -> Vec<f32> {
    let moving = clip.channels.iter().filter(|c| c.node == node);
    let mut times: Vec<f32> = moving.flat_map(|c| key_list(clip, &clip.samplers[c.sampler])).copied().collect();
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

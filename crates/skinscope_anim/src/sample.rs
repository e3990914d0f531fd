//! Samples clips: finds the keys around a time and interpolates between them (glTF 2.0, appendix C).

use glam::{Mat4, Quat, Vec3, Vec4};
use skinscope_model::{Change, Clip, Group, Interpolation, LocalPose, Model, NodeId, Path, Property, Sampler, Values};

use super::far;
use super::slerp::{Quats, normalised, slerp};
use super::span::Span;

/// Memory that [`sample`] reuses from call to call; it never changes the results.
#[derive(Clone, Debug, Default)]
pub struct SampleScratch {
    /// For each list of key times of the clip: the interval that contains the time.
    spans: Vec<Span>,
}

/// Writes the values of `clip` (a clip of `model`) at `time_secs` (seconds of the clip) into `pose`. Properties that
/// the clip does not animate stay as they were, so that callers start from the rest pose. Each channel has the value of
/// its first key before that, and the value of its last key after that.
pub fn sample(model: &Model, clip: &Clip, time_secs: f32, scratch: &mut SampleScratch, pose: &mut LocalPose) {
    scratch.spans.clear();
    scratch.spans.extend(clip.times.iter().map(|times| Span::find(times, time_secs)));
    let mut left = PendingRotations::default();
    for group in &clip.tracks.groups {
        let span = scratch.spans[group.times];
        match group.path {
            Path::Translation => vectors(group, span, |node, v| pose.transforms[node.index()].translation = v),
            Path::Scale => vectors(group, span, |node, v| pose.transforms[node.index()].scale = v),
            Path::Rotation => rotations(group, span, &mut left, pose),
            // Morph weights stand in no group.
            Path::Weights => {}
        }
    }
    left.finish(pose);
    for [from, to] in &clip.tracks.copies {
        copy(*from, *to, pose);
    }
    for (sampler, instance) in &clip.tracks.weights {
        let offset = model.instances[instance.index()].morph_offset;
        let sampler = &clip.samplers[*sampler];
        // The builder admits no other kind of value here.
        let Values::Weights { count, values } = &sampler.values else { continue };
        let at = KeyReader { span: scratch.spans[sampler.times], interpolation: sampler.interpolation };
        for (i, weight) in pose.morph_weights[offset..offset + count].iter_mut().enumerate() {
            *weight = at.number(|entry| values[entry * count + i]);
        }
    }
    far::sample(model, clip, time_secs, pose);
}

/// Writes the properties that `clip` animates in addition to those of nodes, with their values at `time_secs`, to
/// `out`, whose previous contents are removed.
pub fn sample_properties(clip: &Clip, time_secs: f32, scratch: &mut SampleScratch, out: &mut Vec<Change>) {
    out.clear();
    if clip.properties.is_empty() {
        return;
    }
    scratch.spans.clear();
    scratch.spans.extend(clip.times.iter().map(|times| Span::find(times, time_secs)));
    for channel in &clip.properties {
        let sampler = &clip.samplers[channel.sampler];
        // The builder admits no other kind of value here.
        let Values::Weights { count, values } = &sampler.values else { continue };
        let at = KeyReader { span: scratch.spans[sampler.times], interpolation: sampler.interpolation };
        let mut value = Vec4::ZERO;
        for i in 0..*count {
            value[i] = at.number(|entry| values[entry * count + i]);
        }
        out.push((channel.property, value));
    }
}

/// Returns the distinct key times of all channels of `clip` that animate `node`, seconds, rising.
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

/// Copies a property of one node to a property of another node.
fn copy((from, from_path): (NodeId, Path), (to, to_path): (NodeId, Path), pose: &mut LocalPose) {
    let source = pose.transforms[from.index()];
    let vector = if from_path == Path::Scale { source.scale } else { source.translation };
    let target = &mut pose.transforms[to.index()];
    match to_path {
        Path::Translation => target.translation = vector,
        Path::Scale => target.scale = vector,
        Path::Rotation => target.rotation = source.rotation,
        Path::Weights => {}
    }
}

/// Returns the entry with the value of a key in the rows of a group (with splines, the middle one of three).
fn value_entry(group: &Group, key: usize) -> usize {
    if group.interpolation == Interpolation::CubicSpline { key * 3 + 1 } else { key }
}

/// Returns the four rows that a cubic spline reads: value and out-tangent of the key, value and in-tangent of the next
/// one, in the order in which [`hermite`] gives their weights.
fn spline_rows(group: &Group, span: Span) -> [&[f32]; 4] {
    let (key, next) = (span.key * 3, span.next * 3);
    [key + 1, key + 2, next + 1, next].map(|entry| group.row(entry))
}

fn vectors(group: &Group, span: Span, mut write: impl FnMut(NodeId, Vec3)) {
    let values = group.row(value_entry(group, span.key)).as_chunks::<3>().0;
    if span.on_key() || group.interpolation == Interpolation::Step {
        for (node, value) in group.nodes.iter().zip(values) {
            write(*node, Vec3::from_array(*value));
        }
    } else if group.interpolation == Interpolation::Linear {
        let nexts = group.row(span.next).as_chunks::<3>().0;
        for ((node, value), next) in group.nodes.iter().zip(values).zip(nexts) {
            write(*node, Vec3::from_array(*value).lerp(Vec3::from_array(*next), span.factor));
        }
    } else {
        let weights = hermite(span);
        let [a, b, c, d] = spline_rows(group, span).map(|row| row.as_chunks::<3>().0);
        for ((((node, a), b), c), d) in group.nodes.iter().zip(a).zip(b).zip(c).zip(d) {
            let [a, b, c, d] = [a, b, c, d].map(|v| Vec3::from_array(*v));
            let v = a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3];
            write(*node, if v.is_finite() { v } else { a });
        }
    }
}

fn rotations(group: &Group, span: Span, left: &mut PendingRotations, pose: &mut LocalPose) {
    let (nodes, single_nodes) = group.nodes.as_chunks::<4>();
    let split = nodes.len() * 16;
    let (values, singles) = split_row(group.row(value_entry(group, span.key)), split);
    if span.on_key() || group.interpolation == Interpolation::Step {
        for (nodes, value) in nodes.iter().zip(values) {
            write(pose, nodes, load(value));
        }
        for (node, value) in single_nodes.iter().zip(singles) {
            pose.transforms[node.index()].rotation = Quat::from_array(*value);
        }
    } else if group.interpolation == Interpolation::Linear {
        let (nexts, next_singles) = split_row(group.row(span.next), split);
        let factor = Vec4::splat(span.factor);
        for ((nodes, value), next) in nodes.iter().zip(values).zip(nexts) {
            write(pose, nodes, slerp(load(value), load(next), factor));
        }
        for ((node, value), next) in single_nodes.iter().zip(singles).zip(next_singles) {
            left.push([*value, *next].map(Vec4::from_array), span.factor, *node, pose);
        }
    } else {
        let weights = hermite(span);
        let [a, b, c, d] = spline_rows(group, span).map(|row| split_row(row, split));
        for (i, nodes) in nodes.iter().enumerate() {
            let parts = [a.0, b.0, c.0, d.0].map(|blocks| load(&blocks[i]));
            write(pose, nodes, spline(parts, weights));
        }
        for (i, node) in single_nodes.iter().enumerate() {
            let parts = [a.1, b.1, c.1, d.1].map(|singles| singles[i].map(Vec4::splat));
            let rotation = spline(parts, weights).map(|part| part.x);
            pose.transforms[node.index()].rotation = Quat::from_array(rotation);
        }
    }
}

/// Splits a row of rotations into blocks of four and those that fill no block.
fn split_row(row: &[f32], split: usize) -> (&[[f32; 16]], &[[f32; 4]]) {
    let (blocks, singles) = row.split_at(split);
    (blocks.as_chunks::<16>().0, singles.as_chunks::<4>().0)
}

fn load(block: &[f32; 16]) -> Quats {
    let m = Mat4::from_cols_array(block);
    [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
}

fn write(pose: &mut LocalPose, nodes: &[NodeId], quats: Quats) {
    for (node, quat) in nodes.iter().zip(transposed(quats)) {
        pose.transforms[node.index()].rotation = Quat::from_vec4(quat);
    }
}

/// Transposes four quaternions to their x, y, z and w, and back.
fn transposed([x, y, z, w]: Quats) -> Quats {
    let m = Mat4::from_cols(x, y, z, w).transpose();
    [m.x_axis, m.y_axis, m.z_axis, m.w_axis]
}

/// Adds weighted quaternions of a spline and normalises the sum. Where opposite values cancel or huge tangents
/// overflow, no rotation is right and the key's value is taken.
fn spline([a, b, c, d]: [Quats; 4], weights: [f32; 4]) -> Quats {
    let sum = |i: usize| a[i] * weights[0] + b[i] * weights[1] + c[i] * weights[2] + d[i] * weights[3];
    normalised([0, 1, 2, 3].map(sum), a)
}

/// Pairs of rotations that fill no block of their group. They are collected, whatever groups they belong to, until
/// there are four to interpolate at once.
#[derive(Default)]
struct PendingRotations {
    from: [Vec4; 4],
    to: [Vec4; 4],
    factors: [f32; 4],
    nodes: [NodeId; 4],
    count: usize,
}

impl PendingRotations {
    fn push(&mut self, [from, to]: [Vec4; 2], factor: f32, node: NodeId, pose: &mut LocalPose) {
        let at = self.count;
        (self.from[at], self.to[at], self.factors[at], self.nodes[at]) = (from, to, factor, node);
        self.count += 1;
        if self.count == 4 {
            self.finish(pose);
        }
    }

    fn finish(&mut self, pose: &mut LocalPose) {
        if self.count > 0 {
            let quats = slerp(transposed(self.from), transposed(self.to), Vec4::from_array(self.factors));
            write(pose, &self.nodes[..self.count], quats);
            self.count = 0;
        }
    }
}

/// How the values between two keys are computed at one time.
#[derive(Clone, Copy)]
struct KeyReader {
    span: Span,
    interpolation: Interpolation,
}

impl KeyReader {
    /// Interpolates one number. `value` reads one of the entries: keys, or with cubic splines in-tangent, value,
    /// out-tangent of each key.
    fn number(self, value: impl Fn(usize) -> f32) -> f32 {
        let Span { key, next, factor, .. } = self.span;
        match self.interpolation {
            Interpolation::Step => value(key),
            Interpolation::Linear => value(key) * (1.0 - factor) + value(next) * factor,
            Interpolation::CubicSpline => {
                let [a, b, c, d] = hermite(self.span);
                let v = value(key * 3 + 1) * a + value(key * 3 + 2) * b + value(next * 3 + 1) * c + value(next * 3) * d;
                if v.is_finite() { v } else { value(key * 3 + 1) }
            }
        }
    }
}

/// Returns the Hermite factors of: value and out-tangent of the key, value and in-tangent of the next. Tangents are per
/// second, so the length of the interval multiplies them.
fn hermite(span: Span) -> [f32; 4] {
    let Span { factor: t, secs, .. } = span;
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, secs * (t3 - 2.0 * t2 + t), 3.0 * t2 - 2.0 * t3, secs * (t3 - t2)]
}

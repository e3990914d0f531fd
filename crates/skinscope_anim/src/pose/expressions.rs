//! Expressions of VRM animations, as keys of the morph targets that the expressions of a character move.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{
    Channel, Clip, Expression, Interpolation, LocalPose, Model, NodeId, Path, Sampler, Values, shown_weights,
};

use super::carried_keys::{add_channel, moments};
use crate::{SampleScratch, sample};

/// How long before and after the moment at which a binary expression comes or goes its keys are, seconds.
const JUMP_SECS: f32 = 1e-4;

/// An expression that a clip moves.
struct Moved<'m> {
    /// The node of the clip's model whose translation along X is the weight.
    node: NodeId,
    channel: &'m Channel,
    expression: &'m Expression,
}

/// Adds to `carried` the keys of the morph targets of `to` that the expressions move which `clip` of `from` moves: the
/// weight of an expression is the X of the translation of its node, from 0 to 1, and each bind adds as much of its own.
/// Targets that have keys already stay as they are. Returns the names of expressions that `to` does not have.
pub(super) fn add_expressions(from: &Model, to: &Model, clip: &Clip, carried: &mut Clip) -> Vec<String> {
    let (mut moved, mut missing) = (Vec::new(), Vec::new());
    for (node, name) in &from.expression_nodes {
        let channel = clip.channels.iter().find(|c| c.node == *node && c.path == Path::Translation);
        let Some(channel) = channel else { continue };
        match to.expressions.iter().find(|expression| expression.name == *name) {
            Some(expression) => moved.push(Moved { node: *node, channel, expression }),
            None => missing.push(format!("expression {name}")),
        }
    }
    if moved.is_empty() {
        return missing;
    }
    let samplers: Vec<&Sampler> = moved.iter().map(|moved| &clip.samplers[moved.channel.sampler]).collect();
    let is_stepping = samplers.iter().all(|sampler| sampler.interpolation == Interpolation::Step);
    let times = times_of(clip, &moved, &samplers, is_stepping);
    let expressions: Vec<&Expression> = moved.iter().map(|moved| moved.expression).collect();
    let (mut pose, mut scratch) = (LocalPose::default(), SampleScratch::default());
    let mut shown: Vec<Vec<f32>> = Vec::with_capacity(times.len());
    for secs in &times {
        pose.clone_from(&from.skeleton.rest);
        sample(from, clip, *secs, &mut scratch, &mut pose);
        let wanted: Vec<f32> = moved.iter().map(|moved| pose.translation(moved.node).x as f32).collect();
        shown.push(shown_weights(&expressions, &wanted));
    }
    let mut by_node: BTreeMap<NodeId, Vec<(usize, usize, f32)>> = BTreeMap::new();
    for (at, expression) in expressions.iter().enumerate() {
        for bind in &expression.binds {
            by_node.entry(bind.node).or_default().push((at, bind.target, bind.weight));
        }
    }
    let way = if is_stepping { Interpolation::Step } else { Interpolation::Linear };
    for (node, binds) in by_node {
        let has_keys = carried.channels.iter().any(|c| c.node == node && c.path == Path::Weights);
        let Some(instance) = to.instances.iter().find(|i| i.node == node).filter(|_| !has_keys) else { continue };
        let count = instance.morph_weights.len();
        let mut values = Vec::with_capacity(count * times.len());
        for weights in &shown {
            let start = values.len();
            values.extend_from_slice(&instance.morph_weights);
            for (at, target, weight) in binds.iter().filter(|(_, target, _)| *target < count) {
                values[start + target] += weights[*at] * weight;
            }
        }
        add_channel(carried, (node, Path::Weights), &times, way, Values::Weights { count, values });
    }
    missing
}

/// Returns the moments at which keys say what all expressions do between them: those of their own keys, those at which a
/// weight leaves 0…1 or a binary expression comes or goes, and more of them where curves or overrides are between.
fn times_of(clip: &Clip, moved: &[Moved<'_>], samplers: &[&Sampler], is_stepping: bool) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    let mut is_curved = moved.iter().any(|moved| !moved.expression.overrides.is_empty());
    for (sampler, moved) in samplers.iter().zip(moved) {
        let keys = &clip.times[sampler.times];
        times.extend(keys);
        match (sampler.interpolation, &sampler.values) {
            (Interpolation::CubicSpline, _) => is_curved = true,
            (Interpolation::Step, _) if !is_stepping => {
                times.extend(keys.iter().map(|secs| secs.next_down()).filter(|secs| *secs >= clip.start_secs));
            }
            (Interpolation::Linear, Values::Vec3(values)) => {
                let xs: Vec<f32> = values.iter().map(|v| v.x).collect();
                for (secs, x) in keys.windows(2).zip(xs.windows(2)) {
                    let at = |level: f32| secs[0] + (secs[1] - secs[0]) * (level - x[0]) / (x[1] - x[0]);
                    let inside = |level: f32| Some(at(level)).filter(|t| *t > secs[0] && *t < secs[1]);
                    times.extend([0.0, 1.0].into_iter().filter_map(inside));
                    if let Some(jump) = inside(0.5).filter(|_| moved.expression.is_binary) {
                        times.extend([(jump - JUMP_SECS).max(secs[0]), (jump + JUMP_SECS).min(secs[1])]);
                    }
                }
            }
            _ => {}
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    if is_curved && !is_stepping { moments(&times) } else { times }
}

/// Returns the nodes of a model that stand for expressions, and for no joint.
pub(super) fn nodes_of(model: &Model) -> BTreeSet<NodeId> {
    model.expression_nodes.iter().map(|(node, _)| *node).collect()
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::test_shapes::obstacle_course;
    use skinscope_model::{ModelParts, MorphBind};

    use super::super::{NodeMap, carry_clips};
    use super::*;
    use crate::evaluate_clip;

    /// A model with expressions of a mesh with at least two targets, and one whose nodes 1 to 3 stand for expressions with
    /// keys of their weights at 0 and 1 s.
    fn pair(weights: [[f32; 2]; 3], way: Interpolation) -> (Model, Model, usize) {
        let model = obstacle_course();
        let mut parts: ModelParts = (*model).clone();
        parts.clips.clear();
        let instance = parts.instances.iter().find(|i| i.morph_weights.len() >= 2).unwrap().clone();
        let bind = |target, weight| MorphBind { node: instance.node, target, weight };
        let expression = |name: &str, is_binary, binds: Vec<MorphBind>| Expression {
            name: name.into(),
            is_binary,
            binds,
            overrides: Vec::new(),
        };
        parts.expressions = vec![
            expression("aa", false, vec![bind(0, 1.0)]),
            expression("happy", false, vec![bind(1, 0.5), bind(0, 0.25)]),
            expression("wink", true, vec![bind(1, 1.0)]),
        ];
        let to = Model::build(parts.clone()).unwrap();
        parts.expressions.clear();
        let names = ["aa", "happy", "wink"];
        parts.expression_nodes = (1..4).map(NodeId).zip(names.map(str::to_owned)).collect();
        parts.expression_nodes.push((NodeId(4), "surprised".into()));
        let mut clip = Clip { name: "Talk".into(), end_secs: 1.0, times: vec![vec![0.0, 1.0]], ..Clip::default() };
        for (i, ends) in weights.iter().chain([&[0.0, 1.0]]).enumerate() {
            let values = Values::Vec3(ends.map(|x| Vec3::new(x, 0.0, 0.0)).to_vec().into());
            clip.samplers.push(Sampler { times: 0, interpolation: way, values });
            clip.channels.push(Channel { node: NodeId(1 + i as u32), path: Path::Translation, sampler: i });
        }
        parts.clips = vec![clip];
        (Model::build(parts).unwrap(), to, instance.morph_offset)
    }

    fn shown(from: &Model, to: &Model, offset: usize, secs: f32) -> [f32; 2] {
        let carried = carry_clips(from, to, &NodeMap::new());
        assert_eq!(carried.unmatched, ["expression surprised"]);
        assert!(carried.counterparts.is_empty(), "what stands for an expression is no joint");
        let model = to.with_clips(carried.clips).unwrap();
        let (mut local, mut world) = (LocalPose::default(), Vec::new());
        evaluate_clip(&model, &model.clips[0], secs, &mut SampleScratch::default(), &mut local, &mut world);
        [0, 1].map(|i| local.morph_weights[offset + i] - to.skeleton.rest.morph_weights[offset + i])
    }

    fn near(a: [f32; 2], b: [f32; 2]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn each_expression_adds_its_binds_and_a_binary_one_jumps() {
        let (from, to, offset) = pair([[0.0, 1.0], [0.0, 0.6], [0.0, 0.4]], Interpolation::Linear);
        assert!(near(shown(&from, &to, offset, 1.0), [1.15, 0.3]));
        assert!(near(shown(&from, &to, offset, 0.5), [0.575, 0.15]));
        let (from, to, offset) = pair([[0.0, 2.0], [0.0, 0.0], [0.0, 1.0]], Interpolation::Linear);
        // A weight is 1 at most, and the wink comes at half of its way.
        for (secs, wanted) in [(0.25, [0.5, 0.0]), (0.49, [0.98, 0.0]), (0.51, [1.0, 1.0]), (0.75, [1.0, 1.0])] {
            let got = shown(&from, &to, offset, secs);
            assert!(near(got, wanted), "{secs}: {got:?}");
        }
        let (from, to, offset) = pair([[0.2, 1.0], [0.0, 1.0], [1.0, 0.0]], Interpolation::Step);
        assert!(near(shown(&from, &to, offset, 0.9), [0.2, 1.0]) && near(shown(&from, &to, offset, 1.0), [1.25, 0.5]));
    }
}

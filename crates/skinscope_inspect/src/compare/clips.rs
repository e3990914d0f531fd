//! Compares clips by name, and by the values that they give nodes and morph targets at every key and between keys.

use super::nodes::{Nodes, same};
use super::{Pairing, by_contents};
use skinscope_anim::{SampleScratch, reset_to_rest, sample};
use skinscope_model::{Clip, LocalPose, Model};

/// The most moments at which two clips are compared.
const MOST_MOMENTS: usize = 4000;
/// Times that differ by less than this are equal, seconds.
const SAME_TIME: f32 = 1e-5;

pub(super) fn names(model: &Model) -> Vec<&str> {
    model.clips.iter().map(|clip| clip.name.as_str()).collect()
}

/// Pairs the clips of two models.
pub(super) fn pair(a: &Model, b: &Model, nodes: &Nodes) -> Pairing {
    let [own, other] = [a, b].map(names);
    let differ = |[here, there]: [usize; 2]| differs(a, b, [&a.clips[here], &b.clips[there]], nodes);
    by_contents(&own, &other, &differ)
}

/// Returns the times of all keys and the middles between them.
fn moments(clips: [&Clip; 2]) -> Vec<f32> {
    let mut times: Vec<f32> = clips.iter().flat_map(|clip| clip.times.iter().flatten().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let step = times.len().div_ceil(MOST_MOMENTS / 2).max(1);
    let mut out: Vec<f32> = times.iter().copied().step_by(step).collect();
    out.extend(times.windows(2).step_by(step).map(|w| (w[0] + w[1]) / 2.0));
    out
}

fn differs(a: &Model, b: &Model, [own, other]: [&Clip; 2], nodes: &Nodes) -> bool {
    let apart = |x: f32, y: f32| (x - y).abs() > SAME_TIME * x.abs().max(1.0);
    if apart(own.start_secs, other.start_secs) || apart(own.end_secs, other.end_secs) {
        return true;
    }
    let properties = |clip: &Clip| {
        let values = |p: &skinscope_model::PropertyChannel| {
            let sampler = &clip.samplers[p.sampler];
            format!("{:?} {:?} {:?} {:?}", p.property, sampler.interpolation, clip.times[sampler.times], sampler.values)
        };
        let mut all: Vec<String> = clip.properties.iter().map(values).collect();
        all.sort();
        all
    };
    if properties(own) != properties(other) {
        return true;
    }
    // Only nodes that one of the clips moves are compared: the rest of the others is no property of a clip.
    let moves = |clip: &Clip, node: usize| clip.channels.iter().any(|c| c.node.index() == node);
    let pairs: Vec<(usize, Option<usize>)> = (0..a.skeleton.len())
        .map(|here| (here, nodes.there[here]))
        .filter(|(here, there)| moves(own, *here) || there.is_some_and(|there| moves(other, there)))
        .collect();
    if pairs.iter().any(|(here, there)| there.is_none() && moves(own, *here)) {
        return true;
    }
    let lone = |there: usize| nodes.key[there] >= a.skeleton.len() && moves(other, there);
    if (0..b.skeleton.len()).any(lone) {
        return true;
    }
    let (mut scratch, mut here_pose, mut there_pose) =
        (SampleScratch::default(), LocalPose::default(), LocalPose::default());
    moments([own, other]).into_iter().any(|time| {
        reset_to_rest(&a.skeleton, &mut here_pose);
        sample(a, own, time, &mut scratch, &mut here_pose);
        let mut there_scratch = SampleScratch::default();
        reset_to_rest(&b.skeleton, &mut there_pose);
        sample(b, other, time, &mut there_scratch, &mut there_pose);
        let node = |(here, there): &(usize, Option<usize>)| {
            there.is_some_and(|there| !same(here_pose.transforms[*here], there_pose.transforms[there]))
        };
        let (x, y) = (&here_pose.morph_weights, &there_pose.morph_weights);
        pairs.iter().any(node) || x.len() == y.len() && x.iter().zip(y).any(|(x, y)| (x - y).abs() > 1e-5)
    })
}

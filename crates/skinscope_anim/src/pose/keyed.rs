//! Makes clips from poses at key times.

use glam::{DVec3, Quat, Vec3};
use skinscope_base::math::wide_unit;
use skinscope_model::{
    Channel, Clip, ClipSource, FarTrack, Interpolation, LocalPose, Model, NodeId, Path, Sampler, Values,
};

/// Returns a clip of this name with these poses as keys at these times (seconds, rising), and linear interpolation
/// between them: rotations along the shorter arc. Only properties that leave their rest value in some pose have a
/// channel. `None` where the times do not rise or are not finite, or where nothing leaves its rest value.
#[must_use]
pub fn keyed_clip(model: &Model, name: &str, poses: &[(f32, LocalPose)]) -> Option<Clip> {
    let mut out = without_channels(name, poses)?;
    let rest = &model.skeleton.rest;
    for i in 0..model.skeleton.len() {
        let (node, own) = (NodeId::from_index(i), rest.transforms[i]);
        let of = || poses.iter().map(|(_, pose)| pose.transforms[i]);
        let offset = poses.iter().map(|(_, pose)| pose.wide.offset(node)).find(|offset| *offset != DVec3::ZERO);
        if offset.is_some() || of().any(|now| now.translation != own.translation) {
            let offset = offset.unwrap_or_default();
            let near = |(_, pose): &(f32, LocalPose)| (pose.translation(node) - offset).as_vec3();
            push(&mut out, node, Path::Translation, Values::Vec3(poses.iter().map(near).collect()));
            if offset != DVec3::ZERO {
                let sampler = out.samplers.len() - 1;
                let base = model.skeleton.base(i) + offset;
                out.far.push(FarTrack { base, ..FarTrack::of(node, Path::Translation, sampler) });
            }
        }
        if of().any(|now| now.rotation != own.rotation) {
            let unit = |q: Quat| wide_unit(q).as_quat();
            push(&mut out, node, Path::Rotation, Values::Quat(of().map(|now| unit(now.rotation)).collect()));
        }
        if of().any(|now| now.scale != own.scale) {
            push(&mut out, node, Path::Scale, Values::Vec3(of().map(|now| now.scale).collect::<Vec<Vec3>>().into()));
        }
    }
    let mut before = None;
    for instance in &model.instances {
        // A channel of weights moves the first mesh of a node.
        let is_first = before.replace(instance.node) != Some(instance.node);
        let range = instance.morph_offset..instance.morph_offset + instance.morph_weights.len();
        let of = || poses.iter().map(|(_, pose)| &pose.morph_weights[range.clone()]);
        if is_first && !range.is_empty() && of().any(|now| *now != rest.morph_weights[range.clone()]) {
            let values = of().flatten().copied().collect();
            push(&mut out, instance.node, Path::Weights, Values::Weights { count: range.len(), values });
        }
    }
    (!out.channels.is_empty()).then_some(out)
}

/// Returns a clip of this name that shows the rest pose at the times of these poses: one node, a joint where there is
/// one, has a channel with its rotation at rest. `None` where the times do not rise or are not finite, or where the
/// model has no node.
#[must_use]
pub fn resting_clip(model: &Model, name: &str, poses: &[(f32, LocalPose)]) -> Option<Clip> {
    let mut out = without_channels(name, poses)?;
    let all = || (0..model.skeleton.len()).map(NodeId::from_index);
    let node = all().find(|node| model.is_joint(*node)).or(all().next())?;
    let rotation = wide_unit(model.skeleton.rest.transforms[node.index()].rotation).as_quat();
    push(&mut out, node, Path::Rotation, Values::Quat(poses.iter().map(|_| rotation).collect()));
    Some(out)
}

fn push(clip: &mut Clip, node: NodeId, path: Path, values: Values) {
    clip.samplers.push(Sampler { times: 0, interpolation: Interpolation::Linear, values });
    clip.channels.push(Channel { node, path, sampler: clip.samplers.len() - 1 });
}

/// Returns a clip with the moments of these poses, and nothing that it moves.
fn without_channels(name: &str, poses: &[(f32, LocalPose)]) -> Option<Clip> {
    let times: Vec<f32> = poses.iter().map(|(secs, _)| *secs).collect();
    let rising = times.iter().all(|secs| secs.is_finite() && *secs >= 0.0) && times.is_sorted_by(|a, b| a < b);
    if times.is_empty() || !rising {
        return None;
    }
    let (start_secs, end_secs) = (*times.first()?, *times.last()?);
    let source = ClipSource::Keyed;
    Some(Clip { name: name.to_owned(), source, times: vec![times], start_secs, end_secs, ..Clip::default() })
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::obstacle_course;

    use super::*;
    use crate::{SampleScratch, sample};

    #[test]
    fn the_clip_shows_each_pose_at_its_moment_and_turns_between_them() {
        let model = obstacle_course();
        let rest = model.skeleton.rest.clone();
        let mut bent = rest.clone();
        bent.transforms[3].rotation = (Quat::from_rotation_x(1.0) * rest.transforms[3].rotation).normalize();
        bent.transforms[4].translation += Vec3::X;
        bent.transforms[5].scale *= 2.0;
        bent.morph_weights[0] = 0.75;
        let clip = keyed_clip(&model, "Bow", &[(0.0, rest.clone()), (0.5, bent.clone()), (2.0, rest.clone())]).unwrap();
        assert_eq!(clip.channels.len(), 4);
        let model = model.with_clips(vec![clip]).unwrap();
        let clip = model.clips.last().unwrap();
        let at = |secs: f32| {
            let mut pose = rest.clone();
            sample(&model, clip, secs, &mut SampleScratch::default(), &mut pose);
            pose
        };
        assert_eq!((at(0.0), at(0.5), at(2.0)), (rest.clone(), bent.clone(), rest.clone()));
        // What is mixed number by number is off by 0.2°, which is 1.6e-6 here.
        let want = (Quat::from_rotation_x(0.3) * rest.transforms[3].rotation).as_dquat().normalize();
        let part = at(0.15).transforms[3].rotation.as_dquat().normalize().dot(want).abs();
        assert!(part > 1.0 - 5e-7, "{part}");
        assert!((at(0.95).morph_weights[0] - (0.7 * 0.75 + 0.3 * rest.morph_weights[0])).abs() < 1e-6);
        // Moments that do not rise make no clip, and neither does the rest pose alone.
        assert!(keyed_clip(&model, "x", &[(1.0, rest.clone()), (1.0, bent)]).is_none());
        assert!(keyed_clip(&model, "x", &[(0.0, rest)]).is_none());
    }
}

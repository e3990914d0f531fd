//! The values of one node over time, for drawing them as curves.

use glam::DVec3;
use skinscope_base::math::{Transform, euler_xyz_degrees};
use skinscope_model::{Clip, LocalPose, Model, NodeId, Path};

use super::{SampleScratch, key_times, reset_to_rest, sample};

/// The local transforms of a node over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeCurve {
    /// The times in seconds, rising: evenly spaced ones, and those of all keys of the node.
    pub times: Vec<f32>,
    /// The local transform (`parent_from_node`) at each time.
    pub values: Vec<Transform>,
}

impl NodeCurve {
    /// Samples a clip at about `count` evenly spaced times and at all keys that move the node. Where there are very
    /// many keys, it samples only `count` times.
    #[must_use]
    pub fn of(model: &Model, clip: &Clip, node: NodeId, count: usize) -> Self {
        let length = clip.duration_secs().max(0.0);
        let steps = count.max(2) - 1;
        let mut times: Vec<f32> = (0..=steps).map(|i| length * i as f32 / steps as f32).collect();
        let keys = key_times(clip, node);
        if keys.len() <= 16 * count {
            times.extend(keys.into_iter().filter(|secs| (0.0..=length).contains(secs)));
        }
        times.sort_by(f32::total_cmp);
        times.dedup();
        let (mut pose, mut scratch) = (LocalPose::default(), SampleScratch::default());
        let mut values = Vec::with_capacity(times.len());
        // What leads far away is drawn from where the clip begins, as it moves in the picture.
        let far = clip.far.iter().find(|track| track.node == node && track.path == Path::Translation);
        let offset = far.map_or(DVec3::ZERO, |track| track.offset);
        for secs in &times {
            reset_to_rest(&model.skeleton, &mut pose);
            sample(model, clip, *secs, &mut scratch, &mut pose);
            let translation = (pose.translation(node) - offset).as_vec3();
            values.push(Transform { translation, ..pose.transforms[node.index()] });
        }
        Self { times, values }
    }

    /// Returns the rotations as angles X, Y, Z in degrees, with the same order of rotations as the sliders
    /// ([`skinscope_model::Limits`]). Angles go on beyond ±180° where they would otherwise jump by a whole turn.
    #[must_use]
    pub fn euler(&self) -> Vec<[f32; 3]> {
        let mut out: Vec<[f32; 3]> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let mut angles = euler_xyz_degrees(value.rotation).to_array();
            if let Some(before) = out.last() {
                for (angle, before) in angles.iter_mut().zip(before) {
                    *angle += ((before - *angle) / 360.0).round() * 360.0;
                }
            }
            out.push(angles);
        }
        out
    }

    /// Returns the rotations as quaternions X, Y, Z, W. A rotation has two, of which it takes the one that is nearer to
    /// that of the time before.
    #[must_use]
    pub fn quaternions(&self) -> Vec<[f32; 4]> {
        let mut out: Vec<[f32; 4]> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let now = value.rotation.to_array();
            let opposite =
                out.last().is_some_and(|before| before.iter().zip(now).map(|(a, b)| a * b).sum::<f32>() < 0.0);
            out.push(if opposite { now.map(|v| -v) } else { now });
        }
        out
    }
}

/// Returns the key times of one property of a node, seconds, rising; empty where the clip does not animate it.
#[must_use]
pub fn keys_of(clip: &Clip, node: NodeId, path: Path) -> Vec<f32> {
    let of = clip.channels.iter().filter(|c| c.node == node && c.path == path);
    let mut times: Vec<f32> = of.flat_map(|c| &clip.times[clip.samplers[c.sampler].times]).copied().collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Keys, Values};

    use super::*;

    #[test]
    fn curves_go_through_all_keys_and_do_not_jump() {
        let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
        let turns = [0.0_f32, 170.0, 340.0].map(|degrees| Quat::from_rotation_x(degrees.to_radians()));
        // The other quaternion of the same rotation is no jump.
        let keys: Keys<Quat> = vec![turns[0], -turns[1], turns[2]].into();
        parts.clips[0].samplers[0].values = Values::Quat(keys);
        let model = Model::build(parts).unwrap();
        let clip = &model.clips[0];
        let node = clip.channels[0].node;
        let curve = NodeCurve::of(&model, clip, node, 40);
        for key in keys_of(clip, node, Path::Rotation) {
            assert!(curve.times.contains(&key));
        }
        assert!(keys_of(clip, node, Path::Scale).is_empty());
        let angles = curve.euler();
        let last = angles.last().unwrap()[0];
        assert!((last - 340.0).abs() < 0.1, "{last}");
        let jump = |list: &[[f32; 3]]| list.windows(2).map(|w| (w[1][0] - w[0][0]).abs()).fold(0.0, f32::max);
        assert!(jump(&angles) < 15.0, "{}", jump(&angles));
        let quaternions = curve.quaternions();
        let steps = quaternions.windows(2).map(|w| (w[1][0] - w[0][0]).abs() + (w[1][3] - w[0][3]).abs());
        assert!(steps.fold(0.0, f32::max) < 0.2);
    }
}

//! The memory layout of a clip for sampling: channels of one kind with the same key times are grouped, and their keys
//! share rows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::keys::{KeyValue, Keys, Rows};
use super::{Clip, Instance, InstanceId, Interpolation, NodeId, Path, Values};

/// The channels of a clip in the order in which sampling reads them: every channel once, in groups.
/// [`super::Model::build`] makes it from the clip's channels and samplers. Where several channels animate the same
/// property, the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Tracks {
    /// The groups of translations, rotations and scales.
    pub groups: Vec<Group>,
    /// Channels whose sampler another channel uses too: first the property that is sampled, then the property that gets
    /// a copy of its value.
    pub copies: Vec<[(NodeId, Path); 2]>,
    /// The samplers of morph weights (index into [`Clip::samplers`]), each with the first instance at the channel's
    /// node.
    pub weights: Vec<(usize, InstanceId)>,
}

/// Channels with one path, one interpolation and one list of key times. A clip may have several groups with the same
/// three.
#[derive(Clone, Debug)]
pub struct Group {
    /// Index into [`Clip::times`].
    pub times: usize,
    /// The interpolation between keys.
    pub interpolation: Interpolation,
    /// The property that the channels animate; never weights.
    pub path: Path,
    /// The node of each lane; a lane is the column of one channel in the rows.
    pub nodes: Vec<NodeId>,
    rows: Arc<Rows>,
}

impl Group {
    /// Returns the values of all lanes at one entry (a key, or with splines one of the three values of a key). Vectors
    /// follow each other, x, y, z each. Quaternions are in blocks of four lanes: first their four x, then y, z and w;
    /// the lanes that fill no block follow, x, y, z, w each.
    #[inline]
    #[must_use]
    pub fn row(&self, entry: usize) -> &[f32] {
        self.rows.row(entry)
    }
}

/// The key by which channels are grouped: the key times, the interpolation, the path.
type Kind = (usize, u8, Path);

/// The most lanes of a group, in whole blocks: enough that memory is read in long runs, and few enough that the copy of
/// the keys that exists while they are moved into rows stays small.
const LANES: usize = 128;

/// The samplers of a group, each with the node that it moves.
type Lanes = Vec<(usize, NodeId)>;

impl Tracks {
    /// Moves the keys of `clip` into shared rows and says how to read them.
    pub(super) fn lay_out(clip: &mut Clip, instances: &[Instance]) {
        share_times(clip);
        let mut out = Self::default();
        let mut kinds: HashMap<Kind, usize> = HashMap::new();
        let mut groups: Vec<(Kind, Lanes)> = Vec::new();
        let mut readers: HashMap<usize, (NodeId, Path)> = HashMap::new();
        let mut moved: HashSet<(NodeId, Path)> = HashSet::new();
        let last_first = clip.channels.iter().rev().filter(|c| moved.insert((c.node, c.path)));
        let channels: Vec<_> = last_first.copied().collect();
        for channel in channels.into_iter().rev() {
            let target = (channel.node, channel.path);
            if channel.path == Path::Weights {
                let first = instances.partition_point(|i| i.node < channel.node);
                out.weights.push((channel.sampler, InstanceId::from_index(first)));
                continue;
            }
            if let Some(reader) = readers.get(&channel.sampler) {
                out.copies.push([*reader, target]);
                continue;
            }
            readers.insert(channel.sampler, target);
            let sampler = &clip.samplers[channel.sampler];
            let kind = (sampler.times, sampler.interpolation as u8, channel.path);
            let open = kinds.get(&kind).copied().filter(|g| groups[*g].1.len() < LANES);
            let group = open.unwrap_or(groups.len());
            if open.is_none() {
                groups.push((kind, Vec::new()));
                kinds.insert(kind, group);
            }
            groups[group].1.push((channel.sampler, channel.node));
        }
        let mut slots: Vec<Option<&mut Values>> = Vec::new();
        let interpolations: Vec<Interpolation> = clip.samplers.iter().map(|s| s.interpolation).collect();
        slots.extend(clip.samplers.iter_mut().map(|s| Some(&mut s.values)));
        for ((times, _, path), lanes) in groups {
            let interpolation = interpolations[lanes[0].0];
            // A sampler is in one group only.
            let values = lanes.iter().filter_map(|(sampler, _)| slots[*sampler].take());
            let rows = if path == Path::Rotation {
                share(values.filter_map(Values::as_quats), true)
            } else {
                share(values.filter_map(Values::as_vectors), false)
            };
            let nodes = lanes.iter().map(|(_, node)| *node).collect();
            out.groups.push(Group { times, interpolation, path, nodes, rows });
        }
        clip.tracks = out;
    }
}

/// Keeps equal lists of key times once: many files have one for each channel.
fn share_times(clip: &mut Clip) {
    let mut known: HashMap<&[u32], usize> = HashMap::new();
    let mut firsts: Vec<usize> = Vec::new();
    let mut kept: Vec<bool> = Vec::new();
    for times in &clip.times {
        let index = known.len();
        firsts.push(*known.entry(bytemuck::cast_slice(times)).or_insert(index));
        kept.push(known.len() > index);
    }
    clip.samplers.iter_mut().for_each(|s| s.times = firsts[s.times]);
    let mut kept = kept.into_iter();
    clip.times.retain(|_| kept.next().unwrap_or_default());
}

fn share<'a, T: KeyValue>(samplers: impl Iterator<Item = &'a mut Keys<T>>, blocks: bool) -> Arc<Rows> {
    Rows::share(&mut samplers.collect::<Vec<_>>(), blocks)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use crate::test_shapes::obstacle_course;
    use crate::{Channel, Interpolation, Model, ModelParts, NodeId, Path, Sampler, Values};

    /// Makes the obstacle course with seven rotations and three translations, no two keys alike, on two lists of key
    /// times.
    fn many() -> ModelParts {
        let mut parts = (*obstacle_course()).clone();
        let clip = &mut parts.clips[0];
        clip.times = vec![vec![0.0, 1.0, 2.0], vec![0.5, 1.5, 2.5]];
        (clip.channels, clip.samplers) = (Vec::new(), Vec::new());
        for lane in 0..10 {
            let number = |key: usize| (lane * 3 + key) as f32;
            let quat = |key| Quat::from_xyzw(number(key), number(key) + 0.25, number(key) + 0.5, number(key) + 0.75);
            let vector = |key| Vec3::new(number(key), number(key) + 0.25, number(key) + 0.5);
            let (path, values) = if lane < 7 {
                (Path::Rotation, Values::Quat((0..3).map(quat).collect()))
            } else {
                (Path::Translation, Values::Vec3((0..3).map(vector).collect()))
            };
            clip.channels.push(Channel { node: NodeId(lane as u32), path, sampler: lane });
            let times = usize::from(lane == 2);
            clip.samplers.push(Sampler { times, interpolation: Interpolation::Linear, values });
        }
        parts
    }

    #[test]
    fn keys_read_alike_before_and_after_they_are_laid_out_and_laid_out_again() {
        let parts = many();
        let once = Model::build(parts.clone()).unwrap();
        let twice = Model::build((*once).clone()).unwrap();
        for model in [&once, &twice] {
            for (sampler, want) in model.clips[0].samplers.iter().zip(&parts.clips[0].samplers) {
                assert_eq!(sampler.values, want.values);
            }
        }
        let Values::Quat(third) = &once.clips[0].samplers[3].values else { panic!("no rotations") };
        assert_eq!((third.len(), third.get(1)), (3, Quat::from_xyzw(10.0, 10.25, 10.5, 10.75)));
    }

    #[test]
    fn equal_lists_of_key_times_are_one() {
        let mut parts = many();
        let clip = &mut parts.clips[0];
        clip.times =
            vec![vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.5], vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.5], vec![7.0]];
        for (i, sampler) in clip.samplers.iter_mut().enumerate() {
            sampler.times = i % 4;
        }
        let model = Model::build(parts).unwrap();
        let clip = &model.clips[0];
        assert_eq!(clip.times, [vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.5], vec![7.0]]);
        assert!(clip.samplers.iter().enumerate().all(|(i, s)| s.times == i % 2));
        assert_eq!(clip.tracks.groups.len(), 4);
    }

    #[test]
    fn rows_hold_four_rotations_transposed_and_what_is_left_in_order() {
        let model = Model::build(many()).unwrap();
        let groups = &model.clips[0].tracks.groups;
        let nodes = |i: usize| groups[i].nodes.iter().map(|n| n.0).collect::<Vec<_>>();
        assert_eq!([nodes(0), nodes(1), nodes(2)], [vec![0, 1, 3, 4, 5, 6], vec![2], vec![7, 8, 9]]);
        let row = groups[0].row(1);
        assert_eq!(row[..8], [1.0, 4.0, 10.0, 13.0, 1.25, 4.25, 10.25, 13.25]);
        assert_eq!(row[16..], [16.0, 16.25, 16.5, 16.75, 19.0, 19.25, 19.5, 19.75]);
        assert_eq!(groups[1].row(2), [8.0, 8.25, 8.5, 8.75]);
        assert_eq!(groups[2].row(0), [21.0, 21.25, 21.5, 24.0, 24.25, 24.5, 27.0, 27.25, 27.5]);
    }

    #[test]
    fn shared_samplers_are_read_once_and_the_last_of_two_channels_counts() {
        let mut parts = many();
        let rotation = |node, sampler| Channel { node: NodeId(node), path: Path::Rotation, sampler };
        parts.clips[0].channels = vec![rotation(0, 0), rotation(1, 0), rotation(0, 1), rotation(4, 4), rotation(5, 4)];
        let model = Model::build(parts).unwrap();
        let tracks = &model.clips[0].tracks;
        assert_eq!(tracks.groups.len(), 1);
        assert_eq!(tracks.groups[0].nodes, [NodeId(1), NodeId(0), NodeId(4)]);
        assert_eq!(tracks.copies, [[(NodeId(4), Path::Rotation), (NodeId(5), Path::Rotation)]]);
        assert_eq!(tracks.groups[0].row(0)[..4], [0.0, 0.25, 0.5, 0.75]);
    }
}

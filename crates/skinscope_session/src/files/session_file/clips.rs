//! Added clips as session files hold them, by value.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DVec3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use skinscope_model::{Channel, Clip, ClipSource, FarTrack, Interpolation, NodeId, Path, Sampler, Values};

/// A clip. Lists of numbers are little-endian f32 in base64. Only channels that move nodes are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ClipRecord {
    pub name: String,
    /// Whether it was made of poses at moments, in place of taken from another file.
    pub keyed: bool,
    /// Lists of moments, seconds.
    pub times: Vec<String>,
    pub channels: Vec<ChannelRecord>,
}

/// What moves one property of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ChannelRecord {
    pub node: String,
    /// As in glTF: `translation`, `rotation`, `scale`, `weights`.
    pub path: String,
    /// As in glTF: `STEP`, `LINEAR`, `CUBICSPLINE`.
    pub interpolation: String,
    /// The index of its list in `times`.
    pub times: usize,
    /// How many numbers a key has, of weights alone.
    #[serde(skip_serializing_if = "is_zero")]
    pub targets: usize,
    /// What to add to the keys of a translation for those of the file, where they lead far away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<[f64; 3]>,
    pub values: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

const PATHS: [(Path, &str); 4] = [
    (Path::Translation, "translation"),
    (Path::Rotation, "rotation"),
    (Path::Scale, "scale"),
    (Path::Weights, "weights"),
];

const WAYS: [(Interpolation, &str); 3] =
    [(Interpolation::Step, "STEP"), (Interpolation::Linear, "LINEAR"), (Interpolation::CubicSpline, "CUBICSPLINE")];

impl ClipRecord {
    /// Makes the record of a clip; `key` names its nodes.
    pub fn of(clip: &Clip, key: &dyn Fn(&NodeId) -> String) -> Self {
        let far = |channel: &Channel| {
            let is_it = |track: &&FarTrack| (track.node, track.path) == (channel.node, channel.path);
            clip.far.iter().find(is_it).filter(|track| track.path == Path::Translation)
        };
        let channel = |channel: &Channel| {
            let sampler = &clip.samplers[channel.sampler];
            let word =
                |all: &[(Path, &'static str)]| all.iter().find(|(path, _)| *path == channel.path).map_or("", |p| p.1);
            let way = WAYS.iter().find(|(way, _)| *way == sampler.interpolation).map_or("", |way| way.1);
            let (targets, values) = match &sampler.values {
                Values::Vec3(keys) => (0, encode(keys.iter().flat_map(|v: Vec3| v.to_array()))),
                Values::Quat(keys) => (0, encode(keys.iter().flat_map(|q: Quat| q.to_array()))),
                Values::Weights { count, values } => (*count, encode(values.iter().copied())),
            };
            ChannelRecord {
                node: key(&channel.node),
                path: word(&PATHS).to_owned(),
                interpolation: way.to_owned(),
                times: sampler.times,
                targets,
                base: far(channel).map(|track| track.base.to_array()),
                values,
            }
        };
        Self {
            name: clip.name.clone(),
            keyed: clip.source == ClipSource::Keyed,
            times: clip.times.iter().map(|times| encode(times.iter().copied())).collect(),
            channels: clip.channels.iter().map(channel).collect(),
        }
    }

    /// Returns the clip for a model in which `find` finds nodes, without what moves none of them; `None` where the record is broken or
    /// nothing is left.
    pub fn clip(&self, find: &mut dyn FnMut(&str) -> Option<NodeId>) -> Option<Clip> {
        let times: Vec<Vec<f32>> = self.times.iter().map(|text| decode(text)).collect::<Option<_>>()?;
        let all = || times.iter().flatten().copied();
        let (start_secs, end_secs) = (all().fold(f32::INFINITY, f32::min), all().fold(0.0, f32::max));
        let source = if self.keyed { ClipSource::Keyed } else { ClipSource::Taken };
        let mut out = Clip { name: self.name.clone(), source, start_secs, end_secs, ..Clip::default() };
        for record in &self.channels {
            let path = PATHS.iter().find(|(_, word)| *word == record.path)?.0;
            let interpolation = WAYS.iter().find(|(_, word)| *word == record.interpolation)?.0;
            let numbers = decode(&record.values)?;
            let values = match path {
                Path::Rotation => Values::Quat(rows(&numbers)?.iter().map(|q| Quat::from_array(*q)).collect()),
                Path::Weights => Values::Weights { count: record.targets, values: numbers },
                Path::Translation | Path::Scale => {
                    Values::Vec3(rows(&numbers)?.iter().map(|v| Vec3::from_array(*v)).collect())
                }
            };
            if let Some(node) = find(&record.node) {
                out.samplers.push(Sampler { times: record.times, interpolation, values });
                let sampler = out.samplers.len() - 1;
                out.channels.push(Channel { node, path, sampler });
                let base = record.base.map(DVec3::from_array).filter(|base| base.is_finite());
                out.far.extend(base.map(|base| FarTrack { base, ..FarTrack::of(node, path, sampler) }));
            }
        }
        out.times = times;
        (!out.channels.is_empty() && !out.name.is_empty()).then_some(out)
    }
}

fn encode(numbers: impl Iterator<Item = f32>) -> String {
    STANDARD.encode(numbers.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

fn decode(text: &str) -> Option<Vec<f32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (numbers, rest) = bytes.as_chunks();
    rest.is_empty().then(|| numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

fn rows<const N: usize>(numbers: &[f32]) -> Option<&[[f32; N]]> {
    let (rows, rest) = numbers.as_chunks();
    rest.is_empty().then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_far_away_comes_back_with_all_digits_and_older_records_are_read() {
        let keys = Values::Vec3(vec![Vec3::ZERO, Vec3::X].into());
        let far =
            FarTrack { base: DVec3::new(12_958_095.37, 0.0, 0.25), ..FarTrack::of(NodeId(3), Path::Translation, 0) };
        let clip = Clip {
            name: "Far".into(),
            source: ClipSource::Keyed,
            channels: vec![Channel { node: NodeId(3), path: Path::Translation, sampler: 0 }],
            samplers: vec![Sampler { times: 0, interpolation: Interpolation::Linear, values: keys }],
            times: vec![vec![0.0, 1.0]],
            end_secs: 1.0,
            far: vec![far],
            ..Clip::default()
        };
        let record = ClipRecord::of(&clip, &|_| "Root".into());
        let text = serde_json::to_string(&record).unwrap();
        let read =
            |text: &str| serde_json::from_str::<ClipRecord>(text).unwrap().clip(&mut |_| Some(NodeId(3))).unwrap();
        let again = read(&text);
        assert!(again.is_same(&clip));
        assert_eq!(again.far, clip.far);
        let mut older: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(older["channels"][0].as_object_mut().unwrap().remove("base").is_some());
        let older = read(&older.to_string());
        assert!(older.far.is_empty() && !older.is_same(&clip));
    }
}

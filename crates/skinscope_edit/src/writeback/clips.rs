//! Appends clips to a file: their keys as new accessors, and an animation for each after those of the file.

use std::collections::BTreeMap;

use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};
use skinscope_base::math::length;
use skinscope_model::{Clip, ComponentType, Interpolation, NodeId, Path, Sampler, Skeleton, Values};

use super::WriteError;
use super::draft::{Draft, component, number};

/// Keys that floats round by more than this, metres, are reported.
const TOLD: f64 = 5e-5;

/// Appends clips, and returns sentences about those whose keys floats are too coarse for. Channels of anything but nodes are left out.
pub(super) fn append(draft: &mut Draft<'_>, clips: &[&Clip]) -> Result<Vec<String>, WriteError> {
    let mut coarse_keys = Vec::new();
    for clip in clips {
        coarse_keys.extend(coarse(&draft.model.skeleton, clip));
        let mut inputs: BTreeMap<usize, usize> = BTreeMap::new();
        let mut samplers: BTreeMap<(usize, Option<NodeId>), usize> = BTreeMap::new();
        let (mut written, mut channels) = (Vec::new(), Vec::new());
        for channel in &clip.channels {
            let sampler = &clip.samplers[channel.sampler];
            // Translations of a node whose origin was subtracted are not those of others with the same keys.
            let base = clip.base_of(&draft.model.skeleton, channel);
            let own = Some(channel.node).filter(|_| base != DVec3::ZERO);
            let sampler_index = match samplers.get(&(channel.sampler, own)) {
                Some(sampler_index) => *sampler_index,
                None => {
                    let input = match inputs.get(&sampler.times) {
                        Some(input) => *input,
                        None => add_times(draft, &clip.times[sampler.times])?,
                    };
                    inputs.insert(sampler.times, input);
                    let output = match own {
                        None => add_values(draft, sampler)?,
                        Some(_) => {
                            let mut shifted = sampler.clone();
                            shifted.shift_keys(base);
                            add_values(draft, &shifted)?
                        }
                    };
                    written.push(json!({
                        "input": input, "interpolation": interpolation(sampler.interpolation), "output": output,
                    }));
                    samplers.insert((channel.sampler, own), written.len() - 1);
                    written.len() - 1
                }
            };
            let node = draft.model.skeleton.file_index[channel.node.index()];
            channels.push(json!({ "sampler": sampler_index, "target": { "node": node, "path": path(channel.path) } }));
        }
        draft.push("animations", &json!({ "name": clip.name, "channels": channels, "samplers": written }))?;
    }
    Ok(coarse_keys)
}

/// Says by how much floats round the translations of a clip that stands far away; `None`: by nothing that can be seen.
fn coarse(skeleton: &Skeleton, clip: &Clip) -> Option<String> {
    let (mut rounded, mut most) = (0.0_f64, 0.0_f64);
    for channel in &clip.channels {
        let base = clip.base_of(skeleton, channel);
        let Values::Vec3(keys) = &clip.samplers[channel.sampler].values else { continue };
        let scale = skeleton.scale_above(channel.node);
        for stored in keys.iter().map(|key| key.as_dvec3() + base).filter(|_| base != DVec3::ZERO) {
            rounded = rounded.max((stored - stored.as_vec3().as_dvec3()).abs().max_element() * scale);
            most = most.max(stored.abs().max_element() * scale);
        }
    }
    let (rounded, most) = (rounded > TOLD).then(|| (length(rounded), length(most)))?;
    Some(format!(
        "the clip \"{}\" leads {most} from the origin of its file, where keys, which are floats, are rounded by up to {rounded}",
        clip.name
    ))
}

pub(super) fn add_times(draft: &mut Draft<'_>, times: &[f32]) -> Result<usize, WriteError> {
    let bound = |secs: Option<&f32>| number(f64::from(secs.copied().unwrap_or_default()));
    let (first, last) = (bound(times.first()), bound(times.last()));
    add(draft, times, "SCALAR", 1, Some([first, last]))
}

pub(super) fn add_values(draft: &mut Draft<'_>, sampler: &Sampler) -> Result<usize, WriteError> {
    match &sampler.values {
        Values::Vec3(keys) => {
            add(draft, &keys.iter().flat_map(|v: Vec3| v.to_array()).collect::<Vec<_>>(), "VEC3", 3, None)
        }
        Values::Quat(keys) => {
            add(draft, &keys.iter().flat_map(|q: Quat| q.to_array()).collect::<Vec<_>>(), "VEC4", 4, None)
        }
        Values::Weights { values, .. } => add_numbers(draft, values),
    }
}

/// Adds an accessor of plain numbers.
pub(super) fn add_numbers(draft: &mut Draft<'_>, numbers: &[f32]) -> Result<usize, WriteError> {
    add(draft, numbers, "SCALAR", 1, None)
}

fn add(
    draft: &mut Draft<'_>,
    numbers: &[f32],
    kind: &str,
    width: usize,
    bounds: Option<[Value; 2]>,
) -> Result<usize, WriteError> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let view = draft.add_view(&bytes, None, None)?;
    let mut accessor = json!({
        "bufferView": view, "componentType": component(ComponentType::F32), "count": numbers.len() / width, "type": kind,
    });
    // Key times must have bounds.
    if let Some([least, most]) = bounds {
        accessor["min"] = json!([least]);
        accessor["max"] = json!([most]);
    }
    draft.add_plain_accessor(&accessor)
}

pub(super) fn interpolation(interpolation: Interpolation) -> &'static str {
    match interpolation {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::CubicSpline => "CUBICSPLINE",
    }
}

pub(super) fn path(path: Path) -> &'static str {
    match path {
        Path::Translation => "translation",
        Path::Rotation => "rotation",
        Path::Scale => "scale",
        Path::Weights => "weights",
    }
}

//! Appends the bone links that a joint gained: their numbers in skins, their keys in the animations of the file, and what drives them.
//! Their nodes are appended with all others.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use skinscope_model::{Clip, Link, Model, NodeId};

use super::WriteError;
use super::clips::{add_times, add_values, interpolation, path};
use super::draft::Draft;
use super::json::PathStep;

/// Returns the extras of the node of a link, which say what drives it: no runtime needs them, since clips have keys for the link.
pub(super) fn extras(model: &Model, link: &Link) -> Value {
    let drive = link.drive;
    let mut stated = json!({
        "of": model.skeleton.names[link.of.index()],
        "share": drive.share,
        "along": drive.along,
        "from": drive.from.to_array(),
    });
    if let Some(axis) = drive.axis {
        stated["axis"] = json!(axis.to_array());
    }
    json!({ "skinscope": { "link": stated } })
}

/// Appends what skins and animations of the file gain with new links.
pub(super) fn append(draft: &mut Draft<'_>) -> Result<(), WriteError> {
    let model = draft.model;
    let new: BTreeSet<NodeId> = model.new_links().map(|link| link.node).collect();
    for (index, skin) in model.stored_skins().iter().enumerate().take(draft.origins.skins.len()) {
        for joint in skin.joints.iter().filter(|joint| new.contains(*joint)) {
            let node = model.skeleton.file_index[joint.index()];
            let joints = [PathStep::Key("skins"), PathStep::At(index), PathStep::Key("joints")];
            draft.push_at(&joints, node.to_string())?;
        }
    }
    for (index, clip) in model.clips.iter().enumerate().filter(|(_, clip)| !clip.is_added()) {
        append_keys(draft, index, clip, &new)?;
    }
    Ok(())
}

/// Appends the channels of an animation of the file that move new links.
fn append_keys(draft: &mut Draft<'_>, index: usize, clip: &Clip, new: &BTreeSet<NodeId>) -> Result<(), WriteError> {
    let list = |name: &'static str| [PathStep::Key("animations"), PathStep::At(index), PathStep::Key(name)];
    let count = draft.root["animations"][index]["samplers"].as_array().map_or(0, Vec::len);
    let mut inputs: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, channel) in (count..).zip(clip.channels.iter().filter(|channel| new.contains(&channel.node))) {
        let sampler = &clip.samplers[channel.sampler];
        let input = match inputs.get(&sampler.times) {
            Some(input) => *input,
            None => add_times(draft, &clip.times[sampler.times])?,
        };
        inputs.insert(sampler.times, input);
        let output = add_values(draft, sampler)?;
        let item = json!({ "input": input, "interpolation": interpolation(sampler.interpolation), "output": output });
        draft.push_at(&list("samplers"), item.to_string())?;
        let node = draft.model.skeleton.file_index[channel.node.index()];
        let item = json!({ "sampler": number, "target": { "node": node, "path": path(channel.path) } });
        draft.push_at(&list("channels"), item.to_string())?;
    }
    Ok(())
}

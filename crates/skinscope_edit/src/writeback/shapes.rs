//! Gives a mesh of a file other morph targets: the offsets of new ones and the keys of all weights as new accessors, and what drives them in the
//! extras. What the file has of the mesh stays as it is, but for lists that have one item for each target.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use serde_json::{Value, json};
use skinscope_model::ComponentType;

use super::WriteError;
use super::clips::{add_numbers, add_times, interpolation};
use super::draft::{Draft, component, number};
use super::json::{PathStep, whole};
use super::layers::{keep, remove};
use crate::{AddedShapes, ShapeKeys};

/// The member of `extras.skinscope` that says what drives shapes.
const SHAPES: &str = "shapes";
/// The `target` of views that hold vertex attributes.
const ARRAY_BUFFER: u64 = 34962;
/// The channels that name their target by a pointer.
const POINTER: &str = "KHR_animation_pointer";

/// Writes the targets of all meshes that have others, and what drives the shapes of the model.
pub(super) fn write(draft: &mut Draft<'_>, all: &[AddedShapes]) -> Result<(), WriteError> {
    if all.is_empty() {
        return Ok(());
    }
    // How many samplers an animation has by now.
    let mut samplers = BTreeMap::new();
    all.iter().try_for_each(|shapes| write_mesh(draft, shapes, &mut samplers))?;
    let is_bare = |shapes: &&AddedShapes| shapes.names.is_empty() && !shapes.removed.is_empty();
    let bare: Vec<usize> = all.iter().filter(is_bare).flat_map(|shapes| nodes_of(draft, shapes.mesh)).collect();
    // After all else, since the numbers of channels are others from then on.
    remove_channels(draft, &bare)?;
    let model = draft.model;
    match &model.source.kept_shapes {
        Some(drivers) => keep(draft, SHAPES, drivers),
        None if draft.root["extras"]["skinscope"][SHAPES].is_null() => Ok(()),
        None => remove(draft, SHAPES),
    }
}

fn write_mesh(
    draft: &mut Draft<'_>,
    shapes: &AddedShapes,
    samplers: &mut BTreeMap<usize, usize>,
) -> Result<(), WriteError> {
    let new = shapes.new_targets();
    let path = [PathStep::Key("meshes"), PathStep::At(shapes.mesh)];
    let nodes = nodes_of(draft, shapes.mesh);
    if new > 0 || !shapes.removed.is_empty() {
        if is_pointed_at(&draft.root, shapes.mesh, &nodes) {
            let reason = "a clip names its weights by a pointer";
            return Err(WriteError::Shapes { mesh: shapes.mesh, reason });
        }
        for primitive in 0..draft.model.meshes[shapes.mesh].primitives.len() {
            let of = [path[0], path[1], PathStep::Key("primitives"), PathStep::At(primitive)];
            narrow(draft, &of, "targets", shapes)?;
        }
        narrow(draft, &path, "weights", shapes)?;
        for node in &nodes {
            narrow(draft, &[PathStep::Key("nodes"), PathStep::At(*node)], "weights", shapes)?;
        }
    }
    if new > 0 {
        add_targets(draft, shapes)?;
        widen(draft, &path, new)?;
        for node in &nodes {
            widen(draft, &[PathStep::Key("nodes"), PathStep::At(*node)], new)?;
        }
    }
    set_names(draft, shapes, new)?;
    write_keys(draft, &shapes.keys, samplers)?;
    draft.changes.shapes += new + shapes.removed.len() + shapes.renamed;
    Ok(())
}

/// Takes the items of targets that go out of a list, or the list where nothing is left of it.
fn narrow(draft: &mut Draft<'_>, path: &[PathStep], list: &str, shapes: &AddedShapes) -> Result<(), WriteError> {
    if shapes.removed.is_empty() {
        return Ok(());
    }
    let within = [path, &[PathStep::Key(list)]].concat();
    let Some(node) = draft.text.find(&within)? else { return Ok(()) };
    if node.count()? <= shapes.removed.len() && shapes.new_targets() == 0 {
        return draft.remove_member(path, list);
    }
    shapes.removed.iter().rev().try_for_each(|at| draft.remove_item(&within, *at))
}

/// Removes the channels of the weights of nodes, whose mesh has no target any more.
fn remove_channels(draft: &mut Draft<'_>, nodes: &[usize]) -> Result<(), WriteError> {
    let is_own = |channel: &Value| {
        let node = whole(&channel["target"]["node"]);
        nodes.iter().any(|own| node == Some(*own as u64)) && channel["target"]["path"] == "weights"
    };
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (animation, stated) in draft.root["animations"].as_array().into_iter().flatten().enumerate() {
        let channels = stated["channels"].as_array().map_or(&[][..], Vec::as_slice);
        let own = (0..channels.len()).filter(|channel| is_own(&channels[*channel]));
        all.extend(own.map(|channel| (animation, channel)));
    }
    for (animation, channel) in all.into_iter().rev() {
        let path = [PathStep::Key("animations"), PathStep::At(animation), PathStep::Key("channels")];
        draft.remove_item(&path, channel)?;
    }
    Ok(())
}

fn write_keys(
    draft: &mut Draft<'_>,
    all: &[ShapeKeys],
    samplers: &mut BTreeMap<usize, usize>,
) -> Result<(), WriteError> {
    let mut inputs: HashMap<Vec<u32>, usize> = HashMap::new();
    for keys in all {
        let bits: Vec<u32> = keys.times.iter().map(|time| time.to_bits()).collect();
        let input = match inputs.get(&bits) {
            Some(input) => *input,
            None => add_times(draft, &keys.times)?,
        };
        inputs.insert(bits, input);
        add_keys(draft, keys, input, samplers)?;
    }
    Ok(())
}

/// Returns the nodes of the file that show a mesh.
fn nodes_of(draft: &Draft<'_>, mesh: usize) -> Vec<usize> {
    let nodes = draft.root["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let shows = |(_, node): &(usize, &Value)| whole(&node["mesh"]) == Some(mesh as u64);
    nodes.iter().enumerate().filter(shows).map(|(index, _)| index).collect()
}

/// Returns whether a channel names the weights of a mesh, or of a node that shows it, by a pointer.
fn is_pointed_at(root: &Value, mesh: usize, nodes: &[usize]) -> bool {
    let begins = |pointer: &str, list: &str, index: usize| {
        let rest = pointer.strip_prefix(&format!("/{list}/{index}/weights"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let animations = root["animations"].as_array().map_or(&[][..], Vec::as_slice);
    let channels = animations.iter().filter_map(|animation| animation["channels"].as_array()).flatten();
    let mut pointers = channels.filter_map(|channel| channel["target"]["extensions"][POINTER]["pointer"].as_str());
    pointers.any(|p| begins(p, "meshes", mesh) || nodes.iter().any(|node| begins(p, "nodes", *node)))
}

/// Adds an accessor for each target of each primitive, and names it there.
fn add_targets(draft: &mut Draft<'_>, added: &AddedShapes) -> Result<(), WriteError> {
    let model = draft.model;
    let mesh = &model.meshes[added.mesh];
    let mut items: Vec<Vec<String>> = Vec::new();
    for (primitive, targets) in added.offsets.iter().enumerate() {
        let item = |target: usize| target_item(draft, added, primitive, target).map(|item| item.to_string());
        items.push((0..targets.len()).map(item).collect::<Result<_, _>>()?);
    }
    for primitive in 0..items.len() {
        let path =
            [PathStep::Key("meshes"), PathStep::At(added.mesh), PathStep::Key("primitives"), PathStep::At(primitive)];
        append_items(draft, &path, "targets", &items[mesh.holder(primitive)])?;
    }
    Ok(())
}

/// Adds the accessors of a target of a primitive, and returns what names them: one of the normals and of the tangents only where the primitive
/// itself has them.
fn target_item(
    draft: &mut Draft<'_>,
    added: &AddedShapes,
    primitive: usize,
    target: usize,
) -> Result<Value, WriteError> {
    let mut item = json!({});
    for (name, lists) in [("POSITION", &added.offsets), ("NORMAL", &added.normals), ("TANGENT", &added.tangents)] {
        let list = lists.get(primitive).and_then(|targets| targets.get(target));
        let has_it = draft.root["meshes"][added.mesh]["primitives"][primitive]["attributes"][name].is_u64();
        let are_positions = name == "POSITION";
        if let Some(list) = list.filter(|list| are_positions || has_it && !list.is_empty()) {
            item[name] = json!(add_offsets(draft, list, are_positions)?);
        }
    }
    Ok(item)
}

/// Adds an accessor of offsets; those of positions need their bounds.
fn add_offsets(draft: &mut Draft<'_>, offsets: &[Vec3], with_bounds: bool) -> Result<usize, WriteError> {
    let least = offsets.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let most = offsets.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let bound =
        |corner: Vec3| -> Value { corner.to_array().map(|value| number(f64::from(value))).into_iter().collect() };
    let mut accessor =
        json!({ "componentType": component(ComponentType::F32), "count": offsets.len(), "type": "VEC3" });
    if with_bounds {
        (accessor["min"], accessor["max"]) = (bound(least), bound(most));
    }
    // An accessor without a view holds zeros.
    if offsets.iter().any(|offset| *offset != Vec3::ZERO) {
        let bytes: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_array()).flat_map(f32::to_le_bytes).collect();
        accessor["bufferView"] = json!(draft.add_view(&bytes, None, Some(ARRAY_BUFFER))?);
    }
    draft.add_plain_accessor(&accessor)
}

/// Adds zeros to the weights of a mesh or of a node, where it has any.
fn widen(draft: &mut Draft<'_>, path: &[PathStep], new: usize) -> Result<(), WriteError> {
    let weights = [path, &[PathStep::Key("weights")]].concat();
    match draft.text.find(&weights)?.is_some() {
        true => append_items(draft, path, "weights", &vec!["0".to_owned(); new]),
        false => Ok(()),
    }
}

/// Names the new targets after those that the file names, or all of them where it names none or too few, or where some go or have other names.
fn set_names(draft: &mut Draft<'_>, added: &AddedShapes, new: usize) -> Result<(), WriteError> {
    const NAMES: &str = "targetNames";
    let is_changed = added.renamed > 0 || !added.removed.is_empty();
    if new == 0 && !is_changed {
        return Ok(());
    }
    let old = added.names.len() - new;
    let text = |name: &String| Value::from(name.as_str()).to_string();
    let path = [PathStep::Key("meshes"), PathStep::At(added.mesh)];
    let extras = [PathStep::Key("meshes"), PathStep::At(added.mesh), PathStep::Key("extras")];
    let stated = &draft.root["meshes"][added.mesh]["extras"];
    let (is_object, named) = (stated.is_object(), stated[NAMES].as_array().map(Vec::len));
    let all = format!("[{}]", added.names.iter().map(text).collect::<Vec<_>>().join(","));
    match (is_object, named) {
        (_, None) if added.names.is_empty() => Ok(()),
        (_, Some(_)) if added.names.is_empty() => draft.remove_member(&extras, NAMES),
        (true, Some(named)) if named == old && !is_changed => {
            append_items(draft, &extras, NAMES, &added.names[old..].iter().map(text).collect::<Vec<_>>())
        }
        (true, _) => draft.set_member(&extras, NAMES, all),
        (false, _) => draft.set_member(&path, "extras", format!("{{\"{NAMES}\":{all}}}")),
    }
}

/// Adds keys of weights to an animation, in place of those that the node has there. `samplers` says how many an animation has by now.
fn add_keys(
    draft: &mut Draft<'_>,
    keys: &ShapeKeys,
    input: usize,
    samplers: &mut BTreeMap<usize, usize>,
) -> Result<(), WriteError> {
    let animation = [PathStep::Key("animations"), PathStep::At(keys.animation)];
    let output = add_numbers(draft, &keys.values)?;
    let stated = draft.root["animations"][keys.animation].clone();
    let in_file = stated["samplers"].as_array().map_or(0, Vec::len);
    let count = samplers.entry(keys.animation).or_insert(in_file);
    let sampler = *count;
    *count += 1;
    let item = json!({ "input": input, "interpolation": interpolation(keys.interpolation), "output": output });
    append_items(draft, &animation, "samplers", &[item.to_string()])?;
    let channels = stated["channels"].as_array().map_or(&[][..], Vec::as_slice);
    let is_own = |channel: &Value| {
        whole(&channel["target"]["node"]) == Some(u64::from(keys.node)) && channel["target"]["path"] == "weights"
    };
    let own: Vec<usize> = (0..channels.len()).filter(|channel| is_own(&channels[*channel])).collect();
    for channel in &own {
        let path = [animation[0], animation[1], PathStep::Key("channels"), PathStep::At(*channel)];
        draft.set_member(&path, "sampler", sampler.to_string())?;
    }
    if own.is_empty() {
        let channel = json!({ "sampler": sampler, "target": { "node": keys.node, "path": "weights" } });
        append_items(draft, &animation, "channels", &[channel.to_string()])?;
    }
    Ok(())
}

/// Adds items to a list that is a member of an object; the list is made where it is not there.
fn append_items(draft: &mut Draft<'_>, path: &[PathStep], member: &str, items: &[String]) -> Result<(), WriteError> {
    let list = [path, &[PathStep::Key(member)]].concat();
    let Some(node) = draft.text.find(&list)? else {
        return draft.set_member(path, member, format!("[{}]", items.join(",")));
    };
    for item in items {
        node.push(item.clone())?;
    }
    draft.changes.json_values += items.len() as u64;
    Ok(())
}

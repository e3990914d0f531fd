//! Appends what meshes gained to a file: nodes, skins, and the skin of each node that shows such a mesh.
//!
//! A skinned mesh is shown by a root node without a transform, since only joints move it. A node with a parent or a transform gives its
//! mesh to a new root node, and stays as it is otherwise. The new one is called after the old one with `_skinned` behind: clips and scripts
//! look for the old name, which only one node may have.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use skinscope_base::math::Transform;
use skinscope_model::{Instance, NodeId};

use super::WriteError;
use super::draft::Draft;
use super::json::{PathStep, whole};
use super::links;

/// The members that give a node a transform.
const TRANSFORMS: [&str; 4] = ["matrix", "translation", "rotation", "scale"];

/// What stands behind the name of a node in that of the root node that shows its mesh with a skin.
const SKINNED: &str = "_skinned";

/// The extensions of nodes that say nothing about their meshes. A mesh that is hidden at times gains no skin where it would move.
const OF_OTHERS: [&str; 2] = ["KHR_lights_punctual", "KHR_node_visibility"];

/// Appends the nodes and skins that the model gained since it was read, and names the skins where their meshes are shown.
pub(super) fn append(draft: &mut Draft<'_>) -> Result<(), WriteError> {
    let model = draft.model;
    if model.gained_instances().next().is_none() && model.new_links().next().is_none() {
        return Ok(());
    }
    for node in model.gained_nodes() {
        append_node(draft, node)?;
    }
    links::append(draft)?;
    let file = |node: NodeId| model.skeleton.file_index[node.index()];
    let mut skins = Vec::new();
    for (i, skin) in model.gained_skins().enumerate() {
        let joints: Vec<u32> = skin.joints.iter().map(|joint| file(*joint)).collect();
        let mut item = json!({ "joints": joints });
        if !skin.name.is_empty() {
            item["name"] = json!(skin.name);
        }
        if let Some(root) = skin.root {
            item["skeleton"] = json!(file(root));
        }
        draft.push("skins", &item)?;
        draft.changes.skins += 1;
        skins.push(count(draft, "skins") + i);
    }
    let mut names = names_of(draft);
    for instance in model.gained_instances() {
        let Some(skin) = instance.skin.map(skinscope_model::SkinId::index) else { continue };
        // A skin of the file has the same number there.
        let skin = match skin.checked_sub(draft.origins.skins.len()) {
            Some(new) => skins.get(new).copied(),
            None => Some(skin),
        };
        if let Some(skin) = skin {
            bind(draft, instance, skin, &mut names)?;
        }
    }
    Ok(())
}

/// Returns the names that nodes have, in the file and in the model that is written into it.
fn names_of(draft: &Draft<'_>) -> BTreeSet<String> {
    let stated = draft.root["nodes"].as_array().into_iter().flatten();
    let stated = stated.filter_map(|node| node["name"].as_str()).map(str::to_owned);
    stated.chain(draft.model.skeleton.names.iter().cloned()).collect()
}

/// Returns a name that no node has for the one that shows the mesh of a node of this name, and notes it.
fn skinned_name(name: &str, names: &mut BTreeSet<String>) -> String {
    let first = std::iter::once(format!("{name}{SKINNED}"));
    let numbered = (2..).map(|number| format!("{name}{SKINNED}_{number}"));
    let free = first.chain(numbered).find(|free: &String| !names.contains(free)).unwrap_or_default();
    names.insert(free.clone());
    free
}

/// How many items a list of the file had before it was changed.
fn count(draft: &Draft<'_>, list: &str) -> usize {
    draft.root[list].as_array().map_or(0, Vec::len)
}

/// Appends a joint, and lets the scenes show it where it is a root.
fn append_node(draft: &mut Draft<'_>, node: NodeId) -> Result<(), WriteError> {
    let model = draft.model;
    let skeleton = &model.skeleton;
    let index = skeleton.file_index[node.index()] as usize;
    if index != count(draft, "nodes") + draft.changes.nodes {
        return Err(WriteError::Json("as many nodes".to_owned()));
    }
    let Transform { translation, rotation, scale } = skeleton.rest.transforms[node.index()];
    let mut item = json!({ "name": skeleton.names[node.index()] });
    let children: Vec<u32> = skeleton.children(node).map(|child| skeleton.file_index[child.index()]).collect();
    if !children.is_empty() {
        item["children"] = json!(children);
    }
    if translation != Transform::IDENTITY.translation {
        item["translation"] = json!(translation.to_array());
    }
    if rotation != Transform::IDENTITY.rotation {
        item["rotation"] = json!(rotation.to_array());
    }
    if scale != Transform::IDENTITY.scale {
        item["scale"] = json!(scale.to_array());
    }
    if let Some(link) = model.new_links().find(|link| link.node == node) {
        item["extras"] = links::extras(model, link);
    }
    draft.push("nodes", &item)?;
    draft.changes.nodes += 1;
    // The children of new nodes are written with them.
    let above = skeleton.parents[node.index()].map(|parent| skeleton.file_index[parent.index()] as usize);
    if let Some(parent) = above.filter(|parent| *parent < count(draft, "nodes")) {
        push_index(draft, &[PathStep::Key("nodes"), PathStep::At(parent)], "children", index)?;
    }
    for (scene, shown) in model.scenes.iter().enumerate().take(count(draft, "scenes")) {
        if shown.roots.contains(&node) {
            push_root(draft, scene, index)?;
        }
    }
    Ok(())
}

/// Adds a node to the roots of a scene.
fn push_root(draft: &mut Draft<'_>, scene: usize, node: usize) -> Result<(), WriteError> {
    push_index(draft, &[PathStep::Key("scenes"), PathStep::At(scene)], "nodes", node)
}

/// Adds a node to a list of nodes that an item of the file has, or is to have.
fn push_index(draft: &mut Draft<'_>, item: &[PathStep], list: &'static str, node: usize) -> Result<(), WriteError> {
    let path = [item, &[PathStep::Key(list)]].concat();
    if draft.text.find(&path)?.is_none() {
        draft.set_member(item, list, "[]".to_owned())?;
    }
    let found = draft.text.find(&path)?.ok_or_else(|| WriteError::Json(format!("a list of {list}")))?;
    found.push(node.to_string())?;
    draft.changes.json_values += 1;
    Ok(())
}

/// Lets the node of an instance show its mesh with a skin, or a new root node in its place.
fn bind(
    draft: &mut Draft<'_>,
    instance: &Instance,
    skin: usize,
    names: &mut BTreeSet<String>,
) -> Result<(), WriteError> {
    let model = draft.model;
    let node = model.skeleton.file_index[instance.node.index()] as usize;
    let path = [PathStep::Key("nodes"), PathStep::At(node)];
    let stated = &draft.root["nodes"][node];
    let is_root = model.skeleton.parents[instance.node.index()].is_none();
    if is_root && TRANSFORMS.iter().all(|member| stated[*member].is_null()) {
        return draft.set_member(&path, "skin", skin.to_string());
    }
    if let Some(reason) = why_it_stays(&draft.root, node) {
        return Err(WriteError::Binding { node, reason });
    }
    let name = stated["name"].as_str().map(|name| skinned_name(name, names));
    // The mesh may be another by now than the file has there.
    let shown = draft.text.find(&[path[0], path[1], PathStep::Key("mesh")])?.map(|mesh| mesh.to_text());
    let shown = shown.and_then(|text| whole(&serde_json::from_str::<Value>(&text).ok()?));
    let shown = shown.ok_or_else(|| WriteError::Json(format!("a mesh at node {node}")))?;
    let mut item = json!({ "mesh": shown, "skin": skin });
    if let Some(name) = name {
        item["name"] = json!(name);
    }
    draft.remove_member(&path, "mesh")?;
    let new = count(draft, "nodes") + draft.changes.nodes;
    draft.push("nodes", &item)?;
    draft.changes.nodes += 1;
    for (scene, shows) in model.scenes.iter().enumerate().take(count(draft, "scenes")) {
        if shows.contains[instance.node.index()] {
            push_root(draft, scene, new)?;
        }
    }
    Ok(())
}

/// Returns why the mesh of a node cannot be shown by another one; `None` where it can.
fn why_it_stays(root: &Value, node: usize) -> Option<&'static str> {
    let stated = &root["nodes"][node];
    if !stated["weights"].is_null() {
        return Some("the node has morph weights, and a skinned mesh is stored at another one");
    }
    let mut extensions = stated["extensions"].as_object().into_iter().flatten();
    if extensions.any(|(name, _)| !OF_OTHERS.contains(&name.as_str())) {
        return Some("an extension of the node may mean its mesh, and a skinned mesh is stored at another one");
    }
    let channels = root["animations"].as_array().into_iter().flatten().flat_map(|a| a["channels"].as_array());
    let pointers = [format!("/nodes/{node}/weights"), format!("/nodes/{node}/extensions/")];
    let moves_it = |channel: &Value| {
        let target = &channel["target"];
        let pointer = target["extensions"]["KHR_animation_pointer"]["pointer"].as_str().unwrap_or_default();
        let is_morph = whole(&target["node"]) == Some(node as u64) && target["path"].as_str() == Some("weights");
        is_morph || pointers.iter().any(|begin| pointer.starts_with(begin.as_str()))
    };
    if channels.flatten().any(moves_it) {
        return Some(
            "an animation moves what only the node of the mesh has, and a skinned mesh is stored at another one",
        );
    }
    let names_it = names_node(&root["extensions"], node);
    names_it.then_some("an extension of the file names the node, and a skinned mesh is stored at another one")
}

/// Returns whether a value has a member `node` with this number, at any depth.
fn names_node(value: &Value, node: usize) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if whole(&value["node"]) == Some(node as u64) {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_shows_a_mesh_for_another_one_has_a_name_of_its_own() {
        let mut names: BTreeSet<String> = ["table", "chair", "chair_skinned"].map(str::to_owned).into();
        let given = ["table", "chair", "table"].map(|name| skinned_name(name, &mut names));
        assert_eq!(given, ["table_skinned", "chair_skinned_2", "table_skinned_2"]);
    }
}

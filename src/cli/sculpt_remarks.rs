//! What `skinscope sculpt` says of a program that plays its keys on other nodes than the file names.

use std::collections::BTreeSet;

use crate::edit::AddedShapes;
use crate::model::{MeshId, Model, NodeId};

/// Returns a sentence for each mesh whose keys of weights three.js plays on a wrong node: it makes a group of a mesh with several primitives,
/// and finds the parts of the group by their names, which are those of the mesh at every node that shows it. What hangs right below the node
/// is in the group too.
pub(super) fn remarks(model: &Model, added: &[AddedShapes]) -> Vec<String> {
    let keyed = added.iter().filter(|one| !one.keys.is_empty());
    keyed.filter_map(|one| remark(model, added, one)).collect()
}

fn remark(model: &Model, all: &[AddedShapes], added: &AddedShapes) -> Option<String> {
    let mesh = model.meshes.get(added.mesh).filter(|mesh| mesh.primitives.len() > 1)?;
    let shows = |shown: MeshId| model.file_mesh(shown).index() == added.mesh;
    let own = model.instances.iter().filter(|instance| shows(instance.mesh));
    let nodes: BTreeSet<NodeId> = own.map(|instance| instance.node).collect();
    let has_shapes = |shown: MeshId| {
        let is_added = all.iter().any(|other| other.mesh == model.file_mesh(shown).index());
        is_added || !model.meshes[shown.index()].morph_names.is_empty()
    };
    let below = model.instances.iter().find(|instance| {
        let parent = model.skeleton.parents[instance.node.index()];
        let is_alone = model.meshes[instance.mesh.index()].primitives.len() == 1;
        parent.is_some_and(|parent| nodes.contains(&parent)) && is_alone && has_shapes(instance.mesh)
    });
    let why = match below {
        _ if nodes.len() > 1 => "several nodes show it".to_owned(),
        Some(instance) => {
            let name = &model.skeleton.names[instance.node.index()];
            format!("the node {name}, right below it, has shapes too")
        }
        None => return None,
    };
    let name = if mesh.name.is_empty() { format!("mesh {}", added.mesh) } else { mesh.name.clone() };
    Some(format!(
        "{name}: three.js (r187) plays the keys of weights on a wrong node, though the file is right: the mesh has \
         several parts, and {why}"
    ))
}

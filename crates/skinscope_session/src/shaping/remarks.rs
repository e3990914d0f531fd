//! What is said of a program that plays the keys of shapes on other nodes than the file names.

use std::collections::BTreeSet;

use skinscope_model::{Model, NodeId, Path, Retargeted};

/// Returns a sentence for each mesh with other shapes than its file whose keys of weights three.js plays on a wrong node: it makes a group of a
/// mesh with several primitives, and finds the parts of the group by their names, which are those of the mesh at every node that shows it. What
/// hangs right below the node is in the group too.
#[must_use]
pub fn remarks(model: &Model) -> Vec<String> {
    model.retargeted.iter().filter_map(|of| remark(model, of)).collect()
}

fn remark(model: &Model, of: &Retargeted) -> Option<String> {
    let mesh = model.meshes.get(of.mesh.index()).filter(|mesh| mesh.primitives.len() > 1)?;
    let own = model.instances.iter().filter(|instance| model.file_mesh(instance.mesh) == of.mesh);
    let nodes: BTreeSet<NodeId> = own.map(|instance| instance.node).collect();
    let mut channels = model.clips.iter().flat_map(|clip| &clip.channels);
    if !channels.any(|channel| channel.path == Path::Weights && nodes.contains(&channel.node)) {
        return None;
    }
    let below = model.instances.iter().find(|instance| {
        let parent = model.skeleton.parents[instance.node.index()];
        let shown = &model.meshes[instance.mesh.index()];
        let is_alone = shown.primitives.len() == 1;
        parent.is_some_and(|parent| nodes.contains(&parent)) && is_alone && !shown.morph_names.is_empty()
    });
    let why = match below {
        _ if nodes.len() > 1 => "several nodes show it".to_owned(),
        Some(instance) => {
            let name = &model.skeleton.names[instance.node.index()];
            format!("the node {name}, right below it, has shapes too")
        }
        None => return None,
    };
    let name = if mesh.name.is_empty() { format!("mesh {}", of.mesh.0) } else { mesh.name.clone() };
    Some(format!(
        "{name}: three.js (r187) plays the keys of weights on a wrong node, though the file is right: the mesh has \
         several parts, and {why}"
    ))
}

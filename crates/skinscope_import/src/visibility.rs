//! Reads `KHR_node_visibility`: nodes that the file hides, with all below them.

use serde_json::Value;
use skinscope_model::NodeId;

use super::Reader;
use super::nodes::Nodes;

/// The name of the extension.
const NAME: &str = "KHR_node_visibility";

/// The hidden nodes, rising.
pub(super) fn read(reader: &Reader, nodes: &Nodes) -> Vec<NodeId> {
    let mut out = Vec::new();
    for (i, file) in nodes.skeleton.file_index.iter().enumerate() {
        let extensions = reader.root.nodes[*file as usize].extensions.as_ref();
        let Some(visibility) = extensions.and_then(|e| e.others.get(NAME)) else { continue };
        match visibility.get("visible") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => out.push(NodeId::from_index(i)),
            Some(_) => {
                reader
                    .warnings
                    .add(format!("node {file}"), format!("{NAME}.visible is neither true nor false; it is shown"));
            }
        }
    }
    out
}

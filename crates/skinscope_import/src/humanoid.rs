//! Reads the humanoid rig of VRM files: which node is which bone, such as the hips or the left upper arm, and the
//! direction in which their characters face. Both versions of VRM list the names, each in its own form.

use std::collections::BTreeMap;

use gltf::json::Value;
use skinscope_model::{Facing, NodeId};

use super::Reader;
use super::error::quoted;
use super::fields::whole;
use super::nodes::Nodes;

/// Returns the bone names by node, in rising order. VRM 0.x: `VRM.humanoid.humanBones[] { bone, node }`; VRM 1.0 and
/// VRM animations: `VRMC_vrm.humanoid.humanBones { hips: { node } }`. Where a file has both, the newer one is used.
pub(super) fn read(reader: &Reader, nodes: &Nodes) -> Vec<(NodeId, String)> {
    let Some(extensions) = &reader.root.extensions else { return Vec::new() };
    let bones = |name: &'static str| Some((name, extensions.others.get(name)?.get("humanoid")?.get("humanBones")?));
    let Some((extension, bones)) = ["VRMC_vrm", "VRMC_vrm_animation", "VRM"].into_iter().find_map(bones) else {
        return Vec::new();
    };
    let mut out = BTreeMap::new();
    let mut add = |name: &str, node: Option<&Value>| {
        // VRM 0.x writes −1 for a bone that the model does not have.
        if node.and_then(Value::as_f64) == Some(-1.0) {
            return;
        }
        let warn = |text: String| reader.warnings.add(format!("{extension}, humanoid bone {}", quoted(name)), text);
        let index = node.and_then(whole).and_then(|n| usize::try_from(n).ok());
        let Some(id) = index.and_then(|n| nodes.of_file.get(n)) else {
            let found = node.map_or("none".into(), |n| quoted(&n.to_string()));
            return warn(format!("expected a node below {}, found {found}; the name is left out", nodes.of_file.len()));
        };
        if name.is_empty() || out.contains_key(id) {
            return warn(format!(
                "node {} has another name already, or this one is empty; it is left out",
                index.unwrap_or_default()
            ));
        }
        out.insert(*id, quoted(name).trim_matches('"').to_owned());
    };
    match bones {
        Value::Array(list) => {
            list.iter().for_each(|b| add(b.get("bone").and_then(Value::as_str).unwrap_or(""), b.get("node")));
        }
        Value::Object(map) => map.iter().for_each(|(name, bone)| add(name, bone.get("node"))),
        _ => reader.warnings.add(format!("{extension}, humanoid bones"), "are no list; no joint is named after them"),
    }
    out.into_iter().collect()
}

/// Returns the direction in which a character of the file faces: −Z where the file is of VRM 0.x alone, else +Z, as
/// glTF 2.0 says (section 3.4). Where a file has both versions, the newer one is used.
pub(super) fn facing(reader: &Reader) -> Facing {
    let has = |name: &str| {
        let extensions = reader.root.extensions.as_ref();
        extensions.is_some_and(|e| e.others.get(name).is_some_and(Value::is_object))
    };
    if has("VRM") && !has("VRMC_vrm") { Facing::MinusZ } else { Facing::PlusZ }
}

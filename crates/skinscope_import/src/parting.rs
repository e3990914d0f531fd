//! Decides which meshes may be copied: those that nodes show with several lists of joints, unless something else refers
//! to them.

use std::collections::HashMap;

use gltf::json::{self, Value};
use skinscope_model::{Instance, Mesh, MeshId, Skin, part_meshes};

use super::Reader;
use super::fields::whole;

/// Copies meshes that are shown with several lists of joints ([`part_meshes`]). A mesh that an extension or an
/// animation pointer refers to is not copied, since the reference would apply to one of the copies only; nor is one for
/// which the budget has no memory.
pub(super) fn part(
    reader: &Reader,
    skins: &[Skin],
    meshes: &mut Vec<Mesh>,
    instances: &mut [Instance],
) -> Vec<(MeshId, MeshId)> {
    part_meshes(skins, meshes, instances, &mut |id, mesh| {
        !reader.named_meshes.contains(&id) && reader.decoded.charge_spare(mesh.bytes())
    })
}

/// Returns the meshes that extensions refer to: by a member `mesh`, or by a JSON pointer (`KHR_animation_pointer`).
/// They are searched only where some mesh is shown with several skins.
pub(super) fn named_meshes(text: &str, root: &json::Root) -> Vec<MeshId> {
    let mut out = Vec::new();
    let mut skin_of = HashMap::new();
    let mut shown = root.nodes.iter().filter_map(|node| Some((node.mesh?.value(), node.skin?.value())));
    if !shown.any(|(mesh, skin)| *skin_of.entry(mesh).or_insert(skin) != skin) {
        return out;
    }
    // The text was parsed before.
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    // The depth is bounded by what the parser accepts.
    fn visit(value: &Value, in_extension: bool, out: &mut Vec<MeshId>) {
        let mut note = |index: Option<u64>| out.extend(index.and_then(|i| u32::try_from(i).ok()).map(MeshId));
        match value {
            Value::String(text) if in_extension => {
                let index = text.strip_prefix("/meshes/").and_then(|rest| rest.split('/').next());
                note(index.and_then(|index| index.parse().ok()));
            }
            Value::Array(items) => items.iter().for_each(|item| visit(item, in_extension, out)),
            Value::Object(members) => {
                if in_extension {
                    note(members.get("mesh").and_then(whole));
                }
                members.iter().for_each(|(key, value)| visit(value, in_extension || key == "extensions", out));
            }
            _ => {}
        }
    }
    visit(&root, false, &mut out);
    out
}

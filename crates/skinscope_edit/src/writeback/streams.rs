//! Takes attributes out of Draco streams.

use serde_json::json;
use skinscope_model::ComponentType;

use super::WriteError;
use super::draft::{Draft, component};
use super::json::{PathStep, whole};
use super::wants::User;

const NAME: &str = "KHR_draco_mesh_compression";

/// The `target` of views that hold indices.
const ELEMENT_ARRAY_BUFFER: u64 = 34963;

/// Takes an attribute out of the list of those that the stream of its primitive fills. A stream that fills no attribute
/// any more is removed, and the triangles that it holds are stored as they are.
pub(super) fn leave(draft: &mut Draft, user: &User) -> Result<(), WriteError> {
    let User::Attribute(mesh, primitive, name) = user else { return Ok(()) };
    let of_primitive =
        [PathStep::Key("meshes"), PathStep::At(*mesh), PathStep::Key("primitives"), PathStep::At(*primitive)];
    let path = |more: &[PathStep<'static>]| [&of_primitive[..], more].concat();
    let attributes = path(&[PathStep::Key("extensions"), PathStep::Key(NAME), PathStep::Key("attributes")]);
    draft.remove_member(&attributes, name)?;
    let left = match draft.text.find(&attributes)? {
        Some(node) => node.count()?,
        None => return Ok(()),
    };
    if left > 0 {
        return Ok(());
    }
    let source = draft.primitive(*mesh, *primitive);
    let is_wide = source.stored_vertices > 65_535;
    let kind = if is_wide { ComponentType::U32 } else { ComponentType::U16 };
    let bytes: Vec<u8> = source.indices.iter().flat_map(|i| i.to_le_bytes().into_iter().take(kind.bytes())).collect();
    let count = source.indices.len();
    let view = draft.add_view(&bytes, None, Some(ELEMENT_ARRAY_BUFFER))?;
    let stated = draft.root["meshes"][*mesh]["primitives"][*primitive].clone();
    let accessor = json!({
        "bufferView": view, "componentType": component(kind), "count": count, "type": "SCALAR",
    });
    let new = draft.add_plain_accessor(&accessor)?;
    draft.set_member(&of_primitive, "indices", new.to_string())?;
    if whole(&stated["mode"]).is_some_and(|mode| mode != 4) {
        draft.set_member(&of_primitive, "mode", "4".to_owned())?;
    }
    remove(draft, &path(&[PathStep::Key("extensions")]), &of_primitive)
}

/// Removes the extension of a primitive, and from the file's lists where that was its last.
fn remove(draft: &mut Draft, extensions: &[PathStep], primitive: &[PathStep]) -> Result<(), WriteError> {
    draft.remove_member(extensions, NAME)?;
    if let Some(node) = draft.text.find(extensions)?
        && node.count()? == 0
    {
        draft.remove_member(primitive, "extensions")?;
    }
    let meshes = draft.root["meshes"].as_array().map_or(0, Vec::len);
    for mesh in 0..meshes {
        let primitives = draft.root["meshes"][mesh]["primitives"].as_array().map_or(0, Vec::len);
        for primitive in 0..primitives {
            let path = [
                PathStep::Key("meshes"),
                PathStep::At(mesh),
                PathStep::Key("primitives"),
                PathStep::At(primitive),
                PathStep::Key("extensions"),
                PathStep::Key(NAME),
            ];
            if draft.text.find(&path)?.is_some() {
                return Ok(());
            }
        }
    }
    for list in ["extensionsUsed", "extensionsRequired"] {
        let Some(node) = draft.text.find(&[PathStep::Key(list)])? else { continue };
        if node.remove_string(NAME)? {
            let is_empty = node.count()? == 0;
            draft.changes.json_values += 1;
            if is_empty {
                draft.remove_member(&[], list)?;
            }
        }
    }
    Ok(())
}

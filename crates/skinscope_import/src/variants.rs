//! Reads `KHR_materials_variants`: names at the root, and for each primitive the materials of its variants.

use std::collections::BTreeMap;

use gltf::json;
use serde_json::Value;
use skinscope_model::MaterialId;

use super::error::quoted;
use super::fields::{Fields, whole};
use super::{ImportError, Reader};

const NAME: &str = "KHR_materials_variants";

/// The names of all variants; made up where missing.
pub(super) fn names(reader: &Reader) -> Vec<String> {
    let name = |(i, variant): (usize, &Value)| {
        let name = variant.get("name").and_then(Value::as_str).filter(|n| !n.is_empty());
        name.map_or_else(|| format!("variant {i}"), str::to_owned)
    };
    let extensions = reader.root.extensions.as_ref().map(|e| &e.others);
    let list = Fields::of(reader, "file", NAME, extensions).map_or(&[][..], |f| f.list("variants"));
    list.iter().enumerate().map(name).collect()
}

/// The material of each variant that has one of its own, by rising variant.
pub(super) fn of_primitive(
    reader: &Reader,
    primitive: &json::mesh::Primitive,
    location: &str,
    known: usize,
) -> Result<Vec<(usize, MaterialId)>, ImportError> {
    let extensions = primitive.extensions.as_ref().map(|e| &e.others);
    let Some(fields) = Fields::of(reader, location, NAME, extensions) else { return Ok(Vec::new()) };
    let mut out = BTreeMap::new();
    for (m, mapping) in fields.list("mappings").iter().enumerate() {
        let prefix = format!("{NAME}.mappings[{m}]");
        let Some(map) = mapping.as_object() else {
            fields.warn(&format!("mappings[{m}]"), "is no object; it is left out");
            continue;
        };
        let mapping = Fields { prefix: &prefix, map, ..fields };
        let Some(material) = mapping.index("material") else { continue };
        let have = reader.root.materials.len();
        if material >= have {
            let expected = format!("a material below {have}");
            return Err(ImportError::invalid(
                format!("{location}, {prefix}"),
                expected,
                format!("material {material}"),
            ));
        }
        for variant in mapping.list("variants") {
            let inside = whole(variant).and_then(|v| usize::try_from(v).ok()).filter(|v| *v < known);
            let Some(variant) = inside else {
                let found = quoted(&variant.to_string());
                mapping.warn("variants", format_args!("names {found}, which is no variant; it is left out"));
                continue;
            };
            if out.insert(variant, MaterialId::from_index(material)).is_some() {
                mapping.warn("variants", format_args!("names variant {variant} again; the last material counts"));
            }
        }
    }
    reader.decoded.charge(&|| location.to_owned(), out.len() as u64, size_of::<(usize, MaterialId)>())?;
    Ok(out.into_iter().collect())
}

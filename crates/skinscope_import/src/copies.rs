//! Reads `EXT_mesh_gpu_instancing`: the transforms of several copies of a node's mesh.

use glam::{Affine3A, Quat, Vec3};
use gltf::json;
use gltf::json::accessor::Type;
use serde_json::Value;
use skinscope_base::words::counted;
use skinscope_model::NodeId;

use super::accessor::Accessor;
use super::element::{Format, format};
use super::fields::{Fields, whole};
use super::nodes::{Nodes, unit};
use super::{ImportError, Reader};

/// The name of the extension.
const NAME: &str = "EXT_mesh_gpu_instancing";
const VECTOR: &[Format] = &[format::F32];
const ROTATION: &[Format] = &[format::F32, format::I8_UNIT, format::I16_UNIT];
/// The memory that a copy takes beside its stored numbers, bytes: its matrix, the matrix in the palette and its packed
/// form, colour and node.
const COST: usize = 2 * size_of::<Affine3A>() + 64 + 16;

/// Returns the nodes that have the extension and a skin, whose mesh has no copies here: it stands where its skin says.
pub(super) fn of_skins(reader: &Reader, nodes: &Nodes) -> Vec<NodeId> {
    let has_copies = |node: &json::Node| {
        let described = node.extensions.as_ref().and_then(|e| e.others.get(NAME));
        let attributes = described.and_then(|described| described.get("attributes")).and_then(Value::as_object);
        node.mesh.is_some() && node.skin.is_some() && attributes.is_some_and(|attributes| !attributes.is_empty())
    };
    let all = reader.root.nodes.iter().zip(&nodes.of_file);
    all.filter(|(node, _)| has_copies(node)).map(|(_, id)| *id).collect()
}

/// Returns `node_from_copy` of every copy; `None` where the node has no such extension and shows its mesh once.
/// Attributes with other names are application-specific and ignored.
pub(super) fn read(
    reader: &Reader,
    node: &json::Node,
    location: &dyn Fn() -> String,
) -> Result<Option<Vec<Affine3A>>, ImportError> {
    let extensions = node.extensions.as_ref().map(|e| &e.others);
    let own = location();
    let Some(fields) = Fields::of(reader, &own, NAME, extensions) else { return Ok(None) };
    let Some(attributes) = fields.object("attributes") else { return Ok(None) };
    let translations =
        attribute(reader, attributes.get("TRANSLATION"), (Type::Vec3, VECTOR), &|| format!("{own}, TRANSLATION"))?;
    let rotations =
        attribute(reader, attributes.get("ROTATION"), (Type::Vec4, ROTATION), &|| format!("{own}, ROTATION"))?;
    let scales = attribute(reader, attributes.get("SCALE"), (Type::Vec3, VECTOR), &|| format!("{own}, SCALE"))?;
    let counts: Vec<usize> = [translations, rotations, scales].into_iter().flatten().map(|a| a.count).collect();
    let Some(count) = counts.first().copied() else { return Ok(None) };
    if counts.iter().any(|c| *c != count) {
        let found = counts.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        return Err(ImportError::invalid(own, format!("as many elements in every attribute of {NAME}"), found));
    }
    reader.decoded.charge(&|| own.clone(), count as u64, COST)?;
    let list = |accessor: Option<&Accessor>| accessor.map(|a| reader.store.floats::<Vec3, 3>(a, location)).transpose();
    let (translations, scales) = (list(translations)?, list(scales)?);
    let rotations = rotations.map(|a| reader.store.floats::<Quat, 4>(a, location)).transpose()?;
    let mut bad = 0_usize;
    let mut copy = |i: usize| {
        let translation = translations.as_ref().map_or(Vec3::ZERO, |t| t[i]);
        let scale = scales.as_ref().map_or(Vec3::ONE, |s| s[i]);
        let rotation = rotations.as_ref().map_or(Some(Quat::IDENTITY), |r| unit(r[i]));
        let matrix = rotation.map(|r| Affine3A::from_scale_rotation_translation(scale, r, translation));
        matrix.filter(Affine3A::is_finite).unwrap_or_else(|| {
            bad += 1;
            Affine3A::IDENTITY
        })
    };
    let out = (0..count).map(&mut copy).collect();
    if bad > 0 {
        let have = if bad == 1 { "has" } else { "have" };
        let all = counted(count, "copy", "copies");
        reader.warnings.add(own, format!("{bad} of {all} {have} a transform that is not finite, or a rotation of length zero; each such stands at the node"));
    }
    Ok(Some(out))
}

fn attribute<'a, 'r>(
    reader: &'r Reader<'a>,
    value: Option<&Value>,
    (kind, formats): (Type, &[Format]),
    location: &dyn Fn() -> String,
) -> Result<Option<&'r Accessor<'a>>, ImportError> {
    let Some(value) = value else { return Ok(None) };
    let Some(index) = whole(value).and_then(|n| u32::try_from(n).ok()) else {
        return Err(ImportError::invalid(
            location(),
            "the number of an accessor",
            super::error::quoted(&value.to_string()),
        ));
    };
    let accessor = reader.store.accessor(json::Index::new(index), location)?;
    accessor.expect(&[kind], formats, location)?;
    Ok(Some(accessor))
}

//! Writes a posed surface as binary glTF, for programs that read no other format of a bake.

use std::io::{Error, ErrorKind, Result, Write};

use glam::{DVec3, Vec3, Vec4};
use serde_json::{Map, Value, json};
use skinscope_model::{Model, Topology};

use super::textures::MaterialWriter;
use crate::BakedPrimitive;
use crate::glb::{Elements, GlbWriter};

/// Writes a static scene: a node and a mesh for each primitive, with vertex colours, tangents, texture coordinates, the
/// factors of its material, and the textures that the core of glTF knows.
///
/// # Errors
/// `out` fails, a position is not finite, or the file would be larger than 4 GiB.
pub fn write_glb(model: &Model, primitives: &[BakedPrimitive], out: &mut dyn Write) -> Result<()> {
    let mut writer = GlbWriter::new();
    let mut materials = MaterialWriter::new(model);
    let (mut nodes, mut meshes) = (Vec::new(), Vec::new());
    for p in primitives {
        let mut node = json!({ "name": p.name });
        // Vertices are floats, which are too coarse for positions far away; the numbers of nodes are not.
        if p.origin != DVec3::ZERO {
            node["translation"] = json!(p.origin.to_array());
        }
        // glTF does not allow a mesh without vertices.
        if !p.indices.is_empty() {
            node["mesh"] = json!(meshes.len());
            meshes.push(json!({ "name": p.name, "primitives": [primitive(p, &mut writer, &mut materials)] }));
        }
        nodes.push(node);
    }
    let mut document = Map::new();
    document.insert("scene".into(), json!(0));
    document.insert("scenes".into(), json!([{}]));
    if !nodes.is_empty() {
        document.insert("scenes".into(), json!([{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }]));
    }
    for (name, list) in [("nodes", nodes), ("meshes", meshes)] {
        if !list.is_empty() {
            document.insert(name.into(), Value::Array(list));
        }
    }
    materials.finish(&mut document);
    let bytes = writer.finish(document).map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
    out.write_all(&bytes)
}

fn primitive(p: &BakedPrimitive, writer: &mut GlbWriter, materials: &mut MaterialWriter<'_>) -> Value {
    let mut attributes = Map::new();
    attributes.insert("POSITION".into(), json!(writer.push(Elements::Attribute3(&p.positions))));
    if p.normals.iter().any(|n| *n != Vec3::ZERO) {
        attributes.insert("NORMAL".into(), json!(writer.push(Elements::Attribute3(&unit_normals(&p.normals)))));
        if !p.tangents.is_empty() {
            attributes.insert("TANGENT".into(), json!(writer.push(Elements::Attribute4(&unit_tangents(&p.tangents)))));
        }
    }
    for (name, uvs) in ["TEXCOORD_0", "TEXCOORD_1"].into_iter().zip(&p.uvs).filter(|(_, uvs)| !uvs.is_empty()) {
        attributes.insert(name.into(), json!(writer.push(Elements::Attribute2(uvs))));
    }
    if !p.colors.is_empty() {
        attributes.insert("COLOR_0".into(), json!(writer.push(Elements::Attribute4(&p.colors))));
    }
    let indices = writer.push(Elements::Indices(&p.indices));
    let mut out = json!({ "attributes": attributes, "indices": indices, "mode": mode(p.topology) });
    if let Some(id) = p.material {
        out["material"] = json!(materials.index_of_material(id, writer));
    }
    out
}

/// The number of a kind of primitive.
pub(super) fn mode(topology: Topology) -> u32 {
    match topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::Triangles => 4,
    }
}

/// Every normal must have unit length; where there is no surface any direction is as good.
pub(super) fn unit_normals(normals: &[Vec3]) -> Vec<Vec3> {
    normals.iter().map(|n| if *n == Vec3::ZERO { Vec3::Y } else { *n }).collect()
}

/// So must every tangent, and its w is 1 or −1.
pub(super) fn unit_tangents(tangents: &[Vec4]) -> Vec<Vec4> {
    let unit = |t: &Vec4| {
        let along = if t.truncate() == Vec3::ZERO { Vec3::X } else { t.truncate() };
        along.extend(if t.w < 0.0 { -1.0 } else { 1.0 })
    };
    tangents.iter().map(unit).collect()
}

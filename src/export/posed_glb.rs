//! Writes a posed surface as binary glTF, for programs that read no other format of a bake.

use std::io::{Error, ErrorKind, Result, Write};

use glam::Vec3;
use serde_json::{Map, Value, json};

use crate::export::BakedPrimitive;
use crate::export::glb::{Elements, GlbWriter};
use crate::model::{AlphaMode, Material, MaterialId, Model, Topology};

/// Writes a static scene: a node and a mesh for each primitive, with the factors of its material. Textures are left
/// out; texture coordinates are written, so that they can be put back.
///
/// # Errors
/// `out` fails, a position is not finite, or the file would be larger than 4 GiB.
pub fn write_glb(model: &Model, primitives: &[BakedPrimitive], out: &mut dyn Write) -> Result<()> {
    let mut writer = GlbWriter::new();
    let (mut nodes, mut meshes, mut used) = (Vec::new(), Vec::new(), Vec::new());
    for p in primitives {
        let mut node = json!({ "name": p.name });
        // glTF does not allow a mesh without vertices.
        if !p.indices.is_empty() {
            node["mesh"] = json!(meshes.len());
            meshes.push(json!({ "name": p.name, "primitives": [primitive(p, &mut writer, &mut used)] }));
        }
        nodes.push(node);
    }
    let materials = used.iter().map(|m: &MaterialId| material(&model.materials[m.index()])).collect();
    let mut document = Map::new();
    document.insert("scene".into(), json!(0));
    document.insert("scenes".into(), json!([{}]));
    if !nodes.is_empty() {
        document.insert("scenes".into(), json!([{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }]));
    }
    for (name, list) in [("nodes", nodes), ("meshes", meshes), ("materials", materials)] {
        if !list.is_empty() {
            document.insert(name.into(), Value::Array(list));
        }
    }
    let bytes = writer.finish(document).map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
    out.write_all(&bytes)
}

fn primitive(p: &BakedPrimitive, writer: &mut GlbWriter, used: &mut Vec<MaterialId>) -> Value {
    let mut attributes = Map::new();
    attributes.insert("POSITION".into(), json!(writer.push(Elements::Attribute3(&p.positions))));
    if p.normals.iter().any(|n| *n != Vec3::ZERO) {
        // Every normal must have unit length; where there is no surface any direction is as good.
        let normals: Vec<Vec3> = p.normals.iter().map(|n| if *n == Vec3::ZERO { Vec3::Y } else { *n }).collect();
        attributes.insert("NORMAL".into(), json!(writer.push(Elements::Attribute3(&normals))));
    }
    for (name, uvs) in ["TEXCOORD_0", "TEXCOORD_1"].into_iter().zip(&p.uvs).filter(|(_, uvs)| !uvs.is_empty()) {
        attributes.insert(name.into(), json!(writer.push(Elements::Attribute2(uvs))));
    }
    let mode = match p.topology {
        Topology::Points => 0,
        Topology::Lines => 1,
        Topology::Triangles => 4,
    };
    let indices = writer.push(Elements::Indices(&p.indices));
    let mut out = json!({ "attributes": attributes, "indices": indices, "mode": mode });
    if let Some(id) = p.material {
        let place = used.iter().position(|m| *m == id).unwrap_or_else(|| {
            used.push(id);
            used.len() - 1
        });
        out["material"] = json!(place);
    }
    out
}

fn material(m: &Material) -> Value {
    // Specular-glossiness is replaced by the closest that the core has: no metal, with roughness 1 − glossiness.
    let (metallic, roughness) = m.specular_glossiness.map_or((m.metallic, m.roughness), |s| (0.0, 1.0 - s.glossiness));
    let mut out = json!({
        "name": m.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": m.coloring().0.to_array(),
            "metallicFactor": metallic,
            "roughnessFactor": roughness,
        },
        "emissiveFactor": m.emissive.to_array(),
        "doubleSided": m.double_sided,
    });
    match m.alpha {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => {
            out["alphaMode"] = json!("MASK");
            out["alphaCutoff"] = json!(cutoff);
        }
        AlphaMode::Blend => out["alphaMode"] = json!("BLEND"),
    }
    out
}

//! Writes a model as binary glTF whose rest pose is another one; meshes keep their skins.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result, Write};

use glam::{DVec3, Mat4, Vec3};
use serde_json::{Map, Value, json};
use skinscope_model::{Instance, LocalPose, MeshId, Model, NodeId, Skin};

use super::posed_glb::{mode, unit_normals, unit_tangents};
use super::textures::MaterialWriter;
use crate::glb::{Elements, GlbWriter};

/// Writes the nodes of a scene in a pose, which is the rest pose of the file, with meshes, skins, morph targets, materials and
/// the textures that the core of glTF knows. Inverse bind matrices stay, so that the surface at rest is the posed one. Clips,
/// cameras and lights are left out.
///
/// # Errors
/// `out` fails, a number is not finite, a node shows copies of its mesh, or the file would be larger than 4 GiB.
pub fn write_skinned_glb(model: &Model, scene: usize, pose: &LocalPose, out: &mut dyn Write) -> Result<()> {
    let invalid = |why: String| Error::new(ErrorKind::InvalidData, why);
    if let Some(copied) = model.instances.iter().find(|instance| !instance.copies.is_empty()) {
        let name = &model.skeleton.names[copied.node.index()];
        return Err(invalid(format!("\"{name}\" shows copies of its mesh, which this format cannot hold with skins")));
    }
    let mut writer = GlbWriter::new();
    let mut materials = MaterialWriter::new(model);
    let mut written: HashMap<MeshId, Option<usize>> = HashMap::new();
    let mut meshes = Vec::new();
    let mut nodes: Vec<Value> = (0..model.skeleton.len()).map(|i| node(model, pose, i)).collect();
    for instance in &model.instances {
        let mesh_index = *written.entry(instance.mesh).or_insert_with(|| {
            meshes.push(mesh(model, instance.mesh, &mut writer, &mut materials)?);
            Some(meshes.len() - 1)
        });
        let Some(mesh_index) = mesh_index else { continue };
        let node = &mut nodes[instance.node.index()];
        node["mesh"] = json!(mesh_index);
        if let Some(skin) = instance.skin {
            node["skin"] = json!(skin.index());
        }
        let weights = weights(model, instance, pose);
        if !weights.is_empty() {
            node["weights"] = json!(weights);
        }
    }
    let skins: Vec<Value> = model.skins.iter().map(|skin| self::skin(skin, &mut writer)).collect();
    let roots = model.scenes.get(scene).map(|scene| scene.roots.iter().map(|n| n.index()).collect::<Vec<_>>());
    let mut document = Map::new();
    document.insert("scene".into(), json!(0));
    let shown = roots.filter(|roots| !roots.is_empty());
    document.insert("scenes".into(), shown.map_or(json!([{}]), |roots| json!([{ "nodes": roots }])));
    for (name, list) in [("nodes", nodes), ("meshes", meshes), ("skins", skins)] {
        if !list.is_empty() {
            document.insert(name.into(), Value::Array(list));
        }
    }
    materials.finish(&mut document);
    let bytes = writer.finish(document).map_err(|e| invalid(e.to_string()))?;
    out.write_all(&bytes)
}

fn node(model: &Model, pose: &LocalPose, i: usize) -> Value {
    let transform = pose.transforms[i];
    let mut out = json!({ "name": model.skeleton.names[i] });
    let children: Vec<usize> = model.skeleton.children(NodeId::from_index(i)).map(NodeId::index).collect();
    if !children.is_empty() {
        out["children"] = json!(children);
    }
    let rotation = transform.rotation.normalize();
    let taken = model.skeleton.base(i) + pose.wide.offset(NodeId::from_index(i));
    let stored = (taken != DVec3::ZERO).then(|| transform.translation.as_dvec3() + taken);
    match model.skeleton.residual(i) {
        // A stored matrix that is no TRS keeps its shear.
        Some(shear) => {
            let trs = Mat4::from_scale_rotation_translation(transform.scale, rotation, transform.translation);
            out["matrix"] = json!((trs * Mat4::from_mat3(glam::Mat3::from(shear))).to_cols_array().to_vec());
            if let Some(stored) = stored {
                (0..3).for_each(|axis| out["matrix"][12 + axis] = json!(stored[axis]));
            }
        }
        None => {
            out["translation"] = stored.map_or(json!(transform.translation.to_array()), |t| json!(t.to_array()));
            out["rotation"] = json!(rotation.to_array());
            out["scale"] = json!(transform.scale.to_array());
        }
    }
    out
}

/// The morph weights of an instance; none where its mesh has no targets.
fn weights(model: &Model, instance: &Instance, pose: &LocalPose) -> Vec<f32> {
    let count = model.meshes[instance.mesh.index()].morph_names.len();
    pose.morph_weights.iter().skip(instance.morph_offset).take(count).copied().collect()
}

fn skin(skin: &Skin, writer: &mut GlbWriter) -> Value {
    let joints: Vec<usize> = skin.joints.iter().map(|joint| joint.index()).collect();
    let mut out = json!({ "joints": joints });
    if !skin.binds_missing {
        let binds: Vec<Mat4> = skin.inverse_bind.iter().map(|bind| Mat4::from(*bind)).collect();
        out["inverseBindMatrices"] = json!(writer.push(Elements::Matrices(&binds)));
    }
    if !skin.name.is_empty() {
        out["name"] = json!(skin.name);
    }
    if let Some(root) = skin.root {
        out["skeleton"] = json!(root.index());
    }
    out
}

/// Writes a mesh; `None` where it has no vertices, which glTF does not allow.
fn mesh(model: &Model, id: MeshId, writer: &mut GlbWriter, materials: &mut MaterialWriter<'_>) -> Option<Value> {
    let source = &model.meshes[id.index()];
    let vertices: Vec<Option<Map<String, Value>>> = (0..source.primitives.len())
        .map(|i| (!source.primitives[i].indices.is_empty()).then(|| vertices(model, (id, i), writer)))
        .collect();
    let mut primitives = Vec::new();
    for (i, p) in source.primitives.iter().enumerate() {
        let (holder, range) = source.part_of(i);
        let Some(vertices) = vertices[holder].as_ref().filter(|_| !range.is_empty()) else { continue };
        let of = &source.primitives[holder];
        let indices: Vec<u32> = of.indices[range].iter().map(|index| of.stored_vertex(*index)).collect();
        let mut out = Value::Object(vertices.clone());
        out["indices"] = json!(writer.push(Elements::Indices(&indices)));
        out["mode"] = json!(mode(p.topology));
        if let Some(material) = p.material {
            out["material"] = json!(materials.index_of_material(material, writer));
        }
        primitives.push(out);
    }
    if primitives.is_empty() {
        return None;
    }
    let mut out = json!({ "primitives": primitives });
    if !source.morph_names.is_empty() {
        out["extras"] = json!({ "targetNames": source.morph_names });
    }
    Some(out)
}

/// Writes the vertices of a primitive: the members `attributes` and `targets`, which all primitives with these vertices have.
fn vertices(model: &Model, (id, i): (MeshId, usize), writer: &mut GlbWriter) -> Map<String, Value> {
    let p = &model.meshes[id.index()].primitives[i];
    let stored = p.stored_vertices;
    let mut attributes = Map::new();
    let mut put = |name: &str, accessor: usize| attributes.insert(name.to_owned(), json!(accessor));
    put("POSITION", writer.push(Elements::Attribute3(&p.positions[..stored])));
    if !p.normals.is_empty() {
        put("NORMAL", writer.push(Elements::Attribute3(&unit_normals(&p.normals[..stored]))));
        // Tangents that import has made are made again by whoever reads the file.
        if !p.tangents.is_empty() && p.split_from.is_empty() {
            put("TANGENT", writer.push(Elements::Attribute4(&unit_tangents(&p.tangents[..stored]))));
        }
    }
    for (name, uvs) in ["TEXCOORD_0", "TEXCOORD_1"].into_iter().zip(&p.uvs).filter(|(_, uvs)| !uvs.is_empty()) {
        put(name, writer.push(Elements::Attribute2(&uvs[..stored])));
    }
    if !p.colors.is_empty() {
        put("COLOR_0", writer.push(Elements::Attribute4(&p.colors[..stored])));
    }
    if let Some(influences) = model.primitive(id, i).influences {
        for set in 0..influences.per_vertex.div_ceil(4) {
            let row = |vertex: usize| {
                let (joints, weights) = influences.of(vertex);
                let (mut four, mut shares) = ([0_u16; 4], [0.0_f32; 4]);
                for (k, (joint, weight)) in joints.iter().zip(weights).skip(4 * set).take(4).enumerate() {
                    // A joint without weight must be 0.
                    (four[k], shares[k]) = (if *weight == 0.0 { 0 } else { *joint }, *weight);
                }
                (four, glam::Vec4::from_array(shares))
            };
            let (joints, weights): (Vec<_>, Vec<_>) = (0..stored).map(row).unzip();
            put(&format!("JOINTS_{set}"), writer.push(Elements::Joints(&joints)));
            put(&format!("WEIGHTS_{set}"), writer.push(Elements::Attribute4(&weights)));
        }
    }
    let mut out = Map::new();
    out.insert("attributes".into(), Value::Object(attributes));
    let targets: Vec<Value> = p
        .morphs
        .iter()
        .map(|target| {
            let mut out = Map::new();
            // A target must have what the others have; without displacement it moves nothing.
            let still = vec![Vec3::ZERO; stored];
            let list = |list: &'_ [Vec3]| if list.len() < stored { still.clone() } else { list[..stored].to_vec() };
            out.insert("POSITION".into(), json!(writer.push(Elements::Attribute3(&list(&target.positions)))));
            if p.morphs.iter().any(|target| !target.normals.is_empty()) && !p.normals.is_empty() {
                out.insert("NORMAL".into(), json!(writer.push(Elements::Attribute3(&list(&target.normals)))));
            }
            Value::Object(out)
        })
        .collect();
    if !targets.is_empty() {
        out.insert("targets".into(), json!(targets));
    }
    out
}

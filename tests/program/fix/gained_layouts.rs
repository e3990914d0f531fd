//! Meshes gain a skin whatever the layout of their vertices: compressed by Draco or meshopt, quantised, sparse, or shared by primitives.

use std::path::{Path, PathBuf};

use glam::Vec3;
use serde_json::{Value, json};
use skinscope::edit::MeshBinding;
use skinscope::model::{BuildError, InstanceId, MeshId, Model, PrimitiveId, WeightFormat};

use crate::common::PACKED_FIGURES;
use crate::fix::folder;
use crate::fix::gained::{Kind, VERTICES, change, glb, old_bytes_stay, open, posed, root, same_surface, save, write};
use crate::fix::outside::{Written, is_there, nothing_new};
use crate::fix::reader::{File, chunks};

/// A figure without its skin: what its streams hold stays, and nothing names the joints and weights in them.
fn bare(name: &str, folder: &Path) -> PathBuf {
    let figure = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let (chunks, _) = chunks(&std::fs::read(figure).unwrap());
    let mut root: Value = serde_json::from_slice(&chunks[0].1).unwrap();
    _ = root.as_object_mut().unwrap().remove("skins");
    for node in root["nodes"].as_array_mut().unwrap() {
        _ = node.as_object_mut().unwrap().remove("skin");
    }
    let strip = |attributes: &mut Value| {
        if let Some(attributes) = attributes.as_object_mut() {
            attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
        }
    };
    for primitive in root["meshes"][0]["primitives"].as_array_mut().unwrap() {
        strip(&mut primitive["attributes"]);
        if let Some(stream) = primitive.pointer_mut("/extensions/KHR_draco_mesh_compression/attributes") {
            strip(stream);
        }
    }
    let path = folder.join(name);
    std::fs::write(&path, glb(&root, Some(&chunks[1].1))).unwrap();
    path
}

/// Binds a figure without a skin as it was bound with one.
fn bound(model: &Model, skinned: &Model, format: WeightFormat) -> Result<Model, BuildError> {
    let influences = skinned.influences(MeshId(0), 0).unwrap();
    let row = |vertex: usize| {
        let (joints, weights) = influences.of(vertex);
        joints.iter().map(|joint| u32::from(*joint)).zip(weights.iter().map(|weight| f64::from(*weight))).collect()
    };
    let rows = (0..model.meshes[0].primitives[0].stored_vertices).map(row).collect();
    let binding = MeshBinding {
        instances: vec![InstanceId(0)],
        name: "figure".into(),
        joints: skinned.skins[0].joints.clone(),
        most: 8,
        format,
        parts: vec![(PrimitiveId::default(), rows)],
        ..MeshBinding::default()
    };
    model.with_bindings(&binding.change(model)?)
}

/// Where all vertices are at rest.
fn places(model: &Model) -> Vec<Vec3> {
    posed(model, None).into_values().flatten().collect()
}

/// How far apart two surfaces are, as a share of the largest number.
fn apart(a: &Model, b: &Model) -> f32 {
    let [a, b] = [a, b].map(places);
    assert_eq!(a.len(), b.len());
    let size = a.iter().map(|place| place.abs().max_element()).fold(1.0, f32::max);
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max) / size
}

#[test]
fn compressed_and_quantised_figures_gain_the_skin_that_they_had() {
    let folder = folder("gained packed");
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    for (i, name) in PACKED_FIGURES.into_iter().enumerate() {
        let old = bare(name, &folder);
        let skinned = open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name));
        let model = open(&old);
        assert!(model.skins.is_empty() && model.influences(MeshId(0), 0).is_none(), "{name}");
        let format = [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32][i % 3];
        let new = folder.join(format!("bound {name}"));
        let saved = bound(&model, &skinned, format).map_err(|error| error.to_string()).and_then(|bound| {
            assert!(apart(&model, &bound) < 4e-6, "{name}");
            save(&old, &bound, &new).map_err(|error| error.to_string()).map(|_| bound)
        });
        let bound = match saved {
            Ok(bound) => bound,
            Err(why) => {
                // Only a clip of morph weights, which its node has to keep, holds one back.
                assert!(why.contains("morph weights") && !new.exists(), "{name}: {why}");
                refused.push(name);
                continue;
            }
        };
        let again = open(&new);
        assert!(apart(&bound, &again) < 4e-6, "{name}");
        let rows = |model: &Model| -> Vec<(Vec<u16>, Vec<f32>)> {
            let influences = model.influences(MeshId(0), 0).unwrap();
            (0..influences.vertices()).map(|v| influences.of(v)).map(|(j, w)| (j.to_vec(), w.to_vec())).collect()
        };
        assert!(rows(&bound) == rows(&again), "{name}: other weights");
        let lists = |model: &Model| {
            let primitive = &model.meshes[0].primitives[0];
            (primitive.positions.clone(), primitive.normals.clone(), primitive.indices.clone(), primitive.morphs.len())
        };
        assert!(lists(&model) == lists(&again), "{name}: other vertices");
        let [before, after] = [&old, &new].map(|path| File::open(path));
        assert!(before.buffers.iter().zip(&after.buffers).all(|(old, new)| new.starts_with(old)), "{name}");
        let streams = |file: &File| file.root["meshes"][0]["primitives"][0]["extensions"].clone();
        assert_eq!(streams(&before), streams(&after), "{name}");
        written.push(Written { what: name.to_owned(), old, new });
    }
    assert!(refused.len() <= 1, "{refused:?}");
    if is_there() {
        nothing_new(&written);
    }
}

/// Binds both meshes of a document, saves and reads it again, and compares.
fn case(what: &str, document: Value) -> File {
    let folder = folder(&format!("gained {what}"));
    let old = write(&folder, Kind::Glb, document, false);
    let new = folder.join("out.glb");
    let model = open(&old);
    let bound = model.with_bindings(&change(&model, &["still", "table"], false, WeightFormat::U16)).unwrap();
    same_surface(what, [&model, &bound], None);
    save(&old, &bound, &new).unwrap();
    let again = open(&new);
    same_surface(what, [&bound, &again], None);
    same_surface(what, [&bound, &again], Some(0.5));
    old_bytes_stay(what, [&old, &new]);
    File::open(&new)
}

#[test]
fn sparse_positions_stay_sparse() {
    let mut document = root(false, false);
    // The first vertex is where the third one is.
    document["accessors"][0]["sparse"] = json!({
        "count": 1,
        "indices": { "bufferView": 1, "componentType": 5123 },
        "values": { "bufferView": 0, "byteOffset": 24 },
    });
    let file = case("sparse", document);
    assert_eq!(file.root["accessors"][0]["sparse"]["count"], json!(1));
}

#[test]
fn primitives_that_share_their_vertices_share_the_new_accessors_too() {
    let mut document = root(false, false);
    for start in [0, 6] {
        let indices =
            json!({ "bufferView": 1, "byteOffset": start, "componentType": 5123, "type": "SCALAR", "count": 3 });
        document["accessors"].as_array_mut().unwrap().push(indices);
    }
    let part = |indices: usize| json!({ "attributes": { "POSITION": 0 }, "indices": indices });
    for mesh in document["meshes"].as_array_mut().unwrap() {
        mesh["primitives"] = json!([part(4), part(5)]);
    }
    let file = case("shared", document.clone());
    for mesh in file.root["meshes"].as_array().unwrap() {
        let attributes = |part: usize| &mesh["primitives"][part]["attributes"];
        assert!(attributes(0)["JOINTS_0"].is_number() && attributes(0)["WEIGHTS_0"].is_number());
        assert_eq!(attributes(0), attributes(1));
    }
    // The second one is bound with the first, and not by itself.
    let folder = folder("gained shared not");
    let model = open(&write(&folder, Kind::Glb, document, false));
    let mut wrong = change(&model, &["still"], false, WeightFormat::F32);
    wrong.primitives[0].0.primitive = 1;
    let said = model.with_bindings(&wrong).unwrap_err().to_string();
    assert!(said.contains("its vertices are those of another primitive"), "{said}");
    assert_eq!(model.meshes[0].primitives[0].stored_vertices, VERTICES);
}

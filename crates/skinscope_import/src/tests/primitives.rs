//! Tests of primitives: attributes, topology, morph targets, tangents.

use glam::{Vec3, Vec4};
use serde_json::json;
use skinscope_model::{SourceMode, Topology};

use super::*;

#[test]
fn a_strip_without_indices_becomes_triangles() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 5 }));
    let p = doc.primitive();
    assert_eq!((p.source_mode, p.topology), (SourceMode::TriangleStrip, Topology::Triangles));
    assert_eq!(p.indices, [0, 1, 2, 1, 3, 2]);
    assert!(p.normals.is_empty() && p.tangents.is_empty() && p.stored_influences.is_none() && p.material.is_none());
}

#[test]
fn indices_of_every_width_are_read_and_checked() {
    for (component, bytes) in
        [(U8, vec![2, 1, 0]), (U16, vec![2, 0, 1, 0, 0, 0]), (U32, vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])]
    {
        let mut doc = Doc::new();
        let position = doc.floats("VEC3", 3, &SQUARE);
        let indices = doc.accessor(&bytes, component, "SCALAR", 3);
        let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "indices": indices }));
        assert_eq!(doc.primitive().indices, [2, 1, 0]);
        doc.root["accessors"][position]["count"] = json!(2);
        let error = doc.error();
        assert!(error.contains("mesh 0, primitive 0, indices: expected vertices below 2, found 2"), "{error}");
    }
}

#[test]
fn one_index_is_no_several() {
    let said = |bytes: &[u8]| {
        let mut doc = Doc::new();
        let position = doc.floats("VEC3", 3, &SQUARE);
        let indices = doc.accessor(bytes, U8, "SCALAR", bytes.len());
        let doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "indices": indices }));
        doc.warnings().join("\n")
    };
    let one = said(&[0]);
    assert!(one.contains("has 1 index, of which the last 1 completes nothing and was ignored"), "{one}");
    let more = said(&[0, 1, 2, 0, 1]);
    assert!(more.contains("has 5 indices, of which the last 2 complete nothing and were ignored"), "{more}");
}

#[test]
fn attributes_arrive_as_they_are_stored() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let normal = doc.floats("VEC3", 3, &[0.0, 0.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let uv0 = doc.shorts("VEC2", 2, &[0, 65535, 65535, 0, 0, 0, 0, 0]);
    doc.root["accessors"][uv0]["normalized"] = json!(true);
    let uv1 = doc.floats("VEC2", 2, &[0.5, -3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let color = doc.accessor(&[255, 0, 51, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], U8, "VEC3", 4);
    doc.root["accessors"][color]["normalized"] = json!(true);
    doc.root["bufferViews"][color]["byteStride"] = json!(4);
    let doc = doc.with_primitive(json!({ "mode": 0, "attributes": {
        "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv0, "TEXCOORD_1": uv1, "COLOR_0": color, "_CUSTOM": uv1,
    } }));
    let p = doc.primitive();
    assert_eq!(p.positions[1], Vec3::X);
    assert_eq!(p.normals[..2], [Vec3::Z, Vec3::new(0.0, 0.6, 0.8)]);
    assert_eq!(p.uvs[0][..2], [glam::Vec2::new(0.0, 1.0), glam::Vec2::new(1.0, 0.0)]);
    assert_eq!(p.uvs[1][0], glam::Vec2::new(0.5, -3.0));
    assert_eq!(p.colors[0], Vec4::new(1.0, 0.0, 0.2, 1.0));
}

#[test]
fn numbers_that_are_not_finite_become_zero_and_are_listed() {
    let mut square = SQUARE;
    square[3] = f32::NAN;
    square[4] = f32::NEG_INFINITY;
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &square);
    let doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 0 }));
    let import = doc.import().unwrap();
    assert_eq!(import.model.meshes[0].primitives[0].positions[1], Vec3::ZERO);
    assert_eq!(doc.warnings(), ["mesh 0, primitive 0: POSITION has 2 numbers that are not finite; read as 0"]);
}

#[test]
fn positions_without_bytes_are_never_silent() {
    let mut doc = Doc::new();
    let item = json!({ "componentType": F32, "type": "VEC3", "count": 3 });
    let position = doc.push("accessors", item);
    let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position } }));
    assert!(doc.warnings()[0].ends_with("POSITION has no buffer view; all positions are zero"));
    doc.root["meshes"][0]["primitives"][0]["extensions"] = json!({ "ACME_mesh_compression": {} });
    assert!(doc.error().starts_with("extension ACME_mesh_compression is required"), "{}", doc.error());
}

/// Node weights take precedence over mesh weights, and those over zeros.
#[test]
fn morph_targets_names_and_default_weights() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let indices = doc.view(&[2]);
    let values = doc.view(bytemuck::cast_slice(&[0.0_f32, 0.0, 7.0]));
    doc.push(
        "accessors",
        json!({ "componentType": F32, "type": "VEC3", "count": 4, "sparse": {
            "count": 1,
            "indices": { "bufferView": indices, "componentType": U8 },
            "values": { "bufferView": values },
        } }),
    );
    let mut doc = doc.with_primitive(json!({
        "attributes": { "POSITION": position }, "mode": 0,
        "targets": [{ "POSITION": 1 }, { "NORMAL": 0, "TANGENT": 0 }],
    }));
    doc.root["meshes"][0]["extras"] = json!({ "targetNames": ["smile"] });
    doc.root["meshes"][0]["weights"] = json!([0.25, 0.5]);
    doc.root["nodes"] = json!([{ "mesh": 0 }, { "mesh": 0, "weights": [1.0, 0.0] }]);
    let model = doc.import().unwrap().model;
    let p = &model.meshes[0].primitives[0];
    assert_eq!(p.morphs[0].positions, [Vec3::ZERO, Vec3::ZERO, Vec3::new(0.0, 0.0, 7.0), Vec3::ZERO]);
    assert!(p.morphs[0].normals.is_empty() && p.morphs[1].positions.is_empty());
    assert_eq!((p.morphs[1].normals[1], p.morphs[1].tangents[2]), (Vec3::X, Vec3::Y));
    assert_eq!(model.meshes[0].morph_names, ["smile", "target 1"]);
    assert_eq!(model.skeleton.rest.morph_weights, [0.25, 0.5, 1.0, 0.0]);
    assert_eq!(model.instances[1].morph_offset, 2);
}

/// Makes a square that faces +Z with a normal map. Texture coordinates of glTF run downward.
fn mapped_square(uvs: &[f32], indices: &[u16]) -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let normal = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let uv = doc.floats("VEC2", 2, uvs);
    let joints = doc.accessor(&[0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], U8, "VEC4", 4);
    let weights = doc.floats("VEC4", 4, &[1.0, 0.0, 0.0, 0.0].repeat(4));
    let indices = doc.shorts("SCALAR", 1, indices);
    doc.root["images"] = json!([]);
    doc.root["textures"] = json!([{}]);
    doc.root["materials"] = json!([{ "normalTexture": { "index": 0 } }]);
    doc.with_primitive(json!({
        "attributes": {
            "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weights,
        },
        "indices": indices, "material": 0, "targets": [{ "POSITION": position }],
    }))
}

#[test]
fn tangents_follow_u_and_their_side_follows_v() {
    let p = |uvs| mapped_square(uvs, &[0, 1, 2, 1, 3, 2]).import().unwrap().model.meshes[0].primitives[0].clone();
    // u runs along +X and v down: the bitangent n × t · w is +Y.
    let upright = p(&[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(upright.tangents, [Vec4::new(1.0, 0.0, 0.0, 1.0); 4]);
    assert!(upright.split_from.is_empty());
    // Mirrored, u runs along -X.
    let mirrored = p(&[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(mirrored.tangents, [Vec4::new(-1.0, 0.0, 0.0, -1.0); 4]);
    // Turned a quarter, u runs along +Y.
    let turned = p(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(turned.tangents, [Vec4::new(0.0, 1.0, 0.0, 1.0); 4]);
}

/// The second triangle mirrors the first's texture, so the two vertices that they share are split.
#[test]
fn vertices_split_where_tangents_disagree() {
    let doc = mapped_square(&[0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0, 1, 2, 1, 3, 2]);
    let p = doc.import().unwrap().model.meshes[0].primitives[0].clone();
    assert_eq!((p.stored_vertices, p.vertex_count()), (4, 6));
    assert_eq!(p.split_from, [1, 2]);
    assert_eq!(p.indices, [0, 1, 2, 4, 3, 5]);
    assert_eq!((p.positions[4], p.positions[5]), (p.positions[1], p.positions[2]));
    assert_eq!((p.uvs[0][4], p.morphs[0].positions[5]), (p.uvs[0][1], p.morphs[0].positions[2]));
    let influences = p.stored_influences.unwrap();
    assert_eq!((influences.of(4).0, influences.of(5).0), (&[1, 0, 0, 0][..], &[2, 0, 0, 0][..]));
    assert!((p.tangents[1].w - p.tangents[4].w).abs() > 1.0, "{:?}", p.tangents);
}

/// Forty thousand triangles around one vertex would cost the generator their square, and its stack.
#[test]
fn crowds_of_triangles_around_one_vertex_get_no_tangents() {
    let mut doc = mapped_square(&[0.0; 8], &[0, 1, 2]);
    let rim: Vec<u16> = (0..40_000).flat_map(|i| [0, 1 + i % 2, 2 + i % 2]).collect();
    let indices = doc.shorts("SCALAR", 1, &rim);
    doc.root["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    let import = doc.import().unwrap();
    assert!(import.warnings.iter().any(|w| w.message.contains("40000 triangles")), "{:?}", import.warnings);
    assert!(import.model.meshes[0].primitives[0].tangents.iter().all(|t| t.is_finite() && t.z == 0.0));
}

//! Tests of primitives that name the same vertices.

use glam::Vec3;
use serde_json::json;
use skinscope_model::{Part, Topology};

use super::*;

/// A square of two triangles in two primitives that name the same vertices and influences, a material each; between them
/// stands a primitive with vertices of its own.
fn cut() -> Doc {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let other = doc.floats("VEC3", 3, &SQUARE);
    let joints = doc.shorts("VEC4", 4, &[0; 16]);
    let weights: Vec<f32> =
        [[0.5, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]].concat();
    let weights = doc.floats("VEC4", 4, &weights);
    let [first, second] = [[0, 1, 2], [1, 3, 2]].map(|corners: [u16; 3]| doc.shorts("SCALAR", 1, &corners));
    let shared = json!({ "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights });
    doc.root["materials"] = json!([{ "name": "a" }, { "name": "b" }]);
    doc.root["meshes"] = json!([{ "primitives": [
        { "attributes": shared.clone(), "indices": first, "material": 0 },
        { "attributes": { "POSITION": other } },
        { "attributes": shared, "indices": second, "material": 1 },
    ] }]);
    doc.root["nodes"] = json!([{ "mesh": 0, "skin": 0 }, {}]);
    doc.root["skins"] = json!([{ "joints": [1] }]);
    doc
}

#[test]
fn primitives_that_name_the_same_vertices_have_them_once() {
    let doc = cut();
    let model = doc.import().unwrap().model;
    let mesh = &model.meshes[0];
    let [first, own, last] = &mesh.primitives[..] else { panic!("three primitives") };
    assert_eq!((first.stored_vertices, own.stored_vertices, last.stored_vertices), (4, 4, 0));
    assert_eq!((first.shares, own.shares, last.shares), (None, None, Some(0)));
    assert_eq!(first.indices, [0, 1, 2, 1, 3, 2]);
    let parts = [Part { primitive: 0, indices: 0..3 }, Part { primitive: 2, indices: 3..6 }];
    assert_eq!(first.parts, parts);
    assert_eq!(mesh.parts(0).collect::<Vec<_>>(), parts);
    assert_eq!(mesh.parts(1).collect::<Vec<_>>(), [Part { primitive: 1, indices: 0..3 }]);
    assert_eq!(mesh.parts(2).count(), 0);
    assert_eq!((mesh.holder(2), mesh.part_of(2)), (0, (0, 3..6)));
    assert_eq!(mesh.vertex_lists().map(|(n, _)| n).collect::<Vec<_>>(), [0, 1]);
    // Each keeps its material.
    assert_eq!([0, 2].map(|p: usize| mesh.primitives[p].material.map(|m| m.index())), [Some(0), Some(1)]);
    // The locations of both are known, so that a change of the weights reaches both.
    let origins = &model.source.origins.primitives[0];
    assert!(origins[0] == origins[2] && origins[0].sets.len() == 1 && origins[1].sets.is_empty());
    // What is odd about the vertices is said once.
    let said = doc.warnings();
    assert_eq!(said.iter().filter(|text| text.contains("do not sum to one")).count(), 1, "{said:?}");
    assert!(said.iter().any(|text| text.contains("1 primitive of its mesh has no JOINTS and WEIGHTS")), "{said:?}");
}

#[test]
fn what_is_wrong_with_a_sharing_primitive_is_said_of_it() {
    let mut doc = cut();
    doc.root["meshes"][0]["primitives"][2]["material"] = json!(7);
    assert!(doc.error().contains("mesh 0, primitive 2: expected a material below 2"), "{}", doc.error());
    let mut doc = cut();
    let far = doc.shorts("SCALAR", 1, &[0, 1, 9]);
    doc.root["meshes"][0]["primitives"][2]["indices"] = json!(far);
    assert!(doc.error().contains("mesh 0, primitive 2, indices: expected vertices below 4"), "{}", doc.error());
}

#[test]
fn only_what_is_wholly_the_same_is_shared() {
    // Another attribute, another kind of primitive, another morph target.
    let change = |change: &dyn Fn(&mut Doc)| {
        let mut doc = cut();
        change(&mut doc);
        let model = doc.import().unwrap().model;
        let mesh = &model.meshes[0];
        mesh.primitives.iter().map(|p| p.stored_vertices).collect::<Vec<_>>()
    };
    assert_eq!(change(&|_| {}), [4, 4, 0]);
    let of_last = |doc: &mut Doc, key: &str, value: Value| doc.root["meshes"][0]["primitives"][2][key] = value;
    assert_eq!(change(&|doc| of_last(doc, "mode", json!(0))), [4, 4, 4]);
    assert_eq!(change(&|doc| of_last(doc, "mode", json!(5))), [4, 4, 0], "a strip is triangles too");
    let colored = |doc: &mut Doc| {
        let color = doc.floats("VEC4", 4, &[1.0; 16]);
        doc.root["meshes"][0]["primitives"][2]["attributes"]["COLOR_0"] = json!(color);
    };
    assert_eq!(change(&colored), [4, 4, 4]);
    let moved = |doc: &mut Doc| {
        let [a, b] = [0.0, 1.0].map(|by| doc.floats("VEC3", 3, &[by; 12]));
        for (p, target) in [(0, a), (1, a), (2, b)] {
            doc.root["meshes"][0]["primitives"][p]["targets"] = json!([{ "POSITION": target }]);
        }
    };
    assert_eq!(change(&moved), [4, 4, 4]);
}

#[test]
fn only_triangles_with_a_normal_map_get_tangents() {
    let mut doc = cut();
    let normals = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let uvs = doc.floats("VEC2", 2, &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    for p in [0, 2] {
        let attributes = &mut doc.root["meshes"][0]["primitives"][p]["attributes"];
        (attributes["NORMAL"], attributes["TEXCOORD_0"]) = (json!(normals), json!(uvs));
    }
    doc.root["textures"] = json!([{}]);
    doc.root["materials"][1]["normalTexture"] = json!({ "index": 0 });
    let model = doc.import().unwrap().model;
    let first = &model.meshes[0].primitives[0];
    assert_eq!((first.topology, first.positions.len(), first.tangents.len()), (Topology::Triangles, 4, 4));
    // Along u, which runs along y of the square.
    assert!(first.tangents[3].truncate().abs_diff_eq(Vec3::Y, 1e-6), "{:?}", first.tangents);
    // No triangle with a normal map stands at the first vertex.
    assert_eq!(first.tangents[0].truncate(), Vec3::Z.any_orthonormal_vector());
    doc.root["materials"][1]["normalTexture"] = Value::Null;
    doc.root["materials"][1].as_object_mut().unwrap().remove("normalTexture");
    assert!(doc.import().unwrap().model.meshes[0].primitives[0].tangents.is_empty());
}

//! Tests of nodes: order, scenes, transforms.

use glam::{Mat4, Quat, Vec3};
use serde_json::json;

use super::*;

fn names(doc: &Doc) -> Vec<String> {
    doc.import().unwrap().model.skeleton.names.clone()
}

/// ```text
/// scene 0: d           scene 1 (default): a ── b ── c     neither: f
///                                          └─ e
/// ```
#[test]
fn the_default_scene_comes_first_depth_first_then_the_rest() {
    let mut doc = Doc::new();
    doc.root["nodes"] = json!([
        { "name": "f" }, { "name": "e" }, { "name": "d" }, { "name": "c" },
        { "name": "b", "children": [3] }, { "name": "a", "children": [4, 1] }, {},
    ]);
    doc.root["scenes"] = json!([{ "nodes": [2] }, { "nodes": [5], "name": "main" }]);
    doc.root["scene"] = json!(1);
    let model = doc.import().unwrap().model;
    assert_eq!(model.skeleton.names, ["a", "b", "c", "e", "d", "f", "node 6"]);
    assert_eq!(model.skeleton.file_index, [5, 4, 3, 1, 2, 0, 6]);
    let parents: Vec<_> = model.skeleton.parents.iter().map(|p| p.map(|p| p.index())).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(0), None, None, None]);
    assert_eq!(model.default_scene, 1);
    assert_eq!(model.scenes[1].contains, [true, true, true, true, false, false, false]);
    assert_eq!(model.scenes[0].contains, [false, false, false, false, true, false, false]);
    // A file without any scene has one of all roots.
    doc.root.as_object_mut().unwrap().retain(|k, _| k != "scene" && k != "scenes");
    assert_eq!(names(&doc), ["f", "d", "a", "b", "c", "e", "node 6"]);
    let model = doc.import().unwrap().model;
    assert_eq!((model.scenes.len(), model.scenes[0].roots.len()), (1, 4));
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_opens() {
    let mut doc = Doc::new();
    let mut nodes: Vec<_> = (1..100_000).map(|i| json!({ "children": [i] })).collect();
    nodes.push(json!({}));
    doc.root["nodes"] = json!(nodes);
    assert_eq!(doc.import().unwrap().model.skeleton.len(), 100_000);
}

#[test]
fn broken_hierarchies_name_the_node() {
    let error = |nodes: Value, scenes: Value| {
        let mut doc = Doc::new();
        doc.root["nodes"] = nodes;
        doc.root["scenes"] = scenes;
        doc.error()
    };
    let cycle = error(json!([{}, { "children": [2] }, { "children": [1] }]), json!([{ "nodes": [0] }]));
    assert!(cycle.starts_with("node 1: expected a tree"), "{cycle}");
    let own = error(json!([{ "children": [0] }]), json!([]));
    assert!(own.starts_with("node 0: expected a tree"), "{own}");
    let twice = error(json!([{ "children": [2] }, { "children": [2] }, {}]), json!([]));
    assert!(twice.starts_with("node 2: expected one parent at most, found nodes 0 and 1"), "{twice}");
    let lost = error(json!([{ "children": [4] }]), json!([]));
    assert!(lost.starts_with("node 0, children: expected a node below 1, found node 4"), "{lost}");
    let listed = error(json!([{}]), json!([{ "nodes": [0, 0] }]));
    assert!(listed.starts_with("scene 0: expected each node once"), "{listed}");
}

#[test]
fn matrices_become_trs_and_what_is_sheared_beside_it() {
    let rotation = Quat::from_rotation_x(1.0);
    let plain = Mat4::from_scale_rotation_translation(Vec3::new(2.0, 3.0, 4.0), rotation, Vec3::ONE);
    let mut sheared = Mat4::IDENTITY.to_cols_array();
    sheared[4] = 0.5;
    let mut doc = Doc::new();
    doc.root["nodes"] = json!([
        { "matrix": plain.to_cols_array() }, { "matrix": sheared },
        { "rotation": [0.0, 0.0, 0.0, 1.01] }, { "translation": [1.0, 2.0, 3.0] },
    ]);
    let import = doc.import().unwrap();
    assert_eq!(import.warnings, []);
    let skeleton = &import.model.skeleton;
    let first = skeleton.rest.transforms[0];
    assert!((first.scale - Vec3::new(2.0, 3.0, 4.0)).length() < 1e-5 && first.rotation.dot(rotation).abs() > 0.999_999);
    assert_eq!(skeleton.residuals.len(), 1);
    let rebuilt = skeleton.local_matrix(1, skeleton.rest.transforms[1]).transform_vector3(Vec3::Y);
    assert!((rebuilt - Vec3::new(0.5, 1.0, 0.0)).length() < 1e-6);
    assert_eq!(skeleton.rest.transforms[2].rotation, Quat::IDENTITY);
    assert_eq!(skeleton.rest.transforms[3].translation, Vec3::new(1.0, 2.0, 3.0));
}

#[test]
fn rotations_without_length_are_no_rotation_and_listed() {
    let mut doc = Doc::new();
    doc.root["nodes"] = json!([{ "rotation": [0.0, 0.0, 0.0, 0.0] }]);
    assert_eq!(doc.warnings(), ["node 0: has a rotation of length zero; read as no rotation"]);
    doc.root["nodes"] = json!([{ "rotation": [0.0, 2.0, 0.0, 0.0] }]);
    assert_eq!(doc.warnings(), ["node 0: has a rotation of length 2.000; normalised"]);
    doc.root["nodes"] = json!([{ "scale": [1e39, 1.0, 1.0] }]);
    assert!(doc.error().starts_with("node 0: expected a finite transform"));
}

//! `EXT_mesh_gpu_instancing`: one node, many copies.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use serde_json::json;

use super::*;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// Makes a square that a node at (0, 0, 5) shows with these attributes.
fn shown(mut doc: Doc, attributes: Value) -> Doc {
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 5 }));
    doc.root["extensionsUsed"] = json!([NAME]);
    doc.root["extensionsRequired"] = json!([NAME]);
    doc.root["nodes"] =
        json!([{ "mesh": 0, "translation": [0.0, 0.0, 5.0], "extensions": { NAME: { "attributes": attributes } } }]);
    doc
}

#[test]
fn copies_stand_where_translation_rotation_and_scale_put_them() {
    let positions = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.0), Vec3::new(0.0, 0.0, -3.0)];
    let sizes = [Vec3::ONE, Vec3::new(2.0, 0.5, 1.0), Vec3::new(-1.0, 1.0, 1.0)];
    // The rotations are quarter turns about x, y and z, rounded to bytes: 0.70866 for 0.70711.
    let turns: [[i8; 4]; 3] = [[90, 0, 0, 90], [0, 90, 0, 90], [0, 0, 90, 90]];
    let mut doc = Doc::new();
    let translation = doc.floats("VEC3", 3, &positions.map(|p| p.to_array()).concat());
    let scale = doc.floats("VEC3", 3, &sizes.map(|p| p.to_array()).concat());
    let rotation = doc.accessor(bytemuck::cast_slice(&turns), I8, "VEC4", 3);
    doc.root["accessors"][rotation]["normalized"] = json!(true);
    let own = doc.floats("SCALAR", 1, &[1.0, 2.0, 3.0]);
    let attributes = json!({ "TRANSLATION": translation, "ROTATION": rotation, "SCALE": scale, "_ID": own });
    let import = shown(doc, attributes).import().unwrap();
    assert_eq!(import.warnings, []);
    let model = import.model;
    assert_eq!((model.drawn_vertices(), model.palette_layout().len), (12, 3));
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
    skinscope_deform::palettes(&model, &pose, &mut palettes);
    let half = std::f64::consts::FRAC_PI_2;
    let turns = [DQuat::from_rotation_x(half), DQuat::from_rotation_y(half), DQuat::from_rotation_z(half)];
    for (i, got) in palettes.iter().enumerate() {
        let node = DAffine3::from_translation(DVec3::Z * 5.0);
        let own = DAffine3::from_scale_rotation_translation(sizes[i].as_dvec3(), turns[i], positions[i].as_dvec3());
        let want = (node * own).to_cols_array();
        let off = got.to_cols_array().iter().zip(want).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "copy {i}: {got:?} for {want:?}");
    }
}

#[test]
fn pick_bounds_and_bake_see_every_copy() {
    let mut doc = Doc::new();
    let translation = doc.floats("VEC3", 3, &[0.0, 0.0, 0.0, 10.0, 0.0, 0.0, -4.0, 3.0, 0.0]);
    let model = shown(doc, json!({ "TRANSLATION": translation })).import().unwrap().model;
    let (mut pose, mut palettes) = (Vec::new(), Vec::new());
    skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
    skinscope_deform::palettes(&model, &pose, &mut palettes);
    let draws = skinscope_anim::drawn_at_rest(&model, 0);
    for method in skinscope_deform::METHODS {
        let bounds = skinscope_deform::bounds(&model, &draws, &palettes, &[], *method);
        assert_eq!((bounds.min, bounds.max), (Vec3::new(-4.0, 0.0, 5.0), Vec3::new(11.0, 4.0, 5.0)), "{}", method.id);
        let (palettes, draws) = (&palettes[..], &draws[..]);
        let input = skinscope_deform::SurfaceInput {
            model: &model,
            draws,
            palettes,
            morph_weights: &[],
            method: (*method).into(),
        };
        let surface = skinscope_deform::Surface::of(&input);
        let hit = |x: f32, y: f32| {
            let ray = skinscope_base::math::Ray { origin: Vec3::new(x, y, 9.0), direction: Vec3::NEG_Z };
            skinscope_inspect::pick(&model, &surface, ray).map(|hit| (hit.distance, hit.position))
        };
        for (x, y) in [(0.5, 0.4), (10.5, 0.4), (-3.4, 3.6)] {
            assert_eq!(hit(x, y), Some((4.0, Vec3::new(x, y, 5.0))));
        }
        assert_eq!(hit(5.0, 0.5), None);
        let baked = skinscope_export::baked_surface(&model, draws, &model.skeleton.rest, *method);
        let corners: Vec<_> = baked.iter().map(|p| (p.name.as_str(), p.positions[0])).collect();
        let at = |x: f32, y: f32| Vec3::new(x, y, 5.0);
        assert_eq!(corners, [("node 0#0", at(0.0, 0.0)), ("node 0#1", at(10.0, 0.0)), ("node 0#2", at(-4.0, 3.0))]);
    }
}

#[test]
fn broken_copies_name_what_is_wrong() {
    let mut doc = Doc::new();
    let (two, three) = (doc.floats("VEC3", 3, &[0.0; 6]), doc.floats("VEC3", 3, &[0.0; 9]));
    let zero = doc.floats("VEC4", 4, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let none = doc.push("accessors", json!({ "componentType": F32, "type": "VEC3", "count": 0 }));
    let many = doc.push("accessors", json!({ "componentType": F32, "type": "VEC3", "count": 3_000_000_000_u64 }));
    let error = |attributes: Value| shown(doc.clone(), attributes).error();
    let said = error(json!({ "TRANSLATION": two, "SCALE": three }));
    assert!(
        said.starts_with("node 0: expected as many elements in every attribute") && said.contains("2, 3"),
        "{said}"
    );
    assert!(error(json!({ "ROTATION": two })).starts_with("node 0, ROTATION: expected VEC4"));
    assert!(error(json!({ "TRANSLATION": 99 })).starts_with("node 0, TRANSLATION: expected an accessor below"));
    assert!(error(json!({ "TRANSLATION": "two" })).contains("found \"\\\"two\\\"\""));
    assert!(error(json!({ "SCALE": many })).contains("more than the limit"));
    let turned = shown(doc.clone(), json!({ "ROTATION": zero })).import().unwrap();
    assert!(
        turned.warnings.iter().any(|w| w.to_string().starts_with("node 0: 1 of 2 copies")),
        "{:?}",
        turned.warnings
    );
    assert_eq!(turned.model.instances[0].copies.len(), 2);
    let empty = shown(doc.clone(), json!({ "SCALE": none })).import().unwrap();
    assert!(empty.model.instances.is_empty() && empty.warnings.iter().any(|w| w.message.contains("no time at all")));
    // Without any attribute the node shows the mesh itself, once.
    assert!(shown(doc.clone(), json!({})).import().unwrap().model.instances[0].copies.is_empty());
}

#[test]
fn a_mesh_that_a_skin_moves_has_no_copies_and_its_node_is_noted() {
    let mut doc = Doc::new();
    let places = doc.floats("VEC3", 3, &[0.0; 6]);
    let mut doc = shown(doc, json!({ "TRANSLATION": places }));
    assert_eq!(doc.import().unwrap().model.instanced_skins, []);
    doc.root["nodes"].as_array_mut().unwrap().push(json!({}));
    doc.root["skins"] = json!([{ "joints": [1] }]);
    doc.root["nodes"][0]["skin"] = json!(0);
    assert_eq!(doc.import().unwrap().model.instanced_skins, [], "the mesh has no weights");
    let joints = doc.shorts("VEC4", 4, &[0; 16]);
    let weights = doc.floats("VEC4", 4, &[1.0, 0.0, 0.0, 0.0].repeat(4));
    let attributes = &mut doc.root["meshes"][0]["primitives"][0]["attributes"];
    (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (json!(joints), json!(weights));
    let model = doc.import().unwrap().model;
    assert_eq!(
        (model.instanced_skins.as_slice(), model.instances[0].copies.len()),
        (&[model.instances[0].node][..], 0)
    );
}

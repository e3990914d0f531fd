//! Tests of lights, cameras and hidden nodes.

use glam::Vec3;
use serde_json::json;
use skinscope_model::{Lens, LightKind, NodeId};

use super::*;

fn lit(lights: Value, nodes: Value) -> Doc {
    let mut doc = Doc::new();
    doc.root["extensionsUsed"] = json!(["KHR_lights_punctual"]);
    doc.root["extensions"] = json!({ "KHR_lights_punctual": { "lights": lights } });
    doc.root["nodes"] = nodes;
    doc
}

fn carries(light: Value) -> Value {
    json!({ "extensions": { "KHR_lights_punctual": { "light": light } } })
}

#[test]
fn lights_come_with_their_nodes() {
    let lights = json!([
        { "type": "directional", "intensity": 3.0, "range": 2.0 },
        { "type": "point", "color": [1.0, 0.5, 0.0], "intensity": 80.0, "range": 12.0, "name": "lamp" },
        { "type": "spot", "spot": { "innerConeAngle": 0.2, "outerConeAngle": 0.6 } },
        { "type": "spot" },
    ]);
    let doc = lit(lights, json!([carries(json!(1)), carries(json!(0)), {}, carries(json!(2)), carries(json!(1))]));
    let import = doc.import().unwrap();
    assert_eq!(import.warnings, []);
    let model = import.model;
    let kinds: Vec<_> = model.lights.iter().map(|l| l.kind).collect();
    let eighth = std::f32::consts::FRAC_PI_4;
    let spots = [(0.2, 0.6), (0.0, eighth)].map(|(inner, outer)| LightKind::Spot { inner, outer });
    assert_eq!(kinds, [LightKind::Directional, LightKind::Point, spots[0], spots[1]]);
    let lamp = &model.lights[1];
    assert_eq!(
        (lamp.name.as_str(), lamp.color, lamp.intensity, lamp.range),
        ("lamp", Vec3::new(1.0, 0.5, 0.0), 80.0, Some(12.0))
    );
    assert_eq!((model.lights[0].range, model.lights[2].intensity, model.lights[2].color), (None, 1.0, Vec3::ONE));
    let nodes: Vec<_> = model.light_nodes.iter().map(|(n, l)| (n.0, l.0)).collect();
    assert_eq!(nodes, [(0, 1), (1, 0), (3, 2), (4, 1)]);
}

#[test]
fn broken_lights_are_left_out_or_repaired_and_listed() {
    let lights = json!([
        { "type": "laser" }, 7, { "type": "point", "intensity": -2.0 },
        { "type": "spot", "spot": { "innerConeAngle": 0.9, "outerConeAngle": 0.5 } },
        { "type": "point", "color": [1.0, "red"], "range": "far" },
    ]);
    let doc = lit(lights, json!([carries(json!(0)), carries(json!(2)), carries(json!(9)), carries(json!("one"))]));
    let model = doc.import().unwrap().model;
    let said = doc.warnings();
    assert_eq!(said.len(), 8, "{said:#?}");
    assert!(said[0].contains("light 0: KHR_lights_punctual.type is \"laser\""), "{}", said[0]);
    assert_eq!((model.lights.len(), model.lights[0].intensity), (3, 0.0));
    assert!(matches!(model.lights[1].kind, LightKind::Spot { inner, outer } if inner < outer && outer == 0.5));
    // Light 2 of the file is the first that could be read.
    assert_eq!(model.light_nodes.iter().map(|(n, l)| (n.0, l.0)).collect::<Vec<_>>(), [(1, 0)]);
}

#[test]
fn cameras_come_with_their_nodes_and_impossible_ones_are_left_out() {
    let mut doc = Doc::new();
    doc.root["cameras"] = json!([
        { "type": "perspective", "name": "close", "perspective": { "yfov": 0.5, "aspectRatio": 1.5, "znear": 0.1 } },
        { "type": "perspective", "perspective": { "yfov": 0.5, "znear": 0.0 } },
        { "type": "orthographic", "orthographic": { "xmag": 2.0, "ymag": 1.0, "znear": 0.0, "zfar": 9.0 } },
        { "type": "orthographic", "perspective": { "yfov": 0.5, "znear": 0.1 } },
    ]);
    doc.root["nodes"] = json!([{ "camera": 2 }, { "camera": 1 }, { "camera": 0 }]);
    let model = doc.import().unwrap().model;
    let close = Lens::Perspective { fov_y: 0.5, aspect: Some(1.5), near: 0.1, far: None };
    let flat = Lens::Orthographic { half_width: 2.0, half_height: 1.0, near: 0.0, far: 9.0 };
    assert_eq!(model.cameras.iter().map(|c| c.lens).collect::<Vec<_>>(), [close, flat]);
    assert_eq!(model.camera_nodes.iter().map(|(n, c)| (n.0, c.0)).collect::<Vec<_>>(), [(0, 1), (2, 0)]);
    let said = doc.warnings();
    assert_eq!(said.len(), 2);
    assert!(said[0].starts_with("camera 1: has numbers that make no projection"), "{}", said[0]);
}

/// ```text
/// 0 ── 1 (hidden) ── 2
///  └── 3
/// ```
#[test]
fn hidden_nodes_hide_all_below_them() {
    let mut doc = Doc::new();
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut doc = doc.with_primitive(json!({ "attributes": { "POSITION": position }, "mode": 5 }));
    let hidden = json!({ "KHR_node_visibility": { "visible": false } });
    doc.root["extensionsUsed"] = json!(["KHR_node_visibility"]);
    doc.root["nodes"] = json!([
        { "mesh": 0, "children": [1, 3] }, { "mesh": 0, "children": [2], "extensions": hidden }, { "mesh": 0 },
        { "mesh": 0, "extensions": { "KHR_node_visibility": { "visible": true } } },
    ]);
    let import = doc.import().unwrap();
    assert_eq!((import.warnings.len(), &import.model.hidden[..]), (0, &[NodeId(1)][..]));
    let drawn = skinscope_anim::drawn_at_rest(&import.model, 0);
    assert_eq!(drawn.iter().map(|i| i.0).collect::<Vec<_>>(), [0, 3]);
    doc.root["nodes"][3]["extensions"]["KHR_node_visibility"]["visible"] = json!("no");
    assert!(doc.warnings()[0].contains("neither true nor false"));
}

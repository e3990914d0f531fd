//! Clips: times, values, channels.

use glam::{Quat, Vec3};
use serde_json::json;

use super::*;
use crate::model::{Clip, Interpolation, Path, Values};

/// Two nodes, the second with a mesh of two morph targets, and one animation.
fn animated(doc: Doc, samplers: Value, channels: &[(usize, usize, &str)]) -> Doc {
    let mut doc = doc;
    let position = doc.floats("VEC3", 3, &SQUARE);
    let mut doc = doc.with_primitive(json!({
        "attributes": { "POSITION": position }, "mode": 0, "targets": [{ "POSITION": position }, {}],
    }));
    doc.root["nodes"] = json!([{}, { "mesh": 0 }]);
    let channel = |(sampler, node, path): &(usize, usize, &str)| json!({ "sampler": sampler, "target": { "node": node, "path": path } });
    let channels: Vec<_> = channels.iter().map(channel).collect();
    doc.root["animations"] = json!([{ "samplers": samplers, "channels": channels }]);
    doc
}

fn clip(doc: &Doc) -> Clip {
    doc.import().unwrap().model.clips[0].clone()
}

#[test]
fn times_are_shared_and_late_starts_kept() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.5, 2.0]);
    let moves = doc.floats("VEC3", 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let weights = doc.floats("SCALAR", 1, &[0.0, 0.1, 0.2, 0.3]);
    let samplers = json!([
        { "input": times, "output": moves },
        { "input": times, "output": moves, "interpolation": "STEP" },
        { "input": times, "output": weights },
    ]);
    let doc = animated(doc, samplers, &[(0, 0, "translation"), (0, 0, "scale"), (1, 1, "scale"), (2, 1, "weights")]);
    let clip = clip(&doc);
    assert_eq!((clip.name.as_str(), clip.start_secs, clip.end_secs), ("Clip 0", 0.5, 2.0));
    assert_eq!(clip.times, [[0.5, 2.0]]);
    assert_eq!(clip.samplers.len(), 3);
    let channels: Vec<_> = clip.channels.iter().map(|c| (c.node.index(), c.path, c.sampler)).collect();
    let want = [(0, Path::Translation, 0), (0, Path::Scale, 0), (1, Path::Scale, 1), (1, Path::Weights, 2)];
    assert_eq!(channels, want);
    assert_eq!(clip.samplers[1].interpolation, Interpolation::Step);
    assert_eq!(clip.samplers[0].values, Values::Vec3(vec![Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)].into()));
    assert_eq!(clip.samplers[2].values, Values::Weights { count: 2, values: vec![0.0, 0.1, 0.2, 0.3] });
}

/// ```text
/// bytes  0    4              16   20             32
///        t0   x0  y0  z0     t1   x1  y1  z1
/// ```
#[test]
fn times_and_values_may_be_interleaved() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.25, 1.0, 2.0, 3.0, 0.75, 4.0, 5.0, 6.0]);
    doc.root["bufferViews"][0]["byteStride"] = json!(16);
    doc.root["accessors"][times]["count"] = json!(2);
    let moves = json!({ "bufferView": 0, "byteOffset": 4, "componentType": F32, "type": "VEC3", "count": 2 });
    let moves = doc.push("accessors", moves);
    let doc = animated(doc, json!([{ "input": times, "output": moves }]), &[(0, 0, "translation")]);
    let clip = clip(&doc);
    assert_eq!(clip.times, [[0.25, 0.75]]);
    assert_eq!(clip.samplers[0].values, Values::Vec3(vec![Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)].into()));
    assert!(doc.warnings().is_empty());
}

#[test]
fn rotations_are_normalised_whatever_stores_them() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let shorts: [i16; 8] = [0, 0, 0, 32767, 20000, 0, 0, -20000];
    let rotations = doc.accessor(bytemuck::cast_slice(&shorts), I16, "VEC4", 2);
    doc.root["accessors"][rotations]["normalized"] = json!(true);
    let mut doc = animated(doc, json!([{ "input": times, "output": rotations }]), &[(0, 0, "rotation")]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let Values::Quat(values) = clip(&doc).samplers[0].values.clone() else { panic!("no rotations") };
    assert_eq!(values.get(0), Quat::IDENTITY);
    assert!((values.get(1) - Quat::from_xyzw(half, 0.0, 0.0, -half)).length() < 1e-6);
    doc.root["accessors"][rotations]["normalized"] = json!(false);
    assert!(doc.error().contains("normalized i16"), "{}", doc.error());
}

#[test]
fn splines_keep_their_tangents() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let mut values = vec![0.0; 24];
    values[2] = 5.0;
    values[7] = 2.0;
    values[19] = 1.0;
    let rotations = doc.floats("VEC4", 4, &values);
    let sampler = json!([{ "input": times, "output": rotations, "interpolation": "CUBICSPLINE" }]);
    let mut doc = animated(doc, sampler, &[(0, 0, "rotation")]);
    let Values::Quat(values) = clip(&doc).samplers[0].values.clone() else { panic!("no rotations") };
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let in_tangent = Quat::from_xyzw(0.0, 0.0, 5.0, 0.0);
    assert_eq!(values.iter().collect::<Vec<_>>(), [in_tangent, Quat::IDENTITY, zero, zero, Quat::IDENTITY, zero]);
    assert!(doc.warnings().is_empty());
    doc.root["animations"][0]["samplers"][0]["interpolation"] = json!("LINEAR");
    assert!(doc.error().contains("expected 2 values for 2 keys, found 6"), "{}", doc.error());
}

#[test]
fn keys_that_do_not_rise_are_dropped_with_their_values() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0, 1.0, 0.5, 2.0]);
    let moves: Vec<f32> = (0..15).map(|i| i as f32).collect();
    let moves = doc.floats("VEC3", 3, &moves);
    let doc = animated(doc, json!([{ "input": times, "output": moves }]), &[(0, 0, "translation")]);
    let clip = clip(&doc);
    assert_eq!(clip.times, [[0.0, 1.0, 2.0]]);
    let want = vec![Vec3::new(0.0, 1.0, 2.0), Vec3::new(3.0, 4.0, 5.0), Vec3::new(12.0, 13.0, 14.0)];
    assert_eq!(clip.samplers[0].values, Values::Vec3(want.into()));
    assert!(doc.warnings()[0].contains("2 keys that do not come after the one before"), "{:?}", doc.warnings());
}

#[test]
fn values_that_are_not_finite_hold_the_key_before() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0, 2.0, 3.0]);
    let moves = [[f32::NAN, 0.0, 0.0], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, f32::INFINITY, 0.0]];
    let moves = doc.floats("VEC3", 3, moves.as_flattened());
    let turns = [[0.0; 4], [0.0, 1.0, 0.0, 0.0], [f32::NAN; 4], [1.0, 0.0, 0.0, 0.0]];
    let turns = doc.floats("VEC4", 4, turns.as_flattened());
    let samplers = json!([{ "input": times, "output": moves }, { "input": times, "output": turns }]);
    let doc = animated(doc, samplers, &[(0, 0, "translation"), (1, 0, "rotation")]);
    let clip = clip(&doc);
    let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(clip.samplers[0].values, Values::Vec3(vec![a, a, b, b].into()));
    let (x, y) = (Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Quat::from_xyzw(0.0, 1.0, 0.0, 0.0));
    assert_eq!(clip.samplers[1].values, Values::Quat(vec![y, y, y, x].into()));
    assert_eq!(doc.warnings().len(), 2);
}

#[test]
fn key_times_that_are_not_finite_are_errors() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, f32::NAN]);
    let moves = doc.floats("VEC3", 3, &[0.0; 6]);
    let doc = animated(doc, json!([{ "input": times, "output": moves }]), &[(0, 0, "translation")]);
    assert!(doc.error().contains("sampler 0, input: expected finite key times, found NaN at key 1"), "{}", doc.error());
}

#[test]
fn channels_that_move_nothing_are_left_out_and_listed() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0]);
    let moves = doc.floats("VEC3", 3, &[0.0; 3]);
    let samplers = json!([{ "input": times, "output": moves }]);
    let channels = [(0, 0, "translation"), (0, 0, "weights"), (0, 0, "pointer"), (0, 0, "translation")];
    let mut doc = animated(doc, samplers, &channels);
    doc.root["animations"][0]["channels"].as_array_mut().unwrap().push(json!({
        "sampler": 0, "target": { "path": "translation" },
    }));
    let import = doc.import().unwrap();
    assert_eq!(import.model.clips[0].channels.len(), 1);
    assert_eq!(import.model.clips[0].duration_secs(), 0.0);
    assert_eq!(import.warnings.len(), 4, "{:?}", import.warnings);
}

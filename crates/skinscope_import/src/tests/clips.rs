//! Clips: times, values, channels.

use glam::{Quat, Vec3};
use serde_json::json;
use skinscope_anim::SampleScratch;
use skinscope_model::{Clip, Interpolation, Path, Values};

use super::*;

/// Makes two nodes, the second with a mesh of two morph targets, and one animation.
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
fn keys_that_do_not_rise_are_dropped_with_their_values_and_of_two_at_one_moment_the_later_counts_from_there() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0, 1.0, 0.5, 2.0]);
    let moves: Vec<f32> = (0..15).map(|i| i as f32).collect();
    let moves = doc.floats("VEC3", 3, &moves);
    let doc = animated(doc, json!([{ "input": times, "output": moves }]), &[(0, 0, "translation")]);
    let clip = clip(&doc);
    assert_eq!(clip.times, [[0.0, 1.0_f32.next_down(), 1.0, 2.0]]);
    let at = |i: u32| Vec3::new(3.0 * i as f32, 3.0 * i as f32 + 1.0, 3.0 * i as f32 + 2.0);
    let want = vec![at(0), at(1), at(2), at(4)];
    assert_eq!(clip.samplers[0].values, Values::Vec3(want.into()));
    let warnings = doc.warnings();
    assert!(warnings[0].contains("1 key that does not come after the one before; it was ignored"), "{warnings:?}");
    assert!(warnings[1].contains("1 key at the moment of the one before; the value jumps there"), "{warnings:?}");
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
    let warnings = doc.warnings();
    for text in [
        "has 1 value that is not finite; at the start, so that the first that can be used counts from there",
        "has 1 value that is not finite; the key before was held",
        "has 1 rotation that is zero or not finite; at the start, so that the first that can be used counts from there",
        "has 1 rotation that is zero or not finite; the key before was held",
    ] {
        assert!(warnings.iter().any(|warning| warning.contains(text)), "{text}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 4);
}

/// Returns how far a rotation turns about x, degrees.
fn about_x(q: Quat) -> f32 {
    (2.0 * q.x.atan2(q.w)).to_degrees()
}

fn turned(times: &[f32], rotations: &[[f32; 4]]) -> Doc {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, times);
    let values = doc.floats("VEC4", 4, rotations.as_flattened());
    animated(doc, json!([{ "input": times, "output": values }]), &[(0, 0, "rotation")])
}

#[test]
fn zero_rotations_are_left_out_before_keys_at_one_moment_are_thinned() {
    let x = |degrees: f32| Quat::from_rotation_x(degrees.to_radians()).to_array();
    let zero = [0.0; 4];
    let doc = turned(&[0.0, 0.0, 1.0], &[x(45.0), zero, x(120.0)]);
    let model = doc.import().unwrap().model;
    for (secs, want) in [(0.0, 45.0), (0.5, 82.5), (1.0, 120.0)] {
        let mut pose = model.skeleton.rest.clone();
        skinscope_anim::sample(&model, &model.clips[0], secs, &mut SampleScratch::default(), &mut pose);
        let node = model.clips[0].channels[0].node;
        let turned = about_x(pose.transforms[node.index()].rotation);
        assert!((turned - want).abs() < 1e-3, "{secs} s: {turned} and not {want}");
    }
    let warnings = doc.warnings();
    let said = "has 1 key without a value that can be used (zero rotations have none) beside another key of its moment; it was left out";
    assert!(warnings.len() == 1 && warnings[0].contains(said), "{warnings:?}");
    // As Assimp writes it: the middle one of three keys at each moment is the value.
    let doc = turned(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], &[zero, x(30.0), zero, zero, x(90.0), zero]);
    let import = doc.import().unwrap();
    let clip = &import.model.clips[0];
    assert_eq!(clip.times, [[0.0, 1.0]]);
    assert_eq!(import.model.source.origins.clips[0].samplers[0].kept.as_deref(), Some(&[1, 4][..]));
    let Values::Quat(values) = &clip.samplers[0].values else { panic!("no rotations") };
    let turns: Vec<f32> = values.iter().map(about_x).collect();
    assert!((turns[0] - 30.0).abs() < 1e-3 && (turns[1] - 90.0).abs() < 1e-3, "{turns:?}");
    assert!(doc.warnings()[0].contains("has 4 keys without a value"), "{:?}", doc.warnings());
}

#[test]
fn what_is_left_of_the_keys_of_a_moment_depends_on_the_values_of_each_sampler() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0, 1.0, 2.0]);
    let (nan, flat) = (f32::NAN, |x: [f32; 4]| x.map(|x| [x, 0.0, 0.0]));
    let lists = [flat([0.0, 1.0, 2.0, 3.0]), flat([0.0, nan, 2.0, 3.0]), flat([0.0, 1.0, nan, 3.0])];
    let outputs = lists.map(|list| doc.floats("VEC3", 3, list.as_flattened()));
    let weights = doc.floats("SCALAR", 1, &[0.0, 0.0, 1.0, nan, 2.0, 2.0, 3.0, 3.0]);
    let samplers: Vec<Value> =
        outputs.iter().chain([&weights]).map(|output| json!({ "input": times, "output": output })).collect();
    let channels = [(0, 0, "translation"), (1, 0, "scale"), (2, 1, "translation"), (3, 1, "weights")];
    let clip = clip(&animated(doc, json!(samplers), &channels));
    let before = 1.0_f32.next_down();
    let of = |channel: usize| {
        let sampler = &clip.samplers[clip.channels[channel].sampler];
        let values: Vec<f32> = match &sampler.values {
            Values::Vec3(values) => values.iter().map(|v| v.x).collect(),
            Values::Weights { values, .. } => values.clone(),
            Values::Quat(_) => Vec::new(),
        };
        (clip.times[sampler.times].clone(), values)
    };
    assert_eq!(of(0), (vec![0.0, before, 1.0, 2.0], vec![0.0, 1.0, 2.0, 3.0]));
    assert_eq!(of(1), (vec![0.0, 1.0, 2.0], vec![0.0, 2.0, 3.0]));
    assert_eq!(of(2), (vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 3.0]));
    // A key of which one number can be used is a key.
    assert_eq!(of(3), (vec![0.0, before, 1.0, 2.0], vec![0.0, 0.0, 1.0, 0.0, 2.0, 2.0, 3.0, 3.0]));
}

#[test]
fn a_clip_that_moves_nothing_and_one_that_moves_a_matrix_are_warned_of() {
    let mut doc = turned(&[0.0, 1.0], &[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]);
    doc.root["nodes"][0] = json!({ "name": "Hip", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1] });
    let said = "animation 0 \"Clip 0\": moves 1 node with a matrix (node 0 \"Hip\"), which glTF does not allow; the translation, rotation and scale of the matrix are moved instead";
    assert_eq!(doc.warnings(), [said]);
    assert_eq!(clip(&doc).channels.len(), 1);
    let nothing = "so that nothing moves while it plays";
    for animation in [
        json!({ "name": "A", "channels": [], "samplers": [] }),
        json!({ "name": "A", "samplers": [] }),
        json!({ "name": "A" }),
        json!({ "name": "A", "channels": [{ "sampler": 0, "target": { "path": "rotation" } }], "samplers": [{ "input": 0, "output": 1 }] }),
        json!({ "name": "A", "channels": [{ "sampler": 0, "target": { "node": 1, "path": "weights" } }],
            "samplers": [{ "input": 0, "output": 1 }] }),
    ] {
        doc.root["animations"] = json!([animation]);
        doc.root["nodes"][1] = json!({});
        let warnings = doc.warnings();
        let of_clip = warnings.iter().filter(|warning| warning.contains(nothing)).count();
        assert_eq!(of_clip, 1, "{animation}: {warnings:?}");
    }
}

#[test]
fn keys_without_a_time_are_dropped_with_their_values() {
    let moves: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let (a, b, c) = (Vec3::new(0.0, 1.0, 2.0), Vec3::new(6.0, 7.0, 8.0), Vec3::new(9.0, 10.0, 11.0));
    let broken = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for time in broken {
        let mut doc = Doc::new();
        let times = doc.floats("SCALAR", 1, &[0.0, time, 1.0, 2.0]);
        let moves = doc.floats("VEC3", 3, &moves);
        let doc = animated(doc, json!([{ "input": times, "output": moves }]), &[(0, 0, "translation")]);
        let clip = clip(&doc);
        assert_eq!((clip.times[0].as_slice(), clip.start_secs, clip.end_secs), (&[0.0, 1.0, 2.0][..], 0.0, 2.0));
        assert_eq!(clip.samplers[0].values, Values::Vec3(vec![a, b, c].into()));
        assert_eq!(doc.warnings().len(), 1, "{:?}", doc.warnings());
        assert!(doc.warnings()[0].contains("1 key whose time is no finite number; it was ignored"));
    }
}

/// Each key has three values; times and values have faults of every kind at once.
#[test]
fn splines_lose_whole_keys_and_their_broken_tangents_are_zero() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[-1.0, f32::NAN, 0.5, 0.25, 0.5, f32::INFINITY, 2.0]);
    let mut moves: Vec<f32> = (0..63).map(|i| i as f32).collect();
    // Broken are the value of the second key, which is dropped, the in-tangent of the third, and the value of the last.
    moves[12] = f32::NAN;
    moves[19] = f32::INFINITY;
    moves[58] = f32::NAN;
    let moves = doc.floats("VEC3", 3, &moves);
    let sampler = json!([{ "input": times, "output": moves, "interpolation": "CUBICSPLINE" }]);
    let doc = animated(doc, sampler, &[(0, 0, "translation")]);
    let clip = clip(&doc);
    assert_eq!(clip.times, [[-1.0, 0.5_f32.next_down(), 0.5, 2.0]]);
    let at = |i: u32| Vec3::new(3.0 * i as f32, 3.0 * i as f32 + 1.0, 3.0 * i as f32 + 2.0);
    let jump = [at(12), at(13), at(14)];
    let want = [&[at(0), at(1), at(2), Vec3::ZERO, at(7), at(8)][..], &jump, &[at(18), at(13), at(20)]].concat();
    assert_eq!(clip.samplers[0].values, Values::Vec3(want.into()));
    let warnings = doc.warnings().join("\n");
    for text in [
        "has 2 keys whose time is no finite number; they were ignored",
        "has its first key before 0, at -1 s",
        "has 1 key that does not come after the one before; it was ignored",
        "has 1 key at the moment of the one before; the value jumps there",
        "has 1 value that is not finite; the key before was held",
        "has 1 tangent that is not finite; read as zero",
    ] {
        assert!(warnings.contains(text), "{text}: {warnings}");
    }
    assert_eq!(doc.warnings().len(), 6, "{warnings}");
}

#[test]
fn a_channel_of_which_no_key_has_a_time_is_left_out() {
    let mut doc = Doc::new();
    let times = doc.floats("SCALAR", 1, &[f32::NAN, f32::INFINITY]);
    let good = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let moves = doc.floats("VEC3", 3, &[0.0; 6]);
    let samplers = json!([{ "input": times, "output": moves }, { "input": good, "output": moves }]);
    let doc = animated(doc, samplers, &[(0, 0, "translation"), (1, 1, "translation"), (0, 1, "scale")]);
    let clip = clip(&doc);
    let channels: Vec<_> = clip.channels.iter().map(|c| (c.node.index(), c.path)).collect();
    assert_eq!((channels, clip.end_secs), (vec![(1, Path::Translation)], 1.0));
    let warnings = doc.warnings().join("\n");
    assert!(warnings.contains("channel 0: has no key with a finite time and was ignored"), "{warnings}");
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

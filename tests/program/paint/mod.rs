//! `skinscope paint`: strokes of a file change the weights that they touch, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod flood;
mod layers;
mod refusals;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skinscope::import::{Options, Progress, import_file};

use crate::fix::run::captured;
use crate::fix::{contents, said};

/// A vertex in the middle of the left upper arm of the built-in character, which that joint moves alone.
const ON_UPPER_ARM: usize = 2288;
/// The joint of the skin that is called UpperArm.L.
const UPPER_ARM: u16 = 8;
/// The joint of the skin that is called LowerArm.L.
const LOWER_ARM: u16 = 9;

/// An empty folder with a copy of the built-in character.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paint").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    folder
}

/// A stroke that gives the middle of the upper arm a quarter of the lower one.
fn stroke() -> Value {
    json!({
        "brush": "add", "joint": "LowerArm.L", "radius": 0.03, "strength": 0.25,
        "falloff": "constant", "distance": "volume", "dabs": [{ "vertex": [0, 0, ON_UPPER_ARM] }],
    })
}

/// Writes strokes into a file of the folder.
fn write(folder: &Path, strokes: &[Value]) {
    fs::write(folder.join("s.json"), json!({ "schema": 1, "strokes": strokes }).to_string()).unwrap();
}

/// Paints `a.glb` into `out.glb` by the strokes of the folder; returns what is printed as JSON.
fn painted(folder: &Path) -> Value {
    let out = captured(folder, &["paint", "a.glb", "--strokes", "s.json", "-o", "out.glb", "--json"]);
    assert!(out.status.success(), "{}", said(&out));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Where a vertex is, and its joints with their weights.
type Row = ([f32; 3], Vec<(u16, f32)>);

/// For each vertex of the first primitive: where it is, and its joints with their weights.
fn rows(file: &Path) -> Vec<Row> {
    let model = import_file(file, &Options::default(), &Progress::silent()).unwrap().model;
    let primitive = model.primitive(skinscope::model::MeshId(0), 0);
    let influences = primitive.influences.unwrap();
    let row = |vertex: usize| {
        let (joints, weights) = influences.of(vertex);
        joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0).collect()
    };
    (0..primitive.stored_vertices).map(|vertex| (primitive.positions[vertex].to_array(), row(vertex))).collect()
}

fn weight(row: &[(u16, f32)], joint: u16) -> f64 {
    row.iter().filter(|(of, _)| *of == joint).map(|(_, weight)| f64::from(*weight)).sum()
}

#[test]
fn a_stroke_changes_what_lies_within_its_radius_and_says_how_much() {
    let folder = folder("stroke");
    write(&folder, &[stroke()]);
    let told = painted(&folder);
    let [before, after] = ["a.glb", "out.glb"].map(|name| rows(&folder.join(name)));
    let centre = glam::Vec3::from_array(before[ON_UPPER_ARM].0);
    let mut changed = 0;
    for (vertex, ((at, old), (_, new))) in before.iter().zip(&after).enumerate() {
        if centre.distance(glam::Vec3::from_array(*at)) >= 0.03 {
            assert!(old == new, "vertex {vertex} is out of reach");
            continue;
        }
        changed += 1;
        let want = [(LOWER_ARM, 0.25), (UPPER_ARM, 0.75 * weight(old, UPPER_ARM))];
        for (joint, want) in want {
            assert!((weight(new, joint) - want).abs() < 2e-5, "vertex {vertex}, joint {joint}");
        }
    }
    assert_eq!(changed, 13, "the arm has so many vertices there");
    let expected = json!({ "vertices": 13, "changed": 13, "partial": 0, "stuck": [] });
    assert_eq!(told, json!({ "schema": 1, "strokes": [expected], "changed": 13 }));
    // The same strokes give the same bytes, and people are told the same.
    let first = fs::read(folder.join("out.glb")).unwrap();
    let out = captured(&folder, &["paint", "a.glb", "--strokes", "s.json", "-o", "again.glb"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("13 of 13 vertices changed") && text.contains("wrote "), "{text}");
    assert!(fs::read(folder.join("again.glb")).unwrap() == first);
    assert_eq!(first.len(), fs::read(folder.join("a.glb")).unwrap().len(), "the layout of the file stays");
}

#[test]
fn a_mask_keeps_all_else_and_without_strokes_the_bytes_stay() {
    let folder = folder("mask");
    let mut masked = stroke();
    masked["mask"] = json!({ "vertices": [{ "mesh": 0, "primitive": 0, "vertices": [ON_UPPER_ARM, 3] }] });
    write(&folder, &[masked]);
    let told = painted(&folder);
    assert_eq!((&told["strokes"][0]["vertices"], &told["changed"]), (&json!(1), &json!(1)));
    write(&folder, &[]);
    let told = painted(&folder);
    assert_eq!(told, json!({ "schema": 1, "strokes": [], "changed": 0 }));
    assert!(fs::read(folder.join("out.glb")).unwrap() == fs::read(folder.join("a.glb")).unwrap());
}

#[test]
fn a_locked_joint_keeps_its_weights_and_the_reason_is_told() {
    let folder = folder("locked");
    let mut locked = stroke();
    locked["locked"] = json!(["UpperArm.L"]);
    // Where the upper arm moves a vertex alone there is no room for another joint.
    locked["radius"] = json!(0.001);
    write(&folder, &[locked]);
    let told = painted(&folder);
    assert_eq!((&told["strokes"][0]["changed"], &told["changed"]), (&json!(0), &json!(0)), "{told}");
    let stuck = told["strokes"][0]["stuck"].as_array().unwrap();
    assert!(stuck.len() == 1 && stuck[0]["vertices"] == json!(1) && stuck[0]["reason"].is_string(), "{told}");
    assert!(fs::read(folder.join("out.glb")).unwrap() == fs::read(folder.join("a.glb")).unwrap());
    let out = captured(&folder, &["paint", "a.glb", "--strokes", "s.json", "-o", "out.glb"]);
    assert!(String::from_utf8_lossy(&out.stdout).contains("1 vertex stays: "), "people are told the same");
}

/// The arm stands elsewhere in a pose, so that a place in space is on it or is not.
#[test]
fn a_pose_file_and_a_clip_move_the_surface_and_the_file_wins() {
    let folder = folder("posed");
    let turn = ["pose", "a.glb", "-o", "up.pose.json", "--rotate", "UpperArm.L=0,0,90"];
    assert!(captured(&folder, &turn).status.success());
    let reached = |more: Value| {
        let mut placed = stroke();
        placed["dabs"] = json!([{ "position": [0.247, 1.102, 0.030] }]);
        placed.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        write(&folder, &[placed]);
        painted(&folder)["strokes"][0]["vertices"].as_u64().unwrap()
    };
    let at_rest = rows(&folder.join("a.glb"));
    let is_painted = |vertex: usize| rows(&folder.join("out.glb"))[vertex].1 != at_rest[vertex].1;
    assert!(reached(json!({})) > 0 && is_painted(ON_UPPER_ARM));
    reached(json!({ "pose": "up.pose.json" }));
    assert!(!is_painted(ON_UPPER_ARM), "the arm has left this place");
    reached(json!({ "pose": "up.pose.json", "clip": "Idle", "time": 0.5 }));
    assert!(!is_painted(ON_UPPER_ARM), "the file replaces what the clip says");
}

#[test]
fn strokes_are_read_in_the_encodings_of_other_programs() {
    let folder = folder("encodings");
    write(&folder, &[stroke()]);
    let told = painted(&folder);
    let text = fs::read_to_string(folder.join("s.json")).unwrap();
    let marked = [&b"\xEF\xBB\xBF"[..], text.as_bytes()].concat();
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for bytes in [marked, wide] {
        fs::write(folder.join("s.json"), bytes).unwrap();
        assert_eq!(painted(&folder), told);
    }
}

#[test]
fn no_output_replaces_what_is_read() {
    let folder = folder("inputs");
    assert!(captured(&folder, &["pose", "a.glb", "-o", "p.pose.json"]).status.success());
    let mut posed = stroke();
    posed["pose"] = json!("p.pose.json");
    write(&folder, &[posed]);
    for (file, name) in [("s.json", "strokes.glb"), ("p.pose.json", "pose.glb"), ("a.glb", "model.glb")] {
        fs::hard_link(folder.join(file), folder.join(name)).unwrap();
    }
    let before = contents(&folder);
    for output in ["strokes.glb", "pose.glb", "model.glb", "a.glb"] {
        let out = captured(&folder, &["paint", "a.glb", "--strokes", "s.json", "-o", output]);
        assert_eq!(out.status.code(), Some(2), "{output}: {}", said(&out));
        assert!(said(&out).contains("no output replaces what is read"), "{output}: {}", said(&out));
        assert!(contents(&folder) == before, "{output}");
    }
}

#[test]
fn what_has_no_partner_is_told_of_strokes_on_both_sides() {
    let folder = folder("unpaired");
    let mut mirrored = stroke();
    mirrored["mirror"] = json!("x");
    write(&folder, &[stroke(), mirrored]);
    let told = painted(&folder);
    assert!(told["strokes"][0].get("unpaired").is_none() && told["strokes"][1]["unpaired"].is_u64(), "{told}");
}

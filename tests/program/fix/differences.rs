//! `skinscope diff` on small files: what was changed is told by its own reference, and nothing else.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::fix::made::{Doc, F32, JOINTS, Layout, WAY, pairs};
use crate::fix::reference::{dense, vertices};
use crate::fix::{folder, report, run, said};

fn diff(folder: &Path, arguments: &[&str]) -> Output {
    run::captured(folder, &[&["diff"][..], arguments].concat())
}

fn told(folder: &Path, a: &str, b: &str) -> Value {
    let out = diff(folder, &[a, b, "--json"]);
    let mut told: Value = serde_json::from_slice(&out.stdout).unwrap();
    // Files of the same bytes are not compared.
    let compared = told["posed"].as_object_mut().unwrap().remove("compared").unwrap().as_u64().unwrap();
    assert_eq!(compared == 0, told["identical_bytes"] == json!(true), "{told}");
    assert_eq!(out.status.code(), Some(if told["same"] == json!(true) { 0 } else { 3 }), "{told}");
    told
}

/// The sheet with a clip that moves its last joint, and a clip of its morph target.
fn sheet() -> Doc {
    let mut doc = Doc::new(&pairs(F32, 1, false, 21), Layout::Plain);
    doc.add_clip();
    doc.add_morph();
    doc.add_animation("swell", (0, "weights"), ("SCALAR", &[0.0, 1.0]));
    doc.root["materials"] = json!([{ "name": "skin" }]);
    doc
}

/// What is told of two files that do not differ.
fn nothing(is_identical: bool) -> Value {
    let named = json!({ "added": [], "removed": [], "changed": [] });
    json!({
        "schema": 1,
        "same": true,
        "identical_bytes": is_identical,
        "nodes": { "added": [], "removed": [], "moved": [], "renamed": [] },
        "shown": { "added": [], "removed": [], "other_mesh": [], "other_skin": [], "other_copies": [] },
        "weights": { "vertices": 0, "largest": 0.0, "primitives": [] },
        "surface": { "vertices": 0, "primitives": [] },
        "unmatched": { "before": 0, "after": 0 },
        "attributes": [],
        "inverse_binds": { "changed": 0 },
        "clips": named,
        "materials": named,
        "posed": {
            "largest_mm": 0.0, "clip": null, "time": null, "mesh": null, "primitive": null, "vertex": null, "not_finite": 0,
        },
    })
}

/// The tail moves evenly and the head stays: what a vertex gives from one to the other is as much of the way that it falls behind.
#[test]
fn weights_and_the_largest_posed_distance_are_those_of_the_closed_form() {
    let folder = folder("differences");
    let doc = sheet();
    std::fs::write(folder.join("a.glb"), doc.glb()).unwrap();
    report(&folder, &["a.glb", "-o", "b.glb", "--replace-joint", "tail=head"]);
    let own: Vec<Vec<f64>> = vertices(&pairs(F32, 1, false, 21)).iter().map(dense).collect();
    let tail = JOINTS.len() - 1;
    let farthest = (0..own.len()).max_by(|a, b| own[*a][tail].total_cmp(&own[*b][tail])).unwrap();
    let (largest, count) = (own[farthest][tail], own.iter().filter(|own| own[tail] > 0.0).count());
    assert!(largest > 0.2 && count > 3, "{largest}, {count}");
    for (a, b) in [("a.glb", "b.glb"), ("b.glb", "a.glb")] {
        let mut found = told(&folder, a, b);
        let mut number = |pointer: &str, wanted: f64| {
            let place = found.pointer_mut(pointer).unwrap();
            assert!(
                (place.as_f64().unwrap() - wanted).abs() < 2e-6 * wanted.max(1.0),
                "{pointer}: {place}, not {wanted}"
            );
            place.take();
        };
        number("/weights/largest", largest);
        number("/weights/primitives/0/largest", largest);
        number("/posed/largest_mm", 1e3 * f64::from(WAY) * largest);
        let mut wanted = nothing(false);
        wanted["same"] = json!(false);
        let part = json!({ "mesh": 0, "primitive": 0, "vertices": count, "largest": null });
        wanted["weights"] = json!({ "vertices": count, "largest": null, "primitives": [part] });
        wanted["posed"] = json!({
            "largest_mm": null, "clip": "move", "time": 1.0, "mesh": 0, "primitive": 0, "vertex": farthest, "not_finite": 0,
        });
        assert_eq!(found, wanted);
    }
    // The same files, and the same contents in other bytes.
    std::fs::write(folder.join("same.gltf"), doc.data_uri()).unwrap();
    std::fs::copy(folder.join("a.glb"), folder.join("copy.glb")).unwrap();
    for (other, is_identical) in [("copy.glb", true), ("same.gltf", false)] {
        let found = told(&folder, "a.glb", other);
        assert_eq!(found, nothing(is_identical), "{other}");
    }
}

/// Where the numbers of an accessor begin in the buffer.
fn start(doc: &Doc, accessor: &Value) -> usize {
    let view = &doc.root["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
    doc.root["bufferViews"][view.as_u64().unwrap() as usize]["byteOffset"].as_u64().unwrap() as usize
}

fn put(doc: &mut Doc, at: usize, value: f32) {
    doc.bin[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// What is changed in a document, what it is called, and the members of the report that tell of it.
type Change = (&'static str, fn(&mut Doc), &'static [(&'static str, &'static str)]);

const CHANGES: &[Change] = &[
    ("scale", |doc| doc.root["nodes"][5]["scale"] = json!([1.0, 1.0, 1.25]), &[("/nodes/moved", "[\"hand.L\"]")]),
    (
        "joint's name",
        |doc| doc.root["nodes"][10]["name"] = json!("rear"),
        &[("/nodes/renamed", "[{\"from\":\"tail\",\"to\":\"rear\"}]")],
    ),
    ("new node", |doc| _ = doc.push("nodes", json!({ "name": "new" })), &[("/nodes/added", "[\"new\"]")]),
    (
        // The spine stands where the hips do, so nothing moves.
        "other parent",
        |doc| {
            doc.root["nodes"][1]["children"].as_array_mut().unwrap().retain(|child| child != &json!(10));
            doc.root["nodes"][2]["children"] = json!([10]);
        },
        &[("/nodes/moved", "[\"tail\"]")],
    ),
    (
        "key",
        |doc| {
            let at = start(doc, &doc.root["animations"][0]["samplers"][0]["output"].clone());
            put(doc, at + 5 * 4, 1.5);
        },
        &[("/clips/changed", "[\"move\"]"), ("/posed/clip", "\"move\""), ("/posed/time", "1.0")],
    ),
    (
        "morph key",
        |doc| {
            let at = start(doc, &doc.root["animations"][1]["samplers"][0]["output"].clone());
            put(doc, at + 4, 0.5);
        },
        &[("/clips/changed", "[\"swell\"]"), ("/posed/largest_mm", "500.0"), ("/posed/clip", "\"swell\"")],
    ),
    (
        "clip's name",
        |doc| doc.root["animations"][0]["name"] = json!("go"),
        &[("/clips/added", "[\"go\"]"), ("/clips/removed", "[\"move\"]")],
    ),
    (
        "inverse bind",
        |doc| {
            let at = start(doc, &doc.root["skins"][0]["inverseBindMatrices"].clone());
            put(doc, at + 3 * 64 + 14 * 4, 0.002);
        },
        &[("/inverse_binds/changed", "1")],
    ),
    (
        "inverse bind that is no number",
        |doc| {
            let at = start(doc, &doc.root["skins"][0]["inverseBindMatrices"].clone());
            put(doc, at + 4 * 64 + 12 * 4, f32::NAN);
        },
        &[("/inverse_binds/changed", "1")],
    ),
    ("material", |doc| doc.root["materials"][0]["doubleSided"] = json!(true), &[("/materials/changed", "[\"skin\"]")]),
    (
        "materials",
        |doc| doc.root["materials"] = json!([{ "name": "<b>&\"skin\"" }]),
        &[("/materials/added", "[\"<b>&\\\"skin\\\"\"]"), ("/materials/removed", "[\"skin\"]")],
    ),
];

#[test]
fn each_kind_of_difference_is_told_and_no_other() {
    let folder = folder("differences alone");
    std::fs::write(folder.join("a.glb"), sheet().glb()).unwrap();
    for (what, change, members) in CHANGES {
        let mut doc = sheet();
        change(&mut doc);
        std::fs::write(folder.join("b.glb"), doc.glb()).unwrap();
        let found = told(&folder, "a.glb", "b.glb");
        assert_eq!(found["same"], json!(false), "{what}: {found}");
        for (pointer, wanted) in *members {
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            assert_eq!(found.pointer(pointer), Some(&wanted), "{what}: {pointer}: {found}");
        }
        // Of all other lists and numbers none tells of anything, but for distances, which follow from what changed.
        let mut rest = found.clone();
        for (pointer, _) in *members {
            *rest.pointer_mut(pointer).unwrap() = nothing(false).pointer(pointer).unwrap().clone();
        }
        (rest["same"], rest["posed"]) = (json!(true), nothing(false)["posed"].clone());
        assert_eq!(rest, nothing(false), "{what}");
        // The text and the page say the same, and the page is well formed.
        let text = diff(&folder, &["a.glb", "b.glb", "--html", "page.html"]);
        assert_eq!(text.status.code(), Some(3), "{what}");
        let text = String::from_utf8(text.stdout).unwrap();
        let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
        let mut lines = 0;
        for line in text.lines().skip(3) {
            let (subject, sentence) = (line.get(2..20).unwrap().trim(), line.get(21..).unwrap());
            let escaped = |text: &str| {
                text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
            };
            let item = format!("<h3>{subject}</h3><p>{}</p>", escaped(sentence));
            assert!(page.contains(&item), "{what}: {item} in {page}");
            lines += 1;
        }
        let listed = |(pointer, _): &&(&str, &str)| !pointer.starts_with("/posed");
        assert!(lines >= members.iter().filter(listed).count(), "{what}: {text}");
        assert!(!page.contains("<b>"), "{what}: {page}");
    }
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let folder = folder("differences codes");
    std::fs::write(folder.join("a.glb"), sheet().glb()).unwrap();
    std::fs::write(folder.join("b.glb"), Doc::new(&pairs(F32, 1, false, 22), Layout::Plain).glb()).unwrap();
    std::fs::write(folder.join("text.glb"), "no model").unwrap();
    std::fs::write(folder.join("empty.gltf"), "").unwrap();
    let old = std::fs::read(folder.join("a.glb")).unwrap();
    for (arguments, code) in [
        (&["a.glb", "a.glb"][..], 0),
        (&["a.glb", "b.glb"], 3),
        (&["a.glb", "missing.glb"], 1),
        (&["missing.glb", "a.glb"], 1),
        (&["a.glb", "text.glb"], 1),
        (&["empty.gltf", "a.glb"], 1),
        (&["a.glb", "."], 1),
        (&["a.glb"], 2),
        (&["a.glb", "b.glb", "a.glb"], 2),
        (&["a.glb", "b.glb", "--xml"], 2),
        (&["a.glb", "b.glb", "--html", "page.txt"], 2),
        (&["a.glb", "b.glb", "--html"], 2),
    ] {
        for json in [&[][..], &["--json"]] {
            let out = run::launched(&folder, &[&["diff"][..], arguments, json].concat());
            assert_eq!(out.status.code(), Some(code), "{arguments:?}: {}", said(&out));
            // What fails says why, and prints nothing that a program could take for an answer.
            let is_failure = matches!(code, 1 | 2);
            assert!(out.stdout.is_empty() == is_failure && said(&out).is_empty() == (code == 0), "{arguments:?}");
        }
    }
    let same = diff(&folder, &["a.glb", "a.glb", "--html", "same.html"]);
    assert!(String::from_utf8(same.stdout).unwrap().contains("nothing differs"));
    assert!(std::fs::read_to_string(folder.join("same.html")).unwrap().contains("<p>Nothing differs.</p>"));
    assert!(!folder.join("page.txt").exists() && std::fs::read(folder.join("a.glb")).unwrap() == old);
}

//! What strokes cannot say: each is refused with its stroke and key, nothing is written, and an earlier output stays.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{folder, stroke, write};
use crate::fix::run::captured;
use crate::fix::{contents, said};

/// The strokes of the folder are refused with an exit code and with these words, and no file changes.
fn refused(folder: &Path, code: i32, words: &str) {
    let before = contents(folder);
    let out = captured(folder, &["paint", "a.glb", "--strokes", "s.json", "-o", "out.glb", "--json"]);
    assert_eq!(out.status.code(), Some(code), "{words}: {}", said(&out));
    assert!(said(&out).contains(words), "it does not say \"{words}\": {}", said(&out));
    assert!(out.stdout.is_empty() && contents(folder) == before, "{words}: something was written");
}

/// A folder with an earlier output.
fn with_output(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    fs::write(folder.join("out.glb"), "an earlier output").unwrap();
    folder
}

/// The stroke with other values of some keys; one that is null is left out.
fn with(keys: Value) -> Value {
    let mut stroke = stroke();
    for (key, value) in keys.as_object().unwrap() {
        match value {
            Value::Null => drop(stroke.as_object_mut().unwrap().remove(key)),
            value => stroke[key] = value.clone(),
        }
    }
    stroke
}

#[test]
fn a_key_that_cannot_be_is_refused_with_its_stroke() {
    let folder = with_output("keys");
    for (keys, words) in [
        (json!({ "radios": 1 }), "strokes[1].radios: unknown field"),
        (json!({ "brush": "blur" }), "strokes[1].brush: there is no \"blur\"; expected one of add, "),
        (json!({ "brush": null }), "strokes[1].brush: a stroke needs it"),
        (json!({ "joint": null }), "strokes[1].joint: the brush add needs it"),
        (json!({ "joint": "Elbow" }), "strokes[1].joint: there is no joint \"Elbow\""),
        (json!({ "joint": "#1" }), "strokes[1].joint: \"#1\" is no joint of a skin"),
        (json!({ "to": "Armature" }), "strokes[1].to: \"Armature\" is no joint of a skin"),
        (json!({ "locked": ["Hips", "Elbow"] }), "strokes[1].locked: there is no joint \"Elbow\""),
        (json!({ "brush": "give" }), "strokes[1].to: the brush give needs it"),
        (json!({ "brush": "replace" }), "strokes[1].value: the brush replace needs it"),
        (json!({ "brush": "scale" }), "strokes[1].factor: the brush scale needs it"),
        (json!({ "falloff": "gauss" }), "strokes[1].falloff: there is no \"gauss\"; expected one of smooth, "),
        (
            json!({ "distance": "screen" }),
            "strokes[1].distance: there is no \"screen\"; expected one of surface, volume",
        ),
        (json!({ "mirror": "w" }), "strokes[1].mirror: there is no \"w\"; expected one of x, y, z, auto"),
        (json!({ "method": "cubic" }), "strokes[1].method: there is no \"cubic\"; expected one of linear, "),
        (json!({ "clip": "Run" }), "strokes[1].clip: there is no clip \"Run\"; the file has Idle, Walk, Wave, Bend"),
        (json!({ "clip": 4 }), "strokes[1].clip: there is no clip 4"),
        (json!({ "clip": 0.5 }), "strokes[1].clip: expected a name, or a number from 0"),
        (json!({ "max_influences": 0 }), "strokes[1].max_influences: expected 1 or more, found 0"),
        (json!({ "max_influences": -4 }), "strokes[1].max_influences: expected 1 or more, found -4"),
        (json!({ "radius": null }), "strokes[1].radius: a stroke needs it"),
        (json!({ "radius": 0 }), "strokes[1].radius: expected metres above 0, found 0"),
        (json!({ "radius": -0.1 }), "strokes[1].radius: expected metres above 0, found -0.1"),
        (json!({ "strength": "much" }), "strokes[1].strength: "),
        (json!({ "front_faces": true }), "strokes[1].front_faces: "),
        (
            json!({ "front_faces": { "eye": [0, 1, 4], "angle": 0 } }),
            "strokes[1].front_faces.angle: expected degrees above 0",
        ),
        (json!({ "dabs": null }), "strokes[1].dabs: a stroke needs at least one"),
        (json!({ "dabs": [] }), "strokes[1].dabs: a stroke needs at least one"),
    ] {
        write(&folder, &[stroke(), with(keys)]);
        refused(&folder, 2, words);
    }
}

#[test]
fn a_vertex_that_is_not_there_and_a_dab_that_is_nowhere_are_refused() {
    let folder = with_output("vertices");
    let dab = |dab: Value| json!({ "dabs": [{ "vertex": [0, 0, 0] }, dab] });
    let mask = |mesh: u64, vertex: u64| json!({ "mask": { "vertices": [{ "mesh": mesh, "primitive": 0, "vertices": [0, vertex] }] } });
    for (keys, words) in [
        (dab(json!({ "vertex": [1, 0, 0] })), "strokes[0].dabs[1].vertex: there is no mesh 1; the file has 1"),
        (dab(json!({ "vertex": [0, 5, 0] })), "strokes[0].dabs[1].vertex: mesh 0 has no primitive 5; it has 5"),
        (dab(json!({ "vertex": [0, 0, 5214] })), "strokes[0].dabs[1].vertex: primitive 0 of mesh 0 has no vertex 5214"),
        (dab(json!({ "vertex": [0, 0] })), "strokes[0].dabs[1].vertex: "),
        (dab(json!({ "vertex": [0, 0, -1] })), "strokes[0].dabs[1].vertex: "),
        (
            dab(json!({ "vertex": [0, 0, 1], "position": [0, 0, 0] })),
            "strokes[0].dabs[1]: it has both vertex and position",
        ),
        (dab(json!({ "weights": [] })), "strokes[0].dabs[1].weights: expected at least one vertex"),
        (dab(json!({ "weights": [[0, 0, 1, 1.5]] })), "strokes[0].dabs[1].weights[0]: expected a share from 0 to 1"),
        (dab(json!({ "weights": [[1, 0, 1, 1]] })), "strokes[0].dabs[1].weights[0]: there is no mesh 1"),
        (
            dab(json!({ "weights": [[0, 0, 1, 1]], "vertex": [0, 0, 1] })),
            "strokes[0].dabs[1]: it has weights beside vertex or position",
        ),
        (dab(json!({ "pressure": 0.5 })), "strokes[0].dabs[1]: it has neither vertex nor position"),
        (dab(json!({ "vertex": [0, 0, 1], "force": 1 })), "strokes[0].dabs[1].force: unknown field"),
        (mask(3, 0), "strokes[0].mask.vertices[0]: there is no mesh 3"),
        (mask(0, 5214), "strokes[0].mask.vertices[0]: primitive 0 of mesh 0 has no vertex 5214"),
    ] {
        write(&folder, &[with(keys)]);
        refused(&folder, 2, words);
    }
}

#[test]
fn a_file_that_is_none_is_refused_and_so_is_a_bad_pose() {
    let folder = with_output("files");
    for (text, words) in [
        ("{\"schema\": 1, \"strokes\": [{\"radius\": NaN}]}", "s.json: this is no JSON: "),
        ("{\"schema\": 1, \"strokes\": [{\"radius\": 1e999}]}", "s.json: this is no JSON: number out of range"),
        ("{\"schema\": 2, \"strokes\": []}", "s.json: schema: expected 1, found 2"),
        ("{\"schema\": 1}", "s.json: strokes: expected a list, found nothing"),
        ("{\"schema\": 1, \"strokes\": [], \"name\": 1}", "s.json: name: this key is unknown"),
        ("glTF", "s.json: this is no JSON"),
    ] {
        fs::write(folder.join("s.json"), text).unwrap();
        refused(&folder, 2, words);
    }
    fs::remove_file(folder.join("s.json")).unwrap();
    refused(&folder, 2, "s.json: ");
    // What is wrong with a pose file is said as everywhere.
    write(&folder, &[with(json!({ "pose": "none.pose.json" }))]);
    refused(&folder, 1, "none.pose.json: ");
    fs::write(folder.join("bad.pose.json"), "{\"skinscope_pose\": 2}").unwrap();
    write(&folder, &[with(json!({ "pose": "bad.pose.json" }))]);
    refused(&folder, 1, "bad.pose.json: skinscope_pose: expected version 1, found 2");
}

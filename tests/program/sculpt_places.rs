//! `skinscope sculpt` of models that stand far away, are tiny or mirrored; of targets that are told by their numbers, and of files whose drivers do
//! not fit any more.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json as value};

use crate::fix::gained::glb;
use crate::fix::reader::File;
use crate::sculpt::{NEAR, folder, json, ok, refused};

/// Changes the JSON of a file.
fn change(folder: &Path, name: &str, edit: impl FnOnce(&mut Value)) {
    let path = folder.join(name);
    let mut file = File::open(&path);
    edit(&mut file.root);
    fs::write(&path, glb(&file.root, Some(&file.buffers[0]))).unwrap();
}

/// Makes shapes of both elbows of the character whose armature was changed, by delta mush, and returns what is told of them.
fn elbows(name: &str, edit: impl FnOnce(&mut Value)) -> Vec<Value> {
    let folder = folder(name);
    change(&folder, "a.glb", |root| edit(&mut root["nodes"][0]));
    ok(&folder, &["pose", "a.glb", "-o", "Bent.pose.json", "--rotate", "LowerArm.L=0,-95,0"]);
    let from = format!("--from={}=mush", folder.join("Bent.pose.json").display());
    let told = json(&folder, &["sculpt", "a.glb", &from, "--mirror", "--name", "elbow.L", "-o", "out.glb", "--json"]);
    let info = json(&folder, &["info", "out.glb", "--json"]);
    assert_eq!(info["shapes"].as_array().map(Vec::len), Some(2), "{name}");
    told["shapes"].as_array().unwrap().clone()
}

#[test]
fn shapes_of_a_model_that_is_far_away_tiny_or_mirrored_are_those_of_the_model() {
    let plain = elbows("plain", |_| {});
    assert_eq!(plain.iter().map(|shape| &shape["name"]).collect::<Vec<_>>(), ["elbow.L", "elbow.R"]);
    let changed = [
        ("far", value!({ "translation": [1e5, 20.0, -2e5] }), 1.0),
        ("tiny", value!({ "scale": [1e-4, 1e-4, 1e-4] }), 1e-4),
        ("mirrored", value!({ "scale": [-1.0, 1.0, 1.0] }), 1.0),
    ];
    for (name, members, scale) in changed {
        let placed = elbows(name, |armature| {
            for (key, numbers) in members.as_object().unwrap() {
                armature[key] = numbers.clone();
            }
        });
        assert_eq!(placed.len(), 2, "{name}");
        for (own, as_it_is) in placed.iter().zip(&plain) {
            assert_eq!((&own["name"], &own["joints"]), (&as_it_is["name"], &as_it_is["joints"]), "{name}");
            let two = |key: &str| [own, as_it_is].map(|shape| shape[key].as_f64().unwrap());
            let is_near = |[a, b]: [f64; 2], by: f64| (a - b * by).abs() < 0.01 * b * by;
            assert!(is_near(two("vertices"), 1.0), "{name}: {own} {as_it_is}");
            assert!(is_near(two("largest_before"), scale), "{name}: {own} {as_it_is}");
            assert!(is_near(two("longest_offset"), 1.0), "{name}: {own} {as_it_is}");
            assert!(two("largest_after")[0] < NEAR * scale, "{name}: {own}");
        }
    }
}

#[test]
fn a_target_is_told_by_its_numbers_and_names_may_have_the_sign_in_them() {
    let folder = folder("numbers");
    ok(&folder, &["sculpt", "a.glb", "--from=Walk@0=dual-quaternion", "--name", "walk", "-o", "one.glb"]);
    let told = json(&folder, &["sculpt", "one.glb", "--rename", "0,0=a=b", "-o", "two.glb", "--json"]);
    assert_eq!(told["renamed"], value!([{ "from": "walk", "to": "a=b", "target": "0,0" }]));
    let told = json(&folder, &["sculpt", "two.glb", "--rename", "a=b=c", "-o", "three.glb", "--json"]);
    assert_eq!(told["renamed"], value!([{ "from": "a=b", "to": "c" }]));
    let text = ok(&folder, &["sculpt", "three.glb", "--remove", "0,0", "-o", "none_left.glb"]);
    assert!(text.contains("c (0,0): removed"), "{text}");
    let none = refused(&folder, &["sculpt", "three.glb", "--remove", "0,7", "-o", "none.glb"]);
    assert!(none.contains("no morph target 0,7"), "{none}");
    // Another program has given two targets one name.
    ok(&folder, &["sculpt", "one.glb", "--from=Walk@0.3=dual-quaternion", "--name", "other", "-o", "twice.glb"]);
    change(&folder, "twice.glb", |root| root["meshes"][0]["extras"]["targetNames"] = value!(["walk", "walk"]));
    let why = refused(&folder, &["sculpt", "twice.glb", "--rename", "walk=run", "-o", "none.glb"]);
    assert!(why.contains("such as 0,0 or 0,1"), "{why}");
    ok(&folder, &["sculpt", "twice.glb", "--rename", "0,1=run", "-o", "told.glb"]);
    let names = &File::open(&folder.join("told.glb")).root["meshes"][0]["extras"]["targetNames"];
    assert_eq!(*names, value!(["walk", "run"]));
}

#[test]
fn drivers_that_do_not_fit_are_told_and_can_be_left_out() {
    let folder = folder("unfit");
    ok(&folder, &["sculpt", "a.glb", "--from=Walk@0=dual-quaternion", "--name", "walk", "-o", "one.glb"]);
    change(&folder, "one.glb", |root| root["meshes"][0]["extras"]["targetNames"] = value!(["stride"]));
    let more = ["sculpt", "one.glb", "--from=Walk@0.3=dual-quaternion", "--name", "more"];
    let why = refused(&folder, &[&more[..], &["-o", "none.glb"]].concat());
    assert!(why.contains("is not called") && why.contains("--drop-drivers"), "{why}");
    let told = json(&folder, &[&more[..], &["--drop-drivers", "-o", "two.glb", "--json"]].concat());
    assert!(told["warnings"][0].as_str().unwrap().contains("was left out"), "{told}");
    let info = json(&folder, &["info", "two.glb", "--json"]);
    assert_eq!(info["counts"]["morph_targets"], 2);
    assert_eq!(info["shapes"][0]["targets"], value!([{ "target": 1, "name": "more" }]));
    let fits = json(&folder, &["sculpt", "two.glb", "--remove", "more", "--drop-drivers", "-o", "three.glb", "--json"]);
    assert_eq!(fits["warnings"], value!([]));
}

//! `skinscope diff`: what is told of two files, and what is no difference.

#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("diff").join(name);
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    std::fs::copy(built_in, folder.join("a.glb")).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skinscope")).args(arguments).current_dir(folder).output().unwrap()
}

/// What is told of two files; the exit code is that of the answer.
fn told(folder: &Path, a: &str, b: &str) -> Value {
    let out = run(folder, &["diff", a, b, "--json"]);
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let code = if told["same"] == json!(true) { 0 } else { 3 };
    assert_eq!(out.status.code(), Some(code), "{told}");
    told
}

/// The JSON text of a GLB, changed.
fn rewrite(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) {
    let bytes = std::fs::read(folder.join("a.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut root: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    change(&mut root);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = (bytes.len() - length + text.len()) as u32;
    let head = [&bytes[..8], &total.to_le_bytes(), &(text.len() as u32).to_le_bytes(), &bytes[16..20]].concat();
    std::fs::write(folder.join(name), [&head[..], &text, &bytes[20 + length..]].concat()).unwrap();
}

#[test]
fn order_and_storage_are_no_difference() {
    let folder = folder("same");
    std::fs::copy(folder.join("a.glb"), folder.join("copy.glb")).unwrap();
    let same = told(&folder, "a.glb", "copy.glb");
    assert_eq!((&same["same"], &same["identical_bytes"]), (&json!(true), &json!(true)));
    assert_eq!((&same["posed"]["clip"], &same["posed"]["largest_mm"]), (&Value::Null, &json!(0.0)));
    let out = run(&folder, &["fix", "a.glb", "-o", "stored.glb", "--quantise", "f32"]);
    assert!(out.status.success());
    let stored = told(&folder, "a.glb", "stored.glb");
    assert_eq!((&stored["same"], &stored["identical_bytes"]), (&json!(true), &json!(false)), "{stored}");
    // Clips the other way round.
    rewrite(&folder, "turned.glb", |root| {
        root["animations"].as_array_mut().unwrap().reverse();
        root["extras"] = json!({ "note": 1 });
    });
    assert_eq!(told(&folder, "a.glb", "turned.glb")["same"], json!(true));
    assert_eq!(run(&folder, &["diff", "a.glb", "missing.glb"]).status.code(), Some(1));
    assert_eq!(run(&folder, &["diff", "a.glb"]).status.code(), Some(2));
    assert_eq!(run(&folder, &["diff", "a.glb", "copy.glb", "--html", "a.glb"]).status.code(), Some(2));
}

#[test]
fn other_weights_are_counted_and_seen_in_poses() {
    let folder = folder("weights");
    let out = run(&folder, &["fix", "a.glb", "-o", "b.glb", "--smooth", "2", "--json"]);
    let fixed: Value = serde_json::from_slice(&out.stdout).unwrap();
    let found = told(&folder, "a.glb", "b.glb");
    assert_eq!(found["weights"]["vertices"], fixed["changed"]["vertices"]);
    let largest = found["weights"]["largest"].as_f64().unwrap();
    assert!(largest > 0.01 && largest < 1.0, "{found}");
    assert!(found["posed"]["largest_mm"].as_f64().unwrap() > 0.1 && found["posed"]["clip"].is_string(), "{found}");
    for empty in ["nodes", "clips", "materials"] {
        assert!(found[empty].as_object().unwrap().values().all(|list| list == &json!([])), "{found}");
    }
    assert_eq!((&found["inverse_binds"]["changed"], &found["surface"]["vertices"]), (&json!(0), &json!(0)));
    let page = folder.join("page.html");
    assert_eq!(run(&folder, &["diff", "a.glb", "b.glb", "--html", "page.html"]).status.code(), Some(3));
    assert!(std::fs::read_to_string(page).unwrap().contains("<h3>weights</h3>"));
}

#[test]
fn names_rest_poses_clips_and_materials_are_told() {
    let folder = folder("names");
    rewrite(&folder, "b.glb", |root| {
        let nodes = root["nodes"].as_array_mut().unwrap();
        let head = nodes.iter_mut().find(|n| n["name"] == "Head").unwrap();
        let old = head["translation"].as_array().cloned().unwrap_or_else(|| vec![json!(0.0); 3]);
        head["translation"] = json!([old[0].as_f64().unwrap() + 0.25, old[1], old[2]]);
        nodes.push(json!({ "name": "New" }));
        root["animations"][0]["name"] = json!("Other");
        root["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] = json!(0.125);
    });
    let found = told(&folder, "a.glb", "b.glb");
    assert_eq!((&found["nodes"]["moved"], &found["nodes"]["added"]), (&json!(["Head"]), &json!(["New"])));
    assert_eq!(
        (found["clips"]["added"].clone(), found["clips"]["removed"].as_array().unwrap().len()),
        (json!(["Other"]), 1)
    );
    assert_eq!(found["materials"]["changed"].as_array().unwrap().len(), 1);
    let millimetres = found["posed"]["largest_mm"].as_f64().unwrap();
    assert!((200.0..400.0).contains(&millimetres), "{found}");
    assert_eq!(found["weights"]["vertices"], json!(0));
}

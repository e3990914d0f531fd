//! How joints and clips are named on the command line: by a name that nothing else has, else by a number.

use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::cli::{called, fails, ok, scratch};
use crate::fix::reader::chunks;

/// Writes the built-in character with another JSON text.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let bytes = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb")).unwrap();
    let (chunks, _) = chunks(&bytes);
    let mut root: Value = serde_json::from_slice(&chunks[0].1).unwrap();
    change(&mut root);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend(length(28 + text.len() + chunks[1].1.len()));
    for (kind, data) in [(b"JSON", &text), (b"BIN\0", &chunks[1].1)] {
        out.extend(length(data.len()));
        out.extend(kind);
        out.extend(data);
    }
    let path = scratch(name);
    fs::write(&path, out).unwrap();
    path
}

fn node_of(root: &Value, name: &str) -> usize {
    root["nodes"].as_array().unwrap().iter().position(|node| node["name"] == name).unwrap()
}

/// The character whose two lower arms have one name, and their numbers.
fn with_arms_of_one_name(name: &str) -> (PathBuf, [String; 2]) {
    let mut arms = [0; 2];
    let path = changed(name, |root| {
        arms = ["LowerArm.L", "LowerArm.R"].map(|arm| node_of(root, arm));
        arms.iter().for_each(|arm| root["nodes"][*arm]["name"] = json!("Arm"));
    });
    (path, arms.map(|arm| format!("#{arm}")))
}

/// Every option that names a joint, in a command that would succeed with it.
const NAMING: [&str; 16] = [
    "fix M -o OUT.glb --remove-joint J",
    "fix M -o OUT.glb --remove-joint J:spread",
    "fix M -o OUT.glb --replace-joint J=Head",
    "fix M -o OUT.glb --replace-joint Head=J",
    "fix M -o OUT.glb --set J=0.5",
    "fix M -o OUT.glb --paste J=0.5,Head=0.5",
    "fix M -o OUT.glb --normalise --lock J",
    "fix M -o OUT.glb --smooth 1 --only-joint J",
    "fix M -o OUT.glb --mirror x --pair J=Head",
    "pose M -o OUT.pose.json --rotate J=1,2,3",
    "pose M -o OUT.pose.json --reach Head=0,2,0 --pin J",
    "pose M -o OUT.pose.json --reach J=0.5,1,0",
    "pose M -o OUT.pose.json --look J=0,1,9",
    "pose M -o OUT.pose.json --flip J",
    "bake M -o OUT.ply --clip Walk --hold J",
    "bake M -o OUT.obj --clip Walk --hold J=0.5,1,0",
];

#[test]
fn a_name_that_two_joints_have_is_refused_everywhere_and_their_numbers_are_taken() {
    let (model, [left, right]) = with_arms_of_one_name("arms.glb");
    let out = scratch("named");
    for line in NAMING {
        let words = |joint: &str| -> Vec<String> {
            let word = |word: &str| {
                let word = word.strip_prefix("OUT").map_or(word.to_owned(), |end| format!("{}{end}", out.display()));
                if word == "M" { model.display().to_string() } else { word.replace("J", joint) }
            };
            line.replace("LJ", "J").split(' ').map(word).collect()
        };
        let run = |joint: &str| {
            let words = words(joint);
            called(&words.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let written = words("x").into_iter().find(|word| word.starts_with(&out.display().to_string()));
        let is_written = || written.as_ref().is_some_and(|path| PathBuf::from(path).exists());
        let (code, _, said) = run("Arm");
        let expected = format!("several nodes are called \"Arm\"; say which: {left}, {right}");
        assert_eq!((code, said.contains(&expected), is_written()), (2, true, false), "{line}: {said}");
        let (code, _, said) = run("Lowerarm.L");
        assert_eq!((code, is_written()), (2, false), "{line}: {said}");
        assert!(said.contains("there is no joint \"Lowerarm.L\"; the nearest of "), "{line}: {said}");
        let (code, _, said) = run(&left);
        assert_eq!((code, is_written()), (0, written.is_some()), "{line}: {said}");
        written.as_ref().map(fs::remove_file).transpose().unwrap();
    }
}

#[test]
fn two_joints_are_found_whichever_of_both_names_holds_the_sign_between_them() {
    let model = changed("equals.glb", |root| {
        for (joint, name) in [("LowerArm.L", "a=b"), ("LowerArm.R", "b=c"), ("Head", "c"), ("Neck", "a")] {
            let node = node_of(root, joint);
            root["nodes"][node]["name"] = json!(name);
        }
    });
    let (model, out) = (model.to_str().unwrap(), scratch("equals.out.glb"));
    let out = out.to_str().unwrap();
    for pair in ["a=b=Spine", "Spine=a=b", "a=b=b=c", "b=c=Spine"] {
        ok(&["fix", model, "-o", out, "--replace-joint", pair]);
        fs::remove_file(out).unwrap();
        ok(&["fix", model, "-o", out, "--mirror", "x", "--pair", pair]);
        fs::remove_file(out).unwrap();
    }
    let pose = scratch("equals.pose.json");
    ok(&["pose", model, "-o", pose.to_str().unwrap(), "--mirror", "x", "--pair", "a=b=b=c"]);
    // Two joints are meant, but it may be these or those.
    fails(&["fix", model, "-o", out, "--replace-joint", "a=b=c"], 2, &["in several ways"]);
    fails(&["fix", model, "-o", out, "--replace-joint", "a=b=d"], 2, &["there is no joint"]);
}

#[test]
fn pictures_name_joints_as_all_commands_do() {
    let (model, [left, right]) = with_arms_of_one_name("arms_seen.glb");
    let (model, out) = (model.to_str().unwrap(), scratch("arms.png"));
    for option in ["--heatmap", "--joint", "--hide", "--frame-joint"] {
        let line = ["render", model, "-o", out.to_str().unwrap(), "--size", "16x16", option, "Arm"];
        fails(&line, 2, &[&format!("say which: {left}, {right}")]);
    }
    assert!(!out.exists());
}

#[test]
fn an_unknown_joint_is_answered_with_the_nearest_three() {
    let (code, _, said) = called(&["pose", "-o", "never.pose.json", "--rotate", "lowerarm.l=0,0,9"]);
    assert_eq!(code, 2);
    let nearest = said.split_once(" joints are ").unwrap().1;
    assert!(nearest.starts_with("LowerArm.L, ") && nearest.split(", ").count() == 3, "{said}");
    assert!(said.len() < 300, "{said}");
}

#[test]
fn clips_of_one_name_are_told_apart_by_their_numbers() {
    let model = changed("clips.glb", |root| {
        let clips = root["animations"].as_array_mut().unwrap();
        clips.truncate(2);
        clips.iter_mut().for_each(|clip| clip["name"] = json!("Move"));
    });
    let (model, out) = (model.to_str().unwrap(), scratch("clip.ply"));
    let out = out.to_str().unwrap();
    for line in [
        &["bake", model, "-o", out, "--clip", "Move"][..],
        &["bake", model, "-o", out, "--clip", "0", "--blend-clip", "Move=0.5"],
        &["bake", model, "-o", out, "--clip", "0", "--add-clip", "Move=0.5"],
        &["pose", model, "-o", "never.pose.json", "--clip", "Move"],
        &["measure", model, "--clip", "Move"],
        &["render", model, "-o", "never.png", "--clip", "Move"],
        &["fix", model, "-o", "never.glb", "--bind-here", "--clip", "Move"],
    ] {
        fails(line, 2, &["several clips are called \"Move\"", "such as 0: 0, 1"]);
    }
    ok(&["bake", model, "-o", out, "--clip", "1", "--time", "0.1"]);
    ok(&["bake", model, "-o", out, "--clip", "#0", "--time", "0.1"]);
}

#[test]
fn the_order_of_clips_of_one_name_is_no_difference() {
    let named = |clips: &mut Vec<Value>| clips.iter_mut().for_each(|clip| clip["name"] = json!("Move"));
    let [one, other, less] = ["order_a.glb", "order_b.glb", "order_c.glb"].map(|name| {
        changed(name, |root| {
            let clips = root["animations"].as_array_mut().unwrap();
            named(clips);
            if name == "order_b.glb" {
                clips.reverse();
            } else if name == "order_c.glb" {
                clips.remove(0);
            }
        })
    });
    let [one, other, less] = [&one, &other, &less].map(|path| path.to_str().unwrap());
    ok(&["diff", one, other]);
    let (code, printed, _) = called(&["diff", one, less, "--json"]);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, &printed["clips"]), (3, &json!({ "added": [], "removed": ["Move"], "changed": [] })));
}

#[test]
fn a_channel_that_a_pose_cannot_have_is_an_error_that_names_it() {
    let pose = scratch("typo.pose.json");
    fs::write(&pose, r#"{"skinscope_pose": 1, "joints": {"Head": {"rotate": [0, 0, 0, 1]}}}"#).unwrap();
    let line = ["bake", "-o", "never.ply", "--pose", pose.to_str().unwrap()];
    fails(&line, 1, &["joints.\"Head\"", "rotation, translation, scale", "\"rotate\""]);
    // Integers may be written as decimals, and of a key given twice the last counts.
    fs::write(&pose, r#"{"skinscope_pose": 1.0, "joints": {}, "joints": {"Head": {"rotation": [0, 0, 1, 1e0]}}}"#)
        .unwrap();
    let out = scratch("decimal.pose.json");
    ok(&["pose", "-o", out.to_str().unwrap(), "--from", pose.to_str().unwrap()]);
    assert!(fs::read_to_string(out).unwrap().contains("\"Head\""));
}

#[test]
fn a_film_that_is_hardly_meant_says_how_many_pictures_it_would_have() {
    let long = scratch("long.gltf");
    let times: Vec<u8> = [0.0_f32, 100_000.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let data: Vec<u8> = [&times[..], &[0; 24]].concat();
    let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&data));
    let file = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "n" }],
        "buffers": [{ "byteLength": 32, "uri": uri }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [100_000] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" },
        ],
        "animations": [{ "name": "Long", "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }] }],
    });
    fs::write(&long, file.to_string()).unwrap();
    let out = scratch("long.gif");
    let line = ["render", long.to_str().unwrap(), "-o", out.to_str().unwrap(), "--clip", "Long", "--whole-clip"];
    fails(&line, 2, &["3000000 pictures at 30 a second", "--frames A-B"]);
    assert!(!out.exists());
}

#[test]
fn a_repair_that_changes_only_how_weights_are_stored_says_so() {
    let out = scratch("stored.glb");
    let out = out.to_str().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/character.glb");
    let printed = ok(&["fix", model, "-o", out, "--quantise", "f32"]);
    let words = "the weights of 15568 vertices are stored as f32 from now on, not as u16";
    assert!(printed.contains(words) && !printed.contains("nothing changed"), "{printed}");
    let changed = |from: &str, to: &str, kind: &str| -> Value {
        let said: Value = serde_json::from_str(&ok(&["fix", from, "-o", to, "--quantise", kind, "--json"])).unwrap();
        said["changed"].get("stored").cloned().unwrap_or_default()
    };
    let (f32s, u16s) = (format!("{out}.f32.glb"), format!("{out}.u16.glb"));
    assert_eq!(changed(model, &f32s, "f32"), json!([{ "from": "u16", "to": "f32", "vertices": 15568 }]));
    assert_eq!(changed(&f32s, &u16s, "u16"), json!([{ "from": "f32", "to": "u16", "vertices": 15568 }]));
    assert_eq!(changed(&u16s, out, "u16"), Value::Null, "they are stored so already");
}

//! `skinscope bind` with joints that are placed: those of a file, and a standing figure's by sections through the meshes.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use skinscope::edit::{humanoid_in, placed_to_text};

use crate::fix::gained::{glb, open, same_surface};
use crate::fix::outside::{Written, is_there, nothing_new};
use crate::fix::reader::chunks;
use crate::fix::run::captured;
use crate::fix::{contents, folder, said};

/// The built-in character without its skin.
fn bare(folder: &Path) -> PathBuf {
    let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let (chunks, _) = chunks(&std::fs::read(character).unwrap());
    let mut root: Value = serde_json::from_slice(&chunks[0].1).unwrap();
    _ = root.as_object_mut().unwrap().remove("skins");
    for node in root["nodes"].as_array_mut().unwrap() {
        _ = node.as_object_mut().unwrap().remove("skin");
    }
    for primitive in root["meshes"][0]["primitives"].as_array_mut().unwrap() {
        let attributes = primitive["attributes"].as_object_mut().unwrap();
        attributes.retain(|name, _| !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_"));
    }
    let path = folder.join("a.glb");
    std::fs::write(&path, glb(&root, Some(&chunks[1].1))).unwrap();
    path
}

fn bind(folder: &Path, arguments: &[&str]) -> Output {
    captured(folder, &[&["bind", "a.glb", "-o", "out.glb"][..], arguments].concat())
}

#[test]
fn a_humanoid_is_placed_by_sections_and_a_file_of_the_same_joints_gives_the_same_bytes() {
    let folder = folder("placed");
    let old = bare(&folder);
    let before = open(&old);
    let joints = humanoid_in(&before, None).joints;
    let out = bind(&folder, &["--humanoid", "--json"]);
    assert!(out.status.success(), "{}", said(&out));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&told["skins"][0]["joints"], &told["skins"][0]["skin"]), (&json!(19), &json!(0)));
    let sections = ["hips", "neck", "legs", "arms"];
    let told_of = json!({ "symmetry": "mesh", "faces": "+Z", "faces_by": "feet", "sections": sections });
    assert_eq!(told["placed"], told_of);
    let new = folder.join("out.glb");
    let after = open(&new);
    same_surface("humanoid", [&before, &after], None);
    let skin = &after.skins[0];
    let worlds = after.skeleton.worlds(&after.skeleton.rest);
    assert_eq!(skin.joints.len(), 19);
    for joint in &joints {
        let is_it = |node: &&skinscope::model::NodeId| after.skeleton.names[node.index()] == joint.name;
        let node = skin.joints.iter().find(is_it).unwrap();
        let far = worlds[node.index()].translation.as_vec3().distance(joint.position);
        assert!(far < 1e-5, "{} is {far} m away", joint.name);
    }
    let mesh = after.instances[0].mesh;
    let influences = after.influences(mesh, 0).unwrap();
    for vertex in 0..after.meshes[mesh.index()].primitives[0].stored_vertices {
        let sum: f32 = influences.of(vertex).1.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "vertex {vertex}: {sum}");
    }
    let whole = std::fs::read(&new).unwrap();
    std::fs::write(folder.join("joints.json"), placed_to_text(&joints)).unwrap();
    let out = bind(&folder, &["--skeleton", "joints.json"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(std::fs::read(&new).unwrap() == whole, "the file of the same joints gives other bytes");
    if is_there() {
        nothing_new(&[Written { what: "humanoid".to_owned(), old, new }]);
    }
}

#[test]
fn axes_of_joints_go_along_their_bones_or_are_those_of_the_scene() {
    let folder = folder("placed axes");
    bare(&folder);
    for (arguments, along) in [(&[][..], true), (&["--axes", "bone"], true), (&["--axes", "world"], false)] {
        let out = bind(&folder, &[&["--humanoid"], arguments].concat());
        assert!(out.status.success(), "{}", said(&out));
        assert!(String::from_utf8_lossy(&out.stdout).contains("plane of symmetry of the mesh"));
        let after = open(&folder.join("out.glb"));
        let worlds = after.skeleton.worlds(&after.skeleton.rest);
        let skin = &after.skins[0];
        let find = |name: &str| {
            let is_it = |node: &&skinscope::model::NodeId| after.skeleton.names[node.index()] == name;
            worlds[skin.joints.iter().find(is_it).unwrap().index()]
        };
        let [upper, lower] = ["UpperLeg.R", "LowerLeg.R"].map(find);
        let bone = (lower.translation - upper.translation).normalize();
        let y = upper.matrix3.y_axis;
        assert_eq!((y.dot(bone) > 0.999_999, y.y > 0.999_999), (along, !along), "{arguments:?}");
    }
    let out = bind(&folder, &["--joints", "Hips", "--axes", "bone"]);
    assert_eq!(out.status.code(), Some(2));
    let out = bind(&folder, &["--axes", "bone"]);
    assert!(out.status.code() == Some(2) && said(&out).contains("--axes needs"), "{}", said(&out));
}

#[test]
fn joints_that_make_no_skeleton_are_refused_and_nothing_is_written() {
    let folder = folder("placed refused");
    bare(&folder);
    let joint = |name: &str, parent: Value| json!({ "name": name, "position": [0, 1, 0], "parent": parent });
    let file = |joints: Vec<Value>| json!({ "schema": 1, "joints": joints }).to_string();
    for (text, why) in [
        ("{".to_owned(), "EOF"),
        (file(vec![]), "no joint was placed"),
        (file(vec![joint("a", Value::Null), joint("b", Value::Null)]), "one joint has to be above all others"),
        (file(vec![joint("a", json!("b")), joint("b", json!("a"))]), "none is the root"),
        (file(vec![joint("a", Value::Null), joint("a", json!(0))]), "two joints have the name"),
    ] {
        std::fs::write(folder.join("joints.json"), text).unwrap();
        let before = contents(&folder);
        let out = bind(&folder, &["--skeleton", "joints.json"]);
        assert_eq!(out.status.code(), Some(2), "{why}");
        assert!(said(&out).contains(why) && said(&out).contains("joints.json"), "{}", said(&out));
        assert!(contents(&folder) == before, "{why}: something was written");
    }
    for arguments in [&["--humanoid", "--skeleton", "joints.json"][..], &["--humanoid", "--joints", "Hips"]] {
        assert_eq!(bind(&folder, arguments).status.code(), Some(2));
    }
}

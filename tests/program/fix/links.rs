//! `skinscope links`: what the file gains, that nothing else of it changes, and that it moves as it is said to.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use skinscope::anim::{SampleScratch, sample};
use skinscope::edit::{LinkSettings, plan_links};
use skinscope::model::{Model, NodeId, WeightFormat};

use super::gained::{Kind, change, glb, open, posed, root, same_surface, save, write};
use super::outside::{Written, is_there, nothing_new};
use super::reader::File;
use super::{folder, run, said, told};

const RINGS: usize = 17;
const SIDES: usize = 12;
const RADIUS: f32 = 0.25;

/// An arm along Y, whose weights pass from the upper joint to the lower one over the middle half, and a clip that bends it by 120°.
fn arm() -> Vec<u8> {
    let (mut bin, mut views, mut accessors) = (Vec::<u8>::new(), Vec::<Value>::new(), Vec::<Value>::new());
    let mut add = |bytes: Vec<u8>, mut accessor: Value| {
        bin.resize(bin.len().next_multiple_of(4), 0);
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
        bin.extend(bytes);
        accessor["bufferView"] = json!(views.len() - 1);
        accessors.push(accessor);
        accessors.len() - 1
    };
    let floats = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let (mut places, mut joints, mut weights, mut corners) = (Vec::new(), Vec::new(), Vec::new(), Vec::<u16>::new());
    for ring in 0..RINGS {
        let y = 2.0 * ring as f32 / (RINGS - 1) as f32;
        let lower = (255.0 * (y - 0.5).clamp(0.0, 1.0)).round() as u8;
        for side in 0..SIDES {
            let angle = std::f32::consts::TAU * side as f32 / SIDES as f32;
            places.extend([RADIUS * angle.sin(), y, RADIUS * angle.cos()]);
            joints.extend([0_u8, 1, 0, 0]);
            weights.extend([255 - lower, lower, 0, 0]);
            if ring > 0 {
                let [a, b] = [side, (side + 1) % SIDES].map(|side| ((ring - 1) * SIDES + side) as u16);
                let [c, d] = [a, b].map(|below| below + SIDES as u16);
                corners.extend([a, b, c, b, d, c]);
            }
        }
    }
    let count = RINGS * SIDES;
    let bounds = json!({
        "componentType": 5126, "type": "VEC3", "count": count, "min": [-RADIUS, 0, -RADIUS], "max": [RADIUS, 2, RADIUS],
    });
    let position = add(floats(&places), bounds);
    let joint = add(joints, json!({ "componentType": 5121, "type": "VEC4", "count": count }));
    let weight = add(weights, json!({ "componentType": 5121, "normalized": true, "type": "VEC4", "count": count }));
    let indices: Vec<u8> = corners.iter().flat_map(|corner| corner.to_le_bytes()).collect();
    let index = add(indices, json!({ "componentType": 5123, "type": "SCALAR", "count": corners.len() }));
    let down = |y: f32| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., -y, 0., 1.];
    let binds =
        add(floats(&[down(0.0), down(1.0)].concat()), json!({ "componentType": 5126, "type": "MAT4", "count": 2 }));
    let times = json!({ "componentType": 5126, "type": "SCALAR", "count": 3, "min": [0], "max": [1] });
    let input = add(floats(&[0.0, 0.5, 1.0]), times);
    let half = 60_f32.to_radians();
    let (bent, about_z) = ([half.sin(), 0.0, 0.0, half.cos()], [0.0, 0.0, 0.5_f32.sin(), 0.5_f32.cos()]);
    let turns = [[0.0, 0.0, 0.0, 1.0], bent, about_z].concat();
    let output = add(floats(&turns), json!({ "componentType": 5126, "type": "VEC4", "count": 3 }));
    let attributes = json!({ "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight });
    let root = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "name": "body", "mesh": 0, "skin": 0 },
            { "name": "upper", "children": [2, 4] },
            { "name": "lower", "translation": [0, 1, 0], "children": [3] },
            { "name": "end", "translation": [0, 1, 0] },
            { "name": "strap" },
        ],
        "meshes": [{ "primitives": [{ "attributes": attributes, "indices": index }] }],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": binds }],
        "animations": [{
            "name": "Bend",
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "rotation" } }],
            "samplers": [{ "input": input, "output": output }],
        }],
        "accessors": accessors, "bufferViews": views, "buffers": [{ "byteLength": bin.len() }],
    });
    glb(&root, Some(&padded(bin)))
}

fn padded(mut bin: Vec<u8>) -> Vec<u8> {
    bin.resize(bin.len().next_multiple_of(4), 0);
    bin
}

fn write_arm(folder: &Path) -> PathBuf {
    let path = folder.join("a.glb");
    std::fs::write(&path, arm()).unwrap();
    path
}

fn links(folder: &Path, arguments: &[&str]) -> std::process::Output {
    run::captured(folder, &[&["links"][..], arguments].concat())
}

/// The farthest that keys of links are from what drives them, as the largest difference of a number of their rotations.
fn astray(model: &Model) -> f32 {
    let (mut pose, mut scratch) = (model.skeleton.rest.clone(), SampleScratch::default());
    let mut most = 0.0_f32;
    for i in 0..=64 {
        sample(model, &model.clips[0], i as f32 / 64.0, &mut scratch, &mut pose);
        let mut driven = pose.clone();
        model.drive_links(&mut driven);
        for (a, b) in pose.transforms.iter().zip(&driven.transforms) {
            most = most.max(1.0 - a.rotation.dot(b.rotation).abs());
            most = most.max(a.translation.distance(b.translation));
        }
    }
    most
}

#[test]
fn a_joint_gains_a_link_in_the_file_and_all_that_was_there_stays() {
    let folder = folder("links");
    let old = write_arm(&folder);
    let arguments = ["a.glb", "--joint", "lower", "-o", "b.glb", "--json"];
    let said = told(&arguments, &links(&folder, &arguments));
    let new = folder.join("b.glb");
    let joint = &said["joints"][0];
    assert_eq!((&joint["joint"], &joint["above"], &joint["clip"]), (&json!("lower"), &json!("upper"), &json!("Bend")));
    assert_eq!((joint["links"].as_array().unwrap().len(), joint["links"][0]["share"].as_f64()), (1, Some(0.5)));
    for volume in joint["volume"].as_array().unwrap() {
        let [before, after] = ["before", "after"].map(|side| volume[side].as_f64().unwrap());
        assert!(after > before + 0.02, "{volume}");
    }
    let [a, b] = [&old, &new].map(|path| File::open(path));
    let places = 12 * RINGS * SIDES;
    assert!(b.buffers[0][..places] == a.buffers[0][..places] && b.buffers[0].len() > a.buffers[0].len());
    assert_eq!(b.root["skins"][0]["joints"], json!([1, 2, 5]));
    assert_eq!(b.root["nodes"][1]["children"], json!([2, 4, 5]));
    let link = &b.root["nodes"][5]["extras"]["skinscope"]["link"];
    assert_eq!((&b.root["nodes"][5]["name"], &link["of"]), (&json!("lower_link1"), &json!("lower")));
    assert_eq!(b.root["animations"][0]["channels"].as_array().unwrap().len(), 2);
    // What stays is as it was, to the byte.
    let binds =
        |file: &File| file.elements(file.root["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize).unwrap();
    assert_eq!((&binds(&b)[..2], &binds(&b)[2]), (&binds(&a)[..], &binds(&a)[1]));
    let [before, after] = [&old, &new].map(|path| open(path));
    assert_eq!(after.skeleton.names, ["body", "upper", "lower", "end", "strap", "lower_link1"]);
    assert!(after.links.len() == 1 && !after.links[0].is_new);
    let far = |time: Option<f32>| {
        let [a, b] = [&before, &after].map(|model| posed(model, time)["body"].clone());
        a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
    };
    assert!(far(None) < 2e-6 && far(Some(0.5)) > 0.05, "{} {}", far(None), far(Some(0.5)));
    assert!(astray(&after) < 1e-5, "{}", astray(&after));
    if is_there() {
        nothing_new(&[Written { what: "links".to_owned(), old, new }]);
    }
}

#[test]
fn diff_tells_the_links_their_weights_and_their_keys_and_nothing_else() {
    let folder = folder("links diff");
    write_arm(&folder);
    let out = links(&folder, &["a.glb", "--joint", "lower", "-o", "b.glb"]);
    assert!(out.status.success(), "{}", said(&out));
    let found = crate::diff::told(&folder, "a.glb", "b.glb");
    assert_eq!(found["nodes"]["added"], json!(["lower_link1"]));
    for list in ["removed", "moved", "renamed"] {
        assert_eq!(found["nodes"][list], json!([]), "{found}");
    }
    assert_eq!(found["clips"], json!({ "added": [], "removed": [], "changed": ["Bend"] }));
    assert!(found["weights"]["vertices"].as_u64().unwrap() > 0 && found["surface"]["vertices"] == 0, "{found}");
    assert!(found["posed"]["clip"] == "Bend" && found["posed"]["largest_mm"].as_f64().unwrap() > 50.0, "{found}");
}

#[test]
fn a_twist_gains_links_along_the_bone_and_two_joints_gain_theirs_at_once() {
    let folder = folder("links twist");
    write_arm(&folder);
    let arguments = ["a.glb", "--joint", "lower", "--twist", "--angle", "150", "-o", "b.glb"];
    let out = links(&folder, &arguments);
    assert!(out.status.success(), "{}", said(&out));
    assert!(String::from_utf8_lossy(&out.stdout).contains("3 links between it and upper"), "{out:?}");
    let model = open(&folder.join("b.glb"));
    let heights: Vec<f32> = model.links.iter().map(|link| link.drive.along).collect();
    assert!(heights.len() == 3 && (heights[0] - 1.0 / 3.0).abs() < 1e-6 && heights[2] == 1.0, "{heights:?}");
    assert!(astray(&model) < 1e-5, "{}", astray(&model));
}

#[test]
fn a_joint_that_cannot_have_links_is_refused_with_the_reason_and_nothing_is_written() {
    let folder = folder("links refused");
    write_arm(&folder);
    for (arguments, reason) in [
        (&["--joint", "upper"][..], "shares no vertices with a joint above it"),
        (&["--joint", "end"], "shares no vertices with a joint above it"),
        (&["--joint", "lower", "--degrees", "120"], "needs no link of 120°"),
        (&["--joint", "lower", "--joint", "lower"], "has links already"),
        (&["--joint", "nobody"], "nobody"),
        (&["--joint", "lower", "--degrees", "5"], "10 to 120"),
    ] {
        let out = links(&folder, &[&["a.glb"][..], arguments, &["-o", "b.glb"]].concat());
        assert!(out.status.code() == Some(2) && said(&out).contains(reason), "{arguments:?}: {}", said(&out));
        assert!(!folder.join("b.glb").exists());
    }
}

/// Joints that came with the skin, and joints of the file that gained meshes: in both cases the nodes of the links stand among others.
#[test]
fn a_mesh_that_was_bound_a_moment_ago_is_saved_together_with_the_links_of_its_joints() {
    let folder = folder("links bound");
    let mut written = Vec::new();
    for (is_made, joint) in [(true, "new arm"), (false, "arm")] {
        let folder = folder.join(joint);
        std::fs::create_dir(&folder).unwrap();
        let old = write(&folder, Kind::Glb, root(false, false), false);
        let model = open(&old);
        let bound = model.with_bindings(&change(&model, &["still", "table"], is_made, WeightFormat::F32)).unwrap();
        let node = NodeId::from_index(bound.skeleton.names.iter().position(|name| name == joint).unwrap());
        let settings = LinkSettings { angle: Some(120.0), ..LinkSettings::default() };
        let linked = bound.with_links(&plan_links(&bound, node, &settings).unwrap().change).unwrap();
        same_surface(joint, [&bound, &linked], None);
        let new = folder.join("b.glb");
        save(&old, &linked, &new).unwrap();
        let again = open(&new);
        [None, Some(0.5)].into_iter().for_each(|time| same_surface(joint, [&linked, &again], time));
        let names = |model: &Model| -> Vec<Vec<String>> {
            let name = |joint: &NodeId| model.skeleton.names[joint.index()].clone();
            model.skins.iter().map(|skin| skin.joints.iter().map(name).collect()).collect()
        };
        assert_eq!(names(&linked), names(&again));
        assert!(names(&again).iter().all(|joints| joints.len() == 3 && joints[2] == format!("{joint}_link1")));
        let [link] = &again.links[..] else { panic!("{} links", again.links.len()) };
        assert!(!link.is_new && again.skeleton.names[link.of.index()] == joint);
        written.push(Written { what: joint.to_owned(), old, new });
    }
    if is_there() {
        nothing_new(&written);
    }
}

//! `skinscope sculpt`: corrective shapes that joints bring in.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::{DVec3, Vec3};
use serde_json::Value;
use skinscope::edit::Sheet;
use skinscope::import::{Options, Progress, read_points};
use skinscope::pose::{PoseFile, resolve};
use skinscope::session::{
    EditCommand, PlaybackCommand, PoseSource, Session, ShapeCommand, ShapeSettings, Source, ViewCommand,
};
use skinscope::solve::kept_shapes;
use skinscope::writeback::{Destination, Origin, Recompression, Stamps, prepare};

use crate::common::validator::{is_there, validate};
use crate::fix::gained::glb;
use crate::fix::reader::File;
use crate::fix::run::captured;
use crate::fix::said;

/// The character is 1.7 m high; this is a hundred thousandth of that.
pub(crate) const NEAR: f64 = 1.7e-5;

/// An empty folder with a copy of the built-in character.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sculpt").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    folder
}

/// Carries out a command line in a folder; it must go well. Returns what is printed.
pub(crate) fn ok(folder: &Path, arguments: &[&str]) -> String {
    let out = captured(folder, arguments);
    assert!(out.status.success(), "{arguments:?}: {}", said(&out));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

pub(crate) fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, arguments)).unwrap()
}

/// Carries out a command line that is refused, and returns why.
pub(crate) fn refused(folder: &Path, arguments: &[&str]) -> String {
    let out = captured(folder, arguments);
    assert_eq!(out.status.code(), Some(2), "{arguments:?}: {}", said(&out));
    assert!(!folder.join("none.glb").exists());
    said(&out)
}

/// Poses the character, and makes a sculpt of it: the surface by dual quaternions. Returns the option that takes it.
fn sculpt(folder: &Path, name: &str, turn: &str) -> String {
    let [pose, mesh] = [format!("{name}.pose.json"), format!("{name}.ply")];
    ok(folder, &["pose", "a.glb", "-o", &pose, "--rotate", turn]);
    ok(folder, &["bake", "a.glb", "--pose", &pose, "--method", "dual-quaternion", "-o", &mesh]);
    format!("--sculpt={}={}", folder.join(&pose).display(), folder.join(&mesh).display())
}

/// The largest distance of the vertices of two meshes.
pub(crate) fn apart(folder: &Path, a: &str, b: &str) -> f64 {
    let [a, b] = [a, b].map(|file| read_points(&folder.join(file)).unwrap());
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn a_sculpt_becomes_a_morph_target_that_meets_it_in_its_pose() {
    let folder = folder("meets");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let told = json(&folder, &["sculpt", "a.glb", &sculpted, "-o", "out.glb", "--json"]);
    let shape = &told["shapes"][0];
    assert_eq!(
        (&shape["joints"], &shape["name"], &shape["flat"]),
        (&serde_json::json!(["LowerArm.L"]), &"Bent".into(), &0.into())
    );
    let figure = |key: &str| shape[key].as_f64().unwrap();
    assert!(figure("largest_before") > 1e-3 && figure("largest_after") < NEAR, "{shape}");
    assert!(figure("vertices") > 10.0 && figure("longest_offset") < 0.1, "{shape}");
    ok(&folder, &["bake", "out.glb", "--pose", "Bent.pose.json", "--morph", "Bent=1", "-o", "met.ply"]);
    ok(&folder, &["bake", "a.glb", "--pose", "Bent.pose.json", "-o", "plain.ply"]);
    assert!(apart(&folder, "plain.ply", "Bent.ply") > 1e-3);
    let met = apart(&folder, "met.ply", "Bent.ply");
    assert!(met < NEAR, "{met}");
    // A second load finds what drives it.
    let info = json(&folder, &["info", "out.glb", "--json"]);
    assert_eq!(info["counts"]["morph_targets"], 1);
    assert_eq!(info["shapes"][0]["targets"], serde_json::json!([{ "target": 0, "name": "Bent" }]));
    let text = ok(&folder, &["info", "out.glb"]);
    assert!(text.contains("\"Bent\": brought in by LowerArm.L"), "{text}");
    assert!(ok(&folder, &["info", "a.glb", "--json"]).contains("\"shapes\": []"));
}

#[test]
fn a_sculpt_of_a_joint_with_links_is_met_and_its_joint_brings_it_in() {
    let folder = folder("links");
    ok(&folder, &["links", "a.glb", "--joint", "LowerArm.L", "--angle", "150", "-o", "links.glb"]);
    fs::rename(folder.join("links.glb"), folder.join("a.glb")).unwrap();
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let told = json(&folder, &["sculpt", "a.glb", &sculpted, "-o", "out.glb", "--json"]);
    assert_eq!(told["shapes"][0]["joints"], serde_json::json!(["LowerArm.L"]));
    ok(&folder, &["bake", "out.glb", "--pose", "Bent.pose.json", "--morph", "Bent=1", "-o", "met.ply"]);
    let met = apart(&folder, "met.ply", "Bent.ply");
    assert!(met < NEAR, "{met}");
    // A moment of a clip, in which the links have keys, is brought in by the joint as well.
    let all = ["--from=Bend@4.5=dual-quaternion", "-o", "clip.glb", "--json"];
    let told = json(&folder, &[&["sculpt", "a.glb"][..], &all].concat());
    let joints = told["shapes"][0]["joints"].as_array().unwrap();
    assert!(joints.iter().all(|joint| !joint.as_str().unwrap().contains("_link")), "{joints:?}");
}

#[test]
fn the_mirror_image_of_a_sculpt_is_brought_in_by_the_other_side() {
    let folder = folder("mirror");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let all = ["sculpt", "a.glb", &sculpted, "--mirror", "--name", "elbow.L", "-o", "out.glb", "--json"];
    let told = json(&folder, &all);
    let of = |key: &str| told["shapes"].as_array().unwrap().iter().map(|shape| shape[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["elbow.L", "elbow.R"]);
    assert_eq!(of("joints"), [serde_json::json!(["LowerArm.L"]), serde_json::json!(["LowerArm.R"])]);
    // Both elbows are bent, and the joints bring both shapes in.
    let both = ["bake", "--pose", "both.pose.json", "-o"];
    ok(&folder, &["pose", "a.glb", "-o", "other.pose.json", "--from", "Bent.pose.json", "--mirror", "x"]);
    let [pose, other] = ["Bent.pose.json", "other.pose.json"];
    ok(
        &folder,
        &[
            "pose",
            "a.glb",
            "-o",
            "both.pose.json",
            "--from",
            pose,
            "--add",
            &format!("{}=1", folder.join(other).display()),
        ],
    );
    ok(&folder, &[&both[..], &["wanted.ply", "a.glb", "--method", "dual-quaternion"]].concat());
    ok(&folder, &[&both[..], &["plain.ply", "a.glb"]].concat());
    ok(&folder, &[&both[..], &["met.ply", "out.glb"]].concat());
    let [plain, met] = ["plain.ply", "met.ply"].map(|mesh| apart(&folder, mesh, "wanted.ply"));
    assert!(plain > 1e-3 && met < 0.1 * plain, "{plain} {met}");
}

#[test]
fn what_the_file_has_stays_and_every_primitive_has_the_target() {
    let folder = folder("stays");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["sculpt", "a.glb", &sculpted, "--name", "elbow", "-o", "out.glb"]);
    let [before, after] = ["a.glb", "out.glb"].map(|name| File::open(&folder.join(name)));
    assert!(after.buffers[0].starts_with(&before.buffers[0]), "new bytes follow the old ones");
    let [old, new] = [&before.root["accessors"], &after.root["accessors"]].map(|list| list.as_array().unwrap());
    assert!(new.starts_with(old) && new.len() > old.len());
    let mesh = &after.root["meshes"][0];
    assert_eq!(mesh["extras"]["targetNames"], serde_json::json!(["elbow"]));
    for primitive in mesh["primitives"].as_array().unwrap() {
        let target = &new[primitive["targets"][0]["POSITION"].as_u64().unwrap() as usize];
        let positions = &new[primitive["attributes"]["POSITION"].as_u64().unwrap() as usize];
        assert_eq!((&target["count"], &target["type"]), (&positions["count"], &"VEC3".into()));
        assert!(target["min"].is_array() && target["max"].is_array());
    }
    // Each channel of weights has as many numbers as keys times targets.
    let animations = after.root["animations"].as_array().unwrap();
    let weights = animations.iter().flat_map(|animation| {
        let channels = animation["channels"].as_array().unwrap().iter();
        let own = channels.filter(|channel| channel["target"]["path"] == "weights");
        own.map(move |channel| &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize])
    });
    let counts: Vec<[u64; 2]> = weights
        .map(|sampler| {
            ["input", "output"].map(|key| new[sampler[key].as_u64().unwrap() as usize]["count"].as_u64().unwrap())
        })
        .collect();
    assert!(!counts.is_empty() && counts.iter().all(|[keys, values]| keys == values), "{counts:?}");
}

#[test]
fn shapes_of_one_primitive_leave_the_others_as_they_are() {
    let folder = folder("primitive");
    let all = ["sculpt", "a.glb", "--from=Walk@0=dual-quaternion", "--json", "-o"];
    let moved = |told: &Value| told["shapes"][0]["vertices"].as_u64().unwrap();
    let whole = moved(&json(&folder, &[&all[..], &["whole.glb"]].concat()));
    let one = moved(&json(&folder, &[&all[..], &["one.glb", "--primitive", "0,1"]].concat()));
    assert!(one > 0 && one < whole, "{one} of {whole}");
    let file = File::open(&folder.join("one.glb"));
    let primitives = file.root["meshes"][0]["primitives"].as_array().unwrap();
    for (number, primitive) in primitives.iter().enumerate() {
        let target = &file.root["accessors"][primitive["targets"][0]["POSITION"].as_u64().unwrap() as usize];
        let is_still = ["min", "max"]
            .iter()
            .all(|end| target[end].as_array().unwrap().iter().all(|offset| offset.as_f64() == Some(0.0)));
        assert_eq!(is_still, number != 1, "primitive {number}");
    }
    // A mesh of another primitive does not fit the one that is named.
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let out = ["-o", "none.glb", "--primitive"];
    assert!(
        refused(&folder, &[&["sculpt", "a.glb", sculpted.as_str()][..], &out, &["0,1"]].concat())
            .contains("5416 are needed")
    );
    assert!(
        refused(&folder, &[&["sculpt", "a.glb", sculpted.as_str()][..], &out, &["9,0"]].concat())
            .contains("no primitive 9,0")
    );
}

/// Bakes a file as OBJ, and returns the places of its vertices and their normals.
fn baked(folder: &Path, arguments: &[&str]) -> [Vec<Vec3>; 2] {
    ok(folder, &[&["bake", "-o", "baked.obj"][..], arguments].concat());
    let text = fs::read_to_string(folder.join("baked.obj")).unwrap();
    ["v ", "vn "].map(|kind| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
        let vector = |line: &str| {
            let numbers: Vec<f32> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
            Vec3::from_slice(&numbers)
        };
        lines.map(vector).collect()
    })
}

#[test]
fn normals_follow_the_sculpt_unless_they_are_to_stay() {
    let folder = folder("normals");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["sculpt", "a.glb", &sculpted, "-o", "out.glb"]);
    ok(&folder, &["sculpt", "a.glb", &sculpted, "--no-normals", "-o", "stay.glb"]);
    for (name, has_normals) in [("out.glb", true), ("stay.glb", false)] {
        let file = File::open(&folder.join(name));
        let primitives = file.root["meshes"][0]["primitives"].as_array().unwrap();
        let has = |primitive: &Value| primitive["targets"][0]["NORMAL"].is_u64() == has_normals;
        assert!(primitives.iter().all(has), "{name}");
    }
    // The normals of the sculpted triangles are what the shape should have.
    let pose = ["--pose", "Bent.pose.json"];
    let of_triangles = ["a.glb", "--method", "dual-quaternion", "--normals", "from-triangles"];
    let [places, wanted] = baked(&folder, &[&of_triangles[..], &pose].concat());
    let [before, _] = baked(&folder, &[&["a.glb"][..], &pose].concat());
    let moved: Vec<usize> = (0..places.len()).filter(|v| places[*v].distance(before[*v]) > 1e-4).collect();
    let apart = |file: &str| {
        let [_, normals] = baked(&folder, &[&[file, "--morph", "Bent=1"][..], &pose].concat());
        let angles = moved.iter().map(|vertex| normals[*vertex].angle_between(wanted[*vertex]));
        angles.sum::<f32>().to_degrees() / moved.len() as f32
    };
    let [plain, turned] = ["stay.glb", "out.glb"].map(apart);
    assert!(moved.len() > 100 && turned < 0.3 * plain && turned < 4.0, "{plain}° {turned}°");
}

#[test]
fn a_clip_plays_the_surface_of_another_method_at_the_moment_that_was_taken() {
    let folder = folder("clip");
    let all = ["sculpt", "a.glb", "--from=Walk@0=dual-quaternion", "-o", "out.glb", "--json"];
    let told = json(&folder, &all);
    let walk = told["clips"].as_array().unwrap().iter().find(|clip| clip["clip"] == "Walk").unwrap();
    assert!(walk["keys"].as_u64().unwrap() > 2 && walk["error"].as_f64().unwrap() < 1e-3, "{walk}");
    assert!((told["shapes"][0]["most"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{told}");
    let moment = ["--clip", "Walk", "--time", "0", "-o"];
    ok(&folder, &[&["bake", "out.glb"][..], &moment, &["played.ply"]].concat());
    ok(&folder, &[&["bake", "a.glb"][..], &moment, &["wanted.ply", "--method", "dual-quaternion"]].concat());
    ok(&folder, &[&["bake", "a.glb"][..], &moment, &["plain.ply"]].concat());
    let [plain, played] = ["plain.ply", "played.ply"].map(|mesh| apart(&folder, mesh, "wanted.ply"));
    assert!(plain > 1e-4 && played < NEAR, "{plain} {played}");
}

#[test]
fn keys_that_another_program_plays_on_a_wrong_node_are_told() {
    let folder = folder("twins");
    let all = ["--from=Walk@0=dual-quaternion", "-o", "out.glb"];
    let told = json(&folder, &[&["sculpt", "a.glb", "--json"][..], &all].concat());
    assert_eq!(told["warnings"], serde_json::json!([]));
    // A second node shows the mesh, which has five materials.
    let mut file = File::open(&folder.join("a.glb"));
    let twin = serde_json::json!({ "name": "Twin", "mesh": 0, "skin": 0 });
    let nodes = file.root["nodes"].as_array_mut().unwrap();
    nodes.push(twin);
    let last = nodes.len() - 1;
    file.root["scenes"][0]["nodes"].as_array_mut().unwrap().push(last.into());
    let padded = file.buffers[0].len().next_multiple_of(4);
    file.buffers[0].resize(padded, 0);
    fs::write(folder.join("twins.glb"), glb(&file.root, Some(&file.buffers[0]))).unwrap();
    let told = json(&folder, &[&["sculpt", "twins.glb", "--json"][..], &all].concat());
    let warning = told["warnings"][0].as_str().unwrap();
    assert!(warning.contains("three.js") && warning.ends_with("several nodes show it"), "{warning}");
    let text =
        ok(&folder, &[&["sculpt", "twins.glb"][..], &["--from=Walk@0=dual-quaternion", "-o", "two.glb"]].concat());
    assert!(text.contains("warning: "), "{text}");
}

#[test]
fn more_shapes_join_those_that_a_file_has_and_all_are_met() {
    let folder = folder("more");
    let elbow = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let knee = sculpt(&folder, "Knee", "LowerLeg.L=-90,0,0");
    let half = sculpt(&folder, "Half", "LowerLeg.L=-45,0,0");
    ok(&folder, &["sculpt", "a.glb", &elbow, "-o", "one.glb"]);
    let told = json(&folder, &["sculpt", "one.glb", &knee, &half, "--driver", "LowerLeg.L", "-o", "two.glb", "--json"]);
    assert_eq!(told["shapes"].as_array().unwrap().len(), 2);
    let info = json(&folder, &["info", "two.glb", "--json"]);
    assert_eq!((info["counts"]["morph_targets"].as_u64(), info["shapes"].as_array().map(Vec::len)), (Some(3), Some(2)));
    for name in ["Bent", "Knee", "Half"] {
        let [pose, morph] = [format!("{name}.pose.json"), format!("{name}=1")];
        ok(&folder, &["bake", "two.glb", "--pose", &pose, "--morph", &morph, "-o", "met.ply"]);
        let met = apart(&folder, "met.ply", &format!("{name}.ply"));
        assert!(met < NEAR, "{name}: {met}");
    }
    let file = File::open(&folder.join("two.glb"));
    assert_eq!(file.root["meshes"][0]["extras"]["targetNames"], serde_json::json!(["Bent", "Knee", "Half"]));
}

/// Writes the vertices of a mesh in reverse, each place once, in the order of the places of `rest`.
fn joined(folder: &Path, rest: &str, mesh: &str, out: &str) {
    let [rest, mesh] = [rest, mesh].map(|file| read_points(&folder.join(file)).unwrap());
    let mut seen = std::collections::HashSet::new();
    let bits = |point: &DVec3| point.to_array().map(f64::to_bits);
    let kept: Vec<usize> = (0..rest.len()).rev().filter(|vertex| seen.insert(bits(&rest[*vertex]))).collect();
    assert!(kept.len() < rest.len(), "the character has seams");
    let line = |vertex: &usize| format!("v {} {} {}\n", mesh[*vertex].x, mesh[*vertex].y, mesh[*vertex].z);
    fs::write(folder.join(out), kept.iter().map(line).collect::<String>()).unwrap();
}

#[test]
fn a_sculpt_in_another_order_is_matched_where_its_vertices_rest() {
    let folder = folder("places");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["pose", "a.glb", "-o", "Rest.pose.json"]);
    ok(&folder, &["bake", "a.glb", "--pose", "Rest.pose.json", "-o", "Rest.ply"]);
    joined(&folder, "Rest.ply", "Bent.ply", "joined.obj");
    joined(&folder, "Rest.ply", "Rest.ply", "rest.obj");
    let other = sculpted.replace("Bent.ply", "joined.obj");
    let told = json(&folder, &["sculpt", "a.glb", &other, "--by-place", "rest.obj", "-o", "out.glb", "--json"]);
    assert!(told["shapes"][0]["largest_after"].as_f64().unwrap() < NEAR, "{told}");
    ok(&folder, &["bake", "out.glb", "--pose", "Bent.pose.json", "--morph", "Bent=1", "-o", "met.ply"]);
    let met = apart(&folder, "met.ply", "Bent.ply");
    assert!(met < NEAR, "{met}");
    // Without it the number of vertices does not fit; the mesh at rest has to have as many, and to be at rest.
    let out = ["-o", "none.glb"];
    let why = |options: &[&str]| refused(&folder, &[&["sculpt", "a.glb"][..], options, &out].concat());
    assert!(why(&[&other]).contains("are needed"));
    assert!(why(&[&sculpted, "--by-place", "rest.obj"]).contains("are needed"));
    assert!(why(&[&other, "--by-place", "joined.obj"]).contains("from the nearest vertex"));
    assert!(why(&["--from=Walk@0=dual-quaternion", "--by-place", "rest.obj"]).contains("--sculpt"));
}

#[test]
fn a_shape_that_would_add_nothing_or_never_show_is_refused() {
    let folder = folder("refused");
    let bent = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["bake", "a.glb", "--pose", "Bent.pose.json", "-o", "same.ply"]);
    let same = bent.replace("Bent.ply", "same.ply");
    let out = ["-o", "none.glb"];
    let why = |options: &[&str]| refused(&folder, &[&["sculpt", "a.glb"][..], options, &out].concat());
    assert!(why(&[&same]).contains("would add nothing"));
    assert!(why(&[&bent, "--driver", "Head"]).contains("turned as at rest"));
    assert!(why(&[&bent, &bent]).contains("nothing tells them apart"));
    assert!(why(&[&bent, "--method", "linear+mush"]).contains("expected one of"));
    assert!(why(&["--from=Walk@0=nothing"]).contains("expected POSE=METHOD"));
    assert!(why(&["--sculpt=Bent.pose.json=absent.ply"]).contains("no such file"));
    assert!(why(&[&bent, "--name", "a", "--name", "b"]).contains("more names"));
    let few = folder.join("few.obj");
    fs::write(&few, "v 0 0 0\nv 1 0 0\n").unwrap();
    let of_few = format!("--sculpt={}={}", folder.join("Bent.pose.json").display(), few.display());
    assert!(why(&[&of_few]).contains("2 vertices"));
}

#[test]
fn the_validator_finds_nothing_new_in_a_file_with_shapes() {
    if !is_there() {
        return;
    }
    let folder = folder("validator");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["sculpt", "a.glb", &sculpted, "-o", "one.glb"]);
    ok(&folder, &["sculpt", "one.glb", "--from=Walk@0=dual-quaternion", "-o", "two.glb"]);
    let reports = validate(&["a.glb", "one.glb", "two.glb"].map(|name| folder.join(name))).unwrap();
    for (code, count) in reports[1..].iter().flatten() {
        let before = reports[0].get(code).copied().unwrap_or(0);
        assert!(*count <= before, "{code} {count} times, before {before}");
    }
}

/// Gives the character a shape of an elbow, and two of a knee that are driven together.
fn with_three(folder: &Path) {
    let elbow = sculpt(folder, "Bent", "LowerArm.L=0,-95,0");
    let knee = sculpt(folder, "Knee", "LowerLeg.L=-90,0,0");
    let half = sculpt(folder, "Half", "LowerLeg.L=-45,0,0");
    ok(folder, &["sculpt", "a.glb", &elbow, &knee, &half, "-o", "three.glb"]);
}

/// The largest distance of the surface that joints bring shapes into, in the pose of a sculpt, from the sculpt.
fn off(folder: &Path, model: &str, name: &str) -> f64 {
    ok(folder, &["bake", model, "--pose", &format!("{name}.pose.json"), "-o", "driven.ply"]);
    apart(folder, "driven.ply", &format!("{name}.ply"))
}

#[test]
fn shapes_are_renamed_and_removed_and_all_else_stays() {
    let folder = folder("fewer");
    with_three(&folder);
    let all = ["sculpt", "three.glb", "--rename", "Knee=knee.L", "--remove", "Bent", "-o", "two.glb", "--json"];
    let told = json(&folder, &all);
    assert_eq!(told["renamed"], serde_json::json!([{ "from": "Knee", "to": "knee.L" }]));
    assert_eq!(told["removed"], serde_json::json!(["Bent"]));
    let info = json(&folder, &["info", "two.glb", "--json"]);
    let targets = serde_json::json!([{ "target": 0, "name": "knee.L" }, { "target": 1, "name": "Half" }]);
    assert_eq!((&info["counts"]["morph_targets"], &info["shapes"][0]["targets"]), (&2.into(), &targets));
    assert_eq!(info["shapes"].as_array().map(Vec::len), Some(1));
    assert!(off(&folder, "two.glb", "Knee") < NEAR && off(&folder, "two.glb", "Half") < NEAR);
    assert!(off(&folder, "three.glb", "Bent") < NEAR && off(&folder, "two.glb", "Bent") > 1e-3);
    let [before, after] = ["three.glb", "two.glb"].map(|name| File::open(&folder.join(name)));
    assert!(after.buffers[0].starts_with(&before.buffers[0]), "new bytes follow the old ones");
    let mesh = &after.root["meshes"][0];
    assert_eq!(mesh["extras"]["targetNames"], serde_json::json!(["knee.L", "Half"]));
    let first = |file: &File| file.root["meshes"][0]["primitives"][0]["targets"].as_array().unwrap().clone();
    assert_eq!(first(&before)[1..], first(&after)[..]);
    // Of two that are driven together one goes, and the other is there in its pose as before.
    ok(&folder, &["sculpt", "two.glb", "--remove", "Half", "-o", "one.glb"]);
    assert!(off(&folder, "one.glb", "Knee") < NEAR && off(&folder, "one.glb", "Half") > 1e-4);
}

#[test]
fn a_file_without_its_last_shape_has_nothing_of_shapes_any_more() {
    let folder = folder("none");
    with_three(&folder);
    let remove = ["--remove", "Bent", "--remove", "Knee", "--remove", "Half"];
    let text = ok(&folder, &[&["sculpt", "three.glb", "-o", "less.glb"][..], &remove].concat());
    assert!(text.contains("Knee: removed"), "{text}");
    let file = File::open(&folder.join("less.glb"));
    let primitives = file.root["meshes"][0]["primitives"].as_array().unwrap();
    assert!(primitives.iter().all(|primitive| primitive["targets"].is_null()) && file.root["extras"].is_null());
    let clips = file.root["animations"].as_array().unwrap().iter();
    let mut channels = clips.flat_map(|clip| clip["channels"].as_array().unwrap());
    assert!(channels.all(|channel| channel["target"]["path"] != "weights"));
    let info = json(&folder, &["info", "less.glb", "--json"]);
    assert_eq!((&info["counts"]["morph_targets"], &info["shapes"]), (&0.into(), &serde_json::json!([])));
    // What was never there is refused, and so is a name that is taken.
    let why = |options: &[&str]| refused(&folder, &[&["sculpt", "three.glb", "-o", "none.glb"][..], options].concat());
    assert!(why(&["--remove", "Smile"]).contains("no shape is called \"Smile\": there are Bent, Half, Knee"));
    assert!(why(&["--rename", "Knee=Half"]).contains("another shape is called so"));
    assert!(why(&["--rename", "Knee"]).contains("expected OLD=NEW"));
}

#[test]
fn a_shape_that_was_made_on_the_open_model_is_saved_and_found_again() {
    let folder = folder("window");
    let [path, out] = ["a.glb", "out.glb"].map(|name| folder.join(name));
    let load = |path: &Path| Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap();
    let same = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    let stamps = Stamps::of(&path);
    let mut session = Session::default();
    session.open(load(&path));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    let pose = PoseFile::read(&folder.join("Bent.pose.json")).unwrap();
    let said = resolve(session.model().unwrap(), &pose);
    session.apply(EditCommand::SetPose(Arc::new(said)));
    session.apply(ViewCommand::SetMethod("dual-quaternion"));
    let settings = ShapeSettings { name: "elbow.L".into(), both_sides: true, ..ShapeSettings::default() };
    session.apply(EditCommand::Shape(ShapeCommand::OfMethod(settings)));
    assert!(session.tools().shapes.as_ref().unwrap().is_ok());
    let model = session.model().unwrap();
    let sheet = Sheet::of(model);
    let prepared = prepare(Origin::File(&path, &stamps), &sheet, Recompression::None, Destination::To(&out));
    prepared.unwrap().write().unwrap();
    let document = load(&out);
    let again = document.stored();
    assert_eq!(again.meshes[0].morph_names, ["elbow.L", "elbow.R"]);
    assert_eq!(kept_shapes(again).unwrap(), kept_shapes(model).unwrap());
    let offsets = |model: &skinscope::model::Model| model.meshes[0].primitives[0].morphs[1].positions.clone();
    assert!(offsets(model) == offsets(again));
    assert_eq!(again.clips.len(), model.clips.len());
    // The command line makes the same of the same pose.
    ok(&folder, &["sculpt", "a.glb", &same, "--mirror", "--name", "elbow.L", "-o", "same.glb"]);
    let named = load(&folder.join("same.glb"));
    let apart = offsets(again).iter().zip(&offsets(named.stored())).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart < 1e-4, "{apart}");
}

#[test]
fn the_mirror_image_of_a_shape_that_a_file_has_is_that_of_its_sculpt() {
    let folder = folder("image");
    let sculpted = sculpt(&folder, "Bent", "LowerArm.L=0,-95,0");
    ok(&folder, &["sculpt", "a.glb", &sculpted, "--mirror", "--name", "elbow.L", "-o", "both.glb"]);
    ok(&folder, &["sculpt", "a.glb", &sculpted, "--name", "elbow.L", "-o", "one.glb"]);
    let told = json(&folder, &["sculpt", "one.glb", "--mirror-of", "elbow.L", "-o", "image.glb", "--json"]);
    assert_eq!(
        (&told["shapes"][0]["name"], &told["shapes"][0]["joints"]),
        (&"elbow.R".into(), &serde_json::json!(["LowerArm.R"]))
    );
    ok(&folder, &["pose", "a.glb", "-o", "Other.pose.json", "--from", "Bent.pose.json", "--mirror", "x"]);
    ok(&folder, &["bake", "both.glb", "--pose", "Other.pose.json", "-o", "Other.ply"]);
    assert!(off(&folder, "image.glb", "Other") < 5.0 * NEAR && off(&folder, "one.glb", "Other") > 1e-3);
    let out = ["-o", "none.glb", "--mirror-of", "Smile"];
    assert!(refused(&folder, &[&["sculpt", "one.glb"][..], &out].concat()).contains("no shape is called"));
}

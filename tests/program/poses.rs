//! `skinscope pose` and `--pose`: commands make, read and use pose files.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use glam::{DQuat, Vec3};
use serde_json::{Value, json};
use skinscope::anim::local_to_model;
use skinscope::import::{Options, Progress, import_file};
use skinscope::model::Model;
use skinscope::pose::{PoseFile, resolve};

use crate::common;
use crate::fix::run::{PROGRAM, captured};

/// An empty folder with a copy of the built-in character.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("poses").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    folder
}

/// The program is launched where its window or its threads are the matter; all else is done within this process.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    if !["view", "check", "render"].contains(&arguments[0]) {
        return captured(folder, arguments);
    }
    Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

fn ok(folder: &Path, arguments: &[&str]) -> String {
    let out = run(folder, arguments);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn fails(folder: &Path, arguments: &[&str], code: i32, words: &str) {
    failed(&run(folder, arguments), arguments, code, words);
}

fn failed(out: &Output, arguments: &[&str], code: i32, words: &str) {
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(words), "{arguments:?} does not say \"{words}\": {said}");
}

fn read(path: PathBuf) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Makes a pose of `a.glb` and reads it.
fn pose(folder: &Path, name: &str, steps: &[&str]) -> Value {
    ok(folder, &[&["pose", "a.glb", "-o", name], steps].concat());
    read(folder.join(name))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn a_pose_at_rest_says_nothing_and_a_turned_joint_says_its_rotation() {
    let folder = folder("rotate");
    let rest = pose(&folder, "rest.pose.json", &[]);
    assert_eq!(rest, json!({ "skinscope_pose": 1, "name": "rest", "model": "a.glb", "joints": {}, "morphs": {} }));
    let turned = pose(&folder, "t.pose.json", &["--rotate", "LowerArm.L=90,0,0", "--rotate=LowerArm.L=0,90,0"]);
    let joints = turned["joints"].as_object().unwrap();
    assert_eq!(joints.keys().collect::<Vec<_>>(), ["LowerArm.L"]);
    assert_eq!(joints["LowerArm.L"].as_object().unwrap().keys().collect::<Vec<_>>(), ["rotation"]);
    // Turned back it rests, but for rounding.
    let back = pose(
        &folder,
        "b.pose.json",
        &["--from", "t.pose.json", "--rotate", "LowerArm.L=0,-90,0", "--rotate", "LowerArm.L=-90,0,0"],
    );
    let turn = back["joints"]["LowerArm.L"].get("rotation").map_or_else(|| vec![0.0, 0.0, 0.0, 1.0], numbers);
    assert!(turn[..3].iter().all(|v| v.abs() < 1e-6) && turn[3].abs() > 0.999, "{back}");
}

#[test]
fn a_file_is_written_back_to_the_bit_and_never_normalised() {
    let folder = folder("bits");
    let first = json!({ "skinscope_pose": 1, "name": "x", "model": "y", "joints": {
        "LowerArm.L": { "rotation": [0.1, -0.2, 0.300_000_01, 2.0], "scale": [1.1, 1e-20, -3.0] },
        "Head": { "translation": [0.123_456_79, 1.0, 16_777_216.0] } }, "morphs": {} });
    fs::write(folder.join("1.pose.json"), first.to_string()).unwrap();
    let second = pose(&folder, "2.pose.json", &["--from", "1.pose.json"]);
    let third = pose(&folder, "3.pose.json", &["--from", "2.pose.json"]);
    let bits = |file: &Value| {
        let mut out = Vec::new();
        for (key, node) in file["joints"].as_object().unwrap() {
            for (channel, list) in node.as_object().unwrap() {
                let list: Vec<u32> = numbers(list).iter().map(|v| (*v as f32).to_bits()).collect();
                out.push((key.clone(), channel.clone(), list));
            }
        }
        out
    };
    assert_eq!((bits(&second), bits(&third)), (bits(&first), bits(&first)));
    assert_eq!(
        fs::read_to_string(folder.join("2.pose.json")).unwrap().replace("\"2\"", ""),
        fs::read_to_string(folder.join("3.pose.json")).unwrap().replace("\"3\"", "")
    );
}

#[test]
fn clips_of_the_corpus_come_back_to_the_bit() {
    come_back(&folder("corpus"), 400_000);
}

#[test]
#[ignore = "full: each model is opened three times, some of them large"]
fn clips_of_the_whole_corpus_come_back_to_the_bit() {
    come_back(&folder("whole corpus"), u64::MAX);
}

/// A pose of each model of the corpus that has no more bytes than this.
fn come_back(folder: &Path, most: u64) {
    let Some(corpus) = common::corpus() else { return };
    let mut poses = 0;
    for entry in fs::read_dir(corpus.join("models")).unwrap() {
        let path = entry.unwrap().path();
        let file = if path.is_dir() {
            let inside = fs::read_dir(&path).unwrap().map(|e| e.unwrap().path());
            inside.filter(|p| p.extension().is_some_and(|e| e == "gltf" || e == "glb")).min()
        } else {
            Some(path).filter(|p| p.extension().is_some_and(|e| e == "gltf" || e == "glb"))
        };
        let Some(file) = file.filter(|file| file.metadata().unwrap().len() <= most) else { continue };
        let model = file.to_str().unwrap();
        let clip = run(folder, &["pose", model, "-o", "1.pose.json", "--clip", "0", "--time", "0.37"]);
        assert!([Some(0), Some(2)].contains(&clip.status.code()), "{}", String::from_utf8_lossy(&clip.stderr));
        // No clip, or one that rests just then.
        if !clip.status.success() || !fs::read_to_string(folder.join("1.pose.json")).unwrap().contains('[') {
            ok(folder, &["pose", model, "-o", "1.pose.json", "--rotate", "#0=10,20,30"]);
        }
        ok(folder, &["pose", model, "-o", "2.pose.json", "--from", "1.pose.json"]);
        let text = |name: &str| {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            text.lines().filter(|line| !line.contains("\"name\"")).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(text("1.pose.json"), text("2.pose.json"), "{model}");
        assert!(text("1.pose.json").contains('['), "{model} has no pose");
        poses += 1;
    }
    assert!(poses > 10, "{poses}");
}

/// The character of a folder.
fn character(folder: &Path) -> Arc<Model> {
    import_file(&folder.join("a.glb"), &Options::default(), &Progress::silent()).unwrap().model
}

/// Where a joint of the character is in a pose file, in the space of the model.
fn place(folder: &Path, joint: &str, from: &str) -> Vec3 {
    let model = character(folder);
    let mut local = model.skeleton.rest.clone();
    resolve(&model, &PoseFile::parse(&fs::read(folder.join(from)).unwrap()).unwrap()).apply(&mut local);
    let mut matrices = Vec::new();
    local_to_model(&model.skeleton, &local, &mut matrices);
    matrices[model.skeleton.names.iter().position(|name| name == joint).unwrap()].translation.into()
}

#[test]
fn reaches_say_how_far_they_came() {
    let folder = folder("reach");
    let said = ok(
        &folder,
        &["pose", "a.glb", "-o", "r.pose.json", "--json", "--reach", "Hand.L=0.4,1.2,0.25", "--reach", "Hand.R=-9,1,0"],
    );
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["schema"], &said["unmatched"]), (&json!(1), &json!([])));
    let [near, far] = [&said["reached"][0], &said["reached"][1]];
    assert_eq!((&near["joint"], &near["within_reach"]), (&json!("Hand.L"), &json!(true)));
    assert!(near["error_m"].as_f64().unwrap() < 1e-5, "{near}");
    let off: f64 = numbers(&near["at"]).iter().zip(numbers(&near["target"])).map(|(a, b)| (a - b).powi(2)).sum();
    assert!((off.sqrt() - near["error_m"].as_f64().unwrap()).abs() < 1e-9);
    assert_eq!((&far["joint"], &far["within_reach"]), (&json!("Hand.R"), &json!(false)));
    assert!(far["error_m"].as_f64().unwrap() > 7.0);
    let file = read(folder.join("r.pose.json"));
    let keys: Vec<&String> = file["joints"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["LowerArm.L", "LowerArm.R", "UpperArm.L", "UpperArm.R"]);
    // What a later step does to the limb counts: mirrored alone the other hand is where the first one was, and turned
    // before that it is not.
    let (reach, mirror) = (["--reach", "Hand.L=0.4,1.2,0.25"], ["--mirror", "x"]);
    let target = Vec3::new(-0.4, 1.2, 0.25);
    pose(&folder, "0.pose.json", &[reach, mirror].concat());
    assert!(place(&folder, "Hand.R", "0.pose.json").distance(target) < 1e-3);
    let turned = [&reach[..], &["--rotate", "UpperArm.L=0,0,30", "--look", "Head=1,1.6,1"], &mirror].concat();
    pose(&folder, "m.pose.json", &turned);
    assert!(place(&folder, "Hand.R", "m.pose.json").distance(target) > 0.1);
}

#[test]
fn roots_poles_and_pins_belong_to_the_reach_before_them() {
    let folder = folder("belong");
    for alone in [["--root", "UpperArm.L"], ["--pole", "-1,0,0"], ["--pin", "Foot.L"]] {
        fails(&folder, &[&["pose", "a.glb", "-o", "x.pose.json"], &alone[..]].concat(), 2, "--reach before it");
    }
    let reach = |more: &[&str], code: i32, words: &str| {
        let line = [&["pose", "a.glb", "-o", "x.pose.json", "--reach", "Hand.L=0.4,1.2,0.2"], more].concat();
        fails(&folder, &line, code, words);
    };
    reach(&["--root", "Hand.L"], 2, "must stand above");
    reach(&["--root", "Head"], 2, "must stand above");
    reach(&["--root", "Nobody"], 2, "there is no joint \"Nobody\"");
    reach(&["--pin", "Hand.L"], 2, "is pinned itself");
    assert!(!folder.join("x.pose.json").exists());
    // The elbow goes to either side as the pole says.
    let elbow = |pole: &str, name: &str| {
        pose(&folder, name, &["--reach", "Hand.L=0.35,1.2,0.2", "--pole", pole]);
        place(&folder, "LowerArm.L", name)
    };
    let (up, down) = (elbow("0.5,9,0", "u.pose.json"), elbow("0.5,-9,0", "d.pose.json"));
    assert!(up.y > down.y + 0.3, "{up} {down}");
    for name in ["u.pose.json", "d.pose.json"] {
        assert!(place(&folder, "Hand.L", name).distance(Vec3::new(0.35, 1.2, 0.2)) < 1e-3, "{name}");
    }
}

#[test]
fn twice_mirrored_is_the_pose_and_blends_go_part_of_the_way() {
    let folder = folder("mirror");
    let steps = ["--rotate", "UpperArm.L=10,20,30", "--rotate", "Head=0,25,5", "--rotate", "UpperLeg.R=-40,0,0"];
    let once = pose(&folder, "1.pose.json", &[&steps[..], &["--mirror", "x"]].concat());
    assert!(once["joints"].get("UpperArm.R").is_some() && once["joints"].get("UpperArm.L").is_none(), "{once}");
    let twice = pose(&folder, "2.pose.json", &[&steps[..], &["--mirror", "x", "--mirror", "x"]].concat());
    let first = pose(&folder, "0.pose.json", &steps);
    for (key, node) in first["joints"].as_object().unwrap() {
        let (a, b) = (numbers(&node["rotation"]), numbers(&twice["joints"][key]["rotation"]));
        let sign = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>().signum();
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b * sign).abs() < 1e-5), "{key}: {a:?} {b:?}");
    }
    assert_eq!(first["joints"].as_object().unwrap().len(), twice["joints"].as_object().unwrap().len());
    let whole = pose(&folder, "3.pose.json", &["--blend", "0.pose.json=1"]);
    assert_eq!(whole["joints"], first["joints"]);
    let none = pose(&folder, "4.pose.json", &["--blend", "0.pose.json=0"]);
    assert_eq!(none["joints"], json!({}));
    let part = pose(&folder, "5.pose.json", &["--blend", "0.pose.json=0.3"]);
    let model = character(&folder);
    let turned = |file: &Value, name: &str| DQuat::from_slice(&numbers(&file["joints"][name]["rotation"])).normalize();
    // One is turned at rest, two are not. What is mixed number by number is off by 1e-4 here, and by nothing half way.
    for name in ["Head", "UpperArm.L", "UpperLeg.R"] {
        let node = model.skeleton.names.iter().position(|n| n == name).unwrap();
        let rest = model.skeleton.rest.transforms[node].rotation.as_dquat();
        let (want, got) = (rest.slerp(turned(&first, name), 0.3), turned(&part, name));
        assert!((got - want).length().min((got + want).length()) < 1e-6, "{name}: {got} for {want}");
    }
    assert_eq!(part["joints"].as_object().unwrap().len(), 3);
    fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--blend", "0.pose.json=2"], 2, "from 0 to 1");
}

#[test]
fn partners_can_be_told_and_a_joint_may_be_its_own() {
    let folder = folder("pairs");
    let turned = |name: &str, pairs: &[&str]| {
        let steps = ["--rotate", "UpperArm.L=10,20,30", "--mirror", "x"];
        let made = pose(&folder, name, &[&steps[..], pairs].concat());
        ["UpperArm.L", "UpperArm.R", "Head"].map(|joint| made["joints"].get(joint).is_some())
    };
    assert_eq!(turned("0.pose.json", &[]), [false, true, false]);
    assert_eq!(turned("1.pose.json", &["--pair", "UpperArm.L=UpperArm.L"]), [true, false, false]);
    assert_eq!(turned("2.pose.json", &["--pair", "UpperArm.L=Head"]), [false, false, true]);
    for (more, words) in [
        (&["--pair", "Head=Head"][..], "--pair belongs to a --mirror or --flip"),
        (&["--mirror", "x", "--pair", "Head=Nobody"], "Nobody"),
        (&["--mirror", "x", "--pair", "Head=Head", "--pair", "Head=Spine"], "\"Head\" has two partners"),
    ] {
        fails(&folder, &[&["pose", "a.glb", "-o", "x.pose.json"], more].concat(), 2, words);
    }
}

#[test]
fn poses_of_other_models_are_matched_by_name_and_the_rest_is_listed() {
    let folder = folder("others");
    let file = json!({ "skinscope_pose": 1, "joints": {
        "mixamorig:head": { "scale": [2, 2, 2] }, "Tail": { "scale": [1, 2, 1] }, "#999": { "scale": [1, 1, 2] } },
        "morphs": { "Nobody": { "smile": 1 } } });
    fs::write(folder.join("o.pose.json"), file.to_string()).unwrap();
    let said = ok(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--from", "o.pose.json", "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["unmatched"], json!(["#999", "Tail", "Nobody"]));
    assert_eq!(read(folder.join("x.pose.json"))["joints"], json!({ "Head": { "scale": [2.0, 2.0, 2.0] } }));
    let told = run(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--from", "o.pose.json"]);
    assert!(told.status.success() && String::from_utf8_lossy(&told.stderr).contains("nothing for \"Tail\""));
}

#[test]
fn bad_files_are_refused_with_their_place_and_nothing_is_written() {
    let folder = folder("bad");
    let old = "what was there before";
    for (text, words) in [
        ("{\"skinscope_pose\":2}", "skinscope_pose: expected version 1"),
        ("{\"skinscope_pose\":1,\"joints\":{\"Head\":{\"rotation\":[0,0,0,0]}}}", "joints.\"Head\".rotation"),
        ("{\"skinscope_pose\":1,\"joints\":{\"Head\":{\"scale\":[NaN,1,1]}}}", "line 1 column"),
        ("{\"skinscope_pose\":1,", "line 1 column"),
    ] {
        fs::write(folder.join("bad.pose.json"), text).unwrap();
        fs::write(folder.join("x.pose.json"), old).unwrap();
        fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--from", "bad.pose.json"], 1, words);
        fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--blend", "bad.pose.json=0.5"], 1, words);
        fails(&folder, &["bake", "a.glb", "-o", "x.ply", "--pose", "bad.pose.json"], 1, words);
        fails(&folder, &["view", "a.glb", "--pose", "bad.pose.json"], 1, words);
        fails(&folder, &["check", "a.glb", "--rom", "--pose", "bad.pose.json"], 1, words);
        assert_eq!(fs::read_to_string(folder.join("x.pose.json")).unwrap(), old);
        assert!(!folder.join("x.ply").exists());
    }
    fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--from", "none.pose.json"], 1, "none.pose.json");
    fails(&folder, &["pose", "a.glb", "-o", "x.txt"], 2, ".pose.json");
}

#[cfg(unix)]
#[test]
fn no_pose_is_written_over_what_was_read() {
    use crate::fix::run::launched;
    let folder = folder("over");
    pose(&folder, "in.pose.json", &["--rotate", "Head=0,20,0"]);
    std::os::unix::fs::symlink("in.pose.json", folder.join("link.pose.json")).unwrap();
    std::os::unix::fs::symlink("a.glb", folder.join("model.json")).unwrap();
    let before = fs::read(folder.join("in.pose.json")).unwrap();
    for line in [
        &["-o", "in.pose.json", "--from", "in.pose.json"][..],
        &["-o", "link.pose.json", "--from", "in.pose.json"],
        &["-o", "in.pose.json", "--blend", "link.pose.json=0.5"],
        &["-o", "model.json"],
    ] {
        // With the names as they are given here.
        let line = [&["pose", "a.glb"], line].concat();
        failed(&launched(&folder, &line), &line, 2, "no output replaces what is read");
    }
    fs::copy(folder.join("in.pose.json"), folder.join("p.png")).unwrap();
    fails(&folder, &["render", "a.glb", "-o", "p.png", "--pose", "p.png"], 2, "this file is read");
    assert_eq!(fs::read(folder.join("in.pose.json")).unwrap(), before);
}

/// The positions of a baked PLY.
fn baked(folder: &Path, more: &[&str]) -> Vec<[f32; 3]> {
    ok(folder, &[&["bake", "a.glb", "-o", "out.ply"], more].concat());
    let bytes = fs::read(folder.join("out.ply")).unwrap();
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let count: usize = header.lines().find_map(|l| l.strip_prefix("element vertex ")).unwrap().trim().parse().unwrap();
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    (0..count).map(|v| [0, 4, 8].map(|c| float(end + v * 24 + c))).collect()
}

#[test]
fn a_pose_that_is_baked_is_the_pose_that_was_made() {
    let folder = folder("bake");
    pose(&folder, "clip.pose.json", &["--clip", "0", "--time", "0.5"]);
    // To the bit: the file holds the very numbers of the clip.
    assert_eq!(baked(&folder, &["--pose", "clip.pose.json"]), baked(&folder, &["--clip", "0", "--time", "0.5"]));
    // Beside a clip the file wins where it says something, and only there.
    pose(&folder, "head.pose.json", &["--rotate", "Head=0,40,0"]);
    let (plain, both) = (
        baked(&folder, &["--clip", "0", "--time", "0.5"]),
        baked(&folder, &["--clip", "0", "--time", "0.5", "--pose", "head.pose.json"]),
    );
    let moved = plain.iter().zip(&both).filter(|(a, b)| a != b).count();
    assert!(moved > 0 && moved < plain.len(), "{moved} of {}", plain.len());
    let mirrored = pose(&folder, "m.pose.json", &["--from", "clip.pose.json", "--mirror", "x"]);
    assert!(!mirrored["joints"].as_object().unwrap().is_empty());
    // The mesh of the mirrored pose is the mirror image of the mesh, to 1e-5 of its size.
    let (mut a, b) = (baked(&folder, &["--pose", "clip.pose.json"]), baked(&folder, &["--pose", "m.pose.json"]));
    let size = 2.0;
    a.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let worst = b.iter().map(|p| nearest(&a, [-p[0], p[1], p[2]])).fold(0.0_f32, f32::max);
    assert!(worst < 1e-5 * size, "{worst}");
}

/// How far the nearest of some points, which rise along x, is from a place; infinitely far where none is near it.
fn nearest(points: &[[f32; 3]], to: [f32; 3]) -> f32 {
    let square = |p: &[f32; 3]| p.iter().zip(to).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
    let from = points.partition_point(|p| p[0] < to[0] - 1e-3);
    let near = points[from..].iter().take_while(|p| p[0] <= to[0] + 1e-3);
    near.map(square).fold(f32::INFINITY, f32::min).sqrt()
}

#[test]
fn a_range_of_motion_starts_from_the_pose() {
    let folder = folder("rom");
    pose(&folder, "bent.pose.json", &["--rotate", "LowerArm.L=0,0,100", "--rotate", "LowerLeg.R=80,0,0"]);
    let measure = |more: &[&str]| {
        let line = ["check", "a.glb", "--rom", "--rom-step", "45", "--json", "--fail-on", "never"];
        let said: Value = serde_json::from_str(&ok(&folder, &[&line[..], more].concat())).unwrap();
        let findings = said["files"][0]["findings"].as_array().unwrap().clone();
        findings.into_iter().filter(|f| f["rule"].as_str().unwrap().starts_with("rom-")).collect::<Vec<_>>()
    };
    let (rest, bent) = (measure(&[]), measure(&["--pose", "bent.pose.json"]));
    assert!(!bent.is_empty());
    assert_ne!(rest, bent);
    fails(&folder, &["check", "a.glb", "--pose", "bent.pose.json"], 2, "--rom");
}

#[test]
fn a_limb_is_flipped_and_a_pose_is_corrected_for_the_model_that_it_was_made_on() {
    let folder = folder("flip");
    let bent = ["--rotate", "LowerArm.L=0,-70,0", "--rotate", "Spine=0,10,0"];
    pose(&folder, "bent.pose.json", &bent);
    let flipped = pose(&folder, "flipped.pose.json", &["--from", "bent.pose.json", "--flip", "UpperArm.R"]);
    let names: Vec<&String> = flipped["joints"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["LowerArm.R", "Spine"]);
    // A pose of the model itself stays as it is, but for rounding.
    let own = pose(&folder, "own.pose.json", &["--made-on", "a.glb", "--from", "bent.pose.json"]);
    let bent = read(folder.join("bent.pose.json"));
    assert_eq!(own["joints"].as_object().unwrap().len(), 2);
    for (name, joint) in own["joints"].as_object().unwrap() {
        let (now, was) = (numbers(&joint["rotation"]), numbers(&bent["joints"][name]["rotation"]));
        let dot: f64 = now.iter().zip(&was).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 1.0 - 1e-6, "{name}: {now:?} {was:?}");
    }
    fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--flip", "Nobody"], 2, "Nobody");
    fails(&folder, &["pose", "a.glb", "-o", "x.pose.json", "--made-on", "none.glb"], 1, "none.glb");
    fs::copy(folder.join("a.glb"), folder.join("b.json")).unwrap();
    fails(&folder, &["pose", "a.glb", "-o", "b.json", "--made-on", "b.json"], 2, "b.json");
}

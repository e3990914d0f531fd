//! Commands that say or take places of the world, with a figure at map coordinates.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common;
use crate::fix::run::captured;

const PLACE: [f64; 3] = [12_958_095.37, 0.0, 4_865_499.81];

/// A folder with the figure at the origin and far away.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("far").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("near.glb"), common::figure(|_| {})).unwrap();
    let far = common::figure(|document| document["nodes"][0]["translation"] = json!(PLACE));
    fs::write(folder.join("far.glb"), far).unwrap();
    folder
}

/// Returns what a command writes to standard output and to standard error; it ends well.
fn ok(folder: &Path, arguments: &[&str]) -> [String; 2] {
    let out = captured(folder, arguments);
    let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(out.status.success(), "{arguments:?}: {said:?}");
    said
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn numbers(list: &Value) -> [f64; 3] {
    [0, 1, 2].map(|axis| list[axis].as_f64().unwrap())
}

fn placed(at: [f64; 3]) -> String {
    [0, 1, 2].map(|axis| (at[axis] + PLACE[axis]).to_string()).join(",")
}

#[test]
fn limbs_reach_for_places_of_the_world() {
    let folder = folder("reach");
    let (target, pole, look) = ([0.3, 1.3, 0.35], [0.6, 0.5, -0.2], [0.5, 1.5, 2.0]);
    let steps = |model: &str, output: &str, place: &dyn Fn([f64; 3]) -> String| {
        let (reach, pole, look) = (format!("Hand.L={}", place(target)), place(pole), format!("Head={}", place(look)));
        let line = ["pose", model, "-o", output, "--reach", &reach, "--pole", &pole, "--look", &look, "--json"];
        (parsed(&ok(&folder, &line)[0]), parsed(&fs::read_to_string(folder.join(output)).unwrap()))
    };
    let (near, near_pose) = steps("near.glb", "near.pose.json", &|at| at.map(|v| v.to_string()).join(","));
    let (far, far_pose) = steps("far.glb", "far.pose.json", &placed);
    let (near, far) = (&near["reached"][0], &far["reached"][0]);
    assert_eq!((&far["within_reach"], &near["within_reach"]), (&json!(true), &json!(true)));
    let (at, was) = (numbers(&far["at"]), numbers(&near["at"]));
    for axis in 0..3 {
        assert!((at[axis] - PLACE[axis] - was[axis]).abs() < 1e-6, "{at:?} {was:?}");
    }
    for (joint, said) in near_pose["joints"].as_object().unwrap() {
        for (i, number) in said["rotation"].as_array().unwrap().iter().enumerate() {
            let other = far_pose["joints"][joint]["rotation"][i].as_f64().unwrap();
            assert!((number.as_f64().unwrap() - other).abs() < 1e-5, "{joint}");
        }
    }
    // A joint that is held is held at a place of the world too.
    let bake = |model: &str, output: &str, place: String| {
        ok(&folder, &["bake", model, "-o", output, "--hold", &format!("Hand.L={place}")]);
        let text = fs::read_to_string(folder.join(output)).unwrap();
        let vertices = text.lines().filter_map(|line| line.strip_prefix("v "));
        vertices.flat_map(|line| line.split(' ').map(|word| word.parse().unwrap())).collect::<Vec<f64>>()
    };
    let near = bake("near.glb", "near.obj", target.map(|v| v.to_string()).join(","));
    let far = bake("far.glb", "far.obj", placed(target));
    assert_eq!(near.len(), far.len());
    for (i, (near, far)) in near.iter().zip(&far).enumerate() {
        assert!((far - PLACE[i % 3] - near).abs() < 2e-6, "{near} {far}");
    }
}

#[test]
fn bounds_are_those_of_the_file_and_formats_of_floats_say_what_they_lack() {
    let folder = folder("say");
    let info = |model: &str| parsed(&ok(&folder, &["info", model, "--json"])[0]);
    let (near, far) = (info("near.glb"), info("far.glb"));
    assert_eq!((numbers(&near["origin"]), numbers(&far["origin"])), ([0.0; 3], PLACE));
    for corner in ["min", "max"] {
        let (was, is) = (numbers(&near["bounds"][corner]), numbers(&far["bounds"][corner]));
        assert!((0..3).all(|axis| (is[axis] - PLACE[axis] - was[axis]).abs() < 1e-6), "{was:?} {is:?}");
    }
    for name in ["a.ply", "a.stl"] {
        let [_, said] = ok(&folder, &["bake", "far.glb", "-o", name]);
        assert!(said.contains("warning") && said.contains("12958095.37, 0, 4865499.81"), "{said}");
        assert_eq!(ok(&folder, &["bake", "near.glb", "-o", name])[1], "");
    }
    assert_eq!(ok(&folder, &["bake", "far.glb", "-o", "a.glb"])[1], "");
}

#[test]
fn a_clip_that_is_written_far_away_says_by_how_much_its_keys_are_rounded() {
    let folder = folder("clip");
    let write = |model: &str, place: [f64; 3]| {
        let pose = json!({ "skinscope_pose": 1, "joints": { "Armature": { "translation": place } } });
        fs::write(folder.join("a.pose.json"), pose.to_string()).unwrap();
        let key = format!("1={}", folder.join("a.pose.json").display());
        let line = ["clip", model, "--key", "0=rest", "--key", &key, "--name", "Slide", "-o", "out.glb"];
        let said = ok(&folder, &line)[1].clone();
        fs::remove_file(folder.join("out.glb")).unwrap();
        said
    };
    let [x, y, z] = PLACE;
    let said = write("far.glb", [x + 0.1, y, z]);
    let words = "\"Slide\" leads 12958 km from the origin of its file, where keys, which are floats, are rounded by \
                 up to 47 cm";
    assert!(said.contains(words), "{said}");
    assert_eq!(write("near.glb", [0.1, 0.0, 0.0]), "");
}

#[test]
fn nothing_is_invented_of_a_figure_far_from_another_one() {
    let folder = folder("two");
    for (name, place) in [("near.glb", [3.0, 0.0, 0.0]), ("far.glb", PLACE)] {
        fs::write(folder.join(name), common::two_figures([[0.0; 3], place], |_| {})).unwrap();
    }
    let check = |model: &str| {
        let found = parsed(&ok(&folder, &["check", model, "--json"])[0]);
        found["files"][0]["findings"].as_array().unwrap().iter().map(|f| f["message"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(check("far.glb"), check("near.glb"));
    let measure = |model: &str| {
        let measured = parsed(&ok(&folder, &["measure", model, "--clip", "0", "--json"])[0]);
        measured["worst"].as_object().unwrap().clone()
    };
    let (near, far) = (measure("near.glb"), measure("far.glb"));
    assert!(near.len() > 5);
    for (name, was) in &near {
        let (was, is) = (was["value"].as_f64().unwrap(), far[name]["value"].as_f64().unwrap());
        assert!((is - was).abs() <= 2e-3 * was.abs(), "{name}: {was} {is}");
    }
    // The bounds are those of the file, and a camera looks at the figure that stands there.
    let bounds = parsed(&ok(&folder, &["info", "far.glb", "--json"])[0])["bounds"].clone();
    assert!(numbers(&bounds["max"])[0] > PLACE[0] && numbers(&bounds["min"])[0] < 1.0, "{bounds}");
    let picture = |model: &str, place: [f64; 3], output: &str| {
        let [x, y, z] = place;
        let (eye, target) = (format!("{x},{},{}", y + 1.0, z + 3.0), format!("{x},{},{z}", y + 0.8));
        ok(&folder, &["render", model, "-o", output, "--size", "200x200", "--eye", &eye, "--target", &target]);
        fs::read(folder.join(output)).unwrap()
    };
    let [first, second] =
        [([0.0; 3], "a.png"), (PLACE, "b.png")].map(|(place, output)| picture("far.glb", place, output));
    assert!(
        first.len().abs_diff(second.len()) < first.len() / 20 && first.len() > 1000,
        "{} {}",
        first.len(),
        second.len()
    );
}

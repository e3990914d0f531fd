//! Sliders and controls of a session file, without a window.

use std::path::Path;

use crate::cli::{fails, ok, scratch};

/// A session of the built-in character in which a slider lifts an arm and makes the hand beyond it larger.
fn session(name: &str) -> String {
    let path = scratch(name);
    let text = r#"{"skinscope_session": 1,
        "sliders": [{"name": "Lift", "least": 0, "most": 1, "default": 0, "value": 0}],
        "drivers": ["angle('UpperArm.L', 'z') = 70 * slider('Lift')", "scale('Hand.L', 'x') = 1 + bend('UpperArm.L') / 70"],
        "playback": {"pose": "rest"}}"#;
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The greatest height of a vertex on the left side (+X) of a baked OBJ file.
fn left_height(path: &Path) -> f32 {
    let text = std::fs::read_to_string(path).unwrap();
    let vertices = text.lines().filter_map(|line| line.strip_prefix("v "));
    let places = vertices.map(|v| v.split_ascii_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<f32>>());
    places.filter(|p| p[0] > 0.3).map(|p| p[1]).fold(f32::NEG_INFINITY, f32::max)
}

#[test]
fn a_slider_of_a_session_file_poses_what_is_baked_and_drawn() {
    let session = session("lift.skinscope.json");
    let bake = |name: &str, more: &[&str]| {
        let path = scratch(name);
        ok(&[&["bake", &session, "-o", path.to_str().unwrap()], more].concat());
        path
    };
    let rest = left_height(&bake("lift_0.obj", &[]));
    let part = left_height(&bake("lift_part.obj", &["--control", "Lift=0.3"]));
    let whole = left_height(&bake("lift_1.obj", &["--control", "Lift=0.5", "--control", "Lift=7"]));
    assert!(part > rest + 0.05 && whole > part + 0.1, "{rest} {part} {whole}");
    let by_hand = |degrees: u32| {
        let posed = scratch(&format!("lift_by_hand_{degrees}.obj"));
        let pose = scratch(&format!("lift_{degrees}.pose.json"));
        ok(&["pose", "-o", pose.to_str().unwrap(), "--rotate", &format!("UpperArm.L=0,0,{degrees}")]);
        ok(&["bake", "-o", posed.to_str().unwrap(), "--pose", pose.to_str().unwrap()]);
        posed
    };
    // Three tenths of 70°; there the hand that the second control widens is not the highest yet.
    assert!((left_height(&by_hand(21)) - part).abs() < 1e-3, "{part}");
    let by_hand = by_hand(70);
    // That hand is not in it, and no higher.
    assert!((left_height(&by_hand) - whole).abs() < 0.2, "{whole}");
    assert_ne!(std::fs::read(&by_hand).unwrap(), std::fs::read(scratch_again("lift_1.obj")).unwrap());
}

/// Every command that takes a session file uses the pose that it keeps: here an arm that is lifted by a slider while the clip plays.
#[test]
fn what_a_session_keeps_is_measured_compared_and_written_as_a_pose() {
    let path = scratch("lifted.skinscope.json");
    let text = |source: &str| {
        format!(
            r#"{{"skinscope_session": 1,
            "sliders": [{{"name": "Lift", "least": 0, "most": 1, "default": 0, "value": 1}}],
            "drivers": ["angle('UpperArm.L', 'z') = 70 * slider('Lift')"],
            "playback": {{"pose": "{source}", "clip": "Walk", "clip_number": 1, "time": 0.3}}}}"#
        )
    };
    std::fs::write(&path, text("rest")).unwrap();
    let session = path.to_str().unwrap();
    let json = |arguments: &[&str]| serde_json::from_str::<serde_json::Value>(&ok(arguments)).unwrap();
    let (kept, by_pose) = (scratch("lifted.obj"), scratch("lifted_by_pose.obj"));
    let pose = scratch("lifted.pose.json");
    ok(&["bake", session, "-o", kept.to_str().unwrap()]);
    ok(&["pose", session, "-o", pose.to_str().unwrap()]);
    ok(&["bake", "-o", by_pose.to_str().unwrap(), "--pose", pose.to_str().unwrap()]);
    assert_eq!(std::fs::read(&kept).unwrap(), std::fs::read(&by_pose).unwrap());
    let sides = ["--a", "linear", "--b", "dual-quaternion", "--json"];
    let apart = |model: &[&str]| json(&[&["compare"], model, &sides].concat())["worst_mm"].as_f64().unwrap();
    assert!(apart(&[session]) > apart(&[]) + 1.0, "{} {}", apart(&[session]), apart(&[]));
    std::fs::write(&path, text("clip")).unwrap();
    let moment = |more: &[&str]| json(&[&["measure"], more, &["--time", "0.3", "--json"]].concat());
    let (lifted, walking) = (moment(&[session]), moment(&["--clip", "Walk"]));
    assert_eq!((&lifted["clip"], &lifted["times"]), (&walking["clip"], &walking["times"]));
    assert_ne!(lifted["curves"], walking["curves"]);
}

/// The path of a file that was written by this test.
fn scratch_again(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name)
}

#[test]
fn a_slider_that_is_not_there_and_a_value_that_is_none_are_wrong_usage() {
    let session = session("wrong_slider.skinscope.json");
    let out = scratch("never.ply");
    let out = out.to_str().unwrap();
    fails(&["bake", &session, "-o", out, "--control", "Sink=1"], 2, &["no slider \"Sink\"", "sliders: Lift"]);
    fails(&["bake", &session, "-o", out, "--control", "Lift"], 2, &["NAME=VALUE"]);
    fails(&["bake", &session, "-o", out, "--control", "Lift=nan"], 2, &["NAME=VALUE"]);
    fails(&["bake", "-o", out, "--control", "Lift=1"], 2, &["sliders stand in a session file"]);
    assert!(!Path::new(out).exists());
}

//! `skinscope solve` and `skinscope bake-weights`: weights that bring the surface to where it should be.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod moments;
mod recorded;
mod right;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use skinscope::edit::Sheet;
use skinscope::inspect::VertexRef;
use skinscope::model::{LocalPose, Model};
use skinscope::paint::{Canvas, kept_layers};
use skinscope::pose::{PoseFile, capture, resolve};
use skinscope::session::{
    Document, EditCommand, PaintCommand, PaintSettings, PlaybackCommand, PoseSource, SelectionCommand, Session,
    VertexDragCommand,
};
use skinscope::solve::{Posed, shown_by};
use skinscope::weights::difference;

use crate::common;
use crate::fix::run::captured;
use crate::fix::{contents, said};

/// An empty folder with a copy of the built-in character.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("solve").join(name);
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("sculpts")).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("a.glb")).unwrap();
    folder
}

/// Carries out a command line in a folder; it must go well. Returns what is printed.
fn ok(folder: &Path, arguments: &[&str]) -> String {
    let out = captured(folder, arguments);
    assert!(out.status.success(), "{arguments:?}: {}", said(&out));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(folder, arguments)).unwrap()
}

/// Makes an example of the artist's surface: a pose, and its mesh in one of the formats.
fn sculpt(folder: &Path, name: &str, turns: &[&str], ending: &str) {
    let (pose, mesh) = (format!("sculpts/{name}.pose.json"), format!("sculpts/{name}.{ending}"));
    let turned: Vec<&str> = turns.iter().flat_map(|turn| ["--rotate", turn]).collect();
    ok(folder, &[&["pose", "a.glb", "-o", &pose][..], &turned].concat());
    ok(folder, &["bake", "a.glb", "--pose", &pose, "-o", &mesh]);
}

/// Takes weights away, and makes examples of the surface as it was.
fn lost(name: &str) -> PathBuf {
    let folder = folder(name);
    ok(&folder, &["fix", "a.glb", "--limit", "1", "-o", "lost.glb"]);
    sculpt(&folder, "Arm", &["UpperArm.L=0,0,40", "LowerArm.L=0,-60,0", "UpperArm.R=30,0,-40"], "ply");
    sculpt(&folder, "Leg", &["UpperLeg.L=60,0,0", "LowerLeg.L=-70,0,0", "LowerArm.R=0,50,0"], "obj");
    sculpt(&folder, "Twist", &["Spine=20,30,0", "Head=0,40,10", "UpperLeg.R=-30,0,20"], "glb");
    folder
}

/// What is told of an example: rms before and after, and the largest distance after.
fn figures(told: &Value) -> [f64; 3] {
    ["rms_before", "rms_after", "largest_after"].map(|key| told[key].as_f64().unwrap())
}

#[test]
fn weights_that_were_taken_away_are_solved_back_from_meshes_in_all_formats() {
    let folder = lost("back");
    let told = json(&folder, &["solve", "lost.glb", "--poses", "sculpts", "-o", "out.glb", "--json"]);
    assert_eq!(told["schema"], 1);
    let examples = told["examples"].as_array().unwrap();
    let names: Vec<&str> = examples.iter().map(|example| example["name"].as_str().unwrap()).collect();
    assert!(names == ["Arm", "Leg", "Twist"] && told["hold_out"].as_array().unwrap().is_empty());
    for example in examples {
        let [before, after, largest] = figures(example);
        // The character is 1.7 m high. A few vertices had joints that are not near those which are left.
        assert!(after < 0.3 * before && after < 1e-3 && largest < 2e-2, "{example}");
    }
    assert!(told["changed"].as_u64().unwrap() > 100);
    // Among all joints every vertex finds its own again.
    let all = ["solve", "lost.glb", "--poses", "sculpts", "--joints", "all", "-o", "all.glb", "--json"];
    for example in json(&folder, &all)["examples"].as_array().unwrap() {
        let [before, after, largest] = figures(example);
        assert!(after < 0.02 * before && largest < 1e-3, "{example}");
    }
    // One joint alone leaves no choice, and that is said.
    let text = ok(&folder, &["solve", "lost.glb", "--poses", "sculpts", "--joints", "kept", "-o", "kept.glb"]);
    assert!(text.contains("no place comes nearer with the joints that it may have"), "{text}");
    // The same examples give the same bytes, and people are told the same.
    let first = fs::read(folder.join("out.glb")).unwrap();
    let text = ok(&folder, &["solve", "lost.glb", "--poses", "sculpts", "-o", "again.glb"]);
    assert!(text.contains("Arm: ") && text.contains(" mm (95 % below ") && text.contains("wrote "), "{text}");
    assert!(fs::read(folder.join("again.glb")).unwrap() == first);
}

#[test]
fn an_example_that_is_kept_aside_is_told_and_not_used() {
    let folder = lost("aside");
    let all = ["solve", "lost.glb", "--poses", "sculpts", "-o", "out.glb", "--json"];
    let told = json(&folder, &[&all[..], &["--hold-out", "Twist"]].concat());
    assert_eq!((told["examples"].as_array().unwrap().len(), &told["hold_out"][0]["name"]), (2, &"Twist".into()));
    let [before, after, _] = figures(&told["hold_out"][0]);
    assert!(after < 1.05 * before, "{told}");
    let used = json(&folder, &all);
    assert!(figures(&used["examples"][2])[1] < after, "what is used fits better");
    let kept = json(&folder, &[&all[..], &["--joints", "kept"]].concat());
    let [before, after, _] = figures(&kept["examples"][0]);
    assert!((before - after).abs() < 1e-6, "one joint alone has all weight: {kept}");
}

#[test]
fn vertices_in_another_order_are_matched_where_they_rest() {
    let folder = lost("places");
    sculpt(&folder, "Rest", &[], "ply");
    for name in ["Arm", "Leg", "Twist", "Rest"] {
        // Every vertex in reverse, as text.
        let pose = format!("sculpts/{name}.pose.json");
        ok(&folder, &["bake", "a.glb", "--pose", &pose, "-o", "whole.obj"]);
        let text = fs::read_to_string(folder.join("whole.obj")).unwrap();
        let vertices: Vec<&str> = text.lines().filter(|line| line.starts_with("v ")).collect();
        let reversed: Vec<&str> = vertices.iter().rev().copied().collect();
        for ending in ["ply", "glb"] {
            let _absent = fs::remove_file(folder.join(format!("sculpts/{name}.{ending}")));
        }
        fs::write(folder.join(format!("sculpts/{name}.obj")), reversed.join("\n")).unwrap();
    }
    let told = json(&folder, &["solve", "lost.glb", "--poses", "sculpts", "--by-place", "-o", "out.glb", "--json"]);
    for example in told["examples"].as_array().unwrap() {
        assert!(figures(example)[1] < 1e-3, "{example}");
    }
    fs::remove_file(folder.join("sculpts/Rest.pose.json")).unwrap();
    let out = captured(&folder, &["solve", "lost.glb", "--poses", "sculpts", "--by-place", "-o", "none.glb"]);
    assert!(out.status.code() == Some(2) && said(&out).contains("no example has the rest pose"), "{}", said(&out));
}

#[test]
fn examples_that_do_not_fit_are_refused_and_nothing_is_written() {
    let folder = lost("refused");
    let refused = |arguments: &[&str], code: i32, why: &str| {
        let before = contents(&folder);
        let all = [&["solve", "lost.glb", "-o", "out.glb"][..], arguments].concat();
        let out = captured(&folder, &all);
        assert!(out.status.code() == Some(code) && said(&out).contains(why), "{arguments:?}: {}", said(&out));
        assert!(contents(&folder) == before, "{arguments:?}");
    };
    let poses = ["--poses", "sculpts"];
    refused(&["--poses", "nowhere"], 2, "nowhere");
    refused(&[&poses[..], &["--hold-out", "Nobody"]].concat(), 2, "no example “Nobody”");
    let aside = ["--hold-out", "Arm", "--hold-out", "Leg", "--hold-out", "Twist"];
    refused(&[&poses[..], &aside].concat(), 2, "no example is left");
    refused(&[&poses[..], &["--primitive", "9,0"]].concat(), 2, "no primitive 9,0");
    refused(&[&poses[..], &["--lock", "Nobody"]].concat(), 2, "Nobody");
    let mesh = folder.join("sculpts/Leg.obj");
    let text = fs::read_to_string(&mesh).unwrap();
    fs::write(&mesh, format!("{text}\nv 0 0 0\n")).unwrap();
    refused(&poses, 2, "vertices, and");
    fs::write(&mesh, "v 0 0\n").unwrap();
    refused(&poses, 1, "line 1");
    fs::remove_file(&mesh).unwrap();
    refused(&poses, 2, "no mesh");
    fs::write(&mesh, &text).unwrap();
    fs::write(folder.join("sculpts/Leg.ply"), &text).unwrap();
    refused(&poses, 2, "several meshes");
    fs::remove_file(folder.join("sculpts/Leg.ply")).unwrap();
    fs::write(folder.join("sculpts/Leg.pose.json"), "{").unwrap();
    refused(&poses, 1, "JSON");
}

#[test]
fn baked_weights_come_nearer_to_the_method_and_say_how_near() {
    let folder = folder("baked");
    ok(&folder, &["pose", "a.glb", "-o", "sculpts/Arm.pose.json", "--rotate", "LowerArm.L=0,-80,0"]);
    ok(&folder, &["pose", "a.glb", "-o", "sculpts/Leg.pose.json", "--rotate", "LowerLeg.L=-90,0,0"]);
    let all = ["bake-weights", "a.glb", "--poses", "sculpts", "-o", "out.glb", "--json"];
    for (method, id) in [("mush", "linear+mush"), ("dual", "dual-quaternion")] {
        let from = format!("--from={method}");
        let told = json(&folder, &[&all[..], &[from.as_str()]].concat());
        assert!(told["schema"] == 1 && told["from"] == id && told["poses"] == 2, "{told}");
        let gain = told["gain_percent"].as_f64().unwrap();
        let [before, after, _] = figures(&told);
        assert!(gain > 0.0 && gain < 100.0 && after < before, "{method}: {gain}");
        assert!((gain - 100.0 * (1.0 - after / before)).abs() < 1e-6);
        let joints = told["joints"].as_array().unwrap();
        assert!(joints.iter().any(|joint| joint["joint"] == "LowerArm.L" && joint["gain_percent"].is_number()));
        assert!(told["changed"].as_u64().unwrap() > 0);
    }
    let text = ok(&folder, &["bake-weights", "a.glb", "--poses", "sculpts", "--from=mush", "-o", "two.glb"]);
    assert!(text.contains("% of the gain") && text.contains("  LowerArm.L: "), "{text}");
    let out = captured(&folder, &["bake-weights", "a.glb", "--from=linear", "-o", "three.glb"]);
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(!folder.join("three.glb").exists());
}

#[test]
fn what_baking_leaves_is_told_by_vertex_and_over_the_poses_that_are_asked_for() {
    let folder = folder("left");
    ok(&folder, &["pose", "a.glb", "-o", "sculpts/Arm.pose.json", "--rotate", "LowerArm.L=0,-80,0"]);
    let all = ["bake-weights", "a.glb", "--from=mush", "--json"];
    let poses = ["--poses", "sculpts", "-o", "out.glb", "--left", "left.json"];
    let told = json(&folder, &[&all[..], &poses].concat());
    let left: Value = serde_json::from_str(&fs::read_to_string(folder.join("left.json")).unwrap()).unwrap();
    assert!(left["schema"] == 1 && left["from"] == "linear+mush" && left["poses"] == 1, "{}", left["poses"]);
    let list = |key: &str| -> Vec<f64> {
        let primitives = left["primitives"].as_array().unwrap();
        primitives.iter().flat_map(|of| of[key].as_array().unwrap()).map(|mm| mm.as_f64().unwrap()).collect()
    };
    let (rms, largest) = (list("rms_mm"), list("largest_mm"));
    let mean = (rms.iter().map(|mm| mm * mm).sum::<f64>() / rms.len() as f64).sqrt();
    let most = largest.iter().copied().fold(0.0, f64::max);
    let [_, after, largest_after] = figures(&told);
    assert!((mean - 1e3 * after).abs() < 1e-2 && (most - 1e3 * largest_after).abs() < 1e-2, "{mean} {most}");
    // Single poses: a file, and a moment of a clip.
    let single = ["--pose", "sculpts/Arm.pose.json", "--pose=Bend@0.5", "-o", "single.glb"];
    assert_eq!(json(&folder, &[&all[..], &single].concat())["poses"], 2);
    // Few poses of one kind; the tool of `fix` gives the same weights over the same poses.
    let turns = ["--over", "turns", "--most-poses", "12", "-o", "turns.glb"];
    let told = json(&folder, &[&all[..], &turns].concat());
    assert_eq!(told["poses"], 12);
    let fix = ["fix", "a.glb", "--bake-method", "mush", "--bake-over", "turns", "--bake-poses", "12"];
    let fixed = json(&folder, &[&fix[..], &["-o", "fixed.glb", "--json"]].concat());
    let done = &fixed["operations"][0];
    assert!(done["op"] == "bake-method" && done["from"] == "linear+mush" && done["poses"] == 12, "{}", done["from"]);
    assert!((done["gain_percent"].as_f64().unwrap() - told["gain_percent"].as_f64().unwrap()).abs() < 1e-6);
    assert!(fs::read(folder.join("fixed.glb")).unwrap() == fs::read(folder.join("turns.glb")).unwrap());
    let text = ok(&folder, &[&fix[..], &["-o", "fixed.glb"]].concat());
    assert!(text.contains("linear+mush in 12 poses: ") && text.contains("% of the gain"), "{text}");
    // Linear blending by the new weights is measured against the method by those from before.
    let moment = ["--clip", "Bend", "--time", "2", "--json"];
    let sides = ["compare", "turns.glb", "--a", "linear", "--b", "linear+mush", "--b-file", "a.glb"];
    let apart = json(&folder, &[&sides[..], &moment].concat());
    assert!(
        apart["b"] == "linear+mush"
            && apart["b_file"].as_str().unwrap().ends_with("a.glb")
            && apart["rms_mm"].as_f64().unwrap() > 0.0,
        "{apart}"
    );
    // The weights before and after are two files that `diff` tells apart.
    let text = String::from_utf8_lossy(&captured(&folder, &["diff", "a.glb", "out.glb"]).stdout).into_owned();
    assert!(text.contains("weights"), "{text}");
    let refused = |arguments: &[&str], why: &str| {
        let out = captured(&folder, arguments);
        assert!(out.status.code() == Some(2) && said(&out).contains(why), "{arguments:?}: {}", said(&out));
    };
    refused(&[&all[..], &["-o", "one.glb", "--left", "one.glb"]].concat(), "name one file");
    refused(&[&all[..], &["-o", "one.glb", "--left", "a.glb"]].concat(), "a.glb");
    refused(&[&all[..], &poses, &["--over", "clips"]].concat(), "--over");
    refused(&["render", "a.glb", "-o", "p.png", "--overlay", "bake-left"], "--left FILE says");
    refused(&["render", "a.glb", "-o", "p.png", "--overlay", "bake-left", "--left", "out.glb"], "out.glb");
    assert!(!folder.join("one.glb").exists() && !folder.join("p.png").exists());
}

/// Returns the ghosts of the two heaviest joints of a vertex that several joints move, of those the ones that are farthest apart in a pose: the
/// vertex, and a place between them, metres.
fn between(model: &Model, pose: &LocalPose, of: Option<usize>) -> (usize, [f64; 3]) {
    let sheet = Sheet::of(model);
    let table = &sheet.tables[0];
    let at = table.primitives[0];
    let motion = Posed::new(model, pose).motion(shown_by(model, at).unwrap(), at.primitive).unwrap();
    let (mut best, mut shares) = ((0.0, 0, [0.0; 3]), Vec::new());
    for row in (0..table.vertices()).filter(|row| of.is_none_or(|of| of == *row)) {
        table.shares(row, &mut shares);
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        if let [a, b, ..] = shares[..] {
            let ghost = |key: u32| motion.ghost(usize::from(table.joint_of(key).unwrap()), row);
            let (a, b) = (ghost(a.0), ghost(b.0));
            if a.distance(b) >= best.0 {
                best = (a.distance(b), row, a.lerp(b, 0.6).to_array());
            }
        }
    }
    (best.1, best.2)
}

#[test]
fn a_vertex_is_put_where_it_should_be_as_a_drag_in_the_window_does() {
    let folder = folder("vertex");
    let model = common::open(&folder, "a.glb");
    let mut session = Session::default();
    session.open(Document::new(std::sync::Arc::clone(&model), Vec::new(), None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
    session.apply(PaintCommand::Set(PaintSettings { radius: 0.05, ..PaintSettings::default() }));
    let at = Sheet::of(&model).tables[0].primitives[0];
    let mesh = model.file_mesh(at.mesh).0;
    let (mut options, mut vertex) = (Vec::new(), None);
    for (name, turn) in [("elbow", "LowerArm.L=0,-80,0"), ("twist", "LowerArm.L=30,-40,0")] {
        let file = format!("{name}.pose.json");
        ok(&folder, &["pose", "a.glb", "-o", &file, "--rotate", turn]);
        let said = resolve(&model, &PoseFile::read(&folder.join(&file)).unwrap());
        session.apply(EditCommand::SetPose(std::sync::Arc::new(said)));
        session.update_pose();
        let pose = session.pose().local.clone();
        // What drives joints in the window is in no pose file but in one that says all.
        fs::write(folder.join(&file), capture(&model, &pose, "").text()).unwrap();
        let (row, place) = between(&model, &pose, vertex);
        vertex = Some(row);
        let instance = shown_by(&model, at).unwrap();
        let pinned = VertexRef { instance, primitive: at.primitive, vertex: row };
        session.apply(SelectionCommand::Pin(Some(pinned)));
        session.apply(PaintCommand::DragVertex(VertexDragCommand::To(place)));
        let [x, y, z] = place;
        options.push(format!("--vertex={mesh},{},{row}={x},{y},{z}@{}", at.primitive, folder.join(&file).display()));
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let all = [&["solve", "a.glb", "-o", "out.glb", "--radius", "0.05", "--json"][..], &options].concat();
    let told = json(&folder, &all);
    let pins = session.painting().vertex_drag().pins();
    for (pin, told) in pins.iter().zip(told["pins"].as_array().unwrap()) {
        assert!((pin.away() - told["away"].as_f64().unwrap()).abs() < 1e-5, "{told}");
        assert!(pin.outside() < 1e-3, "it can be reached: {}", pin.outside());
    }
    assert!(pins.len() == 2 && told["changed"].as_u64().unwrap() > 1, "{told}");
    let out = common::open(&folder, "out.glb");
    let (window, file) = (Sheet::of(session.model().unwrap()), Sheet::of(&out));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for row in 0..file.tables[0].vertices() {
        window.tables[0].shares(row, &mut a);
        file.tables[0].shares(row, &mut b);
        // The file rounds.
        assert!(difference(&a, &b) < 5e-3, "vertex {row}: {a:?} {b:?}");
    }
    let refused = |more: &[&str], why: &str| {
        let out = captured(&folder, &[&["solve", "a.glb", "-o", "none.glb"][..], more].concat());
        assert!(out.status.code() == Some(2) && said(&out).contains(why), "{}", said(&out));
    };
    refused(&["--vertex", "0,0,1=0,0,0"], "MESH,PRIMITIVE,VERTEX=X,Y,Z@POSE");
    let held = |vertex: &str| format!("--vertex={vertex}=0,0,0@{}", folder.join("elbow.pose.json").display());
    refused(&[&held("9,0,1")], "no primitive 9,0");
    refused(&[options[0], &held("0,0,999999")], "of one vertex");
}

#[test]
fn a_vertex_is_put_into_a_layer_that_the_file_keeps() {
    let folder = folder("vertex-layer");
    let model = common::open(&folder, "a.glb");
    ok(&folder, &["pose", "a.glb", "-o", "elbow.pose.json", "--rotate", "LowerArm.L=0,-80,0"]);
    let mut pose = model.skeleton.rest.clone();
    resolve(&model, &PoseFile::read(&folder.join("elbow.pose.json")).unwrap()).apply(&mut pose);
    let at = Sheet::of(&model).tables[0].primitives[0];
    let (row, place) = between(&model, &pose, None);
    let (mesh, file) = (model.file_mesh(at.mesh).0, folder.join("elbow.pose.json"));
    let held = |[x, y, z]: [f64; 3]| format!("--vertex={mesh},{},{row}={x},{y},{z}@{}", at.primitive, file.display());
    let put = |from: &str, to: &str, vertex: &str, more: &[&str]| {
        json(&folder, &[&["solve", from, "-o", to, "--radius", "0.05", "--json", vertex][..], more].concat())
    };
    let vertex = held(place);
    put("a.glb", "plain.glb", &vertex, &[]);
    let told = put("a.glb", "out.glb", &vertex, &["--layer", "Elbow"]);
    assert!(told["pins"][0]["away"].as_f64().unwrap() < 1e-3 && told["changed"].as_u64().unwrap() > 1, "{told}");
    let (plain, out) = (common::open(&folder, "plain.glb"), common::open(&folder, "out.glb"));
    // The file rounds.
    assert!(apart(&plain, &out) < 5e-3 && apart(&model, &out) > 0.05, "{}", apart(&plain, &out));
    let kept = kept_layers(&out).unwrap().unwrap();
    let layer = kept.layers.layers()[0].id();
    assert!(kept.fits() && kept.layers.layers()[0].name() == "Elbow");
    let mut canvas = Canvas::new(out);
    let mut layers = kept.layers.clone();
    canvas.set_layers(layers.clone()).unwrap();
    layers.set_on(layer, false);
    canvas.set_layers(layers).unwrap();
    assert!(apart(&model, canvas.model()) < 1e-6, "{}", apart(&model, canvas.model()));
    // A layer above that has the vertex too, back where it was, hides what goes into the one below it.
    let motion = Posed::new(&model, &pose).motion(shown_by(&model, at).unwrap(), at.primitive).unwrap();
    let back = motion.blended(&Sheet::of(&model).tables[0], row).to_array();
    put("out.glb", "two.glb", &held(back), &["--layer", "Over"]);
    let below = ["solve", "two.glb", "-o", "three.glb", "--layer", "Elbow", "--radius", "0.05", vertex.as_str()];
    assert!(ok(&folder, &below).contains("layers above Elbow hide it here"));
    assert!(told["why"].is_null(), "{told}");
    let told = json(&folder, &[&below[..], &["--json"]].concat());
    assert!(told["why"].as_str().is_some_and(|why| why.contains("layers above Elbow hide it here")), "{told}");
}

/// Returns the largest difference of any weight of two files.
fn apart(a: &Model, b: &Model) -> f64 {
    let (a, b) = (Sheet::of(a), Sheet::of(b));
    let (mut one, mut other, mut most) = (Vec::new(), Vec::new(), 0.0_f64);
    for row in 0..a.tables[0].vertices() {
        a.tables[0].shares(row, &mut one);
        b.tables[0].shares(row, &mut other);
        most = most.max(difference(&one, &other));
    }
    most
}

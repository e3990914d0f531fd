//! What stays as it was and what does not: a surface that is right, options that bound what is looked for, and what `compare`, `diff` and
//! `render` show of weights into which a method was baked.

use std::fs;
use std::path::Path;

use serde_json::Value;
use skinscope::edit::Sheet;
use skinscope::model::Model;
use skinscope::weights::share_of;

use super::{figures, folder, json, lost, ok};
use crate::common;
use crate::diff::told as differs;
use crate::fix::run::launched;
use crate::fix::said;
use crate::outputs::has_gpu;

/// The weights of every vertex of a model, each with its joint.
fn rows(model: &Model) -> Vec<Vec<(u32, f64)>> {
    let sheet = Sheet::of(model);
    let mut out = Vec::new();
    for table in &sheet.tables {
        for row in 0..table.vertices() {
            let mut shares = Vec::new();
            table.shares(row, &mut shares);
            out.push(shares);
        }
    }
    out
}

fn rows_of(folder: &Path, name: &str) -> Vec<Vec<(u32, f64)>> {
    rows(&common::open(folder, name))
}

/// The meshes are PLY, OBJ and GLB, and have the surface in single precision.
#[test]
fn a_surface_that_is_right_stays_to_the_bit_and_what_was_planted_in_it_is_solved() {
    let folder = lost("right");
    let solve = |from: &str, to: &str| json(&folder, &["solve", from, "--poses", "sculpts", "-o", to, "--json"]);
    let told = solve("a.glb", "same.glb");
    assert!(told["changed"] == 0 && told["stuck"] == 0, "{told}");
    let artist = rows_of(&folder, "a.glb");
    assert!(rows_of(&folder, "same.glb") == artist);
    // One joint alone for each vertex that the lower arm moves.
    ok(&folder, &["fix", "a.glb", "--limit", "1", "--only-joint", "LowerArm.L", "-o", "planted.glb"]);
    let planted = rows_of(&folder, "planted.glb");
    let changed = planted.iter().zip(&artist).filter(|(planted, own)| planted != own).count();
    let told = solve("planted.glb", "mended.glb");
    assert!(told["changed"].as_u64().is_some_and(|count| count > 0 && count <= changed as u64), "{changed}: {told}");
    let [before, after, _] = figures(&told["examples"][0]);
    assert!(before > 1e-5 && after < 0.3 * before, "{told}");
    for (vertex, mended) in rows_of(&folder, "mended.glb").iter().enumerate() {
        assert!(planted[vertex] != artist[vertex] || *mended == artist[vertex], "vertex {vertex}");
    }
}

#[test]
fn each_example_has_all_six_figures() {
    let folder = lost("figures");
    let all = ["solve", "lost.glb", "--poses", "sculpts", "--hold-out", "Leg", "-o", "out.glb", "--json"];
    let told = json(&folder, &all);
    let examples = ["examples", "hold_out"].map(|list| told[list].as_array().unwrap());
    assert_eq!(examples.map(Vec::len), [2, 1]);
    for example in examples.into_iter().flatten() {
        for when in ["before", "after"] {
            let of = |what: &str| example[format!("{what}_{when}")].as_f64().unwrap();
            let [rms, p95, largest] = ["rms", "p95", "largest"].map(of);
            assert!(rms > 0.0 && rms < largest && p95 <= largest, "{example}");
        }
    }
}

#[test]
fn what_bounds_the_search_holds_for_examples_and_for_methods() {
    let folder = lost("bounds");
    let from = rows_of(&folder, "a.glb");
    let locked = {
        let model = common::open(&folder, "a.glb");
        model.skeleton.names.iter().position(|name| name == "LowerArm.L").unwrap() as u32
    };
    let commands = [
        &["solve", "lost.glb", "--poses", "sculpts"][..],
        &["bake-weights", "a.glb", "--from=dual", "--pose", "sculpts/Arm.pose.json"],
    ];
    for command in commands {
        let run = |more: &[&str]| json(&folder, &[command, more, &["-o", "out.glb", "--json"]].concat());
        let before = rows_of(&folder, command[1]);
        assert!(run(&[])["changed"].as_u64().unwrap() > 0, "{command:?}");
        let free = rows_of(&folder, "out.glb");
        assert!(free != before && free.iter().any(|row| row.len() > 1), "{command:?}");
        // At most so many joints, and weights as before where that counts more than all else.
        run(&["--max-influences", "1"]);
        assert!(rows_of(&folder, "out.glb").iter().all(|row| row.len() == 1), "{command:?}");
        assert!(run(&["--keep", "1e9"])["changed"] == 0, "{command:?}");
        run(&["--joints", "kept"]);
        for (row, own) in rows_of(&folder, "out.glb").iter().zip(&before) {
            assert!(row.iter().all(|(key, _)| share_of(own, *key) > 0.0), "{command:?}");
        }
        let weight = |row: &[(u32, f64)]| share_of(row, locked);
        let most = |rows: &[Vec<(u32, f64)>]| {
            rows.iter().zip(&before).map(|(a, b)| (weight(a) - weight(b)).abs()).fold(0.0, f64::max)
        };
        assert!(most(&free) > 3e-3, "{command:?}");
        // With eight joints vertices may need more room than the file has.
        for influences in ["4", "8"] {
            run(&["--lock", "LowerArm.L", "--max-influences", influences]);
            let held = rows_of(&folder, "out.glb");
            assert!(held != before && most(&held) < 1e-6, "{command:?} {influences}: {}", most(&held));
        }
    }
    assert!(rows_of(&folder, "a.glb") == from, "what was read stays");
}

#[test]
fn a_baked_file_is_compared_with_the_method_and_with_the_file_before() {
    let folder = folder("compared");
    let bake = ["bake-weights", "a.glb", "--from=mush", "--pose=Bend@2", "-o", "out.glb"];
    let told = json(&folder, &[&bake[..], &["--left", "left.json", "--json"]].concat());
    // In the pose in which it was baked linear blending comes nearer to what the method makes of the weights from before.
    let apart = |model: &str, more: &[&str]| {
        let all = ["compare", model, "--a", "linear", "--b", "linear+mush", "--clip", "Bend", "--time", "2", "--json"];
        json(&folder, &[&all[..], more].concat())["rms_mm"].as_f64().unwrap()
    };
    let (before, after) = (apart("a.glb", &[]), apart("out.glb", &["--b-file", "a.glb"]));
    assert!(before > 1e-3 && after < before, "{before} {after}");
    // `diff` counts the vertices whose weights are others, says where they move farthest, and finds nothing else.
    let found = differs(&folder, "a.glb", "out.glb");
    assert!(found["same"] == false && found["posed"]["largest_mm"].as_f64().unwrap() > 0.0, "{found}");
    let changed = found["weights"]["vertices"].as_u64().unwrap();
    assert!(changed > 0 && changed <= told["changed"].as_u64().unwrap(), "{found} {told}");
    assert!(found["surface"]["vertices"] == 0 && found["attributes"].as_array().unwrap().is_empty(), "{found}");
    assert!(["added", "removed", "changed"].iter().all(|key| found["clips"][key].as_array().unwrap().is_empty()));
}

#[test]
fn weights_are_baked_from_each_method_that_is_named() {
    let folder = folder("methods");
    let turns = ["--rotate", "LowerArm.L=70,-60,0", "--rotate", "Spine=0,30,0"];
    ok(&folder, &[&["pose", "a.glb", "-o", "sculpts/Twist.pose.json"][..], &turns].concat());
    for (from, id) in [("polar", "polar"), ("centres", "centres-of-rotation"), ("dual+mush", "dual-quaternion+mush")] {
        let from = format!("--from={from}");
        let bake = ["bake-weights", "a.glb", from.as_str(), "--poses", "sculpts", "-o", "out.glb", "--json"];
        let told = json(&folder, &bake);
        let [before, after, _] = figures(&told);
        assert!(told["from"] == id && after < before && told["gain_percent"].as_f64().unwrap() > 0.0, "{told}");
    }
}

#[test]
fn a_picture_of_what_baking_leaves_shows_what_its_file_tells() {
    if !has_gpu() {
        return;
    }
    let folder = folder("picture");
    ok(&folder, &["bake-weights", "a.glb", "--from=mush", "--pose=Bend@2", "-o", "out.glb", "--left", "left.json"]);
    let mut left: Value = serde_json::from_slice(&fs::read(folder.join("left.json")).unwrap()).unwrap();
    for primitive in left["primitives"].as_array_mut().unwrap() {
        primitive["rms_mm"].as_array_mut().unwrap().iter_mut().for_each(|mm| *mm = Value::from(0.0));
    }
    fs::write(folder.join("none.json"), left.to_string()).unwrap();
    let picture = |left: &str, overlay: &str| {
        let render = ["render", "out.glb", "-o", "p.png", "--size", "160x120", "--left", left, "--overlay", overlay];
        let out = launched(&folder, &render);
        assert!(out.status.success(), "{}", said(&out));
        image::open(folder.join("p.png")).unwrap().into_rgb8()
    };
    assert!(picture("left.json", "bake-left") != picture("none.json", "bake-left"));
    assert!(picture("left.json", "bake-left-largest") == picture("none.json", "bake-left-largest"));
}

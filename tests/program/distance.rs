//! `skinscope compare`: the distance of two methods is that of an independent implementation for real models
//! (`corpus/methods`), and its output for the built-in character is right.
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it that test is skipped.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use skinscope::deform::{METHODS, PASSES};

use crate::common;
use crate::common::methods_index::{Pose, ROUNDED, methods_index};
use crate::fix::run::{captured, launched};

/// Carries out a command line; all of its names of files are whole.
fn program(arguments: &[&str]) -> Output {
    captured(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("no folder"), arguments)
}

fn run(arguments: &[&str]) -> Output {
    program(&[&["compare"][..], arguments].concat())
}

fn told(arguments: &[&str]) -> Value {
    let out = run(&[arguments, &["--json"]].concat());
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

fn metres(told: &Value, field: &str) -> f64 {
    told[field].as_f64().unwrap() / 1e3
}

#[test]
fn distances_of_methods_are_those_of_the_reference() {
    // The first pose of each model but the largest.
    let mut before = String::new();
    distances(&mut |pose| {
        let is_first = pose.model != before;
        before.clone_from(&pose.model);
        is_first && !pose.model.contains("Knight")
    });
}

#[test]
#[ignore = "full: twelve poses are deformed by seven methods, those of a large model too"]
fn distances_of_methods_are_those_of_the_reference_in_every_pose() {
    distances(&mut |_| true);
}

fn distances(is_wanted: &mut dyn FnMut(&Pose) -> bool) {
    let Some(corpus) = common::corpus() else { return };
    let index = methods_index(&corpus);
    let poses: Vec<&Pose> = index.poses.iter().filter(|pose| is_wanted(pose)).collect();
    assert!(poses.len() >= 5, "{}", poses.len());
    let mut compared = 0;
    for pose in &poses {
        let path = corpus.join(&pose.model);
        let path = path.to_str().unwrap();
        let allowed = pose.diagonal * if pose.model == ROUNDED { 2e-3 } else { 2e-5 };
        for (name, want) in &pose.from_linear {
            // Some methods of the reference have no row in the table.
            let (method, pass) = name.split_once('+').map_or((&**name, None), |(method, pass)| (method, Some(pass)));
            let has_pass = pass.is_none_or(|pass| PASSES.iter().any(|p| p.id == pass));
            if !METHODS.iter().any(|row| row.id == method) || !has_pass {
                continue;
            }
            let (clip, time) = (pose.clip.to_string(), pose.time.to_string());
            let told = told(&[path, "--a", "linear", "--b", name, "--clip", &clip, "--time", &time]);
            for (field, want) in [("worst_mm", want.max), ("mean_mm", want.mean), ("rms_mm", want.rms)] {
                let off = (metres(&told, field) - want).abs();
                assert!(off <= allowed, "{}, {name}: {field} is off by {off} m: {told}", pose.model);
            }
            compared += 1;
        }
    }
    assert!(compared >= 2 * poses.len(), "{compared}");
}

fn built_in() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb").to_str().unwrap().to_owned()
}

#[test]
fn over_a_clip_the_worst_moment_is_told_and_is_as_bad_as_that_moment_alone() {
    over(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb").to_str().unwrap(), "Walk");
}

#[test]
#[ignore = "full: a large model is deformed twice at all moments of its clips and over its range of motion"]
fn over_each_clip_of_a_large_model_the_worst_moment_is_told() {
    over(&built_in(), "Wave");
}

fn over(model: &str, clip: &str) {
    let over = told(&[model, "--b", "dual-quaternion", "--clip", clip, "--over", "clip"]);
    assert_eq!((&over["schema"], &over["a"], &over["b"]), (&json!(1), &json!("linear"), &json!("dual-quaternion")));
    assert_eq!(over["at"]["clip"], json!(clip));
    assert!(over["height_m"].as_f64().unwrap() > 1.0 && metres(&over, "worst_mm") > 1e-3, "{over}");
    assert!(
        over["worst_mm"].as_f64() >= over["rms_mm"].as_f64() && over["rms_mm"].as_f64() >= over["mean_mm"].as_f64()
    );
    let time = over["at"]["time"].to_string();
    let there = told(&[model, "--b", "dual-quaternion", "--clip", clip, "--time", &time]);
    assert_eq!((&there["worst_mm"], &there["at"]), (&over["worst_mm"], &over["at"]));
    for time in ["0", "0.3", "0.7", "1.1"] {
        let other = told(&[model, "--b", "dual-quaternion", "--clip", clip, "--time", time]);
        assert!(other["worst_mm"].as_f64() <= over["worst_mm"].as_f64(), "{time}: {other}");
    }
    // Of all clips the worst is at least as bad, and a range of motion names the joint that turns.
    let all = told(&[model, "--b", "dual-quaternion", "--over", "clip"]);
    assert!(all["worst_mm"].as_f64() >= over["worst_mm"].as_f64());
    let rom = told(&[model, "--b", "dual-quaternion", "--over", "rom"]);
    assert!(rom["at"]["joint"].is_string() && rom["at"]["clip"].is_null() && rom["at"]["degrees"].is_number(), "{rom}");
    assert!(metres(&rom, "worst_mm") > 1e-2, "{rom}");
}

/// Programs read the report by these names, and a report with nothing special in it has no others.
#[test]
fn the_report_has_the_fields_that_are_promised_and_no_others() {
    let sorted = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<std::collections::BTreeSet<_>>();
    let all = names(&["schema", "a", "b", "worst_mm", "mean_mm", "rms_mm", "height_m", "at"]);
    let place = ["clip", "time", "mesh", "primitive", "vertex"];
    let model = built_in();
    let of = |more: &[&str]| told(&[&[model.as_str(), "--b", "dual-quaternion"][..], more].concat());
    for more in [&[][..], &["--clip", "Wave", "--time", "0.5"]] {
        let told = of(more);
        assert_eq!((sorted(&told), sorted(&told["at"])), (all.clone(), names(&place)), "{told}");
    }
    // The character stands in metres.
    let height = of(&[])["height_m"].as_f64().unwrap();
    assert!((1.5..2.0).contains(&height), "{height}");
}

#[test]
fn at_rest_nothing_is_apart_and_the_text_says_where() {
    let model = built_in();
    let rest = told(&[&model, "--b", "dual-quaternion"]);
    assert!(metres(&rest, "worst_mm") < 1e-5 && rest["at"]["clip"].is_null() && rest["at"]["time"].is_null(), "{rest}");
    let text = run(&[&model, "--b", "dual-quaternion", "--clip", "Wave", "--time", "1"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("worst") && text.contains("% of the height") && text.contains("clip \"Wave\", 1.000 s"),
        "{text}"
    );
    // Weights that sum to one are the same when they are normalised, but for rounding.
    let same =
        told(&[&model, "--a", "linear", "--normalise-weights", "--stored-weights", "--clip", "Wave", "--time", "1"]);
    assert!(metres(&same, "worst_mm") < 1e-3 && same["b"] == json!("linear") && same["b_weights"] == json!("stored"));
    assert_eq!(run(&[&model]).status.code(), Some(2), "there is nothing to compare with");
    assert_eq!(run(&[&model, "--b", "linear", "--over", "tomorrow"]).status.code(), Some(2));
}

#[test]
fn a_pass_that_one_side_names_is_its_alone() {
    let model = built_in();
    let at = ["--clip", "Wave", "--time", "0.5", "--mush", "4,0.5"];
    let one = told(&[&[&*model, "--a", "linear", "--b", "linear+mush"][..], &at].concat());
    assert_eq!((&one["a"], &one["b"]), (&json!("linear"), &json!("linear+mush")));
    assert!(metres(&one, "worst_mm") > 1e-4, "{one}");
    let both = told(&[&[&*model, "--a", "linear", "--b", "dual-quaternion"][..], &at].concat());
    assert_eq!((&both["a"], &both["b"]), (&json!("linear+mush"), &json!("dual-quaternion+mush")));
    // More steps of smoothing take it farther away.
    let more = told(&[&model, "--b", "linear+mush", "--clip", "Wave", "--time", "0.5", "--mush", "20,0.5"]);
    assert!(metres(&more, "mean_mm") > metres(&one, "mean_mm"), "{more} {one}");
    // At its ends the mix is what it mixes.
    let mixed =
        told(&[&model, "--a", "mixed", "--mix", "1", "--b", "dual-quaternion", "--clip", "Wave", "--time", "0.5"]);
    assert!(metres(&mixed, "worst_mm") < 1e-6, "{mixed}");
    for wrong in [["--b", "bent"], ["--b", "linear+bent"]] {
        let out = run(&[&[&*model][..], &wrong].concat());
        assert!(String::from_utf8_lossy(&out.stderr).contains("expected one of linear"), "{wrong:?}");
    }
    let out = run(&[&model, "--a", "polar", "--b", "rigid", "--normals", "rotation-only"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("--normals rotation-only is a mode of --method linear"));
}

#[test]
fn another_file_is_the_second_side() {
    let fixed = std::env::temp_dir().join(format!("skinscope-distance-{}.glb", std::process::id()));
    let other = fixed.to_str().unwrap();
    let out = program(&["fix", &built_in(), "-o", other, "--limit", "1"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let pose = ["--clip", "Wave", "--time", "0.5"];
    let same = told(&[&[built_in().as_str(), "--b-file", built_in().as_str()], &pose[..]].concat());
    assert!(metres(&same, "worst_mm") == 0.0 && same["b_file"] == json!(built_in()));
    let apart = told(&[&[built_in().as_str(), "--b-file", other], &pose[..]].concat());
    assert!(metres(&apart, "worst_mm") > 1e-3 && apart["a"] == apart["b"], "{apart}");
    let text = run(&[&[built_in().as_str(), "--b-file", other], &pose[..]].concat());
    assert!(String::from_utf8_lossy(&text.stdout).starts_with("linear against linear of "));
    let tube = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb");
    let refused = run(&[&built_in(), "--b-file", tube.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("vertex by vertex"));
    // The picture has the same options, and how sides share it is asked of two sides alone.
    let model = built_in();
    let render = ["render", model.as_str(), "-o", "none.png", "--split", "0.3"];
    let alone = launched(Path::new(env!("CARGO_TARGET_TMPDIR")), &render);
    assert!(alone.status.code() == Some(2) && String::from_utf8_lossy(&alone.stderr).contains("--compare-file"));
    std::fs::remove_file(&fixed).unwrap();
}

/// Both orders over the range of motion: the pose that is named is one of its own, and at rest they are the same.
#[test]
fn both_orders_of_skinning_and_subdividing_are_compared_over_the_range_of_motion() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb");
    let figure = path.to_str().unwrap();
    let (rest, rom) = (told(&[figure, "--subdivide", "1"]), told(&[figure, "--subdivide", "1", "--over", "rom"]));
    let [at_rest, worst, p95] = [(&rest, "worst_mm"), (&rom, "worst_mm"), (&rom, "p95_mm")].map(|(t, f)| metres(t, f));
    assert!(worst > 1e-4 && worst > 10.0 * at_rest && worst >= p95, "{rest} {rom}");
    assert_eq!((&rom["vertices"], &rom["triangles"]), (&rest["vertices"], &rest["triangles"]));
    let at = &rom["at"];
    assert!(at["joint"].is_string() && at["clip"].is_null() && at["time"].is_null() && at["vertex"].is_u64(), "{at}");
    assert!(at["degrees"].as_f64().unwrap().abs() > 1.0 && at["axis"].as_array().unwrap().len() == 3, "{at}");
    assert!(rom["poses"].as_u64().unwrap() > 20, "{rom}");
    let text = run(&[figure, "--subdivide", "1", "--over", "rom"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let line = format!("at     {} turned by", at["joint"]);
    assert!(text.contains(&line), "{text}");
}

/// Both orders of skinning and subdividing: the report has its fields, four times as many triangles a level, and the worst of a clip is no
/// smaller than a moment of it.
#[test]
fn both_orders_of_skinning_and_subdividing_are_compared() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb");
    let figure = path.to_str().unwrap();
    let at = |levels: &str| told(&[figure, "--subdivide", levels, "--clip", "Walk", "--time", "0.3"]);
    let (one, two) = (at("1"), at("2"));
    assert_eq!(
        (&one["schema"], &one["a"], &one["subdivide"], &one["poses"]),
        (&json!(1), &json!("linear"), &json!(1), &json!(1))
    );
    assert_eq!(two["triangles"].as_u64().unwrap(), 4 * one["triangles"].as_u64().unwrap());
    assert!(two["vertices"].as_u64() > one["vertices"].as_u64() && one["at"]["clip"] == json!("Walk"), "{one}");
    for told in [&one, &two] {
        let [worst, p95, rms] = ["worst_mm", "p95_mm", "rms_mm"].map(|field| metres(told, field));
        assert!(worst > 1e-5 && worst >= p95 && worst >= rms && rms > 0.0, "{told}");
    }
    let over = told(&[figure, "--subdivide", "1", "--clip", "Walk", "--over", "clip"]);
    let time = over["at"]["time"].to_string();
    let there = told(&[figure, "--subdivide", "1", "--clip", "Walk", "--time", &time]);
    assert_eq!((&there["worst_mm"], &there["at"]), (&over["worst_mm"], &over["at"]));
    assert!(over["poses"].as_u64().unwrap() > 10, "{over}");
    let text = run(&[figure, "--subdivide", "1"]);
    assert!(String::from_utf8_lossy(&text.stdout).starts_with("linear, subdivided once: skinned first"));
    let refusals = [
        (&["--subdivide", "1", "--a", "rigid"][..], "comes apart"),
        (&["--subdivide", "4"][..], "1..=3"),
        (&["--subdivide", "1", "--b", "linear"][..], "cannot be used with"),
    ];
    for (more, why) in refusals {
        let refused = run(&[&[figure][..], more].concat());
        assert_eq!(refused.status.code(), Some(2), "{more:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains(why), "{more:?}");
    }
}

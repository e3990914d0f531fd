//! `skinscope check` as a pipeline uses it: exit codes, JSON, what goes to which stream, many files at once.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod advice;
mod archives;
mod baseline;
mod gates;
mod many;
mod merge;
mod morphs;
mod pipelines;
mod reports;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use serde_json::{Value, json};

use crate::common;

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skinscope"))
        .arg("check")
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap()
}

/// Standard output and standard error, after `code`.
fn said(arguments: &[&str], code: i32) -> (String, String) {
    let out = check(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (stdout, stderr) = (text(out.stdout), text(out.stderr));
    assert_eq!(out.status.code(), Some(code), "{arguments:?}: {stdout}{stderr}");
    (stdout, stderr)
}

/// The JSON of a run that ends with `code`; nothing else may be on standard output.
fn report(arguments: &[&str], code: i32) -> Value {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&said(&all, code).0).unwrap()
}

type Pairs = [([u8; 4], [f32; 4]); 4];

/// Both joints, half each.
const HALVES: ([u8; 4], [f32; 4]) = ([0, 1, 0, 0], [0.5, 0.5, 0.0, 0.0]);

/// A square of four vertices on a skin of nodes 2 and 1, in a file of its own.
fn square(name: &str, pairs: Pairs) -> PathBuf {
    let mut bytes: Vec<u8> = Vec::new();
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
    bytes.extend(corners.iter().flat_map(|c| c.to_le_bytes()));
    bytes.extend(pairs.iter().flat_map(|(joints, _)| *joints));
    bytes.extend(pairs.iter().flat_map(|(_, weights)| *weights).flat_map(f32::to_le_bytes));
    // What brings the mesh to where its joints rest.
    for y in [-1.0_f32, 0.0] {
        let matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
        bytes.extend(matrix.iter().flat_map(|n| n.to_le_bytes()));
    }
    let uri = format!("data:;base64,{}", base64::engine::general_purpose::STANDARD.encode(&bytes));
    let file = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [1, 0] }],
        "nodes": [{ "mesh": 0, "skin": 0 }, { "name": "one", "children": [2] }, { "name": "two", "translation": [0, 1, 0] }],
        "skins": [{ "joints": [2, 1], "inverseBindMatrices": 3 }],
        "meshes": [{ "name": "Square", "primitives": [{ "mode": 5, "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 16 },
            { "buffer": 0, "byteOffset": 64, "byteLength": 64 },
            { "buffer": 0, "byteOffset": 128, "byteLength": 128 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5121, "type": "VEC4", "count": 4 },
            { "bufferView": 2, "componentType": 5126, "type": "VEC4", "count": 4 },
            { "bufferView": 3, "componentType": 5126, "type": "MAT4", "count": 2 },
        ],
    });
    let path = scratch(name);
    std::fs::write(&path, file.to_string()).unwrap();
    path
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

fn clean(name: &str) -> PathBuf {
    square(name, [HALVES; 4])
}

/// Vertex 1 has no weight, vertex 3 too much.
fn broken(name: &str) -> PathBuf {
    square(name, [HALVES, ([0; 4], [0.0; 4]), HALVES, ([1, 0, 0, 0], [1.5, 0.0, 0.0, 0.0])])
}

fn rules(file: &Value) -> Vec<&str> {
    file["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap()).collect()
}

#[test]
fn the_json_is_as_it_is_promised() {
    let path = broken("json.gltf");
    let path = path.to_str().unwrap();
    let report = report(&[path, "--rules", "weights-zero,weights-sum"], 3);
    assert_eq!((&report["schema"], report["files"].as_array().unwrap().len()), (&json!(1), 1));
    let file = &report["files"][0];
    assert_eq!((&file["path"], rules(file)), (&json!(path), vec!["weights-zero", "weights-sum"]));
    assert_eq!(file["summary"], json!({ "error": 1, "warning": 1, "info": 0 }));
    let finding = file["findings"][1].as_object().unwrap();
    let mut keys: Vec<&str> = finding.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut promised = [
        "rule",
        "severity",
        "mesh",
        "primitive",
        "materials",
        "vertex_count",
        "vertices",
        "joints",
        "message",
        "fix",
        "measure",
        "pose",
        "words",
    ];
    promised.sort_unstable();
    assert_eq!(keys, promised);
    assert_eq!(
        (&finding["severity"], &finding["mesh"], &finding["primitive"]),
        (&json!("warning"), &json!(0), &json!(0))
    );
    assert_eq!(
        (&finding["vertex_count"], &finding["vertices"], &finding["joints"]),
        (&json!(1), &json!([3]), &json!([]))
    );
    // Half as far again from the origin as it should stand: √2 / 2 m, in millimetres.
    let measure = &finding["measure"];
    assert!((measure["value"].as_f64().unwrap() - 707.107).abs() < 0.01 && measure["unit"] == "mm", "{measure}");
    assert!(!finding["message"].as_str().unwrap().is_empty() && !finding["fix"].as_str().unwrap().is_empty());
}

#[test]
fn joints_are_told_by_the_files_own_nodes() {
    let path = square("nodes.gltf", [HALVES, HALVES, HALVES, ([0, 0, 1, 0], [0.25, 0.25, 0.5, 0.0])]);
    let report = report(&[path.to_str().unwrap(), "--rules", "joint-duplicate"], 0);
    // Place 0 of the skin is node 2.
    assert_eq!(report["files"][0]["findings"][0]["joints"], json!([2]));
}

#[test]
fn the_exit_code_follows_what_is_asked() {
    let (clean, broken) = (clean("code_clean.gltf"), broken("code_broken.gltf"));
    let (clean, broken) = (clean.to_str().unwrap(), broken.to_str().unwrap());
    said(&[clean], 0);
    let (_, stderr) = said(&[broken], 3);
    assert!(stderr.contains("1 finding of severity error"), "{stderr}");
    said(&[broken, "--fail-on", "never"], 0);
    said(&[broken, "--rules", "weights-sum"], 0);
    let (_, stderr) = said(&[broken, "--rules", "weights-sum", "--fail-on", "warning"], 3);
    assert!(stderr.contains("1 finding of severity warning or worse"), "{stderr}");
    said(&[clean, broken, "--fail-on", "warning"], 3);
    // Nothing to complain of in the character that comes with the program.
    said(&[], 0);
}

#[test]
fn wrong_usage_names_what_is_known() {
    let (_, stderr) = said(&["--rules", "weights-zero,no-such-rule"], 2);
    assert!(stderr.contains("no-such-rule") && stderr.contains("weights-sum-255"), "{stderr}");
    said(&["--limit", "0"], 2);
    said(&["--fail-on", "info"], 2);
}

/// What does not load is said, and the others are checked all the same; the worse exit code wins.
#[test]
fn a_bad_file_among_good_ones_does_not_hide_them() {
    let beyond = square("beyond.gltf", [HALVES, HALVES, ([0, 9, 0, 0], [0.5, 0.5, 0.0, 0.0]), HALVES]);
    let (clean, broken) = (clean("among_clean.gltf"), broken("among_broken.gltf"));
    let files = [broken.to_str().unwrap(), beyond.to_str().unwrap(), clean.to_str().unwrap(), "not_there.glb"];
    let (stdout, stderr) = said(&files, 1);
    let place =
        "mesh 0, primitive 0, vertex 2: expected joints below 2, as skin 0 has them, found joint 9 with weight 0.5";
    assert!(stderr.contains(place) && stderr.contains("not_there.glb"), "{stderr}");
    assert!(stderr.contains("2 of 4 files do not load") && stdout.contains("among_clean.gltf"), "{stderr}{stdout}");
    let report = report(&files, 1);
    let paths: Vec<&str> = report["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(paths, files);
    let unread = &report["files"][1];
    assert!(unread["error"].as_str().unwrap().contains(place), "{unread}");
    assert_eq!((&unread["findings"], &unread["summary"]["error"]), (&json!([]), &json!(0)));
    assert_eq!(report["files"][0]["summary"]["error"], 1);
    // Alone, its one line is enough.
    let (stdout, stderr) = said(&[beyond.to_str().unwrap(), "--json"], 1);
    assert!(stderr.lines().count() == 1 && stderr.contains(place), "{stderr}");
    assert!(serde_json::from_str::<Value>(&stdout).unwrap()["files"][0]["error"].is_string());
}

/// Weights are told as they are stored, though they are drawn as 0; the warnings of import go to the other stream.
#[test]
fn what_import_repairs_is_found_as_it_was() {
    let path = square("nan.gltf", [HALVES, ([0, 7, 0, 0], [1.0, f32::NAN, 0.0, 0.0]), HALVES, HALVES]);
    let (stdout, stderr) = said(&[path.to_str().unwrap(), "--json"], 3);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let file = &report["files"][0];
    assert_eq!(rules(file)[..2], ["weights-not-finite", "joint-out-of-range"]);
    assert_eq!(file["findings"][0]["vertices"], json!([1]));
    assert!(
        stderr.contains("warning: ")
            && stderr.contains("nan.gltf: mesh 0, primitive 0: has 1 weight that is not finite"),
        "{stderr}"
    );
}

#[test]
fn many_files_come_in_the_order_that_they_were_given_in() {
    let names: Vec<PathBuf> = (0..24)
        .map(|i| if i % 3 == 0 { broken(&format!("many_{i}.gltf")) } else { clean(&format!("many_{i}.gltf")) })
        .collect();
    let names: Vec<&str> = names.iter().rev().map(|p| p.to_str().unwrap()).collect();
    let report = report(&names, 3);
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.iter().map(|f| f["path"].as_str().unwrap()).collect::<Vec<_>>(), names);
    let errors: u64 = files.iter().map(|f| f["summary"]["error"].as_u64().unwrap()).sum();
    assert_eq!(errors, 8);
    let (stdout, _) = said(&names, 3);
    assert!(stdout.lines().last().unwrap().starts_with("24 files: 8 errors, 8 warnings"), "{stdout}");
}

#[test]
fn the_text_says_what_where_why_and_what_to_do() {
    let path = broken("text.gltf");
    let (stdout, _) = said(&[path.to_str().unwrap()], 3);
    for words in
        ["text.gltf", "error    No weights (weights-zero)", "mesh 0 \"Square\", primitive 0; vertex 1", "Fix: "]
    {
        assert!(stdout.contains(words), "{words}: {stdout}");
    }
    let (error, warning) = (stdout.find("weights-zero").unwrap(), stdout.find("weights-sum").unwrap());
    assert!(error < warning && stdout.contains("1 error, 1 warning"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() <= 120), "{stdout}");
    let (stdout, _) = said(&[clean("fine.gltf").to_str().unwrap(), "--rules", "weights-zero"], 0);
    assert!(stdout.contains("no findings"), "{stdout}");
}

/// Names are the file's own words: a terminal must not obey them.
#[test]
fn names_do_not_steer_the_terminal() {
    let path = broken("names.gltf");
    let text = std::fs::read_to_string(&path).unwrap().replace("\"Square\"", "\"Sq\\u001b[2Juare\\u202e\"");
    std::fs::write(&path, text).unwrap();
    let (stdout, stderr) = said(&[path.to_str().unwrap()], 3);
    assert!(stdout.contains("uare"), "{stdout}");
    assert!(!(stdout + &stderr).contains(['\u{1b}', '\u{202e}']));
}

/// Sums that are right to 1e-7 are right.
#[test]
fn the_weights_of_characters_of_the_corpus_are_sound() {
    let Some(corpus) = common::corpus() else { return };
    for name in ["CesiumMan.glb", "Fox.glb", "KayKit_Knight.glb", "Tube8Influences.glb"] {
        let path = corpus.join("models").join(name);
        let rules = "weights-not-finite,weights-negative,weights-zero,weights-sum,weights-sum-255,joint-out-of-range";
        let report = report(&[path.to_str().unwrap(), "--rules", rules], 0);
        assert_eq!(report["files"][0]["findings"], json!([]), "{name}");
    }
}

/// The model files of a folder of the corpus, in order.
fn corpus_files(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = common::corpus() else { return Vec::new() };
    let entries = std::fs::read_dir(corpus.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "glb" || e == "gltf")).collect();
    files.sort();
    files
}

/// Whatever a file is, it is told in a line or checked; nothing panics. More than so many are refused, and so many are checked.
fn are_checked_or_refused(files: &[PathBuf], least: [usize; 2]) {
    let all: Vec<&str> = files.iter().map(|p| p.to_str().unwrap()).chain(["--json"]).collect();
    let (stdout, stderr) = said(&all, 1);
    assert!(!stderr.contains("panicked"), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let reported = report["files"].as_array().unwrap();
    assert_eq!(reported.len(), files.len());
    let (refused, checked): (Vec<&Value>, Vec<&Value>) = reported.iter().partition(|f| f["error"].is_string());
    let counts = [refused.len(), checked.len()];
    assert!(counts[0] > least[0] && counts[1] > least[1], "{} refused, {} checked", counts[0], counts[1]);
    let mut measured = 0;
    for file in checked {
        for finding in file["findings"].as_array().unwrap() {
            let vertices: Vec<u64> =
                finding["vertices"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
            assert!(vertices.is_sorted_by(|a, b| a < b) && vertices.len() <= 256, "{file}");
            assert!(finding["vertex_count"].as_u64().unwrap() >= vertices.len() as u64, "{file}");
            assert!(finding["measure"].is_null() || finding["measure"]["value"].is_f64(), "{file}");
            measured += usize::from(!finding["measure"].is_null());
        }
    }
    assert!(measured > 20, "{measured}");
}

#[test]
fn files_of_the_corpus_are_checked_or_refused() {
    let mut files = corpus_files("models");
    if files.is_empty() {
        return;
    }
    files.extend(corpus_files("malformed").into_iter().step_by(6));
    are_checked_or_refused(&files, [10, 10]);
}

#[test]
#[ignore = "full: it reads every malformed file, of which some ask for much memory"]
fn every_file_of_the_corpus_is_checked_or_refused() {
    let files = [corpus_files("malformed"), corpus_files("models")].concat();
    if !files.is_empty() {
        are_checked_or_refused(&files, [60, 40]);
    }
}

/// `--rom` adds what the library finds, in its words and order, with the pose to see it in.
#[test]
fn the_range_of_motion_is_added_with_exact_poses() {
    use skinscope::deform::METHODS;
    use skinscope::import::{Options, Progress};
    use skinscope::inspect::check::FindingPose;
    use skinscope::inspect::rom::{self, RomOptions};
    use skinscope::session::Source;

    let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
    let model = document.stored();
    let options = RomOptions { degrees: 45.0, step_degrees: 45.0, ..RomOptions::default() };
    let cancel = std::sync::atomic::AtomicBool::new(false);
    let wanted = rom::run(model, &rom::plan(model, &options), METHODS[0], &|_| {}, &cancel).unwrap().findings;
    assert!(wanted.len() > 5);
    let all = ["--rom", "--rom-degrees", "45", "--rom-step", "45", "--fail-on", "never"];
    let said = report(&all, 0);
    let findings = said["files"][0]["findings"].as_array().unwrap();
    let measured = |f: &&Value| f["rule"].as_str().unwrap().starts_with("rom-");
    let mut found: Vec<&Value> = findings.iter().filter(measured).collect();
    assert_eq!(found.len(), wanted.len());
    found.sort_by_key(|f| f["message"].as_str());
    let mut wanted: Vec<_> = wanted.iter().collect();
    wanted.sort_by_key(|f| f.message.as_str());
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert_eq!((&found["rule"], &found["message"]), (&json!(wanted.rule), &json!(wanted.message)));
        assert_eq!(found["vertex_count"], wanted.vertices.len());
        let FindingPose::Turned { joint, axis, angle } = wanted.pose else { panic!("{wanted:?}") };
        let node = model.skeleton.file_index[joint.index()];
        assert_eq!(found["pose"]["joint"], node);
        assert!(found["joints"] == json!([node]) && (angle.abs().to_degrees() - 45.0).abs() < 1e-4);
        assert_eq!(found["pose"]["degrees"].as_f64().unwrap() as f32, angle.to_degrees());
        let given: Vec<f32> =
            found["pose"]["axis"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap() as f32).collect();
        assert_eq!(given, axis.to_array());
    }
    let one = report(&["--rules", "rom-volume"], 0);
    let rules: Vec<&Value> = one["files"][0]["findings"].as_array().unwrap().iter().map(|f| &f["rule"]).collect();
    assert!(!rules.is_empty() && rules.iter().all(|rule| **rule == "rom-volume"), "{rules:?}");
}

#[test]
fn the_range_of_motion_has_limits_and_is_asked_for() {
    let limits = "not between 1 and 180";
    for (wrong, words) in [
        (&["--rom-degrees", "45"][..], "--rom\n"),
        (&["--rom-clips"], "--rom\n"),
        (&["--rom", "--rom-degrees", "200"], limits),
        (&["--rom", "--rom-step", "0"], limits),
        (&["--rom", "--rom-clips", "--rom-degrees", "45"], "'--rom-clips' cannot be used with '--rom-degrees"),
    ] {
        let (_, stderr) = said(wrong, 2);
        assert!(stderr.contains(words), "{wrong:?}: {stderr}");
    }
}

/// 65 000 poses of the built-in character are not measured within a millisecond by any machine.
#[test]
fn a_range_of_motion_that_is_not_within_its_seconds_says_so_everywhere() {
    let page = scratch("rom_seconds.html");
    let hurried = ["--rom", "--rom-degrees", "180", "--rom-step", "1", "--rom-seconds", "0.001", "--fail-on", "never"];
    let (stdout, stderr) = said(&[&hurried[..], &["--html", page.to_str().unwrap()]].concat(), 0);
    let told = "The range of motion is not done within its 0.001 s: ";
    // Lines are broken to a bearable length.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&stdout).contains(told) && words(&stdout).contains("more time with --rom-seconds"), "{stdout}");
    assert!(std::fs::read_to_string(&page).unwrap().contains(told));
    // Nothing of a progress line goes to a pipe.
    assert!(!stderr.contains('\r') && !stderr.contains("range of motion"), "{stderr:?}");
    let (stdout, stderr) = said(&[&hurried[..], &["--json"]].concat(), 0);
    assert!(stderr.contains(told), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let rom = &report["files"][0]["rom"];
    assert_eq!((&rom["complete"], &rom["seconds"]), (&json!(false), &json!(0.001)));
    let (poses, planned) = (rom["poses"].as_u64().unwrap(), rom["planned"].as_u64().unwrap());
    assert_eq!(planned, rom["joints"].as_u64().unwrap() * 3 * 360);
    assert!(poses < planned, "{rom}");

    let report = self::report(&["--rom", "--rom-step", "90", "--rom-seconds", "unlimited"], 0);
    let rom = &report["files"][0]["rom"];
    assert_eq!((&rom["complete"], &rom["seconds"], &rom["poses"]), (&json!(true), &Value::Null, &rom["planned"]));
    assert_eq!(self::report(&[], 0)["files"][0].get("rom"), None, "where none was asked for");
    for wrong in ["0", "-1", "soon", "NaN", "inf"] {
        said(&["--rom", "--rom-seconds", wrong], 2);
    }
}

/// 65 000 poses of the built-in character take longer than that on any machine; those of four vertices do not.
#[test]
fn a_file_that_takes_longer_than_the_time_limit_is_told_and_the_others_are_checked() {
    let slow = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
    let (slow, fine) = (slow.to_str().unwrap(), clean("time_limit.gltf"));
    let motion = ["--rom", "--rom-degrees", "180", "--rom-step", "1", "--rom-seconds", "unlimited"];
    let limited = [&motion[..], &["--time-limit", "3", "--json-lines", slow, fine.to_str().unwrap()]].concat();
    let (stdout, stderr) = said(&limited, 1);
    let told = "it takes longer than the 3 s of --time-limit";
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |path: &str| lines.iter().find(|line| line["file"] == *path).unwrap();
    assert_eq!(
        (lines.len(), &of(slow)["exit"], &of(fine.to_str().unwrap())["exit"]),
        (2, &json!("error"), &json!("ok"))
    );
    assert!(of(slow)["error"].as_str().unwrap().starts_with(told) && stderr.contains(told), "{stderr}");
    for wrong in ["0", "-1", "soon", "NaN"] {
        let (_, stderr) = said(&[fine.to_str().unwrap(), &format!("--time-limit={wrong}")], 2);
        assert!(stderr.contains("neither a number of seconds nor `unlimited`"), "{stderr}");
    }
    said(&["--time-limit", "unlimited", fine.to_str().unwrap()], 0);
}

/// In a terminal, made by the program `script`: one line that is written over, and gone in the end.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_how_far_the_range_of_motion_is_and_keeps_nothing_of_it() {
    if Command::new("script").arg("--version").output().is_err() {
        return common::skipped("no `script` to make a terminal with");
    }
    let program =
        format!("{} check --rom --rom-step 15 --fail-on never --limit 65535", env!("CARGO_BIN_EXE_skinscope"));
    let out = Command::new("script").args(["-qec", &program, "/dev/null"]).output().unwrap();
    let shown = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(0), "{shown}");
    const WIPE: &str = "\r\x1b[K";
    let lines: Vec<&str> = shown.split(WIPE).collect();
    assert!(lines.iter().any(|line| line.contains("range of motion ") && line.contains(" %, ")), "{shown:?}");
    // What comes after the last time that the line was wiped out are the findings, and nothing of the line is among them.
    let (findings, before) = lines.split_last().unwrap();
    assert!(findings.contains("rom-stretch") && !findings.contains("range of motion "), "{shown:?}");
    assert!(before.iter().all(|line| !line.contains('\n')), "{shown:?}");
    assert!(before.iter().all(|line| line.chars().count() < 80), "{shown:?}");
}

/// Whole PNGs, decoded, of a page.
fn pictures(page: &str) -> Vec<image::RgbaImage> {
    let sources = page.split("src=\"data:image/png;base64,").skip(1).map(|rest| rest.split('"').next().unwrap());
    let bytes = sources.map(|s| base64::engine::general_purpose::STANDARD.decode(s).unwrap());
    bytes.map(|png| image::load_from_memory(&png).unwrap().to_rgba8()).collect()
}

#[test]
fn a_page_has_every_finding_with_a_picture_and_leaves_standard_output_alone() {
    let (clean, broken, page) = (clean("page_clean.gltf"), broken("page_broken.gltf"), scratch("page.html"));
    let files = [clean.to_str().unwrap(), broken.to_str().unwrap(), "not_there.glb"];
    let arguments = [&files[..], &["--html", page.to_str().unwrap()]].concat();
    let with = report(&arguments, 1);
    assert_eq!(with, report(&files, 1), "the page changes nothing else");
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.ends_with("</html>\n"));
    let places: Vec<usize> = files.iter().map(|f| text.find(&format!("<h2>{f}</h2>")).unwrap()).collect();
    assert!(places.is_sorted(), "in the order of the files");
    assert!(text.contains("Nothing was found.") && text.contains("not_there.glb"));
    let found: usize = with["files"].as_array().unwrap().iter().map(|f| f["findings"].as_array().unwrap().len()).sum();
    let pictures = pictures(&text);
    assert_eq!((pictures.len(), found > 1), (found, true));
    for picture in pictures {
        let corner = *picture.get_pixel(0, 0);
        let drawn = picture.pixels().filter(|p| **p != corner).count();
        assert!(drawn > 1000, "the model is seen: {drawn} pixels");
    }
}

#[test]
fn a_page_is_never_written_over_a_model_and_needs_a_place() {
    let model = clean("page_model.gltf");
    let before = std::fs::read(&model).unwrap();
    let path = model.to_str().unwrap();
    let (_, stderr) = said(&[path, "--html", path], 2);
    assert!(stderr.contains("pages are written as .html"), "{stderr}");
    assert_eq!(std::fs::read(&model).unwrap(), before);
    let (_, stderr) = said(&[path, "--html", "/no/such/folder/page.html"], 2);
    assert!(stderr.contains("/no/such/folder/page.html"), "{stderr}");
}

#[test]
fn what_has_no_mirror_image_is_counted_and_named() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/figure.glb");
    let file = file.to_str().unwrap();
    let out = report(&[file], 0);
    let first: Vec<usize> = (0..256).collect();
    let without = json!([{ "mesh": 0, "primitive": 0, "vertex_count": 587, "vertices": first }]);
    let symmetry = json!({ "judged": 0, "not_judged": 587, "without_image": [], "without_plane": without });
    assert_eq!(out["files"][0]["symmetry"], symmetry);
    let told = said(&[file], 0).0;
    assert!(
        told.contains("symmetry was not judged: none of 587 vertices is of a mesh with a plane of symmetry"),
        "{told}"
    );
    // The built-in character is alike on both sides.
    let built_in = report(&[], 0);
    assert_eq!(built_in["files"][0]["symmetry"], json!({ "judged": 15568, "not_judged": 0, "without_image": [] }));
    // Only where that was looked at.
    assert!(report(&[file, "--rules", "joint-unused"], 0)["files"][0].get("symmetry").is_none());
}

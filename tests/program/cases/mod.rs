//! The cases from public reports, beside the corpus: runs the commands of each and judges what comes out. The `README.md` of the cases
//! says what each field of an `expected.json` means.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod file;
mod judge;
mod posed;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use judge::Judge;
use serde_json::Value;

use crate::common;

/// The cases that have a test of their own; [`the_other_cases`] runs those that are missing here.
macro_rules! cases {
    ($($test:ident $folder:literal)*) => {
        const NAMED: &[&str] = &[$($folder),*];
        $(#[test] fn $test() { run_case($folder); })*
    };
}

cases! {
    case_01_mixamo_prefixes "01-mixamo-prefixes"
    case_03_vrma_on_vrm "03-vrma-on-vrm"
    case_04_vrm0_front "04-vrm0-front"
    case_06_one_mesh_two_skins "06-one-mesh-two-skins"
    case_11_names_of_sides "11-names-of-sides"
    case_12_far_from_origin "12-far-from-origin"
    case_18_transfer_across_a_gap "18-transfer-across-a-gap"
    case_21_integers_as_floats "21-integers-as-floats"
    case_23_clips_over_other_axes "23-clips-over-other-axes"
    case_25_json_spellings "25-json-spellings"
    case_26_joints_of_one_name "26-joints-of-one-name"
    case_27_mirror_in_quantised_space "27-mirror-in-quantised-space"
    case_34_pivots_between_joints "34-pivots-between-joints"
    case_35_expressions_of_vrma "35-expressions-of-vrma"
    case_39_mirrored_clips "39-mirrored-clips"
    case_46_joints_in_another_order "46-joints-in-another-order"
    case_47_weight_from_one_joint_only "47-weight-from-one-joint-only"
    case_48_lists_and_pointers "48-lists-and-pointers"
    case_50_flat_where_no_normals "50-flat-where-no-normals"
    case_52_diff_without_counterparts "52-diff-without-counterparts"
    case_53_three_8_bit_weights "53-three-8-bit-weights"
    case_54_one_surface_many_materials "54-one-surface-many-materials"
    case_55_humanoids_of_other_families "55-humanoids-of-other-families"
}

/// Cases that the program is known not to get right yet. One that it gets right must be taken off this list.
const OPEN: &[&str] = &[];

/// Cases that were added since the list above was written.
#[test]
fn the_other_cases() {
    let Some(root) = cases() else { return };
    let folders = fs::read_dir(&root).unwrap().flatten().filter(|entry| entry.path().join("expected.json").is_file());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !NAMED.contains(&name.as_str()));
    names.sort();
    let failed: Vec<String> = names.iter().flat_map(|name| failures(&root, name)).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The folder of the cases, or `None` (and said so) where it is not there.
fn cases() -> Option<PathBuf> {
    let root = common::corpus()?.join("../cases");
    if root.is_dir() {
        return Some(root);
    }
    // They are no part of the corpus, and may be missing where that is.
    println!("no cases at {}", root.display());
    None
}

fn run_case(name: &str) {
    let Some(root) = cases() else { return };
    if !root.join(name).join("expected.json").is_file() {
        return common::skipped(&format!("no case {name}"));
    }
    let failed = failures(&root, name);
    if OPEN.contains(&name) {
        assert!(!failed.is_empty(), "{name} is right now: take it off the list");
        println!("{name} is not right yet:\n{}", failed.join("\n"));
        return;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs all checks of a case; returns what failed, each in a line.
fn failures(root: &Path, name: &str) -> Vec<String> {
    let case = root.join(name);
    let expected: Value = common::json(&case.join("expected.json"));
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases").join(name);
    let _absent = fs::remove_dir_all(&scratch);
    fs::create_dir_all(&scratch).unwrap();
    let mut out = Vec::new();
    for (number, check) in expected["checks"].as_array().unwrap().iter().enumerate() {
        let base = scratch.join(number.to_string());
        let what = format!("{name}, {}", check["name"].as_str().unwrap_or_default());
        match run_check(&case, &base, check) {
            Err(why) => out.push(format!("{what}: {why}")),
            Ok(ran) => {
                let judge = Judge { case: &case, base: &base, expected: &expected, check, ran: &ran };
                out.extend(judge.failures().map(|why| format!("{what}: {why}")));
            }
        }
    }
    out
}

/// How a command ended, and what it said.
pub struct Ran {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// The arguments of the command that is judged.
    pub arguments: Vec<String>,
}

impl Ran {
    /// All that was said, for people.
    pub fn said(&self) -> String {
        format!("{}{}", String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&self.stderr))
    }
}

/// Runs the commands of a check; the last is judged.
fn run_check(case: &Path, base: &Path, check: &Value) -> Result<Ran, String> {
    let commands = check["commands"].as_array().cloned().unwrap_or_else(|| vec![check["command"].clone()]);
    let mut last = None;
    for command in &commands {
        if let Some(Ran { code: 1.., stderr, .. }) = &last {
            return Err(format!("a command before the one that is judged failed: {}", String::from_utf8_lossy(stderr)));
        }
        let words = command.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        last = Some(run(case, base, words.collect()));
    }
    last.ok_or_else(|| "no command".to_owned())
}

/// Writes the stem of the check's files for `{out}`.
pub fn put_out(base: &Path, word: &str) -> String {
    word.replace("{out}", &base.display().to_string())
}

/// Runs one command line as if this process were in the folder of the case: whatever names a file there is made whole.
fn run(case: &Path, base: &Path, arguments: Vec<String>) -> Ran {
    let whole = |word: &String| match put_out(base, word) {
        word if !word.is_empty() && case.join(&word).is_file() => case.join(word).display().to_string(),
        word => word,
    };
    let words: Vec<String> = arguments.iter().map(whole).collect();
    // These write on other threads, or load the system's graphics libraries, which may write too.
    if ["check", "render", "view"].contains(&words[0].as_str()) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skinscope"));
        let out = command.args(&words).current_dir(case).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        let out = out.output().unwrap();
        return Ran { code: out.status.code().unwrap_or(-1), stdout: out.stdout, stderr: out.stderr, arguments };
    }
    let words = ["skinscope".to_owned()].into_iter().chain(words).map(OsString::from);
    let (code, written) = skinscope::cli::captured(words);
    Ran { code: i32::from(code), stdout: written.stdout, stderr: written.stderr, arguments }
}

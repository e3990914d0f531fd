//! Runs the same cases through the program: `skinscope check --json`, its exit codes, and what it prints.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::file::at;
use super::run::Found;

/// Vertices that JSON lists of a finding.
const LISTED: usize = 256;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("defects");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a file to check.
pub fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

pub fn check(paths: &[PathBuf], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skinscope")).arg("check").args(paths).args(arguments).output().unwrap()
}

/// The program with any arguments.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_skinscope")).args(arguments).output().unwrap()
}

fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| at(v).unwrap()).collect()
}

fn found(finding: &Value) -> Found {
    let text = |key: &str| finding[key].as_str().unwrap().to_owned();
    assert!(!text("fix").is_empty(), "no fix: {finding}");
    let vertices: Vec<u32> = indices(&finding["vertices"]).iter().map(|v| *v as u32).collect();
    assert!(vertices.is_sorted(), "not ascending: {finding}");
    assert_eq!(vertices.len(), at(&finding["vertex_count"]).unwrap().min(LISTED), "{finding}");
    let place = at(&finding["mesh"]).map(|m| (m, at(&finding["primitive"]).unwrap()));
    let joints = indices(&finding["joints"]);
    Found { rule: text("rule"), severity: text("severity"), place, vertices, joints, message: text("message") }
}

/// What standard output says of each file, by the schema in docs/check.md; nothing else may be there.
pub fn read(output: &Output) -> Vec<Vec<Found>> {
    let root: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(root["schema"], 1);
    let file = |file: &Value| {
        let all: Vec<Found> = file["findings"].as_array().unwrap().iter().map(found).collect();
        for severity in ["error", "warning", "info"] {
            let count = all.iter().filter(|f| f.severity == severity).count();
            assert_eq!(at(&file["summary"][severity]), Some(count), "{severity} of {}", file["path"]);
        }
        all
    };
    root["files"].as_array().unwrap().iter().map(file).collect()
}

/// As JSON tells it.
pub fn listed(mut found: Found) -> Found {
    found.vertices.truncate(LISTED);
    found
}

//! `skinscope fix`: what each operation does to the weights, and that nothing else of the file changes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod best;
mod compare;
mod differences;
mod edited;
mod files;
pub mod gained;
mod gained_layouts;
mod joints;
mod library;
mod links;
mod locked;
pub mod made;
mod operations;
mod outside;
mod packed;
mod placed;
pub mod reader;
mod reference;
pub mod run;
mod runtimes;
mod surfaces;
mod tools;
mod two_skins;
mod warnings;

use std::path::{Path, PathBuf};
use std::process::Output;

pub use run::PROGRAM;
use serde_json::Value;

use crate::common;

/// An empty folder.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fix").join(name);
    let _absent = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.canonicalize().unwrap()
}

/// `skinscope fix` in a folder, within this process.
pub fn fix(folder: &Path, arguments: &[&str]) -> Output {
    run::captured(folder, &[&["fix"][..], arguments].concat())
}

/// The same by the program, whose current folder it is.
pub fn launched(folder: &Path, arguments: &[&str]) -> Output {
    run::launched(folder, &[&["fix"][..], arguments].concat())
}

/// What it says on standard error.
pub fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// The JSON that it prints; it must go well.
pub fn report(folder: &Path, arguments: &[&str]) -> Value {
    told(arguments, &fix(folder, &[arguments, &["--json"]].concat()))
}

/// The JSON that the program prints; it must go well.
pub fn launched_report(folder: &Path, arguments: &[&str]) -> Value {
    told(arguments, &launched(folder, &[arguments, &["--json"]].concat()))
}

/// The JSON of what it printed; it must have gone well.
pub fn told(arguments: &[&str], out: &Output) -> Value {
    assert!(out.status.success(), "{arguments:?}: {}", said(out));
    serde_json::from_slice(&out.stdout).unwrap()
}

/// Every file of a folder, with what it holds.
pub fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_file())
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&p).unwrap()))
        .collect();
    out.sort();
    out
}

/// All models of the corpus and of the fixtures.
pub fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("tests/fixtures"), root.join("assets")];
    if let Some(corpus) = common::corpus() {
        folders.extend([corpus.join("models"), corpus.join("bind"), corpus.join("malformed")]);
    }
    common::models_in(folders)
}

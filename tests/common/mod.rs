//! What several tests share: where the corpus is, and how a test says that it was skipped.

#![expect(dead_code, clippy::panic, reason = "each test file uses a part of this, and may stop its test")]

use std::io::Write;
use std::path::PathBuf;

/// Says that a test was skipped, past the test runner's capture. Where `CI` is `true` nothing may be skipped.
pub fn skipped(what: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "would be skipped, which CI forbids: {what}");
    // Nobody to tell: nothing to do.
    let _unheard = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

/// The folder of models and references, or `None` (and said so) where it is not there.
pub fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("SKINSCOPE_CORPUS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"), PathBuf::from);
    if root.join("models.csv").is_file() {
        return Some(root);
    }
    skipped(&format!("no corpus at {} (set SKINSCOPE_CORPUS)", root.display()));
    None
}

/// A model of the corpus.
pub fn model(name: &str) -> Option<PathBuf> {
    let path = corpus()?.join("models").join(name);
    if !path.exists() {
        panic!("the corpus has no {name}");
    }
    Some(path)
}

//! Files with shapes, links and solved weights are played by the real three.js, where node has it.

use std::path::Path;
use std::process::Command;

use crate::common::skipped;

/// Returns the folder of three.js: that of `THREE`, else where node finds it.
fn three() -> Option<String> {
    const FIND: &str =
        "const path = require('path'); console.log(path.dirname(path.dirname(require.resolve('three'))));";
    if let Ok(folder) = std::env::var("THREE") {
        return Some(folder);
    }
    let out = Command::new("node").args(["-e", FIND]).output().ok().filter(|out| out.status.success())?;
    Some(String::from_utf8(out.stdout).ok()?.trim().to_owned())
}

#[test]
#[ignore = "full: the program is launched two hundred times"]
fn three_plays_what_was_written_as_the_program_shows_it() {
    let Some(three) = three() else {
        return skipped("no node with the module three (npm install -g three@0.187.0; NODE_PATH)");
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/three/play.mjs");
    let out = Command::new("node").arg(script).args([env!("CARGO_BIN_EXE_skinscope"), three.as_str()]).output();
    let out = out.unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
}

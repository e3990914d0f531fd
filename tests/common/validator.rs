//! The Khronos validator, where node has it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// Validates files, and prints for each a line of JSON: code to count.
const SCRIPT: &str = "
const fs = require('fs'), path = require('path');
const validator = require(process.env.VALIDATOR || 'gltf-validator');
(async () => {
  for (const file of process.argv.slice(1)) {
    const folder = path.dirname(file);
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      maxIssues: 0,
      externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri)))),
    });
    const codes = {};
    for (const m of report.issues.messages) if (m.severity < 2) codes[m.code] = (codes[m.code] || 0) + 1;
    console.log(JSON.stringify(codes));
  }
})();
";

/// Errors and warnings of each file by code; `None` where there is no node, or no validator.
pub fn validate(files: &[PathBuf]) -> Option<Vec<BTreeMap<String, u64>>> {
    let out = Command::new("node").arg("-e").arg(SCRIPT).args(files).output();
    let out = out.ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    text.lines().map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns whether it is there, and notes that a test is skipped where it is not.
pub fn is_there() -> bool {
    let there = Command::new("node").args(["-e", "require(process.env.VALIDATOR || 'gltf-validator')"]).output();
    let there = there.is_ok_and(|out| out.status.success());
    if !there {
        super::skipped("no node with the module gltf-validator (npm install -g gltf-validator; NODE_PATH)");
    }
    there
}

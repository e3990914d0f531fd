//! Other programs read what was written: the Khronos validator, where node has it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::made::{Doc, F32, LAYOUTS, U8, U16, pairs};
use crate::{common, folder, models, report};

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
fn validate(files: &[PathBuf]) -> Option<Vec<BTreeMap<String, u64>>> {
    let out = Command::new("node").arg("-e").arg(SCRIPT).args(files).output();
    let out = out.ok().filter(|out| out.status.success())?;
    let text = String::from_utf8(out.stdout).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn is_there() -> bool {
    let there = Command::new("node").args(["-e", "require(process.env.VALIDATOR || 'gltf-validator')"]).output();
    let there = there.is_ok_and(|out| out.status.success());
    if !there {
        common::skipped("no node with the module gltf-validator (npm install -g gltf-validator; NODE_PATH)");
    }
    there
}

const RUNS: [&[&str]; 8] = [
    &["--normalise"],
    &["--limit", "2"],
    &["--quantise", "u8"],
    &["--quantise", "u16"],
    &["--quantise", "f32", "--normalise"],
    &["--smooth", "1"],
    &["--mirror", "x"],
    &["--rules", "all", "--inverse-binds"],
];

fn nothing_new(old: &Path, new: &Path, what: &str) {
    let reports = validate(&[old.to_owned(), new.to_owned()]).unwrap();
    for (code, count) in &reports[1] {
        let before = reports[0].get(code).copied().unwrap_or(0);
        assert!(*count <= before, "{what}: {code} {count} times, before {before}");
    }
}

#[test]
fn the_validator_finds_nothing_new() {
    if !is_there() {
        return;
    }
    let folder = folder("validated");
    for component in [U8, U16, F32] {
        for layout in LAYOUTS {
            for run in RUNS {
                let doc = Doc::new(&pairs(component, 2, false, 11), layout);
                let clean = String::from_utf8(doc.data_uri()).unwrap();
                // Duplicate keys are an error of their own.
                let clean = clean.replacen(",\"z\":0.10 ", "", 1);
                std::fs::write(folder.join("a.gltf"), clean).unwrap();
                report(&folder, &[&["a.gltf", "-o", "out.gltf"], run].concat());
                nothing_new(
                    &folder.join("a.gltf"),
                    &folder.join("out.gltf"),
                    &format!("{component} {layout:?} {run:?}"),
                );
            }
        }
    }
    for model in models().into_iter().filter(|m| !m.to_string_lossy().contains("malformed")) {
        let out = folder.join("sub").join(format!("out.{}", model.extension().unwrap().to_str().unwrap()));
        for run in RUNS {
            let _absent = std::fs::remove_dir_all(folder.join("sub"));
            std::fs::create_dir(folder.join("sub")).unwrap();
            let told: Value = report(&folder, &[&[model.to_str().unwrap(), "-o", out.to_str().unwrap()], run].concat());
            if told["changed"]["accessors"].as_array().unwrap().is_empty() {
                continue;
            }
            nothing_new(&model, &out, &format!("{} {run:?}", model.display()));
        }
    }
}

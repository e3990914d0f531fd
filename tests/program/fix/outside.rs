//! Other programs read what was written: the Khronos validator, where node has it.

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use crate::common::validator::is_there;
use crate::common::validator::validate;
use crate::fix::made::{Doc, F32, LAYOUTS, Layout, U8, U16, pairs};
use crate::fix::{fix, folder, models, report, said, told};

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

/// What is done to a file, and the files before and after it.
pub struct Written {
    pub what: String,
    pub old: PathBuf,
    pub new: PathBuf,
}

/// The validator finds in no file what it does not find in the file that it was made from.
pub fn nothing_new(written: &[Written]) {
    // So many files that a command line can name them all.
    for written in written.chunks(100) {
        let files: Vec<PathBuf> = written.iter().flat_map(|file| [file.old.clone(), file.new.clone()]).collect();
        let reports = validate(&files).unwrap();
        assert_eq!(reports.len(), files.len());
        for (Written { what, .. }, reports) in written.iter().zip(reports.chunks(2)) {
            for (code, count) in &reports[1] {
                let before = reports[0].get(code).copied().unwrap_or(0);
                assert!(*count <= before, "{what}: {code} {count} times, before {before}");
            }
        }
    }
}

/// What is done to the document of a layout, in a folder of its own.
fn document(folder: &Path, (component, layout): (u32, Layout), run: &[&str]) -> Written {
    let what = format!("{component} {layout:?} {}", run.join(" "));
    let folder = folder.join(&what);
    std::fs::create_dir(&folder).unwrap();
    let doc = Doc::new(&pairs(component, 2, false, 11), layout);
    let clean = String::from_utf8(doc.data_uri()).unwrap();
    // Duplicate keys are an error of their own.
    let clean = clean.replacen(",\"z\":0.10 ", "", 1);
    let [old, new] = ["a.gltf", "out.gltf"].map(|name| folder.join(name));
    std::fs::write(&old, clean).unwrap();
    report(&folder, &[&["a.gltf", "-o", "out.gltf"], run].concat());
    Written { what, old, new }
}

/// What is done to a model, in a folder of its own; `None` where it changes nothing.
fn model(folder: &Path, old: PathBuf, run: &[&str]) -> Option<Written> {
    let [within, name] = [old.parent().unwrap(), &old].map(|path| path.file_name().unwrap().to_string_lossy());
    let what = format!("{within} {name} {}", run.join(" "));
    let folder = folder.join(&what);
    std::fs::create_dir(&folder).unwrap();
    let new = folder.join(format!("out.{}", old.extension().unwrap().to_str().unwrap()));
    let arguments = [&[old.to_str().unwrap(), "-o", new.to_str().unwrap()], run, &["--json"]].concat();
    let out = fix(&folder, &arguments);
    // A model without a plane of symmetry is not mirrored, and one without a skin is not bound.
    if ["no plane of symmetry", "has no skin"].iter().any(|why| said(&out).contains(why)) {
        return None;
    }
    let told: Value = told(&arguments, &out);
    let changes = !told["changed"]["accessors"].as_array().unwrap().is_empty();
    changes.then_some(Written { what, old, new })
}

#[test]
fn the_validator_finds_nothing_new() {
    if !is_there() {
        return;
    }
    let folder = folder("validated");
    let components = [U8, U16, F32].into_iter().cycle();
    // Each layout has two of the operations, each operation two types or three, and each model one operation.
    let layouts = LAYOUTS.into_iter().chain(LAYOUTS).zip(components).zip(RUNS.into_iter().cycle());
    let mut written: Vec<Written> =
        layouts.map(|((layout, component), run)| document(&folder, (component, layout), run)).collect();
    let small = models().into_iter().filter(|m| !is_malformed(m) && std::fs::metadata(m).unwrap().len() < 200_000);
    written.extend(small.zip(RUNS.into_iter().cycle()).filter_map(|(old, run)| model(&folder, old, run)));
    nothing_new(&written);
}

#[test]
#[ignore = "full: eight operations are done to 30 documents and all models"]
fn the_validator_finds_nothing_new_in_any_document_and_model() {
    if !is_there() {
        return;
    }
    let folder = folder("validated all");
    let mut written = Vec::new();
    for component in [U8, U16, F32] {
        for layout in LAYOUTS {
            written.extend(RUNS.map(|run| document(&folder, (component, layout), run)));
        }
    }
    for old in models().into_iter().filter(|m| !is_malformed(m)) {
        written.extend(RUNS.into_iter().filter_map(|run| model(&folder, old.clone(), run)));
    }
    nothing_new(&written);
}

fn is_malformed(model: &Path) -> bool {
    model.to_string_lossy().contains("malformed")
}

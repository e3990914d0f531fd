//! Helpers that several tests share: where the corpus is, and how a test says that it was skipped.

#![expect(dead_code, clippy::panic, reason = "each test file uses a part of this, and may stop its test")]

pub mod methods_index;
pub mod validator;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope::import::{Options, Progress, import_file};
use skinscope::model::Model;

/// Returns a small figure as GLB, with a changed document; node 0 is above its hips, node 2.
pub fn figure(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let file: &[u8] = include_bytes!("../fixtures/figure.glb");
    let length = file.get(12..16).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes) as usize;
    let (text, rest) = file[20..].split_at(length);
    let mut document = serde_json::from_slice(text).unwrap_or_default();
    change(&mut document);
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut out = file[..8].to_vec();
    for word in [20 + text.len() + rest.len(), text.len()] {
        out.extend_from_slice(&(word as u32).to_le_bytes());
    }
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(&text);
    out.extend_from_slice(rest);
    out
}

/// Numbers that are not where the fixture has them end the test.
fn number(value: &serde_json::Value) -> usize {
    value.as_u64().map_or(usize::MAX, |number| number as usize)
}

/// Adds to each index in a list.
pub fn add_to_all(list: &mut serde_json::Value, by: usize) {
    for index in list.as_array_mut().into_iter().flatten() {
        *index = serde_json::json!(number(index) + by);
    }
}

/// Returns the small figure twice in one file, each below a node of its own at one of the places; `change` sees the document at the end.
pub fn two_figures(places: [[f64; 3]; 2], change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    figure(|document| {
        let mut copy = document.clone();
        let count = document["nodes"].as_array().map_or(0, Vec::len);
        for node in copy["nodes"].as_array_mut().into_iter().flatten() {
            node["name"] = format!("{} too", node["name"].as_str().unwrap_or_default()).into();
            if node.get("children").is_some() {
                add_to_all(&mut node["children"], count);
            }
            if node.get("skin").is_some() {
                node["skin"] = 1.into();
            }
        }
        let skin = &mut copy["skins"][0];
        add_to_all(&mut skin["joints"], count);
        skin["skeleton"] = (number(&skin["skeleton"]) + count).into();
        for channel in copy["animations"][0]["channels"].as_array_mut().into_iter().flatten() {
            let node = &mut channel["target"]["node"];
            *node = (number(node) + count).into();
        }
        let mut roots = [document["scenes"][0]["nodes"].clone(), copy["scenes"][0]["nodes"].clone()];
        add_to_all(&mut roots[1], count);
        for of in ["/nodes", "/skins", "/animations/0/channels"] {
            let more = copy.pointer(of).and_then(|list| list.as_array().cloned()).unwrap_or_default();
            let list = document.pointer_mut(of).and_then(serde_json::Value::as_array_mut);
            list.into_iter().for_each(|list| list.extend_from_slice(&more));
        }
        for (place, children) in places.into_iter().zip(roots) {
            let node = serde_json::json!({ "name": format!("Place {}", place[0]), "translation": place, "children": children });
            document["nodes"].as_array_mut().into_iter().for_each(|nodes| nodes.push(node.clone()));
        }
        document["scenes"][0]["nodes"] = serde_json::json!([2 * count, 2 * count + 1]);
        change(document);
    })
}

/// Says that a test was skipped, past the test runner's capture. Where `CI` is `true` nothing may be skipped. The last
/// test of a run (`zz_skipped`) says how many were.
pub fn skipped(what: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "would be skipped, which CI forbids: {what}");
    // Nobody to tell: nothing to do.
    let _unheard = writeln!(std::io::stderr(), "SKIPPED: {what}");
    let test = std::thread::current().name().unwrap_or("main").to_owned();
    let records = records();
    let file = std::fs::create_dir_all(&records)
        .and_then(|()| std::fs::File::options().append(true).create(true).open(records.join(run())));
    // Several packages may have a binary of one name.
    let binary = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_CRATE_NAME"));
    // Written in one piece: tests run side by side.
    let line = format!("{binary}\t{test}\t{}\n", what.replace(['\t', '\n'], " "));
    let _uncounted = file.and_then(|mut file| file.write_all(line.as_bytes()));
}

/// All model files in these folders and in those below them, in order.
pub fn models_in(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// Where it is written down what was skipped: a file for each run of `cargo test`.
pub fn records() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}

/// The name of this run of `cargo test`, the same in all of its test binaries and in no other run: what started them,
/// and when that was started.
pub fn run() -> String {
    #[cfg(unix)]
    {
        let parent = std::os::unix::process::parent_id();
        // The name in brackets may hold spaces; field 22 counts from after it.
        let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).unwrap_or_default();
        let started = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(19));
        format!("{parent}-{}", started.unwrap_or("0"))
    }
    #[cfg(not(unix))]
    "run".to_owned()
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

/// The files in `tests/fixtures` that hold the figure of `figure.glb` in compressed or rounded form.
pub const PACKED_FIGURES: [&str; 9] = [
    "figure_draco_edgebreaker.glb",
    "figure_draco_morph.glb",
    "figure_draco_sequential.glb",
    "figure_draco_valence.glb",
    "figure_gltfpack_ext.glb",
    "figure_gltfpack_khr.glb",
    "figure_meshopt.glb",
    "figure_meshopt_filtered.glb",
    "figure_quantized.glb",
];

/// Imports the file `name` of a corpus.
pub fn open(corpus: &Path, name: &str) -> Arc<Model> {
    let result = import_file(&corpus.join(name), &Options::default(), &Progress::silent());
    result.unwrap_or_else(|error| panic!("{name}: {error}")).model
}

/// Reads a JSON file.
pub fn json<T: for<'a> serde::Deserialize<'a>>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads a file of little-endian floats, as the corpus has its references.
pub fn floats(path: &Path) -> Vec<f32> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

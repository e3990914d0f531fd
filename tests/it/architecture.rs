//! Which crate may depend on which, that the modules of a crate use each other in one direction, and other rules about the code, read
//! from manifests and source texts.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod operations;
mod overlays;
mod session;
mod size;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates of the workspace, each with those of ours that it may depend on. What a crate must never know is what is missing here.
const TABLE: &[(&str, &[&str])] = &[
    ("skinscope_base", &[]),
    ("skinscope_bind", &["base"]),
    ("skinscope_model", &["base"]),
    ("skinscope_import", &["base", "model"]),
    ("skinscope_anim", &["base", "model"]),
    ("skinscope_deform", &["base", "model"]),
    ("skinscope_frame", &["base", "model", "deform"]),
    ("skinscope_inspect", &["base", "model", "anim", "deform", "frame"]),
    ("skinscope_weights", &["base", "model", "deform"]),
    ("skinscope_solve", &["base", "model", "anim", "deform", "weights"]),
    ("skinscope_edit", &["base", "bind", "model", "anim", "deform", "inspect", "weights", "solve"]),
    ("skinscope_paint", &["base", "model", "anim", "deform", "inspect", "weights", "solve", "edit"]),
    ("skinscope_export", &["base", "model", "anim", "deform"]),
    ("skinscope_examples", &["base", "bind", "model", "anim", "deform"]),
    ("skinscope_render", &["base", "model", "deform", "frame"]),
    (
        "skinscope_session",
        &[
            "base", "model", "import", "anim", "deform", "frame", "inspect", "weights", "solve", "edit", "paint",
            "examples",
        ],
    ),
    (
        "skinscope_ui",
        &[
            "base", "model", "import", "anim", "deform", "frame", "inspect", "weights", "edit", "paint", "export",
            "examples", "session",
        ],
    ),
    // It knows the program's library, which has all others under short names, and never its window.
    ("skinscope_python", &[]),
];

/// Crates of others that bring a device, a window or the panels, and the crates of ours that may depend on them; the program may on all.
const FOREIGN: &[(&str, &[&str])] = &[
    ("wgpu", &["skinscope_render"]),
    ("winit", &[]),
    ("egui", &["skinscope_ui"]),
    ("egui-wgpu", &[]),
    ("egui-winit", &[]),
    ("clap", &[]),
    ("faer", &["skinscope_bind"]),
    ("gltf", &["skinscope_import"]),
    ("tar", &["skinscope_import"]),
    ("skinscope", &["skinscope_python"]),
    ("pyo3", &["skinscope_python"]),
    ("numpy", &["skinscope_python"]),
];

/// The root of the repository.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of the sources of all crates, by the crate's name; the program's own is `skinscope`.
fn crates() -> BTreeMap<String, PathBuf> {
    let mut out = BTreeMap::from([("skinscope".to_owned(), repository().join("src"))]);
    for entry in std::fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        out.insert(folder.file_name().unwrap().to_str().unwrap().to_owned(), folder.join("src"));
    }
    out
}

/// The files of all crates, each by its path from the root of the repository.
fn all_sources() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    crates().values().for_each(|folder| sources(folder, &mut files));
    let name = |path: &Path| path.strip_prefix(repository()).unwrap().to_str().unwrap().replace('\\', "/");
    files.into_iter().map(|path| (name(&path), path)).collect()
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The files of a folder and of those in it, except for what is built or installed there.
fn every_file(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            out.push(path);
        } else if !path.ends_with("target") && !path.ends_with("node_modules") {
            every_file(&path, out);
        }
    }
}

/// The names under `[dependencies]` of a manifest; those of tests are left out.
fn dependencies(manifest: &str) -> Vec<&str> {
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next().filter(|name| !name.is_empty())).collect()
}

#[test]
fn every_crate_depends_only_on_what_the_table_allows() {
    let mut named: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    named.push("skinscope");
    named.sort_unstable();
    assert_eq!(crates().into_keys().collect::<Vec<_>>(), named, "the table lists all crates");
    for (name, allowed) in TABLE {
        let manifest = std::fs::read_to_string(repository().join("crates").join(name).join("Cargo.toml")).unwrap();
        let found = dependencies(&manifest);
        assert!(!found.is_empty(), "{name}: is this test still reading manifests?");
        for other in found {
            let fine = match other.strip_prefix("skinscope_") {
                Some(ours) => allowed.contains(&ours),
                None => FOREIGN.iter().all(|(foreign, users)| *foreign != other || users.contains(name)),
            };
            assert!(fine, "{name} depends on {other}, which the table does not allow");
        }
    }
    assert_eq!(
        dependencies("[package]\n\n[dependencies]\na.workspace = true\nb = { path = \"c\" }\n\n[lints]\nd = 1"),
        ["a", "b"]
    );
}

#[test]
fn the_window_does_not_know_the_command_line() {
    let mut files = Vec::new();
    sources(&repository().join("src/app"), &mut files);
    assert!(files.len() > 20);
    for file in files {
        assert!(!std::fs::read_to_string(&file).unwrap().contains("crate::cli"), "{}", file.display());
    }
}

#[test]
fn the_python_package_has_no_window() {
    let manifest = std::fs::read_to_string(repository().join("crates/skinscope_python/Cargo.toml")).unwrap();
    assert!(manifest.contains("skinscope = { path = \"../..\", default-features = false }"), "{manifest}");
}

#[test]
fn only_three_crates_have_unsafe_code() {
    for (name, folder) in crates() {
        let text = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
        let may = ["skinscope_base", "skinscope_deform", "skinscope_python"].contains(&name.as_str());
        assert_eq!(text.contains("#![forbid(unsafe_code)]"), !may, "{name}");
    }
}

/// Packages come by their names through the clients of their registries; lock files and `deny.toml` name hosts, no script
/// does.
#[test]
fn no_script_names_the_host_of_a_registry() {
    // Put together, so that this file is none of those that are found.
    let hosts = [["registry.npmjs", ".org"], ["crates", ".io"], ["pypi", ".org"], ["pythonhosted", ".org"]]
        .map(|parts| parts.concat());
    let mut files = Vec::new();
    for folder in [".ci", "benches", "findings", "packaging", "tests", "docs", "fuzz"] {
        every_file(&repository().join(folder), &mut files);
    }
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        !name.ends_with(".lock") && !name.ends_with("-lock.json")
    });
    assert!(files.len() > 100, "only {} files: is this test still reading them?", files.len());
    assert!(files.iter().any(|file| file.ends_with(".ci/common.sh")), "the scripts of the checks are among them");
    for file in files {
        // What is no text is no script.
        let Ok(text) = String::from_utf8(std::fs::read(&file).unwrap()) else { continue };
        for host in &hosts {
            assert!(!text.contains(host.as_str()), "{} names {host}", file.display());
        }
    }
}

/// `cargo test` leaves out what is ignored; the reason says that it belongs to the full tier, and why it is slow.
#[test]
fn whatever_is_ignored_belongs_to_the_full_tier() {
    let mut files = Vec::new();
    sources(&repository().join("tests"), &mut files);
    files.extend(all_sources().into_iter().map(|(_, path)| path));
    let mut found = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore")) {
            assert!(line.starts_with("#[ignore = \"full: "), "{}: {line}", file.display());
            found += 1;
        }
    }
    assert!(found > 50, "only {found} tests are of the full tier: is this test still reading them?");
}

/// Modules of the crate by path without `src/` and `.rs`, `a/mod.rs` as `a`, each with the modules whose items it names by
/// `crate::`, `super::` or `self::`, tests left out.
fn uses_by_module(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    sources(root, &mut files);
    let texts: BTreeMap<String, String> = files
        .iter()
        .map(|file| {
            let path = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let module = path.strip_suffix(".rs").unwrap();
            (module.strip_suffix("/mod").unwrap_or(module).to_owned(), std::fs::read_to_string(file).unwrap())
        })
        .filter(|(module, _)| !module.contains("/tests") && !module.ends_with("_tests"))
        .collect();
    texts
        .iter()
        .map(|(module, text)| (module.clone(), used_modules(module, text, &|m| texts.contains_key(m))))
        .collect()
}

/// The modules that the text of `module` names. A path leads to the deepest module of it that is one.
fn used_modules(module: &str, text: &str, is_module: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: Vec<&str> = shipped.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n");
    let mut out = BTreeSet::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            for path in leaves(&code[at..]) {
                let mut place: Vec<&str> = module.split('/').collect();
                let mut parts = path.split("::").peekable();
                match parts.next() {
                    Some("crate") => place.clear(),
                    Some("super") => drop(place.pop()),
                    _ => {}
                }
                while parts.next_if_eq(&"super").is_some() {
                    place.pop();
                }
                for part in parts {
                    place.push(part);
                    if !is_module(&place.join("/")) {
                        place.pop();
                        break;
                    }
                }
                let found = place.join("/");
                if found != module && is_module(&found) {
                    out.insert(found);
                }
            }
        }
    }
    out
}

/// Every path of a tree such as `super::{a::b, c::{d, e}}` at the start of a text.
fn leaves(text: &str) -> Vec<String> {
    let word = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let head = &text[..word];
    let Some(list) = text[word..].strip_prefix('{').filter(|_| head.ends_with("::")) else {
        return vec![head.trim_end_matches(':').to_owned()];
    };
    let (mut depth, mut from, mut out) = (1, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && c == ',' {
            let inner = list[from..at].trim();
            if !inner.is_empty() {
                out.extend(leaves(inner).iter().map(|leaf| format!("{head}{leaf}")));
            }
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    out
}

/// Modules that use each other, directly or through others: each such group once. A module and the one that it belongs to
/// may name each other, as Rust's children complete what their parent declares; such a pair is no arrow here.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<String>> {
    let is_within = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('/'));
    let reached = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(module) = open.pop() {
            for next in &uses[module] {
                if !is_within(next, module) && !is_within(module, next) && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = uses.keys().map(|module| (module, reached(module))).collect();
    let mut out: Vec<BTreeSet<String>> = Vec::new();
    for (module, others) in &reached {
        if others.contains(*module) {
            let circle = others.iter().filter(|other| reached[other].contains(*module)).cloned().collect();
            if !out.contains(&circle) {
                out.push(circle);
            }
        }
    }
    out
}

#[test]
fn files_of_a_module_use_each_other_in_one_direction() {
    let mut arrows = 0;
    for (name, folder) in crates() {
        let uses = uses_by_module(&folder);
        arrows += uses.values().map(BTreeSet::len).sum::<usize>();
        let found: Vec<_> = circles(&uses);
        assert!(found.is_empty(), "these modules of {name} use each other: {found:#?}");
    }
    assert!(arrows > 500, "only {arrows} uses were found: is this test still reading them?");
}

#[test]
fn circles_are_seen() {
    let is_module = |m: &str| ["a", "a/b", "a/b/deep", "a/c", "d"].contains(&m);
    let text = "use super::{c::{Thing, other}, X};\n// crate::d\nfn f() { crate::a::b::deep::g(); self::h() }\n#[cfg(test)]\nmod tests { use crate::d; }";
    assert_eq!(used_modules("a/b", text, &is_module), BTreeSet::from(["a", "a/b/deep", "a/c"].map(str::to_owned)));
    let uses = |pairs: &[(&str, &[&str])]| {
        pairs.iter().map(|(m, uses)| ((*m).to_owned(), uses.iter().map(|u| (*u).to_owned()).collect())).collect()
    };
    let circle = uses(&[("a", &["a/b"]), ("a/b", &["a", "a/c"]), ("a/c", &["d"]), ("d", &["a/b"])]);
    assert_eq!(circles(&circle), [BTreeSet::from(["a/b", "a/c", "d"].map(str::to_owned))]);
    assert!(circles(&uses(&[("a", &["a/b"]), ("a/b", &["a", "a/c"]), ("a/c", &["d"]), ("d", &[])])).is_empty());
}

/// What writes, moves or removes a file, or ends the program where standard error is closed.
const WRITES: [&str; 14] = [
    "File::create",
    "fs::write",
    "OpenOptions",
    "File::options",
    "fs::rename",
    "fs::copy",
    "fs::remove_",
    "fs::hard_link",
    "symlink(",
    ".set_len(",
    ".set_permissions(",
    "eprint!",
    "eprintln!",
    "println!",
];

/// Lines of the program itself that write in a way of their own; tests are left out.
fn writing_lines(text: &str) -> Vec<&str> {
    let shipped = text.split("#[cfg(test)]\nmod").next().unwrap();
    let code = shipped.lines().filter(|l| !l.trim_start().starts_with("//"));
    // Whole words: `NewFile::create` is the way that is wanted, and `is_symlink` asks and writes nothing.
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let names = |line: &str, needle: &str| {
        line.match_indices(needle)
            .any(|(at, _)| !needle.starts_with(char::is_alphabetic) || !line[..at].ends_with(is_of_word))
    };
    code.filter(|line| WRITES.iter().any(|needle| names(line, needle))).collect()
}

#[test]
fn files_and_standard_error_are_written_in_one_module() {
    let mut own = 0;
    for (path, file) in all_sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let found = writing_lines(&text);
        if path.starts_with("crates/skinscope_base/src/output/") {
            own += found.len();
        } else if !path.contains("/tests/") && !path.ends_with("_tests.rs") && !path.ends_with("tests.rs") {
            assert!(found.is_empty(), "{path} writes past skinscope_base::output: {found:?}");
        }
    }
    assert!(own > 5, "only {own} lines of skinscope_base::output write: is this test still reading them?");
    assert_eq!(
        writing_lines(
            "// File::create\n    NewFile::create(a)\n    std::fs::write(a, b);\n#[cfg(test)]\nmod tests { fs::copy }"
        ),
        ["    std::fs::write(a, b);"]
    );
}

/// Such an example would have to be compiled and run, and `Cargo.toml` turns that off.
#[test]
fn documentation_has_no_example_that_would_be_run() {
    for (_, file) in all_sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut open = false;
        for line in text.lines().map(str::trim_start).filter(|l| l.starts_with("///") || l.starts_with("//!")) {
            let Some(kind) = line[3..].trim_start().strip_prefix("```") else { continue };
            assert!(open || kind == "text", "{}: {line}", file.display());
            open = !open;
        }
    }
}

/// The files that may wait for the graphics device, what they call for it, and why no frame of a window waits there.
const WAITS: &[(&str, &str, &str)] = &[
    (
        "crates/skinscope_render/src/gpu.rs",
        "self.device.poll(until)",
        "the one place; on the thread that draws a window it only looks",
    ),
    ("crates/skinscope_render/src/gpu.rs", "self.wait_for(None)", "asks the same place"),
    ("crates/skinscope_render/src/texture.rs", "gpu.wait()?", "many textures, by the same place"),
    (
        "crates/skinscope_render/src/palette_timer.rs",
        "gpu.wait()?",
        "times what the device does, on a thread beside the window, by the same place",
    ),
    (
        "crates/skinscope_render/src/root_timer.rs",
        "gpu.wait()?",
        "times what the device does, on a thread beside the window, by the same place",
    ),
    (
        "crates/skinscope_render/src/environment.rs",
        "gpu.wait_for(Some(submitted))",
        "an environment is filtered step by step, on a thread beside the window, by the same place",
    ),
    (
        "crates/skinscope_render/src/texture_upload.rs",
        "gpu.wait()",
        "a texture of a software device goes there piece by piece, by the same place",
    ),
    (
        "crates/skinscope_render/src/shadow/mod.rs",
        "gpu.wait()",
        "depths of shadows that the processor draws go to it row by row, by the same place",
    ),
    (
        "crates/skinscope_render/src/software/portions.rs",
        "gpu.wait_for(Some(last))",
        "a picture in memory, by the same place",
    ),
    (
        "crates/skinscope_render/src/headless.rs",
        "gpu.device.poll(wgpu::PollType::wait_indefinitely())",
        "reads a picture or vertices back into memory",
    ),
    ("src/app/window/screen.rs", "self.gpu.device.poll(wgpu::PollType::Poll)", "only looks"),
    ("crates/skinscope_render/src/device_clock.rs", "gpu.device.poll(wgpu::PollType::Poll)", "only looks"),
];

#[test]
fn nothing_waits_for_the_graphics_device_outside_of_named_places() {
    let draws = ["crates/skinscope_render/", "crates/skinscope_ui/", "src/app/"];
    let mut seen = BTreeSet::new();
    for (path, file) in
        all_sources().into_iter().filter(|(path, _)| draws.iter().any(|folder| path.starts_with(folder)))
    {
        let text = std::fs::read_to_string(&file).unwrap();
        let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in shipped.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let waits = [".poll(", "pu.wait()", "self.wait()", ".wait_for(", "wait_indefinitely", "PollType::Wait"];
            if !waits.iter().any(|call| code.contains(call))
                || code.contains("fn ")
                || code.contains("PollType::Wait {")
            {
                continue;
            }
            let row = WAITS.iter().position(|(at, call, _)| *at == path && code.contains(call));
            assert!(row.is_some(), "{path}:{}: waits for the device: {line}", number + 1);
            seen.extend(row);
        }
    }
    assert_eq!(seen.len(), WAITS.len(), "a place in the list is gone");
}

/// The device is opened without the shaders that check indirect draws, so there may be none (`gpu.rs` of `skinscope_render`).
#[test]
fn nothing_is_drawn_indirectly() {
    let paths = all_sources();
    assert!(paths.len() > 100);
    for (_, path) in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        for call in ["draw_indirect(", "draw_indexed_indirect(", "dispatch_workgroups_indirect("] {
            assert!(!text.contains(call), "{}: {call}…) is unchecked", path.display());
        }
    }
}

/// Every step of the walks in ARCHITECTURE.md names a function that its file has.
#[test]
fn walks_name_functions_that_are_there() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let walks = page.split_once("## Three walks").unwrap().1.split_once("\n## ").unwrap().0;
    let steps: Vec<Vec<&str>> = walks.split("\n### ").skip(1).map(|walk| walk.lines().skip(4).collect()).collect();
    assert_eq!(steps.len(), 3);
    for walk in steps {
        let rows: Vec<&str> = walk.into_iter().take_while(|line| line.starts_with('|')).collect();
        assert!((8..=12).contains(&rows.len()), "{} steps", rows.len());
        for row in rows {
            let [.., name, _, file, _] = row.split('`').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let text = std::fs::read_to_string(repository().join(file)).unwrap();
            assert!(text.contains(&format!("fn {name}(")), "{file} has no function {name}: {row}");
        }
    }
}

//! Which module may import which (the table in `src/lib.rs`), read from the source text, and other rules about the code.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The top-level modules (and the panels of the window), each with those that it may use.
const TABLE: &[(&str, &[&str])] = &[
    ("parallel", &[]),
    ("output", &[]),
    ("math", &[]),
    ("model", &["math"]),
    ("import", &["parallel", "math", "model"]),
    ("anim", &["math", "model"]),
    ("deform", &["parallel", "math", "model"]),
    ("export", &["math", "model", "anim", "deform"]),
    ("inspect", &["parallel", "math", "model", "import", "anim", "deform"]),
    ("edit", &["parallel", "math", "model", "anim", "inspect"]),
    ("compare", &["math", "model", "anim", "deform"]),
    ("writeback", &["output", "model", "edit"]),
    ("pose", &["math", "model", "anim"]),
    ("examples", &["parallel", "math", "model", "anim", "deform", "inspect", "pose"]),
    ("session", &["parallel", "math", "model", "import", "anim", "deform", "inspect", "pose", "edit", "examples"]),
    ("frame", &["math", "model", "anim", "deform", "inspect", "examples", "session"]),
    ("render", &["parallel", "math", "model", "anim", "deform", "frame"]),
    ("film", &["parallel", "output", "math", "export"]),
    ("app/ui", PANELS),
    ("app", WINDOW),
    ("cli", EVERYTHING),
];

/// Every module that others may use, those that fewer may use first.
const EVERYTHING: &[&str] = &[
    "app",
    "film",
    "render",
    "writeback",
    "compare",
    "export",
    "parallel",
    "output",
    "math",
    "model",
    "import",
    "anim",
    "deform",
    "inspect",
    "edit",
    "pose",
    "examples",
    "session",
    "frame",
];

/// What the window may use.
const WINDOW: &[&str] = EVERYTHING.split_at(1).1;

/// What panels may use: nothing that draws, writes or compares files.
const PANELS: &[&str] = EVERYTHING.split_at(6).1;

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

/// The top-level modules that a text names after `crate::`, tests left out.
fn named_modules(text: &str) -> Vec<String> {
    let shipped = text.split("#[cfg(test)]").next().unwrap();
    let code = shipped.lines().filter(|l| !l.trim_start().starts_with("//"));
    let mut modules = Vec::new();
    for line in code {
        for rest in line.split("crate::").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            assert!(!name.is_empty(), "`use crate::{{…}}` hides its modules from this test: {line}");
            modules.push(name);
        }
    }
    modules
}

fn row_of(path: &str) -> Option<&'static (&'static str, &'static [&'static str])> {
    let inside = |owner: &str| path.strip_prefix(owner).is_some_and(|rest| rest.starts_with(['/', '.']));
    TABLE.iter().find(|(owner, _)| inside(owner))
}

#[test]
fn every_module_imports_only_what_the_table_allows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut checked = 0;
    for file in files {
        let path = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        // Tests may look at what later modules make of a result.
        if path == "lib.rs" || path == "main.rs" || path.contains("/tests/") {
            continue;
        }
        let Some((owner, allowed)) = row_of(&path) else { panic!("{path} belongs to no module of the table") };
        let own = owner.split('/').next().unwrap();
        for named in named_modules(&std::fs::read_to_string(&file).unwrap()) {
            let fine = named == own || allowed.contains(&named.as_str());
            assert!(fine, "src/{path} imports `{named}`, which `{owner}` may not");
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} imports were found: is this test still reading them?");
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
    let uses = uses_by_module(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let arrows: usize = uses.values().map(BTreeSet::len).sum();
    assert!(arrows > 500, "only {arrows} uses were found: is this test still reading them?");
    let found: Vec<_> = circles(&uses);
    assert!(found.is_empty(), "these modules use each other: {found:#?}");
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
    // Whole words: `NewFile::create` is the way that is wanted.
    let names = |line: &str, needle: &str| {
        line.match_indices(needle)
            .any(|(at, _)| !needle.starts_with(char::is_alphabetic) || !line[..at].ends_with(char::is_alphanumeric))
    };
    code.filter(|line| WRITES.iter().any(|needle| names(line, needle))).collect()
}

#[test]
fn files_and_standard_error_are_written_in_one_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut own = 0;
    for file in files {
        let path = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        let found = writing_lines(&text);
        if path.starts_with("output/") {
            own += found.len();
        } else if !path.contains("/tests/") && !path.ends_with("_tests.rs") && !path.ends_with("tests.rs") {
            assert!(found.is_empty(), "src/{path} writes past src/output: {found:?}");
        }
    }
    assert!(own > 5, "only {own} lines of src/output write: is this test still reading them?");
    assert_eq!(
        writing_lines(
            "// File::create\n    NewFile::create(a)\n    std::fs::write(a, b);\n#[cfg(test)]\nmod tests { fs::copy }"
        ),
        ["    std::fs::write(a, b);"]
    );
}

#[test]
fn wrong_arrows_are_seen() {
    assert_eq!(named_modules("use crate::session::Session;\n// crate::app\n"), ["session"]);
    assert_eq!(row_of("app/ui/theme.rs").unwrap().0, "app/ui");
    assert_eq!(row_of("frame/build.rs").unwrap().0, "frame");
    assert!(!row_of("render/gpu.rs").unwrap().1.contains(&"session"));
    assert!(row_of("unknown/file.rs").is_none());
}

/// Such an example would have to be compiled and run, and `Cargo.toml` turns that off.
#[test]
fn documentation_has_no_example_that_would_be_run() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    for file in files {
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
    ("render/gpu.rs", "self.device.poll(until)", "the one place; on the thread that draws a window it only looks"),
    ("render/gpu.rs", "self.wait_for(None)", "asks the same place"),
    ("render/gpu.rs", "self.wait()?", "large buffers on a software device, by the same place"),
    ("render/texture.rs", "gpu.wait()?", "many textures, by the same place"),
    (
        "render/palette_timer.rs",
        "gpu.wait()?",
        "times what the device does, on a thread beside the window, by the same place",
    ),
    ("render/texture_upload.rs", "gpu.wait()?", "large textures on a software device, by the same place"),
    ("render/software/portions.rs", "gpu.wait_for(Some(last))", "a picture in memory, by the same place"),
    (
        "render/headless.rs",
        "gpu.device.poll(wgpu::PollType::wait_indefinitely())",
        "reads a picture or vertices back into memory",
    ),
    ("app/screen.rs", "self.gpu.device.poll(wgpu::PollType::Poll)", "only looks"),
];

#[test]
fn nothing_waits_for_the_graphics_device_outside_of_named_places() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut seen = BTreeSet::new();
    for file in files.iter().filter(|file| file.starts_with(root.join("render")) || file.starts_with(root.join("app")))
    {
        let path = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let text = std::fs::read_to_string(file).unwrap();
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
            assert!(row.is_some(), "src/{path}:{}: waits for the device: {line}", number + 1);
            seen.extend(row);
        }
    }
    assert_eq!(seen.len(), WAITS.len(), "a place in the list is gone");
}

/// The device is opened without the shaders that check indirect draws, so there may be none (`render/gpu.rs`).
#[test]
fn nothing_is_drawn_indirectly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    sources(&root.join("src"), &mut paths);
    assert!(paths.len() > 100);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        for call in ["draw_indirect(", "draw_indexed_indirect(", "dispatch_workgroups_indirect("] {
            assert!(!text.contains(call), "{}: {call}…) is unchecked", path.display());
        }
    }
}

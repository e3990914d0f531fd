//! What is told apart by rule is a field of the rule's row, so that a new rule needs no other place.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::path::{Path, PathBuf};

use skinscope::inspect::check::RULES;
use skinscope::inspect::rom::ROM_RULES;

/// The folders that are looked through.
const FOLDERS: [&str; 4] =
    ["crates/skinscope_inspect/src", "crates/skinscope_session/src", "crates/skinscope_ui/src", "src/cli"];

/// The files that hold a word that is a rule's id, a part of a line of each, and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("crates/skinscope_inspect/src/check/asymmetry.rs", "overlay: Some(", "the overlay of the same name"),
    ("crates/skinscope_ui/src/card.rs", "view().overlay", "the overlay of the same name"),
    ("crates/skinscope_ui/src/tables/text.rs", "ColumnKind::Asymmetry", "the column of the same name"),
];

/// The files below a folder, without those of tests alone.
fn shipped(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            shipped(&path, out);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

#[test]
fn a_rule_is_named_by_its_row_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ids = RULES.iter().map(|rule| rule.id).chain(ROM_RULES.iter().map(|rule| rule.id));
    let words: Vec<String> = ids.map(|id| format!("\"{id}\"")).collect();
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| shipped(&root.join(folder), &mut files));
    assert!(files.len() > 100);
    let mut is_met = vec![false; ALLOWED.len()];
    for file in files {
        let path = file.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let is_named = words.iter().any(|word| code.contains(word.as_str())) || code.contains("\"rom-");
            let is_told_apart = code.contains("match finding.rule {") || code.contains(".rule == \"");
            if code.trim_start().starts_with("id: \"") || !(is_named || is_told_apart) {
                continue;
            }
            let row = ALLOWED.iter().position(|(at, part, _)| *at == path && code.contains(*part));
            assert!(row.is_some(), "{path}:{}: a rule is told apart by its id: {line}", number + 1);
            row.into_iter().for_each(|row| is_met[row] = true);
        }
    }
    assert!(is_met.iter().all(|is| *is), "a place in the list is gone");
}

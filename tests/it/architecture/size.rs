//! How large the program is: its lines, what its libraries offer for nobody, and the methods of the window's state. Each has a ceiling,
//! which is what was reached, so that everyone counts alike and what went does not come back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{all_sources, repository, sources};

/// What the program may have at the most. Whoever needs more lets something go.
const MOST_LINES: usize = 201_500;
/// How many public items of libraries may be named by no other crate, by no test, bench or example.
const MOST_LONELY: usize = 100;
/// How many methods `App` may have. What needs one or two of its parts is a function of these parts.
const MOST_METHODS: usize = 89;

/// Whether a file has tests alone: it stands in a folder `tests`, or its name says so.
fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.rsplit('/').next().unwrap().contains("test")
}

/// The lines of a file but for what stands behind `#[cfg(test)]`: a module to the end of the file, anything else to its own end.
fn production_lines(text: &str) -> Vec<&str> {
    let (mut out, mut lines) = (Vec::new(), text.lines().peekable());
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            out.push(line);
            continue;
        }
        while lines.next_if(|l| l.trim_start().starts_with("#[")).is_some() {}
        let Some(first) = lines.next() else { break };
        if first.ends_with([';', ',']) {
            continue;
        }
        if first.split_whitespace().any(|word| word == "mod") {
            break;
        }
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        for inner in lines.by_ref() {
            if inner.starts_with(&end) {
                break;
            }
        }
    }
    out
}

/// The words of code, without those of comments, strings and characters.
fn words(code: &str) -> BTreeSet<&str> {
    let (mut out, mut rest) = (BTreeSet::new(), code);
    while let Some(c) = rest.chars().next() {
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())];
        let after = &rest[word.len()..];
        let hashes = after.len() - after.trim_start_matches('#').len();
        let past = |text: &str, end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
        let taken = if ["r", "br", "cr"].contains(&word) && after[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            word.len() + hashes + 1 + past(&after[hashes + 1..], &end)
        } else if !word.is_empty() {
            out.insert(word);
            word.len()
        } else if rest.starts_with("//") {
            past(rest, "\n")
        } else if rest.starts_with("/*") {
            past(rest, "*/")
        } else if c == '"' {
            let mut escaped = false;
            let closes = |c: char| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes
            };
            rest[1..].find(closes).map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("'\\") {
            3 + past(&rest[3..], "'")
        } else if c == '\'' && rest.chars().nth(2) == Some('\'') {
            rest.chars().take(3).map(char::len_utf8).sum()
        } else {
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    out
}

/// The name of the item that a line declares for other crates: no field, no `pub(crate)`, no `pub use`.
fn public_item(line: &str) -> Option<&str> {
    const KINDS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "static", "const", "mod"];
    let mut rest = line.trim_start().strip_prefix("pub ")?;
    let mut is_item = false;
    while let Some((word, after)) = rest.split_once(' ') {
        let is_kind = KINDS.contains(&word);
        if !is_kind && !["async", "unsafe"].contains(&word) {
            break;
        }
        is_item |= is_kind;
        rest = after;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| is_item && !name.is_empty())
}

#[test]
fn the_program_is_no_longer_than_was_agreed() {
    let mut lines = 0;
    for (_, file) in all_sources().into_iter().filter(|(path, _)| !is_test_file(path)) {
        lines += production_lines(&std::fs::read_to_string(file).unwrap()).len();
    }
    assert!(lines <= MOST_LINES, "{lines} lines: what goes for those that came?");
    assert!(lines + 2000 > MOST_LINES, "{lines} lines: lower MOST_LINES, so that they do not come back");
    let text = "a\n#[cfg(test)]\n#[path = \"b\"]\nmod b;\nc\n    #[cfg(test)]\n    fn d() {\n        e\n    }\nf\n#[cfg(test)]\nmod tests {\n}\n";
    assert_eq!(production_lines(text), ["a", "c", "f"]);
}

#[test]
fn few_public_items_are_named_by_no_other_crate() {
    let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    let texts: Vec<(String, String)> = all_sources().into_iter().map(|(path, file)| (path, read(&file))).collect();
    let mut outside = Vec::new();
    ["tests", "benches", "examples", "fuzz/fuzz_targets"]
        .iter()
        .for_each(|folder| sources(&repository().join(folder), &mut outside));
    let outside: Vec<String> = outside.iter().map(read).collect();
    let owner = |path: &str| path.strip_prefix("crates/").map_or("", |rest| rest.split('/').next().unwrap()).to_owned();
    let mut named: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let all = texts
        .iter()
        .map(|(path, text)| (owner(path), text))
        .chain(outside.iter().map(|text| ("outside".to_owned(), text)));
    for (owner, text) in all {
        for word in words(text) {
            named.entry(word).or_default().insert(owner.clone());
        }
    }
    let mut lonely = Vec::new();
    for (path, text) in texts.iter().filter(|(path, _)| path.starts_with("crates/") && !is_test_file(path)) {
        let others = |name: &&str| !named.get(name).is_some_and(|users| users.iter().any(|user| *user != owner(path)));
        let names = production_lines(text).into_iter().filter_map(public_item).filter(others);
        lonely.extend(names.map(|name| format!("{path}: {name}")));
    }
    assert!(lonely.len() <= MOST_LONELY, "{} items are public for nobody: {lonely:#?}", lonely.len());
    assert_eq!(
        ["pub const fn a(b: C)", "    pub static D: E", "pub(crate) fn f()", "pub use g;", "pub h: I,"]
            .map(public_item),
        [Some("a"), Some("D"), None, None, None]
    );
    assert_eq!(words("a'b' \"c\\\"d\" r#\"e\"f\"# /* g */ h // i\n'j k"), ["a", "h", "j", "k"].into());
}

/// The methods of `App` that a file declares.
fn methods_of_app(lines: &[&str]) -> usize {
    let mut is_of_app = false;
    let is_method = |line: &&&str| {
        is_of_app = **line == "impl App {" || is_of_app && **line != "}";
        let name = line
            .strip_prefix("    ")
            .map(|rest| rest.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) "));
        is_of_app && name.is_some_and(|rest| rest.starts_with("fn "))
    };
    lines.iter().filter(is_method).count()
}

#[test]
fn the_state_of_the_window_has_few_methods() {
    let files = all_sources().into_iter().filter(|(path, _)| path.starts_with("src/app/") && !is_test_file(path));
    let methods = |file: PathBuf| methods_of_app(&production_lines(&std::fs::read_to_string(file).unwrap()));
    let found: usize = files.map(|(_, file)| methods(file)).sum();
    assert!(found <= MOST_METHODS, "{found} methods of App: which of its parts do the new ones belong to?");
    assert!(found > 50, "only {found} methods: is this test still reading them?");
    let text = [
        "impl App {",
        "    fn a(&self) {",
        "        fn b() {}",
        "    pub(super) fn c() {",
        "}",
        "impl Other {",
        "    fn d() {",
    ];
    assert_eq!(methods_of_app(&text), 2);
}

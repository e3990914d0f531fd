//! No code tells operations on weights apart by their ids: what differs is in their rows.

use skinscope::edit::OPERATIONS;

use super::all_sources;

/// Where a word that is the id of an operation may stand outside of its row: the end of the path, the words, and why.
const MAY: &[(&str, &[&str], &str)] = &[
    ("src/cli/bind.rs", &["rules"], "a key of JSON"),
    ("src/cli/bind_from.rs", &["smooth", "set"], "arguments of another command"),
    ("src/cli/mod.rs", &["limit"], "a word that is shown"),
    ("src/cli/program.rs", &["bind"], "the name of a command"),
    ("src/cli/check/gates.rs", &["limit"], "a key of JSON"),
    ("crates/skinscope_session/src/files/words.rs", &["bind"], "a word for a pose"),
    ("src/cli/check/mod.rs", &["limit"], "an argument of another command"),
    ("crates/skinscope_session/src/menus/paint_menu.rs", &["smooth", "average"], "the letter of a brush"),
    ("src/cli/check/sarif.rs", &["rules"], "a key of JSON"),
    ("src/cli/check/lines.rs", &["rules"], "a key of JSON"),
    ("src/cli/clip.rs", &["mirror"], "an argument of another command"),
    ("src/cli/look.rs", &["limit"], "an argument of other commands"),
    ("src/cli/pose_steps.rs", &["mirror"], "an argument of another command"),
    ("crates/skinscope_ui/src/paint/pictures.rs", &["smooth", "average"], "the picture of a brush"),
    ("crates/skinscope_ui/src/manual.rs", &["bind", "solve"], "pages of the manual"),
    ("crates/skinscope_ui/src/rules.rs", &["limit"], "a name of a part of a panel"),
    ("crates/skinscope_ui/src/tools/settings.rs", &["rules"], "the plural of a word that is shown"),
];

/// Ways to ask which operation it is. A search in the table for the operation with a given id ends in `== id`.
const ASKS: [&str; 5] =
    ["operation.id == ", "operation.id != ", "operation.id {", "contains(&operation.id)", "eq(operation, &"];

/// Returns what tells operations apart in a line of code: the words of `ids` that it has as texts, and the ways to ask.
fn telling<'a>(line: &str, ids: &[&'a str]) -> Vec<&'a str> {
    let code = line.split("//").next().unwrap_or_default().trim();
    if code.starts_with("id: \"") {
        return Vec::new();
    }
    let texts = ids.iter().copied().filter(|id| code.contains(&format!("\"{id}\"")));
    let asks = ASKS.into_iter().filter(|ask| {
        code.match_indices(*ask).any(|(at, _)| {
            let after = &code[at + ask.len()..];
            let is_search = after == "id" || after.starts_with("id)") || after.starts_with("*id)");
            !is_search
        })
    });
    texts.chain(asks).collect()
}

#[test]
fn no_code_tells_operations_apart_by_their_ids() {
    let ids: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).collect();
    let folders = ["crates/skinscope_edit/", "crates/skinscope_session/", "crates/skinscope_ui/", "src/"];
    let mut rows = 0;
    for (path, file) in all_sources() {
        let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
        if is_test || !folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let may = MAY.iter().find(|(at, ..)| *at == path).map_or(&[][..], |(_, words, _)| *words);
        let text = std::fs::read_to_string(&file).unwrap();
        let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in shipped.lines().enumerate() {
            rows +=
                usize::from(path.starts_with("crates/skinscope_edit/") && line.ends_with(": Operation = Operation {"));
            let mut found = telling(line, &ids);
            found.retain(|what| !may.contains(what));
            assert!(found.is_empty(), "{path}:{}: {found:?} tells operations apart: {line}", number + 1);
        }
    }
    assert_eq!(rows, OPERATIONS.len(), "is this test still reading the rows?");
}

#[test]
fn code_that_tells_operations_apart_is_seen() {
    let ids = ["limit", "set"];
    let cases: [(&str, &[&str]); 10] = [
        ("    id: \"limit\",", &[]),
        ("    /// \"limit\" is one", &[]),
        ("    \"set\" => 1,", &["set"]),
        ("    if operation.id == \"limit\" {", &["limit", "operation.id == "]),
        ("    if BY_JOINT.contains(&operation.id) {", &["contains(&operation.id)"]),
        ("    \"unlimited\" => 1,", &[]),
        ("    match task.operation.id {", &["operation.id {"]),
        ("    match operation.id {", &["operation.id {"]),
        ("    all.find(|operation| operation.id == id)", &[]),
        ("    std::ptr::eq(operation, &BIND_HERE)", &["eq(operation, &"]),
    ];
    for (line, found) in cases {
        assert_eq!(telling(line, &ids), found, "{line}");
    }
}

//! What a function of the session can touch is said by what it takes: few functions take all of it, and few files touch the fields of many
//! of its parts.

use std::collections::BTreeSet;

use super::all_sources;

/// The most functions that take a whole session. Its own methods are not among them. One that would be more takes the parts that it needs, or
/// a type that borrows them (`borrowed.rs`).
const MOST_WHOLE: usize = 40;

/// The files that touch the fields of so many parts of a session as others may not ([`MANY`]), and why.
const WIDE: &[(&str, &str)] = &[
    ("borrowed.rs", "says which type that is borrowed from a session sees which parts"),
    ("document/opening.rs", "another model takes the place of the one that is open"),
    ("files/restore.rs", "a session file describes all parts"),
    ("gesture.rs", "a gesture that is given up puts all parts back"),
    ("lib.rs", "has the parts, and shows them"),
    ("work.rs", "results of work go to the parts that they are of"),
    ("weights/reshaping.rs", "a shape is of the drawn pose and method, is a step, and controls name it"),
    ("weights/bindings.rs", "all that names nodes and vertices follows a model whose meshes have gained skins"),
];

/// No file but those of [`WIDE`] touches the fields of so many parts.
const MANY: usize = 4;

/// Whether a name may have such a character.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the code of a file without comments and tests.
fn code_of(text: &str) -> String {
    let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    shipped.lines().map(|line| line.split("//").next().unwrap().to_owned() + "\n").collect()
}

/// Returns the part of a text from its first opening bracket to the one that closes it.
fn bracketed(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Returns whether the parameters of a function have one that is a reference to a session.
fn has_session(parameters: &str) -> bool {
    parameters.match_indices("Session").any(|(at, name)| {
        let before = parameters[..at].trim_end();
        let before = before.strip_suffix("mut").unwrap_or(before).trim_end();
        let last = before.rsplit([' ', '&']).next().unwrap();
        let before = if last.starts_with('\'') { before.strip_suffix(last).unwrap().trim_end() } else { before };
        let is_reference = before.strip_suffix('&').is_some_and(|before| before.trim_end().ends_with(':'));
        is_reference && !parameters[at + name.len()..].starts_with(is_of_name)
    })
}

/// Returns the names of the functions in a code that take a whole session.
fn taking_whole(code: &str) -> Vec<&str> {
    let functions = code.match_indices("fn ").filter(|(at, _)| *at == 0 || code[..*at].ends_with([' ', '\n']));
    let names = functions.filter_map(|(at, word)| {
        let function = &code[at + word.len()..];
        let name = &function[..function.find(|c: char| !is_of_name(c))?];
        has_session(bracketed(function)).then_some(name)
    });
    names.collect()
}

/// Returns which of `parts` a code touches of what is called `name`.
fn touched<'p>(code: &str, name: &str, parts: &[&'p str]) -> BTreeSet<&'p str> {
    let code = code.lines().map(str::trim).collect::<Vec<_>>().join(" ").replace(" .", ".");
    let name = format!("{name}.");
    let mut out = BTreeSet::new();
    for (at, _) in code.match_indices(&name) {
        let after = &code[at + name.len()..];
        let is_it = |part: &&&str| {
            after.strip_prefix(**part).is_some_and(|rest| !rest.starts_with(is_of_name) && !rest.starts_with('('))
        };
        if !code[..at].ends_with(is_of_name) {
            out.extend(parts.iter().find(is_it));
        }
    }
    out
}

/// Returns which of `parts` a file touches: of sessions, and in methods of one its own.
fn touched_by<'p>(code: &str, parts: &[&'p str]) -> BTreeSet<&'p str> {
    let mut out = touched(code, "session", parts);
    for methods in code.split("\nimpl Session {\n").skip(1) {
        out.extend(touched(methods.split("\n}\n").next().unwrap(), "self", parts));
    }
    out
}

#[test]
fn few_functions_take_a_whole_session_and_few_files_touch_many_of_its_parts() {
    let folder = "crates/skinscope_session/src/";
    let files: Vec<(String, String)> = all_sources()
        .into_iter()
        .filter_map(|(path, file)| Some((path.strip_prefix(folder)?.to_owned(), file)))
        .filter(|(path, _)| !path.starts_with("tests/") && !path.ends_with("tests.rs"))
        .map(|(path, file)| (path, code_of(&std::fs::read_to_string(file).unwrap())))
        .collect();
    let lib = &files.iter().find(|(path, _)| path == "lib.rs").unwrap().1;
    let fields = lib.split_once("pub struct Session {\n").unwrap().1.split_once("\n}").unwrap().0;
    let fields = fields.lines().filter_map(|line| Some(line.trim().split_once(':')?.0));
    // Whether work is deferred is a setting, and no part.
    let parts: Vec<&str> = fields.filter(|field| *field != "defers_work").collect();
    assert!(parts.len() > 15 && parts.contains(&"before_finding"), "is this test still reading the parts? {parts:?}");

    let count = |code: &str| taking_whole(code).len();
    let whole: Vec<(usize, &str)> =
        files.iter().map(|(path, code)| (count(code), path.as_str())).filter(|(count, _)| *count > 0).collect();
    let all: usize = whole.iter().map(|(count, _)| count).sum();
    assert!(all > 10, "only {all} functions were found: is this test still reading them?");
    assert!(all <= MOST_WHOLE, "{all} functions take a whole session: {whole:?}");

    let mut wide: Vec<&str> = Vec::new();
    for (path, code) in &files {
        let of = touched_by(code, &parts);
        let may = WIDE.iter().any(|(wide, _)| wide == path);
        assert!(may || of.len() < MANY, "{path} touches the fields of {} parts: {of:?}", of.len());
        wide.extend(Some(path.as_str()).filter(|_| of.len() >= MANY));
    }
    assert_eq!(wide.len(), WIDE.len(), "a file of the list touches fewer parts by now: {wide:?}");
}

#[test]
fn functions_that_take_a_session_and_fields_that_are_touched_are_seen() {
    let code = code_of(
        "fn one(session: &mut Session, a: u32) {}\npub(crate) fn two<'a>(\n    a: u32,\n    session: &'a mut Session,\n) {}\n\
         fn three(build: impl Fn(&Session), file: &SessionFile) {} // fn no(session: &Session)\n\
         impl A { fn four(self, session: &Session) -> B {} }\nfn five(session: Session) {}\n\
         #[cfg(test)]\nmod tests { fn six(session: &Session) {} }",
    );
    assert_eq!(taking_whole(&code), ["one", "two", "four"]);
    let parts = ["view", "view_history", "pose", "edits"];
    let code = "fn f() {\n    session.view_history.add();\n    session\n        .pose\n        .update();\n    session.view().x;\n}\n\
                impl A {\n    fn g(&self) { self.view }\n}\n\nimpl Session {\n    fn h(&self) { &self.edits }\n}\n\
                fn i() { my_session.view }\n";
    assert_eq!(touched_by(code, &parts), BTreeSet::from(["edits", "pose", "view_history"]));
}

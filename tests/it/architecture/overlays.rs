//! No code tells apart whose numbers an overlay shows: each way to come to them is a row of one table.

use super::all_sources;

/// The file with the table of the functions that give numbers.
const TABLE: &str = "crates/skinscope_session/src/frame/values/mod.rs";

/// Ways to ask who gives the numbers of an overlay. The rows of overlays, in the crate `frame`, say it.
const ASKS: [&str; 4] = ["VertexValues::", "VertexValues {", ".source == \"", "match overlay.values"];

/// Returns which of these ways a line of code has.
fn asking(line: &str) -> Vec<&'static str> {
    let code = line.split("//").next().unwrap();
    ASKS.into_iter().filter(|ask| code.contains(ask)).collect()
}

#[test]
fn no_code_asks_who_gives_the_numbers_of_an_overlay() {
    let mut rows = 0;
    for (path, file) in all_sources() {
        let is_row = path.starts_with("crates/skinscope_frame/");
        let text = std::fs::read_to_string(&file).unwrap();
        let shipped = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (number, line) in shipped.lines().enumerate() {
            rows += usize::from(path == TABLE && line.starts_with("    ValueSource { id: \""));
            let found = asking(line);
            assert!(is_row || found.is_empty(), "{path}:{}: {found:?} asks for it: {line}", number + 1);
            let is_match = path == TABLE && line.contains("match of.wanted");
            assert!(!is_match, "{path}:{}: a row has a function of its own: {line}", number + 1);
        }
    }
    assert!(rows >= 5, "only {rows} rows: is this test still reading the table?");
    assert_eq!(asking("    Some(VertexValues::Measured(measure)) => 1,"), ["VertexValues::"]);
    assert_eq!(asking("    if values.source == \"changed\" { // VertexValues::"), [".source == \""]);
    assert!(asking("    overlay.values.is_some_and(|values| values.deforms_compared)").is_empty());
}

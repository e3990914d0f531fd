//! What the README says is true: its table of keys is the program's, its commands parse, its files exist.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::path::Path;

use skinscope::deform::METHODS;
use skinscope::edit::{OPERATIONS, Operation, REPAIRED};
use skinscope::examples::EXAMPLES;
use skinscope::import::EXTENSIONS;
use skinscope::inspect::OVERLAYS;
use skinscope::inspect::check::RULES;
use skinscope::inspect::rom::ROM_RULES;
use skinscope::session::{COMMANDS, Menu};

const README: &str = include_str!("../README.md");

/// The table of keys as it must stand in the README.
fn keys() -> String {
    let mut out = String::from("| key | what | |\n|---|---|---|\n");
    let menus =
        [Menu::File, Menu::Edit, Menu::Pose, Menu::View, Menu::Overlay, Menu::Tools, Menu::Playback, Menu::Help];
    for menu in menus {
        for row in COMMANDS.iter().filter(|row| row.menu == menu) {
            if let Some(shortcut) = row.shortcut {
                out += &format!("| {shortcut} | {} | {} |\n", row.label, row.help);
            }
        }
    }
    out
}

#[test]
fn the_table_of_keys_is_the_programs() {
    let table = keys();
    assert!(README.contains(&table), "README.md needs this table:\n\n{table}");
}

#[test]
fn the_table_of_the_range_of_motion_is_its_own() {
    let mut table = String::from("| rule | what it lists |\n|---|---|\n");
    for rule in ROM_RULES {
        table += &format!("| `{}` | {} |\n", rule.id, rule.help);
    }
    assert!(README.contains(&table), "{table}");
}

#[test]
fn the_table_of_examples_is_the_programs() {
    let mut table = String::from("| example | `--example` | the question |\n|---|---|---|\n");
    for example in EXAMPLES {
        table += &format!("| {} | `{}` | {} |\n", example.title, example.id, example.question);
    }
    assert!(README.contains(&(table.clone() + "\n")), "README.md needs this table:\n\n{table}");
}

#[test]
fn the_table_of_rules_is_the_checkers() {
    let mut table = String::from("| rule | what it looks for | severity |\n|---|---|---|\n");
    for rule in RULES {
        table += &format!("| `{}` | {} | {} |\n", rule.id, rule.help, rule.severity.id());
    }
    assert!(README.contains(&table), "README.md needs this table:\n\n{table}");
}

#[test]
fn the_table_of_methods_is_the_programs() {
    let mut table = String::from("| method | `--method` | what it does |\n|---|---|---|\n");
    for method in METHODS {
        table += &format!("| {} | `{}` | {} |\n", method.label, method.id, method.help);
    }
    assert!(README.contains(&(table.clone() + "\n")), "README.md needs this table:\n\n{table}");
}

/// In the order of the program; what each shows is said in words of the README's own.
#[test]
fn the_table_of_overlays_has_a_row_for_each() {
    let (_, rest) = README.split_once("| overlay | `--overlay` | what it shows |\n").unwrap();
    let rows: Vec<&str> = rest.lines().skip(1).map(str::trim).take_while(|line| line.starts_with('|')).collect();
    let key = |key: Option<char>| key.map_or(String::new(), |key| format!(" ({})", key.to_uppercase()));
    let wanted: Vec<String> = OVERLAYS.iter().map(|o| format!("| {}{} | `{}` |", o.label, key(o.key), o.id)).collect();
    assert_eq!(rows.len(), wanted.len(), "README.md needs a row for each of these: {wanted:#?}");
    for (row, wanted) in rows.iter().zip(&wanted) {
        assert!(row.starts_with(wanted), "{row}: {wanted}");
    }
}

#[test]
fn the_table_of_operations_is_the_programs() {
    let mut table = String::from("| operation | option | what it does |\n|---|---|---|\n");
    for Operation { id, label, help, argument, .. } in OPERATIONS {
        let option = format!("{id} {argument}");
        table += &format!("| {label} | `--{}` | {help} |\n", option.trim_end());
    }
    assert!(README.contains(&(table.clone() + "\n")), "README.md needs this table:\n\n{table}");
    for rule in REPAIRED {
        assert!(README.contains(&format!("`{rule}`")), "{rule}");
    }
}

/// `.ci/run` takes the first command line of this form for the one that runs all tests.
#[test]
fn the_first_test_command_runs_all_tests() {
    let first = README.lines().find(|line| line.starts_with("$ cargo test"));
    assert_eq!(first, Some("$ cargo test"));
}

#[test]
fn files_that_it_points_to_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for target in README.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        if !target.starts_with("http") {
            assert!(root.join(target).exists(), "{target}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "only {seen} links were found: is this test still reading them?");
}

/// All sources of tests, joined.
fn sources_of_tests(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_of_tests(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            *out += &std::fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn the_table_of_extensions_is_the_programs_and_each_row_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    sources_of_tests(&root.join("src"), &mut sources);
    sources_of_tests(&root.join("tests"), &mut sources);
    let section = README.split("## What of glTF is shown").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let named: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let known: Vec<&str> = EXTENSIONS.iter().map(|e| e.name).collect();
    assert_eq!(named, known, "README.md must list the extensions that import knows, in the same order");
    for row in &rows {
        assert!(sources.contains(&format!("fn {}()", row[2])), "{}: there is no test {}", row[0], row[2]);
    }
}

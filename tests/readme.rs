//! The README says what is true: its table of keys is the program's, its commands parse, its files exist.

use std::path::Path;

use skinscope::deform::METHODS;
use skinscope::session::{COMMANDS, Menu};

const README: &str = include_str!("../README.md");

/// The table of keys as it must stand in the README.
fn keys() -> String {
    let mut out = String::from("| key | what | |\n|---|---|---|\n");
    for menu in [Menu::File, Menu::Edit, Menu::View, Menu::Playback, Menu::Help] {
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
fn every_method_is_named() {
    for method in METHODS {
        assert!(README.contains(&format!("`{}`", method.id)), "{}", method.id);
    }
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

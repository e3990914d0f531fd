//! Checks what is shipped: the licences, sources and bans of every dependency are as in `deny.toml`, on every platform.

#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

use std::collections::{HashMap, HashSet};
use std::process::Command;

use serde_json::Value;

use crate::common;

/// The strings of a list of `deny.toml`: those that follow `start`, to the closing bracket. With `key`, of each line only
/// the string after it.
fn listed(start: &str, key: Option<&str>) -> Vec<String> {
    let text = include_str!("../../deny.toml");
    let from = text.find(start).unwrap() + start.len();
    let list = &text[from..];
    let list = &list[..list.find(']').unwrap()];
    let lines = list.lines().filter(|l| !l.trim_start().starts_with('#'));
    let quoted = |line: &str| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let of = |line: &str| match key {
        None => quoted(line),
        Some(key) => {
            line.split_once(key).map(|(_, rest)| quoted(rest)).unwrap_or_default().into_iter().take(1).collect()
        }
    };
    lines.flat_map(of).collect()
}

/// What cargo knows of all packages; `None` where it can neither find nor fetch them.
fn metadata() -> Option<Value> {
    let ask = |extra: &[&str]| {
        let arguments = ["metadata", "--format-version", "1", "--locked", "--all-features"];
        let out = Command::new(env!("CARGO")).args(arguments).args(extra).output().unwrap();
        out.status.success().then(|| serde_json::from_slice(&out.stdout).unwrap())
    };
    // Packages of other platforms may never have been fetched on this one.
    ask(&["--offline"]).or_else(|| ask(&[]))
}

/// The packages that are part of the program or the Python package, or build them, these two excepted: what only tests use is not shipped.
fn shipped(metadata: &Value) -> Vec<&Value> {
    let by_id = |list: &'static str| -> HashMap<&str, &Value> {
        let list = if list == "nodes" { &metadata["resolve"]["nodes"] } else { &metadata["packages"] };
        list.as_array().unwrap().iter().map(|p| (p["id"].as_str().unwrap(), p)).collect()
    };
    let (nodes, packages) = (by_id("nodes"), by_id("packages"));
    let is_root = |id: &&str| matches!(packages[id]["name"].as_str(), Some("skinscope" | "skinscope_python"));
    let roots: Vec<&str> = packages.keys().copied().filter(is_root).collect();
    assert_eq!(roots.len(), 2, "{roots:?}");
    let (mut seen, mut open) = (roots.iter().copied().collect::<HashSet<&str>>(), roots.clone());
    while let Some(id) = open.pop() {
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            let next = dependency["pkg"].as_str().unwrap();
            if kinds.iter().any(|k| k["kind"] != "dev") && seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen.into_iter().filter(|id| !roots.contains(id)).map(|id| packages[id]).collect()
}

/// Whether an expression of SPDX can be satisfied by licences that `allowed` knows. `/` is an old form of `OR`.
fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    any(&mut rest, allowed) && rest.is_empty()
}

fn any(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut out = all(words, allowed);
    while let [word, rest @ ..] = *words
        && word.eq_ignore_ascii_case("or")
    {
        *words = rest;
        // Both sides are read, whatever the first one is.
        out |= all(words, allowed);
    }
    out
}

fn all(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut out = one(words, allowed);
    while let [word, rest @ ..] = *words
        && word.eq_ignore_ascii_case("and")
    {
        *words = rest;
        out &= one(words, allowed);
    }
    out
}

fn one(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> bool {
    match **words {
        ["(", ref rest @ ..] => {
            *words = rest;
            let out = any(words, allowed);
            if let [")", rest @ ..] = *words {
                *words = rest;
            }
            out
        }
        [license, "WITH", exception, ref rest @ ..] => {
            *words = rest;
            allowed(&format!("{license} WITH {exception}"))
        }
        [license, ref rest @ ..] => {
            *words = rest;
            allowed(license)
        }
        [] => false,
    }
}

#[test]
fn expressions_of_licences_are_read() {
    let allowed = |l: &str| matches!(l, "MIT" | "Zlib" | "Apache-2.0 WITH LLVM-exception");
    for good in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 OR MIT",
        "MIT AND Zlib",
        "(MIT OR GPL-3.0) AND Zlib",
        "GPL-3.0 AND MIT OR Zlib",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(satisfied(good, &allowed), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "Apache-2.0",
        "MIT AND (GPL-3.0 OR AGPL-3.0)",
        "(GPL-3.0 OR MIT) AND AGPL-3.0",
    ] {
        assert!(!satisfied(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_shipped_dependency_has_a_licence_a_source_and_a_purpose_that_are_allowed() {
    let Some(metadata) = metadata() else { return common::skipped("cargo cannot list the dependencies here") };
    let licenses = listed("[licenses]\n", None);
    let registries = listed("allow-registry = [", None);
    let banned = listed("deny = [\n", Some("crate = "));
    assert!(licenses.iter().any(|l| l == "MIT") && registries.len() == 1 && banned.iter().any(|b| b == "reqwest"));
    let allowed = |l: &str| licenses.iter().any(|a| a == l);
    let packages = shipped(&metadata);
    assert!(packages.len() > 200, "{} packages", packages.len());
    assert!(packages.iter().any(|package| package["name"] == "pyo3"), "what the Python package uses counts too");
    let mut wrong = Vec::new();
    for package in packages {
        let (name, version) = (package["name"].as_str().unwrap(), &package["version"]);
        let license = package["license"].as_str().unwrap_or_default();
        if !satisfied(license, &allowed) {
            wrong.push(format!("{name} {version}: licence {license:?}"));
        }
        let source = package["source"].as_str().unwrap_or("a folder");
        let is_ours = metadata["workspace_members"].as_array().unwrap().contains(&package["id"]);
        if !is_ours && !registries.iter().any(|r| source == format!("registry+{r}")) {
            wrong.push(format!("{name} {version}: comes from {source}"));
        }
        // `cargo deny` takes a folder for a dependency of any version where the package could be published.
        if is_ours && package["publish"] != serde_json::json!([]) {
            wrong.push(format!("{name} {version}: could be published, although it names others by their folders"));
        }
        if banned.iter().any(|b| b == name) {
            wrong.push(format!("{name} {version}: is not wanted, see deny.toml"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

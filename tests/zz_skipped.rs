//! By its name this is the last test binary of its package: it says how many tests were skipped, and why. What packages after this one
//! skip is in the record, and is not told.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// How many tests were skipped, and for each reason how many, the most frequent first. A record has a line for each time
/// that something was missing: test binary, test, reason.
fn summary(record: &str) -> String {
    let mut tests = BTreeSet::new();
    let mut reasons = BTreeMap::<&str, BTreeSet<(&str, &str)>>::new();
    for line in record.lines() {
        let mut fields = line.splitn(3, '\t');
        let (Some(binary), Some(test), Some(why)) = (fields.next(), fields.next(), fields.next()) else { continue };
        tests.insert((binary, test));
        reasons.entry(why).or_default().insert((binary, test));
    }
    if tests.is_empty() {
        return "No test was skipped.".to_owned();
    }
    let mut reasons: Vec<_> = reasons.into_iter().map(|(why, tests)| (tests.len(), why)).collect();
    reasons.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let were = if tests.len() == 1 { "1 test was" } else { &format!("{} tests were", tests.len()) };
    let lines = reasons.iter().map(|(count, why)| format!("\n{count:5}  {why}"));
    format!("{were} skipped, in part or whole:{}", lines.collect::<String>())
}

/// Held while records are read or removed: tests run side by side.
static RECORDS: Mutex<()> = Mutex::new(());

/// Set for a process that is to skip a test.
const ASKED: &str = "SKINSCOPE_TEST_SKIPS";

#[test]
fn the_run_says_what_was_skipped() {
    let _turn = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let records = common::records();
    let record = std::fs::read_to_string(records.join(common::run())).unwrap_or_default();
    // Past the test runner's capture. Nobody to tell: nothing to do.
    let _unheard = writeln!(std::io::stderr(), "\n{}", summary(&record));
    // This run has told its own, and what earlier runs have left is old.
    let _absent = std::fs::remove_dir_all(records);
}

#[test]
fn a_test_counts_once_for_each_reason_and_once_in_all() {
    let record = "ui\ta\tno display\nui\ta\tno display\nui\ta\tno corpus\nui\tb\tno corpus\ncli\ta\tno corpus\n";
    assert_eq!(summary(record), "3 tests were skipped, in part or whole:\n    3  no corpus\n    1  no display");
    assert_eq!(summary("cli\ta\tno corpus\n"), "1 test was skipped, in part or whole:\n    1  no corpus");
    assert_eq!(summary(""), "No test was skipped.");
}

/// Skips where [`a_test_that_is_skipped_is_recorded_and_fails_where_none_may_be`] starts it; else nothing.
#[test]
fn skips_where_it_is_asked_to() {
    if std::env::var_os(ASKED).is_some() {
        common::skipped("only\tfor the test");
    }
}

/// In processes of their own, since this one is not to count as skipped.
#[cfg(unix)]
#[test]
fn a_test_that_is_skipped_is_recorded_and_fails_where_none_may_be() -> std::io::Result<()> {
    let _turn = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let skip = |ci: &str| -> std::io::Result<Output> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--exact", "skips_where_it_is_asked_to"]).env(ASKED, "1").env("CI", ci).output()
    };
    let out = skip("")?;
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && said.contains("SKIPPED: only"), "{said}");
    // Processes that this one starts are a run of their own.
    let own = format!("{}-", std::process::id());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(common::records())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&own) {
            found.push(summary(&std::fs::read_to_string(entry.path())?));
            std::fs::remove_file(entry.path())?;
        }
    }
    assert_eq!(found, ["1 test was skipped, in part or whole:\n    1  only for the test"]);
    // It stops before it writes anything down.
    assert!(!skip("true")?.status.success(), "CI forbids it");
    Ok(())
}

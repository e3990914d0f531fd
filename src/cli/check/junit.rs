//! `check --junit`: findings as the XML of JUnit's test reports, which pipelines show. A file is a suite and a rule is a
//! test, so that a test has one name from run to run, whether it fails or not. A rule fails where a finding is as bad as
//! `--fail-on` says; lesser ones, and those that a baseline knows, are its output. A limit of `--fail-over` is a test too.

use std::fmt::Write;

use serde_json::Value;

use super::super::markup::escaped;
use super::gates::{self, Judged};
use super::report::{self, findings, is_known, severity, word};
use crate::inspect::check::Severity;

/// Returns the document up to its first suite.
pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"skinscope check\">\n";

/// The end of the document.
pub(super) const TAIL: &str = "</testsuites>\n";

/// Returns the suite of a file, of its JSON. `wanted`: the rules that were asked for; `fails`: whether a severity fails.
pub(super) fn suite(item: &Value, wanted: Option<&[String]>, fails: &dyn Fn(Severity) -> bool) -> String {
    let name = escaped(word(&item["path"]));
    if let Some(error) = item["error"].as_str() {
        let error = escaped(error);
        return format!(
            "<testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n\
             <testcase classname=\"{name}\" name=\"file-loads\"><error message=\"{error}\">{error}</error></testcase>\n\
             </testsuite>\n"
        );
    }
    let mut ran: Vec<&str> = report::ran(item, wanted);
    // Lines may be of a version that has more rules.
    for rule in findings(item).iter().map(|finding| word(&finding["rule"])) {
        if !ran.contains(&rule) {
            ran.push(rule);
        }
    }
    let (mut cases, mut tests, mut failures) = (String::new(), 0, 0);
    for rule in ran {
        tests += 1;
        let found: Vec<&Value> = findings(item).iter().filter(|f| word(&f["rule"]) == rule).collect();
        // Writing to a String cannot fail.
        let _fine = write!(cases, "<testcase classname=\"{name}\" name=\"{}\"", escaped(rule)).is_ok();
        let text = |f: &Value| {
            let location = word(&f["words"]["location"]);
            let colon = if location.is_empty() { "" } else { ": " };
            let [severity, message, fix] = ["severity", "message", "fix"].map(|key| word(&f[key]));
            let known = if is_known(f) { "known " } else { "" };
            format!("{known}{severity}: {location}{colon}{message} {fix}")
        };
        let all = found.iter().map(|f| text(f)).collect::<Vec<_>>().join("\n");
        match found.iter().find(|f| severity(f).is_some_and(fails) && !is_known(f)) {
            Some(first) => {
                failures += 1;
                let (kind, message) = (escaped(word(&first["severity"])), escaped(word(&first["message"])));
                cases += &format!(
                    "><failure type=\"{kind}\" message=\"{message}\">{}</failure></testcase>\n",
                    escaped(&all)
                );
            }
            None if found.is_empty() => cases += "/>\n",
            None => cases += &format!("><system-out>{}</system-out></testcase>\n", escaped(&all)),
        }
    }
    for judged in gates::of_item(item) {
        tests += 1;
        failures += usize::from(!judged.passed());
        cases += &gate_case(&name, &judged);
    }
    format!(
        "<testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n{cases}</testsuite>\n"
    )
}

/// Returns the test of a limit of `--fail-over`, with what was measured; `suite`: the escaped name of the file.
fn gate_case(suite: &str, judged: &Judged) -> String {
    let (rule, text) = (judged.rule(), escaped(&judged.text()));
    let inside = match judged.passed() {
        true => format!("<system-out>{text}</system-out>"),
        false => format!("<failure type=\"share\" message=\"{text}\">{text}</failure>"),
    };
    format!("<testcase classname=\"{suite}\" name=\"{rule}\">{inside}</testcase>\n")
}

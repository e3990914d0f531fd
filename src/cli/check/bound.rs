//! What there is to look at in a file that was just bound: `skinscope bind --check`.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::{CliError, OpenArgs, other_file, printable};
use super::report::{self, Outcome};
use super::rom::{self, Measured, RomArgs};
use crate::inspect::check::{CheckOptions, Finding, GATES, Report, Severity, check, gate, percent_text};
use crate::inspect::rule_words;
use crate::model::Model;
use crate::parallel::JobContext;

/// How long the range of motion may take, seconds.
const SECONDS: f64 = 10.0;
/// How many findings the text names.
const FIRST: usize = 3;

/// The findings in a file.
#[derive(Debug)]
pub(in crate::cli) struct Looked {
    path: String,
    model: Arc<Model>,
    report: Report,
    rom: Option<Measured>,
}

/// Checks a file as it is written, and drives its joints through their range of motion. `limit`: the most joints that may move a vertex.
pub(in crate::cli) fn look(path: &Path, open: &OpenArgs, limit: usize) -> Result<Looked, CliError> {
    let model = Arc::clone(other_file(path, open)?.stored());
    let options = CheckOptions { limit, rules: None, gates: GATES.to_vec() };
    // Nobody has a use for the report of work that is cancelled.
    let mut report = check(&model, &options, JobContext::of_waiting().cancel_flag()).unwrap_or_default();
    let rom = rom::add(&RomArgs::within(SECONDS), None, &model, &|_: &str| (), &mut report);
    Ok(Looked { path: path.display().to_string(), model, report, rom })
}

impl Looked {
    /// Returns what was found as `check --rom --json` has it of a file, and the shares of the surface.
    pub(in crate::cli) fn json(&self) -> Value {
        let Self { path, model, report, rom } = self;
        let checked = Outcome::Checked { model, report, gates: &[], rom: rom.as_ref(), runtime: None };
        let mut out = report::json(path, &checked);
        let shares = report.shares.iter();
        out["shares"] = shares
            .map(|share| json!({ "share": share.gate, "percent": share.percent, "vertices": share.vertices }))
            .collect();
        out
    }

    /// Returns how much was found, and what to look at first.
    pub(in crate::cli) fn text(&self) -> String {
        let Self { report, rom, .. } = self;
        let mut out = format!("check: {}\n", report::counts(Severity::ALL.map(|severity| report.count(severity))));
        for share in report.shares.iter().filter(|share| share.percent > 0.0) {
            let label = gate(share.gate).map_or(share.gate, |gate| gate.label);
            out += &format!("  {label}: {} of the surface\n", percent_text(share.percent));
        }
        if let Some([message, _]) = rom.as_ref().and_then(Measured::shortfall) {
            out += &format!("  {message}\n");
        }
        if !report.findings.is_empty() {
            out += "Look first at\n";
        }
        for finding in first(&report.findings) {
            let label = rule_words(finding.rule).map_or(finding.rule, |(label, _)| label);
            out += &format!("  {} ({}): {}\n", label, finding.severity.id(), printable(&finding.message));
        }
        out
    }
}

/// Returns what to look at first: the worst, and of those that are equally bad what shows on the surface before what is about joints alone,
/// such as helpers that move nothing on purpose.
fn first(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    let mut out: Vec<&Finding> = findings.iter().collect();
    out.sort_by_key(|finding| (Reverse(finding.severity), finding.vertices.is_empty()));
    out.into_iter().take(FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::check::FindingPose;

    #[test]
    fn what_shows_on_the_surface_comes_before_joints_that_move_nothing() {
        let finding = |rule, severity, vertices: &[u32]| Finding {
            rule,
            severity,
            mesh: None,
            primitive: None,
            vertices: vertices.to_vec(),
            joints: Vec::new(),
            message: String::new(),
            fix: String::new(),
            measure: None,
            pose: FindingPose::Rest,
        };
        let findings = [
            finding("idle", Severity::Info, &[]),
            finding("stretch", Severity::Info, &[3]),
            finding("fold", Severity::Info, &[4]),
            finding("name", Severity::Warning, &[]),
        ];
        let rules: Vec<&str> = first(&findings).map(|finding| finding.rule).collect();
        assert_eq!(rules, ["name", "stretch", "fold"]);
    }
}

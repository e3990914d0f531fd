//! The checker: rules that look at a model as its file stores it, and what they found.
//!
//! A rule is a row of [`RULES`] and a function. It gets a [`Subject`], which holds what several rules need, and pushes
//! findings; it changes nothing and knows nothing of other rules.

mod far;
mod finding;
mod junctions;
mod kd;
#[cfg(test)]
mod mesh_tests;
mod motion;
mod names;
mod region;
mod rogue;
mod seams;
mod subject;
mod surface;
mod weights;
mod weld;

pub use finding::{Finding, FindingPose, Measure, Severity};
pub use rogue::rogue_weights;
pub use subject::{Skinned, Subject};
pub use surface::{Part, Side, Surface};

use std::sync::atomic::{AtomicBool, Ordering};

use crate::model::Model;

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// As in JSON and for `--rules`.
    pub id: &'static str,
    /// As a heading.
    pub label: &'static str,
    /// One sentence: what it looks for.
    pub help: &'static str,
    /// The severity of its findings.
    pub severity: Severity,
    /// Pushes what it finds.
    pub run: fn(&Subject, &mut Vec<Finding>),
}

/// Every rule, worst first.
pub static RULES: &[&Rule] =
    &[&weights::ZERO, &rogue::ROGUE, &junctions::JUNCTION, &seams::SEAM, &names::DUPLICATE, &far::FAR];

/// What to look for.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The most influences of a vertex that the runtime can use.
    pub limit: usize,
    /// Ids of the rules to run; `None`: all.
    pub rules: Option<Vec<&'static str>>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { limit: 4, rules: None }
    }
}

/// What was found in one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Worst first, then in the order of [`RULES`], mesh, primitive and joints.
    pub findings: Vec<Finding>,
}

impl Report {
    /// How many findings are this bad.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// The worst severity of all.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.severity).max()
    }
}

/// Runs the rules over a model as stored. `None` once `cancel` is set.
#[must_use]
pub fn check(model: &Model, options: &CheckOptions, cancel: &AtomicBool) -> Option<Report> {
    let subject = Subject::new(model, options, cancel);
    let mut findings = Vec::new();
    for rule in RULES {
        if options.rules.as_ref().is_none_or(|ids| ids.contains(&rule.id)) {
            (rule.run)(&subject, &mut findings);
        }
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
    }
    findings.sort_by_key(|f| std::cmp::Reverse(f.severity));
    Some(Report { findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shapes::{Tube, tube};

    #[test]
    fn a_clean_tube_has_no_findings_and_a_cancelled_check_no_report() {
        let model = tube(Tube::default());
        let options = CheckOptions::default();
        assert_eq!(check(&model, &options, &AtomicBool::new(false)), Some(Report::default()));
        assert_eq!(check(&model, &options, &AtomicBool::new(true)), None);
    }

    #[test]
    fn no_rule_is_listed_twice() {
        let ids: std::collections::BTreeSet<_> = RULES.iter().map(|r| r.id).collect();
        assert_eq!(ids.len(), RULES.len());
    }
}

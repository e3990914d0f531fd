//! Rigs with planted defects, for the tests of the rules about joints.

use std::sync::atomic::AtomicBool;

use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Model, ModelParts};

use super::{CheckOptions, Finding, Rule, check};

/// Returns the findings of one rule in a model.
pub(super) fn found_in(rule: &Rule, parts: ModelParts) -> Vec<Finding> {
    let options = CheckOptions { rules: Some(vec![rule.id]), ..CheckOptions::default() };
    check(&Model::build(parts).unwrap(), &options, &AtomicBool::new(false)).unwrap().findings
}

/// Returns the findings of one rule in a changed tube of six joints, a metre apart along +Y: nodes 1 to 6 (file numbers
/// too), all below node 0. The tube is 6 m long and 0.5 m wide.
pub(super) fn found(rule: &Rule, change: impl FnOnce(&mut ModelParts)) -> Vec<Finding> {
    found_in(rule, changed(change))
}

/// Returns that tube.
pub(super) fn changed(change: impl FnOnce(&mut ModelParts)) -> ModelParts {
    let mut parts: ModelParts = (*tube(Tube { joints: 6, length: 6.0, ..Tube::default() })).clone();
    change(&mut parts);
    parts
}

/// Returns the joints of each finding.
pub(super) fn joints(findings: &[Finding]) -> Vec<Vec<u32>> {
    findings.iter().map(|f| f.joints.iter().map(|j| j.0).collect()).collect()
}

//! Rules about the names of nodes.

use std::collections::BTreeMap;

use super::{Finding, FindingPose, Rule, Severity, Subject};
use crate::model::NodeId;

/// See its help.
pub static DUPLICATE: Rule = Rule {
    id: "name-duplicate",
    label: "Same name twice",
    help: "Several nodes share a name, so that what finds them by name finds only one",
    severity: Severity::Warning,
    run: duplicate,
};

fn duplicate(subject: &Subject, out: &mut Vec<Finding>) {
    let mut nodes: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (i, name) in subject.model.skeleton.names.iter().enumerate() {
        nodes.entry(name).or_default().push(NodeId::from_index(i));
    }
    for (name, joints) in nodes.into_iter().filter(|(_, nodes)| nodes.len() > 1) {
        out.push(Finding {
            rule: DUPLICATE.id,
            severity: DUPLICATE.severity,
            mesh: None,
            primitive: None,
            vertices: Vec::new(),
            message: format!(
                "{} nodes are called \"{name}\": clips and scripts that look for the name find only one.",
                joints.len()
            ),
            fix: "Give each of them a name of its own.".into(),
            joints,
            measure: None,
            pose: FindingPose::Rest,
        });
    }
}

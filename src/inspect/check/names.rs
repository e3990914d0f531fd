//! Rules about the names of nodes.

use std::collections::BTreeMap;

use super::joints::finding;
use super::{Finding, Measure, Rule, Severity, Subject};
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
    let skeleton = &subject.model.skeleton;
    let mut nodes: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (i, name) in skeleton.names.iter().enumerate() {
        // A node without a name is called so by import; that is no name of the file.
        let is_made_up = name.strip_prefix("node ").is_some_and(|n| *n == skeleton.file_index[i].to_string());
        if !is_made_up {
            nodes.entry(name).or_default().push(NodeId::from_index(i));
        }
    }
    for joints in nodes.into_values().filter(|nodes| nodes.len() > 1) {
        let n = joints.len();
        let moved = joints.iter().filter(|j| subject.model.is_joint(**j)).count();
        let which = match moved {
            0 => String::new(),
            m if m == n => ", all of them joints".into(),
            1 => ", one of them a joint".into(),
            m => format!(", {m} of them joints"),
        };
        let message = format!(
            "{n} nodes are called {}{which}: clips, retargeting and scripts that look for the name find only one of them.",
            subject.name(joints[0])
        );
        let measure = Measure { what: "nodes", value: n as f64, unit: "" };
        out.push(finding(
            &DUPLICATE,
            DUPLICATE.severity,
            joints,
            (message, "Give each of them a name of its own."),
            Some(measure),
        ));
    }
}

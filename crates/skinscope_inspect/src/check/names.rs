//! Rules about the names of nodes.

use std::collections::BTreeMap;

use skinscope_model::NodeId;

use super::joints::finding;
use super::{DependsOn, Finding, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds several nodes of one name.
pub(crate) static DUPLICATE: Rule = Rule {
    id: "name-duplicate",
    label: "Same name twice",
    help: "Several nodes share a name, so that what finds them by name finds only one",
    severity: Severity::Warning,
    run: duplicate,
    depends_on: DependsOn::Nothing,
    repair: |_| {
        Repair::table(RepairTool::Joints, "Names are not changed here; the table lists the joints with theirs.")
    },
    ..Rule::ROW
};

fn duplicate(subject: &Subject, out: &mut Vec<Finding>) {
    let skeleton = &subject.model.skeleton;
    let mut nodes: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for (i, name) in skeleton.names.iter().enumerate() {
        // Import names a node that has no name in the file; such a name is ignored here.
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
            "{n} nodes are called {}{which}: clips, retargeting and scripts that look for the name find only one of \
             them.",
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

#[cfg(test)]
mod tests {
    use super::super::test_rigs::{found, joints};
    use super::*;

    #[test]
    fn nodes_that_share_a_name_are_all_listed_and_one_finding_for_each_name() {
        assert_eq!(found(&DUPLICATE, |_| {}), []);
        let findings = found(&DUPLICATE, |p| {
            for (node, name) in [(0, "a"), (2, "b"), (3, "a"), (5, "b"), (6, "a")] {
                p.skeleton.names[node] = name.into();
            }
        });
        assert_eq!(joints(&findings), [vec![0, 3, 6], vec![2, 5]]);
        assert!(
            findings[0].message.starts_with("3 nodes are called \"a\", 2 of them joints"),
            "{}",
            findings[0].message
        );
        assert!(
            findings[1].message.starts_with("2 nodes are called \"b\", all of them joints"),
            "{}",
            findings[1].message
        );
        // Names that differ in case are different.
        assert_eq!(found(&DUPLICATE, |p| p.skeleton.names[2] = "JOINT 3".into()), []);
    }

    #[test]
    fn a_name_that_import_made_up_is_no_name_of_the_file() {
        let findings = found(&DUPLICATE, |p| {
            p.skeleton.names[2] = "node 2".into();
            p.skeleton.names[3] = "node 2".into();
        });
        assert_eq!(findings, []);
        let findings = found(&DUPLICATE, |p| {
            for node in [2, 3, 4] {
                p.skeleton.names[node] = "node 2".into();
            }
        });
        assert_eq!(joints(&findings), [[3, 4]]);
    }
}

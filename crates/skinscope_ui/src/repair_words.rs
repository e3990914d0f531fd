//! The words of what can be asked for to repair a finding, on the buttons of its row and in its menu.

use skinscope_edit::operation;
use skinscope_inspect::check::{Finding, RepairTool};
use skinscope_inspect::repair_of;

/// Returns what can be asked for to repair a finding: whether it is for all of its rule, its label and a sentence about it.
pub(super) fn repair_words(finding: &Finding) -> Vec<(bool, String, &'static str)> {
    let repair = repair_of(finding);
    if repair.is_sound() {
        let one = "Show what the repair does to the vertices of this finding, before it is done";
        let all = "Show what the repair does to all findings of this rule, before it is done";
        return vec![(false, "Repair…".to_owned(), one), (true, "Repair all…".to_owned(), all)];
    }
    let (label, help) = match repair.tool {
        RepairTool::Operation(id) => {
            let tool = operation(id).filter(|_| !repair.may_be_meant).map(|tool| format!("{}…", tool.tool));
            let help = "Try the tool on the vertices of this finding, before anything is done";
            (tool.unwrap_or_else(|| "Repair…".to_owned()), help)
        }
        RepairTool::Joints => ("Table of joints".to_owned(), "Open the table of joints at what this finding names"),
        RepairTool::Vertices => {
            ("Table of vertices".to_owned(), "Open the table of vertices at what this finding names")
        }
    };
    vec![(false, label, help)]
}

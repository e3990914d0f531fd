//! The repair of a finding: the tool that its rule names is chosen, on the vertices of the finding.

use std::sync::Arc;

use skinscope_edit::operation;
use skinscope_inspect::check::RepairTool;
use skinscope_inspect::repair_of;

use crate::{FindingCommand, Scope, Session, findings};

/// Shows a finding and chooses the tool that mends it, or comes nearest, on its vertices or on all that its rule finds.
pub(crate) fn repair(session: &mut Session, finding: usize, all: bool) {
    let Some(found) = session.document().and_then(|d| d.findings().nth(finding)).cloned() else { return };
    let repair = repair_of(&found);
    session.choose_tool(None);
    if session.view().finding != Some(finding) {
        findings::apply(session, &FindingCommand::ShowFinding(finding));
    }
    let RepairTool::Operation(tool) = repair.tool else { return };
    let settings = Arc::make_mut(&mut session.tools.settings);
    if repair.is_sound() {
        settings.rules = std::iter::once(found.rule).chain(repair.also).collect();
    }
    if let Some(joint) = found.joints.first() {
        settings.joint = Some(*joint);
    }
    let operation = operation(tool);
    if let Some(operation) = operation {
        (operation.for_finding)(settings);
    }
    // A finding about joints names no vertices.
    let scope = if all || found.vertex_set().is_empty() { Scope::All } else { Scope::Finding };
    session.tools.offer(operation, scope);
}

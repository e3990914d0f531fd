//! What can be done about a finding: a repair that is right everywhere, or the tool that comes nearest to one.

use std::sync::Arc;

use skinscope_edit::{REPAIRED, operation};
use skinscope_inspect::check::{Finding, Severity};

use crate::weights::tools;
use crate::{FindingCommand, Scope, Session, findings};

/// What a person is offered for a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairTool {
    /// A tool of the panel *Weights*, by [`skinscope_edit::Operation::id`].
    Operation(&'static str),
    /// The table of joints, which shows what is at fault: only the program that exported the file can mend it.
    Joints,
    /// The table of vertices, for the same reason.
    Vertices,
}

/// What can be done about a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The tool.
    pub tool: RepairTool,
    /// A sentence that says why no automatic repair is right; `None` where the tool is right everywhere. Else it is the tool that
    /// comes nearest, and somebody must look.
    pub why_not: Option<&'static str>,
    /// Whether the tool repairs the finding where it is a fault, so that a person has only to say whether it is one.
    pub may_be_meant: bool,
    /// Another rule that is repaired with it, of which there may be findings once its own are gone.
    pub also: Option<&'static str>,
}

impl Repair {
    /// Returns whether the tool is right everywhere.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.why_not.is_none()
    }
}

/// Returns what can be done about a finding.
#[must_use]
pub fn repair_of(finding: &Finding) -> Repair {
    use RepairTool::{Joints, Operation, Vertices};
    // Where a skin as a whole was bound in another pose, the rule only informs.
    let is_of_skin = finding.rule == "inverse-bind-mismatch" && finding.severity == Severity::Info;
    if REPAIRED.contains(&finding.rule) && !is_of_skin {
        let also = match finding.rule {
            // Where all weights were negative none is left.
            "weights-negative" => Some("weights-zero"),
            // Vertices with too many joints are not looked at for cut off parts.
            "too-many-influences" => Some("rogue-vertices"),
            _ => None,
        };
        return Repair { tool: Operation("rules"), why_not: None, may_be_meant: false, also };
    }
    let (tool, why_not) = match finding.rule {
        "inverse-bind-mismatch" => (
            Operation("inverse-binds"),
            "The skin may be meant to rest in another pose than it was bound in, and clips that were made for it would move \
             the mesh otherwise.",
        ),
        "inverse-bind-singular" => {
            (Operation("inverse-binds"), "Where these joints were bound is lost; the rest pose is only a guess at it.")
        }
        "inverse-bind-non-rigid" => {
            (Operation("inverse-binds"), "The stretch may be meant, and without it the mesh has another shape.")
        }
        "asymmetry" => (Operation("mirror"), "Nobody but you knows which side is right."),
        "far-influence" => (Operation("remove-joint"), "The joint may be meant to move these vertices."),
        "t-junction" => (
            Operation("smooth"),
            "Only another mesh, or one joint for the whole edge, closes the crack. Smoothing makes it narrower, and the finding stays.",
        ),
        "joint-out-of-range" => (
            Operation("normalise"),
            "Which joint was meant is not known. Weights that are no numbers can be made zero.",
        ),
        "joint-out-of-range-unweighted" => {
            (Vertices, "It does no harm here, and no tool for weights changes pairs without weight.")
        }
        "stray-vertices" if !finding.joints.is_empty() => (
            Operation("inverse-binds"),
            "A joint carries the vertices away, and whether its place or its bind matrix is wrong is not known.",
        ),
        "stray-vertices" => (Vertices, "Positions are not changed here; the table names the vertices."),
        "hierarchy" => (Joints, "The hierarchy is not changed here; the table names the joints."),
        "scale-non-uniform" | "scale-negative" => {
            (Joints, "The rest pose is not changed here; the table names the joints below.")
        }
        "name-duplicate" => (Joints, "Names are not changed here; the table lists the joints with theirs."),
        "joint-unused" => (Joints, "It may be a target or an end on purpose, and joints are not taken out here."),
        rom if rom.starts_with("rom-") => {
            (Operation("smooth"), "What the surface should do there is a matter of taste.")
        }
        _ => (Vertices, "No tool changes this; the table names the vertices."),
    };
    let may_be_meant = matches!(finding.rule, "inverse-bind-mismatch" | "far-influence");
    Repair { tool, why_not: Some(why_not), may_be_meant, also: None }
}

/// Shows a finding and chooses the tool that mends it, or comes nearest, on its vertices or on all that its rule finds.
pub(crate) fn repair(session: &mut Session, finding: usize, all: bool) {
    let Some(found) = session.document().and_then(|d| d.findings().nth(finding)).cloned() else { return };
    let repair = repair_of(&found);
    tools::choose(session, None);
    if session.view.finding != Some(finding) {
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
    // The joint above is as far from these vertices as the one that is taken off.
    settings.spread |= tool == "remove-joint";
    // A finding about joints names no vertices.
    let before = session.tools.scope_before.unwrap_or(session.tools.scope);
    session.tools.set_scope(if all || found.vertex_set().is_empty() { Scope::All } else { Scope::Finding });
    session.tools.scope_before = Some(before);
    session.tools.operation = operation(tool);
    session.tools.open = true;
}

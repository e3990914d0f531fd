//! What can be done about a finding: a repair that is right everywhere, or the tool that comes nearest to one.

/// What a person is offered for a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairTool {
    /// A tool of the panel *Weights*, by the id of its operation.
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
    /// The operation that repairs the findings of given rules knows what to do.
    pub(crate) const SOUND: Self =
        Self { tool: RepairTool::Operation("rules"), why_not: None, may_be_meant: false, also: None };
    /// Nothing is known that could be done.
    pub const NONE: Self = Self::table(RepairTool::Vertices, "No tool changes this; the table names the vertices.");

    /// Returns the operation that comes nearest to a repair, by its id, and why none is right everywhere.
    #[must_use]
    pub const fn nearest(operation: &'static str, why_not: &'static str) -> Self {
        Self::table(RepairTool::Operation(operation), why_not)
    }

    /// Returns what shows a finding that nothing repairs, and why.
    #[must_use]
    pub const fn table(tool: RepairTool, why_not: &'static str) -> Self {
        Self { tool, why_not: Some(why_not), may_be_meant: false, also: None }
    }

    /// Returns whether the tool is right everywhere.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.why_not.is_none()
    }
}

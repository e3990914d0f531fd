//! Why a mesh cannot be bound.

/// The reason why there are no weights. Its text is a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// The job was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// There is nothing to bind.
    #[error("there are no triangles that have an area, so there is no surface that could be bound")]
    NoSurface,
    /// Nothing could move the mesh.
    #[error("the skin has no joints")]
    NoJoints,
    /// All joints are locked.
    #[error("no joint may get weight: all {0} are locked")]
    NoFreeJoint(usize),
    /// A position is NaN or infinite.
    #[error("{count} of the {what} are not finite, the first is number {first}")]
    NotFinite {
        /// What they are: points or joints.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The index of the first one.
        first: usize,
    },
    /// The problem contradicts itself.
    #[error("{0}")]
    Malformed(String),
    /// There is no such method.
    #[error("there is no method \"{0}\"")]
    UnknownMethod(String),
    /// There is no such rule.
    #[error("there is no rule \"{0}\"")]
    UnknownRule(String),
    /// A number of the settings cannot be used.
    #[error("{0}")]
    Setting(String),
    /// The equations could not be solved.
    #[error("the equations could not be solved: {0}")]
    Unsolved(String),
}

//! The shapes in which bones are drawn.

/// The shape in which bones are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum BoneShape {
    /// Thick near the joint, pointed at the next one.
    #[default]
    Octahedra,
    /// Bones are equally thick everywhere.
    Sticks,
    /// Bones are as thin as can be seen.
    Lines,
}

impl BoneShape {
    /// All shapes, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Octahedra, Self::Sticks, Self::Lines];

    /// Returns the name on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Octahedra => "octahedra",
            Self::Sticks => "sticks",
            Self::Lines => "lines",
        }
    }
}

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

skinscope_base::choices! {
    BoneShape {
        /// Returns the name on the command line.
        id = 0;
    }
    Octahedra: "octahedra";
    Sticks: "sticks";
    Lines: "lines";
}

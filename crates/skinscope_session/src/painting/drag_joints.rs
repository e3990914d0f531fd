//! Among which joints the weights of a dragged vertex are looked for.

use skinscope_solve::Joints;

/// The joints among which the weights of a dragged vertex are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DragJoints {
    /// Those that the vertex has.
    Kept,
    /// These, those that its neighbours have, and the parents and children of all of them that have a weight of 5 % there; none on the other side.
    #[default]
    Near,
    /// All of the skin.
    All,
}

/// All choices of joints.
pub static DRAG_JOINTS: [DragJoints; 3] = [DragJoints::Kept, DragJoints::Near, DragJoints::All];

impl DragJoints {
    /// Returns its name in the window.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Kept => "Of the vertex",
            Self::Near => "Near ones",
            Self::All => "All of the skin",
        }
    }

    pub(super) fn joints(self) -> Joints {
        match self {
            Self::Kept => Joints::Kept,
            Self::Near => Joints::Near,
            Self::All => Joints::All,
        }
    }
}

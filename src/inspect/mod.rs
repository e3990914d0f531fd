//! Questions about weights and the posed surface: who moves what, what lies under a ray. Pure; serves panels, overlays
//! and the command line alike.

mod bones;
pub mod check;
mod explain;
mod inspection;
mod overlay;
mod pick;
mod pick_clusters;
mod pick_index;
#[cfg(test)]
mod pick_tests;
pub mod rig;
pub mod rom;
mod stats;
pub mod symmetry;
pub mod tables;
#[cfg(test)]
mod transformed_by;
mod vertex;

pub use bones::{BoneScratch, BoneSegment, bones, bones_into};
pub use explain::{Blend, Explanation, MorphTerm, Posed, Term, in_space};
pub use inspection::Inspection;
pub use overlay::{OVERLAYS, Overlay, SCALE_ROWS, Scale, Step, overlay};
pub use pick::{Hit, PosedPrimitive, PosedSurface, moved_bounds, mover, pick, posed_surface};
pub use pick_index::PickIndex;
pub use stats::{JointStats, LIMITS, WeightStats};
pub use vertex::{PerVertex, VertexPart, VertexRef, VertexSet};

/// What a rule of the checker or of the range of motion is called, and what it looks for, by its id.
#[must_use]
pub fn rule_words(id: &str) -> Option<(&'static str, &'static str)> {
    let checked = check::RULES.iter().find(|r| r.id == id).map(|r| (r.label, r.help));
    checked.or_else(|| rom::ROM_RULES.iter().find(|r| r.id == id).map(|r| (r.label, r.help)))
}

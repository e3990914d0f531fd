//! Questions about weights and the posed surface: which joint moves what, and what lies under a ray. It has no state;
//! panels, overlays and the command line use it alike.

#![forbid(unsafe_code)]

pub mod benchmark;
mod bones;
mod changed;
pub mod check;
pub mod compare;
mod directions;
mod distance;
mod explain;
mod inspection;
pub mod measure;
mod pick;
mod pick_clusters;
mod pick_index;
#[cfg(test)]
mod pick_tests;
mod quaternion_form;
pub mod rig;
pub mod rom;
mod stats;
mod surface_source;
pub mod symmetry;
pub mod tables;
mod texel_density;
#[cfg(test)]
mod transformed_by_tests;

pub use bones::{BoneChoice, BoneScratch, BoneSegment, bones, bones_into};
pub use changed::{changed_positions, changed_surface, changed_weights, why_not_comparable};
pub use directions::VertexDirections;
pub use distance::{SurfaceDistance, distances};
pub use explain::{Explanation, MorphTerm, PosedModel, Term, in_space};
pub use inspection::{Inspection, rogue_values};
pub use pick::{Hit, bounds_of, moved_bounds, mover, pick};
pub use pick_index::{NearVertex, PickIndex, Piece};
pub use quaternion_form::{NoQuaternionForm, QuaternionForm};
pub use skinscope_frame::{
    AS_STORED, BoneShape, Counted, InspectedList, InspectedValues, OVERLAYS, Overlay, PerVertex, SCALE_ROWS, Scale,
    Step, VertexMeasure, VertexPart, VertexRef, VertexSet, VertexValues, overlay,
};
pub use stats::{JointStats, LIMITS, WeightStats};
pub use texel_density::TexelDensity;

/// Returns the overlay that shows what a rule is about, by the rule's id; `None` where the rule is about joints and not
/// about weights. "weights" is for the joint of the finding.
#[must_use]
pub fn overlay_of_rule(id: &str) -> Option<&'static str> {
    match check::RULES.iter().find(|rule| rule.id == id) {
        Some(rule) => rule.overlay,
        None => rom::ROM_RULES.iter().find(|rule| rule.id == id).map(|rule| rule.overlay),
    }
}

/// Returns what can be done about a finding of the checker or of the range of motion.
#[must_use]
pub fn repair_of(finding: &check::Finding) -> check::Repair {
    match check::RULES.iter().find(|rule| rule.id == finding.rule) {
        Some(rule) => (rule.repair)(finding),
        None => {
            let of_motion = rom::ROM_RULES.iter().find(|rule| rule.id == finding.rule);
            of_motion.map_or(check::Repair::NONE, |rule| rule.repair)
        }
    }
}

/// Returns the label and the help text of a rule of the checker or of the range of motion, by its id.
#[must_use]
pub fn rule_words(id: &str) -> Option<(&'static str, &'static str)> {
    let checked = check::RULES.iter().find(|r| r.id == id).map(|r| (r.label, r.help));
    checked.or_else(|| rom::ROM_RULES.iter().find(|r| r.id == id).map(|r| (r.label, r.help)))
}

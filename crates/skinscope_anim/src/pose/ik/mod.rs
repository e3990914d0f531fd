//! Inverse kinematics of one limb: a chain of joints whose rotations bring its end to a target.
//!
//! Only rotations change, so that bones keep their lengths. The computation uses the matrices that the model really
//! has. A parent that is scaled, mirrored or sheared is no special case, since a joint is aimed by what its own matrix
//! makes of a direction, and the bend of a limb is found by its effect on the distance from root to end.

mod chain;
mod solve;
#[cfg(test)]
mod tests;
mod triangle;

pub(super) use chain::{Chain, Link, arc};
pub(super) use solve::solve;
pub use triangle::Triangle;

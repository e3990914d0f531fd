//! Inverse kinematics of one limb: a chain of joints whose rotations bring its end to a target.
//!
//! Only rotations change, so that bones do not change their lengths. The computation uses the actual matrices of the
//! model. A parent that is scaled, mirrored or sheared is no special case, since a joint is aimed by what its own
//! matrix does to directions, and the bend of a limb is found by its effect on the distance from root to end.
//!
//! Limbs of two bones have a closed form ([`Triangle`]). Longer ones are solved by bending all joints together, by
//! damped least squares (Wampler 1986), and by forward and backward reaching (FABRIK, Aristidou & Lasenby 2011).

mod chain;
mod solve;
#[cfg(test)]
mod tests;
mod triangle;

pub(super) use chain::{Chain, Link, arc};
pub(super) use solve::solve;
pub use triangle::Triangle;

//! Least squares over weights that are not negative and sum to one, of at most so many joints.
//!
//! A [`Quadratic`] has what the weights of a vertex are to make small. [`ActiveSet`] finds the weights that do, of any number of joints, and
//! [`Subset`] those of a few: which joints have weight is chosen exactly, but where that takes too many trials. Both keep their memory for the
//! next vertex. Whatever asks for weights by where the surface should be is solved here: examples, drags, baked methods, and limits that
//! keep the best joints.

mod active_set;
mod quadratic;
mod subset;

pub use active_set::ActiveSet;
pub use quadratic::Quadratic;
pub use subset::Subset;

#[cfg(test)]
mod tests;

//! The kernels, a file for each kind.

mod give;
mod joint;
mod limit;
mod normalise;
mod prune;
mod set;
mod smooth;

pub use give::{AVERAGE, FILL, Part, part_of};
pub use joint::TAKE;
pub use limit::LIMIT;
pub use normalise::NORMALISE;
pub use prune::PRUNE;
pub use set::{SET, set_arguments};
pub use smooth::SMOOTH;

/// Every kernel: what all of them keep is asked of each.
#[cfg(test)]
pub(crate) static KERNELS: &[&crate::Kernel] = &[&NORMALISE, &PRUNE, &LIMIT, &SMOOTH, &FILL, &TAKE, &AVERAGE, &SET];

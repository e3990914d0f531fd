//! Weights as numbers that are worked on.
//!
//! A [`Table`] has the weights of a list of vertices in double precision, as (joint, weight) pairs in the order in which a file stores them. A
//! kernel changes one row of it, from what the row itself and the vertices around it have. What is stored is rounded once, when all is done
//! ([`Stored`]). Rows that are to be nearest to something are found by [`least_squares`]. Nothing here knows of poses, files, windows or
//! sessions.

#![forbid(unsafe_code)]

pub mod brush;
#[cfg(test)]
mod contract_tests;
pub mod exact;
mod kernel;
pub mod kernels;
mod lacks;
mod laplacian;
pub mod least_squares;
mod locks;
mod paged;
mod rounding;
mod set;
mod shares;
mod surface;
mod table;

pub use brush::{BRUSHES, Brush, Effect, FALLOFFS, Falloff, LAYER_BRUSHES, Need, Stuck, Toward};
pub use kernel::{Arguments, Around, Change, Given, Kernel, Reads, RowTask, Wish, Write};
pub use lacks::{Lacks, Partly};
pub use laplacian::Laplacian;
pub use locks::{Bounds, Held, hold_row, respecting_locks};
pub use paged::Paged;
pub use rounding::value;
use set::shares_given;
pub use set::{Amount, set_row};
pub use shares::{Shares, blend, cut, cut_noting, difference, mean, share_of, unit_shares};
pub use surface::{RestPart, RestSurface};
pub use table::{SAME, Stored, Table, TableRow, clean};

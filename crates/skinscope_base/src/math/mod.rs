//! Vectors, transforms, boxes and projections, which know nothing of models, files or the GPU.
//!
//! All spaces are right-handed with +Y up; lengths are in metres and angles in radians unless a name says otherwise.
//! Matrices act on column vectors and are named like fractions: `world_from_view * p_view = p_world`.

mod aabb;
mod box_tree;
mod csr;
mod disjoint_sets;
mod grid;
mod length;
mod mass;
mod numbers;
mod plane;
mod projection;
mod ramp;
mod svd;
pub mod test_random;
mod transform;
mod triangle;
mod weld;

pub use aabb::Aabb;
pub use box_tree::BoxTree;
pub use csr::Csr;
pub use disjoint_sets::DisjointSets;
pub use grid::Grid;
pub use length::{BEYOND_SENSE, Units, factor, length, lengths, tick_length};
pub use mass::{DistanceSpread, Distances, GAP, are_few, sample_of};
pub use numbers::largest_magnitude;
pub use plane::Plane;
pub use projection::{Projection, Ray};
pub use ramp::Ramp;
pub use svd::{Stretch, angle_degrees};
pub use transform::{
    Transform, axis_angle_degrees, cofactor, decompose, euler_xyz_degrees, quat_from_euler_xyz_degrees,
    smallest_euler_xyz_degrees, unit, wide_unit,
};
pub use triangle::closest_on_triangle;
pub use weld::{Weld, WeldRule};

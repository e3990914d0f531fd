//! Corrective shapes: morph targets that put the skinned surface right in a pose, and that the rotations of joints bring in. The window and
//! the command line make, name and remove them here; a model with other shapes is written back like one with other weights.

mod change;
mod image;
mod joints;
mod names;
mod remarks;
mod shape;
mod sides;
mod task;
mod told;

pub(crate) use change::restore_shapes;
pub use change::{ClipKeys, Reshaped, add_shapes, remove_shapes, rename_shape, without_unfit_drivers};
pub use image::mirror_image;
pub(crate) use joints::joints_of_dragged;
pub use joints::{bring_in, drivers};
pub use names::TargetName;
pub use remarks::remarks;
pub use shape::{Part, Shape, Targets, shape, skinned, targets_of_mesh, targets_of_method};
pub use sides::Sides;
pub(crate) use task::{Displaced, DraggedPose, MadeShapes, ShapeTask, ShapeWork};

/// Why a shape cannot be made, named or removed, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError(pub String);

impl std::fmt::Display for ShapeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ShapeError {}

#[cfg(test)]
mod tests;

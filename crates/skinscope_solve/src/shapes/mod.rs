//! Corrective shapes: morph targets that put the skinned surface right in poses where skinning alone fails (Lewis, Cordner and Fong, "Pose
//! Space Deformation", 2000).
//!
//! A sculpt of the surface in a pose is taken back through the skin ([`PosedSkin::take_back`]), so that it becomes a morph target, which is
//! added before skinning, to normals too ([`direction_offsets`]). A [`Driver`] says by the rotations of some joints how much of each shape there is, and [`keys_of_weights`] writes
//! that down for a clip, since no program that plays glTF reads drivers.

mod directions;
mod dragged;
mod driver;
mod kept;
mod keys;
mod take_back;

pub use directions::{DirectionOffsets, ShapedSkin, direction_offsets};
pub use dragged::{DraggedError, DraggedPart, DraggedVertex, dragged_targets};
pub use driver::{Driver, DriverError};
pub use kept::{DrivenShapes, KeptShapesError, fitting_shapes, kept_shapes, kept_text};
pub use keys::{KeyedShapes, ShapeDriver, WeightKeys, keys_of_weights};
pub use take_back::{PosedSkin, TakenBack};

//! Weights from where the surface should be.
//!
//! Linear blending puts a vertex at the sum of its *ghosts*, the places to which each joint alone would take it ([`Motion::ghosts`]), each
//! times the weight of its joint. Where the vertex should be in one pose or in several, its weights are therefore the solution of linear
//! least squares, over weights that are not negative and sum to one, of at most N joints: [`solve_rows`] solves a whole surface from
//! [`Example`]s (James and Twigg, "Skinning Mesh Animations", 2005; Le and Deng, "Smooth Skinning Decomposition with Rigid Bones", 2012),
//! [`drag()`] one vertex and those around it while it is dragged (Mohr, Tokheim and Gleicher, "Direct Manipulation of Interactive Character
//! Skins", 2003), and [`hull()`] says where a vertex can be at all. A [`PullField`] is what a drag on a model takes along.
//!
//! Where no weights would do, [`PosedSkin::take_back`] makes a morph target of a sculpt, and a [`Driver`] says by the rotations of joints how much of
//! it there is.
//!
//! The solver is that of [`skinscope_weights::least_squares`]: which joints have weight is chosen exactly, by branch and bound, but for rows
//! that would take too many trials; those get the best choice that was found, and are counted ([`Solution::unproven`]). Nothing here knows of
//! files, windows or sessions.

#![forbid(unsafe_code)]

mod baking;
mod candidates;
mod drag;
mod edges;
mod example;
mod gain;
mod hull;
mod layout;
mod meshes;
mod motion;
mod poses;
mod pull;
mod pulled;
mod row;
mod rows;
mod shapes;
mod spread;
#[cfg(test)]
mod tests;
mod whole;

pub use baking::{ShownPrimitive, method_examples, method_poses, shown_primitives};
pub use candidates::Joints;
pub use drag::{Drag, DragPose, Dragged, DraggedRow, Follower, drag};
pub use edges::hull_edges;
pub use example::{Deviation, Example};
pub use gain::{Gain, JointGain, LeftOver, gained};
pub use hull::{Hull, hull};
pub use layout::{Layout, LayoutError};
pub use meshes::{ExampleError, ExampleMesh, ExampleSet, MeshOrder, MeshPoints, table_of};
pub use motion::{Motion, Posed, shown_by};
pub use poses::{MethodSurface, PoseKind, poses_of};
pub use pull::{Pin, PullField, PullSettings};
pub use pulled::Pulled;
pub use row::Outcome;
pub use rows::{Problem, Solution, SolveSettings, solve_rows};
pub use shapes::{
    DirectionOffsets, DraggedError, DraggedPart, DraggedVertex, DrivenShapes, Driver, DriverError, KeptShapesError,
    KeyedShapes, PosedSkin, ShapeDriver, ShapedSkin, TakenBack, WeightKeys, direction_offsets, dragged_targets,
    fitting_shapes, kept_shapes, kept_text, keys_of_weights,
};
pub use whole::{PrimitiveExamples, Solved, as_stored, solve_all};

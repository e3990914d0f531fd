//! Automatic binding: the weights of a mesh, found from its shape and its skeleton alone.
//!
//! A [`BindProblem`] has points, triangles and joints in one space, as they stand when the mesh is bound. A [`Binder`], one row of
//! [`BINDERS`], gives every point shares of the joints; [`bind()`] runs it between the [`RULES`], which say which joints may have weight at all and
//! what has to agree afterwards. Nothing here knows of models, files, poses or windows.
//!
//! Results do not depend on the number of threads nor on the order of points and triangles, and a rigid motion or a uniform scale of the
//! whole problem changes them by no more than rounding: all lengths are measured in the size of the mesh.

#![forbid(unsafe_code)]

mod after;
mod bind;
mod bind_shape;
mod binder;
mod bones;
mod couplings;
mod envelope;
mod error;
mod factor;
mod fills;
mod frame;
mod heat;
mod islands;
mod line;
#[cfg(test)]
mod meshes_for_tests;
mod mirror;
mod nearest;
mod problem;
mod progress;
mod rows;
mod rules;
mod settings;
mod shape;
mod sight;
mod solver;
mod source;
mod surface;
mod system;
#[cfg(test)]
mod tests;
mod voxel;

pub use bind::bind;
pub use bind_shape::{BindShape, Capsule, JointPlane, ShapeForm};
pub use binder::{Binder, BinderParameter};
pub use error::BindError;
pub use problem::{Applied, BindProblem, Bound, Fallback, Joint};
pub use progress::stage;
pub use rules::{RULES, Rule};
pub use settings::{BindSettings, ENVELOPE_RANGES};

/// All methods; the first is the default.
pub static BINDERS: &[&Binder] = &[&heat::HEAT, &voxel::VOXEL, &envelope::ENVELOPE, &line::LINE, &nearest::NEAREST];

/// Finds a method by its id.
#[must_use]
pub fn binder(id: &str) -> Option<&'static Binder> {
    BINDERS.iter().copied().find(|binder| binder.id == id)
}

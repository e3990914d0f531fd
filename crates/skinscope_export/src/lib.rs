//! Writes posed surfaces and pictures as files.
//!
//! Knows models, poses and methods; nothing of windows or GPUs, though surfaces that were deformed there can be written
//! too.

#![forbid(unsafe_code)]

pub mod film;
pub mod glb;
mod mesh_format;
mod missing_normals;
mod obj;
pub mod picture;
mod ply;
mod posed_glb;
pub mod recording;
mod skinned_glb;
mod stl;
mod surface;
mod textures;

pub use mesh_format::MeshFormat;
pub use missing_normals::MissingNormals;
pub use obj::write_obj;
pub use ply::write_ply;
pub use posed_glb::write_glb;
pub use skinned_glb::write_skinned_glb;
pub use surface::{BakedPrimitive, baked_primitive, baked_primitives, baked_surface, resting_points};

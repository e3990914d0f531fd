//! Skinscope opens any skinned glTF model, shows exactly how each joint moves each vertex, and lets you pose it.
//!
//! # Words
//! *Skeleton*: the node hierarchy. *Joint*: a node that some skin refers to (a *bone* is only the segment drawn between
//! two joints). *Rest pose*: the node transforms stored in the file. *Bind pose*: what the inverse bind matrices invert;
//! the two can differ. *Local pose*: a TRS per node, relative to its parent. *Model pose*: an affine matrix per node.
//! *Palette*: one skinning matrix per joint, `model_from_mesh = model_from_node[joint] * inverse_bind`.
//! *Clip* → *channels* → *samplers*. *Influence*: a (joint, weight) pair of a vertex. *Method*: one way to deform a
//! vertex with a palette.
//!
//! # Spaces and units
//! *mesh* (as stored), *node*, *model* (root of the file, also *world*), *view*, *clip*. Matrices read like fractions:
//! `world_from_view`. Right-handed, +Y up, metres, seconds (`_secs`), radians unless a name says degrees.
//!
//! # Crates
//! This crate is the program: the window ([`app`]) and the command line ([`cli`]). Everything else is in crates of its own, which stand here
//! under short names. `ARCHITECTURE.md` draws which depends on which, and says what each must never know; Cargo keeps it, and
//! `tests/it/architecture.rs` holds the table.
//!
//! Two modules measure what a pose does to a surface. [`deform::Patch`] measures the surroundings of one joint against limits and names each
//! fault, for the check of the range of motion. [`inspect::measure`] measures everything that is drawn in numbers without limits, for curves
//! and overlays.
//!
//! # The main types
//! A [`model::Model`] is immutable and checked once, by its builder. A [`model::LocalPose`] holds a TRS per node and
//! the morph weights of all instances; a stored matrix that is no TRS keeps its shear in
//! [`model::Skeleton::residuals`]. Keys that are read at one moment lie side by side in memory, each once
//! ([`model::Tracks`]). All palettes lie in one list, laid out by [`model::PaletteLayout`]: one for each skin, since
//! glTF ignores the transform of a skinned node, and one matrix for each rigid instance. [`deform::METHODS`] is the
//! table of methods; each packs a joint into as many `vec4`s as it needs, which shader and CPU reference both read. A
//! [`session::Session`] owns what is open and changes only by [`session::Command`]s; a [`frame::Frame`] is one picture
//! as data. Edited weights ([`model::WeightEdits`]) are kept beside the stored ones, in pages of 16 vertices. On the
//! device joints and weights have buffers of their own, and only those that changed are sent. [`model::Origins`] says where each number of a model stands in its
//! file, for writing it back; nothing that draws reads it.
//!
//! # A frame, in one direction
//! event → `Command` → `Session::apply` → `Playback::advance` → [`anim::sample`] → pose edits →
//! [`anim::local_to_model`] → [`deform::palettes`] → [`session::Session::build_frame`] → `Renderer::draw` (the vertex shader deforms) → present.
//!
//! Vertices may also be deformed before they are drawn, once for a pose ([`deform::Deformer`]): by a compute shader, or by the
//! processor as a [`deform::Surface`]. All passes ask one function of the shaders where a vertex is (`placed` of
//! `shaders/common/deform.wgsl`), which deforms it or reads what was deformed. On the processor's side the surface of a pose is
//! computed when it is first asked for, once at most ([`session::Surfaces::surface`]); picture, picking, framing, the page of a
//! vertex and export read the same one. A method in which a vertex depends on its neighbours names a pass over the
//! surface ([`deform::Method::pass`]), and is then always deformed by the processor.
//!
//! A frame may have a second side ([`frame::Frame::compared`]): another method, other weights or another model, in a part of
//! the picture or in a half of it. The renderer keeps the buffers of each side, shares the model where both show the same,
//! and draws both into the same passes. The session decides what is compared ([`session::Comparison`]), and says how far
//! the two surfaces are apart ([`session::Surfaces::compared_surfaces`]).

#![forbid(unsafe_code)]

pub use skinscope_anim as anim;
#[cfg(feature = "window")]
pub mod app;
pub mod cli;
mod pose_files;
pub use skinscope_bind as bind;
pub use skinscope_deform as deform;
pub use skinscope_edit as edit;
pub use skinscope_examples as examples;
pub use skinscope_export as export;
pub use skinscope_export::recording as film;
pub use skinscope_inspect::compare;
/// Pictures as plain data, and how a session becomes one.
pub mod frame {
    pub use skinscope_frame::*;

    pub use crate::session::frame::{SceneColors, ShownBounds, grid_unit, shown_bounds};
}
pub use skinscope_anim::pose;
pub use skinscope_base::math;
pub use skinscope_base::output;
pub use skinscope_base::parallel;
pub use skinscope_base::trace;
pub use skinscope_base::words;
pub use skinscope_edit::writeback;
pub use skinscope_import as import;
pub use skinscope_inspect as inspect;
pub use skinscope_model as model;
pub use skinscope_paint as paint;
#[cfg(feature = "window")]
pub use skinscope_render as render;
pub use skinscope_session as session;
pub use skinscope_solve as solve;
pub use skinscope_weights as weights;

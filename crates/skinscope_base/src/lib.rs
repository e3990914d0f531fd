//! What every other crate of Skinscope builds on: mathematics on glam ([`math`]), threads and background jobs ([`parallel`]), and files
//! that are written whole or not at all ([`output`]).
//!
//! This crate knows nothing of models, glTF, devices or windows.

pub mod math;
pub mod output;
pub mod parallel;

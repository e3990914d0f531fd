//! What every other crate of Skinscope builds on: mathematics on glam ([`math`]), threads and background jobs
//! ([`parallel`]), JSON texts ([`json`]), numbers with their nouns ([`words`]), text forms of values ([`text_form`]),
//! words of enumerations ([`choices!`]), text of other programs ([`encoding`]), what a file is that was taken for another ([`file_kind`]),
//! memory for large lists ([`memory`]), the environment of the process ([`environment`]), what the parts of a frame
//! cost ([`trace`]), and files that are written
//! whole or not at all ([`output`]).
//!
//! This crate knows nothing of models, glTF, devices or windows.

mod choices;
pub mod encoding;
pub mod environment;
pub mod file_kind;
pub mod json;
pub mod math;
pub mod memory;
pub mod output;
pub mod parallel;
pub mod text_form;
pub mod trace;
pub mod words;

//! Tests of the session that need several of its parts, a file for each subject.

mod bare;
mod beside;
mod binding;
mod commands;
mod comparison;
mod controls;
mod edits;
mod environment;
mod far;
mod findings;
mod gained;
mod gestures;
mod held;
mod marking;
mod measuring;
mod parts;
mod placing;
mod presets;
mod random_clips;
mod session_files;
pub(crate) mod sessions;
mod tools;
mod unmatched;
mod versions;
mod view_history;
mod ways;
mod work;

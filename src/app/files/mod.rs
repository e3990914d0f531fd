//! Files in the window: models, session files, poses, clips and exports are read and written beside the pictures, the open file is followed,
//! and what no file has yet is kept for the case of a crash.

pub(super) mod asked_files;
pub(super) mod autosave;
mod clips;
pub(super) mod donor;
mod dress;
pub(super) mod dropped;
pub(super) mod environment;
pub(super) mod examples;
mod export_job;
mod exports;
mod file_changes;
pub(super) mod file_dialog;
pub(super) mod file_names;
mod folder;
pub(super) mod leaving;
mod leftovers;
pub(super) mod library;
pub(super) mod load_job;
pub(super) mod on_disk;
pub(super) mod opening;
mod placed;
mod poses;
pub(super) mod recent_pictures;
pub(super) mod save_job;
pub(super) mod saved_layers;
mod saving;
pub(super) mod second_model;
pub(super) mod session_files;
mod sessions;
mod showing;
mod strokes;
mod watch;
mod watched_folders;

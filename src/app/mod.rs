//! The window.

pub mod ui;

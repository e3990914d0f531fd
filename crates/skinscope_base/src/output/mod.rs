//! Writes files, and lines on standard error. Every other module writes through this one.
//!
//! A file appears under its name whole or not at all ([`NewFile`]), several that belong together at once ([`NewFiles`],
//! [`write_together`]), and none ever replaces a file that the same run has read ([`overwritten`]). Only a [`LineLog`]
//! grows under its name. A test (`tests/it/architecture.rs`) fails where another module writes a file.

mod capture;
mod hard_links;
mod identity;
mod line_log;
mod lock;
mod nameless;
mod new_file;
mod new_files;
mod signals;
mod temporary;
mod together;

use std::fmt::Display;
use std::io::{self, Write};

pub use capture::{Captured, captured};
pub use hard_links::other_links;
pub use identity::{Overwritten, is_stdout, overwritten, overwritten_by_stdout};
pub use line_log::LineLog;
pub use lock::Lock;
pub use new_file::{NewFile, remove, rename_new, take_back, write, write_new};
pub use new_files::NewFiles;
pub use signals::{leave_signals, report_large_files};
pub use together::{NotWritten, Replacing, write_together};

/// Writes `skinscope: `, `line` and a line break to standard error. Where nothing reads standard error any more the
/// line is lost, which does not end the program, as `eprintln!` would.
pub fn say(line: impl Display) {
    let line = format!("skinscope: {line}\n");
    if !capture::write(capture::Stream::Error, line.as_bytes()) {
        let _unheard = io::stderr().write_all(line.as_bytes());
    }
}

/// Writes to standard output, and flushes it.
///
/// # Errors
/// The output takes no more: a full disk, a pipe that nobody reads any more.
pub fn print(text: &str) -> io::Result<()> {
    if capture::write(capture::Stream::Output, text.as_bytes()) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

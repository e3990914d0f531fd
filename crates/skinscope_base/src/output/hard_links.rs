//! Files that have several names (hard links), and how they are written so that they stay one file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Returns how many names the file at `path` has beside the one that is given, symbolic links followed: a file that takes its place leaves
/// what was there to them. 0 where there is no file, and on systems that do not say.
#[must_use]
pub fn other_links(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |facts| if facts.is_file() { names(&facts).saturating_sub(1) } else { 0 })
}

#[cfg(unix)]
fn names(facts: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(facts)
}

#[cfg(not(unix))]
fn names(_: &fs::Metadata) -> u64 {
    1
}

/// Writes what is in the file `whole` into the one at `target`, which stays the file that it is under all of its names.
///
/// # Errors
/// The disk does not take all of it; the target then has a part of it.
pub(super) fn write_into(whole: &Path, target: &Path) -> io::Result<()> {
    let mut from = File::open(whole)?;
    let mut to = OpenOptions::new().write(true).truncate(true).open(target)?;
    io::copy(&mut from, &mut to)?;
    match to.sync_all() {
        // Some file systems have no way to flush.
        Err(error) if !matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => Err(error),
        _ => Ok(()),
    }
}

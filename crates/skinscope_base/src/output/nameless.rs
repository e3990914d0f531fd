//! Files that have no name while they are written, so that a killed process leaves nothing of them: the system takes back the space of a
//! file that has neither a name nor a process. Linux alone has them (`O_TMPFILE`), and not on every file system.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens a new file without a name in a folder; `None` where there is no such thing.
#[cfg(target_os = "linux")]
pub(super) fn open(folder: &Path, replaced: Option<&Metadata>) -> Option<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

    let mut options = std::fs::OpenOptions::new();
    // It is read where it cannot be given a name.
    options.read(true).write(true).custom_flags(rustix::fs::OFlags::TMPFILE.bits().cast_signed());
    if let Some(replaced) = replaced {
        options.mode(replaced.mode() & 0o777);
    }
    let file = options.open(folder).ok()?;
    // Its name will be given through here, which not every system shows.
    std::fs::metadata(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    // Once it has a name, other processes take it for one that was left behind unless it carries a lock.
    let _locked = file.try_lock();
    Some(file)
}

/// Gives a file without a name this one, which no other file may have.
#[cfg(target_os = "linux")]
pub(super) fn name(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};

    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_: &Path, _: Option<&Metadata>) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn name(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

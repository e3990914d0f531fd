//! Files that tell whether the process that made them is still there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A file that this process holds a lock on for as long as this lives. The system lets go of the lock when the process ends,
/// however that comes about; the file stays then, as a trace.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Makes the file, or takes over one that an ended process has left; `None` where another process holds it, or where the
    /// file system knows no locks.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), _file: file })),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => Ok(None),
        }
    }

    /// Removes the file.
    pub fn remove(self) {
        // An empty file too many is all that is lost.
        let _left = fs::remove_file(&self.path);
    }
}

//! Lock files, which show whether the process that made them is still running.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A file that this process has locked for as long as this value lives. The system releases the lock when the process
/// ends, however it ends; the file then stays as a trace of it.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Makes the lock file, or takes over one whose process has ended; `None` where another process has it locked, or
    /// where the file system has no locks.
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

    /// Removes the file and releases the lock.
    pub fn remove(self) {
        // An empty file too many is all that is lost.
        let _left = fs::remove_file(&self.path);
    }
}

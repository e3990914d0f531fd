//! The names of what is being written, next to the paths that it will have, and the removal of what killed processes have
//! left behind.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The beginning and the end of the names of temporary files; the numbers of the process and of the file stand between.
const PREFIX: &str = ".skinscope-";
const SUFFIX: &str = ".tmp";

/// The file in a hidden folder that carries a lock for as long as the folder is in use.
pub(super) const LOCK: &str = "lock";

/// Returns a path in `folder` that no other file of this process has.
pub(super) fn hidden_path(folder: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{PREFIX}{}-{number}{SUFFIX}", std::process::id()))
}

/// Returns whether a path is one of [`hidden_path`], of whatever process.
pub(super) fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let middle = name.and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| rest.strip_suffix(SUFFIX));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    middle.and_then(|middle| middle.split_once('-')).is_some_and(|(a, b)| is_number(a) && is_number(b))
}

/// Removes temporary files and hidden folders of processes that were killed: those that nobody holds a lock on.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(kind) = entry.file_type().ok().filter(|_| is_hidden(&path)) else { continue };
        if kind.is_dir() {
            sweep_folder(&path);
        } else if kind.is_file() && is_free(&path) == Some(true) {
            let _left = fs::remove_file(&path);
        }
    }
}

/// Returns whether nobody holds a lock on a file; `None` where it cannot be opened.
fn is_free(path: &Path) -> Option<bool> {
    let file = OpenOptions::new().write(true).open(path).ok()?;
    Some(file.try_lock().is_ok())
}

fn sweep_folder(hidden: &Path) {
    let _left = match is_free(&hidden.join(LOCK)) {
        Some(true) => fs::remove_dir_all(hidden),
        Some(false) => Ok(()),
        // Where it is empty it may have just been made, by a process that will notice this.
        None => fs::remove_dir(hidden),
    };
}

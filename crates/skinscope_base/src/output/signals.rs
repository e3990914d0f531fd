//! Removes half-written files when a signal ends the program.

#[cfg(not(unix))]
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
pub(super) use unix::{forget, watch};

#[cfg(not(unix))]
pub(super) fn watch(_: &Path) {}

#[cfg(not(unix))]
pub(super) fn forget(_: &Path) {}

/// Whether signals are the business of the program that this library is in.
static LEFT: AtomicBool = AtomicBool::new(false);

/// Leaves all signals as they are from now on, for a library within another program that has handlers of its own. Where one of them ends that
/// program, a half-written file stays, and the next write removes it.
pub fn leave_signals() {
    LEFT.store(true, Ordering::Relaxed);
}

/// Makes writing beyond the system's limit of file size (`ulimit -f`) an error, like that of a full disk. Without this
/// the system ends the program there.
pub fn report_large_files() {
    #[cfg(unix)]
    {
        use std::sync::Arc;
        // Any handler is enough; where none can be set nothing changes.
        let _set = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}

#[cfg(unix)]
mod unix {
    use std::path::{Path, PathBuf};
    use std::sync::atomic::Ordering;
    use std::sync::mpsc::channel;
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::super::temporary::is_hidden;
    use super::LEFT;

    /// The temporary files of this process.
    static WATCHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

    fn watched() -> MutexGuard<'static, Vec<PathBuf>> {
        WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a file: from now on a signal that ends the program removes it first.
    pub fn watch(path: &Path) {
        static STARTED: Once = Once::new();
        if !LEFT.load(Ordering::Relaxed) {
            STARTED.call_once(start);
        }
        watched().push(path.to_owned());
    }

    /// Unregisters a file that has its final path, or removed.
    pub fn forget(path: &Path) {
        watched().retain(|watched| watched != path);
    }

    fn start() {
        let (ready, is_ready) = channel();
        let work = move || {
            // Signals that the parent has made ignored (nohup, a job in the background) stay ignored.
            let ignored = ignored();
            let all = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
            let signals = Signals::new(all.into_iter().filter(|s| ignored & (1 << (s - 1)) == 0));
            // The other end of the channel waits.
            let _sent = ready.send(());
            if let Ok(mut signals) = signals {
                signals.forever().for_each(end);
            }
        };
        // Without the thread signals end the program as usual, and the next write removes what is left.
        if std::thread::Builder::new().name("signals".into()).spawn(work).is_ok() {
            let _is_set = is_ready.recv();
        }
    }

    /// Removes half-written files, and ends the program as the signal would have.
    fn end(signal: i32) {
        // The lock is held to the end, so that no file is begun after these are removed.
        let watched = watched();
        // Hidden folders stand behind the folders that were made for them.
        for path in watched.iter().rev() {
            let _gone = match path.is_dir() {
                true if is_hidden(path) => remove_hidden(path),
                true => std::fs::remove_dir(path),
                false => std::fs::remove_file(path),
            };
        }
        let _ended = emulate_default_handler(signal);
    }

    /// Removes a hidden folder with all that is in it. Another thread may put one more file there meanwhile, so that the
    /// folder is not empty when it is to go; it cannot do so once the folder is gone.
    fn remove_hidden(folder: &Path) -> std::io::Result<()> {
        const MOST: usize = 100;
        for _ in 1..MOST {
            if std::fs::remove_dir_all(folder).is_ok() {
                return Ok(());
            }
        }
        std::fs::remove_dir_all(folder)
    }

    /// Returns the signals that this process ignores, a bit for each from 1 on. Only Linux tells them without unsafe
    /// code.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

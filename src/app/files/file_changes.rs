//! Waits until files change.
//!
//! The system says when something happens in their folders, so that nothing runs until then. Where it cannot (it has no such
//! service, too many folders are watched, or the files lie on another machine, whose changes it does not see), lengths and
//! times of the files are read twice a second, which takes some microseconds. A file that is being written is left alone until
//! it has been the same for a moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::parallel::JobContext;
use crate::writeback::Stamps;

/// The time between two looks at files of which the system does not say when they change.
const PAUSE: Duration = Duration::from_millis(500);
/// How long files must be the same after a change before they are read.
const QUIET: Duration = Duration::from_millis(100);

/// Waits until files differ from what they were at `then`, and have been the same for a moment. Returns what they are like now, or
/// `None` once the job is cancelled.
pub(crate) fn wait_for_change(then: &Stamps, context: &JobContext) -> Option<Stamps> {
    let mut signals = Signals::of(then, context);
    let mut last = then.clone();
    loop {
        let now = then.taken_again();
        let is_settled = now == last;
        if is_settled && now != *then && now.has_own() {
            return Some(now);
        }
        last = now;
        if is_settled {
            signals.wait();
        } else {
            std::thread::sleep(QUIET);
        }
        if context.is_cancelled() {
            return None;
        }
    }
}

/// Why a waiting thread wakes up.
enum Signal {
    /// Something happened in a folder of the files, or the job was cancelled.
    Look,
    /// A folder is gone, or the system has lost track.
    Lost,
}

/// What wakes a thread that waits for changes of files.
struct Signals {
    sent: Receiver<Signal>,
    /// Watches the folders; `None` where the files are looked at from time to time.
    watcher: Option<RecommendedWatcher>,
}

impl Signals {
    fn of(files: &Stamps, context: &JobContext) -> Self {
        let (sender, sent) = channel();
        let cancelled = sender.clone();
        context.on_cancel(move || {
            let _the_thread_has_ended = cancelled.send(Signal::Look);
        });
        let folders = folders(files.paths());
        let is_local = !folders.iter().any(|folder| is_remote(folder));
        Self { sent, watcher: is_local.then(|| watch(&folders, sender)).flatten() }
    }

    /// Returns when files may have changed, or when the job is cancelled.
    fn wait(&mut self) {
        if self.watcher.is_none() {
            let _time_is_over = self.sent.recv_timeout(PAUSE);
            return;
        }
        match self.sent.recv() {
            Ok(Signal::Look) => {}
            Ok(Signal::Lost) | Err(_) => self.watcher = None,
        }
        // Much of what happened is seen by one look.
        for signal in self.sent.try_iter() {
            if matches!(signal, Signal::Lost) {
                self.watcher = None;
            }
        }
    }
}

/// Returns the folders in which files change: their own, and where a path is a link, that of the file it leads to. A file that
/// is replaced by another of the same name is a change of its folder and not of the file.
fn folders<'f>(files: impl Iterator<Item = &'f Path>) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::new();
    for file in files {
        for path in [Some(file.to_owned()), file.canonicalize().ok()].into_iter().flatten() {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            out.insert(folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        }
    }
    out
}

/// Returns whether what an event names is no longer there under its name.
fn is_gone(kind: EventKind) -> bool {
    matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)))
}

/// Watches the folders; `None` where the system cannot watch all of them.
fn watch(folders: &BTreeSet<PathBuf>, sender: Sender<Signal>) -> Option<RecommendedWatcher> {
    let watched = folders.clone();
    let notify = move |event: notify::Result<notify::Event>| {
        let signal = match event {
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
            Ok(event) if event.need_rescan() => Signal::Lost,
            Ok(event) if is_gone(event.kind) && event.paths.iter().any(|path| watched.contains(path)) => Signal::Lost,
            Ok(_) => Signal::Look,
            Err(_) => Signal::Lost,
        };
        let _the_thread_has_ended = sender.send(signal);
    };
    let mut watcher = notify::recommended_watcher(notify).ok()?;
    for folder in folders {
        watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    }
    Some(watcher)
}

/// Returns whether a folder may be changed by another machine without this system's knowledge.
#[cfg(target_os = "linux")]
fn is_remote(folder: &Path) -> bool {
    // The numbers of network and user-space file systems, from <linux/magic.h> and the file systems' own sources.
    const AFS: i64 = 0x5346_414f;
    const CEPH: i64 = 0x00c3_6400;
    const CIFS: i64 = 0xff53_4d42;
    const CODA: i64 = 0x7375_7245;
    const FUSE: i64 = 0x6573_5546;
    const NCP: i64 = 0x564c;
    const NFS: i64 = 0x6969;
    const PLAN_9: i64 = 0x0102_1997;
    const SMB: i64 = 0x517b;
    const SMB_2: i64 = 0xfe53_4d42;
    const VBOX: i64 = 0x786f_4256;
    const REMOTE: [i64; 11] = [AFS, CEPH, CIFS, CODA, FUSE, NCP, NFS, PLAN_9, SMB, SMB_2, VBOX];
    // The field is narrower on some processors, so that only 32 bits count.
    rustix::fs::statfs(folder).is_ok_and(|facts| REMOTE.iter().any(|known| *known as u32 == facts.f_type as u32))
}

#[cfg(not(target_os = "linux"))]
fn is_remote(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;
    use crate::parallel::Job;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_watch_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_change_is_reported_once_the_files_are_the_same_for_a_moment() {
        let folder = folder("change");
        let [model, buffer] = ["model.gltf", "model.bin"].map(|name| folder.join(name));
        fs::write(&model, "model").unwrap();
        let mut then = Stamps::of(&model);
        // It is not there yet: when it comes, that is a change.
        then.add([buffer.as_path()]);
        let watched = then.clone();
        let job = Job::start("watch", Arc::new(|| ()), move |context| wait_for_change(&watched, context));
        std::thread::sleep(2 * PAUSE);
        assert!(!job.is_done(), "nothing has changed");
        // It grows for longer than the pause between two looks.
        let mut text = String::new();
        for _ in 0..40 {
            text += "0123456789";
            fs::write(&buffer, &text).unwrap();
            std::thread::sleep(QUIET / 4);
            assert!(!job.is_done(), "it is not whole");
        }
        // An exporter may remove the old file before it writes the new one.
        fs::remove_file(&model).unwrap();
        std::thread::sleep(3 * QUIET);
        assert!(!job.is_done(), "there is no file to be read");
        fs::write(&model, "another").unwrap();
        while !job.is_done() {
            std::thread::sleep(QUIET / 4);
        }
        let Some(Some(now)) = job.take() else { panic!("no change") };
        assert!(now != then && now == then.taken_again());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Starts to wait for changes of a file that is there.
    fn waiting(path: &Path) -> Job<Option<Stamps>> {
        let watched = Stamps::of(path);
        Job::start("watch", Arc::new(|| ()), move |context| wait_for_change(&watched, context))
    }

    #[test]
    fn a_file_that_another_is_renamed_to_has_changed_also_through_a_link() {
        let folder = folder("renamed");
        let elsewhere = folder.join("elsewhere");
        fs::create_dir_all(&elsewhere).unwrap();
        let [model, beside] = ["model.glb", "beside"].map(|name| elsewhere.join(name));
        fs::write(&model, "model").unwrap();
        let link = folder.join("link.glb");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&model, &link).unwrap();
        #[cfg(not(unix))]
        fs::write(&link, "model").unwrap();
        let jobs = [waiting(&model), waiting(if cfg!(unix) { &link } else { &model })];
        std::thread::sleep(PAUSE);
        assert!(jobs.iter().all(|job| !job.is_done()));
        fs::write(&beside, "another model").unwrap();
        fs::rename(&beside, &model).unwrap();
        for job in jobs {
            while !job.is_done() {
                std::thread::sleep(QUIET / 4);
            }
            assert!(job.take().flatten().is_some());
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_removed_and_made_again_is_looked_at() {
        let folder = folder("removed");
        let model = folder.join("model.glb");
        fs::write(&model, "model").unwrap();
        let job = waiting(&model);
        std::thread::sleep(QUIET);
        fs::remove_dir_all(&folder).unwrap();
        std::thread::sleep(2 * QUIET);
        assert!(!job.is_done());
        fs::create_dir_all(&folder).unwrap();
        fs::write(&model, "another model").unwrap();
        while !job.is_done() {
            std::thread::sleep(QUIET / 4);
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_thread_that_waits_ends_when_it_is_cancelled() {
        let folder = folder("cancelled");
        let model = folder.join("model.glb");
        fs::write(&model, "model").unwrap();
        let job = waiting(&model);
        std::thread::sleep(QUIET);
        let before = Instant::now();
        job.cancel();
        while !job.is_done() {
            assert!(before.elapsed() < Duration::from_secs(60), "it still waits");
            std::thread::sleep(QUIET / 20);
        }
        assert!(matches!(job.take(), Some(None)));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The system tells of changes here, so that nothing runs meanwhile.
    #[test]
    #[cfg(target_os = "linux")]
    fn folders_of_this_machine_are_watched_by_the_system() {
        let folder = folder("system");
        let model = folder.join("model.glb");
        fs::write(&model, "model").unwrap();
        let mut signals = Signals::of(&Stamps::of(&model), &JobContext::of_waiting());
        assert!(signals.watcher.is_some());
        // Reading is no change.
        assert_eq!(fs::read(&model).unwrap(), b"model");
        std::thread::sleep(QUIET);
        assert!(signals.sent.try_recv().is_err());
        fs::write(&model, "another").unwrap();
        signals.wait();
        assert!(signals.watcher.is_some());
        fs::remove_dir_all(&folder).unwrap();
    }
}

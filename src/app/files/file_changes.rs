//! Waits until files change.
//!
//! The system says when something happens in their folders, so that nothing runs until then. Where it cannot (it has no such
//! service, too many folders are watched, or the files lie on another machine, whose changes it does not see), lengths and
//! times of the files are read twice a second, which takes some microseconds. A file that is being written is left alone until
//! it is whole and has been the same for a moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::import::Options;
use crate::parallel::JobContext;
use crate::session::Source;
use crate::writeback::Stamps;

/// The time between two looks at files of which the system does not say when they change.
const PAUSE: Duration = Duration::from_millis(500);
/// How long files must be the same after a change before they are read.
const QUIET: Duration = Duration::from_millis(100);
/// How long files must be the same before one that is cut off is read as it is, and an error says so: by then nobody writes it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits until files differ from what they were at `then`, are whole, and have been the same for a moment. `is_cut_off` says whether one
/// ends too early, which is then left alone until it grows no more. Returns what they are like now, or `None` once the job is cancelled.
pub(crate) fn wait_for_change(then: &Stamps, is_cut_off: &dyn Fn() -> bool, context: &JobContext) -> Option<Stamps> {
    let mut signals = Signals::of(then, context);
    let (mut last, mut since) = (then.clone(), Instant::now());
    loop {
        let now = then.taken_again();
        let is_settled = now == last;
        let is_changed = now != *then && now.has_own();
        if is_settled && is_changed && (since.elapsed() >= PATIENCE || !is_cut_off()) {
            return Some(now);
        }
        if !is_settled {
            (last, since) = (now, Instant::now());
        }
        if is_settled && !is_changed {
            signals.wait();
        } else {
            std::thread::sleep(QUIET);
        }
        if context.is_cancelled() {
            return None;
        }
    }
}

/// Waits while a file that is about to be opened is still being written: until it is whole, with the buffers that it names, and nothing
/// of it has changed for a moment. What was written long ago is not waited for, nor is what stays cut off. `waits` is called while a file
/// is cut off. Returns what the file is like where it has changed meanwhile.
pub(crate) fn wait_until_whole(
    source: &Source,
    options: &Options,
    waits: &dyn Fn(),
    context: &JobContext,
) -> Option<Stamps> {
    let path = source.path()?;
    let look = || {
        let mut stamps = Stamps::of(&path);
        stamps.add(source.named_files(options).iter().map(PathBuf::as_path));
        stamps
    };
    let first = look();
    let (mut last, mut since) = (first.clone(), Instant::now());
    loop {
        let rested = last.age().unwrap_or_default().max(since.elapsed());
        let is_cut_off = rested < PATIENCE && source.is_cut_off(options);
        let needed = if is_cut_off { PATIENCE } else { QUIET };
        if rested >= needed || context.is_cancelled() {
            return (last != first).then(|| Stamps::of(&path));
        }
        if is_cut_off {
            waits();
        }
        std::thread::sleep(QUIET.min(needed - rested));
        let now = look();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// Returns whether a file was written so short a time ago that it may still be being written.
pub(crate) fn is_fresh(path: &Path) -> bool {
    Stamps::of(path).age().is_some_and(|age| age < PATIENCE)
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
        let job = Job::start("watch", Arc::new(|| ()), move |context| wait_for_change(&watched, &|| false, context));
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
        Job::start("watch", Arc::new(|| ()), move |context| wait_for_change(&watched, &|| false, context))
    }

    /// Writes the bytes of a model in pieces, with longer rests than those after which a file counts as settled.
    fn write_slowly(path: &Path, bytes: &[u8], mut look: impl FnMut(usize)) {
        let mut file = fs::File::create(path).unwrap();
        for end in [0, 8, 600, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
            let start = file.metadata().unwrap().len() as usize;
            std::io::Write::write_all(&mut file, &bytes[start..end]).unwrap();
            look(end);
        }
    }

    fn wait_for_end<T: Send + 'static>(job: Job<T>) -> T {
        let start = Instant::now();
        while !job.is_done() {
            assert!(start.elapsed() < Duration::from_secs(60), "it still waits");
            std::thread::sleep(QUIET / 20);
        }
        job.take().unwrap()
    }

    #[test]
    fn a_file_that_grows_in_steps_is_left_alone_until_it_is_whole_while_it_is_followed_and_when_it_is_opened() {
        let folder = folder("grows");
        let model = folder.join("model.glb");
        fs::write(&model, "model").unwrap();
        let bytes = Source::BuiltIn.built_in_bytes().unwrap();
        let (source, options) = (Source::File(model.clone()), Options::default());
        let watched = Stamps::of(&model);
        let (of_watch, options_of_watch) = (source.clone(), options.clone());
        let following = Job::start("watch", Arc::new(|| ()), move |context| {
            wait_for_change(&watched, &|| of_watch.is_cut_off(&options_of_watch), context)
        });
        let mut opening = None;
        write_slowly(&model, bytes, |end| {
            let (source, options) = (source.clone(), options.clone());
            let work = move |context: &JobContext| wait_until_whole(&source, &options, &|| context.wake(), context);
            opening.get_or_insert_with(|| Job::start("open", Arc::new(|| ()), work));
            if end < bytes.len() {
                std::thread::sleep(4 * QUIET);
                assert!(!following.is_done(), "followed: {end} bytes are not all");
                assert!(opening.as_ref().is_some_and(|job| !job.is_done()), "opened: {end} bytes are not all");
            }
        });
        assert_eq!(wait_for_end(following), Some(Stamps::of(&model)));
        assert_eq!(wait_for_end(opening.unwrap()), Some(Stamps::of(&model)), "it was waited for");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_was_cut_off_long_ago_and_a_whole_one_are_opened_at_once() {
        let folder = folder("cut");
        let model = folder.join("model.glb");
        let bytes = Source::BuiltIn.built_in_bytes().unwrap();
        let long_ago = std::time::SystemTime::now() - 2 * PATIENCE;
        for end in [bytes.len() / 2, bytes.len()] {
            fs::write(&model, &bytes[..end]).unwrap();
            assert!(is_fresh(&model));
            fs::File::options().write(true).open(&model).unwrap().set_modified(long_ago).unwrap();
            assert!(!is_fresh(&model));
            let waits = || panic!("it is waited for");
            let context = JobContext::of_waiting();
            let source = Source::File(model.clone());
            assert_eq!(wait_until_whole(&source, &Options::default(), &waits, &context), None);
        }
        fs::remove_dir_all(&folder).unwrap();
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

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

use super::watched_folders::{folders, is_remote};
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
    let mut settling = Settling { last: then.clone(), since: Instant::now() };
    loop {
        match settling.look(then, then.taken_again(), Instant::now(), is_cut_off) {
            Seen::Changed(now) => return Some(now),
            Seen::Unchanged => signals.wait(then),
            Seen::Changing => std::thread::sleep(QUIET),
        }
        if context.is_cancelled() {
            return None;
        }
    }
}

/// Files that may be being written, as they were seen last.
struct Settling {
    last: Stamps,
    /// Since when they have been so.
    since: Instant,
}

/// What one look at files finds.
#[derive(Debug, PartialEq)]
enum Seen {
    /// They are as they were read.
    Unchanged,
    /// They differ, and are not known to be whole.
    Changing,
    /// They differ, are whole, and have been like this for a moment.
    Changed(Stamps),
}

impl Settling {
    /// Compares what files are like `now`, which is the time `at`, with what they were `then`.
    fn look(&mut self, then: &Stamps, now: Stamps, at: Instant, is_cut_off: &dyn Fn() -> bool) -> Seen {
        if now != self.last {
            (self.last, self.since) = (now, at);
            return Seen::Changing;
        }
        let (is_changed, rested) = (now != *then && now.has_own(), at.saturating_duration_since(self.since));
        match is_changed {
            false => Seen::Unchanged,
            true if rested >= PATIENCE || rested >= QUIET && !is_cut_off() => Seen::Changed(now),
            true => Seen::Changing,
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
    sender: Sender<Signal>,
    sent: Receiver<Signal>,
    /// The folders in which something may happen to the files ([`folders`]).
    folders: BTreeSet<PathBuf>,
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
        let mut out = Self { sender, sent, folders: BTreeSet::new(), watcher: None };
        out.watch(files);
        out
    }

    /// Watches the folders of the files as their paths lead now.
    fn watch(&mut self, files: &Stamps) {
        self.folders = folders(files.paths());
        let is_local = !self.folders.iter().any(|folder| is_remote(folder));
        self.watcher = is_local.then(|| watch(&self.folders, self.sender.clone())).flatten();
    }

    /// Returns when files may have changed, or when the job is cancelled.
    fn wait(&mut self, files: &Stamps) {
        if self.watcher.is_none() {
            let _time_is_over = self.sent.recv_timeout(PAUSE);
            return;
        }
        match self.sent.recv() {
            // A link that was led elsewhere leads through other folders.
            Ok(Signal::Look) if folders(files.paths()) != self.folders => self.watch(files),
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
    fn a_change_counts_once_the_files_are_the_same_for_a_moment() {
        let folder = folder("change");
        let [model, buffer] = ["model.gltf", "model.bin"].map(|name| folder.join(name));
        fs::write(&model, "model").unwrap();
        let mut then = Stamps::of(&model);
        // It is not there yet: when it comes, that is a change.
        then.add([buffer.as_path()]);
        let start = Instant::now();
        let mut settling = Settling { last: then.clone(), since: start };
        let mut look =
            |quiets: u32, cut: bool| settling.look(&then, then.taken_again(), start + quiets * QUIET, &|| cut);
        assert_eq!(look(50, false), Seen::Unchanged);
        // It grows for longer than files must rest.
        let mut text = String::new();
        for quiets in 51..60 {
            text += "0123456789";
            fs::write(&buffer, &text).unwrap();
            assert_eq!(look(quiets, false), Seen::Changing, "it is not whole");
        }
        // An exporter may remove the old file before it writes the new one.
        fs::remove_file(&model).unwrap();
        assert_eq!(look(60, false), Seen::Changing);
        assert_eq!(look(70, false), Seen::Unchanged, "there is no file to be read");
        fs::write(&model, "another").unwrap();
        assert_eq!(look(71, false), Seen::Changing);
        // What is cut off is waited for, but not for ever.
        assert_eq!(look(72, true), Seen::Changing);
        assert_eq!(look(72, false), Seen::Changed(then.taken_again()));
        assert_eq!(look(71 + 100, true), Seen::Changed(then.taken_again()));
        assert_eq!(100 * QUIET, PATIENCE);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn who_waits_hears_of_a_change() {
        let folder = folder("heard");
        let [model, buffer] = ["model.gltf", "model.bin"].map(|name| folder.join(name));
        fs::write(&model, "model").unwrap();
        let mut then = Stamps::of(&model);
        then.add([buffer.as_path()]);
        let watched = then.clone();
        let job = Job::start("watch", Arc::new(|| ()), move |context| wait_for_change(&watched, &|| false, context));
        fs::write(&buffer, "buffer").unwrap();
        let now = wait_for_end(job).unwrap();
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

    /// A folder with two versions of a model, and links of which each leads to the next: `a` to `b`, `b` to `current`, `current` to the
    /// first version.
    #[cfg(unix)]
    fn published(name: &str) -> (PathBuf, impl Fn(&str, &str)) {
        use std::os::unix::fs::symlink;
        let folder = folder(name);
        for version in ["v1", "v2"] {
            fs::create_dir_all(folder.join(version)).unwrap();
            // Both are as long and as old, as what a build makes may be.
            let model = folder.join(version).join("model.glb");
            fs::write(&model, version).unwrap();
            fs::File::options()
                .write(true)
                .open(&model)
                .unwrap()
                .set_modified(std::time::SystemTime::UNIX_EPOCH)
                .unwrap();
        }
        for (link, target) in [("current", "v1"), ("b", "current"), ("a", "b")] {
            symlink(target, folder.join(link)).unwrap();
        }
        let of_links = folder.clone();
        let lead = move |link: &str, target: &str| {
            let new = of_links.join("new");
            symlink(target, &new).unwrap();
            fs::rename(new, of_links.join(link)).unwrap();
        };
        (folder, lead)
    }

    #[test]
    #[cfg(unix)]
    fn links_anywhere_on_the_way_to_a_file_are_watched() {
        let (folder, lead) = published("links");
        let expected = |path: &str| folders([folder.join(path).as_path()].into_iter());
        let real = folder.canonicalize().unwrap();
        assert_eq!(expected("current/model.glb"), BTreeSet::from([real.clone(), real.join("v1")]));
        assert_eq!(expected("v2/../a/./model.glb"), BTreeSet::from([real.clone(), real.join("v1")]));
        for (path, link) in [("current/model.glb", "current"), ("a/model.glb", "b"), ("a/model.glb", "current")] {
            let job = waiting(&folder.join(path));
            std::thread::sleep(QUIET);
            assert!(!job.is_done(), "{path}");
            lead(link, "v2");
            assert!(wait_for_end(job).is_some(), "{path}, {link}");
            lead(link, if link == "b" { "current" } else { "v1" });
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    /// A link that is led elsewhere and back before it is looked at changes nothing, but afterwards other folders are watched.
    #[test]
    #[cfg(unix)]
    fn the_folders_that_are_watched_follow_the_links() {
        let (folder, lead) = published("follow");
        let path = folder.join("current/model.glb");
        let files = Stamps::of(&path);
        let mut signals = Signals::of(&files, &JobContext::of_waiting());
        if signals.watcher.is_none() {
            // The files are looked at from time to time, wherever the path leads.
            return fs::remove_dir_all(&folder).unwrap();
        }
        lead("current", "v2");
        let follows = |signals: &Signals| signals.folders.iter().any(|folder| folder.ends_with("v2"));
        for _ in 0..100 {
            if follows(&signals) {
                break;
            }
            // Where no signal comes the test fails: to wait for one has no end.
            let signal = signals.sent.recv_timeout(Duration::from_secs(10)).unwrap();
            signals.sender.send(signal).unwrap();
            signals.wait(&files);
        }
        assert!(follows(&signals) && signals.watcher.is_some(), "{:?}", signals.folders);
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
        signals.wait(&Stamps::of(&model));
        assert!(signals.watcher.is_some());
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! Follows the open file: once another program has changed it, or a file that it names, it is read again.
//!
//! The files are looked at twice a second: their lengths and times, no more. That works on every file system, network drives
//! included, and takes some microseconds. A file that is being written is left alone until it has been the same for a moment.

use std::path::PathBuf;
use std::time::Duration;

use super::App;
use super::report::Report;
use super::ui::ChangedStatus;
use crate::parallel::JobContext;
use crate::session::{Document, Source};
use crate::writeback::Stamps;

/// The time between two looks at files that do not change.
const PAUSE: Duration = Duration::from_millis(500);
/// How long files must be the same after a change, so that they are taken for whole.
const QUIET: Duration = Duration::from_millis(100);

/// Waits until files differ from what they were at `then`, and are whole as far as that can be seen; `None` where nobody wants
/// to know any more.
pub(super) fn wait_for_change(then: &Stamps, context: &JobContext) -> Option<Report> {
    let mut last = then.clone();
    loop {
        std::thread::sleep(if last == *then { PAUSE } else { QUIET });
        if context.is_cancelled() {
            return None;
        }
        let now = then.taken_again();
        if now != *then && now == last && now.has_own() {
            return Some(Report::FilesChanged(now));
        }
        last = now;
    }
}

impl App {
    /// Follows the open file where that is wanted and nothing else is about to read or write it.
    pub(super) fn follow_file(&mut self) {
        let is_free = self.status.loading.is_none() && self.status.saving.is_none() && self.coming.is_none();
        if self.ui.follows_files() && self.frame_timer.is_none() && self.followed_path().is_some() && is_free {
            self.jobs.watch(&self.seen);
        } else {
            self.jobs.stop_watching();
        }
    }

    /// The open file; where none is open, the one that could not be opened.
    fn followed_path(&self) -> Option<PathBuf> {
        match (self.session.document(), &self.source) {
            (Some(document), _) => document.path.clone(),
            (None, Source::File(path)) => Some(path.clone()),
            (None, Source::BuiltIn | Source::Example(_)) => None,
        }
    }

    /// The open file, or one that it names, is another than before. It is read again, or where there is unsaved work the user is asked first.
    pub(super) fn files_changed(&mut self, now: Stamps) {
        // Where that cannot be read it is tried again once it has changed again.
        self.seen = now;
        if self.followed_path().is_none() {
            return;
        }
        if self.session.has_unsaved_work() || self.session.is_trying() {
            let name = self.session.document().map(|document| document.model.source.name.clone());
            let work = self.session.unsaved_work();
            self.status.changed = Some(ChangedStatus { name: name.unwrap_or_default(), work });
        } else {
            self.answer_changed(true);
        }
    }

    /// Reads the file that has changed, or keeps what is open.
    pub(super) fn answer_changed(&mut self, take: bool) {
        self.status.changed = None;
        if let Some(path) = self.followed_path().filter(|_| take) {
            self.follows = true;
            self.load(Source::File(path));
        }
    }

    /// A file could not be opened. Where nothing else is open it is followed from now on.
    pub(super) fn not_opened(&mut self) {
        self.follows = false;
        if self.session.document().is_none() {
            self.seen = std::mem::take(&mut self.next_stamps);
        }
    }

    /// A document is shown: says so where that is the open file, read again by itself.
    pub(super) fn followed(&mut self, document: &Document) {
        self.seen = self.stamps.clone();
        if std::mem::take(&mut self.follows) {
            let name = &document.model.source.name;
            self.status.notice = (self.status.notice.0 + 1, format!("{name} has changed, and was read again"));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::parallel::Job;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_watch_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_change_is_told_once_the_files_are_the_same_for_a_moment() {
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
        let Some(Some(Report::FilesChanged(now))) = job.take() else { panic!("no change") };
        assert!(now != then && now == then.taken_again());
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! Follows the open file: once another program has changed it, or a file that it names, it is read again.

use std::path::PathBuf;

use super::file_changes::wait_for_change;
use super::opening::Opening;
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::ui::{ChangedStatus, Status};
use crate::session::{Document, Session, Source};
use crate::words::counted;
use crate::writeback::Stamps;

impl App {
    /// Follows the open file where that is wanted and nothing else is about to read or write it.
    pub(crate) fn follow_file(&mut self) {
        let is_free =
            self.status.loading.is_none() && self.status.saving.is_none() && self.opening.document().is_none();
        let has_file = followed_path(&self.session, &self.opening).is_some();
        if self.ui.follows_files() && !self.pace.is_benchmark() && has_file && is_free {
            self.watch();
        } else {
            self.disk.end_watch();
            self.jobs.stop(Kind::Watch);
        }
    }

    /// Waits until the files differ from what they were when they were looked at last.
    fn watch(&mut self) {
        let Some(seen) = self.disk.begin_watch(self.jobs.is_running(Kind::Watch)) else { return };
        let source = self.session.document().map_or_else(|| self.opening.source().clone(), Document::source);
        let options = self.options.import.clone();
        self.jobs.restart(Kind::Watch, move |context| {
            let now = wait_for_change(&seen, &|| source.is_cut_off(&options), context)?;
            Some(Box::new(|app, _| app.files_changed(now)))
        });
    }

    /// The open file, or one that it names, is another than before. It is read again, or where there is unsaved work the user is asked first.
    pub(crate) fn files_changed(&mut self, now: Stamps) {
        // Where they cannot be read that is tried again once it has changed again.
        self.disk.changed(now);
        if followed_path(&self.session, &self.opening).is_none() {
            return;
        }
        let is_trying = self.session.tools().is_trying();
        if self.session.unsaved().has_unsaved_work() || is_trying {
            let name = self.session.document().map(|document| document.model.source.name.clone());
            let work = self.session.unsaved().unsaved_work();
            self.status.changed = Some(ChangedStatus { name: name.unwrap_or_default(), work, is_trying });
        } else {
            self.answer_changed(true);
        }
    }

    /// Reads the file that has changed, or keeps what is open.
    pub(crate) fn answer_changed(&mut self, take: bool) {
        self.status.changed = None;
        if let Some(path) = followed_path(&self.session, &self.opening).filter(|_| take) {
            // The sliders of a page stay where they are.
            let page =
                self.session.document().filter(|document| document.page_file().is_some()).and(self.session.lesson());
            let source = page.map_or_else(|| Source::of_named(path), |page| Source::Example(page.start()));
            self.opening.note_reload(source.clone());
            self.load(source);
        }
    }
}

/// The open file; where none is open, the one that could not be opened.
fn followed_path(session: &Session, opening: &Opening) -> Option<PathBuf> {
    match (session.document(), opening.source()) {
        (Some(document), _) => document.path.clone().or_else(|| document.page_file().map(PathBuf::from)),
        (None, source) => source.path(),
    }
}

/// Says that the open file was read again by itself. Of what was made, so many things had been set aside before.
pub(super) fn report_reload(session: &Session, status: &mut Status, set_aside: usize) {
    let title = session.lesson().map(|lesson| lesson.example().title.to_owned());
    let name = || session.document().map(|document| document.model.source.name.clone());
    let name = title.or_else(name).unwrap_or_default();
    let said = format!("{name} has changed, and was read again");
    match session.unsaved().unsaved_work().set_aside.saturating_sub(set_aside) {
        0 => status.say(said),
        more => {
            let edits = counted(more, "edit that has no place there was", "edits that have no place there were");
            status.warn(format!("{said}; {edits} set aside"));
        }
    }
}

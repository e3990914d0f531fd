//! The second model in the window: it is read in the background and stands beside the open one, either of the two is made the active one,
//! and the other one is closed.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use winit::event_loop::ActiveEventLoop;

use super::autosave::Autosave;
use super::on_disk::OnDisk;
use super::session_files::OtherOfSession;
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::next_steps::NextStep;
use crate::app::ui::{ChangedStatus, SaveStage};
use crate::import::{self, Progress};
use crate::model::Model;
use crate::session::{BesideCommand, ClipNames, Document, Session, Source, UnsavedWork, is_session};
use crate::writeback::Stamps;

/// What the window knows of the model that is not active, beside its session.
#[derive(Debug)]
pub(crate) struct OtherModel {
    disk: OnDisk,
    source: Source,
    /// Writes down its edits, in a file of their own.
    pub autosave: Autosave,
    inspected: Weak<Model>,
    changed: Option<ChangedStatus>,
    clip_names: Option<ClipNames>,
}

impl OtherModel {
    fn new(document: &Document, stamps: Stamps, autosave: Autosave) -> Self {
        let mut disk = OnDisk::default();
        disk.opened(stamps);
        Self { disk, source: document.source(), autosave, inspected: Weak::new(), changed: None, clip_names: None }
    }

    /// Forgets the files of a model that stands beside the open one no longer.
    pub fn forget(other: &mut Option<Self>) {
        if let Some(mut other) = other.take() {
            other.autosave.forget();
        }
    }

    /// Returns what its files were like when this program read or wrote them last.
    pub fn stamps(&self) -> &Stamps {
        self.disk.stamps()
    }

    /// Notes that a session file has it.
    pub fn set_session_file(&mut self, path: PathBuf) {
        self.disk.set_session_file(Some(path));
    }
}

/// A second model that was read, with its files as they were before.
type ReadOther = Result<(Box<Document>, Stamps), String>;

impl App {
    /// Opens a file beside the open model, in place of the one that stands there; where nothing is open, as the open one.
    pub(crate) fn open_beside(&mut self, event_loop: &ActiveEventLoop, path: PathBuf) {
        self.status.dropped = None;
        if self.session.document().is_none() {
            return self.open(event_loop, path);
        }
        if is_session(&path) {
            self.status.error = Some("A session file is opened in place of what is open, and not beside it.".into());
            return;
        }
        self.leave(event_loop, NextStep::OpenBeside(path));
    }

    /// Reads a model that is to stand beside the open one.
    pub(crate) fn read_other(
        &mut self,
        source: Source,
        take: impl FnOnce(&mut Self, &ActiveEventLoop, ReadOther) + Send + 'static,
    ) {
        self.status.error = None;
        let Some(open) = self.session.document().map(|document| Arc::downgrade(document.stored())) else { return };
        let formats = Arc::clone(&self.formats);
        let options =
            import::Options { block_formats: Some(Arc::new(move || *formats.wait())), ..self.options.import.clone() };
        self.jobs.restart(Kind::SecondModel, move |context| {
            let mut stamps = source.path().map_or_else(Stamps::default, |path| Stamps::of(&path));
            let name = source.name();
            let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
            let read = source.load(&options, &progress).map_err(|error| format!("Could not open {name}.\n{error}"));
            let read = read.map(|document| {
                stamps.add(document.files());
                // This is done here, so that no picture waits for it.
                _ = document.kept_layers();
                (Box::new(document), stamps)
            });
            Some(Box::new(move |app, event_loop| {
                let is_open = |document: &Document| std::ptr::eq(Arc::as_ptr(document.stored()), open.as_ptr());
                // Where another file was opened meanwhile nobody wants it.
                if app.session.document().is_some_and(is_open) {
                    take(app, event_loop, read);
                }
            }))
        });
    }

    /// A second model was read, or not. What stands beside the open one until then stays where it could not be.
    pub(crate) fn beside_read(&mut self, event_loop: &ActiveEventLoop, read: ReadOther) {
        let (document, stamps) = match read {
            Ok(read) => read,
            Err(why) => return self.status.error = Some(why),
        };
        // Something was made meanwhile on the model that it takes the place of.
        if let Some(path) = document.path.clone().filter(|_| !work_of_other(&self.session).is_empty()) {
            return self.leave(event_loop, NextStep::OpenBeside(path));
        }
        self.jobs.prepare_picking(&document);
        OtherModel::forget(&mut self.other);
        self.other = Some(OtherModel::new(&document, stamps, Autosave::new(self.options.autosave)));
        self.session.open_beside(*document);
    }

    /// Reads the other model of a session file that was opened.
    pub(crate) fn read_other_of_session(&mut self, other: OtherOfSession) {
        let OtherOfSession { found, path, file } = other;
        let model = match found {
            Ok(model) => model,
            Err(why) => {
                return self.status.error = Some(format!("The second model of the session is not shown.\n{why}."));
            }
        };
        self.read_other(model.source.clone(), move |app, _, read| {
            let (document, stamps) = match read {
                Ok(read) => read,
                Err(why) => return app.status.error = Some(why),
            };
            app.jobs.prepare_picking(&document);
            OtherModel::forget(&mut app.other);
            let mut other = OtherModel::new(&document, stamps, Autosave::new(app.options.autosave));
            other.disk.set_session_file(Some(path));
            app.other = Some(other);
            let changed = model.changed.iter().map(|path| {
                format!("{} has changed since the session was saved. What still fits was taken.", path.display())
            });
            let lines: Vec<String> = changed.chain(app.session.open_beside_with(*document, &file)).collect();
            if !lines.is_empty() {
                app.status.error = Some(lines.join("\n"));
            }
        });
    }

    /// Closes the model that is not active, whatever is lost by that.
    pub(crate) fn close_other(&mut self) {
        self.change(BesideCommand::Close);
        OtherModel::forget(&mut self.other);
    }

    /// Makes the other model the active one. Returns false, and says why, where something is under way that is about the active one.
    pub(crate) fn activate_other(&mut self) -> bool {
        if self.other.is_none() || self.session.beside().is_none() {
            return false;
        }
        if let Some(why) = self.why_stays() {
            self.status.warn(why.to_owned());
            return false;
        }
        // Nobody writes the edits of a model down that is not active.
        if let Some((snapshot, path)) = self.autosave.at_once(&self.session, self.disk.session_file())
            && let Err(error) = snapshot.write(&path)
        {
            self.autosave.complain(&mut self.status, &format!("{}: {error}", path.display()));
        }
        for kind in OF_ACTIVE {
            self.jobs.stop(kind);
        }
        self.change(BesideCommand::Activate);
        let source = self.opening.source().clone();
        if let Some(other) = &mut self.other {
            std::mem::swap(&mut self.disk, &mut other.disk);
            std::mem::swap(&mut self.autosave, &mut other.autosave);
            std::mem::swap(&mut self.inspected, &mut other.inspected);
            std::mem::swap(&mut self.status.changed, &mut other.changed);
            std::mem::swap(&mut self.status.clip_names, &mut other.clip_names);
            self.opening.set_source(std::mem::replace(&mut other.source, source));
        }
        self.disk.end_watch();
        self.next.drop_click();
        self.status.checking = false;
        if self.session.document().is_some_and(|document| document.inspection.is_none()) {
            self.inspect();
        }
        true
    }

    /// Why the active model cannot change now: what is under way would else be about the other one in the end.
    fn why_stays(&self) -> Option<&'static str> {
        let is_read = self.status.loading.is_some() || self.opening.document().is_some();
        let is_written = self.status.saving.as_ref().is_some_and(|saving| saving.stage == SaveStage::Writing)
            || [Kind::Save, Kind::NamedFile, Kind::Session].into_iter().any(|kind| self.jobs.is_running(kind))
            || self.next.after_reload.is_some();
        let is_asked = self.status.saving.is_some() || self.status.asked_file.is_some();
        match (is_read, is_written || is_asked) {
            (true, _) => Some("The other model can be worked on once the open file is read."),
            (false, true) => Some("The other model can be worked on once the file is written."),
            (false, false) => None,
        }
    }
}

/// Returns what of the model that is not active is in no file.
pub(super) fn work_of_other(session: &Session) -> UnsavedWork {
    session.beside().map_or_else(UnsavedWork::default, |beside| beside.other().unsaved().unsaved_work())
}

/// Jobs that are about the active model; what they find is of no use for the other one.
const OF_ACTIVE: [Kind; 10] = [
    Kind::Inspection,
    Kind::RangeOfMotion,
    Kind::FileDialog,
    Kind::OtherFile,
    Kind::SecondModel,
    Kind::Donor,
    Kind::Examples,
    Kind::Clips,
    Kind::SavePlan,
    Kind::Watch,
];

//! Session files in the window: all that was made and set is written into one, or the model of one is opened with all that it
//! keeps.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;

use super::asked_files::{asked_at, file_written};
use super::exports::documents;
use super::file_names::{session_path, unwritten};
use super::second_model::OtherModel;
use super::session_files::ReadSession;
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::next_steps::NextStep;
use crate::app::ui::{AskedStage, SessionReport};
use crate::output::{self, overwritten};
use crate::session::{BesideSnapshot, Document, SessionSnapshot};

impl App {
    /// Reads a session file, and says in the dialog what is in it.
    pub(crate) fn look_into_session(&mut self, path: PathBuf) {
        let Some(asked) = &mut self.status.asked_file else { return };
        asked.stage = AskedStage::Working;
        self.jobs.restart(Kind::NamedFile, move |_| {
            let read = ReadSession::read(&path).map(|read| report(&read));
            Some(Box::new(move |app, _| {
                if let Some(asked) = asked_at(&mut app.status, &path) {
                    asked.stage = read.map_or_else(AskedStage::Failed, AskedStage::Session);
                }
            }))
        });
    }

    /// Opens the model of a session file, with all that the file keeps.
    pub(crate) fn open_session(&mut self, path: PathBuf) {
        self.status.error = None;
        self.jobs.restart(Kind::Session, move |_| {
            let read = ReadSession::read(&path).map(Box::new);
            Some(Box::new(move |app, event_loop| match read {
                Ok(read) => app.leave(event_loop, NextStep::OpenSession(read)),
                Err(why) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    app.status.error = Some(format!("Could not open the session {name}.\n{why}."));
                }
            }))
        });
    }

    /// Shows a document, as a session file keeps it where it is the model of one that is being opened. Any other ends what
    /// session file was open.
    pub(crate) fn open_document(&mut self, document: Document) {
        let source = document.source();
        let Some(read) = self.opening.take_session(&source) else {
            let is_same = self.session.document().is_some_and(|open| open.source() == source);
            if !is_same {
                self.disk.set_session_file(None);
            }
            return self.session.open(document);
        };
        let lines = self.session.open_with_session(document, &read.file);
        let changed = read.model.changed.iter().map(|path| {
            format!("{} has changed since the session was saved. What still fits was taken.", path.display())
        });
        let lines: Vec<String> = changed.chain(lines).collect();
        self.session.warn(&lines);
        self.status.error = Some(lines.join("\n")).filter(|lines| !lines.is_empty());
        self.disk.set_session_file(Some(read.path));
        OtherModel::forget(&mut self.other);
        if let Some(other) = read.other {
            self.read_other_of_session(*other);
        }
    }

    /// Writes the session into a file.
    pub(crate) fn save_session(&mut self, path: &Path) {
        let path = session_path(path);
        let (Some(snapshot), Some(document)) = (self.session.unsaved().snapshot(), self.session.document()) else {
            return;
        };
        if let Some(asked) = &mut self.status.asked_file {
            asked.path.clone_from(&path);
            asked.stage = AskedStage::Working;
        }
        let files: Vec<PathBuf> = document.files().map(PathBuf::from).collect();
        if let Err(error) = overwritten(&path, documents(&self.session).flat_map(Document::files)) {
            return file_written(&mut self.status, &path, Err(error.to_string()));
        }
        // What was saved since the model was read is in its file by now.
        let stamps = self.disk.stamps().clone();
        let beside = self.session.beside_snapshot();
        let other_stamps = self.other.as_ref().map(|other| other.stamps().clone()).unwrap_or_default();
        self.jobs.restart(Kind::NamedFile, move |_| {
            let mut file = snapshot.file();
            let files = files.iter().map(PathBuf::as_path);
            let named = file.set_model(&path, files, |file| stamps.is_as_read(file));
            let named = named.and_then(|()| match &beside {
                Some(beside) => file.set_beside(&path, beside, |file| other_stamps.is_as_read(file)),
                None => Ok(()),
            });
            let text = named.and_then(|()| file.text());
            let written = match text {
                Ok(text) => output::write(&path, text.as_bytes()).map_err(|error| unwritten(&path, error)),
                Err(error) => Err(format!("{}: {error}.", path.display())),
            };
            Some(Box::new(move |app, event_loop| app.session_saved(event_loop, path, (snapshot, beside), written)))
        });
    }

    /// The session has been written, or not.
    pub(crate) fn session_saved(
        &mut self,
        event_loop: &ActiveEventLoop,
        path: PathBuf,
        (snapshot, beside): (SessionSnapshot, Option<BesideSnapshot>),
        result: Result<(), String>,
    ) {
        let done = result.is_ok();
        file_written(&mut self.status, &path, result);
        if done {
            if let Some((beside, other)) = beside.zip(self.other.as_mut()) {
                other.set_session_file(path.clone());
                self.session.note_beside_saved(beside);
            }
            self.disk.set_session_file(Some(path));
            self.session.files_mut().note_session_saved(Some(snapshot));
        }
        match self.next.after_save.take() {
            Some(next) if done => self.leave(event_loop, next),
            _ => {}
        }
    }
}

/// What is in a session file, for the dialog.
fn report(read: &ReadSession) -> SessionReport {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    SessionReport {
        model: read.model_name(),
        changed: read.model.changed.iter().map(name).collect(),
        file: Arc::new(read.file.clone()),
    }
}

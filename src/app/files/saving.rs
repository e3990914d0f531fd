//! Saving the open model, what becomes of edits that are in no file when it is closed, and edits that an earlier run has
//! left behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use super::file_dialog;
use super::save_job::{SaveJob, Written, name_of, summary};
use super::session_files::{OpenSessionFile, ReadSession};
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::ui::{SaveStage, SaveStatus, SaveSummary, UnsavedStatus};
use crate::edit::{Donor, Settings};
use crate::import::{ImportError, Progress};
use crate::model::Model;
use crate::session::{Document, FileUse, RecoveryAnswer, SaveKind, Source, ToolCommand, UnsavedAnswer, UnsavedWork};
use crate::writeback::{Recompression, SaveError, Saved};

/// What the user wants once the edits are saved or given up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Then {
    /// The window closes.
    Quit,
    /// Another model is opened.
    Load(Source),
    /// The model of a session file is opened, with what the file keeps.
    OpenSession(Box<ReadSession>),
}

impl App {
    /// Does something that closes the open model, once nothing is lost by that.
    pub(crate) fn leave(&mut self, event_loop: &ActiveEventLoop, then: Then) {
        let work = self.lost_by(&then);
        if work.is_empty() {
            return self.carry_on(event_loop, then);
        }
        self.clear_way();
        let session = self.session_name();
        let document = self.session.document();
        let is_session = session.is_some();
        let name = session.or_else(|| document.map(|document| document.model.source.name.clone()));
        let has_file = document.is_some_and(|document| document.lesson().is_none());
        let quits = then == Then::Quit;
        self.status.unsaved = Some(UnsavedStatus { name: name.unwrap_or_default(), is_session, has_file, work, quits });
        self.then = Some(then);
    }

    /// What is in no file and would be lost.
    fn lost_by(&self, then: &Then) -> UnsavedWork {
        let path = self.session.document().and_then(|document| document.path.as_ref());
        // The same file again keeps what was made on it.
        let stays = matches!(then, Then::Load(Source::File(of)) if Some(of) == path);
        if self.frame_timer.is_some() || stays {
            return UnsavedWork::default();
        }
        let work = self.session.unsaved().unsaved_work();
        // What is set aside stays when another model is opened, which may have a place for it.
        if *then == Then::Quit { work } else { UnsavedWork { set_aside: 0, ..work } }
    }

    /// Closes other dialogs, behind which a question would not be seen. What is being written stays.
    fn clear_way(&mut self) {
        self.status.saving.take_if(|saving| saving.stage != SaveStage::Writing);
        (self.status.asked_file, self.status.dropped) = (None, None);
        self.status.changed = None;
    }

    fn carry_on(&mut self, event_loop: &ActiveEventLoop, then: Then) {
        match then {
            Then::Quit => event_loop.exit(),
            Then::Load(source) => self.load(source),
            Then::OpenSession(read) => {
                self.load(read.model.source.clone());
                self.coming_session = Some(read);
            }
        }
        self.given_up = self.session.unsaved().kept().map(Box::new);
    }

    /// Whether showing a document that was read would lose what was made while it was.
    pub(crate) fn loses_by(&self, document: &Document) -> bool {
        let source = document.source();
        let as_session = self.coming_session.as_ref().is_some_and(|read| read.model.source == source);
        self.frame_timer.is_none() && self.session.unsaved().loses_by(document, as_session, self.given_up.as_deref())
    }

    /// Asks what is to become of what was made while a file was read that takes the place of the open one. That is read again then.
    pub(crate) fn ask_again(&mut self, event_loop: &ActiveEventLoop, source: Source) {
        self.jobs.cancel_load();
        self.status.loading = None;
        let then = match self.coming_session.take_if(|read| read.model.source == source) {
            Some(read) => Then::OpenSession(read),
            None => Then::Load(source),
        };
        self.leave(event_loop, then);
    }

    pub(crate) fn answer_unsaved(&mut self, event_loop: &ActiveEventLoop, answer: UnsavedAnswer) {
        let asked = self.status.unsaved.take();
        let session = self.session_file.as_ref().map(|open| open.path.clone());
        match answer {
            UnsavedAnswer::Save => match session.filter(|_| asked.is_some_and(|asked| asked.is_session)) {
                Some(path) => self.save_session(&path),
                None => self.begin_save(SaveKind::InPlace),
            },
            UnsavedAnswer::SaveSession => {
                self.status.saving = None;
                self.ask_for_file(FileUse::SaveSession);
                if self.status.asked_file.is_none() {
                    self.then = None;
                }
            }
            UnsavedAnswer::Cancel => self.then = None,
            UnsavedAnswer::Discard => {
                if let Some(then) = self.then.take() {
                    self.carry_on(event_loop, then);
                }
            }
        }
    }

    /// What was to be done once the open model was saved and read again is done now, if nothing else would be lost by that.
    pub(crate) fn leave_after_saving(&mut self, event_loop: &ActiveEventLoop) {
        if let Some(then) = self.then_once_read.take() {
            self.leave(event_loop, then);
        }
    }

    /// Begins to work out what saving would change.
    pub(crate) fn begin_save(&mut self, kind: SaveKind) {
        let Some(document) = self.session.document() else { return };
        if document.lesson().is_some() {
            self.status.error =
                Some("An example is made by the program and has no file, so that it cannot be saved.".into());
            return;
        }
        let kind = if document.path.is_none() && kind == SaveKind::InPlace { SaveKind::As } else { kind };
        let name = document.model.source.name.clone();
        let target = match (kind, &document.path) {
            (SaveKind::InPlace, Some(path)) => path.clone(),
            (_, path) => proposed(path.as_deref()),
        };
        let has_dialog = file_dialog::has_dialog();
        self.status.saving =
            Some(SaveStatus { kind, name, target, has_dialog, recompresses: false, stage: SaveStage::Planning });
        self.plan_save();
    }

    fn plan_save(&mut self) {
        let job = self.save_job();
        if let (Some(saving), Some(job)) = (&mut self.status.saving, job) {
            let job = SaveJob { recompression: chosen(saving.recompresses), ..job };
            saving.stage = SaveStage::Planning;
            let target = saving.target.clone();
            self.jobs.restart(Kind::SavePlan, move |_| {
                let planned = job.prepare(&target).map(|prepared| summary(&prepared));
                Some(Box::new(|app, _| app.save_planned(planned)))
            });
        }
    }

    fn save_job(&self) -> Option<SaveJob> {
        let document = self.session.document()?;
        Some(SaveJob {
            model: Arc::clone(self.session.edited_weights().edited_model()?),
            path: document.path.clone(),
            stamps: self.stamps.clone(),
            written: self.written.clone(),
            recompression: Recompression::None,
            kept: self.session.unsaved().kept(),
            options: self.options.import.clone(),
        })
    }

    /// What saving would change has been worked out.
    pub(crate) fn save_planned(&mut self, result: Result<SaveSummary, SaveError>) {
        if let Some(saving) = self.status.saving.as_mut().filter(|saving| saving.stage == SaveStage::Planning) {
            saving.stage = match result {
                Ok(summary) => SaveStage::Ready(summary),
                Err(error) => SaveStage::Failed(explained(&error)),
            };
        }
    }

    /// The user chose the file to write.
    pub(crate) fn target_chosen(&mut self, target: PathBuf) {
        if let Some(saving) = &mut self.status.saving {
            saving.target = target;
            self.plan_save();
        }
    }

    /// Writes the files.
    pub(crate) fn save_to(&mut self, target: PathBuf) {
        let Some(job) = self.save_job() else { return };
        let Some(saving) = self.status.saving.as_mut().filter(|saving| saving.stage != SaveStage::Writing) else {
            return;
        };
        let job = SaveJob { recompression: chosen(saving.recompresses), ..job };
        saving.stage = SaveStage::Writing;
        saving.target.clone_from(&target);
        self.jobs.start(Kind::Save, move |_| {
            let saved = job.prepare(&target).and_then(|prepared| job.write(prepared, &target));
            Some(Box::new(|app, event_loop| app.files_saved(event_loop, job.model, saved)))
        });
    }

    /// Lets what meshopt had compressed be compressed again, or be stored plain.
    pub(crate) fn recompress(&mut self, again: bool) {
        if let Some(saving) = &mut self.status.saving {
            saving.recompresses = again;
            self.plan_save();
        }
    }

    /// Files have been written, or not.
    pub(crate) fn files_saved(
        &mut self,
        event_loop: &ActiveEventLoop,
        model: Arc<Model>,
        result: Result<(Saved, Option<Written>), SaveError>,
    ) {
        let Some(saving) = &mut self.status.saving else { return };
        let (saved, own) = match result {
            Ok(saved) => saved,
            Err(error) => {
                saving.stage = SaveStage::Failed(explained(&error));
                return;
            }
        };
        self.written = own.or(self.written.take());
        let (kind, target) = (saving.kind, saving.target.clone());
        self.status.saving = None;
        let names = |files: &[PathBuf]| files.iter().map(|file| name_of(file)).collect::<Vec<_>>().join(", ");
        let kept = if saved.backups.is_empty() { String::new() } else { format!(", kept {}", names(&saved.backups)) };
        let written = if saved.written.is_empty() { name_of(&target) } else { names(&saved.written) };
        let wrote = format!("Wrote {written}{kept}");
        match saved.left.is_empty() {
            true => self.status.say(wrote),
            false => self.status.warn(format!("{wrote}, without what is listed below")),
        }
        let left: Vec<String> = saved
            .left
            .iter()
            .map(|file| format!("{}: its name leads out of the folder, so it was not copied.", file.display()))
            .collect();
        if !left.is_empty() {
            self.status.error = Some(left.join("\n"));
        }
        match (self.then.take(), kind) {
            (then, SaveKind::Copy) => {
                if let Some(then) = then {
                    self.leave(event_loop, then);
                }
            }
            (Some(then), _) if self.lost_by(&then).without_model().is_empty() => self.carry_on(event_loop, then),
            (then, _) => {
                self.session.files_mut().note_model_saved(target.clone(), model);
                self.load(Source::File(target));
                // The rest is asked about once the file is open that was written.
                self.then_once_read = then;
            }
        }
    }

    /// The file that was just written is not opened in place of the one that it was made of: says which one the next save writes.
    pub(crate) fn say_what_stays_open(&mut self) {
        let (Some(written), Some(document)) = (self.session.unsaved().saved_elsewhere(), self.session.document())
        else {
            return;
        };
        let (written, open) = (name_of(written), document.model.source.name.clone());
        self.status.warn(format!("{written} was written, but {open} is still open: Save writes {open}"));
    }

    /// Reads a file to take weights from.
    pub(crate) fn read_donor(&mut self, path: PathBuf) {
        let options = self.options.import.clone();
        self.jobs.restart(Kind::Donor, move |context| {
            let progress = Progress { report: &|_, _| (), cancel: context.cancel_flag() };
            let read = Source::File(path.clone()).load(&options, &progress);
            let read = read.map_err(|error| (path, error)).map(Box::new);
            if context.is_cancelled() {
                return None;
            }
            Some(Box::new(|app, _| app.donor_read(read)))
        });
    }

    /// A file to take weights from has been read, or not: it is what the tool *Transfer* uses from now on.
    pub(crate) fn donor_read(&mut self, result: Result<Box<Document>, (PathBuf, ImportError)>) {
        let document = match result {
            Ok(document) => document,
            Err((path, error)) => {
                self.status.error = Some(format!("{}: {error}", path.display()));
                return;
            }
        };
        let model = document.stored();
        if model.meshes.iter().flat_map(|mesh| &mesh.primitives).all(|p| p.stored_influences.is_none()) {
            self.status.error = Some(format!("{}: it has no weights to transfer.", model.source.name));
            return;
        }
        let mut settings = Settings::clone(&self.session.tools().settings);
        settings.donor = Some(Donor(Arc::clone(model)));
        self.change(ToolCommand::Set(Arc::new(settings)));
    }

    /// Offers what an earlier run has left behind.
    pub(crate) fn offer_recovery(&mut self) {
        if self.frame_timer.is_none() {
            self.left = self.autosave.left();
            self.status.recovery = self.left.as_ref().map(super::autosave::Left::offer);
        }
    }

    pub(crate) fn answer_recovery(&mut self, event_loop: &ActiveEventLoop, answer: RecoveryAnswer) {
        self.status.recovery = None;
        match (self.left.take(), answer) {
            (None, _) | (_, RecoveryAnswer::Later) => {}
            (Some(left), RecoveryAnswer::Discard) => {
                left.remove();
                self.offer_recovery();
            }
            (Some(left), RecoveryAnswer::Restore) => {
                let source = left.source();
                self.left = Some(left);
                let is_open = self.session.document().is_some_and(|d| d.source() == source);
                if is_open {
                    self.restore();
                } else {
                    self.leave(event_loop, Then::Load(source));
                }
            }
        }
    }

    /// Brings back the edits that were accepted, once their model is open.
    pub(crate) fn restore(&mut self) {
        let Some(document) = self.session.document().filter(|_| self.status.recovery.is_none()) else { return };
        let is_it = |left: &mut super::autosave::Left| left.source() == document.source();
        let Some(left) = self.left.take_if(is_it) else { return };
        match left.read() {
            Ok(file) => {
                let lines = self.session.take_up(&file);
                self.session.warn(&lines);
                self.session.files_mut().note_session_saved(None);
                self.session_file = left.session().map(|path| OpenSessionFile { path });
                // They stay where they are until this run has written them down itself.
                match self.autosave.at_once(&self.session, self.session_file.as_ref()) {
                    Some((snapshot, path)) => match snapshot.write(&path) {
                        Ok(()) => left.remove(),
                        Err(error) => self.autosave_failed(&error.to_string()),
                    },
                    None => left.remove(),
                }
            }
            Err(error) => {
                self.status.error = Some(format!("The edits of {} could not be restored.\n{error}", left.offer().name));
            }
        }
    }

    /// Has edits written down when it is time to; gives back when to ask again.
    pub(crate) fn write_down(&mut self, now: Instant) -> Option<Instant> {
        if self.frame_timer.is_some() {
            return None;
        }
        match self.autosave.step(&self.session, self.session_file.as_ref(), now) {
            Ok((snapshot, path)) => {
                // They are written one after another.
                self.jobs.start(Kind::Autosave, move |_| {
                    let written = snapshot.write(&path);
                    Some(Box::new(move |app, _| app.written_down(&path, written)))
                });
                None
            }
            Err(again) => again,
        }
    }

    /// Edits have been written down, or not.
    pub(crate) fn written_down(&mut self, path: &Path, result: std::io::Result<()>) {
        match result {
            // Meanwhile they were saved or taken back.
            Ok(()) if !self.autosave.keeps_file() => crate::output::take_back(path),
            Ok(()) => {}
            Err(error) => {
                self.autosave.failed(Instant::now());
                self.autosave_failed(&format!("{}: {error}", path.display()));
            }
        }
    }

    fn autosave_failed(&mut self, why: &str) {
        // It would be said every minute.
        if !std::mem::replace(&mut self.autosave_complained, true) {
            self.status.error =
                Some(format!("Edits could not be written down for the case of a crash; save them yourself.\n{why}"));
        }
    }
}

/// A free name beside the open file.
fn proposed(path: Option<&Path>) -> PathBuf {
    let (stem, ending) = match path {
        Some(path) => (path.file_stem(), path.extension()),
        None => (None, None),
    };
    let stem = stem.map_or("character".into(), |stem| stem.to_string_lossy().into_owned());
    let ending = ending.map_or("glb".into(), |ending| ending.to_string_lossy().into_owned());
    let folder =
        path.and_then(Path::parent).map(Path::to_owned).or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let name = |n: u32| {
        folder.join(if n == 1 { format!("{stem}-edited.{ending}") } else { format!("{stem}-edited-{n}.{ending}") })
    };
    (1..).map(name).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

/// The reason, and what to do about it.
fn explained(error: &SaveError) -> String {
    match error {
        SaveError::Stale(_) => {
            format!(
                "{error}. Save as writes the file as it is now, with your edits, under another name; Reload (Ctrl+R) reads it again and carries your edits over."
            )
        }
        SaveError::Unmatched { .. } => format!("{error}. Save a session, which keeps all of them."),

        SaveError::Output { .. } => {
            format!("{error}. Save into another folder, or make room or get leave to write there.")
        }
        SaveError::Patch(_) | SaveError::Overwritten(_) | SaveError::Container { .. } => error.to_string(),
    }
}

/// How what meshopt had compressed is stored.
fn chosen(recompresses: bool) -> Recompression {
    if recompresses { Recompression::Meshopt } else { Recompression::None }
}

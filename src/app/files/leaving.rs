//! What closes the open model, and what becomes of work that is in no file when it does.

use std::path::Path;

use winit::event_loop::ActiveEventLoop;

use super::save_job::name_of;
use super::second_model::work_of_other;
use crate::app::App;
use crate::app::next_steps::NextStep;
use crate::app::ui::{SaveStage, Status, ThenCloses, UnsavedStatus};
use crate::session::{FileUse, SaveKind, Session, Source, UnsavedAnswer, UnsavedWork};

impl App {
    /// Does something that closes the open model, once nothing is lost by that.
    pub(crate) fn leave(&mut self, event_loop: &ActiveEventLoop, mut next: NextStep) {
        let mut work = self.lost_work(&next);
        if work.is_empty() && self.loses_other(&next) {
            let Some(of_other) = self.ask_of_other(next) else { return };
            next = of_other;
            work = self.lost_work(&next);
        }
        if work.is_empty() {
            return self.proceed(event_loop, next);
        }
        close_dialogs(&mut self.status);
        let session = self.disk.session_name();
        let document = self.session.document();
        let is_session = session.is_some();
        let name = session.or_else(|| document.map(|document| document.model.source.name.clone()));
        let has_file = document.is_some_and(|document| document.lesson().is_none());
        let keeps_layers = document.is_some_and(|document| self.disk.keeps_layers(document));
        let then = match next.step() {
            NextStep::Quit => ThenCloses::Window,
            step if step.keeps_active() => ThenCloses::OneOfTwo,
            _ => ThenCloses::Model,
        };
        let name = name.unwrap_or_default();
        self.status.unsaved = Some(UnsavedStatus { name, is_session, has_file, keeps_layers, work, then });
        self.next.after_save = Some(next);
    }

    /// Whether the model that is not active has work that would be lost, and nobody was asked about that yet.
    fn loses_other(&self, next: &NextStep) -> bool {
        let is_asked = matches!(next, NextStep::OfOther(_));
        let is_lost = next.closes_other() && !is_asked && !self.pace.is_benchmark();
        is_lost && self.other.is_some() && !next.without_aside(work_of_other(&self.session)).is_empty()
    }

    /// Makes the other model the active one, so that it is seen which one the question is about. `None` where that cannot be now.
    fn ask_of_other(&mut self, next: NextStep) -> Option<NextStep> {
        close_dialogs(&mut self.status);
        self.activate_other().then(|| NextStep::OfOther(Box::new(next)))
    }

    /// What of the active model is in no file and would be lost.
    pub(crate) fn lost_work(&self, next: &NextStep) -> UnsavedWork {
        let path = self.session.document().and_then(|document| document.path.as_ref());
        // The same file again keeps what was made on it.
        let stays = matches!(next, NextStep::Load(Source::File(of)) if Some(of) == path);
        if self.pace.is_benchmark() || stays || next.keeps_active() && !matches!(next, NextStep::OfOther(_)) {
            return UnsavedWork::default();
        }
        next.without_aside(self.session.unsaved().unsaved_work())
    }

    /// Does something that closes the open model, whatever is lost by that.
    pub(crate) fn proceed(&mut self, event_loop: &ActiveEventLoop, next: NextStep) {
        let (next, is_of_other) = next.into_step();
        if is_of_other && next.keeps_active() && !self.activate_other() {
            return;
        }
        match next {
            NextStep::OfOther(next) => return self.proceed(event_loop, *next),
            NextStep::CloseOther => return self.close_other(),
            NextStep::OpenBeside(path) => {
                if !work_of_other(&self.session).is_empty() {
                    // It was given up, and would be asked about again.
                    self.close_other();
                }
                return self.read_other(Source::File(path), Self::beside_read);
            }
            NextStep::Quit => event_loop.exit(),
            NextStep::Load(source) => self.load(source),
            NextStep::OpenSession(read) => {
                self.load(read.model.source.clone());
                self.opening.note_session(read);
            }
        }
        self.opening.note_discarded(self.session.unsaved().snapshot());
    }

    /// Carries out what the user answered to the question about unsaved work.
    pub(crate) fn answer_unsaved(&mut self, event_loop: &ActiveEventLoop, answer: UnsavedAnswer) {
        let asked = self.status.unsaved.take();
        let session = self.disk.session_file().map(Path::to_owned);
        match answer {
            UnsavedAnswer::Save => match session.filter(|_| asked.is_some_and(|asked| asked.is_session)) {
                Some(path) => self.save_session(&path),
                None => self.begin_save(SaveKind::InPlace),
            },
            UnsavedAnswer::SaveSession => {
                self.status.saving = None;
                self.ask_for_file(FileUse::SaveSession);
                if self.status.asked_file.is_none() {
                    self.next.after_save = None;
                }
            }
            UnsavedAnswer::Cancel => self.next.after_save = None,
            UnsavedAnswer::Discard => match self.next.after_save.take() {
                Some(next) if self.loses_other(&next) => {
                    if let Some(next) = self.ask_of_other(next) {
                        self.leave(event_loop, next);
                    }
                }
                Some(next) => self.proceed(event_loop, next),
                None => {}
            },
        }
    }
}

/// Closes other dialogs, behind which a question would not be seen. What is being written stays, and so does the offer to take a changed file,
/// which is made again once the question is cancelled.
fn close_dialogs(status: &mut Status) {
    status.saving.take_if(|saving| saving.stage != SaveStage::Writing);
    (status.asked_file, status.dropped) = (None, None);
}

/// The file that was just written is not opened in place of the one that it was made of: says which one the next save writes.
pub(crate) fn say_what_stays_open(session: &Session, status: &mut Status) {
    let (Some(written), Some(document)) = (session.unsaved().saved_elsewhere(), session.document()) else {
        return;
    };
    let (written, open) = (name_of(written), document.model.source.name.clone());
    status.warn(format!("{written} was written, but {open} is still open: Save writes {open}"));
}

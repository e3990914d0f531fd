//! Edits that are in no file: they are written for the case of a crash, and those that an earlier run has left are offered and restored.

use std::path::Path;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use super::autosave::Autosave;
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::next_steps::NextStep;
use crate::app::ui::Status;
use crate::output;
use crate::session::RecoveryAnswer;

impl App {
    /// Carries out what the user answered to the offer of what an earlier run has left behind.
    pub(crate) fn answer_recovery(&mut self, event_loop: &ActiveEventLoop, answer: RecoveryAnswer) {
        self.status.recovery = None;
        match answer {
            RecoveryAnswer::Later => self.autosave.leave_leftover(),
            RecoveryAnswer::Discard => {
                if self.autosave.discard_leftover() {
                    self.status.recovery = self.autosave.find_leftover();
                }
            }
            RecoveryAnswer::Restore => {
                let Some(source) = self.autosave.leftover_source() else { return };
                if self.session.document().is_some_and(|document| document.source() == source) {
                    self.restore();
                } else {
                    self.leave(event_loop, NextStep::Load(source));
                }
            }
        }
    }

    /// Brings back the edits that were accepted, once their model is open.
    pub(crate) fn restore(&mut self) {
        let Some(document) = self.session.document().filter(|_| self.status.recovery.is_none()) else { return };
        let Some(leftover) = self.autosave.take_leftover(&document.source()) else { return };
        match leftover.read() {
            Ok(file) => {
                let lines = self.session.restore(&file);
                self.session.warn(&lines);
                self.session.files_mut().note_session_saved(None);
                self.disk.set_session_file(leftover.session());
                // They stay where they are until this run has written them itself.
                match self.autosave.at_once(&self.session, self.disk.session_file()) {
                    Some((snapshot, path)) => match snapshot.write(&path) {
                        Ok(()) => leftover.remove(),
                        Err(error) => self.autosave.complain(&mut self.status, &error.to_string()),
                    },
                    None => leftover.remove(),
                }
            }
            Err(error) => {
                let name = leftover.offer().name;
                self.status.error = Some(format!("The edits of {name} could not be restored.\n{error}"));
            }
        }
    }

    /// Has edits written where it is time to; half of a gesture is not. Returns when to ask again: the end of a gesture asks by itself.
    pub(crate) fn autosave_when_due(&mut self, now: Instant) -> Option<Instant> {
        if self.pace.is_benchmark() || self.session.has_gesture() {
            return None;
        }
        match self.autosave.step(&self.session, self.disk.session_file(), now) {
            Ok((snapshot, path)) => {
                // They are written one after another.
                self.jobs.start(Kind::Autosave, move |_| {
                    let written = snapshot.write(&path);
                    Some(Box::new(move |app, _| app.autosaved(&path, written)))
                });
                None
            }
            Err(again) => again,
        }
    }

    /// Edits have been written, or not.
    fn autosaved(&mut self, path: &Path, result: std::io::Result<()>) {
        match result {
            // Meanwhile they were saved or undone.
            Ok(()) => {
                let other = self.other.as_ref().map(|other| &other.autosave);
                if !other.into_iter().chain([&self.autosave]).any(|autosave| autosave.keeps_file(path)) {
                    output::take_back(path);
                }
            }
            Err(error) => {
                self.autosave.failed(Instant::now());
                self.autosave.complain(&mut self.status, &format!("{}: {error}", path.display()));
            }
        }
    }
}

impl Autosave {
    /// Says once that edits could not be written down.
    pub fn complain(&mut self, status: &mut Status, why: &str) {
        // It would be said every minute.
        if self.is_first_complaint() {
            status.error =
                Some(format!("Edits could not be written down for the case of a crash; save them yourself.\n{why}"));
        }
    }
}

//! A file on its way into the window: it is read, brought to the device, and shown.

use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use super::leaving::say_what_stays_open;
use super::load_job::LoadReport;
use super::watch::report_reload;
use crate::app::jobs::Kind;
use crate::app::next_steps::NextStep;
use crate::app::ui::Loading;
use crate::app::{App, AppError};
use crate::import;
use crate::session::{Document, Source};

impl App {
    /// Begins to read a file. What is open stays until the other model can be shown.
    pub(crate) fn load(&mut self, source: Source) {
        self.opening.begin(source.clone());
        (self.status.error, self.status.changed) = (None, None);
        let before = self.status.loading.replace(Loading { name: source.name(), ..Loading::default() });
        let formats = Arc::clone(&self.formats);
        let options =
            import::Options { block_formats: Some(Arc::new(move || *formats.wait())), ..self.options.import.clone() };
        self.jobs.load(source, options, before.is_some_and(|l| l.is_open));
    }

    /// Takes a report of the job that reads a file.
    pub(crate) fn load_reported(&mut self, event_loop: &ActiveEventLoop, report: LoadReport) {
        match report {
            LoadReport::Progress(fraction, stage) => {
                if let Some(loading) = &mut self.status.loading {
                    (loading.fraction, loading.stage) = (fraction, stage);
                }
            }
            LoadReport::Written(stamps) => self.opening.set_stamps(stamps),
            LoadReport::Opened(document) => {
                self.jobs.prepare_picking(&document);
                self.opening.set_document(document);
                self.show_opened(event_loop);
            }
            LoadReport::Awaited(named) => self.opening.add_stamps(&named),
            LoadReport::Loaded(Ok(warnings)) => {
                if let Some(warnings) = self.opening.set_warnings(warnings) {
                    self.loaded(&warnings);
                }
            }
            LoadReport::Completed(warnings) => _ = self.session.warn(&warnings),
            LoadReport::Loaded(Err(error)) => {
                self.status.loading = None;
                self.next.after_reload = None;
                // It is tried again once it changes, or a file that it names now does, which may not be there yet: where it is the open one
                // that has changed, and where nothing else is open.
                let is_reload = self.opening.take_reload();
                if is_reload || self.session.document().is_none() {
                    self.disk.not_opened(self.opening.take_stamps(), is_reload);
                }
                say_what_stays_open(&self.session, &mut self.status);
                let file = self.opening.source().name();
                if self.pace.is_benchmark() {
                    return self.fail(event_loop, AppError::Import { file, error });
                }
                self.status.error = Some(format!("Could not open {file}.\n{error}"));
            }
        }
    }

    /// Shows the model that is being brought to the device, once it is there; until then the one before stays.
    pub(crate) fn show_opened(&mut self, event_loop: &ActiveEventLoop) {
        let window = &mut self.window;
        let is_ready = |document: &Document| !window.as_mut().is_some_and(|window| window.begin(&document.model));
        let Some((document, warnings)) = self.opening.take_document(is_ready) else { return };
        if !self.pace.is_benchmark() && self.opening.loses_work(&self.session, &document) {
            // What was made while it was read would be lost, and is asked about. It is read again then.
            self.jobs.cancel_load();
            self.status.loading = None;
            let source = document.source();
            let next = match self.opening.take_session(&source) {
                Some(read) => NextStep::OpenSession(read),
                None => NextStep::Load(source),
            };
            return self.leave(event_loop, next);
        }
        self.show(event_loop, document);
        if let Some(warnings) = warnings {
            self.loaded(&warnings);
        }
    }

    /// Shows a document.
    fn show(&mut self, event_loop: &ActiveEventLoop, document: Document) {
        if let Some(loading) = &mut self.status.loading {
            loading.is_open = true;
        }
        self.jobs.opened();
        self.jobs.stop(Kind::RangeOfMotion);
        self.next.drop_click();
        self.disk.opened(self.opening.take_stamps());
        let (is_reload, set_aside) = (self.opening.take_reload(), self.session.unsaved().unsaved_work().set_aside);
        self.open_document(document);
        if is_reload {
            report_reload(&self.session, &mut self.status, set_aside);
        }
        self.apply_view_options();
        if let (true, Some(why)) = (self.pace.is_benchmark(), self.session.extents().crowd_refusal()) {
            return self.fail(event_loop, AppError::Crowd(why));
        }
        self.apply_model_options(event_loop);
        self.restore();
        self.take_second(event_loop);
        // What was to be done once the open model was saved and read again is done now, if nothing else would be lost by that.
        if let Some(next) = self.next.after_reload.take() {
            self.leave(event_loop, next);
        }
        self.pace.rest();
        let path = self.session.document().and_then(|document| document.path.as_deref());
        self.next_picture.show(path, Instant::now());
        if let Some(window) = &mut self.window {
            window.forget_missing_letters();
            window.set_title(&self.session, self.disk.session_name().as_deref());
        }
    }

    /// Takes the message that the open file has been read completely.
    fn loaded(&mut self, warnings: &[String]) {
        self.status.loading = None;
        self.session.warn(warnings);
        self.inspect();
    }
}

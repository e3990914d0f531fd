//! Takes the results of work in the background, and the reports of loads, to the session and the panels.

use std::collections::BTreeSet;

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::AppError;
use crate::app::files::load_job::LoadReport;
use crate::app::jobs::Then;
use crate::app::ui::fonts::{self, FontSearch};

/// Finds fonts of the system that have these letters.
pub(crate) fn find_fonts(letters: &BTreeSet<char>) -> Option<Then> {
    let found = fonts::search(&fonts::FontFolders::System, letters);
    Some(Box::new(|app, _| app.add_fonts(found)))
}

impl App {
    pub(crate) fn take_results(&mut self, event_loop: &ActiveEventLoop) {
        loop {
            if let Some(report) = self.jobs.next_load() {
                self.load_reported(event_loop, report);
            } else if let Some(then) = self.jobs.next() {
                then(self, event_loop);
            } else {
                break;
            }
        }
        self.redraw();
    }

    fn load_reported(&mut self, event_loop: &ActiveEventLoop, report: LoadReport) {
        match report {
            LoadReport::Progress(fraction, stage) => {
                if let Some(loading) = &mut self.status.loading {
                    (loading.fraction, loading.stage) = (fraction, stage);
                }
            }
            LoadReport::Opened(document) => {
                self.next_stamps.add(document.files());
                self.prepare_picking(&document);
                self.coming = Some((document, None));
                self.show_coming(event_loop);
            }
            LoadReport::Awaited(named) => self.next_stamps.add_taken(&named),
            LoadReport::Loaded(Ok(warnings)) => match &mut self.coming {
                Some((_, all)) => *all = Some(warnings),
                None => self.loaded(&warnings),
            },
            LoadReport::Completed(warnings) => _ = self.session.warn(&warnings),
            LoadReport::Loaded(Err(error)) => {
                self.status.loading = None;
                self.then_once_read = None;
                self.not_opened();
                self.say_what_stays_open();
                if self.frame_timer.is_some() {
                    let file = self.source.name();
                    return self.fail(event_loop, AppError::Import { file, error });
                }
                self.status.error = Some(format!("Could not open {}.\n{error}", self.source.name()));
            }
        }
    }

    /// Takes the fonts of the system that have letters which those of the program lack.
    pub(crate) fn add_fonts(&mut self, found: FontSearch) {
        if let Some(window) = &self.window {
            window.add_fonts(found);
        }
    }
}

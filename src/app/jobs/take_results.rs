//! Takes the results of work in the background, and the reports of loads, to the session and the panels.

use std::collections::BTreeSet;

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::jobs::ResultHandler;
use crate::app::ui::fonts;

/// Finds fonts of the system that have these letters.
pub(crate) fn find_fonts(letters: &BTreeSet<char>) -> Option<ResultHandler> {
    let found = fonts::search(&fonts::FontFolders::System, letters);
    Some(Box::new(|app, _| {
        if let Some(window) = &app.window {
            window.add_fonts(found);
        }
    }))
}

impl App {
    pub(crate) fn take_results(&mut self, event_loop: &ActiveEventLoop) {
        loop {
            if let Some(report) = self.jobs.next_load() {
                self.load_reported(event_loop, report);
            } else if let Some(handler) = self.jobs.next() {
                handler(self, event_loop);
            } else {
                break;
            }
        }
        self.redraw();
    }
}

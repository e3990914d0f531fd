//! The file that the tool *Transfer* takes weights from.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::App;
use crate::app::jobs::Kind;
use crate::edit::{Donor, Settings};
use crate::import::{ImportError, Progress};
use crate::session::{Document, Source, ToolCommand};

impl App {
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
}

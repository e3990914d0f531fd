//! The file that the tool *Transfer* takes weights from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clips::written;
use crate::app::jobs::{Jobs, Kind};
use crate::app::ui::Status;
use crate::app::{App, Options};
use crate::edit::{Donor, Settings, transfer_pairs};
use crate::import::{ImportError, Progress};
use crate::pose::NameMap;
use crate::session::{Document, Session, Source, ToolCommand};

impl App {
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

    /// Reads which joints of the file to take weights from are which of the open model. What is in neither is left out.
    pub(crate) fn read_donor_map(&mut self, path: &Path) {
        let mut settings = Settings::clone(&self.session.tools().settings);
        let Some((Donor(donor), model)) = settings.donor.clone().zip(self.session.model().map(Arc::clone)) else {
            return;
        };
        let read = NameMap::read(path).map_err(|error| error.to_string());
        let fitting = read.and_then(|map| {
            let map = map.in_file(&donor);
            transfer_pairs(&model, &donor, &map).map(|_| map).map_err(|error| error.to_string())
        });
        match fitting {
            Ok(map) => {
                settings.names = map;
                self.change(ToolCommand::Set(Arc::new(settings)));
                self.status.say(format!("Joints are matched as {} says", path.display()));
            }
            Err(why) => self.status.error = Some(format!("{}: {why}", path.display())),
        }
    }
}

/// Reads a file to take weights from.
pub(crate) fn read_donor(jobs: &mut Jobs, options: &Options, path: PathBuf) {
    let options = options.import.clone();
    jobs.restart(Kind::Donor, move |context| {
        let progress = Progress { report: &|_, _| (), cancel: context.cancel_flag() };
        let read = Source::File(path.clone()).load(&options, &progress);
        let read = read.map_err(|error| (path, error)).map(Box::new);
        if context.is_cancelled() {
            return None;
        }
        Some(Box::new(|app, _| app.donor_read(read)))
    });
}

/// Writes which joints of the file to take weights from are which of the open model.
pub(crate) fn write_donor_map(session: &Session, status: &mut Status, path: &Path) {
    let settings = &session.tools().settings;
    let Some((Donor(donor), model)) = settings.donor.as_ref().zip(session.model()) else { return };
    let Ok(pairs) = transfer_pairs(model, donor, &settings.names) else { return };
    let mut map = NameMap::default();
    pairs.iter().for_each(|(there, here)| map.set(there, here.as_deref()));
    match written(path, &map.text()) {
        Ok(()) => status.say(format!("Wrote {}", path.display())),
        Err(why) => status.error = Some(format!("{}: {why}", path.display())),
    }
}

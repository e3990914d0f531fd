//! Jobs that ask for files, read and write them, and wait for their changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::autosave::Snapshot;
use super::super::export_job::ExportJob;
use super::super::file_changes::wait_for_change;
use super::super::file_dialog;
use super::super::library::LibraryFolder;
use super::super::pose_pictures::PosePictures;
use super::super::report::Report;
use super::super::save_job::{SaveJob, summary};
use super::super::session_files::ReadSession;
use super::{Jobs, Kind};
use crate::model::Model;
use crate::session::FileUse;
use crate::writeback::{Prepared, Stamps};

impl Jobs {
    /// Asks for the file to save to with the system's dialog ([`file_dialog::has_dialog`]).
    pub(in super::super) fn ask_for_target(&mut self, proposed: &Path) {
        let choose = file_dialog::ask_for_target(proposed);
        self.start(Kind::FileDialog, "file dialog", move |_| choose().map(Report::TargetChosen));
    }

    /// Asks for a pose or session file with the system's dialog ([`file_dialog::has_dialog`]).
    pub(in super::super) fn ask_for_named_file(&mut self, usage: FileUse, proposed: &Path) {
        let choose = file_dialog::ask_for_named_file(usage, proposed);
        self.start(Kind::FileDialog, "file dialog", move |_| choose().map(Report::NamedFileChosen));
    }

    /// Reads or writes a pose or session file; reading another one that was begun before is given up.
    pub(in super::super) fn named_file(&mut self, work: impl FnOnce() -> Option<Report> + Send + 'static) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::NamedFile));
        self.start(Kind::NamedFile, "named file", move |_| work());
    }

    /// Reads a session file that is to be opened; another one that is being read for that is given up.
    pub(in super::super) fn read_session(&mut self, path: PathBuf) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Session));
        self.start(Kind::Session, "session file", move |_| {
            let read = ReadSession::read(&path).map(Box::new);
            Some(Report::SessionRead(path, read))
        });
    }

    /// Whether a session file is being read that is to be opened.
    pub(in super::super) fn is_reading_session(&self) -> bool {
        self.running.iter().any(|(kind, _)| matches!(kind, Kind::Session))
    }

    /// Asks for a folder with the system's dialog; `chosen` is the report of its path.
    pub(in super::super) fn ask_for_folder(&mut self, folder: &Path, chosen: fn(PathBuf) -> Report) {
        let choose = file_dialog::ask_for_folder(folder);
        self.start(Kind::FileDialog, "folder dialog", move |_| choose().map(chosen));
    }

    /// Reads the poses of a folder for a model; another folder that is being read is given up.
    pub(in super::super) fn read_library(&mut self, folder: LibraryFolder, model: Arc<Model>) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Library));
        self.start(Kind::Library, "pose library", move |_| Some(Report::LibraryRead(Box::new(folder.read(&model)))));
    }

    /// Draws pictures of poses; what was begun before is given up.
    pub(in super::super) fn draw_poses(&mut self, job: PosePictures) {
        self.stop_drawing_poses();
        self.start(Kind::PosePictures, "pictures of poses", move |context| {
            Some(Report::PosesDrawn(job.draw(context).map_err(|error| error.to_string())))
        });
    }

    /// Gives up drawing pictures of poses.
    pub(in super::super) fn stop_drawing_poses(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::PosePictures));
    }

    /// Works out what saving would change; what was begun before is given up.
    pub(in super::super) fn plan_save(&mut self, job: SaveJob, target: PathBuf) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::SavePlan));
        self.start(Kind::SavePlan, "plan save", move |_| {
            Some(Report::SavePlanned(job.prepare(&target).map(|prepared| summary(&prepared))))
        });
    }

    /// Writes the files of a model.
    pub(in super::super) fn save(&mut self, job: SaveJob, target: PathBuf) {
        self.start(Kind::Save, "save", move |_| {
            let saved = job.prepare(&target).and_then(Prepared::write);
            Some(Report::FilesSaved(job.model, saved))
        });
    }

    /// Writes edits down for the case of a crash. They are written one after another.
    pub(in super::super) fn write_down(&mut self, snapshot: Snapshot, path: PathBuf) {
        self.start(Kind::Autosave, "autosave", move |_| {
            let written = snapshot.write(&path);
            Some(Report::WrittenDown(path, written))
        });
    }

    /// Asks for the file of an export with the system's dialog.
    pub(in super::super) fn ask_for_export(&mut self, proposed: &Path) {
        let choose = file_dialog::ask_for_export(proposed);
        self.start(Kind::FileDialog, "file dialog", move |_| choose().map(Report::ExportChosen));
    }

    /// Exports a file; what was begun before is given up.
    pub(in super::super) fn export(&mut self, job: ExportJob, path: PathBuf) {
        self.stop_export();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.start(Kind::Export(name), "export", move |context| {
            let written = job.write(&path, context);
            Some(Report::Exported(path, written))
        });
    }

    /// Returns the name of the file that is being exported, and the share that is done, 0…1.
    pub(in super::super) fn exporting(&self) -> Option<(&str, f32)> {
        self.running.iter().find_map(|(kind, job)| match kind {
            Kind::Export(name) => Some((name.as_str(), job.fraction())),
            _ => None,
        })
    }

    /// Gives up what is being exported.
    pub(in super::super) fn stop_export(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Export(_)));
    }

    /// Gives up what is being exported, and waits a moment until it has left nothing behind.
    pub(in super::super) fn end_export(&self) {
        const MOST: Duration = Duration::from_secs(5);
        let start = Instant::now();
        for (_, job) in self.running.iter().filter(|(kind, _)| matches!(kind, Kind::Export(_))) {
            job.cancel();
            while !job.is_done() && start.elapsed() < MOST {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Draws a picture for the clipboard.
    pub(in super::super) fn draw_picture(&mut self, mut job: ExportJob) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Picture));
        self.start(Kind::Picture, "picture", move |_| {
            let drawn = job.picture().map_err(|error| error.to_string());
            Some(Report::PictureDrawn(job.settings.size, drawn))
        });
    }

    /// Waits until files are others than at these stamps, unless that is being done.
    pub(in super::super) fn watch(&mut self, then: &Stamps) {
        if self.running.iter().any(|(kind, _)| matches!(kind, Kind::Watch(of) if of == then)) {
            return;
        }
        self.stop_watching();
        let watched = then.clone();
        self.start(Kind::Watch(then.clone()), "watch", move |context| wait_for_change(&watched, context));
    }

    /// Stops waiting for that.
    pub(in super::super) fn stop_watching(&mut self) {
        self.running.retain(|(kind, _)| !matches!(kind, Kind::Watch(_)));
    }
}

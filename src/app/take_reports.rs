//! Takes the reports of jobs in the background to the session and the panels.

use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use super::report::Report;
use super::{App, AppError};
use crate::model::Model;
use crate::pose::NameMap;

impl App {
    pub(super) fn take_reports(&mut self, event_loop: &ActiveEventLoop) {
        while let Some(report) = self.jobs.next() {
            match report {
                Report::Progress(fraction, stage) => {
                    if let Some(loading) = &mut self.status.loading {
                        loading.fraction = fraction;
                        loading.stage = stage;
                    }
                }
                Report::Chosen(path) => self.open(event_loop, path),
                Report::ChosenToCompare(path) => self.compare_file(path),
                Report::OtherRead(open, read) => self.other_read(&open, read),
                Report::ClipsChosen(path) => self.take_clips(path, NameMap::default()),
                Report::ClipsTaken(open, read) => self.clips_taken(&open, *read),
                Report::DonorChosen(path) => self.jobs.read_donor(path, self.options.import.clone()),
                Report::DonorRead(result) => self.donor_read(result),
                Report::SavePlanned(result) => self.save_planned(result),
                Report::TargetChosen(path) => self.target_chosen(path),
                Report::FilesSaved(model, result) => self.files_saved(event_loop, model, result),
                Report::NamedFileChosen(path) => self.name_file(path),
                Report::PoseRead(path, result) => self.pose_read(&path, result.map(|report| *report)),
                Report::PoseFolderChosen(path) => self.set_pose_folder(Some(path)),
                Report::LibraryRead(library) => self.library_read(*library),
                Report::PosesDrawn(drawn) => self.poses_drawn(drawn),
                Report::PoseSaved(path, result) => {
                    if result.is_ok() {
                        self.session.note_pose_saved();
                    }
                    self.file_written(&path, result);
                }
                Report::SessionSeen(path, result) => self.session_seen(&path, result),
                Report::SessionRead(path, result) => self.session_read(event_loop, &path, result),
                Report::SessionSaved(path, kept, result) => self.session_saved(event_loop, path, *kept, result),
                Report::WrittenDown(path, result) => self.written_down(&path, result),
                Report::ExportChosen(path) => self.name_export(path),
                Report::Exported(path, result) => self.exported(&path, result),
                Report::PictureDrawn(size, result) => self.picture_drawn(size, result),
                Report::Awaited(named) => self.next_stamps.add_taken(&named),
                Report::FilesChanged(now) => self.files_changed(now),
                Report::Fonts(found) => {
                    if let Some(window) = &self.window {
                        window.add_fonts(found);
                    }
                }
                Report::Opened(document) => {
                    self.next_stamps.add(document.files());
                    self.jobs.prepare_document(&document);
                    self.coming = Some((document, None));
                    self.show_coming(event_loop);
                }
                Report::Loaded(Ok(warnings)) => match &mut self.coming {
                    Some((_, all)) => *all = Some(warnings),
                    None => self.loaded(&warnings),
                },
                Report::Pickable(model) => self.carry_out_click(&model),
                Report::Normalised(model, changes) => {
                    self.jobs.stop_normalising();
                    self.session.normalised(&model, &changes);
                }
                Report::WorkedOut(model, task, outcome) => {
                    self.session.worked_out(&model, &task, outcome.map(|outcome| *outcome));
                }
                Report::Packed(model, packing, made) => self.session.packed(&model, packing, *made),
                Report::Prepared(source, model, data) => self.session.prepared(source, &model, data),
                // The next picture shows the figures.
                Report::Counted => {}
                Report::Worst(worst) => self.show_worst(worst),
                Report::SurfaceMeasured(measured) => {
                    self.measure_pace.end(Instant::now());
                    if let Some(timer) = &mut self.frame_timer {
                        timer.measured();
                    }
                    if let Some((measurers, pose)) = measured.map(|both| *both) {
                        self.measurers = measurers;
                        self.session.measured_surface(pose);
                    }
                }
                Report::ClipMeasured(curves) => {
                    if let Some(curves) = curves {
                        self.session.measured_curves(curves);
                    }
                }
                Report::Measuring(fraction) => self.status.rom = Some(fraction),
                Report::Measured(model, report) => {
                    self.status.rom = None;
                    self.session.measured(&model, *report);
                }
                Report::Inspected(model, inspection) => {
                    self.session.inspected(&model, *inspection);
                    let is_open = |open: &Arc<Model>| Arc::ptr_eq(open, &model);
                    self.status.checking &= !self.session.edited_model().is_some_and(is_open);
                }
                Report::Completed(warnings) => _ = self.session.warn(&warnings),
                Report::Loaded(Err(error)) => {
                    self.status.loading = None;
                    self.then_once_read = None;
                    self.not_opened();
                    if self.frame_timer.is_some() {
                        let file = self.source.name();
                        return self.fail(event_loop, AppError::Import { file, error });
                    }
                    self.status.error = Some(format!("Could not open {}.\n{error}", self.source.name()));
                }
            }
        }
        self.redraw();
    }
}

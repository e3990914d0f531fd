//! What leaves the window: pictures, posed meshes, films, and the picture on the clipboard.

use std::path::{Path, PathBuf};

use super::export_job::{ExportFailure, ExportJob, check};
use super::save_job::name_of;
use crate::app::jobs::Kind;
use crate::app::ui::{AskedStage, Status, UiState};
use crate::app::{App, Options};
use crate::export::MeshFormat;
use crate::film::Target;
use crate::output::overwritten;
use crate::session::{ComparisonLayout, Document, ExportKind, ExportSettings, FileUse, Session};

impl App {
    /// Begins to export.
    pub(crate) fn export_to(&mut self, path: PathBuf, settings: ExportSettings) {
        let read = read_files(&self.session);
        let Some(asked) = &mut self.status.asked_file else { return };
        let FileUse::Export(kind) = asked.usage else { return };
        asked.path.clone_from(&path);
        let first = settings.frames.filter(|_| settings.plays).map_or(0, |[first, _]| first);
        let fits = check(kind, &path, &settings).and_then(|()| replaces_none(kind, &path, first, &read));
        if let Err(why) = fits {
            asked.stage = AskedStage::Unfit(why);
            return;
        }
        self.status.asked_file = None;
        let job = export_job(&self.session, &self.ui, &self.options, kind, settings);
        self.exported = name_of(&path);
        self.jobs.restart(Kind::Export, move |context| {
            let written = job.write(&path, context);
            Some(Box::new(move |app, _| exported(&app.session, &mut app.status, &path, written)))
        });
    }

    /// Puts the picture on the clipboard.
    pub(crate) fn copy_picture(&mut self) {
        if self.session.document().is_some() {
            let size = self.session.view().viewport.round();
            let size = [size.x, size.y].map(|side| (side as u32).clamp(1, ExportSettings::MOST_PIXELS));
            let settings = ExportSettings { size, ..ExportSettings::default() };
            let mut job = export_job(&self.session, &self.ui, &self.options, ExportKind::Picture, settings);
            self.jobs.restart(Kind::Picture, move |_| {
                let drawn = job.picture().map_err(|error| error.to_string());
                Some(Box::new(move |app, _| match (drawn, &app.window) {
                    (Ok(rgba), Some(window)) => {
                        window.copy_picture(size, &rgba);
                        let [width, height] = size;
                        app.status.say(format!("Copied the picture, {width} × {height}"));
                    }
                    (Ok(_), None) => {}
                    (Err(why), _) => app.status.error = Some(format!("The picture could not be drawn.\n{why}")),
                }))
            });
        }
    }
}

/// The documents of both models.
pub(super) fn documents(session: &Session) -> impl Iterator<Item = &Document> {
    session.document().into_iter().chain(session.beside().and_then(|beside| beside.other().document()))
}

/// The files that the open models were read from.
pub(super) fn read_files(session: &Session) -> Vec<PathBuf> {
    documents(session).flat_map(Document::files).map(PathBuf::from).collect()
}

/// All that it takes to export what is shown.
pub(super) fn export_job(
    session: &Session,
    ui: &UiState,
    options: &Options,
    kind: ExportKind,
    settings: ExportSettings,
) -> ExportJob {
    let (session, light) = (session.clone(), !ui.is_dark());
    let (backend, texture_memory) = (options.backend, options.texture_memory);
    let units = ui.saved().units;
    // Letters take the part of the picture that they take in the window, so that the same names have room.
    let wide = session.deforming().comparison().is_some_and(|c| c.layout == ComparisonLayout::SideBySide);
    let [width, height] = settings.size.map(|side| side as f32);
    let shown = session.view().viewport;
    let factor = (width / (if wide { 2.0 } else { 1.0 } * shown.x)).min(height / shown.y);
    let letters = Some(factor * ui.pixels_per_point()).filter(|scale| scale.is_finite() && *scale > 0.0);
    let letters = letters.map(|scale| scale.clamp(0.25, 8.0));
    ExportJob { kind, session, settings, light, letters, units, backend, texture_memory }
}

/// A file has been exported, or not.
fn exported(session: &Session, status: &mut Status, path: &Path, result: Result<(), ExportFailure>) {
    match result {
        Ok(()) => {
            let shift = session.pose().shift;
            let written = MeshFormat::of(path).zip(session.model());
            match written.and_then(|(format, model)| format.lacks(model, shift)) {
                None => status.say(format!("Wrote {}", name_of(path))),
                Some(lacks) => status.warn(format!("Wrote {}; {lacks}", name_of(path))),
            }
        }
        Err(ExportFailure::Cancelled) => {}
        Err(ExportFailure::Failed(why)) => {
            let todo = "Export into another folder, or make room or get leave to write there.";
            let todo = if why.starts_with("could not write") { format!("\n{todo}") } else { String::new() };
            status.error = Some(format!("{} was not written: {why}.{todo}", name_of(path)));
        }
    }
}

/// Checks that an export into `path` replaces none of the files `read`. Pictures of a film that have numbers begin with `first`;
/// how many there are is not known yet, so that the first stands for all.
fn replaces_none(kind: ExportKind, path: &Path, first: u32, read: &[PathBuf]) -> Result<(), String> {
    let outputs: Vec<PathBuf> = match Target::of(path).filter(|_| kind == ExportKind::Film) {
        Some(target) => target.files(std::iter::once(first)).collect(),
        None => vec![path.to_owned()],
    };
    let spared = |output: &PathBuf| overwritten(output, read.iter().map(PathBuf::as_path));
    outputs.iter().try_for_each(spared).map_err(|error| error.to_string())
}

/// Returns whether something can be exported into a file of this name, as far as the name says. `read`: the files that are open.
pub(crate) fn stage_of_export(kind: ExportKind, path: &Path, read: &[PathBuf]) -> AskedStage {
    // What depends on more than the name is said once it is asked for.
    let usual = ExportSettings { size: [1, 1], fps: 1.0, transparent: false, ..ExportSettings::default() };
    match check(kind, path, &usual).and_then(|()| replaces_none(kind, path, 0, read)) {
        Ok(()) => AskedStage::Writable { replaces: path.symlink_metadata().is_ok() },
        Err(why) => AskedStage::Unfit(why),
    }
}

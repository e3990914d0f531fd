//! Saving the open model: what would change is computed and shown, and the files are written once the user agrees.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;

use super::file_dialog;
use super::save_job::{SaveJob, Written, name_of, summary};
use super::saved_layers::SavedLayers;
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::ui::{SaveFailure, SaveStage, SaveStatus};
use crate::model::Model;
use crate::session::{SaveKind, Source};
use crate::writeback::{Recompression, SaveError, Saved, WriteError};

impl App {
    /// Begins to compute what saving would change.
    pub(crate) fn begin_save(&mut self, kind: SaveKind) {
        let Some(document) = self.session.document() else { return };
        if document.lesson().is_some() {
            self.status.error =
                Some("An example is made by the program and has no file, so that it cannot be saved.".into());
            return;
        }
        let kind = if document.path.is_none() && kind == SaveKind::InPlace { SaveKind::As } else { kind };
        let name = document.model.source.name.clone();
        let target = match (kind, &document.path) {
            (SaveKind::InPlace, Some(path)) => path.clone(),
            (_, path) => proposed(path.as_deref()),
        };
        let has_dialog = file_dialog::has_dialog();
        let has_layers = !self.session.painting().layers().is_empty();
        let keeps_layers = has_layers.then(|| self.disk.keeps_layers(document));
        self.status.saving = Some(SaveStatus {
            kind,
            name,
            target,
            has_dialog,
            recompresses: false,
            keeps_links: false,
            keeps_layers,
            work: self.session.unsaved().unsaved_work(),
            lost_steps: self.session.history().steps_lost_by_saving(),
            stage: SaveStage::Planning,
        });
        self.plan_save(|_| {});
    }

    /// Computes what saving would change, after a change of what is asked for.
    pub(crate) fn plan_save(&mut self, change: impl FnOnce(&mut SaveStatus)) {
        if let Some(saving) = &mut self.status.saving {
            change(saving);
        }
        let job = self.save_job();
        if let (Some(saving), Some(job)) = (&mut self.status.saving, job) {
            saving.stage = SaveStage::Planning;
            let target = saving.target.clone();
            self.jobs.restart(Kind::SavePlan, move |_| {
                let planned = job.prepare(&target).map(|prepared| summary(&prepared));
                Some(Box::new(move |app, _| {
                    let saving = app.status.saving.as_mut();
                    if let Some(saving) = saving.filter(|saving| saving.stage == SaveStage::Planning) {
                        saving.stage = match planned {
                            Ok(summary) => SaveStage::Ready(Box::new(summary)),
                            Err(error) => SaveStage::Failed(explain(&error)),
                        };
                    }
                }))
            });
        }
    }

    /// All that it takes to save as the open dialog says.
    fn save_job(&self) -> Option<SaveJob> {
        let saving = self.status.saving.as_ref()?;
        let document = self.session.document()?;
        let (stamps, written) = self.disk.origin();
        Some(SaveJob {
            model: Arc::clone(self.session.edited_weights().edited_model()?),
            painted: self.session.painted_weights().cloned(),
            path: document.path.clone(),
            stamps,
            written,
            recompression: if saving.recompresses { Recompression::Meshopt } else { Recompression::None },
            keeps_links: saving.keeps_links,
            layers: SavedLayers::of(&self.session, saving.keeps_layers),
            work: self.session.unsaved().snapshot(),
            options: self.options.import.clone(),
        })
    }

    /// Writes the files.
    pub(crate) fn save_to(&mut self, target: PathBuf) {
        let Some(job) = self.save_job() else { return };
        let Some(saving) = self.status.saving.as_mut().filter(|saving| saving.stage != SaveStage::Writing) else {
            return;
        };
        saving.stage = SaveStage::Writing;
        saving.target.clone_from(&target);
        self.jobs.start(Kind::Save, move |_| {
            let saved = job.prepare(&target).and_then(|prepared| job.write(prepared, &target));
            Some(Box::new(|app, event_loop| app.files_saved(event_loop, job.model, saved)))
        });
    }

    /// Files have been written, or not.
    pub(crate) fn files_saved(
        &mut self,
        event_loop: &ActiveEventLoop,
        model: Arc<Model>,
        result: Result<(Saved, Option<Written>), SaveError>,
    ) {
        let Some(saving) = &mut self.status.saving else { return };
        let (saved, own) = match result {
            Ok(saved) => saved,
            Err(error) => {
                saving.stage = SaveStage::Failed(explain(&error));
                return;
            }
        };
        self.disk.note_written(own);
        let (kind, target, keeps_layers) = (saving.kind, saving.target.clone(), saving.keeps_layers);
        if kind != SaveKind::Copy {
            self.disk.note_layers(&target, keeps_layers);
        }
        self.status.saving = None;
        let names = |files: &[PathBuf]| files.iter().map(|file| name_of(file)).collect::<Vec<_>>().join(", ");
        let backups =
            if saved.backups.is_empty() { String::new() } else { format!(", kept {}", names(&saved.backups)) };
        let written = if saved.written.is_empty() { name_of(&target) } else { names(&saved.written) };
        let links: u64 = saved.links.iter().map(|(_, count)| count).sum();
        let links = match (links, saved.kept_links) {
            (0, _) => String::new(),
            (_, true) => "; other hard links have it too".to_owned(),
            (_, false) => "; other hard links keep what was there".to_owned(),
        };
        let wrote = format!("Wrote {written}{backups}{links}");
        match saved.left.is_empty() {
            true => self.status.say(wrote),
            false => self.status.warn(format!("{wrote}, without what is listed below")),
        }
        let skipped: Vec<String> = saved
            .left
            .iter()
            .map(|file| format!("{}: its name leads out of the folder, so it was not copied.", file.display()))
            .collect();
        if !skipped.is_empty() {
            self.status.error = Some(skipped.join("\n"));
        }
        match (self.next.after_save.take(), kind) {
            (next, SaveKind::Copy) => {
                if let Some(next) = next {
                    self.leave(event_loop, next);
                }
            }
            (Some(next), _) if self.lost_work(&next).without_model().is_empty() => self.proceed(event_loop, next),
            (next, _) => {
                self.session.files_mut().note_model_saved(target.clone(), model);
                self.load(Source::File(target));
                // The rest is asked about once the file is open that was written.
                self.next.after_reload = next;
            }
        }
    }
}

/// A free name beside the open file.
fn proposed(path: Option<&Path>) -> PathBuf {
    let (stem, ending) = match path {
        Some(path) => (path.file_stem(), path.extension()),
        None => (None, None),
    };
    let stem = stem.map_or("character".into(), |stem| stem.to_string_lossy().into_owned());
    let ending = ending.map_or("glb".into(), |ending| ending.to_string_lossy().into_owned());
    let folder =
        path.and_then(Path::parent).map(Path::to_owned).or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let name = |n: u32| {
        folder.join(if n == 1 { format!("{stem}-edited.{ending}") } else { format!("{stem}-edited-{n}.{ending}") })
    };
    (1..).map(name).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

/// Returns the reason, and what to do about it.
fn explain(error: &SaveError) -> SaveFailure {
    let advice = match error {
        SaveError::Stale(_) => {
            ". Save as writes the file as it is now, with your edits, under another name; Reload (Ctrl+R) reads it again and carries your edits over."
        }
        SaveError::Unmatched { .. } => ". Save a session, which keeps all of them.",
        // Every file that is written has the bytes of the model's own, but for those that change.
        SaveError::Patch(WriteError::Read { .. }) => {
            ". Put the file back, or save a session, which keeps all that you made."
        }
        SaveError::Output { .. } => ". Save into another folder, or make room or get leave to write there.",
        SaveError::Patch(_) | SaveError::Overwritten(_) | SaveError::Container { .. } => "",
    };
    let needs_file = matches!(error, SaveError::Unmatched { .. } | SaveError::Patch(WriteError::Read { .. }));
    SaveFailure { why: format!("{error}{advice}"), other_file_helps: !needs_file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_models_file_is_gone_only_a_session_helps() {
        let path = PathBuf::from("models/tube.glb");
        let gone = || std::io::Error::from(std::io::ErrorKind::NotFound);
        let failure = explain(&SaveError::Patch(WriteError::Read { path: path.clone(), source: gone() }));
        assert!(!failure.other_file_helps && failure.why.contains("save a session"), "{failure:?}");
        let left = "2 vertices with edited weights".to_owned();
        let failure = explain(&SaveError::Unmatched { path: path.clone(), left });
        assert!(!failure.other_file_helps && failure.why.contains("Save a session"), "{failure:?}");
        for error in [SaveError::Stale(path.clone()), SaveError::Output { path, reason: "the disk is full".into() }] {
            let failure = explain(&error);
            assert!(failure.other_file_helps && failure.why.contains(&error.to_string()), "{failure:?}");
        }
    }
}

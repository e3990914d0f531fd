//! Saving a model, as far as it is done beside the pictures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ui::SaveSummary;
use crate::edit::Sheet;
use crate::import::{ImportError, Options, Progress};
use crate::model::Model;
use crate::session::{KeptSession, Session, Source, WorkContents};
use crate::writeback::{Destination, Origin, Prepared, Recompression, SaveError, Stamps, prepare};

/// What it takes to save a model.
pub(super) struct SaveJob {
    pub model: Arc<Model>,
    /// The file that it was read from; `None`: the built-in character.
    pub path: Option<PathBuf>,
    /// That file and those that it names, before they were read.
    pub stamps: Stamps,
    /// Whether what meshopt had compressed is compressed again.
    pub recompression: Recompression,
    /// All that was made on the model, for the case that its file is another by now.
    pub kept: Option<KeptSession>,
    /// How that is read then.
    pub options: Options,
}

impl SaveJob {
    /// Works out the files. Where the file of the model was changed outside and another one is to be written, that gets the file as it is now, with the
    /// edits carried over.
    ///
    /// # Errors
    /// The same as those of [`prepare`]; and the file has no place for all edits any more.
    pub fn prepare(&self, target: &Path) -> Result<Prepared, SaveError> {
        let sheet = Sheet::of(&self.model);
        let built_in = Source::BuiltIn.built_in_bytes().unwrap_or_default();
        let origin = self.path.as_deref().map_or(Origin::Bytes(built_in), |path| Origin::File(path, &self.stamps));
        let same = |path: &PathBuf| {
            path == target || path.canonicalize().ok().is_some_and(|p| target.canonicalize().ok() == Some(p))
        };
        let destination =
            if self.path.as_ref().is_some_and(same) { Destination::InPlace } else { Destination::To(target) };
        let is_other = matches!(destination, Destination::To(_));
        match prepare(origin, &sheet, self.recompression, destination) {
            Err(SaveError::Stale(_)) if is_other => self.prepare_on_changed(target),
            prepared => Ok(prepared?.keeping_what_is_replaced()),
        }
    }

    fn prepare_on_changed(&self, target: &Path) -> Result<Prepared, SaveError> {
        let (Some(path), Some(kept)) = (&self.path, &self.kept) else {
            return Err(SaveError::Stale(target.to_owned()));
        };
        let unreadable =
            |error: ImportError| SaveError::NoPlace { path: path.clone(), left: format!("any edit: {error}") };
        let mut stamps = Stamps::of(path);
        let document = Source::File(path.clone()).load(&self.options, &Progress::silent()).map_err(unreadable)?;
        stamps.add(document.files());
        let mut session = Session::default();
        session.open_kept(document, &kept.file());
        let left: Vec<String> = session
            .set_aside()
            .iter()
            .map(|work| WorkContents { posed: 0, ruled: 0, marks: 0, ..work.contents() })
            .flat_map(|contents| contents.words())
            .collect();
        if !left.is_empty() {
            return Err(SaveError::NoPlace { path: path.clone(), left: left.join(", ") });
        }
        let Some(model) = session.edited_model() else { return Err(SaveError::Stale(path.clone())) };
        let (origin, destination) = (Origin::File(path, &stamps), Destination::To(target));
        Ok(prepare(origin, &Sheet::of(model), self.recompression, destination)?.keeping_what_is_replaced())
    }
}

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What saving will change, for the panel.
pub(super) fn summary(prepared: &Prepared) -> SaveSummary {
    let changes = prepared.changes();
    let files: Vec<&Path> = prepared.files().collect();
    SaveSummary {
        vertices: changes.vertices,
        joints: changes.joints,
        binds: changes.binds,
        clips: changes.clips,
        coarse: changes.coarse.clone(),
        accessors: changes.accessors.iter().copied().collect(),
        bytes: changes.bytes,
        json_values: changes.json_values,
        unpacked: changes.unpacked.iter().map(|(packing, n)| (*packing, *n)).collect(),
        recompressed: changes.recompressed,
        files: files.iter().map(|file| name_of(file)).collect(),
        replaced: files.iter().filter(|file| file.exists()).map(|file| name_of(file)).collect(),
    }
}

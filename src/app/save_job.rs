//! Saving a model, as far as it is done beside the pictures.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ui::SaveSummary;
use crate::edit::Sheet;
use crate::model::Model;
use crate::session::Source;
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
}

impl SaveJob {
    /// Works out the files.
    ///
    /// # Errors
    /// The same as those of [`prepare`].
    pub fn prepare(&self, target: &Path) -> Result<Prepared, SaveError> {
        let sheet = Sheet::of(&self.model);
        let built_in = Source::BuiltIn.built_in_bytes().unwrap_or_default();
        let origin = self.path.as_deref().map_or(Origin::Bytes(built_in), |path| Origin::File(path, &self.stamps));
        let same = |path: &PathBuf| {
            path == target || path.canonicalize().ok().is_some_and(|p| target.canonicalize().ok() == Some(p))
        };
        let destination =
            if self.path.as_ref().is_some_and(same) { Destination::InPlace } else { Destination::To(target) };
        Ok(prepare(origin, &sheet, self.recompression, destination)?.keeping_what_is_replaced())
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
        accessors: changes.accessors.iter().copied().collect(),
        bytes: changes.bytes,
        json_values: changes.json_values,
        unpacked: changes.unpacked.iter().map(|(packing, n)| (*packing, *n)).collect(),
        recompressed: changes.recompressed,
        files: files.iter().map(|file| name_of(file)).collect(),
        replaced: files.iter().filter(|file| file.exists()).map(|file| name_of(file)).collect(),
    }
}

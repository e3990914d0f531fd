//! What a model that is open in another program consists of.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::{CliError, check};
use super::Failure;
use crate::edit::Sheet;
use crate::import::{ImportError, Options, Progress, Warning, import_bytes, import_bytes_showing};
use crate::model::Model;
use crate::session::{Document, Source};
use crate::writeback::{
    Destination, Origin, Place, Prepared, Recompression, SaveError, Saved, Stamps, patched, prepare,
};

/// An open model, with what it was read from. A copy shares everything with it.
#[derive(Clone, Debug)]
pub struct Content {
    /// The model, without the pixels of its images.
    pub document: Document,
    held: Held,
    /// What reports and errors call it.
    name: String,
    options: Options,
    /// The files that it was opened from, whatever it has become; `None` where it was in memory.
    place: Option<Place>,
}

/// Where the bytes of a model are.
#[derive(Clone, Debug)]
enum Held {
    /// In a file, which was so when it was read, and in those that it names.
    File(PathBuf, Stamps),
    /// All in memory.
    Bytes(Arc<[u8]>),
}

/// Reads everything in bytes but the images, which no command here looks at.
fn read(bytes: &[u8], name: &str, options: &Options) -> Result<Document, ImportError> {
    let has_geometry = check::end_of_import();
    let progress = Progress { report: &|_, _| {}, cancel: &has_geometry };
    let mut document = None;
    let mut shown = |model: Arc<Model>, warnings: Vec<Warning>| {
        document = Some(Document::of_model(model, &warnings));
        has_geometry.store(true, Ordering::Relaxed);
    };
    import_bytes_showing(bytes, name, options, &progress, &mut shown)?;
    document.ok_or(ImportError::Internal)
}

impl Content {
    /// Opens a file.
    ///
    /// # Errors
    /// The file is bad; the message says what is wrong, where, and what to do.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let failed = |error| CliError::Import { file: name.clone(), error };
        let mut stamps = Stamps::of(path);
        let document = check::load(&Source::File(path.to_owned()), options).map_err(failed)?;
        stamps.add(document.files());
        let place = Some(Place::of(path, &stamps, document.stored()));
        Ok(Self { document, held: Held::File(path.to_owned(), stamps), name, options: options.clone(), place })
    }

    /// Opens a file in memory, which names no others.
    ///
    /// # Errors
    /// The bytes are no model, or a bad one.
    pub fn of_bytes(bytes: &[u8], name: &str, options: &Options) -> Result<Self, Failure> {
        let failed = |error| CliError::Import { file: name.to_owned(), error };
        let document = read(bytes, name, options).map_err(failed)?;
        let held = Held::Bytes(bytes.into());
        Ok(Self { document, held, name: name.to_owned(), options: options.clone(), place: None })
    }

    /// Returns what reports and errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether all of it is in one file, so that edits of it stay in memory.
    #[must_use]
    pub fn is_one_file(&self) -> bool {
        self.document.stored().source.files.is_empty()
    }

    /// Returns its file, which has it as it is; `None` where it is in memory.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.held {
            Held::File(path, _) => Some(path),
            Held::Bytes(_) => None,
        }
    }

    /// Returns its bytes; `None` where a file has them.
    pub(in crate::cli) fn bytes_in_memory(&self) -> Option<Arc<[u8]>> {
        match &self.held {
            Held::File(..) => None,
            Held::Bytes(bytes) => Some(Arc::clone(bytes)),
        }
    }

    /// Returns whether its files are as they were when it was read.
    #[must_use]
    pub fn is_as_read(&self) -> bool {
        match &self.held {
            Held::File(_, stamps) => stamps.paths().all(|path| stamps.is_as_read(path)),
            Held::Bytes(_) => true,
        }
    }

    fn origin(&self) -> Origin<'_> {
        match &self.held {
            Held::File(path, stamps) => Origin::File(path, stamps),
            Held::Bytes(bytes) => Origin::Bytes(bytes),
        }
    }

    /// Returns the bytes of the `.glb` or `.gltf` itself.
    ///
    /// # Errors
    /// It is in a file that cannot be read, or that was changed since it was opened.
    pub fn bytes(&self) -> Result<Arc<[u8]>, Failure> {
        match &self.held {
            Held::Bytes(bytes) => Ok(Arc::clone(bytes)),
            Held::File(path, stamps) => {
                let unread = |source| ImportError::Read { path: self.name.clone(), source };
                let failed = |error| CliError::Import { file: self.name.clone(), error };
                let bytes = std::fs::read(path).map_err(unread).map_err(failed)?;
                let stale = || CliError::from(SaveError::Stale(path.clone()));
                stamps.is_as_read(path).then(|| bytes.into()).ok_or_else(|| stale().into())
            }
        }
    }

    /// Reads it once more, with the pixels of its images.
    ///
    /// # Errors
    /// It is in a file that was changed since it was opened.
    pub fn with_images(&self) -> Result<Self, Failure> {
        if self.document.stored().images.is_empty() {
            return Ok(self.clone());
        }
        let failed = |error| CliError::Import { file: self.name.clone(), error };
        let silent = Progress::silent();
        let document = match &self.held {
            Held::File(path, _) => {
                let loaded = Source::File(path.clone()).load(&self.options, &silent);
                if !self.is_as_read() {
                    return Err(CliError::from(SaveError::Stale(path.clone())).into());
                }
                loaded
            }
            Held::Bytes(bytes) => import_bytes(bytes, &self.name, &self.options, &silent)
                .map(|import| Document::of_model(import.model, &import.warnings)),
        };
        Ok(Self { document: document.map_err(failed)?, ..self.clone() })
    }

    /// Returns what it becomes with the weights, matrices, clips and skins of a sheet of its model, with the extent of the changes. It must be
    /// of one file.
    pub(in crate::cli) fn edited(
        &self,
        sheet: &Sheet,
        recompression: Recompression,
    ) -> Result<(Self, Saved), CliError> {
        let (bytes, saved) = patched(self.origin(), sheet, recompression)?;
        let failed = |error| CliError::Import { file: self.name.clone(), error };
        let mut document = read(&bytes, &self.name, &self.options).map_err(failed)?;
        // What is written may not replace the file that it came from.
        document.path.clone_from(&self.document.path);
        Ok((Self { document, held: Held::Bytes(bytes.into()), ..self.clone() }, saved))
    }

    /// Returns what it becomes with edited weights in a sheet of its model, and the extent of the changes; of several files, those are
    /// written beside `out`.
    ///
    /// # Errors
    /// Its file was changed since it was opened, or the output cannot be written.
    pub fn with_sheet(&self, sheet: &Sheet, out: &Path) -> Result<(Self, Saved), Failure> {
        if self.is_one_file() {
            return Ok(self.edited(sheet, Recompression::None)?);
        }
        let saved = prepare(self.origin(), sheet, Recompression::None, Destination::To(out))
            .and_then(Prepared::write)
            .map_err(CliError::from)?;
        Ok((self.become_file(out)?, saved))
    }

    /// Opens the file that an edit of it has written: what it has become, under its name, and from its place.
    ///
    /// # Errors
    /// The file is bad.
    pub fn become_file(&self, out: &Path) -> Result<Self, Failure> {
        let opened = Self::open(out, &self.options)?;
        Ok(Self { name: self.name.clone(), place: self.place.clone(), ..opened })
    }

    /// Returns the same under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Writes it into a file as it is, with the files that it names beside it where that is in another folder. Returns what was written.
    ///
    /// # Errors
    /// The file is one that it was read from, says another container, or cannot be written.
    pub fn save(&self, out: &Path, keep_links: bool) -> Result<Vec<PathBuf>, Failure> {
        let sheet = Sheet::of(self.document.stored());
        crate::output::overwritten(out, self.document.files()).map_err(CliError::from)?;
        let prepared = prepare(self.origin(), &sheet, Recompression::None, Destination::To(out));
        let saved = prepared.and_then(|prepared| prepared.keeping_links(keep_links).write()).map_err(CliError::from)?;
        Ok(saved.written)
    }

    /// Writes it over the file that it was opened from, and over the buffers beside that, where they differ; copies of what was there are
    /// kept, as `--in-place` keeps them. Returns what it is from then on, and what was written.
    ///
    /// # Errors
    /// It was opened from bytes or came from another process, its files were changed by another program, or they cannot be written.
    /// They are all as they were then.
    pub fn save_in_place(&self, keep_links: bool) -> Result<(Self, Saved), Failure> {
        let why = "it was opened from bytes or came from another process, and has no file that it could replace; save it under a name";
        let place = self.place.as_ref().ok_or_else(|| CliError::Usage(format!("{}: {why}", self.name)))?;
        let prepared = place.prepare(self.origin(), self.document.stored());
        let saved = prepared.and_then(|prepared| prepared.keeping_links(keep_links).write()).map_err(CliError::from)?;
        if saved.written.is_empty() {
            return Ok((self.clone(), saved));
        }
        let place = place.once_written(&saved.written);
        // Where one of several files cannot be read again, the model stays what it was, which is the same.
        let again = if self.is_one_file() { None } else { Self::open(place.path(), &self.options).ok() };
        let kept = Self { place: Some(place), ..self.clone() };
        Ok((again.map_or(kept, |again| again.named(&self.name)), saved))
    }
}

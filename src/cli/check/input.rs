//! What a check looks at: a file, what standard input has, or a member of an archive.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::import::{Archive, ImportError, Options, Progress, Warning, import_bytes_showing, import_member_showing};
use crate::model::Model;
use crate::session::{Document, Source};

/// What reports and errors call standard input.
pub(super) const STDIN: &str = "standard input";

/// What is checked as one file.
pub(super) enum Input {
    Model(Source),
    /// What was read from standard input.
    Stdin(Vec<u8>),
    /// A member of an archive.
    Member(Arc<Archive>, usize),
    /// Something by this name that cannot be read at all, for a reason that is told once.
    Unread(String, Cell<Option<ImportError>>),
}

impl Input {
    pub(super) fn unread(name: impl Into<String>, error: ImportError) -> Self {
        Self::Unread(name.into(), Cell::new(Some(error)))
    }

    /// Returns the path for people and reports.
    pub(super) fn path(&self) -> String {
        match self {
            Self::Model(source @ (Source::BuiltIn | Source::Example(_))) => source.name(),
            Self::Model(Source::File(path) | Source::Page(path)) => path.display().to_string(),
            Self::Stdin(_) => STDIN.to_owned(),
            Self::Member(archive, member) => archive.path_of(*member),
            Self::Unread(name, _) => name.clone(),
        }
    }

    /// Returns the name for the line of progress.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Model(source) => source.name(),
            _ => self.path(),
        }
    }

    /// Returns the file that is read, which no output may replace.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Model(Source::File(path)) => Some(path),
            Self::Member(archive, _) => archive.file(),
            _ => None,
        }
    }

    /// Reads everything in it but its images, which no rule looks at.
    pub(super) fn load(&self, options: &Options) -> Result<Document, ImportError> {
        let has_geometry = super::end_of_import();
        let progress = Progress { report: &|_, _| {}, cancel: &has_geometry };
        let mut document = None;
        let mut shown = |model: Arc<Model>, warnings: Vec<Warning>| {
            document = Some(Document::of_model(model, &warnings));
            has_geometry.store(true, Ordering::Relaxed);
        };
        match self {
            Self::Model(source) => return super::load(source, options),
            Self::Stdin(bytes) => _ = import_bytes_showing(bytes, STDIN, options, &progress, &mut shown)?,
            Self::Member(archive, member) => {
                _ = import_member_showing(archive, *member, options, &progress, &mut shown)?;
            }
            Self::Unread(_, error) => return Err(error.take().unwrap_or(ImportError::Internal)),
        }
        document.ok_or(ImportError::Internal)
    }
}

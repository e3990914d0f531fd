//! An open file, and where it comes from.

use std::path::PathBuf;
use std::sync::Arc;

use crate::import::{self, ImportError, Options, Progress, Warning};
use crate::inspect::WeightStats;
use crate::model::Model;

/// The character that comes with the program (`examples/make_assets` writes it).
static BUILT_IN: &[u8] = include_bytes!("../../assets/character.glb");

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Never changes.
    pub model: Arc<Model>,
    /// What import repaired or left out, a line each.
    pub warnings: Vec<String>,
    /// `None`: the built-in character.
    pub path: Option<PathBuf>,
    /// Weights counted, once.
    pub stats: Arc<WeightStats>,
}

impl Document {
    /// Counts the weights of `model`.
    #[must_use]
    pub fn new(model: Arc<Model>, warnings: Vec<String>, path: Option<PathBuf>) -> Self {
        let stats = Arc::new(WeightStats::of(&model));
        Self { model, warnings, path, stats }
    }
}

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The character that comes with the program.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

impl Source {
    /// The file if one is named, else the built-in character.
    #[must_use]
    pub fn of(path: Option<PathBuf>) -> Self {
        path.map_or(Self::BuiltIn, Self::File)
    }

    /// For titles and messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn => "Built-in character".into(),
            Self::File(path) => {
                path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into())
            }
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// What import found wrong: what, where, and what to do.
    pub fn load(&self, options: &Options, progress: &Progress) -> Result<Document, ImportError> {
        let import = match self {
            Self::BuiltIn => import::import_bytes(BUILT_IN, &self.name(), options, progress)?,
            Self::File(path) => import::import_file(path, options, progress)?,
        };
        Ok(Document::new(import.model, lines(&import.warnings), self.path()))
    }

    /// Reads it, and gives it to `shown` once, as soon as it can be drawn; its images arrive while this goes on. Gives back
    /// all warnings in the end.
    ///
    /// # Errors
    /// As [`Source::load`], and none after `shown`.
    pub fn load_showing(
        &self,
        options: &Options,
        progress: &Progress,
        shown: &mut dyn FnMut(Document),
    ) -> Result<Vec<String>, ImportError> {
        let shown = &mut |model, warnings: Vec<Warning>| shown(Document::new(model, lines(&warnings), self.path()));
        let import = match self {
            Self::BuiltIn => import::import_bytes_showing(BUILT_IN, &self.name(), options, progress, shown)?,
            Self::File(path) => import::import_file_showing(path, options, progress, shown)?,
        };
        Ok(lines(&import.warnings))
    }

    fn path(&self) -> Option<PathBuf> {
        match self {
            Self::BuiltIn => None,
            Self::File(path) => Some(path.clone()),
        }
    }
}

fn lines(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

//! An open file, and where it comes from.

use std::path::PathBuf;
use std::sync::Arc;

use crate::import::{self, ImportError, Options, Progress};
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
        let (import, path) = match self {
            Self::BuiltIn => (import::import_bytes(BUILT_IN, &self.name(), options, progress)?, None),
            Self::File(path) => (import::import_file(path, options, progress)?, Some(path.clone())),
        };
        let warnings = import.warnings.iter().map(ToString::to_string).collect();
        Ok(Document::new(Arc::new(import.model), warnings, path))
    }
}

//! Clips of other files, for commands that show or write poses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::kept::Opened;
use super::{CliError, MOST_WARNINGS, OpenArgs, other_file, printable};
use crate::output::say;
use crate::session::{Document, TakenClips};

/// The files that clips are taken from.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ClipsArgs {
    /// Add the clips of this file too: nodes are found by name, without prefix, without case, and clips are corrected where the two rest
    /// in other poses. May be given several times
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub clips_from: Vec<PathBuf>,
}

impl ClipsArgs {
    /// Adds the clips to the model that was opened, and says what was done. Returns every file that was read for it.
    pub fn add(&self, opened: &mut Opened, open: &OpenArgs) -> Result<Vec<PathBuf>, CliError> {
        let mut read = Vec::new();
        for path in &self.clips_from {
            let other = other_file(path, open)?;
            read.extend(other.files().map(PathBuf::from));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let document = &opened.document;
            let taken = TakenClips::of(document.stored(), other.stored(), &name)
                .map_err(|why| CliError::Usage(printable(&format!("{}: {why}", path.display()))))?;
            say(format_args!("{}", printable(&taken.sentence())));
            for line in taken.lines().iter().take(MOST_WARNINGS) {
                say(format_args!("warning: {}", printable(line)));
            }
            let (warnings, own) = (document.warnings.clone(), document.path.clone());
            let model = taken.onto(document.stored()).map_err(|why| CliError::Usage(printable(&why)))?;
            opened.document = Document::new(Arc::new(model), warnings, own);
        }
        Ok(read)
    }
}

/// Returns paths as a check of outputs wants them.
pub(super) fn paths(files: &[PathBuf]) -> impl Iterator<Item = &Path> {
    files.iter().map(PathBuf::as_path)
}

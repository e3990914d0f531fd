//! Session files in place of a model: the model of the session is opened, with the session's edits and view.

use std::path::{Path, PathBuf};

use super::{CliError, ModelArgs, printable};
use crate::import::AskFormats;
use crate::output::say;
use crate::session::{Document, Session, SessionFile, Source, is_session};

/// A model, and the session file through which it was opened.
pub(super) struct Opened {
    pub document: Document,
    pub session_file: Option<(PathBuf, SessionFile)>,
}

impl Opened {
    /// Returns every file that was read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.document.files().chain(self.session_file.iter().map(|(path, _)| path.as_path()))
    }

    /// Opens the model in `session`, with the edits and the view of the session file where there is one. Writes a
    /// warning for each edit that the model has no counterpart for.
    pub fn show(self, session: &mut Session) {
        let Some((_, file)) = self.session_file else { return session.open(self.document) };
        for line in session.open_with_session(self.document, &file) {
            say(format_args!("warning: {}", printable(&line)));
        }
    }
}

impl From<Document> for Opened {
    fn from(document: Document) -> Self {
        Self { document, session_file: None }
    }
}

impl ModelArgs {
    /// Opens the model, or that of a session file, for a device that reads `block_formats` (see [`crate::import::Options`]) and has the
    /// pixels of images from then on: they are freed once it has them. Writes a warning where the model has changed since
    /// the session was saved.
    pub fn load_with_session(&self, block_formats: Option<AskFormats>) -> Result<Opened, CliError> {
        let Some(path) = self.model.clone().filter(|path| is_session(path)) else {
            return self.load_for(block_formats).map(Opened::from);
        };
        let unreadable = |error| CliError::Unreadable { file: path.display().to_string(), error };
        let mut file = SessionFile::read(&path).map_err(unreadable)?;
        let model = file.find_model(&path).map_err(unreadable)?;
        for changed in &model.changed {
            let name = printable(&changed.display().to_string());
            say(format_args!("warning: {name} has changed since the session was saved; what still fits is shown"));
        }
        let own = match model.source {
            Source::BuiltIn | Source::Example(_) => None,
            Source::File(path) | Source::Page(path) => Some(path),
        };
        let document = Self::open(own, &self.options_for(block_formats))?;
        Ok(Opened { document, session_file: Some((path, file)) })
    }
}

/// Refuses a session file where a command needs a model.
pub(super) fn refuse_session(path: &Path) -> Result<(), CliError> {
    if is_session(path) {
        let name = path.display();
        let why =
            "this command takes a model; a session file is for view, render, bake, measure, compare, bench and pose";
        return Err(CliError::Usage(format!("{name}: {why}")));
    }
    Ok(())
}

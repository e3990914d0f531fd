//! Session files as the window reads them.

use std::path::{Path, PathBuf};

use crate::session::{SessionFile, SessionModel};

/// A session file that was read, with the model that it is about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadSession {
    pub path: PathBuf,
    pub file: SessionFile,
    pub model: SessionModel,
    /// The model beside it, where the file has one.
    pub other: Option<Box<OtherOfSession>>,
}

impl ReadSession {
    /// Reads a session file, and looks for its model.
    ///
    /// # Errors
    /// The reason why it cannot be opened.
    pub fn read(path: &Path) -> Result<Self, String> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut file = SessionFile::read(&path).map_err(|error| error.to_string())?;
        let model = file.find_model(&path).map_err(|error| error.to_string())?;
        let other = OtherOfSession::of(&path, &mut file);
        Ok(Self { path, file, model, other })
    }

    /// The name of the model.
    pub fn model_name(&self) -> String {
        self.model.source.name()
    }
}

/// The other model of a session file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OtherOfSession {
    /// Where it is, or why it is not there.
    pub found: Result<SessionModel, String>,
    pub path: PathBuf,
    pub file: SessionFile,
}

impl OtherOfSession {
    /// Looks for the other model of a session file, where it has one.
    pub fn of(path: &Path, file: &mut SessionFile) -> Option<Box<Self>> {
        let found = file.find_beside(path)?.map_err(|error| error.to_string());
        Some(Box::new(Self { found, path: path.to_owned(), file: file.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_without_its_model_says_where_it_was_looked_for() {
        let folder = std::env::temp_dir().join(format!("skinscope_sessions_{}", std::process::id()));
        std::fs::create_dir_all(folder.join("models")).unwrap();
        let path = folder.join("a.skinscope.json");
        let text = r#"{"skinscope_session": 1, "model": [{"path": "models/knight.glb", "size": 3, "hash": "x"}]}"#;
        std::fs::write(&path, text).unwrap();
        let why = ReadSession::read(&path).unwrap_err();
        assert!(why.contains("models/knight.glb") && why.contains("beside the session file"), "{why}");
        // A model that was moved beside the session file is found there, and seen to be another one.
        std::fs::write(folder.join("knight.glb"), "abc").unwrap();
        let read = ReadSession::read(&path).unwrap();
        assert_eq!(read.model_name(), "knight.glb");
        assert_eq!(read.model.changed.len(), 1);
        std::fs::write(&path, "{").unwrap();
        assert!(ReadSession::read(&path).unwrap_err().contains("JSON"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! The picture of the surroundings in the window: it is dropped, or chosen in a dialog.

use std::path::{Path, PathBuf};

use super::file_dialog::{self, FileKind, OpenDialog, Wanted};
use crate::app::App;
use crate::session::{EnvironmentCommand, Session, ViewCommand};

impl App {
    /// Lights the model by the picture in this file, which is read in the background.
    pub(crate) fn show_environment(&mut self, path: PathBuf) {
        self.status.error = None;
        self.change(ViewCommand::Environment(EnvironmentCommand::Show(Some(path))));
    }
}

/// Opens the system's dialog for the picture, in the folder of the one that is shown, or of the open model.
pub(crate) fn environment_dialog(session: &Session) -> OpenDialog {
    let shown = session.view().environment.file.as_deref();
    let model = || session.document().and_then(|document| document.path.as_deref());
    file_dialog::open(Wanted::Read(FileKind::Environment), shown.or_else(model).and_then(Path::parent))
}

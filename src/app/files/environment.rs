//! The picture of the surroundings in the window: it is dropped, or chosen in a dialog.

use std::path::{Path, PathBuf};

use super::file_dialog::{self, FileKind, Wanted};
use crate::app::App;
use crate::session::{EnvironmentCommand, ViewCommand};

impl App {
    /// Asks for the picture with the system's dialog, in the folder of the one that is shown, or of the open model.
    pub(crate) fn choose_environment(&mut self) {
        let shown = self.session.view().environment.file.as_deref();
        let model = || self.session.document().and_then(|document| document.path.as_deref());
        let folder = shown.or_else(model).and_then(Path::parent);
        let dialog = file_dialog::open(Wanted::Read(FileKind::Environment), folder);
        self.ask(dialog, |app, _, path| app.show_environment(path));
    }

    /// Lights the model by the picture in this file, which is read in the background.
    pub(crate) fn show_environment(&mut self, path: PathBuf) {
        self.status.error = None;
        self.change(ViewCommand::Environment(EnvironmentCommand::Show(Some(path))));
    }
}

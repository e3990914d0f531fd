//! The system's dialogs that ask for a file.

use std::path::{Path, PathBuf};

use rfd::AsyncFileDialog;

use crate::session::FileUse;

/// A dialog that is open, which waits for the user's choice when it is called. `None`: the user chose nothing.
pub(super) type OpenDialog = Box<dyn FnOnce() -> Option<PathBuf> + Send>;

/// Opens the dialog for a folder, which begins in `folder`.
pub(super) fn ask_for_folder(folder: &Path) -> OpenDialog {
    let folder = AsyncFileDialog::new().set_directory(folder).pick_folder();
    Box::new(|| pollster::block_on(folder).map(|folder| folder.path().to_owned()))
}

/// Opens the dialog for a file to read, in `folder` where that is given. It is called on the main thread, since some
/// systems want dialogs to begin there; what it returns waits, and is called on another one.
pub(super) fn ask_for_file(folder: Option<PathBuf>) -> OpenDialog {
    let mut dialog = models().add_filter("All files", &["*"]);
    if let Some(folder) = folder {
        dialog = dialog.set_directory(folder);
    }
    let file = dialog.pick_file();
    Box::new(|| pollster::block_on(file).map(|file| file.path().to_owned()))
}

/// Does the same as [`ask_for_file`] for a file to write, which has this name and folder unless the user changes them.
pub(super) fn ask_for_target(proposed: &Path) -> OpenDialog {
    to_write(models(), proposed)
}

/// Does the same for a pose or session file: for one to write, which `proposed` names, or for one to read, in its folder.
pub(super) fn ask_for_named_file(usage: FileUse, proposed: &Path) -> OpenDialog {
    let kind = match usage {
        FileUse::SavePose | FileUse::LoadPose => "Poses",
        FileUse::SaveSession | FileUse::OpenSession => "Sessions",
    };
    let dialog = AsyncFileDialog::new().add_filter(kind, &["json"]).add_filter("All files", &["*"]);
    if usage.writes() {
        return to_write(dialog, proposed);
    }
    let file = within(dialog, proposed).pick_file();
    Box::new(|| pollster::block_on(file).map(|file| file.path().to_owned()))
}

/// Does the same as [`ask_for_target`] for a file of any kind.
pub(super) fn ask_for_export(proposed: &Path) -> OpenDialog {
    to_write(AsyncFileDialog::new(), proposed)
}

fn to_write(dialog: AsyncFileDialog, proposed: &Path) -> OpenDialog {
    let mut dialog = within(dialog, proposed);
    if let Some(name) = proposed.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    let file = dialog.save_file();
    Box::new(|| pollster::block_on(file).map(|file| file.path().to_owned()))
}

/// Lets a dialog begin in the folder of a file.
fn within(dialog: AsyncFileDialog, file: &Path) -> AsyncFileDialog {
    match file.parent().filter(|folder| folder.is_dir()) {
        Some(folder) => dialog.set_directory(folder),
        None => dialog,
    }
}

fn models() -> AsyncFileDialog {
    AsyncFileDialog::new().add_filter("glTF models", &["glb", "gltf", "vrm"])
}

/// Returns whether the system can ask for a file. Linux needs a desktop portal (over D-Bus) or zenity, and without them
/// the dialog would end like one that was cancelled.
pub(super) fn has_dialog() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    let bus = set("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
    let zenity =
        set("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file()));
    set("DBUS_SESSION_BUS_ADDRESS").is_some() || bus || zenity
}

//! The system's dialog that asks for a file or a folder.

use std::path::{Path, PathBuf};

use rfd::AsyncFileDialog;

use crate::import::ENVIRONMENT_ENDINGS;
use crate::session::FileUse;

/// A dialog that is open, which waits for the user's choice when it is called. `None`: the user chose nothing.
pub(crate) type OpenDialog = Box<dyn FnOnce() -> Option<PathBuf> + Send>;

/// What the dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// A folder.
    Folder,
    /// A file to read.
    Read(FileKind),
    /// A file to write, which may not exist yet.
    Write(FileKind),
}

impl Wanted {
    /// Returns what is asked for where a file is used so.
    pub fn of(usage: FileUse) -> Self {
        let kind = match usage {
            FileUse::SavePose | FileUse::LoadPose => FileKind::Pose,
            FileUse::SaveSession | FileUse::OpenSession => FileKind::Session,
            FileUse::SaveStrokes => FileKind::Strokes,
            FileUse::SavePlaced | FileUse::LoadPlaced => FileKind::Skeleton,
            FileUse::LoadSculpt => FileKind::Mesh,
            FileUse::Export(_) => FileKind::Any,
        };
        if usage.writes() { Self::Write(kind) } else { Self::Read(kind) }
    }
}

/// Which files a dialog lists at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Model,
    Pose,
    Session,
    Strokes,
    Skeleton,
    Environment,
    Mesh,
    Any,
}

/// Opens the system's dialog. It begins in the folder `at`, or in that of the file `at`, whose name it proposes where a file is written. It is
/// called on the main thread, since some systems want dialogs to begin there; what it returns waits, and is called on another one.
pub(crate) fn open(wanted: Wanted, at: Option<&Path>) -> OpenDialog {
    let mut dialog = AsyncFileDialog::new();
    if let Some(folder) =
        at.and_then(|at| if at.is_dir() { Some(at) } else { at.parent() }).filter(|folder| folder.is_dir())
    {
        dialog = dialog.set_directory(folder);
    }
    let filtered = |dialog: AsyncFileDialog, kind| match kind {
        FileKind::Model => dialog.add_filter("glTF models", &["glb", "gltf", "vrm"]),
        FileKind::Pose => dialog.add_filter("Poses", &["json"]),
        FileKind::Session => dialog.add_filter("Sessions", &["json"]),
        FileKind::Strokes => dialog.add_filter("Strokes", &["json"]),
        FileKind::Skeleton => dialog.add_filter("Joints", &["json"]),
        FileKind::Environment => dialog.add_filter("Surroundings", &ENVIRONMENT_ENDINGS),
        FileKind::Mesh => dialog.add_filter("Meshes", &["ply", "obj", "glb", "gltf"]),
        FileKind::Any => dialog,
    };
    match wanted {
        Wanted::Folder => {
            let folder = dialog.pick_folder();
            Box::new(|| pollster::block_on(folder).map(|folder| folder.path().to_owned()))
        }
        Wanted::Read(kind) => {
            let file = filtered(dialog, kind).add_filter("All files", &["*"]).pick_file();
            Box::new(|| pollster::block_on(file).map(|file| file.path().to_owned()))
        }
        Wanted::Write(kind) => {
            let mut dialog = filtered(dialog, kind);
            if let Some(name) = at.and_then(Path::file_name) {
                dialog = dialog.set_file_name(name.to_string_lossy());
            }
            let file = dialog.save_file();
            Box::new(|| pollster::block_on(file).map(|file| file.path().to_owned()))
        }
    }
}

/// Returns whether the system can ask for a file. Linux needs a desktop portal (over D-Bus) or zenity, and without them
/// the dialog would end like one that was cancelled.
pub(crate) fn has_dialog() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    let bus = set("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
    let zenity =
        set("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join("zenity").is_file()));
    set("DBUS_SESSION_BUS_ADDRESS").is_some() || bus || zenity
}

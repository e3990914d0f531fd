//! What a user asks of the library of poses: the pose files of one folder.

use std::path::PathBuf;

/// Commands about the library of poses; the application carries them out.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum LibraryCommand {
    /// Choose its folder, with the system's dialog.
    ChooseFolder,
    /// Show the poses of this folder, or of that of the open model.
    SetFolder(Option<PathBuf>),
    /// Write the pose that is shown into a new file of the folder, with this name.
    Keep(String),
    /// Give a pose file another name.
    Rename(PathBuf, String),
    /// Remove a pose file. It can be brought back until the window closes.
    Delete(PathBuf),
    /// Write the file again that was removed last.
    BringBack,
}

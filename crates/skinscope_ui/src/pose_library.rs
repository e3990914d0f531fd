//! The library of poses: the pose files of a folder.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use skinscope_anim::pose::Resolved;

use super::PoseReport;

/// The pose files of a folder, as the application has read them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseLibrary {
    /// The folder; empty before it was read.
    pub folder: PathBuf,
    /// Whether the user chose it; else it is that of the open model.
    pub chosen: bool,
    /// Its poses, by name.
    pub poses: Vec<Arc<LibraryPose>>,
    /// The name of the pose that was removed last and can be brought back.
    pub removed: Option<String>,
}

/// A pose file of the library.
#[derive(Debug)]
pub struct LibraryPose {
    /// The file.
    pub path: PathBuf,
    /// Its name without ending.
    pub name: String,
    /// When it was written last, as far as the system says.
    pub changed: Option<SystemTime>,
    /// The pose for the open model, corrected where it was made on another one that was found; or the reason why the file cannot be read.
    pub pose: Result<PoseReport, String>,
    /// The same pose without the correction, where it has one.
    pub plain: Option<Arc<Resolved>>,
    /// A square picture of the model in this pose, as soon as it is drawn: RGBA of 8 bits, sRGB, straight alpha, rows from the top,
    /// [`LibraryPose::PICTURE`] pixels wide.
    pub picture: OnceLock<Vec<u8>>,
}

impl LibraryPose {
    /// The width and height of the picture, pixels.
    pub const PICTURE: u32 = 192;
}

impl PartialEq for LibraryPose {
    /// Files are the same where they say the same, whether their pictures are drawn or not.
    fn eq(&self, other: &Self) -> bool {
        (&self.path, self.changed, &self.pose) == (&other.path, other.changed, &other.pose)
    }
}

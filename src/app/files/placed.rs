//! Files of joints that are placed by hand, in the window: read in place of those that there are, and written as `skinscope bind` takes them.

use std::path::{Path, PathBuf};

use super::file_names::unwritten;
use crate::edit::{PlacedJoint, placed_to_text, unfinished_from_text};
use crate::output::{NotWritten, Replacing, write_together};
use crate::session::SKELETON_ENDING;

/// The most bytes of a file that is read.
const MOST_BYTES: u64 = 64 << 20;

/// Whether a file has placed joints, by its name.
pub(super) fn is_skeleton(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with(SKELETON_ENDING))
}

/// The same path with the ending of files of joints, where it has no ending of its own.
pub(super) fn skeleton_path(path: &Path) -> PathBuf {
    let has_one = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if has_one { path.to_owned() } else { PathBuf::from(format!("{}{SKELETON_ENDING}", path.display())) }
}

/// Reads the joints of a file.
pub(super) fn read(path: &Path) -> Result<Vec<PlacedJoint>, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err("it is too large to be a file of joints".to_owned());
    }
    unfinished_from_text(&std::fs::read(path).map_err(|error| error.to_string())?)
}

/// Writes joints into a file; the error says what could not be written.
pub(super) fn write(path: &Path, joints: &[PlacedJoint]) -> Result<(), String> {
    let text = placed_to_text(joints);
    let written = write_together(&[(path, text.as_bytes())], Replacing::default());
    written.map(drop).map_err(|NotWritten { path, reason }| unwritten(&path, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_of_joints_have_their_ending() {
        assert_eq!(skeleton_path(Path::new("a/knight")), Path::new("a/knight.skeleton.json"));
        assert_eq!(skeleton_path(Path::new("a/knight.json")), Path::new("a/knight.json"));
        assert!(is_skeleton(Path::new("a/Knight.Skeleton.JSON")) && !is_skeleton(Path::new("knight.pose.json")));
    }

    #[test]
    fn joints_are_read_as_they_were_written() {
        let path = std::env::temp_dir().join(format!("skinscope_placed_{}.skeleton.json", std::process::id()));
        let mut joints = crate::edit::humanoid(crate::math::Aabb { min: -glam::Vec3::ONE, max: glam::Vec3::ONE });
        write(&path, &joints).unwrap();
        assert!(read(&path).as_ref() == Ok(&joints));
        // Two trees are worked on, and joints that hang on themselves are none.
        joints[4].parent = None;
        write(&path, &joints).unwrap();
        assert!(read(&path).as_ref() == Ok(&joints));
        joints[0].parent = Some(1);
        write(&path, &joints).unwrap();
        assert!(read(&path).unwrap_err().contains("hangs on itself"));
        std::fs::write(&path, "{}").unwrap();
        assert!(read(&path).unwrap_err().contains("schema"));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path).is_err());
    }
}

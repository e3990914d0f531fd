//! Names of pose files and session files, and what is said where one cannot be written.

use std::path::{Path, PathBuf};

use crate::import::is_environment;
pub(crate) use crate::pose_files::{POSE_ENDING, is_pose, name_of_pose};
use crate::session::{SESSION_ENDING, STROKES_ENDING, is_page, is_session};

/// What a file is for that is dropped on the window, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DroppedAs {
    Pose,
    Environment,
    /// A model, a session file or a page.
    Other,
}

impl DroppedAs {
    pub fn of(path: &Path) -> Self {
        match path {
            _ if is_pose(path) => Self::Pose,
            _ if is_environment(path) => Self::Environment,
            _ => Self::Other,
        }
    }
}

/// Returns whether a file may be a model, by its name: it is no session file, no pose file and no page.
pub(crate) fn may_be_model(path: &Path) -> bool {
    !is_session(path) && !is_pose(path) && !is_page(path)
}

/// The same path with the ending of pose files, where it has none.
pub(crate) fn pose_path(path: &Path) -> PathBuf {
    let has_one = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if has_one { path.to_owned() } else { PathBuf::from(format!("{}{POSE_ENDING}", path.display())) }
}

/// The same path with the ending of session files, where it has none.
pub(crate) fn session_path(path: &Path) -> PathBuf {
    if is_session(path) {
        return path.to_owned();
    }
    let text = path.to_string_lossy();
    let stem = text.strip_suffix(".json").unwrap_or(&text);
    PathBuf::from(format!("{}{SESSION_ENDING}", stem.strip_suffix(".skinscope").unwrap_or(stem)))
}

/// The same path with the ending of files of strokes, where it has none.
pub(crate) fn strokes_path(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    if text.to_ascii_lowercase().ends_with(STROKES_ENDING) {
        return path.to_owned();
    }
    let stem = text.strip_suffix(".json").unwrap_or(&text);
    PathBuf::from(format!("{}{STROKES_ENDING}", stem.strip_suffix(".strokes").unwrap_or(stem)))
}

/// The error that a file could not be written, with what to do about it.
pub(crate) fn unwritten(path: &Path, reason: impl std::fmt::Display) -> String {
    format!("{}: {reason}. Save into another folder, or make room or get leave to write there.", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_endings() {
        assert_eq!(pose_path(Path::new("a/wave")), Path::new("a/wave.pose.json"));
        assert_eq!(pose_path(Path::new("a/wave.JSON")), Path::new("a/wave.JSON"));
        assert!(is_pose(Path::new("b.pose.json")) && !is_pose(Path::new("b.json")));
        for typed in ["a/b", "a/b.json", "a/b.skinscope", "a/b.skinscope.json"] {
            assert_eq!(session_path(Path::new(typed)), Path::new("a/b.skinscope.json"), "{typed}");
        }
        for typed in ["a/b", "a/b.json", "a/b.strokes", "a/b.strokes.json"] {
            assert_eq!(strokes_path(Path::new(typed)), Path::new("a/b.strokes.json"), "{typed}");
        }
        assert_eq!(strokes_path(Path::new("a/b.Strokes.JSON")), Path::new("a/b.Strokes.JSON"));
        assert_eq!(session_path(Path::new("a/b.Skinscope.JSON")), Path::new("a/b.Skinscope.JSON"));
        assert!(!is_session(Path::new("a/b.pose.json")) && !is_session(Path::new("a/skinscope.json")));
    }

    #[test]
    fn what_is_dropped_is_told_by_its_name() {
        let dropped = ["room.hdr", "a/Sky.EXR", "wave.pose.json", "a.glb", "a.skinscope.json", "hdr"];
        let of = dropped.map(|name| DroppedAs::of(Path::new(name)));
        let (pose, light, other) = (DroppedAs::Pose, DroppedAs::Environment, DroppedAs::Other);
        assert_eq!(of, [light, light, pose, other, other, other]);
    }

    #[test]
    fn only_models_are_taken_for_models() {
        let is_model = ["a.glb", "a.gltf", "a.VRM", "a"].map(|name| may_be_model(Path::new(name)));
        assert_eq!(is_model, [true; 4]);
        let is_model = ["a.skinscope.json", "a.Skinscope.JSON", "a.pose.json", "a.md"];
        assert_eq!(is_model.map(|name| may_be_model(Path::new(name))), [false; 4]);
    }
}

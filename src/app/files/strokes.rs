//! Files of strokes in the window: the strokes that were recorded are written into one, as `skinscope paint` takes them.

use std::path::{Path, PathBuf};

use super::file_names::unwritten;
use crate::output::{NotWritten, Replacing, write_together};
use crate::session::{Painting, STROKES_ENDING};

/// Returns the files that keep the strokes, each with its text: pose files, and last the one at `path`.
pub(super) fn files_of(painting: &Painting, path: &Path) -> Vec<(PathBuf, String)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.len().checked_sub(STROKES_ENDING.len()).and_then(|length| name.get(..length)).unwrap_or(&name);
    let files = painting.recorded_files(stem);
    let mut out: Vec<_> = files.into_iter().map(|(name, text)| (path.with_file_name(name), text)).collect();
    if let Some((last, _)) = out.last_mut() {
        // Its ending may be written in capitals.
        path.clone_into(last);
    }
    out
}

/// Writes all files or none. Pose files are replaced only together with the strokes that were there; the error says what could not be written.
pub(super) fn write(path: &Path, files: &[(PathBuf, String)]) -> Result<(), String> {
    let is_there = |file: &Path| file.symlink_metadata().is_ok();
    if let Some((other, _)) = files.iter().find(|(file, _)| !is_there(path) && is_there(file)) {
        return Err(format!("{} is there already. Choose another name for the strokes.", other.display()));
    }
    let files: Vec<(&Path, &[u8])> = files.iter().map(|(file, text)| (file.as_path(), text.as_bytes())).collect();
    let written = write_together(&files, Replacing::default());
    written.map(drop).map_err(|NotWritten { path, reason }| unwritten(&path, reason))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::Vec3;

    use super::super::file_names::strokes_path;
    use super::*;
    use crate::import::{Options, Progress};
    use crate::model::NodeId;
    use crate::paint::{self, Canvas};
    use crate::session::{ChannelValue, EditCommand, PaintCommand, PlaybackCommand, PoseSource, Session, Source};

    #[test]
    fn the_file_that_is_saved_paints_the_same_and_no_other_pose_is_replaced() {
        let folder = std::env::temp_dir().join(format!("skinscope_saved_strokes_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut session = Session::default();
        session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
        session.apply(EditCommand::Edit(NodeId(0), ChannelValue::Rotation(Vec3::Y * 20.0)));
        session.apply(EditCommand::EndEdit);
        session.apply(PaintCommand::Flood);
        let path = strokes_path(&folder.join("elbow"));
        let files = files_of(session.painting(), &path);
        let names: Vec<_> = files.iter().map(|(file, _)| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["elbow.pose-1.pose.json", "elbow.strokes.json"]);
        std::fs::write(&files[0].0, "another pose").unwrap();
        assert!(write(&path, &files).unwrap_err().contains("is there already"));
        assert_eq!(std::fs::read_to_string(&files[0].0).unwrap(), "another pose");
        std::fs::remove_file(&files[0].0).unwrap();
        for _ in 0..2 {
            // The second time they replace what was saved.
            write(&path, &files).unwrap();
        }
        let stored = Arc::clone(session.document().unwrap().stored());
        let script = paint::read(&path, &stored, paint::PaintedOn::Weights).unwrap_or_else(|why| panic!("{why}"));
        let mut canvas = Canvas::new(Arc::clone(&stored));
        script.strokes.iter().for_each(|stroke| _ = canvas.paint(stroke).unwrap());
        assert!(canvas.model().weight_edits() != stored.weight_edits());
        assert!(
            canvas.model().weight_edits() == session.model().unwrap().weight_edits(),
            "the file gives other weights"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

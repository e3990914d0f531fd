//! Files of strokes in the window: the strokes that were recorded are written into one, as `skinscope paint` takes them.

use std::path::{Path, PathBuf};

use super::file_names::unwritten;
use crate::output::{NotWritten, Replacing, remove, write_together};
use crate::session::{Painting, STROKES_ENDING};

/// Returns the files that keep the strokes, each with its text: pose files, and last the one at `path`.
pub(super) fn files_of(painting: &Painting, path: &Path) -> SavedStrokes {
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

/// The files of one save, each with the text that was written into it.
pub(super) type SavedStrokes = Vec<(PathBuf, String)>;

/// Writes all files or none. Pose files are replaced only together with the strokes that were there; the error says what could not be written.
/// Files that the save at the same path `before` has written go where they are no more among them, such as those of a layer that was removed.
pub(super) fn write(
    path: &Path,
    files: &[(PathBuf, String)],
    before: Option<&[(PathBuf, String)]>,
) -> Result<(), String> {
    let is_there = |file: &Path| file.symlink_metadata().is_ok();
    if let Some((other, _)) = files.iter().find(|(file, _)| !is_there(path) && is_there(file)) {
        return Err(format!("{} is there already. Choose another name for the strokes.", other.display()));
    }
    let all: Vec<(&Path, &[u8])> = files.iter().map(|(file, text)| (file.as_path(), text.as_bytes())).collect();
    let written = write_together(&all, Replacing::default());
    written.map_err(|NotWritten { path, reason }| unwritten(&path, reason))?;
    let left = before.into_iter().flatten().filter(|(file, _)| files.iter().all(|(other, _)| other != file));
    for (file, _) in left.filter(|(file, text)| has_text(file, text)) {
        remove(file).map_err(|why| format!("{} of the last save could not be removed: {why}", file.display()))?;
    }
    Ok(())
}

/// Whether a file has exactly this text, so that it is still the one that was written.
fn has_text(file: &Path, text: &str) -> bool {
    let is_file = file.symlink_metadata().is_ok_and(|about| about.is_file());
    is_file && std::fs::read(file).is_ok_and(|bytes| bytes == text.as_bytes())
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
    fn files_that_the_last_save_has_written_go_and_no_other_one() {
        let folder = std::env::temp_dir().join(format!("skinscope_strokes_again_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.strokes.json");
        let files = |names: &[&str]| -> SavedStrokes {
            let named = names.iter().map(|name| (folder.join(name), format!("text of {name}")));
            named.chain([(path.clone(), "all".to_owned())]).collect()
        };
        let first = files(&["a.1-Skirt.strokes.json", "a.2-Hem.strokes.json", "a.3.base.strokes.json"]);
        write(&path, &first, None).unwrap();
        // Of somebody else: one that was never saved, and one that was changed since.
        std::fs::write(folder.join("a.4-Mine.strokes.json"), "mine").unwrap();
        std::fs::write(folder.join("a.3.base.strokes.json"), "changed").unwrap();
        write(&path, &files(&["a.1-Skirt.strokes.json"]), Some(&first[..])).unwrap();
        let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let wanted = ["a.1-Skirt.strokes.json", "a.3.base.strokes.json", "a.4-Mine.strokes.json", "a.strokes.json"];
        assert_eq!(left, wanted);
        std::fs::remove_dir_all(&folder).unwrap();
    }

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
        assert!(write(&path, &files, None).unwrap_err().contains("is there already"));
        assert_eq!(std::fs::read_to_string(&files[0].0).unwrap(), "another pose");
        std::fs::remove_file(&files[0].0).unwrap();
        for _ in 0..2 {
            // The second time they replace what was saved.
            write(&path, &files, None).unwrap();
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

//! Poses that are named: a pose file, or a clip at a time.

use std::path::{Path, PathBuf};

use super::pose::parse_secs;
use super::{CliError, printable, read_pose, tell_unmatched};
use crate::model::{LocalPose, Model};
use crate::pose::{ClipMoment, MomentError, posed_by};

/// A pose, and how it was named.
pub(super) struct NamedPose {
    /// What it is called: the name of the file without its ending, or the clip and the time.
    pub name: String,
    /// The file; none of a clip.
    pub file: Option<PathBuf>,
    pub pose: LocalPose,
}

/// Reads the pose that a text names: a pose file, or `CLIP@SECONDS`.
pub(super) fn read_named_pose(model: &Model, text: &str) -> Result<NamedPose, CliError> {
    let file = Path::new(text);
    if let Some(moment) = moment_of(text) {
        let wrong = |why: MomentError| CliError::Usage(printable(&format!("{text}: {why}")));
        let clip = moment.find(model).map_err(wrong)?;
        let name = format!("{} {}", model.clips[clip.index()].name, moment.time);
        return Ok(NamedPose { name, file: None, pose: moment.pose(model).map_err(wrong)? });
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".json").unwrap_or(&name);
    let name = name.strip_suffix(".pose").unwrap_or(name).to_owned();
    Ok(NamedPose { name, pose: read_pose_of(model, file)?, file: Some(file.to_owned()) })
}

/// Returns the moment of a clip that a text names; `None` where it names a file.
pub(super) fn moment_of(text: &str) -> Option<ClipMoment> {
    let (clip, secs) = text.rsplit_once('@')?;
    let time = parse_secs(secs).ok().filter(|_| !Path::new(text).is_file())?;
    Some(ClipMoment { clip: clip.to_owned(), time })
}

/// Reads the pose of a model from a pose file, and says what of it the model has nothing for.
pub(super) fn read_pose_of(model: &Model, file: &Path) -> Result<LocalPose, CliError> {
    let wrong = |why: MomentError| CliError::Usage(printable(&format!("{}: {why}", file.display())));
    let (pose, unmatched) = posed_by(model, &read_pose(file)?).map_err(wrong)?;
    tell_unmatched(&unmatched);
    Ok(pose)
}

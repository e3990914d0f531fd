//! Examples in a folder: pose files, each with the mesh that the surface should be in that pose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;

use super::posed::read_pose_of;
use super::{CliError, OpenArgs, other_file, printable};
use crate::export::resting_points;
use crate::import::{POINT_ENDINGS, read_points};
use crate::model::{LocalPose, Model};
use crate::output::say;
use crate::pose::FileError;
use crate::solve::{ExampleMesh, MeshPoints};

/// What the names of pose files end in.
const POSE_ENDING: &str = ".pose.json";
/// The ending of meshes that are read as models.
const MODEL_ENDING: &str = "glb";

/// A pose file of a folder.
pub(super) struct FilePose {
    /// The file name without its ending.
    pub name: String,
    pub file: PathBuf,
    pub pose: LocalPose,
}

/// An example, and the files that it was read from: that of its pose, and that of its mesh.
pub(super) struct Sculpt {
    pub mesh: ExampleMesh,
    pub files: [PathBuf; 2],
}

/// Makes the error that a folder or what is in it cannot be used.
fn wrong(path: &Path, why: &str) -> CliError {
    CliError::Usage(printable(&format!("{}: {why}", path.display())))
}

/// Returns the names of the files of a folder, sorted.
fn names(folder: &Path) -> Result<Vec<String>, CliError> {
    let entries = std::fs::read_dir(folder).map_err(|error| wrong(folder, &error.to_string()))?;
    let mut out = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| wrong(folder, &error.to_string()))?;
        out.extend(entry.file_name().into_string().ok());
    }
    out.sort();
    Ok(out)
}

/// Reads all pose files of a folder, by rising name. Values that a file does not have are those of the moment that it
/// names, or else of the rest pose.
pub(super) fn read_poses(folder: &Path, model: &Model) -> Result<Vec<FilePose>, CliError> {
    let mut out = Vec::new();
    for file_name in names(folder)? {
        let Some(name) = file_name.strip_suffix(POSE_ENDING).filter(|name| !name.is_empty()) else { continue };
        let file = folder.join(&file_name);
        let pose = read_pose_of(model, &file)?;
        out.push(FilePose { name: name.to_owned(), file, pose });
    }
    if out.is_empty() {
        return Err(wrong(folder, "it has no file NAME.pose.json"));
    }
    Ok(out)
}

/// Reads all examples of a folder: pose files, each with a mesh of its name.
pub(super) fn read_sculpts(folder: &Path, model: &Model, open: &OpenArgs) -> Result<Vec<Sculpt>, CliError> {
    let poses = read_poses(folder, model)?;
    let endings = || POINT_ENDINGS.iter().copied().chain([MODEL_ENDING]);
    let all = names(folder)?;
    for file_name in &all {
        let mesh = endings().find_map(|ending| file_name.strip_suffix(ending)?.strip_suffix('.'));
        if let Some(name) = mesh.filter(|name| !poses.iter().any(|pose| pose.name == *name)) {
            let file_name = printable(file_name);
            say(format_args!("warning: {file_name}: there is no pose {}{POSE_ENDING} for this mesh", printable(name)));
        }
    }
    let mut out = Vec::new();
    for FilePose { name, file, pose } in poses {
        let of_name = endings().map(|ending| format!("{name}.{ending}")).filter(|file| all.contains(file));
        let meshes: Vec<PathBuf> = of_name.map(|file_name| folder.join(file_name)).collect();
        let mesh = match &meshes[..] {
            [mesh] => mesh.clone(),
            [] => return Err(wrong(&file, "this pose has no mesh: NAME.ply, NAME.obj or NAME.glb beside it")),
            _ => return Err(wrong(&file, "this pose has several meshes; which one is meant?")),
        };
        let (points, pose) = (MeshPoints(read_mesh(&mesh, open)?.into()), Arc::new(pose));
        let pose_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let example = ExampleMesh { name, points, pose, pose_name, is_held_out: false };
        out.push(Sculpt { mesh: example, files: [file, mesh] });
    }
    Ok(out)
}

/// Reads where the vertices of a mesh are, in the scene of its file, metres.
pub(super) fn read_mesh(file: &Path, open: &OpenArgs) -> Result<Vec<DVec3>, CliError> {
    if file.extension().is_none_or(|ending| ending != MODEL_ENDING) {
        let unreadable = |why| CliError::Unreadable { file: file.display().to_string(), error: FileError::Read(why) };
        return read_points(file).map_err(unreadable);
    }
    Ok(resting_points(other_file(file, open)?.stored()))
}

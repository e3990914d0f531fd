//! Examples in a folder: pose files, each with the mesh that the surface should be in that pose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;

use super::posed::read_pose_of;
use super::{CliError, OpenArgs, check, printable};
use crate::model::{LocalPose, Model};
use crate::output::say;
use crate::pose::FileError;
use crate::pose_files::{
    self, ExampleFiles, MatchedFiles, MeshError, POSE_ENDING, is_mesh, is_pose, matched, name_of_pose,
};
use crate::session::Source;
use crate::solve::{ExampleMesh, MeshPoints};

/// An example, and the files that it was read from: that of its pose, and that of its mesh.
pub(super) struct Sculpt {
    pub mesh: ExampleMesh,
    pub files: [PathBuf; 2],
}

/// Makes the error that a folder or what is in it cannot be used.
fn wrong(path: &Path, why: &str) -> CliError {
    CliError::Usage(printable(&format!("{}: {why}", path.display())))
}

/// Returns the files of a folder, sorted by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unread = |error: std::io::Error| wrong(folder, &error.to_string());
    let entries = std::fs::read_dir(folder).map_err(unread)?;
    let mut out: Vec<PathBuf> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().map_err(unread)?;
    out.sort();
    Ok(out)
}

/// Returns whether a file is a pose file that has a name, by which a mesh can be found.
fn is_named_pose(path: &Path) -> bool {
    is_pose(path) && !name_of_pose(path).is_empty()
}

/// Makes the error that a folder has no pose file.
fn no_pose(folder: &Path) -> CliError {
    wrong(folder, "it has no file NAME.pose.json")
}

/// Reads all pose files of a folder, by rising name. Values that a file does not have are those of the moment that it
/// names, or else of the rest pose.
pub(super) fn read_poses(folder: &Path, model: &Model) -> Result<Vec<(PathBuf, LocalPose)>, CliError> {
    let poses = files(folder)?.into_iter().filter(|file| is_named_pose(file));
    let read = poses.map(|file| read_pose_of(model, &file).map(|pose| (file, pose)));
    let read: Vec<(PathBuf, LocalPose)> = read.collect::<Result<_, CliError>>()?;
    if read.is_empty() { Err(no_pose(folder)) } else { Ok(read) }
}

/// Reads all examples of a folder: pose files, each with a mesh of its name.
pub(super) fn read_sculpts(folder: &Path, model: &Model, open: &OpenArgs) -> Result<Vec<Sculpt>, CliError> {
    let MatchedFiles { examples, doubled, alone } =
        matched(files(folder)?.into_iter().filter(|file| is_named_pose(file) || is_mesh(file)));
    if let Some(pose) = alone.first() {
        return Err(wrong(pose, "this pose has no mesh: NAME.ply, NAME.obj or NAME.glb beside it"));
    }
    let mut out = Vec::new();
    for ExampleFiles { name, mesh, pose } in examples {
        let Some(file) = pose else {
            let mesh = mesh.file_name().unwrap_or_default().to_string_lossy();
            let (mesh, name) = (printable(&mesh), printable(&name));
            say(format_args!("warning: {mesh}: there is no pose {name}{POSE_ENDING} for this mesh"));
            continue;
        };
        if doubled.iter().any(|other| other.file_stem() == mesh.file_stem()) {
            return Err(wrong(&file, "this pose has several meshes; which one is meant?"));
        }
        let pose = Arc::new(read_pose_of(model, &file)?);
        let points = MeshPoints(read_mesh(&mesh, open)?.into());
        let pose_name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let example = ExampleMesh { name, points, pose, pose_name, is_held_out: false };
        out.push(Sculpt { mesh: example, files: [file, mesh] });
    }
    if out.is_empty() { Err(no_pose(folder)) } else { Ok(out) }
}

/// Reads where the vertices of a mesh are, in the scene of its file, metres.
pub(super) fn read_mesh(file: &Path, open: &OpenArgs) -> Result<Vec<DVec3>, CliError> {
    let name = || file.display().to_string();
    let load = |file: &Path| check::load(&Source::File(file.to_owned()), &open.options());
    pose_files::read_mesh(file, load).map_err(|error| match error {
        MeshError::Points(why) => CliError::Unreadable { file: name(), error: FileError::Read(why) },
        MeshError::Model(error) => CliError::Import { file: name(), error },
        empty @ MeshError::Empty => wrong(file, &empty.to_string()),
    })
}

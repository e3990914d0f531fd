//! Pose files by their names, and the example meshes that stand beside them: the window and the command line read both alike.

use std::path::{Path, PathBuf};

use glam::DVec3;
use thiserror::Error;

use crate::export::resting_points;
use crate::import::{ImportError, POINT_ENDINGS, read_points};
use crate::session::Document;

/// The ending of pose files.
pub(crate) const POSE_ENDING: &str = ".pose.json";

/// The ending of meshes that are read as models.
const MODEL_ENDING: &str = "glb";

/// Whether a file is a pose file, by its name.
pub(crate) fn is_pose(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().ends_with(POSE_ENDING))
}

/// The name of a pose, by that of its file.
pub(crate) fn name_of_pose(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = if is_pose(path) { &name[..name.len() - POSE_ENDING.len()] } else { name.trim_end_matches(".json") };
    stem.to_owned()
}

/// Returns whether a file has the vertices of a mesh and is no model, by its name.
pub(crate) fn is_points(path: &Path) -> bool {
    path.extension().is_some_and(|ending| POINT_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

/// Returns whether a file may be a mesh of what the surface should be, by its name.
pub(crate) fn is_mesh(path: &Path) -> bool {
    is_points(path) || path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(MODEL_ENDING))
}

/// Why a file has no vertices that the surface could be at.
#[derive(Debug, Error)]
pub(crate) enum MeshError {
    /// It cannot be read as a mesh; the text says why.
    #[error("{0}")]
    Points(String),
    /// It cannot be read as a model.
    #[error(transparent)]
    Model(#[from] ImportError),
    /// It is a model that shows nothing.
    #[error("it shows no mesh")]
    Empty,
}

/// Reads where the vertices of a mesh are, in the scene of its file, metres: of PLY and OBJ those that the file has, of a model, which `load`
/// reads, those that it shows at rest.
pub(crate) fn read_mesh(
    path: &Path,
    load: impl FnOnce(&Path) -> Result<Document, ImportError>,
) -> Result<Vec<DVec3>, MeshError> {
    if is_points(path) {
        return read_points(path).map_err(MeshError::Points);
    }
    let points = resting_points(load(path)?.stored());
    if points.is_empty() { Err(MeshError::Empty) } else { Ok(points) }
}

/// An example: a mesh, and the pose file of its name, if there is one.
#[derive(Debug)]
pub(crate) struct ExampleFiles {
    /// The name of the mesh without its ending.
    pub name: String,
    pub mesh: PathBuf,
    pub pose: Option<PathBuf>,
}

/// Files of examples, matched by their names.
#[derive(Debug, Default)]
pub(crate) struct MatchedFiles {
    /// The examples, in the order of their meshes.
    pub examples: Vec<ExampleFiles>,
    /// Meshes that have the name of one before them.
    pub doubled: Vec<PathBuf>,
    /// Pose files without a mesh of their name.
    pub alone: Vec<PathBuf>,
}

/// Matches meshes with the pose files among some files; what is no pose file is a mesh.
pub(crate) fn matched(paths: impl IntoIterator<Item = PathBuf>) -> MatchedFiles {
    let (poses, meshes): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(|path| is_pose(path));
    let (mut examples, mut doubled): (Vec<ExampleFiles>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let name = mesh.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if examples.iter().any(|known| known.name == name) {
            doubled.push(mesh);
            continue;
        }
        let pose = poses.iter().find(|pose| name_of_pose(pose) == name).cloned();
        examples.push(ExampleFiles { name, mesh, pose });
    }
    let has_mesh = |pose: &PathBuf| examples.iter().any(|example| example.name == name_of_pose(pose));
    let alone = poses.into_iter().filter(|pose| !has_mesh(pose)).collect();
    MatchedFiles { examples, doubled, alone }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Options, Progress};
    use crate::session::Source;

    #[test]
    fn files_are_known_by_their_endings_in_any_case() {
        let of = |name: &str| [is_pose, is_points, is_mesh].map(|is| is(Path::new(name)));
        assert_eq!(of("a.pose.json"), [true, false, false]);
        assert_eq!(of("a.Pose.JSON"), [true, false, false]);
        assert_eq!(of("a.PLY"), [false, true, true]);
        assert_eq!(of("b/a.obj"), [false, true, true]);
        assert_eq!(of("a.Glb"), [false, false, true]);
        assert_eq!(of("a.json"), [false; 3]);
        assert_eq!(of("ply"), [false; 3]);
        assert_eq!(
            ["b/a.Pose.json", "a.json", "a.b.pose.json"].map(|name| name_of_pose(Path::new(name))),
            ["a", "a", "a.b"]
        );
    }

    #[test]
    fn meshes_are_matched_with_the_poses_of_their_names() {
        let files = ["s/b.ply", "s/a.glb", "s/b.OBJ", "s/b.pose.json", "s/c.pose.json", "s/d.obj"];
        let MatchedFiles { examples, doubled, alone } = matched(files.map(PathBuf::from));
        let found: Vec<_> =
            examples.iter().map(|of| (of.name.as_str(), of.mesh.as_path(), of.pose.as_deref())).collect();
        let path = Path::new;
        let b = ("b", path("s/b.ply"), Some(path("s/b.pose.json")));
        assert_eq!(found, [b, ("a", path("s/a.glb"), None), ("d", path("s/d.obj"), None)]);
        assert_eq!((doubled, alone), (vec!["s/b.OBJ".into()], vec!["s/c.pose.json".into()]));
    }

    #[test]
    fn a_mesh_is_read_by_its_ending_and_what_has_no_vertices_is_an_error() {
        let folder = std::env::temp_dir().join(format!("skinscope_pose_files_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let read = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            let load = |path: &Path| Source::File(path.to_owned()).load(&Options::default(), &Progress::silent());
            read_mesh(&path, load)
        };
        assert_eq!(read("a.OBJ", "v 0 1 2\n").unwrap(), [DVec3::new(0.0, 1.0, 2.0)]);
        assert!(matches!(read("a.ply", "no mesh"), Err(MeshError::Points(_))));
        assert!(matches!(read("a.glb", "no model"), Err(MeshError::Model(_))));
        let empty = r#"{"asset":{"version":"2.0"},"scenes":[{}],"scene":0}"#;
        assert!(matches!(read("a.gltf", empty), Err(MeshError::Empty | MeshError::Model(_))));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

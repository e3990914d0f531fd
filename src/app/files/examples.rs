//! Meshes of what the surface should be, from which the tool *Solve* finds weights: they are read, each with its pose.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_dialog::{self, FileKind, OpenDialog, Wanted};
use super::folder::is_model;
use crate::app::jobs::{Jobs, Kind};
use crate::app::{App, Options};
use crate::edit::{ExampleMesh, MeshPoints, Operation, SOLVE};
use crate::import::{self, Progress};
use crate::model::Model;
use crate::pose::{PoseFile, posed_by};
use crate::pose_files::{ExampleFiles, MatchedFiles, is_points, is_pose, matched, name_of_pose, read_mesh};
use crate::session::{SculptCommand, Session, ShownPose, Source, ToolCommand};
use crate::words::counted;

/// What came of reading meshes.
#[derive(Debug, Default)]
struct Read {
    meshes: Vec<ExampleMesh>,
    /// Why others cannot be used, a line each.
    failed: Vec<String>,
    /// How many keys of pose files the model has nothing for.
    unmatched: usize,
}

/// Returns the files of those that were dropped together from which weights are to be solved; `None` where they are for something else.
/// That are meshes that are no models, and with them models and pose files; models alone where the tool that solves is chosen, or where a
/// pose file comes with them that has their name.
pub(super) fn examples_among(session: &Session, paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let has_skin = session.model().is_some_and(|model| !model.skins.is_empty());
    let solves = session.tools().operation.is_some_and(Operation::takes_examples);
    let is_of = |pose: &Path, mesh: &Path| {
        is_pose(pose) && mesh.file_stem().is_some_and(|stem| stem.to_string_lossy() == name_of_pose(pose))
    };
    let is_posed = |mesh: &Path| paths.iter().any(|pose| is_of(pose, mesh));
    let is_meant = |path: &PathBuf| is_points(path) || is_model(path) && (solves || is_posed(path));
    (has_skin && paths.iter().any(is_meant)).then(|| {
        let is_taken = |path: &&PathBuf| is_points(path) || is_model(path) || is_pose(path);
        paths.iter().filter(is_taken).cloned().collect()
    })
}

/// Opens the system's dialog for a mesh, in the folder of the open model.
pub(crate) fn example_dialog(session: &Session) -> OpenDialog {
    let folder = session.document().and_then(|document| document.path.as_deref()?.parent());
    file_dialog::open(Wanted::Read(FileKind::Mesh), folder)
}

/// Reads meshes beside all other work, and lets the tool that solves weights use them. Those without a pose file have the pose that is shown now.
pub(crate) fn read_examples(session: &Session, jobs: &mut Jobs, options: &Options, paths: Vec<PathBuf>) {
    let Some((model, shown)) = session.model().map(Arc::clone).zip(session.shown_pose()) else { return };
    let options = options.import.clone();
    jobs.start(Kind::Examples, move |context| {
        let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
        let read = read_all(&paths, (&model, &shown), &options, &progress);
        if context.is_cancelled() {
            return None;
        }
        Some(Box::new(move |app, _| take(app, &model, read)))
    });
}

/// Reads meshes and the pose files among them.
fn read_all(
    paths: &[PathBuf],
    (model, shown): (&Model, &ShownPose),
    options: &import::Options,
    progress: &Progress,
) -> Read {
    let mut out = Read::default();
    let MatchedFiles { examples, doubled, alone } = matched(paths.iter().cloned());
    let of_none = |pose: &PathBuf| format!("{}: no mesh of its name came with this pose", pose.display());
    let of_others = |mesh: &PathBuf| format!("{}: another mesh of its name came with it", mesh.display());
    out.failed.extend(alone.iter().map(of_none).chain(doubled.iter().map(of_others)));
    for ExampleFiles { name, mesh, pose } in examples {
        let posed = pose.map_or_else(|| Ok(shown.clone()), |pose| read_pose(&pose, model, &mut out.unmatched));
        let example = posed.and_then(|ShownPose { pose, name: pose_name }| {
            let points = MeshPoints(points_of(&mesh, options, progress)?.into());
            Ok(ExampleMesh { name, points, pose, pose_name, is_held_out: false })
        });
        match example {
            Ok(example) => out.meshes.push(example),
            Err(why) => out.failed.push(why),
        }
    }
    out
}

/// Reads the pose of an example, and adds how many of its keys the model has nothing for.
fn read_pose(path: &Path, model: &Model, unmatched: &mut usize) -> Result<ShownPose, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    let file = PoseFile::read(path).map_err(|why| wrong(why.to_string()))?;
    let (pose, left) = posed_by(model, &file).map_err(|why| wrong(why.to_string()))?;
    *unmatched += left.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ShownPose { pose: Arc::new(pose), name })
}

/// Reads where the vertices of a mesh are, in the scene, metres: of a model as it stands at rest.
pub(super) fn points_of(
    path: &Path,
    options: &import::Options,
    progress: &Progress,
) -> Result<Vec<glam::DVec3>, String> {
    let load = |path: &Path| Source::File(path.to_owned()).load(options, progress);
    read_mesh(path, load).map_err(|why| format!("{}: {why}", path.display()))
}

/// Meshes were read for the model `open`, or why they were not. Where the file was read again or another one was opened meanwhile, their poses are
/// those of another model: they are not taken, and that is said.
fn take(app: &mut App, open: &Model, read: Read) {
    let is_open = app.session.model().is_some_and(|model| model.is_of_one_file(open));
    if let Some(line) = left_out(&read).filter(|_| !is_open) {
        app.status.warn(line);
    }
    if !is_open {
        return;
    }
    let Read { meshes, failed, unmatched } = read;
    let count = meshes.len();
    if count > 0 {
        if !app.session.tools().operation.is_some_and(Operation::takes_examples) {
            app.change(ToolCommand::Choose(Some(SOLVE.id)));
        }
        app.change(ToolCommand::Sculpts(SculptCommand::Add { meshes }));
        let taken = counted(count, "example", "examples");
        match unmatched {
            0 => app.status.say(format!("{taken} to solve weights from")),
            keys => {
                let keys = counted(keys, "key of a pose has", "keys of poses have");
                app.status.warn(format!("{taken} to solve weights from; {keys} no counterpart in the model"));
            }
        }
    }
    if !failed.is_empty() {
        app.status.error = Some(failed.join("\n"));
    }
}

/// Says that meshes are not taken, since the model that they were read for is not there any more; `None` where none was read.
fn left_out(read: &Read) -> Option<String> {
    let names: Vec<&str> = read.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
    let was = match names.len() {
        0 => return None,
        1 => "was",
        _ => "were",
    };
    let taken = counted(names.len(), "example", "examples");
    let names = names.join(", ");
    Some(format!(
        "{taken} {was} not taken, since the model was read anew or another one opened meanwhile: drop {names} again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::test_shapes::{Tube, tube};
    use crate::session::Document;

    /// An empty folder.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_examples_{name}_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn session() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        session.update_pose();
        session
    }

    #[test]
    fn meshes_that_are_no_models_are_examples_and_models_where_that_is_meant() {
        let folder = folder("among");
        let all = ["a.ply", "b.OBJ", "c.glb", "c.pose.json", "d.glb", "e.png"].map(|name| folder.join(name));
        all.iter().for_each(|path| std::fs::write(path, "x").unwrap());
        let mut session = session();
        let among = |session: &Session, of: &[usize]| {
            let paths: Vec<PathBuf> = of.iter().map(|at| all[*at].clone()).collect();
            let taken = examples_among(session, &paths)?;
            Some(taken.iter().map(|path| all.iter().position(|known| known == path).unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(among(&session, &[0]), Some(vec![0]));
        assert_eq!(among(&session, &[1, 3, 5]), Some(vec![1, 3]));
        assert_eq!(among(&session, &[2]), None, "a model is opened");
        assert_eq!(among(&session, &[3]), None, "a pose is shown");
        assert_eq!(among(&session, &[2, 3]), Some(vec![2, 3]), "a model with its pose");
        assert_eq!(among(&session, &[3, 4]), None, "the pose is one of another name");
        session.apply(ToolCommand::Choose(Some(SOLVE.id)));
        assert_eq!(among(&session, &[4]), Some(vec![4]), "the tool is chosen");
        assert_eq!(among(&Session::default(), &[0]), None, "nothing is open");
    }

    #[test]
    fn meshes_of_a_model_that_is_not_there_any_more_are_named() {
        let mesh = |name: &str| ExampleMesh {
            name: name.to_owned(),
            points: MeshPoints(Arc::from([glam::DVec3::ZERO])),
            pose: Arc::default(),
            pose_name: String::new(),
            is_held_out: false,
        };
        let read = |names: &[&str]| Read { meshes: names.iter().map(|name| mesh(name)).collect(), ..Read::default() };
        assert_eq!(left_out(&read(&[])), None);
        assert!(left_out(&read(&["a"])).unwrap().starts_with("1 example was not taken"));
        assert!(left_out(&read(&["a", "b"])).unwrap().ends_with("drop a, b again"));
    }

    #[test]
    fn a_mesh_has_the_pose_of_its_file_or_the_one_that_is_shown_and_what_cannot_be_read_is_said() {
        let folder = folder("read");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            folder.join(name)
        };
        let session = session();
        let (model, shown) = (session.model().unwrap(), session.shown_pose().unwrap());
        let paths = [
            write("a.obj", "v 0 1 2\n"),
            write("a.ply", "no mesh"),
            write("b.obj", "v 0 0 0\nv 1 0 0\n"),
            write("b.pose.json", r#"{"skinscope_pose":1,"joints":{"Tail":{"scale":[2,2,2]}}}"#),
            write("c.ply", "no mesh"),
            write("d.obj", "v 0 0 0\n"),
            write("d.pose.json", r#"{"skinscope_pose":1,"clip":"Jump"}"#),
            write("e.pose.json", r#"{"skinscope_pose":1}"#),
        ];
        let read = read_all(&paths, (model, &shown), &import::Options::default(), &Progress::silent());
        let of: Vec<(&str, &str, usize)> =
            read.meshes.iter().map(|m| (m.name.as_str(), m.pose_name.as_str(), m.points.0.len())).collect();
        assert_eq!(of, [("a", shown.name.as_str(), 1), ("b", "b.pose.json", 2)]);
        assert!(read.meshes[0].pose == shown.pose && *read.meshes[1].pose == model.skeleton.rest);
        assert_eq!((read.unmatched, read.failed.len()), (1, 4), "{:?}", read.failed);
        assert!(read.failed.iter().any(|why| why.contains("a.ply: another mesh of its name")));
        assert!(read.failed.iter().any(|why| why.contains("there is no clip \"Jump\"")));
        assert!(read.failed.iter().any(|why| why.contains("e.pose.json: no mesh of its name")));
    }
}

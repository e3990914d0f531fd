//! Pose files in the window: the pose that is shown is written into one, or that of one is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_names::{POSE_ENDING, is_pose, pose_path, unwritten};
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::ui::{AskedStage, PoseReport};
use crate::import::{self, Progress};
use crate::model::Model;
use crate::output::{self, overwritten};
use crate::pose::{PoseFile, carry, resolve};
use crate::session::{FileUse, Source};

impl App {
    /// Says what is in a pose file, and asks whether its pose is to be shown.
    pub(crate) fn ask_for_pose_in(&mut self, path: PathBuf) {
        self.ask_for_file(FileUse::LoadPose);
        self.name_file(path);
    }

    /// Reads a pose file, for the rest pose of the model in `made_on` where that is given.
    pub(crate) fn read_pose(&mut self, path: PathBuf, made_on: Option<PathBuf>) {
        let (Some(asked), Some(document)) = (&mut self.status.asked_file, self.session.document()) else { return };
        asked.stage = AskedStage::Working;
        let (model, own) = (Arc::clone(document.stored()), document.path.clone());
        let options = self.options.import.clone();
        self.jobs.restart(Kind::NamedFile, move |_| {
            let report = report(&path, &model, own.as_deref(), made_on.as_deref(), &options);
            Some(Box::new(move |app, _| app.pose_read(&path, report)))
        });
    }

    /// Corrects the pose that was read for another rest pose, or not.
    pub(crate) fn correct_pose(&mut self, correct: bool) {
        let Some(asked) = &self.status.asked_file else { return };
        if let AskedStage::Pose(report) = &asked.stage {
            let (path, made_on) = (asked.path.clone(), report.made_on.clone().filter(|_| correct));
            self.read_pose(path, made_on);
        }
    }

    /// A pose file has been read, or not.
    pub(crate) fn pose_read(&mut self, path: &Path, result: Result<PoseReport, String>) {
        if let Some(asked) = self.status.asked_file.as_mut().filter(|asked| asked.path == path) {
            asked.stage = result.map_or_else(AskedStage::Failed, AskedStage::Pose);
        }
    }

    fn pose_saved(&mut self, path: &Path, result: Result<(), String>) {
        if result.is_ok() {
            self.session.note_pose_saved();
        }
        self.file_written(path, result);
    }

    /// Writes the pose that is shown into a file.
    pub(crate) fn save_pose(&mut self, path: &Path) {
        let path = pose_path(path);
        let Some(file) = self.session.pose_file(&name_of(&path)) else { return };
        let Some(asked) = &mut self.status.asked_file else { return };
        asked.path.clone_from(&path);
        asked.stage = AskedStage::Working;
        if let Err(error) = overwritten(&path, self.session.document().into_iter().flat_map(|d| d.files())) {
            return self.file_written(&path, Err(error.to_string()));
        }
        self.jobs.restart(Kind::NamedFile, move |_| {
            let written = output::write(&path, file.text().as_bytes()).map_err(|error| unwritten(&path, error));
            Some(Box::new(move |app, _| app.pose_saved(&path, written)))
        });
    }
}

/// Reads a pose file for a model, which is in the file `own`. With `made_on` the pose is corrected for the rest pose of that
/// model.
fn report(
    path: &Path,
    model: &Model,
    own: Option<&Path>,
    made_on: Option<&Path>,
    options: &import::Options,
) -> Result<PoseReport, String> {
    let file = PoseFile::read(path).map_err(|error| error.to_string())?;
    let pose = match made_on {
        None => resolve(model, &file),
        Some(other) => {
            let other = Source::File(other.to_owned()).load(options, &Progress::silent());
            carry(&other.map_err(|error| error.to_string())?.model, model, &file)
        }
    };
    // The name of a file alone: what a pose file says leads out of no folder.
    let name = Path::new(&file.model).file_name().filter(|_| file.model != model.source.name);
    let folders = [path.parent(), own.and_then(Path::parent)].into_iter().flatten();
    let found = name.and_then(|name| folders.map(|folder| folder.join(name)).find(|path| path.is_file()));
    let title = if file.name.is_empty() { name_of(path) } else { file.name };
    Ok(PoseReport {
        name: title,
        model: file.model,
        pose: Arc::new(pose),
        made_on: found,
        is_corrected: made_on.is_some(),
    })
}

/// The name of a pose, by that of its file.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = if is_pose(path) { &name[..name.len() - POSE_ENDING.len()] } else { name.trim_end_matches(".json") };
    stem.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::NodeId;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_poses_{}_{name}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn poses_are_named_after_their_files() {
        assert_eq!(name_of(Path::new("a/wave.POSE.json")), "wave");
        assert_eq!(name_of(Path::new("a/wave.json")), "wave");
    }

    #[test]
    fn a_report_says_what_fits_and_the_model_beside_it_corrects_the_pose() {
        let folder = folder("report");
        let options = import::Options::default();
        let model = Source::BuiltIn.load(&options, &Progress::silent()).unwrap().model;
        let character = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb");
        std::fs::copy(character, folder.join("other.glb")).unwrap();
        let path = folder.join("wave.pose.json");
        let text = r#"{"skinscope_pose":1,"model":"../x/other.glb",
            "joints":{"UpperArm.L":{"rotation":[0,0,0.6,0.8]},"Tail":{"scale":[2,2,2]}}}"#;
        std::fs::write(&path, text).unwrap();
        let plain = report(&path, &model, None, None, &options).unwrap();
        assert_eq!((plain.name.as_str(), plain.is_corrected), ("wave", false));
        assert_eq!(plain.pose.unmatched, ["Tail"]);
        assert_eq!(plain.made_on, Some(folder.join("other.glb")));
        let corrected = report(&path, &model, None, plain.made_on.as_deref(), &options).unwrap();
        assert!(corrected.is_corrected && corrected.pose.unmatched == ["Tail"]);
        // The rest pose of the other model is the same one, so the correction changes nothing but for rounding.
        let arm = NodeId::from_index(model.skeleton.names.iter().position(|n| n == "UpperArm.L").unwrap());
        let turned =
            |report: &PoseReport| report.pose.nodes.iter().find(|(n, _)| *n == arm).unwrap().1.rotation.unwrap();
        let dot: f32 = turned(&plain).iter().zip(turned(&corrected)).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 1.0 - 1e-6, "{:?} {:?}", turned(&plain), turned(&corrected));
        std::fs::write(&path, "{").unwrap();
        assert!(report(&path, &model, None, None, &options).unwrap_err().contains("JSON"));
    }
}

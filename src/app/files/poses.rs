//! Pose files in the window: the pose that is shown is written into one, or that of one is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::asked_files::{asked_at, file_written};
use super::file_names::{name_of_pose, pose_path, unwritten};
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::ui::{AskedStage, PoseReport};
use crate::import::{self, Progress};
use crate::model::Model;
use crate::output::{self, overwritten};
use crate::pose::{PoseFile, carry, resolve};
use crate::session::Source;

impl App {
    /// Reads a pose file, and corrects it for the rest pose of the model that it was made on, as [`report`] does.
    pub(crate) fn read_pose(&mut self, path: PathBuf, correct: Option<bool>) {
        let (Some(asked), Some(document)) = (&mut self.status.asked_file, self.session.document()) else { return };
        asked.stage = AskedStage::Working;
        let (model, own) = (Arc::clone(document.stored()), document.path.clone());
        let options = self.options.import.clone();
        self.jobs.restart(Kind::NamedFile, move |_| {
            let report = report(&path, (&model, own.as_deref()), correct, &mut OtherModels::new(options));
            Some(Box::new(move |app, _| {
                if let Some(asked) = asked_at(&mut app.status, &path) {
                    asked.stage = report.map_or_else(AskedStage::Failed, AskedStage::Pose);
                }
            }))
        });
    }

    /// Corrects the pose that was read for another rest pose, or not.
    pub(crate) fn correct_pose(&mut self, correct: bool) {
        let Some(asked) = &self.status.asked_file else { return };
        if let AskedStage::Pose(_) = &asked.stage {
            let path = asked.path.clone();
            self.read_pose(path, Some(correct));
        }
    }

    /// Writes the pose that is shown into a file.
    pub(crate) fn save_pose(&mut self, path: &Path) {
        let path = pose_path(path);
        let Some(file) = self.session.pose_file(&name_of_pose(&path)) else { return };
        let Some(asked) = &mut self.status.asked_file else { return };
        asked.path.clone_from(&path);
        asked.stage = AskedStage::Working;
        if let Err(error) = overwritten(&path, self.session.document().into_iter().flat_map(|d| d.files())) {
            return file_written(&mut self.status, &path, Err(error.to_string()));
        }
        self.jobs.restart(Kind::NamedFile, move |_| {
            let written = output::write(&path, file.text().as_bytes()).map_err(|error| unwritten(&path, error));
            Some(Box::new(move |app, _| {
                if written.is_ok() {
                    app.session.note_pose_saved();
                }
                file_written(&mut app.status, &path, written);
            }))
        });
    }
}

/// The models that poses were made on, each read once.
#[derive(Debug)]
pub(crate) struct OtherModels {
    options: import::Options,
    read: Vec<(Source, Result<Arc<Model>, String>)>,
}

impl OtherModels {
    pub fn new(options: import::Options) -> Self {
        Self { options, read: Vec::new() }
    }

    fn model(&mut self, source: &Source) -> Result<Arc<Model>, String> {
        if let Some((_, model)) = self.read.iter().find(|(other, _)| other == source) {
            return model.clone();
        }
        let document = source.load(&self.options, &Progress::silent());
        let model = document.map(|document| document.model).map_err(|error| error.to_string());
        self.read.push((source.clone(), model.clone()));
        model
    }
}

/// Returns the model that a pose was made on, where that is another one than `model`: the built-in character, or a file in the folder of
/// the pose or of the open model.
fn made_on(file: &PoseFile, path: &Path, (model, own): (&Model, Option<&Path>)) -> Option<Source> {
    if file.model == model.source.name {
        return None;
    }
    if file.model == Source::BuiltIn.name() {
        return Some(Source::BuiltIn);
    }
    // The name of a file alone: what a pose file says leads out of no folder.
    let name = Path::new(&file.model).file_name()?;
    let folders = [path.parent(), own.and_then(Path::parent)].into_iter().flatten();
    folders.map(|folder| folder.join(name)).find(|path| path.is_file()).map(Source::File)
}

/// Reads a pose file for a model, which is in the file `own`. Where the pose was made on another model that is found, it is corrected for
/// the rest pose of that one, unless `correct` is `Some(false)`; with `Some(true)` a model that cannot be read is an error.
pub(crate) fn report(
    path: &Path,
    (model, own): (&Model, Option<&Path>),
    correct: Option<bool>,
    others: &mut OtherModels,
) -> Result<PoseReport, String> {
    let file = PoseFile::read(path).map_err(|error| error.to_string())?;
    let made_on = made_on(&file, path, (model, own));
    let other = match made_on.as_ref().filter(|_| correct != Some(false)).map(|source| others.model(source)) {
        Some(Err(why)) if correct.is_some() => return Err(why),
        other => other.and_then(Result::ok),
    };
    let pose = other.as_ref().map_or_else(|| resolve(model, &file), |other| carry(other, model, &file));
    let name = if file.name.is_empty() { name_of_pose(path) } else { file.name };
    Ok(PoseReport { name, model: file.model, pose: Arc::new(pose), made_on, is_corrected: other.is_some() })
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
        assert_eq!(name_of_pose(Path::new("a/wave.POSE.json")), "wave");
        assert_eq!(name_of_pose(Path::new("a/wave.json")), "wave");
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
        let read = |correct| report(&path, (&model, None), correct, &mut OtherModels::new(options.clone()));
        let plain = read(Some(false)).unwrap();
        assert_eq!((plain.name.as_str(), plain.is_corrected), ("wave", false));
        assert_eq!(plain.pose.unmatched, ["Tail"]);
        assert_eq!(plain.made_on, Some(Source::File(folder.join("other.glb"))));
        let corrected = read(None).unwrap();
        assert!(corrected.is_corrected && corrected.pose.unmatched == ["Tail"]);
        assert_eq!(read(Some(true)).unwrap(), corrected);
        // The rest pose of the other model is the same one, so the correction changes nothing but for rounding.
        let arm = NodeId::from_index(model.skeleton.names.iter().position(|n| n == "UpperArm.L").unwrap());
        let turned =
            |report: &PoseReport| report.pose.nodes.iter().find(|(n, _)| *n == arm).unwrap().1.rotation.unwrap();
        let dot: f32 = turned(&plain).iter().zip(turned(&corrected)).map(|(a, b)| a * b).sum();
        assert!(dot.abs() > 1.0 - 1e-6, "{:?} {:?}", turned(&plain), turned(&corrected));
        // A model that cannot be read corrects nothing, and is an error where that is asked for.
        std::fs::write(folder.join("other.glb"), "no model").unwrap();
        assert_eq!(read(None).unwrap(), plain);
        assert!(read(Some(true)).is_err());
        std::fs::write(&path, "{").unwrap();
        assert!(read(None).unwrap_err().contains("JSON"));
    }

    #[test]
    fn a_pose_of_the_built_in_character_is_corrected_on_another_model_and_carries_no_lengths() {
        let folder = folder("built_in");
        let options = import::Options::default();
        let built_in = Source::BuiltIn.load(&options, &Progress::silent()).unwrap().model;
        let node = |name: &str| built_in.skeleton.names.iter().position(|n| n == name).unwrap();
        let mut pose = built_in.skeleton.rest.clone();
        pose.transforms[node("Hips")].translation.y -= 0.1;
        pose.transforms[node("UpperArm.L")].rotation *= glam::Quat::from_rotation_z(0.5);
        let path = folder.join("crouch.pose.json");
        std::fs::write(&path, crate::pose::capture(&built_in, &pose, "crouch").text()).unwrap();
        // The same figure ten times as large, by the lengths of its bones.
        let mut parts = crate::model::ModelParts::clone(&built_in);
        parts.skeleton.rest.transforms.iter_mut().for_each(|transform| transform.translation *= 10.0);
        for skin in &mut parts.skins {
            skin.inverse_bind.iter_mut().for_each(|matrix| matrix.translation *= 10.0);
        }
        for primitive in parts.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            primitive.positions.iter_mut().for_each(|position| *position *= 10.0);
        }
        parts.source.name = "large.glb".into();
        let large = Model::build(parts).unwrap();
        let read = |correct| report(&path, (&large, None), correct, &mut OtherModels::new(options.clone())).unwrap();
        let height = |report: &PoseReport| {
            let mut pose = large.skeleton.rest.clone();
            report.pose.apply(&mut pose);
            pose.transforms[node("Hips")].translation.y - large.skeleton.rest.transforms[node("Hips")].translation.y
        };
        let (plain, corrected) = (read(Some(false)), read(None));
        assert_eq!((corrected.made_on.clone(), corrected.is_corrected), (Some(Source::BuiltIn), true));
        assert!((height(&corrected) + 1.0).abs() < 0.02, "{}", height(&corrected));
        assert!(height(&plain) < -5.0, "uncorrected, the hips of the small figure are taken: {}", height(&plain));
        let own = report(&path, (&built_in, None), None, &mut OtherModels::new(options.clone())).unwrap();
        assert_eq!((own.made_on, own.is_corrected), (None, false));
    }
}

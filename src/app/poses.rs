//! Pose files in the window: the pose that is shown is written into one, or that of one is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::App;
use super::file_dialog;
use super::report::Report;
use super::ui::{PoseFileStage, PoseFileStatus, PoseReport};
use crate::import::{self, Progress};
use crate::model::Model;
use crate::output::{self, overwritten};
use crate::pose::{PoseFile, carry, resolve};
use crate::session::{PoseFileUse, Source};

/// The ending of pose files.
const ENDING: &str = ".pose.json";
/// The most pose files beside a model that are offered.
const MOST_OFFERED: usize = 200;

/// Whether a file is a pose file, by its name.
pub(super) fn is_pose(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().ends_with(ENDING))
}

impl App {
    /// Asks for a pose file.
    pub(super) fn ask_for_pose(&mut self, usage: PoseFileUse) {
        if self.session.document().is_none() {
            return;
        }
        let folder = self.pose_folder();
        let offered = match usage {
            PoseFileUse::Load => pose_files_in(&folder),
            PoseFileUse::Save => Vec::new(),
        };
        let (path, stage) = match usage {
            PoseFileUse::Save => (free_name(&folder), PoseFileStage::Writable { replaces: false }),
            PoseFileUse::Load => (PathBuf::new(), PoseFileStage::Unnamed),
        };
        let has_dialog = file_dialog::has_dialog();
        self.status.pose_file = Some(PoseFileStatus { usage, path, has_dialog, offered, stage });
    }

    /// Says what is in a pose file, and asks whether its pose is to be shown.
    pub(super) fn ask_for_pose_in(&mut self, path: PathBuf) {
        self.ask_for_pose(PoseFileUse::Load);
        self.name_pose_file(path);
    }

    /// The folder of the open model, or else of the last one.
    fn pose_folder(&self) -> PathBuf {
        let own = self.session.document().and_then(|d| d.path.as_ref()?.parent().map(PathBuf::from));
        let last = || self.ui.saved().last_folder.filter(|folder| folder.is_dir());
        own.or_else(last).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
    }

    /// Asks for the pose file with the system's dialog.
    pub(super) fn choose_pose_file(&mut self) {
        if let Some(asked) = &self.status.pose_file {
            let path =
                if asked.path.as_os_str().is_empty() { free_name(&self.pose_folder()) } else { asked.path.clone() };
            self.jobs.ask_for_pose(asked.usage, &path);
        }
    }

    /// The user named the pose file.
    pub(super) fn name_pose_file(&mut self, path: PathBuf) {
        let Some(asked) = &mut self.status.pose_file else { return };
        asked.path.clone_from(&path);
        match asked.usage {
            PoseFileUse::Save if path.as_os_str().is_empty() => asked.stage = PoseFileStage::Unnamed,
            PoseFileUse::Save => {
                asked.stage = PoseFileStage::Writable { replaces: with_ending(&path).symlink_metadata().is_ok() };
            }
            PoseFileUse::Load if path.is_file() => self.read_pose(path, None),
            PoseFileUse::Load => asked.stage = PoseFileStage::Unnamed,
        }
    }

    /// Reads a pose file, for the rest pose of the model in `made_on` where that is given.
    fn read_pose(&mut self, path: PathBuf, made_on: Option<PathBuf>) {
        let (Some(asked), Some(document)) = (&mut self.status.pose_file, self.session.document()) else { return };
        asked.stage = PoseFileStage::Working;
        let (model, own) = (Arc::clone(document.stored()), document.path.clone());
        let options = self.options.import.clone();
        self.jobs.pose_file(move || {
            let report = report(&path, &model, own.as_deref(), made_on.as_deref(), &options);
            Some(Report::PoseRead(path, report.map(Box::new)))
        });
    }

    /// Corrects the pose that was read for another rest pose, or not.
    pub(super) fn correct_pose(&mut self, correct: bool) {
        let Some(asked) = &self.status.pose_file else { return };
        if let PoseFileStage::Read(report) = &asked.stage {
            let (path, made_on) = (asked.path.clone(), report.made_on.clone().filter(|_| correct));
            self.read_pose(path, made_on);
        }
    }

    /// A pose file has been read, or not.
    pub(super) fn pose_read(&mut self, path: &Path, result: Result<PoseReport, String>) {
        if let Some(asked) = self.status.pose_file.as_mut().filter(|asked| asked.path == path) {
            asked.stage = result.map_or_else(PoseFileStage::Failed, PoseFileStage::Read);
        }
    }

    /// Writes the pose that is shown into a file.
    pub(super) fn save_pose(&mut self, path: PathBuf) {
        let path = with_ending(&path);
        let Some(file) = self.session.pose_file(&name_of(&path)) else { return };
        let Some(asked) = &mut self.status.pose_file else { return };
        asked.path.clone_from(&path);
        if let Err(error) = overwritten(&path, self.session.document().into_iter().flat_map(|d| d.files())) {
            asked.stage = PoseFileStage::Failed(error.to_string());
            return;
        }
        asked.stage = PoseFileStage::Working;
        self.jobs.pose_file(move || {
            let written = output::write(&path, file.text().as_bytes()).map_err(|error| {
                format!(
                    "{}: {error}. Save into another folder, or make room or get leave to write there.",
                    path.display()
                )
            });
            Some(Report::PoseSaved(path, written))
        });
    }

    /// A pose has been written, or not.
    pub(super) fn pose_saved(&mut self, path: &Path, result: Result<(), String>) {
        match result {
            Ok(()) => {
                self.status.pose_file.take_if(|asked| asked.path == path);
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                self.status.notice = (self.status.notice.0 + 1, format!("Wrote {name}"));
            }
            Err(why) => {
                if let Some(asked) = &mut self.status.pose_file {
                    asked.stage = PoseFileStage::Failed(why);
                }
            }
        }
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
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = if is_pose(path) { &name[..name.len() - ENDING.len()] } else { name.trim_end_matches(".json") };
    stem.to_owned()
}

/// The same path with the ending of pose files, where it has none.
fn with_ending(path: &Path) -> PathBuf {
    let has_one = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if has_one { path.to_owned() } else { PathBuf::from(format!("{}{ENDING}", path.display())) }
}

/// The pose files of a folder, by name.
fn pose_files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| is_pose(path)).take(MOST_OFFERED).collect();
    found.sort();
    found
}

/// A name in a folder that no file has.
fn free_name(folder: &Path) -> PathBuf {
    let name = |n: u32| folder.join(if n == 1 { format!("pose{ENDING}") } else { format!("pose-{n}{ENDING}") });
    (1..).map(name).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
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
    fn names_of_files_and_poses() {
        assert_eq!(with_ending(Path::new("a/wave")), Path::new("a/wave.pose.json"));
        assert_eq!(with_ending(Path::new("a/wave.JSON")), Path::new("a/wave.JSON"));
        assert_eq!(name_of(Path::new("a/wave.POSE.json")), "wave");
        assert_eq!(name_of(Path::new("a/wave.json")), "wave");
        assert!(is_pose(Path::new("b.pose.json")) && !is_pose(Path::new("b.json")));
        let folder = folder("names");
        std::fs::write(free_name(&folder), "").unwrap();
        assert_eq!(free_name(&folder), folder.join("pose-2.pose.json"));
        assert_eq!(pose_files_in(&folder), [folder.join("pose.pose.json")]);
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

//! The library of poses: the pose files of a folder, read and drawn beside the pictures while it is shown.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::SystemTime;

use super::asked_files::{files_in, folder_to_ask_for};
use super::file_dialog::{self, Wanted};
use super::file_names::{POSE_ENDING, is_pose, name_of_pose, unwritten};
use super::poses::{OtherModels, report};
use crate::app::App;
use crate::app::jobs::Kind;
use crate::app::pictures::pose_pictures::PosePictures;
use crate::app::ui::{LibraryPose, PoseLibrary, Status};
use crate::import;
use crate::model::Model;
use crate::output;
use crate::session::{LibraryCommand, Session};

/// A folder below that of a model whose poses are shown too.
const BESIDE: &str = "poses";

/// What the library was read from last.
#[derive(Clone, Debug, Default)]
pub(crate) struct LibraryState {
    model: Weak<Model>,
    read: Option<LibraryFolder>,
    /// The file that was removed last, and what was in it.
    removed: Option<(PathBuf, Vec<u8>)>,
}

/// The folder of a library, and when it changed last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LibraryFolder {
    folder: PathBuf,
    /// The times of the folder and of that below it.
    changed: [Option<SystemTime>; 2],
    /// Whether the user chose it.
    chosen: bool,
}

impl LibraryFolder {
    fn of(folder: PathBuf, chosen: bool) -> Self {
        let time = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
        let changed = [time(&folder), time(&folder.join(BESIDE)).filter(|_| !chosen)];
        Self { folder, changed, chosen }
    }

    /// Reads the poses for a model.
    pub fn read(self, model: &Model, own: Option<&Path>, options: import::Options) -> PoseLibrary {
        let mut files = files_in(&self.folder, is_pose);
        if !self.chosen {
            files.extend(files_in(&self.folder.join(BESIDE), is_pose));
        }
        let mut others = OtherModels::new(options);
        let poses = files.into_iter().map(|path| Arc::new(read_pose(path, (model, own), &mut others))).collect();
        PoseLibrary { folder: self.folder, chosen: self.chosen, poses, removed: None }
    }
}

fn read_pose(path: PathBuf, model: (&Model, Option<&Path>), others: &mut OtherModels) -> LibraryPose {
    let changed = path.metadata().and_then(|m| m.modified()).ok();
    let pose = report(&path, model, None, others);
    let is_corrected = pose.as_ref().is_ok_and(|report| report.is_corrected);
    let plain = is_corrected.then(|| report(&path, model, Some(false), others).ok()).flatten().map(|plain| plain.pose);
    LibraryPose { name: name_of_pose(&path), path, changed, pose, plain, picture: OnceLock::new() }
}

impl App {
    /// Reads the library while it is shown, where its folder has changed or another model is open.
    pub(crate) fn follow_library(&mut self) {
        let Some(model) = self.session.document().map(|document| Arc::clone(document.stored())) else { return };
        if !self.ui.shows_poses() || self.pace.is_benchmark() {
            self.jobs.stop(Kind::PosePictures);
            self.library.read = None;
            return;
        }
        let (chosen, usual) = (self.ui.saved().pose_folder, || folder_to_ask_for(&self.disk, &self.session, &self.ui));
        let is_chosen = chosen.is_some();
        let folder = LibraryFolder::of(chosen.unwrap_or_else(usual), is_chosen);
        if self.library.read.as_ref() == Some(&folder) && self.library.model.as_ptr() == Arc::as_ptr(&model) {
            return;
        }
        if self.library.model.as_ptr() != Arc::as_ptr(&model) {
            // No pose fits the other model as it fitted the one before.
            self.status.library = PoseLibrary::default();
        }
        self.library.model = Arc::downgrade(&model);
        self.library.read = Some(folder.clone());
        let own = self.session.document().and_then(|document| document.path.clone());
        let options = self.options.import.clone();
        self.jobs.restart(Kind::Library, move |_| {
            let read = folder.read(&model, own.as_deref(), options);
            Some(Box::new(|app, _| app.library_read(read)))
        });
    }

    /// The library was read.
    pub(crate) fn library_read(&mut self, mut library: PoseLibrary) {
        let before = std::mem::take(&mut self.status.library);
        for pose in &mut library.poses {
            let is_it =
                |old: &&Arc<LibraryPose>| old.path == pose.path && old.changed == pose.changed && old.pose == pose.pose;
            if let Some(old) = before.poses.iter().find(is_it) {
                *pose = Arc::clone(old);
            }
        }
        library.removed = before.removed;
        self.status.library = library;
        let poses = self.status.library.poses.clone();
        let lacks_one = |pose: &&Arc<LibraryPose>| pose.pose.is_ok() && pose.picture.get().is_none();
        if let Some(document) = self.session.document().filter(|_| poses.iter().any(|pose| lacks_one(&pose))) {
            let (backend, texture_memory) = (self.options.backend, self.options.texture_memory);
            let pictures = PosePictures { document: document.clone(), poses, backend, texture_memory };
            self.jobs.restart(Kind::PosePictures, move |context| {
                let drawn = pictures.draw(context).map_err(|error| error.to_string());
                Some(Box::new(move |app, _| {
                    if let Err(why) = drawn {
                        app.session.warn(&[format!("The pictures of the poses could not be drawn: {why}")]);
                    }
                }))
            });
        }
    }

    pub(crate) fn carry_out_library(&mut self, command: LibraryCommand) {
        let done = match command {
            LibraryCommand::ChooseFolder if file_dialog::has_dialog() => {
                let folder = self.status.library.folder.clone();
                self.jobs.ask(file_dialog::open(Wanted::Folder, Some(&folder)), |app, _, path| {
                    app.ui.set_pose_folder(Some(path));
                });
                Ok(())
            }
            LibraryCommand::ChooseFolder => {
                Err("There is no dialog here: neither a desktop portal nor zenity was found.\nType the folder."
                    .to_owned())
            }
            LibraryCommand::SetFolder(folder) => {
                self.ui.set_pose_folder(folder);
                Ok(())
            }
            LibraryCommand::Keep(name) => keep_pose(&mut self.session, &mut self.status, &name),
            LibraryCommand::Rename(path, name) => rename(&path, &name),
            LibraryCommand::Delete(path) => self.library.remove_pose(&mut self.status, path),
            LibraryCommand::BringBack => self.library.bring_pose_back(&mut self.status),
        };
        // What was done within the time of the folder's clock would go unseen.
        self.library.read = None;
        if let Err(why) = done {
            self.status.error = Some(why);
        }
    }
}

impl LibraryState {
    fn remove_pose(&mut self, status: &mut Status, path: PathBuf) -> Result<(), String> {
        let bytes = output::remove(&path).map_err(|error| format!("{} was not deleted: {error}.", path.display()))?;
        status.library.removed = Some(name_of_pose(&path));
        self.removed = Some((path, bytes));
        Ok(())
    }

    fn bring_pose_back(&mut self, status: &mut Status) -> Result<(), String> {
        let Some((path, bytes)) = &self.removed else { return Ok(()) };
        output::write_new(path, bytes).map_err(|error| unwritten(path, error))?;
        (self.removed, status.library.removed) = (None, None);
        Ok(())
    }
}

fn keep_pose(session: &mut Session, status: &mut Status, name: &str) -> Result<(), String> {
    let path = named(&status.library.folder, name)?;
    let Some(file) = session.pose_file(name) else { return Ok(()) };
    output::write_new(&path, file.text().as_bytes()).map_err(|error| unwritten(&path, error))?;
    status.say(format!("Wrote {name}{POSE_ENDING}"));
    Ok(())
}

fn rename(path: &Path, name: &str) -> Result<(), String> {
    let to = named(path.parent().unwrap_or(Path::new("")), name)?;
    output::rename_new(path, &to).map_err(|error| format!("{} was not renamed: {error}.", path.display()))
}

/// Returns the pose file of a name, which does not exist yet.
fn named(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let name = name.trim();
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', ':', '\0']) {
        return Err(format!(
            "\"{name}\" is no name for a file: it may not be empty, begin with a dot, or have / \\ or : in it."
        ));
    }
    let path = folder.join(format!("{name}{POSE_ENDING}"));
    match path.symlink_metadata() {
        Ok(_) => {
            Err(format!("There is a pose \"{name}\" in this folder. Choose another name, or delete that pose first."))
        }
        Err(_) => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Options, Progress};
    use crate::parallel::JobContext;
    use crate::render::{Backend, Gpu};
    use crate::session::Source;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_library_{}_{name}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join(BESIDE)).unwrap();
        folder
    }

    const ARM: &str = r#"{"skinscope_pose":1,"joints":{"UpperArm.L":{"rotation":[0,0,0.6,0.8]}}}"#;

    #[test]
    fn a_folder_is_read_with_the_one_below_and_each_fault_is_told() {
        let folder = folder("read");
        std::fs::write(folder.join("wave.pose.json"), ARM).unwrap();
        std::fs::write(folder.join("broken.pose.json"), "{").unwrap();
        std::fs::write(folder.join("other.json"), ARM).unwrap();
        std::fs::write(folder.join(BESIDE).join("bow.pose.json"), ARM.replace("UpperArm.L", "Spine")).unwrap();
        let document = Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap();
        let read = |chosen| LibraryFolder::of(folder.clone(), chosen).read(document.stored(), None, Options::default());
        let library = read(false);
        let names: Vec<&str> = library.poses.iter().map(|pose| pose.name.as_str()).collect();
        assert_eq!(names, ["broken", "wave", "bow"]);
        assert!(library.poses[0].pose.as_ref().unwrap_err().contains("JSON"));
        assert_eq!(library.poses[1].pose.as_ref().unwrap().pose.nodes.len(), 1);
        let chosen = read(true);
        assert_eq!(chosen.poses.len(), 2);
        // A file more is another state of the folder.
        let before = LibraryFolder::of(folder.clone(), false);
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(folder.join(BESIDE).join("sit.pose.json"), ARM).unwrap();
        assert_ne!(LibraryFolder::of(folder.clone(), false), before);
        if Gpu::headless(Backend::Auto).is_ok() {
            let job =
                PosePictures { document, poses: library.poses.clone(), backend: Backend::Auto, texture_memory: None };
            job.draw(&JobContext::of_waiting()).unwrap();
            let picture = |at: usize| library.poses[at].picture.get();
            assert!(picture(0).is_none() && picture(1) != picture(2), "each shows its own pose");
            let seen = picture(1).unwrap().chunks_exact(4).filter(|pixel| pixel[3] == 255).count();
            let side = LibraryPose::PICTURE as usize;
            assert!((side * side / 40..side * side / 2).contains(&seen), "{seen}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_name_leaves_the_folder_or_replaces_a_file() {
        let folder = folder("names");
        let old = folder.join("wave.pose.json");
        std::fs::write(&old, ARM).unwrap();
        for bad in ["", " ", "../a", ".a", "a/b", "a\\b", "C:a", "wave", " wave "] {
            assert!(named(&folder, bad).is_err(), "{bad}");
        }
        std::fs::write(folder.join("bow.pose.json"), "{}").unwrap();
        assert!(rename(&old, "bow").unwrap_err().contains("There is a pose"));
        assert!(output::rename_new(&old, &folder.join("bow.pose.json")).is_err());
        assert!(output::write_new(&folder.join("bow.pose.json"), b"").is_err());
        rename(&old, "hello you").unwrap();
        assert!(!old.exists());
        let now = folder.join("hello you.pose.json");
        assert_eq!(output::remove(&now).unwrap(), ARM.as_bytes());
        assert!(!now.exists() && output::remove(&now).is_err());
        assert_eq!(std::fs::read(folder.join("bow.pose.json")).unwrap(), b"{}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! Asks for files in the window's own dialog: to write what is shown into one, or to show what one has.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;

use super::examples::points_of;
use super::export_job::usual_name;
use super::exports::{read_files, stage_of_export};
use super::file_dialog::{self, FileKind, OpenDialog, Wanted};
use super::file_names::{POSE_ENDING, is_pose, pose_path, session_path, strokes_path};
use super::on_disk::OnDisk;
use super::placed::{self, is_skeleton, skeleton_path};
use super::strokes;
use crate::app::App;
use crate::app::jobs::{Jobs, Kind};
use crate::app::ui::{AskedFile, AskedStage, Status, UiState};
use crate::import::{Options, Progress};
use crate::output::overwritten;
use crate::pose_files::is_mesh;
use crate::session::{FileUse, SESSION_ENDING, SKELETON_ENDING, STROKES_ENDING, Session, is_session};

/// The most files of a folder that are offered.
const MOST_OFFERED: usize = 200;

impl App {
    /// Asks for a file.
    pub(crate) fn ask_for_file(&mut self, usage: FileUse) {
        if self.session.document().is_none() && usage != FileUse::OpenSession {
            return;
        }
        if usage == FileUse::SaveSession && self.session.lesson().is_some() {
            self.status.error =
                Some("An example is made by the program and has no file that a session could name.".into());
            return;
        }
        let folder = folder_to_ask_for(&self.disk, &self.session, &self.ui);
        let offered = match usage {
            FileUse::LoadPose => files_in(&folder, is_pose),
            FileUse::OpenSession => files_in(&folder, is_session),
            FileUse::LoadPlaced => files_in(&folder, is_skeleton),
            FileUse::LoadSculpt => files_in(&folder, is_mesh),
            FileUse::SavePose
            | FileUse::SaveSession
            | FileUse::SaveStrokes
            | FileUse::SavePlaced
            | FileUse::Export(_) => Vec::new(),
        };
        let path =
            if usage.writes() { proposed_name(&self.session, &self.disk, usage, &folder) } else { PathBuf::new() };
        let stage =
            if usage.writes() { AskedStage::Writable { replaces: path.is_file() } } else { AskedStage::Unnamed };
        let has_dialog = file_dialog::has_dialog();
        self.status.asked_file = Some(AskedFile { usage, path, has_dialog, offered, stage });
    }

    /// Asks for the file that the dialog asks for with the system's one.
    pub(crate) fn choose_file(&mut self) {
        if let Some(saving) = &self.status.saving {
            let dialog = file_dialog::open(Wanted::Write(FileKind::Model), Some(&saving.target));
            self.jobs.ask(dialog, |app, _, target| app.plan_save(|saving| saving.target = target));
        } else if let Some(asked) = &self.status.asked_file {
            let folder = folder_to_ask_for(&self.disk, &self.session, &self.ui);
            let path = match asked.path.as_os_str().is_empty() {
                true => proposed_name(&self.session, &self.disk, asked.usage, &folder),
                false => asked.path.clone(),
            };
            let dialog = file_dialog::open(Wanted::of(asked.usage), Some(&path));
            self.jobs.ask(dialog, |app, _, path| app.name_file(path));
        }
    }

    /// The user named the file.
    pub(crate) fn name_file(&mut self, path: PathBuf) {
        let read = read_files(&self.session);
        let Some(asked) = &mut self.status.asked_file else { return };
        asked.path.clone_from(&path);
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        match asked.usage {
            _ if path.as_os_str().is_empty() => asked.stage = AskedStage::Unnamed,
            FileUse::SavePose => asked.stage = AskedStage::Writable { replaces: is_there(&pose_path(&path)) },
            FileUse::SaveSession => asked.stage = AskedStage::Writable { replaces: is_there(&session_path(&path)) },
            FileUse::SaveStrokes => asked.stage = AskedStage::Writable { replaces: is_there(&strokes_path(&path)) },
            FileUse::SavePlaced => asked.stage = AskedStage::Writable { replaces: is_there(&skeleton_path(&path)) },
            FileUse::Export(kind) => asked.stage = stage_of_export(kind, &path, &read),
            FileUse::LoadPose if path.is_file() => self.read_pose(path, None),
            FileUse::OpenSession if path.is_file() => self.look_into_session(path),
            FileUse::LoadPlaced if path.is_file() => read_placed((&mut self.status, &mut self.jobs), path),
            FileUse::LoadSculpt if path.is_file() => read_sculpt((&mut self.status, &mut self.jobs), path),
            FileUse::LoadPose | FileUse::OpenSession | FileUse::LoadPlaced | FileUse::LoadSculpt => {
                asked.stage = AskedStage::Unnamed;
            }
        }
    }

    /// Writes the pose or the session that is shown, or the strokes that were recorded, into a file.
    pub(crate) fn write_file(&mut self, path: &Path) {
        match self.status.asked_file.as_ref().map(|asked| asked.usage) {
            Some(FileUse::SavePose) => self.save_pose(path),
            Some(FileUse::SaveSession) => self.save_session(path),
            Some(FileUse::SaveStrokes) => {
                save_strokes((&self.session, &self.disk), (&mut self.status, &mut self.jobs), path);
            }
            Some(FileUse::SavePlaced) => save_placed(&self.session, (&mut self.status, &mut self.jobs), path),
            Some(
                FileUse::LoadPose
                | FileUse::OpenSession
                | FileUse::LoadPlaced
                | FileUse::LoadSculpt
                | FileUse::Export(_),
            )
            | None => {}
        }
    }
}

/// Writes the strokes that were recorded into a file, and the pose files that they name beside it.
fn save_strokes((session, disk): (&Session, &OnDisk), (status, jobs): (&mut Status, &mut Jobs), path: &Path) {
    let path = strokes_path(path);
    let files = strokes::files_of(session.painting(), &path);
    let Some(asked) = &mut status.asked_file else { return };
    asked.path.clone_from(&path);
    asked.stage = AskedStage::Working;
    for (file, _) in &files {
        if let Err(error) = overwritten(file, session.document().into_iter().flat_map(|d| d.files())) {
            return file_written(status, &path, Err(error.to_string()));
        }
    }
    let (files, before) = (Arc::new(files), disk.saved_strokes(&path));
    jobs.restart(Kind::NamedFile, move |_| {
        let written = strokes::write(&path, &files, before.as_deref().map(Vec::as_slice));
        Some(Box::new(move |app, _| {
            if written.is_ok() {
                app.disk.note_strokes(&path, files);
            }
            file_written(&mut app.status, &path, written);
        }))
    });
}

/// Reads placed joints from a file, for the dialog that asks for it.
fn read_placed((status, jobs): (&mut Status, &mut Jobs), path: PathBuf) {
    if let Some(asked) = &mut status.asked_file {
        asked.stage = AskedStage::Working;
    }
    jobs.restart(Kind::NamedFile, move |_| {
        let read = placed::read(&path);
        Some(Box::new(move |app, _| {
            if let Some(asked) = asked_at(&mut app.status, &path) {
                asked.stage = read.map_or_else(AskedStage::Failed, |joints| AskedStage::Placed(Arc::new(joints)));
            }
        }))
    });
}

/// Reads a mesh for a corrective shape, for the dialog that asks for it.
fn read_sculpt((status, jobs): (&mut Status, &mut Jobs), path: PathBuf) {
    if let Some(asked) = &mut status.asked_file {
        asked.stage = AskedStage::Working;
    }
    jobs.restart(Kind::NamedFile, move |_| {
        let read = points_of(&path, &Options::default(), &Progress::silent());
        let read = read.map(|points| points.iter().map(glam::DVec3::to_array).collect::<Vec<[f64; 3]>>());
        Some(Box::new(move |app, _| {
            if let Some(asked) = asked_at(&mut app.status, &path) {
                asked.stage = read.map_or_else(AskedStage::Failed, |points| AskedStage::Sculpt(Arc::new(points)));
            }
        }))
    });
}

/// Writes the joints that are placed by hand into a file.
fn save_placed(session: &Session, (status, jobs): (&mut Status, &mut Jobs), path: &Path) {
    let (path, joints) = (skeleton_path(path), Arc::clone(session.placing().joints()));
    let Some(asked) = &mut status.asked_file else { return };
    asked.path.clone_from(&path);
    asked.stage = AskedStage::Working;
    if let Err(error) = overwritten(&path, session.document().into_iter().flat_map(|d| d.files())) {
        return file_written(status, &path, Err(error.to_string()));
    }
    jobs.restart(Kind::NamedFile, move |_| {
        let written = placed::write(&path, &joints);
        Some(Box::new(move |app, _| file_written(&mut app.status, &path, written)))
    });
}

impl Jobs {
    /// Shows a dialog of the system; `chosen` hears what the user chose there, if anything.
    pub(crate) fn ask(&mut self, dialog: OpenDialog, chosen: fn(&mut App, &ActiveEventLoop, PathBuf)) {
        self.start(Kind::FileDialog, move |_| {
            let path = dialog()?;
            Some(Box::new(move |app, event_loop| chosen(app, event_loop, path)))
        });
    }
}

/// The folder of the open session or model, or else of the last one.
pub(super) fn folder_to_ask_for(disk: &OnDisk, session: &Session, ui: &UiState) -> PathBuf {
    let folder_of = |path: &PathBuf| path.parent().map(PathBuf::from);
    let own = disk.session_file().and_then(Path::parent).map(PathBuf::from);
    let own = own.or_else(|| session.document().and_then(|d| folder_of(d.path.as_ref()?)));
    let last = || ui.saved().last_folder.filter(|folder| folder.is_dir());
    own.or_else(last).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// The file to write unless the user names another: that of the open session, or one that is not there yet.
fn proposed_name(session: &Session, disk: &OnDisk, usage: FileUse, folder: &Path) -> PathBuf {
    let stem = |session: &Session| {
        let stem = session.document().and_then(|d| d.path.as_ref()?.file_stem());
        stem.map_or_else(|| "character".to_owned(), |stem| stem.to_string_lossy().into_owned())
    };
    match (usage, disk.session_file()) {
        (FileUse::SaveSession, Some(open)) => open.to_owned(),
        (FileUse::SaveSession, None) => free_name(folder, &stem(session), SESSION_ENDING),
        (FileUse::SaveStrokes, _) => free_name(folder, &stem(session), STROKES_ENDING),
        (FileUse::SavePlaced | FileUse::LoadPlaced, _) => free_name(folder, &stem(session), SKELETON_ENDING),
        (FileUse::Export(kind), _) => {
            let (stem, ending) = usual_name(kind, session);
            free_name(folder, &stem, ending)
        }
        (FileUse::LoadSculpt, _) => free_name(folder, &stem(session), ".ply"),
        _ => free_name(folder, "pose", POSE_ENDING),
    }
}

/// The question for a file, as long as it is this one that was named.
pub(super) fn asked_at<'a>(status: &'a mut Status, path: &Path) -> Option<&'a mut AskedFile> {
    status.asked_file.as_mut().filter(|asked| asked.path == path)
}

/// The file that was asked for has been written, or not.
pub(super) fn file_written(status: &mut Status, path: &Path, result: Result<(), String>) {
    let asked = asked_at(status, path);
    match (result, asked) {
        (Ok(()), asked) => {
            if asked.is_some() {
                status.asked_file = None;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            status.say(format!("Wrote {name}"));
        }
        (Err(why), Some(asked)) => asked.stage = AskedStage::Failed(why),
        (Err(why), None) => status.error = Some(why),
    }
}

/// The files of a folder that are of a kind, by name.
pub(crate) fn files_in(folder: &Path, is_it: fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| is_it(path)).take(MOST_OFFERED).collect();
    found.sort();
    found
}

/// A name in a folder that no file has.
pub(crate) fn free_name(folder: &Path, stem: &str, ending: &str) -> PathBuf {
    let name = |n: u32| folder.join(if n == 1 { format!("{stem}{ending}") } else { format!("{stem}-{n}{ending}") });
    (1..).map(name).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_free_and_files_of_a_kind() {
        let folder = std::env::temp_dir().join(format!("skinscope_asked_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(free_name(&folder, "pose", POSE_ENDING), "").unwrap();
        assert_eq!(free_name(&folder, "pose", POSE_ENDING), folder.join("pose-2.pose.json"));
        std::fs::write(free_name(&folder, "a", SESSION_ENDING), "").unwrap();
        assert_eq!(files_in(&folder, is_pose), [folder.join("pose.pose.json")]);
        assert_eq!(files_in(&folder, is_session), [folder.join("a.skinscope.json")]);
        assert!(is_mesh(Path::new("a.PLY")) && !is_mesh(Path::new("a.pose.json")));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

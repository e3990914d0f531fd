//! Files that are dropped on the window together: a model with its buffers, textures and texts, a folder, or two models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use winit::event_loop::ActiveEventLoop;

use super::examples::examples_among;
use super::file_names::{DroppedAs, is_pose, may_be_model};
use super::folder::{begins_as_page, is_model};
use crate::app::App;
use crate::app::ui::Status;
use crate::import::is_environment;
use crate::session::{Command, FileCommand, FileUse, Session, is_session};

/// How many folders below the one that was dropped are looked through, and how many entries.
const DEPTH: usize = 4;
const MOST_ENTRIES: usize = 5_000;
/// The endings of what belongs to a model: its buffers, images, texts and licences.
const BELONGINGS: [&str; 19] = [
    "bin", "png", "jpg", "jpeg", "webp", "ktx2", "ktx", "basis", "dds", "bmp", "tga", "tif", "tiff", "txt", "md",
    "license", "pdf", "html", "json",
];

/// What is done with files that were dropped together.
#[derive(Clone, Debug, PartialEq)]
enum Plan {
    /// This one is taken as if it were dropped alone.
    Alone(PathBuf),
    /// The second stands beside the first, or plays on it where it has clips alone.
    Pair(PathBuf, PathBuf),
    /// Nothing; the text says why.
    Nothing(String),
}

/// What is done with files that were dropped together, and what is said about those of them that are not used.
#[derive(Clone, Debug, PartialEq)]
struct Drop {
    plan: Plan,
    note: Option<String>,
}

impl App {
    /// Takes files that were dropped on the window at once.
    pub(crate) fn take_dropped(&mut self, event_loop: &ActiveEventLoop, paths: Vec<PathBuf>) {
        let is_open = self.status.loading.as_ref().is_none_or(|loading| loading.is_open);
        if let Some(examples) = examples_among(&self.session, &paths).filter(|_| is_open) {
            let left = note_left(paths.iter().filter(|path| !examples.contains(path)));
            left.into_iter().for_each(|left| self.status.warn(left));
            return self.apply(event_loop, Command::File(FileCommand::ReadExamples(examples)));
        }
        let Drop { plan, note } = plan(paths);
        if let Some(note) = note {
            self.status.warn(note);
        }
        let command = match plan {
            Plan::Nothing(why) => {
                self.status.error = Some(why);
                None
            }
            Plan::Alone(path) => match DroppedAs::of(&path) {
                DroppedAs::Pose => {
                    // Says what is in it, and asks whether its pose is to be shown.
                    self.ask_for_file(FileUse::LoadPose);
                    self.name_file(path);
                    None
                }
                DroppedAs::Environment => {
                    self.show_environment(path);
                    None
                }
                DroppedAs::Other => command_of(&self.session, &mut self.status, path, None),
            },
            Plan::Pair(first, second) => command_of(&self.session, &mut self.status, first, Some(second)),
        };
        if let Some(command) = command {
            self.apply(event_loop, Command::File(command));
        }
    }

    /// Takes the second of two files that were dropped together, once the first is shown.
    pub(crate) fn take_second(&mut self, event_loop: &ActiveEventLoop) {
        let Some((first, second)) = self.next.after_opening.take() else { return };
        let shown = self.session.document().and_then(|document| document.path.as_deref());
        if shown == Some(first.as_path()) {
            let command =
                if has_clips_alone(&second) { FileCommand::TakeClips(second) } else { FileCommand::OpenBeside(second) };
            self.apply(event_loop, Command::File(command));
            self.redraw();
        }
    }
}

/// A model was dropped on the window, perhaps with a second file: it is opened where nothing is open, else the user is asked. Any other file
/// is opened.
fn command_of(session: &Session, status: &mut Status, path: PathBuf, second: Option<PathBuf>) -> Option<FileCommand> {
    if session.document().is_none() || status.loading.is_some() || !may_be_model(&path) {
        return Some(match second {
            Some(second) => FileCommand::OpenPair(path, second),
            None => FileCommand::Open(path),
        });
    }
    (status.dropped, status.dropped_second) = (Some(path), second);
    None
}

/// Returns whether a file has clips and no surface, by its name.
pub(crate) fn has_clips_alone(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vrma"))
}

/// Decides what is done with files that were dropped together.
fn plan(mut paths: Vec<PathBuf>) -> Drop {
    if let [path] = &paths[..]
        && !path.is_dir()
    {
        return Drop { plan: Plan::Alone(paths.remove(0)), note: None };
    }
    let (mut models, mut clips, mut sessions, mut pages, mut others) = (vec![], vec![], vec![], vec![], vec![]);
    let mut empty = Vec::new();
    for path in paths {
        match path {
            folder if folder.is_dir() => match models_in(&folder) {
                found if found.is_empty() => empty.push(folder),
                found => models.extend(found),
            },
            clip if has_clips_alone(&clip) => clips.push(clip),
            model if is_model(&model) => models.push(model),
            session if is_session(&session) => sessions.push(session),
            page if begins_as_page(&page) => pages.push(page),
            other => others.push(other),
        }
    }
    // Of two the first that was dropped is the one beside which the other stands.
    let mut known = BTreeSet::new();
    models.retain(|model| known.insert(model.clone()));
    if let Some(session) = sessions.first() {
        // It names its model.
        let left = sessions[1..].iter().chain(&pages).chain(&clips).chain(others.iter().filter(|o| !belongs(o)));
        return Drop { plan: Plan::Alone(session.clone()), note: note_left(left) };
    }
    let mut left: Vec<PathBuf> = others.iter().filter(|other| !belongs(other)).cloned().collect();
    let plan = match (&models[..], &clips[..]) {
        ([], []) => return without_model(empty, pages, others),
        ([], [clip, more @ ..]) => {
            left.extend_from_slice(more);
            Plan::Alone(clip.clone())
        }
        ([model], []) => Plan::Alone(model.clone()),
        ([model], [clip, more @ ..]) => {
            left.extend_from_slice(more);
            Plan::Pair(model.clone(), clip.clone())
        }
        ([first, second], _) => {
            left.extend_from_slice(&clips);
            Plan::Pair(first.clone(), second.clone())
        }
        ([any, ..], _) => {
            // Those after it in its folder can be walked through.
            let first = models.iter().min().unwrap_or(any);
            let (count, name) = (models.len(), name(first));
            let note = format!("{count} models: {name} is opened; Ctrl+Page Down shows the next one of its folder");
            return Drop { plan: Plan::Alone(first.clone()), note: Some(note) };
        }
    };
    Drop { plan, note: note_left(left.iter()) }
}

/// Decides about files and folders without a model.
fn without_model(folders: Vec<PathBuf>, pages: Vec<PathBuf>, others: Vec<PathBuf>) -> Drop {
    let of_use = |other: &&PathBuf| is_pose(other) || is_environment(other);
    let some = pages.first().or_else(|| others.iter().find(of_use)).or_else(|| others.iter().find(|o| !belongs(o)));
    if let Some(some) = some {
        let left = pages.iter().chain(&others).filter(|other| *other != some && !belongs(other));
        return Drop { plan: Plan::Alone(some.clone()), note: note_left(left) };
    }
    let why = match folders.first() {
        Some(folder) => format!("There is no model in {}: no glTF, GLB or VRM file.", name(folder)),
        None => {
            let names: Vec<String> = others.iter().take(4).map(|other| name(other)).collect();
            let more = if others.len() > names.len() { ", …" } else { "" };
            format!(
                "No model is among {}{more}. Drop the file that names them with them: .gltf or .md.",
                names.join(", ")
            )
        }
    };
    Drop { plan: Plan::Nothing(why), note: None }
}

/// Returns the models of a folder: those in the folder itself, or else those of the folders below that are nearest, by name.
fn models_in(folder: &Path) -> Vec<PathBuf> {
    let (mut level, mut seen) = (vec![folder.to_owned()], 0);
    for _ in 0..=DEPTH {
        let (mut models, mut below) = (Vec::new(), Vec::new());
        for folder in &level {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries.take(MOST_ENTRIES.saturating_sub(seen)) {
                seen += 1;
                let path = entry.path();
                // A link is none, which may lead back up.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
                match &path {
                    _ if is_hidden => {}
                    path if is_model(path) => models.push(path.clone()),
                    path if is_folder => below.push(path.clone()),
                    _ => {}
                }
            }
        }
        if !models.is_empty() {
            models.sort_by_key(|path| path.to_string_lossy().to_lowercase());
            return models;
        }
        level = below;
    }
    Vec::new()
}

/// Returns whether a file may belong to a model that names it, by its ending; files without one are licences and notes.
fn belongs(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_none_or(|ending| BELONGINGS.contains(&ending.as_str())) && !is_pose(path) && !is_environment(path)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Names files that nothing was done with; `None` where there is none.
fn note_left<'a>(left: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    let names: Vec<String> = left.map(|path| name(path)).collect();
    (!names.is_empty()).then(|| {
        let more = if names.len() > 4 { ", …" } else { "" };
        format!(
            "Not used: {}{more}. Drop what it is for alone, once the model is open",
            names[..names.len().min(4)].join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder of its own with these files, some of which have texts.
    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_dropped_{name}_{}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if file.ends_with("page.md") { "---\ntitle: A page\n---\n" } else { "x" }).unwrap();
        }
        folder
    }

    /// What is done with some files of a folder, with their paths in it.
    fn planned(folder: &Path, files: &[&str]) -> Drop {
        plan(files.iter().map(|file| folder.join(file)).collect())
    }

    #[test]
    fn a_model_is_opened_out_of_the_files_that_belong_to_it_in_whatever_order() {
        let files = ["model.gltf", "model.bin", "skin.png", "LICENSE", "readme.txt", "notes.md", "a.jpeg"];
        let at = folder("set", &files);
        for turn in 0..files.len() {
            let mut order = files;
            order.rotate_left(turn);
            let wanted = Drop { plan: Plan::Alone(at.join("model.gltf")), note: None };
            assert_eq!(planned(&at, &order), wanted, "{order:?}");
        }
        fs::remove_dir_all(at).unwrap();
    }

    #[test]
    fn two_models_are_a_pair_and_clips_play_on_the_model_they_are_dropped_with() {
        let at =
            folder("pair", &["b.glb", "a.gltf", "a.bin", "c.vrm", "wave.vrma", "wave.pose.json", "d.fbx", "s.hdr"]);
        let pair = |first: &str, second: &str| Plan::Pair(at.join(first), at.join(second));
        // Which is the first, the order of the drop says.
        assert_eq!(planned(&at, &["b.glb", "a.bin", "a.gltf"]).plan, pair("b.glb", "a.gltf"));
        assert_eq!(planned(&at, &["a.gltf", "b.glb", "a.gltf"]).plan, pair("a.gltf", "b.glb"));
        assert_eq!(planned(&at, &["wave.vrma", "c.vrm"]).plan, pair("c.vrm", "wave.vrma"));
        let Drop { plan, note } = planned(&at, &["b.glb", "c.vrm", "a.gltf"]);
        assert!(plan == Plan::Alone(at.join("a.gltf")) && note.unwrap().contains("3 models"));
        // What cannot be used with the model is named.
        let Drop { plan, note } = planned(&at, &["wave.pose.json", "b.glb", "d.fbx", "s.hdr"]);
        let note = note.unwrap();
        assert!(
            plan == Plan::Alone(at.join("b.glb"))
                && ["wave.pose.json", "d.fbx", "s.hdr"].iter().all(|f| note.contains(f))
        );
        // Alone each is what it always was.
        for file in ["wave.pose.json", "s.hdr", "a.bin", "wave.vrma"] {
            assert_eq!(planned(&at, &[file]), Drop { plan: Plan::Alone(at.join(file)), note: None });
        }
        fs::remove_dir_all(at).unwrap();
    }

    #[test]
    fn a_folder_is_its_model_and_one_without_says_so() {
        let files = ["fox/Fox.gltf", "fox/Fox.bin", "deep/glTF/textures/a.png", "deep/glTF/deep.glb", "none/a.png"];
        let at = folder("folder", &files);
        assert_eq!(planned(&at, &["fox"]).plan, Plan::Alone(at.join("fox/Fox.gltf")));
        assert_eq!(planned(&at, &["deep"]).plan, Plan::Alone(at.join("deep/glTF/deep.glb")));
        assert_eq!(
            planned(&at, &["fox", "deep"]).plan,
            Plan::Pair(at.join("fox/Fox.gltf"), at.join("deep/glTF/deep.glb"))
        );
        let Plan::Nothing(why) = planned(&at, &["none"]).plan else { panic!("a model was found") };
        assert!(why.contains("no model in none"), "{why}");
        fs::remove_dir_all(at).unwrap();
    }

    #[test]
    fn sessions_and_pages_go_before_what_they_name_and_files_without_a_model_are_an_error_that_says_so() {
        let files = ["a.skinscope.json", "a.glb", "page.md", "rig.bin", "skin.png", "thing.xyz"];
        let at = folder("session", &files);
        let session = Drop { plan: Plan::Alone(at.join("a.skinscope.json")), note: None };
        assert_eq!(planned(&at, &["a.glb", "a.skinscope.json"]), session);
        assert_eq!(planned(&at, &["skin.png", "page.md"]).plan, Plan::Alone(at.join("page.md")));
        // What nobody knows is tried, which says what it is.
        assert_eq!(planned(&at, &["skin.png", "thing.xyz"]).plan, Plan::Alone(at.join("thing.xyz")));
        let Plan::Nothing(why) = planned(&at, &["skin.png", "rig.bin"]).plan else { panic!("what is it?") };
        assert!(why.contains("skin.png, rig.bin"), "{why}");
        fs::remove_dir_all(at).unwrap();
    }
}

//! What comes before and after the open file: the other models of its folder, the other examples.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::next_steps::NextStep;
use crate::examples::{Lesson, Start, example_beside};
use crate::import::MODEL_ENDINGS;
use crate::session::{Source, is_page};

impl App {
    /// Opens the model that comes so many places after the open one in its folder, by name.
    pub(crate) fn step_in_folder(&mut self, event_loop: &ActiveEventLoop, steps: i32) {
        let own = self.session.document().and_then(|document| document.path.clone());
        match own.as_deref().map(|path| neighbour(path, steps, is_model)) {
            Some(Some(path)) => self.leave(event_loop, NextStep::Load(Source::File(path))),
            Some(None) => self.status.warn("There is no other model in this folder".to_owned()),
            None => self.status.warn("The built-in character is in no folder".to_owned()),
        }
    }

    /// Opens the example that comes so many rows after the one that is shown; after a page of the user's own, the next page of its folder.
    pub(crate) fn step_example(&mut self, event_loop: &ActiveEventLoop, steps: i32) {
        let shown = self.session.lesson().map(Lesson::example);
        let source = match shown.and_then(|example| example.file) {
            Some(file) => match neighbour(file, steps, begins_as_page) {
                Some(path) => Source::Page(path),
                None => return self.status.warn("There is no other page in this folder".to_owned()),
            },
            None => Source::Example(Start::of(example_beside(shown, steps))),
        };
        self.leave(event_loop, NextStep::Load(source));
    }
}

pub(super) fn is_model(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    MODEL_ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) && path.is_file()
}

/// Returns whether a file is named as a page is and begins with the head of one, as notes and manuals beside it do not.
pub(super) fn begins_as_page(path: &Path) -> bool {
    let mut start = [0; 3];
    let read = |mut file: File| file.read_exact(&mut start).is_ok_and(|()| start == *b"---");
    is_page(path) && path.is_file() && File::open(path).is_ok_and(read)
}

/// Returns the file for which `fits` is true that comes so many files after this one in its folder, by name without regard to capitals;
/// after the last one comes the first. `None` where there is no other.
fn neighbour(path: &Path, steps: i32, fits: fn(&Path) -> bool) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| fits(path)).collect();
    files.sort_by_key(|path| (path.file_name().unwrap_or_default().to_string_lossy().to_lowercase(), path.clone()));
    let count = files.len() as i64;
    // A file that has been removed stands where it would stand.
    let name = path.file_name()?;
    let own = files.iter().position(|file| file.file_name() == Some(name));
    let at = match own {
        Some(at) => at as i64 + i64::from(steps),
        None => {
            let lower = name.to_string_lossy().to_lowercase();
            let before =
                files.iter().filter(|m| m.file_name().unwrap_or_default().to_string_lossy().to_lowercase() < lower);
            before.count() as i64 + i64::from(steps) - i64::from(steps > 0)
        }
    };
    let next = files.get(usize::try_from(at.checked_rem_euclid(count)?).ok()?)?;
    (next.file_name() != Some(name)).then(|| next.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn models_of_a_folder_come_by_name_and_go_round() {
        let folder = std::env::temp_dir().join(format!("skinscope_folder_{}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("d.glb")).unwrap();
        for name in ["b.glb", "A.gltf", "c.VRM", "a.bin", "picture.png"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let after = |name: &str, steps: i32| {
            neighbour(&folder.join(name), steps, is_model)
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        };
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(
            (after("A.gltf", 1), after("b.glb", 1), after("c.VRM", 1)),
            (some("b.glb"), some("c.VRM"), some("A.gltf"))
        );
        assert_eq!((after("A.gltf", -1), after("c.VRM", -1)), (some("c.VRM"), some("b.glb")));
        // One that is gone.
        assert_eq!((after("bb.glb", 1), after("bb.glb", -1)), (some("c.VRM"), some("b.glb")));
        for name in ["b.glb", "c.VRM"] {
            fs::remove_file(folder.join(name)).unwrap();
        }
        assert_eq!(after("A.gltf", 1), None);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn pages_of_a_folder_follow_each_other_and_notes_beside_them_are_left_out() {
        let folder = std::env::temp_dir().join(format!("skinscope_pages_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let page = "---\ntitle: A page\n---\n";
        for (name, text) in [("b.md", page), ("A.md", page), ("c.md", page), ("README.md", "# Notes\n"), ("a.glb", "x")]
        {
            fs::write(folder.join(name), text).unwrap();
        }
        let next = |name: &str, steps| {
            let found = neighbour(&folder.join(name), steps, begins_as_page)?;
            Some(found.file_name()?.to_string_lossy().into_owned())
        };
        assert_eq!(next("A.md", 1).as_deref(), Some("b.md"));
        assert_eq!([next("c.md", 1), next("A.md", -1)].map(Option::unwrap), ["A.md", "c.md"]);
        assert_eq!(neighbour(&folder.join("a.glb"), 1, is_model), None, "it is the only model");
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! The other models of the open file's folder, one after the other.

use std::path::{Path, PathBuf};

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::next_steps::NextStep;
use crate::session::Source;

/// The endings of models.
const ENDINGS: [&str; 3] = ["glb", "gltf", "vrm"];

impl App {
    /// Opens the model that comes so many places after the open one in its folder, by name.
    pub(crate) fn step_in_folder(&mut self, event_loop: &ActiveEventLoop, steps: i32) {
        let own = self.session.document().and_then(|document| document.path.clone());
        match own.as_deref().map(|path| neighbour(path, steps)) {
            Some(Some(path)) => self.leave(event_loop, NextStep::Load(Source::File(path))),
            Some(None) => self.warn("There is no other model in this folder"),
            None => self.warn("The built-in character is in no folder"),
        }
    }

    fn warn(&mut self, what: &str) {
        self.status.warn(what.to_owned());
    }
}

/// Returns the model that comes so many places after this one in its folder, by name without regard to capitals; after the
/// last one comes the first. `None` where there is no other.
fn neighbour(path: &Path, steps: i32) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_model = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known)) && path.is_file()
    };
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut models: Vec<PathBuf> = entries.filter(is_model).collect();
    models.sort_by_key(|path| (path.file_name().unwrap_or_default().to_string_lossy().to_lowercase(), path.clone()));
    let count = models.len() as i64;
    // A file that has been removed stands where it would stand.
    let name = path.file_name()?;
    let own = models.iter().position(|model| model.file_name() == Some(name));
    let at = match own {
        Some(at) => at as i64 + i64::from(steps),
        None => {
            let lower = name.to_string_lossy().to_lowercase();
            let before =
                models.iter().filter(|m| m.file_name().unwrap_or_default().to_string_lossy().to_lowercase() < lower);
            before.count() as i64 + i64::from(steps) - i64::from(steps > 0)
        }
    };
    let next = models.get(usize::try_from(at.checked_rem_euclid(count)?).ok()?)?;
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
            neighbour(&folder.join(name), steps).map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
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
}

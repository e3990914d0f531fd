//! Clips that were taken from another file are not lost: the window asks, keeps them through a crash and a reload, and saves them.

use std::fs;
use std::path::{Path, PathBuf};

use skinscope::import::{Options, Progress};
use skinscope::session::Source;

use super::saving::{edits, is_marked, said};
use super::{Screen, wait_until};

fn clips(path: &Path) -> Vec<String> {
    let document = Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap();
    document.model.clips.iter().map(|clip| clip.name.clone()).collect()
}

#[test]
#[ignore = "full: it opens a window, kills it and opens another"]
fn taken_clips_outlive_a_crash_and_a_reload_and_are_saved_when_the_window_closes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("taken_clips");
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let [path, other] = ["character.glb", "other.glb"].map(|name| folder.join(name));
    for path in [&path, &other] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), path).unwrap();
    }
    let (own, state): (Vec<String>, PathBuf) = (clips(&path), folder.join("state"));
    let variables = [("XDG_STATE_HOME", state.clone())];
    let arguments = ["view", path.to_str().unwrap(), "--autosave", "1"];
    let from = [&arguments[..], &["--clips-from", other.to_str().unwrap()]].concat();
    let Some(mut screen) = Screen::open_with("taken_clips", &from, &variables) else { return };
    wait_until("the dot of clips that no file has", || is_marked(&screen));
    wait_until("the clips to be written down", || !edits(&state).is_empty());
    screen.program.0.kill().unwrap();
    drop(screen);

    let mut screen = Screen::open_with("taken_clips", &arguments, &variables).unwrap();
    screen.press("Button", "Restore");
    wait_until("the clips", || is_marked(&screen));
    screen.key("ctrl+r");
    screen.key("space");
    screen.wait_for_rest();
    assert!(is_marked(&screen), "reading the file again loses the clips");
    screen.key("ctrl+q");
    said(&screen, &format!("• {} new clip", own.len()));
    screen.press("Button", "Save…");
    assert_eq!(said(&screen, "New clips: "), own.len().to_string());
    screen.press("Button", "Save");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    let names: Vec<String> = own.iter().map(|name| format!("{name} (other.glb)")).collect();
    assert_eq!(clips(&path), [own, names].concat());
}

//! Sessions are saved, opened again, and survive a killed program.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Screen, wait_until};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("session_{name}"));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join("character.glb")).unwrap();
    folder
}

/// Chooses a row of a menu.
fn choose(screen: &Screen, menu: &str, row: &str) {
    screen.press("Button", menu);
    screen.press("MenuItem", row);
}

/// Saves the session under the name that is proposed, and returns what is in the file then.
fn save(screen: &Screen, path: &Path) -> Value {
    let before = fs::metadata(path).and_then(|facts| facts.modified()).ok();
    choose(screen, "File", "Save session…");
    screen.press("Button", "Save");
    wait_until("the session file", || fs::metadata(path).and_then(|facts| facts.modified()).ok() != before);
    screen.wait_for_rest();
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
#[ignore = "full: it opens a window four times"]
fn a_session_is_saved_and_opened_with_all_that_it_keeps() {
    let folder = folder("kept");
    let (model, path) = (folder.join("character.glb"), folder.join("character.skinscope.json"));
    let Some(mut screen) = Screen::open("session_kept", &[model.to_str().unwrap()]) else { return };
    screen.key("space");
    choose(&screen, "Pose", "Mirror pose");
    screen.key("d");
    screen.key("KP_1");
    screen.wait_for_rest();
    let first = save(&screen, &path);
    assert_eq!(first["model"][0]["path"], "character.glb");
    assert!(!first["joints"].as_object().unwrap().is_empty());
    assert_eq!((&first["view"]["overlay"], &first["camera"]["yaw"]), (&"dominant".into(), &0.0.into()));
    // What the session holds is no reason for a question.
    screen.key("ctrl+q");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    drop(screen);

    // Opened and saved again it is the same but for nothing.
    let mut screen = Screen::open("session_again", &[path.to_str().unwrap()]).unwrap();
    wait_until("the legend of the overlay", || screen.says("Dominant joint"));
    screen.wait_for_rest();
    assert_eq!(save(&screen, &path), first);
    // What was made since is asked for before it is lost.
    choose(&screen, "Pose", "Reset all");
    screen.key("ctrl+q");
    wait_until("the question", || screen.says("Save the session character.skinscope.json?"));
    screen.press("Button", "Save");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    let last: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert!(last["joints"].as_object().unwrap().is_empty());
    drop(screen);

    // A model that has changed since is told, and a session of a later version is not opened.
    let mut bytes = fs::read(&model).unwrap();
    let at = bytes.len() - 5;
    bytes[at] ^= 1;
    fs::write(&model, bytes).unwrap();
    let screen = Screen::open("session_changed", &[path.to_str().unwrap()]).unwrap();
    wait_until("the change to be told", || screen.says("character.glb has changed since the session was saved."));
    drop(screen);
    fs::write(&path, "{\"skinscope_session\": 2}").unwrap();
    let screen = Screen::open("session_later", &[model.to_str().unwrap()]).unwrap();
    screen.key("space");
    choose(&screen, "File", "Open session…");
    screen.press("Button", "character.skinscope.json");
    wait_until("the version to be told", || screen.says("a later version of Skinscope made this file"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"skinscope_session\": 2}");
}

#[test]
#[ignore = "full: it opens a window, kills it and opens another"]
fn a_session_of_a_killed_program_is_offered_again_with_its_rules_and_view() {
    let folder = folder("killed");
    let (model, state) = (folder.join("character.glb"), folder.join("state"));
    let variables = [("XDG_STATE_HOME", state.clone())];
    let open = |name: &str| Screen::open_with(name, &["view", model.to_str().unwrap(), "--autosave", "1"], &variables);
    let Some(mut screen) = open("session_killed") else { return };
    screen.key("space");
    // A pin alone is worth keeping.
    screen.press("TreeItem", "Hips");
    screen.key("p");
    screen.key("d");
    // Beside a lock there is a file of another ending until the whole one takes its place.
    let is_whole = |file: fs::DirEntry| file.path().extension().is_some_and(|ending| ending == "edits");
    let written =
        || fs::read_dir(state.join("skinscope/edits")).is_ok_and(|mut files| files.any(|f| f.is_ok_and(is_whole)));
    wait_until("the session to be written down", written);
    screen.program.0.kill().unwrap();
    drop(screen);

    let screen = open("session_restored").unwrap();
    wait_until("the offer", || screen.says("limits, pins or pairs of 1 joint"));
    screen.press("Button", "Restore");
    wait_until("the legend of the overlay", || screen.says("Dominant joint"));
    screen.wait_for_rest();
    let kept = save(&screen, &folder.join("character.skinscope.json"));
    assert_eq!(kept["pins"], serde_json::json!(["Hips"]));
}

//! A second model in the window: what was made on either is asked about, kept in a session file, and survives a killed program.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::saving::edits;
use super::{Screen, wait_until};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("second_{name}"));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for name in ["old.glb", "new.glb"] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), folder.join(name)).unwrap();
    }
    folder
}

/// Makes a pose of the model that is worked on.
fn pose(screen: &Screen, name: &str) {
    screen.press("Button", "Pose");
    screen.press("MenuItem", "Mirror pose");
    let marked = format!("{name} •");
    wait_until(&marked, || screen.says(&marked));
}

/// Opens both models, and poses the first and then the second one.
fn both_posed(name: &str, folder: &Path, variables: &[(&str, PathBuf)]) -> Option<Screen> {
    let [old, new] = ["old.glb", "new.glb"].map(|name| folder.join(name));
    let arguments = ["view", old.to_str().unwrap(), "--beside", new.to_str().unwrap(), "--autosave", "1"];
    let screen = Screen::open_with(name, &arguments, variables)?;
    wait_until("the second model", || screen.says("Model: new.glb"));
    screen.key("space");
    pose(&screen, "old.glb");
    screen.press("Button", "new.glb");
    wait_until("the other model to be worked on", || screen.says("Close old.glb •"));
    pose(&screen, "new.glb");
    Some(screen)
}

#[test]
#[ignore = "full: it opens a window twice"]
fn what_was_made_on_either_model_is_asked_about_and_a_session_file_keeps_both() {
    let folder = folder("asked");
    let Some(mut screen) = both_posed("second_asked", &folder, &[]) else { return };
    // Each is asked about by its name, and to cancel the second question keeps both.
    screen.key("ctrl+q");
    wait_until("the question about the second", || screen.says("new.glb?"));
    screen.press("Button", "Discard");
    wait_until("the question about the first", || screen.says("old.glb?"));
    screen.press("Button", "Cancel");
    wait_until("the question to be gone", || !screen.says("old.glb?"));
    assert!(screen.says("old.glb •") && screen.says("Close new.glb •"), "both are there");
    // So does closing one of them.
    screen.press("Button", "Close new.glb •");
    wait_until("the question about the second", || screen.says("new.glb?"));
    screen.press("Button", "Cancel");
    wait_until("the question to be gone", || !screen.says("new.glb?"));
    let path = folder.join("new.skinscope.json");
    screen.press("Button", "File");
    screen.press("MenuItem", "Save session…");
    screen.press("Button", "Save");
    wait_until("the session file", || path.exists());
    wait_until("nothing to be unsaved", || screen.says("Close old.glb") && !screen.says("•"));
    screen.key("ctrl+q");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    drop(screen);
    let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        (&file["model"][0]["path"], &file["beside"]["session"]["model"][0]["path"]),
        (&"new.glb".into(), &"old.glb".into())
    );
    assert!(!file["beside"]["session"]["joints"].as_object().unwrap().is_empty());

    let screen = Screen::open("second_again", &[path.to_str().unwrap()]).unwrap();
    wait_until("both models", || screen.says("Model: new.glb") && screen.says("Model: old.glb"));
    assert!(!screen.says("•"), "the session file has all: {:?}", screen.words());
}

#[test]
#[ignore = "full: it opens a window, kills it and opens others"]
fn what_was_made_on_either_model_survives_a_killed_program() {
    let folder = folder("killed");
    let state = folder.join("state");
    let variables = [("XDG_STATE_HOME", state.clone())];
    let Some(mut screen) = both_posed("second_killed", &folder, &variables) else { return };
    wait_until("both to be written down", || edits(&state).len() == 2);
    screen.program.0.kill().unwrap();
    drop(screen);
    let mut offered = Vec::new();
    for file in edits(&state) {
        let text = fs::read_to_string(file).unwrap();
        let head: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        offered.push(head["name"].as_str().unwrap().to_owned());
    }
    offered.sort();
    assert_eq!(offered, ["new.glb", "old.glb"]);
}

#[test]
#[ignore = "full: it opens a window"]
fn a_second_model_that_cannot_be_opened_leaves_the_first_as_it_is() {
    let folder = folder("broken");
    let [old, broken] = ["old.glb", "broken.glb"].map(|name| folder.join(name));
    fs::write(&broken, b"glTF, but no more").unwrap();
    let arguments = [old.to_str().unwrap(), "--beside", broken.to_str().unwrap()];
    let Some(mut screen) = Screen::open("second_broken", &arguments) else { return };
    wait_until("the message", || screen.says("Could not open broken.glb."));
    assert!(screen.is_running() && !screen.says("Model: "), "there is one model");
}

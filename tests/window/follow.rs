//! The open file is changed by another program, and the window shows what it has become.

use std::fs;
use std::path::Path;

use super::saving::{is_marked, model, vertices_to_save};
use super::{Screen, wait_until};

#[test]
#[ignore = "full: it opens a window and waits for it to read a file again"]
fn a_file_that_has_changed_is_read_again_and_what_is_selected_stays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("follow");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.glb");
    let character = fs::read(root.join("assets/character.glb")).unwrap();
    fs::write(&path, &character).unwrap();
    let Some(screen) = Screen::open("follow", &[path.to_str().unwrap()]) else { return };
    screen.key("space");
    screen.press("TextInput", "Search nodes");
    screen.tool(&["type", "LowerArm.R"]);
    screen.key("Return");
    screen.find("Slider", "Rotation Z");
    let is_said = |words: &str| screen.says(words);
    let size = || screen.words().into_iter().find(|words| words.starts_with("Size of the model"));
    let of_character = size();
    assert!(of_character.is_some());
    // An exporter writes it in two halves.
    let figure = fs::read(root.join("tests/fixtures/figure.glb")).unwrap();
    fs::write(&path, &figure[..figure.len() / 2]).unwrap();
    fs::write(&path, &figure).unwrap();
    wait_until("another figure", || size().is_some_and(|size| Some(size) != of_character));
    let of_figure = size();
    screen.find("Slider", "Rotation Z");
    assert!(!is_said("Could not open"), "{:?}", screen.words());
    // What is no model is said, and the one before stays, until the file is mended.
    fs::write(&path, b"glTF, but not really").unwrap();
    wait_until("the message", || is_said("Could not open model.glb"));
    assert_eq!(size(), of_figure);
    fs::write(&path, &character).unwrap();
    wait_until("the first figure", || !is_said("Could not open") && size() == of_character);
    screen.find("Slider", "Rotation Z");
    // Switched off in the menu, nothing is read.
    screen.press("Button", "File");
    screen.press("MenuItemCheckBox", "Follow changes");
    screen.wait_for_rest();
    fs::write(&path, &figure).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    screen.wait_for_rest();
    assert_eq!(size(), of_character);
}

#[test]
#[ignore = "full: it opens a window and waits for it to see that a file has changed"]
fn a_file_that_changes_while_weights_are_edited_is_offered_and_saved_under_another_name() {
    let path = model("offered", 40);
    let original = fs::read(&path).unwrap();
    let Some(screen) = Screen::open("follow_offered", &[path.to_str().unwrap(), "--watch", "on"]) else { return };
    screen.key("space");
    screen.press("Button", "Edit");
    screen.press("MenuItem", "Normalise weights");
    wait_until("the dot of unsaved edits", || is_marked(&screen));
    let theirs = [&original[..], b"\0\0\0\0"].concat();
    fs::write(&path, &theirs).unwrap();
    screen.press("Button", "Keep mine");
    screen.wait_for_rest();
    assert!(is_marked(&screen));
    // Written again it is offered again, and taken with the edits.
    fs::write(&path, &original).unwrap();
    screen.press("Button", "Take it and carry my edits over");
    screen.wait_for_rest();
    assert!(is_marked(&screen));
    fs::write(&path, &theirs).unwrap();
    screen.press("Button", "Keep mine");
    screen.key("ctrl+s");
    screen.press("Button", "Save as…");
    assert_eq!(vertices_to_save(&screen), 40);
    screen.press("Button", "Save");
    let other = path.with_file_name("character-edited.glb");
    wait_until("the other file", || other.is_file());
    wait_until("the dot to go", || !is_marked(&screen));
    assert_eq!(fs::read(&path).unwrap(), theirs);
}

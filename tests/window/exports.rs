//! Pictures, films and meshes leave the window.

use std::fs;
use std::path::Path;

use super::{Screen, wait_until};

/// Opens a dialog of the menu File and types a path into it.
fn ask(screen: &Screen, row: &str, path: &Path) {
    screen.wait_for_rest();
    screen.press("Button", "File");
    screen.press("MenuItem", row);
    screen.press("TextInput", "File to write");
    screen.key("ctrl+a");
    screen.tool(&["type", "--delay", "2", path.to_str().unwrap()]);
    // The dialog grows with what it says of the path.
    screen.wait_for_rest();
}

#[test]
#[ignore = "full: it opens a window and records films"]
fn films_and_meshes_are_written_told_cancelled_and_never_replace_what_is_open() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports");
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let model = folder.join("character.glb");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), &model).unwrap();
    let original = fs::read(&model).unwrap();
    let Some(screen) = Screen::open("exports", &[model.to_str().unwrap()]) else { return };

    screen.key("space");
    // The open file is never replaced by what is made of it.
    ask(&screen, "Export posed mesh…", &model);
    wait_until("the refusal", || screen.says("is read"));
    assert_eq!(fs::read(&model).unwrap(), original);
    screen.key("Escape");
    // Nor is a picture of a series that has the name of one.
    let mesh = folder.join("posed.obj");
    ask(&screen, "Export posed mesh…", &mesh);
    screen.press("Button", "Export");
    wait_until("the mesh", || mesh.exists());
    wait_until("word of it", || screen.says("Wrote posed.obj"));

    // A part of the clip as numbered pictures, which begin with the number of the first.
    ask(&screen, "Record film…", &folder.join("p%02d.png"));
    screen.press("Button", "A part of it");
    screen.wait_for_rest();
    for (name, number) in [("Last picture", "6"), ("First picture", "4")] {
        screen.press("SpinButton", name);
        screen.key("ctrl+a");
        screen.tool(&["type", number]);
        screen.key("Tab");
    }
    screen.press("Button", "Record");
    wait_until("word of the pictures", || screen.says("Wrote p%02d.png"));
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["character.glb", "p04.png", "p05.png", "p06.png", "posed.obj"]);

    // A film that is given up leaves nothing, and says nothing.
    ask(&screen, "Record film…", &folder.join("given up.webp"));
    // So many pictures are not drawn before it is given up; the part of before is still chosen.
    screen.press("Button", "The whole clip");
    screen.press("SpinButton", "Pictures a second");
    screen.key("ctrl+a");
    screen.tool(&["type", "240"]);
    screen.key("Tab");
    screen.wait_for_rest();
    screen.press("Button", "Record");
    wait_until("the name of what is written", || screen.says("Writing given up.webp"));
    screen.press("Button", "Cancel");
    wait_until("its end", || !screen.says("given up.webp"));
    assert!(!screen.says("was not written"));
    screen.wait_for_rest();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 5);

    // Where nothing can be written, that is said.
    let absent = folder.join("absent/film.webp");
    ask(&screen, "Record film…", &absent);
    screen.press("Button", "Record");
    wait_until("the failure", || screen.says("film.webp was not written"));
}

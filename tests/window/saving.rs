//! Weights are edited in the window, saved, and read again; and edits survive a killed program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Screen, wait_until};

/// The built-in character with `off` vertices of its first primitive whose weights are halved, so that normalising changes
/// just those.
fn model(name: &str, off: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("saving_{name}"));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb")).unwrap();
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let json = word(&bytes, 12);
    let root: Value = serde_json::from_slice(&bytes[20..20 + json]).unwrap();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let accessor = &root["accessors"][number(&root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"])];
    assert_eq!(accessor["componentType"], 5123);
    let view = &root["bufferViews"][number(&accessor["bufferView"])];
    let start = 28 + json + number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    for at in (start..start + off * 8).step_by(2) {
        let half = u16::from_le_bytes([bytes[at], bytes[at + 1]]) / 2;
        bytes[at..at + 2].copy_from_slice(&half.to_le_bytes());
    }
    let path = folder.join("character.glb");
    fs::write(&path, bytes).unwrap();
    path
}

fn diff(a: &Path, b: &Path) -> Value {
    let out = Command::new(env!("CARGO_BIN_EXE_skinscope")).arg("diff").args([a, b]).arg("--json").output().unwrap();
    serde_json::from_slice(&out.stdout).unwrap()
}

fn title(screen: &Screen) -> String {
    let out = Command::new("xdotool")
        .args(["getwindowfocus", "getwindowname"])
        .env("DISPLAY", &screen.display)
        .output()
        .unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Whether the title names edits that no file has.
fn is_marked(screen: &Screen) -> bool {
    title(screen).starts_with("• ")
}

fn normalise(screen: &Screen) {
    // A clip that plays never comes to rest.
    screen.key("space");
    screen.press("Button", "Edit");
    screen.press("MenuItem", "Normalise weights");
    wait_until("the dot of unsaved edits", || is_marked(screen));
}

fn edits(state: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(state.join("skinscope/edits"));
    let files = files.into_iter().flatten().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "edits")).collect()
}

#[test]
fn what_was_edited_is_saved_and_nothing_else() {
    let path = model("save", 40);
    let original = fs::read(&path).unwrap();
    let kept = path.with_file_name("original.glb");
    fs::write(&kept, &original).unwrap();
    let Some(screen) = Screen::open("save", &[path.to_str().unwrap()]) else { return };
    assert!(!is_marked(&screen));
    normalise(&screen);
    screen.key("ctrl+s");
    screen.find("Label", "Vertices: 40");
    screen.find("Label", "character.glb: replaced; kept as .bak");
    assert_eq!(fs::read(&path).unwrap(), original, "written before it was asked for");
    screen.press("Button", "Save");
    wait_until("the file", || fs::read(&path).unwrap() != original);
    wait_until("the dot to go", || !is_marked(&screen));
    assert_eq!(fs::read(path.with_file_name("character.glb.bak")).unwrap(), original);
    let told = diff(&kept, &path);
    assert_eq!((&told["weights"]["vertices"], &told["same"]), (&40.into(), &false.into()), "{told}");
    assert_eq!(told["weights"]["primitives"].as_array().unwrap().len(), 1);
    assert_eq!(told["inverse_binds"]["changed"], 0);
    assert!(["added", "removed", "moved"].iter().all(|what| told["nodes"][what].as_array().unwrap().is_empty()));
    // Only bytes of those weights differ: two for each of four.
    let now = fs::read(&path).unwrap();
    let differ: Vec<usize> = (0..now.len()).filter(|at| now[*at] != original[*at]).collect();
    assert!(now.len() == original.len() && differ.last().unwrap() - differ[0] < 40 * 8, "{differ:?}");
    // Undone it is another edit, and saved again the file is as it was, but for what rounding made of odd halves.
    screen.key("ctrl+z");
    wait_until("the dot to come back", || is_marked(&screen));
    screen.key("ctrl+s");
    screen.press("Button", "Save");
    wait_until("the second save", || fs::read(&path).unwrap() == original);
    assert_eq!(fs::read(path.with_file_name("character.glb.bak1")).unwrap(), now);
    wait_until("the dot to go again", || !is_marked(&screen));
}

#[test]
fn closing_with_unsaved_edits_asks() {
    let path = model("close", 10);
    let original = fs::read(&path).unwrap();
    let Some(mut screen) = Screen::open("close", &[path.to_str().unwrap()]) else { return };
    normalise(&screen);
    screen.key("ctrl+q");
    screen.press("Button", "Cancel");
    screen.wait_for_rest();
    assert!(screen.is_running() && is_marked(&screen));
    // Another model asks as well.
    screen.press("Button", "File");
    screen.press("MenuItem", "Open built-in character");
    screen.find("Button", "Discard");
    screen.key("Escape");
    screen.wait_for_rest();
    assert!(is_marked(&screen));
    // Saved first, then closed.
    screen.key("ctrl+q");
    screen.press("Button", "Save…");
    screen.press("Button", "Save");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    assert!(screen.program.0.wait().unwrap().success());
    assert_ne!(fs::read(&path).unwrap(), original);
}

#[test]
fn edits_of_a_killed_program_are_offered_again() {
    let path = model("killed", 30);
    let state = path.with_file_name("state");
    let variables = [("XDG_STATE_HOME", state.clone())];
    let arguments = [path.to_str().unwrap(), "--autosave", "1"];
    let open = || Screen::open_with("killed", &["view", arguments[0], arguments[1], arguments[2]], &variables);
    let Some(mut screen) = open() else { return };
    normalise(&screen);
    wait_until("the edits to be written down", || !edits(&state).is_empty());
    screen.program.0.kill().unwrap();
    drop(screen);
    assert_eq!(edits(&state).len(), 1);

    // Accepted they are there, and can be saved.
    let mut screen = open().unwrap();
    screen.press("Button", "Restore");
    screen.key("space");
    wait_until("the edits", || is_marked(&screen));
    screen.wait_for_rest();
    // They are this program's now, and outlive it too.
    assert_eq!(edits(&state).len(), 1);
    screen.key("ctrl+s");
    screen.find("Label", "Vertices: 30");
    screen.key("Escape");
    screen.wait_for_rest();
    screen.program.0.kill().unwrap();
    drop(screen);
    assert_eq!(edits(&state).len(), 1);

    // Declined they are gone.
    let screen = open().unwrap();
    screen.press("Button", "Discard");
    screen.key("space");
    wait_until("them to go", || edits(&state).is_empty());
    screen.wait_for_rest();
    assert!(!is_marked(&screen));
}

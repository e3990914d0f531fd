//! Weights are edited in the window, saved, and read again; and edits survive a killed program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use skinscope::import::{Options, Progress};
use skinscope::model::MeshId;
use skinscope::session::Source;

use super::{FIGURE, Screen, inside, wait_until};

/// The built-in character with `off` vertices of its first primitive whose weights are halved, so that normalising changes
/// just those.
pub fn model(name: &str, off: usize) -> PathBuf {
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
pub fn is_marked(screen: &Screen) -> bool {
    title(screen).starts_with("• ")
}

fn normalise(screen: &Screen) {
    // A clip that plays never comes to rest.
    screen.key("space");
    screen.press("Button", "Edit");
    screen.press("MenuItem", "Normalise weights");
    wait_until("the dot of unsaved edits", || is_marked(screen));
}

/// Waits until the window has a text that begins so, and returns what follows in it.
pub fn said(screen: &Screen, start: &str) -> String {
    let mut found = None;
    wait_until(&format!("{start:?}"), || {
        found = screen.words().into_iter().find_map(|words| Some(words.strip_prefix(start)?.to_owned()));
        found.is_some()
    });
    found.unwrap()
}

/// Waits until the dialog that saves says of how many vertices of the one mesh the weights change.
pub fn vertices_to_save(screen: &Screen) -> usize {
    number(said(screen, "Weights of ").rsplit_once(": ").unwrap().1)
}

/// The number at the start of a text; thousands are kept apart by thin spaces.
fn number(text: &str) -> usize {
    let digits = text.chars().filter(|c| *c != '\u{2009}').take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap_or(0)
}

/// Weights of every vertex of every primitive: joints and their weights, without those that are 0, by joint.
fn weights(path: &Path) -> Vec<Vec<(u16, f32)>> {
    let document = Source::File(path.to_owned()).load(&Options::default(), &Progress::silent()).unwrap();
    let model = &document.model;
    let mut out = Vec::new();
    for (m, mesh) in model.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let Some(influences) = model.influences(MeshId(m as u32), p) else { continue };
            for vertex in 0..primitive.stored_vertices {
                let (joints, weights) = influences.of(vertex);
                let used = joints.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight > 0.0);
                let mut row: Vec<(u16, f32)> = used.collect();
                row.sort_by_key(|(joint, _)| *joint);
                out.push(row);
            }
        }
    }
    out
}

pub fn edits(state: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(state.join("skinscope/edits"));
    let files = files.into_iter().flatten().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|e| e == "edits")).collect()
}

#[test]
#[ignore = "full: it opens a window and saves twice"]
fn what_was_edited_is_saved_and_nothing_else() {
    let path = model("save", 40);
    let original = fs::read(&path).unwrap();
    let kept = path.with_file_name("original.glb");
    fs::write(&kept, &original).unwrap();
    let Some(screen) = Screen::open("save", &[path.to_str().unwrap()]) else { return };
    assert!(!is_marked(&screen));
    normalise(&screen);
    screen.key("ctrl+s");
    assert_eq!(vertices_to_save(&screen), 40);
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
#[ignore = "full: it opens a window and waits for it to rest"]
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
#[ignore = "full: it opens a window three times"]
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
    // The clip stands still as it did.
    wait_until("the edits", || is_marked(&screen));
    screen.wait_for_rest();
    // They are this program's now, and outlive it too.
    assert_eq!(edits(&state).len(), 1);
    screen.key("ctrl+s");
    assert_eq!(vertices_to_save(&screen), 30);
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

#[test]
#[ignore = "full: it opens a window twice"]
fn marked_vertices_are_smoothed_undone_redone_saved_and_read_again() {
    let path = model("smooth", 0);
    let original = fs::read(&path).unwrap();
    let kept = path.with_file_name("original.glb");
    fs::write(&kept, &original).unwrap();
    let Some(screen) = Screen::open("smooth", &[path.to_str().unwrap()]) else { return };
    screen.key("space");
    let bare = screen.settled("bare");
    // A box over the upper half of the figure marks what is seen there.
    screen.key("k");
    said(&screen, "Marking by box: 0 vertices");
    let [left, top, right, bottom] = FIGURE;
    screen.drag((left + 20, top + 20), (right - 20, (top + bottom) / 2));
    let mut marked = 0;
    wait_until("marks", || {
        marked = number(&said(&screen, "Marking by box: "));
        marked > 100
    });
    screen.key("Escape");
    // Marks are blue dots in white rings.
    let blue = |picture: &image::RgbaImage| {
        inside(picture, FIGURE).filter(|[r, g, b, _]| *r < 140 && (120..210).contains(g) && *b > 215).count()
    };
    let shown = screen.settled("marked");
    assert!(blue(&shown) > blue(&bare) + 200, "marks are not seen: {} and {}", blue(&bare), blue(&shown));

    screen.key("ctrl+5");
    screen.press("Button", "Marked");
    said(&screen, &format!("Works on {} vertices.", grouped(marked)));
    screen.press("Button", "Smooth");
    let mut changed = 0;
    wait_until("what smoothing would do", || {
        changed = number(&said(&screen, "Vertices changed: "));
        changed > 0
    });
    assert!(changed <= marked && !is_marked(&screen), "{changed} of {marked}");
    screen.press("Button", "Apply");
    wait_until("the dot of unsaved edits", || is_marked(&screen));
    screen.key("ctrl+z");
    wait_until("the edit to be taken back", || !is_marked(&screen));
    screen.key("ctrl+shift+z");
    wait_until("the edit to be made again", || is_marked(&screen));
    assert_eq!(fs::read(&path).unwrap(), original, "written before it was asked for");
    screen.key("ctrl+s");
    // Not all of them differ once they are rounded to what the file stores.
    let stored = vertices_to_save(&screen);
    assert!(0 < stored && stored <= changed, "{stored} of {changed}");
    screen.press("Button", "Save");
    wait_until("the file", || fs::read(&path).unwrap() != original);
    wait_until("the dot to go", || !is_marked(&screen));
    drop(screen);

    // One step goes from the weights as they were: marked vertices have what smoothing all of them gives.
    let all = path.with_file_name("all.glb");
    let mut fix = Command::new(env!("CARGO_BIN_EXE_skinscope"));
    assert!(fix.arg("fix").arg(&kept).arg("-o").arg(&all).args(["--smooth", "1"]).status().unwrap().success());
    let [before, after, smooth] = [&kept, &path, &all].map(|path| weights(path));
    let differ: Vec<usize> = (0..before.len()).filter(|v| before[*v] != after[*v]).collect();
    assert_eq!(differ.len(), stored);
    // But for the last bit of 16, since the window holds weights as floats of 32 bits until they are saved.
    let is_near = |v: usize| {
        let of = |list: &[(u16, f32)], joint| list.iter().find(|(j, _)| *j == joint).map_or(0.0, |(_, weight)| *weight);
        let joints = after[v].iter().chain(&smooth[v]).map(|(joint, _)| *joint);
        joints.into_iter().all(|joint| (of(&after[v], joint) - of(&smooth[v], joint)).abs() < 1.5 / 65_535.0)
    };
    assert!(differ.iter().all(|v| is_near(*v)));
    assert!((0..before.len()).any(|v| before[v] == after[v] && before[v] != smooth[v]), "more than the marked ones");

    // Opened again there is nothing to save, and nothing is smoothed that has been.
    let screen = Screen::open("smooth_again", &[path.to_str().unwrap()]).unwrap();
    screen.key("space");
    screen.wait_for_rest();
    assert!(!is_marked(&screen));
    screen.key("ctrl+s");
    screen
        .find("Label", "Nothing differs from what is in the file, and there is no new clip: there is nothing to save.");
}

/// Asserts that the window refuses to save over `theirs`, which another program wrote to `path`, and keeps the edits.
fn refuses_to_write(screen: &mut Screen, path: &Path, theirs: &[u8]) {
    said(screen, &format!("{}: it was changed by another program", path.display()));
    said(screen, "Nothing was written. The edits are still here.");
    screen.key("Escape");
    screen.wait_for_rest();
    assert!(screen.is_running() && is_marked(screen));
    assert_eq!(fs::read(path).unwrap(), theirs);
    assert!(!path.with_file_name("character.glb.bak").exists());
}

#[test]
#[ignore = "full: it opens a window and waits for it to rest"]
fn a_file_that_another_program_has_changed_is_not_written_and_the_edits_stay() {
    let path = model("stale", 20);
    let original = fs::read(&path).unwrap();
    let Some(mut screen) = Screen::open("stale", &[path.to_str().unwrap(), "--watch", "off"]) else { return };
    normalise(&screen);
    // Another program writes it before the panel is opened: with a longer name in it.
    let theirs = [&original[..], b"\0\0\0\0"].concat();
    fs::write(&path, &theirs).unwrap();
    screen.key("ctrl+s");
    refuses_to_write(&mut screen, &path, &theirs);
    // Read again the edits are still there; then it changes while the panel is open.
    fs::write(&path, &original).unwrap();
    screen.key("ctrl+r");
    screen.wait_for_rest();
    assert!(is_marked(&screen), "the edits are lost by reading the file again");
    screen.key("ctrl+s");
    assert_eq!(vertices_to_save(&screen), 20);
    fs::write(&path, &theirs).unwrap();
    screen.press("Button", "Save");
    refuses_to_write(&mut screen, &path, &theirs);
    // Under another name they are saved.
    fs::write(&path, &original).unwrap();
    screen.key("ctrl+r");
    screen.wait_for_rest();
    screen.key("ctrl+s");
    assert_eq!(vertices_to_save(&screen), 20);
    screen.press("Button", "Save");
    wait_until("the file", || fs::read(path.with_file_name("character.glb.bak")).is_ok_and(|kept| kept == original));
    wait_until("the dot to go", || !is_marked(&screen));
}

/// A number as the window writes it.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    if head.is_empty() { tail.to_owned() } else { format!("{head}\u{2009}{tail}") }
}

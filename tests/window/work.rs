//! Work in the background is disturbed in its middle: the file is read again, the work is cancelled or asked for anew, and the
//! window is closed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};
use skinscope::export::write_skinned_glb;
use skinscope::model::test_shapes::{Tube, tube};

use super::{Screen, threads, wait_until};

/// A tube of this many rings, with a clip that turns a joint.
fn model(name: &str, rings: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("work_{name}"));
    let _absent = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let tube = tube(Tube { joints: 12, rings, sides: 200, ..Tube::default() });
    let mut bytes = Vec::new();
    write_skinned_glb(&tube, 0, &tube.skeleton.rest, &mut bytes).unwrap();
    let path = folder.join("tube.glb");
    fs::write(&path, with_clip(&bytes)).unwrap();
    path
}

/// Adds a clip of two seconds that turns the sixth node.
fn with_clip(bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let json = word(12);
    let mut root: Value = serde_json::from_slice(&bytes[20..20 + json]).unwrap();
    let numbers = [0.0f32, 2.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8];
    let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let uri =
        format!("data:application/octet-stream;base64,{}", base64::engine::general_purpose::STANDARD.encode(&data));
    let count = |root: &Value, list: &str| root[list].as_array().map_or(0, Vec::len);
    let (buffer, view, accessor) = (count(&root, "buffers"), count(&root, "bufferViews"), count(&root, "accessors"));
    let add = |root: &mut Value, list: &str, value: Value| root[list].as_array_mut().unwrap().push(value);
    add(&mut root, "buffers", json!({ "byteLength": data.len(), "uri": uri }));
    add(&mut root, "bufferViews", json!({ "buffer": buffer, "byteOffset": 0, "byteLength": 8 }));
    add(&mut root, "bufferViews", json!({ "buffer": buffer, "byteOffset": 8, "byteLength": 32 }));
    let times =
        json!({ "bufferView": view, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [2] });
    add(&mut root, "accessors", times);
    add(&mut root, "accessors", json!({ "bufferView": view + 1, "componentType": 5126, "count": 2, "type": "VEC4" }));
    let channel = json!({ "sampler": 0, "target": { "node": 6, "path": "rotation" } });
    let sampler = json!({ "input": accessor, "output": accessor + 1 });
    root["animations"] = json!([{ "name": "bend", "channels": [channel], "samplers": [sampler] }]);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + json..];
    let length = (20 + text.len() + rest.len()) as u32;
    [&bytes[..8], &length.to_le_bytes(), &(text.len() as u32).to_le_bytes(), b"JSON", &text, rest].concat()
}

/// Takes what the finder finds first for this name, without waiting for what that begins.
fn take(screen: &Screen, name: &str) {
    const FIELD: (&str, &str) = ("TextInput", "Find a command, node or clip");
    screen.key("ctrl+p");
    screen.find(FIELD.0, FIELD.1);
    screen.tool(&["type", name]);
    screen.key("Return");
    wait_until(name, || screen.try_find(FIELD.0, FIELD.1).is_none());
}

/// Waits until the program has nothing more to do. A file that is read again plays its clip, which is paused each time.
fn rest(screen: &Screen) {
    wait_until("the program to rest", || {
        let plays = screen.try_find("Button", "Pause").is_some();
        if plays {
            screen.key("space");
        }
        let (asleep, before) = threads(&screen.program.0);
        std::thread::sleep(Duration::from_millis(700));
        let (still_asleep, after) = threads(&screen.program.0);
        !plays && asleep && still_asleep && after.saturating_sub(before) <= 5
    });
}

#[test]
#[ignore = "full: it opens a window with a large model and waits for it to rest eight times"]
fn work_that_is_disturbed_in_its_middle_ends_as_if_it_had_not_been() {
    let path = model("disturbed", 400);
    let arguments = ["view", path.to_str().unwrap(), "--method", "polar", "--deformation", "--overlay", "stretch"];
    let Some(mut screen) = Screen::open("work_disturbed", &arguments) else { return };
    // The method is prepared, the clip and the pose are measured, weights are counted, the model is inspected: all of that is
    // begun anew with the file.
    for _ in 0..3 {
        screen.key("ctrl+r");
    }
    rest(&screen);
    assert!(screen.is_running());
    assert!(screen.words().iter().any(|words| words == "Curve: Volume"), "{:?}", screen.words());
    for tool in ["Smooth", "Prune", "Smooth"] {
        // Each gives up what the one before was tried for.
        take(&screen, tool);
    }
    screen.key("ctrl+r");
    rest(&screen);
    take(&screen, "Smooth");
    rest(&screen);
    let tried = || screen.words().iter().any(|words| words.starts_with("Apply"));
    assert!(tried(), "{:?}", screen.words());
    take(&screen, "Smooth");
    take(&screen, "Preview as a runtime");
    screen.key("ctrl+r");
    screen.key("Escape");
    rest(&screen);
    let wrong: Vec<String> = screen.words().into_iter().filter(|words| words.contains("Could not")).collect();
    assert!(wrong.is_empty() && screen.is_running(), "{wrong:?}");
    // It is closed in the middle of all of it.
    screen.key("ctrl+r");
    take(&screen, "Smooth");
    screen.key("ctrl+q");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    assert!(screen.program.0.try_wait().unwrap().unwrap().success());
}

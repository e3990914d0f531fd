//! Devices and surfaces are lost while the program runs. A Vulkan layer (`vulkan_faults.c`, compiled here) makes the
//! driver's calls fail on demand, so the program needs no switch of its own for this.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{FIGURE, INSPECTOR, Screen, TRANSPORT, changed, have, inside, start_server, turn, wait_until};
use crate::common;

/// The outliner, below its search box.
const OUTLINER: [u32; 4] = [0, 84, 250, 600];

/// What turns the layer on, and the file that tells it what fails.
struct Faults {
    variables: Vec<(&'static str, PathBuf)>,
    file: PathBuf,
}

impl Faults {
    /// `None` (and said so) where there is no C compiler.
    fn build(name: &str) -> Option<Self> {
        if !have("cc") {
            common::skipped("no C compiler for the layer of faults");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("faults_{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/window/vulkan_faults.c");
        let library = folder.join("libfaults.so");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).status();
        assert!(built.unwrap().success());
        let manifest = serde_json::json!({
            "file_format_version": "1.2.0",
            "layer": {
                "name": "VK_LAYER_faults", "type": "GLOBAL", "description": "calls fail on demand",
                "library_path": library, "api_version": "1.3.0", "implementation_version": "1",
            }
        });
        std::fs::write(folder.join("faults.json"), manifest.to_string()).unwrap();
        let file = folder.join("what_fails.txt");
        let faults = Self {
            variables: vec![
                // The graphics libraries complain on standard error where there is none.
                ("XDG_RUNTIME_DIR", folder.clone()),
                ("VK_LAYER_PATH", folder),
                ("VK_INSTANCE_LAYERS", "VK_LAYER_faults".into()),
                ("VULKAN_FAULTS", file.clone()),
            ],
            file,
        };
        faults.set("");
        Some(faults)
    }

    /// Lines of FUNCTION RESULT COUNT. Replaces the file whole: the layer may be reading it.
    fn set(&self, lines: &str) {
        let new = self.file.with_extension("new");
        std::fs::write(&new, lines).unwrap();
        std::fs::rename(&new, &self.file).unwrap();
    }

    fn are_used_up(&self) -> bool {
        std::fs::read_to_string(&self.file).unwrap().is_empty()
    }

    fn skinscope(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skinscope"));
        command.args(arguments).envs(self.variables.iter().cloned()).env_remove("WAYLAND_DISPLAY");
        command
    }
}

const DEVICE_LOST: i32 = -4;
const OUT_OF_DEVICE_MEMORY: i32 = -2;
const INITIALIZATION_FAILED: i32 = -3;
const TIMEOUT: i32 = 2;
const SURFACE_LOST: i32 = -1_000_000_000;
const OUT_OF_DATE: i32 = -1_000_001_004;

/// A message with a button that closes it is there, within a red frame.
fn has_message(screen: &Screen) -> bool {
    let Some(close) = screen.try_find("Button", "Close the message") else { return false };
    let [left, top, right, bottom] = close.area;
    let red = |p: &[u8; 4]| p[0] > 150 && p[1] < 130 && p[2] < 140;
    let frame = [left.saturating_sub(240), top.saturating_sub(30), right + 30, bottom + 60];
    inside(&screen.shot("message"), frame).filter(red).count() > 100
}

/// Moves the pointer between two places where nothing lies, so that a frame is drawn.
fn draw_again(screen: &Screen) {
    for x in ["330", "335"] {
        screen.tool(&["mousemove", x, "470"]);
    }
}

/// Selects a joint and turns it; the pictures before and after.
fn pose(screen: &Screen) -> [image::RgbaImage; 2] {
    screen.key("space");
    screen.settled("paused");
    screen.press("TextInput", "Search nodes");
    screen.settled("searching");
    screen.tool(&["type", "UpperArm.L"]);
    let searched = screen.settled("searched");
    screen.press("TreeItem", "UpperArm.L");
    draw_again(screen);
    let before = screen.settled("selected");
    assert!(changed(&searched, &before, INSPECTOR) > 0.02, "nothing is selected");
    let (x, y) = screen.find("Slider", "Rotation Z").at;
    screen.drag((x, y), (x + 45, y));
    draw_again(screen);
    let posed = screen.settled("posed");
    assert!(changed(&before, &posed, FIGURE) > 0.005, "nothing is posed");
    [before, posed]
}

#[test]
#[ignore = "full: it opens a window and loses its device four times, with seconds between"]
fn a_lost_device_is_replaced_and_pose_and_edits_go_on() {
    let Some(faults) = Faults::build("lost") else { return };
    let Some(mut screen) = Screen::open_with("lost", &[], &faults.variables) else { return };
    let [before, posed] = pose(&screen);
    // Found out as the picture is handed in; as the next one is asked for; as one is shown. Then no Vulkan device can be
    // had, and OpenGL takes its place.
    for (n, calls) in
        ["vkQueueSubmit", "vkAcquireNextImageKHR", "vkQueuePresentKHR", "vkCreateDevice"].iter().enumerate()
    {
        if n > 0 {
            // The program gives up where three come within ten seconds by its own clock: this is no wait for it.
            std::thread::sleep(Duration::from_secs(6));
        }
        faults.set(&if *calls == "vkCreateDevice" {
            format!("vkQueueSubmit {DEVICE_LOST} 1\nvkCreateDevice {INITIALIZATION_FAILED} 1")
        } else {
            format!("{calls} {DEVICE_LOST} 1")
        });
        wait_until("the message", || {
            draw_again(&screen);
            screen.is_running() && has_message(&screen)
        });
        assert!(faults.are_used_up(), "{calls}");
        let name = format!("recovered_{calls}");
        let recovered = screen.settled(&name);
        for (area, part) in [(FIGURE, "picture"), (INSPECTOR, "inspector"), (TRANSPORT, "time"), (OUTLINER, "outliner")]
        {
            let share = changed(&posed, &recovered, area);
            assert!(share < 0.002, "after {calls} the {part} is another: {share}");
        }
        screen.press("Button", "Close the message");
        draw_again(&screen);
        screen.wait_for_rest();
        assert!(!has_message(&screen), "after {calls} the message does not close");
    }
    screen.key("ctrl+z");
    draw_again(&screen);
    let undone = screen.settled("undone");
    assert!(changed(&before, &undone, FIGURE) < 0.002, "the edit cannot be undone any more");
}

#[test]
#[ignore = "full: it opens a window and loses its surface five times"]
fn a_lost_surface_is_made_anew_without_a_word() {
    let Some(faults) = Faults::build("surface") else { return };
    let Some(mut screen) = Screen::open_with("surface", &[], &faults.variables) else { return };
    let [_, posed] = pose(&screen);
    let (acquire, present) = ("vkAcquireNextImageKHR", "vkQueuePresentKHR");
    let failures = [
        (acquire, OUT_OF_DATE),
        (acquire, SURFACE_LOST),
        (acquire, TIMEOUT),
        (present, OUT_OF_DATE),
        (present, SURFACE_LOST),
    ];
    for (call, result) in failures {
        faults.set(&format!("{call} {result} 2"));
        wait_until("the failure", || {
            draw_again(&screen);
            screen.is_running() && faults.are_used_up()
        });
        draw_again(&screen);
        let after = screen.settled("after");
        for area in [FIGURE, INSPECTOR, TRANSPORT, OUTLINER] {
            assert!(changed(&posed, &after, area) < 0.002, "{call} {result}: another picture");
        }
        assert!(!has_message(&screen), "{call} {result}: a message");
    }
}

/// 17 000 pixels are more than a software device's textures have, and a picture of 16 000 × 9000 more than its memory holds:
/// it says so and goes on.
#[test]
#[ignore = "full: it opens a window and makes it very large"]
fn a_window_of_any_size_goes_on() {
    let Some(faults) = Faults::build("size") else { return };
    let Some(mut screen) = Screen::open_with("size", &[], &faults.variables) else { return };
    screen.key("space");
    draw_again(&screen);
    let before = screen.settled("before");
    let window = ["search", "--onlyvisible", "--name", "Skinscope"];
    for size in [["1", "1"], ["2", "700"], ["17000", "200"], ["17000", "9000"], ["1280", "800"]] {
        screen.tool(&[&window[..], &["windowsize"], &size].concat());
        screen.wait_for_rest();
        assert!(screen.is_running());
    }
    screen.tool(&[&window[..], &["windowunmap", "--sync", "windowmap", "--sync", "windowmove", "0", "0"]].concat());
    draw_again(&screen);
    let mut after = before.clone();
    wait_until("the picture as it was", || {
        after = screen.shot("after");
        screen.is_running() && changed(&before, &after, FIGURE) < 0.002
    });
}

#[test]
#[ignore = "full: it opens a window and loses its device again and again"]
fn a_device_that_keeps_being_lost_ends_in_an_error() {
    let Some(faults) = Faults::build("again") else { return };
    if !have("Xvfb") {
        return common::skipped("no Xvfb for the window test");
    }
    let _turn = turn();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_again");
    std::fs::create_dir_all(&folder).unwrap();
    let (display, _server) = start_server(&folder);
    faults.set(&format!("vkQueueSubmit {DEVICE_LOST} -1"));
    let out = faults
        .skinscope(&["view", "--benchmark", "5", "--backend", "vulkan"])
        .env("DISPLAY", &display)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.lines().count() == 1 && said.contains("lost three times within ten seconds"), "{said}");
    assert!(said.contains("Update the graphics driver"), "{said}");
}

#[test]
#[ignore = "full: it launches the program twelve times with a device that fails"]
fn without_a_window_a_lost_device_is_tried_once_more_and_then_an_error() {
    let Some(faults) = Faults::build("headless") else { return };
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults_headless.png");
    let baked = picture.with_extension("ply");
    let draw = ["render", "--backend", "vulkan", "--size", "320x200", "-o", picture.to_str().unwrap()];
    let bake = ["bake", "--backend", "gpu", "-o", baked.to_str().unwrap()];
    for (arguments, output) in [(&draw[..], &picture), (&bake[..], &baked)] {
        let run = |lines: &str| {
            let _absent = std::fs::remove_file(output);
            faults.set(lines);
            let out = faults.skinscope(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(said.lines().count() <= 1, "{said}");
            (out.status.code(), said, std::fs::read(output).ok())
        };
        let (code, said, good) = run("");
        assert_eq!(code, Some(0), "{said}");
        for call in ["vkQueueSubmit", "vkWaitSemaphores"] {
            let (code, said, once_more) = run(&format!("{call} {DEVICE_LOST} 1"));
            assert!(faults.are_used_up(), "{call} is not called");
            assert!(code == Some(0) && once_more == good, "{call}: {said}");
            let (code, said, nothing) = run(&format!("{call} {DEVICE_LOST} -1"));
            assert!(code == Some(2) && nothing.is_none(), "{call}: {said}");
            assert!(said.contains("device was lost") && said.contains("is lost"), "{call}: {said}");
        }
        let (code, said, output) = run(&format!("vkAllocateMemory {OUT_OF_DEVICE_MEMORY} -1"));
        if arguments[0] == "render" {
            assert!(code == Some(2) && output.is_none(), "{said}");
            assert!(said.contains("memory"), "{said}");
        } else {
            // OpenGL takes its place.
            assert_eq!((code, output.is_some()), (Some(0), true), "{said}");
        }
    }
}

/// Two images of 2048², 16 MiB each and a third more for their levels.
fn textured(folder: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    for (name, value) in [("a.png", 200), ("b.png", 90)] {
        image::RgbaImage::from_pixel(2048, 2048, image::Rgba([value, 60, 60, 255])).save(folder.join(name)).unwrap();
    }
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    json["images"] = serde_json::json!([{ "uri": "a.png" }, { "uri": "b.png" }]);
    json["textures"] = serde_json::json!([{ "source": 0 }, { "source": 1 }]);
    for (i, material) in json["materials"].as_array_mut().unwrap().iter_mut().enumerate() {
        material["pbrMetallicRoughness"]["baseColorTexture"] = serde_json::json!({ "index": i % 2 });
    }
    std::fs::write(folder.join("model.bin"), &bytes[20 + length + 8..]).unwrap();
    json["buffers"][0]["uri"] = "model.bin".into();
    let path = folder.join("model.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
#[ignore = "full: it draws textures of 2048² by processes of their own"]
fn textures_that_memory_does_not_hold_are_shown_smaller_or_left_out_and_the_picture_is_drawn() {
    let Some(faults) = Faults::build("memory") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults_memory_model");
    let (model, picture) = (textured(&folder), folder.join("picture.png"));
    let mut arguments = vec!["render", "--backend", "vulkan", "--size", "320x200"];
    arguments.extend([model.to_str().unwrap(), "-o", picture.to_str().unwrap()]);
    let run = |lines: &str, more: &[&str]| {
        faults.set(lines);
        let out = faults.skinscope(&arguments).args(more).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(0), "{said}");
        (image::open(&picture).unwrap().into_rgba8(), said)
    };
    let (whole, said) = run("", &[]);
    // What import says of coordinates that are missing is not the matter here.
    assert!(!said.contains("size") && !said.contains("memory"), "{said}");
    let (smaller, said) = run("", &["--texture-memory", "12"]);
    assert!(said.contains("of 2 textures (42.7 MiB) are shown 2 at half size, to fit the 12.0 MiB"), "{said}");
    // One colour is itself at any size.
    assert!(whole == smaller);
    // Textures alone ask for so much at once: the first such call fails, then all.
    for (count, words) in [(1, "1 at half size, because this graphics adapter has no memory left"), (-1, "no memory")] {
        let (again, said) = run(&format!("vkAllocateMemory {OUT_OF_DEVICE_MEMORY} {count} 16777217"), &[]);
        assert!(said.contains(words), "{said}");
        // What is left out has no colour of its own, and blocks of memory that shadows share with textures may be larger than either.
        assert!(count < 0 || whole == again, "{said}");
        assert!(count < 0 || !said.contains("shadows"), "{said}");
    }
}

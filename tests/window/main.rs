//! The real program in a real window under Xvfb, driven with real mouse and key events; pictures of the screen tell
//! whether it did what it should. The daily run is one walk through it.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test's helpers may stop the test")]

mod card;
mod clips;
#[path = "../common/mod.rs"]
mod common;
mod examples;
mod exports;
mod faults;
mod follow;
mod growing;
mod keyboard;
mod names;
mod order;
mod posing;
mod rest;
mod saving;
mod second_model;
mod sessions;
mod settings;
mod soak;
mod work;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use image::RgbaImage;

const WIDTH: u32 = 1280;
const HEIGHT: u32 = 800;

/// Left, top, right, bottom in pixels.
type Area = [u32; 4];
/// Inside the viewport, clear of the overlays in its corners.
const FIGURE: Area = [420, 130, 860, 560];
/// The selected node's name and sliders.
const INSPECTOR: Area = [970, 40, 1280, 640];
/// Buttons, time and frame.
const TRANSPORT: Area = [0, 670, 1280, 708];

/// What the program tells of a control.
struct Control {
    /// Its middle, pixels.
    at: (u32, u32),
    area: Area,
}

/// Ends its process when the test ends, however it ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Displays at a time: most of the time a test waits, but software rendering needs a processor.
const AT_ONCE: u32 = 2;

static OPEN: Mutex<u32> = Mutex::new(0);
static CLOSED: Condvar = Condvar::new();

/// One of those that may be open.
struct Turn;

fn turn() -> Turn {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut open = CLOSED.wait_while(open, |open| *open >= AT_ONCE).unwrap_or_else(PoisonError::into_inner);
    *open += 1;
    Turn
}

impl Drop for Turn {
    fn drop(&mut self) {
        *OPEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        CLOSED.notify_one();
    }
}

struct Screen {
    display: String,
    folder: PathBuf,
    // In this order they end.
    program: Running,
    _server: Running,
    _turn: Turn,
}

fn have(tool: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().is_ok_and(|o| o.status.success())
}

/// Asks again and again. The limit only catches what never comes.
fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(180), "waited three minutes for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether all threads of a program sleep, and how often they were given a processor so far.
fn threads(program: &Child) -> (bool, u64) {
    let (mut asleep, mut runs) = (true, 0);
    for task in std::fs::read_dir(format!("/proc/{}/task", program.id())).unwrap() {
        // A thread may end while it is asked.
        let Ok(status) = std::fs::read_to_string(task.unwrap().path().join("status")) else { continue };
        let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim();
        asleep &= field("State:").starts_with('S');
        for switches in ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"] {
            runs += field(switches).parse::<u64>().unwrap_or(0);
        }
    }
    (asleep, runs)
}

impl Screen {
    /// Starts a display of its own and the program on it; `None` (and said so) where a tool is missing.
    fn open(name: &str, arguments: &[&str]) -> Option<Self> {
        Self::open_with(name, arguments, &[])
    }

    fn open_with(name: &str, arguments: &[&str], variables: &[(&str, PathBuf)]) -> Option<Self> {
        let missing: Vec<&str> = ["Xvfb", "xdotool", "import"].into_iter().filter(|t| !have(t)).collect();
        if !missing.is_empty() {
            common::skipped(&format!("no {} for the window test", missing.join(", ")));
            return None;
        }
        let turn = turn();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window_{name}"));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let (display, server) = start_server(&folder);
        let program = Command::new(env!("CARGO_BIN_EXE_skinscope"))
            .args(arguments)
            .arg("--controls")
            .arg(folder.join("controls.json"))
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_CONFIG_HOME", &folder)
            .env("HOME", &folder)
            .envs(variables.iter().cloned())
            .stderr(std::fs::File::create(folder.join("stderr.txt")).unwrap())
            .spawn()
            .unwrap();
        let mut screen = Self { display, folder, program: Running(program), _server: server, _turn: turn };
        wait_until("the window", || {
            screen.is_running() && screen.try_tool(&["search", "--onlyvisible", "--name", "Skinscope"])
        });
        screen.tool(&[
            "search",
            "--onlyvisible",
            "--name",
            "Skinscope",
            "windowfocus",
            "windowsize",
            "1280",
            "800",
            "windowmove",
            "0",
            "0",
        ]);
        wait_until("a figure", || screen.is_running() && colours(&screen.shot("start"), FIGURE) > 200);
        Some(screen)
    }

    fn is_running(&mut self) -> bool {
        let ended = self.program.0.try_wait().unwrap();
        let said = std::fs::read_to_string(self.folder.join("stderr.txt")).unwrap();
        assert!(ended.is_none(), "the program ended: {said}");
        true
    }

    fn try_tool(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("xdotool");
        command.args(arguments).env("DISPLAY", &self.display).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().success()
    }

    fn tool(&self, arguments: &[&str]) {
        assert!(self.try_tool(arguments), "xdotool {arguments:?}");
    }

    fn key(&self, key: &str) {
        self.tool(&["key", key]);
    }

    /// The rectangle of a control, once the window has one of this role and words (what it is called, or the text it is), as
    /// the program tells it.
    fn find(&self, role: &str, words: &str) -> Control {
        let mut found = None;
        wait_until(&format!("the {role} {words:?}"), || {
            found = self.try_find(role, words);
            found.is_some()
        });
        found.unwrap()
    }

    fn try_find(&self, role: &str, words: &str) -> Option<Control> {
        let text = std::fs::read(self.folder.join("controls.json")).ok()?;
        let listing: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let is_it = |c: &&serde_json::Value| c["role"] == role && (c["label"] == words || c["value"] == words);
        let control = listing["controls"].as_array().unwrap().iter().find(is_it)?;
        let [x, y, width, height] = [0, 1, 2, 3].map(|i| control["rect"][i].as_f64().unwrap());
        Some(Control {
            at: ((x + width / 2.0) as u32, (y + height / 2.0) as u32),
            area: [x as u32, y as u32, (x + width) as u32, (y + height) as u32],
        })
    }

    /// All words in the window: what controls are called, and the texts.
    fn words(&self) -> Vec<String> {
        let text = std::fs::read(self.folder.join("controls.json")).unwrap_or_default();
        let listing: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let controls = listing["controls"].as_array().into_iter().flatten();
        let words = controls.flat_map(|control| ["label", "value"].map(|what| control[what].as_str()));
        words.flatten().map(str::to_owned).collect()
    }

    /// Whether any text in the window contains these words.
    fn says(&self, what: &str) -> bool {
        self.words().iter().any(|words| words.contains(what))
    }

    /// Clicks in the middle of a control.
    fn press(&self, role: &str, words: &str) {
        let (x, y) = self.find(role, words).at;
        self.click(x, y);
    }

    fn click(&self, x: u32, y: u32) {
        self.tool(&["mousemove", &x.to_string(), &y.to_string()]);
        self.tool(&["click", "1"]);
    }

    fn drag(&self, from: (u32, u32), to: (u32, u32)) {
        self.tool(&["mousemove", &from.0.to_string(), &from.1.to_string()]);
        self.tool(&["mousedown", "1"]);
        for step in 1..=8 {
            let at = |a: u32, b: u32| (a as i64 + (b as i64 - a as i64) * step / 8).to_string();
            self.tool(&["mousemove", &at(from.0, to.0), &at(from.1, to.1)]);
        }
        self.tool(&["mouseup", "1"]);
    }

    /// The whole screen, as it is now.
    fn shot(&self, name: &str) -> RgbaImage {
        let path = self.folder.join(format!("{name}.png"));
        let mut command = Command::new("import");
        let fast = ["-define", "png:compression-level=1", "-window", "root"];
        command.args(fast).arg(&path).env("DISPLAY", &self.display);
        assert!(command.status().unwrap().success());
        image::open(&path).unwrap().into_rgba8()
    }

    /// Waits until the program has nothing more to do: until its threads have slept for longer than any of its timers
    /// runs (tooltips, edges that become smooth), but for the stray wake-ups of the system's libraries. A thread that waits
    /// for a processor, because the machine has much to do, does not sleep.
    fn wait_for_rest(&self) {
        const LONGER_THAN_TIMERS: Duration = Duration::from_millis(700);
        const STRAY: u64 = 5;
        wait_until("the program to rest", || {
            let (asleep, before) = threads(&self.program.0);
            std::thread::sleep(LONGER_THAN_TIMERS);
            let (still_asleep, after) = threads(&self.program.0);
            asleep && still_asleep && after.saturating_sub(before) <= STRAY
        });
    }

    /// The screen once the program has done all that it was asked for.
    fn settled(&self, name: &str) -> RgbaImage {
        self.wait_for_rest();
        self.shot(name)
    }

    /// The screen once it shows what is expected of it.
    fn until(&self, name: &str, expected: impl Fn(&RgbaImage) -> bool) -> RgbaImage {
        let mut shown = self.shot(name);
        wait_until(name, || {
            let done = expected(&shown);
            if !done {
                shown = self.shot(name);
            }
            done
        });
        shown
    }

    /// Does something while the program stands still, as if it were busy: all of it arrives at once.
    fn while_busy(&self, todo: impl FnOnce()) {
        let signal = |name: &str| {
            let sent = Command::new("kill").args([name, &self.program.0.id().to_string()]).status();
            assert!(sent.unwrap().success());
        };
        signal("-STOP");
        todo();
        signal("-CONT");
    }
}

/// A server on a display number that it chose itself.
fn start_server(folder: &Path) -> (String, Running) {
    let number = folder.join("display.txt");
    let size = format!("{WIDTH}x{HEIGHT}x24");
    // Standard output is the descriptor that the server writes its number to.
    let server = Command::new("Xvfb")
        // Without -noreset the server starts over when a client leaves and none is left, and refuses whoever comes meanwhile.
        .args(["-displayfd", "1", "-screen", "0", &size, "-nolisten", "tcp", "-noreset"])
        .stdout(std::fs::File::create(&number).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Running(server);
    let mut display = String::new();
    wait_until("Xvfb", || {
        display = std::fs::read_to_string(&number).unwrap();
        display.ends_with('\n')
    });
    let display = display.trim();
    (format!(":{display}"), server)
}

fn inside(picture: &RgbaImage, area: Area) -> impl Iterator<Item = [u8; 4]> + '_ {
    let [left, top, right, bottom] = area;
    (top..bottom).flat_map(move |y| (left..right).map(move |x| picture.get_pixel(x, y).0))
}

/// Different colours in an area: a figure has many, a background few.
fn colours(picture: &RgbaImage, area: Area) -> usize {
    inside(picture, area).collect::<std::collections::HashSet<_>>().len()
}

/// Share of an area's pixels that differ clearly.
fn changed(a: &RgbaImage, b: &RgbaImage, area: Area) -> f64 {
    let pairs = inside(a, area).zip(inside(b, area));
    let differs = |(a, b): ([u8; 4], [u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 12);
    let all = f64::from((area[2] - area[0]) * (area[3] - area[1]));
    pairs.filter(|p| differs(*p)).count() as f64 / all
}

/// Pixels that the heat map paints and hardly anything else: the grey of a weight of zero, in some light.
fn neutral(picture: &RgbaImage, area: Area) -> usize {
    let is_neutral = |[r, g, b, _]: &[u8; 4]| {
        let (low, high) = (*r.min(g).min(b), *r.max(g).max(b));
        (40..=132).contains(&high) && high - low <= 10
    };
    inside(picture, area).filter(is_neutral).count()
}

#[test]
fn a_walk_scrubs_selects_shows_weights_poses_undoes_saves_and_closes() {
    let path = saving::model("walk", 40);
    let original = std::fs::read(&path).unwrap();
    let Some(mut screen) = Screen::open("walk", &[path.to_str().unwrap()]) else { return };
    // It plays by itself; Space stops it.
    let first = screen.shot("playing_a");
    screen.until("playing_b", |now| changed(&first, now, FIGURE) > 0.001);
    screen.key("space");
    let paused = screen.settled("paused");

    // Scrub: drag along the ruler.
    let [left, top, right, _] = screen.find("Slider", "Time").area;
    let at = |share: u32| (left + (right - left) * share / 100, top + 22);
    screen.drag(at(20), at(45));
    let scrubbed = screen.settled("scrubbed");
    assert!(changed(&paused, &scrubbed, TRANSPORT) > 0.001, "time is not shown");
    assert!(changed(&paused, &scrubbed, FIGURE) > 0.001, "scrubbing does not move the character");

    // Select a joint: search for it and click its row.
    screen.press("TextInput", "Search nodes");
    screen.tool(&["type", "UpperArm.L"]);
    screen.settled("searched");
    screen.press("TreeItem", "UpperArm.L");
    let selected = screen.settled("selected");
    assert!(changed(&scrubbed, &selected, INSPECTOR) > 0.02, "the inspector does not follow the selection");

    // Weights: key W, away from the search box.
    screen.key("w");
    let weights = screen.settled("weights");
    assert!(neutral(&weights, FIGURE) > neutral(&selected, FIGURE) + 3000, "no heat map");
    screen.key("w");
    let shaded = screen.settled("shaded");
    assert!(changed(&selected, &shaded, FIGURE) < 0.001, "the heat map does not go away");

    // Pose: drag the slider of rotation Z.
    let (x, y) = screen.find("Slider", "Rotation Z").at;
    screen.drag((x, y), (x + 45, y));
    let posed = screen.settled("posed");
    assert!(changed(&shaded, &posed, FIGURE) > 0.005, "the slider does not pose the joint");
    screen.key("ctrl+z");
    let undone = screen.settled("undone");
    assert!(changed(&shaded, &undone, FIGURE) < 0.001, "one drag is not one step back");

    // Turn the camera, away from the handles of the joint.
    screen.drag((330, 480), (490, 510));
    let turned = screen.settled("turned");
    assert!(changed(&undone, &turned, FIGURE) > 0.02, "dragging does not turn the camera");

    // Edit the weights and save them.
    screen.press("Button", "Edit");
    screen.press("MenuItem", "Normalise weights");
    wait_until("the dot of unsaved edits", || saving::is_marked(&screen));
    screen.key("ctrl+s");
    assert_eq!(saving::vertices_to_save(&screen), 40);
    assert_eq!(std::fs::read(&path).unwrap(), original, "written before it was asked for");
    screen.press("Button", "Save");
    wait_until("the file", || std::fs::read(&path).unwrap() != original);
    wait_until("the dot to go", || !saving::is_marked(&screen));

    // Nothing is left to ask for.
    screen.key("ctrl+q");
    wait_until("the end", || screen.program.0.try_wait().unwrap().is_some());
    assert!(screen.program.0.wait().unwrap().success());
}

#[test]
#[ignore = "full: it opens a window"]
fn a_bad_file_is_reported_and_the_program_goes_on() {
    let bad = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not_really.glb");
    std::fs::write(&bad, b"glTF, but not really").unwrap();
    let Some(mut screen) = Screen::open("bad", &[bad.to_str().unwrap()]) else { return };
    let reported = screen.settled("reported");
    assert!(red(&reported) > 300, "no error is shown");
    // Ctrl+R tries again: the file is a model now.
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), &bad).unwrap();
    screen.key("ctrl+r");
    wait_until("the model", || {
        screen.is_running() && colours(&screen.shot("mended"), FIGURE) > colours(&reported, FIGURE) + 500
    });
}

/// Pixels of the frame around an error: nothing else is red in an empty window.
fn red(picture: &RgbaImage) -> usize {
    inside(picture, [0, 40, WIDTH, HEIGHT]).filter(|p| p[0] > 150 && p[1] < 130 && p[2] < 140).count()
}

#[test]
#[ignore = "full: it opens a window"]
fn a_missing_file_opens_the_window_with_the_message() {
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not_there.glb");
    let _absent = std::fs::remove_file(&missing);
    let Some(mut screen) = Screen::open("missing", &[missing.to_str().unwrap()]) else { return };
    let reported = screen.settled("reported");
    assert!(red(&reported) > 300, "no error is shown");
    // It comes to be, and Ctrl+R opens it.
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/character.glb"), &missing).unwrap();
    screen.key("ctrl+r");
    wait_until("the model", || {
        screen.is_running() && colours(&screen.shot("there"), FIGURE) > colours(&reported, FIGURE) + 500
    });
}

#[test]
#[ignore = "full: it opens a window four times"]
fn the_benchmark_presents_as_many_frames_as_asked_and_ends() {
    if !have("Xvfb") {
        return common::skipped("no Xvfb for the window benchmark");
    }
    let _turn = turn();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("window_benchmark");
    std::fs::create_dir_all(&folder).unwrap();
    let (display, _server) = start_server(&folder);
    for backend in ["vulkan", "gl"] {
        let out = Command::new(env!("CARGO_BIN_EXE_skinscope"))
            .args(["view", "--benchmark", "5", "--size", "640x480", "--json", "--backend", backend])
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        if said.contains("no graphics adapter") || said.contains("cannot be drawn on") {
            common::skipped(&format!("no {backend} window here"));
            continue;
        }
        assert!(out.status.success(), "{backend}: {said}");
        let text = String::from_utf8(out.stdout).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["schema"], &line["frames"]), (&1.into(), &5.into()));
        assert!(line["first_frame_ms"].as_f64() > Some(0.0) && line["frame_ms_median"].as_f64() > Some(0.0));
        assert_eq!(line["measured_per_s"], 0.0, "nobody asked for measures");
        let measured = Command::new(env!("CARGO_BIN_EXE_skinscope"))
            .args(["view", "--benchmark", "150", "--size", "320x240", "--json", "--backend", backend])
            .args(["--overlay", "stretch", "--deformation"])
            .env("DISPLAY", &display)
            .env_remove("WAYLAND_DISPLAY")
            .output()
            .unwrap();
        let line: serde_json::Value = serde_json::from_slice(&measured.stdout).unwrap();
        assert!(line["measured_per_s"].as_f64() > Some(0.0), "{line}");
    }
}

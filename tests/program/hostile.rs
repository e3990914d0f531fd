//! Runs bad inputs through the real program: `info`, `bake`, `render` and the code that a window opens files with
//! report the same for each, within the memory and the time that the corpus allows.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may stop the test")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use skinscope::frame::{Frame, SceneColors};
use skinscope::import::{Options, Progress};
use skinscope::session::{Session, Source};

use crate::common;

/// The most that any row of the corpus allows; a guard, not a measurement.
const LONGEST: Duration = Duration::from_secs(10);
const MOST_MIB: u64 = 1000;

struct Ended {
    status: ExitStatus,
    out: String,
    /// What the program itself said; the system's graphics libraries may have said more.
    said: Vec<String>,
    peak_mib: u64,
}

/// Runs the program without a display and looks at its memory while it runs.
fn run(arguments: &[&str]) -> Ended {
    // Where nothing is drawn, more than a gibibyte of address space is not to be had. A GPU driver reserves more than it uses.
    let most = if arguments[0] == "render" { "unlimited" } else { "1048576" };
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v \"$0\"; exec \"$@\"", most, env!("CARGO_BIN_EXE_skinscope")])
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Read beside, so that no full pipe holds the child up.
    let read = |mut pipe: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            pipe.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let (out, said) = (read(Box::new(child.stdout.take().unwrap())), read(Box::new(child.stderr.take().unwrap())));
    let (start, mut peak_mib) = (Instant::now(), 0);
    let status = loop {
        peak_mib = peak_mib.max(peak_of(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{arguments:?} takes longer than {LONGEST:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let said =
        said.join().unwrap().lines().filter(|l| !l.starts_with("error: XDG_RUNTIME_DIR")).map(str::to_owned).collect();
    Ended { status, out: out.join().unwrap(), said, peak_mib }
}

/// The most memory that a process had so far, MiB.
fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let _absent = std::fs::remove_file(&path).is_err();
    path
}

/// What the window makes of a file: the warnings it lists, or the line it shows.
fn in_the_window(path: &Path) -> Result<Vec<String>, String> {
    let mut session = Session::default();
    let mut opened = Vec::new();
    let load = |shown: &mut dyn FnMut(skinscope::session::Document)| {
        Source::File(path.to_owned()).load_showing(&Options::default(), &Progress::silent(), shown)
    };
    let warnings = load(&mut |document| opened.push(document)).map_err(|e| e.to_string())?;
    session.open(opened.pop().unwrap());
    session.update_pose();
    let mut frame = Frame::default();
    session.build_frame(&mut frame, &SceneColors::DARK);
    assert!(frame.camera.world_from_view.is_finite(), "{}", path.display());
    assert!(frame.model.is_some_and(|m| Arc::ptr_eq(&m, session.model().unwrap())));
    Ok(warnings)
}

/// The commands that open files.
const COMMANDS: [&str; 3] = ["info", "bake", "render"];

/// Compares the window and some commands, which open `path`; what differs is the answer. What they write has `place` in its name.
fn differences(path: &Path, place: &str, commands: &[&str], has_gpu: bool) -> Vec<String> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let file = path.to_str().unwrap();
    let window = in_the_window(path);
    let mut wrong = Vec::new();
    let mut expect = |holds: bool, what: String| {
        if !holds {
            wrong.push(format!("{name}: {what}"));
        }
    };
    let [ply, png] = ["ply", "png"].map(|ending| scratch(&format!("{place} {name}.{ending}")));
    let ways: [(&[&str], Option<&Path>); 3] = [
        (&["info", "--json", file], None),
        (&["bake", file, "-o", ply.to_str().unwrap()], Some(&ply)),
        (&["render", file, "--size", "64x64", "-o", png.to_str().unwrap()], Some(&png)),
    ];
    for (arguments, output) in ways.into_iter().filter(|(arguments, _)| commands.contains(&arguments[0])) {
        if arguments[0] == "render" && !has_gpu && window.is_ok() {
            continue;
        }
        let ended = run(arguments);
        let command = arguments[0];
        expect(ended.peak_mib < MOST_MIB, format!("{command} takes {} MiB", ended.peak_mib));
        expect(
            output.is_none_or(|o| o.exists() == window.is_ok()),
            format!("{command} wrote something, or nothing, where it should not"),
        );
        match &window {
            Ok(warnings) => {
                expect(ended.status.success(), format!("{command} fails: {:?}", ended.said));
                if command == "info" && ended.status.success() {
                    let report: Value = serde_json::from_str(&ended.out).unwrap();
                    expect(report["warnings"] == serde_json::json!(warnings), format!("{command} warns otherwise"));
                }
            }
            Err(error) => {
                let line = if error.starts_with(file) { error.clone() } else { format!("{file}: {error}") };
                expect(ended.status.code() == Some(1), format!("{command} ends with {}", ended.status));
                expect(ended.said == [format!("skinscope: {line}")], format!("{command} says {:?}", ended.said));
                expect(!ended.said.iter().any(|l| l.contains(char::is_control)), "control characters".into());
            }
        }
    }
    wrong
}

/// Whether this machine can draw at all.
fn has_gpu() -> bool {
    let png = scratch("can_draw.png");
    let ended = run(&["render", "--size", "32x32", "-o", png.to_str().unwrap()]);
    if !ended.status.success() {
        common::skipped(&format!("render: {:?}", ended.said));
    }
    ended.status.success()
}

/// Bad inputs of many kinds, of which five load.
const FEW: [&str; 14] = [
    "accessor_beyond_view.glb",
    "anim_nan_output.glb",
    "buffer_traversal_encoded.gltf",
    "control_good.glb",
    "cycle_3.glb",
    "does_not_exist.glb",
    "draco_garbage.glb",
    "empty.gltf",
    "json_nesting_100k.gltf",
    "json_not_utf8.gltf",
    "material_values.glb",
    "morph_nan_weight.gltf",
    "truncated_bin.glb",
    "weights_nan.glb",
];

/// The malformed files of the corpus, all or [`FEW`] of them; none where there is no corpus.
fn malformed(all: bool) -> Vec<PathBuf> {
    let Some(corpus) = common::corpus() else { return Vec::new() };
    let folder = corpus.join("malformed");
    let manifest = std::fs::read_to_string(folder.join("manifest.csv")).unwrap();
    let names = manifest.lines().skip(1).map(|l| l.split(',').next().unwrap());
    let rows: Vec<PathBuf> = names.filter(|name| all || FEW.contains(name)).map(|name| folder.join(name)).collect();
    assert_eq!(rows.len(), if all { 118 } else { FEW.len() });
    rows
}

#[test]
fn bad_inputs_end_the_same_through_every_subcommand_and_the_window() {
    end_the_same(&malformed(false), "few");
}

#[test]
#[ignore = "full: 118 files are opened by three launches of the program each"]
fn every_bad_input_ends_the_same_through_every_subcommand_and_the_window() {
    end_the_same(&malformed(true), "all");
}

fn end_the_same(rows: &[PathBuf], place: &str) {
    if rows.is_empty() {
        return;
    }
    let (has_gpu, next, wrong) = (has_gpu(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = differences(row, place, &COMMANDS, has_gpu);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bad_inputs_that_open_can_be_drawn_by_every_panel() {
    let rows = malformed(false);
    let shown = drawn(&rows);
    assert!(rows.is_empty() || shown > 3, "{shown} opened");
}

#[test]
#[ignore = "full: the window is drawn six times around each of 37 files"]
fn every_bad_input_that_opens_can_be_drawn_by_every_panel() {
    let rows = malformed(true);
    let shown = drawn(&rows);
    assert!(rows.is_empty() || shown > 30, "{shown} opened");
}

/// The panels know nothing of files; they are drawn around whatever opened, with something selected and the clip running. Returns how
/// many files open.
fn drawn(rows: &[PathBuf]) -> usize {
    use egui_kittest::Harness;
    use skinscope::app::ui::{self, Status, UiState};
    use skinscope::model::NodeId;
    use skinscope::session::{CameraCommand, Command, PlaybackCommand, SelectionCommand, ViewCommand};
    let mut shown = 0;
    for path in rows {
        let source = Source::File(path.clone());
        let Ok(document) = source.load(&Options::default(), &Progress::silent()) else { continue };
        let mut session = Session::default();
        session.open(document);
        session.apply(SelectionCommand::Select(Some(NodeId(0))));
        session.apply(ViewCommand::ToggleOverlay("weights"));
        let state = (session, UiState::default(), Status::default());
        let mut harness =
            Harness::builder().with_size(egui::vec2(1280.0, 720.0)).with_context_setup(ui::install).build_ui_state(
                |ui, (session, state, status): &mut (Session, UiState, Status)| {
                    let mut commands = Vec::new();
                    ui::show(ui, session, state, status, &mut commands);
                    session.apply(PlaybackCommand::Advance(0.5));
                    session.update_pose();
                },
                state,
            );
        for command in [
            Command::Camera(CameraCommand::FrameAll),
            Command::Camera(CameraCommand::FrameSelected),
            Command::Playback(PlaybackCommand::NextKey),
            Command::Playback(PlaybackCommand::ToEnd),
        ] {
            harness.state_mut().0.apply(command);
            harness.step();
        }
        assert!(harness.state().0.view().orbit.world_from_view().is_finite(), "{}", path.display());
        shown += 1;
    }
    shown
}

#[test]
fn a_chain_of_a_hundred_thousand_joints_opens() {
    // The window opens it, and a report on it is read.
    chain("chain.gltf", &[], false);
}

#[test]
#[ignore = "full: a hundred thousand joints are opened five times"]
fn a_chain_of_a_hundred_thousand_joints_opens_through_every_subcommand() {
    chain("longest chain.gltf", &COMMANDS, has_gpu());
}

/// A skinned triangle on a chain of a hundred thousand joints, each a little further than its parent.
fn chain(name: &str, commands: &[&str], has_gpu: bool) {
    const COUNT: usize = 100_000;
    let link = |i: usize| match i {
        0 => r#"{"children":[1]}"#.to_owned(),
        i if i < COUNT - 1 => format!(r#"{{"children":[{}],"translation":[0,0.001,0]}}"#, i + 1),
        _ => r#"{"translation":[0,0.001,0]}"#.to_owned(),
    };
    let nodes: Vec<String> = (0..COUNT).map(link).collect();
    let joints: Vec<String> = (0..COUNT).map(|i| i.to_string()).collect();
    let mut bin: Vec<u8> = Vec::new();
    let floats = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    floats.iter().for_each(|f| bin.extend(f.to_le_bytes()));
    // The joint at the far end of what 16 bits can name.
    (0..3).for_each(|_| [65_535_u16, 0, 0, 0].iter().for_each(|j| bin.extend(j.to_le_bytes())));
    (0..3).for_each(|_| bin.extend([255, 0, 0, 0]));
    let data = bin.iter().fold(String::new(), |text, b| format!("{text}%{b:02x}"));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,{COUNT}]}}],
        "nodes":[{},{{"mesh":0,"skin":0}}],"skins":[{{"joints":[{}]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}},
            {{"bufferView":1,"componentType":5123,"type":"VEC4","count":3}},
            {{"bufferView":2,"componentType":5121,"type":"VEC4","count":3,"normalized":true}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":24}},
            {{"buffer":0,"byteOffset":60,"byteLength":12}}],
        "buffers":[{{"byteLength":{},"uri":"data:,{data}"}}]}}"#,
        nodes.join(","),
        joints.join(","),
        bin.len(),
    );
    let path = scratch(name);
    std::fs::write(&path, json).unwrap();
    assert_eq!(differences(&path, "one", commands, has_gpu), Vec::<String>::new());
    // Sums of a tenth of a millimetre: 65535 links of a thousandth lie 65.535 above the first.
    let report: Value = serde_json::from_str(&run(&["info", "--json", path.to_str().unwrap()]).out).unwrap();
    let top = report["bounds"]["min"][1].as_f64().unwrap();
    assert!((top - 65.535).abs() < 0.05, "{top}");
}

#[test]
fn names_that_command_a_terminal_are_shown_without_what_it_would_obey() {
    let path = scratch("names.gltf");
    let json = r#"{"asset":{"version":"2.0","generator":"\u001b[31mred\u202e"},"nodes":[{"name":"\u001b]0;title\u0007"}],
        "materials":[{"name":"a\nb\u0085c"}],"extensionsUsed":["\u001b[2J"]}"#;
    std::fs::write(&path, json).unwrap();
    let text = run(&["info", path.to_str().unwrap()]);
    assert!(text.status.success() && text.out.contains("red"), "{:?}", text.said);
    let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.out.contains(obeyed), "{:?}", text.out);
    let lost = run(&["render", path.to_str().unwrap(), "-o", "x.png", "--heatmap", "\u{1b}[31m"]);
    // The extension that is not known, and the joint that is not there.
    assert!(lost.said.len() == 2 && !lost.said.concat().contains(obeyed), "{:?}", lost.said);
}

#[test]
fn the_memory_for_a_file_can_be_set() {
    // 2000 × 2000 pixels are more than the million that 64 MiB allow.
    let picture = image::DynamicImage::new_luma8(2000, 2000);
    let path = scratch("large.png");
    picture.save(&path).unwrap();
    let json = r#"{"asset":{"version":"2.0"},"images":[{"uri":"large.png"}],"textures":[{"source":0}],
        "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}]}"#;
    let model = scratch("large.gltf");
    std::fs::write(&model, json).unwrap();
    let warnings = |memory: &str| {
        let ended = run(&["info", "--json", "--max-memory", memory, model.to_str().unwrap()]);
        let report: Value = serde_json::from_str(&ended.out).unwrap();
        report["warnings"].to_string()
    };
    assert_eq!(warnings("256"), "[]");
    assert!(warnings("64").contains("2000 × 2000 pixels"), "{}", warnings("64"));
    assert_eq!(run(&["info", "--max-memory", "0"]).status.code(), Some(2));
}

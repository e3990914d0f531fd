//! Plays for a minute in every way to look at a model, on every device there is: after a minute the memory and the
//! number of the driver's programs are what they were after 15 seconds. Each way plays in a process of its own, frame
//! by frame as fast as the device draws them; on a software device a window shows some thirty frames a second. Every day
//! two of the ways play for some seconds, and only the programs are counted.
#![cfg(target_os = "linux")]

use std::collections::VecDeque;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use glam::Vec2;
use skinscope::frame::{Frame, SceneColors};
use skinscope::inspect::check::CheckOptions;
use skinscope::inspect::{Inspection, OVERLAYS, overlay};
use skinscope::math::Aabb;
use skinscope::model::test_shapes::obstacle_course;
use skinscope::model::{Light, LightId, LightKind, Model, NodeId};
use skinscope::render::{Backend, Gpu, GpuError, Renderer};
use skinscope::session::{self, Document, Lighting, Session, Toggle};

use crate::common;

/// Frames of a second.
const RATE: u32 = 30;

/// The frames after which a process reads what it takes.
#[derive(Clone, Copy)]
struct Readings {
    first: u32,
    last: u32,
}

/// Once the clip stands again where it began, so that every pose has been shown, and once more.
const TWICE: Readings = Readings { first: 10 * TURNS_OF_CLIP as u32, last: 20 * TURNS_OF_CLIP as u32 };
const A_MINUTE: Readings = Readings { first: 15 * RATE, last: 60 * RATE };
/// What a process is told that is to play.
const WAY: &str = "SKINSCOPE_SOAK";

/// What is shown, beside the overlays.
const OTHERS: [&str; 10] = [
    "shaded",
    "dots",
    "dots under dominant",
    "wireframe",
    "bones",
    "influenced only",
    "crowd",
    "crowd under weights",
    "lights",
    "all in turn",
];

/// Skins with four and eight influences, morph targets, rigid parts, and a light.
fn model() -> Arc<Model> {
    let mut parts = (*obstacle_course()).clone();
    let kind = LightKind::Point;
    parts.lights = vec![Light { kind, color: glam::Vec3::ONE, intensity: 3.0, range: None, name: String::new() }];
    parts.light_nodes = vec![(NodeId(4), LightId(0))];
    Arc::new(Model::build(parts).unwrap())
}

fn session(way: &str) -> Session {
    let model = model();
    let mut session = Session::default();
    session.open(Document::new(Arc::clone(&model), Vec::new(), None));
    session.apply(session::CameraCommand::SetViewport(Vec2::new(160.0, 120.0)));
    session.apply(session::SelectionCommand::Select(Some(NodeId(4))));
    session.inspected(&model, Inspection::of(&model, &CheckOptions::default(), &AtomicBool::new(false)).unwrap());
    let crowd = if way.starts_with("crowd") { 10 } else { 1 };
    session.apply(session::ViewCommand::SetCrowd(crowd));
    let lights = if way == "lights" { Lighting::Both } else { Lighting::Studio };
    session.apply(session::ViewCommand::SetLighting(lights));
    for (toggle, on) in [
        (Toggle::Bones, way == "bones"),
        (Toggle::Wireframe, way == "wireframe"),
        (Toggle::Vertices, way.starts_with("dots")),
        (Toggle::InfluencedOnly, way == "influenced only"),
    ] {
        session.apply(session::ViewCommand::Set(toggle, on));
    }
    let shown = overlay(way.rsplit(' ').next().unwrap());
    session.apply(session::ViewCommand::SetOverlay(shown.map(|o| o.id)));
    session
}

/// How many turns of ten frames the clip takes until it stands again where it began: in four rounds of 105 half frames.
const TURNS_OF_CLIP: usize = 21;

/// Everything there is, ten frames each. A whole number of times in as long as the clip comes round: what is shown for the first
/// time in a pose that mirrors compiles programs of its own, and all that happens within the first rounds.
fn turn(session: &mut Session, frame: u32) {
    let turn = (frame / 10) as usize % (2 * OVERLAYS.len()).next_multiple_of(TURNS_OF_CLIP);
    session.apply(session::ViewCommand::SetOverlay(OVERLAYS.get(turn / 2).map(|o| o.id)));
    session.apply(session::ViewCommand::Set(Toggle::Vertices, turn % 2 == 1));
    session.apply(session::ViewCommand::Set(Toggle::InfluencedOnly, turn % 3 == 1));
}

/// Resident KiB, and mappings that can be run.
fn reading() -> [u64; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let can_run = |line: &&str| line.split_ascii_whitespace().nth(1).is_some_and(|rights| rights.contains('x'));
    [resident.trim().trim_end_matches(" kB").parse().unwrap(), maps.lines().filter(can_run).count() as u64]
}

/// Plays, in a process that was started for it.
#[test]
fn one_way_in_a_process_of_its_own() {
    let Ok(told) = std::env::var(WAY) else { return };
    let [backend, first, last, way]: [&str; 4] = told.splitn(4, ':').collect::<Vec<_>>().try_into().unwrap();
    let [first, last]: [u32; 2] = [first, last].map(|frame| frame.parse().unwrap());
    let gpu = match Gpu::headless(if backend == "gl" { Backend::Gl } else { Backend::Vulkan }) {
        Ok(gpu) => gpu,
        Err(GpuError::NoAdapter { .. }) => return println!("READ none"),
        Err(error) => panic!("{error}"),
    };
    let mut session = session(way);
    let (mut frame, mut renderer) = (Frame::default(), Renderer::new(&gpu));
    renderer.set_samples(1);
    session.update_pose();
    let bounds: Aabb = session.extents().posed_bounds();
    session.apply(session::CameraCommand::FrameBox(bounds));
    for number in 1..=last {
        if way == "all in turn" {
            turn(&mut session, number);
        }
        session.apply(session::PlaybackCommand::Advance(1.0 / RATE as f32));
        session.update_pose();
        session.build_frame(&mut frame, &SceneColors::DARK);
        renderer.draw(&gpu, &frame, [160, 120]).unwrap();
        gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        if number == first || number == last {
            let [resident, maps] = reading();
            println!("READ {resident} {maps}");
        }
    }
    assert!(gpu.take_error().is_none());
}

/// What another process reads while it plays; `None`: it has no such device.
fn read(way: &str, at: Readings) -> Option<[[u64; 2]; 2]> {
    let (backend, way) = way.split_once(':').unwrap();
    let told = format!("{backend}:{}:{}:{way}", at.first, at.last);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "soak::one_way_in_a_process_of_its_own", "--nocapture"]).env(WAY, &told);
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{told}: {said}{}", String::from_utf8_lossy(&out.stderr));
    // The first line may begin with what the test runner says of the test.
    let lines: Vec<&str> = said.lines().filter_map(|l| l.split_once("READ ").map(|(_, read)| read)).collect();
    if lines == ["none"] {
        return None;
    }
    let numbers = |line: &str| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<u64>>().try_into().unwrap();
    Some([numbers(lines[0]), numbers(lines[1])])
}

/// Plays in all of these ways (the backend, and what is shown), as many at once as there are cores, and returns what each process has
/// read.
fn read_all(ways: impl Iterator<Item = String>, at: Readings) -> Vec<(String, [[u64; 2]; 2])> {
    let (waiting, told) = (Mutex::new(ways.collect::<VecDeque<_>>()), Mutex::new(Vec::new()));
    let next = || waiting.lock().unwrap().pop_front();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(8) {
            scope.spawn(|| {
                while let Some(way) = next() {
                    let readings = read(&way, at);
                    told.lock().unwrap().push((way, readings));
                }
            });
        }
    });
    let mut told = told.into_inner().unwrap();
    told.sort();
    for backend in ["vulkan", "gl"] {
        let mut of_backend = told.iter().filter(|(way, _)| way.starts_with(backend)).peekable();
        if of_backend.peek().is_some() && of_backend.all(|(_, readings)| readings.is_none()) {
            common::skipped(&format!("no device to play on by {backend}"));
        }
    }
    told.into_iter().filter_map(|(way, readings)| Some((way, readings?))).collect()
}

#[test]
fn playing_on_compiles_no_more_programs() {
    let ways = ["shaded", "dominant"].map(|way| format!("vulkan:{way}"));
    let told = read_all(ways.into_iter(), TWICE);
    // None, where there is no device: then the test has said that it was skipped.
    assert!(told.len() == 2 || told.is_empty(), "{told:?}");
    for (way, [[_, first], [_, last]]) in told {
        assert_eq!(first, last, "{way}: mappings that can be run");
    }
}

#[test]
#[ignore = "full: plays for a minute in each of 26 ways, on both backends"]
fn a_minute_of_playing_takes_no_more_than_its_first_quarter() {
    let ways = || OTHERS.into_iter().chain(OVERLAYS.iter().map(|o| o.id));
    let all = ["vulkan", "gl"].into_iter().flat_map(|backend| ways().map(move |way| format!("{backend}:{way}")));
    let mut grown = Vec::new();
    for (way, [[first, first_maps], [last, last_maps]]) in read_all(all, A_MINUTE) {
        let line = format!("{way}: {} to {} MiB, {first_maps} to {last_maps} mappings", first / 1024, last / 1024);
        println!("{line}");
        if last * 10 > first * 11 || last_maps != first_maps {
            grown.push(line);
        }
    }
    assert!(grown.is_empty(), "resident memory and executable mappings after a quarter and a whole minute: {grown:#?}");
}

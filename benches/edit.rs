//! What an edit of 5 000 vertices costs the thread of the window, from the command until the commands of the picture that shows it
//! are recorded: applying it, the panels (table of vertices, page of the joint with its histogram, or the card of a pinned
//! vertex), the overlay, the upload and the picture. The model has 300 000 vertices and 200 joints. What the window leaves to
//! other threads (findings, figures of all weights) does not count; the device's own work does not either.
//!
//! `cargo bench -p skinscope_benches --bench edit -- [ROUNDS=15] [WORD]`, of the cases with that word. Linux only: the kernel's own count of what this thread has run.
#![expect(clippy::unwrap_used, reason = "a measurement that fails ends")]

#[path = "window.rs"]
mod window;

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::accesskit::Role;
use egui::{Event, Modifiers, PointerButton, pos2};
use skinscope::app::ui::Saved;
use skinscope::inspect::{VertexPart, VertexRef, VertexSet};
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::model::{InstanceId, MeshId, Model, NodeId, WeightChange};
use skinscope::render::{Backend, Gpu};
use skinscope::session::{CameraCommand, EditCommand, PlaybackCommand, SelectionCommand, ViewCommand};

use self::window::Window;

const EDITED: u32 = 5000;
const JOINTS: u16 = 200;
/// The parts of an edit that are timed, in order.
const PARTS: [&str; 4] = ["edit", "panels", "frame", "record"];

/// CPU milliseconds that this thread has run.
fn thread_ms() -> f64 {
    // A running thread is counted when it is next scheduled: give way, so that it is counted up to now.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

fn model() -> Arc<Model> {
    let shape = Tube { joints: usize::from(JOINTS), rings: 1500, sides: 200, length: 20.0, radius: 0.5, influences: 4 };
    let model = tube(shape);
    assert!(model.meshes[0].primitives[0].stored_vertices >= 300_000);
    Arc::new(model)
}

/// The vertices of an edit: in one place, as of a brush, or over the whole model.
fn vertices(scattered: bool) -> impl Iterator<Item = u32> {
    (0..EDITED).map(move |i| if scattered { 59 * i + 7 } else { 140_000 + i })
}

/// Other weights for these vertices in each round, of four joints.
fn change(round: usize, scattered: bool) -> EditCommand {
    let mut out = WeightChange::new(MeshId(0), 0, 4);
    let first = 0.4 + 0.001 * (round % 100) as f32;
    for vertex in vertices(scattered) {
        let joint = (vertex / 1500) as u16 % (JOINTS - 3);
        out.push(vertex, &[joint, joint + 1, joint + 2, joint + 3], &[first, 0.9 - first, 0.06, 0.04]);
    }
    EditCommand::ChangeWeights(Arc::new(vec![out]))
}

/// The window with the table of vertices.
fn open(gpu: &Arc<Gpu>, model: &Arc<Model>) -> Window {
    let mut out = Window::open(gpu, model, Saved { tables: true, ..Saved::default() });
    out.session.apply(PlaybackCommand::SetPlaying(false));
    settle(&mut out);
    click(&mut out, "Vertices");
    settle(&mut out);
    out
}

fn wait(window: &Window) {
    window.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
}

/// Draws until nothing new comes from other threads, so that none of it is measured.
fn settle(window: &mut Window) {
    let (mut quiet, start) = (Instant::now(), Instant::now());
    let mut sent = 0;
    while quiet.elapsed() < Duration::from_millis(1500) && start.elapsed() < Duration::from_secs(60) {
        if let Some(document) = window.session.document().filter(|d| d.lacks_stats()) {
            document.count_weights()();
        }
        let output = window.panels(Vec::new());
        window.egui.tessellate(output.shapes, output.pixels_per_point);
        window.build();
        // What is shown already is not drawn again, and the order of vertices is found after some pictures.
        window.frame.camera.near *= 1.0 + 1e-6 * (start.elapsed().subsec_millis() % 100) as f32;
        window.draw();
        wait(window);
        let bytes = window.gpu.uploads().bytes;
        if bytes > sent + 100_000 || window.renderer.doing().is_some() {
            quiet = Instant::now();
        }
        sent = bytes;
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Clicks on what has this name.
fn click(window: &mut Window, name: &str) {
    window.egui.enable_accesskit();
    let mut nodes = Vec::new();
    for _ in 0..2 {
        let output = window.panels(Vec::new());
        nodes.extend(output.platform_output.accesskit_update.into_iter().flat_map(|update| update.nodes));
    }
    window.egui.disable_accesskit();
    let is_it = |node: &egui::accesskit::Node| node.label() == Some(name) && node.role() != Role::Label;
    let at = nodes.iter().find(|(_, node)| is_it(node)).and_then(|(_, node)| node.bounds()).unwrap();
    let pos = pos2(0.5 * (at.x0 + at.x1) as f32, 0.5 * (at.y0 + at.y1) as f32);
    let button =
        |pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    for event in [Event::PointerMoved(pos), button(true), button(false), Event::PointerGone] {
        window.panels(vec![event]);
    }
}

/// Milliseconds of each part of one edit.
fn edit(window: &mut Window, command: EditCommand) -> [f64; 4] {
    let mut times = [0.0; 4];
    let mut before = thread_ms();
    let mut lap = |i: usize| {
        let now = thread_ms();
        times[i] = now - std::mem::replace(&mut before, now);
    };
    window.session.apply(command);
    lap(0);
    let output = window.panels(Vec::new());
    window.egui.tessellate(output.shapes, output.pixels_per_point);
    lap(1);
    window.build();
    lap(2);
    window.draw();
    lap(3);
    wait(window);
    times
}

fn median(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

fn main() {
    let said: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let rounds = said.iter().find_map(|a| a.parse().ok()).unwrap_or(15);
    let word = said.iter().find(|a| a.parse::<usize>().is_err());
    let gpu = Arc::new(Gpu::headless(Backend::Auto).unwrap());
    let model = model();
    let pinned = VertexRef { instance: InstanceId(0), primitive: 0, vertex: 140_007 };
    for (overlay, with_card, scattered) in [
        (None, false, false),
        (Some("weights"), false, false),
        (Some("weights"), false, true),
        (Some("weights"), true, false),
        (Some("dominant"), true, true),
        (Some("changed"), false, false),
        (Some("changed"), false, true),
        (Some("changed-surface"), false, false),
    ] {
        let place = if scattered { "scattered" } else { "in one place" };
        let card = if with_card { ", vertex pinned" } else { "" };
        let case = format!("{EDITED} vertices {place}, overlay {}{card}", overlay.unwrap_or("none"));
        if word.is_some_and(|word| !case.contains(&**word)) {
            continue;
        }
        let mut window = open(&gpu, &model);
        window.session.apply(CameraCommand::FrameAll);
        window.session.apply(ViewCommand::SetOverlay(overlay));
        window.session.apply(SelectionCommand::Select(Some(NodeId(95))));
        if with_card {
            window.session.apply(SelectionCommand::Pin(Some(pinned)));
        }
        let part = VertexPart { mesh: MeshId(0), primitive: 0, vertices: vertices(scattered).collect() };
        window.session.apply(SelectionCommand::Mark(Arc::new(VertexSet { parts: vec![part] })));
        // The first edit makes room for what later ones find there.
        edit(&mut window, change(0, scattered));
        settle(&mut window);
        let mut times: [Vec<f64>; 5] = Default::default();
        let mut bytes = 0;
        for round in 1..=rounds {
            let sent = gpu.uploads().bytes;
            let parts = edit(&mut window, change(round, scattered));
            bytes = gpu.uploads().bytes - sent;
            parts.iter().zip(&mut times).for_each(|(ms, list)| list.push(*ms));
            times[4].push(parts.iter().sum());
            settle(&mut window);
        }
        let worst = times[4].iter().copied().fold(0.0, f64::max);
        let of = times.map(median);
        let parts: serde_json::Map<String, serde_json::Value> =
            PARTS.iter().zip(of).map(|(name, ms)| (format!("{name}_ms"), ms.into())).collect();
        let line = serde_json::json!({
            "bench": "edit", "case": case, "adapter": gpu.info.name, "cpu_ms": of[4], "worst_cpu_ms": worst, "parts": parts,
            "bytes": bytes,
        });
        println!("{line}");
    }
}

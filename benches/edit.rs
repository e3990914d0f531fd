//! What an edit of 5 000 vertices costs the thread of the window, from the command until the commands of the picture that shows it
//! are recorded: applying it, the panels (table of vertices, page of the joint with its histogram, or the card of a pinned
//! vertex), the overlay, the upload and the picture. The model has 300 000 vertices and 200 joints. What the window leaves to
//! other threads (findings, figures of all weights) does not count; the device's own work does not either.
//!
//! `cargo bench --bench edit -- [ROUNDS=15] [WORD]`, of the cases with that word. Linux only: the kernel's own count of what this thread has run.
#![expect(clippy::unwrap_used, reason = "a measurement that fails ends")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::accesskit::Role;
use egui::{Event, Modifiers, PointerButton, Pos2, Rect, pos2, vec2};
use skinscope::app::ui::{self, Saved, Status, UiState};
use skinscope::frame::{Frame, SceneColors};
use skinscope::inspect::{VertexPart, VertexRef, VertexSet};
use skinscope::model::shapes::{Tube, tube};
use skinscope::model::{InstanceId, MeshId, Model, NodeId, WeightChange};
use skinscope::render::{Backend, Gpu, Renderer};
use skinscope::session::{
    CameraCommand, Command, Document, EditCommand, Effect, PlaybackCommand, SelectionCommand, Session, ViewCommand,
};

const WINDOW: [f32; 2] = [1280.0, 720.0];
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

/// The window's own thread, without a window.
struct Window {
    session: Session,
    ui: UiState,
    egui: egui::Context,
    frame: Frame,
    renderer: Renderer,
    gpu: Arc<Gpu>,
    picture: Rect,
    time: f64,
}

impl Window {
    fn open(gpu: &Arc<Gpu>, model: &Arc<Model>) -> Self {
        let mut session = Session::default();
        session.be_patient();
        let document = Document::new(Arc::clone(model), Vec::new(), None);
        document.prepare()();
        _ = document.stats();
        session.open(document);
        session.apply(PlaybackCommand::SetPlaying(false));
        let egui = egui::Context::default();
        ui::install(&egui);
        let mut renderer = Renderer::new(gpu);
        renderer.work_beside(gpu, Arc::new(|| ()));
        let (frame, picture) = (Frame::default(), Rect::ZERO);
        let mut out = Self {
            session,
            ui: UiState::new(Saved { tables: true, ..Saved::default() }),
            egui,
            frame,
            renderer,
            gpu: Arc::clone(gpu),
            picture,
            time: 0.0,
        };
        out.settle();
        out.click("Vertices");
        out.settle();
        out
    }

    fn carry_out(&mut self, effect: &Effect) {
        if let Effect::Window(command) = effect {
            self.ui.carry_out(command);
        }
    }

    /// Lays out the panels and carries out what they ask for.
    fn panels(&mut self, events: Vec<Event>) -> egui::FullOutput {
        self.session.update_pose();
        self.time += 1.0 / 60.0;
        let size = vec2(WINDOW[0], WINDOW[1]);
        let input = egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(self.time),
            events,
            ..egui::RawInput::default()
        };
        let mut commands: Vec<Command> = Vec::new();
        let mut output = self.egui.run_ui(input, |ui| {
            self.picture = ui::show(ui, &self.session, &mut self.ui, &Status::default(), &mut commands).rect;
        });
        // Nothing paints the glyphs here.
        output.textures_delta.clear();
        for command in commands {
            self.session.apply(command).into_iter().for_each(|effect| self.carry_out(&effect));
        }
        output
    }

    fn build(&mut self) {
        self.session.update_pose();
        self.frame.build(&self.session, &SceneColors::DARK);
    }

    fn draw(&mut self) {
        let size = [self.picture.width(), self.picture.height()].map(|side| side as u32);
        self.renderer.draw(&self.gpu, &self.frame, size).unwrap();
    }

    fn wait(&self) {
        self.gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }

    /// Draws until nothing new comes from other threads, so that none of it is measured.
    fn settle(&mut self) {
        let (mut quiet, start) = (Instant::now(), Instant::now());
        let mut sent = 0;
        while quiet.elapsed() < Duration::from_millis(1500) && start.elapsed() < Duration::from_secs(60) {
            if let Some(document) = self.session.document().filter(|d| d.lacks_stats()) {
                document.count_weights()();
            }
            let output = self.panels(Vec::new());
            self.egui.tessellate(output.shapes, output.pixels_per_point);
            self.build();
            // What is shown already is not drawn again, and the order of vertices is found after some pictures.
            self.frame.camera.near *= 1.0 + 1e-6 * (start.elapsed().subsec_millis() % 100) as f32;
            self.draw();
            self.wait();
            let bytes = self.gpu.uploads().bytes;
            if bytes > sent + 100_000 || self.renderer.doing().is_some() {
                quiet = Instant::now();
            }
            sent = bytes;
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks on what has this name.
    fn click(&mut self, name: &str) {
        self.egui.enable_accesskit();
        let mut nodes = Vec::new();
        for _ in 0..2 {
            let output = self.panels(Vec::new());
            nodes.extend(output.platform_output.accesskit_update.into_iter().flat_map(|update| update.nodes));
        }
        self.egui.disable_accesskit();
        let is_it = |node: &egui::accesskit::Node| node.label() == Some(name) && node.role() != Role::Label;
        let at = nodes.iter().find(|(_, node)| is_it(node)).and_then(|(_, node)| node.bounds()).unwrap();
        let pos = pos2(0.5 * (at.x0 + at.x1) as f32, 0.5 * (at.y0 + at.y1) as f32);
        let button =
            |pressed| Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
        for event in [Event::PointerMoved(pos), button(true), button(false), Event::PointerGone] {
            self.panels(vec![event]);
        }
    }

    /// Milliseconds of each part of one edit.
    fn edit(&mut self, command: EditCommand) -> [f64; 4] {
        let mut times = [0.0; 4];
        let mut before = thread_ms();
        let mut lap = |i: usize| {
            let now = thread_ms();
            times[i] = now - std::mem::replace(&mut before, now);
        };
        self.session.apply(command);
        lap(0);
        let output = self.panels(Vec::new());
        self.egui.tessellate(output.shapes, output.pixels_per_point);
        lap(1);
        self.build();
        lap(2);
        self.draw();
        lap(3);
        self.wait();
        times
    }
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
        let mut window = Window::open(&gpu, &model);
        window.session.apply(CameraCommand::FrameAll);
        window.session.apply(ViewCommand::SetOverlay(overlay));
        window.session.apply(SelectionCommand::Select(Some(NodeId(95))));
        if with_card {
            window.session.apply(SelectionCommand::Pin(Some(pinned)));
        }
        let part = VertexPart { mesh: MeshId(0), primitive: 0, vertices: vertices(scattered).collect() };
        window.session.apply(SelectionCommand::Mark(Arc::new(VertexSet { parts: vec![part] })));
        // The first edit makes room for what later ones find there.
        window.edit(change(0, scattered));
        window.settle();
        let mut times: [Vec<f64>; 5] = Default::default();
        let mut bytes = 0;
        for round in 1..=rounds {
            let sent = gpu.uploads().bytes;
            let parts = window.edit(change(round, scattered));
            bytes = gpu.uploads().bytes - sent;
            parts.iter().zip(&mut times).for_each(|(ms, list)| list.push(*ms));
            times[4].push(parts.iter().sum());
            window.settle();
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

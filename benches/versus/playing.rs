//! What a frame of a playing model costs the processor, all threads, and which part of the picture how much of it: CPU
//! time of the headless renderer, at the size that the picture has in a window of 1024 × 768 pixels. To be read beside
//! `skinscope view MODEL --benchmark N --size 1024x768 --json`, which measures the whole of the window.
//!
//! `cargo bench -p skinscope_benches --bench versus_playing -- MODEL…`, or the built-in character.
#![expect(clippy::unwrap_used, reason = "a measurement that fails ends")]

#[path = "clock.rs"]
#[expect(dead_code, reason = "one of its two clocks is enough")]
mod clock;

use std::path::PathBuf;

use skinscope::frame::{Background, Frame, SceneColors};
use skinscope::import::{Options, Progress};
use skinscope::render::{Backend, Gpu, Renderer, SAMPLES};
use skinscope::session::{CameraCommand, PlaybackCommand, Session, Source};

/// Pixels: what the panels leave of 1024 × 768.
const SIZE: [u32; 2] = [456, 582];
const FRAMES: u32 = 60;
const ROUNDS: usize = 5;

/// A part of the picture, and what leaves it out.
type Part = (&'static str, fn(&mut Frame));

const PARTS: [Part; 6] = [
    ("nothing", |_| {}),
    ("background", |f| f.display.background = Background::Solid([0.1; 3])),
    ("grid", |f| f.display.grid = None),
    ("bones", |f| f.bones.clear()),
    ("mesh", |f| f.display.mesh = false),
    ("everything", |f| {
        f.display.background = Background::Solid([0.1; 3]);
        f.display.grid = None;
        f.display.mesh = false;
        f.bones.clear();
    }),
];

fn open(model: Option<PathBuf>) -> Session {
    let mut session = Session::default();
    session.open(Source::of(model).load(&Options::default(), &Progress::silent()).unwrap());
    session.apply(CameraCommand::SetViewport(glam::Vec2::new(SIZE[0] as f32, SIZE[1] as f32)));
    session
}

fn main() {
    let models: Vec<_> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).map(PathBuf::from).collect();
    let models = if models.is_empty() { vec![None] } else { models.into_iter().map(Some).collect() };
    let gpu = Gpu::headless(Backend::Auto).unwrap();
    for (path, samples) in models.into_iter().flat_map(|m| [(m.clone(), 1), (m, SAMPLES)]) {
        let name = Source::of(path.clone()).name();
        let mut session = open(path);
        let mut renderer = Renderer::new(&gpu);
        renderer.set_samples(samples);
        let mut frame = Frame::default();
        let mut costs = vec![Vec::new(); PARTS.len()];
        for round in 0..=ROUNDS {
            for (part, costs) in PARTS.iter().zip(&mut costs) {
                let before = clock::cpu_ns();
                for _ in 0..FRAMES {
                    session.apply(PlaybackCommand::Advance(1.0 / 60.0));
                    session.update_pose();
                    session.build_frame(&mut frame, &SceneColors::DARK);
                    part.1(&mut frame);
                    renderer.draw(&gpu, &frame, SIZE).unwrap();
                    gpu.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
                }
                if round > 0 {
                    costs.push((clock::cpu_ns() - before) as f64 / 1e6 / f64::from(FRAMES));
                }
            }
        }
        for ((part, _), costs) in PARTS.iter().zip(&mut costs) {
            costs.sort_by(f64::total_cmp);
            let ms = costs[costs.len() / 2];
            let case = format!("{name}, {samples} samples, without {part}");
            println!("{}", serde_json::json!({ "bench": "playing", "case": case, "cpu_ms_per_frame": ms }));
        }
    }
}

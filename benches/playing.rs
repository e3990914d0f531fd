//! What measuring beside a clip that plays costs the picture, and how often it is measured: 300 000 vertices, 64 joints. The device
//! carries nothing out, as if a graphics card did all of it, so that the processor does what a card leaves to it: panels, pose,
//! palette, the recorded picture, and on other threads the measures, paced as in the window. Each frame takes its place on a
//! display of 60 Hz. The time of a frame is that of the window's thread from its beginning to its last command.
//!
//! `cargo bench -p skinscope_benches --bench playing -- [ROUNDS=5] [SECONDS=4]`. The cases take turns in every round. One line of JSON each: readings per
//! second, frames per second, and the median time of a frame over that of the case without measures in the same round (median of
//! the rounds, least and largest).
#![expect(clippy::unwrap_used, reason = "a measurement that fails ends")]

#[path = "window.rs"]
mod window;

use std::sync::Arc;
use std::time::{Duration, Instant};

use skinscope::app::MeasurePace;
use skinscope::app::ui::Saved;
use skinscope::model::Model;
use skinscope::model::test_shapes::{Tube, tube};
use skinscope::parallel::Job;
use skinscope::render::Gpu;
use skinscope::session::{CameraCommand, Done, MeasureCommand, ModelKey, PlaybackCommand, ViewCommand, Work};

use self::window::Window;

/// The time between two pictures of a display of 60 Hz.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// What is shown: the overlay, and whether the panel *Deformation* is open. Nothing is measured in the first case.
const CASES: [(&str, &str, bool); 4] = [
    ("nothing is measured", "influences", false),
    ("overlay of the stretch", "stretch", false),
    ("overlay of the normal error", "normal-error", false),
    ("panel Deformation", "influences", true),
];

fn open(gpu: &Arc<Gpu>, model: &Arc<Model>, (_, overlay, panel): (&str, &'static str, bool)) -> Window {
    let mut window = Window::open(gpu, model, Saved::default());
    window.session.apply(CameraCommand::FrameAll);
    window.session.apply(ViewCommand::SetOverlay(Some(overlay)));
    if panel {
        window.session.apply(MeasureCommand::TogglePanel);
    }
    window.session.apply(PlaybackCommand::SetPlaying(true));
    window
}

/// Measures poses on another thread, as the window does.
#[derive(Default)]
struct Readings {
    pace: MeasurePace,
    job: Option<Job<Option<Done>>>,
    count: u32,
}

impl Readings {
    fn follow(&mut self, window: &mut Window) {
        if let Some(job) = self.job.take_if(|job| job.is_done()) {
            self.pace.end(Instant::now());
            if let Some(done) = job.take().flatten() {
                window.session.done(done);
                self.count += 1;
            }
        }
        if self.job.is_none()
            && self.pace.is_due(Instant::now(), window.gpu.software.measures_rest)
            && let Some(model) = window.session.model().map(ModelKey::of)
            && let Some(run) = window.session.begin(&Work::MeasurePose(model))
        {
            self.pace.begin(Instant::now());
            self.job = Some(Job::start("measure", Arc::new(|| ()), run));
        }
    }
}

/// One case in one round: the median time of a frame in milliseconds, frames a second, readings a second.
fn play(window: &mut Window, readings: &mut Readings, length: Duration) -> [f64; 3] {
    let mut times = Vec::new();
    let (start, first) = (Instant::now(), readings.count);
    let mut due = start;
    let mut before = start;
    while start.elapsed() < length {
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let began = Instant::now();
        window.session.apply(PlaybackCommand::Advance((began - before).as_secs_f32()));
        before = began;
        readings.follow(window);
        let output = window.panels(Vec::new());
        window.egui.tessellate(output.shapes, output.pixels_per_point);
        window.build();
        window.draw();
        times.push(began.elapsed().as_secs_f64() * 1e3);
        // A picture that came too late takes the next place.
        while due <= Instant::now() {
            due += FRAME;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    [median(&mut times.clone()), times.len() as f64 / seconds, f64::from(readings.count - first) / seconds]
}

fn median(list: &mut [f64]) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (rounds, seconds) = (*numbers.first().unwrap_or(&5), *numbers.get(1).unwrap_or(&4));
    let gpu = Arc::new(Gpu::idle().unwrap());
    let model = Arc::new(tube(Tube { joints: 64, rings: 3000, sides: 100, influences: 4, ..Tube::default() }));
    let mut all: Vec<_> = CASES.iter().map(|case| (open(&gpu, &model, *case), Readings::default())).collect();
    for (window, readings) in &mut all {
        play(window, readings, Duration::from_secs(2));
    }
    let mut found: Vec<Vec<[f64; 3]>> = vec![Vec::new(); CASES.len()];
    for _ in 0..rounds {
        for (of, (window, readings)) in found.iter_mut().zip(&mut all) {
            of.push(play(window, readings, Duration::from_secs(seconds as u64)));
        }
    }
    for ((name, ..), of) in CASES.iter().zip(&found) {
        let middle = |i: usize| median(&mut of.iter().map(|round| round[i]).collect::<Vec<_>>());
        let mut ratios: Vec<f64> = of.iter().zip(&found[0]).map(|(a, b)| a[0] / b[0]).collect();
        let ratio = median(&mut ratios);
        let line = serde_json::json!({
            "bench": "playing", "case": name, "vertices": model.drawn_vertices(), "cores": skinscope::parallel::cores(),
            "frame_ms": middle(0), "frames_per_s": middle(1), "readings_per_s": middle(2),
            "ratio": ratio, "least": ratios.first(), "largest": ratios.last(),
        });
        println!("{line}");
    }
}

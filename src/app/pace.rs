//! How time passes in the window, and how often the pose is measured in the background while a clip plays. Those measures may lag behind the
//! picture, which does not wait for them; what is measured before a picture is in `painting.rs`.

use std::time::{Duration, Instant};

use super::benchmark::FrameTimer;

/// Measures are read at most so often while a clip plays, since nobody reads numbers faster.
const BETWEEN: Duration = Duration::from_nanos(1_000_000_000 / 30);
/// Where the processor draws, measuring rests this many times as long as it took: with two cores it then has a tenth of them.
const RESTS: u32 = 4;
/// Where a frame takes longer, nothing fades in or out: it would flicker.
const LONGEST_FADED: Duration = Duration::from_millis(50);
/// The longest step of a clip between two frames, seconds: a window that could not draw for longer goes on from where it was.
const LONGEST_STEP: f32 = 0.25;

/// When the pose was measured last.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeasurePace {
    began: Option<Instant>,
    ended: Option<Instant>,
}

impl MeasurePace {
    /// Notes that measuring begins.
    pub fn begin(&mut self, now: Instant) {
        *self = Self { began: Some(now), ended: None };
    }

    /// Notes that measuring has ended.
    pub fn end(&mut self, now: Instant) {
        self.ended = Some(now);
    }

    /// Returns whether the next pose of a clip that plays may be measured. `processor_draws`: the picture is drawn on the same cores.
    #[must_use]
    pub fn is_due(&self, now: Instant, processor_draws: bool) -> bool {
        let (Some(began), Some(ended)) = (self.began, self.ended) else { return true };
        let rest = if processor_draws { ended.saturating_duration_since(began) * RESTS } else { Duration::ZERO };
        now.saturating_duration_since(began) >= BETWEEN && now.saturating_duration_since(ended) >= rest
    }
}

/// How time passes in the window: for the clip from frame to frame, for the measures beside it, and for a benchmark of all frames.
#[derive(Debug)]
pub(super) struct Pace {
    /// The time of the last frame, while the clip plays.
    last_frame: Option<Instant>,
    /// The time at which the last frame began, and how long it took.
    begun: Option<Instant>,
    took: Duration,
    /// Whether the pointer holds the playhead, so that time stands still.
    is_scrubbing: bool,
    measures: MeasurePace,
    /// What measures the frames, in a benchmark.
    benchmark: Option<FrameTimer>,
}

impl Pace {
    pub(super) fn new(benchmark: Option<FrameTimer>) -> Self {
        Self {
            last_frame: None,
            begun: None,
            took: Duration::ZERO,
            is_scrubbing: false,
            measures: MeasurePace::default(),
            benchmark,
        }
    }

    /// Returns whether this run is a benchmark, which nothing may disturb.
    pub(super) fn is_benchmark(&self) -> bool {
        self.benchmark.is_some()
    }

    /// Begins a frame. Returns how long the clip plays until it, seconds.
    pub(super) fn begin_frame(&mut self, now: Instant) -> f32 {
        self.begun = Some(now);
        // While nothing moved no frame was drawn, and that time does not count.
        let passed = self.last_frame.replace(now).map_or(0.0, |last| (now - last).as_secs_f32().min(LONGEST_STEP));
        match (self.is_benchmark(), self.is_scrubbing) {
            (true, _) => 1.0 / 60.0,
            (false, true) => 0.0,
            (false, false) => passed,
        }
    }

    /// Ends the frame.
    pub(super) fn end_frame(&mut self, now: Instant) {
        self.took = self.begun.take().map_or(Duration::ZERO, |begun| now.saturating_duration_since(begun));
    }

    /// Returns whether frames come quickly enough for something to fade in or out over several of them.
    pub(super) fn has_time_to_fade(&self) -> bool {
        self.took <= LONGEST_FADED
    }

    /// Notes that nothing plays, so that the time until the next frame does not count.
    pub(super) fn rest(&mut self) {
        self.last_frame = None;
    }

    pub(super) fn set_scrubbing(&mut self, is_scrubbing: bool) {
        self.is_scrubbing = is_scrubbing;
    }

    /// Returns whether the pose may be measured now, and takes it that this begins if so. `processor_draws`: the picture is drawn on the same
    /// cores.
    pub(super) fn begin_measuring(&mut self, now: Instant, is_playing: bool, processor_draws: bool) -> bool {
        let may_begin = !is_playing || self.measures.is_due(now, processor_draws);
        if may_begin {
            self.measures.begin(now);
        }
        may_begin
    }

    /// Notes that the pose has been measured in the background.
    pub(super) fn end_measuring(&mut self, now: Instant) {
        self.measures.end(now);
        self.measured();
    }

    /// Counts a pose that has been measured.
    pub(super) fn measured(&mut self) {
        if let Some(timer) = &mut self.benchmark {
            timer.measured();
        }
    }

    /// Counts a frame that was presented, with the samples of its pixels and the buffer of its palette. Returns whether it was the last one of
    /// a benchmark.
    pub(super) fn presented(&mut self, samples: u32, palette: &'static str) -> bool {
        self.benchmark.as_mut().is_some_and(|timer| timer.presented(samples, palette))
    }

    /// Returns the line that a benchmark prints; `instances` of the model were shown.
    pub(super) fn line(&self, instances: usize) -> Option<String> {
        self.benchmark.as_ref().map(|timer| timer.line(instances))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_thirty_times_a_second_and_leave_a_processor_that_draws_in_peace() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = MeasurePace::default();
        assert!(pace.is_due(start, true), "the first one is due at once");
        // What takes 10 ms begins every 34 ms; what takes 60 ms follows at once.
        pace.begin(at(0));
        pace.end(at(10));
        assert!(!pace.is_due(at(33), false) && pace.is_due(at(34), false));
        pace.begin(at(100));
        pace.end(at(160));
        assert!(pace.is_due(at(160), false));
        // A processor that draws has four times as long for its pictures.
        assert!(!pace.is_due(at(399), true) && pace.is_due(at(400), true));
        pace.begin(at(500));
        pace.end(at(501));
        assert!(!pace.is_due(at(533), true) && pace.is_due(at(534), true));
    }

    #[test]
    fn time_passes_between_frames_while_something_plays_and_nobody_holds_the_playhead() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = Pace::new(None);
        assert_eq!(pace.begin_frame(at(0)), 0.0, "nothing has passed before the first frame");
        assert!((pace.begin_frame(at(20)) - 0.02).abs() < 1e-6);
        assert_eq!(pace.begin_frame(at(2000)), LONGEST_STEP);
        pace.set_scrubbing(true);
        assert_eq!(pace.begin_frame(at(2020)), 0.0);
        pace.set_scrubbing(false);
        assert!((pace.begin_frame(at(2030)) - 0.01).abs() < 1e-6, "the time that stood still does not count");
        pace.rest();
        assert_eq!(pace.begin_frame(at(2040)), 0.0);
        assert!(!pace.is_benchmark() && !pace.presented(1, "storage") && pace.line(1).is_none());
    }

    #[test]
    fn a_benchmark_plays_sixty_frames_a_second_and_ends_with_its_last() {
        let start = Instant::now();
        let wanted = super::super::Benchmark { frames: 2, json: true };
        let mut pace = Pace::new(Some(FrameTimer::new(wanted, start)));
        pace.set_scrubbing(true);
        assert!(pace.is_benchmark() && pace.begin_frame(start + Duration::from_secs(1)) == 1.0 / 60.0);
        assert!(!pace.presented(4, "storage"));
        assert!(pace.begin_measuring(start, true, true));
        pace.end_measuring(start);
        assert!(!pace.begin_measuring(start, true, true) && pace.begin_measuring(start, false, true));
        assert!(pace.presented(4, "storage"));
        assert!(pace.line(3).is_some_and(|line| line.contains("\"instances\":3")));
    }

    #[test]
    fn nothing_fades_where_frames_take_long() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut pace = Pace::new(None);
        assert!(pace.has_time_to_fade());
        for (begin, end, fades) in [(0, 220, false), (220, 271, false), (300, 350, true), (9000, 9010, true)] {
            pace.begin_frame(at(begin));
            pace.end_frame(at(end));
            assert_eq!(pace.has_time_to_fade(), fades, "{begin}…{end} ms");
        }
    }
}

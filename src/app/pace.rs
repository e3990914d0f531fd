//! How often the pose is measured while a clip plays. Measures may lag behind the picture; the picture never waits for them.

use std::time::{Duration, Instant};

/// Measures are read at most so often while a clip plays, since nobody reads numbers faster.
const BETWEEN: Duration = Duration::from_nanos(1_000_000_000 / 30);
/// Where the processor draws, measuring rests this many times as long as it took: with two cores it then has a tenth of them.
const RESTS: u32 = 4;

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
}

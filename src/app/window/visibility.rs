//! Finds out whether the window can be seen.

use std::time::{Duration, Instant};

/// Whether the window can be seen. One that cannot be is not drawn: nothing would hold it back to the display's pace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowVisibility {
    /// Whether its size is not zero.
    pub has_area: bool,
    /// Whether other windows cover it.
    pub covered: bool,
    minimised: bool,
    /// The time at which the window system was last asked, which takes a moment.
    asked: Option<Instant>,
}

impl WindowVisibility {
    /// How long it may still be drawn after it was minimised.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// Starts with a window that nothing covers yet; `has_area`: its size is not zero.
    pub fn new(has_area: bool) -> Self {
        Self { has_area, ..Self::default() }
    }

    /// Returns whether the window is worth drawing at `now`. `is_minimised` asks the window system, which takes a
    /// moment: it is called twice a second, and in every frame while the window is minimised.
    pub fn is_seen(&mut self, now: Instant, is_minimised: &dyn Fn() -> bool) -> bool {
        if self.minimised || self.asked.is_none_or(|asked| now - asked > Self::PATIENCE) {
            self.asked = Some(now);
            self.minimised = is_minimised();
        }
        self.has_area && !self.covered && !self.minimised
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_nobody_sees_is_known_in_time_and_so_is_its_return() {
        let (start, asked) = (Instant::now(), std::cell::Cell::new(0));
        let mut sight = WindowVisibility { has_area: true, ..WindowVisibility::default() };
        let mut seen = |ms: u64, minimised: bool| {
            let ask = || {
                asked.set(asked.get() + 1);
                minimised
            };
            sight.is_seen(start + Duration::from_millis(ms), &ask)
        };
        assert!((0..25).all(|i| seen(16 * i, false)) && asked.get() == 1, "not asked for every frame");
        assert!(seen(499, true) && !seen(501, true), "minimised for half a second");
        assert!(seen(502, false), "back at once");
        sight.covered = true;
        assert!(!sight.is_seen(start, &|| false));
        sight = WindowVisibility { has_area: false, ..WindowVisibility::default() };
        assert!(!sight.is_seen(start, &|| false));
    }
}

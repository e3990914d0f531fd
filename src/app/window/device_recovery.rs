//! Recovery from a lost graphics device: decides when to try for another, and when to give up. Knows nothing of
//! devices; its caller says what happened and when.

use std::time::{Duration, Instant};

/// A device that is lost this often within [`WITHIN`] is expected to be lost again.
const MOST_LOSSES: usize = 3;
const WITHIN: Duration = Duration::from_secs(10);
/// The pauses before further tries after one that found no device, since a driver that resets takes a while.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// The history of devices that were lost.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// The times at which devices were lost recently.
    losses: Vec<Instant>,
    /// How many tries since the last loss found no device.
    tries: usize,
    next_try: Option<Instant>,
}

impl Recovery {
    /// Notes that a device was lost. Returns true where another may be opened at once, false where devices are lost too
    /// often.
    pub fn lost(&mut self, now: Instant) -> bool {
        self.losses.retain(|then| now.saturating_duration_since(*then) < WITHIN);
        self.losses.push(now);
        self.tries = 0;
        self.next_try = Some(now);
        self.losses.len() < MOST_LOSSES
    }

    /// Notes that no device could be opened. Returns true where another try is made later, false after enough tries.
    pub fn failed(&mut self, now: Instant) -> bool {
        let pause = PAUSES.get(self.tries);
        self.tries += 1;
        self.next_try = pause.and_then(|pause| now.checked_add(*pause));
        self.next_try.is_some()
    }

    /// Notes that a device is open.
    pub fn done(&mut self) {
        self.next_try = None;
    }

    /// Returns the time of the next try, while there is no device.
    pub fn next_try(&self) -> Option<Instant> {
        self.next_try
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_losses_within_ten_seconds_are_too_many_and_three_in_a_minute_are_not() {
        let start = Instant::now();
        let at = |secs| start + Duration::from_secs(secs);
        let mut often = Recovery::default();
        assert_eq!([often.lost(at(0)), often.lost(at(4)), often.lost(at(9))], [true, true, false]);
        let mut seldom = Recovery::default();
        assert_eq!([0, 5, 11, 22, 33].map(|secs| seldom.lost(at(secs))), [true; 5]);
    }

    #[test]
    fn tries_come_at_once_then_farther_apart_and_end() {
        let start = Instant::now();
        let mut recovery = Recovery::default();
        assert_eq!(recovery.next_try(), None);
        assert!(recovery.lost(start));
        assert_eq!(recovery.next_try(), Some(start));
        let mut now = start;
        let mut pauses = Vec::new();
        while recovery.failed(now) {
            let next = recovery.next_try().unwrap();
            pauses.push((next - now).as_millis());
            now = next;
        }
        assert_eq!(pauses, [250, 500, 1000, 2000, 4000]);
        // A device that was found in between starts the count anew.
        assert!(recovery.lost(now + WITHIN));
        assert!(recovery.failed(now + WITHIN));
        recovery.done();
        assert_eq!(recovery.next_try(), None);
    }
}

//! Short messages of the application, each of which is shown for a moment.

use super::Status;

/// A short message; each is shown once, for a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The number of the message, counted from 1.
    pub(super) number: u64,
    pub(super) text: String,
    /// Whether something was not done, or not completely.
    pub(super) is_warning: bool,
}

impl Status {
    /// Shows what was done, with a tick.
    pub fn say(&mut self, text: String) {
        self.notice = Notice { number: self.notice.number + 1, text, is_warning: false };
    }

    /// Shows what was not done, or not completely, with the sign of a warning.
    pub fn warn(&mut self, text: String) {
        self.notice = Notice { number: self.notice.number + 1, text, is_warning: true };
    }
}

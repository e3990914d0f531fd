//! The messages of this run, each with the time at which it came: what the panel *Log* lists.

use std::collections::VecDeque;

use skinscope_session::Session;

use super::Status;

/// How many messages are kept.
const MOST: usize = 500;

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    Error,
    Warning,
    Done,
}

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Seconds since the window opened.
    pub secs: f64,
    pub kind: MessageKind,
    pub text: String,
}

/// The messages so far.
#[derive(Debug, Default)]
pub(super) struct MessageLog {
    messages: VecDeque<Message>,
    /// The error and the number of the notice that were seen last, and how many warnings of the open file.
    error: Option<String>,
    notice: u64,
    warnings: usize,
}

impl MessageLog {
    /// Looks for messages that are new.
    pub(super) fn look(&mut self, session: &Session, status: &Status, secs: f64) {
        if status.error != self.error {
            self.error.clone_from(&status.error);
            if let Some(text) = &status.error {
                self.push(secs, MessageKind::Error, text.clone());
            }
        }
        if status.notice.number != self.notice {
            self.notice = status.notice.number;
            let kind = if status.notice.is_warning { MessageKind::Warning } else { MessageKind::Done };
            self.push(secs, kind, status.notice.text.clone());
        }
        let warnings = session.document().map_or(&[][..], |document| &document.warnings);
        if warnings.len() != self.warnings {
            let seen = std::mem::replace(&mut self.warnings, warnings.len());
            for text in warnings.iter().skip(seen) {
                self.push(secs, MessageKind::Warning, text.clone());
            }
        }
    }

    /// Notes that another model is open, with warnings of its own.
    pub(super) fn forget_warnings(&mut self) {
        self.warnings = 0;
    }

    fn push(&mut self, secs: f64, kind: MessageKind, text: String) {
        if self.messages.len() == MOST {
            self.messages.pop_front();
        }
        self.messages.push_back(Message { secs, kind, text });
    }

    /// Returns the messages, the oldest first.
    pub(super) fn messages(&self) -> impl ExactSizeIterator<Item = &Message> + DoubleEndedIterator {
        self.messages.iter()
    }

    /// Returns all messages as text, a line each.
    pub(super) fn text(&self) -> String {
        let line = |message: &Message| {
            let kind = match message.kind {
                MessageKind::Error => "error",
                MessageKind::Warning => "warning",
                MessageKind::Done => "done",
            };
            format!("{:.1} s  {kind}: {}\n", message.secs, message.text.replace('\n', " "))
        };
        self.messages.iter().map(line).collect()
    }
}

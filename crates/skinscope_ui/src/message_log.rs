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

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_session::Document;

    use super::*;

    fn opened(warnings: &[&str]) -> Session {
        let mut session = Session::default();
        let warnings = warnings.iter().map(|text| (*text).to_owned()).collect();
        session.open(Document::new(std::sync::Arc::new(tube(Tube::default())), warnings, None));
        session
    }

    #[test]
    fn the_last_messages_are_kept_and_are_copied_as_a_line_each() {
        let (mut log, mut status) = (MessageLog::default(), Status::default());
        for i in 0..MOST + 10 {
            status.say(format!("message {i}\nof two lines"));
            log.look(&Session::default(), &status, i as f64);
        }
        let text = log.text();
        assert_eq!((log.messages().len(), text.lines().count()), (MOST, MOST));
        assert_eq!(text.lines().next(), Some("10.0 s  done: message 10 of two lines"));
        assert_eq!(text.lines().last(), Some("509.0 s  done: message 509 of two lines"));
    }

    #[test]
    fn the_warnings_of_each_file_are_listed_once() {
        let (mut log, status) = (MessageLog::default(), Status::default());
        let mut session = opened(&["a", "b"]);
        log.look(&session, &status, 0.0);
        log.look(&session, &status, 1.0);
        session.warn(&["c".to_owned()]);
        log.look(&session, &status, 2.0);
        log.forget_warnings();
        log.look(&opened(&["x", "y", "z"]), &status, 3.0);
        let said: Vec<(&str, MessageKind)> =
            log.messages().map(|message| (message.text.as_str(), message.kind)).collect();
        assert_eq!(said, ["a", "b", "c", "x", "y", "z"].map(|text| (text, MessageKind::Warning)));
    }
}

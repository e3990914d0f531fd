//! `view --record FILE`: every command that the window carries out is written down, a line each, as it happens.

use std::path::Path;

use super::{App, AppError, Options};
use crate::output::LineLog;
use crate::session::{
    Command, Effect, PlaybackCommand, RECORDING_SCHEMA, RecordedSource, RecordingHead, Session, command_line,
};

/// Writes commands down.
#[derive(Debug)]
pub(super) struct Recorder {
    log: LineLog,
    path: String,
    /// The first line, as far as it is known, and the lines after it, until the window has a size.
    waiting: Option<(RecordingHead, Vec<String>)>,
    /// Why the file takes no more, where that was not told yet.
    failed: Option<String>,
    /// Whether it takes no more.
    ended: bool,
}

impl Recorder {
    /// Makes the file, which does not exist yet.
    ///
    /// # Errors
    /// It cannot be made, or another file has its name.
    pub fn create(path: &Path, options: &Options) -> Result<Self, AppError> {
        let name = path.display().to_string();
        let log = LineLog::create(path).map_err(|error| AppError::Record { path: name.clone(), error })?;
        let source = RecordedSource::of(&options.source, options.session.clone());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let head = RecordingHead { schema: RECORDING_SCHEMA, version, source, window: [0.0; 2] };
        Ok(Self { log, path: name, waiting: Some((head, Vec::new())), failed: None, ended: false })
    }

    /// Writes the first line, now that the window has this size, points.
    pub fn begin(&mut self, window: [f32; 2]) {
        let Some((head, lines)) = self.waiting.take() else { return };
        let head = serde_json::to_string(&RecordingHead { window, ..head }).unwrap_or_default();
        self.add(&head);
        lines.iter().for_each(|line| self.add(line));
    }

    /// Writes a command down that is about to be carried out. Time that passes while nothing plays changes nothing, and is left out.
    pub fn note(&mut self, command: &Command, session: &Session) {
        if matches!(command, Command::Playback(PlaybackCommand::Advance(_))) && !session.playback().playing {
            return;
        }
        let line = command_line(command);
        match &mut self.waiting {
            Some((_, lines)) => lines.push(line),
            None => self.add(&line),
        }
    }

    fn add(&mut self, line: &str) {
        if self.ended {
            return;
        }
        if let Err(error) = self.log.add(line) {
            self.ended = true;
            self.failed = Some(format!("Commands are recorded no more.\n{}: {error}", self.path));
        }
    }
}

impl App {
    /// Lets the session carry a command out, and writes it down where commands are recorded. Everything that the window changes of its
    /// session goes through here.
    pub(super) fn change(&mut self, command: impl Into<Command>) -> Option<Effect> {
        let command = command.into();
        if let Some(recorder) = &mut self.recorder {
            recorder.note(&command, &self.session);
            if let Some(why) = recorder.failed.take() {
                self.status.error = Some(why);
            }
        }
        self.session.apply(command)
    }
}

//! `view --record FILE`: every command that the window carries out is written down, a line each, as it happens, and the strokes that were
//! painted beside it, as `skinscope paint` takes them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::App;
use super::AppError;
use crate::output::{self, LineLog};
use crate::paint::{LayerId, StrokesFile};
use crate::session::{
    Command, Effect, Painting, PlaybackCommand, RECORDING_SCHEMA, RecordedSource, RecordingHead, STROKES_ENDING,
    Session, Source, command_line,
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
    strokes: StrokesBeside,
}

/// The files of strokes beside a record: `NAME.strokes.json`, those into layers such as `NAME.1-Skirt.strokes.json` and
/// `NAME.2-Skirt.mask.strokes.json`, and pose files that begin with the same name.
#[derive(Debug, Default)]
struct StrokesBeside {
    /// What it is called without its endings.
    path: PathBuf,
    /// The number of the strokes that it has ([`Painting::recorded_revision`]); 0 where there is none yet.
    revision: u64,
    /// The layers that there were then, with their names: files are called after them, and strokes into one that is removed are in none.
    layers: Vec<(LayerId, String)>,
    /// Whether it could not be written, which was told.
    ended: bool,
    /// The files of strokes that were written.
    written: BTreeSet<String>,
}

impl StrokesBeside {
    /// Writes the strokes that were painted, where they are others than those that were written last.
    ///
    /// # Errors
    /// A file cannot be written, or another record has left it.
    fn follow(&mut self, painting: &Painting) -> Result<(), (PathBuf, io::Error)> {
        let revision = painting.recorded_revision();
        let has_none = painting.recorded_count() == 0 && self.revision == 0;
        let named = painting.layers().layers().iter().map(|layer| (layer.id(), layer.name()));
        let is_same =
            self.revision == revision && named.clone().eq(self.layers.iter().map(|(id, name)| (*id, &**name)));
        if self.ended || has_none || is_same {
            return Ok(());
        }
        self.layers = named.map(|(id, name)| (id, name.to_owned())).collect();
        self.ended = true;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut files = painting.recorded_files(&name);
        // Where all strokes of a file were undone it keeps none.
        let is_left = |file: &&String| files.iter().all(|(other, _)| other != *file);
        let left: Vec<String> = self.written.iter().filter(is_left).cloned().collect();
        files.extend(left.into_iter().map(|file| (file, StrokesFile::default().text())));
        for (file, text) in files {
            let path = self.path.with_file_name(&file);
            // What another record has left is not replaced.
            let written = if file.ends_with(STROKES_ENDING) && self.written.insert(file) {
                output::write_new(&path, text.as_bytes())
            } else {
                output::write(&path, text.as_bytes())
            };
            written.map_err(|error| (path, error))?;
        }
        (self.revision, self.ended) = (revision, false);
        Ok(())
    }
}

impl Recorder {
    /// Makes the file, which does not exist yet. What is opened first is `source`, or the model of a session file.
    ///
    /// # Errors
    /// It cannot be made, or another file has its name.
    pub fn create(path: &Path, source: &Source, session: Option<PathBuf>) -> Result<Self, AppError> {
        let name = path.display().to_string();
        let log = LineLog::create(path).map_err(|error| AppError::Record { path: name.clone(), error })?;
        let source = RecordedSource::of(source, session);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let head = RecordingHead { schema: RECORDING_SCHEMA, version, source, window: [0.0; 2] };
        let strokes = StrokesBeside { path: path.with_extension(""), ..StrokesBeside::default() };
        Ok(Self { log, path: name, waiting: Some((head, Vec::new())), failed: None, ended: false, strokes })
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

    /// Writes the strokes down that were painted, once they are others.
    pub fn note_strokes(&mut self, painting: &Painting) {
        if let Err((path, error)) = self.strokes.follow(painting) {
            self.failed = Some(format!("Strokes are recorded no more.\n{}: {error}", path.display()));
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
        }
        let effect = self.session.apply(command);
        if let Some(recorder) = &mut self.recorder {
            recorder.note_strokes(self.session.painting());
            if let Some(why) = recorder.failed.take() {
                self.status.error = Some(why);
            }
        }
        effect
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::import::{Options, Progress};
    use crate::model::NodeId;
    use crate::paint;
    use crate::session::{
        ChannelValue, EditCommand, LayerCommand, PaintCommand, PoseSource, ViewCommand, read_command,
    };

    #[test]
    fn commands_are_written_as_they_happen_and_no_file_is_replaced() {
        let path = std::env::temp_dir().join(format!("skinscope_recorder_{}.jsonl", std::process::id()));
        let _absent = std::fs::remove_file(&path);
        let mut recorder = Recorder::create(&path, &Source::BuiltIn, None).unwrap();
        let mut session = Session::default();
        recorder.note(&ViewCommand::SetCrowd(1).into(), &session);
        recorder.begin([960.0, 600.0]);
        let passes = PlaybackCommand::Advance(0.25).into();
        recorder.note(&passes, &session);
        session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
        recorder.note(&passes, &session);
        recorder.note(&EditCommand::Undo.into(), &session);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        let head: RecordingHead = serde_json::from_str(lines.next().unwrap()).unwrap();
        assert_eq!(
            (head.source, head.window, head.schema),
            (RecordedSource::BuiltIn, [960.0, 600.0], RECORDING_SCHEMA)
        );
        let commands: Vec<Command> = lines.map(|line| read_command(line).unwrap()).collect();
        // Time passes only where a clip plays.
        assert_eq!(commands, [ViewCommand::SetCrowd(1).into(), passes, EditCommand::Undo.into()]);
        let refused = Recorder::create(&path, &Source::BuiltIn, None).unwrap_err().to_string();
        assert!(refused.contains(path.to_str().unwrap()), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn strokes_are_written_beside_the_record_without_those_that_were_undone() {
        let folder = std::env::temp_dir().join(format!("skinscope_recorded_strokes_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut recorder = Recorder::create(&folder.join("hour.jsonl"), &Source::BuiltIn, None).unwrap();
        let mut session = Session::default();
        session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
        recorder.note_strokes(session.painting());
        let path = folder.join("hour.strokes.json");
        assert!(!path.exists(), "nothing was painted");
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
        session.apply(EditCommand::Edit(NodeId(0), ChannelValue::Rotation(Vec3::Y * 20.0)));
        session.apply(EditCommand::EndEdit);
        session.apply(PaintCommand::Flood);
        recorder.note_strokes(session.painting());
        assert!(recorder.failed.is_none(), "{:?}", recorder.failed);
        let script = paint::read(&path, session.document().unwrap().stored(), paint::PaintedOn::Weights)
            .unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((script.strokes.len(), script.poses), (1, vec![folder.join("hour.pose-1.pose.json")]));
        session.apply(EditCommand::Undo);
        recorder.note_strokes(session.painting());
        assert!(!std::fs::read_to_string(&path).unwrap().contains("smooth"), "it was undone");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn strokes_into_a_layer_are_in_a_file_of_their_own_which_is_empty_once_they_were_undone() {
        let folder = std::env::temp_dir().join(format!("skinscope_recorded_layers_{}", std::process::id()));
        let _absent = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut recorder = Recorder::create(&folder.join("hour.jsonl"), &Source::BuiltIn, None).unwrap();
        let mut session = Session::default();
        session.open(Source::BuiltIn.load(&Options::default(), &Progress::silent()).unwrap());
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(PaintCommand::Hold(Some("smooth".to_owned())));
        session.apply(PaintCommand::Layer(LayerCommand::Add("Skirt".to_owned())));
        session.apply(PaintCommand::Flood);
        recorder.note_strokes(session.painting());
        assert!(recorder.failed.is_none(), "{:?}", recorder.failed);
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(read("hour.1-Skirt.strokes.json").contains("smooth") && !read("hour.strokes.json").contains("smooth"));
        session.apply(EditCommand::Undo);
        recorder.note_strokes(session.painting());
        assert!(!read("hour.1-Skirt.strokes.json").contains("smooth"));
        session.apply(EditCommand::Redo);
        let layer = session.painting().layers().active().unwrap();
        session.apply(PaintCommand::Layer(LayerCommand::Rename(layer, "Cape".to_owned())));
        recorder.note_strokes(session.painting());
        assert!(read("hour.1-Cape.strokes.json").contains("smooth"));
        assert!(!read("hour.1-Skirt.strokes.json").contains("smooth"), "it has another name now");
        session.apply(PaintCommand::Layer(LayerCommand::Remove(layer)));
        recorder.note_strokes(session.painting());
        assert!(recorder.failed.is_none() && !read("hour.1-Cape.strokes.json").contains("smooth"));
        // The file of a layer that another record has left is named, and stays.
        std::fs::write(folder.join("later.1-Cloak.strokes.json"), "other").unwrap();
        let mut recorder = Recorder::create(&folder.join("later.jsonl"), &Source::BuiltIn, None).unwrap();
        session.apply(PaintCommand::Forget);
        session.apply(PaintCommand::Layer(LayerCommand::Add("Cloak".to_owned())));
        session.apply(PaintCommand::Flood);
        recorder.note_strokes(session.painting());
        assert!(recorder.failed.as_ref().is_some_and(|why| why.contains("later.1-Cloak.strokes.json")));
        assert_eq!(read("later.1-Cloak.strokes.json"), "other");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! Commands that were recorded: the text of a recording, which `skinscope view --record` writes. Its first line is a
//! [`RecordingHead`]; each of the others is a command, in the order in which commands were carried out. Names of families and commands
//! are those of the variants: `{"Edit":{"ResetMorph":2}}`, `{"Edit":"Undo"}`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Command, Source};

/// The number of the form that recordings have.
pub const RECORDING_SCHEMA: u32 = 1;

/// The first line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingHead {
    /// [`RECORDING_SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// The version of that program.
    pub version: String,
    /// What was opened first.
    pub source: RecordedSource,
    /// The width and height of the window, points.
    pub window: [f32; 2],
}

/// What was open when a recording began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RecordedSource {
    /// The character that comes with the program.
    BuiltIn,
    /// A model, by its path.
    File(PathBuf),
    /// A session file, by its path.
    Session(PathBuf),
    /// A page of a teaching example that is a file, by its path.
    Page(PathBuf),
    /// A teaching example.
    Example {
        /// Its id.
        id: String,
        /// The values of its sliders, by their ids.
        sliders: BTreeMap<String, f32>,
    },
}

impl RecordedSource {
    /// Returns what is written of a source, or of a session file, which is opened in its place.
    #[must_use]
    pub fn of(source: &Source, session: Option<PathBuf>) -> Self {
        match (session, source) {
            (Some(path), _) => Self::Session(path),
            (None, Source::File(path)) => Self::File(path.clone()),
            (None, Source::Page(path)) => Self::Page(path.clone()),
            (None, Source::BuiltIn) => Self::BuiltIn,
            (None, Source::Example(start)) => {
                let example = start.settings.example();
                let sliders =
                    example.sliders.iter().map(|slider| (slider.id.to_owned(), start.settings.get(slider.id)));
                Self::Example { id: example.id.to_owned(), sliders: sliders.collect() }
            }
        }
    }
}

/// A line of a recording that is no command.
#[derive(Debug)]
pub enum UnreadableLine {
    /// The command could not be written as a text when it was recorded; this is what it was, for people.
    NotRecorded(String),
    /// It is no command of this version, and why.
    Unknown(serde_json::Error),
}

impl fmt::Display for UnreadableLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRecorded(command) => write!(f, "a command that has no text: {command}"),
            Self::Unknown(error) => write!(f, "no command: {error}"),
        }
    }
}

impl std::error::Error for UnreadableLine {}

/// What stands in place of a command that has no text.
#[derive(Serialize, Deserialize)]
struct NotRecorded {
    not_recorded: String,
}

/// Returns a command as a line of a recording, without line break. One that would not be read back as it is (numbers that are not
/// finite, paths that are no Unicode) becomes a line that [`read_command`] refuses, and says so.
#[must_use]
pub fn command_line(command: &Command) -> String {
    let text = serde_json::to_string(command).ok();
    let again = |text: &String| {
        let read = serde_json::from_str::<Command>(text).ok()?;
        serde_json::to_string(&read).ok()
    };
    if let Some(text) = text.filter(|text| again(text).as_ref() == Some(text)) {
        return text;
    }
    let line = NotRecorded { not_recorded: format!("{command:?}") };
    serde_json::to_string(&line).unwrap_or_default()
}

/// Reads a line of a recording that [`command_line`] has made.
///
/// # Errors
/// The line is no command of this version of the program.
pub fn read_command(line: &str) -> Result<Command, UnreadableLine> {
    serde_json::from_str(line).map_err(|error| match serde_json::from_str::<NotRecorded>(line) {
        Ok(line) => UnreadableLine::NotRecorded(line.not_recorded),
        Err(_) => UnreadableLine::Unknown(error),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{Quat, Vec2, Vec3};
    use skinscope_base::math::Aabb;
    use skinscope_edit::Settings;
    use skinscope_model::NodeId;

    use super::*;
    use crate::{
        CameraCommand, ChannelValue, EditCommand, FileCommand, MarkCommand, MarkMode, MarkShape, PlaybackCommand,
        ToolCommand, ViewCommand,
    };

    #[test]
    fn commands_are_read_back_to_the_bit() {
        let third = 1.0_f32 / 3.0;
        let lasso = Arc::new(vec![Vec2::new(third, 2.0e-9), Vec2::MAX]);
        let settings = Settings {
            threshold: 0.1 + 0.2,
            copied: vec![(NodeId(3), f64::from(third)), (NodeId(1), 1.0 / 3.0)],
            pose: Some(Arc::default()),
            ..Settings::default()
        };
        let commands: [Command; 9] = [
            EditCommand::Undo.into(),
            EditCommand::Edit(NodeId(2), ChannelValue::Quaternion(Quat::from_rotation_x(third))).into(),
            EditCommand::TurnNodes([(NodeId(7), Quat::from_rotation_y(0.1))].into()).into(),
            MarkCommand::In(MarkShape::Lasso(lasso), MarkMode::Add).into(),
            ToolCommand::Set(Arc::new(settings)).into(),
            ViewCommand::SetMethod("dual-quaternion").into(),
            ViewCommand::SetOverlay(None).into(),
            CameraCommand::FrameBox(Aabb { min: Vec3::splat(-third), max: Vec3::splat(f32::MIN_POSITIVE) }).into(),
            FileCommand::Open("a \"b\".glb".into()).into(),
        ];
        for command in commands {
            let line = command_line(&command);
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(read_command(&line).unwrap(), command, "{line}");
        }
        assert_eq!(command_line(&EditCommand::ResetMorph(2).into()), r#"{"Edit":{"ResetMorph":2}}"#);
    }

    #[test]
    fn what_cannot_be_read_back_says_so() {
        let line = command_line(&PlaybackCommand::Seek(f32::NAN).into());
        let refused = read_command(&line).unwrap_err();
        assert!(refused.to_string().contains("Seek(NaN)"), "{refused}");
        let refused = read_command(r#"{"View":{"SetMethod":"no-such"}}"#).unwrap_err();
        assert!(refused.to_string().contains("\"no-such\""), "{refused}");
    }
}

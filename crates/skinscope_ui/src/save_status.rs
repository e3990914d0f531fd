//! What the dialogs about saving and about edits that are in no file show.

use std::path::PathBuf;

use skinscope_session::{SaveKind, UnsavedWork};

/// A model that is about to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveStatus {
    /// Where the file goes.
    pub kind: SaveKind,
    /// The name of the model.
    pub name: String,
    /// The file that is written, as far as it is known; the user can change it unless it is the open one.
    pub target: PathBuf,
    /// Whether the system has a dialog that asks for a file.
    pub has_dialog: bool,
    /// Whether what meshopt had compressed is compressed again.
    pub recompresses: bool,
    /// How far that is.
    pub stage: SaveStage,
}

/// How far saving is.
#[derive(Clone, Debug, PartialEq)]
pub enum SaveStage {
    /// What will change is being worked out.
    Planning,
    /// The user is asked.
    Ready(SaveSummary),
    /// Files are being written.
    Writing,
    /// Nothing was written, and why.
    Failed(String),
}

/// What saving will change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveSummary {
    /// Vertices whose stored joints or weights change.
    pub vertices: usize,
    /// Joints whose weight changes for some vertex.
    pub joints: usize,
    /// Inverse bind matrices that change.
    pub binds: usize,
    /// Clips that are new.
    pub clips: usize,
    /// Sentences about new clips that stand so far away that floats round their keys.
    pub coarse: Vec<String>,
    /// Accessors, by their index, whose numbers change or that are new.
    pub accessors: Vec<usize>,
    /// Bytes of buffers that change or are new.
    pub bytes: u64,
    /// Values of the JSON text that change, are new or go.
    pub json_values: u64,
    /// How many accessors are stored plain from now on, by what they were stored by: `Draco`, `meshopt`, `sparse`.
    pub unpacked: Vec<(&'static str, usize)>,
    /// How many accessors are compressed by meshopt again.
    pub recompressed: usize,
    /// The names of the files that are written, the model's own last.
    pub files: Vec<String>,
    /// The names of those among them that are there already; a copy of each is kept.
    pub replaced: Vec<String>,
}

/// The open file has been changed by another program while there is unsaved work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedStatus {
    /// The name of the model.
    pub name: String,
    /// What was made and is in no file.
    pub work: UnsavedWork,
}

/// What is in no file, of a model that is about to be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedStatus {
    /// The name of the model, or of the session file.
    pub name: String,
    /// A session file is open, and does not hold what was made since.
    pub is_session: bool,
    /// Whether a session file can name the open model; an example has none.
    pub has_file: bool,
    /// What is in no file.
    pub work: UnsavedWork,
    /// The window closes, in place of another model being opened.
    pub quits: bool,
}

/// Edits that an earlier run has left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryOffer {
    /// The name of the model.
    pub name: String,
    /// Its file; `None`: the built-in character.
    pub file: Option<String>,
    /// Vertices with edited weights.
    pub vertices: usize,
    /// Clips that the file does not have.
    pub clips: usize,
    /// Joints with edited inverse bind matrices.
    pub binds: usize,
    /// Nodes and morph weights with an edited pose.
    pub posed: usize,
    /// Sliders and controls.
    pub controls: usize,
    /// Joints with limits or pins, and nodes with another partner than was found.
    pub ruled: usize,
    /// What had been set aside, since the model had no place for it.
    pub set_aside: usize,
    /// Vertices that were marked by hand.
    pub marks: usize,
    /// Joints of other files' clips of which was said which joints they are.
    pub names: usize,
    /// How long ago they were written down, seconds.
    pub age_secs: u64,
}

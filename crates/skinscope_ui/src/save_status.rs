//! The contents of the dialogs about saving and about edits that are in no file.

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
    /// Whether data that was compressed by meshopt is compressed again.
    pub recompresses: bool,
    /// Whether files with other names (hard links) stay one each.
    pub keeps_links: bool,
    /// Whether the file keeps the layers of weights; `None` where there are none.
    pub keeps_layers: Option<bool>,
    /// What was made that no file has: some of it is no part of a model's file.
    pub work: UnsavedWork,
    /// How many steps cannot be undone any more once the model was saved and is read again.
    pub lost_steps: usize,
    /// The progress of saving.
    pub stage: SaveStage,
}

/// The progress of saving.
#[derive(Clone, Debug, PartialEq)]
pub enum SaveStage {
    /// The changes are being computed.
    Planning,
    /// The user is asked.
    Ready(Box<SaveSummary>),
    /// Files are being written.
    Writing,
    /// Nothing was written.
    Failed(SaveFailure),
}

/// The reason why nothing was written, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveFailure {
    /// The reason, and what to do about it.
    pub why: String,
    /// Whether the model could be written into another file.
    pub other_file_helps: bool,
}

/// The changes that saving will make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveSummary {
    /// Names of files that are replaced and have other names (hard links), and how many.
    pub links: Vec<(String, u64)>,
    /// Vertices whose stored joints or weights change.
    pub vertices: usize,
    /// The meshes that these are of, with how many of them each has.
    pub meshes: Vec<(String, usize)>,
    /// The names of the joints whose weight changes for some vertex.
    pub joints: Vec<String>,
    /// Inverse bind matrices that change.
    pub binds: usize,
    /// Clips that are new.
    pub clips: usize,
    /// Morph targets that are new, go, or get other names.
    pub shapes: usize,
    /// Sentences about new clips that are so far from the origin that floats round their keys.
    pub coarse: Vec<String>,
    /// Accessors, by their index, whose numbers change or that are new.
    pub accessors: Vec<usize>,
    /// Bytes of buffers that change or are new.
    pub bytes: u64,
    /// Values of the JSON text that change, are new or go.
    pub json_values: u64,
    /// How many accessors become plain ones, by the encoding that they had: `Draco`, `meshopt`, `sparse`.
    pub unpacked: Vec<(&'static str, usize)>,
    /// How many accessors are compressed by meshopt again.
    pub recompressed: usize,
    /// The names of the files that are written, the model's own last.
    pub files: Vec<String>,
    /// The names of those of them that exist already; a backup of each is written.
    pub replaced: Vec<String>,
}

/// The open file has been changed by another program while there is unsaved work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedStatus {
    /// The name of the model.
    pub name: String,
    /// The work that is in no file.
    pub work: UnsavedWork,
    /// Whether a tool shows what it would do, and was not applied.
    pub is_trying: bool,
}

/// What happens once a question about unsaved work is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThenCloses {
    /// The window closes.
    Window,
    /// Another model takes the place of the open one.
    Model,
    /// The model is closed, and the one beside it stays.
    OneOfTwo,
}

/// Work that is in no file, of a model that is about to be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsavedStatus {
    /// The name of the model, or of the session file.
    pub name: String,
    /// Whether a session file is open, which does not contain the newest work.
    pub is_session: bool,
    /// Whether a session file can name the open model; an example has none.
    pub has_file: bool,
    /// Whether saving the model writes its layers of weights too.
    pub keeps_layers: bool,
    /// The work that is in no file.
    pub work: UnsavedWork,
    /// What happens then.
    pub then: ThenCloses,
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
    /// Meshes that gained a skin.
    pub bindings: usize,
    /// Meshes with other morph targets than their file has.
    pub shapes: usize,
    /// Joints that were placed and are no nodes yet.
    pub placed: usize,
    /// Nodes and morph weights with an edited pose.
    pub posed: usize,
    /// Sliders and controls.
    pub controls: usize,
    /// Joints with limits or pins, and nodes with another partner than was found.
    pub ruled: usize,
    /// Edits that had been set aside, since the model had no counterpart for them.
    pub set_aside: usize,
    /// Vertices that were marked by hand.
    pub marks: usize,
    /// Joints of other files' clips that the user has mapped to joints of the model.
    pub names: usize,
    /// The time since they were written, seconds.
    pub age_secs: u64,
}

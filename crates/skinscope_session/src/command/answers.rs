//! The choices of dialogs about files: where edits are saved, and what becomes of those that are in no file.

/// Which file edited weights are written into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SaveKind {
    /// The open one, of which a copy is made.
    InPlace,
    /// Another one, which is then the open one.
    As,
    /// Another one; the open one stays open, with its edits.
    Copy,
}

/// What becomes of edits that are in no file when their model is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum UnsavedAnswer {
    /// They are saved first.
    Save,
    /// They are saved in a session file first.
    SaveSession,
    /// They are lost.
    Discard,
    /// The model stays open.
    Cancel,
}

/// What becomes of edits that an earlier run has left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RecoveryAnswer {
    /// Their model is opened, with them.
    Restore,
    /// They are lost.
    Discard,
    /// They are offered again when the program starts next.
    Later,
}

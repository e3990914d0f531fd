//! What can go wrong with a file, and what was repaired, each as one readable line.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why a file does not open. Displays as one line: where, what was expected, what was found, what to do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file system said no.
    #[error("{path}: cannot be read ({source}); check that the file is there and that you may read it")]
    Read {
        /// As given.
        path: String,
        /// From the file system.
        source: std::io::Error,
    },
    /// The file breaks a rule of glTF 2.0.
    #[error("{place}: expected {expected}, found {found}; {advice}")]
    Invalid {
        /// Such as `accessor 12` or `skin 0, joint 7`.
        place: String,
        /// What the rule asks for.
        expected: String,
        /// What the file has.
        found: String,
        /// What to do.
        advice: &'static str,
    },
    /// The file cannot be shown without an extension that is not known here.
    #[error("extension {name} is required by the file but not supported; {advice}")]
    Extension {
        /// Such as `KHR_draco_mesh_compression`.
        name: String,
        /// What to do.
        advice: &'static str,
    },
    /// The file asks for more than [`super::Limits`] allow.
    #[error("{place}: {what} is {found}, more than the limit of {limit}; split the file into smaller ones")]
    Limit {
        /// Where.
        place: String,
        /// What is counted.
        what: &'static str,
        /// The file's number.
        found: u64,
        /// The number allowed.
        limit: u64,
    },
    /// The caller asked to stop.
    #[error("import was cancelled")]
    Cancelled,
}

/// What to do about a broken file when nothing more special is known.
const EXPORT_AGAIN: &str = "export the model again or repair it with a glTF validator's help";

impl ImportError {
    /// A broken rule, with the usual advice.
    pub(super) fn invalid(place: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::Invalid { place: place.into(), expected: expected.into(), found: found.into(), advice: EXPORT_AGAIN }
    }

    /// The same with its own advice.
    pub(super) fn advise(self, advice: &'static str) -> Self {
        match self {
            Self::Invalid { place, expected, found, .. } => Self::Invalid { place, expected, found, advice },
            other => other,
        }
    }
}

/// Something that was repaired or left out: the model opened all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Such as `mesh 0, primitive 2`.
    pub place: String,
    /// What is odd and what was done about it.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Warnings kept in full; a file with more of them gets one line that counts the rest.
const MOST_WARNINGS: usize = 1000;

/// Collects warnings while a file is read.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    list: Mutex<Vec<Warning>>,
    left_out: AtomicUsize,
}

impl Warnings {
    pub(super) fn add(&self, place: impl Into<String>, message: impl Into<String>) {
        let mut list = self.list.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if list.len() < MOST_WARNINGS {
            list.push(Warning { place: place.into(), message: message.into() });
        } else {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds those of another list after these.
    pub(super) fn append(&self, others: Self) {
        let left_out = others.left_out.into_inner();
        self.left_out.fetch_add(left_out, Ordering::Relaxed);
        for Warning { place, message } in others.list.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            self.add(place, message);
        }
    }

    /// Those so far.
    pub(super) fn so_far(&self) -> Vec<Warning> {
        self.list.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    pub(super) fn into_list(self) -> Vec<Warning> {
        let mut list = self.list.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let left_out = self.left_out.into_inner();
        if left_out > 0 {
            list.push(Warning { place: "file".into(), message: format!("{left_out} further warnings are not listed") });
        }
        list
    }
}

/// Text from the file, fit for a one-line message: escaped, and cut to 80 characters.
pub(super) fn quoted(text: &str) -> String {
    let mut out: String = text.chars().take(80).flat_map(char::escape_debug).collect();
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    format!("\"{out}\"")
}

/// Runs code of others that may panic on odd input (image decoders, the tangent generator); `None` if it did.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

//! Errors in a file, and repairs of it, each as one readable line.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use skinscope_base::words::counted;

/// The reason why a file does not open. It displays as one line: the location, what was expected, what was found, and
/// what the user can do.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file system returned an error.
    #[error("{path}: cannot be read ({source}); check that the file is there and that you may read it")]
    Read {
        /// The path as given.
        path: String,
        /// The reason that the file system gives.
        source: std::io::Error,
    },
    /// The file breaks a rule of glTF 2.0.
    #[error("{location}: expected {expected}, found {found}; {advice}")]
    Invalid {
        /// The location in the file, such as `accessor 12` or `skin 0, joint 7`.
        location: String,
        /// The value that the rule asks for.
        expected: String,
        /// The value that the file has.
        found: String,
        /// What the user can do about it.
        advice: &'static str,
    },
    /// The file cannot be shown without an extension that is not supported.
    #[error("extension {name} is required by the file but not supported; {advice}")]
    Extension {
        /// The name of the extension, such as `KHR_draco_mesh_compression`.
        name: String,
        /// What the user can do about it.
        advice: &'static str,
    },
    /// The file needs more than [`super::Limits`] allow.
    #[error(
        "{location}: {what} is {found}, more than the limit of {limit}; split the file, or pass a larger --max-memory if you trust it"
    )]
    Limit {
        /// The location in the file.
        location: String,
        /// The limited quantity, such as the number of pixels of an image.
        what: &'static str,
        /// The quantity that the file needs.
        found: u64,
        /// The largest quantity allowed.
        limit: u64,
    },
    /// A page of a teaching example has an error.
    #[error("{path}:{line}:{column}: {what}")]
    Page {
        /// The path as given.
        path: String,
        /// The line, counted from 1.
        line: usize,
        /// The character within the line, counted from 1.
        column: usize,
        /// What is wrong there, in words.
        what: String,
    },
    /// The importer panicked, which is a fault of the program and not of the file.
    #[error("the importer failed on this file, which is a fault of the program; please report it, with the file")]
    Internal,
    /// The caller cancelled the import ([`super::Progress::cancel`]).
    #[error("import was cancelled")]
    Cancelled,
    /// The caller gave up after so long a time.
    #[error("it takes longer than the {seconds} s of --time-limit; allow more, or look at this file alone")]
    TimeLimit {
        /// The time that it had.
        seconds: f64,
    },
}

/// The advice about a broken file when nothing more special is known.
const EXPORT_AGAIN: &str = "export the model again or repair it with a glTF validator's help";

impl ImportError {
    /// Makes an error about a broken rule, with the usual advice.
    pub(super) fn invalid(location: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let [location, expected, found] = [location.into(), expected.into(), found.into()].map(one_line);
        Self::Invalid { location, expected, found, advice: EXPORT_AGAIN }
    }

    /// Makes an error about a page of an example, at a line and a character that are both counted from 1.
    #[must_use]
    pub fn page(path: &Path, line: usize, column: usize, what: String) -> Self {
        Self::Page { path: path.display().to_string(), line, column, what: one_line(what) }
    }

    /// Returns the line without the location at its beginning, for a sentence that has named it.
    pub(super) fn after(&self, location: &str) -> String {
        let line = self.to_string();
        let rest = line.strip_prefix(location).and_then(|r| r.strip_prefix([',', ':']));
        rest.map_or(line.as_str(), str::trim_start).to_owned()
    }

    /// Returns the same error with other advice.
    pub(super) fn advise(self, advice: &'static str) -> Self {
        match self {
            Self::Invalid { location, expected, found, .. } => Self::Invalid { location, expected, found, advice },
            other => other,
        }
    }
}

/// Something in the file that import repaired or left out, so that the model could be opened. It displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The location in the file, such as `mesh 0, primitive 2`.
    pub location: String,
    /// What is wrong there and what was done about it.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// How many warnings are listed in full; a file with more of them gets one more line with their number.
const MOST_WARNINGS: usize = 1000;

/// Collects warnings while a file is read.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    list: Mutex<Vec<Warning>>,
    left_out: AtomicUsize,
}

impl Warnings {
    pub(super) fn add(&self, location: impl Into<String>, message: impl Into<String>) {
        let mut list = self.list.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if list.len() < MOST_WARNINGS {
            list.push(Warning { location: one_line(location.into()), message: one_line(message.into()) });
        } else {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds the warnings of another list after these.
    pub(super) fn append(&self, others: Self) {
        let left_out = others.left_out.into_inner();
        self.left_out.fetch_add(left_out, Ordering::Relaxed);
        for Warning { location, message } in others.list.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
        {
            self.add(location, message);
        }
    }

    /// Returns the warnings so far.
    pub(super) fn so_far(&self) -> Vec<Warning> {
        self.list.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    pub(super) fn into_list(self) -> Vec<Warning> {
        let mut list = self.list.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let left_out = self.left_out.into_inner();
        if left_out > 0 {
            list.push(Warning {
                location: "file".into(),
                message: format!("{} not listed", counted(left_out, "further warning is", "further warnings are")),
            });
        }
        list
    }
}

/// The most characters of a part of a message. Longer parts quote a file, or a decoder that does.
const LONGEST: usize = 300;

/// Makes a part of a message safe to show anywhere, whoever wrote it: it has no line ends, no control characters for
/// terminals or text direction, and is not too long.
fn one_line(text: String) -> String {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(harmful) && text.len() <= LONGEST && text.trim_end().len() == text.len() {
        return text;
    }
    let mut out: String =
        text.trim_end().chars().take(LONGEST).map(|c| if harmful(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        out.push('…');
    }
    out
}

/// Text from the file, fit for a one-line message: escaped, and cut to 80 characters.
pub(super) fn quoted(text: &str) -> String {
    let mut out: String = text.chars().take(80).flat_map(char::escape_debug).collect();
    if text.chars().nth(80).is_some() {
        out.push('…');
    }
    format!("\"{out}\"")
}

/// Runs code of other crates that may panic on odd input (image decoders, the tangent generator); `None` if it
/// panicked.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_keep_to_one_line_whoever_wrote_them() {
        let warnings = Warnings::default();
        warnings.add("image 0", "Not enough bytes\n");
        warnings.add("_\u{1b}[31m\u{202e}", "é".repeat(400));
        let lines: Vec<String> = warnings.into_list().iter().map(ToString::to_string).collect();
        assert_eq!(lines[0], "image 0: Not enough bytes");
        assert_eq!(lines[1], format!("_\u{fffd}[31m\u{fffd}: {}…", "é".repeat(300)));
        let error = ImportError::invalid("a\nb", "c", "d");
        assert_eq!(error.to_string(), format!("a\u{fffd}b: expected c, found d; {EXPORT_AGAIN}"));
        assert_eq!(error.after("a\u{fffd}b"), format!("expected c, found d; {EXPORT_AGAIN}"));
    }

    #[test]
    fn a_panic_behind_a_guard_is_no_more_than_a_missing_result() {
        assert_eq!(guarded(|| 7), Some(7));
        let list: [u8; 0] = [];
        let beyond = list.len() + 3;
        assert_eq!(guarded(|| list[beyond]), None);
    }
}

//! Models that are open in another program, which commands read and write in place of files.

mod content;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::content::Content;
use super::CliError;
use crate::edit::Sheet;
use crate::output::{self, Captured};
use crate::session::Document;
use crate::writeback::{Recompression, Saved};

/// A model that is open, under the word by which a command line names it.
#[derive(Clone, Debug)]
pub struct Given {
    /// The word, which is no name of another file.
    pub word: PathBuf,
    /// The model.
    pub content: Content,
}

/// The reason why a command has done nothing.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The reason, in the words of the program.
    pub message: String,
    /// The exit code that the program would end with: 1 a file is bad, 2 wrong usage.
    pub exit_code: u8,
}

impl From<CliError> for Failure {
    fn from(error: CliError) -> Self {
        let exit_code = error.exit_code();
        let message = match error {
            CliError::Arguments(error) => plain(&error.render().to_string()),
            error => error.to_string(),
        };
        Self { message, exit_code }
    }
}

/// Returns what the error of a command line says, without what tells how a whole line is to be.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let end = ["\n\nUsage:", "\n\nFor more"].iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    text[..end].trim_end().to_owned()
}

/// The models that this thread's command has, and what it has written.
#[derive(Debug, Default)]
struct Table {
    given: Vec<Given>,
    written: Option<Given>,
}

thread_local! {
    static TABLE: RefCell<Option<Table>> = const { RefCell::new(None) };
}

/// Returns the model that a word names, where the command runs within another program and has it.
pub(super) fn given(word: &Path) -> Option<Document> {
    TABLE.with_borrow(|table| {
        let table = table.as_ref()?;
        let found = table.written.iter().chain(&table.given).find(|given| given.word == word)?;
        Some(found.content.document.clone())
    })
}

/// Returns the bytes of the model that a word names, where it is open in another program and no file has them as they are.
pub(super) fn bytes_of(word: &Path) -> Option<Arc<[u8]>> {
    TABLE.with_borrow(|table| {
        let found = table.as_ref()?.given.iter().find(|given| given.word == word)?;
        found.content.bytes_in_memory()
    })
}

/// Keeps in memory what is edited in the sheet of an open model, under the word of the output; `None` where the model is a file like any
/// other, or is of several files, which are written where the output says.
pub(super) fn keep(
    [model, out]: [&Path; 2],
    sheet: &Sheet,
    recompression: Recompression,
) -> Option<Result<Saved, CliError>> {
    let content = TABLE.with_borrow(|table| {
        let given = table.as_ref()?.given.iter().find(|given| given.word == model)?;
        given.content.is_one_file().then(|| given.content.clone())
    })?;
    let kept = content.edited(sheet, recompression).map(|(content, saved)| {
        let written = Given { word: out.to_owned(), content };
        TABLE.with_borrow_mut(|table| table.iter_mut().for_each(|table| table.written = Some(written.clone())));
        saved
    });
    Some(kept)
}

/// Runs work that has these models; returns also what it has written and printed.
pub(super) fn with<T>(given: Vec<Given>, work: impl FnOnce() -> T) -> (T, Option<Content>, Captured) {
    let outer = TABLE.replace(Some(Table { given, written: None }));
    let (done, captured) = output::captured(work);
    let written = TABLE.replace(outer).and_then(|table| table.written);
    (done, written.map(|written| written.content), captured)
}

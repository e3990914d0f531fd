//! Reads pages of examples that are files: on a rig of ours, or on a model that the page names.

use std::io::Read;
use std::path::{Path, PathBuf};

use skinscope_examples::{self as examples, Ground, Lesson, Named, PageError, Start};
use skinscope_import::{self as import, ImportError, Options, Progress, Warning};

/// The most bytes of a page.
const LONGEST: u64 = 1 << 20;

/// Returns whether a file is a page by its name.
#[must_use]
pub fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// A page that was read.
pub(crate) struct PageFile {
    pub lesson: Lesson,
    /// The page itself, and the model that it names.
    pub files: Vec<PathBuf>,
    /// Warnings about the model.
    pub warnings: Vec<Warning>,
}

impl PageFile {
    /// Reads a page and what it is about. Sliders and symbol are those of `before`, as far as the page has them.
    pub fn read(
        path: &Path,
        before: Option<&Start>,
        options: &Options,
        progress: &Progress,
    ) -> Result<Self, ImportError> {
        let text = text_of(path)?;
        let id = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let fault = |PageError { line, column, what }| ImportError::page(path, line, column, what);
        let start = |ground| {
            let example = examples::read(&text, &id, Some(path), ground).map_err(fault)?;
            Ok(before.map_or_else(|| Start::of(example), |before| before.for_page(example)))
        };
        match examples::named(&text).map_err(fault)? {
            Named::Rig(scene) => {
                let lesson = Lesson::new(start(Ground::Rig(scene))?);
                Ok(Self { lesson, files: vec![path.to_owned()], warnings: Vec::new() })
            }
            Named::Model(file) => {
                let model = beside(path, &file);
                let import = import::import_file(&model, options, progress)?;
                let lesson = Lesson::of_model(start(Ground::Model(&import.model))?, import.model);
                Ok(Self { lesson, files: vec![path.to_owned(), model], warnings: import.warnings })
            }
        }
    }

    /// Returns the file of the model that a page names, whether it is there or not.
    pub(crate) fn model_of(path: &Path) -> Option<PathBuf> {
        match examples::named(&text_of(path).ok()?).ok()? {
            Named::Rig(_) => None,
            Named::Model(file) => Some(beside(path, &file)),
        }
    }
}

/// Returns a file that a page names, seen from the folder of the page.
fn beside(page: &Path, file: &str) -> PathBuf {
    page.parent().map_or_else(|| PathBuf::from(file), |folder| folder.join(file))
}

/// Reads the text of a page, and no more of a file that is larger than any page.
fn text_of(path: &Path) -> Result<String, ImportError> {
    let unread = |source| ImportError::Read { path: path.display().to_string(), source };
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(unread)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() as u64 > LONGEST {
        return Err(ImportError::page(path, 1, 1, format!("a page has {LONGEST} bytes at most")));
    }
    // Some editors begin a text with a mark of its encoding.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map_err(|error| {
        let (before, valid) = (&error.as_bytes()[..error.utf8_error().valid_up_to()], "expected text in UTF-8");
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
        ImportError::page(path, line, column, valid.into())
    })
}

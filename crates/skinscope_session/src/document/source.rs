//! What can be opened, and how it is read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skinscope_anim as anim;
use skinscope_examples::{Lesson, Start};
use skinscope_import::{self as import, ImportError, Options, Progress, Warning};
use skinscope_inspect::check::{extent_at_rest, stray_warning};
use skinscope_model::Model;

use crate::Document;
use crate::document::page_file::{PageFile, is_page};

/// The character that comes with the program (`examples/make_assets` writes it).
static BUILT_IN: &[u8] = include_bytes!("../../../../assets/character.glb");

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The character that comes with the program.
    BuiltIn,
    /// A file.
    File(PathBuf),
    /// A page of a teaching example that is a file, with its sliders as they are at first.
    Page(PathBuf),
    /// A teaching example, with its sliders.
    Example(Start),
}

impl Source {
    /// Returns the file if one is named, else the built-in character.
    #[must_use]
    pub fn of(path: Option<PathBuf>) -> Self {
        path.map_or(Self::BuiltIn, Self::File)
    }

    /// Returns what a file is by its name: a page or a model.
    #[must_use]
    pub fn of_named(path: PathBuf) -> Self {
        if is_page(&path) { Self::Page(path) } else { Self::File(path) }
    }

    /// Returns the name for titles and messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::BuiltIn => "Built-in character".into(),
            Self::Example(start) => start.settings.example().title.into(),
            Self::File(path) | Self::Page(path) => {
                path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into())
            }
        }
    }

    /// The bytes of the character that comes with the program; `None` for a file.
    #[must_use]
    pub fn built_in_bytes(&self) -> Option<&'static [u8]> {
        matches!(self, Self::BuiltIn).then_some(BUILT_IN)
    }

    /// Reads the file or the built-in character.
    ///
    /// # Errors
    /// The file is bad; the message says what is wrong, where, and what to do.
    pub fn load(&self, options: &Options, progress: &Progress) -> Result<Document, ImportError> {
        let import = match self {
            Self::BuiltIn => import::import_bytes(BUILT_IN, &self.name(), options, progress)?,
            Self::File(path) => import::import_file(path, options, progress)?,
            Self::Page(path) => return load_page(path, None, options, progress),
            Self::Example(start) => {
                return match start.settings.example().file {
                    Some(path) => load_page(path, Some(start), options, progress),
                    None => Ok(Document::of_lesson(Lesson::new(*start))),
                };
            }
        };
        let mut warnings = lines(&import.warnings);
        warnings.extend(strays(&import.model));
        Ok(Document::new(import.model, warnings, self.path()))
    }

    /// Does the same as [`Source::load`], and gives the document to `shown` once, as soon as it can be drawn; its
    /// images arrive while this goes on. Returns all warnings at the end.
    ///
    /// # Errors
    /// The same as those of [`Source::load`], but none after `shown`.
    pub fn load_showing(
        &self,
        options: &Options,
        progress: &Progress,
        shown: &mut dyn FnMut(Document),
    ) -> Result<Vec<String>, ImportError> {
        if matches!(self, Self::Example(_) | Self::Page(_)) {
            let document = self.load(options, progress)?;
            let warnings = document.warnings.clone();
            shown(document);
            return Ok(warnings);
        }
        let mut outside = None;
        let shown = &mut |model: Arc<Model>, warnings: Vec<Warning>| {
            outside = strays(&model);
            let warnings = lines(&warnings).into_iter().chain(outside.clone()).collect();
            let document = Document::new(model, warnings, self.path());
            // This is done here, so that no picture waits for it.
            _ = (document.stats(), document.kept_layers());
            shown(document);
        };
        let import = match self {
            Self::BuiltIn => import::import_bytes_showing(BUILT_IN, &self.name(), options, progress, shown)?,
            Self::File(path) => import::import_file_showing(path, options, progress, shown)?,
            Self::Example(_) | Self::Page(_) => return Ok(Vec::new()),
        };
        Ok(lines(&import.warnings).into_iter().chain(outside).collect())
    }

    /// Returns the file that it is: a model or a page.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Self::BuiltIn => None,
            Self::Example(start) => start.settings.example().file.map(PathBuf::from),
            Self::File(path) | Self::Page(path) => Some(path.clone()),
        }
    }

    /// Returns the files that the one which it is names, whether they are there or not: what a model refers to, and the model of a page
    /// with what that refers to.
    #[must_use]
    pub fn named_files(&self, options: &Options) -> Vec<PathBuf> {
        match (self, self.path()) {
            (_, None) => Vec::new(),
            (Self::File(_), Some(path)) => import::named_files(&path, options),
            (_, Some(page)) => {
                let model = PageFile::model_of(&page);
                let named = model.iter().flat_map(|model| import::named_files(model, options)).collect::<Vec<_>>();
                model.into_iter().chain(named).collect()
            }
        }
    }

    /// Returns whether the model's file or a buffer of it ends before it is whole, as one does that is still being written
    /// ([`skinscope_import::is_cut_off`]).
    #[must_use]
    pub fn is_cut_off(&self, options: &Options) -> bool {
        match (self, self.path()) {
            (_, None) => false,
            (Self::File(_), Some(path)) => import::is_cut_off(&path, options),
            (_, Some(page)) => PageFile::model_of(&page).is_some_and(|model| import::is_cut_off(&model, options)),
        }
    }
}

/// Reads a page. Its sliders stand as in `before`, as far as it has them.
fn load_page(
    path: &Path,
    before: Option<&Start>,
    options: &Options,
    progress: &Progress,
) -> Result<Document, ImportError> {
    let PageFile { lesson, files, warnings } = PageFile::read(path, before, options, progress)?;
    let mut warnings = lines(&warnings);
    // The rigs of ours have none.
    warnings.extend(strays(lesson.moment().model()));
    Ok(Document::of_page(lesson, files, warnings))
}

impl Document {
    /// Makes a document of a model that is no file, such as a member of an archive, with the warnings of its import.
    #[must_use]
    pub fn of_model(model: Arc<Model>, warnings: &[Warning]) -> Self {
        let warnings = lines(warnings).into_iter().chain(strays(&model)).collect();
        Self::new(model, warnings, None)
    }

    /// Returns what it was opened from.
    #[must_use]
    pub fn source(&self) -> Source {
        match self.lesson() {
            Some(lesson) => Source::Example(lesson.start()),
            None => Source::of(self.path.clone()),
        }
    }

    /// Returns whether it is the character that comes with the program, also where it was opened as a file of its own. The file is read
    /// when that is first asked for, and only where it is as long.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        match self.source() {
            Source::BuiltIn => true,
            Source::File(path) => *self.copies_built_in.get_or_init(|| is_copy(&path)),
            Source::Page(_) | Source::Example(_) => false,
        }
    }
}

/// Returns whether a file has the bytes of the built-in character.
fn is_copy(path: &Path) -> bool {
    let is_as_long = std::fs::metadata(path).is_ok_and(|facts| facts.is_file() && facts.len() == BUILT_IN.len() as u64);
    is_as_long && std::fs::read(path).is_ok_and(|bytes| bytes == BUILT_IN)
}

/// Returns the warning about vertices far outside of a model at rest, if there are any.
fn strays(model: &Model) -> Option<String> {
    let mut rest = Vec::new();
    anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
    stray_warning(model, &extent_at_rest(model, &rest))
}

fn lines(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

//! The command line: one file per subcommand. Results go to standard output, errors to standard error.

#![cfg_attr(
    not(feature = "window"),
    expect(dead_code, reason = "what commands that draw use alone has a place beside the rest")
)]

mod bake_weights;
mod bind;
mod bind_from;
mod bind_placed;
mod check;
mod clip;
mod clips;
mod commands;
mod compare;
mod diff;
mod find;
mod fix;
mod fix_operations;
mod fix_report;
mod fix_values;
mod flood;
pub mod in_process;
mod info;
mod info_report;
mod info_text;
mod layers;
mod left_file;
mod line;
mod links;
mod load;
mod make_pose;
mod map;
mod markup;
mod measure;
mod method;
mod open_models;
mod opened;
mod origins;
mod paint;
mod paint_layers;
mod pose;
mod pose_steps;
mod posed;
mod sculpt;
mod sculpt_report;
mod sculpt_vertex;
mod sculpts;
mod solve;
mod solve_args;
mod solve_vertex;
mod storage;
mod subdivide;
mod write_args;

// What draws, or opens a window.
#[cfg(feature = "window")]
mod bake;
#[cfg(feature = "window")]
mod bench;
#[cfg(feature = "window")]
mod beside;
#[cfg(feature = "window")]
mod camera;
#[cfg(feature = "window")]
mod device_args;
#[cfg(feature = "window")]
mod environment;
#[cfg(feature = "window")]
mod example;
#[cfg(feature = "window")]
mod explain;
#[cfg(feature = "window")]
mod look;
#[cfg(feature = "window")]
mod picture_args;
#[cfg(feature = "window")]
mod preferences;
#[cfg(feature = "window")]
mod program;
#[cfg(feature = "window")]
mod render;
#[cfg(feature = "window")]
mod report;
#[cfg(feature = "window")]
mod skeleton;
#[cfg(feature = "window")]
mod toggles;
#[cfg(feature = "window")]
mod view;

#[cfg(feature = "window")]
pub use program::{captured, main, run};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::PossibleValue;

use crate::deform::{METHODS, PASSES};
use crate::import::{AskFormats, ImportError, Limits, Options, Progress};
use crate::output::{self, Overwritten, say};
use crate::pose::{FileError, PoseFile};
use crate::session::{ComparedFile, Document, Session, Source};
use crate::words::counted;
use crate::writeback::SaveError;

/// The file that every subcommand works on.
#[derive(Clone, Debug, Args)]
struct ModelArgs {
    /// A .gltf or .glb file; without it the built-in character
    #[arg(value_name = "MODEL")]
    model: Option<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
}

/// Says of the argument MODEL that it may be a session file, for commands that open one.
fn or_session(arg: clap::Arg) -> clap::Arg {
    arg.help("A .gltf or .glb file, or a session file; without it the built-in character")
}

/// Options of commands that open a file.
#[derive(Clone, Debug, Args)]
struct OpenArgs {
    /// Also read files outside the model's folder when the model refers to them
    #[arg(long)]
    allow_external: bool,
    /// Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it
    #[arg(long, value_name = "MIB", default_value = "4096", value_parser = clap::value_parser!(u64).range(64..=1 << 20))]
    max_memory: u64,
}

impl OpenArgs {
    fn options(&self) -> Options {
        Options {
            limits: Limits::of_memory(self.max_memory << 20),
            allow_external: self.allow_external,
            ..Options::default()
        }
    }
}

impl ModelArgs {
    fn load(&self) -> Result<Document, CliError> {
        self.load_for(None)
    }

    /// Opens the file for a device that reads `block_formats` (see [`Options`]).
    fn load_for(&self, block_formats: Option<AskFormats>) -> Result<Document, CliError> {
        Self::open(self.model.clone(), &self.options_for(block_formats))
    }

    fn options_for(&self, block_formats: Option<AskFormats>) -> Options {
        Options { frees_pixels: block_formats.is_some(), block_formats, ..self.open.options() }
    }

    /// Opens another file with the same limits.
    fn load_another(&self, path: &Path) -> Result<Document, CliError> {
        Self::open(Some(path.to_owned()), &self.open.options())
    }

    fn open(path: Option<PathBuf>, options: &Options) -> Result<Document, CliError> {
        if let Some(given) = path.as_deref().and_then(open_models::given) {
            return Ok(given);
        }
        path.as_deref().map_or(Ok(()), opened::refuse_session)?;
        let file = path.as_ref().map(|path| path.display().to_string());
        let source = Source::of(path);
        let file = file.unwrap_or_else(|| source.name());
        source.load(options, &Progress::silent()).map_err(|error| CliError::Import { file, error })
    }
}

/// The reason why a subcommand failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The arguments do not parse, or they ask for help or the version, which is no failure.
    #[error(transparent)]
    Arguments(#[from] clap::Error),
    /// The arguments do not fit the file.
    #[error("{0}")]
    Usage(String),
    /// The file is bad.
    #[error("{}", named(file, error))]
    Import {
        /// The path as the user gave it.
        file: String,
        /// The reason why it did not load.
        error: ImportError,
    },
    /// A pose file or a session file is bad.
    #[error("{}: {error}", printable(file))]
    Unreadable {
        /// The path as the user gave it.
        file: String,
        /// The reason why it could not be read.
        error: FileError,
    },
    /// Some of several files are bad; each error has been written.
    #[error("{unread} of {} {} not load", counted(*files, "file", "files"), if *unread == 1 { "does" } else { "do" })]
    Unread {
        /// How many files are bad.
        unread: usize,
        /// The number of files that were checked.
        files: usize,
    },
    /// Not everything is there that a report is to be made of; what is missing has been written.
    #[error("{0}")]
    Incomplete(String),
    /// There are findings as bad as `--fail-on` says.
    #[error("{count} {} of severity {severity} or worse", if *count == 1 { "finding" } else { "findings" })]
    Findings {
        /// How many findings there are, in all files.
        count: usize,
        /// The severity that the user asked for.
        severity: &'static str,
    },
    /// More of the surface is at fault than `--fail-over` allows.
    #[error("{count} {} of --fail-over exceeded", if *count == 1 { "limit" } else { "limits" })]
    Exceeded {
        /// How many limits are exceeded, in all files.
        count: usize,
    },
    /// There is no GPU, or the window could not be opened or failed.
    #[error("{reason}")]
    Device {
        /// The reason.
        reason: String,
        /// The exit code to end with.
        exit_code: u8,
    },
    /// The output would have replaced what is read.
    #[error(transparent)]
    Overwritten(#[from] Overwritten),
    /// Two files differ.
    #[error("the files differ")]
    Differ,
    /// A model could not be written back.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The output could not be written.
    #[error("could not write {}: {reason}", path.display())]
    Output {
        /// The path that was to be written.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

/// Returns the error after the file's name, unless it begins with it.
fn named(file: &str, error: &ImportError) -> String {
    let text = error.to_string();
    let file = printable(file);
    if text.starts_with(&file) { text } else { format!("{file}: {text}") }
}

/// Makes names from a file safe for a terminal: control characters, which a terminal would obey, are replaced.
fn printable(text: &str) -> String {
    let obeyed = |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(obeyed, "\u{fffd}")
}

impl CliError {
    /// Returns 1 for a bad file, 3 for findings, 2 for wrong usage and for a machine that lacks something.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Arguments(error) => u8::try_from(error.exit_code()).unwrap_or(2),
            Self::Import { .. } | Self::Unreadable { .. } | Self::Unread { .. } | Self::Incomplete(_) => 1,
            Self::Device { exit_code, .. } => *exit_code,
            Self::Findings { .. } | Self::Exceeded { .. } | Self::Differ => 3,
            _ => 2,
        }
    }
}

/// Reads a pose file.
fn read_pose(path: &Path) -> Result<PoseFile, CliError> {
    PoseFile::read(path).map_err(|error| CliError::Unreadable { file: path.display().to_string(), error })
}

/// Says which keys of a pose file a model has nothing for.
fn tell_unmatched(unmatched: &[String]) {
    for key in unmatched.iter().take(MOST_WARNINGS) {
        say(format_args!("warning: the model has nothing for \"{}\" of the pose", printable(key)));
    }
    if unmatched.len() > MOST_WARNINGS {
        let more = counted(unmatched.len() - MOST_WARNINGS, "more key", "more keys");
        say(format_args!("{more} of the pose without a counterpart"));
    }
}

/// Parses a name and a number, `NAME=VALUE` in the words of `form`; the value stands after the last `=`.
fn named_number(text: &str, form: &str, example: &str) -> Result<(String, f32), String> {
    let parsed = text.rsplit_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    let parsed = parsed.filter(|(name, value): &(String, f32)| value.is_finite() && !name.is_empty());
    parsed.ok_or_else(|| format!("expected {form}, such as {example}"))
}

/// Parses `X,Y,Z`.
fn parse_point(text: &str) -> Result<glam::DVec3, String> {
    // The numbers must also fit into f32.
    let fits = |n: &f64| (*n as f32).is_finite();
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok().filter(fits)).collect();
    match numbers.as_deref() {
        Some([x, y, z]) => Ok(glam::DVec3::new(*x, *y, *z)),
        _ => Err("expected X,Y,Z, such as -1,2,3.5".into()),
    }
}

/// Makes the error that a file could not be written.
fn unwritable(path: &Path, reason: impl ToString) -> CliError {
    CliError::Output { path: path.to_owned(), reason: reason.to_string() }
}

/// Prints to standard output; a reader that has gone away is no error.
fn print(text: &str) -> Result<(), CliError> {
    match output::print(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(unwritable(Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

/// How many warnings are written out; `info` lists them all.
const MOST_WARNINGS: usize = 20;

/// Writes to standard error what import repaired or left out.
fn tell_warnings(document: &Document) {
    let warnings = &document.warnings;
    for warning in warnings.iter().take(MOST_WARNINGS) {
        say(format_args!("warning: {}", printable(warning)));
    }
    if warnings.len() > MOST_WARNINGS {
        let more = counted(warnings.len() - MOST_WARNINGS, "more warning", "more warnings");
        say(format_args!("{more}; `skinscope info` lists them"));
    }
}

fn method_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(METHODS.iter().map(|m| PossibleValue::new(m.id).help(m.help)))
}

/// Reads a model that is named beside others, or the one that is written back.
fn other_file(path: &Path, open: &OpenArgs) -> Result<Document, CliError> {
    if let Some(given) = open_models::given(path) {
        return Ok(given);
    }
    check::load(&Source::File(path.to_owned()), &open.options())
        .map_err(|error| CliError::Import { file: path.display().to_string(), error })
}

/// Compares the model from now on with that file.
fn compare_with(session: &mut Session, path: &Path, other: &Document) -> Result<(), CliError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = ComparedFile { model: Arc::clone(other.stored()), name };
    let why =
        |why| CliError::Usage(format!("{} cannot be compared with the model vertex by vertex: {why}", path.display()));
    session.compare_with(Some(file)).map_err(why)
}

/// Parses one side of a comparison: a method, and perhaps a pass after it.
fn parse_side(text: &str) -> Result<String, String> {
    let known = || METHODS.iter().map(|method| method.id).collect::<Vec<_>>().join(", ");
    let passes = || PASSES.iter().map(|pass| format!("+{}", pass.id)).collect::<Vec<_>>().join(" or ");
    let choice = crate::session::MethodChoice::named(text);
    choice
        .map(|choice| choice.id())
        .ok_or_else(|| format!("expected one of {}, and {} after it where wanted", known(), passes()))
}

/// Returns the methods by which the range of motion can be measured: those without data of each vertex, since it
/// deforms samples of the surface.
fn measurable_methods() -> clap::builder::PossibleValuesParser {
    let able = METHODS.iter().filter(|method| method.data.is_none());
    clap::builder::PossibleValuesParser::new(able.map(|m| PossibleValue::new(m.id).help(m.help)))
}

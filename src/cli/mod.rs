//! The command line: one file per subcommand. Results go to standard output, errors to standard error.

mod bake;
mod bake_weights;
mod bench;
mod beside;
mod bind;
mod bind_from;
mod bind_placed;
mod camera;
mod check;
mod clip;
mod clips;
mod compare;
mod device_args;
mod diff;
mod environment;
mod example;
mod explain;
mod find;
mod fix;
mod fix_operations;
mod fix_report;
mod fix_values;
mod flood;
mod info;
mod info_report;
mod info_text;
mod layers;
mod left_file;
mod line;
mod links;
mod load;
mod look;
mod make_pose;
mod map;
mod markup;
mod measure;
mod method;
mod opened;
mod origins;
mod paint;
mod paint_layers;
mod pose;
mod pose_steps;
mod posed;
mod preferences;
mod render;
mod report;
mod sculpt;
mod sculpt_report;
mod sculpt_vertex;
mod sculpts;
mod skeleton;
mod solve;
mod solve_args;
mod solve_vertex;
mod storage;
mod subdivide;
mod toggles;
mod view;
mod write_args;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand};

use crate::app::AppError;
use crate::deform::{METHODS, PASSES};
use crate::import::{AskFormats, ImportError, Limits, Options, Progress};
use crate::output::{self, Captured, Overwritten, say};
use crate::pose::{FileError, PoseFile};
use crate::render::GpuError;
use crate::session::{ComparedFile, Document, ExportSettings, MOST_MEMBERS, Session, Source};
use crate::words::counted;
use crate::writeback::SaveError;

/// Opens any skinned glTF model, shows how each joint moves each vertex, and lets you pose it.
///
/// Without a subcommand it opens a window, as `view` does. Without MODEL it takes the built-in character.
#[derive(Debug, Parser)]
#[command(
    name = "skinscope",
    version,
    args_conflicts_with_subcommands = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no display, GPU or place to write to, \
        3 `check` found what --fail-on names, or `diff` a difference.\n\n\
        Examples:\n  skinscope character.glb\n  skinscope render character.glb -o picture.png --clip Walk --time 0.5\n  \
        skinscope bake character.glb -o posed.ply --clip 0 --time 1.25\n  skinscope info character.glb --json\n  skinscope check *.glb --fail-on warning\n  \
        skinscope fix character.glb -o fixed.glb --rules all\n  skinscope --example twist-bar"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Subcommands>,
    #[command(flatten)]
    view: view::ViewArgs,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    View(view::ViewArgs),
    Render(Box<render::RenderArgs>),
    Bake(bake::BakeArgs),
    Pose(make_pose::MakePoseArgs),
    Clip(clip::ClipArgs),
    Info(info::InfoArgs),
    Check(check::CheckArgs),
    Fix(Box<fix::FixArgs>),
    Paint(Box<paint::PaintArgs>),
    Bind(Box<bind::BindArgs>),
    Links(links::LinksArgs),
    Solve(Box<solve::SolveArgs>),
    BakeWeights(Box<bake_weights::BakeWeightsArgs>),
    Sculpt(Box<sculpt::SculptArgs>),
    Diff(diff::DiffArgs),
    Compare(compare::CompareArgs),
    Measure(measure::MeasureArgs),
    Bench(bench::BenchArgs),
    Examples(example::ExamplesArgs),
    Preferences(preferences::PreferencesArgs),
    Explain(explain::ExplainArgs),
    Report(report::ReportArgs),
}

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
    /// There is no GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The window could not be opened or failed.
    #[error(transparent)]
    App(#[from] AppError),
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
            Self::Import { .. }
            | Self::Unreadable { .. }
            | Self::Unread { .. }
            | Self::Incomplete(_)
            | Self::App(AppError::Import { .. }) => 1,
            Self::Findings { .. } | Self::Exceeded { .. } | Self::Differ => 3,
            _ => 2,
        }
    }
}

/// The commands that open a graphics device and no window.
const DRAWING: [&str; 4] = ["render", "bake", "check", "report"];

/// The commands that do one large piece of work and end, and keep little of the memory that they have freed. `bake` and `check` are not among
/// them: they work on many files and poses, whose memory is used again.
const WORKING_ONCE: [&str; 2] = ["render", "bind"];

/// Carries out the command line of this process, and writes the error of a command that fails. `started` is the time at which the
/// process started.
pub fn main(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|command| DRAWING.iter().any(|drawing| command == drawing)) {
        skinscope_base::environment::look_for_no_display();
    }
    skinscope_base::environment::open_no_drivers_of_missing_cards();
    if arguments.get(1).is_some_and(|command| WORKING_ONCE.iter().any(|once| command == once)) {
        skinscope_base::memory::keep_little();
    }
    output::report_large_files();
    match run(arguments, started) {
        Ok(()) => ExitCode::SUCCESS,
        // clap prints help, the version and its errors in colours of its own.
        Err(CliError::Arguments(error)) => error.exit(),
        Err(error) => {
            say(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Carries out a command line without a process of its own: returns the exit code, and what it writes on standard output and standard
/// error (but for what other threads write, such as those of `check`, and for terminal colours). Paths are relative to the current
/// folder of this process, as ever.
pub fn captured(arguments: impl IntoIterator<Item = OsString>) -> (u8, Captured) {
    let (result, mut captured) = output::captured(|| run(arguments, Instant::now()));
    let Err(error) = result else { return (0, captured) };
    match &error {
        CliError::Arguments(error) => {
            let out = if error.use_stderr() { &mut captured.stderr } else { &mut captured.stdout };
            out.extend_from_slice(error.render().to_string().as_bytes());
        }
        error => captured.stderr.extend_from_slice(format!("skinscope: {error}\n").as_bytes()),
    }
    (error.exit_code(), captured)
}

/// Carries out a command line. `started` is the time at which the process started.
///
/// # Errors
/// The error has the exit code to end with.
pub fn run(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> Result<(), CliError> {
    let cli = Cli::try_parse_from(arguments)?;
    match cli.command {
        None => view::run(cli.view, started),
        Some(Subcommands::View(args)) => view::run(args, started),
        Some(Subcommands::Render(args)) => render::run(&args),
        Some(Subcommands::Bake(args)) => bake::run(&args),
        Some(Subcommands::Pose(args)) => make_pose::run(&args),
        Some(Subcommands::Clip(args)) => clip::run(&args),
        Some(Subcommands::Info(args)) => info::run(&args, started),
        Some(Subcommands::Check(args)) => check::run(&args),
        Some(Subcommands::Fix(args)) => fix::run(&args),
        Some(Subcommands::Paint(args)) => paint::run(&args),
        Some(Subcommands::Bind(args)) => bind::run(&args),
        Some(Subcommands::Links(args)) => links::run(&args),
        Some(Subcommands::Solve(args)) => solve::run(&args),
        Some(Subcommands::BakeWeights(args)) => bake_weights::run(&args),
        Some(Subcommands::Sculpt(args)) => sculpt::run(&args),
        Some(Subcommands::Diff(args)) => diff::run(&args),
        Some(Subcommands::Compare(args)) => compare::run(&args),
        Some(Subcommands::Measure(args)) => measure::run(&args),
        Some(Subcommands::Bench(args)) => bench::run(&args),
        Some(Subcommands::Examples(args)) => example::run(&args),
        Some(Subcommands::Preferences(args)) => preferences::run(&args),
        Some(Subcommands::Explain(args)) => explain::run(&args),
        Some(Subcommands::Report(args)) => report::run(&args),
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

/// Parses `1280x720`.
fn parse_size(text: &str) -> Result<[u32; 2], String> {
    if let Some((_, size)) = ExportSettings::SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Ok(*size);
    }
    let parts = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match parts {
        Some([w @ 1..=8192, h @ 1..=8192]) => Ok([w, h]),
        _ => Err("expected WIDTHxHEIGHT in pixels, each 1 to 8192, such as 1280x720; or 1080p, or 4K".into()),
    }
}

/// Returns the parser of a crowd's size.
fn crowd_sizes() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MOST_MEMBERS))
}

fn method_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(METHODS.iter().map(|m| PossibleValue::new(m.id).help(m.help)))
}

/// Reads a model that is named beside others, or the one that is written back.
fn other_file(path: &Path, open: &OpenArgs) -> Result<Document, CliError> {
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

/// The text after the long help of subcommands that read one file and write another: the source of names, and the exit
/// codes.
const AFTER_HELP: &str = "`skinscope info MODEL` lists the names and numbers of clips, joints, cameras, lights and variants.\n\n\
    Files are written whole or not at all, and never over one that the model is made of.\n\n\
    Exit codes: 0 all went well, 1 the file is bad, 2 wrong usage or no GPU or place to write to.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_number_without_a_name_is_refused() {
        for (start, option, form) in [
            ("--example=twist-bar", "--slider", "NAME=VALUE"),
            ("examples twist-bar", "--slider", "NAME=VALUE"),
            ("render a.glb -o a.png", "--control", "NAME=VALUE"),
            ("render a.glb -o a.png", "--morph", "NAME=WEIGHT"),
        ] {
            let parse = |value| {
                let words = ["skinscope"].into_iter().chain(start.split(' ')).chain([option, value]);
                Cli::try_parse_from(words).map_err(|error| error.to_string())
            };
            for bad in ["=1", "1", "theta=", "theta=inf"] {
                let refused = parse(bad).unwrap_err();
                assert!(refused.contains(&format!("expected {form}, such as")), "{start} {option} {bad}: {refused}");
            }
            assert!(parse("theta=1").is_ok() && parse("a=b=-1").is_ok(), "{start} {option}");
        }
    }

    #[test]
    fn sizes_parse_and_refuse_nonsense() {
        assert_eq!(parse_size("1280x720"), Ok([1280, 720]));
        for bad in ["", "1280", "0x720", "-1x2", "axb", "99999x1"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}

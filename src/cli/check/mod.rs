//! `skinscope check`: finds what is wrong with the skins of many files.

pub(super) mod bound;
mod gates;
mod junit;
mod names;
mod page;
mod pictures;
mod report;
mod rom;
mod runtime;
mod sarif;
mod sinks;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use self::gates::Limit;
use self::names::Names;
use self::pictures::{Painter, Pictures};
use self::report::Outcome;
use self::runtime::predict;
pub(super) use self::runtime::{packing, unskinned};
use self::sinks::{FileOutput, Format, Sinks, Totals, spare};
use super::line::ProgressLine;
use super::{CliError, MOST_WARNINGS, OpenArgs, read_pose};
use crate::edit::Packing;
use crate::import::{ImportError, Limits, Options, Progress};
use crate::inspect::check::{CheckOptions, RULES, Severity, check};
use crate::inspect::rom::ROM_RULES;
use crate::parallel;
use crate::pose::PoseFile;
use crate::session::{Document, Source};
use crate::words::counted;

/// Find what is wrong with the skins of files: weights, joints, matrices, seams
///
/// Files are checked as they are stored, before anything that opening them repairs, on all cores. What is said comes in the
/// order of the files (with --json-lines, in the order in which they are done), each as soon as it can be, so that any number
/// of files takes no more memory than a few. Standard output holds the findings, worst first; warnings and errors go to
/// standard error.
///
/// The JSON has the fields: schema (1), files [{path, findings [{rule, severity, mesh, primitive, materials [names of those that draw the
/// vertices; null for the default material], vertex_count, vertices (the first 256), joints [node indices], message, fix, measure {what, value, unit}, pose}], summary {error, warning, info},
/// symmetry {judged, not_judged, without_image [{mesh, primitive, vertex_count, vertices (the first 256)}], without_plane,
/// without_partner, without_weights (likewise, where there are some)} (how many skinned vertices were compared with their mirror
/// images, how many were not, and which of these have no mirror image, are of meshes without a plane of symmetry, have joints without a
/// partner on the other side, or no usable weights; absent where the rule asymmetry has not
/// run), gates [{gate, percent, limit, passed, vertices (stored vertices of the surface at fault)}] (those of --fail-over), error}]. All indices are the file's own. mesh and primitive are null for findings about joints; measure may be null; pose
/// is null for the pose that the file stores, or says where the finding is seen best: {joint, axis, degrees} is the rest
/// pose (or that of --pose) with one joint turned about an axis of its own, {clip, time} a clip at seconds of its own. error is there only where
/// a file does not load: the reason, beside no findings. rom is there only after a range of motion: {complete, poses (that
/// were measured), planned, joints (or clips) and seconds (that it was allowed, or null)}. runtime is there
/// only with --runtime: {name, influences, joints_per_draw, vertices, losing (vertices that lose joints), largest_loss (of a vertex'
/// weight), normalised (vertices that the runtime divides by their sum), vertex_bytes, vertex_bytes_implied (without the last weight), joints, palette_bytes, fits, unskinned_copies (nodes with copies of a skinned mesh that the runtime draws without the skin), over (clips or rom), worst_mm,
/// mean_mm, rms_mm, clip, time, mesh, primitive, vertex (where the surface is farthest from that of the weights as they are)}.
///
/// A line of --json-lines has the fields of an item of files, with file in place of path; where a file does not load it has
/// file and error alone. In SARIF every finding is a result whose properties are the finding as JSON has it, and a file
/// that does not load is a result of the rule file-not-loaded. In JUnit's report every file is a suite and every rule a test. A share
/// of --fail-over is a test gate-NAME there, which fails where it is exceeded; SARIF has a result of that rule where it is, with what JSON
/// has as its properties.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct CheckArgs {
    /// The .gltf and .glb files; without one the built-in character
    #[arg(value_name = "MODEL")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
    /// Also check the files that this file names, one on each line; - reads standard input
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
    /// Print a line of JSON for each file as soon as it is done, in the order in which they are done
    #[arg(long)]
    json_lines: bool,
    /// Print SARIF 2.1.0, for code scanning; with =FILE write it there and print the text as well
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    sarif: Option<Option<PathBuf>>,
    /// Print a report as JUnit's, for pipelines; with =FILE write it there and print the text as well
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    junit: Option<Option<PathBuf>>,
    /// Also write one page with a picture of each finding
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// End with exit code 3 where a finding has this severity or a worse one
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// End with exit code 3 where more of a file's surface than this share is at fault, as in unweighted=0.5%; may be given several
    /// times. The shares are listed below
    #[arg(long, value_name = "GATE=PERCENT", value_parser = gates::limit)]
    fail_over: Vec<Limit>,
    /// Allow this many joints to move a vertex, as the runtime does that will show the models
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// Say too what a runtime makes of the weights, and let its number of joints be --limit: three, unity-4, unity-2, unity-1, bevy,
    /// unreal-8, unreal-12, 4xu8, 8xu8, or numbers: N:TYPE:JOINTS (influences, u8, u16, f32 or stored, joints of a draw)
    #[arg(long, value_name = "NAME", value_parser = packing, conflicts_with = "limit")]
    runtime: Option<Packing>,
    /// Run these rules alone, with commas between them; without it, all rules
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rules(), hide_possible_values = true)]
    rules: Option<Vec<String>>,
    #[command(flatten)]
    rom: rom::RomArgs,
}

impl CheckArgs {
    /// Returns the forms that are wanted on standard output instead of text.
    fn on_stdout(&self) -> impl Iterator<Item = Format> {
        let wanted = [
            (self.json, Format::Json),
            (self.json_lines, Format::JsonLines),
            (self.sarif == Some(None), Format::Sarif),
            (self.junit == Some(None), Format::Junit),
        ];
        wanted.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, format)| format)
    }

    /// Returns the files to write, with the form of each.
    fn files(&self) -> impl Iterator<Item = (Format, &Path)> {
        let sarif = self.sarif.iter().flatten().map(|path| (Format::Sarif, path.as_path()));
        let junit = self.junit.iter().flatten().map(|path| (Format::Junit, path.as_path()));
        sarif.chain(junit).chain(self.html.iter().map(|path| (Format::Page, path.as_path())))
    }

    /// Returns whether `--rules` names a rule.
    fn names(&self, id: &str) -> bool {
        self.rules.iter().flatten().any(|rule| rule == id)
    }

    /// Returns whether a severity reaches `--fail-on`.
    fn fails(&self, severity: Severity) -> bool {
        self.fail_on.severity().is_some_and(|least| severity >= least)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Never,
}

impl FailOn {
    /// Returns the least severity that fails; `None`: none does.
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Never => None,
        }
    }
}

fn rules() -> PossibleValuesParser {
    PossibleValuesParser::new(RULES.iter().map(|rule| rule.id).chain(ROM_RULES.iter().map(|rule| rule.id)))
}

fn after_help() -> String {
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::from("Rules:\n");
    for rule in RULES {
        out += &format!("  {:width$}  {:<8} {}\n", rule.id, rule.severity.id(), rule.help);
    }
    out += "\nRules of --rom:\n";
    for rule in ROM_RULES {
        out += &format!("  {:width$}  {:<8} {}\n", rule.id, Severity::Info.id(), rule.help);
    }
    out += &gates::help();
    out + "\nExit codes: 0 nothing reaches --fail-on, 1 a file does not load, 2 wrong usage, 3 something reaches --fail-on or exceeds --fail-over."
}

/// Reads files in parallel within a bound of memory.
struct Loader {
    /// The options for a file that is read while all other threads read one too.
    light: Options,
    /// The options as they are asked for.
    full: Options,
    /// Locks for files that need more than `light` allows: each is taken by one file at a time.
    heavy: [Mutex<()>; 2],
}

/// The lock that allows a file more memory, for as long as it is checked.
type HeavyLock<'l> = Option<MutexGuard<'l, ()>>;

impl Loader {
    /// `threads` files are read at once. Together they may take twice the memory that one may (`--max-memory`), and so
    /// may the two at once that need more than their share.
    fn new(args: &OpenArgs, threads: usize) -> Self {
        let full = args.options();
        let bytes = args.max_memory << 20;
        let share = (2 * bytes / threads as u64).min(bytes);
        let light = Options { limits: Limits::of_memory(share), ..full.clone() };
        Self { light, full, heavy: Default::default() }
    }

    fn load(&self, turn: usize, source: &Source) -> (Result<Document, ImportError>, HeavyLock<'_>) {
        match load(source, &self.light) {
            Err(ImportError::Limit { .. }) if self.light.limits != self.full.limits => {
                let lock = self.heavy[turn % 2].lock().unwrap_or_else(PoisonError::into_inner);
                (load(source, &self.full), Some(lock))
            }
            loaded => (loaded, None),
        }
    }
}

pub(super) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let names = Names::open(&args.models, args.list.as_deref())?;
    let rules = args.rules.as_ref().map(|_| RULES.iter().map(|rule| rule.id).filter(|id| args.names(id)).collect());
    let limit = args.runtime.map_or(usize::from(args.limit), |packing| packing.influences);
    let options = CheckOptions { limit, rules, gates: gates::asked(&args.fail_over)? };
    let painter = args.html.as_ref().map(|_| Painter::new());
    let pose = args.rom.pose_file().map(read_pose).transpose()?;
    let count = names.count();
    let sinks = Sinks::begin(args, count)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(count.unwrap_or(cores));
    let (line, loader) = (ProgressLine::new(count), Loader::new(&args.open, threads));
    let task = Task { args, pose: pose.as_ref(), options: &options, painter: painter.as_ref(), loader: &loader };
    let names = Mutex::new((0, names));
    let next = || {
        let (turn, source) = {
            let (turn, names) = &mut *names.lock().unwrap_or_else(PoisonError::into_inner);
            *turn += 1;
            (*turn - 1, names.next())
        };
        let source = source.unwrap_or_else(|error| {
            sinks.fail(error);
            None
        });
        source.filter(|_| sinks.wait_for(turn)).map(|source| (turn, source))
    };
    parallel::drain(threads, &next, &|(turn, source): (usize, Source)| {
        let name = source.name();
        let work = || task.check(turn, &source, sinks.formats(), &|doing| line.say(turn, &name, doing));
        // A file on which the program fails must not keep the others waiting for their turn.
        let output = std::panic::catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| task.refused(&source, sinks.formats(), ImportError::Internal));
        line.end(turn);
        line.aside(|| sinks.take(turn, output));
    });
    let Totals { counts, exceeded } = sinks.end()?;
    let failing: usize = Severity::ALL.into_iter().filter(|s| args.fails(*s)).map(|s| counts[s as usize]).sum();
    match (args.fail_on.severity(), failing, exceeded) {
        (Some(severity), count @ 1.., _) => Err(CliError::Findings { count, severity: severity.id() }),
        (_, _, count @ 1..) => Err(CliError::Exceeded { count }),
        _ => Ok(()),
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

/// The settings with which each file is checked.
struct Task<'t> {
    args: &'t CheckArgs,
    pose: Option<&'t PoseFile>,
    options: &'t CheckOptions,
    painter: Option<&'t Painter>,
    loader: &'t Loader,
}

/// Returns the path of a file for people and reports.
fn path_of(source: &Source) -> String {
    match source {
        Source::BuiltIn | Source::Example(_) => source.name(),
        Source::File(path) | Source::Page(path) => path.display().to_string(),
    }
}

impl Task<'_> {
    /// Writes the result of a file in one form; `None` for the page, which has pictures.
    fn item(&self, format: Format, path: &str, outcome: &Outcome) -> Option<String> {
        Some(match format {
            Format::Text => report::text(path, outcome),
            Format::Json => report::json(path, outcome).to_string(),
            Format::JsonLines => report::json_line(path, outcome),
            Format::Sarif => sarif::results(path, outcome),
            Format::Junit => junit::suite(path, outcome, self.args.rules.as_deref(), &|s| self.args.fails(s)),
            Format::Page => return None,
        })
    }

    /// Returns the output for a file that does not load.
    fn refused(&self, source: &Source, formats: &[Format], error: ImportError) -> FileOutput {
        let path = path_of(source);
        let section = || page::section(&path, &page::Outcome::Refused(&error.to_string()));
        let item = |format: &Format| self.item(*format, &path, &Outcome::Refused(&error)).unwrap_or_else(section);
        let items = formats.iter().map(item).collect();
        FileOutput { items, warnings: Vec::new(), outcome: Err(CliError::Import { file: path, error }) }
    }

    /// Checks a file; `say` is called with what is being done.
    fn check(&self, turn: usize, source: &Source, formats: &[Format], say: &(dyn Fn(&str) + Sync)) -> FileOutput {
        let ended = |error| FileOutput { items: Vec::new(), warnings: Vec::new(), outcome: Err(error) };
        if let Source::File(path) = source
            && let Err(error) = spare(self.args, [path.as_path()])
        {
            return ended(error);
        }
        let path = path_of(source);
        say("reading");
        let (document, _heavy_lock) = self.loader.load(turn, source);
        let document = match document {
            Ok(document) => document,
            Err(error) => return self.refused(source, formats, error),
        };
        if let Err(error) = spare(self.args, document.files().collect::<Vec<_>>()) {
            return ended(error);
        }
        let model = &Arc::clone(document.stored());
        say("checking");
        // Nothing cancels it, so there is always a report.
        let mut report = check(model, self.options, &NEVER).unwrap_or_default();
        // The range of motion from another pose is that of a model that rests in it.
        let (posed, unmatched) = self.pose.and_then(|pose| rom::posed(model, pose)).unzip();
        let posed = posed.map(Arc::new);
        let driven = posed.as_ref().unwrap_or(model);
        let rom = rom::add(&self.args.rom, self.args.rules.as_deref(), driven, say, &mut report);
        let runtime = self.args.runtime.and_then(|packing| {
            say("previewing the runtime");
            predict(model, packing)
        });
        let judged = gates::judged(&self.args.fail_over, &report);
        let (rom, runtime) = (rom.as_ref(), runtime.as_ref());
        let outcome = Outcome::Checked { model, report: &report, gates: &judged, rom, runtime };
        let mut items: Vec<Option<String>> = formats.iter().map(|f| self.item(*f, &path, &outcome)).collect();
        let shortfall = rom.and_then(rom::Measured::shortfall).map(|lines| lines.join(" "));
        let mut warnings: Vec<String> =
            document.warnings.iter().take(MOST_WARNINGS).map(|warning| format!("warning: {path}: {warning}")).collect();
        if document.warnings.len() > MOST_WARNINGS {
            let more = document.warnings.len() - MOST_WARNINGS;
            warnings.push(format!(
                "{path}: {}; `skinscope info` lists them",
                counted(more, "more warning", "more warnings")
            ));
        }
        let without = |key: &String| format!("warning: {path}: there is nothing for \"{key}\" of the pose");
        warnings.extend(unmatched.iter().flatten().take(MOST_WARNINGS).map(without));
        // The text output contains it already.
        let is_in_text = formats.contains(&Format::Text);
        warnings.extend(shortfall.iter().filter(|_| !is_in_text).map(|note| format!("warning: {path}: {note}")));
        if let Some((painter, item)) = self.painter.zip(items.iter_mut().find(|item| item.is_none())) {
            say("drawing its findings");
            let document = match &posed {
                Some(posed) => Document::new(Arc::clone(posed), Vec::new(), document.path.clone()),
                None => document,
            };
            let Pictures { of_findings, note } = painter.draw(document, &report);
            let notes: Vec<String> = shortfall.iter().cloned().chain(note).collect();
            let (pictures, note) = (&of_findings[..], (!notes.is_empty()).then(|| notes.join(" ")));
            let note = note.as_deref();
            let checked = page::Outcome::Checked { model, report: &report, gates: &judged, pictures, note };
            *item = Some(page::section(&path, &checked));
        }
        let items = items.into_iter().map(Option::unwrap_or_default).collect();
        let counts = Severity::ALL.map(|severity| report.count(severity));
        let exceeded = judged.iter().filter(|judged| !judged.passed()).count();
        FileOutput { items, warnings, outcome: Ok(Totals { counts, exceeded }) }
    }
}

/// Reads everything in a file but its images, which no rule looks at.
pub(in crate::cli) fn load(source: &Source, options: &Options) -> Result<Document, ImportError> {
    let has_geometry = AtomicBool::new(false);
    let mut document = None;
    let progress = Progress { report: &|_, _| {}, cancel: &has_geometry };
    source.load_showing(options, &progress, &mut |shown| {
        document = Some(shown);
        has_geometry.store(true, Ordering::Relaxed);
    })?;
    document.ok_or(ImportError::Internal)
}

//! `skinscope check`: finds what is wrong with the skins of many files.

mod baseline;
pub(super) mod bound;
mod forms;
mod gates;
mod given;
mod input;
mod junit;
mod lines;
pub(super) mod merge;
mod names;
mod page;
#[cfg_attr(not(feature = "window"), path = "no_pictures.rs")]
mod pictures;
mod report;
mod rom;
mod runtime;
mod sarif;
mod shard;
mod sinks;

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde_json::Value;

use self::baseline::{Baseline, BaselineArgs};
use self::forms::{FormArgs, Format};
use self::gates::{Judged, Limit};
pub use self::given::Checked;
pub(super) use self::given::check_given;
use self::input::Input;
use self::lines::Setting;
use self::names::{Names, is_stdin};
use self::pictures::{Painter, Pictures};
use self::report::Outcome;
use self::rom::{Measured, Seconds};
use self::runtime::{Prediction, predict};
pub(super) use self::runtime::{packing, unskinned};
use self::shard::Shard;
use self::sinks::{FileOutput, Sinks, Totals, spare};
use super::line::ProgressLine;
use super::{CliError, MOST_WARNINGS, OpenArgs, read_pose};
use crate::edit::Packing;
use crate::import::{ImportError, Limits, Options, Progress};
use crate::inspect::check::{CheckOptions, RULES, Report, Severity, check};
use crate::inspect::rom::ROM_RULES;
use crate::model::Model;
use crate::parallel::{self, JobContext};
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
/// vertices; null for the default material], vertex_count, vertices (the first 256), joints [node indices], message, fix, measure {what, value, unit}, pose, words {location, mesh (its name), joints (names of the first 32), measure, pose} (what reports say of it), known (whether --baseline has it; only with that)}], summary {error, warning, info},
/// symmetry {judged, not_judged, without_image [{mesh, primitive, vertex_count, vertices (the first 256)}], without_plane,
/// without_partner, without_weights (likewise, where there are some)} (how many skinned vertices were compared with their mirror
/// images, how many were not, and which of these have no mirror image, are of meshes without a plane of symmetry, have joints without a
/// partner on the other side, or no usable weights; absent where the rule asymmetry has not
/// run), gates [{gate, percent, limit, passed, vertices (stored vertices of the surface at fault), known (whether it is exceeded in --baseline too; only with that, where it is exceeded)}] (those of --fail-over), baseline {new, known, gone} (how many findings --baseline does not have, has, and had alone; only with that), error, known (whether the file does not load in --baseline either; only with both)}]. All indices are the file's own. mesh and primitive are null for findings about joints; measure may be null; pose
/// is null for the pose that the file stores, or says where the finding is seen best: {joint, axis, degrees} is the rest
/// pose (or that of --pose) with one joint turned about an axis of its own, {clip, time} a clip at seconds of its own. error is there only where
/// a file does not load: the reason, beside no findings. rom is there only after a range of motion: {complete, poses (that
/// were measured), planned, joints (or clips) and seconds (that it was allowed, or null)}. runtime is there
/// only with --runtime: {name, influences, joints_per_draw, vertices, losing (vertices that lose joints), largest_loss (of a vertex'
/// weight), normalised (vertices that the runtime divides by their sum), vertex_bytes, vertex_bytes_implied (without the last weight), joints, palette_bytes, fits, unskinned_copies (nodes with copies of a skinned mesh that the runtime draws without the skin), over (clips or rom), worst_mm,
/// mean_mm, rms_mm, clip, time, mesh, primitive, vertex (where the surface is farthest from that of the weights as they are)}.
///
/// A line of --json-lines has the fields of an item of files, with file in place of path, and beside them exit (ok, findings or error: how a check
/// of this file alone would end), fail_on, rules (those of --rules) and shard (that of --shard); where a file does not load it has
/// error, and known, in place of the findings. With --shard the last line is {shard, files (how many it has)}. `skinscope report merge` joins such lines.
/// In SARIF every finding is a result whose properties are the finding as JSON has it, and a file that does not load is a result of the rule
/// file-not-loaded (with --baseline each result has baselineState, unchanged or new). In JUnit's report every file is a suite and every rule a test. A share
/// of --fail-over is a test gate-NAME there, which fails where it is exceeded; SARIF has a result of that rule where it is, with what JSON
/// has as its properties.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct CheckArgs {
    /// The .gltf and .glb files, and archives of them (.tar, .tar.gz, .zip); - reads one from standard input; without one the built-in character
    #[arg(value_name = "MODEL")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
    /// Also check the files that this file names, one on each line; - reads standard input
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Check the part I of N of the files, as in 3/16: which part a file is in depends on its path alone
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    #[command(flatten)]
    forms: FormArgs,
    /// End with exit code 3 where a finding has this severity or a worse one
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// End with exit code 3 where more of a file's surface than this share is at fault, as in unweighted=0.5%; may be given several
    /// times. The shares are listed below
    #[arg(long, value_name = "GATE=PERCENT", value_parser = gates::limit)]
    fail_over: Vec<Limit>,
    #[command(flatten)]
    baseline: BaselineArgs,
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
    /// Give up a file whose reading, or whose check, takes longer than this, or `unlimited`; it counts as one that does not load
    #[arg(long, value_name = "SECONDS", default_value = "unlimited", value_parser = rom::seconds)]
    time_limit: Seconds,
    #[command(flatten)]
    rom: rom::RomArgs,
}

impl CheckArgs {
    /// Returns whether `--rules` names a rule.
    fn names(&self, id: &str) -> bool {
        self.rules.iter().flatten().any(|rule| rule == id)
    }

    /// Returns what is looked for.
    fn options(&self) -> Result<CheckOptions, CliError> {
        let rules = self.rules.as_ref().map(|_| RULES.iter().map(|rule| rule.id).filter(|id| self.names(id)).collect());
        let limit = self.runtime.map_or(usize::from(self.limit), |packing| packing.influences);
        Ok(CheckOptions { limit, rules, gates: gates::asked(&self.fail_over)? })
    }

    /// Does work that must be done within `--time-limit`.
    fn in_time<T>(&self, work: impl FnOnce() -> T) -> Result<T, ImportError> {
        let Seconds(Some(seconds)) = self.time_limit else { return Ok(work()) };
        match parallel::within(Duration::from_secs_f64(seconds), work) {
            (_, true) => Err(ImportError::TimeLimit { seconds }),
            (done, false) => Ok(done),
        }
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

    /// Reads a file by `read`.
    fn load(
        &self,
        turn: usize,
        read: &dyn Fn(&Options) -> Result<Document, ImportError>,
    ) -> (Result<Document, ImportError>, HeavyLock<'_>) {
        match read(&self.light) {
            Err(ImportError::Limit { .. }) if self.light.limits != self.full.limits => {
                let lock = self.heavy[turn % 2].lock().unwrap_or_else(PoisonError::into_inner);
                (read(&self.full), Some(lock))
            }
            loaded => (loaded, None),
        }
    }
}

pub(super) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let limits = args.open.options().limits;
    let names = Names::open(&args.models, args.list.as_deref(), args.shard, limits)?;
    let options = args.options()?;
    let painter = args.forms.files().any(|(format, _)| format == Format::Page).then(Painter::new);
    let pose = args.rom.pose_file().map(read_pose).transpose()?;
    let baseline = args.baseline.read()?;
    let count = names.count();
    let named = args.models.iter().chain(&args.list).map(PathBuf::as_path).filter(|path| !is_stdin(path));
    let read: Vec<_> = named.chain(args.rom.pose_file()).chain(args.baseline.file()).collect();
    let sinks = Sinks::begin(&args.forms, &read, count)?.of_shard(args.shard);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(count.unwrap_or(cores)).max(1);
    let (line, loader) = (ProgressLine::new(count), Loader::new(&args.open, threads));
    let (pose, baseline, painter) = (pose.as_ref(), baseline.as_ref(), painter.as_ref());
    let task = Task { args, pose, baseline, options: &options, painter, loader: &loader };
    let names = Mutex::new((0, names));
    let next = || {
        let (turn, input) = {
            let (turn, names) = &mut *names.lock().unwrap_or_else(PoisonError::into_inner);
            *turn += 1;
            (*turn - 1, names.next())
        };
        let input = input.unwrap_or_else(|error| {
            sinks.fail(error);
            None
        });
        input.filter(|_| sinks.wait_for(turn)).map(|input| (turn, input))
    };
    parallel::drain(threads, &next, &|(turn, input): (usize, Input)| {
        let name = input.name();
        let work = || task.check(turn, &input, sinks.formats(), &|doing| line.say(turn, &name, doing));
        // A file on which the program fails must not keep the others waiting for their turn.
        let output = std::panic::catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|_| task.refused(&input, sinks.formats(), ImportError::Internal));
        line.end(turn);
        line.aside(|| sinks.take(turn, output));
    });
    let Totals { fresh, exceeded, .. } = sinks.end()?;
    let failing: usize = Severity::ALL.into_iter().filter(|s| args.fails(*s)).map(|s| fresh[s as usize]).sum();
    match (args.fail_on.severity(), failing, exceeded) {
        (Some(severity), count @ 1.., _) => Err(CliError::Findings { count, severity: severity.id() }),
        (_, _, count @ 1..) => Err(CliError::Exceeded { count }),
        _ => Ok(()),
    }
}

/// What was found in a model.
struct Examined {
    report: Report,
    /// The model as it rests in the pose from which its joints were turned, where one is named.
    posed: Option<Arc<Model>>,
    /// The keys of that pose that the model has no node for.
    unmatched: Vec<String>,
    rom: Option<Measured>,
    runtime: Option<Prediction>,
    judged: Vec<Judged>,
}

/// Checks a model; `say` is called with what is being done.
fn examine(
    args: &CheckArgs,
    options: &CheckOptions,
    pose: Option<&PoseFile>,
    model: &Arc<Model>,
    say: &(dyn Fn(&str) + Sync),
) -> Examined {
    say("checking");
    // Nobody has a use for the report of work that is cancelled.
    let mut report = check(model, options, JobContext::of_waiting().cancel_flag()).unwrap_or_default();
    // The range of motion from another pose is that of a model that rests in it.
    let (posed, unmatched) = pose.and_then(|pose| rom::posed(model, pose)).unzip();
    let posed = posed.map(Arc::new);
    let driven = posed.as_ref().unwrap_or(model);
    let rom = rom::add(&args.rom, args.rules.as_deref(), driven, say, &mut report);
    let runtime = args.runtime.and_then(|packing| {
        say("previewing the runtime");
        predict(model, packing)
    });
    let judged = gates::judged(&args.fail_over, &report);
    Examined { report, posed, unmatched: unmatched.unwrap_or_default(), rom, runtime, judged }
}

/// The settings with which each file is checked.
struct Task<'t> {
    args: &'t CheckArgs,
    pose: Option<&'t PoseFile>,
    baseline: Option<&'t Baseline>,
    options: &'t CheckOptions,
    painter: Option<&'t Painter>,
    loader: &'t Loader,
}

impl Task<'_> {
    /// Writes the result of a file in one form, `item` being that as JSON; `None` for the page, which has pictures.
    fn item(&self, format: Format, item: &Value, outcome: &Outcome) -> Option<String> {
        let rules = self.args.rules.as_deref();
        let setting = Setting { least: self.args.fail_on.severity(), rules, shard: self.args.shard };
        Some(match format {
            Format::Text => report::text(item, outcome),
            Format::Json => item.to_string(),
            Format::JsonLines => lines::line(item, &setting),
            Format::Sarif => sarif::results(item),
            Format::Junit => junit::suite(item, rules, &|s| self.args.fails(s)),
            Format::Page => return None,
        })
    }

    /// Says of the results of a file which are known by the baseline, if there is one.
    fn mark(&self, item: &mut Value) {
        if let Some(baseline) = self.baseline {
            baseline.mark(item, self.args.rules.as_deref());
        }
    }

    /// Returns the output for a file that does not load.
    fn refused(&self, input: &Input, formats: &[Format], error: ImportError) -> FileOutput {
        let path = input.path();
        let mut item = report::json(&path, &Outcome::Refused(&error));
        self.mark(&mut item);
        let section = || page::section(&item, &[], None);
        let of_format = |format: &Format| self.item(*format, &item, &Outcome::Refused(&error)).unwrap_or_else(section);
        let items = formats.iter().map(of_format).collect();
        FileOutput { items, warnings: Vec::new(), outcome: Err(CliError::Import { file: path, error }) }
    }

    /// Checks a file; `say` is called with what is being done.
    fn check(&self, turn: usize, input: &Input, formats: &[Format], say: &(dyn Fn(&str) + Sync)) -> FileOutput {
        let ended = |error| FileOutput { items: Vec::new(), warnings: Vec::new(), outcome: Err(error) };
        if let Some(path) = input.file()
            && let Err(error) = spare(&self.args.forms, [path])
        {
            return ended(error);
        }
        let path = input.path();
        say("reading");
        // The wait for a lock is not counted.
        let read = |options: &Options| -> Result<Document, ImportError> { self.args.in_time(|| input.load(options))? };
        let (document, _heavy_lock) = self.loader.load(turn, &read);
        let document = match document {
            Ok(document) => document,
            Err(error) => return self.refused(input, formats, error),
        };
        if let Err(error) = spare(&self.args.forms, document.files().collect::<Vec<_>>()) {
            return ended(error);
        }
        let model = &Arc::clone(document.stored());
        let Examined { report, posed, unmatched, rom, runtime, judged } =
            match self.args.in_time(|| examine(self.args, self.options, self.pose, model, say)) {
                Ok(examined) => examined,
                Err(error) => return self.refused(input, formats, error),
            };
        let (rom, runtime) = (rom.as_ref(), runtime.as_ref());
        let outcome = Outcome::Checked { model, report: &report, gates: &judged, rom, runtime };
        let mut result = report::json(&path, &outcome);
        self.mark(&mut result);
        let mut items: Vec<Option<String>> = formats.iter().map(|f| self.item(*f, &result, &outcome)).collect();
        let shortfall = rom.and_then(Measured::shortfall).map(|lines| lines.join(" "));
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
        warnings.extend(unmatched.iter().take(MOST_WARNINGS).map(without));
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
            let note = (!notes.is_empty()).then(|| notes.join(" "));
            *item = Some(page::section(&result, &of_findings, note.as_deref()));
        }
        let items = items.into_iter().map(Option::unwrap_or_default).collect();
        FileOutput { items, warnings, outcome: Ok(Totals::of(&result)) }
    }
}

/// Returns a flag that ends an import: the caller sets it once there is a model, and it is set where this work is cancelled.
pub(in crate::cli) fn end_of_import() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let of_work = Arc::clone(&flag);
    JobContext::of_waiting().on_cancel(move || of_work.store(true, Ordering::Relaxed));
    flag
}

/// Reads everything in a file but its images, which no rule looks at.
pub(in crate::cli) fn load(source: &Source, options: &Options) -> Result<Document, ImportError> {
    let has_geometry = end_of_import();
    let mut document = None;
    let progress = Progress { report: &|_, _| {}, cancel: &has_geometry };
    source.load_showing(options, &progress, &mut |shown| {
        document = Some(shown);
        has_geometry.store(true, Ordering::Relaxed);
    })?;
    document.ok_or(ImportError::Internal)
}

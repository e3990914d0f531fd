//! `skinscope check`: finds what is wrong with the skins of many files.

mod line;
mod page;
mod pictures;
mod report;
mod rom;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use self::line::ProgressLine;
use self::page::Outcome;
use self::pictures::{Painter, Pictures};
use super::{CliError, MOST_WARNINGS, OpenArgs, print, printable, read_pose, unwritable};
use crate::import::{ImportError, Options, Progress};
use crate::inspect::check::{CheckOptions, RULES, Severity, check};
use crate::inspect::rom::ROM_RULES;
use crate::output::{NewFile, is_stdout, overwritten, overwritten_by_stdout, say};
use crate::parallel;
use crate::pose::PoseFile;
use crate::session::{Document, Source};

/// Find what is wrong with the skins of files: weights, joints, matrices, seams
///
/// Files are checked as they are stored, before anything that opening them repairs, two at a time; what is said comes in the
/// order of the files. Standard output holds the findings, worst first; warnings and errors go to standard error.
///
/// The JSON has the fields: schema (1), files [{path, findings [{rule, severity, mesh, primitive, vertex_count, vertices (the
/// first 256), joints [node indices], message, fix, measure {what, value, unit}, pose}], summary {error, warning, info},
/// symmetry {judged, not_judged, without_image [{mesh, primitive, vertex_count, vertices (the first 256)}]} (how many skinned
/// vertices were compared with their mirror images, how many have none, and which; absent where the rule asymmetry has not
/// run), error}]. All indices are the file's own. mesh and primitive are null for findings about joints; measure may be null; pose
/// is null for the pose that the file stores, or says where the finding is seen best: {joint, axis, degrees} is the rest
/// pose (or that of --pose) with one joint turned about an axis of its own, {clip, time} a clip at seconds of its own. error is there only where
/// a file does not load: the reason, beside no findings. rom is there only after a range of motion: {complete, poses (that
/// were measured), planned, joints (or clips) and seconds (that it was allowed, or null)}.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct CheckArgs {
    /// The .gltf and .glb files; without one the built-in character
    #[arg(value_name = "MODEL")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
    /// Print JSON, and nothing else, to standard output
    #[arg(long)]
    json: bool,
    /// Also write one page with a picture of each finding
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The least severity that makes the exit code 3
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// The most joints that may move a vertex where the models will be used
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// Only these rules, with commas between
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rules(), hide_possible_values = true)]
    rules: Option<Vec<String>>,
    #[command(flatten)]
    rom: rom::RomArgs,
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
    out + "\nExit codes: 0 nothing reaches --fail-on, 1 a file does not load, 2 wrong usage, 3 something reaches --fail-on."
}

/// How many files are checked at once: each may take as much memory as `--max-memory` says, and its rules use all
/// cores.
const AT_ONCE: usize = 2;

pub(super) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let sources: Vec<Source> = match &args.models[..] {
        [] => vec![Source::BuiltIn],
        paths => paths.iter().cloned().map(Source::File).collect(),
    };
    let named = |id: &str| args.rules.iter().flatten().any(|rule| rule == id);
    let rules = args.rules.as_ref().map(|_| RULES.iter().map(|rule| rule.id).filter(|id| named(id)).collect());
    let options = CheckOptions { limit: usize::from(args.limit), rules };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let painter = args.html.as_ref().map(|_| Painter::new());
    let pose = args.rom.pose_file().map(read_pose).transpose()?;
    let line = ProgressLine::new(sources.len());
    let turns = OrderedOutput::begin(args, sources.len())?;
    parallel::map_at_once(AT_ONCE.min(cores), sources.len(), &NEVER, &|turn| {
        let source = &sources[turn];
        let name = source.name();
        let said =
            one(source, (args, pose.as_ref()), &options, painter.as_ref(), &|doing| line.say(turn, &name, doing));
        line.end(turn);
        line.aside(|| turns.take(turn, said));
    });
    let total = turns.end()?;
    let bad = |severity: &Severity| Some(*severity) >= args.fail_on.severity();
    match (args.fail_on.severity(), Severity::ALL.into_iter().filter(bad).map(|s| total[s as usize]).sum()) {
        (Some(severity), count @ 1..) => Err(CliError::Findings { count, severity: severity.id() }),
        _ => Ok(()),
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

/// The output for one file.
struct FileOutput {
    /// The text for standard output.
    text: String,
    /// The lines for standard error.
    warnings: Vec<String>,
    /// The section of the page.
    section: String,
    /// The number of findings of each severity, or the reason why the file does not load or the run must end.
    outcome: Result<[usize; 3], CliError>,
}

/// Checks a file; `say` is called with what is being done.
fn one(
    source: &Source,
    (args, pose): (&CheckArgs, Option<&PoseFile>),
    options: &CheckOptions,
    painter: Option<&Painter>,
    say: &(dyn Fn(&str) + Sync),
) -> FileOutput {
    let path = match source {
        Source::BuiltIn => source.name(),
        Source::File(path) => path.display().to_string(),
    };
    say("reading");
    let document = match load(source, &args.open.options()) {
        Ok(document) => document,
        Err(error) => {
            let text = if args.json { report::unread(&path, &error).to_string() } else { String::new() };
            let section = page::section(&path, &Outcome::Refused(&error.to_string()));
            return FileOutput {
                text,
                warnings: Vec::new(),
                section,
                outcome: Err(CliError::Import { file: path, error }),
            };
        }
    };
    if let Err(error) = spare(args, document.files().collect::<Vec<_>>()) {
        return FileOutput { text: String::new(), warnings: Vec::new(), section: String::new(), outcome: Err(error) };
    }
    let model = &Arc::clone(document.stored());
    say("checking");
    // Nothing cancels it, so there is always a report.
    let mut report = check(model, options, &NEVER).unwrap_or_default();
    // The range of motion from another pose is that of a model that rests in it.
    let (posed, unmatched) = pose.and_then(|pose| rom::posed(model, pose)).unzip();
    let posed = posed.map(Arc::new);
    let driven = posed.as_ref().unwrap_or(model);
    let rom = rom::add(&args.rom, args.rules.as_deref(), driven, say, &mut report);
    let text = match args.json {
        true => report::json(&path, model, &report, rom.as_ref()).to_string(),
        false => report::text(&path, model, &report, rom.as_ref()),
    };
    let shortfall = rom.and_then(|rom| rom.shortfall()).map(|said| said.join(" "));
    let mut warnings: Vec<String> =
        document.warnings.iter().take(MOST_WARNINGS).map(|warning| format!("warning: {path}: {warning}")).collect();
    if document.warnings.len() > MOST_WARNINGS {
        let more = document.warnings.len() - MOST_WARNINGS;
        warnings.push(format!("{path}: {more} more warnings; `skinscope info` lists them"));
    }
    let without = |key: &String| format!("warning: {path}: there is nothing for \"{key}\" of the pose");
    warnings.extend(unmatched.iter().flatten().take(MOST_WARNINGS).map(without));
    // The text output contains it.
    warnings.extend(shortfall.iter().filter(|_| args.json).map(|said| format!("warning: {path}: {said}")));
    let section = painter.map_or_else(String::new, |painter| {
        say("drawing its findings");
        let document = match &posed {
            Some(posed) => Document::new(Arc::clone(posed), Vec::new(), document.path.clone()),
            None => document,
        };
        let Pictures { of_findings, note } = painter.draw(document, &report);
        let notes: Vec<String> = shortfall.iter().cloned().chain(note).collect();
        let (pictures, note) = (&of_findings[..], (!notes.is_empty()).then(|| notes.join(" ")));
        let note = note.as_deref();
        page::section(&path, &Outcome::Checked { model, report: &report, pictures, note })
    });
    FileOutput { text, warnings, section, outcome: Ok(Severity::ALL.map(|severity| report.count(severity))) }
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

/// Writes the output of files in the order of the files, each as soon as those before it are written.
struct OrderedOutput {
    json: bool,
    count: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the file that is written next.
    next: usize,
    /// The output of files that were done before their turn.
    waiting: BTreeMap<usize, FileOutput>,
    /// The number of findings of each severity.
    total: [usize; 3],
    unread: Vec<CliError>,
    /// The error of standard output or of the page, once there was one.
    broken: Option<CliError>,
    page: Option<Page>,
}

/// The page while it is being written.
struct Page {
    path: PathBuf,
    out: NewFile,
}

impl Page {
    fn create(path: &Path) -> Result<Self, CliError> {
        let out = NewFile::create(path).map_err(|e| unwritable(path, e))?;
        let mut page = Self { path: path.to_owned(), out };
        page.write(&page::head())?;
        Ok(page)
    }

    fn write(&mut self, text: &str) -> Result<(), CliError> {
        self.out.write_all(text.as_bytes()).map_err(|e| unwritable(&self.path, e))
    }

    fn close(mut self) -> Result<(), CliError> {
        self.write(page::TAIL)?;
        let Self { path, out } = self;
        out.commit().map_err(|e| unwritable(&path, e))
    }
}

/// Checks that no output of `args` would replace one of `inputs`.
fn spare<'a>(args: &CheckArgs, inputs: impl IntoIterator<Item = &'a Path> + Clone) -> Result<(), CliError> {
    if let Some(page) = &args.html {
        overwritten(page, inputs.clone())?;
    }
    Ok(overwritten_by_stdout(inputs)?)
}

impl OrderedOutput {
    fn begin(args: &CheckArgs, count: usize) -> Result<Self, CliError> {
        let is_page = |path: &&Path| path.extension().is_some_and(|e| e == "html" || e == "htm");
        if let Some(path) = args.html.as_deref().filter(|path| !is_page(path)) {
            return Err(CliError::Usage(format!("{}: pages are written as .html", path.display())));
        }
        spare(args, args.models.iter().map(PathBuf::as_path).chain(args.rom.pose_file()))?;
        if let Some(path) = args.html.as_deref().filter(|path| is_stdout(path)) {
            let why =
                format!("{}: standard output goes to this file too; give one of them another name", path.display());
            return Err(CliError::Usage(why));
        }
        let page = args.html.as_deref().map(Page::create).transpose()?;
        Ok(Self { json: args.json, count, state: Mutex::new(State { page, ..State::default() }) })
    }

    fn take(&self, turn: usize, said: FileOutput) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.insert(turn, said);
        while let Some(said) = {
            let next = state.next;
            state.waiting.remove(&next)
        } {
            self.say(&mut state, said);
            state.next += 1;
        }
    }

    fn say(&self, state: &mut State, said: FileOutput) {
        for warning in &said.warnings {
            say(printable(warning));
        }
        if let Err(error @ CliError::Overwritten(_)) = said.outcome {
            // Nothing more is written after an error.
            state.broken = state.broken.take().or(Some(error));
            return;
        }
        let before = match (self.json, state.next) {
            (true, 0) => report::JSON_HEAD,
            (true, _) => ",\n",
            (false, _) => "",
        };
        state.broken = state.broken.take().or_else(|| print(&format!("{before}{}", said.text)).err());
        if let Some(page) = state.page.as_mut().filter(|_| state.broken.is_none()) {
            state.broken = page.write(&said.section).err();
        }
        match said.outcome {
            Ok(counts) => state.total.iter_mut().zip(counts).for_each(|(total, count)| *total += count),
            Err(error) => {
                // The error of a single file is written when the program ends.
                if self.count > 1 {
                    say(&error);
                }
                state.unread.push(error);
            }
        }
    }

    /// Ends the output; returns the number of findings of each severity.
    fn end(self) -> Result<[usize; 3], CliError> {
        let State { total, mut unread, broken, page, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = broken {
            return Err(error);
        }
        page.map_or(Ok(()), Page::close)?;
        if self.json {
            print(report::JSON_TAIL)?;
        } else if self.count > 1 {
            print(&format!("{} files: {}\n", self.count, report::counts(total)))?;
        }
        match unread.len() {
            0 => Ok(total),
            1 if self.count == 1 => Err(unread.remove(0)),
            unread => Err(CliError::Unread { unread, files: self.count }),
        }
    }
}

//! `skinscope report merge`: one report of the lines that `check --json-lines` has written on many machines.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use clap::Args;

use super::super::{CliError, printable};
use super::baseline::BaselineArgs;
use super::forms::{FormArgs, Format};
use super::lines::{self, FileLine, Input, Line, Setting};
use super::names::is_stdin;
use super::shard::Shard;
use super::sinks::{FileOutput, Sinks, Totals};
use super::{junit, page, report, sarif};
use crate::inspect::check::Severity;
use crate::output::say;
use crate::words::counted;

/// Join what `check --json-lines` has written, such as the parts of a list, to one report
///
/// Files come in the order of their paths, in whatever order lines and parts are given. Of two lines about one file the later one counts, and
/// that is said. Lines that are cut off or none are said too, and so are parts of a list (check --shard) that are missing or were not checked
/// to their end: the report is then written all the same, and the exit code is 1. Else it is that of a check of all the files.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("html", |arg| arg.help("Also write one page; lines hold no pictures")))]
#[command(mut_arg("json_lines", |arg| arg.help("Print the lines again, each file once")))]
#[command(
    after_help = "Exit codes: 0 nothing reaches the --fail-on of its line, 1 a file does not load or something is missing, 2 wrong usage, \
    3 something reaches --fail-on or exceeds --fail-over."
)]
pub(in crate::cli) struct MergeArgs {
    /// Files with lines of JSON; - reads standard input
    #[arg(value_name = "LINES", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    forms: FormArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
}

/// The longest line that is read, bytes. That of a file with thousands of findings has a few million.
const LONGEST: u64 = 1 << 28;
/// How many missing parts and bad lines are named.
const MOST_NAMED: usize = 8;

/// Where the line about a file stands.
#[derive(Clone, Copy)]
struct Place {
    input: usize,
    offset: u64,
    length: usize,
}

/// What the lines are about. Only where each stands is kept, so that there may be millions.
#[derive(Default)]
struct Index {
    places: BTreeMap<String, Place>,
    parts: BTreeMap<Shard, Part>,
    /// How many lines were about a file that another line is about.
    repeated: usize,
    /// The lines that are none.
    bad: Vec<String>,
}

/// What is there of one part of a list.
#[derive(Default)]
struct Part {
    lines: u64,
    /// How many files it had, once it is done.
    files: Option<u64>,
}

pub(in crate::cli) fn run(args: &MergeArgs) -> Result<(), CliError> {
    let baseline = args.baseline.read()?;
    let mut index = Index::default();
    let mut inputs = Vec::new();
    for path in &args.files {
        let input = lines::open(path).map_err(|error| unreadable(path, &error))?;
        let mut reader = BufReader::new(input);
        index.read(&mut reader, (inputs.len(), path.as_path())).map_err(|error| unreadable(path, &error))?;
        inputs.push(reader.into_inner());
    }
    let named = args.files.iter().map(PathBuf::as_path).filter(|path| !is_stdin(path));
    let read: Vec<&Path> = named.chain(args.baseline.file()).collect();
    let sinks = Sinks::begin(&args.forms, &read, None)?;
    let (mut failing, mut least) = (0, Severity::Error);
    for (turn, place) in index.places.values().enumerate() {
        let text = place.read(&mut inputs).map_err(|error| unreadable(&args.files[place.input], &error))?;
        // It was read before.
        let Some(Line::File(mut line)) = lines::parse(&text) else { continue };
        if let Some(baseline) = &baseline {
            baseline.mark(&mut line.item, line.rules.as_deref());
        }
        failing += lines::failing(&line.item, line.least);
        least = line.least.map_or(least, |severity| severity.min(least));
        sinks.take(turn, output(&line, sinks.formats()));
    }
    let faults = index.faults();
    for fault in &faults {
        say(format_args!("warning: {fault}"));
    }
    let ended = sinks.end();
    let exceeded = match ended {
        // An output that cannot be written is worse than what is missing in it.
        Err(error) if !matches!(error, CliError::Unread { .. }) => return Err(error),
        _ if index.is_incomplete() => return Err(CliError::Incomplete("the lines are not complete".to_owned())),
        Err(error) => return Err(error),
        Ok(Totals { exceeded, .. }) => exceeded,
    };
    match (failing, exceeded) {
        (count @ 1.., _) => Err(CliError::Findings { count, severity: least.id() }),
        (_, count @ 1..) => Err(CliError::Exceeded { count }),
        _ => Ok(()),
    }
}

/// Returns the output for the line of a file.
fn output(line: &FileLine, formats: &[Format]) -> FileOutput {
    let FileLine { item, least, rules, shard } = line;
    let (rules, path) = (rules.as_deref(), report::word(&item["path"]));
    let of_format = |format: &Format| match format {
        Format::Text => String::new(),
        Format::Json => item.to_string(),
        Format::JsonLines => lines::line(item, &Setting { least: *least, rules, shard: *shard }),
        Format::Sarif => sarif::results(item),
        Format::Junit => junit::suite(item, rules, &|severity| least.is_some_and(|least| severity >= least)),
        Format::Page => page::section(item, &[], None),
    };
    let outcome = match item["error"].as_str() {
        Some(error) if error.starts_with(path) => Err(CliError::Usage(printable(error))),
        Some(error) => Err(CliError::Usage(printable(&format!("{path}: {error}")))),
        None => Ok(Totals::of(item)),
    };
    FileOutput { items: formats.iter().map(of_format).collect(), warnings: Vec::new(), outcome }
}

impl Index {
    /// Notes where each line of an input stands, which is known by its number, and by its path in messages.
    fn read(&mut self, reader: &mut impl BufRead, (input, path): (usize, &Path)) -> std::io::Result<()> {
        let (mut offset, mut number) = (0, 0);
        loop {
            let mut text = Vec::new();
            let length = reader.by_ref().take(LONGEST).read_until(b'\n', &mut text)?;
            if length == 0 {
                return Ok(());
            }
            number += 1;
            let place = Place { input, offset, length };
            offset += length as u64;
            let text = text.trim_ascii();
            match lines::parse(text) {
                _ if text.is_empty() => {}
                Some(Line::File(FileLine { item, shard, .. })) => {
                    let before = self.places.insert(report::word(&item["path"]).to_owned(), place);
                    self.repeated += usize::from(before.is_some());
                    if let Some(shard) = shard {
                        self.parts.entry(shard).or_default().lines += 1;
                    }
                }
                Some(Line::Closing { shard, files }) => self.parts.entry(shard).or_default().files = Some(files),
                None => self.bad.push(format!("{}, line {number}", path.display())),
            }
        }
    }

    /// Returns whether lines or parts are missing.
    fn is_incomplete(&self) -> bool {
        !self.bad.is_empty() || !self.missing().is_empty()
    }

    /// Returns which parts of which lists are missing, or not done, the first few of them.
    fn missing(&self) -> Vec<Shard> {
        let mut counts: Vec<u32> = self.parts.keys().map(|shard| shard.count).collect();
        counts.dedup();
        let parts = counts.into_iter().flat_map(|count| (1..=count).map(move |index| Shard { count, index }));
        let is_done = |shard: &Shard| {
            let part = self.parts.get(shard);
            part.is_some_and(|part| part.files.is_some_and(|files| part.lines >= files))
        };
        parts.filter(|shard| !is_done(shard)).take(MOST_NAMED + 1).collect()
    }

    /// Returns a sentence for each kind of thing that is not as it should be.
    fn faults(&self) -> Vec<String> {
        let named = |names: Vec<String>| {
            let more = if names.len() > MOST_NAMED { " and more" } else { "" };
            format!("{}{more}", names[..names.len().min(MOST_NAMED)].join(", "))
        };
        let mut out = Vec::new();
        if !self.bad.is_empty() {
            let bad = self.bad.iter().take(MOST_NAMED + 1).map(|name| printable(name)).collect();
            out.push(format!("cut off, or no lines of `check --json-lines`: {}", named(bad)));
        }
        let missing: Vec<String> = self.missing().iter().map(ToString::to_string).collect();
        if !missing.is_empty() {
            out.push(format!("parts of a list that are missing, or were not checked to their end: {}", named(missing)));
        }
        if self.repeated > 0 {
            let lines = counted(self.repeated, "line is", "lines are");
            out.push(format!("{lines} about a file that a later line is about too, which counts"));
        }
        out
    }
}

impl Place {
    fn read(self, inputs: &mut [Box<dyn Input>]) -> std::io::Result<Vec<u8>> {
        let input = &mut inputs[self.input];
        input.seek(SeekFrom::Start(self.offset))?;
        let mut text = vec![0; self.length];
        input.read_exact(&mut text)?;
        Ok(text)
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Usage(format!("{}: cannot be read: {error}", path.display()))
}

//! Writes the results of a check to standard output, and also to files. They are written as the files are done, so
//! that a check of any number of files takes no more memory than one of a few.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::super::{CliError, print, printable, unwritable};
use super::forms::{FormArgs, Format};
use super::shard::Shard;
use super::{lines, report};
use crate::output::{NewFile, is_stdout, overwritten, overwritten_by_stdout, say};
use crate::words::counted;

/// One output of a run.
struct Sink {
    format: Format,
    /// The file; `None`: standard output.
    file: Option<(PathBuf, NewFile)>,
    /// Whether something after the head was written.
    has_items: bool,
    /// Whether the head was written.
    has_head: bool,
}

impl Sink {
    fn write(&mut self, text: &str) -> Result<(), CliError> {
        match &mut self.file {
            Some((path, file)) => file.write_all(text.as_bytes()).map_err(|e| unwritable(path, e)),
            None => print(text),
        }
    }

    fn begin(&mut self) -> Result<(), CliError> {
        if std::mem::replace(&mut self.has_head, true) { Ok(()) } else { self.write(&self.format.head()) }
    }

    fn add(&mut self, item: &str) -> Result<(), CliError> {
        self.begin()?;
        if item.is_empty() {
            return Ok(());
        }
        let between = if std::mem::replace(&mut self.has_items, true) { self.format.between() } else { "" };
        self.write(&format!("{between}{item}"))
    }

    fn end(mut self) -> Result<(), CliError> {
        self.begin()?;
        self.write(self.format.tail())?;
        match self.file {
            Some((path, file)) => file.commit().map_err(|e| unwritable(&path, e)),
            None => Ok(()),
        }
    }
}

/// The output for one file.
pub(super) struct FileOutput {
    /// The text for each output of the run.
    pub items: Vec<String>,
    /// The lines for standard error.
    pub warnings: Vec<String>,
    /// What was found, or the reason why the file does not load or the run must end.
    pub outcome: Result<Totals, CliError>,
}

/// What was found in a file, or in all files of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// The number of findings of each severity.
    pub counts: [usize; 3],
    /// How many of them are new, which all are without a baseline.
    pub fresh: [usize; 3],
    /// How many limits of `--fail-over` were exceeded.
    pub exceeded: usize,
    /// How many findings of any severity are new, known and gone; `None` without a baseline.
    pub baseline: Option<[usize; 3]>,
}

impl Totals {
    /// Counts what was found in a file, of its JSON.
    pub(super) fn of(item: &Value) -> Self {
        let (mut counts, mut fresh) = ([0; 3], [0; 3]);
        for finding in report::findings(item) {
            if let Some(severity) = report::severity(finding) {
                counts[severity as usize] += 1;
                fresh[severity as usize] += usize::from(!report::is_known(finding));
            }
        }
        Self { counts, fresh, exceeded: lines::exceeded(item), baseline: report::baseline(item) }
    }

    fn include(&mut self, file: Self) {
        let add = |total: &mut [usize; 3], more: [usize; 3]| {
            total.iter_mut().zip(more).for_each(|(total, more)| *total += more);
        };
        add(&mut self.counts, file.counts);
        add(&mut self.fresh, file.fresh);
        self.exceeded += file.exceeded;
        if let Some(figures) = file.baseline {
            add(self.baseline.get_or_insert_default(), figures);
        }
    }
}

/// How many files may be checked ahead of the one that is written next.
const AHEAD: usize = 64;

/// Writes the output of files in the order of the files, each as soon as those before it are written; with `--json-lines`
/// each as soon as it is checked.
pub(super) struct Sinks {
    formats: Vec<Format>,
    in_order: bool,
    /// Whether there may be several files, so that the error of each is written at once.
    many: bool,
    /// The part of a list that the files are.
    shard: Option<Shard>,
    state: Mutex<State>,
    written: Condvar,
}

#[derive(Default)]
struct State {
    sinks: Vec<Sink>,
    /// The number of the file that is written next.
    next: usize,
    /// The output of files that were done before their turn.
    waiting: BTreeMap<usize, FileOutput>,
    /// What was found in all of them.
    total: Totals,
    /// How many files were written.
    files: usize,
    /// How many files do not load.
    unread: usize,
    /// The error of the first of them.
    first_error: Option<CliError>,
    /// The error that ends the run, such as one of an output.
    broken: Option<CliError>,
}

/// Checks that no output would replace one of `inputs`.
pub(super) fn spare<'a>(forms: &FormArgs, inputs: impl IntoIterator<Item = &'a Path> + Clone) -> Result<(), CliError> {
    for (_, path) in forms.files() {
        overwritten(path, inputs.clone())?;
    }
    Ok(overwritten_by_stdout(inputs)?)
}

impl Sinks {
    /// Begins the outputs, which replace none of `inputs`; `count` is the number of files, `None` where that is not known before a list
    /// has ended.
    pub(super) fn begin(forms: &FormArgs, inputs: &[&Path], count: Option<usize>) -> Result<Self, CliError> {
        let format = forms.on_stdout()?;
        forms.check_names()?;
        spare(forms, inputs.iter().copied())?;
        let mut sinks = vec![Sink { format, file: None, has_items: false, has_head: false }];
        for (format, path) in forms.files() {
            if is_stdout(path) {
                let why =
                    format!("{}: standard output goes to this file too; give one of them another name", path.display());
                return Err(CliError::Usage(why));
            }
            let file = NewFile::create(path).map_err(|e| unwritable(path, e))?;
            let file = Some((path.to_owned(), file));
            let mut sink = Sink { format, file, has_items: false, has_head: false };
            sink.begin()?;
            sinks.push(sink);
        }
        let formats: Vec<Format> = sinks.iter().map(|sink| sink.format).collect();
        let state = Mutex::new(State { sinks, ..State::default() });
        let in_order = formats[0] != Format::JsonLines;
        Ok(Self { formats, in_order, many: count != Some(1), shard: None, state, written: Condvar::new() })
    }

    /// Lets the lines of JSON end with one that says that this part of a list is done.
    pub(super) fn of_shard(self, shard: Option<Shard>) -> Self {
        Self { shard, ..self }
    }

    /// Returns the forms in which the result of each file is wanted.
    pub(super) fn formats(&self) -> &[Format] {
        &self.formats
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until file number `turn` may be begun, so that little output waits for a slow file before it. Returns
    /// false where the run has ended.
    pub(super) fn wait_for(&self, turn: usize) -> bool {
        let mut state = self.lock();
        while self.in_order && turn >= state.next + AHEAD && state.broken.is_none() {
            state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.broken.is_none()
    }

    /// Ends the run with an error; nothing more is written.
    pub(super) fn fail(&self, error: CliError) {
        self.lock().broken.get_or_insert(error);
        self.written.notify_all();
    }

    /// Accepts the output of file number `turn`, and writes it once its turn has come.
    pub(super) fn take(&self, turn: usize, output: FileOutput) {
        let mut state = self.lock();
        if self.in_order {
            state.waiting.insert(turn, output);
            while let Some(output) = {
                let next = state.next;
                state.waiting.remove(&next)
            } {
                self.say(&mut state, output);
                state.next += 1;
            }
            self.written.notify_all();
        } else {
            self.say(&mut state, output);
        }
    }

    fn say(&self, state: &mut State, output: FileOutput) {
        state.files += 1;
        for warning in &output.warnings {
            say(printable(warning));
        }
        if let Err(error @ CliError::Overwritten(_)) = output.outcome {
            // Nothing more is written after an error.
            state.broken = state.broken.take().or(Some(error));
            return;
        }
        for (sink, item) in state.sinks.iter_mut().zip(&output.items).filter(|_| state.broken.is_none()) {
            if let Err(error) = sink.add(item) {
                state.broken = Some(error);
                break;
            }
        }
        match output.outcome {
            Ok(found) => state.total.include(found),
            Err(error) => {
                // The error of a single file is written when the program ends.
                if self.many {
                    say(&error);
                }
                state.unread += 1;
                state.first_error.get_or_insert(error);
            }
        }
    }

    /// Ends the outputs; returns what was found in all files.
    pub(super) fn end(self) -> Result<Totals, CliError> {
        let State { sinks, total, files, unread, first_error, broken, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = broken {
            return Err(error);
        }
        let figures = total.baseline.map(report::against_baseline);
        if let Some(figures) = figures.as_ref().filter(|_| self.formats[0] != Format::Text) {
            say(figures);
        }
        for mut sink in sinks.into_iter().rev() {
            let is_text = sink.format == Format::Text;
            if let Some(shard) = self.shard.filter(|_| sink.format == Format::JsonLines) {
                sink.add(&lines::closing(shard, files))?;
            }
            sink.end()?;
            if is_text && self.many && files > 0 {
                let left = match unread {
                    0 => String::new(),
                    1 => "; 1 does not load".to_owned(),
                    more => format!("; {more} do not load"),
                };
                let figures = figures.as_ref().map_or_else(String::new, |figures| format!("; {figures}"));
                let counts = report::counts(total.counts);
                print(&format!("{}: {counts}{figures}{left}\n", counted(files, "file", "files")))?;
            }
        }
        match first_error {
            None => Ok(total),
            Some(error) if !self.many => Err(error),
            Some(_) => Err(CliError::Unread { unread, files }),
        }
    }
}

//! The files that a check is to look at: those named on the command line, then those of a list, which is read line by
//! line while files are checked, so that it may be of any length and need not have ended. An archive is opened when its turn comes; then
//! its members follow.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use skinscope_base::encoding::{Lines, is_utf_16};
use skinscope_base::file_kind::{self, FileKind};

use super::super::CliError;
use super::input::{Input, STDIN};
use super::shard::Shard;
use crate::import::{Archive, ImportError, Limits, is_archive};
use crate::session::Source;

/// A list of files.
struct List {
    /// Its name for messages.
    name: String,
    lines: Lines<Box<dyn BufRead + Send>>,
    /// Whether its beginning was looked at.
    is_known: bool,
}

/// The files that are still to be checked.
pub(super) struct Names {
    /// What comes next: all of one name.
    ready: vec::IntoIter<Input>,
    given: vec::IntoIter<PathBuf>,
    list: Option<List>,
    shard: Option<Shard>,
    limits: Limits,
    count: Option<usize>,
}

/// The name of standard input.
pub(super) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

impl Names {
    /// Takes the files of the command line and opens the list, which is standard input where its name is `-`. Without
    /// either there is the built-in character. With `shard` only the files of that part are taken.
    pub(super) fn open(
        models: &[PathBuf],
        list: Option<&Path>,
        shard: Option<Shard>,
        limits: Limits,
    ) -> Result<Self, CliError> {
        let from_stdin = models.iter().filter(|path| is_stdin(path)).count() + usize::from(list.is_some_and(is_stdin));
        if from_stdin > 1 {
            return Err(CliError::Usage("standard input has room for one model or one list of files".to_owned()));
        }
        let is_built_in = models.is_empty() && list.is_none();
        if is_built_in && shard.is_some() {
            return Err(CliError::Usage("--shard splits a list of files, and there is none".to_owned()));
        }
        let ready = if is_built_in { vec![Input::Model(Source::BuiltIn)] } else { Vec::new() };
        let is_taken = |path: &&PathBuf| shard.is_none_or(|shard| shard.has(path));
        let given: Vec<PathBuf> = models.iter().filter(is_taken).cloned().collect();
        let is_one = |path: &PathBuf| !is_stdin(path) && !is_archive(path);
        let count = (list.is_none() && given.iter().all(is_one)).then_some(ready.len() + given.len());
        let list = list.map(open_list).transpose()?;
        Ok(Self { ready: ready.into_iter(), given: given.into_iter(), list, shard, limits, count })
    }

    /// Returns how many files there are; `None` where that is not known before a list has ended or an archive is open.
    pub(super) fn count(&self) -> Option<usize> {
        self.count
    }

    /// Returns the next file; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<Input>, CliError> {
        loop {
            if let Some(input) = self.ready.next() {
                return Ok(Some(input));
            }
            let inputs = match self.given.next() {
                Some(path) if is_stdin(&path) => standard_input(&self.limits),
                Some(path) => inputs(path, &self.limits),
                None => match self.next_of_list()? {
                    Some(path) if self.shard.is_none_or(|shard| shard.has(&path)) => inputs(path, &self.limits),
                    Some(_) => continue,
                    None => return Ok(None),
                },
            };
            self.ready = inputs.into_iter();
        }
    }

    fn next_of_list(&mut self) -> Result<Option<PathBuf>, CliError> {
        loop {
            let Some(list) = &mut self.list else { return Ok(None) };
            match list.next().map_err(|error| unreadable(&list.name, &*error)) {
                Ok(Some(line)) if line.is_empty() => {}
                Ok(Some(line)) => return Ok(Some(path_of(&line))),
                // A list that has ended is not read again, though a terminal could go on.
                read => {
                    self.list = None;
                    read?;
                }
            }
        }
    }
}

impl List {
    /// Returns the next line, or why there is none: the list cannot be read, or is something else, such as a model.
    fn next(&mut self) -> Result<Option<Vec<u8>>, Box<dyn Display>> {
        if !std::mem::replace(&mut self.is_known, true) {
            let start = self.lines.ahead().unwrap_or_default();
            if let Some(kind) = other_kind(start) {
                return Err(Box::new(kind));
            }
        }
        self.lines.next_line().map_err(|error| Box::new(error) as Box<dyn Display>)
    }
}

/// Returns what the beginning of a list is that is none.
fn other_kind(start: &[u8]) -> Option<FileKind> {
    file_kind::of_start(&start[..start.len().min(file_kind::START)]).filter(|_| !is_utf_16(start))
}

/// Opens a list. What is no list is known at once where it is a file, and else when its turn comes: standard input may have nothing yet.
fn open_list(path: &Path) -> Result<List, CliError> {
    if is_stdin(path) {
        let lines = Box::new(BufReader::new(std::io::stdin())) as Box<dyn BufRead + Send>;
        return Ok(List { name: STDIN.to_owned(), lines: Lines::new(lines), is_known: false });
    }
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
    let mut lines = BufReader::new(file);
    let kind = other_kind(lines.fill_buf().map_err(|error| unreadable(&name, &error))?);
    match kind {
        Some(kind) => Err(unreadable(&name, &kind)),
        None => Ok(List { name, lines: Lines::new(Box::new(lines) as Box<dyn BufRead + Send>), is_known: true }),
    }
}

/// Returns what is to be checked of a path: the file, or the models in it where it is an archive.
fn inputs(path: PathBuf, limits: &Limits) -> Vec<Input> {
    if !is_archive(&path) {
        return vec![Input::Model(Source::File(path))];
    }
    members(&path.display().to_string(), Archive::open(&path, limits))
}

/// Returns the models of an archive; after them, or in their place, stands what is wrong with it.
fn members(name: &str, archive: Result<Archive, ImportError>) -> Vec<Input> {
    let archive = match archive {
        Ok(archive) => Arc::new(archive),
        Err(error) => return vec![Input::unread(name, error)],
    };
    let models = archive.models().map(|member| Input::Member(Arc::clone(&archive), member));
    models.chain(archive.fault().map(|error| Input::unread(name, error))).collect()
}

/// Reads standard input, which holds a model or an archive of models.
fn standard_input(limits: &Limits) -> Vec<Input> {
    let (mut bytes, limit) = (Vec::new(), limits.file_bytes);
    let read = std::io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let found = bytes.len() as u64;
    match read {
        Err(source) => vec![Input::unread(STDIN, ImportError::Read { path: STDIN.to_owned(), source })],
        Ok(_) if found > limit => {
            let (location, what) = (STDIN.to_owned(), "its length in bytes");
            vec![Input::unread(STDIN, ImportError::Limit { location, what, found, limit })]
        }
        Ok(_) if Archive::begins(&bytes) => members(STDIN, Archive::of_bytes(STDIN, bytes, limits)),
        Ok(_) => vec![Input::Stdin(bytes)],
    }
}

/// Returns the path that a line names; on Unix a name is any bytes.
#[cfg(unix)]
fn path_of(line: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(line))
}

#[cfg(not(unix))]
fn path_of(line: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(line).into_owned())
}

fn unreadable(name: &str, error: &dyn Display) -> CliError {
    CliError::Usage(format!("{name}: the list of files cannot be read: {error}"))
}

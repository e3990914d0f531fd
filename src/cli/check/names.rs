//! The files that a check is to look at: those named on the command line, then those of a list, which is read line by
//! line while files are checked, so that it may be of any length and need not have ended.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::vec;

use skinscope_base::encoding::Lines;
use skinscope_base::file_kind;

use super::super::CliError;
use crate::session::Source;

/// The files that are still to be checked.
pub(super) struct Names {
    given: vec::IntoIter<Source>,
    list: Option<(String, Lines<Box<dyn BufRead + Send>>)>,
}

impl Names {
    /// Takes the files of the command line and opens the list, which is standard input where its name is `-`. Without
    /// either there is the built-in character.
    pub(super) fn open(models: &[PathBuf], list: Option<&Path>) -> Result<Self, CliError> {
        let given: Vec<Source> = match (models, list) {
            ([], None) => vec![Source::BuiltIn],
            _ => models.iter().cloned().map(Source::File).collect(),
        };
        let list = match list {
            None => None,
            Some(path) if path == Path::new("-") => Some((
                "standard input".to_owned(),
                Box::new(BufReader::new(std::io::stdin())) as Box<dyn BufRead + Send>,
            )),
            Some(path) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|error| unreadable(&name, &error))?;
                let mut list = BufReader::new(file);
                let start = list.fill_buf().map_err(|error| unreadable(&name, &error))?;
                let is_wide = matches!(start, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
                match file_kind::of_start(&start[..start.len().min(file_kind::START)]).filter(|_| !is_wide) {
                    Some(kind) => return Err(unreadable(&name, &kind)),
                    None => Some((name, Box::new(list) as Box<_>)),
                }
            }
        };
        let list = list.map(|(name, list)| (name, Lines::new(list)));
        Ok(Self { given: given.into_iter(), list })
    }

    /// Returns how many files there are; `None` where that is not known before a list has ended.
    pub(super) fn count(&self) -> Option<usize> {
        self.list.is_none().then(|| self.given.len())
    }

    /// Returns the next file; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<Source>, CliError> {
        if let Some(source) = self.given.next() {
            return Ok(Some(source));
        }
        loop {
            let Some((name, list)) = &mut self.list else { return Ok(None) };
            match list.next_line().map_err(|error| unreadable(name, &error)) {
                Ok(Some(line)) if line.is_empty() => {}
                Ok(Some(line)) => return Ok(Some(Source::File(path_of(&line)))),
                // A list that has ended is not read again, though a terminal could go on.
                read => {
                    self.list = None;
                    read?;
                }
            }
        }
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

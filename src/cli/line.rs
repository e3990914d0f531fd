//! A progress line: one line on standard error, where that is a terminal, which is overwritten and finally
//! erased.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::printable;
use crate::words::counted;

/// The progress line. Several files may report at once what is done with them; the line shows the first of them.
pub(super) struct ProgressLine {
    /// Whether standard error is a terminal.
    shown: bool,
    /// How many files there are; `None` where that is not known yet.
    count: Option<usize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// For each file in progress, by its number: its name, and what is done with it.
    doing: BTreeMap<usize, (String, String)>,
    done: usize,
    /// The time at which the line was written last; `None` while it is not on the terminal.
    written: Option<Instant>,
}

/// The least time between two writings of the line.
const PAUSE: Duration = Duration::from_millis(100);
/// The most characters of a file's name, so that the whole line has less than 80.
const NAME: usize = 24;
const WIPE: &str = "\r\x1b[K";

impl ProgressLine {
    pub(super) fn new(count: Option<usize>) -> Self {
        Self { shown: std::io::stderr().is_terminal(), count, state: Mutex::default() }
    }

    /// Reports what is done with a file now.
    pub(super) fn say(&self, file: usize, name: &str, doing: &str) {
        if !self.shown {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let news = state.doing.get(&file).is_none_or(|(_, before)| before != doing);
        if news {
            state.doing.insert(file, (name.to_owned(), doing.to_owned()));
        }
        if news && state.written.is_none_or(|at| at.elapsed() >= PAUSE) {
            state.write(self.count);
        }
    }

    /// Reports that nothing more is done with a file.
    pub(super) fn end(&self, file: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.doing.remove(&file);
        state.done += 1;
        state.wipe();
    }

    /// Erases the line while something else is written to the terminal.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.wipe();
        write()
    }
}

impl State {
    fn write(&mut self, count: Option<usize>) {
        let Some((name, doing)) = self.doing.values().next() else { return };
        let text = text(self.done, count, name, doing);
        // Standard error may have no reader.
        let _gone = write!(std::io::stderr(), "{WIPE}{text}").is_err();
        self.written = Some(Instant::now());
    }

    fn wipe(&mut self) {
        if self.written.take().is_some() {
            let _gone = write!(std::io::stderr(), "{WIPE}").is_err();
        }
    }
}

fn text(done: usize, count: Option<usize>, name: &str, doing: &str) -> String {
    let name = printable(name);
    let name = if name.chars().count() > NAME {
        let end: Vec<char> = name.chars().rev().take(NAME - 1).collect();
        format!("…{}", end.into_iter().rev().collect::<String>())
    } else {
        name.to_string()
    };
    let which = match count {
        Some(1) => String::new(),
        Some(count) => format!("{} of {}, ", done + 1, counted(count, "file", "files")),
        None => format!("{} done, ", counted(done, "file", "files")),
    };
    format!("{which}{name}: {doing}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_a_terminal_of_80_columns() {
        let name = "a/very/long/path/to/some/models/of/heroes/knight.glb";
        let long = text(344, Some(345), name, "range of motion 100 %, 599 of 600 s");
        assert_eq!(long, "345 of 345 files, …ls/of/heroes/knight.glb: range of motion 100 %, 599 of 600 s");
        assert!(long.chars().count() < 80, "{long}");
        assert_eq!(text(0, Some(1), "knight.glb", "reading"), "knight.glb: reading");
        assert_eq!(text(7, None, "knight.glb", "reading"), "7 files done, knight.glb: reading");
    }
}

//! A file that grows line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A log whose lines are in the file as soon as they are written, for what must not be lost when the program ends
/// early. Unlike a [`super::NewFile`] it has its name from the first line on. It never replaces another file.
#[derive(Debug)]
pub struct LineLog(File);

impl LineLog {
    /// Makes the file, without lines.
    ///
    /// # Errors
    /// There is a file of that name ([`io::ErrorKind::AlreadyExists`]), or its folder takes no new one.
    pub fn create(path: &Path) -> io::Result<Self> {
        OpenOptions::new().append(true).create_new(true).open(path).map(Self)
    }

    /// Appends a line: `text`, which contains no line break, and a line break.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn add(&mut self, text: &str) -> io::Result<()> {
        // In one piece, so that no half of a line is left behind.
        self.0.write_all(format!("{text}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_there_at_once_and_no_file_is_replaced() {
        let path = std::env::temp_dir().join(format!("skinscope_line_log_{}", std::process::id()));
        let _absent = std::fs::remove_file(&path);
        let mut log = LineLog::create(&path).unwrap();
        log.add("one").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one\n");
        log.add("two").unwrap();
        assert_eq!(LineLog::create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
        std::fs::remove_file(&path).unwrap();
    }
}

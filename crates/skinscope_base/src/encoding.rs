//! Text of other programs: with a byte order mark, or in UTF-16, as editors and shells of Windows write it.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind};

/// The byte order mark of UTF-8.
pub const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the bytes of a text in UTF-8 without a byte order mark. Text in UTF-16 is recognised by its mark; what is no character there becomes
/// U+FFFD. Other bytes are returned as they are.
#[must_use]
pub fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let of_units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
        Cow::Owned(String::from_utf16_lossy(&units).into_bytes())
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => of_units(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => of_units(rest, u16::from_be_bytes),
        _ => Cow::Borrowed(bytes.strip_prefix(MARK).unwrap_or(bytes)),
    }
}

/// Reads lines of a text that need not have ended, as bytes of UTF-8 or of no encoding at all, without their ends and without byte order marks.
/// Where the text has a NUL, lines end at NULs alone, so that they may have line breaks in them, as `find -print0` writes names.
#[derive(Debug)]
pub struct Lines<R> {
    text: R,
    /// How two bytes make a unit of UTF-16; `None` where the text is no UTF-16.
    unit: Option<fn([u8; 2]) -> u16>,
    /// Whether lines end at NULs.
    by_nul: bool,
    has_begun: bool,
    has_looked: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads lines of `text`.
    pub fn new(text: R) -> Self {
        Self { text, unit: None, by_nul: false, has_begun: false, has_looked: false }
    }

    /// Returns the bytes that were read already and belong to no line yet, or waits for the next ones.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn ahead(&mut self) -> io::Result<&[u8]> {
        self.text.fill_buf()
    }

    /// Returns the next line; `None` after the last one.
    ///
    /// # Errors
    /// The text cannot be read, or ends within a unit of UTF-16.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let mut units = Vec::new();
        if !std::mem::replace(&mut self.has_looked, true) {
            // What cannot be read is told below.
            let start = self.ahead().unwrap_or_default();
            self.by_nul = !is_utf_16(start) && start.contains(&0);
        }
        loop {
            match self.unit {
                None => {
                    let Some(byte) = self.byte()? else {
                        return Ok(if self.by_nul { Some(line).filter(|line| !line.is_empty()) } else { ended(line) });
                    };
                    if byte == 0 {
                        self.by_nul = true;
                        return Ok(Some(line));
                    }
                    if byte == b'\n' && !self.by_nul {
                        return Ok(Some(plain(line)));
                    }
                    line.push(byte);
                    if !self.has_begun && line.len() == 2 {
                        self.has_begun = true;
                        self.unit = match line[..] {
                            [0xFF, 0xFE] => Some(u16::from_le_bytes),
                            [0xFE, 0xFF] => Some(u16::from_be_bytes),
                            _ => None,
                        };
                    }
                }
                Some(unit) => {
                    line.clear();
                    let Some(first) = self.byte()? else {
                        return Ok(ended(String::from_utf16_lossy(&units).into_bytes()));
                    };
                    let second = self.byte()?.ok_or(ErrorKind::UnexpectedEof)?;
                    match unit([first, second]) {
                        0x0A => return Ok(Some(plain(String::from_utf16_lossy(&units).into_bytes()))),
                        unit => units.push(unit),
                    }
                }
            }
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        loop {
            match self.text.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => return Ok(Some(byte[0])),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Returns whether a text begins with the mark of UTF-16.
#[must_use]
pub fn is_utf_16(start: &[u8]) -> bool {
    matches!(start, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

/// Returns the last line, which may lack its end.
fn ended(line: Vec<u8>) -> Option<Vec<u8>> {
    (!line.is_empty()).then(|| plain(line))
}

/// Returns a line without a mark before it and a carriage return after it.
fn plain(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    // Lists that were put together have a mark before each.
    if line.starts_with(MARK) {
        line.drain(..MARK.len());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> io::Result<Vec<String>> {
        let mut lines = Lines::new(bytes);
        let mut out = Vec::new();
        while let Some(line) = lines.next_line()? {
            out.push(String::from_utf8(line).unwrap());
        }
        Ok(out)
    }

    fn wide(text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    }

    #[test]
    fn lines_are_the_same_in_every_encoding() {
        let want = ["a.glb", "", "Zoë \u{1F600}.glb", "c"];
        let text = "a.glb\r\n\nZoë \u{1F600}.glb\nc";
        let marked = [MARK, text.as_bytes()].concat();
        let [little, big] = [wide(text, [0xFF, 0xFE], u16::to_le_bytes), wide(text, [0xFE, 0xFF], u16::to_be_bytes)];
        for bytes in [text.as_bytes(), &marked, &little, &big] {
            assert_eq!(lines(bytes).unwrap(), want);
            assert_eq!(utf8(bytes), text.as_bytes());
        }
        assert_eq!(lines(b"a\n\xEF\xBB\xBFb\n").unwrap(), ["a", "b"]);
        assert_eq!(lines(b"a\n").unwrap(), ["a"]);
        assert_eq!(lines(b"").unwrap(), [""; 0]);
        // Names of `find -print0`, the first of which has a line break, and one that has none behind it.
        assert_eq!(lines(b"a\n.glb\0b.glb\r\0c.glb").unwrap(), ["a\n.glb", "b.glb\r", "c.glb"]);
        assert_eq!(lines(b"a.glb\0").unwrap(), ["a.glb"]);
        assert_eq!(lines(&little[..3]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(Lines::new(&b"\xE9t\xE9\n"[..]).next_line().unwrap().unwrap(), b"\xE9t\xE9");
    }
}

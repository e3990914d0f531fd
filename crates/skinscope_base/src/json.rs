//! JSON texts that are well formed, but written in a way that strict readers refuse: integers with a fraction of zero or an exponent
//! (`5126.0`, `1e2`) or the sign of a zero, keys that an object has twice, and halves of surrogate pairs (`\ud83d`), which JSON allows in
//! strings although they are no characters. glTF 2.0, section 2.7, allows the first (rule 5), and says that the last of several values counts
//! (rule 4).

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// A JSON text that strict readers accept, with the same meaning as the text that it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainJson {
    /// The text: integers are written as such, and each object has a key once.
    pub text: String,
    /// The members that were left out, in the order of the text.
    pub repeated: Vec<Repeated>,
    /// The paths of the strings and keys in which halves of surrogate pairs became U+FFFD, in the order of the text; a key is named by the
    /// path of its object.
    pub halves: Vec<String>,
}

/// A member of an object that has no meaning, since a later member of the same object has its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The path of the object, such as `accessors[3]`; empty for the whole document.
    pub object: String,
    /// The key, without escapes.
    pub key: String,
}

/// Rewrites a well-formed JSON text so that strict readers accept it; `None` where the text needs no change. White
/// space and numbers that are no integers stay as they are. The result for a text that is not well formed is
/// unspecified, but the function always returns.
#[must_use]
pub fn plain(text: &str) -> Option<PlainJson> {
    let mut scan = Scan::new(text);
    while scan.step() {}
    let Scan { out, left_out, repeated, halves, changed, .. } = scan;
    if !changed && left_out.is_empty() {
        return None;
    }
    Some(PlainJson { text: without(&out, left_out), repeated, halves })
}

/// Returns the path of the value that a reader had reached after `line` lines (counted from 1) and `column` bytes of
/// the last one, such as `accessors[3].count`; empty for the document itself. Parsers report errors by line and column,
/// and this says which part of the document an error is in.
#[must_use]
pub fn path_at(text: &str, line: usize, column: usize) -> String {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let end = (start + column).saturating_sub(1).min(text.len());
    let mut scan = Scan::new(text);
    while scan.at < end && scan.step() {}
    // A reader finds out at its end what an object lacks.
    if matches!(text.as_bytes().get(end), Some(b'}' | b']'))
        && scan.at <= end
        && let Some(frame) = scan.frames.last_mut()
    {
        frame.key = None;
        frame.is_in_item = false;
    }
    scan.path(scan.frames.len())
}

/// Returns the number of a text, as it is written, that a reader was at when it had read `line` lines (from 1) and `column` bytes of the
/// last; `None`: it was at something else.
#[must_use]
pub fn number_at(text: &str, line: usize, column: usize) -> Option<&str> {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let bytes = text.as_bytes();
    let is_of_number = |at: &usize| bytes.get(*at).is_some_and(is_of_number);
    // Readers find the end of a number at the byte after it, or at its last one.
    let last = [start + column, (start + column).saturating_sub(1)]
        .map(|end| end.saturating_sub(1))
        .into_iter()
        .find(is_of_number)?;
    let first = (0..=last).rev().take_while(is_of_number).last()?;
    let end = (last..bytes.len()).take_while(is_of_number).last()? + 1;
    text.get(first..end).filter(|number| number.contains(|c: char| c.is_ascii_digit()))
}

fn is_of_number(byte: &u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
}

/// Returns a whole number as digits, where `raw` is one that has a fraction or an exponent, or is −0: `5126` for `5126.0`. Those that are
/// not whole, or need more than 15 digits, stay.
fn whole(raw: &str) -> Option<String> {
    let (sign, digits) = raw.strip_prefix('-').map_or(("", raw), |rest| ("-", rest));
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i32 = exponent.parse().ok()?;
    let all = format!("{before}{after}");
    let trimmed = all.trim_end_matches('0');
    let zeros = i64::from(exponent) - after.len() as i64 + (all.len() - trimmed.len()) as i64;
    let significant = trimmed.trim_start_matches('0');
    if significant.is_empty() {
        return Some("0".to_owned());
    }
    let zeros = usize::try_from(zeros).ok().filter(|zeros| significant.len() + zeros <= 15)?;
    Some(format!("{sign}{significant}{}", "0".repeat(zeros)))
}

/// An object or an array that has begun and not ended.
#[derive(Default)]
struct Frame {
    is_object: bool,
    /// The index of the item of an array.
    index: usize,
    /// The key of the member that is read; `None` before the first and after each comma.
    key: Option<String>,
    /// Whether an item of an array has begun since the last comma.
    is_in_item: bool,
    /// Where the member or item begins in the output.
    start: usize,
    /// The members so far, by what their keys mean: where each begins and ends in the output.
    members: HashMap<String, Range<usize>>,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    out: String,
    frames: Vec<Frame>,
    /// The ranges of the output that are left out, since a later member has the same key.
    left_out: Vec<Range<usize>>,
    repeated: Vec<Repeated>,
    halves: Vec<String>,
    changed: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        let out = String::with_capacity(text.len());
        Self {
            text,
            at: 0,
            out,
            frames: Vec::new(),
            left_out: Vec::new(),
            repeated: Vec::new(),
            halves: Vec::new(),
            changed: false,
        }
    }

    /// Reads one bracket, comma, colon, string or number; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.as_bytes().get(self.at).copied() else { return false };
        match byte {
            b'"' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            b'{' | b'[' => {
                self.begin_item();
                self.copy(1);
                self.frames.push(Frame { is_object: byte == b'{', start: self.out.len(), ..Frame::default() });
            }
            b'}' | b']' => {
                self.end_member();
                self.frames.pop();
                self.copy(1);
            }
            b',' => {
                self.copy(1);
                self.end_member();
                let start = self.out.len();
                if let Some(frame) = self.frames.last_mut() {
                    frame.index += usize::from(!frame.is_object);
                    (frame.start, frame.is_in_item) = (start, false);
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' | b':' => self.copy(1),
            // This is `true`, `false` or `null`.
            _ => {
                self.begin_item();
                let rest = &self.text.as_bytes()[self.at..];
                let length = rest.iter().take_while(|b| !matches!(b, b',' | b'}' | b']' | b'"' | b' ' | b'\n')).count();
                self.copy(length.max(1));
            }
        }
        true
    }

    fn copy(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        // A cut within a character comes about in text that is no JSON only.
        let end = (end..=self.text.len()).find(|end| self.text.is_char_boundary(*end)).unwrap_or(self.text.len());
        self.out.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn begin_item(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.is_in_item = true;
        }
    }

    fn string(&mut self) {
        let bytes = &self.text.as_bytes()[self.at + 1..];
        let (mut length, mut escaped) = (0, false);
        for byte in bytes {
            length += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => break,
                _ => {}
            }
        }
        let start = self.out.len();
        let is_key = self.frames.last().is_some_and(|frame| frame.is_object && frame.key.is_none());
        if !is_key {
            self.begin_item();
        }
        self.copy(length + 1);
        if let Some(whole) = whole_characters(&self.out[start..]) {
            self.out.truncate(start);
            self.out.push_str(&whole);
            self.halves.push(self.path(self.frames.len()));
            self.changed = true;
        }
        if is_key {
            let raw = self.out[start..].strip_prefix('"').unwrap_or_default();
            let key = meaning(raw.strip_suffix('"').unwrap_or(raw));
            if let Some(frame) = self.frames.last_mut() {
                frame.key = Some(key);
            }
        }
    }

    fn number(&mut self) {
        self.begin_item();
        let rest = &self.text[self.at..];
        let raw = &rest[..rest.bytes().take_while(is_of_number).count()];
        match Some(raw).filter(|raw| raw.contains(['.', 'e', 'E']) || *raw == "-0").and_then(whole) {
            Some(digits) => {
                self.out.push_str(&digits);
                self.at += raw.len();
                self.changed = true;
            }
            None => self.copy(raw.len()),
        }
    }

    /// Notes the member of an object that ends here, after its comma if there is one; an earlier one of the same key is left out.
    fn end_member(&mut self) {
        let (depth, end) = (self.frames.len(), self.out.len());
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(key) = frame.key.take() else { return };
        let range = frame.start..end;
        if let Some(earlier) = frame.members.insert(key.clone(), range) {
            self.left_out.push(earlier);
            let object = self.path(depth.saturating_sub(1));
            self.repeated.push(Repeated { object, key });
        }
    }

    /// Returns the path of what the outermost `depth` brackets are at.
    fn path(&self, depth: usize) -> String {
        let mut out = String::new();
        for frame in &self.frames[..depth] {
            match &frame.key {
                Some(key) if out.is_empty() => out.push_str(key),
                // Writing to a String cannot fail.
                Some(key) => _ = write!(out, ".{key}"),
                None if !frame.is_object && frame.is_in_item => _ = write!(out, "[{}]", frame.index),
                None => {}
            }
        }
        out
    }
}

/// Returns a string, as it is spelt, with U+FFFD for each half of a surrogate pair that stands alone; `None` where none does.
fn whole_characters(raw: &str) -> Option<String> {
    let bytes = raw.as_bytes();
    // The unit that the escape at `at` stands for.
    let unit = |at: usize| {
        let digits = raw.get(at..at + 6)?.strip_prefix("\\u").filter(|digits| !digits.starts_with('+'))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut alone, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        if *byte != b'\\' {
            at += 1;
            continue;
        }
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                alone.push(at);
                6
            }
            // The character after a backslash is part of the escape.
            _ => 2,
        };
    }
    let mut out = raw.to_owned();
    alone.iter().for_each(|at| out.replace_range(at + 2..at + 6, "fffd"));
    (!alone.is_empty()).then_some(out)
}

/// Returns what a string means, given what stands between its quotes.
fn meaning(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut units: Vec<u16> = Vec::new();
    let mut characters = raw.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        let character = match escaped {
            Some('u') => {
                let digits: String = characters.by_ref().take(4).collect();
                // Characters beyond 16 bits are two of these, one after the other.
                units.extend(u16::from_str_radix(&digits, 16));
                continue;
            }
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(other) => other,
            None => character,
        };
        units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}

/// Copies a text without some of its parts, which may lie within each other.
fn without(text: &str, mut parts: Vec<Range<usize>>) -> String {
    parts.sort_by_key(|part| part.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for part in parts {
        out.push_str(text.get(at..part.start).unwrap_or_default());
        at = at.max(part.end);
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        plain(text).map_or_else(|| "plain".to_owned(), |plain| plain.text)
    }

    #[test]
    fn integers_are_written_as_integers_and_other_numbers_stay() {
        let odd = "{\"a\": [5126.0, 1e2, -1.50E+1, 0.0, 100e-2, 2.5, -0.0, -0, 1e300, 12, 0.1e1], \"b\":\"1.0\"}";
        let even = "{\"a\": [5126, 100, -15, 0, 1, 2.5, 0, 0, 1e300, 12, 1], \"b\":\"1.0\"}";
        assert_eq!(written(odd), even);
        assert_eq!(plain(even), None);
        for (raw, digits) in [("1.0e-1", None), ("10e-1", Some("1")), ("00.0", Some("0")), ("1e15", None)] {
            assert_eq!(whole(raw).as_deref(), digits, "{raw}");
        }
    }

    #[test]
    fn of_a_key_given_twice_the_last_stays_and_the_path_is_reported() {
        let text = r#"{"n":[{"count":7, "count": 42,"x":1},{"\u0063ount":1 ,"count":{"a":1,"a":2}} ],"n\"":0,"z":1,"z":2,"z":3}"#;
        let plain = plain(text).unwrap();
        assert_eq!(plain.text, r#"{"n":[{ "count": 42,"x":1},{"count":{"a":2}} ],"n\"":0,"z":3}"#);
        let repeated: Vec<(&str, &str)> = plain.repeated.iter().map(|r| (&*r.object, &*r.key)).collect();
        assert_eq!(repeated, [("n[0]", "count"), ("n[1].count", "a"), ("n[1]", "count"), ("", "z"), ("", "z")]);
        // What is left out may have been changed itself.
        assert_eq!(written(r#"{"a":{"b":1,"b":2},"a":1.0}"#), r#"{"a":1}"#);
    }

    #[test]
    fn halves_of_surrogate_pairs_become_the_character_for_what_is_none() {
        let text = r#"{"nodes":[{"name":"a\ud83d"},{"name":"\udE00b","\ud83dx":1},{"name":"\ud83d\ude00\\ud83d \u00e9"}],
            "x":["\ud83d\ud83d\ude00", "\u+83d \ud8"]}"#;
        let plain = plain(text).unwrap();
        let want = r#"{"nodes":[{"name":"a\ufffd"},{"name":"\ufffdb","\ufffdx":1},{"name":"\ud83d\ude00\\ud83d \u00e9"}],
            "x":["\ufffd\ud83d\ude00", "\u+83d \ud8"]}"#;
        assert_eq!(plain.text, want);
        assert_eq!(plain.halves, ["nodes[0].name", "nodes[1].name", "nodes[1]", "x[0]"]);
    }

    #[test]
    fn paths_are_those_of_the_value_that_a_reader_is_at() {
        let text = "{\"accessors\": [{\"count\": 1},\n {\"count\": 2.5, \"type\": \"VEC3\"}], \"asset\": {}}";
        let path = |line, words: &str| {
            let row = text.lines().nth(line - 1).unwrap();
            path_at(text, line, row.find(words).unwrap() + words.len())
        };
        assert_eq!(path(2, "2.5"), "accessors[1].count");
        assert_eq!(path(2, "\"VEC3\""), "accessors[1].type");
        assert_eq!(path(2, "\"VEC3\"}"), "accessors[1]");
        assert_eq!(path(1, "1}"), "accessors[0]");
        assert_eq!(path(1, "1"), "accessors[0].count");
        assert_eq!(path(2, "{}}"), "");
        assert_eq!(path_at(text, 9, 9), "");
    }

    #[test]
    fn numbers_are_returned_as_they_are_written() {
        let text = "{\"a\": 5126.0000000000000000000001,\n\"b\": [-1e-400]}";
        let at = |line, words: &str, more: usize| {
            let row = text.lines().nth(line - 1).unwrap();
            number_at(text, line, row.find(words).unwrap() + words.len() + more)
        };
        for more in [0, 1] {
            assert_eq!(at(1, "0001", more), Some("5126.0000000000000000000001"));
            assert_eq!(at(2, "400", more), Some("-1e-400"));
        }
        assert_eq!(at(1, "\"a\"", 0), None);
        assert_eq!(number_at(text, 9, 9), None);
    }

    /// What is returned of such texts is not said anywhere: reading them ends, and does not panic.
    #[test]
    fn text_that_is_no_json_is_read_to_its_end() {
        for text in [
            "",
            "{",
            "}}]]",
            "{\"a",
            "\"\\",
            "[1.0,,]",
            "{\"a\":1.0.0,\"a\"}",
            "-",
            "é\u{1F600}{\"é\\",
            "{\"a\\u12\":1,\"a\":2}",
            "[\"\\ud83d",
            "[\"\\ud83d\\",
            "[\"\\ud83é\"]",
        ] {
            let _any = plain(text);
            let _anywhere = (path_at(text, 1, 3), number_at(text, 1, 3));
        }
    }
}

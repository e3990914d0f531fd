//! The text of session files: a line for each member of the file and of its sections, so that people can read it and
//! programs that compare lines show what has changed.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

/// Objects that lie deeper than this stand in one line.
const BROKEN: usize = 2;

/// Breaks lines between the members of outer objects.
#[derive(Debug, Default)]
struct Layout {
    /// How many objects are open.
    depth: usize,
    /// How many lists are open.
    lists: usize,
    /// Whether the object that ends next has members.
    has_members: bool,
}

impl Layout {
    fn breaks(&self) -> bool {
        self.depth <= BROKEN && self.lists == 0
    }

    fn new_line(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        self.has_members = false;
        out.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        let breaks = self.breaks() && self.has_members;
        self.depth -= 1;
        self.has_members = true;
        if breaks {
            self.new_line(out)?;
        }
        out.write_all(b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        match (self.breaks(), first) {
            (true, true) => self.new_line(out),
            (true, false) => {
                out.write_all(b",")?;
                self.new_line(out)
            }
            (false, true) => Ok(()),
            (false, false) => out.write_all(b", "),
        }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _out: &mut W) -> io::Result<()> {
        self.has_members = true;
        Ok(())
    }

    fn begin_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists += 1;
        out.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.lists -= 1;
        out.write_all(b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }
}

/// Returns a value as JSON in this layout, which ends with a line break.
///
/// # Errors
/// The value has something that JSON cannot hold.
pub(super) fn text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut out = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Layout::default()))?;
    out.push(b'\n');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

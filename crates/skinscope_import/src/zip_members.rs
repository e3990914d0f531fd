//! The members of a zip, by its list at the end (PKWARE's APPNOTE 6.3, with zip64). Every number in it is checked against the length of
//! the file before memory is taken for it.

use std::borrow::Cow;
use std::io::{Read, copy, sink};
use std::sync::Arc;

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::Limits;
use super::bytes::{Bytes, Owner};

/// What begins the records of a zip.
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const SIGNATURE: &[u8] = b"PK\x05\x05";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";

/// The lengths of the records without what varies.
const LOCAL_LENGTH: u64 = 30;
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
const END_64_LENGTH: u64 = 56;
const LOCATOR_64_LENGTH: usize = 20;

/// The longest comment at the end of a zip.
const MOST_COMMENT: u64 = 0xFFFF;

pub(super) const CUT_OFF: &str = "cut off";
pub(super) const DAMAGED: &str = "damaged";

/// A member of a zip.
pub(super) struct ZipMember {
    /// Its path, in UTF-8 or in no encoding that is known.
    pub path: Vec<u8>,
    /// Where it is, or why it cannot be read.
    pub data: Result<Packed, String>,
}

/// Where the bytes of a member are, and what they must become.
#[derive(Clone, Debug)]
pub(super) struct Packed {
    /// Where its own header is.
    offset: u64,
    packed: u64,
    /// How many bytes it says it has once it is unpacked.
    pub length: u64,
    crc: u32,
    is_deflated: bool,
}

/// Returns whether a file begins as a zip does; the second is one without members.
pub(super) fn is_zip(start: &[u8]) -> bool {
    start.starts_with(LOCAL) || start.starts_with(END)
}

/// Lists the files in a zip, without folders and links; or says why there is no list.
pub(super) fn list(bytes: Bytes, limits: &Limits) -> Result<Vec<ZipMember>, String> {
    let (start, length) = directory(bytes)?;
    if length > limits.json_bytes {
        return Err(format!("a list of members of {length} bytes, more than the limit of {}", limits.json_bytes));
    }
    let mut stream = bytes.part(start, length).ok_or(CUT_OFF)?.stream();
    let (mut left, mut all_packed, mut out) = (length, 0_u64, Vec::new());
    while left >= CENTRAL_LENGTH as u64 {
        let mut head = [0; CENTRAL_LENGTH];
        stream.read_exact(&mut head).map_err(|error| error.to_string())?;
        if head.starts_with(SIGNATURE) {
            break;
        }
        if !head.starts_with(CENTRAL) {
            return Err(DAMAGED.to_owned());
        }
        let [name, extra, comment] = [28, 30, 32].map(|at| number(&head, at, 2));
        left = left.checked_sub(CENTRAL_LENGTH as u64 + name + extra + comment).ok_or(CUT_OFF)?;
        let mut rest = vec![0; (name + extra) as usize];
        stream.read_exact(&mut rest).map_err(|error| error.to_string())?;
        copy(&mut stream.by_ref().take(comment), &mut sink()).map_err(|error| error.to_string())?;
        let (name, extra) = rest.split_at(name as usize);
        if name.ends_with(b"/") || name.ends_with(b"\\") || is_link(&head) {
            continue;
        }
        let data = member(&head, extra);
        all_packed = all_packed.saturating_add(data.as_ref().map_or(0, |data| data.packed));
        out.push(ZipMember { path: name.to_vec(), data });
    }
    // Members that lie over each other unpack to more than any other zip of this length does.
    if all_packed > bytes.len() { Err("members that lie over each other".to_owned()) } else { Ok(out) }
}

/// Returns where the list of members begins, and its length.
fn directory(bytes: Bytes) -> Result<(u64, u64), String> {
    let tail = bytes.len().min(END_LENGTH as u64 + MOST_COMMENT + LOCATOR_64_LENGTH as u64);
    let before = bytes.len() - tail;
    let tail = read(bytes, before, tail)?;
    let ends = |at: &usize| {
        let record = tail.get(*at..).unwrap_or_default();
        record.starts_with(END) && (*at + END_LENGTH) as u64 + number(record, 20, 2) == tail.len() as u64
    };
    let last = (tail.len() + 1).checked_sub(END_LENGTH).ok_or(CUT_OFF)?;
    let at = (0..last).rev().find(ends).ok_or(CUT_OFF)?;
    let end = &tail[at..];
    let locator = at.checked_sub(LOCATOR_64_LENGTH).map(|at| &tail[at..]).filter(|l| l.starts_with(LOCATOR_64));
    let (disks, length, start) = match locator {
        Some(locator) => {
            let end = read(bytes, number(locator, 8, 8), END_64_LENGTH)?;
            if !end.starts_with(END_64) {
                return Err(DAMAGED.to_owned());
            }
            (number(&end, 16, 4) | number(&end, 20, 4), number(&end, 40, 8), number(&end, 48, 8))
        }
        None => (number(end, 4, 2) | number(end, 6, 2), number(end, 12, 4), number(end, 16, 4)),
    };
    if disks != 0 {
        return Err("a part of an archive in several files".to_owned());
    }
    Ok((start, length))
}

/// Returns whether a member is a symbolic link of Unix.
fn is_link(head: &[u8]) -> bool {
    let (system, mode) = (number(head, 5, 1), number(head, 40, 2));
    system == 3 && mode & 0o170_000 == 0o120_000
}

/// Reads where a member is, from its entry in the list.
fn member(head: &[u8], extra: &[u8]) -> Result<Packed, String> {
    const WIDE: u64 = 0xFFFF_FFFF;
    // Strong encryption and hidden headers are said by flags of their own.
    if number(head, 8, 2) & 0x2041 != 0 {
        return Err("encrypted".to_owned());
    }
    let is_deflated = match number(head, 10, 2) {
        0 => false,
        8 => true,
        other => return Err(format!("compressed by another method (number {other})")),
    };
    let mut wide = wide_numbers(extra);
    let mut of = |at: usize| match number(head, at, 4) {
        WIDE => wide.next().ok_or(DAMAGED),
        short => Ok(short),
    };
    let (length, packed, offset) = (of(24)?, of(20)?, of(42)?);
    Ok(Packed { offset, packed, length, crc: number(head, 16, 4) as u32, is_deflated })
}

/// Returns the numbers of 64 bits that stand in place of those that do not fit.
fn wide_numbers(extra: &[u8]) -> impl Iterator<Item = u64> {
    let mut rest = extra;
    let mut field = &[][..];
    while rest.len() >= 4 {
        let end = (4 + number(rest, 2, 2) as usize).min(rest.len());
        if number(rest, 0, 2) == 1 {
            field = &rest[4..end];
            break;
        }
        rest = &rest[end..];
    }
    field.chunks_exact(8).map(|wide| number(wide, 0, 8))
}

impl Packed {
    /// Opens the bytes of a member: where they lie if they are stored, else unpacked, and not a byte more than it says it has. All of them
    /// are read, since their checksum has to be that of the list.
    pub(super) fn open(&self, archive: &Arc<Owner>) -> Result<Owner, String> {
        let bytes = archive.bytes();
        let local = read(bytes, self.offset, LOCAL_LENGTH)?;
        if !local.starts_with(LOCAL) {
            return Err(DAMAGED.to_owned());
        }
        let start = self.offset + LOCAL_LENGTH + number(&local, 26, 2) + number(&local, 28, 2);
        let part = bytes.part(start, self.packed).ok_or(CUT_OFF)?;
        let mut crc = Crc::new();
        if !self.is_deflated {
            if self.packed != self.length {
                return Err(DAMAGED.to_owned());
            }
            part.pieces(1, |piece| crc.update(piece)).map_err(|error| error.to_string())?;
            self.check(&crc)?;
            return Ok(Owner::Part(Arc::clone(archive), start..start + self.packed));
        }
        let mut out = Vec::new();
        // What it says is believed once it is there.
        out.try_reserve(self.length.min(1 << 24) as usize).map_err(|error| error.to_string())?;
        let mut decoder = DeflateDecoder::new(part.stream()).take(self.length.saturating_add(1));
        decoder.read_to_end(&mut out).map_err(|error| error.to_string())?;
        if out.len() as u64 != self.length {
            return Err(format!("other than the {} bytes that it says it has", self.length));
        }
        crc.update(&out);
        self.check(&crc)?;
        Ok(Owner::Memory(out))
    }

    /// Says what is wrong where the unpacked bytes have another checksum than the list of members says.
    fn check(&self, crc: &Crc) -> Result<(), String> {
        let (found, listed) = (crc.sum(), self.crc);
        if found == listed {
            return Ok(());
        }
        Err(format!("{DAMAGED}: a CRC-32 of {found:08x}, where the list of members says {listed:08x}"))
    }
}

/// Reads a record.
fn read(bytes: Bytes<'_>, at: u64, length: u64) -> Result<Cow<'_, [u8]>, String> {
    bytes.part(at, length).ok_or(CUT_OFF)?.read().map_err(|error| error.to_string())
}

/// Returns a number of so many bytes, the lowest first; what is not there is zero.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let bytes = bytes.get(at..at + width).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

//! The bytes of a model: in memory, or still in a file.
//!
//! A large file is not read as a whole: each list of vertices or keys is read from the file directly into its own
//! memory, by a positioned read, so that any thread may read. A file may change while it is open; then other bytes are
//! read, or an error results, but everything is checked after it was read.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use super::ImportError;
use super::limits::Budget;

/// Some bytes of a model.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bytes<'a> {
    Memory(&'a [u8]),
    File { file: &'a OpenFile, start: u64, length: u64 },
}

/// A file, and its name for messages. Clones read the same open file.
#[derive(Clone, Debug)]
pub(super) struct OpenFile {
    pub file: Arc<File>,
    pub name: String,
}

impl OpenFile {
    /// Fills `out` from `offset` on.
    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), ImportError> {
        read_exact_at(&self.file, out, offset).map_err(|error| {
            let source = match error.kind() {
                ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "it became shorter while it was read"),
                _ => error,
            };
            ImportError::Read { path: self.name.clone(), source }
        })
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                out = &mut out[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// How many bytes are converted at once: well inside a core's own cache, and enough that calls cost nothing.
const PIECE: usize = 64 << 10;

impl<'a> Bytes<'a> {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File { length, .. } => *length,
        }
    }

    /// Returns the part `offset .. offset + length`, if it is there.
    pub(super) fn part(&self, offset: u64, length: u64) -> Option<Self> {
        let end = offset.checked_add(length).filter(|end| *end <= self.len())?;
        match self {
            Self::Memory(bytes) => bytes.get(offset as usize..end as usize).map(Self::Memory),
            Self::File { file, start, .. } => Some(Self::File { file, start: start + offset, length }),
        }
    }

    /// Reads all bytes at once for data that stays in memory; the memory is charged to the budget.
    pub(super) fn keep(&self, budget: &Budget, location: &dyn Fn() -> String) -> Result<Cow<'a, [u8]>, ImportError> {
        if let Self::File { length, .. } = self {
            budget.charge(location, *length, 1)?;
        }
        self.read()
    }

    /// Reads all bytes at once. The memory is bounded by the file's length, but that of many calls is not.
    pub(super) fn read(&self) -> Result<Cow<'a, [u8]>, ImportError> {
        match self {
            Self::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::File { file, length, .. } => {
                let mut out = Vec::new();
                let room = usize::try_from(*length).ok().and_then(|length| out.try_reserve_exact(length).ok());
                if room.is_none() {
                    return Err(ImportError::Read { path: file.name.clone(), source: ErrorKind::OutOfMemory.into() });
                }
                self.pieces(1, |piece| out.extend_from_slice(piece))?;
                Ok(Cow::Owned(out))
            }
        }
    }

    /// Calls `each` with the bytes in order, in pieces of whole elements of `size` bytes (the last may be short).
    pub(super) fn pieces(&self, size: usize, mut each: impl FnMut(&[u8])) -> Result<(), ImportError> {
        let step = (PIECE / size).max(1) * size;
        let (file, start, length) = match self {
            Self::Memory(bytes) => {
                bytes.chunks(step).for_each(each);
                return Ok(());
            }
            Self::File { file, start, length } => (file, *start, *length),
        };
        let mut piece = vec![0; step.min(length as usize)];
        let mut at = 0;
        while at < length {
            let now = (length - at).min(step as u64);
            let piece = &mut piece[..now as usize];
            file.read(start + at, piece)?;
            each(piece);
            at += now;
        }
        Ok(())
    }
}

impl Bytes<'_> {
    /// Appends all bytes to a list, as elements that have the same form in memory, piece by piece: each is read straight to where it
    /// stays, and then given to `each` while it is in a core's own cache. Bytes that do not make a whole element are left out.
    pub(super) fn append_to<T: Pod>(&self, out: &mut Vec<T>, mut each: impl FnMut(&[T])) -> Result<(), ImportError> {
        let size = size_of::<T>().max(1);
        let (step, count) = ((PIECE / size).max(1), (self.len() / size as u64) as usize);
        let mut at = 0;
        while at < count {
            let (start, now) = (out.len(), (count - at).min(step));
            out.resize(start + now, T::zeroed());
            let slots: &mut [u8] = bytemuck::cast_slice_mut(&mut out[start..]);
            match self {
                Self::Memory(bytes) => slots.copy_from_slice(&bytes[at * size..][..now * size]),
                Self::File { file, start, .. } => file.read(start + (at * size) as u64, slots)?,
            }
            each(&out[start..]);
            at += now;
        }
        Ok(())
    }
}

impl<'a> Bytes<'a> {
    /// Returns a reader of the bytes in order, for a decoder that reads a stream.
    pub(super) fn stream(self) -> BufReader<Stream<'a>> {
        BufReader::with_capacity(PIECE, Stream { bytes: self, at: 0 })
    }
}

/// A reading position in some bytes.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    bytes: Bytes<'a>,
    at: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = (out.len() as u64).min(self.bytes.len().saturating_sub(self.at)) as usize;
        let out = &mut out[..count];
        match self.bytes {
            Bytes::Memory(bytes) => out.copy_from_slice(&bytes[self.at as usize..][..count]),
            Bytes::File { file, start, .. } => read_exact_at(&file.file, out, start + self.at)?,
        }
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(ErrorKind::InvalidInput)?.min(self.bytes.len());
        Ok(self.at)
    }
}

/// The owner of a buffer's bytes.
#[derive(Debug)]
pub(super) enum Owner {
    /// No bytes: the buffer is a placeholder for the decompressed bytes of its views, or the file says nowhere what it holds.
    Nothing,
    Memory(Vec<u8>),
    File(OpenFile, u64),
    /// A part of what another owner has, such as a member of an archive.
    Part(Arc<Owner>, Range<u64>),
}

impl Owner {
    pub(super) fn bytes(&self) -> Bytes<'_> {
        match self {
            Self::Nothing => Bytes::Memory(&[]),
            Self::Memory(bytes) => Bytes::Memory(bytes),
            Self::File(file, length) => Bytes::File { file, start: 0, length: *length },
            Self::Part(owner, range) => {
                let part = owner.bytes().part(range.start, range.end.saturating_sub(range.start));
                part.unwrap_or(Bytes::Memory(&[]))
            }
        }
    }
}

/// A reading position in the bytes of an owner that others share.
#[derive(Clone, Debug)]
pub(super) struct SharedStream {
    owner: Arc<Owner>,
    at: u64,
}

impl SharedStream {
    pub(super) fn new(owner: &Arc<Owner>) -> Self {
        Self { owner: Arc::clone(owner), at: 0 }
    }

    fn stream(&self) -> Stream<'_> {
        Stream { bytes: self.owner.bytes(), at: self.at }
    }
}

impl Read for SharedStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.stream().read(out)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for SharedStream {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.stream().seek(to)?;
        self.at = at;
        Ok(at)
    }
}

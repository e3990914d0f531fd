//! The bytes of one buffer view, from the file or decompressed.

use skinscope_base::words::counted;

use super::ImportError;
use super::bytes::Bytes;

/// The bytes of a buffer view.
#[derive(Debug)]
pub(super) enum View<'a> {
    /// The bytes are in the file.
    Stored(Bytes<'a>),
    /// They are nowhere: its buffer, of this index, has neither a URI nor data.
    Missing(usize),
    /// They were decompressed, as whole words so that they are aligned.
    Words(Vec<u32>),
    /// They were decompressed to 16-bit indices.
    Shorts(Vec<u16>),
}

impl View<'_> {
    pub(super) fn bytes(&self) -> Bytes<'_> {
        match self {
            Self::Stored(bytes) => *bytes,
            Self::Missing(_) => Bytes::Memory(&[]),
            Self::Words(words) => Bytes::Memory(bytemuck::cast_slice(words)),
            Self::Shorts(shorts) => Bytes::Memory(bytemuck::cast_slice(shorts)),
        }
    }
}

/// Returns `length` bytes from `offset` of a buffer.
pub(super) fn part<'a>(
    buffer: usize,
    buffers: &[Bytes<'a>],
    (offset, length): (u64, u64),
    location: &dyn Fn() -> String,
) -> Result<Bytes<'a>, ImportError> {
    let Some(bytes) = buffers.get(buffer) else {
        let expected = format!("a buffer below {}", buffers.len());
        return Err(ImportError::invalid(location(), expected, format!("buffer {buffer}")));
    };
    bytes.part(offset, length).ok_or_else(|| {
        let expected = format!("its bytes inside the {} of buffer {buffer}", bytes.len());
        ImportError::invalid(location(), expected, format!("{} from {offset}", counted(length, "byte", "bytes")))
    })
}

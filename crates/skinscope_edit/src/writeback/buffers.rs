//! The bytes of buffers while they are patched.

use std::collections::BTreeMap;
use std::ops::Range;

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use skinscope_model::{BufferOrigin, BufferSource};

use super::WriteError;

/// Standard base64, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The buffers of a file; buffers that do not change are not read.
#[derive(Debug)]
pub(super) struct Buffers<'s> {
    source: &'s [u8],
    origins: &'s [BufferOrigin],
    /// The `data:` URI of each buffer that has one.
    uris: Vec<Option<String>>,
    open: BTreeMap<usize, Open>,
    /// How many bytes differ or are new.
    pub changed: u64,
}

/// A buffer that was read.
#[derive(Clone, Debug)]
struct Open {
    bytes: Vec<u8>,
    /// The new `byteLength`, where the buffer grows.
    length: Option<u64>,
    is_changed: bool,
}

impl<'s> Buffers<'s> {
    pub fn new(source: &'s [u8], origins: &'s [BufferOrigin], uris: Vec<Option<String>>) -> Self {
        Self { source, origins, uris, open: BTreeMap::new(), changed: 0 }
    }

    /// Returns whether new bytes can be appended to a buffer.
    pub(crate) fn can_grow(&self, buffer: usize) -> bool {
        self.origins.get(buffer).is_some_and(|b| b.source != BufferSource::Unread)
    }

    /// Returns the buffer for new bytes that belong nowhere in particular: that of the GLB, else the first that can
    /// grow.
    pub fn usual(&self) -> Option<usize> {
        let chunk = self.origins.iter().position(|b| matches!(b.source, BufferSource::GlbChunk { .. }));
        chunk.or_else(|| (0..self.origins.len()).find(|b| self.can_grow(*b)))
    }

    fn open(&mut self, buffer: usize) -> Result<&mut Open, WriteError> {
        if !self.open.contains_key(&buffer) {
            let bytes = self.read(buffer)?;
            self.open.insert(buffer, Open { bytes, length: None, is_changed: false });
        }
        self.open.get_mut(&buffer).ok_or(WriteError::Changed(buffer))
    }

    fn read(&self, buffer: usize) -> Result<Vec<u8>, WriteError> {
        let origin = self.origins.get(buffer).ok_or(WriteError::Changed(buffer))?;
        let bytes = match &origin.source {
            BufferSource::GlbChunk { range } => {
                let part = self.source.get(range.start as usize..range.end as usize);
                part.ok_or(WriteError::Changed(buffer))?.to_vec()
            }
            BufferSource::File(path) => {
                std::fs::read(path).map_err(|source| WriteError::Read { path: path.clone(), source })?
            }
            BufferSource::DataUri => {
                self.uris[buffer].as_deref().and_then(decode).ok_or(WriteError::Changed(buffer))?
            }
            BufferSource::Unread => return Err(WriteError::Changed(buffer)),
        };
        if (bytes.len() as u64) < origin.length { Err(WriteError::Changed(buffer)) } else { Ok(bytes) }
    }

    /// Returns some bytes of a buffer.
    pub fn get(&mut self, buffer: usize, range: Range<u64>) -> Result<&[u8], WriteError> {
        let bytes = &self.open(buffer)?.bytes;
        bytes.get(range.start as usize..range.end as usize).ok_or(WriteError::Changed(buffer))
    }

    /// Overwrites bytes of a buffer.
    pub fn put(&mut self, buffer: usize, start: u64, new: &[u8]) -> Result<(), WriteError> {
        let open = self.open(buffer)?;
        let old = open.bytes.get_mut(start as usize..start as usize + new.len()).ok_or(WriteError::Changed(buffer))?;
        let differ = old.iter().zip(new).filter(|(a, b)| a != b).count() as u64;
        old.copy_from_slice(new);
        open.is_changed |= differ > 0;
        self.changed += differ;
        Ok(())
    }

    /// Appends bytes at a multiple of four; returns where they start.
    pub fn append(&mut self, buffer: usize, new: &[u8]) -> Result<u64, WriteError> {
        let open = self.open(buffer)?;
        let before = open.bytes.len();
        let start = before.next_multiple_of(4);
        open.bytes.resize(start, 0);
        open.bytes.extend_from_slice(new);
        open.length = Some(open.bytes.len() as u64);
        open.is_changed = true;
        self.changed += (start + new.len() - before) as u64;
        Ok(start as u64)
    }

    /// Returns the buffers that change: their bytes, and the new length of those that grow.
    pub(crate) fn into_changed(self) -> Vec<(usize, Vec<u8>, Option<u64>)> {
        let changed = self.open.into_iter().filter(|(_, open)| open.is_changed);
        changed.map(|(buffer, open)| (buffer, open.bytes, open.length)).collect()
    }
}

/// Decodes the bytes of a `data:` URI.
fn decode(uri: &str) -> Option<Vec<u8>> {
    let (head, body) = uri.get(5..)?.split_once(',')?;
    let plain: Vec<u8> = percent_decode_str(body).collect();
    if head.trim_end().to_ascii_lowercase().ends_with(";base64") { BASE64.decode(plain).ok() } else { Some(plain) }
}

/// Returns the same URI with other bytes, in base64; padded unless the old one was not.
pub(super) fn encode(uri: &str, bytes: &[u8]) -> String {
    let (head, body) = uri.split_once(',').unwrap_or(("data:application/octet-stream;base64", ""));
    let trimmed = head.trim_end();
    let is_base64 = trimmed.to_ascii_lowercase().ends_with(";base64");
    let mut text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let unpadded = is_base64 && !body.len().is_multiple_of(4) && !body.contains('%');
    if unpadded {
        text.truncate(text.trim_end_matches('=').len());
    }
    if is_base64 { format!("{head},{text}") } else { format!("{trimmed};base64,{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_uris_are_read_and_written_as_they_were() {
        for (uri, bytes) in [
            ("data:application/octet-stream;base64,AQIDBA==", &[1, 2, 3, 4][..]),
            ("data:;base64,AQIDBA", &[1, 2, 3, 4]),
            ("data:application/gltf-buffer;BASE64,AQID", &[1, 2, 3]),
        ] {
            assert_eq!(decode(uri).as_deref(), Some(bytes));
            assert_eq!(encode(uri, bytes), uri);
        }
        assert_eq!(decode("data:,a%20b").as_deref(), Some(&b"a b"[..]));
        assert_eq!(encode("data:,a%20b", b"a b"), "data:;base64,YSBi");
        assert_eq!(decode("data:nothing"), None);
    }

    #[test]
    fn bytes_are_put_and_appended_and_counted() {
        let source = [9_u8, 9, 1, 2, 3, 4, 5, 9];
        let origins = [BufferOrigin { length: 5, source: BufferSource::GlbChunk { range: 2..7 } }];
        let mut buffers = Buffers::new(&source, &origins, vec![None]);
        buffers.put(0, 1, &[2, 7]).unwrap();
        assert_eq!((buffers.changed, buffers.get(0, 0..5).unwrap()), (1, &[1, 2, 7, 4, 5][..]));
        assert_eq!(buffers.append(0, &[8, 8]).unwrap(), 8);
        assert_eq!(buffers.changed, 1 + 3 + 2);
        assert!(buffers.put(0, 9, &[1, 1]).is_err() && buffers.get(1, 0..1).is_err());
        assert_eq!(buffers.into_changed(), [(0, vec![1, 2, 7, 4, 5, 0, 0, 0, 8, 8], Some(10))]);
    }
}

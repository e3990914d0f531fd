//! The container around JSON text and binary chunk.

use std::ops::Range;

use serde_json::Value;

use super::WriteError;

/// The JSON text of a file, and the bytes around it: a byte order mark, padding, the white space at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'s> {
    pub before: &'s [u8],
    pub json: &'s str,
    pub after: &'s [u8],
}

impl<'s> Text<'s> {
    /// Finds the text in the bytes of a file or chunk.
    pub fn of(bytes: &'s [u8]) -> Result<Self, WriteError> {
        let no_text = || WriteError::Json("JSON text".to_owned());
        let start = bytes.iter().position(|b| *b == b'{').ok_or_else(no_text)?;
        let end = bytes.iter().rposition(|b| *b == b'}').ok_or_else(no_text)? + 1;
        let json = bytes.get(start..end).and_then(|json| std::str::from_utf8(json).ok()).ok_or_else(no_text)?;
        Ok(Self { before: &bytes[..start], json, after: &bytes[end..] })
    }
}

/// The type of a binary chunk.
const BIN: [u8; 4] = *b"BIN\0";

/// Returns whether a GLB has no binary chunk, so that one can follow its text.
pub(super) fn lacks_binary(source: &[u8], json: &Range<u64>) -> bool {
    let next = json.end as usize;
    source.get(next + 4..next + 8) != Some(&BIN[..])
}

/// Puts new JSON text and a new binary chunk into a GLB; a part that is `None` stays as it is. So do all other chunks,
/// and bytes after the container. A binary chunk whose range is that of the text is a new one and follows the text.
pub(super) fn glb(
    source: &[u8],
    json: (&Range<u64>, Option<&str>),
    bin: Option<(&Range<u64>, &[u8])>,
) -> Result<Vec<u8>, WriteError> {
    let changed = || WriteError::Json("a GLB container".to_owned());
    let word = |at: usize| {
        let bytes = source.get(at..at + 4).and_then(|b| b.first_chunk::<4>());
        bytes.map(|b| u32::from_le_bytes(*b)).ok_or_else(changed)
    };
    let length = word(8)? as usize;
    let mut out = source.get(..12).ok_or_else(changed)?.to_vec();
    let mut at = 12;
    while at < length {
        let (size, kind) = (word(at)? as usize, source.get(at + 4..at + 8).ok_or_else(changed)?);
        let old = source.get(at + 8..at + 8 + size).ok_or_else(changed)?;
        let here = |range: &Range<u64>| range.start == at as u64 + 8 && range.end == (at + 8 + size) as u64;
        let is_text = here(json.0);
        let (new, fill) = match (json.1, bin) {
            (Some(text), _) if here(json.0) => {
                let text_of = Text::of(old)?;
                ([text_of.before, text.as_bytes()].concat(), b' ')
            }
            (_, Some((range, bytes))) if here(range) && !is_text => (bytes.to_vec(), 0),
            _ => (Vec::new(), 0),
        };
        let stays = new.is_empty();
        let mut new = if stays { old.to_vec() } else { new };
        if !stays {
            new.resize(new.len().next_multiple_of(4), fill);
        }
        out.extend(u32::try_from(new.len()).map_err(|_| WriteError::TooLong)?.to_le_bytes());
        out.extend_from_slice(kind);
        out.append(&mut new);
        if let Some((range, bytes)) = bin.filter(|_| is_text)
            && range == json.0
        {
            let size = bytes.len().next_multiple_of(4);
            out.extend(u32::try_from(size).map_err(|_| WriteError::TooLong)?.to_le_bytes());
            out.extend_from_slice(&BIN);
            out.extend_from_slice(bytes);
            out.resize(out.len() + size - bytes.len(), 0);
        }
        at += 8 + size;
    }
    let total = u32::try_from(out.len()).map_err(|_| WriteError::TooLong)?;
    out[8..12].copy_from_slice(&total.to_le_bytes());
    out.extend_from_slice(source.get(length..).unwrap_or_default());
    Ok(out)
}

/// Parses the text of a document, as import reads it: halves of surrogate pairs are no characters.
pub(super) fn parsed(json: &str) -> Result<Value, WriteError> {
    serde_json::from_str(json).or_else(|error| {
        let plain = skinscope_base::json::plain(json).filter(|plain| !plain.halves.is_empty());
        let read = plain.and_then(|plain| serde_json::from_str(&plain.text).ok());
        read.ok_or_else(|| WriteError::Json(error.to_string()))
    })
}

//! Whether a file ends before it is whole, as one does that another program is still writing.

use std::path::Path;

use gltf::json;
use serde::de::IgnoredAny;

use super::bytes::Bytes;
use super::error::{self, Warnings};
use super::limits::Budget;
use super::uri::{self, Resolver};
use super::{ImportError, Options, container, opened};

/// Returns whether a `.gltf` or `.glb` file ends before it is whole: an empty file, a GLB that is shorter than its header
/// says, JSON text that ends too early, or a buffer of fewer bytes than the document says. A file that is wrong in another way, that is
/// not there or that cannot be read is not cut off; nor is one that names a buffer which is not there.
#[must_use]
pub fn is_cut_off(path: &Path, options: &Options) -> bool {
    let read = || -> Result<bool, ImportError> {
        let (file, folder) = opened(path, &path.display().to_string(), &options.limits)?;
        let bytes = file.bytes();
        let is_glb = match ends_in_container(bytes)? {
            Some(true) => return Ok(true),
            ending => ending.is_some(),
        };
        let warnings = Warnings::default();
        let parts = container::split(bytes, &options.limits, &warnings)?;
        if !is_glb && ends_in_text(&parts.json) {
            return Ok(true);
        }
        let text = container::text(&parts.json, &warnings)?;
        let root = container::parse(text, &options.limits, &warnings)?.root;
        let files = Budget::new("the length of all files in bytes", options.limits.file_bytes);
        let resolver = Resolver::new(Some(folder), options.allow_external, &files);
        Ok(root.buffers.iter().any(|buffer| is_short(buffer, &resolver)))
    };
    error::guarded(read).and_then(Result::ok).unwrap_or(false)
}

/// Returns whether a GLB is shorter than its header says; `None` for what is no GLB of version 2.
fn ends_in_container(bytes: Bytes) -> Result<Option<bool>, ImportError> {
    const HEADER: u64 = 12;
    let Some(head) = bytes.part(0, bytes.len().min(HEADER)) else { return Ok(None) };
    let head = head.read()?;
    let (magic, rest) = head.split_at(head.len().min(4));
    if !b"glTF".starts_with(magic) || magic.is_empty() {
        return Ok(None);
    }
    let words = rest.as_chunks().0;
    Ok(match [words.first(), words.get(1)].map(|word| word.map(|word| u32::from_le_bytes(*word))) {
        [Some(2), Some(length)] => Some(u64::from(length) > bytes.len()),
        [Some(2) | None, None] => Some(true),
        _ => None,
    })
}

/// Returns whether JSON text ends too early, perhaps within a letter.
fn ends_in_text(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)) {
        Ok(text) => serde_json::from_str::<IgnoredAny>(text).is_err_and(|error| error.is_eof()),
        Err(error) => error.error_len().is_none(),
    }
}

fn is_short(buffer: &json::Buffer, resolver: &Resolver) -> bool {
    let path = buffer.uri.as_deref().and_then(|uri| resolver.named_by(uri));
    let length = path.and_then(|path| uri::open_regular(&path).ok().flatten()).map(|(_, length)| length);
    length.is_some_and(|length| length < buffer.byte_length.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_of_any_form_is_cut_off_until_its_last_byte() {
        let folder = std::env::temp_dir().join(format!("skinscope_cut_off_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let options = Options::default();
        let [glb, gltf, bin] = ["model.glb", "model.gltf", "model.bin"].map(|name| folder.join(name));
        let cut_off = |path: &Path, bytes: &[u8]| {
            fs::write(path, bytes).unwrap();
            is_cut_off(path, &options)
        };
        let figure = include_bytes!("../../../tests/fixtures/figure.glb");
        for end in (0..figure.len()).step_by(997).chain([0, 1, 3, 4, 7, 8, 11, 12, figure.len() - 1]) {
            assert!(cut_off(&glb, &figure[..end]), "{end} bytes");
        }
        assert!(!cut_off(&glb, figure));
        assert!(!cut_off(&glb, &[&figure[..], &[0; 4]].concat()), "bytes after the end are no reason to wait");
        for other in [&b"glTF, but not really"[..], b"glTF\x01\0\0\0\xff\0\0\0", b"model", b"{]", b"\xff\xfe{"] {
            assert!(!cut_off(&glb, other), "{other:?} will not be whole");
        }
        let text =
            r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":40,"uri":"model.bin"}],"nodes":[{"name":"ä"}]}"#;
        for end in 0..text.len() {
            assert!(cut_off(&gltf, &text.as_bytes()[..end]), "{end} bytes");
        }
        assert!(!cut_off(&gltf, text.as_bytes()), "a buffer that is not there is another matter");
        for (length, is_cut) in [(0, true), (39, true), (40, false), (44, false)] {
            fs::write(&bin, vec![0; length]).unwrap();
            assert_eq!(is_cut_off(&gltf, &options), is_cut, "{length} bytes");
        }
        assert!(!is_cut_off(&folder, &options) && !is_cut_off(&folder.join("none.glb"), &options));
        fs::remove_dir_all(&folder).unwrap();
    }
}

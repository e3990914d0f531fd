//! Names files that are no glTF for what they are.

use std::io::Read as _;

use skinscope_base::file_kind::{self, FileKind, START};
use skinscope_base::words::counted;

use super::ImportError;
use super::bytes::Bytes;
use super::error::guarded;

/// The first bytes of a frame of Zstandard.
const ZSTANDARD: &[u8] = b"\x28\xB5\x2F\xFD";

/// What the user can do about a file of the old version.
pub(super) const CONVERT: &str = "convert it to glTF 2.0 (as gltf-pipeline does), or export it again";

/// What a file is that is no glTF.
#[derive(Debug)]
pub(super) struct Foreign {
    /// What people call it, with its article.
    pub name: String,
    /// What the user can do about it.
    pub advice: &'static str,
    /// Whether no numbers of a buffer begin like it: it is text, or the pointer to a file.
    pub is_no_data: bool,
}

/// How many bytes of a file that Zstandard has compressed are looked at. Its decoder gives nothing before a frame or a window is whole;
/// Blender writes frames of a megabyte.
const FRAME: u64 = 2 << 20;

/// Says what a file is; `None` where nothing is known about it.
pub(super) fn kind(bytes: Bytes) -> Result<Option<Foreign>, ImportError> {
    let start = |most: u64| bytes.part(0, bytes.len().min(most)).map(|part| part.read()).transpose();
    let Some(head) = start(START as u64)? else { return Ok(None) };
    if head.starts_with(ZSTANDARD) {
        return Ok(start(FRAME)?.and_then(|start| of_start(&start)));
    }
    Ok(of_start(&head))
}

/// Says what a file is that begins with these bytes.
pub(super) fn of_start(start: &[u8]) -> Option<Foreign> {
    let head = &start[..start.len().min(START)];
    let FileKind { name, advice, is_certain } = file_kind::of_start(head)?;
    let foreign = |name: String, advice| Foreign { name, advice, is_no_data: is_certain && !head.contains(&0) };
    let inner = match name {
        "a gzip archive" => gunzipped(head),
        "a Zstandard archive" => guarded(|| unpacked(&start[..start.len().min(FRAME as usize)])).flatten(),
        _ => None,
    };
    Some(match inner.and_then(|inner| file_kind::of_start(&inner)) {
        Some(FileKind { name: of, advice, .. }) if of.starts_with("a Blender file") => {
            foreign("a compressed Blender file (.blend)".to_owned(), advice)
        }
        Some(FileKind { name: of, .. }) => foreign(format!("{name} of {of}"), advice),
        None => foreign(name.to_owned(), advice),
    })
}

/// Returns the first bytes of what was compressed by gzip.
fn gunzipped(start: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    // What is cut off ends with an error, after the bytes before it.
    _ = flate2::read::GzDecoder::new(start).take(START as u64).read_to_end(&mut out);
    (!out.is_empty()).then_some(out)
}

/// Returns the first bytes of what was compressed by Zstandard; `None` where the first frame is not whole and larger than its window.
fn unpacked(start: &[u8]) -> Option<Vec<u8>> {
    use ruzstd::io::Read as _;
    let mut rest = start;
    let mut decoder = ruzstd::StreamingDecoder::new(&mut rest).ok()?;
    let mut out = vec![0; 16];
    let count = decoder.read(&mut out).ok()?;
    out.truncate(count);
    (count > 0).then_some(out)
}

/// Returns the error about a model that is another file; `None` where nothing is known about it.
pub(super) fn as_model(bytes: Bytes) -> Result<Option<ImportError>, ImportError> {
    let error = |Foreign { name, advice, .. }: Foreign| {
        ImportError::invalid("file", "a glTF file (a JSON object, or a GLB container)", name).advise(advice)
    };
    Ok(kind(bytes)?.map(error))
}

/// Returns the error about a buffer that is another file, where it is one that holds no numbers, or where it `is_short`.
pub(super) fn as_buffer(
    bytes: Bytes,
    (location, stated): (&str, u64),
    is_short: bool,
) -> Result<Option<ImportError>, ImportError> {
    let found = kind(bytes)?.filter(|foreign| is_short || foreign.is_no_data);
    let error = |Foreign { name, advice, .. }: Foreign| {
        let expected = format!("the {} that it states", counted(stated, "byte", "bytes"));
        let found = format!("{name} of {}", counted(bytes.len(), "byte", "bytes"));
        ImportError::invalid(location, expected, found).advise(advice)
    };
    Ok(found.map(error))
}

/// Returns the error about a document of glTF 1.0: by the version that it states, or by objects where glTF 2.0 has lists.
pub(super) fn old_version(text: &str) -> Option<ImportError> {
    let root: serde_json::Value = serde_json::from_str(text).ok()?;
    let version = root.pointer("/asset/version").map(|version| version.to_string().trim_matches('"').to_owned());
    let major = version.as_deref().and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    let has_objects =
        ["nodes", "meshes", "accessors", "buffers", "bufferViews"].iter().any(|list| root[list].is_object());
    let is_old = major.map_or(has_objects, |major| major < 2);
    is_old.then(|| old(version.as_deref().unwrap_or("1.0")))
}

/// Makes the error about a file of a version before 2.0.
pub(super) fn old(version: &str) -> ImportError {
    let version: String = version.chars().take(8).collect();
    ImportError::invalid("file", "a glTF 2.0 file", format!("a glTF {version} file")).advise(CONVERT)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn what_is_compressed_is_looked_into() {
        let blend = [b"BLENDER-v279", &[7; 9000][..]].concat();
        assert_eq!(of_start(&gzipped(&blend)).unwrap().name, "a compressed Blender file (.blend)");
        assert_eq!(of_start(&gzipped(b"glTF\x02\0\0\0")).unwrap().name, "a gzip archive of a binary glTF");
        assert_eq!(of_start(&gzipped(b"what is this?")).unwrap().name, "a gzip archive");
        assert_eq!(of_start(b"\x1F\x8B\x08\0\xFF\xFF").unwrap().name, "a gzip archive");
        // A frame of one raw block: header, window of 1 KiB, then the block's header of three bytes.
        let frame = [&b"\x28\xB5\x2F\xFD\0\0"[..], &[0x61, 0, 0], b"BLENDER17-01"].concat();
        assert_eq!(of_start(&frame).unwrap().name, "a compressed Blender file (.blend)");
        assert_eq!(of_start(b"\x28\xB5\x2F\xFD\0").unwrap().name, "a Zstandard archive");
    }

    #[test]
    fn a_document_of_the_old_version_is_told_by_its_version_or_its_objects() {
        let said = |text: &str| old_version(text).map(|error| error.to_string());
        assert!(said(r#"{"asset": {"version": "1.0"}, "nodes": {}}"#).unwrap().contains("a glTF 1.0 file"));
        assert!(said(r#"{"asset": {"version": 1.1}}"#).unwrap().contains("a glTF 1.1 file"));
        assert!(said(r#"{"scene": "a", "nodes": {"b": {}}}"#).unwrap().contains("a glTF 1.0 file"));
        assert_eq!(said(r#"{"asset": {"version": "2.0"}, "nodes": 3}"#), None);
        assert_eq!(said(r#"{"nodes": []}"#), None);
    }
}

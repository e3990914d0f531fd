//! Resolves URIs: data URIs, and files within the folder of the model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json;
use percent_encoding::percent_decode_str;

use super::ImportError;
use super::archive::{Archive, LeadsOut};
use super::bytes::{OpenFile, Owner};
use super::error::quoted;
use super::limits::Budget;

/// Standard base64; files often leave out the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The advice about a URI that leads out of the model's folder.
const KEEP_INSIDE: &str = "put the file into the model's folder and refer to it from there";
/// The same advice where the user may allow it.
const OUTSIDE: &str = "put the file into the model's folder, or pass --allow-external if you trust the model";
const BAD_URI: &str = "export the model again, best as one .glb file";

/// Opens a regular file and returns it with its length; `None` where `path` is a folder, a pipe or a device. The kind
/// is checked before opening, because opening a pipe waits for its other end, and again afterwards, because the name
/// may refer to another file by then.
pub(super) fn open_regular(path: &Path) -> io::Result<Option<(File, u64)>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    let facts = file.metadata()?;
    Ok(facts.is_file().then_some((file, facts.len())))
}

/// Returns the rest of a data URI after its scheme; `None` for any other URI.
fn data(uri: &str) -> Option<&str> {
    uri.get(..5).filter(|s| s.eq_ignore_ascii_case("data:")).map(|_| &uri[5..])
}

/// Returns whether a URI has a scheme or a drive: letters, digits, + - . before the first colon that precedes any
/// slash.
fn has_scheme(decoded: &str) -> bool {
    decoded.split(['/', '\\', '?', '#']).next().unwrap_or_default().contains(':')
}

/// Reads the bytes that the URIs of one model name.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    /// Canonical folder of the model; `None` for a model in memory, which can refer to nothing outside itself.
    pub folder: Option<PathBuf>,
    pub allow_external: bool,
    pub budget: &'a Budget,
    /// The archive that the model is in, and its number there: what it names is looked for there and nowhere else.
    archive: Option<(&'a Archive, usize)>,
    /// How many files stay open.
    open: AtomicUsize,
}

/// Files of so many bytes and more are not read as a whole.
const LARGE: u64 = 1 << 20;

/// The most files that one model keeps open; systems allow a few hundred.
pub(super) const MOST_OPEN: usize = 64;

impl<'a> Resolver<'a> {
    pub(super) fn new(folder: Option<PathBuf>, allow_external: bool, budget: &'a Budget) -> Self {
        Self { folder, allow_external, budget, archive: None, open: AtomicUsize::new(0) }
    }

    /// Makes the resolver of a model that is a member of an archive.
    pub(super) fn inside(archive: &'a Archive, member: usize, allow_external: bool, budget: &'a Budget) -> Self {
        Self { archive: Some((archive, member)), ..Self::new(None, allow_external, budget) }
    }

    /// Opens the bytes that `uri` refers to. With `stay` a large file is not read into memory, unless too many are
    /// open; others are read as a whole.
    pub(super) fn open(&self, uri: &str, stay: bool, location: &dyn Fn() -> String) -> Result<Owner, ImportError> {
        if let Some(rest) = data(uri) {
            return self.data(rest, location).map(Owner::Memory);
        }
        if let Some(inside) = self.archive {
            return self.member(inside, uri, location);
        }
        let (file, length) = self.file(uri, location)?;
        let owner = Owner::File(file, length);
        if stay && (length < LARGE || self.open.fetch_add(1, Ordering::Relaxed) >= MOST_OPEN) {
            return owner.bytes().read().map(|bytes| Owner::Memory(bytes.into_owned()));
        }
        Ok(owner)
    }

    fn data(&self, rest: &str, location: &dyn Fn() -> String) -> Result<Vec<u8>, ImportError> {
        let Some((head, body)) = rest.split_once(',') else {
            return Err(ImportError::invalid(location(), "a data URI with a comma", quoted(rest)).advise(BAD_URI));
        };
        self.budget.charge(location, body.len() as u64, 1)?;
        let plain: Cow<[u8]> = percent_decode_str(body).into();
        if !head.trim_end().to_ascii_lowercase().ends_with(";base64") {
            return Ok(plain.into_owned());
        }
        let decoded = BASE64.decode(plain.as_ref());
        decoded.map_err(|e| ImportError::invalid(location(), "base64 in its data URI", e.to_string()).advise(BAD_URI))
    }

    /// Opens the member of an archive behind a URI; its length is charged.
    fn member(
        &self,
        (archive, model): (&Archive, usize),
        uri: &str,
        location: &dyn Fn() -> String,
    ) -> Result<Owner, ImportError> {
        let decoded = self.relative(uri, location)?;
        match archive.find(model, &decoded, self.allow_external) {
            Ok(Some(member)) => {
                archive.beside(member, uri, location, &|length| self.budget.charge(location, length, 1))
            }
            Ok(None) => Err(ImportError::invalid(location(), "a file in the same archive", quoted(uri))
                .advise("pack the file with the model, at the path by which the model names it")),
            Err(LeadsOut) => {
                Err(ImportError::invalid(location(), "a path inside the model's folder", quoted(uri)).advise(OUTSIDE))
            }
        }
    }

    /// Opens the file behind a URI and returns it with its length, which is charged.
    fn file(&self, uri: &str, location: &dyn Fn() -> String) -> Result<(OpenFile, u64), ImportError> {
        let path = self.path(uri, location)?;
        let failed = |source| ImportError::Read { path: format!("{}, {}", location(), quoted(uri)), source };
        let Some((file, length)) = open_regular(&path).map_err(failed)? else {
            return Err(ImportError::invalid(location(), "a regular file", quoted(uri)).advise(KEEP_INSIDE));
        };
        self.budget.charge(location, length, 1)?;
        Ok((OpenFile { file: Arc::new(file), name: format!("{}, {}", location(), quoted(uri)) }, length))
    }

    /// Returns the paths of the files that the document's buffers and images name, each once: also those that do not
    /// exist, that are not read because nothing shows them, or that may not be read. Nothing is opened.
    pub(super) fn named(&self, root: &json::Root) -> Vec<PathBuf> {
        let buffers = root.buffers.iter().filter_map(|b| b.uri.as_deref());
        let images = root.images.iter().filter_map(|i| i.uri.as_deref());
        let named: BTreeSet<PathBuf> = buffers.chain(images).filter_map(|uri| self.named_by(uri)).collect();
        named.into_iter().collect()
    }

    /// The path of the file that a relative URI names; `None` for other URIs, and for a model in memory.
    pub(super) fn named_by(&self, uri: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref().filter(|_| data(uri).is_none())?;
        let decoded = percent_decode_str(uri).decode_utf8().ok()?;
        let is_local = !decoded.is_empty() && !has_scheme(&decoded) && !decoded.starts_with(['/', '\\']);
        is_local.then(|| folder.join(decoded.as_ref()))
    }

    /// Decodes a URI that must be a relative path.
    fn relative<'u>(&self, uri: &'u str, location: &dyn Fn() -> String) -> Result<Cow<'u, str>, ImportError> {
        let bad = |expected: &str, advice| Err(ImportError::invalid(location(), expected, quoted(uri)).advise(advice));
        if uri.is_empty() {
            return bad("a URI that is not empty", BAD_URI);
        }
        let Ok(decoded) = percent_decode_str(uri).decode_utf8() else {
            return bad("a percent-encoded URI in UTF-8", BAD_URI);
        };
        if has_scheme(&decoded) {
            return bad("a path relative to the model's folder (no scheme, no drive)", KEEP_INSIDE);
        }
        if decoded.contains('\0') || decoded.starts_with(['/', '\\']) {
            return bad("a path relative to the model's folder", KEEP_INSIDE);
        }
        Ok(decoded)
    }

    /// Returns the file that a relative URI names, after a check that it lies where it may.
    fn path(&self, uri: &str, location: &dyn Fn() -> String) -> Result<PathBuf, ImportError> {
        let bad = |expected: &str, advice| Err(ImportError::invalid(location(), expected, quoted(uri)).advise(advice));
        let Some(folder) = &self.folder else {
            return bad("no reference to other files from a model in memory", BAD_URI);
        };
        let decoded = self.relative(uri, location)?;
        let relative = Path::new(decoded.as_ref());
        let inside = relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
            && !decoded.split(['/', '\\']).any(|part| part == "..");
        if !inside && !self.allow_external {
            return bad("a path inside the model's folder", OUTSIDE);
        }
        let path = folder.join(relative);
        if self.allow_external {
            return Ok(path);
        }
        let real = path
            .canonicalize()
            .map_err(|source| ImportError::Read { path: format!("{}, {}", location(), quoted(uri)), source })?;
        if real.starts_with(folder) { Ok(real) } else { bad("a file inside the model's folder (links count)", OUTSIDE) }
    }
}

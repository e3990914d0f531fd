//! Decides which files a changed model becomes, and writes them: all or none.

mod place;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use skinscope_base::output::{NotWritten, Overwritten, Replacing, other_links, overwritten, write_together};

pub use self::place::Place;
use super::container::{Text, parsed};
use super::{Changes, Patched, Recompression, WriteError, patch};
use crate::Sheet;

/// The characters that a URI need not escape (RFC 3986, 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What one can do where a model cannot replace its own files.
const ELSEWHERE: &str = "write the model to another file";

/// Where a changed model is written to.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'p> {
    /// Another file than its own.
    To(&'p Path),
    /// The file that it came from; a copy of every file that changes is kept beside it.
    InPlace,
}

/// A report of the files that were written.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// How much of the model is new.
    pub changes: Changes,
    /// Every file that was written, the model's own last.
    pub written: Vec<PathBuf>,
    /// Copies of the files that were replaced.
    pub backups: Vec<PathBuf>,
    /// Files that were replaced and have other names (hard links), and how many.
    pub links: Vec<(PathBuf, u64)>,
    /// Whether these other names have the new contents too; else they keep what was there.
    pub kept_links: bool,
    /// Files that the result names but that were not copied beside it, since their names lead out of the folder.
    pub left: Vec<PathBuf>,
}

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The file could not be patched.
    #[error(transparent)]
    Patch(#[from] WriteError),
    /// The output is one of the files of the model.
    #[error(transparent)]
    Overwritten(#[from] Overwritten),
    /// The name of the output says another container than the model has.
    #[error("{}: the model is a {is}, and stays one; name the output .{is}", path.display())]
    Container {
        /// The path of the output.
        path: PathBuf,
        /// The container of the model: `glb` or `gltf`.
        is: &'static str,
    },
    /// The model's file was changed after it was read.
    #[error("{}: it was changed by another program after it was read; nothing was written", .0.display())]
    Stale(PathBuf),
    /// The model's file was changed after it was read, and some edits match nothing in it now.
    #[error("{}: it was changed by another program after it was read, and has no place now for {left}; nothing was written", path.display())]
    Unmatched {
        /// The model's file.
        path: PathBuf,
        /// The edits that match nothing, in words.
        left: String,
    },
    /// A file cannot be written.
    #[error("could not write {}: {reason}", path.display())]
    Output {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

fn unwritable(path: &Path, reason: impl ToString) -> SaveError {
    SaveError::Output { path: path.to_owned(), reason: reason.to_string() }
}

/// A file that is to be written.
struct Output {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// What is known of a file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    length: u64,
    written: Option<SystemTime>,
    /// The file that the path leads to, past all links, which may be led elsewhere; `None` where that cannot be said.
    leads_to: Option<PathBuf>,
}

/// What is known of a file; `None` where there is no file.
type Stamp = Option<Facts>;

/// The lengths and times of a model's files as they were read, and where their paths led to, by which it is seen that another program has
/// changed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamps(Vec<(PathBuf, Stamp)>);

impl Stamps {
    /// The stamp of the model's own file as it is now. To be taken before the file is read.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        Self(vec![(path.to_owned(), stamp(path))])
    }

    /// Adds the stamps of files that the model names.
    pub fn add<'f>(&mut self, files: impl IntoIterator<Item = &'f Path>) {
        for file in files {
            if self.0.iter().all(|(known, _)| known != file) {
                self.0.push((file.to_owned(), stamp(file)));
            }
        }
    }

    /// Adds stamps that were taken of other files before.
    pub fn add_taken(&mut self, others: &Self) {
        for other in &others.0 {
            if self.0.iter().all(|(known, _)| *known != other.0) {
                self.0.push(other.clone());
            }
        }
    }

    /// Returns whether all files are there, and one was written at this time or later.
    #[must_use]
    pub fn are_there_and_newer(&self, time: SystemTime) -> bool {
        let written = |(_, stamp): &(PathBuf, Stamp)| stamp.as_ref().map(|facts| facts.written);
        let all: Option<Vec<Option<SystemTime>>> = self.0.iter().map(written).collect();
        all.is_some_and(|all| all.into_iter().flatten().any(|written| written >= time))
    }

    /// Returns how long before now the last of the files was written; `None` where none is there, or where one says a time to come.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        let written = self.0.iter().filter_map(|(_, stamp)| stamp.as_ref().and_then(|facts| facts.written)).max();
        written.and_then(|written| written.elapsed().ok())
    }

    /// Returns whether a file is as it was when the model was read. Of one that the model does not name nothing is known against it.
    #[must_use]
    pub fn is_as_read(&self, path: &Path) -> bool {
        let then = self.0.iter().find(|(known, _)| known == path);
        then.is_none_or(|(_, then)| stamp(path) == *then)
    }

    /// Returns the paths of the files, the model's own first.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|(path, _)| path.as_path())
    }

    /// Returns the stamps that the same files have now.
    #[must_use]
    pub fn taken_again(&self) -> Self {
        Self(self.0.iter().map(|(path, _)| (path.clone(), stamp(path))).collect())
    }

    /// Returns the stamps after these files were written from here. The others are as they were, so that it is still seen if another
    /// program changed them.
    #[must_use]
    pub fn once_written(&self, written: &[PathBuf]) -> Self {
        let is_one =
            |a: &Path, b: &Path| a == b || a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a));
        let now = |(path, then): &(PathBuf, Stamp)| {
            let is_written = written.iter().any(|file| is_one(file, path));
            (path.clone(), if is_written { stamp(path) } else { then.clone() })
        };
        Self(self.0.iter().map(now).collect())
    }

    /// Returns whether the model's own file was there.
    #[must_use]
    pub fn has_own(&self) -> bool {
        self.0.first().is_some_and(|(_, stamp)| stamp.is_some())
    }

    fn check(&self) -> Result<(), SaveError> {
        let stale = self.0.iter().find(|(path, then)| stamp(path) != *then);
        stale.map_or(Ok(()), |(path, _)| Err(SaveError::Stale(path.clone())))
    }
}

fn stamp(path: &Path) -> Stamp {
    let facts = fs::metadata(path).ok()?;
    Some(Facts { length: facts.len(), written: facts.modified().ok(), leads_to: path.canonicalize().ok() })
}

/// The bytes that a model was read from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'o> {
    /// A file, with the stamps that it and the files that it names had before they were read.
    File(&'o Path, &'o Stamps),
    /// These bytes, which name no files.
    Bytes(&'o [u8]),
}

impl<'o> Origin<'o> {
    /// Returns the bytes; a file is as it was when the model was read.
    fn read(self) -> Result<Cow<'o, [u8]>, SaveError> {
        Ok(match self {
            Self::File(path, stamps) => Cow::Owned(read(path, stamps)?),
            Self::Bytes(source) => Cow::Borrowed(source),
        })
    }
}

/// Files that are computed, but not written yet.
pub struct Prepared {
    outputs: Vec<Output>,
    saved: Saved,
    replacing: Replacing,
}

impl Prepared {
    /// How much of the model is new.
    #[must_use]
    pub fn changes(&self) -> &Changes {
        &self.saved.changes
    }

    /// Every file that will be written, the model's own last.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.outputs.iter().map(|output| output.path.as_path())
    }

    /// Keeps a copy of every file that is replaced, like saving in place does.
    #[must_use]
    pub fn keeping_what_is_replaced(mut self) -> Self {
        self.replacing.keeps_copies = true;
        self
    }

    /// Lets files with several names (hard links) stay one each, or not: then their other names keep what was there.
    #[must_use]
    pub fn keeping_links(mut self, keeps: bool) -> Self {
        self.replacing.keeps_links = keeps;
        self
    }

    /// The files that will be replaced and have other names (hard links), and how many.
    #[must_use]
    pub fn links(&self) -> Vec<(PathBuf, u64)> {
        let links = self.outputs.iter().map(|output| (output.path.clone(), other_links(&output.path)));
        links.filter(|(_, count)| *count > 0).collect()
    }

    /// Writes all files: to temporary files next to them first, which are flushed and then renamed.
    ///
    /// # Errors
    /// Every file is as it was then. Where one could not be put back, the error says so and names the copy of what it was.
    pub fn write(mut self) -> Result<Saved, SaveError> {
        let files: Vec<(&Path, &[u8])> = self.outputs.iter().map(|o| (o.path.as_path(), o.bytes.as_slice())).collect();
        (self.saved.links, self.saved.kept_links) = (self.links(), self.replacing.keeps_links);
        self.saved.backups = write_together(&files, self.replacing)
            .map_err(|NotWritten { path, reason }| SaveError::Output { path, reason })?;
        self.saved.written = self.outputs.into_iter().map(|output| output.path).collect();
        Ok(self.saved)
    }
}

/// Computes the bytes that a model of one file becomes with its new weights and matrices, and writes nothing. `Saved` has the extent of the
/// changes alone.
///
/// # Errors
/// The file has changed since it was read.
pub fn patched(origin: Origin<'_>, sheet: &Sheet, recompression: Recompression) -> Result<(Vec<u8>, Saved), SaveError> {
    let source = origin.read()?;
    let Patched { main, changes, .. } = patch(&source, sheet, recompression, &mut |_| None)?;
    Ok((main.unwrap_or_else(|| source.into_owned()), Saved { changes, ..Saved::default() }))
}

/// Reads a model's own file, which is as it was when the model was read.
fn read(path: &Path, stamps: &Stamps) -> Result<Vec<u8>, SaveError> {
    let source = fs::read(path).map_err(|source| WriteError::Read { path: path.to_owned(), source })?;
    stamps.check()?;
    Ok(source)
}

/// Computes the files of a sheet's model with its new weights and matrices, and writes nothing.
pub fn prepare(
    origin: Origin<'_>,
    sheet: &Sheet,
    recompression: Recompression,
    destination: Destination,
) -> Result<Prepared, SaveError> {
    match (origin, destination) {
        (Origin::File(path, stamps), destination) => {
            let source = read(path, stamps)?;
            match destination {
                Destination::To(out) => prepare_to(Some(path), &source, (sheet, recompression), out),
                Destination::InPlace => prepare_in_place(path, &source, (sheet, recompression)),
            }
        }
        (Origin::Bytes(source), Destination::To(out)) => prepare_to(None, source, (sheet, recompression), out),
        (Origin::Bytes(_), Destination::InPlace) => Err(unwritable(Path::new("the model"), "it has no file")),
    }
}

/// Writes the model of a sheet with its new weights and matrices: [`prepare`], then [`Prepared::write`].
///
/// # Errors
/// Every file is as it was then. Where one could not be put back, the error says so and names the copy of what it was.
pub fn save(
    origin: Origin<'_>,
    sheet: &Sheet,
    recompression: Recompression,
    destination: Destination,
) -> Result<Saved, SaveError> {
    prepare(origin, sheet, recompression, destination)?.write()
}

fn prepare_to(
    path: Option<&Path>,
    source: &[u8],
    (sheet, recompression): (&Sheet, Recompression),
    out: &Path,
) -> Result<Prepared, SaveError> {
    let files = || sheet.model.source.files.iter().map(PathBuf::as_path).chain(path);
    check_name(source, out)?;
    overwritten(out, files())?;
    let folder = folder_of(out);
    let is_elsewhere = match (folder.canonicalize(), path.map(|path| folder_of(path).canonicalize())) {
        (Err(error), _) => return Err(unwritable(out, format!("its folder: {error}"))),
        (Ok(to), Some(Ok(from))) => to != from,
        (_, Some(Err(_)) | None) => true,
    };
    let named = path.map_or(Ok(Vec::new()), |path| named_files(source, folder_of(path), sheet))?;
    let mut taken: BTreeSet<PathBuf> = named.iter().map(|n| n.relative.clone()).collect();
    let mut renamed: Vec<(usize, String)> = Vec::new();
    let mut rename = |buffer: usize| {
        // The buffer's own name is free where the result is in another folder.
        if is_elsewhere {
            let others = named.iter().filter(|n| n.buffer != Some(buffer)).map(|n| &n.relative);
            let others: BTreeSet<&PathBuf> = others.collect();
            named.iter().filter(|n| n.buffer == Some(buffer) && !others.contains(&n.relative)).for_each(|n| {
                taken.remove(&n.relative);
            });
        }
        let name = free_name(out, &taken, &|name| overwritten(&folder.join(name), files()).is_ok());
        taken.insert(PathBuf::from(&name));
        renamed.push((buffer, name.clone()));
        Some(utf8_percent_encode(&name, ENCODED).to_string())
    };
    let Patched { main, buffers, changes } = patch(source, sheet, recompression, &mut rename)?;
    let mut saved = Saved { changes, ..Saved::default() };
    let mut outputs = Vec::new();
    if is_elsewhere {
        for file in named.iter().filter(|n| n.buffer.is_none_or(|b| renamed.iter().all(|(r, _)| *r != b))) {
            outputs.extend(copy_of(file, folder, &files, &mut saved)?);
        }
    }
    for (buffer, (_, name)) in buffers.into_iter().zip(&renamed) {
        outputs.push(Output { path: folder.join(name), bytes: buffer.bytes });
    }
    outputs.push(Output { path: out.to_owned(), bytes: main.unwrap_or_else(|| source.to_vec()) });
    Ok(Prepared { outputs, saved, replacing: Replacing::default() })
}

fn prepare_in_place(
    path: &Path,
    source: &[u8],
    (sheet, recompression): (&Sheet, Recompression),
) -> Result<Prepared, SaveError> {
    let Patched { main, buffers, changes } = patch(source, sheet, recompression, &mut |_| None)?;
    let saved = Saved { changes, ..Saved::default() };
    let mut outputs: Vec<Output> = buffers.into_iter().map(|b| Output { path: b.path, bytes: b.bytes }).collect();
    if let Some(main) = main.filter(|main| main != source) {
        outputs.push(Output { path: path.to_owned(), bytes: main });
    }
    // Writing one of two buffers that are one file would undo what was written for the other.
    refuse_twice(outputs.iter().map(|output| &output.path))?;
    Ok(Prepared { outputs, saved, replacing: Replacing { keeps_copies: true, keeps_links: false } })
}

/// Refuses files of which two are one.
fn refuse_twice<'p>(mut files: impl Iterator<Item = &'p PathBuf>) -> Result<(), SaveError> {
    let mut known = BTreeSet::new();
    let twice = files.find(|path| !known.insert(path.canonicalize().unwrap_or_else(|_| (*path).clone())));
    let why = format!("several buffers of the model are this file; {ELSEWHERE}");
    twice.map_or(Ok(()), |path| Err(unwritable(path, why)))
}

/// Checks that the name does not say another container than the model has.
fn check_name(source: &[u8], out: &Path) -> Result<(), SaveError> {
    let is_glb = source.starts_with(b"glTF");
    let ending = out.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let wrong = match ending.as_deref() {
        Some("gltf") => is_glb,
        Some("glb" | "vrm") => !is_glb,
        _ => false,
    };
    if wrong {
        return Err(SaveError::Container { path: out.to_owned(), is: if is_glb { "glb" } else { "gltf" } });
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that the text names by a relative URI.
struct Named {
    /// The name as a path, relative to the folder of the text.
    relative: PathBuf,
    /// The path of the file.
    from: PathBuf,
    /// The buffer that it holds; `None` for an image.
    buffer: Option<usize>,
}

/// All files that a text names, whether they are there or not.
fn named_files(source: &[u8], folder: &Path, sheet: &Sheet) -> Result<Vec<Named>, SaveError> {
    let range = &sheet.model.source.origins.json;
    let json = source.get(range.start as usize..range.end as usize);
    let text = Text::of(json.ok_or_else(|| WriteError::Json("as many bytes".to_owned()))?)?;
    let root: Value = parsed(text.json)?;
    let mut out = Vec::new();
    for list in ["buffers", "images"] {
        for (index, item) in root[list].as_array().into_iter().flatten().enumerate() {
            let uri = item["uri"].as_str().unwrap_or_default();
            let Ok(decoded) = percent_decode_str(uri).decode_utf8() else { continue };
            let has_scheme = decoded.split(['/', '\\', '?', '#']).next().unwrap_or_default().contains(':');
            if !decoded.is_empty() && !has_scheme && !decoded.starts_with(['/', '\\']) {
                let relative = PathBuf::from(decoded.as_ref());
                let from = folder.join(&relative);
                out.push(Named { relative, from, buffer: (list == "buffers").then_some(index) });
            }
        }
    }
    Ok(out)
}

/// Returns the file beside the result that holds the same; `None` where there is nothing to copy.
fn copy_of<'f, I: Iterator<Item = &'f Path>>(
    file: &Named,
    folder: &Path,
    files: &dyn Fn() -> I,
    saved: &mut Saved,
) -> Result<Option<Output>, SaveError> {
    let inside = file.relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !inside {
        saved.left.push(file.from.clone());
        return Ok(None);
    }
    let bytes = match fs::metadata(&file.from).map(|facts| facts.is_file()) {
        // A file that is missing is missing beside the copy too.
        Err(_) | Ok(false) => return Ok(None),
        Ok(true) => fs::read(&file.from).map_err(|source| WriteError::Read { path: file.from.clone(), source })?,
    };
    let path = folder.join(&file.relative);
    if overwritten(&path, files()).is_err() {
        // The name is a link to the file itself.
        return Ok(None);
    }
    if let Ok(there) = fs::read(&path) {
        if there == bytes {
            return Ok(None);
        }
        let reason = "another file of that name is there, which the model would need to replace; choose another folder";
        return Err(unwritable(&path, reason));
    }
    Ok(Some(Output { path, bytes }))
}

/// Returns `OUT.bin`, or `OUT-1.bin` and so on: a free name in the output's folder.
fn free_name(out: &Path, taken: &BTreeSet<PathBuf>, is_free: &dyn Fn(&str) -> bool) -> String {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let own = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut number = 0_u32;
    loop {
        let name = if number == 0 { format!("{stem}.bin") } else { format!("{stem}-{number}.bin") };
        if name != own && !taken.contains(Path::new(&name)) && is_free(&name) {
            return name;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_that_were_written_have_new_stamps_and_others_keep_theirs() {
        let folder = std::env::temp_dir().join(format!("skinscope_stamps_{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [gltf, bin, image] = ["a.gltf", "a.bin", "a.png"].map(|name| folder.join(name));
        let write = |path: &Path, text: &str| fs::write(path, text).unwrap();
        [&gltf, &bin, &image].into_iter().for_each(|path| write(path, "1"));
        let mut stamps = Stamps::of(&gltf);
        stamps.add([bin.as_path(), image.as_path()]);
        // Both files are saved twice in a row.
        for text in ["22", "333"] {
            [&gltf, &bin].into_iter().for_each(|path| write(path, text));
            assert!(stamps.check().is_err());
            stamps = stamps.once_written(&[gltf.clone(), folder.join(".").join("a.bin")]);
            assert!(stamps.check().is_ok());
        }
        // What another program writes is seen, whatever is saved beside it.
        write(&image, "4444");
        write(&gltf, "4444");
        let Err(SaveError::Stale(stale)) = stamps.once_written(std::slice::from_ref(&gltf)).check() else {
            panic!("the picture is another one")
        };
        assert_eq!(stale, image);
        fs::remove_dir_all(&folder).unwrap();
    }
}

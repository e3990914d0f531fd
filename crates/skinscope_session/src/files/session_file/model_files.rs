//! The model that a session file is about: where it is, and whether it is still the one that it was.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use skinscope_anim::pose::{FileError, NameMap};

use super::{FileRecord, SessionFile, absolute};
use crate::Source;

/// The most files of a model that are recorded, or looked at.
const MOST_FILES: usize = 4096;

/// The model of a session file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionModel {
    /// What to open.
    pub source: Source,
    /// The files that are not as they were when the session was saved, or are not there any more.
    pub changed: Vec<PathBuf>,
}

/// Returns the FNV-1a hash of 64 bits of a text of bytes, as session files have it.
///
/// # Errors
/// The bytes cannot be read.
pub(super) fn hash_of(mut bytes: impl Read) -> io::Result<String> {
    let (mut hash, mut buffer) = (0xcbf2_9ce4_8422_2325_u64, vec![0; 1 << 16]);
    loop {
        let read = bytes.read(&mut buffer)?;
        if read == 0 {
            return Ok(format!("fnv1a64:{hash:016x}"));
        }
        for byte in &buffer[..read] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl SessionFile {
    /// Records the files that the model is made of, its own first, with paths from the folder of the session file `at`.
    /// `as_read` says whether a file is still as it was when the model was read: of another one no hash is known.
    ///
    /// # Errors
    /// The path of the model's own file cannot be written into JSON.
    pub fn set_model<'a>(
        &mut self,
        at: &Path,
        files: impl IntoIterator<Item = &'a Path>,
        as_read: impl Fn(&Path) -> bool,
    ) -> Result<(), FileError> {
        let folder = real(at.parent().unwrap_or(Path::new("")));
        self.model.clear();
        for file in files.into_iter().take(MOST_FILES) {
            let Some(path) = from_folder(&folder, file) else {
                if self.model.is_empty() {
                    let why = "the path of the model has characters that a session file cannot hold";
                    return Err(FileError::Read(why.into()));
                }
                continue;
            };
            let size = fs::metadata(file).map(|facts| facts.len()).unwrap_or_default();
            let known = || as_read(file).then(|| hash_of(File::open(file)?.take(size)));
            let hash = known().and_then(Result::ok).unwrap_or_default();
            self.model.push(FileRecord { path, size, hash });
        }
        let clips = self.clip_files.iter_mut().map(|file| &mut file.path);
        for file in clips.chain(&mut self.view.environment.file) {
            if let Some(path) = from_folder(&folder, Path::new(file)) {
                *file = path;
            }
        }
        Ok(())
    }

    /// Returns the mapping that was stated for the joints of a file whose clips are taken; it is empty where the session does not know the file.
    #[must_use]
    pub fn mapping_of(&self, path: &Path) -> NameMap {
        let name = absolute(Some(path));
        let known = self.clip_files.iter().find(|file| name.as_ref().is_some_and(|name| *name == file.path));
        known.map_or_else(NameMap::default, |file| file.file().mapping)
    }

    /// Records the model's own file by its absolute path and nothing else: for a file that is written often.
    pub fn name_model(&mut self, file: Option<&Path>) {
        let absolute = |file: &Path| std::path::absolute(file).ok()?.to_str().map(str::to_owned);
        let path = file.and_then(absolute);
        self.model = path.into_iter().map(|path| FileRecord { path, ..FileRecord::default() }).collect();
    }

    /// Returns the name of the model's file; `None` for the built-in character.
    #[must_use]
    pub fn model_name(&self) -> Option<&str> {
        self.model.first().map(|file| file.path.rsplit('/').next().unwrap_or_default())
    }

    /// Looks for the model of the session file that stands at `at`: where the file says, else under the same name beside it.
    /// Then compares its files with what they were: where some are others, vertices that are known by their numbers alone are not taken.
    ///
    /// # Errors
    /// The model is at neither path.
    pub fn find_model(&mut self, at: &Path) -> Result<SessionModel, FileError> {
        let folder = real(at.parent().unwrap_or(Path::new("")));
        let clips = self.clip_files.iter_mut().map(|file| &mut file.path);
        for file in clips.chain(&mut self.view.environment.file) {
            let there = plain(&folder.join(&*file));
            let beside = folder.join(file.rsplit('/').next().unwrap_or_default());
            let found = if !there.is_file() && beside.is_file() { beside } else { there };
            if let Some(path) = found.to_str() {
                *file = path.to_owned();
            }
        }
        let Some(own) = self.model.first() else {
            return Ok(SessionModel { source: Source::BuiltIn, changed: Vec::new() });
        };
        let there = folder.join(&own.path);
        let beside = folder.join(self.model_name().unwrap_or_default());
        let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|facts| facts.is_file());
        let Some(path) = [there.clone(), beside].into_iter().find(is_file) else {
            let there = plain(&there);
            return Err(FileError::Read(format!(
                "the model of this session is not there: {}. Put it back, or beside the session file",
                there.display()
            )));
        };
        let moved = path != there;
        let mut seen = BTreeSet::new();
        let all = self.model.iter().take(MOST_FILES).filter(|file| seen.insert(&file.path));
        let changed = all.enumerate().filter_map(|(i, file)| {
            // Files beside a model that was moved have moved with it.
            let name = || file.path.rsplit('/').next().unwrap_or_default();
            let at = match i {
                0 => path.clone(),
                _ if moved => folder.join(name()),
                _ => folder.join(&file.path),
            };
            (!is_as_recorded(&at, file)).then(|| plain(&at))
        });
        let changed: Vec<PathBuf> = changed.collect();
        self.has_other_model = !changed.is_empty();
        Ok(SessionModel { source: Source::File(plain(&path)), changed })
    }
}

/// Returns whether a file has the length and hash of a record. A record that has neither is of any file.
fn is_as_recorded(path: &Path, record: &FileRecord) -> bool {
    if record.hash.is_empty() && record.size == 0 {
        return true;
    }
    let facts = fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() == record.size);
    let hash = facts.and_then(|facts| hash_of(File::open(path).ok()?.take(facts.len())).ok());
    hash.as_ref() == Some(&record.hash)
}

/// Returns the path of a file from a folder, by `..` where needed and with `/` between its parts; absolute where they have
/// nothing in common. `None` where it cannot be written as text.
fn from_folder(folder: &Path, file: &Path) -> Option<String> {
    let absolute = real(file.parent().unwrap_or(Path::new(""))).join(file.file_name()?);
    let (mut to, mut from) = (absolute.components().peekable(), folder.components().peekable());
    let mut shared = 0;
    while to.peek().is_some() && to.peek() == from.peek() {
        to.next();
        from.next();
        shared += 1;
    }
    if shared == 0 {
        return absolute.to_str().map(str::to_owned);
    }
    let up = from.map(|_| Some(".."));
    let down = to.map(|part| part.as_os_str().to_str());
    Some(up.chain(down).collect::<Option<Vec<&str>>>()?.join("/"))
}

/// Returns a folder without links in it, where it is there.
fn real(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_owned())
}

/// Returns a path whose folder has no links in it, where it is there.
fn plain(path: &Path) -> PathBuf {
    let folder = real(path.parent().unwrap_or(Path::new("")));
    path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
}

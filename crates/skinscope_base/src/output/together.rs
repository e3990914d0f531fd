//! Files that are replaced together: where one of them cannot be replaced, those before it are restored.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::hard_links::other_links;
use super::new_file::{NewFile, back_up, folder_of, take_back};

/// The error that several files could not be written together, with the file that caused it.
#[derive(Debug, thiserror::Error)]
#[error("could not write {}: {reason}", path.display())]
pub struct NotWritten {
    /// The path of the file.
    pub path: PathBuf,
    /// The reason, and which other files could not be put back.
    pub reason: String,
}

impl NotWritten {
    fn of(path: &Path, reason: impl ToString) -> Self {
        Self { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// What becomes of files that are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replacing {
    /// Whether a copy of every file that is replaced stays beside it, named with `.bak` at the end.
    pub keeps_copies: bool,
    /// Whether a file with several names (hard links) stays one ([`NewFile::keeping_links`]).
    pub keeps_links: bool,
}

/// Writes files with these contents: all are first written beside their final paths, flushed and named, then each is
/// renamed. Missing folders are created. Returns the paths of the copies that are kept.
///
/// # Errors
/// A file cannot be written. Every file then has its old contents again. Where one could not be restored, the reason
/// says so and names the copy of its old contents.
pub fn write_together(files: &[(&Path, &[u8])], replacing: Replacing) -> Result<Vec<PathBuf>, NotWritten> {
    replace_all(files, replacing, &mut || ())
}

/// Does the same, and calls `before` when all is ready and nothing is replaced yet.
fn replace_all(
    files: &[(&Path, &[u8])],
    Replacing { keeps_copies, keeps_links }: Replacing,
    before: &mut dyn FnMut(),
) -> Result<Vec<PathBuf>, NotWritten> {
    let mut new = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let file = begun(path, bytes, files.len() > 1).map_err(|error| NotWritten::of(path, error))?;
        new.push(if keeps_links { file.keeping_links() } else { file });
    }
    let mut old: Vec<Old<'_>> = Vec::with_capacity(files.len());
    for (i, (path, _)) in files.iter().enumerate() {
        // A file that is written into may be left with a part of what is written.
        let is_needed = i + 1 < files.len() || keeps_links && other_links(path) > 0;
        match Old::of(path, keeps_copies, !is_needed) {
            Ok(one) => old.push(one),
            Err(error) => {
                old.iter().for_each(Old::forget);
                return Err(NotWritten::of(path, format!("its backup: {error}")));
            }
        }
    }
    before();
    for (i, file) in new.into_iter().enumerate() {
        if let Err(error) = file.commit() {
            // The others are replaced no more.
            let touched = if keeps_links && other_links(files[i].0) > 0 { i + 1 } else { i };
            old[touched..].iter().for_each(Old::forget);
            let left: Vec<String> = old[..touched].iter().filter_map(Old::put_back).collect();
            let reason = left.iter().fold(error.to_string(), |reason, left| format!("{reason}; {left}"));
            return Err(NotWritten::of(files[i].0, reason));
        }
    }
    Ok(old.into_iter().filter_map(Old::into_backup).collect())
}

/// Writes a file next to its final path and flushes it. With `named` it gets a name there too, so that only renaming it is left.
fn begun(path: &Path, bytes: &[u8], named: bool) -> io::Result<NewFile> {
    fs::create_dir_all(folder_of(path))?;
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.settle()?;
    if named {
        file.give_name()?;
    }
    Ok(file)
}

/// What a file was before it was replaced.
struct Old<'f> {
    path: &'f Path,
    modified: Option<SystemTime>,
    contents: Contents,
}

enum Contents {
    /// There was no file.
    Absent,
    /// They are in this copy, which stays where all goes well.
    Backup(PathBuf),
    Bytes(Vec<u8>),
    /// They are not needed: the file is replaced last and no copy was requested, or it is a stream.
    Unknown,
}

impl<'f> Old<'f> {
    fn of(path: &'f Path, keeps: bool, is_last: bool) -> io::Result<Self> {
        let facts = match fs::metadata(path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path, modified: None, contents: Contents::Absent });
            }
            Err(error) => return Err(error),
        };
        let contents = match (keeps, is_last) {
            _ if !facts.is_file() => Contents::Unknown,
            (true, _) => Contents::Backup(back_up(path, &fs::read(path)?)?),
            (false, false) => Contents::Bytes(fs::read(path)?),
            (false, true) => Contents::Unknown,
        };
        Ok(Self { path, modified: facts.modified().ok(), contents })
    }

    /// The file was not replaced: its copy is of no use.
    fn forget(&self) {
        if let Contents::Backup(backup) = &self.contents {
            take_back(backup);
        }
    }

    fn into_backup(self) -> Option<PathBuf> {
        if let Contents::Backup(backup) = self.contents { Some(backup) } else { None }
    }

    /// Restores the old contents of a file that was replaced. Returns a message for the user where that fails.
    fn put_back(&self) -> Option<String> {
        let error = match &self.contents {
            Contents::Absent => fs::remove_file(self.path),
            Contents::Backup(backup) => fs::read(backup).and_then(|bytes| self.restore(&bytes)),
            Contents::Bytes(bytes) => self.restore(bytes),
            Contents::Unknown => Err(io::Error::other("what it was is not known")),
        };
        let Err(error) = error else {
            self.forget();
            return None;
        };
        let copy = match &self.contents {
            Contents::Backup(backup) => Some(backup.clone()),
            Contents::Bytes(bytes) => back_up(self.path, bytes).ok(),
            Contents::Absent | Contents::Unknown => None,
        };
        let kept = copy.map_or(String::new(), |copy| format!("; what it was is in {}", copy.display()));
        Some(format!("{} is written already and could not be put back ({error}){kept}", self.path.display()))
    }

    /// Writes the old bytes and sets the modification time of the old file, so that it does not look changed.
    fn restore(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = NewFile::create(self.path)?.keeping_links();
        file.write_all(bytes)?;
        file.commit()?;
        if let Some(modified) = self.modified {
            // A file system that keeps no such time has none to restore.
            let _unknown_there =
                File::options().write(true).open(self.path).and_then(|file| file.set_modified(modified));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_together_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn where_one_file_cannot_be_replaced_those_before_it_are_as_they_were() {
        for keeps in [true, false] {
            let folder = folder(&format!("back_{keeps}"));
            let [absent, buffer, text, after] = ["absent", "buffer", "text", "after"].map(|name| folder.join(name));
            for (path, bytes) in [(&buffer, "old buffer"), (&text, "old text"), (&after, "old after")] {
                fs::write(path, bytes).unwrap();
            }
            let time = fs::metadata(&buffer).unwrap().modified().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            let files = [&absent, &buffer, &text, &after].map(|path| (path.as_path(), &b"new"[..]));
            // A folder stands in the way of the third by the time that it is to be replaced.
            let failed = replace_all(&files, Replacing { keeps_copies: keeps, keeps_links: false }, &mut || {
                fs::remove_file(&text).unwrap();
                fs::create_dir(&text).unwrap();
            });
            let failed = failed.unwrap_err();
            assert!(failed.path == text && !failed.reason.contains("put back"), "{failed}");
            assert_eq!(fs::read(&buffer).unwrap(), b"old buffer");
            assert_eq!(fs::metadata(&buffer).unwrap().modified().unwrap(), time);
            assert_eq!(fs::read(&after).unwrap(), b"old after");
            assert_eq!(names_in(&folder), ["after", "buffer", "text"], "nothing else is left");
            fs::remove_dir(&text).unwrap();
            let copies = write_together(&files, Replacing { keeps_copies: keeps, keeps_links: false }).unwrap();
            let expected: &[&Path] = if keeps { &[&buffer, &after] } else { &[] };
            assert_eq!(copies.iter().map(|copy| copy.with_extension("")).collect::<Vec<_>>(), expected);
            assert!(files.iter().all(|(path, bytes)| fs::read(path).unwrap() == *bytes));
            fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[test]
    fn a_file_with_several_names_stays_one_where_that_is_asked_for_and_is_put_back_where_writing_fails() {
        let folder = folder("links");
        let [file, other, last] = ["file", "other", "last"].map(|name| folder.join(name));
        let begin = || {
            fs::write(&file, "old").unwrap();
            fs::write(&last, "last").unwrap();
            let _absent = fs::remove_file(&other);
            fs::hard_link(&file, &other).unwrap();
        };
        begin();
        if other_links(&file) == 0 {
            // This system does not say how many names a file has.
            return fs::remove_dir_all(&folder).unwrap();
        }
        assert_eq!((other_links(&file), other_links(&last), other_links(&folder.join("none"))), (1, 0, 0));
        for keeps_links in [false, true] {
            begin();
            let replacing = Replacing { keeps_copies: true, keeps_links };
            let copies = write_together(&[(&file, b"new"), (&last, b"new")], replacing).unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"new");
            let (kept, links) = if keeps_links { (&b"new"[..], 1) } else { (&b"old"[..], 0) };
            assert_eq!((fs::read(&other).unwrap().as_slice(), other_links(&file)), (kept, links));
            assert_eq!(
                copies.iter().map(|copy| fs::read(copy).unwrap()).collect::<Vec<_>>(),
                [b"old".to_vec(), b"last".to_vec()]
            );
            copies.iter().for_each(|copy| fs::remove_file(copy).unwrap());
            assert_eq!(names_in(&folder), ["file", "last", "other"]);
        }
        // A folder stands in the way of the second by the time that it is to be replaced.
        for keeps_copies in [false, true] {
            begin();
            let failed = replace_all(
                &[(&file, b"new"), (&last, b"new")],
                Replacing { keeps_copies, keeps_links: true },
                &mut || {
                    fs::remove_file(&last).unwrap();
                    fs::create_dir(&last).unwrap();
                },
            );
            assert_eq!(failed.unwrap_err().path, last);
            assert_eq!((fs::read(&other).unwrap(), other_links(&file)), (b"old".to_vec(), 1));
            fs::remove_dir(&last).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_copy_stays_and_is_named_where_a_file_cannot_be_put_back() {
        let folder = folder("stays");
        let path = folder.join("buffer");
        fs::write(&path, "old").unwrap();
        for keeps in [true, false] {
            let old = Old::of(&path, keeps, false).unwrap();
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            let message = old.put_back().unwrap();
            let copy = folder.join("buffer.bak");
            assert!(message.contains(&copy.display().to_string()), "{message}");
            assert_eq!(fs::read(&copy).unwrap(), b"old");
            fs::remove_dir(&path).unwrap();
            fs::rename(&copy, &path).unwrap();
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

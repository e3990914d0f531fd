//! Files that appear together: they are written into a hidden folder next to their final paths, and renamed once all are whole.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::new_file::{Destination, back_up, destination, finish, open_new, replaceable};
use super::signals;
use super::temporary::{LOCK, hidden_path, sweep};

/// Files of one folder that are being written. None of them has its name before [`NewFiles::commit`]; dropping this
/// without it removes all that was written, and so does a signal that ends the program. What a killed process leaves behind
/// is removed by the next write into the folder.
#[derive(Debug)]
pub struct NewFiles {
    folder: PathBuf,
    /// Whether the folder was made for these files.
    made: bool,
    hidden: PathBuf,
    _lock: File,
    written: Vec<String>,
    is_done: bool,
}

impl NewFiles {
    /// Begins files in `folder`, which is created where it does not exist. `names` are the names that the files will
    /// have within it; all of them are checked here, before anything is written.
    ///
    /// # Errors
    /// The folder cannot be made or takes no new file, or a file of one of these names cannot be replaced (a folder,
    /// write-protected, a link that leads elsewhere).
    pub fn create(folder: &Path, names: impl IntoIterator<Item = String>) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        for name in names {
            target_of(folder, &name)?;
        }
        let made = match fs::create_dir(folder) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(error),
        };
        if made {
            signals::watch(folder);
        } else {
            sweep(folder);
        }
        match make_hidden(folder) {
            Ok((hidden, lock)) => {
                let folder = folder.to_owned();
                Ok(Self { folder, made, hidden, _lock: lock, written: Vec::new(), is_done: false })
            }
            Err(error) => {
                if made {
                    let _used = fs::remove_dir(folder);
                    signals::forget(folder);
                }
                Err(error)
            }
        }
    }

    /// Writes one of the files, whole, into the hidden folder, and flushes it to the disk. `name` is one of the names
    /// given to [`NewFiles::create`].
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let (_, replaced) = target_of(&self.folder, name)?;
        let mut file = open_new(&self.hidden.join(name), replaced.as_ref())?;
        file.write_all(bytes)?;
        finish(&file, replaced.as_ref())?;
        self.written.push(name.to_owned());
        Ok(())
    }

    /// Renames all files to their final paths, one after the other.
    ///
    /// # Errors
    /// A file cannot be replaced. The files that were replaced before it are then restored. Where one could not be
    /// restored, the error says so and names the copy of its old contents.
    pub fn commit(mut self) -> io::Result<()> {
        let targets = self.written.iter().map(|name| target_of(&self.folder, name).map(|(target, _)| target));
        let targets = targets.collect::<io::Result<Vec<PathBuf>>>()?;
        let mut done: Vec<Replaced> = Vec::with_capacity(targets.len());
        for (name, target) in self.written.iter().zip(targets) {
            match self.replace(name, target) {
                Ok(replaced) => done.push(replaced),
                Err(error) => {
                    let left = done.iter().rev().filter_map(Replaced::put_back);
                    let reason = left.fold(format!("{name}: {error}"), |reason, left| format!("{reason}; {left}"));
                    return Err(io::Error::new(error.kind(), reason));
                }
            }
        }
        self.is_done = true;
        Ok(())
    }

    /// Renames one file to its final path. The one that was there stays among the hidden files until all are renamed.
    fn replace(&self, name: &str, target: PathBuf) -> io::Result<Replaced> {
        let old = self.hidden.join(REPLACED).join(name);
        let old = if target.try_exists()? { keep(&target, &old).map(|()| Some(old))? } else { None };
        fs::rename(self.hidden.join(name), &target)?;
        Ok(Replaced { target, old })
    }
}

/// The hidden folder of the files that were replaced.
const REPLACED: &str = ".replaced";

/// Gives a file a second name. Where the file system has no hard links, it is copied, with its time, so that nobody takes it for one
/// that was changed.
fn keep(file: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::hard_link(file, to).is_ok() {
        return Ok(());
    }
    fs::copy(file, to)?;
    if let Ok(modified) = fs::metadata(file).and_then(|facts| facts.modified()) {
        // A file system that keeps no such time has none to restore.
        let _unknown_there = File::options().write(true).open(to).and_then(|copy| copy.set_modified(modified));
    }
    Ok(())
}

/// A file that has its final path, and the one that it replaced.
struct Replaced {
    target: PathBuf,
    /// The name that the file which stood there has now; `None` where there was none.
    old: Option<PathBuf>,
}

impl Replaced {
    /// Restores what was at the path. Returns a message where that fails.
    fn put_back(&self) -> Option<String> {
        let done = match &self.old {
            Some(old) => fs::rename(old, &self.target),
            None => fs::remove_file(&self.target),
        };
        let error = done.err()?;
        // What is hidden is removed.
        let copy = self.old.as_ref().and_then(|old| back_up(&self.target, &fs::read(old).ok()?).ok());
        let kept = copy.map_or(String::new(), |copy| format!("; what it was is in {}", copy.display()));
        Some(format!("{} is written already and could not be put back ({error}){kept}", self.target.display()))
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next write into the folder.
        let _left = fs::remove_dir_all(&self.hidden);
        signals::forget(&self.hidden);
        if self.made {
            if !self.is_done {
                let _used = fs::remove_dir(&self.folder);
            }
            signals::forget(&self.folder);
        }
    }
}

/// Returns the final path of a file, and the facts of the one that it replaces, if there is one.
fn target_of(folder: &Path, name: &str) -> io::Result<(PathBuf, Option<Metadata>)> {
    let path = folder.join(name);
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
    match destination(&path).map_err(named)? {
        Destination::File(target) if target.parent() == path.parent() => {
            let replaced = replaceable(&target).map_err(named)?;
            Ok((target, replaced))
        }
        Destination::File(_) | Destination::Stream => {
            Err(named(io::Error::other("it leads elsewhere, and the files of a sequence stay together")))
        }
    }
}

/// Makes a hidden folder with a name of its own, and takes its lock.
fn make_hidden(folder: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let hidden = hidden_path(folder);
        signals::watch(&hidden);
        let made = fs::create_dir(&hidden).and_then(|()| {
            let lock = OpenOptions::new().write(true).create_new(true).open(hidden.join(LOCK))?;
            // On a file system without locks nobody else can have one.
            let _locked = lock.try_lock();
            Ok(lock)
        });
        match made {
            Ok(lock) => return Ok((hidden, lock)),
            Err(error) => {
                signals::forget(&hidden);
                // Another process has taken the empty folder for one that was left behind, or has one of this name.
                if !matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) {
                    return Err(io::Error::new(error.kind(), format!("its folder takes no new file ({error})")));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_new_files_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_or_not_at_all() {
        let folder = folder("together");
        let frames = folder.join("frames");
        let names = || ["1.png", "2.png"].map(str::to_owned);
        let mut files = NewFiles::create(&frames, names()).unwrap();
        files.write("1.png", b"one").unwrap();
        let hidden = names_in(&frames);
        assert!(hidden.len() == 1 && hidden[0].starts_with(".skinscope-"), "{hidden:?}");
        // Another write into the folder knows that it is in use.
        super::super::write(&frames.join("other"), b"other").unwrap();
        assert_eq!(names_in(&frames).len(), 2);
        drop(files);
        assert_eq!(names_in(&frames), ["other"]);
        let mut files = NewFiles::create(&frames, names()).unwrap();
        files.write("1.png", b"one").unwrap();
        files.write("2.png", b"two").unwrap();
        files.commit().unwrap();
        assert_eq!(names_in(&frames), ["1.png", "2.png", "other"]);
        assert_eq!(fs::read(frames.join("2.png")).unwrap(), b"two");
        // A folder that was made for nothing goes again.
        let mut files = NewFiles::create(&folder.join("unused"), names()).unwrap();
        files.write("1.png", b"one").unwrap();
        drop(files);
        assert_eq!(names_in(&folder), ["frames"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn where_a_file_cannot_be_renamed_those_before_it_are_put_back() {
        let folder = folder("put_back");
        fs::write(folder.join("2.png"), "old two").unwrap();
        let time = fs::metadata(folder.join("2.png")).unwrap().modified().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let names = ["1.png", "2.png", "3.png"];
        let mut files = NewFiles::create(&folder, names.map(str::to_owned)).unwrap();
        for name in names {
            files.write(name, b"new").unwrap();
        }
        // The third cannot be renamed, since it is gone.
        fs::remove_file(files.hidden.join("3.png")).unwrap();
        let error = files.commit().unwrap_err().to_string();
        assert!(error.starts_with("3.png: ") && !error.contains("put back"), "{error}");
        assert_eq!(names_in(&folder), ["2.png"], "nothing else is left");
        assert_eq!(fs::read(folder.join("2.png")).unwrap(), b"old two");
        assert_eq!(fs::metadata(folder.join("2.png")).unwrap().modified().unwrap(), time);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_put_back_is_saved_next_to_its_path() {
        let folder = folder("kept");
        let (target, old) = (folder.join("1.png"), folder.join("hidden"));
        fs::write(&old, "old").unwrap();
        fs::create_dir(&target).unwrap();
        let message = Replaced { target, old: Some(old) }.put_back().unwrap();
        let copy = folder.join("1.png.bak");
        assert!(message.contains(&copy.display().to_string()), "{message}");
        assert_eq!(fs::read(&copy).unwrap(), b"old");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_killed_process_leaves_goes_with_the_next_write_and_what_cannot_be_replaced_is_said_first() {
        let folder = folder("left");
        fs::create_dir(folder.join(".skinscope-1-0.tmp")).unwrap();
        fs::create_dir(folder.join(".skinscope-1-1.tmp")).unwrap();
        fs::write(folder.join(".skinscope-1-1.tmp").join(LOCK), "").unwrap();
        fs::write(folder.join(".skinscope-1-1.tmp").join("1.png"), "half").unwrap();
        // This folder is the user's own.
        fs::create_dir(folder.join(".skinscope-notes.tmp")).unwrap();
        drop(NewFiles::create(&folder, ["1.png".to_owned()]).unwrap());
        assert_eq!(names_in(&folder), [".skinscope-notes.tmp"]);
        fs::create_dir(folder.join("2.png")).unwrap();
        let error = NewFiles::create(&folder, ["1.png".to_owned(), "2.png".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "2.png: it is a folder");
        assert_eq!(names_in(&folder), [".skinscope-notes.tmp", "2.png"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}

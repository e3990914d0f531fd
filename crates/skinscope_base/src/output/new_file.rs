//! Files that appear whole: they are written beside their final path, flushed to the disk, then renamed.

use std::fs::{self, File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::temporary::{hidden_path, sweep};
use super::{hard_links, nameless, signals};

/// How many links are followed before they are taken for a circle; Linux follows as many.
const MOST_LINKS: usize = 40;

/// A file that is being written. Nothing changes under its name before [`NewFile::commit`]; dropping it without that
/// removes what was written.
///
/// A link is followed, so that the file it leads to is replaced and the link stays. A new file has the permissions of
/// the one it replaces, and its owner where the system allows it; other hard links keep the old file
/// ([`NewFile::keeping_links`] says how not). Anything but a
/// regular file (a terminal, a pipe, a device, `/dev/stdout`) is written to at once, since it has no contents to
/// protect.
///
/// Where the file system can keep a file without a name, it has none before it is whole, so that a killed process leaves nothing. Else
/// its name is hidden, and the next write into the folder removes it.
#[derive(Debug)]
pub struct NewFile {
    out: BufWriter<File>,
    /// The temporary file; `None`: `out` is the destination itself.
    temporary: Option<Temporary>,
}

#[derive(Debug)]
struct Temporary {
    /// Its name; `None` while it has none.
    path: Option<PathBuf>,
    target: PathBuf,
    /// The metadata of the file that is replaced; `None` where there is none.
    replaced: Option<Metadata>,
    /// Whether the contents are written into the file that is there, whose other names then have them too.
    keeps_links: bool,
}

/// The kind of destination that a name leads to.
pub(super) enum Destination {
    /// A stream that is written to as it is.
    Stream,
    /// This file, which need not exist yet.
    File(PathBuf),
}

impl NewFile {
    /// Begins a file that is going to replace the one at `path`, and removes temporary files that killed processes left
    /// in the same folder.
    ///
    /// # Errors
    /// The file cannot be replaced (a folder, write-protected), or its folder takes no new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = match destination(path)? {
            Destination::File(target) => target,
            Destination::Stream => {
                let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
                return Ok(Self { out: BufWriter::new(file), temporary: None });
            }
        };
        let replaced = replaceable(&target)?;
        let folder = folder_of(&target);
        sweep(folder);
        let (path, file) = match nameless::open(folder, replaced.as_ref()) {
            Some(file) => (None, file),
            None => create_temporary(folder, replaced.as_ref()).map(|(path, file)| (Some(path), file))?,
        };
        Ok(Self {
            out: BufWriter::new(file),
            temporary: Some(Temporary { path, target, replaced, keeps_links: false }),
        })
    }

    /// Lets a file that has several names (hard links) stay one: what was written is then copied into it in the end. This is the one case in
    /// which a file does not appear whole or not at all: who calls this keeps a copy of what it was.
    #[must_use]
    pub fn keeping_links(mut self) -> Self {
        if let Some(temporary) = &mut self.temporary {
            temporary.keeps_links = hard_links::other_links(&temporary.target) > 0;
        }
        self
    }

    /// Flushes everything that was written to the disk, so that little can still fail in [`NewFile::commit`]. Call it
    /// for each of several files that belong together, before the first of them is committed.
    ///
    /// # Errors
    /// The disk does not take all of it.
    pub fn settle(&mut self) -> io::Result<()> {
        self.out.flush()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        finish(self.out.get_ref(), temporary.replaced.as_ref())
    }

    /// Lets another program write the temporary file instead of this one, and returns its path; `None` where the
    /// destination is a stream, which has no temporary file. [`NewFile::commit`] then renames what the other program
    /// wrote.
    ///
    /// # Errors
    /// The file cannot be lent.
    pub fn lend(&mut self) -> io::Result<Option<&Path>> {
        self.out.flush()?;
        // On other systems than Unix a lock keeps other programs from writing.
        #[cfg(not(unix))]
        self.out.get_ref().unlock()?;
        self.give_name()?;
        Ok(self.temporary.as_ref().and_then(|temporary| temporary.path.as_deref()))
    }

    /// Renames the file to its final path. The old one stays as it was until this returns.
    ///
    /// # Errors
    /// The disk does not take all of it, or the old file cannot be replaced.
    pub fn commit(mut self) -> io::Result<()> {
        self.settle()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if temporary.path.is_none()
            && temporary.replaced.is_none()
            && nameless::name(self.out.get_ref(), &temporary.target).is_ok()
        {
            self.temporary = None;
            return Ok(());
        }
        self.give_name()?;
        if let Some(Temporary { path: Some(path), target, keeps_links, .. }) = &self.temporary {
            if *keeps_links {
                // Dropping removes the temporary file.
                return hard_links::write_into(path, target);
            }
            fs::rename(path, target)?;
            signals::forget(path);
            self.temporary = None;
        }
        Ok(())
    }

    /// Gives a file without a name a hidden one, from which it can be renamed.
    pub(super) fn give_name(&mut self) -> io::Result<()> {
        let Some(temporary) = self.temporary.as_mut().filter(|temporary| temporary.path.is_none()) else {
            return Ok(());
        };
        let folder = folder_of(&temporary.target);
        let path = hidden_path(folder);
        signals::watch(&path);
        if nameless::name(self.out.get_ref(), &path).is_ok() {
            temporary.path = Some(path);
            return Ok(());
        }
        signals::forget(&path);
        // The system lets no name be given after all.
        let (path, mut named) = create_temporary(folder, temporary.replaced.as_ref())?;
        temporary.path = Some(path);
        let mut nameless = self.out.get_ref();
        nameless.seek(SeekFrom::Start(0))?;
        io::copy(&mut nameless, &mut named)?;
        finish(&named, temporary.replaced.as_ref())?;
        self.out = BufWriter::new(named);
        Ok(())
    }

    /// Does the same as [`NewFile::commit`], but replaces no other file.
    ///
    /// # Errors
    /// The same as there, and [`io::ErrorKind::AlreadyExists`] where a file has the name by now.
    pub(crate) fn commit_new(mut self) -> io::Result<()> {
        self.settle()?;
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if temporary.path.is_none() {
            match nameless::name(self.out.get_ref(), &temporary.target) {
                Ok(()) => {
                    self.temporary = None;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
                Err(_) => self.give_name()?,
            }
        }
        let Some(Temporary { path: Some(path), target, .. }) = &self.temporary else { return Ok(()) };
        match fs::hard_link(path, target) {
            // Dropping removes the temporary name.
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // This is a file system without hard links.
            Err(_) if fs::symlink_metadata(target).is_err() => self.commit(),
            Err(error) => Err(error),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = self.temporary.take().and_then(|temporary| temporary.path) {
            // A file that cannot be removed now is removed by the next write into the folder.
            let _left = fs::remove_file(&path);
            signals::forget(&path);
        }
    }
}

/// Writes `bytes`, the contents of the file at `path`, to a copy beside it, named with `.bak` at the end, or `.bak1`,
/// `.bak2` and so on: no other file is replaced. The copy appears whole or not at all. Returns its path.
///
/// # Errors
/// The copy cannot be written.
pub(super) fn back_up(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    for number in 0_u32.. {
        let mut name = path.as_os_str().to_owned();
        name.push(".bak");
        if number > 0 {
            name.push(number.to_string());
        }
        let name = PathBuf::from(name);
        if fs::symlink_metadata(&name).is_ok() {
            continue;
        }
        let mut file = NewFile::create(&name)?;
        file.write_all(bytes)?;
        match file.commit_new() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| name),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Gives a file another name in the same file system; no other file is replaced.
///
/// # Errors
/// There is a file of that name, or the file cannot be renamed.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // This is a file system without hard links.
        Err(_) if fs::symlink_metadata(to).is_err() => fs::rename(from, to),
        Err(error) => Err(error),
    }
}

/// Removes a file at the user's request, and returns its contents, so that the removal can be undone.
///
/// # Errors
/// The file cannot be read or removed.
pub fn remove(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    fs::remove_file(path)?;
    Ok(bytes)
}

/// Writes a whole file at `path`, where there must be none yet.
///
/// # Errors
/// There is a file of that name, or it cannot be written.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.commit_new()
}

/// Removes a file that this run has made and that is no longer needed; a failure is ignored.
pub fn take_back(path: &Path) {
    // Where it cannot be removed there is only one file too many.
    let _left = fs::remove_file(path);
}

/// Writes a whole file at `path`, through a [`NewFile`].
///
/// # Errors
/// The file cannot be written; the file that was there before is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Returns the folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns what `path` leads to, symbolic links followed. Links of the system, such as `/dev/stdout`, lead to streams
/// that are already open.
pub(super) fn destination(path: &Path) -> io::Result<Destination> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let facts = match fs::symlink_metadata(&target) {
            Ok(facts) => facts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Destination::File(target)),
            Err(error) => return Err(error),
        };
        let folder = folder_of(&target);
        if facts.is_symlink() {
            let folder = folder.canonicalize()?;
            if folder.starts_with("/dev") || folder.starts_with("/proc") {
                return Ok(Destination::Stream);
            }
            target = folder.join(fs::read_link(&target)?);
        } else if facts.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        } else if facts.is_file() {
            return Ok(Destination::File(target));
        } else {
            return Ok(Destination::Stream);
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Returns the file that `path` leads to, whether it exists or not; `None` for anything but a regular file.
pub(super) fn followed(path: &Path) -> Option<PathBuf> {
    match destination(path) {
        Ok(Destination::File(target)) => Some(target),
        Ok(Destination::Stream) | Err(_) => None,
    }
}

/// Returns the metadata of the file at `target`, which is going to be replaced; `None` where there is none.
///
/// # Errors
/// It cannot be replaced.
pub(super) fn replaceable(target: &Path) -> io::Result<Option<Metadata>> {
    let facts = match fs::metadata(target) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Renaming needs no permission of the old file, so it is checked here.
    if facts.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is write-protected"));
    }
    OpenOptions::new().write(true).open(target)?;
    Ok(Some(facts))
}

/// Gives a whole file the owner and the permissions of the one that it replaces, and flushes it to the disk.
///
/// # Errors
/// The disk does not take all of it.
pub(super) fn finish(file: &File, replaced: Option<&Metadata>) -> io::Result<()> {
    if let Some(replaced) = replaced {
        keep_owner(file, replaced);
        keep_permissions(file, replaced.permissions());
    }
    match file.sync_all() {
        // Some file systems have no way to flush.
        Err(error) if !matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => Err(error),
        _ => Ok(()),
    }
}

/// Makes a new file in `folder` with a name of its own, which carries a lock for as long as this process has it open.
fn create_temporary(folder: &Path, replaced: Option<&Metadata>) -> io::Result<(PathBuf, File)> {
    loop {
        let path = hidden_path(folder);
        // The name is registered before the file exists, so that a signal never leaves it behind.
        signals::watch(&path);
        match open_new(&path, replaced) {
            Ok(file) if is_ours(&path, &file) => return Ok((path, file)),
            // Another process has removed it before it was locked.
            Ok(_) => signals::forget(&path),
            Err(error) => {
                signals::forget(&path);
                if error.kind() != io::ErrorKind::AlreadyExists {
                    return Err(io::Error::new(error.kind(), format!("its folder takes no new file ({error})")));
                }
            }
        }
    }
}

/// Opens a new file. It never allows others more than the file that is replaced, not even for a moment.
pub(super) fn open_new(path: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(replaced) = replaced {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(replaced.mode() & 0o777);
    }
    #[cfg(not(unix))]
    let _ = replaced;
    options.open(path)
}

/// Locks the file; returns false where another process has removed it, taking it for one that was left behind.
fn is_ours(path: &Path, file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => {
            fs::symlink_metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|ours| is_same(&there, &ours)))
        }
        Err(TryLockError::WouldBlock) => false,
        // On a file system without locks nobody else can have one.
        Err(TryLockError::Error(_)) => true,
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Keeps the owner, which changes only where the system lets this user give files away.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let is_kept = file.metadata().is_ok_and(|now| (now.uid(), now.gid()) == (replaced.uid(), replaced.gid()));
    if !is_kept {
        let _not_ours_to_give = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Keeps the permissions; a file system without permissions has none to keep.
fn keep_permissions(file: &File, permissions: Permissions) {
    let _unknown_there = file.set_permissions(permissions);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope_new_file_{}_{name}", std::process::id()));
        let _absent = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names_in(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    fn begun(path: &Path, bytes: &[u8]) -> NewFile {
        let mut file = NewFile::create(path).unwrap();
        file.write_all(bytes).unwrap();
        file.flush().unwrap();
        file
    }

    #[test]
    fn a_file_without_a_name_leaves_nothing_and_gets_its_name_whole() {
        let folder = folder("nameless");
        let path = folder.join("a");
        if nameless::open(&folder, None).is_none() {
            // This file system knows no such files.
            return fs::remove_dir_all(&folder).unwrap();
        }
        let file = begun(&path, b"one");
        assert_eq!(names_in(&folder), 0, "a killed process would leave something");
        drop(file);
        assert_eq!(names_in(&folder), 0);
        begun(&path, b"two").commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        begun(&path, b"three").commit().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names_in(&folder)), (b"three".to_vec(), 1));
        let refused = begun(&path, b"four").commit_new().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        begun(&folder.join("b"), b"five").commit_new().unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(folder.join("b")).unwrap()),
            (b"three".to_vec(), b"five".to_vec())
        );
        // Another program needs a name.
        let mut file = begun(&path, b"");
        fs::write(file.lend().unwrap().unwrap(), b"six").unwrap();
        file.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names_in(&folder)), (b"six".to_vec(), 2));
        fs::remove_dir_all(&folder).unwrap();
    }
}

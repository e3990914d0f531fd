//! Edits that no file has yet, saved beside the user's other state while the program runs: after a crash they are offered
//! again.
//!
//! Each run of the program writes one file, `PROCESS-TIME.edits`, and holds a lock on another, `PROCESS-TIME.lock`. A file
//! of edits whose lock nobody holds is one that a run has left behind. The first line of a file of edits is JSON and says
//! what the edits are of; the second one holds them, as a session file does ([`SessionFile`]).

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::app::ui::RecoveryOffer;
use crate::output::{self, Lock};
use crate::session::{Session, SessionFile, SessionSnapshot, Source};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 2;

/// The first line of a file of edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    skinscope_edits: u32,
    /// The name of the model.
    name: String,
    /// Its file; `None`: the built-in character.
    path: Option<PathBuf>,
    /// The session file that was open.
    session: Option<PathBuf>,
    /// When the edits were written down, seconds since 1970.
    time: u64,
    /// Vertices with edited weights.
    vertices: usize,
    /// Clips that the model's file does not have.
    #[serde(default)]
    clips: usize,
    /// Joints with edited inverse bind matrices.
    #[serde(default)]
    binds: usize,
    /// Meshes that gained a skin.
    #[serde(default)]
    bindings: usize,
    /// Meshes with other morph targets.
    #[serde(default)]
    shapes: usize,
    /// Joints that were placed and are no nodes yet.
    #[serde(default)]
    placed: usize,
    /// Nodes and morph weights with an edited pose.
    posed: usize,
    /// Sliders and controls.
    #[serde(default)]
    controls: usize,
    /// Joints with limits or pins, and nodes with another partner than was found.
    ruled: usize,
    /// What is set aside, since the model has no place for it.
    #[serde(default)]
    set_aside: usize,
    /// Vertices that were marked by hand.
    #[serde(default)]
    marks: usize,
    /// Joints of other files' clips of which was said which joints they are.
    #[serde(default)]
    names: usize,
}

/// What a session has made that no file has, as it is at one time; cheap to take.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    work: SessionSnapshot,
    /// The session file that is open.
    session: Option<PathBuf>,
}

impl Snapshot {
    /// What was made; `None` where that is nothing, or where the open session file holds it.
    fn of(session: &Session, open: Option<&Path>) -> Option<Self> {
        // A session file cannot name an example; what is set aside names the model that it is of.
        let work = session
            .unsaved()
            .has_work()
            .then(|| session.unsaved().snapshot().or_else(|| session.unsaved().snapshot_of_aside()))
            .flatten()?;
        let is_unsaved = !session.files().saved_session().is_some_and(|holds| holds.has_same_work(&work));
        is_unsaved.then(|| Self { work, session: open.map(Path::to_owned) })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.session == other.session && self.work.has_same_work(&other.work)
    }

    /// The bytes of the file.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let head = Head {
            skinscope_edits: VERSION,
            name: self.work.name().to_owned(),
            path: self.work.path().map(absolute),
            session: self.session.as_deref().map(absolute),
            time: now.as_secs(),
            vertices: self.work.vertices(),
            clips: self.work.clips(),
            binds: self.work.binds(),
            bindings: self.work.model().bindings().iter().map(|change| change.bound().count()).sum(),
            shapes: self.work.model().retargeted.len(),
            placed: self.work.placed(),
            posed: self.work.posed(),
            controls: self.work.controls(),
            ruled: self.work.ruled(),
            set_aside: self.work.set_aside(),
            marks: self.work.marks(),
            names: self.work.names(),
        };
        let mut file = self.work.file();
        file.name_model(self.work.path());
        let mut out = serde_json::to_vec(&head)?;
        out.push(b'\n');
        out.extend(file.line().map_err(io::Error::other)?.into_bytes());
        out.push(b'\n');
        Ok(out)
    }

    /// Writes the file, and the folders around it where they are missing.
    ///
    /// # Errors
    /// The disk does not take it; what was there before stays.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        output::write(path, &self.to_bytes()?)
    }
}

/// Edits that an earlier run has left, and that no other run of the program looks at.
#[derive(Debug)]
pub(crate) struct Leftover {
    head: Head,
    path: PathBuf,
    lock: Lock,
}

impl Leftover {
    pub(crate) fn source(&self) -> Source {
        Source::of(self.head.path.clone())
    }

    /// For the dialog that offers them.
    pub(crate) fn offer(&self) -> RecoveryOffer {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let Head { vertices, binds, bindings, shapes, placed, clips, posed, .. } = self.head;
        let Head { controls, ruled, set_aside, marks, names, .. } = self.head;
        let file = self.head.path.as_ref().map(|path| path.display().to_string());
        RecoveryOffer {
            name: self.head.name.clone(),
            file,
            vertices,
            clips,
            binds,
            bindings,
            shapes,
            placed,
            posed,
            controls,
            ruled,
            set_aside,
            marks,
            names,
            age_secs: now.saturating_sub(self.head.time),
        }
    }

    /// The session file that was open.
    pub(crate) fn session(&self) -> Option<PathBuf> {
        self.head.session.clone()
    }

    /// Reads them.
    ///
    /// # Errors
    /// The file cannot be read or is broken.
    pub(crate) fn read(&self) -> io::Result<SessionFile> {
        let text = fs::read(&self.path)?;
        let line = text.split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
        SessionFile::parse(line).map_err(io::Error::other)
    }

    /// Removes them: they are taken over, or nobody wants them.
    pub(crate) fn remove(self) {
        output::take_back(&self.path);
        self.lock.remove();
    }
}

/// Decides when the edits of a session are written down, and where.
#[derive(Debug)]
pub(crate) struct Autosave {
    /// `None`: never.
    every: Option<Duration>,
    folder: Option<PathBuf>,
    lock: Option<Lock>,
    name: String,
    /// What the file holds, or will hold.
    written: Option<Snapshot>,
    /// Since when the session has edits that the file does not have.
    waiting: Option<Instant>,
    /// Edits of an earlier run: offered, or accepted and waiting for their model.
    leftover: Option<Leftover>,
    /// Whether it was said that edits cannot be written.
    has_complained: bool,
}

/// A file of edits to be written by another thread.
pub(crate) type Todo = (Snapshot, PathBuf);

impl Autosave {
    /// Writes to the user's folder for state, `every` so often at most; `None`: never.
    pub(crate) fn new(every: Option<Duration>) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", std::process::id(), since.as_millis());
        Self {
            every,
            folder: folder(),
            lock: None,
            name,
            written: None,
            waiting: None,
            leftover: None,
            has_complained: false,
        }
    }

    /// Looks for the latest edits that a run has left behind. Returns what is offered of them; no other run offers them meanwhile.
    pub(crate) fn find_leftover(&mut self) -> Option<RecoveryOffer> {
        self.leftover = self.latest_leftover();
        self.leftover.as_ref().map(Leftover::offer)
    }

    /// Returns what the edits are of that are offered, or were accepted.
    pub(crate) fn leftover_source(&self) -> Option<Source> {
        self.leftover.as_ref().map(Leftover::source)
    }

    /// Takes the edits that are of this model.
    pub(crate) fn take_leftover(&mut self, source: &Source) -> Option<Leftover> {
        self.leftover.take_if(|leftover| leftover.source() == *source)
    }

    /// Leaves the edits that are offered to a later run.
    pub(crate) fn leave_leftover(&mut self) {
        self.leftover = None;
    }

    /// Removes the edits that are offered. Returns whether there were any.
    pub(crate) fn discard_leftover(&mut self) -> bool {
        let leftover = self.leftover.take();
        let is_there = leftover.is_some();
        leftover.into_iter().for_each(Leftover::remove);
        is_there
    }

    /// Returns once whether nobody has said yet that edits cannot be written.
    pub(crate) fn is_first_complaint(&mut self) -> bool {
        !std::mem::replace(&mut self.has_complained, true)
    }

    fn latest_leftover(&self) -> Option<Leftover> {
        let folder = self.folder.as_deref().filter(|_| self.every.is_some())?;
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let mut files: Vec<(Head, PathBuf)> = entries.filter_map(|path| Some((head(&path)?, path))).collect();
        files.sort_by_key(|(head, _)| std::cmp::Reverse(head.time));
        let take = |(head, path): (Head, PathBuf)| {
            let lock = Lock::take(&path.with_extension("lock")).ok()??;
            Some(Leftover { head, path, lock })
        };
        files.into_iter().filter(|(_, path)| path.file_stem().is_some_and(|stem| *stem != *self.name)).find_map(take)
    }

    /// What is to be written now, or when to ask again. What the open session file holds is not written again.
    pub(crate) fn step(
        &mut self,
        session: &Session,
        open: Option<&Path>,
        now: Instant,
    ) -> Result<Todo, Option<Instant>> {
        let Some((every, folder)) = self.every.zip(self.folder.clone()) else { return Err(None) };
        let Some(snapshot) = Snapshot::of(session, open) else {
            self.forget();
            return Err(None);
        };
        if self.written.as_ref().is_some_and(|written| written.is_same(&snapshot)) {
            self.waiting = None;
            return Err(None);
        }
        let due = *self.waiting.get_or_insert(now) + every;
        if now < due {
            return Err(Some(due));
        }
        self.waiting = None;
        self.write_now(snapshot, &folder).ok_or(None)
    }

    /// Has the edits of a session written at once.
    pub(crate) fn at_once(&mut self, session: &Session, open: Option<&Path>) -> Option<Todo> {
        let folder = self.folder.clone().filter(|_| self.every.is_some())?;
        self.write_now(Snapshot::of(session, open)?, &folder)
    }

    fn write_now(&mut self, snapshot: Snapshot, folder: &Path) -> Option<Todo> {
        if self.lock.is_none() {
            // Where there is no such folder, writing says so.
            let _said = fs::create_dir_all(folder);
            self.lock = Lock::take(&folder.join(&self.name).with_extension("lock")).ok().flatten();
        }
        self.written = Some(snapshot.clone());
        // Without a lock another run would take these for left behind: it may offer them, and both have them then.
        Some((snapshot, self.file(folder)))
    }

    /// The file could not be written: that is tried again after the usual time.
    pub(crate) fn failed(&mut self, now: Instant) {
        (self.written, self.waiting) = (None, Some(now));
    }

    /// Whether there are edits that this file holds, or is to hold.
    pub(crate) fn keeps_file(&self, path: &Path) -> bool {
        self.written.is_some() && self.folder.as_deref().is_some_and(|folder| self.file(folder) == path)
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(&self.name).with_extension("edits")
    }

    /// Nothing is unsaved any more, or nobody wants it: the file goes.
    pub(crate) fn forget(&mut self) {
        self.waiting = None;
        // Where the last time failed, the file of the time before is still there.
        let was_written = self.written.take().is_some() || self.lock.is_some();
        if let Some(folder) = self.folder.as_ref().filter(|_| was_written) {
            output::take_back(&self.file(folder));
        }
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
    }
}

/// The folder for files of edits.
fn folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "skinscope")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join("edits"))
}

fn head(path: &Path) -> Option<Head> {
    if path.extension().is_none_or(|extension| extension != "edits") || !path.is_file() {
        return None;
    }
    let mut line = String::new();
    BufReader::new(fs::File::open(path).ok()?).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().filter(|head: &Head| head.skinscope_edits == VERSION)
}

#[cfg(test)]
#[path = "autosave_tests.rs"]
mod tests;

//! What a session file keeps of the model beside the open one.

use std::path::{Path, PathBuf};

use skinscope_anim::pose::FileError;

use crate::files::session_file::{BesideRecord, Number};
use crate::{Arrangement, Document, Session, SessionFile, SessionModel, SessionSnapshot};

/// The other model as it is at one time, for a session file; cheap to take.
#[derive(Clone, Debug)]
pub struct BesideSnapshot {
    /// What the session of that model has.
    pub work: SessionSnapshot,
    files: Vec<PathBuf>,
    arrangement: Arrangement,
}

impl Session {
    /// Returns what a session file keeps of the model beside the open one; `None` where there is none, or a teaching example.
    #[must_use]
    pub fn beside_snapshot(&self) -> Option<BesideSnapshot> {
        let beside = self.beside()?;
        let work = beside.other().unsaved().snapshot()?;
        let files = beside.other().document()?.files().map(Path::to_owned).collect();
        Some(BesideSnapshot { work, files, arrangement: beside.arrangement() })
    }

    /// A session file has been written that keeps the other model too.
    pub fn note_beside_saved(&mut self, snapshot: BesideSnapshot) {
        if let Some(beside) = &mut self.beside {
            beside.other.files_mut().note_session_saved(Some(snapshot.work));
        }
    }

    /// Shows `document` beside the open model as a session file has it, which has been opened with its other model. Returns a line for
    /// everything of the file that the model has no counterpart for.
    pub fn open_beside_with(&mut self, document: Document, file: &SessionFile) -> Vec<String> {
        let Some(record) = file.beside.as_deref().filter(|_| self.document.is_some()) else { return Vec::new() };
        let usual = Arrangement::default();
        let gap = Some(record.gap.0).filter(|gap| gap.is_finite()).unwrap_or(usual.gap).max(0.0);
        let arrangement = Arrangement {
            same_place: record.same_place,
            gap,
            same_height: record.same_height,
            same_time: record.same_time,
            is_first_active: !record.is_first,
        };
        let mut other = Self { defers_work: self.defers_work, ..Self::default() };
        let lines = other.open_with_session(document, &record.session);
        self.put_beside(other, arrangement);
        lines
    }
}

impl SessionFile {
    /// Records the other model, with its files as [`SessionFile::set_model`] does. `as_read` says whether a file is still as it was when
    /// the model was read.
    ///
    /// # Errors
    /// The path of the model's own file cannot be written into JSON.
    pub fn set_beside(
        &mut self,
        at: &Path,
        beside: &BesideSnapshot,
        as_read: impl Fn(&Path) -> bool,
    ) -> Result<(), FileError> {
        let mut session = beside.work.file();
        session.set_model(at, beside.files.iter().map(PathBuf::as_path), as_read)?;
        let Arrangement { same_place, gap, same_height, same_time, is_first_active } = beside.arrangement;
        let is_first = !is_first_active;
        let gap = Number(gap);
        self.beside = Some(Box::new(BesideRecord { session, same_place, gap, same_height, same_time, is_first }));
        Ok(())
    }

    /// Looks for the other model as [`SessionFile::find_model`] does; `None` where the file keeps none.
    ///
    /// # Errors
    /// The model is at neither path.
    pub fn find_beside(&mut self, at: &Path) -> Option<Result<SessionModel, FileError>> {
        self.beside.as_mut().map(|beside| beside.session.find_model(at))
    }
}

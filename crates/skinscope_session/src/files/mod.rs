//! Which files have what was made: the model that was saved last, the open session file, and the files whose clips were taken; and the
//! work that does not fit the open model.

pub(crate) mod carrying;
pub(crate) mod export;
pub(crate) mod library;
pub(crate) mod restore;
pub(crate) mod saving;
pub(crate) mod session_file;
pub(crate) mod snapshot;
pub(crate) mod unmatched;
pub(crate) mod unsaved;
pub(crate) mod words;

pub use self::export::{ExportKind, ExportSettings, PictureLayers};
pub use self::library::LibraryCommand;
pub use self::session_file::{
    SESSION_ENDING, SessionContents, SessionFile, SessionModel, WorkContents, WorkRecord, is_session,
};
pub use self::snapshot::SessionSnapshot;
pub use self::unmatched::AsideCommand;
pub use self::unsaved::{Unsaved, UnsavedWork};

use std::sync::Arc;

use crate::files::saving::SavedModel;
use crate::{ClipFile, Edits};

/// Which files have what was made, and what belongs to no file.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// What was saved last, until the file is read again.
    pub(super) saved: Option<SavedModel>,
    /// The content of the open session file.
    pub(super) session_file: Option<Box<SessionSnapshot>>,
    /// The files whose clips were taken, the last one at the end.
    pub(super) clip_files: Arc<Vec<ClipFile>>,
    /// Work that does not fit the open model.
    pub(super) aside: Arc<Vec<WorkRecord>>,
    /// The edits of the pose when the pose was last read from a pose file or written into one.
    pub(super) pose_in_file: Arc<Edits>,
}

impl Files {
    /// Forgets everything that belongs to the file before, since another one is opened. Work that was set aside stays.
    pub(super) fn forget(&mut self) {
        *self = Self { aside: Arc::clone(&self.aside), ..Self::default() };
    }
}

//! Which files have what was made: the model that was saved last, the open session file, and the files whose clips were taken; and the
//! work that the open model has no place for.

use std::sync::Arc;

use super::saving::SavedModel;
use super::{ClipFile, Edits, KeptSession, WorkRecord};

/// Which files have what was made, and what belongs to no file.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// What was saved last, until the file is read again.
    pub(super) saved: Option<SavedModel>,
    /// The content of the open session file.
    pub(super) session_file: Option<Box<KeptSession>>,
    /// The files whose clips were taken, the last one at the end.
    pub(super) clip_files: Arc<Vec<ClipFile>>,
    /// What was made that the open model has no place for.
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

//! Clips of another file in the window, and the question what a file that is dropped beside an open one is for.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::App;
use crate::model::Model;
use crate::pose::NameMap;
use crate::session::{FileCommand, TakenClips};

impl App {
    /// A model was dropped on the window: it is opened where nothing is open, else the user is asked.
    pub(super) fn dropped(&mut self, path: PathBuf) -> Option<FileCommand> {
        if self.session.document().is_none() || self.status.loading.is_some() {
            return Some(FileCommand::Open(path));
        }
        self.status.dropped = Some(path);
        None
    }

    /// Reads a file whose clips are wanted; `map` says which joints are which where their names do not.
    pub(super) fn take_clips(&mut self, path: PathBuf, map: NameMap) {
        (self.status.error, self.status.dropped) = (None, None);
        if let Some(document) = self.session.document() {
            self.jobs.take_clips((path, map), self.options.import.clone(), Arc::clone(document.stored()));
        }
    }

    /// The clips of a file were read for the model `open`, or why they were not. Where another file was opened meanwhile nobody
    /// wants them.
    pub(super) fn clips_taken(&mut self, open: &Weak<Model>, taken: Result<Box<TakenClips>, String>) {
        let is_open = |open: Arc<Model>| self.session.model().is_some_and(|model| model.shares_all_but_edits(&open));
        if !open.upgrade().is_some_and(is_open) {
            return;
        }
        match taken {
            Ok(taken) => {
                self.session.take_clips(&taken);
                self.status.notice = (self.status.notice.0 + 1, taken.sentence());
                self.inspect();
            }
            Err(why) => self.status.error = Some(format!("The clips could not be taken.\n{why}")),
        }
    }
}

//! Clips of another file in the window, and the question what a file that is dropped beside an open one is for.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use super::App;
use super::jobs::Kind;
use crate::import::Progress;
use crate::model::Model;
use crate::output::NewFile;
use crate::pose::NameMap;
use crate::session::{ClipNames, ClipNamesCommand, FileCommand, Source, TakenClips};

/// A file whose clips were wanted.
pub(super) struct ReadClips {
    pub path: PathBuf,
    /// What is in it; `None` where it could not be read.
    pub other: Option<Arc<Model>>,
    /// Which joints are which, as people say it.
    pub said: NameMap,
    /// The names of the clips that were taken of it before, which these replace.
    pub before: Vec<String>,
    /// Its clips, or why there are none.
    pub taken: Result<TakenClips, String>,
}

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
            let (options, open) = (self.options.import.clone(), Arc::clone(document.stored()));
            self.jobs.restart(Kind::Clips, move |context| {
                let source = Source::File(path.clone());
                let name = source.name();
                let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
                let read = source.load(&options, &progress).map_err(|error| format!("{name}: {error}"));
                let other = read.as_ref().ok().map(|document| Arc::clone(document.stored()));
                let taken = read.and_then(|document| TakenClips::of(&open, document.stored(), &name, &map));
                let read = ReadClips { path, other, said: map, before: Vec::new(), taken };
                Some(Box::new(move |app, _| app.clips_taken(&Arc::downgrade(&open), read)))
            });
        }
    }

    /// The clips of a file were read for the model `open`, or why they were not. Where another file was opened meanwhile nobody
    /// wants them. Where no joint has a counterpart the user can say which is which.
    pub(super) fn clips_taken(&mut self, open: &Weak<Model>, read: ReadClips) {
        let is_open = |open: Arc<Model>| self.session.model().is_some_and(|model| model.shares_all_but_edits(&open));
        if !open.upgrade().is_some_and(is_open) {
            return;
        }
        let Some(model) = self.session.model().map(Arc::clone) else { return };
        let mut names = read.other.map(|other| ClipNames::new(read.path, other, read.said, &model));
        match read.taken {
            Ok(taken) => {
                let now = self.session.retake_clips(&taken, &read.before);
                if let Some(names) = &mut names {
                    names.taken = now;
                }
                self.status.notice = (self.status.notice.0 + 1, taken.sentence());
                self.inspect();
            }
            Err(why) => match names.as_mut().filter(|names| !names.rows.is_empty()) {
                Some(names) => (names.is_shown, names.told, names.taken) = (true, Some(why), read.before),
                None => self.status.error = Some(format!("The clips could not be taken.\n{why}")),
            },
        }
        self.status.clip_names = names;
    }

    /// Carries out a command about which joints are which of the clips that were taken last.
    pub(super) fn carry_out_clip_names(&mut self, command: ClipNamesCommand) {
        let Some(model) = self.session.model().map(Arc::clone) else { return };
        let Some(names) = &mut self.status.clip_names else {
            let why = "No clips of another file were taken yet.".to_owned();
            self.status.refusal = (self.status.refusal.0 + 1, why);
            return;
        };
        if !matches!(command, ClipNamesCommand::Write(_)) {
            names.told = None;
        }
        match command {
            ClipNamesCommand::Show => names.is_shown = true,
            ClipNamesCommand::Say(there, here) => {
                // What was said of another joint with this counterpart gives way.
                let others = names.said.pairs().filter(|(_, other)| here.is_some() && *other == here.as_deref());
                let others: Vec<String> = others.map(|(name, _)| name.to_owned()).collect();
                others.iter().for_each(|name| names.said.forget(name));
                names.said.set(&there, here.as_deref());
            }
            ClipNamesCommand::Forget(there) => names.said.forget(&there),
            ClipNamesCommand::Take => {
                names.is_shown = false;
                let ClipNames { path, other, said, taken, .. } = names.clone();
                let (name, open) = (names.name(), Arc::clone(&model));
                self.jobs.restart(Kind::Clips, move |_| {
                    let (before, taken) = (taken, TakenClips::of(&open, &other, &name, &said));
                    let read = ReadClips { path, other: Some(other), said, before, taken };
                    Some(Box::new(move |app, _| app.clips_taken(&Arc::downgrade(&open), read)))
                });
            }
            ClipNamesCommand::Read(path) => return names.read(&path, &model),
            ClipNamesCommand::Write(path) => names.told = Some(written(&path, &names.text())),
            ClipNamesCommand::Leave => names.is_shown = false,
        }
        names.match_joints(&model);
    }
}

/// Writes a file and says what became of it.
fn written(path: &Path, text: &str) -> String {
    let write = || {
        let mut out = NewFile::create(path)?;
        out.write_all(text.as_bytes())?;
        out.commit()
    };
    match write() {
        Ok(()) => format!("Wrote {}", path.display()),
        Err(why) => format!("{}: {why}", path.display()),
    }
}

//! Clips of another file in the window, and which joints of it are which.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use crate::app::jobs::{Jobs, Kind};
use crate::app::{App, Options};
use crate::import::Progress;
use crate::model::Model;
use crate::output::NewFile;
use crate::pose::NameMap;
use crate::session::{ClipFile, ClipNames, ClipNamesCommand, Source, TakenClips};
use crate::words::counted;

/// A file whose clips were wanted.
pub(crate) struct ReadClips {
    pub path: PathBuf,
    /// What is in it; `None` where it could not be read.
    pub other: Option<Arc<Model>>,
    /// Which joints are which, as the user states it.
    pub mapping: NameMap,
    /// Whether the mapping was made by hand and is in no file.
    pub is_new: bool,
    /// The names of the clips that were taken of it before, which these replace.
    pub before: Vec<String>,
    /// Its clips, or why there are none.
    pub taken: Result<TakenClips, String>,
}

impl App {
    /// Reads a file whose clips are wanted; `map` says which joints are which where neither their names do nor what was stated of that file
    /// before.
    pub(crate) fn take_clips(&mut self, path: PathBuf, map: NameMap) {
        let mut mapping = self.session.files().mapping_of(&path);
        mapping.correct(map);
        (self.status.error, self.status.dropped) = (None, None);
        if let Some(document) = self.session.document() {
            let (options, open) = (self.options.import.clone(), Arc::clone(document.stored()));
            self.jobs.restart(Kind::Clips, move |context| {
                let source = Source::File(path.clone());
                let name = source.name();
                let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
                let read = source.load(&options, &progress).map_err(|error| format!("{name}: {error}"));
                let other = read.as_ref().ok().map(|document| Arc::clone(document.stored()));
                let taken = read.and_then(|document| TakenClips::of(&open, document.stored(), &name, &mapping));
                let read = ReadClips { path, other, mapping, is_new: false, before: Vec::new(), taken };
                Some(Box::new(move |app, _| app.clips_taken(&Arc::downgrade(&open), read)))
            });
        }
    }

    /// The clips of a file were read for the model `open`, or why they were not. Where another file was opened meanwhile nobody
    /// wants them. Where no joint has a counterpart the user can say which is which.
    pub(crate) fn clips_taken(&mut self, open: &Weak<Model>, read: ReadClips) {
        let is_open = |open: Arc<Model>| self.session.model().is_some_and(|model| model.is_of_one_file(&open));
        if !open.upgrade().is_some_and(is_open) {
            return;
        }
        let Some(model) = self.session.model().map(Arc::clone) else { return };
        let named = |other| ClipNames { is_new: read.is_new, ..ClipNames::new(read.path, other, read.mapping, &model) };
        let mut names = read.other.map(named);
        match read.taken {
            Ok(taken) => {
                let now = self.session.retake_clips(&taken, &read.before);
                if let Some(names) = &mut names {
                    names.taken = now;
                }
                let sentence = taken.sentence();
                match taken.lines().len() {
                    0 => self.status.say(sentence),
                    lines => self.status.warn(format!("{sentence}, with {}", counted(lines, "warning", "warnings"))),
                }
                self.inspect();
            }
            Err(why) => match names.as_mut().filter(|names| !names.rows.is_empty()) {
                Some(names) => (names.is_shown, names.message, names.taken) = (true, Some(why), read.before),
                None => self.status.error = Some(format!("The clips could not be taken.\n{why}")),
            },
        }
        names.iter().for_each(|names| self.session.files_mut().store_clip_names(names));
        self.status.clip_names = names;
    }

    /// Carries out a command about which joints are which of the clips that were taken last.
    pub(crate) fn carry_out_clip_names(&mut self, command: ClipNamesCommand) {
        let Some(model) = self.session.model().map(Arc::clone) else { return };
        let known = self.session.files().clip_files().last();
        // What is shown is of the open model.
        let is_known = |names: &ClipNames| known.is_some_and(|known| known.path == names.path) || names.is_shown;
        let Some(names) = self.status.clip_names.as_mut().filter(|names| is_known(names)) else {
            return match known.cloned() {
                Some(file) => read_clip_names(&mut self.jobs, &self.options, file),
                None => self.status.warn("No clips of another file were taken yet.".to_owned()),
            };
        };
        match command {
            ClipNamesCommand::Show => {
                (names.is_shown, names.message) = (true, None);
                names.keep();
                names.match_joints(&model);
            }
            ClipNamesCommand::Say(there, here) => names.say(&there, here.as_deref(), &model),
            ClipNamesCommand::Forget(there) => names.forget(&there, &model),
            ClipNamesCommand::Propose => names.propose(&model),
            ClipNamesCommand::Take => {
                names.is_shown = false;
                names.keep();
                let ClipNames { path, other, mapping, taken, is_new, .. } = names.clone();
                let (name, open) = (names.name(), model);
                self.jobs.restart(Kind::Clips, move |_| {
                    let (before, taken) = (taken, TakenClips::of(&open, &other, &name, &mapping));
                    let read = ReadClips { path, other: Some(other), mapping, is_new, before, taken };
                    Some(Box::new(move |app, _| app.clips_taken(&Arc::downgrade(&open), read)))
                });
                return;
            }
            ClipNamesCommand::Read(path) => names.read(&path, &model),
            ClipNamesCommand::Write(path) => {
                let done = written(&path, &names.text());
                names.is_new &= done.is_err();
                if done.is_ok() {
                    names.keep();
                }
                names.message = Some(match done {
                    Ok(()) => format!("Wrote {}", path.display()),
                    Err(why) => format!("{}: {why}", path.display()),
                });
            }
            ClipNamesCommand::Leave => names.leave(&model),
        }
        self.session.files_mut().store_clip_names(names);
    }
}

/// Reads a file again whose clips were taken, to show which of its joints are which.
fn read_clip_names(jobs: &mut Jobs, options: &Options, file: ClipFile) {
    let options = options.import.clone();
    jobs.restart(Kind::Clips, move |context| {
        let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
        let read = Source::File(file.path.clone()).load(&options, &progress);
        Some(Box::new(move |app, _| match (read, app.session.model()) {
            (Err(error), _) => app.status.error = Some(format!("{}: {error}", file.path.display())),
            (Ok(document), Some(model)) if app.session.files().clip_files().contains(&file) => {
                let (other, ClipFile { path, mapping, taken, is_new }) = (Arc::clone(document.stored()), file);
                let names = ClipNames { taken, is_new, is_shown: true, ..ClipNames::new(path, other, mapping, model) };
                app.status.clip_names = Some(names);
            }
            (Ok(_), _) => {}
        }))
    });
}

/// Writes a file.
pub(super) fn written(path: &Path, text: &str) -> std::io::Result<()> {
    let mut out = NewFile::create(path)?;
    out.write_all(text.as_bytes())?;
    out.commit()
}

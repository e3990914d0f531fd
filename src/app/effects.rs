//! Carries out what the session asks of the window: files, dialogs, inspections.

use std::path::PathBuf;
use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;

use super::App;
use super::files::donor::{read_donor, write_donor_map};
use super::files::environment::environment_dialog;
use super::files::examples::{example_dialog, read_examples};
use super::files::file_dialog::{self, FileKind, Wanted};
use super::files::leaving::say_what_stays_open;
use super::jobs::Kind;
use super::next_steps::NextStep;
use crate::examples::{self, Start};
use crate::import::Progress;
use crate::pose::NameMap;
use crate::session::{ComparedFile, Effect, FileCommand, Source, WindowCommand, is_session};

impl App {
    pub(super) fn carry_out(&mut self, event_loop: &ActiveEventLoop, effect: Effect) {
        match effect {
            Effect::File(command) => self.carry_out_file(event_loop, command),
            Effect::Inspection(command) => self.carry_out_inspection(command),
            Effect::Library(command) => self.carry_out_library(command),
            Effect::Window(command) => {
                self.ui.carry_out(&command);
                // Another window that opens now has it too.
                let is_kept = matches!(
                    command,
                    WindowCommand::SetPreference(..)
                        | WindowCommand::ChooseLayout(_)
                        | WindowCommand::SaveLayout(_)
                        | WindowCommand::RenameLayout(..)
                        | WindowCommand::DeleteLayout(_)
                );
                if is_kept {
                    self.save_settings();
                }
            }
        }
    }

    fn carry_out_file(&mut self, event_loop: &ActiveEventLoop, command: FileCommand) {
        match command {
            FileCommand::OpenDialog
            | FileCommand::CompareDialog
            | FileCommand::BesideDialog
            | FileCommand::ChooseDonor
            | FileCommand::ChooseExample
            | FileCommand::ChooseEnvironment
            | FileCommand::ChooseClips
                if !file_dialog::has_dialog() =>
            {
                let todo = match command {
                    FileCommand::ChooseDonor | FileCommand::ChooseExample => "Type the path of the file.",
                    _ => "Drop a file on the window, or give its path on the command line.",
                };
                self.status.error = Some(format!(
                    "There is no file dialog here: neither a desktop portal nor zenity was found.\n{todo}"
                ));
            }
            FileCommand::OpenDialog => self.ask_for_model(true, |app, event_loop, path| app.open(event_loop, path)),
            FileCommand::CompareDialog => self.ask_for_model(true, |app, _, path| app.compare_file(path)),
            FileCommand::BesideDialog => {
                self.ask_for_model(true, |app, event_loop, path| app.open_beside(event_loop, path))
            }
            FileCommand::OpenBeside(path) => self.open_beside(event_loop, path),
            FileCommand::OpenPair(first, second) => {
                self.open(event_loop, first.clone());
                self.next.after_opening = Some((first, second));
            }
            FileCommand::Compare(path) => {
                self.status.dropped = None;
                self.compare_file(path);
            }
            FileCommand::ChooseClips => {
                self.ask_for_model(false, |app, _, path| app.take_clips(path, NameMap::default()))
            }
            FileCommand::TakeClips(path) => self.take_clips(path, NameMap::default()),
            FileCommand::TakeClipsBy(path, map) => self.take_clips(path, map),
            FileCommand::ClipNames(command) => self.carry_out_clip_names(command),
            FileCommand::LeaveDropped => self.status.dropped = None,
            FileCommand::ChooseDonor => {
                self.ask_for_model(false, |app, _, path| read_donor(&mut app.jobs, &app.options, path));
            }
            FileCommand::ReadDonor(path) => read_donor(&mut self.jobs, &self.options, path),
            FileCommand::ChooseExample => self.jobs.ask(example_dialog(&self.session), |app, event_loop, path| {
                app.apply(event_loop, FileCommand::ReadExamples(vec![path]).into());
            }),
            FileCommand::ReadExamples(paths) => {
                self.status.dropped = None;
                read_examples(&self.session, &mut self.jobs, &self.options, paths);
            }
            FileCommand::WeightsFromBeside => self.weights_from_beside(),
            FileCommand::ReadDonorMap(path) => self.read_donor_map(&path),
            FileCommand::WriteDonorMap(path) => write_donor_map(&self.session, &mut self.status, &path),
            FileCommand::ChooseEnvironment => {
                self.jobs.ask(environment_dialog(&self.session), |app, _, path| app.show_environment(path));
            }
            FileCommand::Open(path) => self.open(event_loop, path),
            FileCommand::StepInFolder(steps) => self.step_in_folder(event_loop, steps),
            FileCommand::OpenBuiltIn => self.leave(event_loop, NextStep::Load(Source::BuiltIn)),
            FileCommand::OpenExample(id) => {
                if let Some(example) = examples::example(id) {
                    self.leave(event_loop, NextStep::Load(Source::Example(Start::of(example))));
                }
            }
            FileCommand::StepExample(steps) => self.step_example(event_loop, steps),
            FileCommand::Reload => self.leave(event_loop, NextStep::Load(self.opening.source().clone())),
            FileCommand::Save(kind) => self.begin_save(kind),
            FileCommand::SaveTo(target) => self.save_to(target),
            FileCommand::Recompress(again) => self.plan_save(|saving| saving.recompresses = again),
            FileCommand::KeepLayers(keeps) => self.plan_save(|saving| saving.keeps_layers = Some(keeps)),
            FileCommand::KeepLinks(keeps) => {
                self.status.saving.iter_mut().for_each(|saving| saving.keeps_links = keeps)
            }
            FileCommand::AnswerUnsaved(answer) => self.answer_unsaved(event_loop, answer),
            FileCommand::AnswerRecovery(answer) => self.answer_recovery(event_loop, answer),
            FileCommand::AnswerChanged(take) => self.answer_changed(take),
            FileCommand::AskForFile(usage) => self.ask_for_file(usage),
            FileCommand::ChooseFile => self.choose_file(),
            FileCommand::NameFile(path) => self.name_file(path),
            FileCommand::CorrectPose(correct) => self.correct_pose(correct),
            FileCommand::WriteFile(path) => self.write_file(&path),
            FileCommand::OpenSession(path) => self.open_session(path),
            FileCommand::CloseFile => {
                (self.status.saving, self.status.asked_file, self.next.after_save) = (None, None, None);
            }
            FileCommand::ExportTo(path, settings) => self.export_to(path, *settings),
            FileCommand::StopExport => self.jobs.stop(Kind::Export),
            FileCommand::CopyPicture => self.copy_picture(),
            FileCommand::CancelLoad => {
                match &self.status.loading {
                    Some(loading) if loading.is_open => self.jobs.stop_images(),
                    _ => {
                        self.jobs.cancel_load();
                        self.opening.cancel();
                        self.next.after_reload = None;
                        say_what_stays_open(&self.session, &mut self.status);
                    }
                }
                self.status.loading = None;
            }
            FileCommand::Quit => self.leave(event_loop, NextStep::Quit),
        }
    }

    /// Asks for a model with the system's dialog, in the folder of the open one; where that has none, in the last one if `or_last`.
    fn ask_for_model(&mut self, or_last: bool, chosen: fn(&mut Self, &ActiveEventLoop, PathBuf)) {
        let folder = self.session.document().and_then(|d| d.path.as_ref()?.parent().map(PathBuf::from));
        let folder = folder.or_else(|| self.ui.saved().last_folder.filter(|_| or_last));
        self.jobs.ask(file_dialog::open(Wanted::Read(FileKind::Model), folder.as_deref()), chosen);
    }

    /// Opens a model, a page of a teaching example, or the model of a session file.
    pub(super) fn open(&mut self, event_loop: &ActiveEventLoop, path: PathBuf) {
        (self.status.dropped, self.next.after_opening) = (None, None);
        if is_session(&path) {
            self.open_session(path);
        } else {
            self.leave(event_loop, NextStep::Load(Source::of_named(path)));
        }
    }

    /// Reads the file that the open one is to be compared with.
    pub(super) fn compare_file(&mut self, path: PathBuf) {
        self.status.error = None;
        if let Some(model) = self.session.model() {
            let (options, open) = (self.options.import.clone(), Arc::downgrade(model));
            self.jobs.restart(Kind::OtherFile, move |context| {
                let source = Source::File(path);
                let name = source.name();
                let progress = Progress { report: &|_, _| {}, cancel: context.cancel_flag() };
                let read = source.load(&options, &progress).map_err(|error| format!("Could not open {name}.\n{error}"));
                let read =
                    read.map(|document| ComparedFile { model: Arc::clone(document.stored()), name: name.clone() });
                Some(Box::new(move |app, _| {
                    // Where another file was opened meanwhile nobody wants it.
                    if app.session.model().is_some_and(|model| std::ptr::eq(Arc::as_ptr(model), open.as_ptr())) {
                        let why =
                            |why| format!("{name} cannot be compared with the open file, vertex by vertex: {why}.");
                        let compared = read.and_then(|file| app.session.compare_file(file).map_err(why));
                        app.status.error = compared.err();
                    }
                }))
            });
        }
    }
}

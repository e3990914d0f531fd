//! Work that the window does beside its pictures: what the session waits for is done, clicks wait until vertices can be found, and the panels
//! say what is under way.

use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::jobs::{Jobs, Kind};
use crate::app::next_steps::NextStep;
use crate::app::ui::BackgroundStatus;
use crate::app::window::Window;
use crate::render::BackgroundWork;
use crate::session::{
    BesideCommand, Command, Document, Done, FileCommand, SelectionCommand, Toggle, ViewCommand, Work,
};

impl App {
    /// Carries out a command; a click for which the model is not ready waits until it is.
    pub(crate) fn apply(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        match command {
            Command::Beside(BesideCommand::Activate) => {
                self.activate_other();
                return;
            }
            Command::Beside(BesideCommand::Close) => return self.leave(event_loop, NextStep::CloseOther),
            // A click on the other model makes it the active one, and is then one on that.
            Command::Selection(SelectionCommand::PickAt(at) | SelectionCommand::PinAt(at))
                if self.session.is_other_at(at) && !self.activate_other() =>
            {
                return;
            }
            _ => {}
        }
        if !self.pace.is_benchmark() && self.session.picking().must_wait_for(&command) {
            self.next.wait_with_click(command, self.session.view().orbit);
            return;
        }
        if matches!(
            command,
            Command::Selection(SelectionCommand::PickAt(_))
                | Command::Selection(SelectionCommand::PinAt(_))
                | Command::Selection(SelectionCommand::Select(_))
                | Command::Selection(SelectionCommand::Deselect)
        ) {
            let waited = self.next.drop_click();
            if waited && command == Command::Selection(SelectionCommand::Deselect) {
                return;
            }
        }
        if let Some(effect) = self.change(command) {
            self.carry_out(event_loop, effect);
        }
    }

    /// Starts the work that the session waits for, and says what is being done.
    pub(crate) fn work_in_background(&mut self) {
        self.follow_file();
        self.follow_library();
        // A measured run computes all it needs before its first picture.
        if self.pace.is_benchmark() {
            self.session.prepare();
        }
        let rests = self.window.as_ref().is_some_and(Window::measures_rest);
        let (playing, pace) = (self.session.playback().playing, &mut self.pace);
        // Poses that play are measured no faster than pictures allow.
        self.jobs.follow(&mut self.session, &mut |work| {
            !matches!(work, Work::MeasurePose(_)) || pace.begin_measuring(Instant::now(), playing, rests)
        });
        self.status.worst = self.jobs.work_fraction(|work| matches!(work, Work::FindWorstMoment(_)));
        self.status.curves = self.jobs.work_fraction(|work| matches!(work, Work::MeasureClip(_)));
        self.status.links = self.jobs.work_fraction(|work| matches!(work, Work::MeasureLinks(_)));
        self.status.rom = self.jobs.fraction(Kind::RangeOfMotion);
        self.inspect_what_changed();
        let opened = self.opening.document().map(|document| &document.model);
        let wanted = opened.or_else(|| self.session.deforming().drawn_model());
        if let Some(window) = &mut self.window {
            window.forget_others(wanted);
        }
        self.say_what_goes_on();
    }

    /// Takes the result of work of the session.
    pub(crate) fn work_done(&mut self, work: &Work, done: Done) {
        if matches!(work, Work::MeasurePose(_)) {
            self.pace.end_measuring(Instant::now());
        }
        self.session.done(done);
        if let Some(error) = self.session.take_environment_error() {
            self.status.error = Some(format!("{error}\nThe program's own room is shown."));
        }
    }

    /// Says what is being done in the background, of several things the first.
    fn say_what_goes_on(&mut self) {
        let doing = self.window.as_ref().and_then(Window::doing);
        let is_opening = self.opening.document().is_some();
        if let (Some((BackgroundWork::Model, fraction)), true, Some(loading)) =
            (doing, is_opening, &mut self.status.loading)
        {
            loading.stage = "Preparing the picture".into();
            loading.fraction = fraction;
        }
        let work = |what: &str, fraction, cancel| Some(BackgroundStatus { what: what.into(), fraction, cancel });
        let of_session = self.jobs.notice();
        let exported = self.jobs.fraction(Kind::Export);
        self.status.work = match doing {
            _ if of_session.is_some() => {
                of_session.and_then(|(what, fraction, cancel)| work(&what, Some(fraction), Some(cancel)))
            }
            Some((BackgroundWork::Model, fraction)) if !is_opening => {
                work("Preparing the picture", Some(fraction), None)
            }
            _ if exported.is_some() => {
                work(&format!("Writing {}", self.exported), exported, Some(FileCommand::StopExport.into()))
            }
            _ if self.jobs.is_running(Kind::Session) => work("Reading the session", None, None),
            _ if self.jobs.is_running(Kind::Clips) => work("Reading clips", None, None),
            _ if self.jobs.is_running(Kind::SecondModel) => work("Reading the second model", None, None),
            _ if self.jobs.is_running(Kind::OtherFile) => work("Reading the file to compare with", None, None),
            Some((BackgroundWork::Wireframe, fraction)) => {
                let cancel = ViewCommand::Toggle(Toggle::Wireframe).into();
                work("Collecting the edges", Some(fraction), Some(cancel))
            }
            Some((BackgroundWork::Pipelines, _)) => work("Compiling shaders", None, None),
            _ if self.next.has_click() => {
                work("Sorting triangles to find the vertex", None, Some(SelectionCommand::Deselect.into()))
            }
            _ => None,
        };
    }
}

impl Jobs {
    /// Has vertices of a document found under the pointer from now on, and carries out the click that waits for that.
    pub(crate) fn prepare_picking(&mut self, document: &Document) {
        let (prepare, model) = (document.prepare(), Arc::clone(document.stored()));
        self.start(Kind::Picking, move |_| {
            prepare();
            Some(Box::new(move |app, _| {
                let is_open = app.session.document().is_some_and(|d| Arc::ptr_eq(d.stored(), &model));
                if is_open && let Some(click) = app.next.take_click(app.session.view().orbit) {
                    app.change(click);
                }
            }))
        });
    }
}

//! Work that the window does beside its pictures: it shows large models once they are on the device, has weights
//! normalised, lets clicks wait until vertices can be found, and says which of that is under way.

use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use crate::app::App;
use crate::app::AppError;
use crate::app::jobs::Kind;
use crate::app::ui::BackgroundStatus;
use crate::app::window::Window;
use crate::model::Model;
use crate::pose::resolve;
use crate::render::BackgroundWork;
use crate::session::{
    Command, ControlCommand, Document, Done, EditCommand, FileCommand, PlaybackCommand, PoseSource, SelectionCommand,
    Toggle, ViewCommand, Work,
};

impl App {
    /// Shows a document.
    pub(crate) fn show(&mut self, event_loop: &ActiveEventLoop, document: Document) {
        if let Some(loading) = &mut self.status.loading {
            loading.is_open = true;
        }
        self.jobs.opened();
        self.jobs.stop(Kind::RangeOfMotion);
        self.click = None;
        (self.stamps, self.written) = (std::mem::take(&mut self.next_stamps), None);
        let (is_followed, set_aside) = (self.follow_shown(), self.session.unsaved().unsaved_work().set_aside);
        self.open_document(document);
        if is_followed {
            self.tell_followed(set_aside);
        }
        self.choose_look();
        if let (true, Some(why)) = (self.frame_timer.is_some(), self.session.extents().crowd_refusal()) {
            return self.fail(event_loop, AppError::Crowd(why));
        }
        if std::mem::take(&mut self.options.normalise_weights) {
            self.change(EditCommand::NormaliseWeights);
        }
        // What a benchmark needs before its first picture is done by now; poses are measured beside its pictures, as in any window.
        self.session.be_patient();
        if let (Some(pose), Some(model)) = (self.options.pose.take(), self.session.model()) {
            let said = resolve(model, &pose);
            let unmatched = said.unmatched.iter();
            let lines: Vec<String> =
                unmatched.map(|key| format!("The model has nothing for \"{key}\" of the pose.")).collect();
            self.change(PlaybackCommand::SetPlaying(false));
            self.change(PlaybackCommand::SetPose(PoseSource::Rest));
            self.change(EditCommand::SetPose(Arc::new(said)));
            self.session.warn(&lines);
        }
        for (name, value) in std::mem::take(&mut self.options.sliders) {
            let place = self.session.edits().controls.sliders.iter().position(|slider| slider.name == name);
            match place {
                Some(place) => _ = self.change(ControlCommand::SetSlider(place, value)),
                None => _ = self.session.warn(&[format!("The session has no slider \"{name}\".")]),
            }
        }
        self.change(EditCommand::EndEdit);
        if let Some(path) = self.options.clips_from.take() {
            let map = std::mem::take(&mut self.options.map);
            if let Some(effect) = self.change(FileCommand::TakeClipsBy(path, map)) {
                self.carry_out(event_loop, effect);
            }
        }
        if let Some(path) = self.options.compare_file.take() {
            self.compare_file(path);
        }
        self.restore();
        self.leave_after_saving(event_loop);
        self.last_frame = None;
        if let Some(window) = &mut self.window {
            window.forget_missing_letters();
            window.set_title(&self.session);
        }
    }

    /// Takes the message that the open file has been read completely.
    pub(crate) fn loaded(&mut self, warnings: &[String]) {
        self.status.loading = None;
        self.session.warn(warnings);
        self.inspect();
    }

    /// Shows the model that is being brought to the device, once it is there; until then the one before stays.
    pub(crate) fn show_coming(&mut self, event_loop: &ActiveEventLoop) {
        let Some((document, warnings)) = self.coming.take() else { return };
        if self.window.as_mut().is_some_and(|window| window.begin(&document.model)) {
            self.coming = Some((document, warnings));
            return;
        }
        if self.loses_by(&document) {
            return self.ask_again(event_loop, document.source());
        }
        self.show(event_loop, *document);
        if let Some(warnings) = warnings {
            self.loaded(&warnings);
        }
    }

    /// Carries out a command; a click for which the model is not ready waits until it is.
    pub(crate) fn apply(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        if self.frame_timer.is_none() && self.session.picking().must_wait_for(&command) {
            self.click = Some((command, self.session.view().orbit));
            return;
        }
        if matches!(
            command,
            Command::Selection(SelectionCommand::PickAt(_))
                | Command::Selection(SelectionCommand::PinAt(_))
                | Command::Selection(SelectionCommand::Select(_))
                | Command::Selection(SelectionCommand::Deselect)
        ) {
            let waited = self.click.take().is_some();
            if waited && command == Command::Selection(SelectionCommand::Deselect) {
                return;
            }
        }
        if let Some(effect) = self.change(command) {
            self.carry_out(event_loop, effect);
        }
    }

    /// Carries out the click that waited until vertices of `model` could be found.
    pub(crate) fn carry_out_click(&mut self, model: &Arc<Model>) {
        let is_open = self.session.document().is_some_and(|d| Arc::ptr_eq(d.stored(), model));
        // Where the camera has moved since, the click would hit something else.
        if let Some((click, orbit)) = self.click.take_if(|_| is_open)
            && orbit == self.session.view().orbit
        {
            self.change(click);
        }
    }

    /// Has vertices of a document found under the pointer from now on.
    pub(crate) fn prepare_picking(&mut self, document: &Document) {
        let (prepare, model) = (document.prepare(), Arc::clone(document.stored()));
        self.jobs.start(Kind::Picking, move |_| {
            prepare();
            Some(Box::new(move |app, _| app.carry_out_click(&model)))
        });
    }

    /// Starts the work that the session waits for, and says what is being done.
    pub(crate) fn work_in_background(&mut self) {
        self.follow_file();
        self.follow_library();
        // A measured run computes all it needs before its first picture.
        if self.frame_timer.is_some() {
            self.session.prepare();
        }
        self.follow_session();
        self.inspect_what_changed();
        let wanted = self
            .coming
            .as_ref()
            .map(|(document, _)| &document.model)
            .or_else(|| self.session.deforming().drawn_model());
        if let Some(window) = &mut self.window {
            window.forget_others(wanted);
        }
        self.say_what_goes_on();
    }

    /// Has the work done that the session waits for; poses that play are measured no faster than pictures allow.
    fn follow_session(&mut self) {
        let rests = self.window.as_ref().is_some_and(Window::measures_rest);
        let playing = self.session.playback().playing;
        let pace = &mut self.measure_pace;
        self.jobs.follow(&mut self.session, &mut |work| {
            if *work != Work::MeasurePose {
                return true;
            }
            let may_begin = !playing || pace.is_due(Instant::now(), rests);
            if may_begin {
                pace.begin(Instant::now());
            }
            may_begin
        });
        self.status.worst = self.jobs.work_fraction(|work| *work == Work::FindWorstMoment);
        self.status.curves = self.jobs.work_fraction(|work| matches!(work, Work::MeasureClip(_)));
        self.status.rom = self.jobs.fraction(Kind::RangeOfMotion);
    }

    /// Takes the result of work of the session.
    pub(crate) fn work_done(&mut self, work: &Work, done: Done) {
        if *work == Work::MeasurePose {
            self.measure_pace.end(Instant::now());
            if let Some(timer) = &mut self.frame_timer {
                timer.measured();
            }
        }
        self.session.done(done);
    }

    /// Says what is being done in the background, of several things the first.
    fn say_what_goes_on(&mut self) {
        let doing = self.window.as_ref().and_then(Window::doing);
        let is_coming = self.coming.is_some();
        if let (Some((BackgroundWork::Model, fraction)), true, Some(loading)) =
            (doing, is_coming, &mut self.status.loading)
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
            Some((BackgroundWork::Model, fraction)) if !is_coming => {
                work("Preparing the picture", Some(fraction), None)
            }
            _ if exported.is_some() => {
                work(&format!("Writing {}", self.exporting), exported, Some(FileCommand::StopExport.into()))
            }
            _ if self.jobs.is_running(Kind::Session) => work("Reading the session", None, None),
            _ if self.jobs.is_running(Kind::Clips) => work("Reading clips", None, None),
            _ if self.jobs.is_running(Kind::OtherFile) => work("Reading the file to compare with", None, None),
            Some((BackgroundWork::Wireframe, fraction)) => {
                let cancel = ViewCommand::Toggle(Toggle::Wireframe).into();
                work("Collecting the edges", Some(fraction), Some(cancel))
            }
            Some((BackgroundWork::Pipelines, _)) => work("Compiling shaders", None, None),
            _ if self.click.is_some() => {
                work("Sorting triangles to find the vertex", None, Some(SelectionCommand::Deselect.into()))
            }
            _ => None,
        };
    }
}

//! Work that the window does beside its pictures: it shows large models once they are on the device, has weights
//! normalised, lets clicks wait until vertices can be found, and says which of that is under way.

use std::sync::Arc;
use std::time::Instant;

use winit::event_loop::ActiveEventLoop;

use super::ui::BackgroundStatus;
use super::window::Window;
use super::{App, AppError};
use crate::inspect::check::FindingPose;
use crate::model::Model;
use crate::pose::resolve;
use crate::render::BackgroundWork;
use crate::session::{
    Command, ComparisonCommand, ControlCommand, Document, EditCommand, FileCommand, Measurers, PlaybackCommand,
    PoseSource, SelectionCommand, SideWeights, Toggle, ToolCommand, ViewCommand, WorstPose,
};

impl App {
    /// Shows a document.
    pub(super) fn show(&mut self, event_loop: &ActiveEventLoop, document: Document) {
        if let Some(loading) = &mut self.status.loading {
            loading.is_open = true;
        }
        self.jobs.opened();
        self.jobs.stop_motion();
        self.status.rom = None;
        self.click = None;
        self.stamps = std::mem::take(&mut self.next_stamps);
        self.followed(&document);
        self.open_document(document);
        self.choose_look();
        if let (true, Some(why)) = (self.frame_timer.is_some(), self.session.crowd_refusal()) {
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
            let place = self.session.controls().sliders.iter().position(|slider| slider.name == name);
            match place {
                Some(place) => _ = self.change(ControlCommand::SetSlider(place, value)),
                None => _ = self.session.warn(&[format!("The session has no slider \"{name}\".")]),
            }
        }
        self.change(EditCommand::EndEdit);
        if let Some(path) = self.options.clips_from.take() {
            let map = std::mem::take(&mut self.options.map);
            self.take_clips(path, map);
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
    pub(super) fn loaded(&mut self, warnings: &[String]) {
        self.status.loading = None;
        self.session.warn(warnings);
        self.inspect();
    }

    /// Shows the model that is being brought to the device, once it is there; until then the one before stays.
    pub(super) fn show_coming(&mut self, event_loop: &ActiveEventLoop) {
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
    pub(super) fn apply(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        if self.frame_timer.is_none() && self.session.must_wait_for(&command) {
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

    /// The worst moment of a comparison was found, if there is one.
    pub(super) fn show_worst(&mut self, worst: Option<WorstPose>) {
        match worst.map(|worst| worst.pose) {
            // Whoever gave it up meanwhile stays where they are.
            Some(FindingPose::Clip { time_secs, .. }) if self.session.is_seeking_worst() => {
                self.change(ComparisonCommand::ShowMoment(time_secs));
            }
            _ if self.session.is_seeking_worst() => {
                self.change(ComparisonCommand::ToWorstMoment);
            }
            _ => {}
        }
    }

    /// Carries out the click that waited until vertices of `model` could be found.
    pub(super) fn carry_out_click(&mut self, model: &Arc<Model>) {
        let is_open = self.session.document().is_some_and(|d| Arc::ptr_eq(d.stored(), model));
        // Where the camera has moved since, the click would hit something else.
        if let Some((click, orbit)) = self.click.take_if(|_| is_open)
            && orbit == self.session.view().orbit
        {
            self.change(click);
        }
    }

    /// Starts the work that the session needs, and says what is being done.
    pub(super) fn work_beside(&mut self) {
        match self.session.document() {
            Some(document) if self.session.is_normalising() => self.jobs.normalise(document),
            _ => self.jobs.stop_normalising(),
        }
        self.follow_file();
        self.follow_library();
        match self.session.wanted_task() {
            Some((model, task)) => self.jobs.work_out(model, task),
            None => self.jobs.stop_tool(),
        }
        match self.session.wanted_packing() {
            Some((model, packing)) => self.jobs.pack(model, packing),
            None => self.jobs.stop_packing(),
        }
        if let Some(document) = self.session.document().filter(|d| d.lacks_stats()) {
            self.jobs.count_weights(document);
        }
        if self.session.is_seeking_worst() {
            self.jobs.seek_worst(&self.session);
        } else {
            self.jobs.stop_seeking();
        }
        self.status.worst = self.jobs.seeking();
        if self.session.lacks_curves() {
            self.jobs.measure_clip(&self.session);
        } else {
            self.jobs.stop_measuring_clip();
        }
        self.status.curves = self.jobs.measuring_clip();
        let rests = self.window.as_ref().is_some_and(Window::measures_rest);
        let may_measure = !self.session.playback().playing || self.measure_pace.is_due(Instant::now(), rests);
        if may_measure && !self.jobs.is_measuring_pose() {
            match self.session.begin_measuring() {
                Some(pose) => {
                    self.measure_pace.begin(Instant::now());
                    self.jobs.measure_pose(pose, std::mem::take(&mut self.measurers));
                }
                None if self.session.wanted_measures().is_none() => self.measurers = Measurers::default(),
                None => {}
            }
        }
        // A measured run works out all it needs before its first picture.
        if self.frame_timer.is_some() {
            self.session.prepare();
        }
        let preparing = self.session.wanted_data();
        let prepared = preparing.as_ref().map(|(source, model)| (source.label, self.jobs.prepare(source, model)));
        if prepared.is_none() {
            self.jobs.stop_preparing();
        }
        // Weights have changed since it was looked at; what a tool is tried for is not looked at.
        let is_other = |d: &&Document| d.inspection.is_some() || self.status.checking;
        let inspecting = self.inspecting.as_ptr();
        let other = self.session.document().filter(is_other).and_then(|_| self.session.edited_model());
        if other.is_some_and(|model| !std::ptr::eq(inspecting, Arc::as_ptr(model))) {
            self.inspect();
        }
        let wanted = self.coming.as_ref().map(|(document, _)| &document.model).or_else(|| self.session.drawn_model());
        if let Some(window) = &mut self.window {
            window.forget_others(wanted);
        }
        let doing = self.window.as_ref().and_then(Window::doing);
        if let (Some((BackgroundWork::Model, fraction)), true, Some(loading)) =
            (doing, self.coming.is_some(), &mut self.status.loading)
        {
            loading.stage = "Preparing the picture".into();
            loading.fraction = fraction;
        }
        let work = |what: &str, fraction, cancel| Some(BackgroundStatus { what: what.into(), fraction, cancel });
        self.status.work = match doing {
            _ if self.session.is_normalising() => {
                work("Normalising weights", None, Some(Command::Edit(EditCommand::NormaliseWeights)))
            }
            _ if prepared.is_some() => prepared.and_then(|(what, fraction)| {
                let what = format!("Working out {what}");
                work(&what, Some(fraction), Some(Command::View(ViewCommand::GiveUpData)))
            }),
            Some((BackgroundWork::Model, fraction)) if self.coming.is_none() => {
                work("Preparing the picture", Some(fraction), None)
            }
            _ if self.jobs.exporting().is_some() => self.jobs.exporting().and_then(|(name, fraction)| {
                work(&format!("Writing {name}"), Some(fraction), Some(Command::File(FileCommand::StopExport)))
            }),
            _ if self.jobs.working_tool().is_some() => self
                .jobs
                .working_tool()
                .and_then(|(what, fraction)| work(what, Some(fraction), Some(Command::Tool(ToolCommand::Cancel)))),
            _ if self.jobs.packing().is_some() => {
                let cancel = Some(Command::Comparison(ComparisonCommand::SetWeights(SideWeights::Shown)));
                work("Working out the weights of the runtime", self.jobs.packing(), cancel)
            }
            _ if self.jobs.is_reading_session() => work("Reading the session", None, None),
            _ if self.jobs.is_taking_clips() => work("Reading clips", None, None),
            _ if self.jobs.is_reading_other() => work("Reading the file to compare with", None, None),
            Some((BackgroundWork::Wireframe, fraction)) => {
                let cancel = Command::View(ViewCommand::Toggle(Toggle::Wireframe));
                work("Collecting the edges", Some(fraction), Some(cancel))
            }
            Some((BackgroundWork::Pipelines, _)) => work("Compiling shaders", None, None),
            _ if self.click.is_some() => {
                work("Sorting triangles to find the vertex", None, Some(Command::Selection(SelectionCommand::Deselect)))
            }
            _ => None,
        };
    }
}

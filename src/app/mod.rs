//! The window: turns events into commands, time into frames, and effects into actions. Everything that can be tested
//! without a window lives elsewhere.

mod autosave;
mod background;
mod benchmark;
mod controls;
mod damage;
mod gpu_messages;
mod input;
mod jobs;
mod panels;
mod recovery;
mod save_job;
mod saving;
mod screen;
mod settings;
pub mod ui;
mod visibility;
mod window;
mod window_size;

pub use benchmark::Benchmark;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::WindowId;

use self::autosave::{Autosave, Left};
use self::benchmark::FrameTimer;
use self::jobs::{Jobs, Report};
use self::saving::Then;
use self::screen::{AntialiasingRequest, DeviceOptions};
use self::settings::Settings;
use self::ui::{Loading, Status, UiState};
use self::window::Window;
use crate::deform::PaletteBuffer;
use crate::frame::{Frame, SceneColors};
use crate::import::{self, ImportError};
use crate::inspect::measure::Measurer;
use crate::model::{BlockFormats, Model};
use crate::pose::PoseFile;
use crate::render::{Backend, GpuError};
use crate::session::{
    Antialiasing, Command, Document, Effect, FileCommand, InspectionCommand, Orbit, PlaybackCommand, Session, Source,
    ViewCommand,
};
use crate::writeback::Stamps;

/// Options of `skinscope view`.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file to open first.
    pub source: Source,
    /// The limits, and whether models may refer to files outside their folder.
    pub import: import::Options,
    /// How often edits that are in no file are written down for the case of a crash; `None`: never.
    pub autosave: Option<Duration>,
    /// The benchmark to run before the program ends; `None`: none.
    pub benchmark: Option<Benchmark>,
    /// The graphics interface.
    pub backend: Backend,
    /// The bytes for textures; `None`: as is usual for the adapter.
    pub texture_memory: Option<u64>,
    /// The kind of buffer that shaders read the palette from.
    pub palette_buffer: PaletteBuffer,
    /// The method that deforms vertices, by [`crate::deform::Method::id`].
    pub method: Option<&'static str>,
    /// The pass after it.
    pub pass: Option<&'static str>,
    /// Where normals come from.
    pub normals: Option<&'static str>,
    /// Values of parameters of methods and passes.
    pub parameters: Vec<(&'static str, f32)>,
    /// Whether to divide the weights of the first file by their sums.
    pub normalise_weights: bool,
    /// The pose in which the first file is shown.
    pub pose: Option<PoseFile>,
    /// How many copies of the model are shown.
    pub crowd: u32,
    /// Whether edges are smoothed.
    pub antialiasing: Antialiasing,
    /// The file to list the controls in, which does not exist yet.
    pub controls: Option<PathBuf>,
    /// The time at which the process started.
    pub started: Instant,
}

/// The reason why the window could not be opened, or ended early.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is no display.
    #[error(
        "no window could be opened: {0}. Is a display connected (DISPLAY or WAYLAND_DISPLAY)? `skinscope render MODEL -o picture.png` works without one"
    )]
    NoDisplay(String),
    /// There is no GPU.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The model of a benchmark did not load.
    #[error("{file}: {error}")]
    Import {
        /// The name of the file.
        file: String,
        /// The reason.
        error: ImportError,
    },
    /// The crowd of a benchmark cannot be shown.
    #[error("{0}")]
    Crowd(String),
}

/// Events that wake the event loop from outside.
#[derive(Debug)]
enum UserEvent {
    /// A job has a report.
    Job,
    /// A screen reader asks or acts.
    AccessKit(egui_winit::accesskit_winit::Event),
}

impl From<egui_winit::accesskit_winit::Event> for UserEvent {
    fn from(event: egui_winit::accesskit_winit::Event) -> Self {
        Self::AccessKit(event)
    }
}

/// Opens the window and returns when it is closed. A benchmark returns its line.
///
/// # Errors
/// There is no display or no GPU; the message says what to do about it.
pub fn run(options: Options) -> Result<Option<String>, AppError> {
    let no_display = |e: winit::error::EventLoopError| AppError::NoDisplay(reason(&e.to_string()));
    let event_loop = EventLoop::<UserEvent>::with_user_event().build().map_err(no_display)?;
    event_loop.set_control_flow(ControlFlow::Wait);
    let mut app = App::new(options, event_loop.create_proxy());
    event_loop.run_app(&mut app).map_err(no_display)?;
    let line = app.frame_timer.map(|m| m.line(app.session.crowd()));
    app.failure.map_or(Ok(line), Err)
}

/// Returns the window system's own words, without the place in its sources that they come from.
fn reason(text: &str) -> String {
    let words = text.rsplit_once(".rs:").and_then(|(_, rest)| rest.split_once(": ")).map_or(text, |(_, words)| words);
    words.trim_end_matches('.').to_owned()
}

struct App {
    proxy: EventLoopProxy<UserEvent>,
    options: Options,
    settings: Settings,
    session: Session,
    ui: UiState,
    status: Status,
    /// The model that was inspected last, or is being inspected.
    inspecting: Weak<Model>,
    jobs: Jobs,
    /// What measures the next pose, while poses are measured.
    measurer: Option<Measurer>,
    /// The source that was opened last, whether it could be read or not.
    source: Source,
    window: Option<Window>,
    /// The block formats that the window's device reads, as soon as there is one.
    formats: Arc<OnceLock<BlockFormats>>,
    frame: Frame,
    /// A model that was read and is shown once it is on the device, with all warnings as soon as its images are there
    /// too.
    coming: Option<(Box<Document>, Option<Vec<String>>)>,
    /// A click that waits until vertices can be found, and the camera that it was made with.
    click: Option<(Command, Orbit)>,
    /// The time of the last frame, while the clip plays.
    last_frame: Option<Instant>,
    scrubbing: bool,
    /// What the open model's files were like before they were read, and those of the model that is being read.
    stamps: Stamps,
    next_stamps: Stamps,
    /// What is to be done once edits are saved or given up.
    then: Option<Then>,
    autosave: Autosave,
    autosave_complained: bool,
    /// Edits of an earlier run: offered, or accepted and waiting for their model.
    left: Option<Left>,
    frame_timer: Option<FrameTimer>,
    failure: Option<AppError>,
}

impl App {
    fn new(options: Options, proxy: EventLoopProxy<UserEvent>) -> Self {
        let settings = Settings::load();
        let waker = proxy.clone();
        let wake = move || {
            // The loop may have ended.
            let _gone = waker.send_event(UserEvent::Job).is_err();
        };
        let mut app = Self {
            proxy,
            session: Session::default(),
            ui: UiState::new(settings.ui.clone()),
            settings,
            status: Status::default(),
            inspecting: Weak::new(),
            measurer: None,
            jobs: Jobs::new(Arc::new(wake)),
            source: options.source.clone(),
            window: None,
            formats: Arc::default(),
            frame: Frame::default(),
            coming: None,
            click: None,
            last_frame: None,
            scrubbing: false,
            stamps: Stamps::default(),
            next_stamps: Stamps::default(),
            then: None,
            autosave: Autosave::new(options.autosave),
            autosave_complained: false,
            left: None,
            frame_timer: options.benchmark.clone().map(|b| FrameTimer::new(b, options.started)),
            failure: None,
            options,
        };
        if let Some(method) = app.options.method {
            app.session.apply(ViewCommand::SetMethod(method));
        }
        app.session.apply(ViewCommand::SetPass(app.options.pass));
        if let Some(normals) = app.options.normals {
            app.session.apply(ViewCommand::SetNormals(normals));
        }
        for (id, value) in &app.options.parameters {
            app.session.apply(ViewCommand::SetParameter(id, *value));
        }
        if app.frame_timer.is_none() {
            app.session.be_patient();
        }
        app.session.apply(ViewCommand::SetCrowd(app.options.crowd));
        app.session.apply(ViewCommand::SetAntialiasing(app.options.antialiasing));
        app.session.apply(ViewCommand::SetPaletteBuffer(app.options.palette_buffer));
        // The file is read while window and GPU start.
        app.load(app.options.source.clone());
        app.offer_recovery();
        app
    }

    fn load(&mut self, source: Source) {
        self.coming = None;
        self.source = source.clone();
        self.status.error = None;
        let before = self.status.loading.replace(Loading { name: source.name(), ..Loading::default() });
        let file = if let Source::File(path) = &source { Some(path) } else { None };
        self.next_stamps = file.map_or_else(Stamps::default, |path| Stamps::of(path));
        let formats = Arc::clone(&self.formats);
        let options =
            import::Options { block_formats: Some(Arc::new(move || *formats.wait())), ..self.options.import.clone() };
        self.jobs.load(source, options, before.is_some_and(|l| l.is_open));
    }

    /// Inspects the open model in the background. A benchmark is not disturbed by it.
    fn inspect(&mut self) {
        if let Some(document) = self.session.document().filter(|_| self.frame_timer.is_none()) {
            let model = self.session.edited_model().unwrap_or(&document.model);
            self.jobs.inspect(Arc::clone(model), self.session.view().influence_limit);
            self.inspecting = Arc::downgrade(model);
            self.status.checking = true;
        }
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure = Some(error);
        event_loop.exit();
    }

    fn send(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        self.apply(event_loop, command);
        self.redraw();
    }

    fn carry_out(&mut self, event_loop: &ActiveEventLoop, effect: Effect) {
        match effect {
            Effect::File(command) => self.carry_out_file(event_loop, command),
            Effect::Inspection(command) => self.carry_out_inspection(command),
            Effect::Window(command) => self.ui.carry_out(&command),
        }
    }

    fn carry_out_file(&mut self, event_loop: &ActiveEventLoop, command: FileCommand) {
        match command {
            FileCommand::OpenDialog if !jobs::has_dialog() => {
                let todo = "Drop a file on the window, or give its path on the command line.";
                self.status.error = Some(format!(
                    "There is no file dialog here: neither a desktop portal nor zenity was found.\n{todo}"
                ));
            }
            FileCommand::OpenDialog => {
                let folder = self.session.document().and_then(|d| d.path.as_ref()?.parent().map(PathBuf::from));
                let folder = folder.or_else(|| self.ui.saved().last_folder);
                self.jobs.ask_for_file(folder.filter(|folder| folder.is_dir()));
            }
            FileCommand::Open(path) => self.leave(event_loop, Then::Load(Source::File(path))),
            FileCommand::OpenBuiltIn => self.leave(event_loop, Then::Load(Source::BuiltIn)),
            FileCommand::Reload => self.leave(event_loop, Then::Load(self.source.clone())),
            FileCommand::Save(kind) => self.begin_save(kind),
            FileCommand::ChooseTarget => self.choose_target(),
            FileCommand::SaveTo(target) => self.save_to(target),
            FileCommand::CancelSave => self.cancel_save(),
            FileCommand::AnswerUnsaved(answer) => self.answer_unsaved(event_loop, answer),
            FileCommand::AnswerRecovery(answer) => self.answer_recovery(event_loop, answer),
            FileCommand::CancelLoad => {
                match &self.status.loading {
                    Some(loading) if loading.is_open => self.jobs.stop_images(),
                    _ => {
                        self.jobs.cancel();
                        self.coming = None;
                    }
                }
                self.status.loading = None;
            }
            FileCommand::Quit => self.leave(event_loop, Then::Quit),
        }
    }

    fn carry_out_inspection(&mut self, command: InspectionCommand) {
        match command {
            InspectionCommand::Inspect => self.inspect(),
            InspectionCommand::CancelInspect => {
                self.jobs.stop_inspection();
                self.status.checking = false;
            }
            InspectionCommand::RunRom(options) => {
                if let Some(document) = self.session.document() {
                    let model = Arc::clone(&document.model);
                    // It moves samples of the surface, for which a method has worked nothing out.
                    let shown = self.session.shown_method();
                    let method = if shown.data.is_none() { shown } else { crate::deform::METHODS[0] };
                    if !std::ptr::eq(shown, method) {
                        let (by, of) = (method.label, shown.label);
                        self.session.warn(&[format!(
                            "The range of motion is measured by {by}: {of} needs data of each vertex."
                        )]);
                    }
                    self.jobs.drive(model, options, method);
                    self.status.rom = Some(0.0);
                }
            }
            InspectionCommand::CancelRom => {
                self.jobs.stop_motion();
                self.status.rom = None;
            }
        }
    }

    fn redraw(&self) {
        if let Some(window) = &self.window {
            window.request_redraw();
        }
    }

    fn take_reports(&mut self, event_loop: &ActiveEventLoop) {
        while let Some(report) = self.jobs.next() {
            match report {
                Report::Progress(fraction, stage) => {
                    if let Some(loading) = &mut self.status.loading {
                        loading.fraction = fraction;
                        loading.stage = stage;
                    }
                }
                Report::Chosen(path) => self.leave(event_loop, Then::Load(Source::File(path))),
                Report::SavePlanned(result) => self.save_planned(result),
                Report::TargetChosen(path) => self.target_chosen(path),
                Report::FilesSaved(model, result) => self.files_saved(event_loop, model, result),
                Report::WrittenDown(path, result) => self.written_down(&path, result),
                Report::Fonts(found) => {
                    if let Some(window) = &self.window {
                        window.add_fonts(found);
                    }
                }
                Report::Opened(document) => {
                    self.next_stamps.add(document.files());
                    self.jobs.prepare_picking(&document);
                    self.coming = Some((document, None));
                    self.show_coming(event_loop);
                }
                Report::Loaded(Ok(warnings)) => match &mut self.coming {
                    Some((_, all)) => *all = Some(warnings),
                    None => self.loaded(&warnings),
                },
                Report::Pickable(model) => self.carry_out_click(&model),
                Report::Normalised(model, changes) => {
                    self.jobs.stop_normalising();
                    self.session.normalised(&model, &changes);
                }
                Report::WorkedOut(model, task, outcome) => {
                    self.session.worked_out(&model, &task, outcome.map(|outcome| *outcome));
                }
                Report::Prepared(source, model, data) => self.session.prepared(source, &model, data),
                // The next picture shows the figures.
                Report::Counted => {}
                Report::Worst(worst) => self.show_worst(worst),
                Report::SurfaceMeasured(measured) => {
                    if let Some((measurer, pose)) = measured.map(|both| *both) {
                        self.measurer = Some(measurer);
                        self.session.measured_surface(pose);
                    }
                }
                Report::ClipMeasured(curves) => {
                    if let Some(curves) = curves {
                        self.session.measured_curves(curves);
                    }
                }
                Report::Measuring(fraction) => self.status.rom = Some(fraction),
                Report::Measured(model, report) => {
                    self.status.rom = None;
                    self.session.measured(&model, *report);
                }
                Report::Inspected(model, inspection) => {
                    self.session.inspected(&model, *inspection);
                    let is_open = |open: &Arc<Model>| Arc::ptr_eq(open, &model);
                    self.status.checking &= !self.session.edited_model().is_some_and(is_open);
                }
                Report::Completed(warnings) => _ = self.session.warn(&warnings),
                Report::Loaded(Err(error)) => {
                    self.status.loading = None;
                    if self.frame_timer.is_some() {
                        let file = self.source.name();
                        return self.fail(event_loop, AppError::Import { file, error });
                    }
                    self.status.error = Some(format!("Could not open {}.\n{error}", self.source.name()));
                }
            }
        }
        self.redraw();
    }

    /// Draws one frame: time, panels, commands, pose, picture.
    fn paint(&mut self, event_loop: &ActiveEventLoop) {
        self.show_coming(event_loop);
        self.work_beside();
        let measured = self.frame_timer.is_some();
        let now = Instant::now();
        // While nothing moved no frame was drawn, and that time does not count.
        let passed = self.last_frame.replace(now).map_or(0.0, |last| (now - last).as_secs_f32().min(0.25));
        let dt_secs = match (measured, self.scrubbing) {
            (true, _) => 1.0 / 60.0,
            (false, true) => 0.0,
            (false, false) => passed,
        };
        // A benchmark measures the whole model, with all of its images.
        if measured && (self.session.document().is_none() || self.status.loading.is_some()) {
            return;
        }
        let Some(mut window) = self.window.take() else { return };
        self.session.apply(PlaybackCommand::Advance(dt_secs));
        let mut again = false;
        // Each turn sees what the one before it has changed.
        for turn in window.take_input() {
            self.session.update_pose();
            let commands = window.run_ui(event_loop, turn, &self.session, &mut self.ui, &self.status);
            again |= !commands.is_empty();
            // While the pointer holds the playhead, time stands still.
            self.scrubbing = commands.iter().any(|c| matches!(c, Command::Playback(PlaybackCommand::Seek(_))));
            for command in commands {
                if command == Command::File(FileCommand::CancelLoad) && self.status.loading.is_none() {
                    self.status.error = None;
                }
                self.apply(event_loop, command);
            }
        }
        if let Some(letters) = window.take_wanted_letters() {
            self.jobs.find_fonts(letters);
        }
        window.set_title(&self.session);
        let write_down = self.write_down(now);
        self.session.update_pose();
        let palette = if self.ui.is_dark() { SceneColors::DARK } else { SceneColors::LIGHT };
        self.frame.build(&self.session, &palette);
        let playing = self.session.playback().playing && self.session.document().is_some();
        let edges = AntialiasingRequest { wanted: self.session.view().antialiasing, playing };
        let presented = window.present(&self.frame, palette.background, edges);
        if !playing {
            self.last_frame = None;
        }
        match presented {
            Ok(shown) => {
                let said = self.status.error.clone();
                if let Some(message) = window.take_complaint() {
                    self.status.error = Some(message);
                    // The message may concern another adapter than before.
                    self.status.adapter = window.adapter_name();
                }
                let fit = window.palette_fit(&self.frame);
                let limits = fit.map(|fit| fit.limits);
                if let Some(at) = window.next_try(shown, edges.wanted).into_iter().chain(write_down).min() {
                    let sooner = matches!(event_loop.control_flow(), ControlFlow::WaitUntil(other) if other < at);
                    if !sooner {
                        event_loop.set_control_flow(ControlFlow::WaitUntil(at));
                    }
                }
                let limited = std::mem::replace(&mut self.status.palette_limits, limits) != limits;
                let told = self.session.warn(&window.notices()) || self.status.error != said;
                let again = told || limited || again;
                let (samples, palette) = (window.samples(), fit.map_or("", |fit| fit.used()));
                let done = shown && self.frame_timer.as_mut().is_some_and(|m| m.presented(samples, palette));
                if done {
                    event_loop.exit();
                } else if playing && shown || again || measured {
                    window.request_redraw();
                }
                self.window = Some(window);
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }

    fn remember(&mut self) {
        if self.frame_timer.is_some() {
            return;
        }
        if let Some(window) = &self.window {
            self.settings.size = window.size_in_points();
        }
        self.settings.ui = self.ui.saved();
        self.settings.save(self.session.document().iter().flat_map(|document| document.files()));
    }
}

impl ApplicationHandler<UserEvent> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.window.is_some() {
            return;
        }
        let size = self.options.benchmark.as_ref().map(|b| b.size);
        let Options { backend, texture_memory, .. } = self.options;
        let device_options = DeviceOptions { backend, measured: size.is_some(), texture_memory };
        match Window::open(event_loop, &self.proxy, &self.settings, size, device_options) {
            Ok(mut window) => {
                self.status.adapter = window.adapter_name();
                self.formats.get_or_init(|| window.block_formats());
                window.set_title(&self.session);
                if let Some(path) = self.options.controls.take() {
                    window.list_controls(path);
                }
                window.request_redraw();
                self.window = Some(window);
            }
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        match event {
            UserEvent::Job => self.take_reports(event_loop),
            UserEvent::AccessKit(event) => {
                if let Some(window) = &mut self.window {
                    window.on_accesskit(event);
                }
            }
        }
    }

    fn new_events(&mut self, _event_loop: &ActiveEventLoop, cause: winit::event::StartCause) {
        if let winit::event::StartCause::ResumeTimeReached { .. } = cause {
            self.redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _id: WindowId, event: WindowEvent) {
        let Some(window) = &mut self.window else { return };
        window.on_event(&event);
        match event {
            WindowEvent::CloseRequested => {
                self.leave(event_loop, Then::Quit);
                self.redraw();
            }
            WindowEvent::RedrawRequested => self.paint(event_loop),
            WindowEvent::Resized(size) => window.resize(size),
            WindowEvent::Occluded(covered) => window.cover(covered),
            WindowEvent::DroppedFile(path) => self.send(event_loop, Command::File(FileCommand::Open(path))),
            _ => {}
        }
    }

    fn exiting(&mut self, _event_loop: &ActiveEventLoop) {
        if self.failure.is_none() {
            self.autosave.forget();
        }
        self.remember();
        // The surface must be dropped before the window system.
        if let Some(window) = self.window.take() {
            window.close();
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn reasons_are_for_people() {
        let said = "os error at /home/me/winit/src/linux/mod.rs:788: Failed to open connection to X server.";
        assert_eq!(super::reason(said), "Failed to open connection to X server");
        assert_eq!(super::reason("no luck"), "no luck");
    }
}

//! The window: turns events into commands, time into frames, and effects into actions. Everything that can be tested
//! without a window lives elsewhere.

mod benchmark;
mod effects;
mod files;
mod inspections;
mod jobs;
mod options;
mod pace;
mod pictures;
mod recorder;
mod settings;
mod window;

use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

pub use benchmark::Benchmark;
pub use benchmark::device::compare_on_device;
pub use options::{AppError, Options};
pub use pictures::{MOST_SUPERSAMPLING, PicturePainter, PictureStyle};
pub use skinscope_ui as ui;
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::window::WindowId;

use self::benchmark::FrameTimer;
use self::files::autosave::{Autosave, Left};
use self::files::library::LibraryState;
use self::files::save_job::Written;
use self::files::saving::Then;
use self::files::session_files::{OpenSessionFile, ReadSession};
use self::jobs::take_results::find_fonts;
use self::jobs::{Jobs, Kind};
pub use self::pace::MeasurePace;
use self::recorder::Recorder;
use self::settings::Settings;
use self::ui::{Loading, Status, UiState};
use self::window::Window;
use self::window::screen::{AntialiasingRequest, DeviceOptions};
use crate::frame::{Frame, SceneColors};
use crate::import;
use crate::model::{BlockFormats, Model};
use crate::session::{
    Command, Document, FileCommand, KeptSession, MeasureCommand, Orbit, PlaybackCommand, Session, Source, ViewCommand,
};
use crate::writeback::Stamps;

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
    let recorder = options
        .record
        .as_deref()
        .map(|path| Recorder::create(path, &options.source, options.session.clone()))
        .transpose()?;
    let mut app = App::new(options, recorder, event_loop.create_proxy());
    event_loop.run_app(&mut app).map_err(no_display)?;
    let line = app.frame_timer.map(|m| m.line(app.session.pose().formation.members));
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
    measure_pace: MeasurePace,
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
    /// What was written into the open model's own file, until that is read again.
    written: Option<Written>,
    /// The session file that is open, or was written last.
    session_file: Option<OpenSessionFile>,
    /// A session file whose model is being read.
    coming_session: Option<Box<ReadSession>>,
    /// What the files were like that are followed, when they were looked at or read last.
    seen: Stamps,
    /// What the files are waited for to differ from.
    watched: Option<Stamps>,
    /// The name of the file that is exported, or was exported last.
    exporting: String,
    /// Whether the load under way is that of the open file, which has changed.
    follows: bool,
    /// What is to be done once edits are saved or given up.
    then: Option<Then>,
    /// What the open model had when the file was asked for that is being read: that was saved or given up.
    given_up: Option<Box<KeptSession>>,
    /// What is to be done once the model that was saved is read again.
    then_once_read: Option<Then>,
    autosave: Autosave,
    autosave_complained: bool,
    library: LibraryState,
    /// What commands are written down by, where they are recorded.
    recorder: Option<Recorder>,
    /// Edits of an earlier run: offered, or accepted and waiting for their model.
    left: Option<Left>,
    frame_timer: Option<FrameTimer>,
    failure: Option<AppError>,
}

impl App {
    fn new(options: Options, recorder: Option<Recorder>, proxy: EventLoopProxy<UserEvent>) -> Self {
        let mut settings = Settings::load();
        settings.ui.watch = options.watch.unwrap_or(settings.ui.watch);
        let waker = proxy.clone();
        let wake = move || {
            // The loop may have ended.
            let _gone = waker.send_event(UserEvent::Job).is_err();
        };
        let mut app = Self {
            proxy,
            session: Session::default(),
            ui: UiState::new(settings.ui.clone()).measuring_on(benchmark::device::on(options.backend)),
            settings,
            status: Status::default(),
            inspecting: Weak::new(),
            measure_pace: MeasurePace::default(),
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
            written: None,
            session_file: None,
            coming_session: None,
            seen: Stamps::default(),
            watched: None,
            exporting: String::new(),
            follows: false,
            then: None,
            given_up: None,
            then_once_read: None,
            autosave: Autosave::new(options.autosave),
            autosave_complained: false,
            library: LibraryState::default(),
            recorder,
            left: None,
            frame_timer: options.benchmark.clone().map(|b| FrameTimer::new(b, options.started)),
            failure: None,
            options,
        };
        // A session file and an example have a look of their own, over which the options are laid once they are open.
        if app.options.session.is_none() && !matches!(app.options.source, Source::Example(_) | Source::Page(_)) {
            app.choose_look();
        }
        if app.frame_timer.is_none() {
            app.session.be_patient();
        }
        app.change(ViewCommand::SetCrowd(app.options.crowd));
        app.change(ViewCommand::SetAntialiasing(app.options.antialiasing));
        app.change(ViewCommand::SetPaletteBuffer(app.options.palette_buffer));
        // The file is read while window and GPU start.
        match app.options.session.clone() {
            Some(path) => app.open_session(path),
            None => app.load(app.options.source.clone()),
        }
        app.offer_recovery();
        app
    }

    /// Chooses method, parameters, overlay and panel as the options say, once: after the session file or example that they were given with.
    fn choose_look(&mut self) {
        if let Some(method) = self.options.method.take() {
            self.change(ViewCommand::SetMethod(method));
        }
        if let Some(pass) = self.options.pass.take() {
            self.change(ViewCommand::SetPass(Some(pass)));
        }
        if let Some(normals) = self.options.normals.take() {
            self.change(ViewCommand::SetNormals(normals));
        }
        for (id, value) in std::mem::take(&mut self.options.parameters) {
            self.change(ViewCommand::SetParameter(id, value));
        }
        if let Some(overlay) = self.options.overlay.take() {
            self.change(ViewCommand::SetOverlay(Some(overlay)));
        }
        if std::mem::take(&mut self.options.deformation) {
            self.change(MeasureCommand::TogglePanel);
        }
    }

    fn load(&mut self, source: Source) {
        (self.coming, self.coming_session, self.given_up) = (None, None, None);
        self.follows &= source == self.source;
        self.source = source.clone();
        self.status.error = None;
        let before = self.status.loading.replace(Loading { name: source.name(), ..Loading::default() });
        self.next_stamps = source.path().map_or_else(Stamps::default, |path| Stamps::of(&path));
        let formats = Arc::clone(&self.formats);
        let options =
            import::Options { block_formats: Some(Arc::new(move || *formats.wait())), ..self.options.import.clone() };
        self.jobs.load(source, options, before.is_some_and(|l| l.is_open));
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure = Some(error);
        event_loop.exit();
    }

    fn send(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        self.apply(event_loop, command);
        self.redraw();
    }

    fn redraw(&self) {
        if let Some(window) = &self.window {
            window.request_redraw();
        }
    }

    /// Draws one frame: time, panels, commands, pose, picture.
    fn paint(&mut self, event_loop: &ActiveEventLoop) {
        self.show_coming(event_loop);
        self.work_in_background();
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
        self.change(PlaybackCommand::Advance(dt_secs));
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
            self.jobs.start(Kind::Fonts, move |_| find_fonts(&letters));
        }
        window.set_title(&self.session);
        let write_down = self.write_down(now);
        self.session.update_pose();
        let palette = if self.ui.is_dark() { SceneColors::DARK } else { SceneColors::LIGHT };
        self.session.build_frame(&mut self.frame, &palette);
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
                if let Some(at) = window
                    .next_try(shown, edges.wanted)
                    .into_iter()
                    .chain(write_down)
                    .chain(self.jobs.next_notice())
                    .min()
                {
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
                if let Some(recorder) = &mut self.recorder {
                    recorder.begin(window.size_in_points());
                }
                window.request_redraw();
                self.window = Some(window);
            }
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        match event {
            UserEvent::Job => self.take_results(event_loop),
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
            WindowEvent::DroppedFile(path) if files::file_names::is_pose(&path) => {
                self.ask_for_pose_in(path);
                self.redraw();
            }
            WindowEvent::DroppedFile(path) => match self.dropped(path) {
                Some(command) => self.send(event_loop, Command::File(command)),
                None => self.redraw(),
            },
            _ => {}
        }
    }

    fn exiting(&mut self, _event_loop: &ActiveEventLoop) {
        if self.failure.is_none() {
            self.autosave.forget();
        }
        self.remember();
        // What is half exported goes with it.
        self.jobs.end(Kind::Export);
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

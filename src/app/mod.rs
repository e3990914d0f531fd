//! The window: turns events into commands, time into frames, and effects into actions. Everything that can be tested
//! without a window lives elsewhere.

mod benchmark;
mod effects;
mod events;
mod files;
mod inspections;
mod jobs;
mod next_steps;
mod options;
mod pace;
mod painting;
mod pictures;
mod recorder;
mod settings;
mod start;
mod statistics;
mod user_event;
mod window;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

pub use benchmark::Benchmark;
pub use benchmark::device::compare_on_device;
pub use options::{AppError, Options};
pub use pictures::{MOST_SUPERSAMPLING, PicturePainter, PictureStyle};
pub use skinscope_ui as ui;
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};

use self::benchmark::FrameTimer;
use self::files::autosave::Autosave;
use self::files::library::LibraryState;
use self::files::on_disk::OnDisk;
use self::files::opening::Opening;
use self::files::recent_pictures::NextPicture;
use self::files::second_model::OtherModel;
use self::jobs::Jobs;
use self::next_steps::NextSteps;
pub use self::pace::MeasurePace;
use self::pace::Pace;
use self::recorder::Recorder;
use self::settings::{ReadSettings, Settings};
use self::statistics::{Statistics, TraceFile};
use self::ui::{Status, UiState};
use self::user_event::UserEvent;
use self::window::Window;
use crate::frame::Frame;
use crate::model::{BlockFormats, Model};
use crate::session::Session;

/// Opens the window and returns when it is closed. A benchmark returns its line.
///
/// # Errors
/// There is no display or no GPU; the message says what to do about it.
pub fn run(mut options: Options) -> Result<Option<String>, AppError> {
    let read = Settings::load();
    options.prefer(&read.settings);
    let event_loop = EventLoop::<UserEvent>::with_user_event().build().map_err(AppError::no_display)?;
    event_loop.set_control_flow(ControlFlow::Wait);
    let recorder = options
        .record
        .as_deref()
        .map(|path| Recorder::create(path, &options.source, options.session.clone()))
        .transpose()?;
    let written = |path: &Path| {
        TraceFile::create(path).map_err(|error| AppError::Record { path: path.display().to_string(), error })
    };
    let trace = options.trace.as_deref().map(written).transpose()?;
    let mut app = App::new(options, read, recorder, event_loop.create_proxy());
    app.statistics = Statistics::new(trace);
    event_loop.run_app(&mut app).map_err(AppError::no_display)?;
    let line = app.pace.line(app.session.pose().formation.members);
    app.failure.map_or(Ok(line), Err)
}

/// Reads the settings and sets the preferences that `changes` name, by their words. Returns the words of all preferences and of their
/// values then.
///
/// # Errors
/// The message says which word or value is not known, or why the file could not be read or written.
pub fn preferences(changes: &[(String, String)]) -> Result<Vec<(&'static ui::Preference, &'static str)>, String> {
    let ReadSettings { mut settings, complaint } = Settings::load();
    if let Some(complaint) = complaint.filter(|_| !changes.is_empty()) {
        return Err(complaint);
    }
    settings.set_preferences(changes)?;
    Ok(ui::PREFERENCES.iter().map(|preference| (preference, preference.chosen(&settings.ui).id)).collect())
}

/// Returns what a report of a bug needs, line by line: what stands in it, and its value. It has no name and no path. `adapter` is the
/// graphics device; empty: there is none.
#[must_use]
pub fn bug_report(session: &Session, adapter: &str) -> Vec<(&'static str, String)> {
    ui::bug_report_lines(session, &Settings::load().settings.ui, adapter)
}

/// Returns the names of the layouts of the panels, and of the one that was chosen last; empty where none was.
#[must_use]
pub fn layouts() -> (Vec<String>, String) {
    let saved = Settings::load().settings.ui;
    (ui::layout_names(&saved), saved.layout_name)
}

struct App {
    proxy: EventLoopProxy<UserEvent>,
    options: Options,
    settings: Settings,
    session: Session,
    /// What commands are written down by, where they are recorded.
    recorder: Option<Recorder>,
    ui: UiState,
    status: Status,
    window: Option<Window>,
    /// The block formats that the window's device reads, as soon as there is one.
    formats: Arc<OnceLock<BlockFormats>>,
    frame: Frame,
    pace: Pace,
    statistics: Statistics,
    jobs: Jobs,
    /// The file that is being opened.
    opening: Opening,
    /// The files of what is open.
    disk: OnDisk,
    /// What is done once something else is.
    next: NextSteps,
    /// Files that were dropped on the window and are not taken yet, since more may come with them.
    dropping: Vec<PathBuf>,
    autosave: Autosave,
    /// The files of the model beside the open one, where there is one.
    other: Option<OtherModel>,
    library: LibraryState,
    next_picture: NextPicture,
    /// Whether anything has happened since the last frame but that time has passed.
    is_stirred: bool,
    /// The model that was inspected last, or is being inspected.
    inspected: Weak<Model>,
    /// The name of the file that is exported, or was exported last.
    exported: String,
    /// Why the window cannot go on.
    failure: Option<AppError>,
}

impl App {
    fn new(options: Options, read: ReadSettings, recorder: Option<Recorder>, proxy: EventLoopProxy<UserEvent>) -> Self {
        let ReadSettings { mut settings, complaint } = read;
        settings.ui.watch = options.watch.unwrap_or(settings.ui.watch);
        let waker = proxy.clone();
        let wake = move || {
            // The loop may have ended.
            let _gone = waker.send_event(UserEvent::Job).is_err();
        };
        let timer = options.benchmark.clone().map(|wanted| FrameTimer::new(wanted, options.started));
        let mut app = Self {
            proxy,
            session: Session::default(),
            recorder,
            ui: UiState::new(settings.ui.clone()).measuring_on(benchmark::device::on(options.backend)),
            settings,
            status: Status::default(),
            window: None,
            formats: Arc::default(),
            frame: Frame::default(),
            pace: Pace::new(timer),
            statistics: Statistics::new(None),
            jobs: Jobs::new(Arc::new(wake)),
            opening: Opening::new(options.source.clone()),
            disk: OnDisk::default(),
            next: NextSteps::default(),
            dropping: Vec::new(),
            autosave: Autosave::new(options.autosave),
            other: None,
            library: LibraryState::default(),
            next_picture: NextPicture::default(),
            is_stirred: true,
            inspected: Weak::new(),
            exported: String::new(),
            failure: None,
            options,
        };
        if app.options.offers_first_steps {
            app.ui = app.ui.offering_first_steps();
        }
        app.begin();
        app.status.error = app.status.error.or(complaint);
        app
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: AppError) {
        self.failure = Some(error);
        event_loop.exit();
    }

    fn redraw(&self) {
        if let Some(window) = &self.window {
            window.request_redraw();
        }
    }

    /// Writes the settings that the next run begins with.
    fn save_settings(&mut self) {
        if self.pace.is_benchmark() {
            return;
        }
        // A window that fills the screen, or whose size was asked for once, has not the size that the next one opens with.
        let is_asked = self.ui.presents() || self.options.size.is_some();
        if let Some(window) = self.window.as_ref().filter(|_| !is_asked) {
            self.settings.size = window.size_in_points();
        }
        self.settings.ui = self.ui.saved();
        self.settings.save(self.session.document().iter().flat_map(|document| document.files()));
    }
}

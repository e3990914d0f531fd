//! One frame of the window.

use std::time::Instant;

use winit::event_loop::{ActiveEventLoop, ControlFlow};

use super::App;
use super::jobs::Kind;
use super::jobs::take_results::find_fonts;
use super::pace::Pace;
use super::window::Window;
use super::window::screen::AntialiasingRequest;
use crate::frame::SceneColors;
use crate::session::{CameraCommand, Command, FileCommand, PlaybackCommand, Session};
use crate::trace::{Part, measured};

impl App {
    /// Draws one frame: time, panels, commands, pose, picture.
    pub(super) fn paint(&mut self, event_loop: &ActiveEventLoop) {
        self.show_opened(event_loop);
        self.work_in_background();
        let now = Instant::now();
        let secs = self.pace.begin_frame(now);
        self.statistics.begin_frame(self.ui.shows_statistics(), now);
        self.status.costs = self.statistics.costs();
        // A benchmark measures the whole model, with all of its images.
        if self.pace.is_benchmark() && (self.session.document().is_none() || self.status.loading.is_some()) {
            return;
        }
        let Some(mut window) = self.window.take() else { return };
        self.change(PlaybackCommand::Advance(secs));
        measure_picture(&mut self.session, &mut self.pace);
        let has_commands = self.run_panels(event_loop, &mut window);
        if let Some(letters) = window.take_wanted_letters() {
            self.jobs.start(Kind::Fonts, move |_| find_fonts(&letters));
        }
        window.set_title(&self.session, self.disk.session_name().as_deref());
        window.fill_screen(self.ui.presents());
        let wakes = self.autosave_when_due(now).into_iter().chain(self.draw_recent_picture(now)).min();
        self.present(event_loop, window, wakes, has_commands);
    }

    /// Lets the panels draw themselves, and carries out their commands. Returns whether there were any.
    fn run_panels(&mut self, event_loop: &ActiveEventLoop, window: &mut Window) -> bool {
        window.fade(self.pace.has_time_to_fade());
        // What is under way tells of its progress.
        let is_quiet = !std::mem::take(&mut self.is_stirred) && !self.status.is_busy() && !window.wants_repaint();
        self.ui.note_quiet(is_quiet && self.session.plays());
        let (has_commands, is_resized) = self.take_turns(event_loop, window);
        self.is_stirred |= has_commands;
        if is_resized {
            // Names and rings were laid out for a picture of another size, and would lie beside what they belong to.
            self.ui.note_quiet(false);
            self.take_turns(event_loop, window);
        }
        has_commands
    }

    /// Gives the panels all events so far. Returns whether they had commands, and whether the picture has another size now.
    fn take_turns(&mut self, event_loop: &ActiveEventLoop, window: &mut Window) -> (bool, bool) {
        let (mut has_commands, mut is_resized) = (false, false);
        // Each turn sees what the one before it has changed.
        for turn in window.take_input() {
            self.session.update_pose();
            let commands =
                measured(Part::Panels, || window.run_ui(event_loop, turn, &self.session, &mut self.ui, &self.status));
            has_commands |= !commands.is_empty();
            // While the pointer holds the playhead, time stands still.
            let seeks = |command: &Command| matches!(command, Command::Playback(PlaybackCommand::Seek(_)));
            self.pace.set_scrubbing(commands.iter().any(seeks));
            for command in commands {
                if command == Command::File(FileCommand::CancelLoad) && self.status.loading.is_none() {
                    self.status.error = None;
                }
                is_resized |= matches!(command, Command::Camera(CameraCommand::SetViewport(_)));
                self.apply(event_loop, command);
            }
        }
        (has_commands, is_resized)
    }

    /// Draws the picture and the panels, and asks for the next frame where that is not to wait for an event.
    fn present(
        &mut self,
        event_loop: &ActiveEventLoop,
        mut window: Window,
        wakes: Option<Instant>,
        has_commands: bool,
    ) {
        measure_picture(&mut self.session, &mut self.pace);
        let palette = if self.ui.is_dark() { SceneColors::DARK } else { SceneColors::LIGHT };
        self.session.build_frame(&mut self.frame, &palette);
        let playing = self.session.plays();
        let edges = AntialiasingRequest { wanted: self.session.view().antialiasing, playing };
        window.measure_device(self.statistics.is_on());
        let presented = measured(Part::Present, || window.present(&self.frame, palette.background, edges));
        self.statistics.end_frame(window.frame_end());
        self.pace.end_frame(Instant::now());
        if !playing {
            self.pace.rest();
        }
        let shown = match presented {
            Ok(shown) => shown,
            Err(error) => return self.fail(event_loop, error.into()),
        };
        let has_news = self.take_messages(&mut window);
        let times =
            window.next_try(shown, &self.frame, edges.wanted).into_iter().chain(wakes).chain(self.jobs.next_notice());
        if let Some(at) = times.min() {
            wake_at(event_loop, at);
        }
        let palette = window.palette_fit(&self.frame).map_or("", |fit| fit.used());
        let is_last = shown && self.pace.presented(window.samples(), palette);
        if is_last {
            event_loop.exit();
        } else if playing && shown || has_news || has_commands || self.pace.is_benchmark() {
            window.request_redraw();
        }
        self.window = Some(window);
    }

    /// Takes what the device could not do. Returns whether the panels have to show anything new.
    fn take_messages(&mut self, window: &mut Window) -> bool {
        let before = self.status.error.clone();
        if let Some(message) = window.take_complaint() {
            self.status.error = Some(message);
            // The message may concern another adapter than before.
            self.status.adapter = window.adapter_name();
        }
        let limits = window.palette_fit(&self.frame).map(|fit| fit.limits);
        let is_limited = std::mem::replace(&mut self.status.palette_limits, limits) != limits;
        let is_warned = self.session.warn(&window.notices());
        let has_news = is_warned || is_limited || self.status.error != before;
        self.is_stirred |= has_news;
        has_news
    }
}

/// Brings the pose up to date, and measures it where colours and figures are to be those of the picture.
fn measure_picture(session: &mut Session, pace: &mut Pace) {
    session.update_pose();
    for _ in 0..session.measure_before_picture() {
        pace.measured();
    }
}

/// Wakes the event loop at a time, unless it wakes sooner anyway.
fn wake_at(event_loop: &ActiveEventLoop, at: Instant) {
    let is_sooner = matches!(event_loop.control_flow(), ControlFlow::WaitUntil(other) if other < at);
    if !is_sooner {
        event_loop.set_control_flow(ControlFlow::WaitUntil(at));
    }
}
